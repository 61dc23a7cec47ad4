/* One call tells the message of the last failure, whatever object it was about; each thread has its own; texts are
 * true. */
#include <pthread.h>

#include "../testing.h"

/* What the thread's last error is now. */
static cdn_error last(void) {
  cdn_error e;
  cdn_last_error(&e);
  return e;
}

static void told(cdn_status status, cdn_status expected, const char *function, const char *part) {
  const cdn_error e = last();
  ck_assert_int_eq(status, expected);
  ck_assert_int_eq(e.code, expected);
  ck_assert_str_eq(e.function, function);
  ck_assert_msg(strstr(e.text, part), "'%s' does not say '%s'", e.text, part);
  ck_assert(strstr(cdn_last_error_text(), e.text) && strstr(cdn_last_error_text(), function) &&
            strstr(cdn_last_error_text(), cdn_status_name(expected)));
}

static cdn_system *pendulum(cdn_body *bob) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "bob", def.mobilizer = CDN_PIN, def.X_BM.p = cdn_v3(0, 1, 0), def.mass.mass = 1;
  *bob = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.8, 0));
  return system;
}

START_TEST(test_every_object) {
  cdn_body bob;
  cdn_system *system = pendulum(&bob);
  cdn_state *state = NULL;
  cdn_assembly *assembly = NULL;
  cdn_last_error_clear();
  ck_assert_int_eq(last().code, CDN_OK);
  ck_assert_str_eq(cdn_last_error_text(), "");

  told(cdn_state_create(system, &state), CDN_ERR_NOT_FROZEN, "cdn_state_create", "not frozen yet");
  told(cdn_assembly_create(system, NULL, &assembly), CDN_ERR_NOT_FROZEN, "cdn_assembly_create", "not frozen yet");
  OK_FREEZE(system);
  told(cdn_system_freeze(system), CDN_ERR_FROZEN, "cdn_system_freeze", "frozen already");
  OK(cdn_state_create(system, &state));
  told(cdn_state_set_q(state, (const double[]){ NAN }), CDN_ERR_NONFINITE, "cdn_state_set_q", "bob.q");
  ck_assert_int_eq(last().index, 0);
  ck_assert(isnan(last().value));
  told(cdn_body_set_q(state, (cdn_body){ 7 }, 1, (const double[]){ 0 }), CDN_ERR_ARG, "cdn_body_set_q", "7");
  OK(cdn_assembly_create(system, NULL, &assembly));
  told(cdn_assembly_set_weight(assembly, (cdn_goal){ 3 }, 1), CDN_ERR_ARG, "cdn_assembly_set_weight", "no goal 3");

  cdn_stepper *stepper = NULL;
  OK(cdn_stepper_create(state, NULL, &stepper));
  told(cdn_stepper_advance(stepper, -1, NULL), CDN_ERR_ARG, "cdn_stepper_advance", "-1");
  /* twice: the message is told again */
  cdn_last_error_clear();
  told(cdn_stepper_advance(stepper, -1, NULL), CDN_ERR_ARG, "cdn_stepper_advance", "-1");

  cdn_ensemble *ensemble = NULL;
  cdn_ensemble_def many = cdn_default_ensemble_def();
  many.count = 2;
  OK(cdn_ensemble_create(state, &many, &ensemble));
  told(cdn_ensemble_status(ensemble, 5), CDN_ERR_ARG, "cdn_ensemble_status", "no State 5");

  cdn_model *model = NULL;
  told(cdn_model_load("/no/such/file.urdf", NULL, &model), CDN_ERR_FILE, "cdn_model_load", "/no/such/file.urdf");

  cdn_model_destroy(model), cdn_ensemble_destroy(ensemble), cdn_stepper_destroy(stepper);
  cdn_assembly_destroy(assembly), cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

START_TEST(test_nothing_to_keep_it) {
  const double x = 0;
  cdn_function_result r;
  told(cdn_realize(NULL, CDN_STAGE_TIME), CDN_ERR_ARG, "cdn_realize", "NULL");
  told(cdn_system_freeze(NULL), CDN_ERR_ARG, "cdn_system_freeze", "NULL");
  told(cdn_state_copy(NULL, NULL), CDN_ERR_ARG, "cdn_state_copy", "NULL");
  told(cdn_stepper_advance(NULL, 1, NULL), CDN_ERR_ARG, "cdn_stepper_advance", "NULL");
  told(cdn_stepper_create(NULL, NULL, NULL), CDN_ERR_ARG, "cdn_stepper_create", "NULL");
  told(cdn_function_calc(NULL, &x, 0, &r), CDN_ERR_ARG, "cdn_function_calc", "NULL");
  told(cdn_trajectory_header(NULL), CDN_ERR_ARG, "cdn_trajectory_header", "NULL");
  told(cdn_model_load(NULL, NULL, NULL), CDN_ERR_ARG, "cdn_model_load", "NULL");
}
END_TEST

/* The first mistake while building is what freezing tells, whatever failed since. */
START_TEST(test_the_first_mistake) {
  cdn_body bob;
  cdn_system *system = pendulum(&bob);
  cdn_system_add_mobility_spring(system, "soft", (cdn_body){ 9 }, 0, 1, 0);
  (void)!cdn_realize(NULL, CDN_STAGE_TIME);
  told(cdn_system_freeze(system), CDN_ERR_ARG, "cdn_system_add_mobility_spring", "soft");
  (void)!cdn_realize(NULL, CDN_STAGE_TIME);
  told(cdn_system_freeze(system), CDN_ERR_ARG, "cdn_system_add_mobility_spring", "soft");
  cdn_system_release(system);
}
END_TEST

/* A callback that fails without a message, one with, and a stepper whose attempts told others before. */
typedef struct wall {
  cdn_body bob;
  bool tells;
} wall;

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const wall *w = self;
  (void)forces;
  if (*cdn_body_q(state, w->bob) > 0.9) return CDN_OK;
  if (!w->tells) return CDN_ERR_CALLBACK;
  return cdn_state_fail(state, CDN_ERR_CALLBACK, true, "wall", "the bob has passed the wall");
}

/* A State of a pendulum at the wall. */
static cdn_state *at_the_wall(wall *w) {
  cdn_system *system = pendulum(&w->bob);
  const cdn_force_ops ops = { .subsystem = { .name = "wall", .self_size = sizeof *w },
                              .struct_size = sizeof ops,
                              .calc_force = push };
  cdn_system_add_custom_force(system, &ops, w);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(test_callbacks) {
  for (int tells = 0; tells < 2; tells++) {
    wall w = { .tells = tells };
    cdn_state *state = at_the_wall(&w);
    cdn_stepper *stepper = NULL;
    const cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
    told(status, CDN_ERR_CALLBACK, tells ? "cdn_state_fail" : "cdn_realize", tells ? "passed the wall" : "wall");
    OK(cdn_body_set_q(state, w.bob, 1, (const double[]){ 1 }));
    OK(cdn_stepper_create(state, NULL, &stepper));
    const cdn_status run = cdn_stepper_advance(stepper, 10, NULL);
    cdn_failure failure;
    cdn_stepper_failure(stepper, &failure);
    const cdn_error e = last();
    ck_assert_int_ne(run, CDN_OK);
    ck_assert_int_eq(e.code, run);
    ck_assert_str_eq(e.text, failure.error.text);
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

static void *fail_elsewhere(void *nothing) {
  (void)nothing;
  ck_assert_int_eq(last().code, CDN_OK);
  (void)!cdn_system_freeze(NULL);
  ck_assert_str_eq(last().function, "cdn_system_freeze");
  return NULL;
}

START_TEST(test_each_thread_has_its_own) {
  (void)!cdn_realize(NULL, CDN_STAGE_TIME);
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
  pthread_join(thread, NULL);
  ck_assert_str_eq(last().function, "cdn_realize");
}
END_TEST

/* States that fail in threads of the library are told to the thread that asked. */
START_TEST(test_threads_of_an_ensemble) {
  wall w = { .tells = true };
  cdn_state *state = at_the_wall(&w);
  cdn_ensemble *ensemble = NULL;
  OK(cdn_body_set_q(state, w.bob, 1, (const double[]){ 1 }));
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = 64, def.threads = 3;
  OK_ON(state, cdn_ensemble_create(state, &def, &ensemble));
  double q[64], rates[64];
  for (int k = 0; k < 64; k++) q[k] = k == 50 ? 0.5 : 1;
  OK(cdn_ensemble_set(ensemble, CDN_POOL_Q, q, 1));
  told(cdn_ensemble_rates(ensemble, CDN_POOL_U, rates, 1), CDN_ERR_CALLBACK, "cdn_ensemble_rates", "passed the wall");
  ck_assert_int_eq(last().index, 50);
  cdn_ensemble_destroy(ensemble), cdn_state_destroy(state);
}
END_TEST

/* ---- texts ----------------------------------------------------------------------------------- */

START_TEST(test_texts_say_what_is_the_matter) {
  ck_assert(!strstr(cdn_status_text(CDN_ERR_FROZEN), "not frozen"));
  ck_assert(strstr(cdn_status_text(CDN_ERR_NOT_FROZEN), "not frozen yet"));
  /* a spring without direction is no mass matrix */
  cdn_body bob;
  cdn_system *system = pendulum(&bob);
  cdn_system_add_two_point_spring(system, "tether", cdn_ground(), cdn_v3(0, -1, 0), bob, cdn_v3(0, 0, 0), 1, 0.5);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  const cdn_status status = cdn_realize(state, CDN_STAGE_FORCE);
  told(status, CDN_ERR_SINGULAR, "cdn_realize", "tether");
  ck_assert(!strstr(cdn_status_text(status), "mass matrix"));
  ck_assert(strstr(cdn_status_text(status), "direction") && strstr(cdn_status_advice(status), "keep them apart"));
  cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

CHECK_MAIN("the last error", test_every_object, test_nothing_to_keep_it, test_the_first_mistake, test_callbacks,
           test_each_thread_has_its_own, test_threads_of_an_ensemble, test_texts_say_what_is_the_matter)
