/* Measures and what happens at moments: samples that are held, triggers, jumps that nothing may be fitted across, and
 * forces that read measures. */
#include "../unit/measure_rig.h"

static event_log log_a;

/* ---- samples ---------------------------------------------------------------------------------- */

START_TEST(samples_are_taken_at_their_times_exactly) {
  const double before = -3, period = 0.1, phase = 0.35;
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_measure t = cdn_system_add_time_measure(system, "t");
  cdn_measure wave = cdn_system_add_sinusoid_measure(system, "wave", 2, 3, 0.1);
  cdn_measure when = cdn_system_add_sample_hold_measure(system, "when", t, period, phase, NULL);
  cdn_measure held = cdn_system_add_sample_hold_measure(system, "held", wave, period, phase, &before);
  cdn_measure area = cdn_system_add_integral_measure(system, "area", held, NULL, 1);
  cdn_measure rate = cdn_system_add_derivative_measure(system, "rate", held);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-5);
  cdn_stepper *stepper = ode_stepper(state, &how);
  double sum = before * phase;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.34, NULL));
  ck_assert(measured(stepper, held) == before);
  for (int n = 0; n < 50; n++) {
    const double at = phase + n * period; /* as events compute it */
    for (int k = 0; k < 4; k++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, at + 0.024 * k, NULL));
      ck_assert(measured(stepper, when) == at);
      ck_assert(measured(stepper, held) == 2 * sin(3 * at + 0.1));
      ck_assert(measured(stepper, rate) == 0);
      /* steps end where the samples are, and between them the rate is constant: no error but rounding */
      NEAR(measured(stepper, area), sum + 2 * sin(3 * at + 0.1) * 0.024 * k, 1e-13);
    }
    sum += 2 * sin(3 * at + 0.1) * period;
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- triggers --------------------------------------------------------------------------------- */

static cdn_status expect_self(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)action;
  ck_assert_int_eq(*(const int *)self, 4711);
  return log_occurrence(state, what);
}

static cdn_status expect_shared(const void *self, cdn_state *state, const cdn_occurrence *what) {
  ck_assert_ptr_eq(self, &log_a);
  return log_occurrence(state, what);
}

START_TEST(events_on_measures) {
  /* sin(t - 1) passes 1/2 upwards at 1 + pi/6 + 2 pi n; the second number of a pair is t, which passes 5 */
  static const int own = 4711;
  for (int active = 0; active < 2; active++) {
    cdn_system *system = event_system(&swing_ode, NULL);
    cdn_delay_def delay = cdn_default_delay_def();
    delay.operand = z_measure(system, "z", 0), delay.delay = 1;
    cdn_measure delayed = cdn_system_add_delay_measure(system, &delay);
    cdn_event_def def = cdn_default_event_def();
    def.name = "half", def.direction = CDN_RISING;
    def.self = &own, def.self_size = sizeof own, def.handle = expect_self;
    if (!active) def.self = &log_a, def.self_size = 0, def.handle = NULL, def.report = expect_shared;
    cdn_event event = cdn_system_add_measure_event(system, delayed, 0, 0.5, &def);
    ck_assert_int_eq(event.i, 0);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(&log_a, 1e-8);
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
    ck_assert_int_eq(log_a.n, 3);
    for (int i = 0; i < 3; i++) {
      ck_assert_str_eq(log_a.at[i].name, "half");
      NEAR(log_a.at[i].time, 1 + PI / 6 + 2 * PI * i, 2e-7); /* 20 times the accuracy of the motion */
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- jumps ------------------------------------------------------------------------------------ */

static cdn_status back_to_zero(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double zero = 0;
  (void)self, (void)what, (void)action;
  return cdn_state_set_z(state, &zero);
}

START_TEST(nothing_is_fitted_across_a_jump) {
  /* z is time since the last whole second: a sawtooth */
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_measure saw = opaque_z(system, "saw", 0), known = z_measure(system, "z", 0);
  cdn_measure slope = cdn_system_add_derivative_measure(system, "slope", saw);
  cdn_measure low = cdn_system_add_extreme_measure(system, "low", saw, CDN_MINIMUM);
  cdn_measure high = cdn_system_add_extreme_measure(system, "high", known, CDN_MAXIMUM);
  cdn_delay_def def = cdn_default_delay_def();
  def.operand = saw, def.delay = 0.7;
  cdn_measure was = cdn_system_add_delay_measure(system, &def);
  def.operand = known;
  cdn_measure was_known = cdn_system_add_delay_measure(system, &def);
  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC, event.period = 1, event.handle = back_to_zero;
  cdn_system_add_event(system, &event);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-3);
  how.max_step = 0.13;
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 1; i < 400; i++) {
    double t = 0.0173 * i, since = t - floor(t), then = t - 0.7;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    NEAR(measured(stepper, slope), 1, 1e-12);
    ck_assert(measured(stepper, low) == 0);
    NEAR(measured(stepper, high), t < 1 ? since : 1, 1e-14);
    NEAR(measured(stepper, was), then < 0 ? 0 : then - floor(then), 1e-12);
    NEAR(measured(stepper, was_known), then < 0 ? 0 : then - floor(then), 1e-12);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static cdn_status step_down(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)what, (void)action;
  double lower = cdn_state_z(state)[0] - 0.5e-3;
  return cdn_state_set_z(state, &lower);
}

START_TEST(many_jumps_do_not_overflow_a_delay) {
  /* 1,000 jumps within one delay and 64 samples: z rises by half of t in small teeth. What is kept of them is
   * spaced by 4 / (64 - 8), two at a time, and the value before a jump holds until the next that is kept */
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_delay_def def = cdn_default_delay_def();
  def.operand = opaque_z(system, "teeth", 0), def.delay = 1, def.capacity = 64;
  cdn_measure was = cdn_system_add_delay_measure(system, &def);
  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC, event.period = 1e-3, event.handle = step_down;
  cdn_system_add_event(system, &event);
  cdn_state *state = event_state(system);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  for (int i = 1; i <= 40; i++) {
    double t = 0.1 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    NEAR(measured(stepper, was), 0.5 * fmax(0, t - 1), 0.5 * 2 * 4 / 56 + 1e-3);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- forces ----------------------------------------------------------------------------------- */

START_TEST(a_force_that_integrates) {
  /* x'' = -6 x' - 11 x - 6 (integral of x) has the roots -1, -2, -3; from x = 1 at rest */
  const double gains[] = { -11, -6, -6 };
  cdn_system *system = audited_system();
  cdn_body cart = add_cart(system, 1, 0);
  cdn_measure x = cdn_system_add_coordinate_measure(system, "x", cart, CDN_Q, 0);
  cdn_measure v = cdn_system_add_coordinate_measure(system, "v", cart, CDN_U, 0);
  const cdn_measure terms[] = { x, v, cdn_system_add_integral_measure(system, "sum of x", x, NULL, 1) };
  cdn_measure law = cdn_system_add_sum_measure(system, "law", 3, terms, gains);
  push_by(system, cart, law, CDN_READS_EVERYTHING);
  cdn_measure power = cdn_system_add_product_measure(system, "power", law, v);
  cdn_measure work = cdn_system_add_integral_measure(system, "work", power, NULL, 1);
  cdn_measure energy = cdn_system_add_energy_measure(system, "energy", CDN_ENERGY_TOTAL);
  cdn_measure force = cdn_system_add_coordinate_measure(system, "udot", cart, CDN_UDOT, 0);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-9);
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 1; i <= 40; i++) {
    double t = 0.1 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    NEAR(measured(stepper, x), -2.5 * exp(-t) + 8 * exp(-2 * t) - 4.5 * exp(-3 * t), 1e-8);
    NEAR(measured(stepper, force), measured(stepper, law), 1e-14 * 20);
    NEAR(measured(stepper, work), measured(stepper, energy), 1e-8); /* it started at rest */
  }
  AT_MOST(fabs(certificate_of(stepper).energy_residual), 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(a_force_that_comes_late) {
  /* x'' = -k x(t - d): with x = cos w t before 0 it would go on for w^2 = k cos w d, were sin w d 0: d = 2 pi / w, the
   * late force is the one in time. So a spring of which the far end's news takes a period to arrive is a spring. The
   * time before the run is a first stretch of prescribed force. */
  const double w = 2, d = 2 * PI / w, one = 1, minus = -w * w;
  cdn_system *system = audited_system();
  cdn_body cart = add_cart(system, 1, 0);
  cdn_measure x = cdn_system_add_coordinate_measure(system, "x", cart, CDN_Q, 0);
  cdn_delay_def def = cdn_default_delay_def();
  def.operand = x, def.delay = d, def.history = &one;
  cdn_measure was = cdn_system_add_delay_measure(system, &def);
  cdn_measure law = cdn_system_add_sum_measure(system, "law", 1, &was, &minus);
  push_by(system, cart, law, CDN_READS_POSITION);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-9);
  cdn_stepper *stepper = ode_stepper(state, &how);
  /* by the method of steps: x = 1 - 2 t^2 up to d, and from there x'' = -4 + 8 (t - d)^2 */
  for (int i = 1; i < 60; i++) {
    double t = 0.1 * i, s = t - d;
    double exact = 1 - 2 * t * t;
    if (s > 0) exact += 2 * s * s * s * s / 3;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    NEAR(measured(stepper, x), exact, 1e-7);
  }
  AT_MOST(fabs(certificate_of(stepper).energy_residual), 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("measures and events", samples_are_taken_at_their_times_exactly, events_on_measures,
           nothing_is_fitted_across_a_jump, many_jumps_do_not_overflow_a_delay, a_force_that_integrates,
           a_force_that_comes_late)
