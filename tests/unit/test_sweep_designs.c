/* Which values the cases of a study have: sequences of the literature, strata, the stream of random numbers. */
#include "../testing.h"
#include "core/core.h"
#include "sweeps/design.h"

/* The first points that S. Joe and F. Y. Kuo's program prints with their file new-joe-kuo-6.21201. */
START_TEST(sobol_begins_as_published) {
  static const double points[][3] = { { 0, 0, 0 },
                                      { 0.5, 0.5, 0.5 },
                                      { 0.75, 0.25, 0.25 },
                                      { 0.25, 0.75, 0.75 },
                                      { 0.375, 0.375, 0.625 },
                                      { 0.875, 0.875, 0.125 },
                                      { 0.625, 0.125, 0.875 },
                                      { 0.125, 0.625, 0.375 },
                                      { 0.1875, 0.3125, 0.9375 },
                                      { 0.6875, 0.8125, 0.4375 } };
  for (int i = 0; i < CDNI_COUNT(points); i++)
    for (int d = 0; d < 3; d++) ck_assert(cdni_sweep_sobol(d, (uint32_t)i) == (uint32_t)(points[i][d] * 0x1p32));
}
END_TEST

/* Any 2^m points from a multiple of 2^m on have one in each of 2^m equal parts, in every dimension: the first direction
 * numbers are odd, and below 2^k. */
START_TEST(sobol_fills_every_dimension) {
  enum { M = 9, N = 1 << M };
  for (int d = 0; d < SWEEP_SOBOL_DIMENSIONS; d++)
    for (uint32_t start = 0; start < 3 * N; start += N) {
      bool full[N] = { false };
      for (uint32_t i = 0; i < N; i++) full[cdni_sweep_sobol(d, start + i) >> (32 - M)] = true;
      for (int i = 0; i < N; i++) ck_assert_msg(full[i], "dimension %d, part %d", d, i);
    }
}
END_TEST

/* The bits of a polynomial over the field of two elements: x^e modulo it. */
static uint32_t power(uint32_t polynomial, int degree, uint64_t e) {
  uint32_t result = 1, base = degree == 1 ? (polynomial ^ 2) & 1 : 2;
  for (; e; e >>= 1) {
    uint32_t product[2] = { 0, 0 };
    for (int i = 0; i < degree; i++) {
      if (base >> i & 1) product[0] ^= result << i;
      if (base >> i & 1) product[1] ^= base << i;
    }
    for (int k = 0; k < 2; k++)
      for (int i = 2 * degree; i >= degree; i--)
        if (product[k] >> i & 1) product[k] ^= polynomial << (i - degree);
    if (e & 1) result = product[0];
    base = product[1];
  }
  return result;
}

/* x has the order 2^s - 1 modulo a primitive polynomial, and no polynomial comes twice. */
START_TEST(polynomials_of_sobol_are_primitive) {
  for (int d = 1; d < SWEEP_SOBOL_DIMENSIONS; d++) {
    const sweep_sobol_row *row = &cdni_sweep_sobol_rows[d], *before = row - 1;
    const int s = row->degree;
    const uint32_t p = 1u << s | (uint32_t)row->polynomial << 1 | 1, order = (1u << s) - 1;
    ck_assert(d == 1 || s > before->degree || (s == before->degree && row->polynomial > before->polynomial));
    ck_assert_uint_eq(power(p, s, order), 1);
    for (uint32_t f = 2; f <= order; f++)
      if (order % f == 0 && f < order) ck_assert_msg(power(p, s, f) != 1, "dimension %d", d);
    for (int k = 0; k < s; k++) ck_assert(row->m[k] % 2 == 1 && row->m[k] < 2u << k);
  }
}
END_TEST

/* M. J. Wichura, "Algorithm AS 241", Applied Statistics 37 (1988): his three test values. And the tail on the other
 * side, and the error function, which tells what lies below. */
START_TEST(normal_numbers_have_their_probabilities) {
  NEAR(cdni_sweep_normal(0.25), -0.6744897501960817, 2e-15);
  NEAR(cdni_sweep_normal(0.001), -3.090232306167814, 1e-14);
  NEAR(cdni_sweep_normal(1e-20), -9.262340089798408, 2e-14);
  NEAR(cdni_sweep_normal(0.5), 0, 1e-16);
  for (int i = 1; i < 2000; i++) {
    const double p = pow(2, -i / 50.), x = cdni_sweep_normal(p);
    NEAR(erfc(-x / sqrt(2)) / 2 / p, 1, 2e-13);
    if (p > 1e-3) NEAR(cdni_sweep_normal(1 - p), -x, 1e-12);
  }
  ck_assert(isfinite(cdni_sweep_normal(0x1p-54)) && isfinite(cdni_sweep_normal(1 - 0x1p-53)));
}
END_TEST

START_TEST(a_shuffle_is_an_order) {
  enum { MOST = 3000 };
  static const int sizes[] = { 1, 2, 3, 4, 5, 16, 17, 64, 65, 1000, MOST };
  const uint32_t key[2] = { 5, 9 };
  for (int k = 0; k < CDNI_COUNT(sizes); k++)
    for (uint32_t which = 0; which < 3; which++) {
      bool taken[MOST] = { false };
      for (int i = 0; i < sizes[k]; i++) {
        const uint64_t at = cdni_sweep_shuffle(key, which, (uint64_t)sizes[k], (uint64_t)i);
        ck_assert(at < (uint64_t)sizes[k] && !taken[at]);
        taken[at] = true;
      }
    }
}
END_TEST

/* Places of neighbours, of orders and of first numbers have nothing to do with each other: correlations within five
 * deviations. */
START_TEST(a_shuffle_is_at_random) {
  enum { N = 5000 };
  const uint32_t keys[][2] = { { 5, 9 }, { 6, 9 } };
  double sum[3] = { 0 };
  for (int i = 0; i < N; i++) {
    const double x = (double)cdni_sweep_shuffle(keys[0], 0, N, (uint64_t)i) / N - 0.5;
    const double others[] = { (double)cdni_sweep_shuffle(keys[0], 1, N, (uint64_t)i) / N - 0.5,
                              (double)cdni_sweep_shuffle(keys[1], 0, N, (uint64_t)i) / N - 0.5,
                              (double)cdni_sweep_shuffle(keys[0], 0, N, (uint64_t)((i + 1) % N)) / N - 0.5 };
    for (int k = 0; k < 3; k++) sum[k] += 12 * x * others[k] / N;
  }
  for (int k = 0; k < 3; k++) NEAR(sum[k], 0, 5 / sqrt(N));
}
END_TEST

/* ---- designs ---- */

enum { CASES = 500 };

static sweep_design drawn(sweep_sampling sampling, const sweep_variable *v, int n) {
  return (sweep_design){ 3, sampling, CASES, 1, CASES, v, n };
}

static const sweep_variable unit_cube[] = {
  { .name = "a", .source = SWEEP_UNIFORM, .a = 0, .b = 1, .dimension = 0 },
  { .name = "b", .source = SWEEP_UNIFORM, .a = 0, .b = 1, .dimension = 1 },
  { .name = "c", .source = SWEEP_UNIFORM, .a = 0, .b = 1, .dimension = 2 },
};

START_TEST(a_latin_hypercube_has_one_case_in_each_stratum) {
  const sweep_design d = drawn(SWEEP_LATIN, unit_cube, 3);
  bool taken[3][CASES] = { { false } };
  double x[3];
  for (int64_t k = 0; k < CASES; k++) {
    cdni_sweep_design(&d, k, x);
    for (int i = 0; i < 3; i++) {
      const int at = (int)(x[i] * CASES);
      ck_assert(x[i] > 0 && x[i] < 1 && !taken[i][at]);
      taken[i][at] = true;
    }
  }
}
END_TEST

/* The digital shift keeps the parts; other seeds give other points. */
START_TEST(shifted_sobol_points_fill_the_cube) {
  sweep_design d = drawn(SWEEP_SOBOL, unit_cube, 3);
  double x[3], y[3];
  bool taken[3][256] = { { false } }, pairs[16][16] = { { false } };
  for (int64_t k = 0; k < 256; k++) {
    cdni_sweep_design(&d, k, x);
    for (int i = 0; i < 3; i++) {
      ck_assert(!taken[i][(int)(x[i] * 256)]);
      taken[i][(int)(x[i] * 256)] = true;
    }
    ck_assert(!pairs[(int)(x[0] * 16)][(int)(x[1] * 16)]); /* the first two dimensions are a (0, m, 2)-net */
    pairs[(int)(x[0] * 16)][(int)(x[1] * 16)] = true;
  }
  cdni_sweep_design(&d, 0, x);
  d.seed = 4;
  cdni_sweep_design(&d, 0, y);
  for (int i = 0; i < 3; i++) ck_assert(x[i] != y[i]);
}
END_TEST

START_TEST(random_values_come_from_the_stream) {
  const sweep_design d = drawn(SWEEP_RANDOM, unit_cube, 3);
  double x[3], u;
  for (int64_t k = 0; k < 4; k++) {
    cdni_sweep_design(&d, k, x);
    for (uint32_t i = 0; i < 3; i++) {
      const cdn_random_place place = { 3, (uint32_t)k, UINT64_MAX, i };
      cdn_random_uniform(&place, 1, &u);
      ck_assert(x[i] == u);
    }
  }
}
END_TEST

/* Moments of each distribution, within five deviations of the mean. */
START_TEST(distributions_are_what_they_are_called) {
  static const double list[] = { 1, 2, 4 };
  const sweep_variable v[] = {
    { .source = SWEEP_UNIFORM, .a = -2, .b = 4, .dimension = 0 },
    { .source = SWEEP_LOG_UNIFORM, .a = 0.01, .b = 100, .dimension = 1 },
    { .source = SWEEP_NORMAL, .a = 3, .b = 0.5, .dimension = 2 },
    { .source = SWEEP_CHOICE, .list = list, .n = 3, .dimension = 3 },
  };
  const sweep_design d = drawn(SWEEP_RANDOM, v, 4);
  double x[4], sum[5] = { 0 };
  int chosen[5] = { 0 };
  for (int64_t k = 0; k < CASES; k++) {
    cdni_sweep_design(&d, k, x);
    ck_assert(x[0] > -2 && x[0] < 4 && x[1] > 0.01 && x[1] < 100);
    sum[0] += x[0] / CASES, sum[1] += log(x[1]) / CASES, sum[2] += x[2] / CASES;
    sum[3] += (x[2] - 3) * (x[2] - 3) / CASES;
    chosen[(int)x[3]]++;
  }
  NEAR(sum[0], 1, 5 * 6 / sqrt(12. * CASES));
  NEAR(sum[1], 0, 5 * 2 * log(100) / sqrt(12. * CASES));
  NEAR(sum[2], 3, 5 * 0.5 / sqrt(CASES));
  NEAR(sum[3], 0.25, 5 * 0.25 * sqrt(2. / CASES));
  ck_assert_int_eq(chosen[1] + chosen[2] + chosen[4], CASES);
  for (int i = 1; i <= 4; i *= 2) NEAR(chosen[i], CASES / 3., 5 * sqrt(CASES * 2 / 9.));
}
END_TEST

/* Two grids, lists that go together, draws: the first grid is slowest, draws are fastest. */
START_TEST(grids_lists_and_draws_are_crossed) {
  static const double g[] = { 1, 2 }, h[] = { 10, 20, 30 }, p[] = { 5, 6 }, q[] = { 7, 8 };
  const sweep_variable v[] = { { .source = SWEEP_GRID, .list = g, .n = 2, .dimension = -1 },
                               { .source = SWEEP_LIST, .list = p, .n = 2, .dimension = -1 },
                               { .source = SWEEP_GRID, .list = h, .n = 3, .dimension = -1 },
                               { .source = SWEEP_UNIFORM, .a = 0, .b = 1, .dimension = 0 },
                               { .source = SWEEP_LIST, .list = q, .n = 2, .dimension = -1 } };
  const sweep_design d = { 0, SWEEP_LATIN, 4, 2, 48, v, 5 };
  int64_t k = 0;
  double x[5];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      for (int l = 0; l < 2; l++) {
        bool taken[4] = { false };
        for (int s = 0; s < 4; s++, k++) {
          cdni_sweep_design(&d, k, x);
          ck_assert(x[0] == g[i] && x[2] == h[j] && x[1] == p[l] && x[4] == q[l]);
          ck_assert(!taken[(int)(x[3] * 4)]); /* each draw is whole for itself */
          taken[(int)(x[3] * 4)] = true;
        }
      }
  ck_assert(k == d.cases);
}
END_TEST

CHECK_MAIN("sweep_designs", sobol_begins_as_published, sobol_fills_every_dimension, polynomials_of_sobol_are_primitive,
           normal_numbers_have_their_probabilities, a_shuffle_is_an_order, a_shuffle_is_at_random,
           a_latin_hypercube_has_one_case_in_each_stratum, shifted_sobol_points_fill_the_cube,
           random_values_come_from_the_stream, distributions_are_what_they_are_called,
           grids_lists_and_draws_are_crossed)
