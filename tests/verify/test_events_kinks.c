/* An event at a kink cures it: a mass meets a compliant stop, and where an event that does nothing ends steps at the stop, the speed
 * with which the mass leaves is as good as was asked for. Without the event runs delivered up to 1500 accuracies. */
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
static double meet(cdn_method method, double accuracy, double start, double d) {
  const double v = 2;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, cdn_v3(0, 0, 0)), def.q0 = &start, def.u0 = &v;
  cdn_body mass = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_stop(system, "stop", mass, 0, -INFINITY, 1, 1e4, d);
  cdn_event_def event = cdn_default_event_def();
  event.value = distance, event.handle = nothing, event.self = &mass, event.self_size = sizeof mass;
  cdn_system_add_event(system, &event);
  cdn_state *state = state_of(system);
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  how.accuracy = accuracy, how.method = method;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  double error = fabs(*cdn_body_u(cdn_stepper_state(stepper), mass) - leaves_with(v, d)) / accuracy;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return error;
}

/* Fehlberg's pair is none of them: its estimate does not see a force that only its second stage and the end of a step feel. */
static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_DORMAND_PRINCE,
                                      CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_BOGACKI_SHAMPINE };

START_TEST(an_event_cures_a_kink) {
  static const double dissipation[] = { 0, 0.05, 0.2, 0.45 };
  for (double digits = 4; digits <= (methods[_i] == CDN_METHOD_BOGACKI_SHAMPINE ? 8 : 10); digits += 0.3)
    for (int i = 0; i < 4; i++) AT_MOST(meet(methods[_i], pow(10, -digits), 0.037 * (i + 1), dissipation[i]), 1);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, an_event_cures_a_kink, 0, sizeof methods / sizeof *methods); }

int main(void) { return check_suite("kinks", 300, add); }
