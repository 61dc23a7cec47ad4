/* Every way in which a run can fail, provoked, and what is said about it: the status, the element and the coordinate by
 * name, where, the last steps, and what to try. */
#include "event_rig.h"

/* ---- what a report must hold ------------------------------------------------------------------ */

typedef struct expectation {
  cdn_status status;
  const char *element, *says, *advice; /* parts of the text and of the advice */
  const char *coordinate;              /* NULL: not asked */
  double earliest, latest;             /* time */
} expectation;

static cdn_failure check_report(cdn_stepper *stepper, cdn_status status, const expectation *e) {
  cdn_failure f;
  cdn_stepper_failure(stepper, &f);
  ck_assert_msg(status == e->status && f.error.code == status, "%s, %s instead of %s: %s", cdn_status_name(status),
                cdn_status_name(f.error.code), cdn_status_name(e->status), f.error.text);
  ck_assert_msg(strstr(f.error.text, e->says), "no '%s' in: %s", e->says, f.error.text);
  ck_assert_msg(strstr(f.advice, e->advice), "no '%s' in: %s", e->advice, f.advice);
  ck_assert_str_eq(f.error.element, e->element);
  if (e->coordinate) ck_assert_str_eq(f.coordinate, e->coordinate);
  ck_assert_msg(f.time >= e->earliest && f.time <= e->latest, "at t = %.17g", f.time);
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == f.time); /* the State shows where */
  ck_assert(strlen(f.advice) < sizeof f.advice - 1);               /* nothing was cut off */
  ck_assert(f.n_last >= 0 && f.n_last <= CDN_FAILURE_STEPS);
  for (int i = 0; i < f.n_last; i++) {
    ck_assert(isfinite(f.last_time[i]) && f.last_step[i] > 0 && f.last_time[i] <= f.time);
  }
  return f;
}

/* ---- two carts and a motor -------------------------------------------------------------------- */

typedef cdn_status motor(const void *self, cdn_state *state, cdn_forces *forces);

static cdn_stepper *carts(motor *calc, double fixed_step, cdn_state **state) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1, def.q0 = (const double[]){ 1 };
  def.name = "idle";
  cdn_system_add_body(system, &def);
  def.name = "cart", def.mobilizer_name = "rail";
  cdn_body cart = cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .subsystem = { .name = "motor", .self_size = sizeof cart },
                        .struct_size = sizeof ops,
                        .reads = CDN_READS_EVERYTHING,
                        .calc_force = calc };
  cdn_system_add_custom_force(system, &ops, &cart);
  OK_FREEZE(system);
  OK(cdn_state_create(system, state));
  cdn_system_release(system);
  cdn_stepper_def how = cdn_default_stepper_def();
  how.fixed_step = fixed_step;
  return ode_stepper(*state, &how);
}

/* The root of a number that becomes negative at t = 0.5. */
static cdn_status root(const void *self, cdn_state *state, cdn_forces *forces) {
  cdn_forces_add_mobility(forces, *(const cdn_body *)self, 0, sqrt(0.5 - cdn_state_time(state)));
  return CDN_OK;
}

/* Draws the cart into zero, where it is infinite. */
static cdn_status attraction(const void *self, cdn_state *state, cdn_forces *forces) {
  double q = *cdn_body_q(state, *(const cdn_body *)self);
  cdn_forces_add_mobility(forces, *(const cdn_body *)self, 0, -1 / (q * q));
  return CDN_OK;
}

static cdn_status out_of_fuel(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)forces;
  if (cdn_state_time(state) < 0.5) return CDN_OK;
  return cdn_state_fail(state, CDN_ERR_CALLBACK, false, "tank", "there is no more fuel");
}

/* Grows with the square of the speed, until no double can hold it. */
static cdn_status runaway(const void *self, cdn_state *state, cdn_forces *forces) {
  double u = *cdn_body_u(state, *(const cdn_body *)self);
  cdn_forces_add_mobility(forces, *(const cdn_body *)self, 0, 1 + u * u * u);
  return CDN_OK;
}

START_TEST(forces_that_fail) {
  static const struct {
    motor *calc;
    double fixed_step;
    expectation report;
  } cases[] = {
    { root, 0, { CDN_ERR_NONFINITE, "motor", "NaN", "shorter steps did not cure it", NULL, 0.5 - 1e-12, 0.5 } },
    { root, 0.1, { CDN_ERR_NONFINITE, "motor", "joint 'rail'", "the step is fixed", NULL, 0.4, 0.5 } },
    /* free fall from 1 into 1 / q^2: after pi / sqrt(8) */
    { attraction, 0, { CDN_ERR_STEP, "rail.u", "the smallest allowed", "goes to infinity", "rail.u", 1.1107, 1.1108 } },
    { out_of_fuel, 0, { CDN_ERR_CALLBACK, "tank", "no more fuel", "see the message of the callback", NULL, 0, 0.5 } },
    { runaway, 1, { CDN_ERR_NONFINITE, "motor", "rail", "the step is fixed", NULL, 1, 10 } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cdn_state *state;
    cdn_stepper *stepper = carts(cases[i].calc, cases[i].fixed_step, &state);
    cdn_failure f = check_report(stepper, cdn_stepper_advance(stepper, 20, NULL), &cases[i].report);
    ck_assert_int_gt(f.n_last, 0);
    ck_assert(f.step > 0);
    /* steps that had an estimate tell which coordinate made it */
    ck_assert_msg(!f.coordinate[0] || strncmp(f.coordinate, "rail.", 5) == 0, "%s", f.coordinate);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- mechanisms --------------------------------------------------------------------------------- */

/* Three pins in place of a ball, the first and the last in line where the second is at zero; no mass before the
 * last. */
static cdn_state *gimbal(double angle, double speed) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state = NULL;
  def.mobilizer = CDN_PIN, def.allow_improper = true;
  def.name = "yoke";
  def.parent = cdn_system_add_body(system, &def);
  def.name = "fork", def.q0 = &angle, def.u0 = &speed;
  def.X_PF.R = def.X_BM.R = cdn_rotation_z_to(cdn_v3(1, 0, 0));
  def.parent = cdn_system_add_body(system, &def);
  def.name = "wheel", def.q0 = def.u0 = NULL;
  def.X_PF = def.X_BM = cdn_transform_identity();
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.1, 0, 0 }, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(singular_mass_matrix) {
  /* at the start the message is on the State */
  cdn_state *state = gimbal(0, 0);
  cdn_stepper *stepper = NULL;
  cdn_error error;
  FAILS(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_SINGULAR);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "yoke");
  ck_assert_int_eq(error.stage, CDN_STAGE_ACCELERATION);
  ck_assert_ptr_nonnull(strstr(error.text, "no inertia"));
  ck_assert_ptr_nonnull(strstr(cdn_status_advice(error.code), "armature"));
  cdn_state_destroy(state);

  /* on the way: a step of fixed size that ends at the lock */
  state = gimbal(0.5, -1);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.fixed_step = 0.5;
  stepper = ode_stepper(state, &def);
  static const expectation locked = { CDN_ERR_SINGULAR, "yoke", "in this configuration", "armature", NULL, 0, 0 };
  check_report(stepper, cdn_stepper_advance(stepper, 2, NULL), &locked);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* A free body tied to Ground by a spring. */
static cdn_state *tethered(double stiffness) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state = NULL;
  def.name = "ball", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  cdn_body ball = cdn_system_add_body(system, &def);
  cdn_system_add_two_point_spring(system, "cord", cdn_ground(), cdn_v3(0, 0, 0), ball, cdn_v3(1, 1, 0), stiffness, 1);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(starts_that_are_none) {
  cdn_state *state = tethered(1);
  cdn_stepper *stepper = NULL;
  cdn_error error;
  double q[7] = { 0 }, u[6] = { 0, INFINITY };
  /* a quaternion without length has no direction */
  OK(cdn_state_set_q(state, q));
  FAILS(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_ARG);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "ball");
  ck_assert_ptr_nonnull(strstr(error.text, "quaternion of joint 'ball' is zero"));
  ck_assert_ptr_nonnull(strstr(error.text, "identity"));

  /* NaN never gets into a State, and the coordinate is named */
  q[0] = 1, q[5] = NAN;
  FAILS(cdn_state_set_q(state, q), CDN_ERR_NONFINITE);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "ball.py");
  ck_assert_int_eq(error.index, 5);
  ck_assert(isnan(error.value));
  FAILS(cdn_state_set_slots(state, CDN_POOL_U, 1, 2, u), CDN_ERR_NONFINITE);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "ball.wz");
  ck_assert_int_eq(error.index, 2);
  double y[13] = { 1, 0, 0, 0, 0, 0, 0, 0, NAN };
  FAILS(cdn_state_set_ty(state, 0, y), CDN_ERR_NONFINITE);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "ball.wy");
  FAILS(cdn_state_set_time(state, NAN), CDN_ERR_NONFINITE);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(quaternions_that_run_away) {
  /* far too long a step for so stiff a cord: numbers grow until coordinates cannot be brought to their manifold */
  cdn_state *state = tethered(1e8);
  cdn_stepper_def def = cdn_default_stepper_def();
  for (cdn_method m = CDN_METHOD_MERSON; m <= CDN_METHOD_TRAPEZOID; m++) {
    def.fixed_step = 0.1;
    def.method = m;
    cdn_stepper *stepper = ode_stepper(state, &def);
    cdn_status status = cdn_stepper_advance(stepper, 1e4, NULL);
    cdn_failure f;
    cdn_stepper_failure(stepper, &f);
    ck_assert_msg(status == CDN_ERR_NONFINITE || status == CDN_ERR_STEP, "%s: %s", cdn_status_name(status),
                  f.error.text);
    if (status == CDN_ERR_NONFINITE) ck_assert_msg(strncmp(f.error.element, "ball", 4) == 0, "[%s]", f.error.element);
    ck_assert_ptr_nonnull(strstr(f.advice, "the step is fixed"));
    ck_assert(isfinite(cdn_state_q(cdn_stepper_state(stepper))[0]));
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- events ------------------------------------------------------------------------------------- */

/* Positive until 1; from there to 1.5 it cannot be told, or is not a number. */
static cdn_status blind(const void *self, cdn_state *state, double *value) {
  double t = cdn_state_time(state);
  *value = 1.2 - t;
  if (t > 1 && t < 1.5) {
    *value = NAN;
    if (self) return cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "the sensor is blind");
  }
  return CDN_OK;
}

static cdn_status fail_to_handle(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)what, (void)action;
  return cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "the valve is stuck");
}

static cdn_status fail_to_report(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self, (void)what;
  return cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "the disk is full");
}

static cdn_status fail_to_plan(const void *self, cdn_state *state, double after, double *time) {
  (void)self;
  *time = after + 1;
  if (after > 1.5) return cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "the calendar is lost");
  return CDN_OK;
}

/* x' = -sign x, by an event. */
static cdn_status relay_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[1];
  zdot[1] = 0;
  return CDN_OK;
}

static cdn_status relay_switch(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  double z[2] = { cdn_state_z(state)[0], what->direction == CDN_RISING ? -1 : 1 };
  (void)self, (void)action;
  return cdn_state_set_z(state, z);
}

START_TEST(events_that_fail) {
  static const bool yes = true;
  static const ode relay = { .n = 2, .z0 = { 1, -1 }, .rates = relay_rate };
  struct {
    const ode *equation;
    cdn_event_def def;
    expectation report;
  } cases[] = {
    { &clock_ode,
      { .value = blind, .self = &yes, .handle = log_handle },
      { CDN_ERR_CALLBACK, "sensor", "blind", "callback", NULL, 0, 1 } },
    { &clock_ode,
      { .value = z_minus, .self = &(const double){ 0.75 }, .handle = fail_to_handle },
      { CDN_ERR_CALLBACK, "sensor", "valve is stuck", "this event's callbacks", NULL, 0.75, 0.76 } },
    { &clock_ode,
      { .value = z_minus, .self = &(const double){ 0.75 }, .report = fail_to_report },
      { CDN_ERR_CALLBACK, "sensor", "disk is full", "this event's callbacks", NULL, 0.75, 2 } },
    { &clock_ode,
      { .kind = CDN_EVENT_SCHEDULED, .next_time = fail_to_plan, .handle = log_handle },
      { CDN_ERR_CALLBACK, "sensor", "calendar is lost", "this event's callbacks", NULL, 2, 2 } },
    { &relay,
      { .value = z_minus, .handle = relay_switch },
      { CDN_ERR_CHATTER, "sensor", "again within its window", "hysteresis", NULL, 1, 1.1 } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cdn_system *system = event_system(cases[i].equation, NULL);
    cdn_event_def def = cdn_default_event_def(), given = cases[i].def;
    def.name = "sensor", def.kind = given.kind, def.value = given.value, def.self = given.self;
    def.handle = given.handle, def.report = given.report, def.next_time = given.next_time;
    cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper *stepper = ode_stepper(state, NULL);
    check_report(stepper, cdn_stepper_advance(stepper, 3, NULL), &cases[i].report);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------- */

START_TEST(too_many_steps) {
  static const expectation many = { CDN_ERR_LIMIT, "", "3 attempts of a step", "call again", NULL, 0, 2 };
  cdn_state *state;
  cdn_stepper *stepper = carts(attraction, 0, &state);
  cdn_stepper_destroy(stepper);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.max_steps = 3;
  stepper = ode_stepper(state, &def);
  check_report(stepper, cdn_stepper_advance(stepper, 20, NULL), &many);
  cdn_stepper_destroy(stepper);

  static const expectation shortest = { CDN_ERR_STEP, "rail.u", "the smallest allowed", "lower min_step", "rail.u", 0,
                                        1.2 };
  def.max_steps = 0;
  def.min_step = 1e-3;
  stepper = ode_stepper(state, &def);
  check_report(stepper, cdn_stepper_advance(stepper, 20, NULL), &shortest);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(every_status_that_a_model_can_cause_has_advice) {
  static const cdn_status caused[] = { CDN_ERR_NONFINITE, CDN_ERR_SINGULAR, CDN_ERR_CALLBACK, CDN_ERR_UNDECLARED,
                                       CDN_ERR_NOMEM };
  for (size_t i = 0; i < sizeof caused / sizeof *caused; i++) {
    ck_assert_int_gt((int)strlen(cdn_status_advice(caused[i])), 20);
  }
  ck_assert_str_eq(cdn_status_advice(CDN_OK), "");
  ck_assert_str_eq(cdn_status_advice((cdn_status)12345), "");
}
END_TEST

CHECK_MAIN("failure reports", forces_that_fail, singular_mass_matrix, starts_that_are_none, quaternions_that_run_away,
           events_that_fail, too_many_steps, every_status_that_a_model_can_cause_has_advice)
