/* CVODE and IDA as methods of the stepper: what they refuse, how they fail, events, restarts, memory. */
#include "../robust/counting_allocator.h"
#include "event_rig.h"

static const cdn_method methods[] = { CDN_METHOD_CVODE_BDF, CDN_METHOD_CVODE_ADAMS, CDN_METHOD_IDA };
enum { N_METHODS = sizeof methods / sizeof methods[0] };

static cdn_stepper_def def_of(cdn_method method, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  return def;
}

static cdn_failure failure_of(const cdn_stepper *stepper) {
  cdn_failure f;
  cdn_stepper_failure(stepper, &f);
  return f;
}

START_TEST(no_fixed_steps) {
  cdn_state *state = ode_state(&swing_ode, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-4);
  cdn_stepper *stepper;
  cdn_error error;
  def.fixed_step = 0.1;
  FAILS(cdn_stepper_create(state, &def, &stepper), CDN_ERR_ARG);
  cdn_state_last_error(state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "fixed_step"));
  cdn_state_destroy(state);
}
END_TEST

/* ---- failures --------------------------------------------------------------------------------------- */

/* z[1]' = z[1]^2 from 1: goes to infinity at t = 1. */
static cdn_status explode(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = 1;
  zdot[1] = z[1] * z[1];
  return CDN_OK;
}
static const ode bomb = { .n = 2, .z0 = { 0, 1 }, .rates = explode };

START_TEST(error_test_failing) {
  cdn_state *state = ode_state(&bomb, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-6);
  char slot[96];
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_STEP);
  cdn_failure f = failure_of(stepper);
  NEAR(f.time, 1, 1e-5);
  cdn_system_slot_name(cdn_state_system(state), CDN_POOL_Z, 1, slot, sizeof slot);
  ck_assert_str_eq(f.coordinate, slot);
  ck_assert_msg(strstr(f.error.text, "t = "), "%s", f.error.text);
  ck_assert_int_gt((int)strlen(f.advice), 20);
  ck_assert_int_gt(f.n_last, 2);
  /* the State shows where, and the stepper goes on from elsewhere */
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == f.time);
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  NEAR(cdn_state_z(cdn_stepper_state(stepper))[1], 2, 2e-4);
  cdn_stepper_destroy(stepper);

  def.min_step = 1e-3;
  stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_STEP);
  f = failure_of(stepper);
  ck_assert_msg(f.step < 2e-3 && f.step > 5e-4, "%g", f.step);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* A rate that jumps to and fro between any two doubles near enough to each other has no solution to iterate to. */
static cdn_status jumpy(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = 1e8 * sin(1e14 * (z[0] + t)) * cos(1e13 * z[0]);
  return CDN_OK;
}

START_TEST(iteration_failing) {
  static const ode noise = { .n = 1, .z0 = { 0.3 }, .rates = jumpy };
  cdn_state *state = ode_state(&noise, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-6);
  def.min_step = 1e-4;
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 1, NULL), CDN_ERR_STEP);
  cdn_failure f = failure_of(stepper);
  ck_assert_msg(strstr(f.error.text, "does not converge") && strstr(f.error.text, "ode.z"), "%s", f.error.text);
  ck_assert_msg(strstr(f.advice, "coordinate"), "%s", f.advice);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static cdn_status wall(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[0] < 1 ? 1 : NAN;
  return CDN_OK;
}

START_TEST(not_a_number) {
  static const ode to_the_wall = { .n = 1, .z0 = { 0 }, .rates = wall };
  cdn_state *state = ode_state(&to_the_wall, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_NONFINITE);
  cdn_failure f = failure_of(stepper);
  NEAR(f.time, 1, 1e-7); /* it went up to the wall */
  ck_assert_msg(strstr(f.error.element, "ode.z"), "%s", f.error.element);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static cdn_status refuse(cdn_state *state, double t, const double *z, double *zdot) {
  (void)z;
  zdot[0] = 1;
  return t < 0.5 ? CDN_OK : cdn_state_fail(state, CDN_ERR_CALLBACK, false, "valve", "is shut");
}

START_TEST(callback_failing) {
  static const ode valve = { .n = 1, .z0 = { 0 }, .rates = refuse };
  cdn_state *state = ode_state(&valve, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_CALLBACK);
  cdn_failure f = failure_of(stepper);
  ck_assert_str_eq(f.error.element, "valve");
  ck_assert_str_eq(f.error.text, "is shut");
  AT_MOST(f.time, 0.5);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(accuracy_below_rounding) {
  static const ode far = { .n = 2, .z0 = { 1e6, 1e6 }, .rates = swing_rate };
  cdn_state *state = ode_state(&far, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-13);
  def.z_absolute = true;
  cdn_stepper *stepper = ode_stepper(state, &def);
  /* rounding is the floor of what is allowed, and the certificate says so */
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  cdn_certificate c = certificate_of(stepper);
  ck_assert_int_eq((int)c.rounding_steps, (int)c.steps);
  NEAR(z_of(stepper), 1e6 * (cos(1) + sin(1)), 1e-5);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(too_much_work) {
  cdn_state *state = ode_state(&swing_ode, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-8);
  def.max_steps = 7;
  cdn_stepper *stepper = ode_stepper(state, &def);
  cdn_status status;
  int calls = 0;
  while ((status = cdn_stepper_advance(stepper, 10, NULL)) == CDN_ERR_LIMIT) calls++;
  OK_STEP(stepper, status);
  ck_assert_int_gt(calls, 10);
  NEAR(z_of(stepper), sin(10), 1e-6);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- runs --------------------------------------------------------------------------------------------- */

/* z at 20 times within steps, with `every` as the interval of calls that should change nothing. */
static cdn_certificate swing(cdn_method method, double z[20]) {
  cdn_state *state = ode_state(&swing_ode, NULL);
  cdn_stepper_def def = def_of(method, 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int i = 0; i < 20; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.37 * (i + 1), NULL));
    z[i] = z_of(stepper);
  }
  cdn_certificate c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return c;
}

START_TEST(same_calls_same_bits) {
  double a[20], b[20];
  cdn_certificate first = swing(methods[_i], a), second = swing(methods[_i], b);
  ck_assert(memcmp(a, b, sizeof a) == 0);
  ck_assert(first.evaluations == second.evaluations && first.steps == second.steps);
  /* dense output is as good as the steps */
  for (int i = 0; i < 20; i++) NEAR(a[i], sin(0.37 * (i + 1)), 2e-5);
}
END_TEST

START_TEST(limits_of_steps_are_kept) {
  cdn_state *state = ode_state(&swing_ode, NULL);
  cdn_stepper_def def = def_of(methods[_i], 1e-3);
  def.max_step = 0.02;
  def.initial_step = 1e-4;
  def.final_time = 1.005;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
  NEAR(certificate_of(stepper).largest_step, 1e-4, 1e-15);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.005, NULL));
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == 1.005); /* exactly */
  AT_MOST(certificate_of(stepper).largest_step, 0.02 * (1 + 1e-12));
  cdn_stepper_destroy(stepper);

  /* an order of one takes many more steps */
  def = def_of(methods[_i], 1e-4);
  stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  int64_t steps = certificate_of(stepper).steps;
  cdn_stepper_destroy(stepper);
  def.max_order = 1;
  stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  ck_assert_int_gt((int)certificate_of(stepper).steps, 5 * (int)steps);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(restarts) {
  cdn_state *state = ode_state(&swing_ode, NULL), *other = NULL;
  cdn_stepper_def def = def_of(methods[_i], 1e-7);
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK(cdn_state_create(cdn_state_system(state), &other));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  OK(cdn_state_copy(other, cdn_stepper_state(stepper)));
  OK(cdn_state_set_z(other, (double[]){ 0, 2 }));
  OK_STEP(stepper, cdn_stepper_restart(stepper, other));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2.5, NULL));
  NEAR(z_of(stepper), 2 * sin(1.5), 1e-5);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

/* ---- events ------------------------------------------------------------------------------------------- */

static cdn_status fall(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[1];
  zdot[1] = -2;
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)action;
  OK(log_occurrence(state, what));
  const double *z = cdn_state_z(state);
  return cdn_state_set_z(state, (double[]){ z[0], -0.8 * z[1] });
}

/* A ball thrown up at 1 m/s under 2 m/s^2 bounces at 1, 1 + 0.8, 1 + 0.8 + 0.64 ... */
START_TEST(bouncing_ball) {
  static const ode ball = { .n = 2, .z0 = { 0, 1 }, .rates = fall };
  static event_log log;
  cdn_system *system = event_system(&ball, NULL);
  cdn_event_def event = cdn_default_event_def();
  event.name = "floor", event.value = z_minus, event.handle = bounce, event.direction = CDN_FALLING;
  cdn_system_add_event(system, &event);
  cdn_state *state = event_state(system);
  cdn_stepper_def def = event_stepper_def(&log, 1e-8);
  def.method = methods[_i];
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 4.6, NULL));
  double t = 0, hop = 1;
  ck_assert_int_eq(log.n, 11);
  for (int i = 0; i < log.n; i++) {
    t += hop;
    hop *= 0.8;
    NEAR(log.at[i].time, t, 1e-6);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Handlers that change nothing cut steps but do not make the method start anew. */
START_TEST(looking_costs_no_restart) {
  static event_log log;
  int64_t steps[2];
  for (int looks = 0; looks < 2; looks++) {
    cdn_system *system = event_system(&swing_ode, NULL);
    cdn_event_def event = cdn_default_event_def();
    event.name = "zero", event.value = z_minus;
    if (looks) event.handle = log_handle;
    else event.report = log_report;
    cdn_system_add_event(system, &event);
    cdn_state *state = event_state(system);
    cdn_stepper_def def = event_stepper_def(&log, 1e-8);
    def.method = methods[_i];
    cdn_stepper *stepper = ode_stepper(state, &def);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 31, NULL));
    ck_assert_int_eq(log.n, 9);
    for (int i = 0; i < 9; i++) NEAR(log.at[i].time, (i + 1) * PI, 1e-6);
    NEAR(z_of(stepper), sin(31), 1e-6);
    steps[looks] = certificate_of(stepper).steps;
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert_int_eq(steps[1], steps[0] + 9);
}
END_TEST

/* A rate that a handler switches at scheduled times: no step goes across. */
typedef struct switched {
  cdn_zvar z;
  cdn_dvar on;
} switched;

static cdn_status switched_declare(void *self, cdn_declarer *d) {
  switched *s = self;
  const double start = 0, off = 0;
  s->z = cdn_declare_z(d, 1, &start);
  s->on = cdn_declare_discrete(d, "on", sizeof off, &off, CDN_STAGE_FORCE);
  return CDN_OK;
}

static cdn_status switched_zdot(const void *self, cdn_state *state, double *zdot) {
  const switched *s = self;
  zdot[0] = *(const double *)cdn_state_discrete(state, s->on);
  return CDN_OK;
}

static cdn_status flip(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const switched *s = cdn_subsystem_self(cdn_state_system(state), *(const cdn_subsystem *)self);
  double now = 1 - *(const double *)cdn_state_discrete(state, s->on);
  (void)what, (void)action;
  return cdn_state_set_discrete(state, s->on, &now);
}

START_TEST(scheduled_switches) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "switched",
                                         .self_size = sizeof(switched),
                                         .declare = switched_declare,
                                         .calc_zdot = switched_zdot };
  switched blank = { .z = { 0, { 0 } } };
  cdn_system *system = cdn_system_create(NULL);
  cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &blank);
  cdn_event_def event = cdn_default_event_def();
  event.name = "switch", event.kind = CDN_EVENT_PERIODIC, event.period = 0.5, event.handle = flip;
  event.self = &id, event.self_size = sizeof id;
  cdn_system_add_event(system, &event);
  cdn_state *state = event_state(system);
  cdn_stepper_def def = def_of(methods[_i], 1e-3);
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.25, NULL));
  double first = z_of(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10.25, NULL));
  /* on for half the time, and a polynomial of degree one is integrated exactly */
  NEAR(z_of(stepper) - first, 5, 1e-12);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------- */

static cdn_state *two_balls(cdn_allocator allocator) {
  cdn_system_def def = cdn_default_system_def();
  cdn_state *state = NULL;
  def.allocator = allocator;
  cdn_system *system = cdn_system_create(&def);
  if (!system) return NULL;
  cdn_body_def body = cdn_default_body_def();
  body.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.1, 0.2, 0.3 }, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  body.mobilizer = CDN_BALL;
  for (int i = 0; i < 2; i++) {
    body.parent = cdn_system_add_body(system, &body);
    cdn_system_add_mobility_damper(system, NULL, body.parent, 0, 0.3);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  if (cdn_system_freeze(system) != CDN_OK || cdn_state_create(system, &state) != CDN_OK) state = NULL;
  cdn_system_release(system);
  return state;
}

static cdn_status scenario(cdn_method method, cdn_allocator allocator) {
  cdn_stepper_def def = def_of(method, 1e-4);
  cdn_stepper *stepper = NULL;
  cdn_state *state = two_balls(allocator);
  if (!state) return CDN_ERR_NOMEM;
  cdn_status status = cdn_stepper_create(state, &def, &stepper);
  if (status == CDN_OK) status = cdn_stepper_advance(stepper, 0.1, NULL);
  if (status == CDN_OK) status = cdn_stepper_restart(stepper, state);
  if (status == CDN_OK) status = cdn_stepper_advance(stepper, 0.2, NULL);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return status;
}

START_TEST(every_allocation_may_fail) {
  for (int after = 0; after < 2; after++) {
    for (int64_t k = 1;; k++) {
      counting_allocator c = { .fail_at = k, .fail_after = after };
      cdn_status status = scenario(methods[_i], allocator_of(&c));
      ck_assert_msg(c.outstanding == 0 && c.misuse == 0, "%ld blocks lost after failure at call %ld",
                    (long)c.outstanding, (long)k);
      if (c.calls < k) {
        ck_assert_int_eq(status, CDN_OK);
        ck_assert_int_gt(k, 30);
        break;
      }
      ck_assert_msg(status == CDN_ERR_NOMEM, "%s after failure at call %ld", cdn_status_name(status), (long)k);
    }
  }
}
END_TEST

START_TEST(steps_do_not_allocate) {
  counting_allocator c = { 0 };
  cdn_state *state = two_balls(allocator_of(&c));
  cdn_stepper_def def = def_of(methods[_i], 1e-5);
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL)); /* some Jacobians */
  int64_t before = c.calls;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  ck_assert_int_eq(c.calls, before);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  ck_assert_int_eq(c.outstanding, 0);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, no_fixed_steps, 0, N_METHODS);
  tcase_add_loop_test(c, error_test_failing, 0, N_METHODS);
  tcase_add_loop_test(c, iteration_failing, 0, N_METHODS);
  tcase_add_loop_test(c, not_a_number, 0, N_METHODS);
  tcase_add_loop_test(c, callback_failing, 0, N_METHODS);
  tcase_add_loop_test(c, accuracy_below_rounding, 0, N_METHODS);
  tcase_add_loop_test(c, too_much_work, 0, N_METHODS);
  tcase_add_loop_test(c, same_calls_same_bits, 0, N_METHODS);
  tcase_add_loop_test(c, limits_of_steps_are_kept, 0, N_METHODS);
  tcase_add_loop_test(c, restarts, 0, N_METHODS);
  tcase_add_loop_test(c, bouncing_ball, 0, N_METHODS);
  tcase_add_loop_test(c, looking_costs_no_restart, 0, N_METHODS);
  tcase_add_loop_test(c, scheduled_switches, 0, N_METHODS);
  tcase_add_loop_test(c, every_allocation_may_fail, 0, N_METHODS);
  tcase_add_loop_test(c, steps_do_not_allocate, 0, N_METHODS);
}

CHECK_MAIN_OF("SUNDIALS", 120, add)
