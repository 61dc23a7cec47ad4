/* `cardan assemble` as its users meet it: goals, locks, states that go on to other commands, mistakes. */
#include "command_run.h"

/* Without constraints goals are met exactly, and what nobody wants stays. */
START_TEST(goals_are_met) {
  enter_directory();
  SUCCEEDS("assemble one.xml --goal hinge=0.25");
  SAYS(output, "degrees of freedom   1");
  SAYS(output, "hinge.q");
  SAYS(output, "0.25");
  ck_assert_str_eq(errors, "");

  write_file("state.json", creature_state);
  SUCCEEDS("assemble creature.xml --quiet --initial state.json --goal slide=-0.125 --goal 'root[4]=1.5' -o -");
  json_t *state = parse(output);
  ck_assert(number(state, "time") == 0.1);
  const double was[] = { 0.9, 0.1, -0.2, 0.30000000000000004, 1, 2, 3, 0.7, 0.1, 0.2, 0.3, -0.6, 0.017 };
  for (size_t i = 0; i < 13; i++) {
    const double q = element(state, "q", 13, i);
    if (i == 12) NEAR(q, -0.125, 1e-15);
    else if (i == 4) NEAR(q, 1.5, 1e-15);
    else if (i > 10 || i == 5 || i == 6) ck_assert(q == was[i]);
  }
  /* quaternions come out of unit length: they turn as they did */
  double ratio = element(state, "q", 13, 0) / was[0];
  for (size_t i = 1; i < 4; i++) NEAR(element(state, "q", 13, i), ratio * was[i], 1e-15);
  NEAR(element(state, "u", 11, 1), 1.7, 0);
  json_decref(state);
}
END_TEST

START_TEST(locked_joints_stay) {
  enter_directory();
  SUCCEEDS("assemble one.xml --key raised --lock hinge=0.7 --goal hinge=0.25 -o held.json");
  SAYS(output, "degrees of freedom   0");
  json_t *state = parse_file("held.json");
  ck_assert(element(state, "q", 1, 0) == 0.7);
  json_decref(state);
  SUCCEEDS("simulate one.xml --duration 0.1 --initial held.json -o rows.csv");
  ck_assert(parse_csv_file("rows.csv")->value[0][1] == 0.7);
  SUCCEEDS("simulate one.xml --duration 0.1 --initial held.json --no-assemble");
}
END_TEST

/* y - x = 1 is met nearest to the start at -0.5 and 0.5; x has a limit at -0.1. The joints are without gravity and rest
 * where they are put. */
START_TEST(a_run_is_assembled_within_limits) {
  enter_directory();
  write_file(
      "limited.xml",
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' axis='0 0 1' range='-0.1 1'/>"
      "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body><body><joint name='y' axis='0 0 1'/>"
      "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody>"
      "<compiler angle='radian'/><equality><joint joint1='y' joint2='x' polycoef='1 1 0 0 0'/></equality></mujoco>");
  SUCCEEDS("simulate limited.xml --duration 0.1 -o rows.csv");
  const table *rows = parse_csv_file("rows.csv");
  NEAR(rows->value[0][1], -0.1, 1e-6);
  NEAR(rows->value[0][2], 0.9, 1e-6);
  ck_assert(rows->value[0][1] >= -0.1);
}
END_TEST

/* A finger that mimics another has nothing to do with the joint that is moved, nor has what hangs on that with the
 * fingers. */
START_TEST(what_nobody_wants_stays) {
  enter_directory();
  write_file("fingers.xml",
             "<mujoco><option><flag contact='disable'/></option><worldbody><body name='base'>"
             "<joint name='a' axis='0 0 1'/><geom type='sphere' size='.1' mass='5'/>"
             "<body name='arm' pos='1 0 0'><joint name='b' axis='0 0 1'/>"
             "<geom type='sphere' size='.1' pos='1 0 0' mass='1'/>"
             "<body name='f1' pos='1 0 0'><joint name='c' axis='0 0 1'/>"
             "<geom type='sphere' size='.1' pos='.5 0 0' mass='1'/></body>"
             "<body name='f2' pos='1 0 0'><joint name='d' axis='0 0 1'/>"
             "<geom type='sphere' size='.1' pos='.5 0 0' mass='1'/></body></body></body></worldbody>"
             "<equality><joint name='mimic' joint1='c' joint2='d' polycoef='0 -1 0 0 0'/></equality></mujoco>");
  static const char *const goals[] = { "a=0.5", "b=0.7", "c=0.3", "d=-0.2" };
  static const double expected[4][4] = { { 0.5, 0, 0, 0 }, { 0, 0.7, 0, 0 }, { 0, 0, 0.3, -0.3 }, { 0, 0, 0.2, -0.2 } };
  for (int i = 0; i < 4; i++) {
    char command[96];
    snprintf(command, sizeof command, "assemble fingers.xml --goal %s -o -", goals[i]);
    SUCCEEDS(command);
    json_t *state = parse(output);
    for (size_t k = 0; k < 4; k++) {
      NEAR(element(state, "q", 4, k), expected[i][k], 1e-12);
      if (expected[i][k] == 0) ck_assert(element(state, "q", 4, k) == 0);
    }
    json_decref(state);
  }
}
END_TEST

static const char arm[] =
    "<robot name='arm'><link name='base'/><link name='l1'><inertial><origin xyz='0 0 -.5'/><mass value='1'/>"
    "<inertia ixx='.1' iyy='.1' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='l2'><inertial><mass value='1'/>"
    "<inertia ixx='.1' iyy='.1' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='revolute'><parent link='base'/><child link='l1'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='1'/></joint>"
    "<joint name='k' type='prismatic'><parent link='l1'/><child link='l2'/><axis xyz='0 1 0'/>"
    "<limit lower='0.1234567891' upper='0.3' effort='10' velocity='1'/></joint></robot>";

START_TEST(limits_bind) {
  enter_directory();
  write_file("arm.urdf", arm);
  SUCCEEDS("assemble arm.urdf --quiet -o start.json");
  json_t *state = parse_file("start.json");
  ck_assert(element(state, "q", 2, 0) == 0 && element(state, "q", 2, 1) == 0.1234567891);
  json_decref(state);
  static const struct {
    const char *goal;
    double expected;
    bool outside;
  } goals[] = { { "j=2", 1, true }, { "j=-3", -1, true }, { "j=0.5", 0.5, false }, { "j=1", 1, false } };
  for (int i = 0; i < 4; i++) {
    char command[96];
    snprintf(command, sizeof command, "assemble arm.urdf --initial start.json --goal %s -o out.json", goals[i].goal);
    SUCCEEDS(command);
    ck_assert((strstr(errors, "outside the limits [-1, 1] of joint 'j'") != NULL) == goals[i].outside);
    state = parse_file("out.json");
    NEAR(element(state, "q", 2, 0), goals[i].expected, 1e-12);
    json_decref(state);
  }
  SUCCEEDS("assemble arm.urdf --initial start.json --lock j=0.75");
  EXITS(2, "assemble arm.urdf --initial start.json --lock j=2 -o refused.json");
  SAYS(errors, "joint 'j' would be held at 2, outside its limits [-1, 1]");
  SAYS(errors, "--lock j=1");
  ck_assert(!exists("refused.json"));
  SUCCEEDS("assemble arm.urdf --lock k"); /* where it starts: at its limit */
  EXITS(2, "assemble arm.urdf --lock k=0");
  SAYS(errors, "--lock k=0.1234567891");
  SUCCEEDS("assemble arm.urdf --lock k=0.1234567891");
  SUCCEEDS("assemble arm.urdf --tree-only --goal j=2 -o free.json"); /* that leaves the limits out */
  state = parse_file("free.json");
  NEAR(element(state, "q", 2, 0), 2, 1e-12);
  json_decref(state);
}
END_TEST

START_TEST(mistakes) {
  enter_directory();
  EXITS(2, "assemble");
  EXITS(2, "assemble one.xml --goal hinge");
  SAYS(errors, "JOINT=VALUE");
  EXITS(2, "assemble one.xml --goal hinge=");
  EXITS(2, "assemble one.xml --goal hinge=nan");
  SAYS(errors, "not a finite number");
  EXITS(2, "assemble one.xml --goal hing=1");
  SAYS(errors, "did you mean 'hinge'");
  EXITS(2, "assemble one.xml --goal 'hinge[1]=1'");
  SAYS(errors, "hinge");
  EXITS(2, "assemble one.xml --goal 'hinge[x]=1'");
  SAYS(errors, "number in brackets");
  EXITS(2, "assemble creature.xml --quiet --goal root=1");
  SAYS(errors, "7 coordinates");
  EXITS(2, "assemble creature.xml --quiet --goal 'root[0]=1'");
  SAYS(errors, "is not a speed");
  EXITS(2, "assemble one.xml --goal =1");
  EXITS(2, "assemble one.xml --lock elbow");
  EXITS(3, "assemble nowhere.xml");
  EXITS(4, "assemble one.xml -o nowhere/state.json");
  EXITS(2, "simulate --resume run.checkpoint --no-assemble");
  SUCCEEDS("assemble --help");
  SAYS(output, "--goal JOINT=VALUE");
}
END_TEST

CHECK_MAIN("command_assemble", goals_are_met, locked_joints_stay, what_nobody_wants_stays, limits_bind,
           a_run_is_assembled_within_limits, mistakes)
