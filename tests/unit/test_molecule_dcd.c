/* DCD trajectories: the bytes that OpenMM writes, both orders of bytes, appending, gzip, what is refused. */
#define _XOPEN_SOURCE 700
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "molecule_rig.h"

static void enter(void) {
  static char directory[] = "/tmp/cardan_molecule_XXXXXX";
  ck_assert(mkdtemp(directory) && chdir(directory) == 0);
}

static unsigned char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  ck_assert(fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void write_all(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  ck_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static cdn_dcd_info info_of(const cdn_dcd *d) {
  cdn_dcd_info info;
  OK(cdn_dcd_get_info(d, &info));
  return info;
}

enum { ATOMS = 3, HEADER = 276, FRAME = 3 * (4 * ATOMS + 8) };
static const cdn_vec3 frames[4][ATOMS] = { { { .1, .2, .3 }, { -1, 0, 5 }, { 2, 2.5, 3 } },
                                           { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } },
                                           { { -.125, 0, 0 }, { 0, .25, 0 }, { 0, 0, 10 } },
                                           { { 9, 9, 9 }, { 8, 8, 8 }, { 7, 7, 7 } } };

static cdn_dcd_def three_atoms(void) {
  cdn_dcd_def def = cdn_default_dcd_def();
  def.n_atoms = ATOMS, def.time_step = 0.004, def.first_step = 50, def.interval = 25;
  return def;
}

static void write_frames(const char *path, int n) {
  const cdn_dcd_def def = three_atoms();
  cdn_dcd_writer *w;
  OK(cdn_dcd_create(path, &def, &w));
  for (int k = 0; k < n; k++) OK(cdn_dcd_write(w, frames[k]));
  OK(cdn_dcd_finish(w));
}

/* The n frames of the file are the first ones above, to single precision; the last one is asked for first. */
static void has_frames(const char *path, int n) {
  cdn_dcd *d;
  const cdn_status status = cdn_dcd_open(path, NULL, NULL, &d);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  const cdn_dcd_info info = info_of(d);
  ck_assert(info.n_atoms == ATOMS && info.n_frames == n && info.first_step == 50 && info.interval == 25);
  NEAR(info.time_step, 0.004, 0.004 * 6e-8);
  cdn_vec3 x[ATOMS];
  for (int k = 0; k < n; k++) {
    const int asked = n - 1 - k;
    OK(cdn_dcd_read(d, asked, x));
    for (int i = 0; i < ATOMS; i++)
      for (int c = 0; c < 3; c++) NEAR((&x[i].x)[c], (float)(10 * (&frames[asked][i].x)[c]) / 10.0, 0);
  }
  refused(cdn_dcd_read(d, n, x), CDN_ERR_ARG, "has no frame");
  refused(cdn_dcd_read(d, -1, x), CDN_ERR_ARG, "has no frame -1");
  cdn_dcd_close(d);
}

/* Of OpenMM's file all bytes but the title are ours, after each frame. */
START_TEST(bytes_are_those_of_openmm) {
  char path[1000];
  if (!shared_file("alanine-dipeptide.dcd", path, sizeof path)) SKIP("no alanine-dipeptide.dcd");
  enter();
  cdn_dcd *d;
  OK(cdn_dcd_open(path, NULL, NULL, &d));
  const cdn_dcd_info info = info_of(d);
  ck_assert(info.n_atoms == 22 && info.n_frames == 5 && !info.has_cell && !info.swapped && !info.warning[0]);
  ck_assert(strncmp(info.title, "Created by OpenMM\n", 18) == 0);
  cdn_dcd_def def = cdn_default_dcd_def();
  def.n_atoms = 22, def.time_step = 0.002, def.first_step = info.first_step, def.interval = info.interval;
  cdn_dcd_writer *w;
  OK(cdn_dcd_create("own.dcd", &def, &w));
  cdn_vec3 x[22];
  for (int k = 0; k < 5; k++) {
    OK(cdn_dcd_read(d, k, x));
    OK(cdn_dcd_write(w, x));
  }
  OK(cdn_dcd_finish(w));
  cdn_dcd_close(d);
  size_t n, m;
  unsigned char *theirs = read_all(path, &n), *ours = read_all("own.dcd", &m);
  ck_assert_uint_eq(n, m);
  enum { TITLE = 100, TITLE_END = 260 };
  for (size_t k = 0; k < n; k++)
    if (k < TITLE || k >= TITLE_END) ck_assert_msg(theirs[k] == ours[k], "byte %zu: %d, %d", k, theirs[k], ours[k]);
  free(theirs), free(ours);
}
END_TEST

/* What the file says of itself without more than the def has. */
START_TEST(the_time_and_the_title_are_told) {
  enter();
  write_frames("a.dcd", 2);
  cdn_dcd *d;
  OK(cdn_dcd_open("a.dcd", NULL, NULL, &d));
  ck_assert_str_eq(info_of(d).title, "Created by Cardan");
  ck_assert_str_eq(info_of(d).warning, "");
  cdn_dcd_close(d);
  has_frames("a.dcd", 2);
}
END_TEST

static void turn(unsigned char *bytes, size_t n) {
  for (size_t k = 0; k + 3 < n; k += 4) {
    unsigned char t = bytes[k];
    bytes[k] = bytes[k + 3], bytes[k + 3] = t;
    t = bytes[k + 1], bytes[k + 1] = bytes[k + 2], bytes[k + 2] = t;
  }
}

START_TEST(other_orders_and_compressed_files_are_read) {
  enter();
  write_frames("a.dcd", 4);
  size_t n;
  unsigned char *bytes = read_all("a.dcd", &n);
  ck_assert_uint_eq(n, HEADER + 4 * FRAME);
  gzFile packed = gzopen("a.dcd.gz", "wb");
  ck_assert(gzwrite(packed, bytes, (unsigned)n) == (int)n && gzclose(packed) == Z_OK);
  has_frames("a.dcd.gz", 4);
  turn(bytes, 4), turn(bytes + 8, 92), turn(bytes + 260, n - 260); /* all but CORD and the title */
  write_all("b.dcd", bytes, n);
  has_frames("b.dcd", 4);
  const cdn_dcd_def def = three_atoms();
  cdn_dcd_writer *w;
  refused(cdn_dcd_append("b.dcd", &def, -1, &w), CDN_ERR_UNSUPPORTED, "'b.dcd' is in the other order of bytes");
  refused(cdn_dcd_append("a.dcd.gz", &def, -1, &w), CDN_ERR_UNSUPPORTED, "write it without .gz");
  refused(cdn_dcd_create("a.dcd.gz", &def, &w), CDN_ERR_UNSUPPORTED, "write it without .gz");
  free(bytes);
}
END_TEST

/* Unit cells are skipped; X-PLOR's step is a double. */
START_TEST(cells_and_xplor_are_read) {
  enter();
  write_frames("a.dcd", 2);
  size_t n;
  unsigned char *bytes = read_all("a.dcd", &n), cells[HEADER + 2 * (FRAME + 56)] = { 0 };
  memcpy(cells, bytes, HEADER);
  cells[8 + 4 * 10] = 1;
  for (int k = 0; k < 2; k++) {
    unsigned char *to = cells + HEADER + k * (FRAME + 56);
    to[0] = to[52] = 48;
    memcpy(to + 56, bytes + HEADER + k * FRAME, FRAME);
  }
  write_all("cells.dcd", cells, sizeof cells);
  has_frames("cells.dcd", 2);
  const cdn_dcd_def def = three_atoms();
  cdn_dcd_writer *w;
  refused(cdn_dcd_append("cells.dcd", &def, -1, &w), CDN_ERR_UNSUPPORTED, "unit cells");
  const double step = 0.004 / 0.04888821;
  memset(bytes + 8 + 4 * 19, 0, 4);
  memcpy(bytes + 8 + 4 * 9, &step, sizeof step);
  write_all("xplor.dcd", bytes, n);
  has_frames("xplor.dcd", 2);
  refused(cdn_dcd_append("xplor.dcd", &def, -1, &w), CDN_ERR_UNSUPPORTED, "X-PLOR");
  free(bytes);
}
END_TEST

START_TEST(trajectories_go_on) {
  enter();
  cdn_dcd_def def = three_atoms();
  cdn_dcd_writer *w;
  size_t n, m;
  write_frames("whole.dcd", 4);
  unsigned char *whole = read_all("whole.dcd", &n);
  /* 4 frames in two runs have the bytes of one; a run that is cut off, and one that is to begin anew at a frame, too */
  for (int way = 0; way < 3; way++) {
    write_frames("a.dcd", way == 2 ? 3 : 2);
    if (way == 1) {
      FILE *file = fopen("a.dcd", "ab");
      ck_assert(file && fwrite(whole, 1, 17, file) == 17 && fclose(file) == 0);
      cdn_dcd *d;
      OK(cdn_dcd_open("a.dcd", NULL, NULL, &d));
      ck_assert(info_of(d).n_frames == 2 && strstr(info_of(d).warning, "the last frame is cut off"));
      cdn_dcd_close(d);
    }
    def.first_step = 12345; /* the file's counts */
    OK(cdn_dcd_append("a.dcd", &def, way == 2 ? 2 : -1, &w));
    for (int k = 2; k < 4; k++) {
      OK(cdn_dcd_write(w, frames[k]));
      has_frames("a.dcd", k + 1); /* whole at any moment */
    }
    OK(cdn_dcd_finish(w));
    unsigned char *bytes = read_all("a.dcd", &m);
    ck_assert(n == m && memcmp(bytes, whole, n) == 0);
    free(bytes);
  }
  refused(cdn_dcd_append("a.dcd", &def, 5, &w), CDN_ERR_ARG, "'a.dcd' has 4 frames, and 5 are to stay");
  def.n_atoms = 4;
  refused(cdn_dcd_append("a.dcd", &def, -1, &w), CDN_ERR_PARSE, "'a.dcd' has 3 atoms and a frame every 25 steps");
  def.n_atoms = 3, def.time_step = 0.0041;
  refused(cdn_dcd_append("a.dcd", &def, -1, &w), CDN_ERR_PARSE, "write a new one");
  refused(cdn_dcd_append("none.dcd", &def, -1, &w), CDN_ERR_FILE, "No such file");
  /* a header that an interrupted writer left behind */
  memset(whole + 8, 0, 4);
  write_all("b.dcd", whole, n);
  has_frames("b.dcd", 4);
  free(whole);
}
END_TEST

START_TEST(what_is_wrong_is_told) {
  enter();
  write_frames("a.dcd", 2);
  size_t n;
  unsigned char *good = read_all("a.dcd", &n);
  static const struct {
    int at;
    const char *bytes;
    int count;
    cdn_status code;
    const char *message;
  } mistakes[] = {
    { 4, "VELD", 4, CDN_ERR_UNSUPPORTED, "a.dcd: it has velocities in place of positions" },
    { 4, "\0\0\0\0", 4, CDN_ERR_UNSUPPORTED, "a.dcd: the marks of its records have 64 bits" },
    { 4, "CORE", 4, CDN_ERR_PARSE, "a.dcd: it does not begin with CORD" },
    { 0, "\x55", 1, CDN_ERR_PARSE, "it does not begin with CORD" },
    { 8 + 4 * 8, "\7", 1, CDN_ERR_UNSUPPORTED, "a.dcd: 7 atoms are fixed" },
    { 8 + 4 * 11, "\1", 1, CDN_ERR_UNSUPPORTED, "fourth dimension" },
    { 8 + 4 * 9, "\0\0\xc0\x7f", 4, CDN_ERR_PARSE, "its time step or its count" },
    { 88, "\1", 1, CDN_ERR_PARSE, "its header has no end" },
    { 92, "\xff\xff\xff\x7f", 4, CDN_ERR_PARSE, "its title has no length of a title" },
    { 268, "\xff\xff\xff\x7f", 4, CDN_ERR_PARSE, "its number of atoms makes no sense" },
    { 268, "\0", 1, CDN_ERR_PARSE, "its number of atoms makes no sense" },
  };
  cdn_dcd *d;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    unsigned char *bytes = malloc(n);
    memcpy(bytes, good, n);
    memcpy(bytes + mistakes[k].at, mistakes[k].bytes, (size_t)mistakes[k].count);
    write_all("a.dcd", bytes, n);
    refused(cdn_dcd_open("a.dcd", NULL, NULL, &d), mistakes[k].code, mistakes[k].message);
    free(bytes);
  }
  write_all("a.dcd", good, 200);
  refused(cdn_dcd_open("a.dcd", NULL, NULL, &d), CDN_ERR_PARSE, "a.dcd: the file ends early");
  /* within frames */
  cdn_vec3 x[ATOMS];
  good[HEADER + FRAME] ^= 1;
  write_all("a.dcd", good, n);
  OK(cdn_dcd_open("a.dcd", NULL, NULL, &d));
  refused(cdn_dcd_read(d, 1, x), CDN_ERR_PARSE, "a.dcd: frame 1: a record has not the length of its atoms");
  OK(cdn_dcd_read(d, 0, x));
  cdn_dcd_close(d);
  memcpy(good + HEADER + 4 + 4, "\0\0\xc0\x7f", 4);
  write_all("a.dcd", good, n);
  OK(cdn_dcd_open("a.dcd", NULL, NULL, &d));
  refused(cdn_dcd_read(d, 0, x), CDN_ERR_NONFINITE, "frame 0: the position of atom 1 is not finite");
  cdn_dcd_close(d);
  free(good);

  memory m = { { { "m.prmtop", prmtop_text, strlen(prmtop_text) } } };
  const cdn_molecule_read_def reads = reading(&m);
  cdn_prmtop *p;
  OK(cdn_prmtop_load("m.prmtop", &reads, &p));
  refused(cdn_dcd_open("a.dcd", p, NULL, &d), CDN_ERR_PARSE,
          "the trajectory has 3 atoms, and the topology 'm.prmtop' has 4");
  cdn_prmtop_destroy(p);
}
END_TEST

START_TEST(wrong_calls_are_refused) {
  enter();
  cdn_dcd_writer *w;
  cdn_dcd_def def = three_atoms();
  FAILS(cdn_dcd_create(NULL, &def, &w), CDN_ERR_ARG);
  FAILS(cdn_dcd_create("a.dcd", &def, NULL), CDN_ERR_ARG);
  FAILS(cdn_dcd_create("a.dcd", NULL, &w), CDN_ERR_VERSION);
  def.time_step = 0;
  refused(cdn_dcd_create("a.dcd", &def, &w), CDN_ERR_ARG, "its time step is not > 0");
  def = three_atoms(), def.n_atoms = 0;
  refused(cdn_dcd_create("a.dcd", &def, &w), CDN_ERR_ARG, "number of atoms");
  def = three_atoms(), def.interval = 0;
  refused(cdn_dcd_create("a.dcd", &def, &w), CDN_ERR_ARG, "interval");
  def = three_atoms();
  refused(cdn_dcd_create("no/a.dcd", &def, &w), CDN_ERR_FILE, "No such file");
  OK(cdn_dcd_create("a.dcd", &def, &w));
  cdn_vec3 x[ATOMS] = { { 0, 0, 0 }, { 0, INFINITY, 0 }, { 0, 0, 0 } };
  refused(cdn_dcd_write(w, x), CDN_ERR_NONFINITE, "the position of atom 1 is not finite");
  FAILS(cdn_dcd_write(w, NULL), CDN_ERR_ARG);
  FAILS(cdn_dcd_write(NULL, x), CDN_ERR_ARG);
  OK(cdn_dcd_write(w, frames[0]));
  OK(cdn_dcd_finish(w));
  OK(cdn_dcd_finish(NULL));
  has_frames("a.dcd", 1);
  cdn_dcd_close(NULL);
}
END_TEST

CHECK_MAIN("molecule_dcd", bytes_are_those_of_openmm, the_time_and_the_title_are_told,
           other_orders_and_compressed_files_are_read, cells_and_xplor_are_read, trajectories_go_on,
           what_is_wrong_is_told, wrong_calls_are_refused)
