/* cardan sweep: whoever runs a study, in which order, and however often it is killed, the gathered bytes are the
 * same. */
#define _GNU_SOURCE
#include "command_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

enum { CASES = SANITIZED ? 24 : 200 };

static const char study_text[] =
    "{ \"cardan study\": 1, \"model\": \"one.xml\", \"duration\": 3, \"accuracy\": 1e-8, \"seed\": 5, \"cases\": %d,\n"
    "  \"sampling\": \"sobol\", \"block\": %d, \"results\": \"%s\",\n"
    "  \"vary\": { \"hinge.q\": { \"uniform\": [-2, 2] }, \"rod\": { \"log-uniform\": [0.5, 2], \"as\": \"factor\",\n"
    "              \"sets\": \"body/rod/mass\" } },\n"
    "  \"keep\": { \"end\": [\"hinge.q\", \"total energy\"], \"max\": [\"hinge.u\"] } }\n";

static void write_study(const char *name, int block, const char *results) {
  char text[1024];
  snprintf(text, sizeof text, study_text, (int)CASES, block, results);
  write_file(name, text);
}

/* Starts a sweep of the study as a group of processes, and sends a signal a while after it has begun: to all, or to the
 * first one. */
static void run_and_signal(const char *study, double seconds, int number, bool all) {
  const struct timespec life = { .tv_nsec = (long)(1e9 * seconds) };
  int begun[2];
  char nothing;
  ck_assert_int_eq(pipe2(begun, O_CLOEXEC), 0);
  const pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    setpgid(0, 0);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    execl(program(), program(), "sweep", study, "--threads", "2", (char *)NULL);
    _exit(99);
  }
  close(begun[1]);
  ck_assert_int_eq(read(begun[0], &nothing, 1), 0); /* the program runs: its end of the pipe is closed */
  close(begun[0]);
  nanosleep(&life, NULL);
  kill(all ? -child : child, number);
  int how;
  ck_assert_int_eq(waitpid(child, &how, 0), child);
  ck_assert(WIFSIGNALED(how) || WEXITSTATUS(how) == 128 + number || WEXITSTATUS(how) == 0);
}

START_TEST(killed_in_parts_and_in_any_order_the_bytes_are_the_same) {
  enter_directory();
  write_study("whole.json", CASES, "whole");
  SUCCEEDS("sweep whole.json --threads 1");
  SAYS(output, "1 of 1 blocks");
  SAYS(output, "failed         0");
  ck_assert_str_eq(errors, ""); /* no progress where nobody looks */
  SUCCEEDS("sweep whole.json --gather whole.csv");
  const table *t = parse_csv_file("whole.csv");
  ck_assert_int_eq(t->rows, CASES);
  /* energy is kept: what was at the start is there at the end, and is all of motion at most */
  for (int i = 0; i < CASES; i++) {
    const double *row = t->value[i];
    const double mass = MASS * row[2], inertia = INERTIA + mass * LENGTH * LENGTH, turned = LENGTH * cos(row[1]);
    NEAR(row[3], 0, 0);
    NEAR(row[15], -mass * G * turned, 1e-5);
    if (fabs(row[1]) > 0.1 && fabs(row[1]) < 1.5) NEAR(row[16], sqrt(2 * mass * G * (LENGTH - turned) / inertia), 1e-5);
  }
  /* a block is small, the work is stopped now and then, and once all of it is killed */
  write_study("often.json", 3, "often");
  for (int i = 0; i < 6; i++) run_and_signal("often.json", 0.02 + 0.015 * i, i == 3 ? SIGKILL : SIGTERM, i == 3);
  for (int i = 0; i < 2; i++) run_and_signal("often.json", 0.05, SIGKILL, false);
  /* workers whose parent was killed end by themselves; what they still run is not missing */
  SUCCEEDS("sweep often.json --quiet --threads 3");
  for (int i = 0; i < 100 && cardan("sweep often.json --gather often.csv") == 3; i++) {
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    SUCCEEDS("sweep often.json --quiet");
  }
  check_same_file("whole.csv", "often.csv");
  /* parts of an array of jobs, the last one first */
  write_study("parts.json", 7, "parts");
  for (int k = 3; k >= 1; k--) {
    EXITS(3, "sweep parts.json --gather parts.csv");
    SAYS(errors, "blocks are missing");
    SUCCEEDS("sweep parts.json --part %d/3 --quiet", k);
    ck_assert_str_eq(output, "");
  }
  SUCCEEDS("sweep parts.json --gather parts.csv");
  check_same_file("whole.csv", "parts.csv");
}
END_TEST

START_TEST(one_case_and_all_names_are_shown) {
  enter_directory();
  write_study("s.json", 5, "s");
  SUCCEEDS("sweep s.json --case 2");
  SAYS(output, "end total energy");
  SAYS(output, "time_final");
  SUCCEEDS("sweep s.json --names");
  SAYS(output, "hinge.q\n");
  SAYS(output, "body/rod/mass = 2.0 kg\n");
  SAYS(output, "force/gravity/g.z = -9.81 m/s^2\n");
  SAYS(output, "keep: total energy\n");
  SUCCEEDS("sweep s.json --status");
  SAYS(output, ": 0 of ");
  SAYS(output, "not known");
  ck_assert(!exists("s")); /* looking writes nothing */
  write_file("bad.json", "{ \"cardan study\": 1, \"model\": \"one.xml\", \"duration\": 1, \"step\": 0.01,\n"
                         "\"vary\": { \"body/rod/mass\": { \"list\": [1, -1] } } }");
  SUCCEEDS("sweep bad.json --case 1");
  SAYS(errors, "mass is -1");
  SUCCEEDS("sweep bad.json");
  SAYS(output, "1: invalid argument (first: case 1)");
}
END_TEST

START_TEST(mistakes_are_said) {
  enter_directory();
  write_study("s.json", 5, "s");
  const struct {
    const char *arguments, *message;
    int code;
  } wrong[] = {
    { "sweep", "which study?", 2 },
    { "sweep s.json --part 0/3", "--part 0/3", 2 },
    { "sweep s.json --part 4/3", "--part 4/3", 2 },
    { "sweep s.json --part 1", "a part is K/N", 2 },
    { "sweep s.json --threads 1.5", "whole number", 2 },
    { "sweep s.json --case x", "number of a case", 2 },
    { "sweep s.json --case 1000", "there is no case 1000", 2 },
    { "sweep s.json --status --gather a.csv", "choose one", 2 },
    { "sweep s.json --status --part 1/2", "goes without --part", 2 },
    { "sweep s.json --thread 2", "did you mean --threads?", 2 },
    { "sweep none.json", "none.json", 3 },
    { "sweep one.xml", "one.xml:1", 3 },
  };
  for (int i = 0; i < CDNI_COUNT(wrong); i++) {
    EXITS(wrong[i].code, "%s", wrong[i].arguments);
    SAYS(errors, wrong[i].message);
    ck_assert_str_eq(output, "");
  }
  /* results that cannot be written */
  write_file("taken", "");
  write_study("t.json", 5, "taken");
  EXITS(4, "sweep t.json");
  SAYS(errors, "taken");
}
END_TEST

START_TEST(the_example_is_a_study) {
  enter_directory();
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  ck_assert_ptr_nonnull(root);
  SUCCEEDS("sweep '%s/examples/studies/arm.json' --case 7", root);
  SAYS(output, "delivered                1.0");
}
END_TEST

CHECK_MAIN("command_sweep", killed_in_parts_and_in_any_order_the_bytes_are_the_same, one_case_and_all_names_are_shown,
           mistakes_are_said, the_example_is_a_study)
