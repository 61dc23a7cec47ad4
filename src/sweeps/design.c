/* From the number of a case to its values. */
#include "sweeps/design.h"

#include <cardan/random.h>
#include <math.h>

/* Draws of a study have places of their own in the stream: a State never counts as far, and no case has that number. */
#define FARTHEST_STATE UINT64_MAX
#define FARTHEST_CASE UINT32_MAX

/* ---- an order at random ---- */

/* One half of a word from the other, in a round. */
static uint32_t mix(const uint32_t key[2], uint32_t which, uint32_t round, uint32_t half) {
  const uint32_t counter[4] = { half, round, which, 0 };
  uint32_t out[4];
  cdn_philox(key, counter, out);
  return out[0];
}

/* A Feistel network permutes the words of 2 w bits; a word beyond n is permuted again until it is below (J. Black and
 * P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). Less than four times on average. Eight rounds are
 * twice those after which nobody can tell such an order from one at random (M. Luby and C. Rackoff 1988). */
uint64_t cdni_sweep_shuffle(const uint32_t key[2], uint32_t which, uint64_t n, uint64_t i) {
  enum { ROUNDS = 8 };
  int w = 1;
  while (w < 31 && n > (uint64_t)1 << 2 * w) w++;
  const uint32_t mask = ((uint32_t)1 << w) - 1;
  do {
    uint32_t left = (uint32_t)(i >> w) & mask, right = (uint32_t)i & mask;
    for (uint32_t round = 0; round < ROUNDS; round++) {
      const uint32_t next = left ^ (mix(key, which, round, right) & mask);
      left = right, right = next;
    }
    i = (uint64_t)left << w | right;
  } while (i >= n);
  return i;
}

/* ---- normal numbers ---- */

/* For p up to one half: M. Abramowitz and I. A. Stegun 26.2.23 (error below 4.5e-4), then Halley's method, which has
 * all digits after two passes: the error function tells the tail without cancellation. */
static double upper_quantile(double p) {
  const double t = sqrt(-2 * log(p));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int pass = 0; pass < 3; pass++) {
    const double density = exp(-x * x / 2) / sqrt(2 * acos(-1.0)), e = (erfc(x / sqrt(2)) / 2 - p) / density;
    x += e / (1 - x * e / 2);
  }
  return x;
}

double cdni_sweep_normal(double p) { return p <= 0.5 ? -upper_quantile(p) : upper_quantile(1 - p); }

/* ---- designs ---- */

/* A number of the open interval (0, 1) for a dimension of case k, whose draw is number `draw`. */
static double draw_one(const sweep_design *d, int64_t k, int64_t draw, int dimension) {
  const cdn_random_place place = { d->seed, (uint32_t)k, FARTHEST_STATE, (uint32_t)dimension };
  const uint32_t key[2] = { d->seed, FARTHEST_CASE };
  double u;
  if (d->sampling == SWEEP_SOBOL) { /* with a digital shift of its own for each dimension */
    const uint32_t counter[4] = { 0, 0, (uint32_t)dimension, 1 };
    uint32_t shift[4];
    cdn_philox(key, counter, shift);
    return ((double)(cdni_sweep_sobol(dimension, (uint32_t)draw) ^ shift[0]) + 0.5) * 0x1p-32;
  }
  cdn_random_uniform(&place, 1, &u);
  if (d->sampling == SWEEP_RANDOM) return u;
  const uint64_t stratum = cdni_sweep_shuffle(key, (uint32_t)dimension, (uint64_t)d->drawn, (uint64_t)draw);
  return ((double)stratum + u) / (double)d->drawn;
}

static double value_of(const sweep_variable *v, double u) {
  int64_t i;
  switch (v->source) {
    case SWEEP_CHOICE: i = (int64_t)(u * (double)v->n); return v->list[i < v->n ? i : v->n - 1];
    case SWEEP_UNIFORM: return v->a + (v->b - v->a) * u;
    case SWEEP_LOG_UNIFORM: return exp(log(v->a) + (log(v->b) - log(v->a)) * u);
    case SWEEP_NORMAL: return v->a + v->b * cdni_sweep_normal(u);
    case SWEEP_GRID:
    case SWEEP_LIST: break; /* not drawn */
  }
  return NAN;
}

/* Grids vary slowest, the first of them slowest of all; then the rows of lists; then draws. */
void cdni_sweep_design(const sweep_design *d, int64_t k, double *values) {
  const int64_t draw = k % d->drawn, row = k / d->drawn % d->listed;
  int64_t rest = k / d->drawn / d->listed;
  for (int i = d->n_variables; i-- > 0;) {
    const sweep_variable *v = &d->variables[i];
    if (v->source == SWEEP_GRID) values[i] = v->list[rest % v->n], rest /= v->n;
    else if (v->source == SWEEP_LIST) values[i] = v->list[row];
    else values[i] = value_of(v, draw_one(d, k, draw, v->dimension));
  }
}
