/* Screw: q turns M about the common z axis and moves it along by pitch q; u = qdot. H = (z, pitch z). */
/* kind[0]: the pitch, metres a radian. */
#ifndef CARDAN_MOBILIZERS_SCREW_H
#define CARDAN_MOBILIZERS_SCREW_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void screw_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real sine, cosine, pitch = c->kind[0];
  sv *h = (sv *)H;
  r_sincos(q[0], &sine, &cosine);
  *R_GM = m3_turn_z(R, sine, cosine);
  *p = v3_scale(pitch * q[0], R.z);
  h[0] = (sv){ R.z, v3_scale(pitch, R.z) };
}

RATES_ARE_SPEEDS(screw, 1)
FIT_TURNS_ABOUT_Z(screw)
/* p_FM decides the number of whole turns. */
CDNI_INLINE bool screw_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  const double angle = p.z / kind[0];
  if (!isfinite(angle)) return true;
  q[0] = way == FIT_HELD ? fit_turn(q[0], angle) : angle;
  return true;
}

#endif
