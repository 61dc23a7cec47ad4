/* Kernels of the elimination by fronts (cone_factor.c), compiled for each instruction set. Private to the room. */
#ifndef CARDAN_HYBRID_CONE_KERNELS_H
#define CARDAN_HYBRID_CONE_KERNELS_H

#include <stdbool.h>

#include "math/kernel_sets.h"

typedef struct cone_kernels {
  /* Eliminates the first `pivots` unknowns of a front: n x n numbers in rows of ld, all multiples of 3 but ld. Unknowns
   * come in threes, with exchanges of rows within each. Their 3 x 3 diagonals D become D^-1, what is left of them
   * U, what is below them - A D^-1, and the rest is what remains of the equations of the others. False: singular. */
  bool (*eliminate)(double *F, int ld, int n, int pivots);
  /* y (columns) += A^T x, and x (rows) -= A y, with A in rows of ld. */
  void (*add_rows)(const double *A, int ld, int rows, int columns, const double *x, double *y);
  void (*subtract_dots)(const double *A, int ld, int rows, int columns, const double *y, double *x);
} cone_kernels;

/* By set of kernels (cdni_kernel_set). */
extern const cone_kernels *const cdni_cone_kernels[KERNEL_SET_COUNT];

#endif
