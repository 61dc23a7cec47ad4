/* Pin: q turns M about the common z axis of F and M; u = qdot. H = z. */
#ifndef CARDAN_MOBILIZERS_PIN_H
#define CARDAN_MOBILIZERS_PIN_H

#include "matter/records.h"

CDNI_INLINE void pin_position(const body_frames *c, const real *q, m3 R_GP, body_pose *pose, real *H) {
  real sine, cosine;
  r_sincos(q[0], &sine, &cosine);
  pose->R_GM = m3_mul_m3(R_GP, m3_turn_z(m3_load(c->R_PF), sine, cosine));
  pose->r = m3_mul(R_GP, v3_load(c->p_PF));
  *(v3 *)H = pose->R_GM.z;
}

CDNI_INLINE void pin_N(const real *q, const real *u, real *qdot) { (void)q, qdot[0] = u[0]; }
CDNI_INLINE void pin_N_inv(const real *q, const real *qdot, real *u) { (void)q, u[0] = qdot[0]; }
CDNI_INLINE double pin_normalize(double *q, double *scale) { return (void)q, (void)scale, 0.0; }

#endif
