/* shared by tests in this folder */
/* Averages of correlated samples, judged by the spread of blocks. With CARDAN_TEST_LONG there are many samples, which
 * tell expected values from wrong ones that are eight standard errors away; else few, four or so. */
#ifndef CARDAN_TESTS_AVERAGES_H
#define CARDAN_TESTS_AVERAGES_H

#include <stdio.h>
#include <stdlib.h>

#include "../testing.h"

enum { BLOCKS = 50 };

typedef struct average {
  int64_t n, per_block;
  double sum[BLOCKS];
} average;

static inline bool is_long(void) { return getenv("CARDAN_TEST_LONG") != NULL; }
/* How many samples to take. */
static inline int64_t samples(int64_t few, int64_t many) { return is_long() ? many : FEWER(few); }

static inline average average_of(int64_t samples) { return (average){ .per_block = samples / BLOCKS }; }
static inline void take(average *a, double x) {
  const int64_t block = a->n++ / a->per_block;
  a->sum[block < BLOCKS ? block : BLOCKS - 1] += x;
}

static inline double mean_of(const average *a, double *error) {
  double mean = 0, variance = 0;
  for (int b = 0; b < BLOCKS; b++) mean += a->sum[b] / (double)a->per_block / BLOCKS;
  for (int b = 0; b < BLOCKS; b++) {
    const double d = a->sum[b] / (double)a->per_block - mean;
    variance += d * d / BLOCKS / (BLOCKS - 1);
  }
  *error = sqrt(variance);
  return mean;
}

/* The mean is `expected` within four standard errors, which are at most `most`. */
static inline void check_average(const average *a, const char *what, double expected, double most) {
  double error;
  const double mean = mean_of(a, &error);
  if (getenv("CARDAN_TEST_VERBOSE"))
    printf("%-24s %10.6f  expected %10.6f  %5.2f standard errors of %.2g (%.0f %%)\n", what, mean, expected,
           (mean - expected) / error, error, 100 * error / most);
  /* the standard error is itself known to a fifth or so */
  ck_assert_msg(fabs(mean - expected) <= 4 * error && (SANITIZED || error <= 1.5 * most),
                "%s: %.6g, expected %.6g: %.1f standard errors of %.2g (at most %.2g)", what, mean, expected,
                fabs(mean - expected) / error, error, most);
}

/* The same where a wrong value is known, which the standard error must tell from the expected one. */
static inline void check_apart(const average *a, const char *what, double expected, double wrong) {
  check_average(a, what, expected, fabs(expected - wrong) / (is_long() ? 8 * 1.5 : 4));
}

/* A State with random numbers; the System is the State's. */
static inline cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  cdn_system_use_random(system, 1234);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* The State is the sampler's. */
static inline cdn_hmc *sampler(cdn_state *state, const cdn_hmc_def *def) {
  cdn_hmc *hmc;
  OK_ON(state, cdn_hmc_create(state, def, &hmc));
  cdn_state_destroy(state);
  return hmc;
}

static inline void advance(cdn_hmc *hmc, int64_t n) { OK_ON(cdn_hmc_state(hmc), cdn_hmc_advance(hmc, n)); }

/* <exp(-dH / kT)> = 1, and so many are accepted, but not all (of the few under sanitizers all may be). */
static inline void check_balance(cdn_hmc *hmc, double least_acceptance) {
  cdn_hmc_report r;
  cdn_hmc_get_report(hmc, &r);
  ck_assert_msg(fabs(r.mean_exp - 1) <= 4 * r.mean_exp_error && r.mean_exp_error < 2 / sqrt((double)r.trajectories),
                "<exp(-dH/kT)> = %g, standard error %g", r.mean_exp, r.mean_exp_error);
  const double acceptance = (double)r.accepted / (double)r.trajectories;
  ck_assert_msg(acceptance >= least_acceptance && (SANITIZED || r.accepted < r.trajectories),
                "acceptance %g at step %g", acceptance, r.step);
}

#endif
