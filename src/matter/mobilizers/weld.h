/* Weld: no motion; M coincides with F. */
#ifndef CARDAN_MOBILIZERS_WELD_H
#define CARDAN_MOBILIZERS_WELD_H

#include "matter/mobilizers/common.h"

CDNI_INLINE columns weld_position(const body_frames *c, const real *q, columns R_GP, const body_pose *parent,
                                  body_pose *pose, real *H) {
  (void)q, (void)H;
  return store_pose(columns_mul_m3(R_GP, m3_load(c->R_PF)), columns_mul_v3(R_GP, v3_load(c->p_PF)), parent, pose);
}

CDNI_INLINE void weld_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c, (void)q, (void)H;
  *R_GM = R, *p = v3_zero();
}

RATES_ARE_SPEEDS(weld, 0)
FIT_NO_ROTATION(weld)
FIT_NO_TRANSLATION(weld)

#endif
