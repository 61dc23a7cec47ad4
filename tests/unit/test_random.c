/* Random numbers: known answers of the stream, moments, and the place that a State holds. */
#include <cardan/ensemble.h>
#include <cardan/random.h>

#include "../testing.h"
#include "core/core.h"

/* The known answers that Random123 is published with (kat_vectors, "philox4x32 10"). */
START_TEST(test_known_answers) {
  static const uint32_t ones = 0xffffffff;
  const struct {
    uint32_t counter[4], key[2], expected[4];
  } rows[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { ones, ones, ones, ones }, { ones, ones }, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };
  for (int i = 0; i < CDNI_COUNT(rows); i++) {
    uint32_t out[4];
    cdn_philox(rows[i].key, rows[i].counter, out);
    for (int k = 0; k < 4; k++) ck_assert_uint_eq(out[k], rows[i].expected[k]);
  }
}
END_TEST

enum { DRAWS = 100000 };

/* Mean, variance, and fourth moment about the mean, each within five of its own deviations of what it should be. */
static void check_moments(const double *x, double mean, double variance, double fourth, double eighth) {
  double sum[3] = { 0 };
  for (int i = 0; i < DRAWS; i++) {
    const double d = x[i] - mean, d2 = d * d;
    sum[0] += d / DRAWS, sum[1] += d2 / DRAWS, sum[2] += d2 * d2 / DRAWS;
  }
  NEAR(sum[0], 0, 5 * sqrt(variance / DRAWS));
  NEAR(sum[1], variance, 5 * sqrt((fourth - variance * variance) / DRAWS));
  NEAR(sum[2], fourth, 5 * sqrt((eighth - fourth * fourth) / DRAWS));
}

START_TEST(test_moments) {
  double *x = malloc(DRAWS * sizeof *x), few[3];
  const cdn_random_place place = { .seed = 7, .run = 3, .count = 1ull << 40, .user = 2 };
  cdn_random_uniform(&place, DRAWS, x);
  for (int i = 0; i < DRAWS; i++) ck_assert(x[i] > 0 && x[i] < 1);
  check_moments(x, 0.5, 1. / 12, 1. / 80, 1. / 2304);
  cdn_random_normal(&place, DRAWS, x);
  check_moments(x, 0, 1, 3, 105);
  cdn_random_normal(&place, 3, few);
  for (int i = 0; i < 3; i++) ck_assert(few[i] == x[i]);
  /* Neighbours in any member of the place have nothing in common. */
  const cdn_random_place others[] = {
    { 8, 3, 1ull << 40, 2 }, { 7, 4, 1ull << 40, 2 }, { 7, 3, 1 + (1ull << 40), 2 }, { 7, 3, 1ull << 40, 3 }
  };
  double *y = malloc(DRAWS * sizeof *y);
  for (int k = 0; k < CDNI_COUNT(others); k++) {
    double product = 0;
    cdn_random_normal(&others[k], DRAWS, y);
    for (int i = 0; i < DRAWS; i++) product += x[i] * y[i] / DRAWS;
    NEAR(product, 0, 5 / sqrt(DRAWS));
  }
  free(x);
  free(y);
}
END_TEST

/* A mass on a slider, and a measure that draws. */
static cdn_status draw(const void *self, cdn_state *state, int derivative, double *value) {
  cdn_random_place place;
  (void)self, (void)derivative;
  CDNI_TRY(cdn_state_random(state, 5, &place));
  cdn_random_normal(&place, 1, value);
  return CDN_OK;
}

static cdn_system *make(cdn_measure *noise) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  cdn_system *system = cdn_system_create(&audited);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "spring", body, 0, 3, 0);
  cdn_system_use_random(system, 11);
  const cdn_ticket reads[] = { cdn_system_random_ticket(system) };
  const cdn_measure_ops ops = { .struct_size = sizeof ops,
                                .n = 1,
                                .stage = CDN_STAGE_POSITION,
                                .calc_value = draw,
                                .prerequisites = reads,
                                .n_prerequisites = 1 };
  *noise = cdn_system_add_custom_measure(system, "noise", &ops, NULL);
  OK_FREEZE(system);
  return system;
}

static uint64_t count_of(cdn_state *state) {
  cdn_random_place place;
  OK_ON(state, cdn_state_random(state, 0, &place));
  return place.count;
}

START_TEST(test_states_hold_a_place) {
  cdn_measure noise;
  cdn_system *system = make(&noise);
  cdn_state *state, *copy;
  OK(cdn_state_create(system, &state));
  OK(cdn_state_create(system, &copy));
  cdn_random_place place;
  OK_ON(state, cdn_state_random(state, 9, &place));
  ck_assert(place.seed == 11 && place.run == 0 && place.count == 0 && place.user == 9);
  const double first = *cdn_measure_value(state, noise);
  OK_ON(state, cdn_state_set_q(state, &(double){ 0.1 })); /* other variables change nothing */
  ck_assert(*cdn_measure_value(state, noise) == first);
  OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 11, .run = 1 }));
  ck_assert(*cdn_measure_value(state, noise) != first);
  OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 11 }));
  ck_assert(*cdn_measure_value(state, noise) == first);
  cdn_state_destroy(state);
  cdn_state_destroy(copy);
  cdn_system_release(system);
}
END_TEST

/* One number a step, the same whether it is asked for in between or not, and in a copy that goes on. */
START_TEST(test_steps_count) {
  cdn_measure noise;
  cdn_system *system = make(&noise);
  double asked[6], silent = 0, copied[6] = { 0 };
  for (int way = 0; way < 2; way++) {
    cdn_state *state;
    cdn_stepper *stepper, *other = NULL;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = CDN_METHOD_MERSON, def.fixed_step = 0.01;
    OK(cdn_state_create(system, &state));
    OK_ON(state, cdn_state_set_q(state, &(double){ 0.1 }));
    OK(cdn_stepper_create(state, &def, &stepper));
    for (int k = 0; k < 6; k++) {
      cdn_return_reason reason;
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01 * (k + 1), &reason));
      cdn_state *now = cdn_stepper_state(stepper);
      if (way == 0) {
        ck_assert_uint_eq(count_of(now), (uint64_t)k);
        asked[k] = *cdn_measure_value(now, noise);
        ck_assert(k == 0 || asked[k] != asked[k - 1]);
        if (k == 2) OK(cdn_stepper_create(now, &def, &other));
      } else if (k == 5) silent = *cdn_measure_value(now, noise);
    }
    for (int k = 3; k < 6 && other; k++) {
      cdn_return_reason reason;
      OK_STEP(other, cdn_stepper_advance(other, 0.01 * (k + 1), &reason));
      copied[k] = *cdn_measure_value(cdn_stepper_state(other), noise);
      ck_assert(copied[k] == asked[k]);
    }
    cdn_stepper_destroy(other);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert(silent == asked[5]);
  cdn_system_release(system);
}
END_TEST

static double noise_of(cdn_ensemble *ensemble, int k, cdn_state *state, cdn_measure noise) {
  OK(cdn_ensemble_get_state(ensemble, k, state));
  return *cdn_measure_value(state, noise);
}

/* State k of an ensemble draws what a lone stepper draws whose run is k; in steps of any number and of any size, on
 * several threads. A State that is given with a run of its own keeps it. */
START_TEST(test_ensembles_draw) {
  enum { COUNT = 5, STEPS = 4 };
  cdn_measure noise;
  cdn_system *system = make(&noise);
  cdn_state *state, *own;
  cdn_ensemble *ensemble;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  OK(cdn_state_create(system, &state));
  OK(cdn_state_create(system, &own));
  OK_ON(state, cdn_state_set_q(state, &(double){ 0.1 }));
  def.count = COUNT, def.threads = 2, def.method = CDN_METHOD_MERSON;
  OK_ON(state, cdn_ensemble_create(state, &def, &ensemble));
  OK(cdn_ensemble_set_state(ensemble, 1, state)); /* the run of the one that all were made from */
  OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 11, .run = 90 }));
  OK(cdn_ensemble_set_state(ensemble, 2, state));
  OK(cdn_ensemble_get_state(ensemble, 3, own));
  OK(cdn_ensemble_set_state(ensemble, 3, own)); /* changes nothing */
  double drawn[COUNT][STEPS + 1];
  for (int n = 0; n <= STEPS; n++) {
    if (n > 0) OK(cdn_ensemble_advance(ensemble, 0.01, n == 1 ? 2 : 1));
    for (int k = 0; k < COUNT; k++) drawn[k][n] = noise_of(ensemble, k, own, noise);
  }
  for (int k = 0; k < COUNT; k++) {
    cdn_stepper *stepper;
    cdn_stepper_def how = cdn_default_stepper_def();
    how.method = CDN_METHOD_MERSON, how.fixed_step = 0.01;
    OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 11, .run = k == 2 ? 90 : (uint32_t)k }));
    OK(cdn_stepper_create(state, &how, &stepper));
    ck_assert(*cdn_measure_value(cdn_stepper_state(stepper), noise) == drawn[k][0]);
    for (int n = 1; n <= STEPS; n++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01 * (n + 1), NULL));
      ck_assert_msg(*cdn_measure_value(cdn_stepper_state(stepper), noise) == drawn[k][n], "State %d after %d steps", k,
                    n + 1);
    }
    cdn_stepper_destroy(stepper);
  }
  OK(cdn_ensemble_advance_to(ensemble, 0.2));
  ck_assert(noise_of(ensemble, 0, own, noise) != noise_of(ensemble, 1, own, noise));
  cdn_ensemble_destroy(ensemble);
  cdn_state_destroy(state);
  cdn_state_destroy(own);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_mistakes) {
  cdn_random_place place;
  cdn_system *system = cdn_system_create(NULL);
  ck_assert_int_eq(cdn_system_random_ticket(system).i, 0);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  FAILS(cdn_state_random(state, 0, &place), CDN_ERR_ARG);
  FAILS(cdn_state_set_random(state, NULL), CDN_ERR_ARG);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("random", test_known_answers, test_moments, test_states_hold_a_place, test_steps_count, test_ensembles_draw,
           test_mistakes)
