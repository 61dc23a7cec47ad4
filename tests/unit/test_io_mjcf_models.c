/* Whole MJCF models through the public door: those that are shipped, and those of others where they are at hand. */
#include "testing.h"

#include <stdio.h>

#include <cardan/model.h>

static cdn_model *model;

/* False if the file is not there. */
static bool load_from(const char *variable, const char *folder, const char *name, bool strict) {
  char path[1024];
  const char *root = getenv(variable);
  snprintf(path, sizeof path, "%s/%s/%s", root ? root : ".", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  fclose(file);
  cdn_model_options options = cdn_default_model_options();
  options.strict = strict;
  cdn_status status = cdn_model_load(path, &options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return true;
}

static cdn_state *make_state(void) {
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  return state;
}

/* What is shipped is simulated whole, has the mass that it states, and can be realized in every keyframe. */
START_TEST(test_shipped_models) {
  const struct {
    const char *name;
    int joints, nq, keys;
    double mass;
  } cases[] = {
    { "walker.xml", 23, 26, 0, 70 },
    { "gymnast.xml", 9, 9, 3, 75.5 },
    /* rods of 1 cm radius, 1.8 m in all, of steel */
    { "pendulum.xml", 2, 2, 3, 7850 * PI * 1e-4 * 1.8 },
    { "top.xml", 2, 11, 1, 1200 * PI * (0.005 * 0.005 * 0.14 + 0.06 * 0.06 * 0.02) + 700 * 8 * 0.15 * 0.1 * 0.01 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert(load_from("CARDAN_SOURCE_ROOT", "examples/models", cases[i].name, true));
    ck_assert_int_eq(cdn_model_joint_count(model), cases[i].joints);
    ck_assert_int_eq(cdn_system_nq(cdn_model_system(model)), cases[i].nq);
    ck_assert_int_eq(cdn_model_key_count(model), cases[i].keys);
    ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
    ck_assert_msg(cdn_model_warning_count(model) == 0, "%s", cdn_model_warning(model, 0));
    cdn_state *state = make_state();
    double total, moving;
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    OK_ON(state, cdn_system_mass(state, &total, &moving));
    NEAR(total, cases[i].mass, 1e-12 * cases[i].mass); /* sums of a score of numbers */
    NEAR(moving, total, 1e-12 * total);
    for (int k = 0; k < cases[i].keys; k++) {
      OK(cdn_model_set_key(model, cdn_model_key_name(model, k), state));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    }
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
}
END_TEST

/* Two rods, the first level, the second hanging from its end, both at rest: the first accelerations by hand. */
START_TEST(test_shipped_pendulum) {
  ck_assert(load_from("CARDAN_SOURCE_ROOT", "examples/models", "pendulum.xml", true));
  cdn_state *state = make_state();
  const double *q = cdn_state_q(state);
  NEAR(q[0], PI / 2, 1e-15);
  NEAR(q[1], -PI / 2, 1e-15);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state);
  /* At right angles the rods do not couple: the first one turns with its own inertia about the pivot and the second
   * one as a particle at its end, and the second one does not turn: udot of its absolute angle is zero. */
  const double m1 = 7850 * PI * 1e-4, L1 = 1, r = 0.01, m2 = 0.8 * m1, g = 9.81;
  const double a = -g * L1 * (m1 / 2 + m2) / (m1 * (L1 * L1 / 3 + r * r / 4) + m2 * L1 * L1);
  NEAR(udot[0], a, 1e-13 * fabs(a));
  NEAR(udot[0] + udot[1], 0, 1e-12);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* Models of others, counted by hand in their files. */
START_TEST(test_models_of_others) {
  const struct {
    const char *name;
    int bodies, joints, nq, nu, not_understood;
  } cases[] = {
    { "arm26.xml", 2, 2, 2, 2, 3 },        { "car.xml", 3, 3, 9, 8, 6 },      { "example.xml", 4, 6, 15, 13, 2 },
    { "humanoid.xml", 16, 22, 28, 27, 2 }, { "pendulum.xml", 4, 4, 7, 6, 0 }, { "slider_crank.xml", 3, 3, 3, 3, 2 },
  };
  int missing = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!load_from("CARDAN_SHARED", "models/mjcf", cases[i].name, false)) {
      missing++;
      continue;
    }
    const cdn_system *system = cdn_model_system(model);
    ck_assert_int_eq(cdn_model_body_count(model), cases[i].bodies);
    ck_assert_int_eq(cdn_model_joint_count(model), cases[i].joints);
    ck_assert_int_eq(cdn_system_nq(system), cases[i].nq);
    ck_assert_int_eq(cdn_system_nu(system), cases[i].nu);
    ck_assert_int_eq(cdn_model_not_understood_count(model), cases[i].not_understood);
    cdn_state *state = make_state();
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
  if (missing) SKIP("%d models of others are not there", missing);
}
END_TEST

/* Its total mass is known independently: tests/peers/test_mujoco_humanoid_reference.c has it, with its source. */
START_TEST(test_humanoid_mass) {
  if (!load_from("CARDAN_SHARED", "models/mjcf", "humanoid.xml", false)) SKIP("humanoid.xml is not there");
  cdn_state *state = make_state();
  double total, moving;
  OK_ON(state, cdn_realize(state, CDN_STAGE_INSTANCE));
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  NEAR(total, 40.8440212216213, 1e-12); /* the digits that are given */
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("io_mjcf_models", test_shipped_models, test_shipped_pendulum, test_models_of_others, test_humanoid_mass)
