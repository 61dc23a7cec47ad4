/* The table of a run of `cardan md`. */
#include <cardan/mobilizers.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"

static void name_atom(const md_molecule *m, int atom, char name[96]) {
  const int residue = m->prmtop->residue[atom];
  snprintf(name, 96, "%s%d:%s", m->prmtop->residue_name[residue], residue + 1, m->prmtop->name[atom]);
}

/* "ALA2:N-ALA2:CA", and what the coordinate is, unless it is that of a pin. */
static void name_coordinate(const md_molecule *m, const md_coordinate *c, char name[256]) {
  const cdn_prmtop_bond *b = &m->prmtop->bonds[c->bond];
  char one[96], other[96];
  name_atom(m, b->atom[0], one), name_atom(m, b->atom[1], other);
  snprintf(name, 256, "%s-%s%s%s", one, other, c->part[0] ? "." : "", c->part);
}

/* The coordinates of all bonds that move, in the order of the file's bonds. */
static void find_coordinates(md_table *t, const md_molecule *m) {
  int n = 0;
  t->coordinate = allocate((size_t)cdn_system_nq(m->system), sizeof *t->coordinate);
  for (int k = 0; k < m->prmtop->n_bonds; k++) {
    const cdn_prmtop_bond *b = &m->prmtop->bonds[k];
    const cdn_body body = cdn_force_field_bond_body(m->system, m->field, b->atom[0], b->atom[1]);
    if (body.i <= 0) continue;
    const int first = cdn_body_first_q(m->system, body), count = cdn_body_nq(m->system, body);
    for (int i = 0; i < count; i++) {
      const char *part = cdn_force_field_coordinate_name(m->system, m->field, body, i);
      const bool alone = count == 1 && part && strcmp(part, "dihedral") == 0;
      t->coordinate[n++] = (md_coordinate){ k, first + i, alone || !part ? "" : part };
    }
  }
  t->n_coordinates = n;
}

/* ---- columns ---- */

static void add_column(md_table *t, const char *name, const char *unit) {
  t->name[t->columns] = strcpy(allocate(strlen(name) + 1, 1), name);
  t->unit[t->columns++] = unit;
}

static void name_columns(md_table *t, const md_molecule *m) {
  enum { BESIDE = 7 }; /* time, sums, temperature */
  const size_t most = BESIDE + CDN_TERM_COUNT + (size_t)t->n_coordinates;
  t->name = allocate(most, sizeof *t->name), t->unit = allocate(most, sizeof *t->unit);
  t->row = allocate(most, sizeof *t->row);
  add_column(t, "time", "ps");
  for (int i = 0; i < CDN_TERM_COUNT; i++) add_column(t, cdn_energy_term_name((cdn_energy_term)i), "kJ/mol");
  add_column(t, "potential", "kJ/mol");
  if (m->fixman.i >= 0) add_column(t, "fixman", "kJ/mol");
  add_column(t, "kinetic", "kJ/mol"), add_column(t, "total", "kJ/mol");
  if (t->conserved) add_column(t, "conserved", "kJ/mol");
  add_column(t, "temperature", "K");
  for (int i = 0; i < t->n_coordinates; i++) {
    char name[256];
    name_coordinate(m, &t->coordinate[i], name);
    const char *part = t->coordinate[i].part;
    add_column(t, name, strcmp(part, "length") == 0 ? "nm" : strlen(part) == 1 ? "1" : "rad");
  }
}

/* ---- the file ---- */

double md_table_rows(const md_table *t) { return t->file && !t->streams ? (double)cdn_table_written(t->file) : -1; }
double md_table_checksum(const md_table *t) { return t->file ? cdni_table_checksum(t->file) : 0; }
bool md_table_sync(md_table *t) { return !t->file || cdni_table_sync(t->file) == CDN_OK; }

static cdn_status keep_options(const md_table *t, const md_arguments *a) {
  CDN_TRY(cdn_table_attribute(t->file, "topology", a->topology));
  CDN_TRY(cdn_table_attribute(t->file, "thermostat", md_thermostat_names[a->thermostat]));
  return cdn_table_number(t->file, "seed", a->seed);
}

bool md_table_open(md_table *t, const md_arguments *a, const md_molecule *m, double keep, double checksum) {
  *t = (md_table){ .conserved = a->thermostat != MD_FREE };
  if (!a->table) return true;
  t->streams = strcmp(a->table, "-") == 0;
  find_coordinates(t, m);
  name_columns(t, m);
  cdn_table_def def = cdn_default_table_def();
  def.names = (const char *const *)t->name, def.units = t->unit, def.n_columns = t->columns;
  cdn_status status;
  if (keep < 0) {
    status = cdn_table_create(a->table, &def, &t->file);
    if (status == CDN_OK) status = keep_options(t, a);
  } else {
    status = cdni_table_continue(a->table, &def, keep, checksum, &t->file);
  }
  if (status == CDN_ERR_PARSE) complain("%s: is not the table of the run that is resumed", visible(a->table));
  else if (status != CDN_OK) complain_last_error();
  return status == CDN_OK;
}

cdn_status md_table_row(md_table *t, const md_molecule *m, cdn_state *state, double heat) {
  if (!t->file) return CDN_OK;
  md_energies e;
  CDN_TRY(md_find_energies(m, state, &e));
  const double total = e.potential + m->within + e.kinetic;
  double *to = t->row;
  *to++ = cdn_state_time(state);
  for (int i = 0; i < CDN_TERM_COUNT; i++) *to++ = e.term[i];
  *to++ = e.sum;
  if (m->fixman.i >= 0) *to++ = e.fixman;
  *to++ = e.kinetic, *to++ = total;
  if (t->conserved) *to++ = total - heat;
  *to++ = m->freedom > 0 ? 2 * e.kinetic / (m->freedom * CDN_GAS_CONSTANT) : 0;
  const double turn = 2 * 3.14159265358979323846, *q = cdn_state_q(state);
  /* A pin that bends is within these bounds by itself. */
  for (int i = 0; i < t->n_coordinates; i++) {
    const md_coordinate *c = &t->coordinate[i];
    const bool turns = !c->part[0] || strcmp(c->part, "dihedral") == 0;
    *to++ = turns ? remainder(q[c->q], turn) : q[c->q];
  }
  return cdn_table_rows(t->file, 1, t->row) == CDN_OK ? CDN_OK : CDN_ERR_FILE;
}

bool md_table_close(md_table *t) {
  const cdn_status status = t->file ? cdn_table_close(t->file) : CDN_OK;
  if (status != CDN_OK) complain_last_error();
  for (int i = 0; i < t->columns; i++) free(t->name[i]);
  free(t->name), free(t->unit), free(t->row);
  free(t->coordinate);
  return status == CDN_OK;
}
