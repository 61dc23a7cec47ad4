/* Control inputs: values, limits, what they invalidate, what they follow, actuators, ensembles, checkpoints,
 * mistakes. */
#include "../testing.h"

static const double MASS = 2;

/* A mass on a slider, and a control. */
typedef struct rig {
  cdn_system *system;
  cdn_body body;
  cdn_control control;
  cdn_state *state;
} rig;

static rig start(const char *name, double lower, double upper) {
  rig r = { 0 };
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  r.system = cdn_system_create(&audited);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass.mass = MASS;
  r.body = cdn_system_add_body(r.system, &def);
  cdn_control_def control = cdn_default_control_def();
  control.name = name, control.unit = "N", control.lower = lower, control.upper = upper;
  r.control = cdn_system_add_control(r.system, &control);
  return r;
}

static cdn_force actuate(rig *r, double gain, const double bias[3], double lower, double upper) {
  cdn_actuator_def def = cdn_default_actuator_def();
  def.body = r->body, def.control = r->control, def.gain = gain, def.lower = lower, def.upper = upper;
  for (int k = 0; bias && k < 3; k++) def.bias[k] = bias[k];
  return cdn_system_add_actuator(r->system, NULL, &def);
}

static void freeze(rig *r) {
  OK_FREEZE(r->system);
  OK(cdn_state_create(r->system, &r->state));
}

static void drop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

static double value_of(cdn_state *state, cdn_control c) {
  double value = NAN;
  OK_ON(state, cdn_control_value(state, c, &value));
  return value;
}

static double udot_of(cdn_state *state) {
  const double *udot = cdn_state_udot(state);
  ck_assert_ptr_nonnull(udot);
  return udot[0];
}

/* ---- values and limits ---- */

START_TEST(test_values) {
  rig r = start("push", -1, 2);
  freeze(&r);
  ck_assert_int_eq(cdn_system_control_count(r.system), 1);
  ck_assert_str_eq(cdn_control_name(r.system, r.control), "push");
  ck_assert_str_eq(cdn_control_unit(r.system, r.control), "N");
  ck_assert_int_eq(cdn_system_find_control(r.system, "push").i, r.control.i);
  ck_assert_int_eq(cdn_system_find_control(r.system, "pull").i, -1);
  ck_assert(!cdn_control_follows(r.system, r.control));
  ck_assert(value_of(r.state, r.control) == 0);
  OK_ON(r.state, cdn_control_set(r.state, r.control, 1.5));
  ck_assert(value_of(r.state, r.control) == 1.5);
  /* what is beyond a limit is kept as it was given, and counts as the limit */
  OK_ON(r.state, cdn_control_set(r.state, r.control, 7));
  ck_assert(value_of(r.state, r.control) == 2 && cdn_control_given(r.state, r.control) == 7);
  OK_ON(r.state, cdn_control_set_limits(r.state, r.control, -INFINITY, 10));
  ck_assert(value_of(r.state, r.control) == 7);
  double lower, upper;
  OK(cdn_control_limits(r.state, r.control, &lower, &upper));
  ck_assert(lower == -INFINITY && upper == 10);
  OK_ON(r.state, cdn_control_set_all(r.state, (const double[]){ -100 }));
  ck_assert(value_of(r.state, r.control) == -100);
  drop(&r);
}
END_TEST

/* ---- what is invalidated ---- */

typedef struct readers {
  cdn_control control[2];
  cdn_ticket reads[2];
  cdn_cache entry[2];
} readers;
static int computed[2];

static cdn_status read_first(const void *self, cdn_state *state, void *out) {
  computed[0]++;
  return cdn_control_value(state, ((const readers *)self)->control[0], out);
}
static cdn_status read_second(const void *self, cdn_state *state, void *out) {
  computed[1]++;
  return cdn_control_value(state, ((const readers *)self)->control[1], out);
}
static cdn_status declare_readers(void *self, cdn_declarer *d) {
  static cdn_calc_fn *const calc[2] = { read_first, read_second };
  readers *r = self;
  for (int k = 0; k < 2; k++)
    r->entry[k] =
        cdn_declare_eager_cache(d, k ? "second" : "first", sizeof(double), calc[k], 1, &r->reads[k], CDN_STAGE_FORCE);
  return CDN_OK;
}

START_TEST(test_one_invalidates_its_own_readers) {
  rig r = start("a", -INFINITY, INFINITY);
  cdn_control_def def = cdn_default_control_def();
  def.name = "b";
  readers own = { .control = { r.control, cdn_system_add_control(r.system, &def) } };
  for (int k = 0; k < 2; k++) own.reads[k] = cdn_control_ticket(r.system, own.control[k]);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .self_size = sizeof own, .declare = declare_readers };
  const cdn_subsystem id = cdn_system_add_subsystem(r.system, &ops, &own);
  freeze(&r);
  const readers *self = cdn_subsystem_self(r.system, id);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  computed[0] = computed[1] = 0;
  OK_ON(r.state, cdn_control_set(r.state, own.control[1], 3));
  ck_assert_int_lt(cdn_state_stage(r.state), CDN_STAGE_FORCE);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  ck_assert(computed[0] == 0 && computed[1] == 1);
  ck_assert(*(const double *)cdn_eval(r.state, self->entry[1]) == 3);
  /* all at once: only what differs counts as written */
  OK_ON(r.state, cdn_control_set_all(r.state, (const double[]){ 4, 3 }));
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  ck_assert(computed[0] == 1 && computed[1] == 1);
  ck_assert(*(const double *)cdn_eval(r.state, self->entry[0]) == 4);
  /* a copy has the values and what was computed */
  cdn_state *copy = NULL;
  OK(cdn_state_create(r.system, &copy));
  OK(cdn_state_copy(copy, r.state));
  ck_assert(value_of(copy, own.control[0]) == 4);
  cdn_state_destroy(copy);
  drop(&r);
}
END_TEST

/* ---- actuators ---- */

START_TEST(test_actuators) {
  const double kp = 7, kv = 3, biases[3][3] = { { 0 }, { 0.5, -kp, 0 }, { 0, 0, -kv } }, gains[3] = { 2, kp, kv };
  const double c = 1.5, q = 0.2, u = -0.4;
  for (int kind = 0; kind < 3; kind++) {
    rig r = start("c", -5, 5);
    const cdn_force force = actuate(&r, gains[kind], biases[kind], -8, 8);
    freeze(&r);
    OK_ON(r.state, cdn_state_set_q(r.state, &q));
    OK_ON(r.state, cdn_state_set_u(r.state, &u));
    OK_ON(r.state, cdn_control_set(r.state, r.control, c));
    const double f = gains[kind] * c + biases[kind][0] + biases[kind][1] * q + biases[kind][2] * u;
    NEAR(udot_of(r.state), fmin(f, 8) / MASS, 1e-15);
    double by_q, by_u, power;
    OK_ON(r.state, cdn_forward_dynamics_derivatives(r.state, &by_q, &by_u, NULL, NULL));
    NEAR(by_q, f > 8 ? 0 : biases[kind][1] / MASS, 1e-15);
    NEAR(by_u, f > 8 ? 0 : biases[kind][2] / MASS, 1e-15);
    OK_ON(r.state, cdn_nonpotential_power(r.state, &power));
    NEAR(power, fmin(f, 8) * u, 1e-15);
    /* beyond the limits of the control, and of the force */
    OK_ON(r.state, cdn_control_set(r.state, r.control, 1e9));
    NEAR(udot_of(r.state), 8 / MASS, 1e-15);
    OK_ON(r.state, cdn_actuator_set(r.state, force, 1, (const double[3]){ 0 }, -INFINITY, INFINITY));
    NEAR(udot_of(r.state), 5 / MASS, 1e-15);
    OK_ON(r.state, cdn_force_set_enabled(r.state, force, false));
    ck_assert(udot_of(r.state) == 0);
    drop(&r);
  }
}
END_TEST

/* ---- following ---- */

static void run_to(rig *r, double t, double accuracy, double *q, double *u, cdn_certificate *c) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  def.method = CDN_METHOD_DORMAND_PRINCE; /* which remembers nothing of what was before a corner */
  cdn_stepper *stepper = NULL;
  OK_ON(r->state, cdn_stepper_create(r->state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
  *q = cdn_state_q(cdn_stepper_state(stepper))[0];
  *u = cdn_state_u(cdn_stepper_state(stepper))[0];
  if (c) OK(cdn_stepper_certificate(stepper, c));
  cdn_stepper_destroy(stepper);
}

/* The integral of a function with corners, which no step may run over. */
START_TEST(test_samples) {
  const double t[4] = { 0.1, 0.4, 0.45, 1 }, x[4] = { 1, -2, 6, 6 };
  rig r = start("c", -INFINITY, 5);
  actuate(&r, 1, NULL, -INFINITY, INFINITY);
  cdn_control_follow_samples(r.system, r.control, 4, t, x);
  freeze(&r);
  ck_assert(cdn_control_follows(r.system, r.control));
  const double at[] = { -1, 0.1, 0.25, 0.4, 0.425, 0.45, 0.7, 3 }, truth[] = { 1, 1, -0.5, -2, 2, 5, 5, 5 };
  for (int k = 0; k < 8; k++) {
    OK_ON(r.state, cdn_state_set_time(r.state, at[k]));
    NEAR(value_of(r.state, r.control), truth[k], 1e-14);
  }
  FAILS(cdn_control_set(r.state, r.control, 1), CDN_ERR_ARG);
  OK_ON(r.state, cdn_state_set_time(r.state, 0));
  OK_ON(r.state, cdn_control_set_limits(r.state, r.control, -INFINITY, INFINITY));
  double q, u;
  cdn_certificate c;
  run_to(&r, 1.2, 1e-3, &q, &u, &c);
  /* polynomials between the corners are integrated exactly */
  NEAR(u, (0.1 * 1 + 0.3 * -0.5 + 0.05 * 2 + 0.55 * 6 + 0.2 * 6) / MASS, 1e-12);
  drop(&r);
}
END_TEST

START_TEST(test_function_of_time) {
  rig r = start("c", -INFINITY, INFINITY);
  actuate(&r, 1, NULL, -INFINITY, INFINITY);
  cdn_function *ramp = cdn_function_polynomial(3, (const double[]){ 3, -1, 2 }); /* 3 t^2 - t + 2 */
  cdn_control_follow_function(r.system, r.control, ramp);
  cdn_function_release(ramp);
  freeze(&r);
  double q, u;
  run_to(&r, 1, 1e-6, &q, &u, NULL);
  NEAR(u, (1 - 0.5 + 2) / MASS, 1e-9);
  NEAR(q, (0.25 - 1. / 6 + 1) / MASS, 1e-6);
  drop(&r);
}
END_TEST

/* A spring and a damper made of feedback: an oscillator. */
START_TEST(test_feedback) {
  const double k = 8, c = 0.4;
  rig r = start("position", -INFINITY, INFINITY);
  cdn_control_def second = cdn_default_control_def();
  second.name = "speed";
  const cdn_control speed = cdn_system_add_control(r.system, &second);
  actuate(&r, -k, NULL, -INFINITY, INFINITY);
  const cdn_control position = r.control;
  r.control = speed;
  actuate(&r, -c, NULL, -INFINITY, INFINITY);
  r.control = position;
  /* what they follow may be said after their actuators */
  cdn_control_follow_measure(r.system, position, cdn_system_add_coordinate_measure(r.system, "q", r.body, CDN_Q, 0), 0);
  cdn_control_follow_measure(r.system, speed, cdn_system_add_coordinate_measure(r.system, "u", r.body, CDN_U, 0), 0);
  const cdn_measure seen = cdn_system_add_control_measure(r.system, "seen", position);
  freeze(&r);
  const double q0 = 0.7, u0 = -0.3;
  OK_ON(r.state, cdn_state_set_q(r.state, &q0));
  OK_ON(r.state, cdn_state_set_u(r.state, &u0));
  NEAR(udot_of(r.state), (-k * q0 - c * u0) / MASS, 1e-14);
  ck_assert(*cdn_measure_value(r.state, seen) == q0);
  double by_q, by_u;
  OK_ON(r.state, cdn_forward_dynamics_derivatives(r.state, &by_q, &by_u, NULL, NULL));
  NEAR(by_q, -k / MASS, 1e-9);
  NEAR(by_u, -c / MASS, 1e-9);
  double q, u;
  run_to(&r, 2, 1e-9, &q, &u, NULL);
  const double a = c / (2 * MASS), w = sqrt(k / MASS - a * a), t = 2;
  NEAR(q, exp(-a * t) * (q0 * cos(w * t) + (u0 + a * q0) / w * sin(w * t)), 1e-7);
  drop(&r);
}
END_TEST

/* Feedback of an auxiliary state: an integrator in the loop. */
START_TEST(test_feedback_of_z) {
  rig r = start("c", -INFINITY, INFINITY);
  actuate(&r, 3, NULL, -INFINITY, INFINITY);
  const cdn_measure q = cdn_system_add_coordinate_measure(r.system, "q", r.body, CDN_Q, 0);
  cdn_control_follow_measure(r.system, r.control, cdn_system_add_integral_measure(r.system, "integral", q, NULL, 1), 0);
  freeze(&r);
  const double z = 0.6;
  OK_ON(r.state, cdn_state_set_z(r.state, &z));
  NEAR(udot_of(r.state), 3 * z / MASS, 1e-15);
  double by_q, by_z;
  OK_ON(r.state, cdn_forward_dynamics_derivatives(r.state, &by_q, NULL, NULL, &by_z));
  NEAR(by_q, 0, 1e-9);
  NEAR(by_z, 3 / MASS, 1e-9);
  drop(&r);
}
END_TEST

/* ---- custom forces ---- */

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const rig *r = self;
  double c;
  cdn_status status = cdn_control_value(state, r->control, &c);
  if (status) return status;
  cdn_forces_add_mobility(forces, r->body, 0, c * c);
  return CDN_OK;
}

START_TEST(test_custom_force) {
  rig r = start("c", 0, 3);
  const cdn_ticket reads = cdn_control_ticket(r.system, r.control);
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .calc_force = calc_force, .prerequisites = &reads, .n_prerequisites = 1
  };
  ops.subsystem.self_size = sizeof r;
  cdn_system_add_custom_force(r.system, &ops, &r);
  freeze(&r);
  for (int k = -1; k < 5; k++) {
    OK_ON(r.state, cdn_control_set(r.state, r.control, k));
    const double c = fmin(fmax(k, 0), 3);
    NEAR(udot_of(r.state), c * c / MASS, 1e-15);
  }
  drop(&r);
}
END_TEST

/* ---- a loop that writes between calls of advance ---- */

START_TEST(test_written_in_a_run) {
  rig r = start("c", -1, 1);
  actuate(&r, 4, NULL, -INFINITY, INFINITY);
  freeze(&r);
  cdn_stepper *stepper = NULL;
  OK_ON(r.state, cdn_stepper_create(r.state, NULL, &stepper));
  double q = 0, u = 0;
  for (int k = 0; k < 10; k++) {
    const double c = k % 3 - 1.5, a = 4 * fmin(fmax(c, -1), 1) / MASS, h = 0.1;
    OK(cdn_control_set(cdn_stepper_state(stepper), r.control, c));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * (k + 1), NULL));
    q += h * u + a * h * h / 2, u += h * a;
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], u, 1e-12);
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], q, 1e-12);
  }
  cdn_stepper_destroy(stepper);
  drop(&r);
}
END_TEST

/* ---- checkpoints and ensembles ---- */

START_TEST(test_checkpoint) {
  rig r = start("c", -2, 2), other = start("another", -2, 2);
  actuate(&r, 1, NULL, -INFINITY, INFINITY);
  actuate(&other, 1, NULL, -INFINITY, INFINITY);
  freeze(&r);
  freeze(&other);
  OK_ON(r.state, cdn_control_set(r.state, r.control, 1.25));
  OK_ON(r.state, cdn_control_set_limits(r.state, r.control, 0, 1));
  cdn_buffer buffer = { 0 };
  OK_ON(r.state, cdn_state_save(r.state, cdn_buffer_write, &buffer));
  OK_ON(r.state, cdn_control_set(r.state, r.control, 0));
  OK_ON(r.state, cdn_control_set_limits(r.state, r.control, -9, 9));
  OK_ON(r.state, cdn_state_load(r.state, cdn_buffer_read, &buffer));
  ck_assert(cdn_control_given(r.state, r.control) == 1.25 && value_of(r.state, r.control) == 1);
  buffer.at = 0;
  ck_assert(cdn_state_load(other.state, cdn_buffer_read, &buffer) != CDN_OK);
  cdn_buffer_free(&buffer);
  drop(&r);
  drop(&other);
}
END_TEST

START_TEST(test_ensemble) {
  enum { N = 11 };
  rig r = start("c", -2, 2);
  actuate(&r, 3, (const double[]){ 0, -5, -0.3 }, -INFINITY, INFINITY);
  freeze(&r);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = N, def.vary = CDN_VARY_CONTROLS;
  cdn_ensemble *ensemble = NULL;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &ensemble));
  double rates[N], truth[N];
  for (int k = 0; k < N; k++) {
    const double q = 0.1 * k;
    OK_ON(r.state, cdn_state_set_q(r.state, &q));
    OK_ON(r.state, cdn_control_set(r.state, r.control, 0.5 * k - 3));
    OK(cdn_ensemble_set_state(ensemble, k, r.state));
    truth[k] = udot_of(r.state);
    NEAR(truth[k], (3 * fmin(fmax(0.5 * k - 3, -2), 2) - 5 * q) / MASS, 1e-14);
  }
  OK(cdn_ensemble_rates(ensemble, CDN_POOL_U, rates, 1));
  for (int k = 0; k < N; k++) ck_assert(rates[k] == truth[k]);
  cdn_ensemble_destroy(ensemble);
  drop(&r);
}
END_TEST

/* Controls of all sources, and their limits, differ from State to State: the bits are those of each State alone, also
 * when the same lanes come back to other States. */
START_TEST(test_ensemble_of_all_sources) {
  enum { N = 19, SOURCES = 4 };
  rig r = start("written", -2, 2);
  cdn_control c[SOURCES] = { r.control };
  for (int i = 1; i < SOURCES; i++) {
    cdn_control_def def = cdn_default_control_def();
    def.upper = 0.4 * i;
    c[i] = cdn_system_add_control(r.system, &def);
  }
  cdn_control_follow_samples(r.system, c[1], 3, (const double[]){ 0, 1, 2 }, (const double[]){ -1, 3, 0 });
  cdn_function *line = cdn_function_polynomial(2, (const double[]){ 2, -1 });
  cdn_control_follow_function(r.system, c[2], line);
  cdn_function_release(line);
  const cdn_measure speed = cdn_system_add_coordinate_measure(r.system, "speed", r.body, CDN_U, 0);
  cdn_control_follow_measure(r.system, c[3], speed, 0);
  for (int i = 0; i < SOURCES; i++) {
    cdn_actuator_def def = cdn_default_actuator_def();
    def.body = r.body, def.control = c[i], def.gain = 1 + i, def.gain_q = 0.3, def.gain_u = -0.7, def.upper = 4;
    cdn_system_add_actuator(r.system, NULL, &def);
  }
  freeze(&r);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = N, def.vary = CDN_VARY_CONTROLS | CDN_VARY_OWN;
  cdn_ensemble *ensemble = NULL;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &ensemble));
  for (int round = 0; round < 3; round++) {
    double rates[N], truth[N];
    for (int k = 0; k < N; k++) {
      const double q = 0.1 * k, u = 1 - 0.2 * k + round, t = 0.15 * k + 0.1 * round;
      OK_ON(r.state, cdn_state_set_time(r.state, t));
      OK_ON(r.state, cdn_state_set_q(r.state, &q));
      OK_ON(r.state, cdn_state_set_u(r.state, &u));
      OK_ON(r.state, cdn_control_set(r.state, c[0], 0.3 * k - 3 + round));
      for (int i = 0; i < SOURCES; i++)
        OK_ON(r.state, cdn_control_set_limits(r.state, c[i], -0.1 * k - 1, 0.2 * i + 0.5));
      OK(cdn_ensemble_set_state(ensemble, k, r.state));
      truth[k] = udot_of(r.state);
    }
    for (int again = 0; again < 2; again++) {
      OK(cdn_ensemble_rates(ensemble, CDN_POOL_U, rates, 1));
      for (int k = 0; k < N; k++)
        ck_assert_msg(rates[k] == truth[k], "round %d, State %d: %g, alone %g", round, k, rates[k], truth[k]);
    }
  }
  cdn_ensemble_destroy(ensemble);
  drop(&r);
}
END_TEST

/* States whose controls change in every step have the bits of lone steppers that are written in the same way. A State
 * that has failed is left alone. */
START_TEST(test_ensemble_under_controls) {
  enum { N = 11, STEPS = 20 };
  const double h = 0.01;
  rig r = start("first", -2, 2);
  cdn_control_def more = cdn_default_control_def();
  more.name = "second";
  const cdn_control second = cdn_system_add_control(r.system, &more);
  actuate(&r, 3, (const double[]){ 0, -5, -0.3 }, -INFINITY, INFINITY);
  cdn_actuator_def a = cdn_default_actuator_def();
  a.body = r.body, a.control = second, a.gain_q = 2;
  cdn_system_add_actuator(r.system, NULL, &a);
  freeze(&r);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *ensemble = NULL;
  double values[N][2], q[N];
  def.count = N;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &ensemble));
  FAILS(cdn_ensemble_set_controls(ensemble, values[0], 0), CDN_ERR_ARG);
  cdn_ensemble_destroy(ensemble);
  def.vary = CDN_VARY_CONTROLS, def.companion = true, def.threads = 2;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &ensemble));
  cdn_stepper *alone[N];
  for (int k = 0; k < N; k++) {
    cdn_stepper_def how = cdn_default_stepper_def();
    how.method = CDN_METHOD_DORMAND_PRINCE, how.fixed_step = h, how.companion = false;
    OK_ON(r.state, cdn_stepper_create(r.state, &how, &alone[k]));
  }
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k < N; k++) {
      values[k][0] = 3 * sin(0.7 * k + step), values[k][1] = cos(0.3 * k - 2 * step);
      cdn_state *state = cdn_stepper_state(alone[k]);
      OK(cdn_control_set_all(state, values[k]));
      OK(cdn_stepper_advance(alone[k], cdn_state_time(state) + h, NULL));
    }
    OK(cdn_ensemble_set_controls(ensemble, values[0], 0));
    OK(cdn_ensemble_advance(ensemble, h, 1));
    OK(cdn_ensemble_get(ensemble, CDN_POOL_Q, q, 0));
    for (int k = 0; k < N; k++)
      ck_assert_msg(q[k] == cdn_state_q(cdn_stepper_state(alone[k]))[0], "step %d, State %d: %.17g, alone %.17g", step,
                    k, q[k], cdn_state_q(cdn_stepper_state(alone[k]))[0]);
  }
  for (int k = 0; k < N; k++) {
    ck_assert_int_eq(cdn_ensemble_verdict(ensemble, k), CDN_VERDICT_DELIVERED); /* the companion has them, too */
    cdn_stepper_destroy(alone[k]);
  }
  values[3][1] = INFINITY;
  FAILS(cdn_ensemble_set_controls(ensemble, values[0], 0), CDN_ERR_NONFINITE);
  FAILS(cdn_ensemble_set_controls(ensemble, NULL, 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_set_controls(NULL, values[0], 0), CDN_ERR_ARG);
  cdn_ensemble_destroy(ensemble);
  drop(&r);
}
END_TEST

/* ---- columns of a table ---- */

START_TEST(test_trajectory) {
  rig r = start("first", -1, 1);
  cdn_control_def another = cdn_default_control_def();
  another.name = "second", another.initial = 0.25;
  cdn_system_add_control(r.system, &another);
  freeze(&r);
  OK_ON(r.state, cdn_control_set(r.state, r.control, 7));
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.q = def.u = def.energies = false, def.controls = true;
  cdn_buffer text = { 0 };
  cdn_trajectory *t = NULL;
  OK_ON(r.state, cdn_trajectory_create(r.state, &def, cdn_buffer_write, &text, &t));
  OK(cdn_trajectory_header(t));
  OK_ON(r.state, cdn_trajectory_row(t, r.state, NULL));
  OK(cdn_buffer_write(&text, "", 1));
  ck_assert_str_eq(text.bytes, "time,first,second\n0.0,1.0,0.25\n");
  ck_assert_int_eq(cdn_trajectory_columns(t), 3);
  cdn_trajectory_destroy(t);
  cdn_buffer_free(&text);
  drop(&r);
}
END_TEST

/* ---- mistakes ---- */

static void fails_with(cdn_system *system, cdn_status code, const char *word) {
  ck_assert_int_eq(cdn_system_freeze(system), code);
  cdn_error e;
  cdn_system_last_error(system, &e);
  ck_assert_msg(strstr(e.text, word) != NULL, "'%s' has no '%s'", e.text, word);
  cdn_system_release(system);
}

START_TEST(test_building_mistakes) {
  const double increasing[2] = { 0, 1 }, decreasing[2] = { 1, 0 };
  for (int k = 0; k < 12; k++) {
    rig r = start("c", -1, 1);
    cdn_control_def def = cdn_default_control_def();
    cdn_status code = CDN_ERR_ARG;
    const char *word = "limits";
    const cdn_control none = { 7 };
    cdn_measure q = cdn_system_add_coordinate_measure(r.system, "q", r.body, CDN_Q, 0);
    cdn_function *two = cdn_function_linear(2, increasing, 0);
    switch (k) {
      case 0: def.lower = 1, def.upper = 1, cdn_system_add_control(r.system, &def); break;
      case 1: def.name = "c", word = "that name", cdn_system_add_control(r.system, &def); break;
      case 2:
        def.initial = NAN, code = CDN_ERR_NONFINITE, word = "initial", cdn_system_add_control(r.system, &def);
        break;
      case 3: word = "def", cdn_system_add_control(r.system, NULL); break;
      case 4: word = "increase", cdn_control_follow_samples(r.system, r.control, 2, decreasing, increasing); break;
      case 5: word = "1 or more", cdn_control_follow_samples(r.system, r.control, 0, increasing, increasing); break;
      case 6: word = "no control 7", cdn_control_follow_samples(r.system, none, 2, increasing, increasing); break;
      case 7: word = "2 inputs", cdn_control_follow_function(r.system, r.control, two); break;
      case 8: word = "no number 3", cdn_control_follow_measure(r.system, r.control, q, 3); break;
      case 9:
        cdn_control_follow_measure(r.system, r.control, q, 0);
        word = "already", cdn_control_follow_measure(r.system, r.control, q, 0);
        break;
      case 10: r.control = none, word = "no control 7", actuate(&r, 1, NULL, -1, 1); break;
      default: word = "limits", actuate(&r, 1, NULL, 1, -1); break;
    }
    cdn_function_release(two);
    fails_with(r.system, code, word);
  }
}
END_TEST

/* A force cannot follow the acceleration that it makes. */
START_TEST(test_cycle) {
  rig r = start("c", -1, 1);
  actuate(&r, 1, NULL, -1, 1);
  cdn_control_follow_measure(r.system, r.control,
                             cdn_system_add_coordinate_measure(r.system, "udot", r.body, CDN_UDOT, 0), 0);
  fails_with(r.system, CDN_ERR_CYCLE, "controls.c");
}
END_TEST

START_TEST(test_mistakes_in_a_state) {
  rig r = start("c", -1, 1);
  const cdn_force force = actuate(&r, 1, NULL, -1, 1);
  freeze(&r);
  const cdn_control none = { 4 };
  double x;
  OK_ON(r.state, cdn_control_set(r.state, r.control, 0.5));
  FAILS(cdn_control_set(r.state, r.control, NAN), CDN_ERR_NONFINITE);
  FAILS(cdn_control_set(r.state, r.control, INFINITY), CDN_ERR_NONFINITE);
  FAILS(cdn_control_set(r.state, none, 0), CDN_ERR_ARG);
  FAILS(cdn_control_set_all(r.state, NULL), CDN_ERR_ARG);
  FAILS(cdn_control_set_all(r.state, (const double[]){ NAN }), CDN_ERR_NONFINITE);
  FAILS(cdn_control_value(r.state, none, &x), CDN_ERR_ARG);
  FAILS(cdn_control_limits(r.state, none, &x, &x), CDN_ERR_ARG);
  FAILS(cdn_control_set_limits(r.state, r.control, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_actuator_set(r.state, force, 1, NULL, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_actuator_set(r.state, force, NAN, NULL, -1, 1), CDN_ERR_NONFINITE);
  ck_assert(isnan(cdn_control_given(r.state, none)));
  ck_assert_ptr_null(cdn_control_name(r.system, none));
  ck_assert(value_of(r.state, r.control) == 0.5);
  drop(&r);
}
END_TEST

CHECK_MAIN("controls", test_values, test_one_invalidates_its_own_readers, test_actuators, test_samples,
           test_function_of_time, test_feedback, test_feedback_of_z, test_custom_force, test_written_in_a_run,
           test_checkpoint, test_ensemble, test_ensemble_of_all_sources, test_ensemble_under_controls, test_trajectory,
           test_building_mistakes, test_cycle, test_mistakes_in_a_state)
