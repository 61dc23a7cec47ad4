/* Forces that bend or jump, of every kind that tells where: motions about one axis, whose speed at the end is known. */
#include "runs.h"

static const double pi = 3.14159265358979323846;
static const cdn_vec3 zero = { 0, 0, 0 };
static cdn_rotation unit(void) { return cdn_default_body_def().X_PF.R; }

/* A case: one body, or more, of unit inertia on one coordinate that moves from x0 at speed v. */
typedef struct shape {
  void (*build)(cdn_system *system, double x0, double v);
  double (*ends_with)(double x0, double v, double end); /* the speed */
  double x0, v, end;
  double most; /* accuracies */
} shape;

static cdn_body add(cdn_system *system, cdn_mobilizer kind, const double *q0, const double *u0) {
  cdn_body_def def = cdn_default_body_def();
  const cdn_mass_properties mass = { .mass = 1, .inertia = { 1, 1, 1, 0, 0, 0 } };
  def.mobilizer = kind, def.mass = mass, def.q0 = q0, def.u0 = u0;
  return cdn_system_add_body(system, &def);
}

static cdn_body add_ball(cdn_system *system, double x0, double v) {
  const double q0[] = { cos(x0 / 2), 0, 0, sin(x0 / 2) }, u0[] = { 0, 0, v };
  return add(system, CDN_BALL, q0, u0);
}

/* ---- a stop on the angle of a ball, with dissipation: as on one coordinate ---- */

static void build_rotation_stop(cdn_system *system, double x0, double v) {
  cdn_system_add_rotation_stop(system, "stop", add_ball(system, x0, v), 1, 1e4, 0.2);
}

/* v / d - ln(1 + d v) / d^2 is the same where it leaves (test_events_kinks.c). */
static double leaves_stop(double x0, double v, double end) {
  const double d = 0.2, goal = v / d - log1p(d * v) / (d * d);
  double low = -1 / d, high = 0;
  (void)x0, (void)end;
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (low + high);
    if (middle / d - log1p(d * middle) / (d * d) > goal) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/* ---- springs on angles within half a turn: x'' = -x, and from pi to -pi at the speed that it has ---- */

static void build_rotation_spring(cdn_system *system, double x0, double v) {
  cdn_system_add_rotation_spring(system, "spring", add_ball(system, x0, v), 1, unit());
}

static void build_bushing(cdn_system *system, double x0, double v, int angle) {
  cdn_body body = add(system, CDN_PIN, &x0, &v);
  double k[6] = { 0 };
  k[angle] = 1;
  /* the pin's axis is z: the third angle as it is, the first one where x of F and M is the axis */
  cdn_transform X = { .R = unit(), .p = zero };
  if (angle == 0) X.R.x = cdn_v3(0, 0, 1), X.R.y = cdn_v3(1, 0, 0), X.R.z = cdn_v3(0, 1, 0);
  cdn_system_add_linear_bushing(system, "bushing", cdn_ground(), X, body, X, k, NULL);
}
static void build_bushing_first(cdn_system *system, double x0, double v) { build_bushing(system, x0, v, 0); }
static void build_bushing_third(cdn_system *system, double x0, double v) { build_bushing(system, x0, v, 2); }

static double wraps(double x0, double v, double end) {
  for (;;) {
    const double size = hypot(x0, v), phase = atan2(v, x0); /* x = size cos(t - phase) */
    const double until = phase - acos(pi / size);
    if (!(size > pi) || until >= end) return -size * sin(end - phase);
    v = sqrt(size * size - pi * pi), x0 = -pi;
    end -= until;
  }
}

/* ---- custom: a spring that pushes only; with the rate of its kink and without ---- */

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const double depth = *cdn_body_q(state, (cdn_body){ 1 }) - 1;
  (void)self;
  if (depth > 0) cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, -1e4 * depth);
  return CDN_OK;
}

static cdn_status push_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  const bool *with_rate = self;
  values[0] = 1 - *cdn_body_q(state, (cdn_body){ 1 });
  if (*with_rate) rates[0] = -*cdn_body_u(state, (cdn_body){ 1 });
  return CDN_OK;
}

static void build_custom(cdn_system *system, double x0, double v, bool with_rate) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = push };
  ops.n_kinks = 1, ops.calc_kinks = push_kinks, ops.subsystem.self_size = sizeof with_rate;
  add(system, CDN_SLIDER, &x0, &v);
  cdn_system_add_custom_force(system, &ops, &with_rate);
}
static void build_custom_plain(cdn_system *system, double x0, double v) { build_custom(system, x0, v, false); }
static void build_custom_rates(cdn_system *system, double x0, double v) { build_custom(system, x0, v, true); }

static double bounces(double x0, double v, double end) {
  (void)x0, (void)end;
  return -v;
}

/* ---- custom: the largest of t sin t so far, a measure, as a force ---- */

static cdn_status pull(const void *self, cdn_state *state, cdn_forces *forces) {
  const double *f = cdn_measure_value(state, *(const cdn_measure *)self);
  if (!f) return CDN_ERR_CALLBACK;
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, *f);
  return CDN_OK;
}

static void build_extreme(cdn_system *system, double x0, double v) {
  add(system, CDN_SLIDER, &x0, &v);
  const cdn_measure t = cdn_system_add_time_measure(system, "t"),
                    sine = cdn_system_add_sinusoid_measure(system, "sine", 1, 1, 0);
  const cdn_measure product = cdn_system_add_product_measure(system, "t sine", t, sine);
  const cdn_measure largest = cdn_system_add_extreme_measure(system, "largest", product, CDN_MAXIMUM);
  const cdn_ticket ticket = cdn_measure_ticket(system, largest);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pull };
  ops.prerequisites = &ticket, ops.n_prerequisites = 1, ops.subsystem.self_size = sizeof largest;
  cdn_system_add_custom_force(system, &ops, &largest);
}

/* t sin t rises to m at t1, comes up to it again at t2 and rises to t3; its integral is sin t - t cos t. */
static double pulled(double x0, double v, double end) {
  const double t1 = 2.028757838110434, t2 = 6.564086342929726, t3 = 7.978665712413241, m = t1 * sin(t1);
  double integral = sin(t1) - t1 * cos(t1) + m * (t2 - t1);
  (void)x0;
  integral += (sin(t3) - t3 * cos(t3)) - (sin(t2) - t2 * cos(t2));
  return v + integral + t3 * sin(t3) * (end - t3);
}

/* ---- all of them ---- */

/* Without kinks Dormand-Prince 5 delivers 6 to 28 accuracies. */
static const shape shapes[] = {
  { build_rotation_stop, leaves_stop, 0.037, 2, 1, 4 }, { build_rotation_stop, leaves_stop, 0.11, 2.3, 1, 4 },
  { build_rotation_spring, wraps, 0.3, 4, 3, 4 },       { build_bushing_first, wraps, 0.3, 4, 3, 4 },
  { build_bushing_third, wraps, 0.3, 4, 3, 4 },         { build_custom_plain, bounces, 0.05, 2, 1, 4 },
  { build_custom_rates, bounces, 0.05, 2, 1, 4 },       { build_extreme, pulled, 0, 0, 9, 5 },
};
static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_DORMAND_PRINCE,
                                      CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_BOGACKI_SHAMPINE };

static double run(const shape *x, cdn_method method, double accuracy) {
  cdn_system *system = cdn_system_create(NULL);
  x->build(system, x->x0, x->v);
  cdn_state *state = state_of(system);
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  how.accuracy = accuracy, how.method = method, how.return_on_events = true;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, x->end, NULL));
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == x->end);
  const int last = cdn_system_nu(system) - 1;
  const double error = cdn_state_u(cdn_stepper_state(stepper))[last] - x->ends_with(x->x0, x->v, x->end);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return fabs(error) / accuracy;
}

START_TEST(forces_that_bend_or_jump_end_steps_there) {
  const shape *x = &shapes[_i];
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (double digits = 4; digits <= (methods[m] == CDN_METHOD_BOGACKI_SHAMPINE ? 7 : 10); digits += 0.7)
      AT_MOST(run(x, methods[m], pow(10, -digits)), x->most);
}
END_TEST

/* ---- what goes wrong ---- */

static cdn_status rub(const void *self, cdn_state *state, cdn_forces *forces) {
  const double u = *cdn_body_u(state, (cdn_body){ 1 });
  (void)self;
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, u > 0 ? -1 : u < 0 ? 1 : 0);
  return CDN_OK;
}

static cdn_status rub_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  (void)self, (void)rates;
  values[0] = *cdn_body_u(state, (cdn_body){ 1 });
  return CDN_OK;
}

/* A mass on a spring, which friction holds from t = 6 pi on: nothing can follow from a force that jumps there. */
START_TEST(friction_that_holds_ends_the_run_soon) {
  for (int digits = 2; digits <= 8; digits += 3) {
    const double x0 = 12.3, v = 0;
    cdn_system *system = cdn_system_create(NULL);
    cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_VELOCITY, .calc_force = rub };
    ops.n_kinks = _i, ops.calc_kinks = rub_kinks;
    cdn_system_add_mobility_spring(system, "spring", add(system, CDN_SLIDER, &x0, &v), 0, 1, 0);
    cdn_system_add_custom_force(system, &ops, NULL);
    cdn_state *state = state_of(system);
    for (int m = 0; m < 4; m++) {
      cdn_stepper_def how = cdn_default_stepper_def();
      cdn_stepper *stepper = NULL;
      how.method = methods[m], how.accuracy = pow(10, -digits), how.final_time = 40;
      OK_ON(state, cdn_stepper_create(state, &how, &stepper));
      FAILS(cdn_stepper_advance(stepper, 40, NULL), CDN_ERR_STEP);
      cdn_failure report;
      cdn_certificate c;
      cdn_stepper_failure(stepper, &report);
      OK(cdn_stepper_certificate(stepper, &c));
      AT_MOST((double)c.evaluations, 2e6);
      ck_assert_str_eq(report.error.element, "body1.u");
      ck_assert_msg(strstr(report.error.text, "jumps to and fro") != NULL, "%s", report.error.text);
      ck_assert(strstr(report.advice, "lock") != NULL);
      AT_MOST(fabs(cdn_state_q(cdn_stepper_state(stepper))[0] - 0.3), 10 * how.accuracy);
      cdn_stepper_destroy(stepper);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

static cdn_status refuse(const void *self, cdn_state *state, double *values, double *rates) {
  (void)self, (void)values, (void)rates;
  if (cdn_state_time(state) < 0.3) return CDN_OK;
  return cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "no kinks today");
}

START_TEST(a_failure_names_the_force) {
  const double x0 = 0, v = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = push };
  ops.n_kinks = 1, ops.calc_kinks = refuse, ops.subsystem.name = "fender";
  add(system, CDN_SLIDER, &x0, &v);
  cdn_system_add_custom_force(system, &ops, NULL);
  cdn_state *state = state_of(system);
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  how.max_step = 0.1;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  FAILS(cdn_stepper_advance(stepper, 1, NULL), CDN_ERR_CALLBACK);
  cdn_failure report;
  cdn_stepper_failure(stepper, &report);
  ck_assert_str_eq(report.error.element, "fender");
  ck_assert(strstr(report.error.text, "no kinks today") != NULL);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static void add_tests(TCase *c) {
  tcase_add_loop_test(c, forces_that_bend_or_jump_end_steps_there, 0, sizeof shapes / sizeof *shapes);
  tcase_add_test(c, a_failure_names_the_force);
  tcase_add_loop_test(c, friction_that_holds_ends_the_run_soon, 0, 2);
}

CHECK_MAIN_OF("kinks of forces", 300, add_tests)
