/* Cylinder: q turns M about, and moves it along, the common z axis of F and M; u = qdot. H = ((z, 0), (0, z)). */
#ifndef CARDAN_MOBILIZERS_CYLINDER_H
#define CARDAN_MOBILIZERS_CYLINDER_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void cylinder_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real sine, cosine;
  sv *h = (sv *)H;
  (void)c;
  r_sincos(q[0], &sine, &cosine);
  *R_GM = m3_turn_z(R, sine, cosine);
  *p = v3_scale(q[1], R.z);
  h[0] = (sv){ R.z, v3_zero() };
  h[1] = (sv){ v3_zero(), R.z };
}

RATES_ARE_SPEEDS(cylinder, 2)
FIT_TURNS_ABOUT_Z(cylinder)
CDNI_INLINE bool cylinder_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  (void)way, (void)kind;
  q[1] = p.z;
  return true;
}

#endif
