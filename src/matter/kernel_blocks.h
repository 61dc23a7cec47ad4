/* Computations on pairs of mobilities, block by block (records.h): spatial vectors of a block's mobilities side by
 * side, about the M origin of its last body, and their products with those of another block. */
#ifndef CARDAN_MATTER_KERNEL_BLOCKS_H
#define CARDAN_MATTER_KERNEL_BLOCKS_H

#include "math/wide.h"
#include "matter/hinge.h"

/* H of body i by columns. */
CDNI_INLINE void block_columns(const tree_node *n, const real *H, sv *S) {
#define BODY(NU, FORM) \
  for (int k = 0; k < NU; k++) S[k] = hinge_column(FORM, H + n->H, k)
  FOR_KIND(n)
#undef BODY
}

/* Number a of every component of A times all of B, summed over the six components of spatial vectors. The sum is
 * made in two halves that do not wait for each other. */
CDNI_INLINE wide block_dot(const wide *A, int a, const wide *B) {
  const double *x = (const double *)A + a;
  wide w = wide_mul(wide_set(x[0]), B[0]), v = wide_mul(wide_set(x[3 * WIDE]), B[3]);
  for (int k = 1; k < 3; k++) {
    w = wide_fma(wide_set(x[k * WIDE]), B[k], w);
    v = wide_fma(wide_set(x[(3 + k) * WIDE]), B[3 + k], v);
  }
  return wide_add(w, v);
}

/* Stores all eight numbers for full blocks; otherwise the first `n`. */
CDNI_INLINE void block_store(double *to, wide a, int n) {
  if (n == WIDE) wide_store(to, a);
  else wide_store_part(to, a, n);
}
CDNI_INLINE void block_store_column(double *to, size_t size, wide a, int n) {
  double all[WIDE];
  wide_store(all, a);
  for (int k = 0; k < n; k++) to[(size_t)k * size] = all[k];
}

/* A^T B for blocks of n_A and n_B mobilities, into a matrix with rows of `size`. A few columns take a simpler path. */
CDNI_INLINE void block_product(const wide *A, int n_A, const wide *B, int n_B, double *to, size_t size) {
  if (n_B <= 2 && n_B < n_A)
    for (int b = 0; b < n_B; b++) block_store_column(to + b, size, block_dot(B, b, A), n_A);
  else
    for (int a = 0; a < n_A; a++) block_store(to + (size_t)a * size, block_dot(A, a, B), n_B);
}

#endif
