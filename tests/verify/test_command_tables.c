/* `simulate --controls` and `--record-controls`: the same bits again, and together with `--checkpoint`, `--deliver` and
 * `--on-divergence`. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <string.h>
#include <unistd.h>

static const char arm[] =
    "<mujoco><option timestep='0.004' integrator='Euler'/><worldbody><body name='a' pos='0 0 1'>"
    "<joint name='j' axis='0 1 0' damping='0.1'/><geom type='capsule' size='.03' fromto='0 0 0 .4 0 0'/>"
    "<body name='b' pos='.4 0 0'><joint name='k' axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/>"
    "</body></body></worldbody><actuator><motor name='first' joint='j'/>"
    "<general name='second' joint='k' dyntype='filter' dynprm='0.05' gainprm='0.3'/></actuator></mujoco>";

/* A run with a table has the bits of one with the table that it recorded, whatever it reports in between; and
 * the rollout with it ends there, to the rounding of the end's time. By equal steps rows act from the next step on. */
START_TEST(controls_over_time) {
  static const char given[] = "time,second,first\n0,0,0.5\n0.1,0.25,-1\n0.3,-0.5,2\n0.3004,0,2\n";
  static const struct {
    const char *how;
    double acts; /* when the last row does */
  } runs[] = { { "--like mujoco --no-companion", 0.304 }, { "", 0.3004 } };
  enter_directory();
  write_file("arm.xml", arm);
  write_file("table.csv", given);
  for (int k = 0; k < 2; k++) {
    SUCCEEDS(
        "simulate arm.xml --duration 0.4 --report 0.02 --controls table.csv --record-controls record.csv -o a.csv %s",
        runs[k].how);
    SUCCEEDS(
        "simulate arm.xml --duration 0.4 --report 0.04 --controls record.csv --record-controls again.csv -o b.csv %s",
        runs[k].how);
    SUCCEEDS("compare a.csv b.csv --columns j.q,k.q,j.u,k.u --tolerance 1e-15"); /* times of reports are rounded */
    SUCCEEDS("simulate arm.xml --duration 0.4 --report 0.02 --controls record.csv -o c.csv %s", runs[k].how);
    SUCCEEDS("compare a.csv c.csv");
    SAYS(output, "equal to the last bit");
    SUCCEEDS("compare record.csv again.csv");
    SAYS(output, "equal to the last bit: 2 quantities at 4 times");
    const table *t = parse_csv_file("record.csv");
    ck_assert_int_eq(t->rows, 4);
    NEAR(t->value[3][0], runs[k].acts, 1e-12);
  }
  SUCCEEDS("simulate arm.xml --like mujoco --no-companion --duration 0.4 --report 0.004 --controls table.csv -o a.csv");
  SUCCEEDS("rollout arm.xml --like mujoco --duration 0.4 --controls table.csv -o states.npy");
  double state[6];
  FILE *file = fopen("states.npy", "rb");
  ck_assert_int_eq(fseek(file, -(long)sizeof state, SEEK_END), 0);
  ck_assert_uint_eq(fread(state, sizeof *state, 6, file), 6);
  fclose(file);
  const table *t = parse_csv_file("a.csv");
  for (int i = 1; i < 5; i++) NEAR(t->value[t->rows - 1][i], state[i], 1e-12);
}
END_TEST

START_TEST(tables_that_do_not_fit_are_refused) {
  enter_directory();
  write_file("arm.xml", arm);
  write_file("nobody.csv", "time,third\n0,1\n");
  write_file("untimed.csv", "first,second\n0,1\n");
  write_file("table.csv", "time,first\n0,1\n0.1,2\n");
  write_file("back.csv", "time,first\n0,1\n0.05,2\n0.04,3\n0.06,1\n");
  EXITS(3, "simulate arm.xml --duration 0.1 --controls nobody.csv");
  SAYS(errors, "the model has no control 'third'");
  EXITS(3, "simulate arm.xml --duration 0.1 --controls untimed.csv");
  SAYS(errors, "its first column is 'time'");
  EXITS(2, "simulate arm.xml --duration 0.1 --controls table.csv --record-controls table.csv");
  SAYS(errors, "would be overwritten");
  EXITS(1, "simulate arm.xml --duration 0.1 --controls back.csv");
  SAYS(errors, "back.csv: its times do not increase: behind 0.05 comes 0.04");
  EXITS(1, "simulate arm.xml --duration 0.1 --controls back.csv --deliver");
  SAYS(errors, "back.csv: its times do not increase: behind 0.05 comes 0.04");
  EXITS(2, "simulate arm.xml --duration 0.1 --controls - --checkpoint x");
  SAYS(errors, "--checkpoint needs the table of controls in a file");
  EXITS(2, "simulate arm.xml --duration 0.1 --record-controls - --checkpoint x");
  SAYS(errors, "--checkpoint needs the record of controls in a file");
  EXITS(2, "view arm.xml run.csv --controls table.csv");
  SAYS(errors, "a replay takes no controls");
  EXITS(3, "view arm.xml --controls nobody.csv --no-browser");
  SAYS(errors, "the model has no control 'third'");
  EXITS(3, "rollout arm.xml --like mujoco --controls table.csv -o x.npy");
  SAYS(errors, "needs --duration");
}
END_TEST

/* ---- runs that go on ---- */

#ifdef CDNI_SANITIZED
#  define SPAN "2"
enum { ROWS = 250 };
#else
#  define SPAN "8"
enum { ROWS = 950 };
#endif

/* Rows at all kinds of times, some of them at the same; `scale`: of the gaps between. */
static void write_noise(const char *name, int rows, double scale) {
  unsigned seed = 7;
  double t = 0;
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs("time,second,first\n", file);
  for (int i = 0; i < rows; i++) {
    const double gaps[] = { 0, 0.01, 0.0033, 0.0217 };
    double noise[2];
    for (int k = 0; k < 2; k++) seed = seed * 1664525u + 1013904223u, noise[k] = (seed >> 8) / 8388608.0 - 1;
    fprintf(file, "%.6f,%.4f,%.4f\n", t, noise[0], 2 * noise[1]);
    t += scale * gaps[seed >> 30];
  }
  fclose(file);
}

/* Two tables of this ending hold the same bits; where that is text, the same bytes. */
static void check_same_table(const char *one, const char *other, const char *ending) {
  char names[2][64];
  snprintf(names[0], sizeof names[0], "%s.%s", one, ending);
  snprintf(names[1], sizeof names[1], "%s.%s", other, ending);
  if (strcmp(ending, "csv") == 0) check_same_file(names[0], names[1]);
  else SUCCEEDS("compare %s %s", names[0], names[1]);
}

/* A run under a table that is killed again and again writes what one writes that is left alone, also its record. */
static void survives(const char *how, const char *ending) {
  enum { WANTED = SANITIZED ? 2 : 6 };
  static const double LIFE = SANITIZED ? 0.6 : 0.03; /* s */
  char line[500];
  unsigned seed = 99;
  int kills = 0;
  snprintf(line, sizeof line,
           "simulate arm.xml --duration " SPAN " --report 0.02 --controls table.csv %s --summary %%s.json "
           "--record-controls %%s-record.%s -o %%s.%s --quiet",
           how, ending, ending);
  char run[1000],
      *words[] = { (char *)"cardan", (char *)"simulate", (char *)"--resume", (char *)"run.checkpoint", NULL };
  snprintf(run, sizeof run, line, "truth", "truth", "truth");
  SUCCEEDS("%s", run);
  snprintf(run, sizeof run, line, "rows", "rows", "rows");
  EXITS(137,
        "%s --checkpoint run.checkpoint --checkpoint-every 0.1 & p=$!; while [ ! -s run.checkpoint ]; do sleep "
        "0.002; done; kill -KILL $p; wait $p",
        run);
  for (int i = 0; kills < WANTED && i < 200; i++) {
    seed = seed * 1664525u + 1013904223u;
    if (run_and_kill(words, 0.002 + LIFE * (seed >> 16) / 65536)) kills++;
    else break;
  }
  ck_assert_int_gt(kills, 0);
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  check_same_table("rows", "truth", ending);
  check_same_table("rows-record", "truth-record", ending);
  check_same_summary("truth.json", "rows.json");
  unlink("run.checkpoint");
}

START_TEST(a_killed_run_goes_on_in_its_table) {
  enter_directory();
  write_file("arm.xml", arm);
  write_noise("table.csv", ROWS, 1);
  survives("--accuracy 1e-8", "csv");
  survives("--like mujoco --no-companion --step 5e-5", "csv");
  EXITS(2, "simulate arm.xml --duration 1 -o rows.npz --checkpoint c");
  SAYS(errors, "rows.npz, which cannot be gone on with: choose a file of .h5 or .csv");
  if (cardan("simulate arm.xml --duration 0.1 -o rows.h5 --quiet") == 0) survives("--accuracy 1e-8", "h5");
  /* a table that is another one up to there, a record that is */
  SUCCEEDS(
      "simulate arm.xml --duration 1 --controls table.csv --record-controls record.csv -o rows.csv --checkpoint c");
  write_file("record.csv", "time,first,second\n0,1,2\n");
  EXITS(3, "simulate --resume c");
  SAYS(errors, "record.csv: is not the table of controls of this checkpoint");
  SUCCEEDS("simulate arm.xml --duration 1 --controls table.csv -o rows.csv --checkpoint c");
  write_file("table.csv", "time,first\n0,1\n");
  EXITS(3, "simulate --resume c");
  SAYS(errors, "table.csv: is not the table of this run");
}
END_TEST

/* ---- runs that are repeated until they deliver ---- */

/* On a cart the force is that of the row, and the motion between rows is known: so steps end at rows. A run that is
 * refined is near one that is far more accurate, and its record is the table. */
START_TEST(what_is_delivered_has_the_same_table) {
  static const double at[] = { 0, 0.1234, 0.1234, 0.7, 1.01 }, force[] = { 3, 100, -7, 0, 20 };
  enter_directory();
  write_file("arm.xml", arm);
  write_file("cart.xml",
             "<mujoco><option gravity='0 0 0'/><worldbody><body name='cart'><joint name='rail' type='slide' axis='1 0 "
             "0'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody><actuator><motor name='drive' "
             "joint='rail'/></actuator></mujoco>");
  FILE *file = fopen("drive.csv", "w");
  fputs("time,drive\n", file);
  for (int i = 0; i < 5; i++) fprintf(file, "%.17g,%.17g\n", at[i], force[i]);
  fclose(file);
  SUCCEEDS("simulate cart.xml --duration 1.5 --report 0.05 --accuracy 1e-5 --controls drive.csv --deliver -o cart.csv");
  const table *rows = parse_csv_file("cart.csv");
  ck_assert_int_eq(rows->rows, 31);
  for (int k = 0; k < rows->rows; k++) {
    double x = 0, v = 0;
    const double t = rows->value[k][0];
    for (int i = 0; i < 5 && at[i] < t; i++) {
      const double d = fmin(t, i < 4 ? at[i + 1] : INFINITY) - at[i], a = force[i] / 2;
      x += v * d + a * d * d / 2, v += a * d;
    }
    NEAR(rows->value[k][1], x, 1e-9);
    NEAR(rows->value[k][2], v, 1e-12);
  }
  write_file(
      "chaos.xml",
      "<mujoco><worldbody><body name='upper'><joint name='j' axis='0 1 0'/><inertial pos='0 0 -1' mass='1' "
      "diaginertia='.001 .001 .001'/><body name='lower' pos='0 0 -1'><joint name='k' axis='0 1 0'/><inertial "
      "pos='0 0 -1' mass='1' diaginertia='.001 .001 .001'/></body></body></worldbody><actuator><motor name='first' "
      "joint='j'/><motor name='second' joint='k'/></actuator><keyframe><key name='high' qpos='2.5 .3'/></keyframe>"
      "</mujoco>");
  write_noise("table.csv", 30, 30);
#define CHAOS "simulate chaos.xml --key high --duration 8 --controls table.csv --quiet --record-controls "
  SUCCEEDS(CHAOS "once.csv --accuracy 1e-13 --no-companion -o truth.csv");
  SUCCEEDS(CHAOS "record.csv --accuracy 1e-6 --deliver --summary run.json -o rows.csv");
  SUCCEEDS("compare rows.csv truth.csv --columns j.q,k.q,j.u,k.u --tolerance 2e-6 --quiet");
  json_t *summary = parse_file("run.json");
  ck_assert_int_gt(integer(member(summary, "delivery"), "runs"), 2);
  ck_assert(json_is_true(member(summary, "delivered")));
  json_decref(summary);
  check_same_file("record.csv", "once.csv");
}
END_TEST

/* ---- runs that diverge ---- */

/* A body of 1 kg under 8.1e9 N is faster than 1e10 m/s after 124 steps, and begins anew there at rest. The time goes
 * on, and so does the table: the force stays until the next row. */
START_TEST(after_a_reset_the_table_goes_on) {
  enter_directory();
  write_file("slide.xml",
             "<mujoco><option gravity='0 0 0'/><worldbody><body name='b'><joint name='x' type='slide' axis='1 0 0'/>"
             "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody><actuator><motor name='push' "
             "joint='x'/></actuator></mujoco>");
  write_file("table.csv", "time,push\n0,0\n0.5,8.1e9\n2,3\n");
  static const char run[] =
      "simulate slide.xml --duration 3 --report 0.01 --step 0.01 --on-divergence reset --no-companion "
      "--controls table.csv --record-controls record.csv";
  SUCCEEDS("%s -o rows.csv", run);
  SAYS(errors, "at t = 1.74 s 'x.u' became too large");
  const table *rows = parse_csv_file("rows.csv");
  for (int k = 0; k < rows->rows; k++) {
    const double t = rows->value[k][0], begun = k < 174 ? 0.5 : 1.74, v = 8.1e9 * (fmin(t, 2) - begun);
    NEAR(rows->value[k][2], fmax(v, 0) + 3 * fmax(t - 2, 0), 1e-5); /* of 1e10 */
  }
  SUCCEEDS("compare table.csv record.csv");
  /* the same over a checkpoint behind the reset */
  SUCCEEDS("%s -o other.csv --checkpoint c --checkpoint-every 1.9 --quiet", run);
  SUCCEEDS("simulate --resume c");
  check_same_file("rows.csv", "other.csv");
}
END_TEST

CHECK_MAIN("the command: controls over time", controls_over_time, tables_that_do_not_fit_are_refused,
           a_killed_run_goes_on_in_its_table, what_is_delivered_has_the_same_table, after_a_reset_the_table_goes_on)
