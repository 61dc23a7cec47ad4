/* Studies: what they set, what they keep, what is wrong with them; blocks, crashes, a full disk. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../testing.h"
#include <cardan/table.h>

#include "core/core.h"

/* A rod on a hinge about y with a motor and a sensor of the angle; its centre of mass is LENGTH below the hinge. */
#define MASS 2.0
#define LENGTH 0.75
#define INERTIA 0.125
static const char model[] =
    "<mujoco model='rod'><compiler angle='radian'/><option gravity='0 0 -9.81'/>\n"
    "<worldbody><body name='rod'><joint name='hinge' type='hinge' axis='0 1 0'/>\n"
    "<inertial pos='0 0 -0.75' mass='2' diaginertia='0.125 0.125 0.01'/></body></worldbody>\n"
    "<actuator><motor name='drive' joint='hinge'/></actuator>\n"
    "<sensor><jointpos name='angle' joint='hinge'/><framepos name='place' objtype='body' objname='rod'/></sensor>\n"
    "<keyframe><key name='raised' qpos='0.5'/></keyframe></mujoco>\n";

static char folder[64];

static void enter(void) {
  strcpy(folder, "/tmp/cardan_sweeps_XXXXXX");
  ck_assert(mkdtemp(folder) && chdir(folder) == 0);
  FILE *file = fopen("rod.xml", "w");
  ck_assert(file && fputs(model, file) >= 0 && fclose(file) == 0);
}

static void leave(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert(chdir("/") == 0 && system(command) == 0);
}

static cdn_status load(const char *text, cdn_sweep **out) {
  return cdn_sweep_load_string(text, strlen(text), "s.json", out);
}

static cdn_sweep *loaded(const char *text) {
  cdn_sweep *s = NULL;
  const cdn_status status = load(text, &s);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  return s;
}

static int column(const cdn_sweep *s, const char *name) {
  for (int i = 0; i < cdn_sweep_column_count(s); i++)
    if (strcmp(cdn_sweep_column_name(s, i), name) == 0) return i;
  ck_abort_msg("no column '%s'", name);
  return -1;
}

enum { MOST = 64 };

static double of_case(cdn_sweep *s, int64_t k, const char *name) {
  double row[MOST];
  ck_assert_int_le(cdn_sweep_column_count(s), MOST);
  const cdn_status status = cdn_sweep_run_case(s, k, row);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  return row[column(s, name)];
}

/* ---- what is set ---- */

/* Each kind of name reaches its number; gravity and mass are seen in the acceleration. */
START_TEST(names_reach_their_numbers) {
  enter();
  cdn_sweep *s = loaded("{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 1, \"key\": \"raised\",\n"
                        "\"set\": { \"hinge.u\": 0.25, \"body/rod/mass\": 3 },\n"
                        "\"vary\": { \"g\": { \"list\": [1, -5], \"sets\": \"force/gravity/g.z\" },\n"
                        "  \"hinge.q\": { \"list\": [2, 3], \"as\": \"factor\" },\n"
                        "  \"drive\": { \"list\": [0.5, -0.5] },\n"
                        "  \"heavier\": { \"list\": [0, 1], \"as\": \"offset\", \"sets\": [\"body/rod/mass\"] } } }");
  cdn_state *state;
  double value;
  OK(cdn_state_create(cdn_sweep_system(s), &state));
  ck_assert_int_eq((int)cdn_sweep_case_count(s), 2);
  ck_assert_str_eq(cdn_sweep_column_unit(s, column(s, "g")), "m/s^2");
  ck_assert_str_eq(cdn_sweep_column_unit(s, column(s, "heavier")), "kg");
  for (int k = 0; k < 2; k++) {
    OK(cdn_sweep_set_state(s, k, state));
    NEAR(cdn_state_q(state)[0], k == 0 ? 1.0 : 1.5, 1e-15);
    NEAR(cdn_state_u(state)[0], 0.25, 0);
    OK(cdn_parameter_get(state, CDN_ELEMENT_BODY, "rod", "mass", &value));
    NEAR(value, k == 0 ? 3 : 4, 0);
    OK(cdn_parameter_get(state, CDN_ELEMENT_FORCE, "gravity", "g.z", &value));
    NEAR(value, k == 0 ? 1 : -5, 0);
    NEAR(cdn_control_given(state, (cdn_control){ 0 }), k == 0 ? 0.5 : -0.5, 0);
  }
  cdn_state_destroy(state);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* Options of the run vary as well, and the row tells them. */
START_TEST(options_of_runs_vary) {
  enter();
  cdn_sweep *s = loaded(
      "{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 1, \"set\": { \"hinge.q\": 1 },\n"
      "\"vary\": { \"tight\": { \"grid\": [1e-4, 1e-8], \"sets\": \"run/accuracy\" },\n"
      "            \"T\": { \"grid\": { \"from\": 1, \"to\": 2, \"count\": 3 }, \"sets\": \"run/duration\" } } }");
  ck_assert_int_eq((int)cdn_sweep_case_count(s), 6);
  for (int k = 0; k < 6; k++) {
    NEAR(of_case(s, k, "accuracy"), k < 3 ? 1e-4 : 1e-8, 0);
    NEAR(of_case(s, k, "time_final"), 1 + k % 3 / 2., 0);
    NEAR(of_case(s, k, "delivered"), CDN_VERDICT_DELIVERED, 0);
  }
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* ---- what is kept ---- */

/* A pendulum from rest: its energy stays, its angle turns back at the other side, and the mean of what oscillates is
 * what the integral of the same run says. */
START_TEST(ends_extremes_and_means_are_kept) {
  enter();
  cdn_sweep *s = loaded(
      "{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 3, \"accuracy\": 1e-9, \"key\": \"raised\",\n"
      "\"keep\": { \"end\": [\"angle\", \"hinge.q\", \"total energy\", \"place\"],\n"
      "  \"min\": [\"angle\", \"hinge.u\"], \"max\": [\"angle\"], \"mean\": [\"hinge.u\", \"total energy\"] } }");
  ck_assert_int_eq((int)cdn_sweep_case_count(s), 1);
  const double q = of_case(s, 0, "end hinge.q"), energy = -MASS * 9.81 * LENGTH * cos(0.5);
  NEAR(of_case(s, 0, "end angle"), q, 0);
  NEAR(of_case(s, 0, "max angle"), 0.5, 1e-7);
  NEAR(of_case(s, 0, "min angle"), -0.5, 1e-7);
  /* the speed at the bottom: all energy is of motion */
  const double inertia = INERTIA + MASS * LENGTH * LENGTH;
  NEAR(of_case(s, 0, "min hinge.u"), -sqrt(2 * (energy + MASS * 9.81 * LENGTH) / inertia), 1e-7);
  NEAR(of_case(s, 0, "mean hinge.u"), (q - 0.5) / 3, 1e-8);
  NEAR(of_case(s, 0, "end total energy"), energy, 1e-7);
  NEAR(of_case(s, 0, "mean total energy"), energy, 1e-7);
  ck_assert_str_eq(cdn_sweep_column_unit(s, column(s, "mean total energy")), "J");
  NEAR(of_case(s, 0, "end place[2]"), -LENGTH * cos(q), 1e-12);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* ---- what is wrong ---- */

#define STUDY(more) "{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 1, " more " }"

START_TEST(mistakes_name_the_key_and_the_nearest_name) {
  static const struct {
    const char *text, *said;
  } wrong[] = {
    { "{ \"cardan study\": 1", "s.json:1:" },
    { "[]", "begins with { \"cardan study\": 1" },
    { "{ \"cardan study\": 2 }", "begins with { \"cardan study\": 1" },
    { "{ \"cardan study\": 1, \"duration\": 1 }", "needs a \"model\"" },
    { "{ \"cardan study\": 1, \"model\": \"rod.xml\" }", "needs a \"duration\"" },
    { "{ \"cardan study\": 1, \"model\": \"rad.xml\", \"duration\": 1 }", "rad.xml" },
    { STUDY("\"acuracy\": 1e-4"), "\"acuracy\"; did you mean \"accuracy\"?" },
    { STUDY("\"accuracy\": -1"), "\"accuracy\" should be above 0" },
    { STUDY("\"accuracy\": 2"), "\"accuracy\" should be from 1e-15 to 1" },
    { STUDY("\"accuracy\": \"x\""), "\"accuracy\" should be a number" },
    { STUDY("\"method\": \"adam\""), "did you mean \"adams\"?" },
    { STUDY("\"contact\": \"sotf\""), "did you mean \"soft\"?" },
    { STUDY("\"method\": \"mujoco-euler\", \"step\": 1e-3, \"seed\": 0.5"), "\"seed\" should be a whole number" },
    { STUDY("\"key\": \"rised\""), "raised" },
    { STUDY("\"block\": 0"), "\"block\" should be a whole number from 1" },
    { STUDY("\"limits\": { \"step\": 3 }"), "\"limits\" has no key \"step\"; did you mean \"steps\"?" },
    { STUDY("\"set\": { \"hinge.p\": 1 }"), "did you mean \"hinge." },
    { STUDY("\"set\": { \"body/rod/mess\": 1 }"), "did you mean \"mass\"?" },
    { STUDY("\"set\": { \"body/rot/mass\": 1 }"), "did you mean \"rod\"?" },
    { STUDY("\"set\": { \"bodi/rod/mass\": 1 }"), "did you mean \"body\"?" },
    { STUDY("\"set\": { \"body/mass\": 1 }"), "body/ELEMENT/PARAMETER" },
    { STUDY("\"set\": { \"run/acuracy\": 1 }"), "did you mean \"run/accuracy\"?" },
    { STUDY("\"set\": { \"body/rod/mass\": -1 }"), "mass is -1" },
    { STUDY("\"set\": { \"drive\": \"1\" }"), "\"drive\" should be a number" },
    { STUDY("\"vary\": []"), "\"vary\" should be an object" },
    { STUDY("\"vary\": { \"hinge.q\": [1] }"), "\"hinge.q\" should be an object" },
    { STUDY("\"vary\": { \"hinge.q\": {} }"), "\"hinge.q\" says no values" },
    { STUDY("\"vary\": { \"hinge.q\": { \"gird\": [1] } }"), "did you mean \"grid\"?" },
    { STUDY("\"vary\": { \"hinge.q\": { \"grid\": [1], \"list\": [1] } }"), "choose one" },
    { STUDY("\"vary\": { \"hinge.q\": { \"grid\": [] } }"), "has no values" },
    { STUDY("\"vary\": { \"hinge.q\": { \"grid\": [1, \"2\"] } }"), "number 1 of \"grid\"" },
    { STUDY("\"vary\": { \"hinge.q\": { \"grid\": { \"from\": 1, \"to\": 2 } } }"), "\"count\" of 2 or more" },
    { STUDY("\"vary\": { \"hinge.q\": { \"uniform\": [2, 1] } }, \"cases\": 3"), "bounds that do not grow" },
    { STUDY("\"vary\": { \"hinge.q\": { \"log-uniform\": [0, 1] } }, \"cases\": 3"), "above zero" },
    { STUDY("\"vary\": { \"hinge.q\": { \"normal\": [0, -1] } }, \"cases\": 3"), "a deviation below zero" },
    { STUDY("\"vary\": { \"hinge.q\": { \"normal\": [0] } }, \"cases\": 3"), "[mean, deviation]" },
    { STUDY("\"vary\": { \"hinge.q\": { \"uniform\": [1, 2] } }"), "needs \"cases\"" },
    { STUDY("\"vary\": { \"hinge.q\": { \"uniform\": [1, 2], \"as\": \"facter\" } }, \"cases\": 2"), "\"factor\"" },
    { STUDY("\"vary\": { \"hinge.q\": { \"list\": [1, 2] }, \"hinge.u\": { \"list\": [1] } }"), "lists go together" },
    { STUDY("\"vary\": { \"q\": { \"list\": [1], \"sets\": \"hinge.q\" }, \"hinge.q\": { \"list\": [1] } }"),
      "set twice" },
    { STUDY("\"vary\": { \"status\": { \"list\": [1], \"sets\": \"hinge.q\" } }"), "two columns" },
    { STUDY("\"vary\": { \"q\": { \"list\": [1], \"sets\": [] } }"), "\"sets\" should be" },
    { STUDY("\"vary\": { \"hinge.q\": { \"grid\": { \"from\": 0, \"to\": 1, \"count\": 1e5 } }, "
            "\"hinge.u\": { \"grid\": { \"from\": 0, \"to\": 1, \"count\": 1e5 } } }"),
      "too many" },
    { STUDY("\"sampling\": \"sobel\""), "did you mean \"sobol\"?" },
    { STUDY("\"keep\": { \"end\": [\"angel\"] }"), "did you mean \"angle\"?" },
    { STUDY("\"keep\": { \"last\": [\"angle\"] }"), "\"keep\" has no key \"last\"" },
    { STUDY("\"keep\": { \"max\": \"angle\" }"), "\"max\" should be a list" },
    { STUDY("\"keep\": { \"end\": [\"angle\", \"angle\"] }"), "two columns" },
    { STUDY("\"ground\": true, \"key\": \"raised\""), "\"ground\" needs a height" },
  };
  enter();
  for (int i = 0; i < CDNI_COUNT(wrong); i++) {
    cdn_sweep *s = (cdn_sweep *)folder;
    const cdn_status status = load(wrong[i].text, &s);
    ck_assert_msg(status != CDN_OK && !s, "%s", wrong[i].text);
    ck_assert_msg(strstr(cdn_last_error_text(), wrong[i].said), "%s\n%s", wrong[i].text, cdn_last_error_text());
    ck_assert_msg(strstr(cdn_last_error_text(), "s.json"), "%s", cdn_last_error_text());
  }
  leave();
}
END_TEST

/* ---- cases that fail ---- */

START_TEST(a_case_that_fails_is_a_row_that_says_why) {
  enter();
  cdn_sweep *s = loaded(STUDY("\"vary\": { \"body/rod/mass\": { \"list\": [1, -1, 2] } }"));
  double row[MOST];
  OK(cdn_sweep_run_case(s, 1, row));
  NEAR(row[column(s, "status")], CDN_ERR_ARG, 0);
  ck_assert(isnan(row[column(s, "end angle")]) && isnan(row[column(s, "accuracy")]));
  ck_assert_ptr_nonnull(strstr(cdn_sweep_message(s), "mass is -1"));
  OK(cdn_sweep_run_case(s, 2, row));
  NEAR(row[column(s, "status")], CDN_SWEEP_DONE, 0);
  ck_assert_str_eq(cdn_sweep_message(s), "");
  FAILS(cdn_sweep_run_case(s, 3, row), CDN_ERR_ARG);
  FAILS(cdn_sweep_run_case(s, -1, row), CDN_ERR_ARG);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

START_TEST(limits_end_runs) {
  enter();
  cdn_sweep *s = loaded("{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 1e9, \"key\": \"raised\",\n"
                        "\"limits\": { \"steps\": 100 } }");
  double row[MOST];
  OK(cdn_sweep_run_case(s, 0, row));
  NEAR(row[column(s, "status")], CDN_SWEEP_STEPS, 0);
  const double taken = row[column(s, "steps")] + row[column(s, "rejected")];
  ck_assert(taken >= 100 && taken <= 120);
  cdn_sweep_destroy(s);
  s = loaded("{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 1e6, \"step\": 1e-4,\n"
             "\"limits\": { \"seconds\": 0.05 } }");
  OK(cdn_sweep_run_case(s, 0, row));
  NEAR(row[column(s, "status")], CDN_SWEEP_SECONDS, 0);
  ck_assert_str_eq(cdn_sweep_status_text(CDN_SWEEP_SECONDS), "it took more time than the study allows");
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* ---- blocks ---- */

static const char many[] =
    "{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 0.3, \"cases\": 40, \"seed\": 3, \"block\": 7,\n"
    "\"results\": \"out\", \"sampling\": \"latin hypercube\",\n"
    "\"vary\": { \"hinge.q\": { \"uniform\": [-1, 1] }, \"drive\": { \"normal\": [0, 2] } } }";

static int64_t missing(cdn_sweep *s, int64_t part, int64_t parts, int64_t *blocks) {
  int64_t n = 0;
  const cdn_status status = cdn_sweep_missing(s, part, parts, MOST, blocks, &n);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  return n;
}

static void ran(cdn_sweep *s, int64_t block) {
  const cdn_status status = cdn_sweep_run_block(s, block, NULL);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
}

static void gathered(cdn_sweep *s, const char *path) {
  const cdn_status status = cdn_sweep_gather(s, path);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
}

static bool same(const char *a, const char *b) {
  char command[160];
  snprintf(command, sizeof command, "cmp -s %s %s", a, b);
  return system(command) == 0;
}

START_TEST(results_do_not_depend_on_blocks_or_their_order) {
  int64_t blocks[MOST];
  double row[MOST];
  enter();
  cdn_sweep *s = loaded(many);
  ck_assert_int_eq((int)cdn_sweep_block_count(s), 6);
  ck_assert_int_eq((int)missing(s, 0, 1, blocks), 6);
  ck_assert(access("out", F_OK) != 0); /* looking makes nothing */
  FAILS(cdn_sweep_gather(s, "early.csv"), CDN_ERR_LIMIT);
  for (int64_t i = 5; i >= 0; i--) ran(s, i);
  ck_assert_int_eq((int)missing(s, 0, 1, blocks), 0);
  gathered(s, "backward.csv");
  ck_assert(access("early.csv", F_OK) != 0);
  /* a part, then all that is left; another block size; a sweep that was loaded anew */
  ck_assert(system("rm -r out") == 0);
  cdn_sweep_destroy(s);
  s = loaded(many);
  ck_assert_int_eq((int)missing(s, 1, 2, blocks), 3);
  ck_assert(blocks[0] == 1 && blocks[1] == 3 && blocks[2] == 5);
  for (int i = 0; i < 3; i++) ran(s, blocks[i]);
  ck_assert_int_eq((int)missing(s, 0, 1, blocks), 3);
  for (int i = 0; i < 3; i++) ran(s, blocks[i]);
  gathered(s, "parts.csv");
  ck_assert(same("backward.csv", "parts.csv"));
  cdn_sweep_destroy(s);
  char one[sizeof many + 8];
  strcpy(one, many);
  memcpy(strstr(one, "\"out\""), "\"one\"", 5);
  memcpy(strstr(one, "\"block\": 7"), "\"block\":40", 10);
  s = loaded(one);
  ck_assert_int_eq((int)cdn_sweep_block_count(s), 1);
  ran(s, 0);
  gathered(s, "one.csv");
  ck_assert(same("backward.csv", "one.csv"));
  /* and the rows are those of cases that run by themselves */
  cdn_table *table;
  OK(cdn_table_read("one.csv", &table));
  ck_assert_int_eq((int)cdn_table_row_count(table), 40);
  const int n = cdn_sweep_column_count(s);
  ck_assert_int_eq(cdn_table_column_count(table), n);
  OK(cdn_sweep_run_case(s, 23, row));
  for (int i = 0; i < n; i++) NEAR(cdn_table_values(table)[23 * n + i], row[i], 0);
  cdn_table_destroy(table);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

START_TEST(results_of_another_study_are_refused) {
  int64_t blocks[MOST], n;
  enter();
  cdn_sweep *s = loaded(many), *other;
  ran(s, 2);
  char text[sizeof many];
  strcpy(text, many);
  memcpy(strstr(text, "\"seed\": 3"), "\"seed\": 4", 9);
  other = loaded(text);
  FAILS(cdn_sweep_run_block(other, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_sweep_missing(other, 0, 1, MOST, blocks, &n), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "of another study"));
  cdn_sweep_destroy(other);
  /* another model behind the same name */
  FILE *file = fopen("rod.xml", "a");
  ck_assert(fputs("<!-- changed -->\n", file) >= 0 && fclose(file) == 0);
  other = loaded(many);
  FAILS(cdn_sweep_run_block(other, 0, NULL), CDN_ERR_ARG);
  cdn_sweep_destroy(other);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

START_TEST(a_damaged_block_is_said) {
  cdn_sweep_report r;
  enter();
  cdn_sweep *s = loaded(many);
  for (int64_t i = 0; i < 6; i++) ran(s, i);
  ck_assert(truncate("out/block-000003.csv", 600) == 0);
  FAILS(cdn_sweep_gather(s, "all.csv"), CDN_ERR_PARSE);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "block-000003.csv"));
  ck_assert(access("all.csv", F_OK) != 0);
  FAILS(cdn_sweep_status(s, &r), CDN_ERR_PARSE);
  ck_assert(unlink("out/block-000003.csv") == 0);
  ran(s, 3);
  gathered(s, "all.csv");
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

START_TEST(status_counts) {
  cdn_sweep_report r;
  enter();
  cdn_sweep *s = loaded(STUDY("\"block\": 2, \"vary\": { \"body/rod/mass\": { \"list\": [1, -1, 2, -2, 3] } }"));
  OK(cdn_sweep_status(s, &r));
  ck_assert(r.cases == 5 && r.blocks == 3 && r.blocks_done == 0 && r.cases_done == 0 && isnan(r.seconds_left));
  ran(s, 0);
  ran(s, 1);
  OK(cdn_sweep_status(s, &r));
  ck_assert(r.blocks_done == 2 && r.blocks_running == 0 && r.cases_done == 4 && r.failed == 2);
  ck_assert(r.delivered == 2 && r.not_delivered == 0);
  ck_assert(r.n_reasons == 1 && r.reason[0] == CDN_ERR_ARG && r.reason_count[0] == 2 && r.reason_case[0] == 1);
  ck_assert(r.seconds > 0 && r.seconds_left > 0);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* ---- programs that end ---- */

static const char one_that_hangs[] =
    "{ \"cardan study\": 1, \"model\": \"rod.xml\", \"key\": \"raised\", \"duration\": 1, \"step\": 1e-4,\n"
    "\"block\": 4, \"results\": \"out\",\n"
    "\"vary\": { \"run/duration\": { \"list\": [0.1, 1e6, 0.1, 0.1, 0.1, 0.1] } } }";

/* Processor time that a case of such a child may take: those that end take a hundredth. */
static cdn_status set_bomb(void *context, int64_t block, int64_t done, int64_t cases) {
  const struct itimerval soon = { .it_value = { .tv_sec = SANITIZED ? 2 : 0, .tv_usec = SANITIZED ? 0 : 100000 } };
  (void)context, (void)block, (void)done, (void)cases;
  setitimer(ITIMER_VIRTUAL, &soon, NULL);
  return CDN_OK;
}

/* A child that runs all that is missing, and is ended in the middle of the case that takes for ever. */
static void run_and_be_killed(cdn_sweep *s) {
  const pid_t child = fork();
  if (child == 0) {
    int64_t blocks[MOST], n = 0;
    cdn_sweep_run_def def = cdn_default_sweep_run_def();
    def.between = set_bomb;
    signal(SIGVTALRM, SIG_DFL);
    if (cdn_sweep_missing(s, 0, 1, MOST, blocks, &n)) _exit(2);
    for (int64_t i = 0; i < n; i++)
      if (cdn_sweep_run_block(s, blocks[i], &def)) _exit(2);
    _exit(0);
  }
  int how = 0;
  ck_assert(waitpid(child, &how, 0) == child && WIFSIGNALED(how));
}

START_TEST(a_case_that_crashes_is_given_up_after_the_second_time) {
  int64_t blocks[MOST];
  double value;
  cdn_table *table;
  enter();
  cdn_sweep *s = loaded(one_that_hangs);
  run_and_be_killed(s);
  ck_assert_int_eq((int)missing(s, 0, 1, blocks), 2);
  ck_assert(blocks[0] == 1 && blocks[1] == 0); /* where it crashed comes last */
  run_and_be_killed(s);
  ck_assert_int_eq((int)missing(s, 0, 1, blocks), 1);
  ck_assert(blocks[0] == 0);
  ran(s, 0);
  gathered(s, "all.csv");
  OK(cdn_table_read("all.csv", &table));
  const int n = cdn_table_column_count(table), status = column(s, "status");
  for (int k = 0; k < 6; k++) {
    value = cdn_table_values(table)[k * n + status];
    NEAR(value, k == 1 ? CDN_SWEEP_CRASHED : CDN_SWEEP_DONE, 0);
  }
  ck_assert(isnan(cdn_table_values(table)[n + column(s, "end angle")]));
  ck_assert(access("out/block-000000.begun.csv", F_OK) != 0);
  cdn_table_destroy(table);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

static cdn_sweep *interrupted;
static void interrupt(int number) {
  (void)number;
  cdn_sweep_interrupt(interrupted);
}

/* Interrupted by a signal, however often: that is no crash. */
START_TEST(an_interruption_is_no_crash) {
  const struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
  int64_t blocks[MOST];
  enter();
  cdn_sweep *s = interrupted = loaded(one_that_hangs);
  signal(SIGALRM, interrupt);
  for (int i = 0; i < 3; i++) {
    setitimer(ITIMER_REAL, &soon, NULL);
    FAILS(cdn_sweep_run_block(s, 0, NULL), CDN_ERR_LIMIT);
  }
  ck_assert_int_eq((int)missing(s, 0, 1, blocks), 2);
  ck_assert(blocks[0] == 0 && blocks[1] == 1);
  ran(s, 1);
  cdn_sweep_interrupt(s); /* the next call */
  FAILS(cdn_sweep_run_block(s, 0, NULL), CDN_ERR_LIMIT);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

static int calls;
static cdn_status end_at_three(void *context, int64_t block, int64_t done, int64_t cases) {
  ck_assert(context == &calls && block == 1 && cases == 7 && done == calls);
  return ++calls == 4 ? CDN_ERR_CALLBACK : CDN_OK;
}

START_TEST(the_program_is_asked_between_cases) {
  enter();
  cdn_sweep *s = loaded(many);
  cdn_sweep_run_def def = cdn_default_sweep_run_def();
  def.between = end_at_three, def.context = &calls;
  FAILS(cdn_sweep_run_block(s, 1, &def), CDN_ERR_CALLBACK);
  ck_assert_int_eq(calls, 4);
  ck_assert(access("out/block-000001.csv", F_OK) != 0);
  def.between = NULL;
  OK(cdn_sweep_run_block(s, 1, &def));
  ck_assert(access("out/block-000001.csv", F_OK) == 0);
  FAILS(cdn_sweep_run_block(s, 6, NULL), CDN_ERR_ARG);
  FAILS(cdn_sweep_run_block(s, -1, NULL), CDN_ERR_ARG);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* Counts calls before and behind cases that are suspected. While it is called nothing is marked as running. */
static int calls_before, calls_behind;
static cdn_status suspect(void *context, int64_t block, int64_t k, bool begins) {
  char line[64] = "";
  FILE *marks = fopen("out/block-000000.begun.csv", "r");
  ck_assert(marks && block == 0 && k == 3);
  while (fgets(line, sizeof line, marks)) {}
  fclose(marks);
  ck_assert_str_eq(line, "stop\n");
  *(begins ? &calls_before : &calls_behind) += 1;
  return *(const cdn_status *)context;
}

START_TEST(suspected_cases_are_told) {
  cdn_status answer = CDN_ERR_CALLBACK;
  enter();
  cdn_sweep *s = loaded(many);
  cdn_sweep_run_def def = cdn_default_sweep_run_def();
  def.suspect = suspect, def.context = &answer;
  OK(cdn_sweep_run_block(s, 1, &def)); /* nothing is suspected there */
  FILE *marks = fopen("out/block-000000.begun.csv", "w");
  fputs("run\n2\n3\n", marks); /* a program ended in case 3 */
  fclose(marks);
  FAILS(cdn_sweep_run_block(s, 0, &def), CDN_ERR_CALLBACK);
  ck_assert(calls_before == 1 && calls_behind == 0 && access("out/block-000000.csv", F_OK) != 0);
  answer = CDN_OK;
  OK(cdn_sweep_run_block(s, 0, &def));
  ck_assert(calls_before == 2 && calls_behind == 1 && access("out/block-000000.csv", F_OK) == 0);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* Two programs: the one that comes second leaves a block alone that is being run. */
static cdn_status start_another(void *context, int64_t block, int64_t done, int64_t cases) {
  int64_t blocks[MOST];
  cdn_sweep *other = context;
  (void)cases;
  if (done > 0) return CDN_OK;
  OK(cdn_sweep_run_block(other, block, NULL));
  ck_assert(access("out/block-000002.csv", F_OK) != 0);
  ck_assert_int_eq((int)missing(other, 0, 1, blocks), 5);
  cdn_sweep_report r;
  OK(cdn_sweep_status(other, &r));
  ck_assert(r.blocks_running == 1);
  return CDN_OK;
}

START_TEST(a_block_that_is_being_run_is_left_alone) {
  enter();
  cdn_sweep *s = loaded(many), *other = loaded(many);
  cdn_sweep_run_def def = cdn_default_sweep_run_def();
  def.between = start_another, def.context = other;
  OK(cdn_sweep_run_block(s, 2, &def));
  cdn_sweep_destroy(other);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* A file that may not grow: nothing is half written, and the block runs when there is room. */
START_TEST(a_full_disk_is_said) {
  struct rlimit before, tight = { 200, 200 };
  enter();
  cdn_sweep *s = loaded(many);
  ran(s, 0);
  signal(SIGXFSZ, SIG_IGN);
  ck_assert(getrlimit(RLIMIT_FSIZE, &before) == 0);
  tight.rlim_max = before.rlim_max;
  ck_assert(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  FAILS(cdn_sweep_run_block(s, 1, NULL), CDN_ERR_FILE);
  ck_assert(setrlimit(RLIMIT_FSIZE, &before) == 0);
  ck_assert(access("out/block-000001.csv", F_OK) != 0 && access("out/block-000001.begun.csv", F_OK) != 0);
  ran(s, 1);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* ---- trajectories, random numbers ---- */

START_TEST(trajectories_are_one_table_a_case) {
  enter();
  cdn_sweep *s = loaded(
      "{ \"cardan study\": 1, \"model\": \"rod.xml\", \"duration\": 1, \"trajectory\": 0.25, \"results\": \"out\",\n"
      "\"vary\": { \"hinge.q\": { \"grid\": [0.1, 0.2] } } }");
  ran(s, 0);
  ran(s, 1);
  for (int k = 0; k < 2; k++) {
    cdn_table *table;
    OK(cdn_table_read(k ? "out/case-000001.csv" : "out/case-000000.csv", &table));
    ck_assert_int_eq((int)cdn_table_row_count(table), 5);
    const int q = cdn_table_find_column(table, "hinge.q");
    NEAR(cdn_table_values(table)[q], k ? 0.2 : 0.1, 0);
    cdn_table_destroy(table);
  }
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

/* Noise of a sensor is drawn at the place of the case: two cases differ, and one by itself is as it was in its
 * block. */
START_TEST(each_case_has_its_place_in_the_stream) {
  enter();
  char noisy[sizeof model + 32];
  const char *at = strstr(model, "<jointpos");
  snprintf(noisy, sizeof noisy, "%.*s<jointpos noise='0.1' %s", (int)(at - model), model, at + strlen("<jointpos"));
  FILE *file = fopen("rod.xml", "w");
  ck_assert(file && fputs(noisy, file) >= 0 && fclose(file) == 0);
  cdn_sweep *s = loaded(STUDY("\"noise\": true, \"seed\": 11, \"cases\": 3"));
  cdn_state *state;
  double of[3];
  OK(cdn_state_create(cdn_sweep_system(s), &state));
  for (int k = 0; k < 3; k++) {
    cdn_random_place place;
    OK(cdn_sweep_set_state(s, k, state));
    OK_ON(state, cdn_state_random(state, 0, &place));
    ck_assert(place.seed == 11 && place.run == (uint32_t)k && place.count == 0);
    of[k] = of_case(s, k, "end angle");
  }
  ck_assert(of[0] != of[1] && of[1] != of[2]);
  NEAR(of_case(s, 0, "end angle"), of[0], 0);
  cdn_state_destroy(state);
  cdn_sweep_destroy(s);
  leave();
}
END_TEST

CHECK_MAIN("sweeps", names_reach_their_numbers, options_of_runs_vary, ends_extremes_and_means_are_kept,
           mistakes_name_the_key_and_the_nearest_name, a_case_that_fails_is_a_row_that_says_why, limits_end_runs,
           results_do_not_depend_on_blocks_or_their_order, results_of_another_study_are_refused,
           a_damaged_block_is_said, status_counts, a_case_that_crashes_is_given_up_after_the_second_time,
           an_interruption_is_no_crash, the_program_is_asked_between_cases, suspected_cases_are_told,
           a_block_that_is_being_run_is_left_alone, a_full_disk_is_said, trajectories_are_one_table_a_case,
           each_case_has_its_place_in_the_stream)
