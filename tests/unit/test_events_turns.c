/* Triggers that touch zero: two crossings between two samples are found by where the value turns, and what comes near
 * without crossing is counted. And handlers that let a trigger go on, or stop it. */
#include "event_rig.h"

static event_log seen;

/* ---- turning points ---- */

/* Of methods with dense output that is as good as their steps. */
static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_DORMAND_PRINCE_8,
                                      CDN_METHOD_MERSON };
enum { METHODS = sizeof methods / sizeof *methods, PERIODS = 10 };

/* sin t has its tops above 1 - depth for a time of 2 sqrt(2 depth). */
static cdn_certificate tops(cdn_method method, double depth, double accuracy, bool active) {
  const double level = 1 - depth;
  cdn_system *system = event_system(&swing_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.value = z_minus, def.self = &level, def.self_size = sizeof level;
  if (active) def.handle = log_handle;
  else def.report = log_report;
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(&seen, accuracy);
  how.method = method;
  cdn_stepper *stepper = ode_stepper(state, &how);
  OK_STEP(stepper, cdn_stepper_advance(stepper, PERIODS * 2 * PI, NULL));
  cdn_certificate c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return c;
}

START_TEST(crossings_between_samples_are_found) {
  /* at 1e-6 steps are up to half a unit long; crossings 0.006 apart are within one of them */
  static const double depths[] = { 0.3, 0.01, 1e-3, 1e-4, 2e-5 };
  for (int m = 0; m < METHODS; m++) {
    for (int i = 0; i < 5; i++) {
      for (int active = 0; active < 2; active++) {
        cdn_certificate c = tops(methods[m], depths[i], 1e-6, active);
        double half = acos(1 - depths[i]);
        ck_assert_msg(seen.n == 2 * PERIODS, "%s, depth %g: %d crossings", cdn_method_name(methods[m]), depths[i],
                      seen.n);
        ck_assert_int_eq(c.near_misses, 0);
        /* an error of z moves a crossing by that over the slope */
        for (int k = 0; k < seen.n; k++) {
          double t = PI / 2 + k / 2 * 2 * PI + (k % 2 ? half : -half);
          NEAR(seen.at[k].time, t, 5e-5 / sin(half));
          ck_assert_int_eq(seen.at[k].direction, k % 2 ? CDN_FALLING : CDN_RISING);
        }
      }
    }
  }
}
END_TEST

START_TEST(near_misses_are_counted) {
  /* Merson's error here is next to none, so that the truth is what it sees: tops below the level by less than the
   * accuracy, and by a hundred times that */
  cdn_certificate c = tops(CDN_METHOD_MERSON, -1e-7, 1e-5, false);
  ck_assert_int_eq(seen.n, 0);
  ck_assert_int_eq(c.near_misses, PERIODS);
  c = tops(CDN_METHOD_MERSON, -1e-3, 1e-5, true);
  ck_assert_int_eq(seen.n, 0);
  ck_assert_int_eq(c.near_misses, 0);
}
END_TEST

/* ---- handlers that change other things ---- */

/* A tank is emptied: z' = -rate; its level passes 0, and the handler throttles it. */
typedef struct tank {
  cdn_zvar z;
  cdn_dvar rate;
} tank;

static cdn_status tank_declare(void *self, cdn_declarer *d) {
  tank *t = self;
  const double full = 1, rate = 1;
  t->z = cdn_declare_z(d, 1, &full);
  t->rate = cdn_declare_discrete(d, "rate", sizeof rate, &rate, CDN_STAGE_FORCE);
  return CDN_OK;
}

static cdn_status tank_zdot(const void *self, cdn_state *state, double *zdot) {
  const tank *t = self;
  zdot[0] = -*(const double *)cdn_state_discrete(state, t->rate);
  return CDN_OK;
}

typedef struct throttle {
  const tank *tank;
  double to;
} throttle;

static cdn_status set_rate(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const throttle *t = self;
  (void)action;
  cdn_status status = log_occurrence(state, what);
  return status == CDN_OK ? cdn_state_set_discrete(state, t->tank->rate, &t->to) : status;
}

static cdn_stepper *empty(throttle *t) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "tank",
                                         .self_size = sizeof(tank),
                                         .declare = tank_declare,
                                         .calc_zdot = tank_zdot };
  cdn_system *system = cdn_system_create(NULL);
  cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &(tank){ 0 });
  cdn_event_def def = cdn_default_event_def();
  def.name = "level", def.value = z_minus, def.direction = CDN_FALLING, def.handle = set_rate, def.self = t;
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  t->tank = cdn_subsystem_self(system, id);
  cdn_stepper_def how = event_stepper_def(&seen, 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &how);
  cdn_state_destroy(state);
  return stepper;
}

START_TEST(a_value_that_goes_on_has_passed_zero) {
  /* slower, faster, as before: one event, and the value falls on */
  static const double rates[] = { 1, 0.5, 2, 1e-3 };
  for (int i = 0; i < 4; i++) {
    throttle t = { .to = rates[i] };
    cdn_stepper *stepper = empty(&t);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
    ck_assert_int_eq(seen.n, 1);
    NEAR(seen.at[0].time, 1, 1e-9);
    NEAR(z_of(stepper), -2 * rates[i], 1e-8);
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

START_TEST(a_value_that_is_stopped_or_turned_back_may_fall_again) {
  /* stopped: it stays, and nothing occurs; turned back: it rises until it is let down again by hand */
  static const double rates[] = { 0, -1 };
  for (int i = 0; i < 2; i++) {
    throttle t = { .to = rates[i] };
    cdn_stepper *stepper = empty(&t);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
    ck_assert_int_eq(seen.n, 1);
    NEAR(z_of(stepper), -2 * rates[i], 1e-8);
    const double down = 1;
    OK_ON(cdn_stepper_state(stepper), cdn_state_set_discrete(cdn_stepper_state(stepper), t.tank->rate, &down));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 6, NULL));
    if (rates[i] < 0) {
      ck_assert_int_eq(seen.n, 2);
      NEAR(seen.at[1].time, 5, 1e-8);
    }
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

CHECK_MAIN("turning points of triggers", crossings_between_samples_are_found, near_misses_are_counted,
           a_value_that_goes_on_has_passed_zero, a_value_that_is_stopped_or_turned_back_may_fall_again)
