/* How the bounces of a ball change with its restitution and with the height from which it falls, and with the speed at
 * which it is captured: differences of runs. Reference values are closed forms
 * (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"

static const double g = 9.81, accuracy = 1e-12;

static cdn_stepper *bouncing(double e, double h0, double capture, cdn_state **state) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "floor", c.b = add_point(system, "ball", 1), c.restitution = e, c.capture_speed = capture;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_system_add_rigid_contact(system, &c);
  *state = hybrid_state(system, (double[]){ 0, 0, h0 }, NULL);
  return event_run(*state, accuracy);
}

static double height_at(double t, double e, double h0) {
  cdn_state *state;
  cdn_stepper *run = bouncing(e, h0, 0, &state);
  ck_assert(!run_to_event(run, "nothing", t));
  const double height = cdn_state_q(cdn_stepper_state(run))[2];
  end_event_run(run, state);
  return height;
}

static double rest_time(double e, double h0, double capture) {
  cdn_state *state;
  cdn_stepper *run = bouncing(e, h0, capture, &state);
  const cdn_state *now = cdn_stepper_state(run);
  while (!cdn_one_sided_is_on(now, (cdn_one_sided){ 0 })) ck_assert(run_to_event(run, "touches", 2));
  const double t = cdn_state_time(now);
  end_event_run(run, state);
  return t;
}

/* By two central differences, so that errors are of h^4 = 1e-12 of derivatives of order 5, and 1e-9 by the runs. */
typedef double figure(double t, double e, double h0);
static double difference(figure *f, double t, double by_e, double by_h0) {
  double slope[2];
  for (int k = 0; k < 2; k++) {
    const double h = 1e-3 / (1 + k), e = by_e * h, h0 = by_h0 * h;
    slope[k] = (f(t, 0.5 + e, 1 + h0) - f(t, 0.5 - e, 1 - h0)) / (2 * h);
  }
  return (4 * slope[1] - slope[0]) / 3;
}

START_TEST(heights_change_with_restitution_and_height) {
  static const double truth[3][4] = { /* t, y, dy/de, dy/dh0 */
                                      { 0.5, 0.095835188552515129497, 0.21472345903501008633, -0.33895740572374243525 },
                                      { 0.9, 0.0067033393945272330943, 1.9865022262630181554, 0.98987666969726361655 },
                                      { 1.2, 0.014557791920563543887, 0.49784743299911498418, 0.10137889596028177194 }
  };
  const double *x = truth[_i];
  NEAR(height_at(x[0], 0.5, 1), x[1], 1e-11);
  NEAR(difference(height_at, x[0], 1, 0), x[2], 1e-8);
  NEAR(difference(height_at, x[0], 0, 1), x[3], 1e-8);
}
END_TEST

static double limit_time(double t, double e, double h0) {
  (void)t;
  return rest_time(e, h0, 0);
}

START_TEST(the_time_of_rest_changes_with_restitution) {
  NEAR(difference(limit_time, 0, 1, 0), 3.6121891278858472356, 1e-8);
  /* what it gives up that is captured at 1 mm/s */
  NEAR(rest_time(0.5, 1, 0) - rest_time(0.5, 1, 1e-3), 0.00011023526391253195909, 1e-11);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, heights_change_with_restitution_and_height, 0, 3);
  tcase_add_test(c, the_time_of_rest_changes_with_restitution);
}

CHECK_MAIN_OF("hybrid sensitivities", 60, add)
