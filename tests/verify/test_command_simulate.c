/* `cardan simulate` as its users meet it: trajectories, summaries, failures, terminals and signals. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- simulate --------------------------------------------------------------------------------- */

START_TEST(rows_are_where_they_were_asked_for) {
  enter_directory();
  write_file("state.json", "{\"time\": 1.5, \"q\": [0.7]}");
  SUCCEEDS("simulate one.xml --duration 1 --report 0.3 --initial state.json -o rows.csv --accuracy 1e-8");
  ck_assert_str_eq(errors, ""); // no progress where there is no terminal
  SAYS(output, "energy residual");
  table *t = parse_csv_file("rows.csv");
  ck_assert_str_eq(t->header, "time,hinge.q,hinge.u,kinetic_energy,potential_energy");
  ck_assert_int_eq(t->rows, 5);
  const double times[] = { 1.5, 1.5 + 0.3, 1.5 + 2 * 0.3, 1.5 + 3 * 0.3, 2.5 };
  double energy = -MASS * G * LENGTH * cos(0.7);
  for (int i = 0; i < 5; i++) {
    double q = t->value[i][1], u = t->value[i][2];
    ck_assert(t->value[i][0] == times[i]);
    NEAR(t->value[i][3], 0.5 * ABOUT_JOINT * u * u, ROUNDING);
    NEAR(t->value[i][4], -MASS * G * LENGTH * cos(q), ROUNDING);
    // no friction; a second of motion at accuracy 1e-8 loses little of 11 J
    NEAR(t->value[i][3] + t->value[i][4], energy, 1e-6);
  }
  ck_assert(t->value[0][1] == 0.7 && t->value[0][2] == 0);

  // an interval that divides the duration, by decimal reckoning, ends in one row, not two
  SUCCEEDS("simulate one.xml --duration 0.3 --report 0.1 -o rows.csv");
  t = parse_csv_file("rows.csv");
  ck_assert_int_eq(t->rows, 4);
  ck_assert(t->value[3][0] == 0.3);
  SUCCEEDS("simulate one.xml --duration 1 --report 5 -orows.csv");
  t = parse_csv_file("rows.csv");
  ck_assert_int_eq(t->rows, 2);
  ck_assert(t->value[0][0] == 0 && t->value[1][0] == 1);
  SUCCEEDS("simulate one.xml --duration 1 --output=rows.csv");
  t = parse_csv_file("rows.csv");
  ck_assert_int_eq(t->rows, 101);
}
END_TEST

/* A pendulum's tip, its speed, and what an accelerometer there shows: beside the coordinates, in a picture, and again
 * after a run that was cut in two. */
START_TEST(sensors_are_columns) {
  enter_directory();
  write_file(
      "sensors.xml",
      "<mujoco><worldbody><body name='rod'><joint name='hinge' axis='0 1 0'/>"
      "<inertial pos='0 0 -1' mass='2' diaginertia='0.1 0.1 0.1'/><site name='tip' pos='0 0 -2'/></body></worldbody>"
      "<sensor><framepos name='tip' objtype='site' objname='tip'/><jointvel name='rate' joint='hinge'/>"
      "<accelerometer name='acc' site='tip'/></sensor></mujoco>");
  write_file("state.json", "{\"q\": [1.1], \"u\": [0.5]}");
  SUCCEEDS("info sensors.xml");
  SAYS(output, "sensors: tip, rate, acc");
  SUCCEEDS("simulate sensors.xml --duration 2 --initial state.json -o rows.csv --step-sizes --quiet");
  table *t = parse_csv_file("rows.csv");
  ck_assert_str_eq(t->header, "time,hinge.q,hinge.u,kinetic_energy,potential_energy,tip[0],tip[1],tip[2],rate,acc[0],"
                              "acc[1],acc[2],step_size");
  for (int i = 0; i < t->rows; i++) {
    const double *row = t->value[i], q = row[1], u = row[2], g = 9.81, r = 2;
    const double udot = -2 * g * sin(q) / 2.1; /* m g d over the inertia about the hinge */
    NEAR(row[5], -r * sin(q), 1e-14);
    NEAR(row[7], -r * cos(q), 1e-14);
    ck_assert(row[6] == 0 && row[8] == u && row[10] == 0);
    /* along the arc, and towards the hinge, less gravity */
    NEAR(row[9], -r * udot - g * sin(q), 1e-12);
    NEAR(row[11], r * u * u + g * cos(q), 1e-12);
  }
  SUCCEEDS("simulate sensors.xml --duration 2 --initial state.json -o again.csv --step-sizes --quiet --checkpoint c "
           "--checkpoint-every 0.7");
  SUCCEEDS("simulate --resume c --quiet");
  static char whole[TEXT_SIZE], cut[TEXT_SIZE];
  read_file("rows.csv", whole);
  read_file("again.csv", cut);
  ck_assert_str_eq(whole, cut);
  int code = cardan("plot rows.csv --columns tip,rate,acc -o sensors.svg");
  if (code != 0) SAYS(errors, "without Cairo");
}
END_TEST

START_TEST(rows_hold_states_that_evaluate_to_the_same) {
  enter_directory();
  write_file("state.json", creature_state);
  SUCCEEDS("simulate creature.xml --duration 0.5 --report 0.1 --initial state.json -o rows.csv --quiet");
  table *t = parse_csv_file("rows.csv");
  SAYS(t->header, "\"wrist, left");
  ck_assert_int_eq(t->columns, 1 + 13 + 11 + 2);
  ck_assert_int_eq(t->rows, 6);
  for (int row = 0; row < t->rows; row++) {
    FILE *file = fopen("row.json", "w");
    ck_assert_ptr_nonnull(file);
    const double *v = t->value[row];
    fprintf(file, "{\"time\": %.17g", v[0]);
    for (int i = 0; i < 24; i++) {
      const char *before = i == 0 ? ", \"q\": [" : i == 13 ? "], \"u\": [" : ", ";
      fprintf(file, "%s%.17g", before, v[1 + i]);
    }
    fprintf(file, "]}");
    fclose(file);
    SUCCEEDS("eval creature.xml --state row.json --json");
    json_t *root = parse(output);
    ck_assert(number(root, "kinetic_energy") == v[25]);
    ck_assert(number(root, "potential_energy") == v[26]);
    json_decref(root);
  }
}
END_TEST

START_TEST(standard_output_carries_the_trajectory_alone) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key raised --duration 1 --report 0.25 -o rows.csv");
  SUCCEEDS("simulate one.xml --key raised --duration 1 --report 0.25 -o -");
  SAYS(errors, "energy residual");
  static char text[TEXT_SIZE];
  read_file("rows.csv", text);
  ck_assert_str_eq(output, text);
  SUCCEEDS("simulate one.xml --key raised --duration 1 --summary -");
  SAYS(errors, "energy residual");
  json_decref(parse(output));
}
END_TEST

START_TEST(the_summary_says_what_the_run_was_worth) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key raised --duration 2 --accuracy 1e-7 --summary run.json --verify");
  json_t *root = parse_file("run.json");
  double energy = 0.5 * ABOUT_JOINT * 0.25 * 0.25 - MASS * G * LENGTH * cos(1.5);
  ck_assert_int_gt(integer(root, "steps"), 5);
  ck_assert_int_ge(integer(root, "rejected"), 0);
  // a step of the default method is two evaluations
  ck_assert_int_ge(integer(root, "evaluations"), 2 * integer(root, "steps"));
  NEAR(number(root, "energy_initial"), energy, ROUNDING);
  NEAR(number(root, "energy_final"), energy, 1e-5);
  AT_MOST(fabs(number(root, "energy_residual")), 1e-6);
  AT_MOST(number(root, "max_constraint_error"), 0);
  ck_assert(number(root, "wall_seconds") > 0);
  ck_assert(number(root, "time_initial") == 0.5 && number(root, "time_final") == 2.5);
  ck_assert(number(root, "accuracy") == 1e-7);
  ck_assert(json_is_false(member(root, "failed")) && json_is_false(member(root, "interrupted")));
  // a pendulum amplifies errors little, and errors of its steps nearly cancel
  ck_assert(json_is_true(member(root, "delivered")));
  AT_MOST(number(root, "error_estimate"), 3e-7);
  ck_assert(number(root, "error_estimate") > 0);
  ck_assert(number(root, "delivered_until") == 2.5);
  ck_assert_int_gt(integer(root, "companion_evaluations"), integer(root, "evaluations"));
  AT_MOST((double)integer(root, "companion_evaluations"), 1.5 * (double)integer(root, "evaluations"));
  ck_assert_msg(strncmp(output, "asked 1e-7, delivered about ", 28) == 0, "%s", output);
  json_decref(root);

  SUCCEEDS("simulate one.xml --key raised --duration 1 --step 0.125 --summary run.json");
  root = parse_file("run.json");
  ck_assert_int_eq(integer(root, "steps"), 8);
  ck_assert(number(root, "fixed_step") == 0.125);
  ck_assert(json_is_null(member(root, "accuracy")));
  ck_assert_str_eq(json_string_value(member(root, "delivered")), "unknown");
  ck_assert(number(root, "error_estimate") > 0);
  json_decref(root);
}
END_TEST

/* A light arm with a strong damper on its joint: it relaxes within a millisecond and then creeps. */
static const char damped[] =
    "<mujoco model='damped'><worldbody><body name='arm'><joint name='hinge' axis='0 1 0' damping='200'/>"
    "<inertial pos='0 0 -0.5' mass='0.1' diaginertia='0.01 0.01 0.01'/></body></worldbody>"
    "<keyframe><key name='kicked' qpos='1' qvel='3'/></keyframe></mujoco>";

/* A ball above a floor: the energies of its fall through the floor are fine. */
START_TEST(the_certificate_says_what_was_left_out) {
  enter_directory();
  write_file("ball.xml", "<mujoco><worldbody>\n"
                         "  <geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>\n"
                         "  <body name=\"ball\" pos=\"0 0 1\"><freejoint name=\"root\"/><geom size=\"0.1\"/></body>\n"
                         "</worldbody></mujoco>\n");
  SUCCEEDS("simulate ball.xml --duration 1 --quiet --contact none --summary run.json");
  SAYS(output, "not simulated             2 x geom contact");
  SAYS(output, "pass through");
  json_t *root = parse_file("run.json"), *notes = member(root, "not_understood");
  ck_assert_int_eq((int)json_array_size(notes), 1);
  ck_assert_str_eq(json_string_value(member(json_array_get(notes, 0), "element")), "geom contact");
  ck_assert_int_eq((int)integer(json_array_get(notes, 0), "count"), 2);
  json_decref(root);
  SUCCEEDS("simulate one.xml --duration 1 --summary run.json");
  ck_assert_ptr_null(strstr(output, "not simulated"));
  root = parse_file("run.json");
  ck_assert_int_eq((int)json_array_size(member(root, "not_understood")), 0);
  json_decref(root);
}
END_TEST

START_TEST(the_method_may_be_chosen) {
  enter_directory();
  write_file("damped.xml", damped);
  SUCCEEDS("simulate one.xml --key raised --duration 1 --method adams --summary run.json");
  json_t *summary = parse_file("run.json");
  ck_assert_str_eq(json_string_value(member(summary, "method")), "adams");
  json_decref(summary);

  // an explicit method says what is wrong, and the one that it recommends is cheaper if it is there
  SUCCEEDS("simulate damped.xml --key kicked --duration 2 --summary run.json");
  SAYS(output, "--method cvode-bdf");
  summary = parse_file("run.json");
  ck_assert_str_eq(json_string_value(member(summary, "method")), "default");
  ck_assert_int_gt((int)integer(summary, "stiff_steps"), (int)integer(summary, "steps") / 2);
  ck_assert_int_eq((int)integer(summary, "jacobians"), 0);
  int evaluations = (int)integer(summary, "evaluations");
  json_decref(summary);
  int code = cardan("simulate damped.xml --key kicked --duration 2 --method cvode-bdf --summary run.json");
  if (code != 0) {
    SAYS(errors, "libsundials-dev");
    return;
  }
  SAYS(output, "Jacobians");
  summary = parse_file("run.json");
  ck_assert_int_lt((int)integer(summary, "evaluations"), evaluations / 10);
  json_decref(summary);
}
END_TEST

START_TEST(a_method_that_is_none) {
  enter_directory();
  EXITS(2, "simulate one.xml --duration 1 --method adam");
  SAYS(errors, "did you mean adams?");
  EXITS(2, "simulate one.xml --duration 1 --method gear");
  SAYS(errors, "cvode-bdf");
}
END_TEST

START_TEST(applied_forces_act_during_the_whole_run) {
  enter_directory();
  // the force that holds the rod up level: it stays where it is
  double hold = MASS * G * LENGTH;
  char text[128];
  snprintf(text, sizeof text, "{\"q\": [%.17g], \"f\": [%.17g]}", PI / 2, hold);
  write_file("state.json", text);
  SUCCEEDS("simulate one.xml --duration 1 --initial state.json -o rows.csv");
  table *t = parse_csv_file("rows.csv");
  for (int i = 0; i < t->rows; i++) NEAR(t->value[i][1], PI / 2, 1e-14);
}
END_TEST

START_TEST(a_run_that_fails_keeps_its_rows_and_tells_why) {
  enter_directory();
  // a spring far too stiff for the step that is forced upon it: the numbers run away
  write_file("stiff.xml", "<mujoco><worldbody><body name=\"b\">\n"
                          "<joint name=\"stiff\" type=\"slide\" axis=\"1 0 0\" stiffness=\"1e8\"/>\n"
                          "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n"
                          "</body></worldbody></mujoco>\n");
  write_file("state.json", "{\"q\": [1]}");
  EXITS(1, "simulate stiff.xml --duration 1000 --step 1 --report 1 --initial state.json -o rows.csv "
           "--summary run.json");
  SAYS(errors, "the run failed");
  SAYS(errors, "stiff");
  SAYS(errors, "what to try");
  table *t = parse_csv_file("rows.csv");
  ck_assert_int_ge(t->rows, 2);
  ck_assert_int_lt(t->rows, 1000);
  json_t *root = parse_file("run.json");
  ck_assert(json_is_true(member(root, "failed")));
  ck_assert_str_ne(json_string_value(member(root, "reason")), "");
  ck_assert(t->value[t->rows - 1][0] == number(root, "time_final"));
  json_t *failure = member(root, "failure");
  ck_assert_int_gt((int)json_array_size(member(failure, "last_step")), 3);
  ck_assert_str_ne(json_string_value(member(failure, "advice")), "");
  ck_assert_str_ne(json_string_value(member(failure, "status")), "");
  json_decref(root);

  // one that cannot begin
  EXITS(1, "simulate ghost.urdf --duration 1 -o rows.csv --summary run.json");
  SAYS(errors, "the run failed");
  SAYS(errors, "CDN_ERR_SINGULAR");
  SAYS(errors, "what to try");
  root = parse_file("run.json");
  ck_assert_str_eq(json_string_value(member(member(root, "failure"), "status")), "CDN_ERR_SINGULAR");
  ck_assert_str_eq(json_string_value(member(member(root, "failure"), "stage")), "Acceleration");
  SAYS(json_string_value(member(member(root, "failure"), "advice")), "armature");
  json_decref(root);
}
END_TEST

/* ---- terminals and signals -------------------------------------------------------------------- */

static void pause_briefly(void) {
  struct timespec t = { .tv_nsec = 20000000 };
  nanosleep(&t, NULL);
}

START_TEST(an_interrupted_run_keeps_its_rows_and_exits_130) {
  enter_directory();
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    execl(program(), "cardan", "simulate", "one.xml", "--key", "raised", "--duration", "1e6", "--report", "0.5",
          "--accuracy", "1e-9", "-o", "rows.csv", "--summary", "run.json", (char *)NULL);
    _exit(99);
  }
  ck_assert_int_gt(child, 0);
  // until the first rows have reached the file
  struct stat info = { 0 };
  for (int i = 0; i < 1000 && (stat("rows.csv", &info) || info.st_size < 1000); i++) pause_briefly();
  ck_assert_int_ge(info.st_size, 1000);
  ck_assert_int_eq(kill(child, SIGINT), 0);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 130, "status %x", (unsigned)status);

  json_t *root = parse_file("run.json");
  ck_assert(json_is_true(member(root, "interrupted")) && json_is_false(member(root, "failed")));
  double t_end = number(root, "time_final");
  ck_assert(t_end > 0.5 && t_end < 1e6);
  // the last line is whole, and the state that was reached
  SUCCEEDS("--version && tail -n 1 rows.csv > last.txt");
  static char last[TEXT_SIZE];
  read_file("last.txt", last);
  ck_assert(last[strlen(last) - 1] == '\n');
  ck_assert(strtod(last, NULL) == t_end);
  json_decref(root);
}
END_TEST

START_TEST(a_terminal_sees_progress_and_is_left_clean) {
  enter_directory();
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) || unlockpt(master)) return; // no terminals here
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  ck_assert_int_ge(terminal, 0);
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(terminal, 2);
    close(terminal), close(master);
    execl(program(), "cardan", "simulate", "one.xml", "--key", "raised", "--duration", "20", (char *)NULL);
    _exit(99);
  }
  close(terminal);
  // a closed terminal reads as an error
  size_t size = 0;
  for (;;) {
    ssize_t n = read(master, errors + size, TEXT_SIZE - 1 - size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    size += (size_t)n;
  }
  errors[size] = 0;
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  SAYS(errors, "%");
  SAYS(errors, "x real time");
  SAYS(errors, "of 20.5 s");
  const char erase[] = "\r\x1b[K";
  ck_assert(size > strlen(erase) && strcmp(errors + size - strlen(erase), erase) == 0);
  ck_assert_ptr_null(strchr(errors, '\n'));
  close(master);
}
END_TEST

/* ---- locked joints ------------------------------------------------------------------------------ */

START_TEST(locked_joints_stay_where_they_are) {
  enter_directory();
  write_file("state.json", "{\"q\": [0.7], \"u\": [2]}");
  SUCCEEDS("simulate one.xml --duration 1 --initial state.json --lock hinge -o rows.csv --report 0.25");
  table *t = parse_csv_file("rows.csv");
  ck_assert_int_eq(t->rows, 5);
  for (int i = 0; i < t->rows; i++) ck_assert(t->value[i][1] == 0.7 && t->value[i][2] == 0 && t->value[i][3] == 0);
  SUCCEEDS("simulate one.xml --duration 1 --lock hinge=-0.25 -o rows.csv --report 0.25");
  t = parse_csv_file("rows.csv");
  for (int i = 0; i < t->rows; i++) ck_assert(t->value[i][1] == -0.25 && t->value[i][2] == 0);
  EXITS(2, "simulate one.xml --duration 1 --lock hing");
  SAYS(errors, "did you mean 'hinge'");
  EXITS(2, "simulate one.xml --duration 1 --lock hinge=there");
  SAYS(errors, "'there' is not a number");
  EXITS(2, "simulate one.xml --duration 1 --lock hinge=nan");
  EXITS(2, "simulate one.xml --duration 1 --lock ''");
}
END_TEST

/* ---- a model that is shipped ------------------------------------------------------------------ */

START_TEST(the_shipped_pendulum_runs) {
  enter_directory();
  const char *source = getenv("CARDAN_SOURCE_ROOT");
  ck_assert_ptr_nonnull(source);
  SUCCEEDS("info %s/examples/models/pendulum.xml --json", source);
  json_t *root = parse(output);
  int columns = 1 + (int)integer(root, "nq") + (int)integer(root, "nu") + 2;
  json_decref(root);
  SUCCEEDS("simulate %s/examples/models/pendulum.xml --duration 5 --accuracy 1e-6 -o rows.csv --summary run.json",
           source);
  ck_assert_int_eq(parse_csv_file("rows.csv")->columns, columns);
  root = parse_file("run.json");
  // what the certificate is for: the energy balance closes, damped or not
  AT_MOST(fabs(number(root, "energy_residual")), 1e-4);
  json_decref(root);
}
END_TEST

CHECK_MAIN("command simulate", rows_are_where_they_were_asked_for, sensors_are_columns,
           rows_hold_states_that_evaluate_to_the_same, standard_output_carries_the_trajectory_alone,
           the_summary_says_what_the_run_was_worth, the_certificate_says_what_was_left_out, the_method_may_be_chosen,
           a_method_that_is_none, applied_forces_act_during_the_whole_run,
           a_run_that_fails_keeps_its_rows_and_tells_why, an_interrupted_run_keeps_its_rows_and_exits_130,
           a_terminal_sees_progress_and_is_left_clean, locked_joints_stay_where_they_are, the_shipped_pendulum_runs)
