/* Free: q = (quaternion of R_FM or Euler angles, p_FM), u = (angular, linear) velocity of M in F, expressed in F. H =
 * F's axes twice. */
#ifndef CARDAN_MOBILIZERS_FREE_H
#define CARDAN_MOBILIZERS_FREE_H

#include "matter/mobilizers/common.h"

CDNI_INLINE columns free_position(const body_frames *c, const real *q, columns R_GP, const body_pose *parent,
                                  body_pose *pose, real *H) {
  const columns R_GF = columns_mul_m3(R_GP, m3_load(c->R_PF));
  const column r = columns_mul_v3_add(R_GF, v3_load(q + 4), columns_mul_v3(R_GP, v3_load(c->p_PF)));
  columns_store(H, R_GF);
  return store_pose(columns_mul_m3(R_GF, quaternion_rotation(q)), r, parent, pose);
}
/* The same on Ground, whose axes are those of the result. */
CDNI_INLINE columns free_position_on_ground(const body_frames *c, const real *q, const body_pose *parent,
                                            body_pose *pose, real *H) {
  const columns R_GF = columns_load(c->R_PF);
  const column r = columns_mul_v3_add(R_GF, v3_load(q + 4), column_load(c->p_PF));
  columns_store(H, R_GF);
  return store_pose(columns_mul_m3(R_GF, quaternion_rotation(q)), r, parent, pose);
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
