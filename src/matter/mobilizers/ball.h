/* Ball: q is the quaternion of R_FM, or Euler angles; u the angular velocity of M in F, expressed in F. H = F's
 * axes. */
#ifndef CARDAN_MOBILIZERS_BALL_H
#define CARDAN_MOBILIZERS_BALL_H

#include "matter/mobilizers/common.h"

CDNI_INLINE columns ball_position(const body_frames *c, const real *q, columns R_GP, const body_pose *parent,
                                  body_pose *pose, real *H) {
  const columns R_GF = columns_mul_m3(R_GP, m3_load(c->R_PF));
  columns_store(H, R_GF);
  return store_pose(columns_mul_m3(R_GF, quaternion_rotation(q)), columns_mul_v3(R_GP, v3_load(c->p_PF)), parent, pose);
}

CDNI_INLINE void ball_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = m3_mul_m3(R, quaternion_rotation(q));
  *p = v3_zero();
  *(m3 *)H = R;
}

CDNI_INLINE void ball_euler_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = euler_turn(R, q, NULL);
  *p = v3_zero();
  *(m3 *)H = R;
}

RATES_OF_ROTATION(ball, 0)
FIT_ANY_ROTATION(ball)
FIT_NO_TRANSLATION(ball)
FIT_NO_TRANSLATION(ball_euler)

#endif
