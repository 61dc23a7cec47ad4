/* The null space of a few equations in n unknowns: Householder reflections with pivoting. */
#ifndef CARDAN_MATH_NULL_SPACE_H
#define CARDAN_MATH_NULL_SPACE_H

#include <stdint.h>

/* Q^T A^T P = R for m rows A of n numbers: the first `rank` columns of Q span the rows, the others their null space. */
typedef struct cdni_null_space {
  int n, m, rank;
  double *A;      /* m rows; afterwards R and the reflections */
  double *scale;  /* m: scales of the reflections */
  double *size;   /* m: lengths of the rows */
  int32_t *order; /* m: pivots first */
} cdni_null_space;

/* Factors; the caller sets n, m, A and the memory of the other members. A row counts as dependent if the sine of its
 * angle to the rows before is below `sine`, or if its length is below rounding of the largest. */
void cdni_null_space_factor(cdni_null_space *s, double sine);
/* x (n) becomes Q^T x, and back. */
void cdni_null_space_enter(const cdni_null_space *s, double *x);
void cdni_null_space_leave(const cdni_null_space *s, double *x);
/* The first `rank` numbers of y = Q^T x are those of an x with A x = b, for the rows that do not depend on others. */
void cdni_null_space_reach(const cdni_null_space *s, const double *b, double *y);
/* lambda (m) with A^T lambda = g by least squares, from y = Q^T g; 0 for dependent rows. */
void cdni_null_space_multipliers(const cdni_null_space *s, const double *y, double *lambda);

/* Solves (H + shift 1) x = b in place, for a symmetric H (n x n, its lower triangle); L (n x n) is filled. False if it
 * is not positive definite. */
int cdni_solve_shifted(int n, const double *H, double shift, double *L, double *x);
/* Solves for another right side with the L of cdni_shifted_solve. */
void cdni_solve_again(int n, const double *L, double *x);

#endif
