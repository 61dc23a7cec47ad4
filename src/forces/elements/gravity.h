/* Uniform gravity: m g at every centre of mass. Parameters: g; own: for every body whether it is left out. */
#ifndef CARDAN_FORCES_GRAVITY_H
#define CARDAN_FORCES_GRAVITY_H

#include "forces/kernel.h"

CDNI_INLINE void lanes_gravity(const force_lanes *b) {
  if (!lanes_on(b, 0)) return;
  const v3 g = v3_load(b->params);
  for (int i = 1; i < b->nb; i++) {
    sv *F = &b->F[i];
    const rigid_inertia *B = &b->inertia[i];
    if (b->own[i] == 0) *F = (sv){ v3_cross_add(B->mc, g, F->w), v3_fma(B->m, g, F->v) };
  }
}

#endif
