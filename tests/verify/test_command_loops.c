/* A model with closed loops from a guess that does not close them: `cardan simulate` assembles first, says so, and runs
 * on the loop; and the examples' closed-loop robot through every command. */
#include "command_run.h"

#include <stdlib.h>

/* A crank of 1 m on the origin, a coupler of 2.5 m on it, and a rocker of 2 m at (3, 0); drawn closed with the crank
 * along x: coupler and rocker meet where circles about (1, 0) and (3, 0) do. */
enum { CRANK, COUPLER, ROCKER };
static const double ARM[3] = { 1, 2.5, 2 }, BASE = 3;
static double meeting_x(void) {
  return 1 + ((BASE - 1) * (BASE - 1) + ARM[COUPLER] * ARM[COUPLER] - ARM[ROCKER] * ARM[ROCKER]) / (2 * (BASE - 1));
}
static double meeting_z(void) {
  const double x = meeting_x() - 1;
  return sqrt(ARM[COUPLER] * ARM[COUPLER] - x * x);
}

static void write_four_bar(void) {
  char text[2048];
  const double x = meeting_x(), z = meeting_z();
  snprintf(
      text, sizeof text,
      "<mujoco model='four_bar'><option gravity='0 0 -9.81'/><default><joint axis='0 -1 0'/></default><worldbody>"
      "<body name='crank'><joint name='crank'/><inertial pos='.5 0 0' mass='1' diaginertia='.01 .1 .1'/>"
      "<body name='coupler' pos='1 0 0'><joint name='coupler'/>"
      "<inertial pos='.5 0 .5' mass='2' diaginertia='.1 .2 .1'/></body></body>"
      "<body name='rocker' pos='3 0 0'><joint name='rocker'/>"
      "<inertial pos='0 0 .7' mass='1.5' diaginertia='.2 .2 .01'/></body>"
      "</worldbody><equality><connect name='pin' body1='coupler' body2='rocker' anchor='%.17g 0 %.17g'/></equality>"
      "</mujoco>",
      x - 1, z);
  write_file("four_bar.xml", text);
}

/* How far the loop is open at these angles from the drawing, by plane geometry. */
static double gap(const double q[3]) {
  const double a = q[CRANK], b = a + q[COUPLER], c = q[ROCKER], x = meeting_x(), z = meeting_z();
  const double cx = cos(a) + cos(b) * (x - 1) - sin(b) * z, cz = sin(a) + sin(b) * (x - 1) + cos(b) * z;
  const double rx = BASE + cos(c) * (x - BASE) - sin(c) * z, rz = sin(c) * (x - BASE) + cos(c) * z;
  return hypot(cx - rx, cz - rz);
}

/* How fast the two ends part at these rates. */
static double gap_rate(const double q[3], const double u[3]) {
  const double a = q[CRANK], b = a + q[COUPLER], c = q[ROCKER], x = meeting_x(), z = meeting_z();
  const double wa = u[CRANK], wb = wa + u[COUPLER], wc = u[ROCKER];
  const double vx = -sin(a) * wa + (-sin(b) * (x - 1) - cos(b) * z) * wb - (-sin(c) * (x - BASE) - cos(c) * z) * wc;
  const double vz = cos(a) * wa + (cos(b) * (x - 1) - sin(b) * z) * wb - (cos(c) * (x - BASE) - sin(c) * z) * wc;
  return hypot(vx, vz);
}

static const char *guesses[] = {
  "{\"q\": [0.9, 0, 0], \"u\": [1, 0, 0]}",       /* as drawn, but for the crank, and only it turns */
  "{\"q\": [2.5, -3, 1.5], \"u\": [0.5, -2, 3]}", /* anything */
  "{\"q\": [-7, 11, -5], \"u\": [0, 0, 1]}",      /* turns away */
};
static const double open_by[][3] = { { 0.9, 0, 0 }, { 2.5, -3, 1.5 }, { -7, 11, -5 } };

START_TEST(simulate_assembles_a_bad_guess) {
  enter_directory();
  write_four_bar();
  write_file("guess.json", guesses[_i]);
  ck_assert(gap(open_by[_i]) > 0.3);
  SUCCEEDS("simulate four_bar.xml --initial guess.json --duration 2 --report 0.1 --accuracy 1e-6 -o rows.csv "
           "--summary run.json");
  SAYS(errors, "assembled first: constraint errors were");
  SAYS(errors, "--no-assemble");
  const table *t = parse_csv_file("rows.csv");
  ck_assert_int_eq(t->rows, 21);
  for (int i = 0; i < t->rows; i++) {
    /* the default tolerance is a tenth of the accuracy, in each of the ball's equations; the first row is assembled */
    AT_MOST(gap(t->value[i] + 1), i ? 2e-7 : 1e-9);
    AT_MOST(0.1 * gap_rate(t->value[i] + 1, t->value[i] + 4), 2e-7);
  }
  json_t *run = parse_file("run.json");
  AT_MOST(number(run, "max_position_error"), 1e-7);
  AT_MOST(fabs(number(run, "energy_residual")), 1e-5);
  json_decref(run);

  /* the same as assembling and then simulating, to the bit; and what is assembled is not assembled again */
  static char first[TEXT_SIZE], second[TEXT_SIZE];
  SUCCEEDS("assemble four_bar.xml --initial guess.json -o closed.json");
  SUCCEEDS("simulate four_bar.xml --initial closed.json --duration 2 --report 0.1 --accuracy 1e-6 -o again.csv");
  ck_assert_ptr_null(strstr(errors, "assembled first"));
  read_file("rows.csv", first);
  read_file("again.csv", second);
  ck_assert_str_eq(first, second);

  /* not asked to assemble, the stepper says what is wrong and what to do */
  EXITS(1, "simulate four_bar.xml --initial guess.json --duration 2 --no-assemble");
  SAYS(errors, "pin");
  SAYS(errors, "assemble");
}
END_TEST

/* Arms that do not reach each other: honest failure, and no trajectory. */
START_TEST(what_cannot_be_closed_is_told) {
  enter_directory();
  write_file("short.xml",
             "<mujoco model='short'><worldbody><body name='a'><joint name='a' axis='0 1 0'/>"
             "<inertial pos='.5 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
             "<body name='b' pos='4 0 0'><joint name='b' axis='0 1 0'/>"
             "<inertial pos='.5 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>"
             "<equality><weld name='bond' body1='a' body2='b' relpose='1 0 0 1 0 0 0'/></equality></mujoco>");
  EXITS(1, "simulate short.xml --duration 1 -o rows.csv");
  SAYS(errors, "bond");
  ck_assert(!exists("rows.csv"));
}
END_TEST

START_TEST(the_robot_of_the_examples) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char model[1024];
  enter_directory();
  ck_assert_ptr_nonnull(root);
  snprintf(model, sizeof model, "'%s/examples/models/five_bar.xml'", root);
  SUCCEEDS("info %s --strict --json", model);
  json_t *info = parse(output);
  ck_assert_int_eq(integer(info, "degrees_of_freedom"), 2);
  json_t *constraint = json_array_get(member(info, "constraints"), 0);
  ck_assert_str_eq(json_string_value(member(constraint, "name")), "tool_pin");
  ck_assert_int_eq(integer(constraint, "idle"), 1);
  json_decref(info);

  SUCCEEDS("assemble %s --goal left_motor=-0.35 --goal right_motor=-0.15 -o reach.json", model);
  json_t *state = parse_file("reach.json");
  NEAR(element(state, "q", 4, 0), -0.35, 1e-9);
  NEAR(element(state, "q", 4, 2), -0.15, 1e-9);
  json_decref(state);
  SUCCEEDS("simulate %s --initial reach.json --duration 2 --accuracy 1e-6 -o motion.csv --summary run.json", model);
  ck_assert_ptr_null(strstr(errors, "assembled first"));
  json_t *run = parse_file("run.json");
  AT_MOST(fabs(number(run, "energy_residual")), 1e-5);
  AT_MOST(number(run, "max_constraint_error"), 1e-7);
  ck_assert(number(run, "work") < -0.1); /* its joints are damped */
  json_decref(run);
  SAYS(parse_csv_file("motion.csv")->header, "tool[0],tool[1],tool[2]");
  SUCCEEDS("plot motion.csv -o motion.svg");
  ck_assert(exists("motion.svg"));
  /* a keyframe that is a guess */
  SUCCEEDS("simulate %s --key reach --duration 0.5 -o key.csv", model);
  SAYS(errors, "assembled first");
}
END_TEST

/* A mass on a rail, tied to its place. With a constant impedance d at rest K d x = g (1 - d) / d, and K = 1 / (d
 * T)^2. */
START_TEST(equalities_give_way_where_they_may) {
  enter_directory();
  write_file("tied.xml", "<mujoco><worldbody><body name='load'><joint name='rail' type='slide' axis='0 0 1'/>"
                         "<geom type='sphere' size='.1' mass='3'/></body></worldbody>"
                         "<equality><joint name='tie' joint1='rail' polycoef='0' solimp='.9 .9'/></equality></mujoco>");
  const double rest = -9.81 * (1 - 0.9) / 0.9 * 0.9 * 0.02 * 0.02;
  SUCCEEDS("simulate tied.xml --equality soft --duration 1 --report 1 -o rows.csv --accuracy 1e-6");
  const table *rows = parse_csv_file("rows.csv");
  NEAR(rows->value[rows->rows - 1][1], rest, 1e-6 * fabs(rest));
  SUCCEEDS("info tied.xml");
  ck_assert_ptr_null(strstr(output, "soft equalities"));
  SUCCEEDS("info tied.xml --equality soft");
  SAYS(output, "soft equalities: ");
  SUCCEEDS("info tied.xml --equality soft --json");
  json_t *info = parse(output);
  ck_assert_int_eq((int)json_array_size(member(info, "constraints")), 0);
  ck_assert_int_gt((int)json_array_size(member(info, "soft_equalities")), 0);
  json_decref(info);
  SUCCEEDS("eval tied.xml --equality soft --json");
  json_t *result = parse(output);
  ck_assert_str_eq(json_string_value(member(json_array_get(member(result, "soft_rows"), 0), "name")), "tie");
  json_decref(result);
  SUCCEEDS("simulate tied.xml --equality exact --duration 1 --report 1 -o rows.csv");
  rows = parse_csv_file("rows.csv");
  AT_MOST(fabs(rows->value[rows->rows - 1][1]), 1e-9);
  EXITS(2, "simulate tied.xml --equality hard --duration 1");
  SAYS(errors, "--equality is exact or soft, not 'hard'");
}
END_TEST

/* Shapes that are within each other are parted before they touch rigidly. */
START_TEST(simulate_parts_what_overlaps) {
  enter_directory();
  write_file("sunk.xml", "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 .08'>"
                         "<freejoint/><geom name='box' type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
  SUCCEEDS("simulate sunk.xml --contact rigid --duration 0.1");
  SAYS(errors, "assembled first: shapes overlapped by up to 0.02 m");
  ck_assert_int_ne(cardan("simulate sunk.xml --contact rigid --duration 0.1 --no-assemble"), 0);
  SAYS(errors, "shapes 'floor - box' overlap by 0.02 m, too much for a start");
  SUCCEEDS("simulate sunk.xml --contact compliant --duration 0.01");
  ck_assert_ptr_null(strstr(errors, "assembled first"));
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, simulate_assembles_a_bad_guess, 0, 3);
  tcase_add_test(c, what_cannot_be_closed_is_told);
  tcase_add_test(c, the_robot_of_the_examples);
  tcase_add_test(c, equalities_give_way_where_they_may);
  tcase_add_test(c, simulate_parts_what_overlaps);
}

CHECK_MAIN_OF("command_loops", 120, add)
