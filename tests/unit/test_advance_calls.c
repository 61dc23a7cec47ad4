/* What calls of advance do to the steps of a run: nothing. */
#include "ode.h"

/* A double pendulum, with ticks that a reporter hears. */
static cdn_status hear(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self, (void)state, (void)what;
  return CDN_OK;
}

static cdn_state *double_pendulum(bool ticks) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  const double angle = 1.2;
  cdn_body_def def = cdn_default_body_def();
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  def.mobilizer = CDN_PIN, def.q0 = &angle;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, -0.5, 0 }, .inertia = { .xx = 1, .yy = 1, .zz = 0.4 } };
  for (int i = 0; i < 2; i++) {
    def.parent = cdn_system_add_body(system, &def);
    def.X_PF.p = cdn_v3(0, -1, 0);
  }
  if (ticks) {
    cdn_event_def event = cdn_default_event_def();
    event.name = "tick", event.kind = CDN_EVENT_PERIODIC, event.period = 0.037, event.report = hear;
    cdn_system_add_event(system, &event);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* One call, or three hundred: the same bits, of the run and of its companion, whether the end is known or not. */
START_TEST(calls_of_advance_shape_nothing) {
  const double end = 1;
  for (int method = 0; method < ALL_METHODS; method++) {
    for (int kind = 0; kind < 4; kind++) {
      cdn_state *state = double_pendulum(kind % 2);
      double y[2][8];
      int64_t steps[2];
      for (int often = 0; often < 2; often++) {
        cdn_stepper_def def = cdn_default_stepper_def();
        if (!take_method(&def, method, 0.01)) continue;
        def.accuracy = 1e-3;
        def.companion = true;
        if (kind / 2) def.final_time = end;
        cdn_stepper *stepper = ode_stepper(state, &def);
        for (int i = 1; i < 300 && often; i++)
          OK_STEP(stepper, cdn_stepper_advance(stepper, end * pow(i / 300., 1.3), NULL));
        OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
        cdn_state *found[2] = { cdn_stepper_state(stepper), cdn_stepper_state(cdn_stepper_companion(stepper)) };
        for (int k = 0; k < 2; k++) {
          memcpy(&y[often][4 * k], cdn_state_q(found[k]), 2 * sizeof(double));
          memcpy(&y[often][4 * k + 2], cdn_state_u(found[k]), 2 * sizeof(double));
        }
        steps[often] = certificate_of(stepper).steps;
        cdn_stepper_destroy(stepper);
      }
      ck_assert_int_eq(steps[0], steps[1]);
      ck_assert_msg(memcmp(y[0], y[1], sizeof y[0]) == 0, "%s, kind %d: off by %g", cdn_method_name((cdn_method)method),
                    kind, y[0][0] - y[1][0]);
      cdn_state_destroy(state);
    }
  }
}
END_TEST

/* ---- interruptions --------------------------------------------------------------------------- */

static cdn_stepper *victim;
static int evaluations, every;

/* A spring whose stiffness varies, and a signal at every so many evaluations, those of the companion included. */
static cdn_status interrupting(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = z[1];
  zdot[1] = -(4 + sin(t)) * z[0];
  if (every > 0 && ++evaluations % every == 0) cdn_stepper_interrupt(victim);
  return CDN_OK;
}

static int interrupted_run(cdn_state *state, const cdn_stepper_def *def, double z[4], cdn_certificate *c) {
  int calls = 0;
  evaluations = 0;
  victim = NULL;
  victim = ode_stepper(state, def);
  for (int i = 1; i <= 10; i++) {
    cdn_status status;
    do {
      status = cdn_stepper_advance(victim, 0.3 * i, NULL);
      calls++;
      ck_assert(status == CDN_OK || status == CDN_ERR_LIMIT);
    } while (status == CDN_ERR_LIMIT);
  }
  cdn_state *found[2] = { cdn_stepper_state(victim), cdn_stepper_state(cdn_stepper_companion(victim)) };
  for (int k = 0; k < 2; k++) memcpy(z + 2 * k, cdn_state_z(found[k]), 2 * sizeof *z);
  *c = certificate_of(victim);
  cdn_stepper_destroy(victim);
  victim = NULL;
  return calls;
}

/* A call ends at an interruption, also while the companion works, and the next one goes on to the same bits. */
START_TEST(interruptions_shape_nothing) {
  cdn_state *state = ode_state(&(ode){ .n = 2, .z0 = { 1, 0 }, .rates = interrupting }, NULL);
  for (int method = 0; method < ALL_METHODS; method++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    if (!take_method(&def, method, 0.01)) continue;
    def.accuracy = 1e-3;
    def.companion = true;
    def.final_time = 3;
    double z[2][4];
    cdn_certificate c[2];
    every = 0;
    ck_assert_int_eq(interrupted_run(state, &def, z[0], &c[0]), 10);
    for (every = 1; every < 20; every += 6) {
      const int calls = interrupted_run(state, &def, z[1], &c[1]);
      ck_assert_msg(calls > 12, "%s: %d calls", cdn_method_name((cdn_method)method), calls);
      ck_assert_msg(memcmp(z[0], z[1], sizeof z[0]) == 0, "%s: off by %g", cdn_method_name((cdn_method)method),
                    z[0][0] - z[1][0]);
      ck_assert_int_eq(c[0].steps, c[1].steps);
      ck_assert_int_eq(c[0].companion_evaluations, c[1].companion_evaluations);
      ck_assert(c[0].error_estimate == c[1].error_estimate);
    }
  }
  every = 0;
  cdn_state_destroy(state);
}
END_TEST

/* One that comes between calls ends the next one, before its first attempt, and no other. */
START_TEST(an_interruption_between_calls_ends_the_next_one) {
  cdn_state *state = ode_state(&(ode){ .n = 2, .z0 = { 1, 0 }, .rates = interrupting }, NULL);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  cdn_failure f;
  every = 0;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  const int64_t steps = certificate_of(stepper).steps;
  cdn_stepper_interrupt(stepper);
  cdn_stepper_interrupt(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL)); /* there is nothing to do */
  FAILS(cdn_stepper_advance(stepper, 5, NULL), CDN_ERR_LIMIT);
  cdn_stepper_failure(stepper, &f);
  ck_assert_msg(strstr(f.error.text, "interrupted at t = ") && strstr(f.advice, "call again"), "%s; %s", f.error.text,
                f.advice);
  ck_assert_str_eq(f.error.function, "cdn_stepper_interrupt");
  ck_assert_int_eq(certificate_of(stepper).steps, steps);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  OK_STEP(stepper, cdn_stepper_step(stepper, 9)); /* to the end of the step that 5 lies in */
  cdn_stepper_interrupt(stepper);
  FAILS(cdn_stepper_step(stepper, 9), CDN_ERR_LIMIT);
  OK_STEP(stepper, cdn_stepper_step(stepper, 9));
  cdn_stepper_interrupt(NULL);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- breaking off ---------------------------------------------------------------------------- */

static int break_at, evaluated_since; /* -1: not broken off yet */

/* The same spring, and a signal at one evaluation. */
static cdn_status breaking(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = z[1];
  zdot[1] = -(4 + sin(t)) * z[0];
  if (evaluated_since >= 0) evaluated_since++;
  if (++evaluations != break_at) return CDN_OK;
  cdn_stepper_break_off(victim);
  evaluated_since = 0;
  return CDN_OK;
}

/* The State comes from the last accepted step, nothing is evaluated in the attempt any more, and the run that goes
 * on delivers what the other does. */
START_TEST(a_run_that_is_broken_off_ends_at_once) {
  cdn_state *state = ode_state(&(ode){ .n = 2, .z0 = { 1, 0 }, .rates = breaking }, NULL);
  for (int method = 0; method < ALL_METHODS; method++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    if (!take_method(&def, method, 0.01)) continue;
    def.accuracy = 1e-3, def.final_time = 3;
    double whole[2] = { 0 };
    for (break_at = 0; break_at < 60; break_at += 1 + break_at / 8) {
      evaluations = 0, evaluated_since = -1, victim = NULL;
      victim = ode_stepper(state, &def);
      if (evaluations < break_at) { /* not in the first evaluations, of which no call of the run is told */
        const cdn_status status = cdn_stepper_advance(victim, 3, NULL);
        ck_assert(status == CDN_OK || status == CDN_ERR_LIMIT);
        if (status == CDN_ERR_LIMIT) {
          ck_assert_msg(evaluated_since <= 1, "%s: %d evaluations after number %d", cdn_method_name((cdn_method)method),
                        evaluated_since, break_at);
          const cdn_certificate c = certificate_of(victim);
          ck_assert(cdn_state_time(cdn_stepper_state(victim)) == c.time_final && c.time_final < 3);
        }
      }
      evaluated_since = -1;
      OK_STEP(victim, cdn_stepper_advance(victim, 3, NULL));
      const double *z = cdn_state_z(cdn_stepper_state(victim));
      if (break_at == 0) memcpy(whole, z, sizeof whole);
      for (int i = 0; i < 2; i++) NEAR(z[i], whole[i], 1e-3);
      cdn_stepper_destroy(victim);
    }
  }
  victim = NULL;
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("calls of advance", a_run_that_is_broken_off_ends_at_once, calls_of_advance_shape_nothing,
           interruptions_shape_nothing, an_interruption_between_calls_ends_the_next_one)
