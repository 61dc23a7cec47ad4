/* Dry friction on one mobility: a bristle, which is a spring k with a damper k T beside it, and in series with both a
 * slider that bears at most F. Its displacement x is a state. With the mobility's speed v,
 *
 *    g = k (x + T v),   f = -s g  with  s = min(1, F / |g|),   xdot = s v - (1 - s) x / T,
 *
 * the law of surfaces that stick (contact/bristle.c) in one dimension, where s g is g within [-F, F], and where what
 * slides has xdot = (s g / k - x) / T: the displacement follows +-F / k within T, at any speed.
 * Parameters: F, k, T. */
#ifndef CARDAN_FORCES_MOBILITY_FRICTION_H
#define CARDAN_FORCES_MOBILITY_FRICTION_H

#include "forces/elements/mobility.h"

enum { FRICTION_LOSS, FRICTION_STIFFNESS, FRICTION_TIME, FRICTION_PARAMS };

/* g: what the bristle would bear if nothing slid. */
CDNI_INLINE real friction_strain(const real *p, real x, real v) {
  return p[FRICTION_STIFFNESS] * (x + p[FRICTION_TIME] * v);
}

/* s g; a NaN stays one. */
CDNI_INLINE real friction_borne(const real *p, real g) {
  const real F = p[FRICTION_LOSS];
  g = r_select(r_greater(g, F), F, g);
  return r_select(r_greater(-F, g), -F, g);
}

CDNI_INLINE void lanes_mobility_friction(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + FRICTION_PARAMS * i;
    if (lanes_on(b, i)) b->f[at[i].u] -= friction_borne(p, friction_strain(p, b->z[i], b->u[at[i].u]));
  }
}

#endif
