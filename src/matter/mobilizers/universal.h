/* Universal: q turns M about F's x, then about the turned y; u = qdot. H = (x of F, y of M). */
#ifndef CARDAN_MOBILIZERS_UNIVERSAL_H
#define CARDAN_MOBILIZERS_UNIVERSAL_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void universal_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real s0, c0, s1, c1;
  v3 *h = (v3 *)H;
  (void)c;
  r_sincos(q[0], &s0, &c0);
  r_sincos(q[1], &s1, &c1);
  *R_GM = m3_turn_y(m3_turn_x(R, s0, c0), s1, c1);
  *p = v3_zero();
  h[0] = R.x, h[1] = R_GM->y;
}

/* The second axis turns about the first. */
CDNI_INLINE sv universal_bias(const body_frames *c, const real *q, const real *u, const real *H, v3 z) {
  const v3 *h = (const v3 *)H;
  (void)c, (void)q, (void)z;
  return (sv){ v3_scale(u[0] * u[1], v3_cross(h[0], h[1])), v3_zero() };
}

RATES_ARE_SPEEDS(universal, 2)
CDNI_INLINE void universal_fit_R(cdn_quaternion wanted, double *q, const double *kind) {
  (void)kind;
  fit_two_turns(wanted.w, wanted.x, wanted.y, wanted.z, &q[0], &q[1]);
}
FIT_NO_TRANSLATION(universal)

#endif
