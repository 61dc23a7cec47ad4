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

CHECK_MAIN("command_controls", controls_are_listed, controls_are_set, mistakes)
