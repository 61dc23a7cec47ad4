/* Slider: q moves M along the common x axis of F and M; u = qdot. H = x. */
#ifndef CARDAN_MOBILIZERS_SLIDER_H
#define CARDAN_MOBILIZERS_SLIDER_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void slider_position(const body_frames *c, const real *q, m3 R_GP, body_pose *pose, real *H) {
  m3 R_PF = m3_load(c->R_PF);
  pose->R_GM = m3_mul_m3(R_GP, R_PF);
  pose->r = m3_mul(R_GP, v3_fma(q[0], R_PF.x, v3_load(c->p_PF)));
  *(v3 *)H = pose->R_GM.x;
}

CDNI_INLINE void slider_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = R;
  *p = v3_scale(q[0], R.x);
  *(v3 *)H = R.x;
}

RATES_ARE_SPEEDS(slider, 1)
FIT_NO_ROTATION(slider)
CDNI_INLINE bool slider_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  (void)way, (void)kind;
  q[0] = p.x;
  return true;
}

#endif
