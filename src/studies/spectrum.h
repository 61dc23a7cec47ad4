/* Eigenvalues and shapes of the linearized equations as they are handed out: freed of rounding, in an order that does not hang on
 * it. */
#ifndef CARDAN_STUDIES_SPECTRUM_H
#define CARDAN_STUDIES_SPECTRUM_H

#include "studies/statics.h"

typedef struct cdni_spectrum {
  int nu, n, size;             /* mobilities, displacements, eigenvalues */
  double *D, *U;               /* n x nu and (size - n) x nu: bases of displacements and velocities */
  double *A, *V, *by_column;   /* size x size: by rows; eigenvectors by columns, as cdni_eigen gives them; work */
  double *re, *im;             /* size */
  double *shape_re, *shape_im; /* size x nu */
  int *order, *zero;           /* size: their places; which of them are zeros of neutral directions */
  int *pivots, *twice;         /* size: work */
} cdni_spectrum;

/* The displacement parts of the eigenvectors, of largest element 1. */
void cdni_spectrum_shapes(cdni_spectrum *s);
/* At rest: the eigenvalues of neutral directions are zero, of which rounding makes pairs of its root, real or imaginary. */
cdn_status cdni_spectrum_zeros(cdni_spectrum *s, cdn_state *state, const char *function);
/* Double roots on the real axis, which rounding may have split to either side of it. */
void cdni_spectrum_double_roots(cdni_spectrum *s);
/* By magnitude, and what is of the same magnitude by what decays first, then by what it moves; conjugates stay together. */
void cdni_spectrum_sort(cdni_spectrum *s);

#endif
