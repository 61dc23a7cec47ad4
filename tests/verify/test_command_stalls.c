/* `cardan simulate` where it gets nowhere, is told to end, or is asked for what cannot be: it says so soon. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(double seconds) {
  struct timespec t = { .tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds))) };
  nanosleep(&t, NULL);
}

/* Starts the program, its errors in errors.txt. */
static pid_t start(char *const *words) {
  pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR), file = open("errors.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(null, 0), dup2(null, 1), dup2(file, 2);
    execv(program(), words);
    _exit(99);
  }
  ck_assert_int_gt(child, 0);
  return child;
}

/* Whether the program catches a signal, by what Linux tells of it: not this one, which it is for a moment. */
static bool catches(pid_t child, int number) {
  char path[40], line[200];
  bool started = false, caught = false;
  snprintf(path, sizeof path, "/proc/%d/status", (int)child);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    started = started || strcmp(line, "Name:\tcardan\n") == 0;
    caught = caught || (strncmp(line, "SigCgt:", 7) == 0 && strtoull(line + 7, NULL, 16) >> (number - 1) & 1);
  }
  if (file) fclose(file);
  return started && caught;
}

/* Sends a signal, and expects the end within a second. Under sanitizers and on busy machines all is slower. */
static void ends_soon(pid_t child, int number) {
  const double began = now();
  int status;
  ck_assert_int_eq(kill(child, number), 0);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 128 + number, "status %x", (unsigned)status);
  AT_MOST(now() - began, 3);
}

/* Of a trajectory: a header and whole rows, the first one at the time 0. Returns the number of rows. */
static int count_whole_rows(const char *name) {
  static char text[TEXT_SIZE];
  int rows = -1, columns = 0;
  read_file(name, text);
  for (char *line = text; *line;) {
    char *end = strchr(line, '\n');
    ck_assert_msg(end != NULL, "the last line is cut: %s", line);
    int n = 1;
    for (char *c = line; c < end; c++) n += *c == ',';
    if (rows < 0) columns = n;
    ck_assert_int_eq(n, columns);
    if (++rows == 1) ck_assert(strtod(line, NULL) == 0);
    line = end + 1;
  }
  return rows;
}

static void was_cut(const char *summary) {
  json_t *root = parse_file(summary);
  ck_assert(json_is_true(member(root, "interrupted")) && json_is_false(member(root, "failed")));
  json_decref(root);
}

/* ---- no progress ---------------------------------------------------------------------------------- */

/* Layers of 25 boxes, some millimetres apart. At distance 0: boxes at one place, which are pressed apart by
 * megajoules, in directions that jump. */
static void write_boxes(int n, double distance) {
  FILE *file = fopen("boxes.xml", "w");
  ck_assert(file != NULL);
  fputs("<mujoco><worldbody><geom type='plane' size='1 1 1'/>", file);
  for (int i = 0; i < n; i++)
    fprintf(file, "<body pos='%g %g %g'><freejoint/><geom type='box' size='.1 .1 .1'/></body>", i % 5 * distance,
            i / 5 % 5 * distance, distance > 0 ? 0.1 + i / 25 * distance : 1);
  fputs("</worldbody></mujoco>", file);
  ck_assert(fclose(file) == 0);
}

START_TEST(a_pace_that_leads_nowhere_is_said) {
  enter_directory();
  write_boxes(10, 0);
  char *words[] = { "cardan", "simulate", "boxes.xml", "--duration", "1",        "--report",
                    "1e-7",   "-o",       "rows.csv",  "--summary",  "run.json", NULL };
  const double began = now();
  pid_t child = start(words);
  do {
    wait_for(0.1);
    read_file("errors.txt", errors);
  } while (!strstr(errors, "keeps its rows") && now() - began < 30);
  SAYS(errors, "t = 1 s is ");
  SAYS(errors, "years away");
  SAYS(errors, "Most of the error of a step is in body");
  SAYS(errors, "is the deepest, 0.2 m");
  AT_MOST(now() - began, 10);
  ends_soon(child, SIGTERM);
  ck_assert_int_ge(count_whole_rows("rows.csv"), 2);
  was_cut("run.json");
}
END_TEST

/* ---- signals ------------------------------------------------------------------------------------- */

/* The companion has a hundred times the accuracy of the run, so that it is busy most of the time. */
START_TEST(a_signal_ends_a_run_whose_companion_works) {
  const int signals[] = { SIGINT, SIGTERM };
  static char *const deliver[] = { "--deliver", "--no-assemble" };
  enter_directory();
  write_boxes(10, 0);
  for (int i = 0; i < 4; i++) {
    char *words[] = { "cardan",   "simulate",  "boxes.xml", "--duration", "1",      "--report",     "0.5", "-o",
                      "rows.csv", "--summary", "run.json",  "--method",   "verlet", deliver[i / 2], NULL };
    pid_t child = start(words);
    wait_for(1);
    ends_soon(child, signals[i % 2]);
    ck_assert_int_ge(count_whole_rows("rows.csv"), 1);
    was_cut("run.json");
    json_t *root = parse_file("run.json");
    ck_assert_str_eq(json_string_value(member(root, "delivered")), "unknown");
    json_decref(root);
  }
}
END_TEST

/* A step of IDA has a Jacobian of thousands of columns, which takes long (tests/unit/test_advance_calls.c counts). */
START_TEST(a_signal_ends_a_step_that_takes_long) {
  enter_directory();
  write_boxes(100, 0.205);
  char *words[] = { "cardan", "simulate",  "boxes.xml", "--duration",     "9",        "--method",
                    "ida",    "-o",        "rows.csv",  "--summary",      "run.json", "--report",
                    "1e-3",   "--contact", "compliant", "--no-companion", NULL };
  pid_t child = start(words);
  for (int i = 0; i < 300 && !catches(child, SIGTERM); i++) wait_for(0.1); /* the run has begun */
  wait_for(1);
  ends_soon(child, SIGTERM);
  ck_assert_int_ge(count_whole_rows("rows.csv"), 1);
  was_cut("run.json");
}
END_TEST

/* ---- what cannot be ------------------------------------------------------------------------------ */

START_TEST(surfaces_that_cannot_be_are_refused_by_the_option) {
  enter_directory();
  write_file("ball.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
                         "<geom type='sphere' size='.1'/></body></worldbody></mujoco>");
  static const char *const methods[] = { "default", "implicit-contact" };
  for (int i = 0; i < 2; i++) {
    EXITS(2, "simulate ball.xml --duration 1 --method %s --dissipation 1e300", methods[i]);
    SAYS(errors, "--dissipation 1e+300 is out of range");
    EXITS(2, "simulate ball.xml --duration 1 --method %s --stiffness 1e300", methods[i]);
    SAYS(errors, "--stiffness 1e+300 is out of range");
    EXITS(2, "simulate ball.xml --duration 1 --method %s --stiffness 1e-300", methods[i]);
    SAYS(errors, "--stiffness 1e-300 is out of range");
  }
  /* diamond has 1e12 Pa; a second with 1e18 on a box would take hours */
  EXITS(2, "simulate ball.xml --duration 0.1 --stiffness 1e18");
  SAYS(errors, "--stiffness 1e+18 is out of range (0.001 to 1e+13 Pa)");
  SUCCEEDS("simulate ball.xml --duration 0.1 --stiffness 1e13 --dissipation 1e9");
  SAYS(errors, "--dissipation 1e+09 makes contact so stiff that a run may take very long");
  /* one that is possible, and too much */
  write_file("box.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .11'><freejoint/>"
                        "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
  EXITS(1, "simulate box.xml --duration 10 --dissipation 1e9 --no-companion");
  SAYS(errors, "--dissipation 1e+09 stands in place of what the library takes");
}
END_TEST

/* A stiff spring and equal steps beyond its limit of stability: the amplitude grows until numbers overflow. */
START_TEST(equal_steps_that_blow_up_say_so) {
  enter_directory();
  write_file("stiff.xml", "<mujoco><worldbody><body><joint name='rail' type='slide' axis='1 0 0' stiffness='1e8'/>"
                          "<geom type='sphere' size='.1' mass='1' contype='0'/></body></worldbody>"
                          "<keyframe><key name='off' qpos='0.1'/></keyframe></mujoco>");
  EXITS(1, "simulate stiff.xml --key off --duration 10 --method semi-explicit-euler --step 0.002");
  SAYS(errors, "speeds have grown beyond bounds, 'rail.u' to");
  SAYS(errors, "steps of 0.002 s are too long");
  SAYS(errors, "take a smaller one");
}
END_TEST

/* ---- the implicit contact step where nothing touches ------------------------------------------------------- */

START_TEST(the_implicit_contact_step_runs_every_example) {
  static const char *const models[] = { "arm.urdf",     "five_bar.xml", "gripper.xml",  "gymnast.xml", "hexapod.xml",
                                        "pendulum.xml", "press.xml",    "puppet.xml",   "slope.xml",   "stairs.xml",
                                        "top.xml",      "walker.xml",   "lamp/lamp.xml" };
  static const char *const contacts[] = { "compliant", "soft", "none" };
  const char *source = getenv("CARDAN_SOURCE_ROOT");
  ck_assert_ptr_nonnull(source);
  enter_directory();
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (int k = 0; k < 3; k++)
      SUCCEEDS("simulate %s/examples/models/%s --quiet --method implicit-contact --duration 0.02 --no-companion "
               "--contact %s",
               source, models[i], contacts[k]);
}
END_TEST

CHECK_MAIN("command stalls", a_pace_that_leads_nowhere_is_said, a_signal_ends_a_run_whose_companion_works,
           a_signal_ends_a_step_that_takes_long, surfaces_that_cannot_be_are_refused_by_the_option,
           equal_steps_that_blow_up_say_so, the_implicit_contact_step_runs_every_example)
