/* Dense linear algebra for studies, never in a step: dense.c is the only file that knows LAPACK. Matrices are column-major and
 * tight (element i, j of a matrix with m rows at [j m + i]). Nothing is allocated: every function has one that says how many
 * doubles of work it takes. What goes in must be finite. */
#ifndef CARDAN_MATH_DENSE_H
#define CARDAN_MATH_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* A (m x n, used up) = U diag(s) V^T with s in descending order: s (min(m, n)), U (m x min(m, n)), VT (n x n, all of it: the
 * rows that have no s span the null space). False if the iteration did not converge. */
size_t cdni_svd_work(int m, int n);
bool cdni_svd(int m, int n, double *A, double *s, double *U, double *VT, double *work);
/* How many of n singular values, in descending order, are above 3e-6 of the largest. For rows of constraints: as a sine, what a
 * pivot of 1e-11 is that makes an equation redundant (cdn_redundant_equations). */
int cdni_svd_rank(int n, const double *s);

/* K x = w B x for a symmetric K and a symmetric positive definite B, n x n, of which the lower triangles are read: w in
 * ascending order, vectors x with x^T B x = 1 in the columns of K; B is used up. 0, or i > 0 if B is not positive definite (i
 * is the order of the first minor that is not, or greater than n: no convergence). */
size_t cdni_symmetric_eigen_work(int n);
int cdni_symmetric_eigen(int n, double *K, double *B, double *w, double *work);

/* Eigenvalues re + i im of A (n x n, used up), conjugate pairs next to each other with the positive im first, and right
 * eigenvectors of unit length: column j of V where im is zero; columns j and j + 1 are real and imaginary part of the first of
 * a pair. False if the iteration did not converge. */
size_t cdni_eigen_work(int n);
bool cdni_eigen(int n, double *A, double *re, double *im, double *V, double *work);

#endif
