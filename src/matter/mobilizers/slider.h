/* Slider: q moves M along the common x axis of F and M; u = qdot. H = x. */
#ifndef CARDAN_MOBILIZERS_SLIDER_H
#define CARDAN_MOBILIZERS_SLIDER_H

#include "matter/mobilizers/common.h"

CDNI_INLINE columns slider_position(const body_frames *c, const real *q, columns R_GP, const body_pose *parent,
                                    body_pose *pose, real *H) {
  const m3 R_PF = m3_load(c->R_PF);
  const columns R = columns_mul_m3(R_GP, R_PF);
  column_store(H, R.x);
  return store_pose(R, columns_mul_v3(R_GP, v3_fma(q[0], R_PF.x, v3_load(c->p_PF))), parent, pose);
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
