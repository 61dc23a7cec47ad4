/* Free: q = (quaternion of R_FM or Euler angles, p_FM), u = (angular, linear) velocity of M in F, expressed in F. H =
 * F's axes twice. */
#ifndef CARDAN_MOBILIZERS_FREE_H
#define CARDAN_MOBILIZERS_FREE_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void free_position(const body_frames *c, const real *q, m3 R_GP, body_pose *pose, real *H) {
  m3 R_GF = m3_mul_m3(R_GP, m3_load(c->R_PF));
  v3 p_FM = { q[4], q[5], q[6] };
  pose->R_GM = m3_mul_m3(R_GF, quaternion_rotation(q));
  pose->r = m3_mul_add(R_GF, p_FM, m3_mul(R_GP, v3_load(c->p_PF)));
  *(m3 *)H = R_GF;
}
/* The same on Ground, whose axes are those of the result. */
CDNI_INLINE void free_position_on_ground(const body_frames *c, const real *q, body_pose *pose, real *H) {
  m3 R_GF = m3_load(c->R_PF);
  v3 p_FM = { q[4], q[5], q[6] };
  pose->R_GM = m3_mul_m3(R_GF, quaternion_rotation(q));
  pose->r = m3_mul_add(R_GF, p_FM, v3_load(c->p_PF));
  *(m3 *)H = R_GF;
}

CDNI_INLINE void free_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = m3_mul_m3(R, quaternion_rotation(q));
  *p = m3_mul(R, (v3){ q[4], q[5], q[6] });
  *(m3 *)H = R;
}

CDNI_INLINE void free_euler_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = euler_turn(R, q, NULL);
  *p = m3_mul(R, (v3){ q[3], q[4], q[5] });
  *(m3 *)H = R;
}

RATES_OF_ROTATION(free, 3)
FIT_ANY_ROTATION(free)
FIT_POINT(free, 4)
FIT_POINT(free_euler, 3)

#endif
