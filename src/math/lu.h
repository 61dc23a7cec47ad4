/* Small matrices that are not symmetric. Row-major. */
#ifndef CARDAN_MATH_LU_H
#define CARDAN_MATH_LU_H

#include <stdbool.h>
#include <stddef.h>

/* Of those whose symmetric part is positive, without pivoting: A (n x n) = U L in place, from the last row up: a row
 * that has numbers only in columns of its ancestors fills no other. Returns -1, or a row whose pivot is not
 * positive. */
int cdni_lu_factor(int n, double *A);
/* C += by A B, for A with so many rows, and `inner` columns; its elements are `down` and `right` apart, rows of B and C
 * `columns`. */
typedef void cdni_product(int rows, int inner, int columns, double by, const double *A, size_t down, size_t right,
                          const double *B, double *C);
/* X = A^-1 X, of n rows. */
void cdni_lu_solve(int n, const double *A, int columns, double *X, cdni_product *add);

/* X = K^-1 X for `columns` right hand sides, by elimination with row pivoting; K is used up. False if K is singular:
 * `largest` is that of the numbers that K was computed from. */
bool cdni_eliminate(int n, double largest, double *K, int columns, double *X);
/* The least x with K x = b, for K of any rank, which is used up. False if there is none. `largest` and `size` are those
 * of the numbers that K and b were computed from. */
bool cdni_solve_least(int n, double largest, double *K, double size, const double *b, double *x);

#endif
