/* Planar: q = (angle about z, x and y of M's origin in F); u = qdot. H = ((z, 0), (0, x), (0, y)). */
#ifndef CARDAN_MOBILIZERS_PLANAR_H
#define CARDAN_MOBILIZERS_PLANAR_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void planar_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real sine, cosine;
  sv *h = (sv *)H;
  (void)c;
  r_sincos(q[0], &sine, &cosine);
  *R_GM = m3_turn_z(R, sine, cosine);
  *p = v3_fma(q[2], R.y, v3_scale(q[1], R.x));
  h[0] = (sv){ R.z, v3_zero() };
  h[1] = (sv){ v3_zero(), R.x };
  h[2] = (sv){ v3_zero(), R.y };
}

RATES_ARE_SPEEDS(planar, 3)
FIT_TURNS_ABOUT_Z(planar)
CDNI_INLINE bool planar_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  (void)way, (void)kind;
  q[1] = p.x, q[2] = p.y;
  return true;
}

#endif
