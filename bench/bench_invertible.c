/* Table 1 of Todorov 2011: evaluations a second of the inverse of contact on one core, at 2, 5, 10 and 20 contacts.
 * Ours one problem at a time, ours many at a time, and the paper's dense form, on the same random problems of a body
 * with 27 freedoms; each evaluation gives f and c of (A, v), without a warm start. The numbers of the paper are of a
 * QX9650 at 3 GHz. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/property/dense_inverse.h"
#include "../tests/property/random_contacts.h"

enum { SAMPLES = 64, SWEEPS = 15 };

static const struct {
  int contacts;
  double paper; /* evaluations a second */
} rows[] = { { 2, 241774 }, { 5, 54190 }, { 10, 12991 }, { 20, 2361 } };

static random_contacts all[SAMPLES];
static double v[SAMPLES][RANDOM_ROWS_MOST], f[SAMPLES][RANDOM_ROWS_MOST], c[SAMPLES][RANDOM_ROWS_MOST];
static double other[RANDOM_ROWS_MOST], other_c[RANDOM_ROWS_MOST], work[RANDOM_ROWS_MOST * (RANDOM_ROWS_MOST + 3)];
static const cdn_invertible_problem *problems[SAMPLES];
static const double *speeds[SAMPLES];
static double *impulses[SAMPLES], *free_speeds[SAMPLES];

static void check(cdn_status status) {
  if (status == CDN_OK) return;
  fprintf(stderr, "bench_invertible: %s\n", cdn_last_error_text());
  exit(1);
}

/* Processor time: what others do on the machine meanwhile does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void one_by_one(void) {
  for (int k = 0; k < SAMPLES; k++) check(cdn_invertible_inverse(problems[k], v[k], f[k], c[k]));
}
static void together(void) { check(cdn_invertible_inverse_many(SAMPLES, problems, speeds, impulses, free_speeds)); }
static int dense_steps;
static void dense(void) {
  for (int k = 0; k < SAMPLES; k++) dense_steps += dense_inverse(problems[k], v[k], other, other_c, work);
}

/* Seconds an evaluation, the best of several sweeps of about 10 ms. */
static double seconds(void (*run)(void)) {
  double best = INFINITY;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    int runs = 0;
    const double start = now();
    double end;
    do run(), runs++;
    while ((end = now()) < start + 0.01);
    best = fmin(best, (end - start) / (runs * (double)SAMPLES));
  }
  return best;
}

/* The three agree before anything is timed. */
static double difference(void) {
  double worst = 0;
  one_by_one();
  for (int k = 0; k < SAMPLES; k++) {
    if (dense_inverse(problems[k], v[k], other, other_c, work) < 0) return INFINITY;
    for (int i = 0; i < all[k].n; i++) worst = fmax(worst, fabs(f[k][i] - other[i]) / (1 + fabs(other[i])));
  }
  return worst;
}

int main(void) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(sched_getcpu(), &core);
  (void)!sched_setaffinity(0, sizeof core, &core);
  printf("inverse evaluations a second, one core; (ratio to the paper's Table 1)\n");
  printf("%8s %10s %20s %20s %24s %12s\n", "contacts", "paper", "ours", "ours, 64 at a time", "dense form (its steps)",
         "difference");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t seed = 1;
    for (int k = 0; k < SAMPLES; k++) {
      make_random_contacts(&all[k], 0, rows[i].contacts, 27, &seed);
      for (int j = 0; j < all[k].n; j++) v[k][j] = 2 * random_part(&seed) - 1;
      for (int j = 0; j < rows[i].contacts; j++) v[k][3 * j + 2] = all[k].v_min[j] + 0.02 + random_part(&seed);
      problems[k] = &all[k].problem, speeds[k] = v[k], impulses[k] = f[k], free_speeds[k] = c[k];
    }
    const double apart = difference(), one = seconds(one_by_one), many = seconds(together);
    dense_steps = 0;
    dense();
    const double steps = dense_steps / (double)SAMPLES, full = seconds(dense), paper = rows[i].paper;
    printf("%8d %10.0f %12.0f (%5.1f) %12.0f (%5.1f) %12.0f (%4.1f; %4.1f) %12.1e\n", rows[i].contacts, paper, 1 / one,
           1 / one / paper, 1 / many, 1 / many / paper, 1 / full, 1 / full / paper, steps, apart);
  }
  return 0;
}
