/* What `cardan simulate` says of runs that cannot deliver what was asked, and of those of which nobody knows. */
#include "command_run.h"

static const char *data(const char *name) {
  static char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", name);
  return path;
}

/* A damped link of inertia 1e-20: the run ends at once and names the link, what it has too little and too much of, and a cure. */
START_TEST(a_run_without_headway_ends_with_cause_and_cure) {
  enter_directory();
  write_file("turning.json", "{\"u\": [1, 0]}");
  EXITS(1, "simulate %s --initial turning.json --duration 1 --summary run.json", data("stall.urdf"));
  SAYS(output, "asked 1e-4, delivered: unknown, as the run failed at t = ");
  SAYS(errors, "no headway");
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
  SUCCEEDS("simulate %s --initial turning.json --duration 1 --armature 1e-3 --verify", data("stall.urdf"));
#ifdef TEST_SUNDIALS
  SUCCEEDS("simulate %s --initial turning.json --duration 1 --method cvode-bdf --verify", data("stall.urdf"));
  SUCCEEDS("simulate %s --initial turning.json --duration 1 --method ida --verify", data("stall.urdf"));
#endif
}
END_TEST

CHECK_MAIN("verdicts of the command", a_run_without_headway_ends_with_cause_and_cure)
