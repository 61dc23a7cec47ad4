/* Small convex problems with bounds: against the best of all sets of lambdas at their bounds, and what they must be
 * whatever the method. */
#include "math/box.h"

#include "random_tree.h"

enum { MOST = 7 };

typedef struct problem {
  int n;
  double K[MOST * MOST], r[MOST], size[MOST], lower[MOST], upper[MOST];
} problem;

static cdni_box_result solve(const problem *p, double *lambda, int32_t *side, int *which) {
  double scratch[MOST * MOST + 2 * MOST], whole[MOST];
  ck_assert_uint_le(cdni_box_scratch(p->n), sizeof scratch / sizeof *scratch);
  for (int i = 0; i < p->n; i++) whole[i] = p->K[i * p->n + i];
  const cdni_box box = {
    .n = p->n, .K = p->K, .r = p->r, .size = p->size, .lower = p->lower, .upper = p->upper, .whole = whole
  };
  return cdni_box_solve(&box, lambda, side, which, scratch);
}

static double objective(const problem *p, const double *lambda) {
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    double K_lambda = 0;
    for (int j = 0; j < p->n; j++) K_lambda += p->K[i * p->n + j] * lambda[j];
    sum += lambda[i] * (K_lambda / 2 - p->r[i]);
  }
  return sum;
}

/* ---- brute force ---- */

/* K_FF x_F = r_F - K_FB x_B for those with is_free; false if K_FF is (nearly) singular. */
static bool solve_free(const problem *p, const bool *is_free, double *x) {
  double A[MOST][MOST + 1];
  int at[MOST], m = 0;
  for (int i = 0; i < p->n; i++)
    if (is_free[i]) at[m++] = i;
  for (int i = 0; i < m; i++) {
    A[i][m] = p->r[at[i]];
    for (int j = 0; j < p->n; j++)
      if (!is_free[j]) A[i][m] -= p->K[at[i] * p->n + j] * x[j];
    for (int j = 0; j < m; j++) A[i][j] = p->K[at[i] * p->n + at[j]];
  }
  for (int k = 0; k < m; k++) {
    int pivot = k;
    for (int i = k; i < m; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    if (fabs(A[pivot][k]) < 1e-7) return false;
    for (int j = 0; j <= m; j++) {
      const double t = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = t;
    }
    for (int i = 0; i < m; i++)
      for (int j = m; j >= k && i != k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  }
  for (int k = 0; k < m; k++) x[at[k]] = A[k][m] / A[k][k];
  return true;
}

/* The least objective of all 3^n choices that keep the bounds. */
static double least(const problem *p, double *best) {
  int choices = 1;
  double found = INFINITY;
  for (int i = 0; i < p->n; i++) choices *= 3;
  for (int c = 0; c < choices; c++) {
    bool is_free[MOST], good = true;
    double x[MOST] = { 0 };
    for (int i = 0, rest = c; i < p->n; i++, rest /= 3) {
      is_free[i] = rest % 3 == 0;
      if (!is_free[i]) x[i] = rest % 3 == 1 ? p->lower[i] : p->upper[i];
      good = good && isfinite(x[i]);
    }
    if (!good || !solve_free(p, is_free, x)) continue;
    for (int i = 0; i < p->n; i++) good = good && x[i] >= p->lower[i] - 1e-10 && x[i] <= p->upper[i] + 1e-10;
    if (!good || objective(p, x) >= found) continue;
    found = objective(p, x);
    memcpy(best, x, sizeof x);
  }
  return found;
}

/* ---- random problems ---- */

/* K = A A^T + R, with so many columns of A. */
static problem random_problem(rng *r, int n, int rank, bool regular) {
  problem p = { .n = n };
  double A[MOST][MOST], x[MOST];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < rank; k++) A[i][k] = uniform(r, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < rank; k++) p.K[i * n + j] += A[i][k] * A[j][k];
      if (i == j && regular) p.K[i * n + j] += uniform(r, 0.01, 1);
    }
  for (int i = 0; i < n; i++) x[i] = uniform(r, -2, 2);
  for (int i = 0; i < n; i++) {
    /* of a singular K what a motion may ask for */
    for (int j = 0; j < n; j++) p.r[i] += p.K[i * n + j] * x[j], p.size[i] += fabs(p.K[i * n + j] * x[j]);
    const int kind = pick(r, 5);
    p.lower[i] = kind == 0 || kind == 1 ? 0 : kind == 2 ? -INFINITY : uniform(r, -1, 0);
    p.upper[i] = kind == 0 ? INFINITY : kind == 2 ? 0 : kind == 3 ? p.lower[i] : uniform(r, 0, 1);
  }
  return p;
}

/* What any solution satisfies: bounds are kept, and each equation is met, or left unmet towards the bound. */
static void check_conditions(const problem *p, const double *lambda) {
  for (int i = 0; i < p->n; i++) {
    double w = p->r[i];
    for (int j = 0; j < p->n; j++) w -= p->K[i * p->n + j] * lambda[j];
    ck_assert(lambda[i] >= p->lower[i] && lambda[i] <= p->upper[i]);
    if (lambda[i] < p->upper[i]) ck_assert_msg(w < 1e-9, "row %d asks for more by %g", i, w);
    if (lambda[i] > p->lower[i]) ck_assert_msg(w > -1e-9, "row %d asks for less by %g", i, w);
  }
}

START_TEST(test_against_all_sets) {
  rng r = rng_of(1);
  for (int k = 0; k < 3000; k++) {
    const int n = 1 + pick(&r, MOST - 1);
    const bool regular = k % 3 != 0;
    const problem p = random_problem(&r, n, regular ? n : 1 + pick(&r, n), regular);
    double lambda[MOST], best[MOST];
    int32_t side[MOST];
    int which;
    ck_assert_int_eq(solve(&p, lambda, side, &which), CDNI_BOX_SOLVED);
    check_conditions(&p, lambda);
    const double expected = least(&p, best);
    ck_assert_double_eq_tol(objective(&p, lambda), expected, 1e-9 * (1 + fabs(expected)));
    for (int i = 0; i < n && regular; i++) ck_assert_double_eq_tol(lambda[i], best[i], 1e-8);
    for (int i = 0; i < n; i++) {
      if (side[i] == CDNI_BOX_AT_LOWER) ck_assert(lambda[i] == p.lower[i]);
      if (side[i] == CDNI_BOX_AT_UPPER) ck_assert(lambda[i] == p.upper[i]);
    }
  }
}
END_TEST

/* Rows of other units are other numbers, and the same solution. */
START_TEST(test_units) {
  rng r = rng_of(2);
  for (int k = 0; k < 300; k++) {
    const int n = 1 + pick(&r, MOST - 1);
    const problem p = random_problem(&r, n, n, true);
    problem scaled = p;
    double lambda[MOST], other[MOST], unit[MOST];
    int32_t side[MOST];
    int which;
    for (int i = 0; i < n; i++) unit[i] = exp2(pick(&r, 61) - 30); /* from 1e-9 to 1e9 */
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) scaled.K[i * n + j] *= unit[i] * unit[j];
      scaled.r[i] *= unit[i], scaled.size[i] *= unit[i], scaled.lower[i] /= unit[i], scaled.upper[i] /= unit[i];
    }
    ck_assert_int_eq(solve(&p, lambda, side, &which), CDNI_BOX_SOLVED);
    ck_assert_int_eq(solve(&scaled, other, side, &which), CDNI_BOX_SOLVED);
    for (int i = 0; i < n; i++) ck_assert_double_eq_tol(other[i] * unit[i], lambda[i], 1e-9);
  }
}
END_TEST

START_TEST(test_contradictions) {
  /* x >= 1 and x <= -1, each with an impulse of one sign that nothing limits */
  const problem p = {
    .n = 2, .K = { 1, -1, -1, 1 }, .r = { 1, 1 }, .size = { 1, 1 }, .lower = { 0, 0 }, .upper = { INFINITY, INFINITY }
  };
  double lambda[MOST];
  int32_t side[MOST];
  int which = -1;
  ck_assert_int_eq(solve(&p, lambda, side, &which), CDNI_BOX_CONTRADICTION);
  ck_assert_int_eq(which, 1);
  /* with limits both push as hard as they can */
  problem limited = p;
  limited.upper[0] = 5, limited.upper[1] = 7;
  ck_assert_int_eq(solve(&limited, lambda, side, &which), CDNI_BOX_SOLVED);
  ck_assert(lambda[0] == 5 && fabs(lambda[1] - 6) < 1e-12);
  /* a row that moves nothing */
  const problem nothing = { .n = 1, .K = { 0 }, .r = { 1 }, .size = { 1 }, .lower = { 0 }, .upper = { INFINITY } };
  ck_assert_int_eq(solve(&nothing, lambda, side, &which), CDNI_BOX_CONTRADICTION);
}
END_TEST

/* Hundreds of lambdas, of which many depend on each other: within the bound of exchanges. */
START_TEST(test_many) {
  enum { N = 240, RANK = 60 };
  rng r = rng_of(3);
  static double A[N][RANK], K[N * N], q[N], size[N], lower[N], upper[N], lambda[N], whole[N];
  int32_t side[N];
  int which;
  double *scratch = malloc(cdni_box_scratch(N) * sizeof *scratch);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < RANK; k++) A[i][k] = uniform(&r, -1, 1);
  for (int i = 0; i < N; i++) {
    double x[RANK];
    for (int j = 0; j < N; j++)
      for (int k = 0; k < RANK; k++) K[i * N + j] += A[i][k] * A[j][k];
    rng same = rng_of(4);
    for (int k = 0; k < RANK; k++)
      x[k] = uniform(&same, -1, 1), q[i] += A[i][k] * x[k], size[i] += fabs(A[i][k] * x[k]);
    whole[i] = K[i * N + i];
    lower[i] = i % 3 ? 0 : -0.01, upper[i] = i % 3 ? INFINITY : 0.01;
  }
  const cdni_box box = { .n = N, .K = K, .r = q, .size = size, .lower = lower, .upper = upper, .whole = whole };
  ck_assert_int_eq(cdni_box_solve(&box, lambda, side, &which, scratch), CDNI_BOX_SOLVED);
  for (int i = 0; i < N; i++) {
    double w = q[i];
    for (int j = 0; j < N; j++) w -= K[i * N + j] * lambda[j];
    if (lambda[i] < upper[i]) ck_assert_double_lt(w, 1e-9);
    if (lambda[i] > lower[i]) ck_assert_double_gt(w, -1e-9);
  }
  free(scratch);
}
END_TEST

CHECK_MAIN("convex problems with bounds", test_against_all_sets, test_units, test_contradictions, test_many)
