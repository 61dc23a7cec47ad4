/* shared by tests in this folder */
/* Random numbers: the same on every machine (splitmix64). */
#ifndef CARDAN_TESTS_RANDOM_NUMBERS_H
#define CARDAN_TESTS_RANDOM_NUMBERS_H

#include <cardan/math.h>

typedef struct rng {
  uint64_t state;
} rng;
rng rng_of(uint64_t seed);
uint64_t rng_next(rng *r);
double uniform(rng *r, double lower, double upper);
int pick(rng *r, int n); /* 0 .. n - 1 */
cdn_vec3 random_vec3(rng *r, double size);
cdn_rotation random_rotation(rng *r);
cdn_spatial random_spatial(rng *r, double size);
void random_numbers(rng *r, double size, double *x, int n);

#endif
