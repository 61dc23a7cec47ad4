/* Pin: q turns M about the common z axis of F and M; u = qdot. H = z. */
#ifndef CARDAN_MOBILIZERS_PIN_H
#define CARDAN_MOBILIZERS_PIN_H

#include "matter/mobilizers/common.h"

/* From the sine and cosine of q: position passes of one lane compute those of eight pins at once. */
CDNI_INLINE columns pin_position(const body_frames *c, real sine, real cosine, columns R_GP, const body_pose *parent,
                                 body_pose *pose, real *H) {
  const column x = column_load(c->R_PF), y = column_load(c->R_PF + 3);
  const columns R = { columns_mul(R_GP, column_fma(sine, y, column_scale(cosine, x))),
                      columns_mul(R_GP, column_fma(-sine, x, column_scale(cosine, y))),
                      columns_mul_v3(R_GP, v3_load(c->R_PF + 6)) };
  column_store(H, R.z);
  return store_pose(R, columns_mul_v3(R_GP, v3_load(c->p_PF)), parent, pose);
}

CDNI_INLINE void pin_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real sine, cosine;
  (void)c;
  r_sincos(q[0], &sine, &cosine);
  *R_GM = m3_turn_z(R, sine, cosine);
  *p = v3_zero();
  *(v3 *)H = R.z;
}

RATES_ARE_SPEEDS(pin, 1)
FIT_TURNS_ABOUT_Z(pin)
FIT_NO_TRANSLATION(pin)

#endif
