/* Factors of small matrices that are not symmetric, whose symmetric part is positive: no pivoting. Row-major. */
#ifndef CARDAN_MATH_LU_H
#define CARDAN_MATH_LU_H

/* A (n x n) = U L in place, from the last row up: a row that has numbers only in columns of its ancestors fills no other. Returns
 * -1, or a row whose pivot is not positive. */
int cdni_lu_factor(int n, double *A);
/* x = A^-1 x, and the same with A^T. */
void cdni_lu_solve(int n, const double *A, double *x);
void cdni_lu_solve_transposed(int n, const double *A, double *x);

#endif
