/* Second derivatives of molecules' force fields, against differences of the forces: every kind of term, every mobility
 * of bonds, cutoffs in their switch, five solvents, atoms on bodies of the user's and on Ground. */
#include "differences.h"

#include <cardan/derivatives.h>
#include <cardan/molecule.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { CHAIN = 9, ATOMS = CHAIN + 4 };

/* A branched chain, and four atoms beside it. */
static const double places[ATOMS][3] = { { 0, 0, 0 },           { 0.15, 0.01, 0.02 }, { 0.2, 0.14, 0.05 },
                                         { 0.34, 0.16, 0.01 },  { 0.41, 0.27, 0.08 }, { 0.54, 0.26, 0.03 },
                                         { 0.13, 0.24, -0.01 }, { 0.19, -0.1, 0.09 }, { 0.38, 0.08, -0.09 },
                                         { 0.1, 0.5, 0.1 },     { 0.2, 0.55, 0.15 },  { -0.2, 0.3, 0.1 },
                                         { -0.25, 0.35, 0.2 } };
static const int bonds[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 }, { 2, 6 }, { 1, 7 }, { 3, 8 } };

static void add_terms(cdn_molecule *m) {
  static const int angles[][3] = { { 0, 1, 2 }, { 1, 2, 3 }, { 2, 3, 4 }, { 3, 4, 5 },
                                   { 6, 2, 1 }, { 7, 1, 0 }, { 8, 3, 4 } };
  static const int dihedrals[][4] = { { 0, 1, 2, 3 }, { 1, 2, 3, 4 }, { 2, 3, 4, 5 }, { 7, 1, 2, 6 }, { 8, 3, 2, 6 } };
  for (int i = 0; i < COUNT(bonds); i++) cdn_molecule_add_stretch(m, bonds[i][0], bonds[i][1], 9e3 + 500 * i, 0.14);
  for (int i = 0; i < COUNT(angles); i++)
    cdn_molecule_add_bend(m, angles[i][0], angles[i][1], angles[i][2], 200 + 10 * i, 1.9);
  for (int i = 0; i < COUNT(dihedrals); i++)
    for (int n = 1; n <= 3; n++)
      cdn_molecule_add_torsion(m, dihedrals[i][0], dihedrals[i][1], dihedrals[i][2], dihedrals[i][3], n, 4 + n + i,
                               0.3 * n);
  cdn_molecule_add_improper(m, 1, 6, 2, 3, 2, 20, 0.4);
  cdn_molecule_add_stretch(m, 5, 9, 300, 0.3), cdn_molecule_add_bend(m, 10, 9, 11, 30, 1);
  cdn_molecule_add_torsion(m, 12, 9, 11, 0, 2, 7, 0.2);
  cdn_function *own = cdn_function_polynomial(4, (const double[]){ 1, -3, 5, 2 });
  cdn_molecule_add_custom_stretch(m, 0, 6, own), cdn_molecule_add_custom_bend(m, 2, 3, 8, own);
  cdn_molecule_add_custom_torsion(m, 1, 2, 3, 8, own), cdn_molecule_add_custom_torsion(m, 7, 1, 2, 3, own);
  cdn_function_release(own);
}

static cdn_molecule *make_molecule(const char *rule) {
  cdn_molecule *m = cdn_molecule_create("branched");
  const int classes[2] = { cdn_molecule_add_class(m, "A", 0.14, 0.5), cdn_molecule_add_class(m, "B", 0.11, 0.3) };
  for (int i = 0; i < ATOMS; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.position = cdn_v3(places[i][0], places[i][1], places[i][2]), a.mass = 5 + i,
    a.charge = i % 2 ? 0.4 : -0.35 + 0.02 * i;
    a.atom_class = classes[i % 3 == 0], a.radius = 0.12 + 0.01 * (i % 5), a.element = i % 2 ? 6 : 8;
    cdn_molecule_add_atom(m, &a);
  }
  for (int i = 0; i < COUNT(bonds); i++) cdn_molecule_add_bond(m, bonds[i][0], bonds[i][1]);
  add_terms(m);
  cdn_molecule_set_mobility(m, rule);
  return m;
}

/* Two atoms on Ground, two on a ball, and the chain moves on a pin. */
static cdn_state *build(cdn_molecule *m) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN, def.mass = (cdn_mass_properties){ 20, { 0.1, 0.2, 0 }, { 2, 3, 2.5, 0, 0, 0 } };
  const cdn_body pin = cdn_system_add_body(system, &def);
  def.mobilizer = CDN_BALL, def.parent = pin;
  const cdn_body on[2] = { cdn_ground(), cdn_system_add_body(system, &def) };
  for (int k = 0; k < 2; k++) {
    const int cluster = cdn_molecule_add_cluster(m, NULL);
    for (int i = CHAIN + 2 * k; i < CHAIN + 2 * k + 2; i++)
      cdn_cluster_place_atom(m, cluster, i, cdn_v3(places[i][0], places[i][1], places[i][2]));
    cdn_molecule_attach_cluster(m, cluster, on[k], cdn_transform_identity());
  }
  cdn_system_add_molecule(system, NULL, m, pin);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static void check(cdn_molecule *m, uint64_t seed) {
  cdn_state *state = build(m);
  const cdn_force field = { 0 };
  ck_assert_int_eq(cdn_force_field_atom_count(cdn_state_system(state), field), ATOMS);
  for (int k = 0; k < CDN_TERM_COUNT; k++)
    OK_ON(state, cdn_force_field_set_factor(state, field, (cdn_energy_term)k, 1 + 0.1 * k));
  rng r = rng_of(seed);
  double move[MOST_NU], q[MOST_NQ];
  const int nq = cdn_system_nq(cdn_state_system(state)), nu = cdn_system_nu(cdn_state_system(state));
  random_numbers(&r, 0.02, move, nu);
  OK_ON(state, cdn_multiply_by_N(state, move, q));
  for (int i = 0; i < nq; i++) q[i] += cdn_state_q(state)[i];
  OK_ON(state, cdn_state_set_q(state, q));
  random_numbers(&r, 1, move, nu);
  OK_ON(state, cdn_state_set_u(state, move));
  sample s = sample_of(state, seed);
  OK_ON(state, cdn_inverse_dynamics_derivatives(state, s.udot, s.a, s.b, NULL));
  check_matrix_by(3e-4, &s, residual, ALONG_Q, s.nu, s.a, 5e-11, "by q");
  check_matrix_by(0.5, &s, residual, ALONG_U, s.nu, s.b, 5e-11, "by u");
  drop(&s);
  cdn_molecule_destroy(m);
}

static const char *const mobilities[] = { "torsions", "bends", "flexible", "atoms" };

START_TEST(every_mobility) { check(make_molecule(mobilities[_i]), 5 + (uint64_t)_i); }
END_TEST

START_TEST(balls) {
  cdn_molecule *m = make_molecule("none");
  cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_BALL);
  cdn_molecule_set_bond_mobility(m, 3, 4, CDN_BOND_BALL);
  check(m, 12);
}
END_TEST

START_TEST(cutoffs) {
  static const double permittivities[2] = { 10, INFINITY };
  cdn_molecule *m = make_molecule(_i ? "flexible" : "torsions");
  cdn_cutoff_def cut = cdn_default_cutoff_def();
  cut.distance = 0.45, cut.switching = 0.2, cut.permittivity = permittivities[_i];
  cdn_molecule_set_cutoff(m, &cut);
  check(m, 20 + (uint64_t)_i);
}
END_TEST

/* Spheres that overlap and lie apart. Second derivatives jump where two of them touch, which these places avoid. */
START_TEST(solvents) {
  cdn_molecule *m = make_molecule(_i % 2 ? "torsions" : "flexible");
  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = (cdn_solvent_model)(CDN_SOLVENT_HCT + _i), solvent.kappa = _i % 2 ? 0.8 : 0,
  solvent.solute = 1 + 0.2 * _i;
  cdn_molecule_set_solvent(m, &solvent);
  check(m, 30 + (uint64_t)_i);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_loop_test(tc, every_mobility, 0, COUNT(mobilities));
  tcase_add_test(tc, balls);
  tcase_add_loop_test(tc, cutoffs, 0, 2);
  tcase_add_loop_test(tc, solvents, 0, CDN_SOLVENT_COUNT - CDN_SOLVENT_HCT);
}

CHECK_MAIN_OF("derivatives of molecules", CHECK_TIMEOUT, tests)
