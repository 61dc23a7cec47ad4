/* The stepper on plain differential equations: orders, accuracy, reports, times, restarts. */
#include "ode.h"

/* ---- orders, by fixed steps ------------------------------------------------------------------- */

/* z = exp(sin t). */
static cdn_status exp_sin(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = cos(t) * z[0];
  return CDN_OK;
}

static const ode wave = { .n = 1, .z0 = { 1 }, .rates = exp_sin };

/* Error at the end of n steps to t = 3. */
static double error_of_steps(int n) {
  cdn_state *state = ode_state(&wave, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE;
  def.fixed_step = 3.0 / n;
  def.final_time = 3;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  double error = fabs(z_of(stepper) - exp(sin(3.0)));
  cdn_certificate c = certificate_of(stepper);
  ck_assert_int_eq(c.steps, n);
  ck_assert_int_eq(c.evaluations, 6 * n + 1); /* first same as last */
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return error;
}

START_TEST(order_of_the_method) {
  /* below 32 steps the error is not yet asymptotic, above 128 it is rounding */
  for (int n = 32; n <= 64; n *= 2) NEAR(log2(error_of_steps(n) / error_of_steps(2 * n)), 5, 0.05);
}
END_TEST

/* Largest error of dense output within one step of size h from an exact start at t = 1. */
static double error_within_step(double h) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { exp(sin(1.0)) }, .rates = exp_sin }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  double worst = 0;
  def.fixed_step = h;
  OK(cdn_state_set_time(state, 1));
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int i = 1; i < 32; i++) {
    double t = 1 + h * i / 32;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == t);
    worst = fmax(worst, fabs(z_of(stepper) - exp(sin(t))));
  }
  ck_assert_int_eq(certificate_of(stepper).steps, 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(order_of_dense_output) {
  /* a continuous extension of fourth order: its error within a step goes with the fifth power of the step */
  for (double h = 0.1; h > 0.02; h /= 2) NEAR(log2(error_within_step(h) / error_within_step(h / 2)), 5, 0.15);
}
END_TEST

/* ---- accuracy --------------------------------------------------------------------------------- */

/* Planar Kepler motion about a unit mass: z = (x, y, vx, vy). */
static cdn_status kepler(cdn_state *state, double t, const double *z, double *zdot) {
  double r2 = z[0] * z[0] + z[1] * z[1], r3 = r2 * sqrt(r2);
  (void)state, (void)t;
  zdot[0] = z[2];
  zdot[1] = z[3];
  zdot[2] = -z[0] / r3;
  zdot[3] = -z[1] / r3;
  return CDN_OK;
}

/* Eccentricity 1/2, semi-major axis 1, from the pericentre. */
static const ode orbit = { .n = 4, .z0 = { 0.5, 0, 0, 1.7320508075688772935 }, .rates = kepler };

/* Distance from where Kepler's equation puts it. */
static double off_orbit(const double *z, double t) {
  double E = t;
  for (int i = 0; i < 50; i++) E -= (E - 0.5 * sin(E) - t) / (1 - 0.5 * cos(E));
  return hypot(z[0] - (cos(E) - 0.5), z[1] - sqrt(0.75) * sin(E));
}

typedef struct outcome {
  double error;
  cdn_certificate c;
} outcome;

/* Three turns with equally spaced reports. */
static outcome run_orbit(double accuracy, cdn_error_norm norm, int reports) {
  cdn_state *state = ode_state(&orbit, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  outcome o = { 0 };
  def.accuracy = accuracy;
  def.norm = norm;
  def.final_time = 20;
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int i = 1; i <= reports; i++) {
    double t = 20.0 * i / reports;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    o.error = fmax(o.error, off_orbit(cdn_state_z(cdn_stepper_state(stepper)), t));
  }
  o.c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return o;
}

START_TEST(error_follows_accuracy) {
  double last = INFINITY;
  for (int k = 3; k <= 11; k++) {
    double accuracy = pow(10, -k);
    outcome o = run_orbit(accuracy, CDN_NORM_RMS, 40);
    if (getenv("CARDAN_TEST_VERBOSE")) {
      printf("orbit at %.0e: error %.2e = %6.1f of it, %4d steps, %3d rejected, %5d evaluations\n", accuracy, o.error,
             o.error / accuracy, (int)o.c.steps, (int)o.c.rejected, (int)o.c.evaluations);
    }
    /* some twenty errors of the accuracy a turn, and each shifts the phase ever further for three turns */
    AT_MOST(o.error, 2000 * accuracy);
    /* the loosest lose their way on the third turn */
    if (k > 4) AT_MOST(o.error, 0.5 * last);
    AT_MOST((double)o.c.rejected, 0.2 * (double)o.c.steps + 5);
    last = o.error;
  }
}
END_TEST

START_TEST(infinity_norm_is_stricter) {
  outcome rms = run_orbit(1e-6, CDN_NORM_RMS, 1), infinity = run_orbit(1e-6, CDN_NORM_INFINITY, 1);
  ck_assert_int_gt(infinity.c.steps, rms.c.steps);
  /* the largest of 4 numbers is at most twice their root mean square: steps shrink by 2^(1/5) at most */
  AT_MOST((double)infinity.c.steps, 1.2 * (double)rms.c.steps);
}
END_TEST

START_TEST(reports_cost_no_steps) {
  outcome few = run_orbit(1e-6, CDN_NORM_RMS, 1), many = run_orbit(1e-6, CDN_NORM_RMS, 1000);
  ck_assert_int_eq(few.c.steps, many.c.steps);
  ck_assert_int_eq(few.c.evaluations, many.c.evaluations);
  ck_assert(few.c.smallest_step == many.c.smallest_step && few.c.largest_step == many.c.largest_step);
}
END_TEST

/* z = z0 + sin t. */
static cdn_status ramp(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)z;
  zdot[0] = cos(t);
  return CDN_OK;
}

/* Steps to integrate a sine of size 1 that rides on `offset`, with the unit change 1 / weight. */
static double steps_of_ramp(double offset, double weight) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { offset }, .rates = ramp }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE;
  def.accuracy = 1e-10;
  def.z_weights = &weight;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
  double steps = (double)certificate_of(stepper).steps;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return steps;
}

START_TEST(z_is_relative_above_its_unit_change) {
  /* below the unit change the error is absolute, whatever the value; above, relative to it: min(W, 1 / |z|) */
  NEAR(steps_of_ramp(5, 0.1) / steps_of_ramp(0, 0.1), 1, 0.01);
  NEAR(steps_of_ramp(1e5, 1) / steps_of_ramp(0, 1e-5), 1, 0.01);
  /* a hundred thousand times the error: steps longer by its fifth root, which is ten; a few start the run in both */
  NEAR(steps_of_ramp(0, 1) / steps_of_ramp(0, 1e-5), 9, 2);
}
END_TEST

/* ---- times ------------------------------------------------------------------------------------ */

START_TEST(ends_exactly) {
  static const double ends[] = { 0.1, 1.0 / 3, 0.7, 2.345678, 17.123 };
  for (int i = 0; i < 5; i++) {
    cdn_state *state = ode_state(&orbit, NULL);
    cdn_stepper_def def = cdn_default_stepper_def();
    def.final_time = ends[i];
    cdn_stepper *stepper = ode_stepper(state, &def);
    double before = 0, last = 0;
    while (cdn_state_time(cdn_stepper_state(stepper)) < ends[i]) {
      double t = cdn_state_time(cdn_stepper_state(stepper));
      OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
      before = last;
      last = cdn_state_time(cdn_stepper_state(stepper)) - t;
    }
    ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == ends[i]);
    AT_MOST(0.2 * before, last); /* no crumb at the end */
    FAILS(cdn_stepper_step(stepper, INFINITY), CDN_ERR_ARG);
    /* a report time that rounding put beyond the end is the end */
    OK_STEP(stepper, cdn_stepper_advance(stepper, ends[i] * (1 + 4e-16), NULL));
    FAILS(cdn_stepper_advance(stepper, ends[i] * (1 + 1e-12), NULL), CDN_ERR_ARG);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(fixed_steps_do_not_drift) {
  cdn_state *state = ode_state(&wave, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.fixed_step = 0.1;
  def.final_time = 100.05;
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int n = 1; n <= 1000; n++) {
    OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == n * 0.1);
  }
  OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == 100.05);
  ck_assert_int_eq(certificate_of(stepper).steps, 1001);
  NEAR(certificate_of(stepper).smallest_step, 0.05, 1e-12);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(stepping_and_advancing_mix) {
  cdn_state *state = ode_state(&orbit, NULL);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  cdn_state *seen = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.123, NULL));
  ck_assert(cdn_state_time(seen) == 0.123);
  /* from within a step, one step leads to its end */
  OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
  double t = cdn_state_time(seen);
  ck_assert(t > 0.123 && t == certificate_of(stepper).time_final);
  OK_STEP(stepper, cdn_stepper_step(stepper, t + 1e-3));
  AT_MOST(cdn_state_time(seen), t + 1e-3);
  cdn_return_reason reason = (cdn_return_reason)-1;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, &reason));
  ck_assert_int_eq(reason, CDN_REACHED_TIME);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, &reason)); /* nothing to do */
  FAILS(cdn_stepper_advance(stepper, 2.9, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_advance(stepper, NAN, NULL), CDN_ERR_NONFINITE);
  ck_assert(cdn_state_time(seen) == 3 && seen == cdn_stepper_state(stepper));
  AT_MOST(off_orbit(cdn_state_z(seen), 3), 1e-2);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(step_sizes_obey_their_limits) {
  cdn_state *state = ode_state(&orbit, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.initial_step = 0.0123;
  def.max_step = 0.05;
  cdn_stepper *stepper = ode_stepper(state, &def);
  ck_assert(cdn_stepper_next_step(stepper) == 0.0123);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
  cdn_certificate c = certificate_of(stepper);
  AT_MOST(c.largest_step, 0.05 * (1 + 1e-12)); /* rounding of t + h */
  AT_MOST(0.04, c.largest_step);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(same_calls_same_bits) {
  outcome a = run_orbit(1e-8, CDN_NORM_RMS, 7), b = run_orbit(1e-8, CDN_NORM_RMS, 7);
  ck_assert(a.error == b.error && a.c.evaluations == b.c.evaluations && a.c.smallest_step == b.c.smallest_step);
}
END_TEST

/* ---- restarts --------------------------------------------------------------------------------- */

START_TEST(restarts_from_another_state) {
  cdn_state *state = ode_state(&wave, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  int64_t steps = certificate_of(stepper).steps;

  /* the equation is linear: twice the value goes on as twice the solution */
  double z = 2 * z_of(stepper);
  OK(cdn_state_copy(state, cdn_stepper_state(stepper)));
  OK(cdn_state_set_z(state, &z));
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  ck_assert(z_of(stepper) == z);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  NEAR(z_of(stepper), 2 * exp(sin(2.0)), 1e-7);
  ck_assert_int_gt(certificate_of(stepper).steps, steps);

  /* the stepper's own State will do, and time may jump back */
  z = 1;
  OK(cdn_state_set_time(cdn_stepper_state(stepper), 0));
  OK(cdn_state_set_z(cdn_stepper_state(stepper), &z));
  OK_STEP(stepper, cdn_stepper_restart(stepper, cdn_stepper_state(stepper)));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.5, NULL));
  NEAR(z_of(stepper), exp(sin(1.5)), 1e-7);

  cdn_state *stranger = ode_state(&wave, NULL);
  FAILS(cdn_stepper_restart(stepper, stranger), CDN_ERR_ARG);
  cdn_state_destroy(stranger);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("stepper", order_of_the_method, order_of_dense_output, error_follows_accuracy, infinity_norm_is_stricter,
           reports_cost_no_steps, z_is_relative_above_its_unit_change, ends_exactly, fixed_steps_do_not_drift,
           stepping_and_advancing_mix, step_sizes_obey_their_limits, same_calls_same_bits, restarts_from_another_state)
