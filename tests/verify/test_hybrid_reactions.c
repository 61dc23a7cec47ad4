/* Friction that is pressed by what a mobilizer transmits: pins, universal joints, guides. Reference values are closed
 * forms, or integrations at 1e-13 (../shared/hybrid/reference_values.json: pendulum_with_pin_friction). */
#include "hybrid_scenes.h"

static const double g = 9.81;

/* A rod of mass 1 that hangs from its end, on a pin about z or on a universal joint. */
static cdn_body add_rod(cdn_system *system, cdn_body parent, cdn_mobilizer mobilizer, double l, double offset) {
  const double J = l * l / 12;
  const cdn_vec3 center = mobilizer == CDN_UNIVERSAL ? cdn_v3(0, 0, -l / 2) : cdn_v3(0, -l / 2, 0);
  cdn_body_def d = cdn_default_body_def();
  d.parent = parent, d.mobilizer = mobilizer;
  d.mass = (cdn_mass_properties){ 1, center, { J, J, J, 0, 0, 0 } };
  d.X_PF.p = cdn_v3(0, -offset, 0);
  return cdn_system_add_body(system, &d);
}

/* Friction of one mobility, pressed by its mobilizer. */
static cdn_dry_friction add_bearing(cdn_system *system, cdn_body body, int mobility, double mu, cdn_vec3 axis) {
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = cdn_system_constrain_speed(system, NULL, body, mobility, 0);
  f.mobilizer = body, f.mu_dynamic = mu, f.axis = axis;
  return cdn_system_add_dry_friction(system, &f);
}

/* ---- a rod on a pin, and on a universal joint ---- */

START_TEST(a_pin_with_friction_swings_to_rest) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body rod = add_rod(system, cdn_ground(), CDN_PIN, 1, 0);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  /* the force has no part along z: that across z is the whole */
  const cdn_dry_friction pin = add_bearing(system, rod, 0, 0.02, _i ? cdn_v3(0, 0, 3) : cdn_v3(0, 0, 0));
  check_swings_of_pin(hybrid_state(system, (double[]){ 1.2 }, NULL), pin);
}
END_TEST

/* One axis swings, and both feel the same force. */
START_TEST(a_universal_joint_swings_to_rest) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body rod = add_rod(system, cdn_ground(), CDN_UNIVERSAL, 1, 0);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  const cdn_dry_friction first = add_bearing(system, rod, 0, 0.02, cdn_v3(0, 0, 0));
  const cdn_dry_friction second = add_bearing(system, rod, 1, 0.02, cdn_v3(0, 0, 0));
  cdn_state *state = hybrid_state(system, (double[]){ 1.2, 0 }, NULL);
  OK_ON(state, cdn_settle(state, 0));
  ck_assert_int_eq(cdn_dry_friction_get_status(state, second), CDN_FRICTION_STICK);
  check_swings_of_pin(state, first);
}
END_TEST

/* ---- three rods ---- */

START_TEST(three_rods_rub_on_their_pins) {
  static const double angle[] = { 0.9491474225168051, 0.8160170632976749, 0.8890239218881726 };
  static const double omega[] = { -2.0595432564259353, -2.0595432564259353, -6.60442885966385 };
  static const double reactions[] = { 34.104582745706175, 27.33933373935518, 19.49216289064082 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body rod = cdn_ground();
  for (int i = 0; i < 3; i++) {
    rod = add_rod(system, rod, CDN_PIN, 0.5, i ? 0.5 : 0);
    add_bearing(system, rod, 0, 0.01, cdn_v3(0, 0, 0));
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_state *state = hybrid_state(system, (double[]){ 1, -0.1, 0.2 }, (double[]){ -1, -2, -3 });
  OK_ON(state, cdn_settle(state, 0));
  check_inverse(state);
  cdn_stepper *run = event_run(state, 1e-10);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 1));
  NEAR(cdn_state_time(now), 0.033304914191374435, 1e-9);
  double q = 0, u = 0;
  for (int i = 0; i < 3; i++) {
    NEAR(q += cdn_state_q(now)[i], angle[i], 1e-9);
    NEAR(u += cdn_state_u(now)[i], omega[i], 1e-9);
  }
  check_verdict(run);
  /* the reactions just before the second pin turns back */
  const double before[] = { omega[0], omega[1] - omega[0] - 1e-8, omega[2] - omega[1] };
  const double at[] = { angle[0], angle[1] - angle[0], angle[2] - angle[1] };
  cdn_spatial F[4];
  OK_ON(state, cdn_state_set_q(state, at));
  OK_ON(state, cdn_state_set_u(state, before));
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_calc_reaction_forces(state, cdn_state_udot(state), CDN_REACTION_ON_BODY_AT_M, F));
  for (int i = 0; i < 3; i++) NEAR(cdn_norm(F[i + 1].v), reactions[i], 1e-6);
  end_event_run(run, state);
}
END_TEST

/* ---- guides ---- */

/* A block on a rail along x, on a sledge that shakes across it: the rail presses with m A w^2 |sin w t|. */
START_TEST(a_guide_presses_as_its_rail_shakes) {
  const double A = 0.3, w = 2, mu = 0.2, v0 = 1;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body table = add_shaking_table(system, A, w); /* along y */
  cdn_body_def d = cdn_default_body_def();
  d.name = "block", d.parent = table, d.mobilizer = CDN_SLIDER, d.mass.mass = 2;
  const cdn_body block = cdn_system_add_body(system, &d);
  add_bearing(system, block, 0, mu, cdn_v3(1, 0, 0));
  cdn_state *state = hybrid_state(system, NULL, (double[]){ 0, v0 });
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  /* v = v0 - mu A w (1 - cos w t) in the first half period, which takes 2 mu A w; then again */
  const double half = PI / w;
  ck_assert(!run_to_event(run, "sticks", half));
  NEAR(cdn_state_u(now)[1], v0 - 2 * mu * A * w, 1e-8);
  ck_assert(run_to_event(run, "sticks", 20));
  const double left = v0 - 8 * mu * A * w; /* 0.04, after four halves */
  NEAR(cdn_state_time(now), 4 * half + acos(1 - left / (mu * A * w)) / w, 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A block on an inclined rail: it stays below the angle of friction, and slides above it. */
static double acceleration_on_slope(double slope, double mu, cdn_vec3 axis) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_slider(system, "block", 2);
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(slope), -g * cos(slope), 0));
  add_bearing(system, block, 0, mu, axis);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  OK_ON(state, cdn_settle(state, 0));
  const double udot = cdn_state_udot(state)[0];
  cdn_state_destroy(state);
  return udot;
}

START_TEST(a_rail_holds_up_to_its_angle) {
  const cdn_vec3 x = cdn_v3(2, 0, 0);
  for (double mu = 0; mu < 1.5; mu += 0.25) {
    NEAR(acceleration_on_slope(atan(mu) - 1e-6, mu, x), mu > 0 ? 0 : -g * 1e-6, 1e-12);
    const double slope = atan(mu) + 0.1;
    NEAR(acceleration_on_slope(slope, mu, x), g * (sin(slope) - mu * cos(slope)), 1e-13);
  }
}
END_TEST

/* A ball falls on the side of a wedge on a rail: the impulse of the rail presses, too. n = (-s, c) points to the ball.
 */
START_TEST(a_rail_rubs_in_an_impact) {
  const double slope = 0.7, mu = 0.3, m = 1, M = 2, e = 0.4, v = 3, s = sin(slope), c = cos(slope);
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body wedge = add_slider(system, "wedge", M), ball = add_point(system, "ball", m);
  const cdn_dry_friction rail = add_bearing(system, wedge, 0, mu, cdn_v3(1, 0, 0));
  cdn_rigid_contact_def contact = cdn_default_rigid_contact_def();
  contact.a = wedge, contact.b = ball, contact.X_AP = facing(cdn_v3(-s, c, 0), cdn_v3(0, 0, 0));
  contact.restitution = e;
  cdn_system_add_rigid_contact(system, &contact);
  cdn_state *state = hybrid_state(system, NULL, (double[]){ 0, 0, -v, 0 });
  OK_ON(state, cdn_settle(state, 0));
  const double P = (1 + e) * v * c / (1 / m + s * (s - mu * c) / M);
  NEAR(cdn_state_u(state)[0], P * (s - mu * c) / M, 1e-13);
  NEAR(cdn_state_u(state)[1], -P * s / m, 1e-13);
  NEAR(cdn_state_u(state)[2], -v + P * c / m, 1e-13);
  NEAR(cdn_dry_friction_get_change(state, rail).impulse[0], -mu * P * c, 1e-13);
  cdn_state_destroy(state);
}
END_TEST

/* ---- inverse dynamics ---- */

/* On the way, and at rest, where the moment that it needs is within the bound of the reaction. */
START_TEST(inverse_dynamics_of_a_pin) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body rod = add_rod(system, cdn_ground(), CDN_PIN, 1, 0);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  add_bearing(system, rod, 0, 0.02, cdn_v3(0, 0, 0));
  cdn_state *state = hybrid_state(system, (double[]){ 1 }, NULL);
  OK_ON(state, cdn_settle(state, 0));
  check_inverse(state);
  double f[1];
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0 }));
  OK_ON(state, cdn_settle(state, 0));
  check_inverse(state);
  /* held away from there friction bears what it can: m g l / 2 sin(q) less mu r m g */
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0.3 }));
  OK_ON(state, cdn_constrained_inverse_dynamics(state, (double[]){ 0 }, NULL, f, NULL, NULL));
  NEAR(f[0], g * (0.5 * sin(0.3) - 0.02), 1e-9);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_pin_with_friction_swings_to_rest, 0, 2);
  tcase_add_test(c, a_universal_joint_swings_to_rest);
  tcase_add_test(c, three_rods_rub_on_their_pins);
  tcase_add_test(c, a_guide_presses_as_its_rail_shakes);
  tcase_add_test(c, a_rail_holds_up_to_its_angle);
  tcase_add_test(c, a_rail_rubs_in_an_impact);
  tcase_add_test(c, inverse_dynamics_of_a_pin);
}

CHECK_MAIN_OF("hybrid reactions", 60, add)
