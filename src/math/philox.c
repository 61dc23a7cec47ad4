/* Philox4x32-10, and numbers of its words. */
#include <cardan/random.h>
#include <math.h>

/* Salmon et al. 2011, table 2: the two multipliers. The key grows by the golden ratio and by the root of 3 less 1, as
 * fractions of 2^32 (section 4.2 there). */
enum { PHILOX_ROUNDS = 10 };
static const uint32_t multiplier[2] = { 0xD2511F53u, 0xCD9E8D57u }, key_growth[2] = { 0x9E3779B9u, 0xBB67AE85u };

void cdn_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
  uint32_t k0 = key[0], k1 = key[1], c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (int i = 0; i < PHILOX_ROUNDS; i++) {
    const uint64_t a = (uint64_t)multiplier[0] * c0, b = (uint64_t)multiplier[1] * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0, c1 = (uint32_t)b;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1, c3 = (uint32_t)a;
    k0 += key_growth[0], k1 += key_growth[1];
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* In the middle of one of 2^53 equal parts of (0, 1): neither 0 nor 1. */
static double uniform_of(uint32_t low, uint32_t high) {
  const uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
  return ((double)bits + 0.5) * 0x1p-53;
}

static void block_of(const cdn_random_place *place, uint32_t block, double two[2]) {
  const uint32_t key[2] = { place->seed, place->run };
  const uint32_t counter[4] = { (uint32_t)place->count, (uint32_t)(place->count >> 32), place->user, block };
  uint32_t words[4];
  cdn_philox(key, counter, words);
  two[0] = uniform_of(words[0], words[1]);
  two[1] = uniform_of(words[2], words[3]);
}

static void write_two(int i, int n, const double two[2], double *out) {
  out[i] = two[0];
  if (i + 1 < n) out[i + 1] = two[1];
}

void cdn_random_uniform(const cdn_random_place *place, int n, double *out) {
  for (int i = 0; i < n; i += 2) {
    double two[2];
    block_of(place, (uint32_t)i / 2, two);
    write_two(i, n, two, out);
  }
}

void cdn_random_normal(const cdn_random_place *place, int n, double *out) {
  static const double two_pi = 6.28318530717958647693;
  for (int i = 0; i < n; i += 2) {
    double two[2];
    block_of(place, (uint32_t)i / 2, two);
    const double r = sqrt(-2 * log(two[0])), angle = two_pi * two[1];
    write_two(i, n, (double[2]){ r * cos(angle), r * sin(angle) }, out);
  }
}
