/* Eigenvalues and shapes of the linearized equations, in the form that the caller gets: without effects of rounding,
 * and in an order that does not depend on rounding. */
#ifndef CARDAN_STUDIES_SPECTRUM_H
#define CARDAN_STUDIES_SPECTRUM_H

#include "studies/statics.h"

typedef struct cdni_spectrum {
  int nu, n, size;             /* mobilities, displacements, eigenvalues */
  double *D, *U;               /* n x nu and (size - n) x nu: bases of displacements and velocities */
  double *A, *V, *by_column;   /* size x size: row-major; eigenvectors in columns, as cdni_eigen gives them; work */
  double *re, *im;             /* size */
  double *shape_re, *shape_im; /* size x nu */
  int *order, *zero;           /* size: order of the results; flags of zeros of neutral directions */
  int *pivots, *twice;         /* size: work */
} cdni_spectrum;

/* The displacement parts of the eigenvectors, scaled to a largest element of 1. */
void cdni_spectrum_shapes(cdni_spectrum *s);
/* At rest: sets the eigenvalues of neutral directions to zero. Rounding turns them into pairs of its square root. */
cdn_status cdni_spectrum_zeros(cdni_spectrum *s, cdn_state *state, const char *function);
/* Restores double roots on the real axis, which rounding may have split. */
void cdni_spectrum_double_roots(cdni_spectrum *s);
/* Sorts by magnitude, then decaying first, then by the mobility that moves most; conjugates stay together. */
void cdni_spectrum_sort(cdni_spectrum *s);

#endif
