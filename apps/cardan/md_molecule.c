/* A molecule from AMBER's files, its System, and its energies. */
#include <cardan/operators.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"

/* ---- files --------------------------------------------------------------------------------- */

static void show_warnings(const md_arguments *a, int n, const char *const *warnings) {
  for (int i = 0; !a->quiet && i < n; i++) complain("%s", visible(warnings[i]));
}

static int load(md_molecule *m, const md_arguments *a) {
  cdn_molecule_read_def def = cdn_default_molecule_read_def();
  def.ignore_box = a->ignore_box;
  cdn_status status = cdn_prmtop_load(a->topology, &def, &m->prmtop);
  if (status == CDN_OK) status = cdn_restart_load(a->coordinates, m->prmtop, &def, &m->restart);
  if (status != CDN_OK) {
    const char *text = cdn_last_error_text();
    const bool box = strstr(text, "ignore_box") != NULL;
    complain("%s%s", text, box ? " (here: --ignore-box)" : "");
    return status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
  }
  show_warnings(a, m->prmtop->n_warnings, m->prmtop->warnings);
  show_warnings(a, m->restart->n_warnings, m->restart->warnings);
  return CMD_OK;
}

/* ---- the System ---------------------------------------------------------------------------- */

/* Debye's kappa of ions of one charge, 1/nm: sqrt(2 NA c e^2 / (eps0 eps R T / NA)), CODATA 2018, at 300 K in water of
 * the default permittivity. */
static double debye(double molar, double permittivity) {
  const double e = 1.602176634e-19, eps0 = 8.8541878128e-12, k = 1.380649e-23, avogadro = 6.02214076e23, T = 300;
  return 1e-9 * sqrt(2 * avogadro * 1000 * molar * e * e / (eps0 * permittivity * k * T));
}

/* Rules are parted by semicolons. False if the last one is refused, too. */
static void set_mobility(cdn_molecule *molecule, const char *rules) {
  const size_t length = strlen(rules);
  char *text = allocate(length + 1, 1);
  memcpy(text, rules, length);
  for (char *rule = strtok(text, ";"); rule; rule = strtok(NULL, ";"))
    cdn_molecule_set_mobility(molecule, rule + strspn(rule, " "));
  free(text);
}

static cdn_molecule *describe(const md_molecule *m, const md_arguments *a) {
  cdn_molecule *molecule = cdn_molecule_from_prmtop(m->prmtop, m->restart->positions);
  if (!molecule) return NULL;
  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = a->model;
  solvent.kappa = debye(a->salt, solvent.solvent);
  if (a->model != CDN_SOLVENT_VACUUM) cdn_molecule_set_solvent(molecule, &solvent);
  if (a->amber_coulomb) cdn_molecule_set_coulomb_constant(molecule, CDN_COULOMB_CONSTANT_AMBER);
  return molecule;
}

static int build(md_molecule *m, const md_arguments *a) {
  cdn_molecule *molecule = describe(m, a);
  if (!molecule) {
    complain("%s: out of memory", visible(a->topology));
    return CMD_FAILED;
  }
  cdn_error error;
  cdn_molecule_last_error(molecule, &error);
  if (error.code == CDN_OK) {
    set_mobility(molecule, a->mobile);
    cdn_molecule_last_error(molecule, &error);
    if (error.code != CDN_OK) {
      complain_error("--mobile", &error);
      cdn_molecule_destroy(molecule);
      return CMD_USAGE;
    }
  }
  m->system = cdn_system_create(NULL);
  m->field = cdn_system_add_molecule(m->system, NULL, molecule, cdn_ground());
  cdn_molecule_destroy(molecule);
  /* Further forces, such as Fixman's, are added here. */
  if (cdn_system_freeze(m->system) != CDN_OK) {
    cdn_system_last_error(m->system, &error);
    complain_error(a->topology, &error);
    return error.code == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
  }
  if (cdn_state_create(m->system, &m->state) != CDN_OK) {
    complain("%s: out of memory", visible(a->topology));
    return CMD_FAILED;
  }
  m->n_atoms = m->prmtop->n_atoms, m->nu = cdn_system_nu(m->system);
  m->freedom = m->nu - cdn_system_nudoterr(m->system);
  return CMD_OK;
}

/* ---- velocities ---------------------------------------------------------------------------- */

/* The u whose velocities of atoms are nearest to v, weighted by mass: M u = J^T (m v), since M is the sum of the atoms'
 * m J^T J. */
static cdn_status fit_speeds(md_molecule *m, const cdn_vec3 *v, cdn_spatial *momentum, double *p, double *u) {
  CDN_TRY(cdn_realize(m->state, CDN_STAGE_POSITION));
  for (int i = 0; i < m->n_atoms; i++) {
    cdn_body body;
    cdn_vec3 station;
    cdn_transform X;
    CDN_TRY(cdn_force_field_atom_place(m->system, m->field, i, &body, &station));
    CDN_TRY(cdn_body_pose(m->state, body, &X));
    const cdn_vec3 r = cdn_rotate(X.R, station), mv = cdn_scale(m->prmtop->mass[i], v[i]);
    cdn_spatial *on = &momentum[body.i];
    on->w = cdn_add(on->w, cdn_cross(r, mv)), on->v = cdn_add(on->v, mv);
  }
  CDN_TRY(cdn_multiply_by_J_transpose(m->state, momentum, p));
  CDN_TRY(cdn_multiply_by_M_inv(m->state, p, u));
  CDN_TRY(cdn_state_set_u(m->state, u));
  return cdn_system_nudoterr(m->system) > 0 ? cdn_project_u(m->state, NULL, NULL) : CDN_OK;
}

static cdn_status set_motion(md_molecule *m) {
  const double t = m->restart->time;
  if (isfinite(t)) CDN_TRY(cdn_state_set_time(m->state, t));
  if (!m->restart->velocities) return CDN_OK;
  m->moves = true;
  cdn_spatial *momentum = allocate((size_t)cdn_system_body_count(m->system), sizeof *momentum);
  double *p = allocate((size_t)m->nu, sizeof *p), *u = allocate((size_t)m->nu, sizeof *u);
  const cdn_status status = fit_speeds(m, m->restart->velocities, momentum, p, u);
  free(momentum), free(p), free(u);
  return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

int md_failed(const md_arguments *a, cdn_state *state) {
  cdn_error error;
  cdn_state_last_error(state, &error);
  complain_error(a->topology, &error);
  return CMD_FAILED;
}

int md_open(md_molecule *m, const md_arguments *a) {
  int code = load(m, a);
  if (code == CMD_OK) code = build(m, a);
  if (code == CMD_OK && set_motion(m) != CDN_OK) code = md_failed(a, m->state);
  return code;
}

void md_close(md_molecule *m) {
  cdn_state_destroy(m->state);
  cdn_system_release(m->system);
  cdn_restart_destroy(m->restart);
  cdn_prmtop_destroy(m->prmtop);
}

/* ---- energies ------------------------------------------------------------------------------ */

static void print_energies_json(const md_molecule *m, const double *energy, double sum) {
  json_writer w = jw_begin(stdout);
  jw_integer(&w, "atoms", m->n_atoms);
  jw_integer(&w, "mobilities", m->nu);
  jw_object(&w, "energies", false);
  for (int i = 0; i < CDN_TERM_COUNT; i++) jw_number(&w, cdn_energy_term_name((cdn_energy_term)i), energy[i]);
  jw_close(&w);
  jw_number(&w, "sum", sum);
  jw_end(&w);
}

int md_print_energies(const md_arguments *a, md_molecule *m) {
  double energy[CDN_TERM_COUNT], sum = 0;
  if (cdn_force_field_energies(m->state, m->field, energy) != CDN_OK) return md_failed(a, m->state);
  for (int i = 0; i < CDN_TERM_COUNT; i++) sum += energy[i];
  if (a->json) {
    print_energies_json(m, energy, sum);
    return CMD_OK;
  }
  char text[CDN_NUMBER_SIZE];
  printf("%s: %d atoms, %d mobilities; kJ/mol\n\n", visible(a->topology), m->n_atoms, m->nu);
  for (int i = 0; i < CDN_TERM_COUNT; i++) {
    const bool solvent = i == CDN_TERM_POLAR || i == CDN_TERM_SURFACE;
    if (solvent && a->model == CDN_SOLVENT_VACUUM) continue;
    printf("  %-15s %16s\n", cdn_energy_term_name((cdn_energy_term)i), rounded(energy[i], text));
  }
  printf("  %-15s %16s\n", "sum", rounded(sum, text));
  return CMD_OK;
}
