/* PDB files that are written, and the atoms of a prmtop for them. */
#include <math.h>

#include "core/sized.h"
#include "io/pdb.h"

enum { NAME_WIDTH = 4, PLACE_WIDTH = 8, SERIAL_WIDTH = 5, NUMBER_WIDTH = 4, BONDED_A_LINE = 4 };

CDNI_DEF(pdb_def, .n_models = 1);

/* ---- arguments ---- */

static const char *wrong_with_atom(const cdn_pdb_atom *a) {
  if (!a->name[0] || !memchr(a->name, 0, NAME_WIDTH + 1)) return "its name does not have 1 to 4 characters";
  if (!memchr(a->residue_name, 0, NAME_WIDTH + 1)) return "the name of its residue has more than 4 characters";
  if (!memchr(a->chain, 0, 2)) return "the name of its chain has more than 1 character";
  if (!memchr(a->element, 0, 3)) return "its element has more than 2 characters";
  for (int k = 0; k < NAME_WIDTH; k++)
    if ((a->name[k] > 0 && a->name[k] < ' ') || (a->residue_name[k] > 0 && a->residue_name[k] < ' '))
      return "its name, or its residue's, has a control character";
  if (a->charge < -9 || a->charge > 9) return "its charge is not from -9 to 9";
  if (!isfinite(a->occupancy) || !isfinite(a->b_factor)) return "its occupancy or B factor is not finite";
  return NULL;
}

static cdn_status check(const char *function, const char *path, const cdn_pdb_def *d) {
  const char *wrong = d->n_atoms < 1 || !d->atoms                   ? "there are no atoms"
                      : d->n_models < 1                             ? "there are no models"
                      : d->n_models > 1 && !d->positions            ? "several models need positions"
                      : d->n_bonds < 0 || (d->n_bonds && !d->bonds) ? "the list of bonds is missing"
                      : d->title && strpbrk(d->title, "\r\n")       ? "the title has more than one line"
                                                                    : NULL;
  if (wrong) return cdni_refuse(CDN_ERR_ARG, function, "the PDB file '%s': %s", path, wrong);
  for (int32_t i = 0; i < d->n_atoms; i++) {
    wrong = wrong_with_atom(&d->atoms[i]);
    if (!wrong && !d->positions && !cdni_all_finite(&d->atoms[i].position.x, 3, NULL))
      wrong = "its position is not finite";
    if (wrong) return cdni_refuse(CDN_ERR_ARG, function, "the PDB file '%s': atom %d: %s", path, i, wrong);
  }
  if (d->positions && !cdni_all_finite(&d->positions[0].x, 3 * (size_t)d->n_atoms * (size_t)d->n_models, NULL))
    return cdni_refuse(CDN_ERR_ARG, function, "the PDB file '%s': a position is not finite", path);
  for (int32_t k = 0; k < d->n_bonds; k++)
    for (int e = 0; e < 2; e++)
      if (d->bonds[k][e] < 0 || d->bonds[k][e] >= d->n_atoms)
        return cdni_refuse(CDN_ERR_ARG, function, "the PDB file '%s': bond %d is of atom %d; there are %d", path, k,
                           d->bonds[k][e], d->n_atoms);
  return CDN_OK;
}

/* ---- atoms ---- */

static bool put_number(char *to, int width, int decimals, double x) {
  char text[64];
  const bool fits = cdni_print(text, sizeof text, "%*.*f", width, decimals, x) <= width;
  if (fits) memcpy(to, text, (size_t)width);
  return fits;
}

/* A symbol of one letter begins in the second column, unless the name has four. */
static void put_name(char *to, const cdn_pdb_atom *a) {
  const size_t n = strlen(a->name);
  memset(to, ' ', NAME_WIDTH);
  memcpy(to + (n < NAME_WIDTH && strlen(a->element) < 2), a->name, n);
}

static void put_right(char *to, int width, const char *text) {
  const size_t n = strlen(text);
  memcpy(to + width - n, text, n);
}

static void put_residue(char *line, const cdn_pdb_atom *a, const char *number) {
  /* three columns, right-justified; a fourth character takes the column behind them */
  const size_t n = strlen(a->residue_name);
  put_right(line + 17, n > 3 ? 4 : 3, a->residue_name);
  if (a->chain[0]) line[21] = a->chain[0];
  memcpy(line + 22, number, NUMBER_WIDTH);
  line[26] = a->insertion ? a->insertion : ' ';
}

static cdn_status too_large(io_text_out *out, int32_t i, const char *what) {
  return cdni_refuse(CDN_ERR_LIMIT, out->function, "atom %d of '%s': its %s needs more columns than PDB has", i,
                     out->path, what);
}

/* One atom, and TER where a chain ends. *serial is the next number. */
static cdn_status put_atom(io_text_out *out, const cdn_pdb_atom *a, cdn_vec3 position, int32_t i, int32_t *serial) {
  char line[81], number[16], count[16];
  const double x[3] = { position.x, position.y, position.z };
  memset(line, ' ', 80), line[80] = 0;
  if (!io_pdb_write_count((*serial)++, SERIAL_WIDTH, count)) return too_large(out, i, "number");
  if (!io_pdb_write_count(a->residue_number, NUMBER_WIDTH, number)) return too_large(out, i, "residue's number");
  memcpy(line, a->hetero ? "HETATM" : "ATOM  ", 6);
  memcpy(line + 6, count, SERIAL_WIDTH);
  put_name(line + 12, a);
  put_residue(line, a, number);
  for (int k = 0; k < 3; k++)
    if (!put_number(line + 30 + k * PLACE_WIDTH, PLACE_WIDTH, 3, x[k] * CDN_ANGSTROM_PER_NM))
      return too_large(out, i, "position");
  if (!put_number(line + 54, 6, 2, a->occupancy)) return too_large(out, i, "occupancy");
  if (!put_number(line + 60, 6, 2, a->b_factor)) return too_large(out, i, "B factor");
  put_right(line + 76, 2, a->element);
  if (a->charge) line[78] = (char)('0' + abs(a->charge)), line[79] = a->charge < 0 ? '-' : '+';
  io_text_put(out, "%s\n", line);
  if (!a->ends_chain) return CDN_OK;
  memset(line, ' ', 80);
  if (!io_pdb_write_count((*serial)++, SERIAL_WIDTH, count)) return too_large(out, i, "number");
  memcpy(line, "TER   ", 6);
  memcpy(line + 6, count, SERIAL_WIDTH);
  put_residue(line, a, number);
  line[27] = 0;
  io_text_put(out, "%s\n", line);
  return CDN_OK;
}

static cdn_status put_models(io_text_out *out, const cdn_pdb_def *d) {
  for (int32_t m = 0; m < d->n_models; m++) {
    const cdn_vec3 *positions = d->positions ? d->positions + (size_t)m * (size_t)d->n_atoms : NULL;
    int32_t serial = 1;
    if (d->n_models > 1) io_text_put(out, "MODEL     %4d\n", m + 1);
    for (int32_t i = 0; i < d->n_atoms; i++)
      CDNI_TRY(put_atom(out, &d->atoms[i], positions ? positions[i] : d->atoms[i].position, i, &serial));
    if (d->n_models > 1) io_text_put(out, "ENDMDL\n");
  }
  return CDN_OK;
}

/* ---- bonds ---- */

typedef struct neighbours {
  int32_t *first, *atom, *serial; /* of each atom: where its list begins (one more at the end), the lists, its number */
} neighbours;

static void list_neighbours(const cdn_pdb_def *d, neighbours *n) {
  for (int32_t k = 0; k < d->n_bonds; k++)
    for (int e = 0; e < 2; e++) n->first[d->bonds[k][e] + 1]++;
  for (int32_t i = 0; i < d->n_atoms; i++) n->first[i + 1] += n->first[i];
  for (int32_t k = 0; k < d->n_bonds; k++)
    for (int e = 0; e < 2; e++) n->atom[n->first[d->bonds[k][e]]++] = d->bonds[k][1 - e];
  for (int32_t i = d->n_atoms; i > 0; i--) n->first[i] = n->first[i - 1];
  n->first[0] = 0;
  int32_t serial = 1;
  for (int32_t i = 0; i < d->n_atoms; i++) {
    n->serial[i] = serial;
    serial += d->atoms[i].ends_chain ? 2 : 1;
  }
}

static cdn_status put_bonds(io_text_out *out, const cdn_pdb_def *d) {
  if (d->n_bonds == 0) return CDN_OK;
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ .alloc = NULL });
  const size_t size = (2 * (size_t)d->n_atoms + 1 + 2 * (size_t)d->n_bonds) * sizeof(int32_t);
  int32_t *memory = cdni_calloc(&a, size);
  if (!memory) return cdni_refuse(CDN_ERR_NOMEM, out->function, "out of memory");
  neighbours n = { memory, memory + d->n_atoms + 1, memory + d->n_atoms + 1 + 2 * (size_t)d->n_bonds };
  list_neighbours(d, &n);
  char count[16];
  for (int32_t i = 0; i < d->n_atoms; i++)
    for (int32_t k = n.first[i]; k < n.first[i + 1]; k++) {
      const bool begins = (k - n.first[i]) % BONDED_A_LINE == 0;
      if (begins) io_text_put(out, "CONECT%s", io_pdb_write_count(n.serial[i], SERIAL_WIDTH, count) ? count : "     ");
      io_text_put(out, "%s", io_pdb_write_count(n.serial[n.atom[k]], SERIAL_WIDTH, count) ? count : "     ");
      if (k + 1 == n.first[i + 1] || (k + 1 - n.first[i]) % BONDED_A_LINE == 0) io_text_put(out, "\n");
    }
  cdni_free(&a, memory, size);
  return CDN_OK;
}

cdn_status cdn_pdb_save(const char *path, const cdn_pdb_def *def) {
  CDNI_NEED_OBJECT(path, CDN_ERR_ARG);
  cdn_pdb_def d;
  const char *unreadable = read_pdb_def(&d, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  CDNI_TRY(check(__func__, path, &d));
  io_text_out out;
  CDNI_TRY(io_text_begin(&out, __func__, path));
  if (d.title) io_text_put(&out, "TITLE     %.70s\n", d.title);
  cdn_status status = put_models(&out, &d);
  if (status == CDN_OK) status = put_bonds(&out, &d);
  io_text_put(&out, "END\n");
  return io_text_end(&out, status);
}

/* ---- the atoms of a prmtop ---- */

cdn_status cdn_prmtop_pdb_atoms(const cdn_prmtop *prmtop, const cdn_vec3 *positions, cdn_pdb_atom *atoms) {
  CDNI_NEED_OBJECT(prmtop, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(atoms, CDN_ERR_ARG);
  static const char chains[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (int32_t i = 0; i < prmtop->n_atoms; i++) {
    cdn_pdb_atom *a = &atoms[i];
    const int32_t r = prmtop->residue[i];
    *a = (cdn_pdb_atom){ .position = positions ? positions[i] : (cdn_vec3){ 0, 0, 0 },
                         .occupancy = 1,
                         .serial = i + 1,
                         .residue = r,
                         .residue_number = r + 1,
                         .insertion = ' ',
                         .alternate = ' ' };
    if (strlen(prmtop->name[i]) > NAME_WIDTH || strlen(prmtop->residue_name[r]) > NAME_WIDTH)
      return cdni_refuse(CDN_ERR_LIMIT, __func__, "the name of atom %d or of its residue has more than 4 characters",
                         i);
    snprintf(a->name, sizeof a->name, "%s", prmtop->name[i]);
    snprintf(a->residue_name, sizeof a->residue_name, "%s", prmtop->residue_name[r]);
    snprintf(a->element, sizeof a->element, "%s", io_element_symbol(prmtop->atomic_number[i]));
    a->ends_chain = i + 1 == prmtop->residue_first[r + 1];
  }
  for (int32_t k = 0; k < prmtop->n_bonds; k++) {
    const int32_t *ends = prmtop->bonds[k].atom;
    const int32_t a = prmtop->residue[ends[0]], b = prmtop->residue[ends[1]];
    const int32_t lesser = a < b ? a : b;
    if (abs(a - b) == 1) atoms[prmtop->residue_first[lesser + 1] - 1].ends_chain = false;
  }
  for (int32_t i = 0, chain = 0; i < prmtop->n_atoms; i++) {
    atoms[i].chain[0] = chains[chain % (int32_t)(sizeof chains - 1)];
    if (atoms[i].ends_chain) chain++;
  }
  return CDN_OK;
}
