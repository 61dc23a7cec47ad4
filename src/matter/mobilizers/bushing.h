/* Bushing: q = (angles as a gimbal's, p_FM in F); u = qdot. H = (the gimbal's axes, F's axes). */
#ifndef CARDAN_MOBILIZERS_BUSHING_H
#define CARDAN_MOBILIZERS_BUSHING_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void bushing_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  sv *h = (sv *)H;
  v3 axes[3];
  (void)c;
  *R_GM = euler_turn(R, q, axes);
  *p = m3_mul(R, (v3){ q[3], q[4], q[5] });
  for (int k = 0; k < 3; k++) h[k] = (sv){ axes[k], v3_zero() };
  h[3] = (sv){ v3_zero(), R.x };
  h[4] = (sv){ v3_zero(), R.y };
  h[5] = (sv){ v3_zero(), R.z };
}

CDNI_INLINE sv bushing_bias(const body_frames *c, const real *q, const real *u, const real *H, v3 z) {
  const sv *h = (const sv *)H;
  (void)c, (void)q, (void)z;
  return (sv){ euler_bias(u, h[0].w, h[1].w, h[2].w), v3_zero() };
}

RATES_ARE_SPEEDS(bushing, 6)
CDNI_INLINE void bushing_fit_R(cdn_quaternion wanted, double *q, const double *kind) {
  (void)kind;
  fit_angles(wanted, q);
}
FIT_POINT(bushing, 3)

#endif
