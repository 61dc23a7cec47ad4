/* `cardan simulate --checkpoint` and `--resume`: a run that is killed again and again ends with the same bytes. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <sys/stat.h>
#include <unistd.h>

static char first[TEXT_SIZE], second[TEXT_SIZE];

/* ---- killing ----------------------------------------------------------------------------------- */

/* Each line but the last, which a kill may have cut, has as many fields as the header, all numbers. */
static void check_readable(const char *name) {
  if (!exists(name)) return;
  read_file(name, first);
  char *end = strrchr(first, '\n');
  if (!end) return;
  end[1] = 0;
  write_file("whole.csv", first);
  parse_csv_file("whole.csv");
}

/* Seconds of the model; a run under sanitizers takes fifteen times as long. */
#ifdef CDNI_SANITIZED
#  define DURATION "2"
#else
#  define DURATION "12"
#endif
#define RUN "creature.xml --initial state.json --duration " DURATION " --report 0.01 --accuracy 1e-8 --step-sizes"

enum { KILLS = SANITIZED ? 5 : 40 };
/* s: a run that has begun is killed within this time, or at its end. */
static const double LIFE = SANITIZED ? 0.6 : 0.03;

START_TEST(a_run_survives_being_killed) {
  enter_directory();
  write_file("state.json", creature_state);
  SUCCEEDS("simulate " RUN " -o truth.csv --summary truth.json --quiet");
  char *start[] = {
    "cardan",       "simulate",       "creature.xml",       "--initial", "state.json",   "--duration", DURATION,
    "--report",     "0.01",           "--accuracy",         "1e-8",      "--step-sizes", "-o",         "rows.csv",
    "--checkpoint", "run.checkpoint", "--checkpoint-every", "0.05",      "--summary",    "run.json",   NULL
  };
  char *go_on[] = { "cardan", "simulate", "--resume", "run.checkpoint", NULL };
  unsigned seed = 12345;
  int kills = 0, whole_runs = 0;
  for (int i = 0; kills < KILLS && i < 2000; i++) {
    bool begun = exists("run.checkpoint");
    seed = seed * 1664525u + 1013904223u;
    bool killed = run_and_kill(begun ? go_on : start, 0.002 + LIFE * (seed >> 16) / 65536);
    check_readable("rows.csv");
    if (killed) {
      kills++;
    } else {
      check_same_file("rows.csv", "truth.csv");
      whole_runs++;
      unlink("run.checkpoint");
    }
  }
  ck_assert_int_ge(kills, KILLS);
  if (exists("run.checkpoint")) SUCCEEDS("simulate --resume run.checkpoint");
  else SUCCEEDS("simulate " RUN " -o rows.csv --summary run.json");
  check_same_file("rows.csv", "truth.csv");
  check_same_summary("truth.json", "run.json"); /* the certificate is that of the whole run */
}
END_TEST

START_TEST(an_interrupted_run_goes_on) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 4000 --report 1 --accuracy 1e-9 -o truth.csv --summary "
           "truth.json");
  // SIGINT at some moment: a checkpoint is written, the row that it reached is not part of it
  int code = cardan("simulate one.xml --key fast --duration 4000 --report 1 --accuracy 1e-9 -o rows.csv "
                    "--summary run.json --checkpoint run.checkpoint --checkpoint-every 1e9 & sleep 0.05; kill -INT $!; "
                    "wait $!");
  ck_assert_msg(code == 130 || code == 0, "exit code %d: %s", code, errors);
  if (code == 130) {
    ck_assert(exists("run.checkpoint"));
    SUCCEEDS("simulate --resume run.checkpoint --quiet");
    SAYS(output, "asked 1e-9, delivered about ");
  }
  check_same_file("rows.csv", "truth.csv");
  json_t *a = parse_file("truth.json"), *b = parse_file("run.json");
  ck_assert(number(a, "error_estimate") == number(b, "error_estimate"));
  ck_assert(integer(a, "steps") == integer(b, "steps"));
  json_decref(a);
  json_decref(b);
}
END_TEST

/* Two runs that go on at the same time do not share a file: the second one says why, and the first one's stays whole.
 */
START_TEST(a_checkpoint_belongs_to_one_run) {
  enter_directory();
  static const char another[] = "simulate one.xml --key fast --duration 1 --checkpoint run.checkpoint",
                    resumed[] = "simulate --resume run.checkpoint";
  static const struct {
    const char *call;
    int code;
  } calls[] = { { another, 2 }, { resumed, 4 } };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    unlink("run.checkpoint"); /* of a run that was killed, and holds nothing */
    EXITS(calls[i].code,
          "simulate one.xml --key fast --duration 1e7 --step 1e-4 --no-companion --checkpoint run.checkpoint "
          "--checkpoint-wall 0.01 --quiet & p=$!; while [ ! -s run.checkpoint ]; do sleep 0.01; done; '%s' 2>.errors "
          "%s; code=$?; "
          "kill -KILL $p; wait $p; exit $code",
          program(), calls[i].call);
    SAYS(errors, "run.checkpoint: another run writes its checkpoints there");
  }
  /* a run that has ended holds nothing */
  SUCCEEDS("%s", another);
}
END_TEST

START_TEST(a_run_without_a_trajectory_goes_on) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 5 --step 0.01 --summary truth.json");
  SUCCEEDS("simulate one.xml --key fast --duration 5 --step 0.01 --summary run.json --checkpoint run.checkpoint "
           "--checkpoint-every 2");
  json_t *a = parse_file("truth.json"), *b = parse_file("run.json");
  ck_assert(number(a, "energy_final") == number(b, "energy_final"));
  json_decref(b);
  unlink("run.json");
  SUCCEEDS("simulate --resume run.checkpoint");
  b = parse_file("run.json");
  ck_assert(number(a, "energy_final") == number(b, "energy_final"));
  ck_assert(integer(a, "steps") == integer(b, "steps"));
  json_decref(a);
  json_decref(b);
}
END_TEST

/* Every few milliseconds, at pauses that are others each time: nothing of it shows in the results. */
START_TEST(checkpoints_by_the_clock_change_nothing) {
  enter_directory();
  write_file("state.json", creature_state);
  SUCCEEDS("simulate " RUN " -o truth.csv --quiet");
  SUCCEEDS("simulate " RUN " -o rows.csv --checkpoint run.checkpoint --checkpoint-wall 0.003 --quiet");
  check_same_file("rows.csv", "truth.csv");
  ck_assert(exists("run.checkpoint"));
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  check_same_file("rows.csv", "truth.csv");
  /* seldom enough, there is none */
  unlink("run.checkpoint");
  SUCCEEDS("simulate " RUN " -o rows.csv --checkpoint run.checkpoint --checkpoint-wall 1e6 --quiet");
  check_same_file("rows.csv", "truth.csv");
  ck_assert(!exists("run.checkpoint"));
  EXITS(2, "simulate " RUN " --checkpoint-wall 1");
  SAYS(errors, "--checkpoint-wall needs --checkpoint");
  EXITS(2, "simulate " RUN " --method cvode-bdf --checkpoint run.checkpoint --checkpoint-wall 1");
  SAYS(errors, "--checkpoint-every");
  EXITS(2, "simulate --resume run.checkpoint --checkpoint-wall 1");
}
END_TEST

/* ---- what is wrong is said ---------------------------------------------------------------------- */

START_TEST(options_that_make_no_sense_are_refused) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint");
  static const struct {
    const char *arguments, *says;
  } wrong[] = {
    { "simulate", "which model" },
    { "simulate one.xml --duration 1 --checkpoint-every 1", "--checkpoint FILE" },
    { "simulate one.xml --duration 1 --checkpoint -", "must be a file" },
    { "simulate one.xml --duration 1 -o - --checkpoint x", "standard output" },
    { "simulate one.xml --duration 1 --checkpoint /dev/null", "not a file" },
    { "simulate one.xml --duration 1 --checkpoint .", "not a file" },
    { "simulate one.xml --duration 1 --checkpoint one.xml", "overwritten" },
    { "simulate one.xml --duration 1 -o x --checkpoint x", "both write" },
    { "simulate --resume run.checkpoint --duration 2", "only --quiet" },
    { "simulate one.xml --resume run.checkpoint", "only --quiet" },
    { "simulate --resume run.checkpoint --checkpoint other", "only --quiet" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    EXITS(2, "%s", wrong[i].arguments);
    SAYS(errors, wrong[i].says);
  }
  EXITS(3, "simulate --resume nowhere");
  SAYS(errors, "nowhere");
  EXITS(3, "simulate --resume one.xml");
  SAYS(errors, "no");
  // the run is worth having where its checkpoints cannot be written, but its end is not success
  EXITS(4, "simulate one.xml --duration 1 -o rows.csv --checkpoint nowhere/run.checkpoint");
  SAYS(errors, "nowhere/run.checkpoint");
  ck_assert_ptr_null(strchr(strchr(errors, '\n') + 1, '\n')); // said once
  ck_assert_int_eq(parse_csv_file("rows.csv")->rows, 101);
}
END_TEST

START_TEST(what_does_not_belong_together_is_told_apart) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint");
  read_file("rows.csv", second);
  // another trajectory, a shorter one, none
  write_file("rows.csv", "time,x\n1,2\n");
  EXITS(3, "simulate --resume run.checkpoint");
  SAYS(errors, "not the trajectory");
  read_file("rows.csv", first);
  ck_assert_str_eq(first, "time,x\n1,2\n"); // left alone
  second[200] = '9' - (second[200] == '9');
  write_file("rows.csv", second);
  EXITS(3, "simulate --resume run.checkpoint");
  SAYS(errors, "not the trajectory");
  unlink("rows.csv");
  EXITS(3, "simulate --resume run.checkpoint");
  SAYS(errors, "rows.csv");

  // the model has changed
  SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint");
  char *slide = strcpy(first, pendulum), *joint;
  while ((joint = strstr(slide, "hinge\" type")) != NULL) memcpy(joint, "hinga", 5);
  write_file("one.xml", first);
  EXITS(3, "simulate --resume run.checkpoint");
  SAYS(errors, "rod");
  SAYS(errors, "hinga");
  SAYS(errors, "hinge");
  unlink("one.xml");
  EXITS(3, "simulate --resume run.checkpoint");
  SAYS(errors, "one.xml");
}
END_TEST

START_TEST(damaged_checkpoints_are_refused) {
  enter_directory();
  SUCCEEDS("simulate creature.xml --duration 0.1 -o rows.csv --checkpoint run.checkpoint");
  FILE *file = fopen("run.checkpoint", "rb");
  ck_assert_ptr_nonnull(file);
  static char bytes[TEXT_SIZE];
  size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(n > 1000 && n < sizeof bytes);
  for (int i = 0; i < (SANITIZED ? 12 : 60); i++) {
    size_t at = n * (size_t)i / (SANITIZED ? 12 : 60);
    bool cut = i % 2;
    file = fopen("bad.checkpoint", "wb");
    bytes[at] ^= 8;
    fwrite(bytes, 1, cut ? at : n, file);
    bytes[at] ^= 8;
    fclose(file);
    EXITS(3, "simulate --resume bad.checkpoint");
    SAYS(errors, "checkpoint");
  }
}
END_TEST

CHECK_MAIN("command checkpoint", a_run_survives_being_killed, an_interrupted_run_goes_on,
           a_checkpoint_belongs_to_one_run, a_run_without_a_trajectory_goes_on, checkpoints_by_the_clock_change_nothing,
           options_that_make_no_sense_are_refused, what_does_not_belong_together_is_told_apart,
           damaged_checkpoints_are_refused)
