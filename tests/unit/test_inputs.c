/* What is written into the stepper's State between calls takes effect with the next one. */
#include "../testing.h"

/* A mass that slides without friction: between inputs its place is a parabola, which every method but those of order 1
 * integrates with rounding errors only, if no step goes across an input. */
typedef struct rig {
  cdn_state *state;
  cdn_body body;
  cdn_force push, spring;
} rig;

static rig make_rig(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  rig r;
  def.name = "mass", def.mobilizer = CDN_SLIDER;
  def.mass.mass = 2;
  r.body = cdn_system_add_body(system, &def);
  r.push = cdn_system_add_mobility_force(system, "push", r.body, 0, 0);
  r.spring = cdn_system_add_mobility_spring(system, "spring", r.body, 0, 1, 0);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &r.state));
  OK(cdn_force_set_enabled(r.state, r.spring, false));
  cdn_system_release(system);
  return r;
}

static cdn_stepper *make_stepper(const rig *r, cdn_method method, bool companion) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  take_method(&def, method, 1e-4);
  def.accuracy = 1e-6;
  def.companion = companion;
  OK_ON(r->state, cdn_stepper_create(r->state, &def, &stepper));
  return stepper;
}

/* Ways to write a force of the mass. */
typedef cdn_status write_force(const rig *r, cdn_state *state, double f);
static cdn_status by_parameter(const rig *r, cdn_state *state, double f) {
  return cdn_mobility_force_set(state, r->push, f);
}
static cdn_status by_applied_force(const rig *r, cdn_state *state, double f) {
  (void)r;
  return cdn_state_set_applied_mobility_forces(state, &f);
}
static write_force *const ways[] = { by_parameter, by_applied_force };

START_TEST(forces_take_effect) {
  cdn_method method = (cdn_method)(_i / 2);
  if (!cdn_method_is_available(method)) return;
  rig r = make_rig();
  cdn_stepper *stepper = make_stepper(&r, method, true);
  cdn_state *now = cdn_stepper_state(stepper);
  double x = 0, v = 0;
  for (int k = 0; k < 20; k++) {
    double f = k % 3 - 1.5 * x, T = 0.05 + 0.01 * (k % 4), t = cdn_state_time(now);
    OK_ON(now, ways[_i % 2](&r, now, f));
    OK_STEP(stepper, cdn_stepper_advance(stepper, t + T, NULL));
    T = cdn_state_time(now) - t;
    x += v * T + 0.25 * f * T * T;
    v += 0.5 * f * T;
    /* those of order 1 keep their steps' errors to a tenth of the accuracy, and there are some hundred */
    bool rough = method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER;
    NEAR(cdn_state_q(now)[0], x, rough ? 1e-2 : 1e-4);
    if (method <= CDN_METHOD_ADAMS) NEAR(cdn_state_q(now)[0], x, 1e-13);
    NEAR(cdn_state_u(now)[0], v, 1e-5);
    x = cdn_state_q(now)[0], v = cdn_state_u(now)[0];
  }
  /* the companion has had the same inputs */
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert_str_eq(c.companion_message, "");
  AT_MOST(c.error_estimate, 1e-2);
  if (method <= CDN_METHOD_ADAMS) AT_MOST(c.error_estimate, 1e-13);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(r.state);
}
END_TEST

START_TEST(coordinates_and_speeds_take_effect) {
  rig r = make_rig();
  cdn_stepper *stepper = make_stepper(&r, CDN_METHOD_DEFAULT, true);
  cdn_state *now = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  double u = 3, q = 10;
  OK_ON(now, cdn_state_set_u(now, &u));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  NEAR(cdn_state_q(now)[0], 3, 1e-13);
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  NEAR(c.energy_jumps, 0.5 * 2 * 9, 1e-12);
  AT_MOST(fabs(c.energy_residual), 1e-13);
  OK_ON(now, cdn_state_set_q(now, &q));
  OK_STEP(stepper, cdn_stepper_step(stepper, 3));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  NEAR(cdn_state_q(now)[0], 13, 1e-13);
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  AT_MOST(c.error_estimate, 1e-13);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(r.state);
}
END_TEST

/* An oscillator, so that the steps tell whether the method has kept its history. */
static cdn_stepper *swing(const rig *r) {
  double q = 1;
  OK_ON(r->state, cdn_force_set_enabled(r->state, r->spring, true));
  OK_ON(r->state, cdn_state_set_q(r->state, &q));
  return make_stepper(r, CDN_METHOD_DEFAULT, false);
}

START_TEST(what_changes_nothing_leaves_the_run_alone) {
  rig r = make_rig();
  cdn_stepper *untouched = swing(&r), *stepper = swing(&r);
  cdn_state *now = cdn_stepper_state(stepper);
  for (int k = 1; k <= 50; k++) {
    /* values that are there already */
    double q = cdn_state_q(now)[0], f = 0;
    OK_ON(now, cdn_state_set_q(now, &q));
    OK_ON(now, cdn_state_set_applied_mobility_forces(now, &f));
    OK_ON(now, cdn_mobility_force_set(now, r.push, 0));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.3 * k, NULL));
    OK_STEP(untouched, cdn_stepper_advance(untouched, 0.3 * k, NULL));
    ck_assert(cdn_state_q(now)[0] == cdn_state_q(cdn_stepper_state(untouched))[0]);
  }
  cdn_certificate a, b;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &a));
  OK_STEP(untouched, cdn_stepper_certificate(untouched, &b));
  ck_assert_int_eq(a.evaluations, b.evaluations);
  cdn_stepper_destroy(stepper);
  cdn_stepper_destroy(untouched);
  cdn_state_destroy(r.state);
}
END_TEST

START_TEST(history_is_kept_where_rates_do_not_jump) {
  rig r = make_rig();
  cdn_stepper *untouched = swing(&r), *stepper = swing(&r);
  cdn_state *now = cdn_stepper_state(stepper);
  for (int k = 1; k <= 30; k++) {
    OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    OK_STEP(untouched, cdn_stepper_step(untouched, INFINITY));
    /* a force that is off may be anything */
    OK_ON(now, cdn_force_set_enabled(now, r.push, false));
    OK_ON(now, cdn_mobility_force_set(now, r.push, k));
    ck_assert(cdn_state_q(now)[0] == cdn_state_q(cdn_stepper_state(untouched))[0]);
  }
  cdn_stepper_destroy(stepper);
  cdn_stepper_destroy(untouched);
  cdn_state_destroy(r.state);
}
END_TEST

START_TEST(time_cannot_be_written) {
  rig r = make_rig();
  cdn_stepper *stepper = make_stepper(&r, CDN_METHOD_DEFAULT, false);
  cdn_state *now = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  OK_ON(now, cdn_state_set_time(now, 5));
  FAILS(cdn_stepper_advance(stepper, 6, NULL), CDN_ERR_ARG);
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  ck_assert_msg(strstr(failure.error.text, "cdn_stepper_restart"), "%s", failure.error.text);
  OK_STEP(stepper, cdn_stepper_restart(stepper, now));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 6, NULL));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(r.state);
}
END_TEST

START_TEST(a_bad_input_is_told) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "ball", def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 1, 1, 1, 0, 0, 0 } };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_stepper *stepper;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  cdn_state *now = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  double nothing[4] = { 0 };
  OK_ON(now, cdn_state_set_q(now, nothing));
  cdn_status status = cdn_stepper_advance(stepper, 2, NULL);
  ck_assert_int_ne(status, CDN_OK);
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  ck_assert_msg(strstr(failure.error.text, "ball") || strstr(failure.error.element, "ball"), "%s", failure.error.text);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(a_checkpoint_holds_what_was_written) {
  rig r = make_rig();
  cdn_stepper *stepper = make_stepper(&r, CDN_METHOD_DEFAULT, true), *loaded;
  cdn_state *now = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.7, NULL));
  OK_ON(now, cdn_mobility_force_set(now, r.push, 4));
  cdn_buffer bytes = { 0 };
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
  OK_ON(r.state, cdn_stepper_load(r.state, NULL, NULL, cdn_buffer_read, &bytes, &loaded));
  for (int k = 1; k <= 5; k++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.7 + 0.1 * k, NULL));
    OK_STEP(loaded, cdn_stepper_advance(loaded, 0.7 + 0.1 * k, NULL));
    ck_assert(cdn_state_q(now)[0] == cdn_state_q(cdn_stepper_state(loaded))[0]);
    NEAR(cdn_state_q(now)[0], 0.01 * k * k, 1e-13);
  }
  cdn_certificate a, b;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &a));
  OK_STEP(loaded, cdn_stepper_certificate(loaded, &b));
  ck_assert(a.error_estimate == b.error_estimate && a.companion_evaluations == b.companion_evaluations);
  cdn_buffer_free(&bytes);
  cdn_stepper_destroy(stepper);
  cdn_stepper_destroy(loaded);
  cdn_state_destroy(r.state);
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_loop_test(tcase, forces_take_effect, 0, 2 * ALL_METHODS);
  tcase_add_test(tcase, coordinates_and_speeds_take_effect);
  tcase_add_test(tcase, what_changes_nothing_leaves_the_run_alone);
  tcase_add_test(tcase, history_is_kept_where_rates_do_not_jump);
  tcase_add_test(tcase, time_cannot_be_written);
  tcase_add_test(tcase, a_bad_input_is_told);
  tcase_add_test(tcase, a_checkpoint_holds_what_was_written);
}

CHECK_MAIN_OF("inputs", 300, add)
