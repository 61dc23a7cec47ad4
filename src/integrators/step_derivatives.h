/* What the files of the derivatives of a step share. */
#ifndef CARDAN_INTEGRATORS_STEP_DERIVATIVES_H
#define CARDAN_INTEGRATORS_STEP_DERIVATIVES_H

#include "integrators/fixed.h"

/* A step, and matrices that say how forces and rates at its start vary. */
typedef struct step_start {
  cdn_state *state;
  const char *function;
  const euler_kind *kind; /* NULL: nothing is implicit */
  double h;
  const double *a, *udot; /* nu: of the step, and of the State */
  const char *saved;      /* the State as it is, to return to */
  int nu, nz;
} step_start;

/* step_controls.c: by each control, in columns from `first` of matrices that are `columns` wide: generalized forces
 * (nu), h J a (nu), and zdot (nz) at constant udot; W (nz x nu): how zdot varies with udot. Central differences; the
 * State is returned to. */
cdn_status cdni_step_vary_controls(const step_start *s, const double *W, int first, int columns, double *force,
                                   double *change, double *zdot);

/* step_controls.c: zdot (nz) by forces on mobilities, in the first nu columns, without what W has: rates that are
 * differenced may follow from udot and have no rows in W. Central differences; the State is returned to. */
cdn_status cdni_step_vary_forces(const step_start *s, const double *W, int columns, double *zdot);

#endif
