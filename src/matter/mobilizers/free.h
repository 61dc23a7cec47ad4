/* Free: q = (quaternion of R_FM, p_FM), u = (angular, linear) velocity of M in F, expressed in F. H = F's axes twice. */
#ifndef CARDAN_MOBILIZERS_FREE_H
#define CARDAN_MOBILIZERS_FREE_H

#include "matter/mobilizers/ball.h"

CDNI_INLINE void free_position(const body_frames *c, const real *q, m3 R_GP, body_pose *pose, real *H) {
  m3 R_GF = m3_mul_m3(R_GP, m3_load(c->R_PF));
  v3 p_FM = { q[4], q[5], q[6] };
  pose->R_GM = m3_mul_m3(R_GF, quaternion_rotation(q));
  pose->r = m3_mul_add(R_GF, p_FM, m3_mul(R_GP, v3_load(c->p_PF)));
  *(m3 *)H = R_GF;
}

CDNI_INLINE void free_N(const real *q, const real *u, real *qdot) {
  quaternion_N(q, u, qdot);
  for (int i = 0; i < 3; i++) qdot[4 + i] = u[3 + i];
}
CDNI_INLINE void free_N_inv(const real *q, const real *qdot, real *u) {
  quaternion_N_inv(q, qdot, u);
  for (int i = 0; i < 3; i++) u[3 + i] = qdot[4 + i];
}
CDNI_INLINE double free_normalize(double *q, double *scale) { return quaternion_normalize(q, scale); }

#endif
