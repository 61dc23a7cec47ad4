/* What is the matter with a State: imbalance of the equations, pairs that are near, times of computations. */
#include <cardan/diagnostics.h>
#include <cardan/model.h>
#include <cardan/soft.h>
#include <cardan/stepper.h>

#include "../testing.h"
#include "core/core.h"

static const char text[] =
    "<mujoco><option cone='elliptic'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<body pos='0 0 .19'><freejoint/><geom name='ball' size='.2'/><geom name='twin' size='.1' pos='.1 0 0'/>"
    "<body pos='.3 0 0'><joint name='hinge' axis='0 1 0' limited='true' range='-1 1'/><geom name='rod' type='capsule' "
    "size='.1 .1'/></body></body>"
    "<body pos='0 0 .55'><freejoint/><geom name='lamp' size='.2' contype='2' conaffinity='2'/></body>"
    "<body pos='0 .65 .201'><freejoint/><geom name='hover' size='.2'/></body>"
    "<body pos='0 -.39 .19'><freejoint/><geom name='off' size='.2'/></body></worldbody></mujoco>";

static cdn_model *load(cdn_model_contact contact, cdn_state **state) {
  cdn_model *model = NULL;
  cdn_model_options options = cdn_default_model_options();
  options.contact = contact;
  cdn_error reason;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "m.xml", &options, &model);
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == CDN_OK, "%s", reason.text);
  OK(cdn_state_create(cdn_model_system(model), state));
  return model;
}

static const cdn_near_pair *find(const cdn_system *system, const cdn_near_pair *pairs, int n, const char *a,
                                 const char *b) {
  for (int i = 0; i < n; i++) {
    const char *first = cdn_shape_name(system, pairs[i].a), *second = cdn_shape_name(system, pairs[i].b);
    if ((!strcmp(first, a) && !strcmp(second, b)) || (!strcmp(first, b) && !strcmp(second, a))) return &pairs[i];
  }
  return NULL;
}

START_TEST(test_near_pairs) {
  cdn_state *state;
  cdn_model *model = load(CDN_MODEL_SOFT, &state);
  const cdn_system *system = cdn_model_system(model);
  cdn_near_pair pairs[40];
  int n, less;
  OK_ON(state, cdn_shape_set_enabled(state, cdn_system_find_shape(system, "off"), false));
  OK_ON(state, cdn_near_pairs(state, 0.01, 40, pairs, &n));
  static const struct {
    const char *a, *b;
    double distance;
    cdn_near_reason reason;
    cdn_contact_rule rule;
    const char *says;
  } rows[] = {
    { "floor", "ball", -0.01, CDN_NEAR_FORCE, CDN_RULE_NONE, "push" },
    { "ball", "rod", -0.0, CDN_NEAR_RULE, CDN_RULE_PARENT, "one body is the other's parent" },
    { "ball", "lamp", -0.04, CDN_NEAR_RULE, CDN_RULE_MASKS, "masks" },
    { "floor", "hover", 0.001, CDN_NEAR_APART, CDN_RULE_NONE, "are apart by 0.001 m, and do not touch" },
    { "floor", "off", -0.01, CDN_NEAR_OFF, CDN_RULE_NONE, "switched off" },
  };
  for (int i = 0; i < CDNI_COUNT(rows); i++) {
    const cdn_near_pair *p = find(system, pairs, n, rows[i].a, rows[i].b);
    char says[300];
    ck_assert_msg(p != NULL, "%s and %s are no pair", rows[i].a, rows[i].b);
    cdn_near_pair_text(system, p, says, sizeof says);
    ck_assert_msg(p->reason == rows[i].reason && p->rule == rows[i].rule, "%s: reason %d, rule %d", says,
                  (int)p->reason, (int)p->rule);
    ck_assert_msg(strstr(says, rows[i].says) != NULL, "%s", says);
    ck_assert((p->force > 0) == (p->reason == CDN_NEAR_FORCE));
    NEAR(p->distance, rows[i].distance, 1e-9);
  }
  ck_assert(!find(system, pairs, n, "ball", "twin")); /* one piece */
  ck_assert(!find(system, pairs, n, "ball", "hover"));
  OK_ON(state, cdn_near_pairs(state, 0, 0, NULL, &less));
  ck_assert_int_eq(less, n - 1); /* without the one that hovers */
  FAILS(cdn_near_pairs(state, -1, 0, NULL, &less), CDN_ERR_ARG);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* Soft rows that are solved to the end leave nothing; a solver that is stopped early does. */
START_TEST(test_imbalance) {
  for (int hasty = 0; hasty < 2; hasty++) {
    cdn_spec *spec = NULL;
    cdn_model *model = NULL;
    cdn_state *state;
    cdn_system *system = cdn_system_create(NULL);
    cdn_soft_def soft = cdn_default_soft_def();
    if (hasty) soft.solver = CDN_SOFT_PGS, soft.iterations = 1;
    cdn_system_set_soft(system, &soft);
    cdn_model_options options = cdn_default_model_options();
    options.contact = CDN_MODEL_SOFT;
    OK(cdn_spec_load_string(text, strlen(text), "m.xml", &options, &spec));
    OK(cdn_model_build(spec, &options, system, &model));
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    cdn_imbalance found;
    double f[40], largest = 0;
    OK_ON(state, cdn_calc_imbalance(state, f, &found));
    for (int i = 0; i < cdn_system_nu(system); i++) largest = fmax(largest, fabs(f[i]));
    ck_assert(found.largest == largest && found.scale > 100);
    if (hasty) ck_assert_msg(found.largest > 1e-6 * found.scale && found.slot[0], "%.3g", found.largest / found.scale);
    else
      ck_assert_msg(found.largest < 1e-8 * found.scale, "%.3g of %.3g in %s", found.largest, found.scale, found.slot);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    cdn_spec_destroy(spec);
    cdn_system_release(system);
  }
}
END_TEST

/* Times add up to the time that has gone by, every entry is counted, and the run has the same bits. */
START_TEST(test_times) {
  double end[2] = { 0 };
  for (int timed = 0; timed < 2; timed++) {
    cdn_state *state;
    cdn_model *model = load(CDN_MODEL_SOFT, &state);
    const cdn_system *system = cdn_model_system(model);
    cdn_stepper *stepper;
    cdn_entry_time time;
    OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
    if (timed) OK(cdn_stepper_set_timed(stepper, true));
    else FAILS(cdn_stepper_get_time(stepper, CDN_POSE, &time), CDN_ERR_ARG);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05, NULL));
    end[timed] = cdn_state_q(cdn_stepper_state(stepper))[6];
    if (timed) {
      cdn_certificate certificate;
      double inside = 0, outside = 0;
      OK(cdn_stepper_certificate(stepper, &certificate));
      for (int i = 0; i < cdn_system_ticket_count(system); i++) {
        OK(cdn_stepper_get_time(stepper, (cdn_ticket){ i }, &time));
        ck_assert(time.seconds >= 0 && time.count >= 0);
        *(i > 0 ? &inside : &outside) += time.seconds;
      }
      ck_assert(inside > 0 && outside > 0);
      OK(cdn_stepper_get_time(stepper, CDN_POSE, &time));
      ck_assert_msg(time.count >= certificate.evaluations / 2 && time.stage == CDN_STAGE_POSITION, "%d poses at %d",
                    (int)time.count, (int)time.stage);
      OK(cdn_stepper_set_timed(stepper, false));
      FAILS(cdn_stepper_get_time(stepper, CDN_POSE, &time), CDN_ERR_ARG);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
  ck_assert(end[0] == end[1]);
}
END_TEST

CHECK_MAIN("diagnostics", test_near_pairs, test_imbalance, test_times)
