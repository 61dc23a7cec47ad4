/* The table of a run of `cardan md`: CSV, whole rows at a time. */
#define _POSIX_C_SOURCE 200809L
#include <cardan/mobilizers.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void write_header(const md_table *t, const md_molecule *m) {
  fputs("time", t->file);
  for (int i = 0; i < CDN_TERM_COUNT; i++) fprintf(t->file, ",%s", cdn_energy_term_name((cdn_energy_term)i));
  fprintf(t->file, ",potential%s,kinetic,total%s,temperature", m->fixman.i >= 0 ? ",fixman" : "",
          t->conserved ? ",conserved" : "");
  for (int i = 0; i < t->n_coordinates; i++) {
    char name[256];
    name_coordinate(m, &t->coordinate[i], name);
    fprintf(t->file, ",%s", name);
  }
  fputc('\n', t->file);
}

int64_t md_table_bytes(const md_table *t) { return t->file && t->file != stdout ? ftell(t->file) : -1; }

/* Behind the rows that a checkpoint knows. */
static bool go_on(md_table *t, const md_arguments *a, int64_t keep) {
  t->file = fopen(a->table, "r+");
  if (t->file && fseek(t->file, 0, SEEK_END) == 0 && ftell(t->file) >= keep && ftruncate(fileno(t->file), keep) == 0 &&
      fseek(t->file, 0, SEEK_END) == 0)
    return true;
  complain("%s: is not the table of the run that is resumed: it has less than %lld bytes, or cannot be written",
           visible(a->table), (long long)keep);
  return false;
}

bool md_table_open(md_table *t, const md_arguments *a, const md_molecule *m, int64_t keep) {
  *t = (md_table){ .conserved = a->thermostat != MD_FREE };
  if (!a->table) return true;
  find_coordinates(t, m);
  if (keep >= 0) return go_on(t, a, keep);
  t->file = strcmp(a->table, "-") == 0 ? stdout : fopen(a->table, "w");
  if (!t->file) {
    complain("%s: could not be written: %s", visible(a->table), strerror(errno));
    return false;
  }
  write_header(t, m);
  return true;
}

static void write_number(FILE *file, double x) {
  char text[CDN_NUMBER_SIZE];
  cdn_number_text(x, text);
  fprintf(file, ",%s", text);
}

cdn_status md_table_row(md_table *t, const md_molecule *m, cdn_state *state, double heat) {
  if (!t->file) return CDN_OK;
  md_energies e;
  char text[CDN_NUMBER_SIZE];
  CDN_TRY(md_find_energies(m, state, &e));
  const double total = e.potential + m->within + e.kinetic;
  cdn_number_text(cdn_state_time(state), text);
  fputs(text, t->file);
  for (int i = 0; i < CDN_TERM_COUNT; i++) write_number(t->file, e.term[i]);
  write_number(t->file, e.sum);
  if (m->fixman.i >= 0) write_number(t->file, e.fixman);
  write_number(t->file, e.kinetic), write_number(t->file, total);
  if (t->conserved) write_number(t->file, total - heat);
  write_number(t->file, m->freedom > 0 ? 2 * e.kinetic / (m->freedom * CDN_GAS_CONSTANT) : 0);
  const double turn = 2 * 3.14159265358979323846, *q = cdn_state_q(state);
  /* A pin that bends is within these bounds by itself. */
  for (int i = 0; i < t->n_coordinates; i++) {
    const md_coordinate *c = &t->coordinate[i];
    const bool turns = !c->part[0] || strcmp(c->part, "dihedral") == 0;
    write_number(t->file, turns ? remainder(q[c->q], turn) : q[c->q]);
  }
  fputc('\n', t->file);
  fflush(t->file);
  return CDN_OK;
}

bool md_table_close(md_table *t, const md_arguments *a) {
  free(t->coordinate);
  return !t->file || finish_output(t->file, a->table);
}
