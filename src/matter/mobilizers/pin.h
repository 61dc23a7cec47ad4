/* Pin: q turns M about the common z axis of F and M; u = qdot. H = z. */
#ifndef CARDAN_MOBILIZERS_PIN_H
#define CARDAN_MOBILIZERS_PIN_H

#include "matter/mobilizers/common.h"

/* From the sine and cosine of q: position passes of one lane compute those of eight pins at once. */
CDNI_INLINE void pin_position(const body_frames *c, real sine, real cosine, m3 R_GP, body_pose *pose, real *H) {
  pose->R_GM = m3_mul_m3(R_GP, m3_turn_z(m3_load(c->R_PF), sine, cosine));
  pose->r = m3_mul(R_GP, v3_load(c->p_PF));
  *(v3 *)H = pose->R_GM.z;
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
