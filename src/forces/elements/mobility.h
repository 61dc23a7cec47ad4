/* On one mobility: spring f = -(k x + k2 x^2 + k3 x^3) with x = q - q0, damper f = -(c + c2 |u| + c3 u^2) u, constant
 * force; the damper on all of them; and on three lengths a spring f = -(k + k2 r + k3 r^2) x with r = |x|. */
#ifndef CARDAN_FORCES_MOBILITY_H
#define CARDAN_FORCES_MOBILITY_H

#include "forces/kernel.h"

/* Which mobility an element acts on: matter's slots. */
typedef struct force_mobility {
  int32_t q, u;
} force_mobility;

enum { MOBILITY_K, MOBILITY_Q0, MOBILITY_K2, MOBILITY_K3, MOBILITY_SPRING_PARAMS };
enum { DAMPER_C, DAMPER_C2, DAMPER_C3, DAMPER_PARAMS };
enum { POSITION_K, POSITION_P0, POSITION_K2 = 4, POSITION_K3, POSITION_SPRING_PARAMS };

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

/* x and r of a position spring. */
CDNI_INLINE v3 position_displacement(const real *q, const real *p, real *r) {
  const v3 x = v3_sub(v3_load(q), v3_load(p + POSITION_P0));
  *r = v3_norm(x);
  return x;
}
CDNI_INLINE real position_stiffness(const real *p, real r) {
  return p[POSITION_K] + r * (p[POSITION_K2] + r * p[POSITION_K3]);
}

CDNI_INLINE void lanes_position_spring(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + POSITION_SPRING_PARAMS * i;
    real r, *f = b->f + at[i].u;
    if (!lanes_on(b, i)) continue;
    const v3 x = position_displacement(b->q + at[i].q, p, &r);
    const real k = position_stiffness(p, r);
    f[0] -= k * x.x, f[1] -= k * x.y, f[2] -= k * x.z;
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
