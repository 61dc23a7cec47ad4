/* The null space of a few equations in n unknowns: Householder reflections with pivoting. */
#ifndef CARDAN_MATH_NULL_SPACE_H
#define CARDAN_MATH_NULL_SPACE_H

#include <stdint.h>

/* Q^T A^T P = R for m rows A of n numbers: the first `rank` columns of Q span the rows, the others their null space. */
typedef struct cdni_null_space {
  int n, m, rank;
  double *A;      /* m rows; afterwards R and the reflections */
  double *scale;  /* m: of the reflections */
  double *size;   /* m: of the rows */
  int32_t *order; /* m: pivots first */
} cdni_null_space;

/* Factors; n, m, A and the memory of the rest are given. A row is dependent where the sine of its angle to those before is
 * below `sine`, or where its size is below rounding of the largest. */
void cdni_null_space_factor(cdni_null_space *s, double sine);
/* x (n) becomes Q^T x, and back. */
void cdni_null_space_enter(const cdni_null_space *s, double *x);
void cdni_null_space_leave(const cdni_null_space *s, double *x);
/* lambda (m) with A^T lambda = g in the sense of least squares, from y = Q^T g; dependent rows have 0. */
void cdni_null_space_multipliers(const cdni_null_space *s, const double *y, double *lambda);

/* Solves (H + shift 1) x = b in place, for a symmetric H (n x n, its lower triangle); L (n x n) is filled. False if it is
 * not positive definite. */
int cdni_solve_shifted(int n, const double *H, double shift, double *L, double *x);
/* Another right side, with the L of the former. */
void cdni_solve_again(int n, const double *L, double *x);

#endif
