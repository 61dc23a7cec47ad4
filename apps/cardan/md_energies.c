/* Energies of a molecule: for a table, and for --energies. */
#include <cardan/operators.h>

#include "md.h"

cdn_status md_find_energies(const md_molecule *m, cdn_state *state, md_energies *e) {
  *e = (md_energies){ .fixman = 0 };
  CDN_TRY(cdn_force_field_energies(state, m->field, e->term));
  CDN_TRY(cdn_potential_energy(state, &e->potential));
  CDN_TRY(cdn_kinetic_energy(state, &e->kinetic));
  for (int i = 0; i < CDN_TERM_COUNT; i++) e->sum += e->term[i];
  if (m->fixman.i >= 0) e->fixman = e->potential + m->within - e->sum;
  return CDN_OK;
}

/* ---- one evaluation, printed --------------------------------------------------------------- */

static bool has_term(const md_arguments *a, int term) {
  const bool solvent = term == CDN_TERM_POLAR || term == CDN_TERM_SURFACE;
  return !solvent || a->model != CDN_SOLVENT_VACUUM;
}

void md_print_minimum(const md_molecule *m, FILE *to) {
  const cdn_minimization *x = &m->minimum;
  char before[CDN_NUMBER_SIZE], after[CDN_NUMBER_SIZE];
  fprintf(to, "  minimum      %s kJ/mol, from %s, in %d evaluations; the largest force is %.2g (%s)\n",
          rounded(x->energy + m->within, after), rounded(x->energy_before + m->within, before), x->evaluations,
          x->gradient, visible(x->worst));
}

void md_print_minimum_json(const md_molecule *m, json_writer *w) {
  const cdn_minimization *x = &m->minimum;
  jw_object(w, "minimization", false);
  jw_text(w, "end", cdn_minimize_end_name(x->end)), jw_integer(w, "evaluations", x->evaluations);
  jw_number(w, "energy_before", x->energy_before + m->within), jw_number(w, "energy", x->energy + m->within);
  jw_number(w, "largest_force", x->gradient);
  jw_close(w);
}

static void print_json(const md_arguments *a, const md_molecule *m, const md_energies *e) {
  json_writer w = jw_begin(stdout);
  jw_integer(&w, "atoms", m->n_atoms);
  jw_integer(&w, "mobilities", m->nu);
  if (a->minimize) md_print_minimum_json(m, &w);
  jw_object(&w, "energies", false);
  for (int i = 0; i < CDN_TERM_COUNT; i++) jw_number(&w, cdn_energy_term_name((cdn_energy_term)i), e->term[i]);
  jw_close(&w);
  jw_number(&w, "sum", e->sum);
  if (a->fixman) jw_number(&w, "fixman", e->fixman);
  jw_end(&w);
}

int md_print_energies(const md_arguments *a, md_molecule *m) {
  md_energies e;
  if (md_find_energies(m, m->state, &e) != CDN_OK) return md_failed(a, m->state);
  if (a->json) {
    print_json(a, m, &e);
    return CMD_OK;
  }
  char text[CDN_NUMBER_SIZE];
  printf("%s: %d atoms, %d mobilities; kJ/mol\n\n", visible(a->topology), m->n_atoms, m->nu);
  if (a->minimize) md_print_minimum(m, stdout), putchar('\n');
  for (int i = 0; i < CDN_TERM_COUNT; i++)
    if (has_term(a, i)) printf("  %-15s %16s\n", cdn_energy_term_name((cdn_energy_term)i), rounded(e.term[i], text));
  printf("  %-15s %16s\n", "sum", rounded(e.sum, text));
  if (a->fixman) printf("  %-15s %16s\n", "fixman", rounded(e.fixman, text));
  return CMD_OK;
}
