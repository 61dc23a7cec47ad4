/* On one mobility: f = (gain + gain_q q + gain_u u) c + bias[0] + bias[1] q + bias[2] u within limits; c is a control.
 * Parameters: gain, bias (3), lower, upper, gain_q, gain_u; input: c. */
#ifndef CARDAN_FORCES_ACTUATOR_H
#define CARDAN_FORCES_ACTUATOR_H

#include <cardan/controls.h>

#include "forces/elements/mobility.h"

enum {
  ACTUATOR_GAIN,
  ACTUATOR_BIAS,
  ACTUATOR_LOWER = 4,
  ACTUATOR_UPPER,
  ACTUATOR_GAIN_Q,
  ACTUATOR_GAIN_U,
  ACTUATOR_PARAMS
};

typedef struct actuator {
  force_mobility at; /* q -1: it reads none */
  cdn_control control;
  bool feeds_back; /* its control varies with the State */
  double gear;     /* for those who read length and force */
  int32_t q;       /* the coordinate of its length; -1: it has none */
} actuator;

/* Without the limits; q is 0 for an actuator that reads none. */
CDNI_INLINE real actuator_law(const real *p, real c, real q, real u) {
  const real by_q = p[ACTUATOR_GAIN_Q] * c + p[ACTUATOR_BIAS + 1];
  const real by_u = p[ACTUATOR_GAIN_U] * c + p[ACTUATOR_BIAS + 2];
  return p[ACTUATOR_GAIN] * c + p[ACTUATOR_BIAS] + by_q * q + by_u * u;
}

/* A NaN stays one. */
CDNI_INLINE real actuator_limited(const real *p, real f) {
  f = r_select(r_greater(p[ACTUATOR_LOWER], f), p[ACTUATOR_LOWER], f);
  return r_select(r_greater(f, p[ACTUATOR_UPPER]), p[ACTUATOR_UPPER], f);
}

CDNI_INLINE void lanes_actuator(const force_lanes *b) {
  const actuator *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + ACTUATOR_PARAMS * i;
    const real q = e[i].at.q >= 0 ? b->q[e[i].at.q] : r_set(0);
    b->f[e[i].at.u] += actuator_limited(p, actuator_law(p, b->inputs[i], q, b->u[e[i].at.u]));
  }
}

#endif
