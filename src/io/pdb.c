/* PDB files, by the columns of format 3.3 (https://www.wwpdb.org/documentation/file-format). */
#include <ctype.h>
#include <math.h>

#include "io/pdb.h"

/* Columns from 0. */
enum {
  SERIAL = 6,
  NAME = 12,
  ALTERNATE = 16,
  RESIDUE = 17,
  CHAIN = 21,
  NUMBER = 22,
  INSERTION = 26,
  PLACE = 30,
  OCCUPANCY = 54,
  B_FACTOR = 60,
  ELEMENT = 76,
  CHARGE = 78,
  LINE_END = 80
};
enum { SERIAL_WIDTH = 5, NUMBER_WIDTH = 4, MOST_BONDED = 4 };

typedef struct serial_of {
  int32_t serial, atom;
} serial_of;

typedef struct pdb_data {
  cdn_pdb shown; /* the first member */
  io_log log;
  io_blocks blocks;
  io_lines lines;
  cdni_array atoms, first, positions, pairs, title; /* cdn_pdb_atom; int32_t; cdn_vec3; int32_t[2] of serials; char */
  char line[LINE_END + 1];                          /* padded with blanks */
  char residue_text[16];                            /* the columns of the present residue */
  pdb_counting serials, numbers;
  size_t at; /* atoms of the present model so far */
  bool chain_ended, serials_lost;
  int alternates, lost_bonds; /* atoms and bonds that were left out */
  int first_alternate;        /* the line of the first of them */
} pdb_data;

static cdn_status no_memory(pdb_data *p) { return io_fail(&p->log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- fields of an atom ---- */

static cdn_status get_number(pdb_data *p, int column, int width, const char *what, double otherwise, double *x) {
  char text[16];
  io_field_text(p->line + column, (size_t)width, text, sizeof text);
  *x = otherwise;
  if (!text[0] && !isnan(otherwise)) return CDN_OK;
  const char *mistake = io_field_double(&p->lines, p->line + column, (size_t)width, x);
  if (!mistake) return CDN_OK;
  return io_fail(&p->log, CDN_ERR_PARSE, p->lines.line, "%s (columns %d to %d): %s: '%s'; make the file again", what,
                 column + 1, column + width, mistake, text);
}

/* Element columns may be absent. Then the name's columns tell: a symbol ends in the second one, but for hydrogens'
 * names of four characters. Two letters are a symbol in HETATM alone: "CA  " is calcium there, and " CA " carbon. */
static void guess_element(cdn_pdb_atom *a, const char *columns) {
  char symbol[3] = { columns[0], columns[1], 0 };
  if (!isalpha((unsigned char)columns[0])) symbol[0] = columns[1], symbol[1] = 0;
  else if (!a->hetero || columns[2] != ' ' || !isalpha((unsigned char)columns[1])) symbol[1] = 0;
  if (!io_element_number(symbol)) symbol[1] = 0;
  snprintf(a->element, sizeof a->element, "%s", io_element_symbol(io_element_number(symbol)));
}

static int32_t charge_of(const char *columns) {
  for (int k = 0; k < 2; k++)
    if (isdigit((unsigned char)columns[k]) && (columns[1 - k] == '+' || columns[1 - k] == '-'))
      return (columns[k] - '0') * (columns[1 - k] == '-' ? -1 : 1);
  return 0;
}

static cdn_status read_atom(pdb_data *p, cdn_pdb_atom *a) {
  const char *l = p->line;
  double x[3];
  *a = (cdn_pdb_atom){ .insertion = l[INSERTION], .alternate = l[ALTERNATE], .hetero = l[0] == 'H' };
  if (p->lines.length < OCCUPANCY)
    return io_fail(&p->log, CDN_ERR_PARSE, p->lines.line,
                   "the atom's line ends before its position does (column %d); the file "
                   "is cut off, or is no PDB",
                   OCCUPANCY);
  io_field_text(l + NAME, 4, a->name, sizeof a->name);
  io_field_text(l + RESIDUE, 4, a->residue_name, sizeof a->residue_name);
  io_field_text(l + CHAIN, 1, a->chain, sizeof a->chain);
  io_field_text(l + ELEMENT, 2, a->element, sizeof a->element);
  for (int k = 0; k < 3; k++) CDNI_TRY(get_number(p, PLACE + 8 * k, 8, "the position", NAN, &x[k]));
  a->position = (cdn_vec3){ x[0] / CDN_ANGSTROM_PER_NM, x[1] / CDN_ANGSTROM_PER_NM, x[2] / CDN_ANGSTROM_PER_NM };
  CDNI_TRY(get_number(p, OCCUPANCY, 6, "the occupancy", 1, &a->occupancy));
  CDNI_TRY(get_number(p, B_FACTOR, 6, "the B factor", 0, &a->b_factor));
  a->charge = charge_of(l + CHARGE);
  const int known = io_element_number(a->element);
  if (known) snprintf(a->element, sizeof a->element, "%s", io_element_symbol(known));
  else guess_element(a, l + NAME);
  return CDN_OK;
}

/* A number that cannot be read ("*****") follows the one before it. */
static void number_atom(pdb_data *p, cdn_pdb_atom *a, const cdn_pdb_atom *before) {
  if (!io_pdb_read_count(p->line + SERIAL, SERIAL_WIDTH, &p->serials, &a->serial))
    a->serial = before ? before->serial + 1 : 1, p->serials_lost = true;
  if (p->serials == PDB_HEXADECIMAL) p->serials_lost = true; /* "18700" may be decimal */
  if (!io_pdb_read_count(p->line + NUMBER, NUMBER_WIDTH, &p->numbers, &a->residue_number)) a->residue_number = 0;
}

/* ---- atoms in their models ---- */

/* The columns that tell residues apart, without the name. */
static bool same_place(const pdb_data *p) { return strncmp(p->residue_text + 4, p->line + CHAIN, 6) == 0; }

/* Whether this is another location of an atom that is there, or of a residue of another name. */
static bool is_alternate(const pdb_data *p, const cdn_pdb_atom *a) {
  if (a->alternate == ' ' || p->atoms.count == 0 || !same_place(p) || p->chain_ended) return false;
  if (strncmp(p->residue_text, p->line + RESIDUE, 4) != 0) return true;
  const int32_t first = CDNI_AT(p->first, int32_t, p->first.count - 1);
  for (size_t i = (size_t)first; i < p->atoms.count; i++)
    if (strcmp(CDNI_AT(p->atoms, cdn_pdb_atom, i).name, a->name) == 0) return true;
  return false;
}

static void leave_out(pdb_data *p) {
  if (p->alternates++ == 0) p->first_alternate = p->lines.line;
}

static cdn_status add_first(pdb_data *p, cdn_pdb_atom *a) {
  if (is_alternate(p, a)) return leave_out(p), CDN_OK;
  if (p->atoms.count == CDN_MOST_ATOMS)
    return io_fail(&p->log, CDN_ERR_LIMIT, p->lines.line, "there are more than %d atoms", CDN_MOST_ATOMS);
  number_atom(p, a, p->atoms.count > 0 ? &CDNI_AT(p->atoms, cdn_pdb_atom, p->atoms.count - 1) : NULL);
  const bool begins =
      p->atoms.count == 0 || p->chain_ended || !same_place(p) || strncmp(p->residue_text, p->line + RESIDUE, 4) != 0;
  const int32_t here = (int32_t)p->atoms.count;
  if (begins && !cdni_array_push(&p->log.allocator, &p->first, sizeof here, &here)) return no_memory(p);
  if (begins) memcpy(p->residue_text, p->line + RESIDUE, 10), p->residue_text[10] = 0;
  p->chain_ended = false;
  a->residue = (int32_t)p->first.count - 1;
  if (!cdni_array_push(&p->log.allocator, &p->atoms, sizeof *a, a)) return no_memory(p);
  if (!cdni_array_push(&p->log.allocator, &p->positions, sizeof a->position, &a->position)) return no_memory(p);
  p->at++;
  return CDN_OK;
}

/* An atom of a further model must be that of the first one. */
static cdn_status add_further(pdb_data *p, const cdn_pdb_atom *a) {
  const cdn_pdb_atom *wanted = p->at < p->atoms.count ? &CDNI_AT(p->atoms, cdn_pdb_atom, p->at) : NULL;
  const bool same = wanted && strcmp(wanted->name, a->name) == 0 &&
                    strcmp(wanted->residue_name, a->residue_name) == 0 && wanted->alternate == a->alternate;
  if (!same && a->alternate != ' ') return leave_out(p), CDN_OK;
  if (!same)
    return io_fail(&p->log, CDN_ERR_PARSE, p->lines.line,
                   "model %d has the atom '%s' of '%s' where the first one has %s%s%s; "
                   "give models of one molecule",
                   p->shown.n_models, a->name, a->residue_name, wanted ? "'" : "none", wanted ? wanted->name : "",
                   wanted ? "'" : "");
  p->at++;
  if (cdni_array_push(&p->log.allocator, &p->positions, sizeof a->position, &a->position)) return CDN_OK;
  return no_memory(p);
}

static cdn_status end_model(pdb_data *p) {
  if (p->at == 0) return CDN_OK;
  if (p->at != p->atoms.count)
    return io_fail(&p->log, CDN_ERR_PARSE, p->lines.line,
                   "model %d has %zu atoms, the first one %zu; the file is cut off, or "
                   "its models are not of one molecule",
                   p->shown.n_models, p->at, p->atoms.count);
  p->at = 0;
  return CDN_OK;
}

static cdn_status add_atom(pdb_data *p) {
  cdn_pdb_atom a;
  CDNI_TRY(read_atom(p, &a));
  if (p->at == 0) p->shown.n_models++;
  return p->shown.n_models == 1 ? add_first(p, &a) : add_further(p, &a);
}

/* ---- other records ---- */

static cdn_status add_bonds(pdb_data *p) {
  pdb_counting counting = p->serials == PDB_HYBRID ? PDB_DECIMAL : p->serials; /* each field for itself */
  int32_t pair[2];
  for (int k = 0; k <= MOST_BONDED; k++) {
    const char *field = p->line + SERIAL + k * SERIAL_WIDTH;
    pdb_counting own = counting;
    if (strncmp(field, "     ", SERIAL_WIDTH) == 0) {
      if (k == 0) break;
      continue;
    }
    if (!io_pdb_read_count(field, SERIAL_WIDTH, &own, &pair[k > 0]))
      return io_fail(&p->log, CDN_ERR_PARSE, p->lines.line, "CONECT: '%.5s' is no number of an atom", field);
    if (k > 0 && !cdni_array_push(&p->log.allocator, &p->pairs, sizeof pair, pair)) return no_memory(p);
  }
  return CDN_OK;
}

static cdn_status add_title(pdb_data *p) {
  char text[LINE_END + 1];
  io_field_text(p->line + 10, LINE_END - 10, text, sizeof text);
  const size_t n = strlen(text), space = p->title.count > 0;
  if (p->title.count > IO_LONGEST_LINE) return CDN_OK;
  char *to = cdni_array_extend(&p->log.allocator, &p->title, 1, n + space);
  if (!to && n + space > 0) return no_memory(p);
  if (space) *to++ = ' ';
  memcpy(to ? to : text, text, n);
  return CDN_OK;
}

static void look_at_cell(pdb_data *p) {
  double x[3] = { 1, 1, 1 };
  for (int k = 0; k < 3; k++)
    if (io_field_double(&p->lines, p->line + 6 + 9 * k, 9, &x[k])) x[k] = 0;
  if (x[0] == 1 && x[1] == 1 && x[2] == 1) return; /* stands for none */
  io_warn(&p->log, p->lines.line, "CRYST1: the periodic box, or crystal, is dropped");
}

static bool begins(const pdb_data *p, const char *record) { return strncmp(p->line, record, strlen(record)) == 0; }

static cdn_status read_record(pdb_data *p) {
  if (begins(p, "ATOM  ") || begins(p, "HETATM")) return add_atom(p);
  if (begins(p, "TER") && p->shown.n_models <= 1 && p->atoms.count > 0) {
    CDNI_AT(p->atoms, cdn_pdb_atom, p->atoms.count - 1).ends_chain = true;
    p->chain_ended = true;
  }
  if (begins(p, "MODEL ") || begins(p, "ENDMDL")) return end_model(p);
  if (begins(p, "CONECT")) return add_bonds(p);
  if (begins(p, "TITLE ")) return add_title(p);
  if (begins(p, "CRYST1")) look_at_cell(p);
  return p->log.error.code;
}

static cdn_status read_lines(pdb_data *p) {
  bool there;
  CDNI_TRY(io_lines_open(&p->lines, &p->log));
  for (;;) {
    CDNI_TRY(io_lines_next(&p->lines, &there));
    if (!there) break;
    const size_t n = p->lines.length < LINE_END ? p->lines.length : LINE_END;
    memset(p->line, ' ', LINE_END);
    memcpy(p->line, p->lines.text, n);
    CDNI_TRY(read_record(p));
  }
  if (p->atoms.count == 0)
    return io_fail(&p->log, CDN_ERR_PARSE, 0, "there is no record ATOM or HETATM: this is no PDB file, or it is empty");
  return end_model(p);
}

/* ---- bonds by serial numbers ---- */

static int by_serial(const void *a, const void *b) {
  const serial_of *x = a, *y = b;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return x->atom < y->atom ? -1 : x->atom > y->atom;
}

static int by_atoms(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  for (int k = 0; k < 2; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

/* The atom of a serial number, -1: there is none, or more than one. */
static int32_t find_atom(const serial_of *table, size_t n, int32_t serial) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (table[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  if (low == n || table[low].serial != serial) return -1;
  return low + 1 < n && table[low + 1].serial == serial ? -1 : table[low].atom;
}

static cdn_status make_bonds(pdb_data *p) {
  const size_t n = p->atoms.count, m = p->pairs.count;
  if (m == 0) return CDN_OK;
  if (p->serials_lost) {
    io_warn(&p->log, 0, "CONECT records are left out: numbers of atoms are not unique (hexadecimal, or too large)");
    return p->log.error.code;
  }
  serial_of *table = cdni_alloc(&p->log.allocator, n * sizeof *table);
  int32_t(*bonds)[2] = io_blocks_new(&p->blocks, &p->log, m, sizeof *bonds);
  if (!table || !bonds) {
    cdni_free(&p->log.allocator, table, n * sizeof *table);
    return no_memory(p);
  }
  for (size_t i = 0; i < n; i++) table[i] = (serial_of){ CDNI_AT(p->atoms, cdn_pdb_atom, i).serial, (int32_t)i };
  qsort(table, n, sizeof *table, by_serial);
  size_t found = 0;
  for (size_t k = 0; k < m; k++) {
    const int32_t *pair = (const int32_t *)p->pairs.data + 2 * k;
    const int32_t a = find_atom(table, n, pair[0]), b = find_atom(table, n, pair[1]);
    if (a < 0 || b < 0 || a == b) {
      p->lost_bonds++;
      continue;
    }
    bonds[found][0] = a < b ? a : b, bonds[found++][1] = a < b ? b : a;
  }
  cdni_free(&p->log.allocator, table, n * sizeof *table);
  if (found > 0) qsort(bonds, found, sizeof *bonds, by_atoms);
  int32_t kept = 0;
  for (size_t k = 0; k < found; k++)
    if (k == 0 || by_atoms(bonds[k], bonds[k - 1]) != 0) memmove(bonds[kept++], bonds[k], sizeof *bonds);
  p->shown.n_bonds = kept, p->shown.bonds = (const int32_t(*)[2])bonds;
  if (p->lost_bonds > 0)
    io_warn(&p->log, 0, "%d bonds of CONECT records are of atoms that are not here, and are left out", p->lost_bonds);
  return p->log.error.code;
}

/* ---- loading ---- */

static cdn_status fill(pdb_data *p) {
  cdn_pdb *s = &p->shown;
  CDNI_TRY(read_lines(p));
  if (p->alternates > 0)
    io_warn(&p->log, p->first_alternate, "%d alternate locations of atoms are left out (first here)", p->alternates);
  CDNI_TRY(make_bonds(p));
  const int32_t end = (int32_t)p->atoms.count;
  const char none = 0;
  if (!cdni_array_push(&p->log.allocator, &p->first, sizeof end, &end)) return no_memory(p);
  if (!cdni_array_push(&p->log.allocator, &p->title, 1, &none)) return no_memory(p);
  s->title = p->title.data;
  s->n_atoms = end, s->atoms = p->atoms.data;
  s->n_residues = (int32_t)p->first.count - 1, s->residue_first = p->first.data;
  s->positions = p->positions.data;
  s->n_warnings = (int32_t)p->log.warnings.count, s->warnings = p->log.warnings.data;
  return p->log.error.code;
}

cdn_status cdn_pdb_load(const char *path, const cdn_molecule_read_def *def, cdn_pdb **out) {
  if (out) *out = NULL;
  cdn_molecule_read_def known;
  CDNI_TRY(io_molecule_arguments(__func__, !path || !out, def, &known));
  pdb_data *p = cdni_calloc(&known.allocator, sizeof *p);
  if (!p) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  p->blocks.allocator = known.allocator;
  cdn_status status = io_molecule_log(&p->log, __func__, path, &known);
  p->shown.file = p->log.file;
  if (status == CDN_OK) status = fill(p);
  io_lines_close(&p->lines);
  cdni_array_free(&known.allocator, &p->pairs);
  if (status == CDN_OK) *out = &p->shown;
  else cdn_pdb_destroy(&p->shown);
  return status;
}

void cdn_pdb_destroy(cdn_pdb *pdb) {
  if (!pdb) return;
  pdb_data *p = (pdb_data *)pdb; /* its first member */
  const cdn_allocator a = p->blocks.allocator;
  cdni_array_free(&a, &p->atoms);
  cdni_array_free(&a, &p->first);
  cdni_array_free(&a, &p->positions);
  cdni_array_free(&a, &p->title);
  io_blocks_free(&p->blocks);
  io_log_free(&p->log);
  cdni_free(&a, p, sizeof *p);
}
