/* Results: measures whose values come from outside, and how long these last. */
#include "measure_rig.h"

static void has_no_value(cdn_state *state, cdn_measure m, const char *word) {
  cdn_error reason;
  ck_assert_ptr_null(cdn_measure_value(state, m));
  cdn_state_last_error(state, &reason);
  ck_assert_int_eq(reason.code, CDN_ERR_ARG);
  ck_assert(!reason.recoverable);
  ck_assert_msg(strstr(reason.text, word) != NULL, "no '%s' in: %s", word, reason.text);
}

START_TEST(a_result_lasts_until_its_stage_changes) {
  cdn_system *system = audited_system();
  add_cart(system, 0, 1);
  cdn_measure result = cdn_system_add_result_measure(system, "fit", 2, CDN_STAGE_POSITION, 0, NULL);
  cdn_measure second = cdn_system_add_component_measure(system, "second", result, 1);
  cdn_state *state = event_state(system), *copy = NULL;
  const double one[] = { 1, 2 }, other[] = { 3, 4 }, bad[] = { 1, INFINITY }, x = 0.5;
  OK(cdn_state_create(cdn_state_system(state), &copy));
  ck_assert_int_eq(cdn_measure_stage(cdn_state_system(state), second), CDN_STAGE_POSITION);
  has_no_value(state, result, "'fit'");
  has_no_value(state, second, "cdn_measure_set_value");
  FAILS(cdn_measure_set_value(state, result, bad), CDN_ERR_NONFINITE);
  has_no_value(state, result, "'fit'");

  OK_ON(state, cdn_measure_set_value(state, result, one));
  ck_assert(values_in(state, result)[0] == 1 && value_in(state, second) == 2);
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  ck_assert(value_in(state, second) == 2);
  OK_ON(state, cdn_state_set_u(state, &x)); /* of a later stage */
  ck_assert(value_in(state, second) == 2);
  OK_ON(state, cdn_measure_set_value(state, result, other)); /* what was computed from it follows */
  ck_assert(value_in(state, second) == 4);
  OK(cdn_state_copy(copy, state));
  ck_assert(value_in(copy, second) == 4);
  OK_ON(state, cdn_state_set_q(state, &x));
  has_no_value(state, second, "'fit'");
  ck_assert(value_in(copy, second) == 4);
  OK_ON(copy, cdn_measure_reset(copy, result));
  has_no_value(copy, result, "'fit'");
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
}
END_TEST

/* ---- in a run --------------------------------------------------------------------------------- */

static cdn_status set_to_count(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double value = (double)what->count;
  (void)action;
  return cdn_measure_set_value(state, *(const cdn_measure *)self, &value);
}

/* A cart of 1 kg, pushed by what a handler has found: 1 N in the first second, 2 N in the next, and so on. The result
 * depends on the gravity's parameters alone, so that it outlasts the steps. */
static cdn_state *found_by_a_handler(cdn_measure *found) {
  cdn_system *system = audited_system();
  cdn_body cart = add_cart(system, 0, 0);
  *found = cdn_system_add_result_measure(system, "found", 1, CDN_STAGE_INSTANCE, 0, NULL);
  push_by(system, cart, *found, CDN_READS_POSITION);
  cdn_event_def def = cdn_default_event_def();
  def.kind = CDN_EVENT_PERIODIC, def.period = 1;
  def.handle = set_to_count, def.self = found, def.self_size = sizeof *found;
  cdn_system_add_event(system, &def);
  return event_state(system);
}

START_TEST(a_handler_sets_what_a_force_reads) {
  cdn_measure found;
  cdn_state *state = found_by_a_handler(&found);
  const double first = 1;
  cdn_stepper *stepper = NULL, *resumed = NULL;
  cdn_buffer bytes = { 0 };
  FAILS(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_CALLBACK); /* of the force, which asks for it */
  OK_ON(state, cdn_measure_set_value(state, found, &first));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.5, NULL));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
  OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &resumed));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2.5, NULL));
  OK_STEP(resumed, cdn_stepper_advance(resumed, 2.5, NULL));
  const double f = measured(stepper, found), u = *cdn_state_u(cdn_stepper_state(stepper));
  ck_assert_msg(f >= 2 && f == floor(f), "%g", f);
  /* whole newtons one after another, the last for half a second */
  NEAR(u, (f - 2) + (f - 1) + f / 2, 1e-13);
  ck_assert(u == *cdn_state_u(cdn_stepper_state(resumed)) && f == measured(resumed, found));
  cdn_buffer_free(&bytes);
  cdn_stepper_destroy(resumed);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(a_saved_state_has_its_results) {
  cdn_measure found;
  cdn_state *state = found_by_a_handler(&found), *other = NULL;
  const double value = 7;
  cdn_buffer with = { 0 }, without = { 0 };
  OK(cdn_state_create(cdn_state_system(state), &other));
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &without));
  OK_ON(state, cdn_measure_set_value(state, found, &value));
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &with));
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &with));
  ck_assert(value_in(other, found) == 7);
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &without));
  has_no_value(other, found, "'found'");
  cdn_buffer_free(&with);
  cdn_buffer_free(&without);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

/* ---- what is refused -------------------------------------------------------------------------- */

typedef struct meddler {
  cdn_measure result;
} meddler;

static cdn_status meddle(const void *self, cdn_state *state, int derivative, double *value) {
  (void)derivative;
  *value = 1;
  return cdn_measure_set_value(state, ((const meddler *)self)->result, value);
}

START_TEST(a_result_is_not_set_while_something_is_computed) {
  cdn_system *system = audited_system();
  add_cart(system, 0, 0);
  const meddler who = { cdn_system_add_result_measure(system, "result", 1, CDN_STAGE_TIME, 0, NULL) };
  const cdn_measure_ops ops = {
    .struct_size = sizeof ops, .self_size = sizeof who, .n = 1, .stage = CDN_STAGE_TIME, .calc_value = meddle
  };
  cdn_measure custom = cdn_system_add_custom_measure(system, "meddler", &ops, &who);
  cdn_state *state = event_state(system);
  has_no_value(state, custom, "being computed");
  has_no_value(state, who.result, "'result'");
  cdn_state_destroy(state);
}
END_TEST

START_TEST(tickets_may_stand_for_the_stage) {
  cdn_system *system = audited_system();
  add_cart(system, 0, 0);
  cdn_measure setting = cdn_system_add_variable_measure(system, "setting", 1, (double[]){ 0 });
  const cdn_ticket on = cdn_measure_ticket(system, setting);
  cdn_measure result = cdn_system_add_result_measure(system, "result", 1, CDN_STAGE_POSITION, 1, &on);
  cdn_state *state = event_state(system);
  const double x = 0.5;
  OK_ON(state, cdn_measure_set_value(state, result, &x));
  OK_ON(state, cdn_state_set_q(state, &x));
  ck_assert(value_in(state, result) == x);
  OK_ON(state, cdn_measure_set_value(state, setting, &x));
  has_no_value(state, result, "'result'");
  cdn_state_destroy(state);
}
END_TEST

static void refused(cdn_system *system, const char *word) {
  cdn_error error;
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.text, word) != NULL, "no '%s' in: %s", word, error.text);
  cdn_system_release(system);
}

START_TEST(mistakes_are_refused) {
  static const struct {
    int n, n_prerequisites;
    cdn_stage stage;
    const char *word;
  } mistakes[] = { { 0, 0, CDN_STAGE_TIME, "1 to 256" },
                   { 1, 0, CDN_STAGE_REPORT, "Instance to Acceleration" },
                   { 1, 0, CDN_STAGE_TOPOLOGY, "Instance to Acceleration" },
                   { 1, -1, CDN_STAGE_TIME, "-1 prerequisites" },
                   { 1, 2, CDN_STAGE_TIME, "no list" } };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    cdn_system *system = cdn_system_create(NULL);
    ck_assert_int_eq(cdn_system_add_result_measure(system, "result", mistakes[i].n, mistakes[i].stage,
                                                   mistakes[i].n_prerequisites, NULL)
                         .i,
                     -1);
    refused(system, mistakes[i].word);
  }
}
END_TEST

CHECK_MAIN("measure results", a_result_lasts_until_its_stage_changes, a_handler_sets_what_a_force_reads,
           a_saved_state_has_its_results, a_result_is_not_set_while_something_is_computed,
           tickets_may_stand_for_the_stage, mistakes_are_refused)
