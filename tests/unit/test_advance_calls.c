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
        def.method = (cdn_method)method;
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

CHECK_MAIN("calls of advance", calls_of_advance_shape_nothing)
