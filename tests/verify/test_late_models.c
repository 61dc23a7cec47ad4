/* Models whose actuators act late and whose sensors are read late or at times, under error control: closed forms. */
#include "../testing.h"

/* A mass of 1 kg on a slide, from rest: a force F that changes at known times moves it along parabolas. */
static const char text[] =
    "<mujoco><option gravity='0 0 0' timestep='.01'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody>"
    "<actuator><motor name='push' joint='x' delay='.3' nsample='30'/></actuator>"
    "<sensor><jointpos name='x' joint='x'/><jointpos name='late' joint='x' delay='.2' nsample='20'/>"
    "<jointpos name='held' joint='x' interval='.25' nsample='1'/>"
    "<jointpos name='both' joint='x' interval='.25 -.05' delay='.2' nsample='20'/></sensor></mujoco>";

/* The force is 1 from 0.3 s on, and 3 from 0.8 s on. */
static double place(double t) {
  const double a = fmax(t - 0.3, 0), b = fmax(t - 0.8, 0);
  return 0.5 * a * a + b * b;
}
static double sampled(double t, double first) {
  return t < first ? 0 : place(first + 0.25 * floor((t - first) / 0.25));
}

static double value(cdn_state *state, const char *name) {
  const double *x = cdn_measure_value(state, cdn_system_find_measure(cdn_state_system(state), name));
  ck_assert_ptr_nonnull(x);
  return *x;
}

START_TEST(histories_are_exact_under_error_control) {
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_ADAMS };
  cdn_model *model;
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_model_options options = cdn_default_model_options();
  cdn_stepper_def def = cdn_default_stepper_def();
  options.strict = true, def.method = methods[_i], def.accuracy = 1e-8;
  OK(cdn_model_load_string(text, strlen(text), "late", &options, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  const cdn_control push = cdn_system_find_control(cdn_model_system(model), "push");
  OK_ON(state, cdn_control_set(state, push, 1));
  OK(cdn_stepper_create(state, &def, &stepper));
  cdn_state *at = cdn_stepper_state(stepper);
  for (int k = 1; k <= 40; k++) {
    const double t = 0.05 * k + 0.01; /* between samples */
    if (k == 10) OK_ON(at, cdn_stepper_advance(stepper, 0.5, NULL));
    if (k == 10) OK_ON(at, cdn_control_set(at, push, 3));
    OK_ON(at, cdn_stepper_advance(stepper, t, NULL));
    NEAR(value(at, "x"), place(t), 1e-8);
    NEAR(value(at, "late"), place(t - 0.2), 1e-8);
    NEAR(value(at, "held"), sampled(t, 0), 1e-8);
    NEAR(value(at, "both"), sampled(t - 0.2, 0.2), 1e-8);
    NEAR(value(at, "push late"), t < 0.3 ? 0 : t < 0.8 ? 1 : 3, 0);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, histories_are_exact_under_error_control, 0, 3); }
CHECK_MAIN_OF("late models", 30, add)
