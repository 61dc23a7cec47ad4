/* What `cardan simulate` says of runs that cannot deliver what was asked, and of those of which nobody knows. */
#include "command_run.h"

static const char *of_project(const char *name) {
  static char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
  return path;
}

/* A damped link of inertia 1e-20: the run ends at once and names the link, what it has too little and too much of, and
 * a cure. */
START_TEST(a_run_without_progress_ends_with_cause_and_cure) {
  enter_directory();
  write_file("turning.json", "{\"u\": [1, 0]}");
  EXITS(1, "simulate %s --initial turning.json --duration 1 --summary run.json", of_project("tests/data/stall.urdf"));
  SAYS(output, "asked 1e-4, delivered: unknown, as the run failed at t = ");
  SAYS(errors, "no progress");
  SAYS(errors, "'hinge.u' of body 'wire'");
  SAYS(errors, "damping of 1 on an inertia of 1e-20");
  SAYS(errors, "--armature");
  json_t *root = parse_file("run.json");
  ck_assert(json_is_true(member(root, "failed")));
  ck_assert_str_eq(json_string_value(member(root, "delivered")), "unknown");
  ck_assert_str_eq(json_string_value(member(member(root, "failure"), "element")), "hinge.u");
  AT_MOST(number(root, "wall_seconds"), 30); // some hundredths of a second, on a machine that does nothing else
  json_decref(root);

  // the cures
  SUCCEEDS("simulate %s --initial turning.json --duration 1 --armature 1e-3 --verify",
           of_project("tests/data/stall.urdf"));
#ifdef TEST_SUNDIALS
  SUCCEEDS("simulate %s --initial turning.json --duration 1 --method cvode-bdf --verify",
           of_project("tests/data/stall.urdf"));
  SUCCEEDS("simulate %s --initial turning.json --duration 1 --method ida --verify",
           of_project("tests/data/stall.urdf"));
#endif
}
END_TEST

/* An oscillator of 1e-9 m, of which nothing is seen at 1e-3. */
START_TEST(a_motion_below_the_accuracy_is_said) {
  enter_directory();
  write_file("tiny.xml", "<mujoco><worldbody><body name='mass'>\n"
                         "<joint name='rail' type='slide' axis='1 0 0' stiffness='1'/>\n"
                         "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>\n"
                         "</body></worldbody></mujoco>\n");
  write_file("state.json", "{\"q\": [1e-9]}");
  SUCCEEDS("simulate tiny.xml --initial state.json --duration 600 --accuracy 1e-3 --summary run.json");
  const char *end = strchr(output, '\n'), *flag = strstr(output, "rail.q moves by ");
  ck_assert_msg(flag && flag < end, "the first line does not say it:\n%s", output);
  SAYS(output, "below the accuracy");
  json_t *root = parse_file("run.json");
  ck_assert_str_eq(json_string_value(member(root, "below_tolerance")), "rail.q");
  ck_assert(number(root, "below_tolerance_motion") < 1e-3);
  ck_assert_str_eq(json_string_value(member(root, "delivered")), "unknown");
  json_decref(root);
  /* scripts get the same truth */
  EXITS(7, "simulate tiny.xml --initial state.json --duration 600 --accuracy 1e-3 --verify");
  EXITS(7, "simulate tiny.xml --initial state.json --duration 600 --accuracy 1e-3 --verify --deliver");

  write_file("state.json", "{\"q\": [1], \"u\": [0]}");
  SUCCEEDS("simulate tiny.xml --initial state.json --duration 10 --accuracy 1e-3");
  ck_assert_ptr_null(strstr(output, "resolved"));
}
END_TEST

/* A body a million kilometres away: no run delivers below the spacing of numbers there, nor does --deliver claim to. */
START_TEST(an_accuracy_below_rounding_is_said) {
  enter_directory();
  write_file("far.xml", "<mujoco><worldbody><body name='probe'><freejoint name='probe'/>\n"
                        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>\n");
  write_file("state.json", "{\"q\": [1, 0, 0, 0, 1e9, 0, 0], \"u\": [0, 0, 0, 1, 2, 3]}");
  SUCCEEDS("simulate far.xml --initial state.json --duration 2 --accuracy 1e-9 --deliver --summary run.json");
  const char *end = strchr(output, '\n'), *flag = strstr(output, "probe.px is rounded to 2.2e-7");
  ck_assert_msg(flag && flag < end, "the first line does not say it:\n%s", output);
  SAYS(output, "not attainable");
  json_t *root = parse_file("run.json");
  ck_assert(json_is_false(member(root, "delivered")));
  ck_assert_str_eq(json_string_value(member(root, "below_rounding")), "probe.px");
  json_decref(root);
  SUCCEEDS("simulate far.xml --initial state.json --duration 2 --accuracy 1e-6 --verify");
  ck_assert_ptr_null(strstr(output, "rounded to"));
}
END_TEST

/* One iteration of a file does not solve its rows of soft contact where boxes tumble onto each other. Error control
 * does not obey it; steps as the file's do. */
START_TEST(iterations_of_a_file_hold_in_its_own_steps) {
  double error[2];
  enter_directory();
  for (int iterations = 1; iterations <= 100; iterations += 99) {
    FILE *file = fopen("stack.xml", "w");
    fprintf(file,
            "<mujoco><option iterations='%d'/><worldbody><geom type='plane' size='5 5 .1'/>\n"
            "<body pos='0 0 .15' euler='20 10 0'><freejoint/><geom type='box' size='.1 .1 .1'/></body>\n"
            "<body pos='0 0 .42' euler='0 30 10'><freejoint/><geom type='box' size='.1 .1 .1' mass='20'/></body>\n"
            "<body pos='0 0 .7'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>\n",
            iterations);
    fclose(file);
    SUCCEEDS("simulate stack.xml --contact soft --duration 0.3 --verify --summary run.json");
    json_t *root = parse_file("run.json");
    ck_assert(!json_string_value(member(root, "doubt"))[0]);
    ck_assert(json_number_value(member(root, "max_soft_residual")) < 1e-8);
    json_decref(root);
    SUCCEEDS("simulate stack.xml --method file --duration 0.3 --summary run.json");
    root = parse_file("run.json");
    error[iterations > 1] = json_number_value(member(root, "max_soft_residual"));
    json_decref(root);
  }
  ck_assert_msg(error[0] > 0.01 && error[1] < 1e-8, "residuals %g and %g", error[0], error[1]);
}
END_TEST

/* The shipped models move by what one sees. */
START_TEST(no_false_alarms) {
  static const char *const models[] = { "arm.urdf",     "five_bar.xml", "gymnast.xml",
                                        "pendulum.xml", "top.xml",      "walker.xml" };
  enter_directory();
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    for (int k = 2; k <= 8; k += 2) {
      char path[64];
      snprintf(path, sizeof path, "examples/models/%s", models[i]);
      SUCCEEDS("simulate %s --duration 1 --accuracy 1e-%d --quiet", of_project(path), k);
      ck_assert_msg(!strstr(output, "resolved") && !strstr(output, "rounded to") && !strstr(output, "unknown"),
                    "%s: %s", models[i], output);
    }
  }
}
END_TEST

CHECK_MAIN("verdicts of the command", a_run_without_progress_ends_with_cause_and_cure,
           a_motion_below_the_accuracy_is_said, an_accuracy_below_rounding_is_said,
           iterations_of_a_file_hold_in_its_own_steps, no_false_alarms)
