/* Control inputs on the command line: `info` lists them, keyframes and --control set them, mistakes are told. */
#include "command_run.h"

static const char cart[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='cart'><joint name='rail' type='slide' axis='1 0 0'/>"
    "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody><actuator>"
    "<motor name='drive' joint='rail' ctrlrange='-10 10'/><motor name='brake' joint='rail' gear='3'/></actuator>"
    "<keyframe><key name='push' ctrl='4 0'/></keyframe></mujoco>";

START_TEST(controls_are_listed) {
  enter_directory();
  write_file("cart.xml", cart);
  SUCCEEDS("info cart.xml --json");
  json_t *info = parse(output), *controls = member(info, "controls");
  ck_assert_int_eq((int)json_array_size(controls), 2);
  json_t *drive = json_array_get(controls, 0), *brake = json_array_get(controls, 1);
  ck_assert_str_eq(json_string_value(member(drive, "name")), "drive");
  ck_assert_str_eq(json_string_value(member(drive, "unit")), "N");
  ck_assert(number(drive, "lower") == -10 && number(drive, "upper") == 10);
  ck_assert(json_is_null(member(brake, "lower")) && json_is_null(member(brake, "upper")));
  json_decref(info);
  SUCCEEDS("info cart.xml");
  SAYS(output, "drive    -10.0 to 10.0 (N)");
  SAYS(output, "brake    none");
}
END_TEST

/* x = F t^2 / (2 m), with m = 2 kg and t = 1 s. */
static void moves(const char *options, double force) {
  SUCCEEDS("simulate cart.xml --duration 1 --report 1 -o rows.csv %s", options);
  const table *rows = parse_csv_file("rows.csv");
  NEAR(rows->value[rows->rows - 1][1], force / 4, 1e-9);
  SUCCEEDS("eval cart.xml --json %s", options);
  json_t *result = parse(output);
  NEAR(element(result, "udot", 1, 0), force / 2, 1e-14);
  json_decref(result);
}

START_TEST(controls_are_set) {
  enter_directory();
  write_file("cart.xml", cart);
  moves("", 0);
  moves("--key push", 4);
  moves("--control drive=2.5", 2.5);
  moves("--control drive=50", 10); /* its limit */
  moves("--key push --control brake=-1", 4 - 3);
  moves("--key push --control drive=1 --control brake=-1", 1 - 3);
  moves("--key push --tree-only", 0);
}
END_TEST

/* A hundred slides, and a control for each. */
START_TEST(there_may_be_many) {
  enum { MANY = 100 };
  static char text[40000], options[4000];
  enter_directory();
  strcpy(text, "<mujoco><option gravity='0 0 0'/><worldbody>");
  for (int i = 0; i < MANY; i++)
    sprintf(text + strlen(text),
            "<body pos='%d 0 0'><joint name='j%d' type='slide'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 "
            "1'/></body>",
            i, i);
  strcat(text, "</worldbody><actuator>");
  for (int i = 0; i < MANY; i++) {
    sprintf(text + strlen(text), "<motor name='m%d' joint='j%d'/>", i, i);
    sprintf(options + strlen(options), " --control m%d=%d", i, i);
  }
  strcat(text, "</actuator></mujoco>");
  write_file("many.xml", text);
  SUCCEEDS("eval many.xml --json%s", options);
  json_t *result = parse(output);
  for (int i = 0; i < MANY; i++) NEAR(element(result, "udot", MANY, (size_t)i), i, 1e-12);
  json_decref(result);
}
END_TEST

/* A run's columns have whole names, however long, and are found by them. */
START_TEST(long_names_are_found) {
  static char text[2000], name[601];
  enter_directory();
  memset(name, 'b', 600);
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body name='%s'><joint/><geom size='.1'/></body><body name='%s2'><joint/>"
           "<geom size='.1' pos='3 0 0'/></body></worldbody></mujoco>",
           name, name);
  write_file("long.xml", text);
  SUCCEEDS("simulate long.xml --duration .1 -o long.csv");
  SUCCEEDS("export long.xml long.csv -o long.glb");
  ck_assert(exists("long.glb"));
}
END_TEST

START_TEST(mistakes) {
  enter_directory();
  write_file("cart.xml", cart);
  EXITS(2, "eval cart.xml --control drove=1");
  SAYS(errors, "did you mean 'drive'?");
  EXITS(2, "eval cart.xml --control drive");
  SAYS(errors, "--control NAME=VALUE");
  EXITS(2, "eval cart.xml --control drive=fast");
  SAYS(errors, "'fast' is not a number");
  EXITS(2, "eval cart.xml --control drive=nan");
  SAYS(errors, "drive");
  EXITS(2, "eval one.xml --control drive=1");
  SAYS(errors, "no controls");
  EXITS(2, "simulate --resume run.checkpoint --control drive=1");
}
END_TEST

/* A pendulum hangs on a mocap body; its recording is played with the body where it was. */
static const char hook[] =
    "<mujoco><worldbody><body name='hook' mocap='true' pos='0 0 2'><body name='bob' pos='0 0 0'><joint name='swing' "
    "axis='0 1 0'/><inertial pos='0 0 -1' mass='2' diaginertia='1 1 1'/></body></body></worldbody>"
    "<keyframe><key name='there' mpos='1 2 3'/></keyframe></mujoco>";

static void hangs(const char *options, double x, double y, double z) {
  SUCCEEDS("eval hook.xml --json %s", options);
  json_t *result = parse(output);
  const double want[3] = { x, y, z };
  json_t *bodies = member(result, "bodies"), *bob = json_array_get(bodies, json_array_size(bodies) - 1);
  for (size_t k = 0; k < 3; k++) NEAR(element(member(bob, "X_GB"), "p", 3, k), want[k], 1e-14);
  json_decref(result);
}

START_TEST(mocap_bodies_are_posed) {
  enter_directory();
  write_file("hook.xml", hook);
  write_file("cart.xml", cart);
  hangs("", 0, 0, 2);
  hangs("--key there", 1, 2, 3);
  hangs("--key there --mocap hook=4,5,6", 4, 5, 6);
  hangs("--mocap hook=4,5,6,0,0,0,2", 4, 5, 6);
  SUCCEEDS("simulate hook.xml --mocap hook=4,5,6 --duration 0.1 -o rows.csv");
  EXITS(2, "eval hook.xml --mocap hok=1,2,3");
  SAYS(errors, "did you mean 'hook'");
  EXITS(2, "eval hook.xml --mocap hook=1,2");
  SAYS(errors, "NAME=X,Y,Z");
  EXITS(2, "eval hook.xml --mocap hook=1,2,3,0,0,0,0");
  SAYS(errors, "quaternion is zero");
  EXITS(2, "eval cart.xml --mocap hook=1,2,3");
  SAYS(errors, "no mocap bodies");
}
END_TEST

CHECK_MAIN("command_controls", controls_are_listed, controls_are_set, there_may_be_many, long_names_are_found, mistakes,
           mocap_bodies_are_posed)
