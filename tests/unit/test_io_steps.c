/* How files want their models to be run: method, step, and the contact that belongs to them. */
#include <cardan/controls.h>

#include "../testing.h"

static cdn_model *load(const char *text, cdn_model_contact contact, double step) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  cdn_error error = { .code = CDN_OK };
  options.contact = contact, options.fixed_step = step;
  if (cdn_model_load_string(text, strlen(text), "model", &options, &model) != CDN_OK)
    cdn_model_last_error(model, &error);
  ck_assert_msg(error.code == CDN_OK, "%s", error.text);
  return model;
}

#define MJCF(option)                                                                                                    \
  "<mujoco>" option                                                                                                     \
  "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .19'><joint type='slide' axis='0 0 1' frictionloss='1'/>" \
  "<geom size='.2' mass='1' solref='.001 1'/></body></worldbody></mujoco>"
static const char URDF[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";

START_TEST(options_are_methods_and_steps) {
  static const struct {
    const char *text;
    cdn_method method;
    double step;
  } files[] = {
    { MJCF(""), CDN_METHOD_MUJOCO_EULER, 0.002 },
    { MJCF("<option timestep='.01' integrator='RK4'/>"), CDN_METHOD_MUJOCO_RK4, 0.01 },
    { MJCF("<option integrator='implicit'/>"), CDN_METHOD_MUJOCO_IMPLICIT, 0.002 },
    { MJCF("<option integrator='implicitfast' timestep='.003'/>"), CDN_METHOD_MUJOCO_IMPLICIT_FAST, 0.003 },
    { MJCF("<option><flag eulerdamp='disable'/></option>"), CDN_METHOD_SEMI_EXPLICIT_EULER, 0.002 },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    cdn_model *model = load(files[i].text, CDN_MODEL_AS_FILE, 0);
    cdn_method method;
    double step;
    OK(cdn_model_steps_of_file(model, &method, &step));
    ck_assert_int_eq(method, files[i].method);
    ck_assert_double_eq(step, files[i].step);
    OK(cdn_model_steps_of_file(model, NULL, NULL));
    cdn_model_destroy(model);
  }
}
END_TEST

START_TEST(urdf_does_not_say) {
  cdn_model *model = load(URDF, CDN_MODEL_AS_FILE, 0);
  cdn_method method = CDN_METHOD_ADAMS;
  cdn_error error;
  FAILS(cdn_model_steps_of_file(model, &method, NULL), CDN_ERR_UNSUPPORTED);
  ck_assert_int_eq(method, CDN_METHOD_ADAMS);
  cdn_model_last_error(model, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "choose a method and a step"));
  FAILS(cdn_model_steps_of_file(NULL, &method, NULL), CDN_ERR_ARG);
  cdn_model_destroy(model);
}
END_TEST

/* Contact as the file's simulator has it: MJCF's is soft, with dry friction as rows; URDF's compliant. */
START_TEST(contact_as_in_the_file) {
  cdn_model *soft = load(MJCF(""), CDN_MODEL_SOFT, 0), *mine = load(MJCF(""), CDN_MODEL_AS_FILE, 0);
  const cdn_system *systems[2] = { cdn_model_system(soft), cdn_model_system(mine) };
  double udot[2];
  for (int i = 0; i < 2; i++) {
    cdn_state *state;
    OK(cdn_state_create(systems[i], &state));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    udot[i] = cdn_state_udot(state)[0];
    cdn_soft_statistics s;
    OK_ON(state, cdn_soft_get_statistics(state, &s));
    ck_assert_int_eq(s.islands, 1);
    cdn_state_destroy(state);
  }
  ck_assert(udot[0] == udot[1]);
  cdn_model_destroy(soft);
  cdn_model_destroy(mine);
}
END_TEST

/* solref's 0.001 s counts as two steps: those of the run, if it has some. */
START_TEST(refsafe_is_by_the_step) {
  double udot[3];
  for (int i = 0; i < 3; i++) {
    cdn_model *model = load(i == 2 ? MJCF("<option timestep='.01'/>") : MJCF(""), CDN_MODEL_SOFT, i == 1 ? 0.01 : 0);
    cdn_state *state;
    OK(cdn_state_create(cdn_model_system(model), &state));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    udot[i] = cdn_state_udot(state)[0];
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
  ck_assert(udot[1] == udot[2]);
  ck_assert(udot[0] > 2 * udot[1]);
}
END_TEST

/* Without eulerdamp: a ball that turns freely turns by w h in each step, and a filter that is followed exactly is 1 -
 * exp(-t / T) of what it is asked for. */
START_TEST(plain_euler_turns_bodies_and_follows_filters) {
  static const char text[] =
      "<mujoco><option timestep='.25' gravity='0 0 0'><flag eulerdamp='disable'/></option><worldbody><body><joint "
      "type='ball'/><geom size='.2' mass='1'/></body><body pos='3 0 0'><joint name='j'/><geom size='.2'/></body>"
      "</worldbody><actuator><general name='f' joint='j' dyntype='filterexact' dynprm='.5' gainprm='0'/></actuator>"
      "</mujoco>";
  static const double w[4] = { 1, -2, 2, 0 }; /* of length 3 */
  cdn_model *model = load(text, CDN_MODEL_AS_FILE, 0);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_state *state;
  OK(cdn_model_steps_of_file(model, &def.method, &def.fixed_step));
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_state_set_u(state, w));
  OK_ON(state, cdn_control_set(state, (cdn_control){ 0 }, 2));
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int n = 1; n <= 6; n++) {
    const double t = 0.25 * n, half = 1.5 * t;
    OK(cdn_stepper_advance(stepper, t, NULL));
    const double *q = cdn_state_q(cdn_stepper_state(stepper));
    NEAR(q[0], cos(half), 1e-14);
    for (int k = 0; k < 3; k++) NEAR(q[1 + k], sin(half) * w[k] / 3, 1e-14);
    NEAR(cdn_state_z(cdn_stepper_state(stepper))[0], 2 * (1 - exp(-t / 0.5)), 1e-14);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("io steps", options_are_methods_and_steps, plain_euler_turns_bodies_and_follows_filters, urdf_does_not_say,
           contact_as_in_the_file, refsafe_is_by_the_step)
