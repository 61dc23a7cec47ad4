/* Gravity with bodies left out, the damper on everything, the constant force between two points: numbers by hand. */
#include "force_rig.h"

#include "core/core.h"
#include "forces/internal.h"

START_TEST(test_gravity_excluded) {
  rig r = make_rig();
  cdn_force g = cdn_system_add_gravity(r.system, "weight", v(0, 0, -10));
  cdn_system_exclude_from_gravity(r.system, g, r.slider);
  cdn_system_exclude_from_gravity(r.system, g, ground);
  const cdn_body late = add_body(r.system, "late", ground, CDN_PIN); /* added after gravity */
  cdn_system_exclude_from_gravity(r.system, g, late);
  start(&r);
  const cdn_body all[] = { r.pin, r.slider, r.ball, r.free, late };
  bool out[] = { false, true, false, false, true };
  for (int round = 0; round < 8; round++) {
    double energy = 0, size = 0;
    for (int i = 0; i < CDNI_COUNT(all); i++) {
      ck_assert_int_eq(cdn_gravity_body_is_excluded(r.state, g, all[i]), out[i]);
      near3(body_force(&r, all[i]).v, out[i] ? v(0, 0, 0) : v(0, 0, -20), 0);
      cdn_vec3 com;
      OK(cdn_body_station(r.state, all[i], v(0.1, -0.3, 0.2), &com, NULL));
      if (!out[i]) energy += 20 * com.z, size += fabs(20 * com.z);
    }
    NEAR(potential(&r), energy, 1e-14 * size);
    const int turn = round * 3 % CDNI_COUNT(all);
    out[turn] = !out[turn];
    OK(cdn_gravity_set_body_excluded(r.state, g, all[turn], out[turn]));
  }
  ck_assert(cdn_gravity_body_is_excluded(r.state, g, ground));
  OK(cdn_gravity_set_body_excluded(r.state, g, ground, false)); /* changes nothing */
  near3(body_force(&r, ground).v, v(0, 0, 0), 0);
  ck_assert(cdn_gravity_body_is_excluded(r.state, g, ground));

  FAILS(cdn_gravity_set_body_excluded(r.state, g, (cdn_body){ 77 }, true), CDN_ERR_ARG);
  FAILS(cdn_gravity_set_body_excluded(r.state, (cdn_force){ 3 }, r.pin, true), CDN_ERR_ARG);
  ck_assert(cdn_gravity_body_is_excluded(r.state, (cdn_force){ 3 }, r.pin));

  /* A new State starts as the System was built. */
  cdn_state *fresh;
  OK(cdn_state_create(r.system, &fresh));
  ck_assert(cdn_gravity_body_is_excluded(fresh, g, r.slider));
  ck_assert(!cdn_gravity_body_is_excluded(fresh, g, r.pin));
  cdn_state_destroy(fresh);
  stop(&r);
}
END_TEST

static void exclusion_refused(cdn_force force, cdn_body body) {
  rig r = make_rig();
  cdn_system_add_gravity(r.system, "weight", v(0, 0, -10));
  cdn_system_add_mobility_damper(r.system, "oil", r.pin, 0, 1);
  cdn_system_exclude_from_gravity(r.system, force, body);
  FAILS(cdn_system_freeze(r.system), CDN_ERR_ARG);
  cdn_system_release(r.system);
}

START_TEST(test_gravity_exclusion_refused) {
  exclusion_refused((cdn_force){ 0 }, (cdn_body){ 9 });
  exclusion_refused((cdn_force){ 0 }, (cdn_body){ -1 });
  exclusion_refused((cdn_force){ 1 }, (cdn_body){ 1 });
  exclusion_refused((cdn_force){ 2 }, (cdn_body){ 1 });
  exclusion_refused((cdn_force){ -1 }, (cdn_body){ 1 });
}
END_TEST

START_TEST(test_global_damper) {
  rig r = make_rig();
  cdn_force d = cdn_system_add_global_damper(r.system, "syrup", 0.5);
  cdn_force other = cdn_system_add_global_damper(r.system, NULL, 1.5);
  start(&r);
  const int nu = cdn_system_nu(r.system);
  double u[16], sum = 0;
  for (int k = 0; k < nu; k++) u[k] = k - 4.25, sum += u[k] * u[k];
  OK(cdn_state_set_u(r.state, u));
  for (int k = 0; k < nu; k++) NEAR(mobility_force(&r, k), -2 * u[k], 0);
  NEAR(power(&r), -2 * sum, 1e-13 * sum);
  NEAR(potential(&r), 0, 0);
  OK(cdn_global_damper_set(r.state, d, 3));
  OK(cdn_force_set_enabled(r.state, other, false));
  for (int k = 0; k < nu; k++) NEAR(mobility_force(&r, k), -3 * u[k], 0);
  FAILS(cdn_global_damper_set(r.state, d, -1), CDN_ERR_ARG);
  FAILS(cdn_global_damper_set(r.state, d, INFINITY), CDN_ERR_NONFINITE);
  stop(&r);
}
END_TEST

START_TEST(test_global_damper_refused) {
  rig r = make_rig();
  ck_assert_int_eq(cdn_system_add_global_damper(r.system, "syrup", -1).i, -1);
  FAILS(cdn_system_freeze(r.system), CDN_ERR_ARG);
  cdn_system_release(r.system);
  /* Without bodies there is nothing to damp. */
  cdn_system *empty = cdn_system_create(NULL);
  cdn_system_add_global_damper(empty, NULL, 1);
  OK_FREEZE(empty);
  cdn_state *state;
  OK(cdn_state_create(empty, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(state);
  cdn_system_release(empty);
}
END_TEST

/* As in the test of springs: Ground's (1, 2, 2) is 5 away from the station (1, 0, 0) of a body turned about z. */
START_TEST(test_two_point_force) {
  rig r = make_floater();
  cdn_force f = cdn_system_add_two_point_force(r.system, "jack", ground, v(1, 2, 2), r.free, v(1, 0, 0), 10);
  start(&r);
  const double c = sqrt(0.5);
  OK(cdn_body_set_q(r.state, r.free, 7, (double[]){ c, 0, 0, c, 4, 5, 2 }));
  cdn_spatial F = body_force(&r, r.free);
  near3(F.v, v(6, 8, 0), 1e-14); /* away from Ground's point */
  near3(F.w, v(0, 0, -6), 1e-14);
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 0, 0, 0, 1, 2, 0 }));
  NEAR(power(&r), 22, 1e-13);
  NEAR(potential(&r), 0, 0);
  OK(cdn_two_point_force_set(r.state, f, -5));
  near3(body_force(&r, r.free).v, v(-3, -4, 0), 1e-14);

  /* Where the ends meet it has no direction, unless it is nothing. */
  OK(cdn_body_set_q(r.state, r.free, 7, (double[]){ 1, 0, 0, 0, 0, 2, 2 }));
  FAILS(cdn_realize(r.state, CDN_STAGE_FORCE), CDN_ERR_SINGULAR);
  cdn_error e;
  cdn_state_last_error(r.state, &e);
  ck_assert_str_eq(e.element, "jack");
  ck_assert(e.recoverable);
  OK(cdn_two_point_force_set(r.state, f, 0));
  near3(body_force(&r, r.free).v, v(0, 0, 0), 0);
  FAILS(cdn_two_point_force_set(r.state, f, NAN), CDN_ERR_NONFINITE);
  stop(&r);
}
END_TEST

/* Coordinates whose rates are speeds: beyond pins and sliders, what follows a quaternion or angles, and no others. */
START_TEST(test_springs_on_coordinates) {
  rig r = make_rig();
  const cdn_body bushing = add_body(r.system, "rubber", ground, CDN_BUSHING);
  const cdn_body rod = add_body(r.system, "needle", ground, CDN_FREE_LINE);
  const struct {
    cdn_body body;
    int q, u;
  } at[] = { { r.free, 5, 4 }, { bushing, 2, 2 }, { rod, 6, 4 } };
  for (int i = 0; i < CDNI_COUNT(at); i++)
    cdn_system_add_mobility_spring(r.system, NULL, at[i].body, at[i].q, 10 + i, 0.5);
  start(&r);
  double q[64];
  for (int i = 0; i < cdn_system_nq(r.system); i++) q[i] = 0.25 * i + 1;
  OK(cdn_state_set_q(r.state, q));
  double f[32], expected[32] = { 0 }, energy = 0;
  OK_ON(r.state, cdn_applied_forces(r.state, NULL, f));
  for (int i = 0; i < CDNI_COUNT(at); i++) {
    const double x = q[cdn_body_first_q(r.system, at[i].body) + at[i].q] - 0.5;
    expected[cdn_body_first_u(r.system, at[i].body) + at[i].u] = -(10 + i) * x;
    energy += 0.5 * (10 + i) * x * x;
  }
  for (int k = 0; k < cdn_system_nu(r.system); k++) NEAR(f[k], expected[k], 0);
  NEAR(potential(&r), energy, 1e-14 * energy);
  stop(&r);
}
END_TEST

static void coordinate_refused(cdn_mobilizer kind, bool euler, int coordinate) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = kind;
  def.euler = euler;
  def.mass = (cdn_mass_properties){ 1, v(0, 0, 0), { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &def);
  ck_assert_int_eq(cdn_system_add_mobility_spring(system, "x", body, coordinate, 1, 0).i, -1);
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_release(system);
}

START_TEST(test_coordinates_refused) {
  coordinate_refused(CDN_FREE, false, 3);
  coordinate_refused(CDN_FREE, false, 7);
  coordinate_refused(CDN_FREE, true, 2);
  coordinate_refused(CDN_BALL, true, 1);
  coordinate_refused(CDN_ELLIPSOID, false, 0);
  coordinate_refused(CDN_LINE_ORIENTATION, false, 3);
  coordinate_refused(CDN_FREE_LINE, true, 0);
  coordinate_refused(CDN_GIMBAL, false, 3);
  coordinate_refused(CDN_PIN, false, -1);
}
END_TEST

/* Derivatives of a kind are written down, or differenced: never zero in silence. */
START_TEST(test_kinds_have_derivatives) {
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const force_kind *kind = cdni_force_kinds[k];
    ck_assert_msg(kind->derivative || (kind->is_differenced && kind->calc_one), "%s", kind->name);
    ck_assert_msg(!kind->is_differenced || kind->calc_one, "%s", kind->name);
  }
}
END_TEST

CHECK_MAIN("more force elements", test_kinds_have_derivatives, test_gravity_excluded, test_gravity_exclusion_refused,
           test_global_damper, test_global_damper_refused, test_two_point_force, test_springs_on_coordinates,
           test_coordinates_refused)
