/* Calls on a stepper from within its own callbacks: refused with a message, whatever the callback. And times of events
 * at the end of the number range. */
#include "event_rig.h"

/* ---- calls from within ---- */

typedef enum inner { ADVANCE, STEP, SAVE, RESTART, DESTROY, INNER_CALLS } inner;
typedef enum place { IN_HANDLER, IN_REPORTER, IN_TRIGGER, IN_RATES, IN_NEXT_TIME, PLACES } place;

static const char *const names[] = { [ADVANCE] = "cdn_stepper_advance",
                                     [STEP] = "cdn_stepper_step",
                                     [SAVE] = "cdn_stepper_save",
                                     [RESTART] = "cdn_stepper_restart",
                                     [DESTROY] = "cdn_stepper_destroy" };

static cdn_stepper *running;
static inner what;
static place where;
static int calls;
static bool passes_on;

static cdn_status no_bytes(void *context, const void *bytes, size_t n) {
  (void)context, (void)bytes, (void)n;
  return CDN_OK;
}

/* What the callbacks do, once they run within a call. */
static cdn_status meddle(place here, cdn_state *state) {
  cdn_status status = CDN_OK;
  cdn_failure failure;
  if (here != where || !running) return CDN_OK;
  calls++;
  switch (what) {
    case ADVANCE: status = cdn_stepper_advance(running, 100, NULL); break;
    case STEP: status = cdn_stepper_step(running, 100); break;
    case SAVE: status = cdn_stepper_save(running, no_bytes, NULL); break;
    case RESTART: status = cdn_stepper_restart(running, state); break;
    default: cdn_stepper_destroy(running); return CDN_OK;
  }
  ck_assert_int_eq(status, CDN_ERR_ARG);
  cdn_stepper_failure(running, &failure);
  ck_assert_ptr_nonnull(strstr(failure.error.text, names[what]));
  ck_assert_ptr_nonnull(strstr(failure.error.text, "callback"));
  return passes_on ? status : CDN_OK;
}

static cdn_status meddling_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)t, (void)z;
  zdot[0] = 1;
  return meddle(IN_RATES, state);
}
static cdn_status meddling_value(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_z(state)[0] - 0.5;
  return meddle(IN_TRIGGER, state);
}
static cdn_status meddling_report(const void *self, cdn_state *state, const cdn_occurrence *o) {
  (void)self, (void)o;
  return meddle(IN_REPORTER, state);
}
static cdn_status meddling_handle(const void *self, cdn_state *state, const cdn_occurrence *o, cdn_action *action) {
  (void)self, (void)o, (void)action;
  return meddle(IN_HANDLER, state);
}
static cdn_status meddling_time(const void *self, cdn_state *state, double after, double *time) {
  (void)self;
  *time = floor(after) + 1;
  return meddle(IN_NEXT_TIME, state);
}

static cdn_state *meddler_state(void) {
  static const ode equation = { .n = 1, .z0 = { 0 }, .rates = meddling_rate };
  cdn_system *system = event_system(&equation, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.name = "trigger", def.value = meddling_value, def.handle = meddling_handle, def.report = meddling_report;
  cdn_system_add_event(system, &def);
  def.name = "timer", def.kind = CDN_EVENT_SCHEDULED, def.value = NULL, def.next_time = meddling_time;
  cdn_system_add_event(system, &def);
  return event_state(system);
}

START_TEST(calls_from_callbacks_are_refused) {
  for (what = ADVANCE; what < INNER_CALLS; what++) {
    for (where = IN_HANDLER; where < PLACES; where++) {
      running = NULL, calls = 0, passes_on = false;
      cdn_state *state = meddler_state();
      cdn_stepper_def how = event_stepper_def(NULL, 1e-6);
      cdn_stepper *stepper = ode_stepper(state, &how);
      running = stepper;
      cdn_status status = cdn_stepper_advance(stepper, 2.5, NULL);
      ck_assert_int_gt(calls, 0);
      if (what == DESTROY) {
        /* it could not be done, and the caller hears of it */
        cdn_failure failure;
        ck_assert_int_eq(status, CDN_ERR_ARG);
        cdn_stepper_failure(stepper, &failure);
        ck_assert_ptr_nonnull(strstr(failure.error.text, "cdn_stepper_destroy"));
      } else {
        ck_assert_int_eq(status, CDN_OK);
      }
      NEAR(z_of(stepper), 2.5, 1e-12);
      running = NULL;
      OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
      NEAR(z_of(stepper), 3, 1e-12);
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
  }
}
END_TEST

START_TEST(a_callback_that_passes_the_refusal_on) {
  for (where = IN_HANDLER; where <= IN_REPORTER; where++) {
    what = ADVANCE, running = NULL, passes_on = true;
    cdn_state *state = meddler_state();
    cdn_stepper *stepper = running = ode_stepper(state, NULL);
    cdn_failure failure;
    FAILS(cdn_stepper_advance(stepper, 2.5, NULL), CDN_ERR_ARG);
    cdn_stepper_failure(stepper, &failure);
    ck_assert_str_eq(failure.error.element, "trigger");
    ck_assert_ptr_nonnull(strstr(failure.error.text, "cdn_stepper_advance was called from within a callback"));
    running = NULL;
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* The function that takes a checkpoint's bytes is a callback, too. */
static cdn_status bytes_that_step(void *context, const void *bytes, size_t n) {
  (void)bytes, (void)n;
  calls++;
  ck_assert_int_eq(cdn_stepper_step(context, 100), CDN_ERR_ARG);
  return CDN_OK;
}

START_TEST(steps_while_saving_are_refused) {
  cdn_state *state = event_state(event_system(&clock_ode, NULL));
  cdn_stepper *stepper = ode_stepper(state, NULL);
  calls = 0;
  OK_STEP(stepper, cdn_stepper_save(stepper, bytes_that_step, stepper));
  ck_assert_int_gt(calls, 0);
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == 0);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- times beyond all integers ---- */

static cdn_status leap(const void *self, cdn_state *state, const cdn_occurrence *o, cdn_action *action) {
  const double *to = self;
  (void)o, (void)action;
  return cdn_state_set_time(state, *to);
}

START_TEST(periods_lost_in_time) {
  /* at 1e300 neither a period of 0.1 nor how many of them have passed can be told: no more of them, and no overflow */
  static const double to[] = { 1e16, 1e19, 1e300 };
  for (int i = 0; i < 3; i++) {
    cdn_system *system = event_system(&clock_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    static const double at = 0.25;
    def.name = "leap", def.kind = CDN_EVENT_SCHEDULED, def.times = &at, def.n_times = 1;
    def.handle = leap, def.self = &to[i], def.self_size = sizeof *to;
    cdn_system_add_event(system, &def);
    def = cdn_default_event_def();
    def.name = "beat", def.kind = CDN_EVENT_PERIODIC, def.period = 0.1, def.report = log_report;
    cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    static event_log log;
    cdn_stepper_def how = event_stepper_def(&log, 1e-6);
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == to[i]);
    ck_assert_int_eq(log.n, 3); /* at 0, 0.1 and 0.2 */
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("calls from callbacks", calls_from_callbacks_are_refused, a_callback_that_passes_the_refusal_on,
           steps_while_saving_are_refused, periods_lost_in_time)
