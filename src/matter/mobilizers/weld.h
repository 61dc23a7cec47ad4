/* Weld: no motion; M coincides with F. */
#ifndef CARDAN_MOBILIZERS_WELD_H
#define CARDAN_MOBILIZERS_WELD_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void weld_position(const body_frames *c, const real *q, m3 R_GP, body_pose *pose, real *H) {
  (void)q, (void)H;
  pose->R_GM = m3_mul_m3(R_GP, m3_load(c->R_PF));
  pose->r = m3_mul(R_GP, v3_load(c->p_PF));
}

CDNI_INLINE void weld_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c, (void)q, (void)H;
  *R_GM = R, *p = v3_zero();
}

RATES_ARE_SPEEDS(weld, 0)
FIT_NO_ROTATION(weld)
FIT_NO_TRANSLATION(weld)

#endif
