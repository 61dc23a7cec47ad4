/* A constant force at a station of a body and a constant moment, both in Ground's axes. Parameters: f_G, m_G. */
#ifndef CARDAN_FORCES_BODY_FORCE_H
#define CARDAN_FORCES_BODY_FORCE_H

#include <cardan/math.h>

#include "forces/kernel.h"

typedef struct body_force {
  int32_t body;
  cdn_vec3 p_B;
} body_force;

CDNI_INLINE v3 body_force_lever(const real *frames, const body_pose *pose, const body_force *e) {
  return lanes_station(frames, pose, e->body, (v3){ r_set(e->p_B.x), r_set(e->p_B.y), r_set(e->p_B.z) });
}

CDNI_INLINE void lanes_body_force(const force_lanes *b) {
  const body_force *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i) || e[i].body == 0) continue;
    const real *p = b->params + 6 * i;
    lanes_push(b, e[i].body, body_force_lever(b->frames, b->pose, &e[i]), v3_load(p));
    lanes_turn(b, e[i].body, v3_load(p + 3));
  }
}

#endif
