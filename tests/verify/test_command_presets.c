/* --like and --preset: names for several options, of which each is as if it had been written, unless another one is. */
#include "command_run.h"

/* Two arms whose angles are coupled softly, over a floor that one of them touches; integrator and step are not the
 * defaults. */
static const char arms[] =
    "<mujoco><option timestep='.004' integrator='implicit'/><worldbody><geom type='plane' size='2 2 1'/>"
    "<body name='a' pos='0 0 .5'><joint name='a' axis='0 1 0' damping='.01'/><geom type='capsule' fromto='0 0 0 .6 0 "
    "0' "
    "size='.05'/></body><body name='b' pos='0 1 2'><joint name='b' axis='0 1 0'/><geom type='capsule' "
    "fromto='0 0 0 .3 0 0' size='.05'/></body></worldbody>"
    "<equality><joint joint1='a' joint2='b' polycoef='0 1 0 0 0' solref='.05 1'/></equality></mujoco>";

static const char robot[] =
    "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' "
    "ixz='0' iyz='0'/></inertial><collision><geometry><box size='.2 .2 .2'/></geometry></collision></link></robot>";

static void begin(void) {
  enter_directory();
  write_file("arms.xml", arms);
  write_file("robot.urdf", robot);
}

/* The rows of both calls are the same to the last bit, or not. */
static void check_rows(const char *one, const char *other, bool same) {
  static char first[TEXT_SIZE];
  SUCCEEDS("simulate %s --duration 1 -o a.csv --quiet", one);
  SUCCEEDS("simulate %s --duration 1 -o b.csv --quiet", other);
  read_file("a.csv", first);
  read_file("b.csv", output);
  ck_assert_msg((strcmp(first, output) == 0) == same, "%s and %s are %s", one, other,
                same ? "not the same" : "the same");
}

START_TEST(like_mujoco) {
  begin();
  check_rows("arms.xml --like mujoco", "arms.xml --method file --equality soft --contact soft", true);
  check_rows("arms.xml --like mujoco", "arms.xml --method mujoco-implicit --step 0.004 --equality soft --contact soft",
             true);
  check_rows("arms.xml --like mujoco", "arms.xml --method file", false);
  /* an option beside it wins */
  check_rows("arms.xml --like mujoco --equality exact", "arms.xml --method file", true);
  check_rows("arms.xml --like mujoco --contact compliant", "arms.xml --method file --equality soft --contact compliant",
             true);
  check_rows("arms.xml --like mujoco --step 0.002", "arms.xml --method file --equality soft --step 0.002", true);
  check_rows("arms.xml --like mujoco --method mujoco-euler", "arms.xml --method mujoco-euler --equality soft", true);
  /* of a file that says nothing MuJoCo takes its defaults */
  check_rows("robot.urdf --floating-base --like mujoco",
             "robot.urdf --floating-base --method mujoco-euler --step 0.002 --contact soft", true);
  /* commands that take no steps take contact and equality */
  SUCCEEDS("info arms.xml --like mujoco --json");
  json_t *info = parse(output);
  ck_assert_str_eq(json_string_value(member(info, "contact")), "soft");
  ck_assert_int_eq((int)json_array_size(member(info, "constraints")), 0);
  json_decref(info);
  EXITS(2, "simulate arms.xml --duration 1 --like bullet");
  SAYS(errors, "there is mujoco");
}
END_TEST

START_TEST(preset_interactive) {
  begin();
  check_rows("arms.xml --preset interactive",
             "arms.xml --contact soft --method mujoco-implicit-fast --step 0.004 --no-companion", true);
  check_rows(
      "robot.urdf --floating-base --ground --preset interactive",
      "robot.urdf --floating-base --ground --contact soft --method mujoco-implicit-fast --step 0.002 --no-companion",
      true);
  /* contact that is stiff needs the step in which it is implicit */
  check_rows("arms.xml --preset interactive --contact compliant",
             "arms.xml --contact compliant --method implicit-contact --step 0.004 --no-companion", true);
  check_rows("arms.xml --preset interactive --step 0.001",
             "arms.xml --contact soft --method mujoco-implicit-fast --step 0.001 --no-companion", true);
  check_rows("arms.xml --preset interactive --accuracy 1e-3", "arms.xml --contact soft --accuracy 1e-3 --no-companion",
             true);
  /* what it stands for is said, and that nobody knows the errors */
  SUCCEEDS("simulate arms.xml --preset interactive --duration 0.1");
  SAYS(
      errors,
      "preset interactive: --contact soft --method mujoco-implicit-fast --step 0.004 --no-companion; the errors of the "
      "run are unknown");
  SAYS(output, "error unknown");
  EXITS(2, "simulate arms.xml --duration 1 --preset quick");
  SAYS(errors, "there is interactive");
  EXITS(2, "simulate arms.xml --duration 1 --preset interactive --like mujoco");
  /* a checkpoint has what it stood for */
  SUCCEEDS("simulate arms.xml --preset interactive --duration 1 -o whole.csv --quiet --checkpoint run.checkpoint");
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  EXITS(2, "simulate --resume run.checkpoint --preset interactive");
}
END_TEST

CHECK_MAIN("command presets", like_mujoco, preset_interactive)
