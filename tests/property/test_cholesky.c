/* Small symmetric matrices: what the factors are multiplied to, what they solve, what is refused and what is raised. */
#include "math/cholesky.h"

#include "random_tree.h"

enum { MOST = 8, WIDTH = MOST + 1 };

/* X X^T + 0.1 of a random X, and its lower triangle alone in rows of WIDTH numbers. */
static void random_matrix(rng *r, int n, double A[MOST][MOST], double L[MOST][WIDTH]) {
  double X[MOST][MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) X[i][j] = uniform(r, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i][j] = i == j ? 0.1 : 0;
      for (int k = 0; k < n; k++) A[i][j] += X[i][k] * X[j][k];
      L[i][j] = j <= i ? A[i][j] : NAN;
    }
}

START_TEST(factors_solve_and_invert) {
  rng r = rng_of(71);
  for (int n = 1; n <= MOST; n++) {
    double A[MOST][MOST], L[MOST][WIDTH] = { { 0 } }, inverse[MOST][WIDTH], x[MOST], b[MOST];
    random_matrix(&r, n, A, L);
    ck_assert_int_eq(cdni_cholesky(n, WIDTH, L[0], 0, 0), -1);
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        double sum = 0;
        for (int k = 0; k <= j; k++) sum += L[i][k] * L[j][k];
        ck_assert_double_eq_tol(sum, A[i][j], 1e-14 * n);
      }
    for (int i = 0; i < n; i++) x[i] = b[i] = uniform(&r, -1, 1);
    cdni_cholesky_down(n, WIDTH, L[0], x);
    cdni_cholesky_up(n, WIDTH, L[0], x);
    /* the condition is below some 400: no eigenvalue is below 0.1 */
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += A[i][j] * x[j];
      ck_assert_double_eq_tol(sum, b[i], 1e-12);
    }
    cdni_cholesky_inverse(n, WIDTH, L[0], inverse[0]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += A[i][k] * inverse[k][j];
        ck_assert_double_eq_tol(sum, i == j, 1e-12);
        ck_assert(inverse[i][j] == inverse[j][i]);
      }
  }
}
END_TEST

START_TEST(what_is_not_definite_is_refused_or_raised) {
  /* the second row is the first one, and the third is below zero by rounding */
  const double same[4] = { 1, NAN, 1, 1 }, below[4] = { 1, NAN, 1, 1 - 1e-9 };
  double A[4];
  ck_assert_int_eq(cdni_cholesky(2, 2, memcpy(A, same, sizeof A), 0, 0), 1);
  ck_assert_int_eq(cdni_cholesky(2, 2, memcpy(A, same, sizeof A), 1e-12, 0), 1);
  ck_assert_int_eq(cdni_cholesky(2, 2, memcpy(A, below, sizeof A), -1e-10, 1e-14), 1);
  ck_assert_int_eq(cdni_cholesky(2, 2, memcpy(A, below, sizeof A), -1e-6, 1e-14), -1);
  ck_assert_double_eq_tol(A[3], 1e-7, 1e-15); /* the root of 1e-14 (1 - 1e-9) */
  A[0] = NAN;
  ck_assert_int_eq(cdni_cholesky(1, 1, A, -1, 1), 0);
  A[0] = -1;
  ck_assert_int_eq(cdni_cholesky(1, 1, A, -2, 1), 0);
  ck_assert_int_eq(cdni_cholesky(0, 1, A, 0, 0), -1);
}
END_TEST

CHECK_MAIN("Cholesky factors", factors_solve_and_invert, what_is_not_definite_is_refused_or_raised)
