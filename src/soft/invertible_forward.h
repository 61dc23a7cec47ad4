/* The forward problem (17) on its way: what its files share. Private to them.
 *
 * The unknowns are x = f_t / mu for tangents and f_n for normals, so that every cone is the one of mu = 1, and a
 * contact without friction is no exception: its tangents have no part in anything but their own barrier. */
#ifndef CARDAN_SOFT_INVERTIBLE_FORWARD_H
#define CARDAN_SOFT_INVERTIBLE_FORWARD_H

#include "soft/invertible.h"

typedef struct forward {
  const cdn_invertible_problem *p;
  int n, normals;
  double kappa, q;           /* of this phase; q = 0: the logarithm alone */
  bool inside;               /* f is above v_min, and stays there */
  double *A, *R, *c, *scale; /* in the scaled unknowns: S A S, S R S, S c; the diagonal of S */
  double *f, *Af;            /* unknowns, A f */
  double *g, *d, *Ad, *s;    /* gradient, direction, A d, v - v_min of normals */
  double *H;                 /* n x n */
} forward;

/* ---- invertible_newton.c ---- */

/* Fills Af and s of f. */
void cdni_forward_velocities(forward *k);
/* Whether all normals are above v_min. */
bool cdni_forward_feasible(const forward *k);
/* Gradient at f. */
void cdni_forward_gradient(forward *k);
/* The direction d = -H^-1 g with A d; *decrement: d^T H d. CDN_ERR_SINGULAR: row *bad has no positive pivot. */
cdn_status cdni_forward_direction(forward *k, double *decrement, int *bad);

/* ---- invertible_step.c ---- */

/* Moves f along d to where the function is less, within the cones. Overwrites the gradient. */
void cdni_forward_step(forward *k, double decrement);

#endif
