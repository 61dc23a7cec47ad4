/* A mass meets a compliant stop, whose force has a kink: the speed with which it leaves is known. Stops end steps where
 * they are met, and so does an event that does nothing. Without both, runs delivered up to 1500 accuracies. */
#include "runs.h"

static cdn_status distance(const void *self, cdn_state *state, double *value) {
  *value = 1 - *cdn_body_q(state, *(const cdn_body *)self);
  return CDN_OK;
}

static cdn_status nothing(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)state, (void)what, (void)action;
  return CDN_OK;
}

/* With f = -k x (1 + d v), v dv / (1 + d v) = -k x dx / m: v / d - ln(1 + d v) / d^2 is the same where x is 0 again. */
static double leaves_with(double v, double d) {
  if (d == 0) return -v;
  double goal = v / d - log1p(d * v) / (d * d), low = -1 / d, high = 0;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    if (middle / d - log1p(d * middle) / (d * d) > goal) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/* The error of the speed after the stop, over the accuracy. */
static double meet(cdn_method method, double accuracy, double start, double d, bool with_event) {
  const double v = 2;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, cdn_v3(0, 0, 0)), def.q0 = &start, def.u0 = &v;
  cdn_body mass = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_stop(system, "stop", mass, 0, -INFINITY, 1, 1e4, d);
  cdn_event_def event = cdn_default_event_def();
  event.value = distance, event.handle = nothing, event.self = &mass, event.self_size = sizeof mass;
  if (with_event) cdn_system_add_event(system, &event);
  cdn_state *state = state_of(system);
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  how.accuracy = accuracy, how.method = method, how.return_on_events = !with_event;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  /* nobody hears of the stop's own kinks */
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == 1);
  if (!with_event) ck_assert_int_eq(c.events, 0);
  double error = fabs(*cdn_body_u(cdn_stepper_state(stepper), mass) - leaves_with(v, d)) / accuracy;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return error;
}

static const cdn_method methods[] = { CDN_METHOD_DEFAULT,          CDN_METHOD_MERSON,
                                      CDN_METHOD_FEHLBERG,         CDN_METHOD_DORMAND_PRINCE,
                                      CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_BOGACKI_SHAMPINE };

static const double dissipation[] = { 0, 0.05, 0.2, 0.45 };

static void meet_all(cdn_method method, bool with_event, double most) {
  for (double digits = 4; digits <= (method == CDN_METHOD_BOGACKI_SHAMPINE ? 8 : 10); digits += 0.3)
    for (int i = 0; i < 4; i++)
      AT_MOST(meet(method, pow(10, -digits), 0.037 * (i + 1), dissipation[i], with_event), most);
}

START_TEST(an_event_cures_a_kink) { meet_all(methods[_i], true, 1); }
END_TEST
START_TEST(a_stop_is_met_at_the_end_of_a_step) { meet_all(methods[_i], false, 10); }
END_TEST

START_TEST(a_joint_that_rests_at_its_limit_costs_nothing) {
  /* it swings by roundings about the limit, on a spring: no more evaluations than with a spring as stiff as the stop */
  int64_t evaluations[2];
  for (int with = 0; with < 2; with++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    const double start = 1e-15;
    def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, cdn_v3(0, 0, 0)), def.q0 = &start;
    cdn_body mass = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, "spring", mass, 0, with ? 100 : 1e4, 0);
    if (with) cdn_system_add_mobility_stop(system, "stop", mass, 0, -1, 0, 1e4, 0.1);
    cdn_state *state = state_of(system);
    cdn_stepper_def how = cdn_default_stepper_def();
    cdn_stepper *stepper = NULL;
    how.accuracy = 1e-6;
    OK_ON(state, cdn_stepper_create(state, &how, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 100, NULL));
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    evaluations[with] = c.evaluations;
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  AT_MOST((double)evaluations[1], 1.1 * (double)evaluations[0]);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, an_event_cures_a_kink, 0, sizeof methods / sizeof *methods);
  tcase_add_loop_test(c, a_stop_is_met_at_the_end_of_a_step, 0, sizeof methods / sizeof *methods);
  tcase_add_test(c, a_joint_that_rests_at_its_limit_costs_nothing);
}

CHECK_MAIN_OF("kinks", 300, add)
