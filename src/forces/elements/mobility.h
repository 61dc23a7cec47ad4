/* On one mobility: spring f = -k (q - q0), damper f = -c u, constant force; and the damper on all of them. */
#ifndef CARDAN_FORCES_MOBILITY_H
#define CARDAN_FORCES_MOBILITY_H

#include "forces/kernel.h"

/* Which mobility an element acts on: matter's slots. */
typedef struct force_mobility {
  int32_t q, u;
} force_mobility;

CDNI_INLINE void lanes_mobility_spring(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + 2 * i;
    if (lanes_on(b, i)) b->f[at[i].u] -= p[0] * (b->q[at[i].q] - p[1]);
  }
}

CDNI_INLINE void lanes_mobility_damper(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++)
    if (lanes_on(b, i)) b->f[at[i].u] -= b->params[i] * b->u[at[i].u];
}

CDNI_INLINE void lanes_mobility_force(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++)
    if (lanes_on(b, i)) b->f[at[i].u] += b->params[i];
}

CDNI_INLINE void lanes_global_damper(const force_lanes *b) {
  real c = r_set(0);
  for (int i = 0; i < b->n; i++)
    if (lanes_on(b, i)) c += b->params[i];
  for (int k = 0; k < b->nu; k++) b->f[k] -= c * b->u[k];
}

#endif
