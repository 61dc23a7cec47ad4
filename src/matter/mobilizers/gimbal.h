/* Gimbal: q = angles about x, the turned y, the twice turned z; u = qdot. H = these axes. Singular at q1 = +-pi/2. */
#ifndef CARDAN_MOBILIZERS_GIMBAL_H
#define CARDAN_MOBILIZERS_GIMBAL_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void gimbal_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = euler_turn(R, q, (v3 *)H);
  *p = v3_zero();
}

CDNI_INLINE sv gimbal_bias(const body_frames *c, const real *q, const real *u, const real *H, v3 z) {
  const v3 *h = (const v3 *)H;
  (void)c, (void)q, (void)z;
  return (sv){ euler_bias(u, h[0], h[1], h[2]), v3_zero() };
}

RATES_ARE_SPEEDS(gimbal, 3)
CDNI_INLINE void gimbal_fit_R(cdn_quaternion wanted, double *q, const double *kind) {
  (void)kind;
  fit_angles(wanted, q);
}
FIT_NO_TRANSLATION(gimbal)

#endif
