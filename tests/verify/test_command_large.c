/* Inputs that are large in odd ways take time in proportion: what took half a minute and more takes a second. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <sys/resource.h>

/* Processor time of all programs that have been run, s. */
static double children_seconds(void) {
  struct rusage usage;
  ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
  return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* Ten times what a sanitizer needs, and a fifth of what a search through all of them took. */
enum { SECONDS = 6 };

START_TEST(many_default_classes) {
  enum { CLASSES = 80000 };
  enter_directory();
  FILE *file = fopen("classes.xml", "w");
  ck_assert_ptr_nonnull(file);
  fputs("<mujoco><default>", file);
  for (int i = 0; i < CLASSES; i++) fprintf(file, "<default class=\"c%d\"><joint damping=\"0.1\"/></default>", i);
  fputs("</default><worldbody>", file);
  for (int i = 0; i < 100; i++) {
    fprintf(file, "<body><joint class=\"c%d\"/><inertial pos=\"0 0 1\" mass=\"1\" diaginertia=\"1 1 1\"/></body>",
            i * (CLASSES / 100));
  }
  fputs("</worldbody></mujoco>", file);
  ck_assert_int_eq(fclose(file), 0);
  SUCCEEDS("info classes.xml --json");
  json_t *root = parse(output);
  ck_assert_int_eq((int)integer(root, "nu"), 100);
  json_decref(root);
  ck_assert_msg(children_seconds() < SECONDS, "%g s", children_seconds());
}
END_TEST

START_TEST(many_columns) {
  enum { COLUMNS = 300000 };
  enter_directory();
  FILE *file = fopen("wide.csv", "w");
  ck_assert_ptr_nonnull(file);
  fputs("time", file);
  for (int i = 0; i < COLUMNS; i++) fprintf(file, ",j%d.q", i);
  for (int k = 0; k < 3; k++) {
    fprintf(file, "\n%d", k);
    for (int i = 0; i < COLUMNS; i++) fprintf(file, ",%d", (i + k) % 5);
  }
  fputs("\n", file);
  ck_assert_int_eq(fclose(file), 0);
  int code = cardan("plot wide.csv");
  if (code == 1) return; // without Cairo
  ck_assert_msg(code == 0, "exit code %d: %s", code, errors);
  SAYS(errors, "299700 columns are left out");
  SUCCEEDS("plot wide.csv --columns j299999,j7");
  ck_assert_msg(children_seconds() < SECONDS, "%g s", children_seconds());
}
END_TEST

CHECK_MAIN("command large", many_default_classes, many_columns)
