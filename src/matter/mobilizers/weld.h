/* Weld: no motion; M coincides with F. */
#ifndef CARDAN_MOBILIZERS_WELD_H
#define CARDAN_MOBILIZERS_WELD_H

#include "matter/records.h"

CDNI_INLINE void weld_position(const body_frames *c, const real *q, m3 R_GP, body_pose *pose, real *H) {
  (void)q, (void)H;
  pose->R_GM = m3_mul_m3(R_GP, m3_load(c->R_PF));
  pose->r = m3_mul(R_GP, v3_load(c->p_PF));
}

CDNI_INLINE void weld_N(const real *q, const real *u, real *qdot) { (void)q, (void)u, (void)qdot; }
CDNI_INLINE void weld_N_inv(const real *q, const real *qdot, real *u) { (void)q, (void)qdot, (void)u; }
CDNI_INLINE double weld_normalize(double *q, double *scale) { return (void)q, (void)scale, 0.0; }

#endif
