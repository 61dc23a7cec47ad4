/* Constants that other libraries' own tests hold: RBDL (tests/DynamicsTests.cc), Featherstone's spatial_v1 and
 * pinocchio (unittest/joint-spherical.cpp), by the commits of tests/data/SOURCES.md. All bodies have unit inertia about
 * the centre of mass and unit mass unless said. */
#include "runs.h"

static const cdn_vec3 X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 }, O = { 0, 0, 0 };

static cdn_mass_properties unit(cdn_vec3 com) { return solid(1, com, 1, 1, 1); }

/* With gravity added, compares udot with the published numbers, which have `digits` decimals. */
static void check_udot(cdn_system *system, cdn_vec3 g, const double *q, const double *expected, double tolerance) {
  cdn_system_add_gravity(system, "gravity", g);
  cdn_state *state = state_of(system);
  if (q) OK(cdn_state_set_q(state, q));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state);
  for (int i = 0; i < cdn_system_nu(cdn_state_system(state)); i++) NEAR(udot[i], expected[i], tolerance);
  cdn_state_destroy(state);
}

static const cdn_vec3 DOWN = { 0, -9.81, 0 };

START_TEST(test_single_pins) {
  cdn_system *system = cdn_system_create(NULL);
  add_pin(system, "a", cdn_ground(), Z, O, unit(X));
  check_udot(system, DOWN, NULL, (double[]){ -4.905 }, 2e-15);

  system = cdn_system_create(NULL);
  add_pin(system, "a", cdn_ground(), Z, O, solid(1, cdn_v3(1.5, 1, 1), 1, 2, 3));
  check_udot(system, DOWN, NULL, (double[]){ -2.3544 }, 2e-15);
}
END_TEST

START_TEST(test_chains) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body a = add_pin(system, "a", cdn_ground(), Z, O, unit(X));
  add_pin(system, "b", a, Z, X, unit(X));
  check_udot(system, DOWN, NULL, (double[]){ -5.886, 3.924 }, 1e-14);

  system = cdn_system_create(NULL);
  a = add_pin(system, "a", cdn_ground(), Z, O, unit(X));
  cdn_body b = add_pin(system, "b", a, Z, X, unit(X));
  add_pin(system, "c", b, Z, X, unit(X));
  check_udot(system, DOWN, NULL, (double[]){ -6.03692307692308, 3.77307692307692, 1.50923076923077 }, 1.1e-14);

  system = cdn_system_create(NULL);
  a = add_pin(system, "a", cdn_ground(), Z, O, unit(X));
  add_pin(system, "b", a, Y, X, unit(Y));
  check_udot(system, DOWN, NULL, (double[]){ -3.924, 0 }, 1e-14);
}
END_TEST

START_TEST(test_branched_tree) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body a = add_pin(system, "a", cdn_ground(), Z, O, unit(X));
  cdn_body b1 = add_pin(system, "b1", a, Y, X, unit(Y));
  add_pin(system, "c1", b1, X, Y, unit(Z));
  cdn_body b2 = add_pin(system, "b2", a, Y, cdn_v3(-0.5, 0, 0), unit(Y));
  add_pin(system, "c2", b2, X, cdn_v3(0, -0.5, 0), unit(Z));
  const double expected[] = { -1.6031906614786, -0.534396887159533, 4.1034046692607, 0.267198443579767,
                              5.30579766536965 };
  check_udot(system, DOWN, NULL, expected, 6e-14); /* the printed digits end here */
}
END_TEST

START_TEST(test_massless_gimbal) {
  /* three pins z, y, x, of which only the last carries mass */
  cdn_system *system = cdn_system_create(NULL);
  cdn_mass_properties nothing = point_mass(0, O);
  cdn_body a = add_pin(system, "a", cdn_ground(), Z, O, nothing);
  cdn_body b = add_pin(system, "b", a, Y, O, nothing);
  add_pin(system, "c", b, X, O, unit(cdn_v3(0, 0.5, 0)));
  check_udot(system, DOWN, (double[]){ 1, 0, 0 }, (double[]){ 3.301932144386186, 0, 0 }, 5e-15);
}
END_TEST

START_TEST(test_pinocchio_spherical_zyx) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_mass_properties nothing = point_mass(0, O);
  cdn_body a = add_pin(system, "a", cdn_ground(), Z, O, nothing);
  cdn_body b = add_pin(system, "b", a, Y, O, nothing);
  add_pin(system, "c", b, X, O, unit(cdn_v3(0.5, 0, 0)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  static const struct {
    double q[3], f[3];
  } cases[] = {
    { { 1, 1, 1 }, { -0.53611600195085, -0.74621832606188, -0.38177329067604 } },
    { { 3, 2, 1 }, { 0.73934458094049, 2.7804530848031, 0.50684940972146 } },
  };
  const double ones[3] = { 1, 1, 1 };
  for (int c = 0; c < 2; c++) {
    double f[3];
    OK(cdn_state_set_q(state, cases[c].q));
    OK(cdn_state_set_u(state, ones));
    OK_ON(state, cdn_residual(state, ones, f));
    for (int i = 0; i < 3; i++) NEAR(f[i], cases[c].f[i], 6e-14); /* printed to 14 decimals */
  }
  static const double M_expected[9] = { 1.0729816454316, 0, -0.8414709848079, 0, 1.25, 0, -0.8414709848079, 0, 1 };
  double M[9];
  OK(cdn_state_set_q(state, ones));
  OK_ON(state, cdn_calc_M(state, M));
  for (int i = 0; i < 9; i++) NEAR(M[i], M_expected[i], 6e-14);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("published constants", test_single_pins, test_chains, test_branched_tree, test_massless_gimbal,
           test_pinocchio_spherical_zyx)
