/* Building molecules: classes and their rules, terms of classes, factors of neighbours, rules of mobility, clusters,
 * what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "../molecule_system.h"

/* Mixing rules, Born's ions: ../shared/molecular/reference_values.json, closed forms. */
static const double coulomb_constant = 138.93545764438198;

START_TEST(classes_mix_by_five_rules) {
  static const double expected[CDN_MIX_COUNT][3] = { { 0.16475, 0.1734004271865557, -0.1573948814840444 },
                                                     { 0.16267747231869567, 0.1734004271865557, -0.15157990292141033 },
                                                     { 0.1727870294971472, 0.1382075057401031, -0.1374605757976978 },
                                                     { 0.1739280780143124, 0.11609044351995251, -0.11593836940631061 },
                                                     { 0.17151321692270036, 0.1262493355904236,
                                                       -0.12461584708560147 } };
  for (int rule = 0; rule < CDN_MIX_COUNT; rule++) {
    double r, e;
    OK(cdn_mix_lj((cdn_mixing)rule, 0.1908, 0.4577296, 0.1387, 0.0656888, &r, &e));
    NEAR(r, expected[rule][0], 1e-12 * r);
    NEAR(e, expected[rule][1], 1e-12 * e);
    const double six = pow(2 * r / 0.35, 6);
    NEAR(e * (six * six - 2 * six), expected[rule][2], 1e-12);
  }
  double r, e;
  FAILS(cdn_mix_lj(CDN_MIX_COUNT, 1, 1, 1, 1, &r, &e), CDN_ERR_ARG);
  FAILS(cdn_mix_lj(CDN_MIX_KONG, -1, 1, 1, 1, &r, &e), CDN_ERR_ARG);
}
END_TEST

/* ---- a chain of atoms ---- */

static cdn_molecule *chain(int n, double x[][3]) {
  cdn_molecule *m = cdn_molecule_create("chain");
  const int c = cdn_molecule_add_class(m, "C", 0.19, 0.4);
  cdn_molecule_define_stretch(m, c, c, 1000, 0.15);
  cdn_molecule_define_bend(m, c, c, c, 300, 1.9);
  cdn_molecule_define_torsion(m, CDN_ANY_CLASS, c, c, CDN_ANY_CLASS, 3, 5, 0.4);
  for (int i = 0; i < n; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.atom_class = c, a.mass = 12, a.charge = 0.3 - 0.2 * i, a.position = cdn_v3(x[i][0], x[i][1], x[i][2]);
    a.radius = 0.17;
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  return m;
}

static double zigzag[6][3] = { { 0, 0, 0 },          { 0.15, 0.01, 0 },  { 0.2, 0.15, 0.02 },
                               { 0.34, 0.17, 0.05 }, { 0.4, 0.3, 0.12 }, { 0.53, 0.33, 0.06 } };

static double between(double a[3], double b[3]) { return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]); }

/* Terms of classes, and pairs 1-4 and beyond, by their formulas. */
START_TEST(energies_follow_their_definitions) {
  cdn_molecule *m = chain(6, zigzag);
  cdn_molecule_assign_terms(m);
  molecule_system at = build_molecule(m);
  double energy[CDN_TERM_COUNT], stretch = 0, lj = 0, coulomb = 0, lj14 = 0, coulomb14 = 0;
  OK_ON(at.state, cdn_force_field_energies(at.state, at.field, energy));
  for (int i = 0; i < 6; i++)
    for (int j = i + 1; j < 6; j++) {
      const double d = between(zigzag[i], zigzag[j]), six = pow(0.38 / d, 6), e = 0.4 * (six * six - 2 * six);
      const double c = coulomb_constant * (0.3 - 0.2 * i) * (0.3 - 0.2 * j) / d;
      if (j == i + 1) stretch += 1000 * (d - 0.15) * (d - 0.15);
      if (j == i + 3) lj14 += e / 2, coulomb14 += c / 1.2;
      if (j > i + 3) lj += e, coulomb += c;
    }
  NEAR(energy[CDN_TERM_STRETCH], stretch, 1e-13 * stretch);
  NEAR(energy[CDN_TERM_LJ], lj, 1e-13 * fabs(lj));
  NEAR(energy[CDN_TERM_COULOMB], coulomb, 1e-13 * fabs(coulomb) + 1e-13);
  NEAR(energy[CDN_TERM_LJ_SCALED], lj14, 1e-13 * fabs(lj14));
  NEAR(energy[CDN_TERM_COULOMB_SCALED], coulomb14, 1e-12 * fabs(coulomb14));
  ck_assert(energy[CDN_TERM_BEND] > 0 && energy[CDN_TERM_TORSION] > 0 && energy[CDN_TERM_POLAR] == 0);

  /* factors are switches, too */
  OK_ON(at.state, cdn_force_field_set_factor(at.state, at.field, CDN_TERM_LJ, 0));
  OK_ON(at.state, cdn_force_field_set_factor(at.state, at.field, CDN_TERM_BEND, 2));
  double other[CDN_TERM_COUNT];
  OK_ON(at.state, cdn_force_field_energies(at.state, at.field, other));
  ck_assert(other[CDN_TERM_LJ] == 0);
  NEAR(other[CDN_TERM_BEND], 2 * energy[CDN_TERM_BEND], 1e-14 * other[CDN_TERM_BEND]);
  NEAR(other[CDN_TERM_LJ_SCALED], lj14, 1e-13 * fabs(lj14));
  drop_molecule(&at);
  cdn_molecule_destroy(m);
}
END_TEST

/* Every mobility of bonds: forces are minus the gradient of the potential, and sums and moments of forces on all atoms
 * vanish. */
START_TEST(forces_are_gradients) {
  static const char *const rules[] = { "torsions", "bends", "flexible", "atoms" };
  static const cdn_solvent_model solvents[] = { CDN_SOLVENT_VACUUM, CDN_SOLVENT_HCT, CDN_SOLVENT_OBC2,
                                                CDN_SOLVENT_GBN2 };
  cdn_molecule *m = chain(6, zigzag);
  cdn_molecule_assign_terms(m);
  cdn_molecule_set_mobility(m, rules[_i % 4]);
  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = solvents[_i / 4], solvent.kappa = _i % 4;
  cdn_molecule_set_solvent(m, &solvent);
  molecule_system at = build_molecule(m);
  const int nu = cdn_system_nu(at.system), nq = cdn_system_nq(at.system);
  cdn_spatial *F = calloc((size_t)cdn_system_body_count(at.system), sizeof *F);
  double f[40] = { 0 }, on_mob[40] = { 0 }, q[40], u[40] = { 0 }, qdot[40];
  OK_ON(at.state, cdn_applied_forces(at.state, F, on_mob));
  OK_ON(at.state, cdn_multiply_by_J_transpose(at.state, F, f));
  memcpy(q, cdn_state_q(at.state), (size_t)nq * sizeof *q);
  for (int k = 0; k < nu; k++) {
    const double h = 1e-5;
    double E[2];
    u[k] = 1;
    OK_ON(at.state, cdn_state_set_q(at.state, q));
    OK_ON(at.state, cdn_multiply_by_N(at.state, u, qdot));
    u[k] = 0;
    for (int side = 0; side < 2; side++) {
      double moved[40];
      for (int i = 0; i < nq; i++) moved[i] = q[i] + (side ? h : -h) * qdot[i];
      OK_ON(at.state, cdn_state_set_q(at.state, moved));
      OK_ON(at.state, cdn_potential_energy(at.state, &E[side]));
    }
    /* h^2/6 times a third derivative, and rounding of energies of 100 over h */
    NEAR(f[k] + on_mob[k], -(E[1] - E[0]) / (2 * h), 2e-7 * (100 + fabs(f[k])));
  }
  double on_atoms[18], sum[6] = { 0 }, x[18];
  OK_ON(at.state, cdn_force_field_forces(at.state, at.field, on_atoms));
  OK_ON(at.state, cdn_force_field_positions(at.state, at.field, x));
  for (int i = 0; i < 18; i += 3) {
    const cdn_vec3 force = { on_atoms[i], on_atoms[i + 1], on_atoms[i + 2] };
    const cdn_vec3 moment = cdn_cross(cdn_v3(x[i], x[i + 1], x[i + 2]), force);
    sum[0] += force.x, sum[1] += force.y, sum[2] += force.z, sum[3] += moment.x, sum[4] += moment.y, sum[5] += moment.z;
  }
  for (int i = 0; i < 6; i++) NEAR(sum[i], 0, 1e-10);
  free(F);
  drop_molecule(&at);
  cdn_molecule_destroy(m);
}
END_TEST

/* One ion, and two: Born's energies of ../shared/molecular/reference_values.json. */
START_TEST(ions_have_borns_energy) {
  for (int n = 1; n <= 2; n++) {
    cdn_molecule *m = cdn_molecule_create("ions");
    for (int i = 0; i < n; i++) {
      cdn_atom_def a = cdn_default_atom_def();
      a.mass = 20, a.charge = i ? -1 : 1, a.radius = 0.15, a.position = cdn_v3(0.5 * i, 0, 0);
      cdn_molecule_add_atom(m, &a);
    }
    cdn_solvent_def solvent = cdn_default_solvent_def();
    solvent.model = CDN_SOLVENT_OBC2;
    cdn_molecule_set_solvent(m, &solvent);
    molecule_system at = build_molecule(m);
    ck_assert(cdn_system_nu(at.system) == 3 * n);
    double energy[CDN_TERM_COUNT], radius[2];
    OK_ON(at.state, cdn_force_field_energies(at.state, at.field, energy));
    OK_ON(at.state, cdn_force_field_born_radii(at.state, at.field, radius));
    NEAR(energy[CDN_TERM_POLAR], n == 1 ? -486.40276313139117 : -697.8979976293429, 1e-11);
    NEAR(radius[0], n == 1 ? 0.141 : 0.14115231641328546, 1e-15);
    drop_molecule(&at);
    cdn_molecule_destroy(m);
  }
}
END_TEST

/* ---- what moves ---- */

/* Coordinates are what the header says: angle, dihedral, length. */
START_TEST(coordinates_are_angles_dihedrals_and_lengths) {
  cdn_molecule *m = chain(6, zigzag);
  cdn_molecule_set_bond_mobility(m, 2, 3, CDN_BOND_FLEXIBLE);
  cdn_molecule_set_bond_mobility(m, 3, 4, CDN_BOND_RIGID);
  molecule_system at = build_molecule(m);
  const cdn_body body = cdn_force_field_bond_body(at.system, at.field, 3, 2);
  ck_assert(body.i > 0 && cdn_body_nq(at.system, body) == 3);
  double q[3] = { 2.0, -2.5, 0.17 }, x[18];
  OK_ON(at.state, cdn_body_set_q(at.state, body, 3, q));
  OK_ON(at.state, cdn_force_field_positions(at.state, at.field, x));
  cdn_vec3 p[6];
  for (int i = 0; i < 6; i++) p[i] = cdn_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  const cdn_vec3 u = cdn_sub(p[1], p[2]), v = cdn_sub(p[3], p[2]), w = cdn_sub(p[4], p[3]);
  NEAR(cdn_norm(v), 0.17, 1e-15);
  NEAR(atan2(cdn_norm(cdn_cross(u, v)), cdn_dot(u, v)), 2.0, 1e-14);
  const cdn_vec3 b1 = cdn_scale(-1, u), n1 = cdn_cross(b1, v), n2 = cdn_cross(v, w);
  NEAR(atan2(cdn_norm(v) * cdn_dot(b1, n2), cdn_dot(n1, n2)), -2.5, 1e-14);
  double back[18];
  OK_ON(at.state, cdn_body_set_q(at.state, body, 3, (double[]){ 1, 1, 0.1 }));
  OK_ON(at.state, cdn_force_field_set_positions(at.state, at.field, x));
  OK_ON(at.state, cdn_force_field_positions(at.state, at.field, back));
  for (int i = 0; i < 18; i++) NEAR(back[i], x[i], 1e-14);
  drop_molecule(&at);
  cdn_molecule_destroy(m);
}
END_TEST

static double ring[4][3] = { { 0, 0, 0 }, { 0.15, 0, 0 }, { 0.15, 0.15, 0.02 }, { 0, 0.15, 0 } };

START_TEST(rings_are_rigid_or_cut) {
  cdn_molecule *m = chain(4, ring);
  cdn_molecule_add_bond(m, 3, 0);
  cdn_molecule_set_mobility(m, "torsions");
  molecule_system at = build_molecule(m);
  ck_assert(cdn_system_nu(at.system) == 6);
  drop_molecule(&at);

  cdn_molecule_set_bond_mobility(m, 0, 1, CDN_BOND_TORSION);
  cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_BALL);
  cdn_system *system = cdn_system_create(NULL);
  cdn_error e;
  ck_assert(cdn_system_add_molecule(system, NULL, m, cdn_ground()).i < 0);
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_last_error(system, &e);
  ck_assert_msg(strstr(e.text, "closes a ring: cut a bond of the ring"), "%s", e.text);
  cdn_system_release(system);

  cdn_molecule_set_bond_mobility(m, 2, 3, CDN_BOND_CUT);
  at = build_molecule(m);
  ck_assert_int_eq(cdn_system_nqerr(at.system), 1);
  double error;
  OK_ON(at.state, cdn_realize(at.state, CDN_STAGE_POSITION));
  error = cdn_state_qerr(at.state)[0];
  NEAR(error, 0, 1e-15);
  drop_molecule(&at);
  cdn_molecule_destroy(m);
}
END_TEST

START_TEST(clusters_sit_on_bodies_of_the_user) {
  cdn_molecule *m = chain(3, zigzag);
  const int inner = cdn_molecule_add_cluster(m, "inner"), outer = cdn_molecule_add_cluster(m, "outer");
  cdn_cluster_place_atom(m, inner, 0, cdn_v3(0.1, 0, 0));
  cdn_cluster_place_atom(m, inner, 1, cdn_v3(-0.1, 0, 0));
  cdn_cluster_place_cluster(m, outer, inner,
                            (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(0, 0, 1), PI / 2), { 0, 0, 1 } });
  cdn_mass_properties mass;
  FAILS(cdn_cluster_mass_properties(m, inner, &mass), CDN_ERR_ARG);
  OK(cdn_cluster_mass_properties(m, outer, &mass));
  ck_assert(mass.mass == 24);
  NEAR(mass.com.z, 1, 1e-15);
  NEAR(mass.inertia.xx, 24 * 0.01, 1e-15);
  NEAR(mass.inertia.yy, 0, 1e-15);

  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = mass;
  const cdn_body own = cdn_system_add_body(system, &def);
  cdn_molecule_attach_cluster(m, outer, own, (cdn_transform){ cdn_rotation_identity(), { 0, 0, 2 } });
  const cdn_force field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  OK_FREEZE(system);
  ck_assert(cdn_system_nu(system) == 4); /* the slider, and an atom by itself */
  cdn_body on;
  cdn_vec3 p;
  OK(cdn_force_field_atom_place(system, field, 0, &on, &p));
  ck_assert(on.i == own.i);
  NEAR(p.y, 0.1, 1e-15);
  NEAR(p.z, 3, 1e-15);
  cdn_system_release(system);
  cdn_molecule_destroy(m);
}
END_TEST

/* ---- mistakes ---- */

static void tells(cdn_molecule *m, const char *text) {
  cdn_error e;
  cdn_molecule_last_error(m, &e);
  ck_assert_msg(e.code != CDN_OK && strstr(e.text, text), "'%s', not '%s'", e.text, text);
  cdn_system *system = cdn_system_create(NULL);
  ck_assert(cdn_system_add_molecule(system, NULL, m, cdn_ground()).i < 0);
  FAILS(cdn_system_freeze(system), e.code);
  cdn_system_release(system);
  cdn_molecule_destroy(m);
}

START_TEST(mistakes_name_atoms_and_terms) {
  cdn_molecule *m = chain(4, zigzag);
  cdn_molecule_add_torsion(m, 0, 1, 2, 2, 1, 1, 0);
  tells(m, "torsion of atom0, atom1, atom2, atom2: an atom comes twice");
  m = chain(4, zigzag);
  cdn_molecule_add_torsion(m, 0, 1, 2, 3, 7, 1, 0);
  tells(m, "the periodicity 7 is not between 1 and 6");
  m = chain(4, zigzag);
  cdn_molecule_add_stretch(m, 0, 9, 1, 1);
  tells(m, "has no atom 9");
  m = chain(4, zigzag);
  cdn_molecule_set_mobility(m, "tortions");
  tells(m, "there is no rule 'tortions'");
  m = chain(4, zigzag);
  cdn_molecule_set_mobility(m, "torsions 3-x");
  tells(m, "after the rule come sequence numbers");
  m = chain(4, zigzag);
  cdn_molecule_set_bond_mobility(m, 0, 2, CDN_BOND_TORSION);
  tells(m, "atoms 'atom0' and 'atom2' are not bonded");
  m = cdn_molecule_create("two");
  cdn_atom_def a = cdn_default_atom_def();
  a.mass = 1;
  a.atom_class = cdn_molecule_add_class(m, "X", 0.1, 0.1);
  cdn_molecule_add_atom(m, &a);
  cdn_molecule_add_atom(m, &a);
  cdn_molecule_add_bond(m, 0, 1);
  cdn_molecule_assign_terms(m);
  tells(m, "no definition is for the stretch of atom0, atom1");
  m = cdn_molecule_create("none");
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_molecule(system, NULL, m, cdn_ground());
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_release(system);
  cdn_molecule_destroy(m);
}
END_TEST

START_TEST(atoms_on_top_of_each_other_are_named) {
  double x[6][3];
  memcpy(x, zigzag, sizeof x);
  memcpy(x[5], x[0], sizeof x[5]);
  cdn_molecule *m = chain(6, x);
  cdn_molecule_set_mobility(m, "atoms"); /* so that positions are not rounded: else forces are finite */
  molecule_system at = build_molecule(m);
  cdn_error e;
  FAILS(cdn_realize(at.state, CDN_STAGE_ACCELERATION), CDN_ERR_NONFINITE);
  cdn_state_last_error(at.state, &e);
  ck_assert_msg(strstr(e.text, "its nearest atoms, 'atom0' and 'atom5', are 0 nm apart"), "%s", e.text);
  drop_molecule(&at);
  cdn_molecule_destroy(m);
}
END_TEST

START_TEST(atoms_are_found_by_name) {
  cdn_molecule *m = cdn_molecule_create(NULL);
  for (int r = 1; r <= 2; r++) {
    cdn_molecule_add_residue(m, "ALA", r);
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = 1, a.name = "CA";
    cdn_molecule_add_atom(m, &a);
    if (r == 1) a.name = "N1", cdn_molecule_add_atom(m, &a);
  }
  ck_assert(cdn_molecule_find_atom(m, "N1") == 1 && cdn_molecule_find_atom(m, "2:CA") == 2);
  ck_assert(cdn_molecule_find_atom(m, "ALA1:CA") == 0);
  ck_assert(cdn_molecule_find_atom(m, "CA") == -1 && strstr(cdn_last_error_text(), "may be ALA1:CA or ALA2:CA"));
  ck_assert(cdn_molecule_find_atom(m, "3:CA") == -1);
  cdn_molecule *copy = cdn_molecule_copy(m);
  ck_assert(cdn_molecule_atom_count(copy) == 3);
  cdn_molecule_destroy(m);
  cdn_atom_def a;
  OK(cdn_molecule_atom(copy, 2, &a));
  ck_assert_str_eq(a.name, "CA");
  cdn_molecule_destroy(copy);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, classes_mix_by_five_rules);
  tcase_add_test(tc, energies_follow_their_definitions);
  tcase_add_loop_test(tc, forces_are_gradients, 0, 16);
  tcase_add_test(tc, ions_have_borns_energy);
  tcase_add_test(tc, coordinates_are_angles_dihedrals_and_lengths);
  tcase_add_test(tc, rings_are_rigid_or_cut);
  tcase_add_test(tc, clusters_sit_on_bodies_of_the_user);
  tcase_add_test(tc, mistakes_name_atoms_and_terms);
  tcase_add_test(tc, atoms_on_top_of_each_other_are_named);
  tcase_add_test(tc, atoms_are_found_by_name);
}

CHECK_MAIN_OF("molecule_building", CHECK_TIMEOUT, tests)
