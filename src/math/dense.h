/* Dense linear algebra for studies, never for a step. dense.c is the only file that uses LAPACK. Matrices are
 * column-major without padding (element i, j of a matrix with m rows is at [j m + i]). Nothing is allocated: for
 * every function another one gives the number of doubles of workspace. Inputs must be finite. */
#ifndef CARDAN_MATH_DENSE_H
#define CARDAN_MATH_DENSE_H

#include <stdbool.h>
#include <stddef.h>

static inline double cdni_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* A = U diag(s) V^T for A (m x n, destroyed), with s in descending order: s (min(m, n)), U (m x min(m, n)), VT (n x
 * n; its rows beyond the number of s span the null space). False if the iteration did not converge. */
size_t cdni_svd_work(int m, int n);
bool cdni_svd(int m, int n, double *A, double *s, double *U, double *VT, double *work);
/* Number of singular values (n, in descending order) above 3e-6 of the largest. For rows of constraints this sine
 * corresponds to the pivot of 1e-11 that makes an equation redundant (cdn_redundant_equations). */
int cdni_svd_rank(int n, const double *s);

/* Solves K x = w B x for symmetric K and symmetric positive definite B, n x n; the lower triangles are read. w in
 * ascending order; vectors x with x^T B x = 1 replace the columns of K; B is destroyed. Returns 0; i in 1 ... n: the
 * minor of order i of B is not positive; i > n: no convergence. */
size_t cdni_symmetric_eigen_work(int n);
int cdni_symmetric_eigen(int n, double *K, double *B, double *w, double *work);

/* Eigenvalues re + i im of A (n x n, destroyed), conjugate pairs as neighbours with the positive im first, and right
 * eigenvectors of unit length: column j of V for a real eigenvalue; columns j and j + 1 are the real and imaginary
 * parts for the first of a pair. False if the iteration did not converge. */
size_t cdni_eigen_work(int n);
bool cdni_eigen(int n, double *A, double *re, double *im, double *V, double *work);

#endif
