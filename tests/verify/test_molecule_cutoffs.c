/* Cutoffs in vacuum: against OpenMM's numbers (../shared/molecular/bpti-cutoffs.json), whatever the list of neighbours
 * holds, and with energies that are conserved. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "lumps.h"

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static cdn_cutoff_def cut_at(double distance, double switching) {
  cdn_cutoff_def def = cdn_default_cutoff_def();
  def.distance = distance, def.switching = switching;
  return def;
}

/* The file's forces are of pairs alone. */
static void check_case(const char *directory, const json_t *c) {
  char path[512];
  cdn_prmtop *prmtop;
  cdn_restart *restart;
  snprintf(path, sizeof path, "%s/molecular/bpti.prmtop", directory);
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  snprintf(path, sizeof path, "%s/molecular/bpti.inpcrd", directory);
  OK(cdn_restart_load(path, prmtop, NULL, &restart));
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, restart->positions);
  cdn_molecule_set_mobility(m, "torsions");
  cdn_cutoff_def def = cut_at(number(c, "cutoff"),
                              json_is_number(json_object_get(c, "switch")) ? number(c, "switch") : number(c, "cutoff"));
  def.permittivity = number(c, "reaction_field_dielectric");
  cdn_molecule_set_cutoff(m, &def);
  molecule_system l = build_molecule(m);
  double energy[CDN_TERM_COUNT];
  OK_ON(l.state, cdn_force_field_energies(l.state, l.field, energy));
  /* van der Waals' numbers went through radius and depth: 1e-7 */
  NEAR(energy[CDN_TERM_LJ], number(c, "lj"), 1e-7 * fabs(number(c, "lj")));
  NEAR(energy[CDN_TERM_COULOMB], number(c, "coulomb"), 1e-9 * fabs(number(c, "coulomb")));
  for (int k = CDN_TERM_STRETCH; k <= CDN_TERM_IMPROPER; k++)
    OK_ON(l.state, cdn_force_field_set_factor(l.state, l.field, (cdn_energy_term)k, 0));
  const json_t *forces = json_object_get(c, "forces_nonbonded_with_14");
  const size_t n = json_array_size(forces), atoms = (size_t)prmtop->n_atoms;
  ck_assert(n == 0 || n == atoms); /* not every case has forces */
  double *f = malloc(3 * atoms * sizeof *f), most = 0;
  OK_ON(l.state, cdn_force_field_forces(l.state, l.field, f));
  for (size_t i = 0; i < 3 * atoms; i++) most = fmax(most, fabs(f[i]));
  for (size_t i = 0; i < 3 * n; i++)
    NEAR(f[i], json_number_value(json_array_get(json_array_get(forces, i / 3), i % 3)), 1e-7 * most);
  free(f);
  drop_molecule(&l);
  cdn_molecule_destroy(m);
  cdn_restart_destroy(restart);
  cdn_prmtop_destroy(prmtop);
}

START_TEST(bpti_agrees_with_openmm) {
  const char *directory = getenv("CARDAN_SHARED");
  char path[512];
  snprintf(path, sizeof path, "%s/molecular/bpti-cutoffs.json", directory ? directory : "../shared");
  json_t *all = json_load_file(path, 0, NULL);
  if (!all) SKIP("no %s", path);
  const json_t *cases = json_object_get(all, "cases");
  for (size_t i = 0; i < json_array_size(cases); i++)
    if (i == 0 || !SANITIZED) check_case(directory ? directory : "../shared", json_array_get(cases, i));
  json_decref(all);
}
END_TEST

/* ---- the list ---- */

/* A State that has wandered, with lists made and kept on the way, has the bits of one that has just come:
 * accelerations, and energies. */
START_TEST(no_result_depends_on_the_list) {
  cdn_molecule *m = make_lumps(10);
  static const double skins[] = { 0, 0.05, 0.4 };
  const int nq = 70;
  double *udot[3], energy[3][CDN_TERM_COUNT];
  for (int k = 0; k < 3; k++) {
    cdn_cutoff_def def = cut_at(0.7, 0);
    def.skin = skins[k];
    cdn_molecule_set_cutoff(m, &def);
    molecule_system l = build_molecule(m);
    ck_assert(cdn_system_nq(l.system) == nq);
    double *q = malloc((size_t)nq * sizeof *q);
    for (int step = 0; step < 40; step++) {
      memcpy(q, cdn_state_q(l.state), (size_t)nq * sizeof *q);
      for (int i = 0; i < nq; i++)
        if (i % 7 > 3) q[i] += 0.01 * sin(3 * i + 0.3 * step);
      OK_ON(l.state, cdn_state_set_q(l.state, q));
      OK_ON(l.state, cdn_realize(l.state, CDN_STAGE_ACCELERATION));
    }
    cdn_state *fresh;
    OK(cdn_state_create(l.system, &fresh));
    OK_ON(fresh, cdn_state_set_q(fresh, q));
    OK_ON(fresh, cdn_realize(fresh, CDN_STAGE_ACCELERATION));
    const size_t bytes = (size_t)cdn_system_nu(l.system) * sizeof(double);
    ck_assert(memcmp(cdn_state_udot(l.state), cdn_state_udot(fresh), bytes) == 0);
    udot[k] = malloc(bytes);
    memcpy(udot[k], cdn_state_udot(l.state), bytes);
    OK_ON(l.state, cdn_force_field_energies(l.state, l.field, energy[k]));
    ck_assert(memcmp(udot[k], udot[0], bytes) == 0 && memcmp(energy[k], energy[0], sizeof energy[0]) == 0);
    cdn_state_destroy(fresh);
    free(q);
    drop_molecule(&l);
  }
  for (int k = 0; k < 3; k++) free(udot[k]);
  cdn_molecule_destroy(m);
}
END_TEST

/* Pairs by their formulas, forces as gradients: two ions at many distances, through the switch and the cutoff. */
START_TEST(two_ions) {
  static const double d = 0.9, s = 0.6, eps = 10, A = 3e-6, B = 2e-3;
  cdn_molecule *m = cdn_molecule_create(NULL);
  const int c = cdn_molecule_add_class(m, "X", 0, 0);
  cdn_molecule_set_lj(m, c, c, A, B);
  for (int i = 0; i < 2; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = 20, a.charge = i ? 0.7 : -0.4, a.atom_class = c, a.position.x = 0.5 * i;
    cdn_molecule_add_atom(m, &a);
  }
  cdn_cutoff_def def = cut_at(d, s);
  def.permittivity = eps;
  cdn_molecule_set_cutoff(m, &def);
  molecule_system l = build_molecule(m);
  const double qq = -0.28 * CDN_COULOMB_CONSTANT, krf = (eps - 1) / (2 * eps + 1) / (d * d * d),
               crf = 3 * eps / (2 * eps + 1) / d;
  for (int i = 0; i < 50; i++) {
    const double r = 0.4 + 0.0113 * i, t = fmax(0, (r - s) / (d - s)), six = pow(r, -6);
    const double keep = 1 - 10 * pow(t, 3) + 15 * pow(t, 4) - 6 * pow(t, 5);
    const double fade = -30 * t * t * (1 - t) * (1 - t) / (d - s), lj = A * six * six - B * six;
    const bool in = r < d;
    double energy[CDN_TERM_COUNT], f[6];
    OK_ON(l.state, cdn_force_field_set_positions(l.state, l.field, (const double[]){ 0, 0, 0, r, 0, 0 }));
    OK_ON(l.state, cdn_force_field_energies(l.state, l.field, energy));
    NEAR(energy[CDN_TERM_LJ], in ? lj * keep : 0, 1e-12);
    NEAR(energy[CDN_TERM_COULOMB], in ? qq * (1 / r + krf * r * r - crf) : 0, 1e-12);
    OK_ON(l.state, cdn_force_field_forces(l.state, l.field, f));
    const double slope = (-12 * A * six * six + 6 * B * six) / r * keep + lj * fade + qq * (-1 / (r * r) + 2 * krf * r);
    NEAR(f[3], in ? -slope : 0, 1e-11);
    ck_assert(f[0] == -f[3] && f[1] == 0 && f[5] == 0);
  }
  drop_molecule(&l);
  cdn_molecule_destroy(m);
}
END_TEST

/* Lumps fall together and fly apart, through the cutoff: what is left of a change of energy is the stepper's. With an
 * infinite permittivity the reaction field's slope has no jump at the cutoff. */
START_TEST(energy_is_conserved) {
  cdn_molecule *m = make_lumps(3);
  cdn_cutoff_def def = cut_at(0.6, 0.4);
  def.permittivity = INFINITY;
  cdn_molecule_set_cutoff(m, &def);
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_molecule(system, NULL, m, cdn_ground());
  const cdn_measure energy = cdn_system_add_energy_measure(system, "E", CDN_ENERGY_TOTAL);
  const cdn_measure kinetic = cdn_system_add_energy_measure(system, "T", CDN_ENERGY_KINETIC);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  const int nu = cdn_system_nu(system);
  double u[18], before = 0, most = 0;
  for (int i = 0; i < nu; i++) u[i] = 0.2 * sin(2 + 3 * i);
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_stepper_def stepper_def = cdn_default_stepper_def();
  stepper_def.accuracy = 1e-9;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &stepper_def, &stepper));
  for (int i = 0; i <= 20; i++) {
    cdn_state *at = cdn_stepper_state(stepper);
    const double E = *cdn_measure_value(at, energy), T = *cdn_measure_value(at, kinetic);
    if (i == 0) before = E;
    most = fmax(most, T);
    NEAR(E, before, 1e-7 * fmax(most, 1));
    if (i < 20) OK(cdn_stepper_advance(stepper, 0.05 * (i + 1), NULL));
  }
  ck_assert(most > 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  cdn_molecule_destroy(m);
}
END_TEST

/* ---- refusals ---- */

static void refuses(cdn_cutoff_def def, const char *part) {
  cdn_molecule *m = make_lumps(1);
  cdn_molecule_set_cutoff(m, &def);
  cdn_error error;
  cdn_molecule_last_error(m, &error);
  ck_assert_msg(error.code == CDN_ERR_ARG && strstr(error.text, part), "%s", error.text);
  cdn_molecule_destroy(m);
}

START_TEST(mistakes) {
  refuses(cut_at(-1, 0), "cutoff -1");
  refuses(cut_at(NAN, 0), "cutoff nan");
  refuses(cut_at(1, 1.1), "beyond the cutoff");
  cdn_cutoff_def def = cut_at(1, 0);
  def.permittivity = 0.5;
  refuses(def, "permittivity");
  def = cut_at(1, 0), def.skin = -1;
  refuses(def, "skin");

  cdn_molecule *m = make_lumps(1);
  def = cdn_default_cutoff_def();
  cdn_molecule_set_cutoff(m, &def);
  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = CDN_SOLVENT_OBC2;
  cdn_molecule_set_solvent(m, &solvent);
  cdn_system *system = cdn_system_create(NULL);
  ck_assert(cdn_system_add_molecule(system, NULL, m, cdn_ground()).i < 0);
  cdn_error error;
  cdn_system_last_error(system, &error);
  ck_assert_msg(error.code == CDN_ERR_UNSUPPORTED && strstr(error.text, "give no cutoff"), "%s", error.text);
  cdn_system_release(system);
  cdn_molecule_destroy(m);
}
END_TEST

CHECK_MAIN("molecule_cutoffs", bpti_agrees_with_openmm, no_result_depends_on_the_list, two_ions, energy_is_conserved,
           mistakes)
