/* Projection in time: where runs start, what handlers leave, checkpoints, failures, and what cannot project. */
#include "../verify/runs.h"
#include "mechanisms.h"

static cdn_stepper_def with(cdn_method method, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  return def;
}

/* Largest error of all constraints, velocities times 0.1. */
static double error_of(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  double error = 0;
  for (int i = 0; i < cdn_system_nqerr(system); i++) error = fmax(error, fabs(cdn_state_qerr(state)[i]));
  for (int i = 0; i < cdn_system_nuerr(system); i++) error = fmax(error, 0.1 * fabs(cdn_state_uerr(state)[i]));
  return error;
}

/* ---- starting ---- */

START_TEST(test_start_within_the_tolerance_is_left_alone) {
  mechanism m = make_rod_pendulum();
  const double q[3] = { 1 + 0.9e-7, 0, 0 }, u[3] = { 0.9e-6, 1, 0 };
  const cdn_stepper_def def = with(CDN_METHOD_DEFAULT, 1e-6);
  cdn_stepper *stepper;
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, q));
  OK_ON(m.state, cdn_body_set_u(m.state, m.body[0], 3, u));
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &stepper));
  ck_assert_mem_eq(cdn_state_q(cdn_stepper_state(stepper)), q, sizeof q);
  ck_assert_mem_eq(cdn_state_u(cdn_stepper_state(stepper)), u, sizeof u);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m.state);
}
END_TEST

START_TEST(test_start_nearby_is_projected) {
  mechanism m = make_rod_pendulum();
  const double q[3] = { 1.009, 0, 0 }, u[3] = { 0.09, 1, 0 };
  const cdn_stepper_def def = with(CDN_METHOD_DEFAULT, 1e-6);
  cdn_stepper *stepper;
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, q));
  OK_ON(m.state, cdn_body_set_u(m.state, m.body[0], 3, u));
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &stepper));
  cdn_state *state = cdn_stepper_state(stepper);
  AT_MOST(error_of(state), 1e-7);
  /* along the rod, and what is across it stays; the caller's State is left as it was */
  NEAR(cdn_state_q(state)[0], 1, 1e-7);
  NEAR(cdn_state_u(state)[0], 0, 1e-6);
  ck_assert_double_eq(cdn_state_q(state)[1], 0);
  ck_assert_double_eq(cdn_state_u(state)[1], 1);
  ck_assert_mem_eq(cdn_state_q(m.state), q, sizeof q);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m.state);
}
END_TEST

/* Assembling does not help: the message names what contradicts each other. */
START_TEST(test_locks_that_contradict_constraints_are_named) {
  mechanism m = make_rod_pendulum();
  const double q[3] = { 2, 0, 0 };
  cdn_stepper *stepper;
  cdn_error error;
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, q));
  OK_ON(m.state, cdn_body_lock(m.state, m.body[0], CDN_LEVEL_POSITION));
  ck_assert_int_eq(cdn_stepper_create(m.state, NULL, &stepper), CDN_ERR_CONSTRAINT);
  cdn_state_last_error(m.state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "bob"));
  ck_assert_ptr_nonnull(strstr(error.text, "rod"));
  ck_assert_ptr_nonnull(strstr(error.text, "contradict"));
  ck_assert_ptr_null(strstr(error.text, "assemble"));
  ck_assert_ptr_nonnull(strstr(error.text, "Release one of them"));

  /* speeds: a bob that is held at 1 m/s along its rod */
  const double at[3] = { 1, 0, 0 }, along[3] = { 1, 0, 0 };
  OK_ON(m.state, cdn_body_unlock(m.state, m.body[0]));
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, at));
  OK_ON(m.state, cdn_body_lock_at(m.state, m.body[0], CDN_LEVEL_VELOCITY, 3, along));
  ck_assert_int_eq(cdn_stepper_create(m.state, NULL, &stepper), CDN_ERR_CONSTRAINT);
  cdn_state_last_error(m.state, &error);
  ck_assert_str_eq(error.element, "rod");
  ck_assert_ptr_nonnull(strstr(error.text, "lock of joint 'bob' and constraint 'rod' contradict"));
  ck_assert_ptr_nonnull(strstr(error.text, "velocities"));
  ck_assert_ptr_null(strstr(error.text, "project_u"));
  cdn_state_destroy(m.state);
}
END_TEST

/* Of several locks that one is named which the constraint feels; a lock that has no part in it leaves assembling the
 * remedy. */
START_TEST(test_the_lock_that_contradicts_is_named) {
  for (int locked = 0; locked < 2; locked++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    cdn_body body[3];
    cdn_error error;
    cdn_stepper *stepper;
    static const char *const names[] = { "idle", "left", "right" };
    for (int i = 0; i < 3; i++) {
      def.name = names[i], def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
      body[i] = cdn_system_add_body(system, &def);
    }
    const cdn_vec3 o = { 0, 0, 0 };
    cdn_system_constrain_point_in_plane(system, "wall", body[2], cdn_v3(1, 0, 0), 0, body[1], o);
    cdn_state *state = state_of(system);
    const double apart = 0.5;
    OK_ON(state, cdn_body_set_q(state, body[1], 1, &apart));
    OK_ON(state, cdn_body_lock(state, body[0], CDN_LEVEL_POSITION));
    for (int i = 1; i < 3 && locked; i++) OK_ON(state, cdn_body_lock(state, body[i], CDN_LEVEL_POSITION));
    ck_assert_int_eq(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_CONSTRAINT);
    cdn_state_last_error(state, &error);
    ck_assert_ptr_null(strstr(error.text, "idle"));
    ck_assert_msg((strstr(error.text, "contradict") != NULL) == locked, "%s", error.text);
    ck_assert_msg((strstr(error.text, "assemble the State first") != NULL) != locked, "%s", error.text);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(test_start_far_away_asks_to_assemble) {
  mechanism m = make_rod_pendulum();
  const double q[3] = { 1.02, 0, 0 }, u[3] = { 0.2, 1, 0 };
  cdn_stepper *stepper;
  cdn_error error;
  OK_ON(m.state, cdn_body_set_u(m.state, m.body[0], 3, u));
  FAILS(cdn_stepper_create(m.state, NULL, &stepper), CDN_ERR_CONSTRAINT);
  cdn_state_last_error(m.state, &error);
  ck_assert_str_eq(error.element, "rod");
  ck_assert_ptr_nonnull(strstr(error.text, "velocities"));
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, q));
  FAILS(cdn_stepper_create(m.state, NULL, &stepper), CDN_ERR_CONSTRAINT);
  cdn_state_last_error(m.state, &error);
  ck_assert_str_eq(error.element, "rod");
  ck_assert_ptr_nonnull(strstr(error.text, "assemble"));
  ck_assert_ptr_null(stepper);
  /* switched off, it is nobody's business */
  OK_ON(m.state, cdn_constraint_set_enabled(m.state, (cdn_constraint){ 0 }, false));
  OK_ON(m.state, cdn_stepper_create(m.state, NULL, &stepper));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m.state);
}
END_TEST

START_TEST(test_restart_projects_as_well) {
  mechanism m = make_rod_pendulum();
  const double q[3] = { 0.995, 0, 0 }, far[3] = { 1.5, 0, 0 };
  cdn_stepper *stepper;
  OK_ON(m.state, cdn_stepper_create(m.state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL));
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, q));
  OK_STEP(stepper, cdn_stepper_restart(stepper, m.state));
  AT_MOST(error_of(cdn_stepper_state(stepper)), 1e-5);
  OK_ON(m.state, cdn_body_set_q(m.state, m.body[0], 3, far));
  FAILS(cdn_stepper_restart(stepper, m.state), CDN_ERR_CONSTRAINT);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m.state);
}
END_TEST

/* ---- events ---- */

typedef struct kicker {
  double kick;  /* of the velocity along the rod */
  double worst; /* error where handlers and reporters were called */
} kicker;

static cdn_status height(const void *self, cdn_state *state, double *value) {
  (void)self;
  const double *q = cdn_state_q(state);
  *value = q[1] + 0.3;
  return CDN_OK;
}

static cdn_status look(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self;
  kicker *k = what->user;
  k->worst = fmax(k->worst, error_of(state));
  return CDN_OK;
}

static cdn_status kick(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)action;
  kicker *k = what->user;
  double u[3];
  k->worst = fmax(k->worst, error_of(state));
  memcpy(u, cdn_state_u(state), sizeof u);
  for (int i = 0; i < 3; i++) u[i] += k->kick * cdn_state_q(state)[i];
  return cdn_state_set_u(state, u);
}

static cdn_state *kicked_pendulum(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.name = "bob", body.mobilizer = CDN_TRANSLATION, body.mass = point_mass(1, cdn_v3(0, 0, 0));
  body.q0 = (const double[]){ 1, 0, 0 };
  const cdn_body bob = cdn_system_add_body(system, &body);
  cdn_system_constrain_rod(system, "rod", (cdn_body){ 0 }, cdn_v3(0, 0, 0), bob, cdn_v3(0, 0, 0), 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_event_def def = cdn_default_event_def();
  def.name = "low", def.value = height, def.handle = kick;
  cdn_system_add_event(system, &def);
  def.name = "seen", def.handle = NULL, def.report = look;
  cdn_system_add_event(system, &def);
  def.name = "tick", def.kind = CDN_EVENT_PERIODIC, def.value = NULL, def.period = 0.0371;
  cdn_system_add_event(system, &def);
  return state_of(system);
}

START_TEST(test_events_see_projected_states_and_leave_them) {
  const cdn_method method = (cdn_method)_i;
  if (method == CDN_METHOD_CVODE_ADAMS) return;
  cdn_state *state = kicked_pendulum();
  kicker k = { .kick = 0.09 };
  cdn_stepper_def def = with(method, 1e-4);
  cdn_stepper *stepper;
  cdn_certificate c;
  if (!take_method(&def, method, 1e-3)) return;
  def.user = &k;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int i = 1; i <= 40; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05 * i, NULL));
    AT_MOST(error_of(cdn_stepper_state(stepper)), 1e-5);
  }
  AT_MOST(k.worst, 1e-5);
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert_int_ge(c.events, 2);
  AT_MOST(c.max_constraint_error, 1e-5);
  AT_MOST(c.max_position_error, c.max_constraint_error);
  AT_MOST(c.max_velocity_error, c.max_constraint_error);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_handler_that_breaks_a_constraint_is_told) {
  cdn_state *state = kicked_pendulum();
  kicker k = { .kick = 3 };
  cdn_stepper_def def = with(CDN_METHOD_DEFAULT, 1e-4);
  cdn_stepper *stepper;
  cdn_failure failure;
  def.user = &k;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_CONSTRAINT);
  cdn_stepper_failure(stepper, &failure);
  ck_assert_str_eq(failure.error.element, "low");
  ck_assert_ptr_nonnull(strstr(failure.error.text, "rod"));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- checkpoints ---- */

/* Saved and loaded within the singular pose of the ladder, where flags of redundant equations are remembered. */
START_TEST(test_checkpoints_remember_redundant_equations) {
  const cdn_method method = (cdn_method)_i;
  if (method >= CDN_METHOD_CVODE_BDF && method <= CDN_METHOD_IDA) return;
  mechanism m = make_ladder(2);
  cdn_stepper_def def = with(method, 1e-5);
  cdn_stepper *a, *b;
  take_method(&def, method, 1e-3);
  if (method == CDN_METHOD_VERLET || method >= CDN_METHOD_SEMI_EXPLICIT_EULER) def.accuracy = 1e-3;
  /* level, to within what counts as singular once it has been */
  const double angle = 5e-5;
  const cdn_system *system = cdn_state_system(m.state);
  for (int i = 1; i <= 5; i++) {
    const cdn_body body = { i };
    const double q = *cdn_body_q(m.state, body) > 0 ? angle : -angle;
    OK_ON(m.state, cdn_body_set_q(m.state, body, 1, &q));
  }
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &a));
  for (int i = 0; i < 30; i++) {
    cdn_buffer bytes = { 0 };
    OK_STEP(a, cdn_stepper_step(a, INFINITY));
    OK_STEP(a, cdn_stepper_save(a, cdn_buffer_write, &bytes));
    OK_ON(m.state, cdn_stepper_load(m.state, NULL, NULL, cdn_buffer_read, &bytes, &b));
    cdn_buffer_free(&bytes);
    for (int k = 0; k < 3; k++) {
      OK_STEP(a, cdn_stepper_step(a, INFINITY));
      OK_STEP(b, cdn_stepper_step(b, INFINITY));
    }
    cdn_state *sa = cdn_stepper_state(a), *sb = cdn_stepper_state(b);
    ck_assert_mem_eq(cdn_state_q(sa), cdn_state_q(sb), sizeof(double) * (size_t)cdn_system_nq(system));
    ck_assert_mem_eq(cdn_state_u(sa), cdn_state_u(sb), sizeof(double) * (size_t)cdn_system_nu(system));
    ck_assert_mem_eq(cdn_state_udot(sa), cdn_state_udot(sb), sizeof(double) * (size_t)cdn_system_nu(system));
    cdn_certificate ca, cb;
    memset(&ca, 0, sizeof ca), memset(&cb, 0, sizeof cb);
    OK_STEP(a, cdn_stepper_certificate(a, &ca));
    OK_STEP(b, cdn_stepper_certificate(b, &cb));
    ck_assert_mem_eq(&ca, &cb, sizeof ca);
    cdn_stepper_destroy(b);
  }
  cdn_stepper_destroy(a);
  cdn_state_destroy(m.state);
}
END_TEST

/* ---- what cannot be done ---- */

/* A crank of 1 m whose tip must be as far out as a driven slider goes: beyond 1 m nothing satisfies that. */
static cdn_state *overdriven(double speed) {
  const cdn_vec3 o = cdn_v3(0, 0, 0), x = cdn_v3(1, 0, 0);
  cdn_system *system = cdn_system_create(NULL);
  const double angle = acos(0.5), turning = -speed / sin(angle);
  cdn_body_def def = cdn_default_body_def();
  def.name = "slider", def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, o);
  const cdn_body slider = cdn_system_add_body(system, &def);
  def.name = "crank", def.mobilizer = CDN_PIN, def.mass = solid(1, cdn_v3(0.5, 0, 0), 0, 0.1, 0.1);
  def.q0 = &angle, def.u0 = &turning;
  const cdn_body crank = cdn_system_add_body(system, &def);
  cdn_system_constrain_point_in_plane(system, "reach", slider, x, 0, crank, x);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "drive", motion.body = slider, motion.kind = CDN_MOTION_STEADY;
  motion.level = CDN_LEVEL_VELOCITY, motion.params[0] = speed;
  cdn_system_add_motion(system, &motion);
  cdn_state *state = state_of(system);
  const double start = 0.5;
  OK_ON(state, cdn_body_set_q(state, slider, 1, &start));
  return state;
}

START_TEST(test_a_mechanism_driven_beyond_its_reach_is_reported) {
  const cdn_method method = (cdn_method)_i;
  if (method == CDN_METHOD_CVODE_ADAMS || !controls_errors(method)) return;
  for (double accuracy = 1e-2; accuracy > 0.5e-5; accuracy /= 10) {
    cdn_state *state = overdriven(1);
    cdn_stepper_def def = with(method, accuracy);
    cdn_stepper *stepper;
    cdn_failure failure;
    OK_ON(state, cdn_stepper_create(state, &def, &stepper));
    const cdn_status status = cdn_stepper_advance(stepper, 1, NULL);
    ck_assert_int_ne(status, CDN_OK);
    cdn_stepper_failure(stepper, &failure);
    /* either a step beyond cannot be projected, or speeds that go to infinity make steps shrink to nothing */
    ck_assert_msg(strcmp(failure.error.element, "reach") == 0 || strstr(failure.advice, "reach"), "%s: [%s] %s (%s)",
                  cdn_method_name(method), failure.error.element, failure.error.text, failure.advice);
    NEAR(failure.time, 0.5, accuracy);
    AT_MOST(error_of(cdn_stepper_state(stepper)), accuracy / 10);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Within its reach the crank is where the slider puts it, cos(angle) = 0.5 + v t. */
START_TEST(test_prescribed_motion_comes_first) {
  const cdn_method method = (cdn_method)_i;
  if (method == CDN_METHOD_CVODE_ADAMS) return;
  cdn_state *state = overdriven(1);
  const cdn_body slider = { 1 }, crank = { 2 };
  cdn_stepper_def def = with(method, 1e-4);
  cdn_stepper *stepper;
  if (!take_method(&def, method, 1e-3)) return;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int i = 1; i <= 8; i++) {
    const double x = 0.5 + 0.05 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05 * i, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    AT_MOST(error_of(now), 1e-5);
    NEAR(*cdn_body_q(now, slider), x, 1e-13);
    ck_assert_double_eq(*cdn_body_u(now, slider), 1);
    NEAR(cos(*cdn_body_q(now, crank)), x, 1e-5);
    /* the tolerance lets the rate be off by 1e-5 / 0.1 s, and places by 1e-5, which moves what is compared by u x / (1
     * - x^2)^(1/2) < 5 times that */
    NEAR(*cdn_body_u(now, crank) * -sqrt(1 - x * x), 1, 1.5e-4);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_fixed_steps_are_projected) {
  mechanism m = make_top();
  cdn_stepper_def def = with(CDN_METHOD_DORMAND_PRINCE, 1e-6);
  def.fixed_step = 0.02;
  cdn_stepper *stepper;
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &stepper));
  for (int i = 1; i <= 50; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.013 * i, NULL));
    AT_MOST(error_of(cdn_stepper_state(stepper)), 1e-7);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m.state);
}
END_TEST

#ifdef TEST_SUNDIALS
START_TEST(test_the_method_that_cannot_project_refuses) {
  mechanism m = make_rod_pendulum();
  const cdn_stepper_def def = with(CDN_METHOD_CVODE_ADAMS, 1e-4);
  cdn_stepper *stepper;
  cdn_error error;
  FAILS(cdn_stepper_create(m.state, &def, &stepper), CDN_ERR_UNSUPPORTED);
  cdn_state_last_error(m.state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "cannot project"));
  cdn_state_destroy(m.state);
}
END_TEST
#endif

START_TEST(test_steps_of_ensembles_are_projected) {
  mechanism m = make_ladder(1);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *e;
  cdn_state *out;
  def.count = 3;
  OK_ON(m.state, cdn_ensemble_create(m.state, &def, &e));
  OK(cdn_ensemble_advance(e, 0.01, 50));
  OK(cdn_state_create(cdn_state_system(m.state), &out));
  for (int k = 0; k < def.count; k++) {
    OK(cdn_ensemble_get_state(e, k, out));
    AT_MOST(error_of(out), 1e-5);
  }
  cdn_state_destroy(out);
  cdn_ensemble_destroy(e);
  cdn_state_destroy(m.state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, test_start_within_the_tolerance_is_left_alone);
  tcase_add_test(c, test_start_nearby_is_projected);
  tcase_add_test(c, test_start_far_away_asks_to_assemble);
  tcase_add_test(c, test_locks_that_contradict_constraints_are_named);
  tcase_add_test(c, test_the_lock_that_contradicts_is_named);
  tcase_add_test(c, test_restart_projects_as_well);
  tcase_add_loop_test(c, test_events_see_projected_states_and_leave_them, 0, ALL_METHODS);
  tcase_add_test(c, test_handler_that_breaks_a_constraint_is_told);
  tcase_add_loop_test(c, test_checkpoints_remember_redundant_equations, 0, ALL_METHODS);
  tcase_add_loop_test(c, test_a_mechanism_driven_beyond_its_reach_is_reported, 0, ALL_METHODS);
  tcase_add_loop_test(c, test_prescribed_motion_comes_first, 0, ALL_METHODS);
  tcase_add_test(c, test_fixed_steps_are_projected);
#ifdef TEST_SUNDIALS
  tcase_add_test(c, test_the_method_that_cannot_project_refuses);
#endif
  tcase_add_test(c, test_steps_of_ensembles_are_projected);
}

CHECK_MAIN_OF("steps with constraints", 120, add)
