/* cardan equilibrium, cardan modes and the degrees of freedom of cardan info, against closed forms of small models. */
#include "command_run.h"

/* Hangs at 0; two hinges that the equality ties together. */
static const char tied[] =
    "<mujoco model='tied'><option gravity='0 0 -9.81'/><worldbody>"
    "<body name='a'><joint name='left' axis='0 1 0'/><geom type='sphere' size='.1' pos='0 0 -1' mass='2'/></body>"
    "<body name='b' pos='3 0 0'><joint name='right' axis='0 1 0'/>"
    "<geom type='sphere' size='.1' pos='0 0 -1' mass='2'/></body>"
    "</worldbody><equality><joint name='tie' joint1='left' joint2='right' polycoef='0 1 0 0 0'/></equality></mujoco>";

static const double ANGULAR = MASS * G * LENGTH / ABOUT_JOINT; /* omega^2 of one.xml */

START_TEST(a_pendulum_comes_to_rest) {
  enter_directory();
  SUCCEEDS("equilibrium one.xml --key raised --json -o rest.json");
  json_t *found = parse(output), *report = member(found, "equilibrium");
  NEAR(element(found, "q", 1, 0), 0, 1e-9);
  ck_assert(element(found, "u", 1, 0) == 0);
  ck_assert_int_eq(integer(report, "stable"), 1);
  ck_assert_int_eq(integer(report, "unstable"), 0);
  AT_MOST(number(report, "unbalanced"), 1e-8);
  json_decref(found);
  SUCCEEDS("eval one.xml --state rest.json --json");
  found = parse(output);
  NEAR(element(found, "udot", 1, 0), 0, 1e-8);
  json_decref(found);

  SUCCEEDS("equilibrium one.xml");
  SAYS(output, "1 stable, 0 neutral, 0 unstable");
  SUCCEEDS("equilibrium one.xml --lock hinge=0.5 --json");
  found = parse(output);
  ck_assert(element(found, "q", 1, 0) == 0.5);
  json_decref(found);
}
END_TEST

START_TEST(upside_down) {
  enter_directory();
  write_file("up.json", "{\"q\": [3.1]}");
  SUCCEEDS("equilibrium one.xml --state up.json --any --json");
  json_t *found = parse(output);
  NEAR(element(found, "q", 1, 0), PI, 1e-9);
  ck_assert_int_eq(integer(member(found, "equilibrium"), "unstable"), 1);
  json_decref(found);
  SUCCEEDS("modes one.xml --state up.json --json");
  found = parse(output);
  json_t *list = member(found, "modes");
  ck_assert_int_eq((int)json_array_size(list), 2);
  double sum = 0;
  for (size_t k = 0; k < 2; k++) {
    const double re = number(json_array_get(list, k), "re");
    NEAR(fabs(re), sqrt(ANGULAR), 1e-9);
    sum += re;
  }
  NEAR(sum, 0, 1e-9);
  json_decref(found);
}
END_TEST

START_TEST(modes_of_a_pendulum) {
  enter_directory();
  SUCCEEDS("modes one.xml --shapes --json");
  json_t *found = parse(output), *list = member(found, "modes");
  ck_assert_int_eq((int)json_array_size(list), 1);
  json_t *mode = json_array_get(list, 0);
  NEAR(number(mode, "im"), sqrt(ANGULAR), 1e-12);
  NEAR(number(mode, "frequency"), sqrt(ANGULAR) / (2 * PI), 1e-12);
  NEAR(number(mode, "damping_ratio"), 0, 1e-12);
  ck_assert(element(mode, "shape_re", 1, 0) == 1);
  json_decref(found);
  SUCCEEDS("modes one.xml");
  SAYS(output, "hinge.u");
}
END_TEST

START_TEST(tied_pendulums) {
  enter_directory();
  write_file("tied.xml", tied);
  SUCCEEDS("info tied.xml --json");
  json_t *found = parse(output);
  ck_assert_int_eq(integer(found, "degrees_of_freedom"), 1);
  json_t *constraint = json_array_get(member(found, "constraints"), 0);
  ck_assert_str_eq(json_string_value(member(constraint, "name")), "tie");
  ck_assert_int_eq(integer(constraint, "equations"), 1);
  ck_assert_int_eq(integer(constraint, "redundant"), 0);
  json_decref(found);
  SUCCEEDS("info tied.xml");
  SAYS(output, "degrees of freedom  1 (2 speeds, 1 of them bound by constraints or locks)");
  SAYS(output, "tie");
  SUCCEEDS("modes tied.xml --json");
  found = parse(output);
  NEAR(number(json_array_get(member(found, "modes"), 0), "im"), sqrt(2 * 9.81 / (2 * (1 + 0.4 * 0.01))), 1e-9);
  json_decref(found);
}
END_TEST

/* Two links stretched out sideways: Newton's method alone finds no equilibrium from there, but there is one, and modes
 * about it: omega^2 = (2 -+ sqrt 2) g / l. Neutral, beside them, is what turns them about the vertical. */
START_TEST(modes_wherever_there_is_an_equilibrium) {
  enter_directory();
  write_file("arm.xml",
             "<mujoco model='arm'><option gravity='0 0 -9.81'/><worldbody>"
             "<body name='a'><joint name='turn' axis='0 0 1'/><joint name='lift' axis='0 1 0'/>"
             "<inertial pos='1 0 0' mass='2' diaginertia='1e-9 1e-9 1e-9'/>"
             "<body name='b' pos='1 0 0'><joint name='elbow' axis='0 1 0'/>"
             "<inertial pos='1 0 0' mass='2' diaginertia='1e-9 1e-9 1e-9'/></body></body></worldbody></mujoco>");
  write_file("turned.json", "{\"q\": [0.25, 0, 0]}");
  SUCCEEDS("equilibrium arm.xml --state turned.json --json");
  json_t *found = parse(output);
  ck_assert(element(found, "q", 3, 0) == 0.25);
  json_decref(found);
  SUCCEEDS("modes arm.xml --state turned.json --json");
  found = parse(output);
  ck_assert(element(found, "q", 3, 0) == 0.25);
  json_t *list = member(found, "modes");
  ck_assert_int_eq((int)json_array_size(list), 4);
  for (size_t k = 0; k < 2; k++) {
    ck_assert(number(json_array_get(list, k), "re") == 0 && number(json_array_get(list, k), "im") == 0);
    NEAR(number(json_array_get(list, 2 + k), "im"), sqrt((k ? 2 + sqrt(2) : 2 - sqrt(2)) * 9.81), 1e-6);
  }
  json_decref(found);
  SUCCEEDS("modes arm.xml");
  SAYS(output, "turn.u");
  ck_assert(!strstr(output, "-0.0000"));
}
END_TEST

START_TEST(nothing_holds_it) {
  enter_directory();
  write_file("stone.xml", "<mujoco><worldbody><body name='stone'><freejoint name='loose'/>"
                          "<geom type='sphere' size='.1' mass='1'/></body></worldbody></mujoco>");
  EXITS(1, "equilibrium stone.xml -o rest.json");
  SAYS(errors, "loose.vz");
  SAYS(errors, "500 iterations");
  ck_assert(!exists("rest.json"));
  EXITS(1, "modes stone.xml");
  EXITS(4, "equilibrium one.xml -o nowhere/rest.json");
  EXITS(2, "equilibrium one.xml --tolerance 0");
  EXITS(2, "equilibrium one.xml --lock elbow");
  EXITS(3, "modes missing.xml");
}
END_TEST

CHECK_MAIN("cardan equilibrium, cardan modes", a_pendulum_comes_to_rest, upside_down, modes_of_a_pendulum,
           tied_pendulums, modes_wherever_there_is_an_equilibrium, nothing_holds_it)
