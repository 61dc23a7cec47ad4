/* Methods that take equal steps: closed forms, orders, what they refuse. */
#include "../testing.h"

/* All of them. */
static const cdn_method methods[] = { CDN_METHOD_DAMPED_EULER, CDN_METHOD_IMPLICIT, CDN_METHOD_IMPLICIT_FAST };
enum { METHODS = sizeof methods / sizeof *methods };

static cdn_stepper *stepper_of(cdn_state *state, cdn_method method, double h) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.method = method, def.fixed_step = h;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* ---- closed forms ---- */

/* m u' = -c u with u1 = u0 / (1 + h c / m), at steps that are far too long for an explicit method. */
START_TEST(a_strong_damper_decays) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 2;
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_damper(system, "damper", body, 0, 3000);
  cdn_state *state = state_of(system);
  const double u0 = 5, h = 0.1;
  OK_ON(state, cdn_body_set_u(state, body, &u0, 1));
  cdn_stepper *stepper = stepper_of(state, methods[_i], h);
  double u = u0, q = 0;
  for (int n = 1; n <= 10; n++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, n * h, NULL));
    u /= 1 + h * 3000 / 2, q += h * u;
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], u, 1e-13 * fabs(u) + 1e-25);
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], q, 1e-14);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* A body that turns about a principal axis comes back after a turn, however long its steps are. */
START_TEST(a_steady_turn_is_exact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL, def.mass.mass = 1;
  def.mass.inertia = (cdn_inertia){ 1, 2, 2.5, 0, 0, 0 };
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_state *state = state_of(system);
  const double u[3] = { 0, 0, 2 * PI };
  OK_ON(state, cdn_body_set_u(state, body, u, 3));
  cdn_stepper *stepper = stepper_of(state, methods[_i], 0.125);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.25, NULL));
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], sqrt(0.5), 1e-14);
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[3], sqrt(0.5), 1e-14);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(fabs(cdn_state_q(cdn_stepper_state(stepper))[0]), 1, 1e-14);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(equal_steps_need_their_size) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  cdn_system_add_body(system, &body);
  cdn_state *state = state_of(system);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  cdn_error error;
  def.method = methods[_i];
  FAILS(cdn_stepper_create(state, &def, &stepper), CDN_ERR_ARG);
  cdn_state_last_error(state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "set fixed_step"));
  cdn_state_destroy(state);
}
END_TEST

/* A force that feeds on speed doubles it within less than a step: the matrix of the step is not positive. */
static cdn_status push(const void *self, cdn_state *state, cdn_forces *out) {
  (void)self;
  cdn_forces_add_mobility(out, (cdn_body){ 1 }, 0, 50 * cdn_state_u(state)[0]);
  return CDN_OK;
}

START_TEST(growth_beyond_a_step_is_told) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const cdn_force_ops force = {
    .subsystem = { .name = "push" }, .struct_size = sizeof force, .reads = CDN_READS_VELOCITY, .calc_force = push
  };
  body.name = "cart", body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  cdn_system_add_body(system, &body);
  cdn_system_add_custom_force(system, &force, NULL);
  cdn_state *state = state_of(system);
  const double u0 = 1;
  OK_ON(state, cdn_state_set_u(state, &u0));
  for (int longer = 0; longer < 2; longer++) {
    cdn_stepper *stepper = stepper_of(state, CDN_METHOD_IMPLICIT, longer ? 0.05 : 0.02);
    const cdn_status status = cdn_stepper_advance(stepper, 0.1, NULL);
    ck_assert_int_eq(status, longer ? CDN_ERR_SINGULAR : CDN_OK);
    cdn_failure failure;
    cdn_stepper_failure(stepper, &failure);
    if (longer) ck_assert_ptr_nonnull(strstr(failure.error.text, "take a shorter step"));
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A force on the first of two sliders that follows the speed of the second: half of it counts at each of them. */
static cdn_status lean(const void *self, cdn_state *state, cdn_forces *out) {
  (void)self;
  cdn_forces_add_mobility(out, (cdn_body){ 1 }, 0, -6 * cdn_state_u(state)[1]);
  return CDN_OK;
}

START_TEST(the_fast_form_is_symmetric) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const cdn_force_ops force = {
    .subsystem = { .name = "lean" }, .struct_size = sizeof force, .reads = CDN_READS_VELOCITY, .calc_force = lean
  };
  body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  for (int i = 0; i < 2; i++) cdn_system_add_body(system, &body);
  cdn_system_add_custom_force(system, &force, NULL);
  cdn_state *state = state_of(system);
  const double u0[2] = { 1, 4 }, h = 0.1;
  for (int fast = 0; fast < 2; fast++) {
    OK_ON(state, cdn_state_set_u(state, u0));
    cdn_stepper *stepper = stepper_of(state, fast ? CDN_METHOD_IMPLICIT_FAST : CDN_METHOD_IMPLICIT, h);
    OK_STEP(stepper, cdn_stepper_advance(stepper, h, NULL));
    /* (M - h J) a = F with F = (-24, 0) and J = [0 -6; 0 0], or its symmetric part */
    const double b = fast ? 3 * h : 0, c = fast ? 3 * h : 6 * h, a1 = -24 / (2 - b * c / 2), a2 = -b * a1 / 2;
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], 1 + h * a1, 1e-7);
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[1], 4 + h * a2, 1e-7);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, the_fast_form_is_symmetric);
  tcase_add_loop_test(c, a_strong_damper_decays, 0, METHODS);
  tcase_add_loop_test(c, a_steady_turn_is_exact, 0, METHODS);
  tcase_add_loop_test(c, equal_steps_need_their_size, 0, METHODS);
  tcase_add_test(c, growth_beyond_a_step_is_told);
}
int main(void) { return check_suite("fixed steps", 60, add); }
