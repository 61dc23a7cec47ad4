/* On one mobility: spring f = -(k x + k2 x^2 + k3 x^3) with x = q - q0, damper f = -(c + c2 |u| + c3 u^2) u, constant
 * force; and the damper on all of them. */
#ifndef CARDAN_FORCES_MOBILITY_H
#define CARDAN_FORCES_MOBILITY_H

#include "forces/kernel.h"

/* Which mobility an element acts on: matter's slots. */
typedef struct force_mobility {
  int32_t q, u;
} force_mobility;

enum { MOBILITY_K, MOBILITY_Q0, MOBILITY_K2, MOBILITY_K3, MOBILITY_SPRING_PARAMS };
enum { DAMPER_C, DAMPER_C2, DAMPER_C3, DAMPER_PARAMS };

CDNI_INLINE real damper_factor(const real *p, real u) {
  return p[DAMPER_C] + r_abs(u) * (p[DAMPER_C2] + r_abs(u) * p[DAMPER_C3]);
}

CDNI_INLINE void lanes_mobility_spring(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + MOBILITY_SPRING_PARAMS * i;
    const real x = b->q[at[i].q] - p[MOBILITY_Q0];
    if (lanes_on(b, i)) b->f[at[i].u] -= (p[MOBILITY_K] + x * (p[MOBILITY_K2] + x * p[MOBILITY_K3])) * x;
  }
}

CDNI_INLINE void lanes_mobility_damper(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++)
    if (lanes_on(b, i)) b->f[at[i].u] -= damper_factor(b->params + DAMPER_PARAMS * i, b->u[at[i].u]) * b->u[at[i].u];
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
