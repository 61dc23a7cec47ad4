/* Dry friction that files give to joints: by bristles where contact is compliant, by soft rows where it is soft. */
#include <stdio.h>

#include "../testing.h"

/* An arm of 2 kg whose weight pulls with 3.92 N m, and whose inertia about the joint is 0.09 kg m^2. */
static const char mjcf[] =
    "<mujoco><option gravity='0 0 -9.8'/>%s<worldbody><body name='arm'><joint name='shoulder' axis='0 1 0' frictionloss='%g'/>"
    "<inertial pos='.2 0 0' mass='2' diaginertia='.01 .01 .01'/></body>"
    "<body name='sledge' pos='0 3 0'><joint name='rail' type='slide' axis='1 0 0' frictionloss='4'/><inertial pos='0 0 0' mass='3' "
    "diaginertia='1 1 1'/></body>"
    "<body name='knob' pos='0 5 0'><joint name='socket' type='ball' frictionloss='.5'/><inertial pos='0 0 0' mass='1' "
    "diaginertia='.2 .2 .2'/></body></worldbody></mujoco>";
static const char urdf[] =
    "<robot name='r'><link name='base'/><link name='arm'><inertial><origin xyz='.2 0 0'/><mass value='2'/><inertia ixx='.01' iyy='.01' "
    "izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='shoulder' type='continuous'><parent link='base'/><child "
    "link='arm'/><axis xyz='0 1 0'/><dynamics friction='%g'/></joint></robot>";

static cdn_model *load(const char *text, const cdn_model_options *options) {
  cdn_model *model;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "arm", options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return model;
}

static cdn_model *load_mjcf(const char *flags, double loss, const cdn_model_options *options) {
  char text[2000];
  snprintf(text, sizeof text, mjcf, flags, loss);
  return load(text, options);
}

static int count_frictions(const cdn_model *model) {
  const cdn_system *system = cdn_model_system(model);
  int n = 0;
  for (int i = 0; i < cdn_system_force_count(system); i++)
    n += strcmp(cdn_force_kind_name(system, (cdn_force){ i }), "mobility_friction") == 0;
  return n;
}

static double number(const cdn_state *state, const char *force, const char *name) {
  double value = NAN;
  OK(cdn_parameter_get(state, CDN_ELEMENT_FORCE, force, name, &value));
  return value;
}

/* The loss, the elastic displacement under it, and the damping time of this inertia. */
static void check_numbers(const cdn_state *state, const char *force, double loss, double elastic, double inertia) {
  const double k = loss / elastic;
  NEAR(number(state, force, "loss"), loss, 0);
  NEAR(number(state, force, "stiffness"), k, 1e-12 * k);
  NEAR(number(state, force, "damping_time"), 2 * sqrt(inertia / k), 1e-12);
}

START_TEST(a_file_of_mjcf) {
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  cdn_model *model = load_mjcf("", 5, &options);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  ck_assert_int_eq(count_frictions(model), 5);
  check_numbers(state, "shoulder friction", 5, 1e-3, 0.09);
  check_numbers(state, "rail friction", 4, 1e-4, 3);
  for (int k = 0; k < 3; k++) {
    char name[40];
    snprintf(name, sizeof name, "socket friction[%d]", k);
    check_numbers(state, name, 0.5, 1e-3, 0.2);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* With equal steps h no bristle vibrates faster than at 1 / 2h. */
START_TEST(equal_steps) {
  cdn_model_options options = cdn_default_model_options();
  options.fixed_step = 0.01;
  cdn_model *model = load_mjcf("", 5, &options);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  check_numbers(state, "shoulder friction", 5, 5 / (0.09 * 2500), 0.09);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(where_there_is_none) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT; /* rows, as MuJoCo has them */
  cdn_model *model = load_mjcf("", 5, &options);
  ck_assert_int_eq(count_frictions(model), 0);
  ck_assert_int_eq(cdn_element_count(cdn_model_system(model), CDN_ELEMENT_SOFT), 3);
  cdn_model_destroy(model);
  options = cdn_default_model_options();
  options.tree_only = true;
  model = load_mjcf("", 5, &options);
  ck_assert_int_eq(count_frictions(model), 0);
  cdn_model_destroy(model);
  model = load_mjcf("<option><flag frictionloss='disable'/></option>", 5, NULL);
  ck_assert_int_eq(count_frictions(model), 0);
  ck_assert_int_eq(cdn_element_count(cdn_model_system(model), CDN_ELEMENT_SOFT), 0);
  cdn_model_destroy(model);
}
END_TEST

/* The angle of the first joint after so many seconds, and its speed. */
static double angle_after(const cdn_model *model, double time, double *speed) {
  cdn_state *state;
  cdn_stepper *stepper;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, time, NULL));
  const cdn_model_joint joint = cdn_model_get_joint(model, cdn_model_find_joint(model, "shoulder"));
  const double q = cdn_state_q(cdn_stepper_state(stepper))[joint.first_q];
  *speed = cdn_state_u(cdn_stepper_state(stepper))[joint.first_u];
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return q;
}

/* An arm whose friction is stronger than its weight stays, displaced by their ratio times a thousandth; a weaker one
 * lets it fall. */
START_TEST(an_arm_is_held) {
  for (int k = 0; k < 2; k++) {
    char text[2000];
    double speed;
    snprintf(text, sizeof text, urdf, 5.0);
    cdn_model *model = k ? load(text, NULL) : load_mjcf("", 5, NULL);
    ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
    NEAR(angle_after(model, 10, &speed), (k ? 2 * 9.81 * 0.2 : 3.92) / 5 * 1e-3, 1e-8);
    NEAR(speed, 0, 1e-6);
    cdn_model_destroy(model);
    snprintf(text, sizeof text, urdf, 1.0);
    model = k ? load(text, NULL) : load_mjcf("", 1, NULL);
    ck_assert(angle_after(model, 0.3, &speed) > 0.5);
    ck_assert(fabs(speed) > 1);
    cdn_model_destroy(model);
  }
}
END_TEST

/* A tendon over a pin and a slider of bodies that know nothing of each other: its friction meets 1 / (0.5^2 / 0.4 +
 * 2^2 / 3), and gives way as far as the two joints do, 0.5 times 1 mrad and 2 times 0.1 mm. So a file with it is
 * complete where contact is compliant. */
START_TEST(tendons_stick) {
  static const char text[] = "<mujoco><worldbody><body name='wheel'><joint name='axle' axis='0 1 0'/>"
                             "<inertial pos='0 0 0' mass='1' diaginertia='.4 .4 .4'/></body>"
                             "<body name='sledge' pos='0 3 0'><joint name='rail' type='slide' axis='1 0 0'/>"
                             "<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/></body></worldbody>"
                             "<tendon><fixed name='cord' frictionloss='6'>"
                             "<joint joint='axle' coef='.5'/><joint joint='rail' coef='-2'/></fixed>"
                             "</tendon><actuator><motor name='pull' joint='rail'/></actuator></mujoco>";
  cdn_model_options options = cdn_default_model_options();
  options.strict = true, options.contact = CDN_MODEL_COMPLIANT;
  cdn_model *model = load(text, &options);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  ck_assert_int_eq(count_frictions(model), 1);
  check_numbers(state, "cord friction", 6, 0.5e-3 + 2e-4, 1 / (0.25 / 0.4 + 4. / 3));
  /* pulled by 11 N the sledge takes the wheel along: the tendon bears 3.7 N */
  OK(cdn_control_set(state, cdn_system_find_control(cdn_model_system(model), "pull"), 11));
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  const double *u = cdn_state_u(cdn_stepper_state(stepper));
  /* 0.5 w = 2 v, and so 3 v' + 0.4 (4 v') 4 = 11 */
  NEAR(u[1], 11 / (3 + 0.4 * 16), 2e-3);
  NEAR(0.5 * u[0], 2 * u[1], 1e-3);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("joint_friction_files", tendons_stick, a_file_of_mjcf, equal_steps, where_there_is_none, an_arm_is_held)
