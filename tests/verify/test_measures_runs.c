/* Measures in runs, against closed forms: integrals, derivatives, delays, extremes, samples held. */
#include "../unit/measure_rig.h"

/* A measure of t that does not know its derivative, or knows one. */
typedef struct curve {
  double frequency, damping;
} curve;

static cdn_status curve_value(const void *self, cdn_state *state, int derivative, double *value) {
  const curve *c = self;
  double t = cdn_state_time(state), a = c->damping, w = c->frequency, decay = exp(-a * t);
  *value = derivative == 0 ? decay * cos(w * t) : decay * (-a * cos(w * t) - w * sin(w * t));
  return CDN_OK;
}

static cdn_measure curve_measure(cdn_system *system, const char *name, curve c, int derivatives) {
  const cdn_measure_ops ops = { .struct_size = sizeof ops,
                                .self_size = sizeof c,
                                .n = 1,
                                .derivatives = derivatives,
                                .stage = CDN_STAGE_TIME,
                                .calc_value = curve_value };
  return cdn_system_add_custom_measure(system, name, &ops, &c);
}

/* ---- integrals -------------------------------------------------------------------------------- */

START_TEST(integrals_have_the_accuracy_of_the_run) {
  for (int k = 3; k <= 10; k++) {
    const double accuracy = pow(10, -k), initial = 2;
    cdn_system *system = event_system(&swing_ode, NULL);
    cdn_measure z = z_measure(system, "z", 0);
    cdn_measure area = cdn_system_add_integral_measure(system, "area", z, &initial, 1);
    cdn_measure square = cdn_system_add_product_measure(system, "square", z, z);
    cdn_measure power = cdn_system_add_integral_measure(system, "power", square, NULL, 1);
    cdn_measure twice = cdn_system_add_integral_measure(system, "twice", area, NULL, 1);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, accuracy);
    cdn_stepper *stepper = ode_stepper(state, &how);
    for (double t = 0.7; t < 10; t += 0.7) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
      /* errors add up over time, those of twice the integral the more */
      NEAR(measured(stepper, area), 3 - cos(t), 10 * t * accuracy);
      NEAR(measured(stepper, power), t / 2 - sin(2 * t) / 4, 10 * t * accuracy);
      NEAR(measured(stepper, twice), 3 * t - sin(t), 10 * t * t * accuracy);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(the_scale_of_an_integral_is_that_of_its_error) {
  /* alone in a System: the steps are those that the integral asks for */
  int64_t steps[3];
  for (int i = 0; i < 3; i++) {
    const double scale = i == 0 ? 1 : i == 1 ? 1e-4 : 1e4, amplitude = i == 2 ? 1e4 : 1;
    cdn_system *system = cdn_system_create(NULL);
    cdn_measure wave = cdn_system_add_sinusoid_measure(system, "wave", amplitude, 3, 0.5);
    cdn_measure area = cdn_system_add_integral_measure(system, "area", wave, NULL, scale);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, 1e-6);
    how.method = CDN_METHOD_DORMAND_PRINCE; /* of one order, so that steps go with the fifth root of the error */
    how.z_absolute = true;
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
    NEAR(measured(stepper, area), amplitude * (cos(0.5) - cos(30.5)) / 3, 1e-5 * scale);
    steps[i] = certificate_of(stepper).steps;
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert_int_gt(steps[1], 2 * steps[0]);
  ck_assert_int_eq(steps[2], steps[0]); /* the same problem in other units */
}
END_TEST

START_TEST(a_loop_of_measures_is_a_differential_equation) {
  /* x'' = -x - 0.2 x' + sin 2t, in steady state from the start: x = A sin 2t + B cos 2t */
  const double A = -3 / (9 + 0.16), B = -0.4 / (9 + 0.16), v0 = 2 * A, minus[] = { -1, -0.2, 1 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_measure drive = cdn_system_add_sinusoid_measure(system, "drive", 1, 2, 0);
  cdn_measure v = cdn_system_add_integral_measure(system, "v", drive, &v0, 1);
  cdn_measure x = cdn_system_add_integral_measure(system, "x", v, &B, 1);
  const cdn_measure terms[] = { x, v, drive };
  cdn_measure a = cdn_system_add_sum_measure(system, "a", 3, terms, minus);
  cdn_measure jerk = cdn_system_add_derivative_measure(system, "jerk", a);
  cdn_measure_set_operand(system, v, a);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-9);
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 1; i <= 20; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, i, NULL));
    NEAR(measured(stepper, x), A * sin(2. * i) + B * cos(2. * i), 2e-8);
    NEAR(measured(stepper, jerk), -8 * A * cos(2. * i) + 8 * B * sin(2. * i), 2e-7); /* exact: no estimate */
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- derivatives ------------------------------------------------------------------------------ */

/* The largest error of an estimated derivative of exp(-0.1 t) cos 2t with steps of h, after two steps. */
static double derivative_error(double h, bool estimated) {
  const curve c = { 2, 0.1 };
  double worst = 0, exact;
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_measure m = curve_measure(system, "curve", c, estimated ? 0 : 1);
  cdn_measure rate = cdn_system_add_derivative_measure(system, "rate", m);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-3);
  how.fixed_step = h;
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 1; i * h < 5; i++) {
    OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    OK_ON(state, curve_value(&c, cdn_stepper_state(stepper), 1, &exact));
    if (i > 1) worst = fmax(worst, fabs(measured(stepper, rate) - exact));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(derivatives_are_exact_or_of_order_two) {
  ck_assert(derivative_error(0.1, false) == 0);
  double coarse = derivative_error(0.02, true), fine = derivative_error(0.01, true);
  /* |f'''| h^2 / 3, and f''' is at most about 8 */
  AT_MOST(coarse, 8.1 / 3 * 0.02 * 0.02);
  NEAR(log2(coarse / fine), 2, 0.1);
}
END_TEST

/* ---- delays ----------------------------------------------------------------------------------- */

/* z[0] = sin t, z[1] = cos t, and a third z whose narrow peaks have many steps rejected. */
static cdn_status peaks_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = z[1];
  zdot[1] = -z[0];
  zdot[2] = 1e-3 / (1e-4 + sin(t) * sin(t));
  return CDN_OK;
}

START_TEST(delays_have_the_accuracy_of_the_run) {
  static const ode peaks = { .n = 3, .z0 = { 0, 1, 0 }, .rates = peaks_rate };
  for (int k = 3; k <= 9; k++) {
    const double accuracy = pow(10, -k), history = -7, delay = 2.5;
    double sine_off = 0, cosine_off = 0;
    cdn_system *system = event_system(&peaks, NULL);
    cdn_delay_def def = cdn_default_delay_def();
    def.delay = delay;
    def.operand = z_measure(system, "sine", 0), def.history = &history;
    cdn_measure sine = cdn_system_add_delay_measure(system, &def);
    def.operand = opaque_z(system, "cosine", 1);
    def.history = NULL;
    cdn_measure cosine = cdn_system_add_delay_measure(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, accuracy);
    cdn_stepper *stepper = ode_stepper(state, &how);
    for (double t = 0.05; t < 20; t += 0.0437) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
      double was = t - delay;
      if (was < 0) {
        ck_assert(measured(stepper, sine) == history);
        ck_assert(measured(stepper, cosine) == 1);
      } else {
        sine_off = fmax(sine_off, fabs(measured(stepper, sine) - sin(was)));
        cosine_off = fmax(cosine_off, fabs(measured(stepper, cosine) - cos(was)));
      }
    }
    ck_assert_int_gt(certificate_of(stepper).rejected, 0);
    AT_MOST(sine_off, 20 * accuracy);
    /* six values, up to a quarter of the delay apart, and fewer where the run begins */
    AT_MOST(cosine_off, 20 * accuracy + 2e-5);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* x'(t) = -x(t - 1) with x = 1 before 0: by steps, x = sum over k of (-1)^k (t - k + 1)^k / k! while t > k - 1. */
static double delayed_decay(double t) {
  double x = 1, factorial = 1;
  for (int k = 1; k - 1 < t; k++) {
    factorial *= k;
    x += (k % 2 ? -1 : 1) * pow(t - k + 1, k) / factorial;
  }
  return x;
}

START_TEST(a_delay_differential_equation) {
  for (int k = 3; k <= 9; k += 2) {
    const double accuracy = pow(10, -k), one = 1, minus = -1;
    cdn_system *system = cdn_system_create(NULL);
    cdn_measure start = cdn_system_add_constant_measure(system, "start", 1, &one);
    cdn_measure x = cdn_system_add_integral_measure(system, "x", start, &one, 1);
    cdn_delay_def def = cdn_default_delay_def();
    def.operand = x, def.delay = 1;
    cdn_measure before = cdn_system_add_delay_measure(system, &def);
    cdn_measure rate = cdn_system_add_sum_measure(system, "rate", 1, &before, &minus);
    cdn_measure_set_operand(system, x, rate);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, accuracy);
    cdn_stepper *stepper = ode_stepper(state, &how);
    double worst = 0;
    for (int i = 1; i <= 100; i++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
      worst = fmax(worst, fabs(measured(stepper, x) - delayed_decay(0.1 * i)));
    }
    /* the solution is piecewise polynomial, and steps end where the pieces do */
    AT_MOST(worst, 20 * accuracy);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- extremes --------------------------------------------------------------------------------- */

/* z'' = -z - 0.2 z' from (1, 0): exp(-a t) (cos w t + a / w sin w t) turns every half period, to -exp(-a pi / w). */
static cdn_status damped_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[1];
  zdot[1] = -z[0] - 0.2 * z[1];
  return CDN_OK;
}

START_TEST(extremes_of_a_damped_oscillation) {
  static const ode damped = { .n = 2, .z0 = { 1, 0 }, .rates = damped_rate };
  const double a = 0.1, w = sqrt(1 - a * a), deep = -exp(-a * PI / w), two = 2;
  for (int k = 3; k <= 10; k++) {
    const double accuracy = pow(10, -k);
    cdn_system *system = event_system(&damped, NULL);
    cdn_measure z = z_measure(system, "z", 0);
    cdn_measure opaque = opaque_z(system, "opaque", 0);
    cdn_measure low = cdn_system_add_extreme_measure(system, "low", z, CDN_MINIMUM);
    cdn_measure blind = cdn_system_add_extreme_measure(system, "blind", opaque, CDN_MINIMUM);
    cdn_measure most = cdn_system_add_extreme_measure(system, "most", z, CDN_MAX_ABS);
    cdn_measure least = cdn_system_add_extreme_measure(system, "least", z, CDN_MIN_ABS);
    const cdn_measure lifted[] = { z, cdn_system_add_constant_measure(system, "two", 1, &two) };
    cdn_measure sum = cdn_system_add_sum_measure(system, "lifted", 2, lifted, NULL);
    cdn_measure lifted_least = cdn_system_add_extreme_measure(system, "lifted least", sum, CDN_MIN_ABS);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, accuracy);
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
    double t_low, t_blind, t_most, t_least, t_lifted;
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), low, &t_low));
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), blind, &t_blind));
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), most, &t_most));
    /* polynomials of order 7 over steps that grow as the accuracy falls; a place is flatter than its time is sharp */
    NEAR(measured(stepper, low), deep, 30 * accuracy);
    NEAR(t_low, PI / w, 1e3 * accuracy);
    NEAR(measured(stepper, blind), deep, k < 7 ? 1e-3 : 1e-5);
    NEAR(t_blind, PI / w, k < 7 ? 1e-3 : 1e-4);
    ck_assert(measured(stepper, most) == 1 && t_most == 0);
    /* in magnitude the least is where the sign changes, or else where it turns */
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), least, &t_least));
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), lifted_least, &t_lifted));
    ck_assert(measured(stepper, least) == 0);
    NEAR(t_least, (PI - atan(w / a)) / w, 30 * accuracy);
    NEAR(measured(stepper, lifted_least), 2 + deep, 30 * accuracy);
    NEAR(t_lifted, PI / w, 1e3 * accuracy);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

static cdn_status do_nothing(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)state, (void)what, (void)action;
  return CDN_OK;
}

START_TEST(extremes_where_steps_end_at_them) {
  static const ode damped = { .n = 2, .z0 = { 1, 0 }, .rates = damped_rate };
  const double a = 0.1, w = sqrt(1 - a * a);
  for (int k = 3; k <= 10; k++) {
    const double accuracy = pow(10, -k);
    cdn_system *system = event_system(&damped, NULL);
    cdn_measure z = z_measure(system, "z", 0);
    cdn_measure low = cdn_system_add_extreme_measure(system, "low", z, CDN_MINIMUM);
    cdn_measure rate = cdn_system_add_derivative_measure(system, "rate", z);
    cdn_event_def turn = cdn_default_event_def();
    turn.handle = do_nothing;
    cdn_system_add_measure_event(system, rate, 0, 0, &turn);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, accuracy);
    cdn_stepper *stepper = ode_stepper(state, &how);
    double when;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), low, &when));
    /* the step ends within a fraction of the accuracy of it, and there the value is flat: its error is that of the time
     * squared */
    NEAR(measured(stepper, low), -exp(-a * PI / w), accuracy);
    NEAR(when, PI / w, 0.1 * sqrt(accuracy));
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- prescribed motion ------------------------------------------------------------------------ */

START_TEST(prescribed_coordinates_are_those_in_effect) {
  /* q = 0.5 sin(2 t + 1) is no variable of the run: measures see what it is, and its rates */
  cdn_system *system = audited_system();
  cdn_motion_def motion = cdn_default_motion_def();
  motion.body = add_cart(system, 0, 0);
  motion.params[0] = 0.5, motion.params[1] = 2, motion.params[2] = 1;
  cdn_system_add_motion(system, &motion);
  cdn_measure q = cdn_system_add_coordinate_measure(system, "q", motion.body, CDN_Q, 0);
  cdn_measure u = cdn_system_add_derivative_measure(system, "u", q);
  cdn_measure a = cdn_system_add_coordinate_measure(system, "a", motion.body, CDN_UDOT, 0);
  cdn_measure area = cdn_system_add_integral_measure(system, "area", q, NULL, 1);
  cdn_measure high = cdn_system_add_extreme_measure(system, "high", q, CDN_MAXIMUM);
  cdn_delay_def def = cdn_default_delay_def();
  def.operand = q, def.delay = 0.6;
  cdn_measure late = cdn_system_add_delay_measure(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-8);
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 1; i <= 40; i++) {
    const double t = 0.1 * i, phase = 2 * t + 1;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    NEAR(measured(stepper, q), 0.5 * sin(phase), 1e-15);
    NEAR(measured(stepper, u), cos(phase), 1e-15);
    NEAR(measured(stepper, a), -2 * sin(phase), 1e-14);
    NEAR(measured(stepper, area), (cos(1) - cos(phase)) / 4, 1e-7);
    NEAR(measured(stepper, late), 0.5 * sin(fmax(1, phase - 1.2)), 1e-7);
  }
  NEAR(measured(stepper, high), 0.5, 1e-7);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("measures in runs", integrals_have_the_accuracy_of_the_run, the_scale_of_an_integral_is_that_of_its_error,
           a_loop_of_measures_is_a_differential_equation, derivatives_are_exact_or_of_order_two,
           delays_have_the_accuracy_of_the_run, a_delay_differential_equation, extremes_of_a_damped_oscillation,
           extremes_where_steps_end_at_them, prescribed_coordinates_are_those_in_effect)
