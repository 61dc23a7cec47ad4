/* `simulate --diagnostics` and `--on-divergence reset`. */
#include "command_run.h"

#include <math.h>
#include <string.h>

/* A ball with an arm on a floor: a limit that acts, a contact that pushes, and a pair that may not touch. */
static const char scene[] =
    "<mujoco model='scene'><option cone='elliptic'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<body name='a' pos='0 0 .2'><freejoint/><geom name='ball' size='.2'/><body name='b' pos='.25 0 0'><joint name='hinge' "
    "axis='0 1 0' limited='true' range='.1 1'/><geom name='rod' type='capsule' size='.1 .1'/></body></body></worldbody>"
    "</mujoco>";

/* The object of an array whose member has this text. */
static json_t *find(json_t *array, const char *name, const char *text) {
  size_t i;
  json_t *it;
  json_array_foreach(array, i, it) {
    const char *found = json_string_value(json_object_get(it, name));
    if (found && strcmp(found, text) == 0) return it;
  }
  ck_abort_msg("nothing has %s '%s'", name, text);
  return NULL;
}

START_TEST(diagnostics_tell_times_rows_and_pairs) {
  enter_directory();
  write_file("scene.xml", scene);
  SUCCEEDS("simulate scene.xml --contact soft --step 0.002 --duration 0.1 --diagnostics d.json --quiet");
  json_t *root = parse_file("d.json"), *times = member(root, "times"), *state = member(root, "state");
  ck_assert_int_eq(integer(root, "steps"), 50);
  json_t *matter = find(member(times, "subsystems"), "name", "matter");
  json_t *pose = find(member(matter, "entries"), "name", "matter.pose");
  ck_assert_int_ge(integer(pose, "count"), 50);
  ck_assert_str_eq(json_string_value(member(pose, "stage")), "Position");
  /* entries add up to their subsystem */
  double sum = 0;
  size_t i;
  json_t *entry;
  json_array_foreach(member(matter, "entries"), i, entry) sum += number(entry, "seconds");
  NEAR(sum, number(matter, "seconds"), 1e-12);
  ck_assert(number(times, "method_and_rest") > 0);
  /* the last state */
  NEAR(number(state, "time"), 0.1, 1e-12);
  ck_assert(number(member(state, "imbalance"), "largest") < 1e-6 * number(member(state, "imbalance"), "scale"));
  json_t *limit = find(member(state, "soft_rows"), "name", "hinge limit");
  ck_assert_str_eq(json_string_value(member(limit, "kind")), "limit");
  ck_assert(element(limit, "force", 1, 0) > 0);
  json_t *pairs = member(state, "near_pairs");
  SAYS(json_string_value(member(find(pairs, "b", "rod"), "says")), "rod");
  ck_assert(number(find(pairs, "b", "ball"), "force") > 1);
  json_decref(root);
  EXITS(2, "simulate scene.xml --duration 1 --deliver --diagnostics d.json");
  SAYS(errors, "--diagnostics");
}
END_TEST

/* A spring that is far too stiff for the step: the run fails, or begins anew whenever a number is above 1e10. */
static const char stiff[] =
    "<mujoco model='stiff'><option gravity='0 0 0'/><worldbody><body name='a'><joint name='s' type='slide' axis='1 0 0' "
    "stiffness='1e4' springref='1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>";

START_TEST(a_run_that_diverges_stops_or_begins_anew) {
  enter_directory();
  write_file("stiff.xml", stiff);
  const char *run = "simulate stiff.xml --step 0.05 --method mujoco-euler --no-companion --duration 20 --report 0.05";
  EXITS(1, "%s", run);
  SAYS(errors, "CDN_ERR_NONFINITE");
  SUCCEEDS("%s --on-divergence reset -o rows.csv --diagnostics d.json", run);
  SAYS(errors, "became too large");
  json_t *root = parse_file("d.json"), *reset = find(member(root, "warnings"), "kind", "reset");
  const long long resets = integer(reset, "count");
  ck_assert_int_gt(resets, 1);
  SAYS(json_string_value(member(reset, "element")), "s.");
  json_decref(root);
  /* MuJoCo's Euler method from rest: v += h k (x0 - x), x += h v; after a reset both are zero. */
  static char text[TEXT_SIZE];
  read_file("rows.csv", text);
  double x = 0, v = 0;
  long long counted = 0;
  int rows = 0;
  char *line = strchr(text, '\n');
  for (line = line ? line + 1 : NULL; line && *line; rows++) {
    double t, q, u;
    ck_assert_int_eq(sscanf(line, "%lf,%lf,%lf", &t, &q, &u), 3);
    ck_assert_msg(fabs(q - x) <= 1e-9 * (1 + fabs(x)) && fabs(u - v) <= 1e-9 * (1 + fabs(v)),
                  "row %d: %g, %g, and not %g, %g", rows, q, u, x, v);
    v += 0.05 * 1e4 * (1 - x), x += 0.05 * v;
    if (fabs(x) > 1e10 || fabs(v) > 1e10 || fabs(1e4 * (1 - x)) > 1e10) x = v = 0, counted++;
    line = strchr(line, '\n');
    if (line) line++;
  }
  ck_assert_int_eq(rows, 401);
  ck_assert_msg(counted == resets || counted == resets + 1, "%lld and %lld resets", counted, resets);
  EXITS(2, "simulate stiff.xml --duration 1 --on-divergence stop");
  SAYS(errors, "reset");
}
END_TEST

CHECK_MAIN("command diagnostics", diagnostics_tell_times_rows_and_pairs, a_run_that_diverges_stops_or_begins_anew)
