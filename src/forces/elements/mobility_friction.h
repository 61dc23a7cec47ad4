/* Dry friction on one mobility, or along a sum of several: a bristle, which is a spring k with a damper k T beside
 * it, and in series with both a slider that bears at most F. Its displacement x is a state. With the speed v, which
 * is the mobility's, or the sum of coefficients times those of several, on each of which the force acts times its
 * coefficient,
 *
 *    g = k (x + T v),   f = -s g  with  s = min(1, F / |g|),   xdot = s v - (1 - s) x / T,
 *
 * the law of surfaces that stick (laws/bristle.c) in one dimension, where s g is g within [-F, F], and where what
 * slides has xdot = (s g / k - x) / T: the displacement follows +-F / k within T, at any speed. Parameters: F, k, T. */
#ifndef CARDAN_FORCES_MOBILITY_FRICTION_H
#define CARDAN_FORCES_MOBILITY_FRICTION_H

#include <cardan/forces.h>

#include "forces/elements/mobility.h"

typedef struct friction_term {
  int32_t u;
  double coefficient;
} friction_term;

/* Begins as all elements on mobilities do: with the first. */
typedef struct friction_element {
  force_mobility at;
  int32_t terms;
  friction_term term[CDN_FRICTION_MOST_TERMS];
} friction_element;

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

/* The sum of coefficients times numbers of mobilities. */
CDNI_INLINE real friction_along(const friction_element *e, const real *x) {
  real v = e->term[0].coefficient * x[e->term[0].u];
  for (int k = 1; k < e->terms; k++) v += e->term[k].coefficient * x[e->term[k].u];
  return v;
}

CDNI_INLINE void lanes_mobility_friction(const force_lanes *b) {
  const friction_element *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + FRICTION_PARAMS * i;
    if (!lanes_on(b, i)) continue;
    const real borne = friction_borne(p, friction_strain(p, b->z[i], friction_along(&e[i], b->u)));
    for (int k = 0; k < e[i].terms; k++) b->f[e[i].term[k].u] -= e[i].term[k].coefficient * borne;
  }
}

#endif
