/* `cardan compare`: by how much two trajectories differ, where and when. */
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

CHECK_MAIN("the command: compare", what_differs_is_said, what_cannot_be_compared_is_said)
