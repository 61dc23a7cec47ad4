/* How files want their models to be run: method, step, and the contact that belongs to them. */
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

CHECK_MAIN("io steps", options_are_methods_and_steps, urdf_does_not_say, contact_as_in_the_file, refsafe_is_by_the_step)
