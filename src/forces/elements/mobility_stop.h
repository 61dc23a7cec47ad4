/* A compliant stop on one coordinate (Hunt and Crossley 1975): f = -k x max(0, 1 + d xdot), x the penetration.
 * Summed in two parts: -k x has the potential k x^2 / 2, and -k x max(-1, d xdot) has none.
 * Parameters: lower, upper, k, d; a bound that is not there is the largest number. */
#ifndef CARDAN_FORCES_MOBILITY_STOP_H
#define CARDAN_FORCES_MOBILITY_STOP_H

#include "forces/elements/mobility.h"

/* How far q is beyond a bound (0: it is not), and which way is deeper. */
CDNI_INLINE real mobility_penetration(const real *p, real q, real *outward) {
  rmask above = r_greater(q, p[1]), below = r_greater(p[0], q);
  *outward = r_select(above, r_set(1), r_set(-1));
  return r_select(above, q - p[1], r_select(below, p[0] - q, r_set(0)));
}

CDNI_INLINE void lanes_mobility_stop_elastic(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + 4 * i;
    real outward, x = mobility_penetration(p, b->q[at[i].q], &outward);
    b->f[at[i].u] -= outward * p[2] * x;
  }
}

CDNI_INLINE void lanes_mobility_stop_dissipative(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + 4 * i;
    real outward, x = mobility_penetration(p, b->q[at[i].q], &outward);
    /* At -1 the two parts cancel: a stop that is left fast lets go. */
    b->f[at[i].u] -= outward * p[2] * x * r_max(p[3] * outward * b->u[at[i].u], r_set(-1));
  }
}

#endif
