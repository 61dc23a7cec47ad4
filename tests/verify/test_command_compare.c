/* `cardan compare`: by how much two trajectories differ, where and when; and controls over time, whose runs it shows to
 * have the same bits. */
#include "command_run.h"

#include <string.h>

START_TEST(what_differs_is_said) {
  enter_directory();
  write_file("a.csv", "time,x.q,x.u,speed\n0,1,2,3\n0.5,10,2,nan\n1,3,-4,5\n");
  write_file("b.csv", "time,x.u,x.q,speed\n0,2,1,3\n0.25,7,7,7\n0.5,2.5,11,nan\n1,-4,3,5\n");
  write_file("c.csv", "time,x.q,speed\n0,1,3\n1,3,5\n");
  write_file("nan.csv", "time,x.q,x.u,speed\n0,1,2,3\n0.5,nan,2,3\n");
  SUCCEEDS("compare a.csv a.csv");
  SAYS(output, "equal to the last bit: 3 quantities at 3 times");
  EXITS(8, "compare a.csv b.csv");
  const char *q = strstr(output, "x.q"), *u = strstr(output, "x.u");
  ck_assert_ptr_nonnull(q);
  ck_assert_ptr_nonnull(u);
  ck_assert_msg(u < q, "relative to their largest, x.u differs more:\n%s", output); /* 0.5 of 4, 1 of 11 */
  double off, time, first, second;
  ck_assert_int_eq(sscanf(q, "x.q %lf %lf %lf %lf", &off, &time, &first, &second), 4);
  ck_assert(off == 1 && time == 0.5 && first == 10 && second == 11);
  SAYS(output, "b.csv: 1 rows are at times that the other file does not have");
  SAYS(output, "different: 2 of 3 quantities at 3 times; the largest difference is in x.u");
  SUCCEEDS("compare a.csv b.csv --tolerance 0.125");
  EXITS(8, "compare a.csv b.csv --tolerance 0.12");
  SUCCEEDS("compare a.csv b.csv --tolerance 0.1 --columns x.q --quiet");
  ck_assert_int_eq(strncmp(output, "equal within 0.1", 16), 0);
  EXITS(8, "compare a.csv nan.csv --tolerance 1");
  SAYS(output, "the largest difference is in x.q");
  EXITS(8, "compare a.csv c.csv");
  SAYS(output, "only in a.csv: x.u");
  SUCCEEDS("compare a.csv c.csv --columns x.q,speed");
}
END_TEST

START_TEST(what_cannot_be_compared_is_said) {
  enter_directory();
  write_file("a.csv", "time,x\n0,1\n1,2\n");
  write_file("late.csv", "time,x\n5,1\n6,2\n");
  write_file("broken.csv", "time,x\n0,1\n1,two\n");
  EXITS(2, "compare a.csv");
  EXITS(2, "compare a.csv a.csv a.csv");
  EXITS(2, "compare a.csv a.csv --columns y");
  SAYS(errors, "neither file has a column 'y'");
  EXITS(3, "compare a.csv nowhere.csv");
  EXITS(3, "compare a.csv late.csv");
  SAYS(errors, "have no row at the same time");
  EXITS(3, "compare a.csv broken.csv");
}
END_TEST

/* ---- controls over time ---- */

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
  EXITS(3, "simulate arm.xml --duration 0.1 --controls nobody.csv");
  SAYS(errors, "the model has no control 'third'");
  EXITS(3, "simulate arm.xml --duration 0.1 --controls untimed.csv");
  SAYS(errors, "its first column is 'time'");
  EXITS(2, "simulate arm.xml --duration 0.1 --controls table.csv --deliver");
  EXITS(2, "simulate arm.xml --duration 0.1 --controls table.csv --record-controls table.csv");
  SAYS(errors, "would be overwritten");
  EXITS(3, "rollout arm.xml --like mujoco --controls table.csv -o x.npy");
  SAYS(errors, "needs --duration");
}
END_TEST

CHECK_MAIN("the command: compare, controls over time", what_differs_is_said, what_cannot_be_compared_is_said,
           controls_over_time, tables_that_do_not_fit_are_refused)
