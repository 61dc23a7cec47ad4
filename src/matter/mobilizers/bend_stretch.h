/* Bend-stretch: q0 turns M about F's z, q1 moves it along its own x, polar coordinates; u = qdot.
 * H = ((z, z x p), (0, x of M)). */
#ifndef CARDAN_MOBILIZERS_BEND_STRETCH_H
#define CARDAN_MOBILIZERS_BEND_STRETCH_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void bend_stretch_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real sine, cosine;
  sv *h = (sv *)H;
  (void)c;
  r_sincos(q[0], &sine, &cosine);
  *R_GM = m3_turn_z(R, sine, cosine);
  *p = v3_scale(q[1], R_GM->x);
  h[0] = (sv){ R.z, v3_scale(q[1], R_GM->y) };
  h[1] = (sv){ v3_zero(), R_GM->x };
}

/* Centripetal and Coriolis: w x (w x p + 2 u1 x). */
CDNI_INLINE sv bend_stretch_bias(const body_frames *c, const real *q, const real *u, const real *H, v3 z) {
  const sv *h = (const sv *)H;
  (void)c, (void)q, (void)z;
  v3 v = v3_fma(2.0 * u[1], h[1].v, v3_scale(u[0], h[0].v));
  return (sv){ v3_zero(), v3_cross(v3_scale(u[0], h[0].w), v) };
}

RATES_ARE_SPEEDS(bend_stretch, 2)
FIT_TURNS_ABOUT_Z(bend_stretch)
/* The length keeps its sign. */
CDNI_INLINE bool bend_stretch_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  (void)kind;
  const double sign = q[1] < 0 ? -1 : 1, length = hypot(p.x, p.y);
  if (way != FIT_FREELY) q[1] = p.x * cos(q[0]) + p.y * sin(q[0]);
  else if (length > 0) q[0] = fit_turn(atan2(sign * p.y, sign * p.x), q[0]), q[1] = sign * length;
  else q[1] = 0;
  return true;
}

#endif
