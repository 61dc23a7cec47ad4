/* The linear equations of Newton's method for a step with constant speeds: the variational step of studies/flow.c. In
 * O(n). */
#ifndef CARDAN_MATTER_VARIATIONAL_H
#define CARDAN_MATTER_VARIATIONAL_H

#include "matter/matter.h"

/* What one body's part of the elimination leaves, at M's origin. */
typedef struct variational_body {
  v3 r;         /* from the parent's M origin to this one's */
  double A[36]; /* of the body and all outboard of it, row-major */
  double z[6], W[6];
  double left[6][6], right[6][6]; /* a column of either for each mobility */
  double AR[6][6], LA[6][6];      /* A right; D^-1 left^T A: likewise */
  double D_inv[6][6];
} variational_body;

/* Factors the equations at the State's q, with constant speeds u over a step of length h (h/2 before it, and h/2 behind
 * it). Inertias and H must be valid. body: one for each body. Fails where a mobility has no inertia. */
cdn_status cdni_variational_factor(const matter *m, cdn_state *state, const tree_data *d, double h, const double *u,
                                   variational_body *body);
/* change (nu): what speeds change by for the residual r (nu). Zero for what is prescribed. */
void cdni_variational_solve(const matter *m, const tree_data *d, variational_body *body, const double *r,
                            double *change);

#endif
