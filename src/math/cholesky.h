/* Small symmetric positive definite matrices, A = L L^T. Row-major, rows `width` numbers apart; of A the lower
 * triangle is read, and L takes its place. */
#ifndef CARDAN_MATH_CHOLESKY_H
#define CARDAN_MATH_CHOLESKY_H

/* Returns -1, or the first row whose pivot is not above `least` times its diagonal element. A smaller pivot than
 * `raised` times the diagonal element is set to that: where `least` is negative, rounding may have taken it. */
int cdni_cholesky(int n, int width, double *A, double least, double raised);
/* x = L^-1 x, and x = L^-T x; both: x = A^-1 x. */
void cdni_cholesky_down(int n, int width, const double *L, double *x);
void cdni_cholesky_up(int n, int width, const double *L, double *x);
/* out = A^-1, both triangles, with rows of the same width. The triangle above L is used up. */
void cdni_cholesky_inverse(int n, int width, double *L, double *out);

#endif
