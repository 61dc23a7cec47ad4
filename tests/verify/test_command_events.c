/* Rigid limits and dry friction on the command line: `info` and `eval` tell statuses, `simulate --events` writes a row
 * for each change, and the certificate counts them. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <unistd.h>

/* 2 kg between two walls 1 m apart, without forces; a wall returns E of a speed. The joint's name has to be quoted. */
#define RATIO 0.1
static const char walls[] = "<mujoco model='walls'><option gravity='0 0 0'/><worldbody><body name='puck'>"
                            "<joint name='to, fro' type='slide' axis='1 0 0' range='0 1' solreflimit='0.02 0.1'/>"
                            "<geom type='sphere' size='.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>"
                            "<keyframe><key name='thrown' qpos='0.5' qvel='2'/></keyframe></mujoco>";
static double restitution(void) { return exp(-PI * RATIO / sqrt(1 - RATIO * RATIO)); }

/* The same with dry friction of 4 N and a force of 3 N along it, from rest at a wall. */
static const char brake[] =
    "<mujoco model='brake'><option gravity='1.5 0 0'/><worldbody><body name='puck'>"
    "<joint name='rail' type='slide' axis='1 0 0' range='0 1' frictionloss='4'/>"
    "<geom type='sphere' size='.1' mass='2' contype='0' conaffinity='0'/></body></worldbody></mujoco>";

typedef struct row {
  double time, impulse, energy;
  char element[64], change[32];
} row;

/* A row of the table of events, whose element is in quotes; its end is at *at. */
static bool next_row(const char **at, row *out) {
  int n = 0;
  *out = (row){ 0 };
  if (sscanf(*at, "%lf,\"%63[^\"]\",%31[^,],%lf,%lf\n%n", &out->time, out->element, out->change, &out->impulse,
             &out->energy, &n) != 5)
    return false;
  *at += n;
  return true;
}

/* Hits at 0.25 s with 2 m/s, then each 1 / v later with v, which e lowers each time. */
static int check_bounces(const char *text, double tolerance) {
  static const char head[] = "time,element,change,impulse,energy\n";
  const double e = restitution(), m = 2;
  double v = 2, t = 0.25;
  int n = 0;
  row r;
  ck_assert_int_eq(strncmp(text, head, strlen(head)), 0);
  for (const char *at = text + strlen(head); *at; n++, v *= e, t += 1 / v) {
    ck_assert_msg(next_row(&at, &r), "%.100s", at);
    ck_assert_str_eq(r.element, n % 2 ? "to, fro lower limit" : "to, fro upper limit");
    ck_assert_str_eq(r.change, "bounces");
    NEAR(r.time, t, tolerance);
    NEAR(r.impulse, m * (1 + e) * v, tolerance);
    NEAR(r.energy, 0.5 * m * v * v * (1 - e * e), tolerance);
  }
  return n;
}

START_TEST(each_change_is_a_row) {
  enter_directory();
  write_file("walls.xml", walls);
#define RUN "simulate walls.xml --contact rigid --key thrown --duration 3 --accuracy 1e-8 --quiet"
  SUCCEEDS(RUN " --events - --summary run.json");
  ck_assert_int_eq(check_bounces(output, 3e-8), 3);
  SAYS(errors, "3 impacts that took");
  json_t *run = parse_file("run.json"), *events = member(run, "contact_by_events");
  const double e = restitution();
  ck_assert_int_eq(integer(events, "impacts"), 3);
  ck_assert_int_eq(integer(events, "captures"), 0);
  NEAR(number(events, "impact_energy"), 0.5 * 2 * 4 * (1 - pow(e, 6)), 1e-7);
  ck_assert(number(events, "worst_residual") < 1e-12);
  json_decref(run);
  /* the run itself is not changed by that */
  SUCCEEDS(RUN " -o rows.csv");
  SUCCEEDS(RUN " -o same.csv --events events.csv");
  check_same_file("rows.csv", "same.csv");
  SUCCEEDS(RUN " --events kept.csv --deliver");
  read_file("kept.csv", output);
  ck_assert_int_eq(check_bounces(output, 3e-8), 3);
  EXITS(2, RUN " --events same.csv -o same.csv");
  SAYS(errors, "-o and --events both write to 'same.csv'");
  EXITS(4, RUN " --events none/events.csv");
}
END_TEST

/* From its last checkpoint on a run writes the same events. */
START_TEST(a_resumed_run_goes_on_with_its_table) {
  enter_directory();
  write_file("walls.xml", walls);
  SUCCEEDS(RUN " --events events.csv -o rows.csv --checkpoint run.checkpoint --checkpoint-every 1");
  ck_assert_int_eq(system("cp events.csv truth.csv"), 0);
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  check_same_file("events.csv", "truth.csv");
  read_file("events.csv", output);
  ck_assert_int_eq(check_bounces(output, 3e-8), 3);
  write_file("events.csv", "time,element,change,impulse,energy\n0,stranger,touches,0,0\n");
  EXITS(3, "simulate --resume run.checkpoint --quiet");
  SAYS(errors, "events.csv: is not the table of events of this checkpoint");
  EXITS(2, RUN " --events - --checkpoint run.checkpoint");
  SAYS(errors, "the table of events in a file");
}
END_TEST

START_TEST(statuses_are_told) {
  enter_directory();
  write_file("brake.xml", brake);
  SUCCEEDS("eval brake.xml --contact rigid --json");
  json_t *now = parse(output), *lower = json_array_get(member(now, "one_sided"), 0),
         *friction = json_array_get(member(now, "frictions"), 0);
  ck_assert_int_eq((int)json_array_size(member(now, "one_sided")), 2);
  ck_assert_str_eq(json_string_value(member(lower, "name")), "rail lower limit");
  ck_assert_str_eq(json_string_value(member(lower, "kind")), "constant coordinate");
  NEAR(number(lower, "gap"), 0, 0);
  NEAR(number(json_array_get(member(now, "one_sided"), 1), "gap"), 1, 0);
  ck_assert_str_eq(json_string_value(member(friction, "name")), "rail friction");
  ck_assert_str_eq(json_string_value(member(friction, "status")), "sticks");
  NEAR(element(friction, "force", 3, 0) + number(lower, "push"), -3, 1e-14); /* it holds 2 kg at 1.5 m/s^2 */
  NEAR(element(now, "udot", 1, 0), 0, 1e-14);
  json_decref(now);
  SUCCEEDS("eval brake.xml --contact rigid");
  SAYS(output, "on one side: status; gap, m or rad; push, N or N m");
  SAYS(output, "sticks              3.0  rail friction");
  SUCCEEDS("info brake.xml --contact rigid --json");
  now = parse(output);
  ck_assert_int_eq((int)json_array_size(member(now, "one_sided")), 2);
  ck_assert_int_eq((int)json_array_size(member(now, "frictions")), 1);
  friction = json_array_get(member(now, "dry_friction"), 0);
  NEAR(number(friction, "loss"), 4, 0);
  NEAR(number(friction, "elastic"), 0, 0);
  json_decref(now);
  SUCCEEDS("info brake.xml --json");
  now = parse(output);
  ck_assert_int_eq((int)json_array_size(member(now, "one_sided")), 0);
  json_decref(now);
  /* where the start is an impact, the speeds are those after it */
  write_file("walls.xml", walls);
  write_file("hits.json", "{\"q\": [1], \"u\": [2]}");
  SUCCEEDS("eval walls.xml --contact rigid --state hits.json --json");
  SAYS(errors, "the speeds are those after their impact");
  now = parse(output);
  NEAR(element(now, "u", 1, 0), -2 * restitution(), 1e-14);
  json_decref(now);
  EXITS(2, "eval walls.xml --contact hard");
  SAYS(errors, "--contact is compliant, soft, rigid or none, not 'hard'");
}
END_TEST

CHECK_MAIN("command events", each_change_is_a_row, a_resumed_run_goes_on_with_its_table, statuses_are_told)
