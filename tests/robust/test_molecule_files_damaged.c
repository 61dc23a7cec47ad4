/* Files of molecules with flipped bits, cut off, with pieces repeated; plain and compressed: they are read or refused
 * with a message, take no more memory than their size explains, and give all of it back. The same when memory runs
 * out. */
#include <zlib.h>

#include "../unit/molecule_rig.h"
#include "counting_allocator.h"

enum { VARIANTS = 1500, MOST = 1 << 14 };

static const char pdb_text[] = "TITLE     A\n"
                               "ATOM  99999  N   ALA A   1      11.104   6.134  -6.504  1.00 12.50           N1+\n"
                               "ATOM  A0000  CA AALA A   1      11.639   6.071  -5.147  0.60 13.00           C\n"
                               "ATOM  A0001  CA BALA A   1      11.700   6.100  -5.200  0.40 13.00           C\n"
                               "TER   A0002      ALA A   1\n"
                               "HETATM10000 CA    CA B   2      -9.123   1.000   2.000  1.00  0.00\n"
                               "CONECTA0000999991000A\n"
                               "END\n";

static uint64_t random_state;
static uint32_t draw(uint32_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % n;
}

/* A file of each kind. */
typedef enum kind { PRMTOP, RESTART, PDB, DCD, KINDS } kind;
typedef struct bytes {
  unsigned char byte[MOST];
  size_t n;
} bytes;

static void word(bytes *b, uint32_t x) {
  for (int k = 0; k < 4; k++) b->byte[b->n++] = (unsigned char)(x >> 8 * k);
}

static void make_dcd(bytes *b) {
  word(b, 84);
  memcpy(b->byte + b->n, "CORD", 4), b->n += 4;
  for (int k = 0; k < 20; k++) word(b, k == 0 ? 3 : k == 9 ? 0x3d2790e3 : k == 10 ? 1 : k == 19 ? 24 : 0);
  word(b, 84), word(b, 84), word(b, 1);
  memset(b->byte + b->n, 'T', 80), b->n += 80;
  word(b, 84), word(b, 4), word(b, 5), word(b, 4);
  for (int frame = 0; frame < 3; frame++) {
    word(b, 48), b->n += 48, word(b, 48);
    for (int axis = 0; axis < 3; axis++) {
      word(b, 20);
      for (int i = 0; i < 5; i++) word(b, 0x3f800000);
      word(b, 20);
    }
  }
}

static bytes sound(kind k) {
  static const char *const texts[] = { prmtop_text, restart_text, pdb_text };
  bytes b = { .n = 0 };
  if (k == DCD) make_dcd(&b);
  else memcpy(b.byte, texts[k], b.n = strlen(texts[k]));
  ck_assert_uint_lt(b.n, MOST / 2);
  return b;
}

static void damage(bytes *b) {
  const uint32_t times = 1 + draw(3);
  for (uint32_t t = 0; t < times && b->n > 0; t++) {
    const uint32_t at = draw((uint32_t)b->n);
    switch (draw(6)) {
      case 0: b->byte[at] ^= (unsigned char)(1u << draw(8)); break;
      case 1: b->byte[at] = (unsigned char)draw(256); break;
      case 2: b->byte[at] = "0123456789-+.*eE \n%"[draw(19)]; break; /* what numbers consist of */
      case 3: b->n = at; break;
      case 4: memset(b->byte + at, 0xff, b->n - at < 4 ? b->n - at : 4); break;
      default: { /* a piece is repeated */
        const size_t piece = draw(200) % (b->n - at) + 1;
        if (b->n + piece > MOST) break;
        memmove(b->byte + at + piece, b->byte + at, b->n - at);
        b->n += piece;
      }
    }
  }
}

static bytes packed(const bytes *plain) {
  bytes b = { .n = 0 };
  z_stream z = {
    .next_in = (unsigned char *)plain->byte, .avail_in = (uInt)plain->n, .next_out = b.byte, .avail_out = MOST
  };
  ck_assert(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
            deflate(&z, Z_FINISH) == Z_STREAM_END);
  b.n = MOST - z.avail_out;
  deflateEnd(&z);
  return b;
}

/* Reads it, and whatever it then has. */
static cdn_status read_kind(kind k, const bytes *b, cdn_allocator allocator) {
  memory m = { { { "f", b->byte, b->n } } };
  cdn_molecule_read_def def = reading(&m);
  def.allocator = allocator, def.ignore_box = true;
  cdn_status status = CDN_OK;
  if (k == PRMTOP) {
    cdn_prmtop *p;
    status = cdn_prmtop_load("f", &def, &p);
    cdn_pdb_atom *atoms = status == CDN_OK ? calloc((size_t)p->n_atoms, sizeof *atoms) : NULL;
    if (atoms) OK(cdn_prmtop_pdb_atoms(p, NULL, atoms));
    free(atoms);
    cdn_prmtop_destroy(p);
  } else if (k == RESTART) {
    cdn_restart *r;
    status = cdn_restart_load("f", NULL, &def, &r);
    for (int i = 0; status == CDN_OK && i < r->n_atoms; i++) ck_assert(isfinite(r->positions[i].z));
    cdn_restart_destroy(r);
  } else if (k == PDB) {
    cdn_pdb *p;
    status = cdn_pdb_load("f", &def, &p);
    for (int i = 0; status == CDN_OK && i < p->n_models * p->n_atoms; i++) ck_assert(isfinite(p->positions[i].z));
    cdn_pdb_destroy(p);
  } else {
    cdn_dcd *d;
    cdn_dcd_info info;
    status = cdn_dcd_open("f", NULL, &def, &d);
    if (status == CDN_OK) {
      OK(cdn_dcd_get_info(d, &info));
      ck_assert(info.n_frames == 0 || info.n_atoms * 12 < 2 * MOST);
      cdn_vec3 *x = calloc(MOST, sizeof *x);
      for (int64_t frame = 0; frame < info.n_frames && status == CDN_OK; frame++) status = cdn_dcd_read(d, frame, x);
      free(x);
    }
    cdn_dcd_close(d);
  }
  return status;
}

START_TEST(damaged_files_are_refused_or_read) {
  for (int k = 0; k < KINDS; k++) {
    int read = 0, refused_ones = 0;
    for (int v = 0; v < FEWER(VARIANTS); v++) {
      random_state = (uint64_t)(k * 100000 + v);
      bytes b = sound((kind)k);
      const uint32_t way = v == 0 ? 0 : draw(4); /* of compressed files the text, or the file is damaged */
      if (v > 0 && way != 3) damage(&b);
      if (way >= 2) b = packed(&b);
      if (way == 3) damage(&b);
      counting_allocator c = { .calls = 0 };
      cdn_last_error_clear();
      const cdn_status status = read_kind((kind)k, &b, allocator_of(&c));
      ck_assert_msg(c.outstanding == 0 && c.misuse == 0, "kind %d, variant %d: %ld blocks, misuse %ld", k, v,
                    (long)c.outstanding, (long)c.misuse);
      ck_assert_msg(c.largest <= 1 << 20, "kind %d, variant %d: asks for %ld bytes", k, v, (long)c.largest);
      ck_assert_msg(v > 0 || status == CDN_OK, "%s", cdn_last_error_text());
      if (status == CDN_OK) read++;
      else {
        cdn_error error;
        cdn_last_error(&error);
        ck_assert_msg(error.code == status && strncmp(error.text, "f", 1) == 0, "kind %d, variant %d: %s", k, v,
                      error.text);
        ck_assert(status == CDN_ERR_PARSE || status == CDN_ERR_UNSUPPORTED || status == CDN_ERR_LIMIT ||
                  status == CDN_ERR_NONFINITE || status == CDN_ERR_FILE);
        refused_ones++;
      }
    }
    ck_assert_msg(read > FEWER(VARIANTS) / 50 && refused_ones > FEWER(VARIANTS) / 5, "kind %d: %d read, %d refused", k,
                  read, refused_ones);
  }
}
END_TEST

START_TEST(lack_of_memory_is_told) {
  for (int k = 0; k < KINDS; k++)
    for (int is_packed = 0; is_packed < 2; is_packed++) {
      const bytes plain = sound((kind)k), b = is_packed ? packed(&plain) : plain;
      counting_allocator all = { .calls = 0 };
      OK(read_kind((kind)k, &b, allocator_of(&all)));
      for (int64_t i = 1; i <= all.calls; i++) {
        counting_allocator c = { .fail_at = i };
        must_say_no_memory(read_kind((kind)k, &b, allocator_of(&c)), i);
        ck_assert(c.outstanding == 0 && c.misuse == 0);
      }
    }
}
END_TEST

/* A megabyte that unpacks to a gigabyte: an endless line, endless numbers of an atom's place. */
START_TEST(what_unpacks_to_too_much_is_refused) {
  enum { PACKED = 1 << 17 };
  unsigned char *out = malloc(PACKED), blanks[4096];
  memset(blanks, ' ', sizeof blanks);
  z_stream z = { .next_out = out, .avail_out = PACKED };
  ck_assert(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  for (int k = 0; k < 4096; k++) {
    z.next_in = blanks, z.avail_in = sizeof blanks;
    ck_assert(deflate(&z, Z_NO_FLUSH) == Z_OK && z.avail_out > 0);
  }
  ck_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
  memory m = { { { "f", out, PACKED - z.avail_out } } };
  deflateEnd(&z);
  cdn_molecule_read_def def = reading(&m);
  counting_allocator c = { .calls = 0 };
  def.allocator = allocator_of(&c);
  cdn_prmtop *p;
  cdn_pdb *pdb;
  refused(cdn_prmtop_load("f", &def, &p), CDN_ERR_PARSE, "f:1: the line has more than 4096 bytes");
  refused(cdn_pdb_load("f", &def, &pdb), CDN_ERR_PARSE, "f:1: the line has more than 4096 bytes");
  ck_assert(c.largest <= 1 << 20 && c.outstanding == 0);
  free(out);
}
END_TEST

CHECK_MAIN("molecule_files_damaged", damaged_files_are_refused_or_read, lack_of_memory_is_told,
           what_unpacks_to_too_much_is_refused)
