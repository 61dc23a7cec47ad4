/* The run beside the run: whether the distance between the two is the error that is delivered, and whether the verdict
 * is right. */
#include "event_rig.h"

/* ---- the estimate against the truth ---------------------------------------------------------- */

/* z' = cos(t) z: z = exp(sin t), which forgets its errors and makes new ones. */
static cdn_status wave_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = cos(t) * z[0];
  return CDN_OK;
}
static double wave(double t) { return exp(sin(t)); }

/* z' = z - cos t - sin t, z = cos t: errors grow as exp(t). */
static cdn_status unstable_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = z[0] - cos(t) - sin(t);
  return CDN_OK;
}
static double unstable(double t) { return cos(t); }

static cdn_status swing_with_phase(cdn_state *state, double t, const double *z, double *zdot) {
  return swing_rate(state, t, z, zdot);
}
static double sine(double t) { return sin(t); }

static const struct {
  ode equation;
  double (*truth)(double t);
  double duration;
} problems[] = { { { .n = 1, .z0 = { 1 }, .rates = wave_rate }, wave, 20 },
                 { { .n = 1, .z0 = { 1 }, .rates = unstable_rate }, unstable, 8 },
                 { { .n = 2, .z0 = { 0, 1 }, .rates = swing_with_phase }, sine, 20 } };
enum { PROBLEMS = sizeof problems / sizeof *problems };

typedef struct outcome {
  cdn_certificate c;
  double truth; /* largest error at reports */
} outcome;

static outcome run(int problem, cdn_stepper_def def) {
  cdn_state *state = ode_state(&problems[problem].equation, NULL);
  cdn_stepper *stepper;
  outcome out = { .truth = 0 };
  def.companion = true;
  def.z_absolute = true;
  def.norm = CDN_NORM_INFINITY;
  stepper = ode_stepper(state, &def);
  for (int k = 1; k <= 40; k++) {
    double t = problems[problem].duration * k / 40;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    out.truth = fmax(out.truth, fabs(z_of(stepper) - problems[problem].truth(t)));
  }
  out.c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return out;
}

START_TEST(the_estimate_is_near_the_truth) {
  cdn_method method = (cdn_method)_i;
  int runs = 0, far = 0;
  if (!controls_errors(method)) return;
  bool low_order = method == CDN_METHOD_IMPLICIT_CONTACT || method == CDN_METHOD_EXPLICIT_EULER ||
                   method == CDN_METHOD_SEMI_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER_2 ||
                   method == CDN_METHOD_TRAPEZOID || method == CDN_METHOD_VERLET;
  for (int problem = 0; problem < PROBLEMS; problem++) {
    /* between decades, too */
    for (double digits = 2.3; digits < (low_order ? 4 : 9); digits += SANITIZED ? 1.48 : 0.37) {
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = method;
      def.accuracy = pow(10, -digits);
      outcome o = run(problem, def);
      double ratio = o.c.error_estimate / o.truth;
      runs++;
      if (!(ratio > 1. / 3 && ratio < 3)) far++;
      /* of z' = z - cos t - sin t two solutions that part on different sides of the truth are further apart than either
       * from it */
      ck_assert_msg(ratio > 0.2 && ratio < 5, "%s, problem %d, accuracy %.3g: estimated %.3g, true %.3g",
                    cdn_method_name(method), problem, def.accuracy, o.c.error_estimate, o.truth);
      /* the verdict */
      ck_assert_int_eq(o.c.delivered,
                       o.c.error_estimate <= 3 * def.accuracy ? CDN_VERDICT_DELIVERED : CDN_VERDICT_NOT_DELIVERED);
      if (o.c.delivered == CDN_VERDICT_DELIVERED) {
        AT_MOST(o.truth, 10 * def.accuracy);
        ck_assert(o.c.delivered_until == problems[problem].duration);
      } else {
        ck_assert(o.c.delivered_until < problems[problem].duration);
      }
    }
  }
  ck_assert_msg(far <= runs / 20, "%s: %d of %d estimates are off by more than a factor of 3", cdn_method_name(method),
                far, runs);
}
END_TEST

/* A tenth of the accuracy costs 10^(1/order) times the evaluations. */
START_TEST(it_costs_one_and_a_half_runs_more) {
  cdn_method method = (cdn_method)_i;
  if (!controls_errors(method)) return;
  for (double digits = 3.3; digits < 8; digits += SANITIZED ? 2.7 : 0.9) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = method;
    def.accuracy = pow(10, -digits);
    if (method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER ||
        method == CDN_METHOD_SEMI_EXPLICIT_EULER_2)
      def.accuracy = pow(10, -0.5 * digits);
    cdn_certificate c = run(2, def).c;
    double factor = 1 + (double)c.companion_evaluations / (double)c.evaluations;
    /* the implicit contact step is judged by itself, at 0.03 of the accuracy: by 0.03^(-1/3) = 3.2 times as many
     * steps */
    AT_MOST(factor, method == CDN_METHOD_IMPLICIT_CONTACT                                   ? 4.5
                    : method == CDN_METHOD_DEFAULT || method == CDN_METHOD_DORMAND_PRINCE_8 ? 2.5
                                                                                            : 3);
  }
}
END_TEST

/* With fixed steps the estimate stands alone. */
START_TEST(fixed_steps_have_an_estimate) {
  static const cdn_method methods[] = { CDN_METHOD_MERSON, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_TRAPEZOID,
                                        CDN_METHOD_BOGACKI_SHAMPINE, CDN_METHOD_EXPLICIT_EULER };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = methods[_i];
  def.fixed_step = 0.02;
  outcome o = run(2, def);
  double ratio = o.c.error_estimate / o.truth;
  ck_assert_int_eq(o.c.delivered, CDN_VERDICT_UNKNOWN);
  ck_assert_msg(ratio > 0.5 && ratio < 2, "estimated %.3g, true %.3g", o.c.error_estimate, o.truth);
  char text[400];
  cdn_certificate_verdict(&o.c, text, sizeof text);
  ck_assert_msg(strncmp(text, "fixed steps, error about ", 25) == 0, "%s", text);
}
END_TEST

/* ---- the verdict in words -------------------------------------------------------------------- */

START_TEST(the_verdict_says_what_to_do) {
  cdn_stepper_def def = cdn_default_stepper_def();
  char text[400];
  def.accuracy = 1e-5;
  cdn_certificate c = run(1, def).c;
  cdn_certificate_verdict(&c, text, sizeof text);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  ck_assert_msg(strncmp(text, "asked 1e-5, delivered about ", 28) == 0, "%s", text);
  ck_assert_msg(strstr(text, "by t = 8 s") && strstr(text, "the motion amplifies errors "), "%s", text);
  ck_assert(c.amplification > 10 && c.amplification < exp(8) * 10);
  /* what it suggests delivers */
  def.accuracy = cdn_certificate_suggestion(&c);
  ck_assert(def.accuracy > 0);
  AT_MOST(run(1, def).truth, 3e-5);

  def.accuracy = 1e-5;
  c = run(0, def).c;
  cdn_certificate_verdict(&c, text, sizeof text);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  ck_assert_msg(strncmp(text, "asked 1e-5, delivered about ", 28) == 0 && !strchr(text, ':'), "%s", text);
  ck_assert(cdn_certificate_suggestion(&c) == 0);
  /* cut to the room that there is */
  char few[8];
  cdn_certificate_verdict(&c, few, sizeof few);
  ck_assert_str_eq(few, "asked 1");
}
END_TEST

START_TEST(what_rounding_does_not_allow_is_said) {
  cdn_stepper_def def = cdn_default_stepper_def();
  char text[400];
  def.accuracy = 1e-15;
  cdn_certificate c = run(1, def).c;
  cdn_certificate_verdict(&c, text, sizeof text);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  ck_assert_msg(c.rounding_steps > c.steps / 2, "%lld of %lld: %s", (long long)c.rounding_steps, (long long)c.steps,
                text);
  ck_assert_msg(strstr(text, "as exact as rounding allows"), "%s", text);
  /* nothing tighter helps */
  ck_assert(cdn_certificate_suggestion(&c) == 0);
}
END_TEST

START_TEST(without_a_companion_it_is_unknown) {
  cdn_state *state = ode_state(&swing_ode, NULL);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  char text[400];
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  cdn_certificate c = certificate_of(stepper);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_UNKNOWN);
  ck_assert(isnan(c.error_estimate) && isnan(c.delivered_until));
  ck_assert_ptr_null(cdn_stepper_companion(stepper));
  cdn_certificate_verdict(&c, text, sizeof text);
  ck_assert_str_eq(text, "asked 1e-4, delivered: unknown, as no companion ran");
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Steps that are short enough for the run, and too long for its companion. */
START_TEST(a_companion_that_fails_is_no_failure_of_the_run) {
  cdn_state *state = ode_state(&swing_ode, NULL);
  bool found = false;
  for (double accuracy = 1e-2; !found && accuracy > 1e-10; accuracy *= 0.5) {
    cdn_stepper_def def = cdn_default_stepper_def();
    char text[400];
    def.method = CDN_METHOD_DORMAND_PRINCE_8;
    def.accuracy = accuracy;
    def.companion = true;
    def.initial_step = def.min_step = 1;
    cdn_stepper *stepper = ode_stepper(state, &def);
    cdn_status status = cdn_stepper_advance(stepper, 10, NULL);
    cdn_certificate c = certificate_of(stepper);
    found = status == CDN_OK && c.companion_message[0];
    if (found) {
      ck_assert_int_eq(c.delivered, CDN_VERDICT_UNKNOWN);
      ck_assert_msg(strstr(c.companion_message, "the companion failed at t = "), "%s", c.companion_message);
      cdn_certificate_verdict(&c, text, sizeof text);
      ck_assert_msg(strstr(text, "unknown") && strstr(text, "the companion failed"), "%s", text);
    }
    cdn_stepper_destroy(stepper);
  }
  ck_assert(found);
  cdn_state_destroy(state);
}
END_TEST

/* ---- events ---------------------------------------------------------------------------------- */

/* A saw: z' = 1 + z / 4, sent back to 0 where it passes 1. It does so at multiples of 4 log 1.25. */
static cdn_status saw_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = 1 + 0.25 * z[0];
  return CDN_OK;
}
static const ode saw_ode = { .n = 1, .rates = saw_rate };

static cdn_status send_back(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  double zero = 0;
  (void)self, (void)action;
  log_occurrence(state, what);
  return cdn_state_set_z(state, &zero);
}

static cdn_state *saw_state(void) {
  static const double one = 1;
  cdn_system *system = event_system(&saw_ode, NULL);
  cdn_event_def event = cdn_default_event_def();
  event.name = "top";
  event.value = z_minus, event.self = &one;
  event.direction = CDN_RISING;
  event.handle = send_back, event.report = log_report;
  cdn_system_add_event(system, &event);
  return event_state(system);
}

START_TEST(an_event_of_both_is_compared_on_one_side) {
  static event_log of_run, of_companion;
  const double period = 4 * log(1.25);
  cdn_state *state = saw_state();
  cdn_stepper_def def = event_stepper_def(&of_run, 1e-6);
  def.method = (cdn_method)_i;
  def.companion = true;
  def.companion_user = &of_companion;
  of_companion.n = 0;
  cdn_stepper *stepper = ode_stepper(state, &def);
  /* reports as near to the events as doubles allow: of both runs one is likely to have passed and the other not */
  for (int k = 1; k <= 20; k++) OK_STEP(stepper, cdn_stepper_advance(stepper, period * k, NULL));
  OK_STEP(stepper, cdn_stepper_advance(stepper, period * 20.5, NULL));
  cdn_certificate c = certificate_of(stepper);
  AT_MOST(c.error_estimate, 1e-4);
  ck_assert_str_eq(c.event_alone, "");
  /* handlers run in both, each with its own user; the reporter hears the run alone */
  ck_assert_int_eq(of_run.n, 2 * 20);
  ck_assert_int_eq(of_companion.n, 20);
  ck_assert(c.event_shift > 0 || c.error_estimate < 1e-12);
  /* the shift in time is an error of z: its rate is 1.25 there */
  AT_MOST(1.2 * c.event_shift, c.error_estimate);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Only the first run is moved beyond the level. */
static cdn_status push_one(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  double z = 0.5;
  (void)self, (void)action;
  return what->user ? cdn_state_set_z(state, &z) : CDN_OK;
}

START_TEST(an_event_of_one_is_named) {
  static event_log log;
  static const double one = 1, when = 0.25;
  cdn_system *system = event_system(&saw_ode, NULL);
  cdn_event_def event = cdn_default_event_def();
  event.name = "top";
  event.value = z_minus, event.self = &one;
  event.handle = send_back;
  cdn_system_add_event(system, &event);
  event = cdn_default_event_def();
  event.name = "push", event.kind = CDN_EVENT_SCHEDULED;
  event.times = &when, event.n_times = 1;
  event.handle = push_one;
  cdn_system_add_event(system, &event);
  cdn_state *state = event_state(system);
  cdn_stepper_def def = event_stepper_def(&log, 1e-6);
  def.companion = true;
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int k = 1; k <= 8; k++) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * k, NULL));
  cdn_certificate c = certificate_of(stepper);
  char text[400];
  ck_assert_str_eq(c.event_alone, "top");
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  cdn_certificate_verdict(&c, text, sizeof text);
  ck_assert_msg(strstr(text, "event 'top' occurred at t = "), "%s", text);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- pauses, checkpoints, memory ------------------------------------------------------------- */

static void same_bits(cdn_stepper *a, cdn_stepper *b) {
  cdn_certificate ca = certificate_of(a), cb = certificate_of(b);
  ck_assert(z_of(a) == z_of(b));
  ck_assert(z_of(cdn_stepper_companion(a)) == z_of(cdn_stepper_companion(b)));
  ck_assert(ca.error_estimate == cb.error_estimate && ca.error_time == cb.error_time);
  ck_assert(ca.delivered_until == cb.delivered_until && ca.amplification == cb.amplification);
  ck_assert(ca.event_shift == cb.event_shift && ca.compared_until == cb.compared_until);
  ck_assert_int_eq(ca.companion_evaluations, cb.companion_evaluations);
  ck_assert_str_eq(ca.error_slot, cb.error_slot);
}

START_TEST(a_checkpoint_holds_both) {
  cdn_state *state = saw_state();
  cdn_stepper_def def = event_stepper_def(NULL, 1e-6);
  def.companion = true;
  cdn_stepper *a = ode_stepper(state, &def), *b;
  for (int k = 1; k <= 30; k++) OK_STEP(a, cdn_stepper_advance(a, 0.11 * k, NULL));
  cdn_buffer bytes = { 0 };
  OK_STEP(a, cdn_stepper_save(a, cdn_buffer_write, &bytes));
  OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &b));
  same_bits(a, b);
  for (int k = 31; k <= 60; k++) {
    OK_STEP(a, cdn_stepper_advance(a, 0.11 * k, NULL));
    OK_STEP(b, cdn_stepper_advance(b, 0.11 * k, NULL));
    same_bits(a, b);
  }
  cdn_buffer_free(&bytes);
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(state);
}
END_TEST

/* A limit of attempts a call changes nothing, checkpoints in the pauses neither. */
START_TEST(pauses_leave_no_trace) {
  cdn_state *state = saw_state();
  cdn_stepper_def def = event_stepper_def(NULL, 1e-6);
  def.companion = true;
  def.return_on_events = true;
  cdn_stepper *whole = ode_stepper(state, &def);
  def.max_steps = 3;
  cdn_stepper *pieces = ode_stepper(state, &def);
  int pauses = 0;
  for (int k = 1; k <= 20; k++) {
    for (;;) {
      cdn_return_reason a, b;
      OK_STEP(whole, cdn_stepper_advance(whole, 0.4 * k, &a));
      cdn_status status;
      while ((status = cdn_stepper_advance(pieces, 0.4 * k, &b)) == CDN_ERR_LIMIT) {
        if (pauses++ % 5) continue;
        cdn_buffer bytes = { 0 };
        OK_STEP(pieces, cdn_stepper_save(pieces, cdn_buffer_write, &bytes));
        cdn_stepper_destroy(pieces);
        OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &pieces));
        cdn_buffer_free(&bytes);
      }
      OK_STEP(pieces, status);
      ck_assert_int_eq(a, b);
      same_bits(whole, pieces);
      if (a == CDN_REACHED_TIME) break;
    }
  }
  ck_assert_int_gt(pauses, 20);
  cdn_stepper_destroy(whole);
  cdn_stepper_destroy(pieces);
  cdn_state_destroy(state);
}
END_TEST

/* A limit of attempts ends calls in the middle of the run: there nothing is said that has not been compared. */
START_TEST(a_run_cut_short_claims_nothing_beyond_its_comparison) {
  cdn_state *state = ode_state(&problems[2].equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  char text[400];
  def.companion = true;
  def.max_steps = 10;
  cdn_stepper *stepper = ode_stepper(state, &def);
  cdn_certificate c = certificate_of(stepper);
  ck_assert(c.compared_until == 0);
  int pauses = 0;
  for (cdn_status status = CDN_ERR_LIMIT; status == CDN_ERR_LIMIT;) {
    status = cdn_stepper_advance(stepper, 20, NULL);
    const double now = cdn_state_time(cdn_stepper_state(stepper));
    c = certificate_of(stepper);
    cdn_certificate_verdict(&c, text, sizeof text);
    if (status == CDN_OK) break;
    pauses++;
    ck_assert(now > 0 && c.compared_until < now);
    ck_assert_msg(c.delivered == CDN_VERDICT_UNKNOWN && strstr(text, "unknown") && strstr(text, "compared up to t = "),
                  "%s", text);
    if (pauses != 3) continue;
    /* asked for the present time, the companion catches up */
    while ((status = cdn_stepper_advance(stepper, now, NULL)) == CDN_ERR_LIMIT) {}
    OK_STEP(stepper, status);
    c = certificate_of(stepper);
    ck_assert(c.compared_until == now && c.delivered == CDN_VERDICT_DELIVERED && c.error_estimate > 0);
    status = CDN_ERR_LIMIT;
  }
  ck_assert_int_gt(pauses, 5);
  ck_assert(c.compared_until == 20 && c.delivered == CDN_VERDICT_DELIVERED);
  ck_assert_msg(!strstr(text, "compared"), "%s", text);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(single_steps_are_compared_at_their_ends) {
  cdn_state *state = ode_state(&problems[2].equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true;
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int k = 0; k < 20; k++) {
    OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    ck_assert(certificate_of(stepper).compared_until == cdn_state_time(cdn_stepper_state(stepper)));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* z' = -rate (z - cos t) - sin t: z = cos t. */
static double stiffness;
static cdn_status stiff_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = -stiffness * (z[0] - cos(t)) - sin(t);
  return CDN_OK;
}
static const ode stiff_ode = { .n = 1, .z0 = { 1 }, .rates = stiff_rate };

/* The methods of SUNDIALS are judged by ours. Where these get on with short steps only, backward differences take
 * over. */
START_TEST(stiff_problems_have_a_judge) {
  static const cdn_method methods[] = { CDN_METHOD_CVODE_BDF, CDN_METHOD_IDA };
  if (!cdn_method_is_available(methods[_i])) return;
  for (stiffness = 1; stiffness < 2e6; stiffness *= 1e3) {
    cdn_state *state = ode_state(&stiff_ode, NULL);
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = methods[_i], def.accuracy = 1e-5, def.companion = true, def.z_absolute = true;
    cdn_stepper *stepper = ode_stepper(state, &def), *loaded = NULL;
    double error = 0;
    for (int k = 1; k <= 20; k++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5 * k, NULL));
      error = fmax(error, fabs(z_of(stepper) - cos(0.5 * k)));
      if (loaded) {
        OK_STEP(loaded, cdn_stepper_advance(loaded, 0.5 * k, NULL));
        same_bits(stepper, loaded);
      }
      if (k != 15) continue;
      cdn_buffer bytes = { 0 };
      OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
      OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &loaded));
      cdn_buffer_free(&bytes);
    }
    const cdn_certificate c = certificate_of(stepper);
    const cdn_stepper_def judge = cdn_stepper_get_def(cdn_stepper_companion(stepper));
    ck_assert_int_eq(judge.method, stiffness > 10 ? CDN_METHOD_CVODE_BDF : CDN_METHOD_DEFAULT);
    ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
    AT_MOST(error, 3e-5);
    AT_MOST(c.error_estimate, 3 * error + 1e-9);
    AT_MOST(error, 3 * c.error_estimate + 1e-9);
    AT_MOST((double)c.companion_evaluations, 4 * (double)c.evaluations + 300);
    cdn_stepper_destroy(stepper);
    cdn_stepper_destroy(loaded);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(restarts_change_both) {
  cdn_state *state = ode_state(&problems[1].equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true;
  def.accuracy = 1e-6;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  double before = certificate_of(stepper).error_estimate, z = cos(3);
  OK(cdn_state_set_time(state, 3));
  OK(cdn_state_set_z(state, &z));
  const double apart = z_of(cdn_stepper_companion(stepper)) - z_of(stepper);
  ck_assert(apart != 0);
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  /* by the same change: the error so far is still there */
  NEAR(z_of(cdn_stepper_companion(stepper)) - z, apart, 1e-3 * fabs(apart));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 4, NULL));
  /* what was found before is kept */
  ck_assert(certificate_of(stepper).error_estimate >= before);
  cdn_distance d;
  cdn_state *other = cdn_stepper_state(cdn_stepper_companion(stepper));
  OK_STEP(stepper, cdn_stepper_distance(stepper, other, &d));
  ck_assert(d.largest == d.z && d.z > 0);
  FAILS(cdn_stepper_distance(stepper, NULL, &d), CDN_ERR_ARG);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_loop_test(tcase, the_estimate_is_near_the_truth, 0, ALL_METHODS);
  tcase_add_loop_test(tcase, it_costs_one_and_a_half_runs_more, 0, ALL_METHODS);
  tcase_add_loop_test(tcase, fixed_steps_have_an_estimate, 0, 5);
  tcase_add_test(tcase, the_verdict_says_what_to_do);
  tcase_add_test(tcase, what_rounding_does_not_allow_is_said);
  tcase_add_test(tcase, without_a_companion_it_is_unknown);
  tcase_add_test(tcase, a_companion_that_fails_is_no_failure_of_the_run);
  tcase_add_loop_test(tcase, an_event_of_both_is_compared_on_one_side, 0, CDN_METHOD_ADAMS + 1);
  tcase_add_test(tcase, an_event_of_one_is_named);
  tcase_add_test(tcase, a_checkpoint_holds_both);
  tcase_add_test(tcase, pauses_leave_no_trace);
  tcase_add_test(tcase, a_run_cut_short_claims_nothing_beyond_its_comparison);
  tcase_add_test(tcase, single_steps_are_compared_at_their_ends);
  tcase_add_loop_test(tcase, stiff_problems_have_a_judge, 0, 2);
  tcase_add_test(tcase, restarts_change_both);
}

CHECK_MAIN_OF("companion", 300, add)
