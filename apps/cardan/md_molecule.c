/* A molecule from AMBER's files, its System, and where it starts. */
#include <cardan/fixman.h>
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
  if (a->cutoff > 0) {
    cdn_cutoff_def cutoff = cdn_default_cutoff_def();
    cutoff.distance = a->cutoff;
    cdn_molecule_set_cutoff(molecule, &cutoff);
  }
  if (a->threads > 0) cdn_molecule_set_threads(molecule, (int)a->threads);
  if (a->amber_coulomb) cdn_molecule_set_coulomb_constant(molecule, CDN_COULOMB_CONSTANT_AMBER);
  return molecule;
}

static void add_fixman(md_molecule *m, const md_arguments *a) {
  cdn_fixman_def def = cdn_default_fixman_def();
  const int n = cdn_force_field_fixman_coordinates(m->system, m->field, NULL, 0);
  cdn_fixman_coordinate *list = allocate((size_t)(n > 0 ? n : 0), sizeof *list);
  def.temperature = a->temperature, def.coordinates = list;
  def.n_coordinates = cdn_force_field_fixman_coordinates(m->system, m->field, list, n);
  m->fixman = cdn_system_add_fixman(m->system, "fixman", &def);
  free(list);
}

/* What acts beside the force field. */
static void add_forces(md_molecule *m, const md_arguments *a) {
  if (a->fixman) add_fixman(m, a);
  if (a->thermostat == MD_NOSE_HOOVER) {
    cdn_nose_hoover_def def = cdn_default_nose_hoover_def();
    def.kT = CDN_GAS_CONSTANT * a->temperature, def.time = a->answer;
    m->chain = cdn_system_add_nose_hoover(m->system, "thermostat", &def);
  }
  cdn_system_use_random(m->system, a->seed);
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
  add_forces(m, a);
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
  return CMD_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

int md_failed(const md_arguments *a, cdn_state *state) {
  cdn_error error;
  cdn_state_last_error(state, &error);
  complain_error(a->topology, &error);
  return CMD_FAILED;
}

static const double BALANCED = 1; /* kJ/mol/nm, kJ/mol/rad: forces that --minimize may leave */

/* The minimum, and what bodies hold within, do not depend on Fixman's potential, which is off meanwhile. */
static cdn_status find_minimum(md_molecule *m, const md_arguments *a) {
  md_energies e;
  cdn_minimize_def def = cdn_default_minimize_def();
  def.tolerance = BALANCED;
  if (a->fixman) CDN_TRY(cdn_fixman_set_temperature(m->state, m->fixman, 0));
  if (a->minimize && !a->resume) CDN_TRY(cdn_minimize(m->state, &def, &m->minimum));
  CDN_TRY(md_find_energies(m, m->state, &e));
  m->within = e.sum - e.potential;
  return a->fixman ? cdn_fixman_set_temperature(m->state, m->fixman, a->temperature) : CDN_OK;
}

static cdn_status find_start(md_molecule *m, const md_arguments *a) {
  const double t = m->restart->time;
  if (isfinite(t)) CDN_TRY(cdn_state_set_time(m->state, t));
  CDN_TRY(find_minimum(m, a));
  CDN_TRY(cdn_count_thermal_freedoms(m->state, &m->freedom));
  if (m->chain.i < 0) return CDN_OK;
  return cdn_nose_hoover_set(m->state, m->chain, CDN_GAS_CONSTANT * a->temperature, a->answer, m->freedom);
}

int md_open(md_molecule *m, const md_arguments *a) {
  int code = load(m, a);
  if (code == CMD_OK) code = build(m, a);
  if (code == CMD_OK && find_start(m, a) != CDN_OK) code = md_failed(a, m->state);
  return code;
}

void md_close(md_molecule *m) {
  cdn_state_destroy(m->state);
  cdn_system_release(m->system);
  cdn_restart_destroy(m->restart);
  cdn_prmtop_destroy(m->prmtop);
}
