/* Reversed mobilizers (5.1): q and u describe the motion of F in M by a kind's functions; these functions reverse
 * the result. */
#ifndef CARDAN_MOBILIZERS_REVERSE_H
#define CARDAN_MOBILIZERS_REVERSE_H

#include "matter/hinge.h"

/* The form of H after reversal: pure rotations and pure translations stay so. */
#define REVERSED_FORM(form) ((form) == HINGE_FREE ? HINGE_FULL : (form))

/* From X_MF and H_MF in M's axes: the pose, and H_FM in Ground's (5.18, 5.19). */
CDNI_INLINE void reverse_position(const body_frames *c, m3 R_GP, m3 R_MF, v3 p_MF, hinge_form form, int nu,
                                  const real *H_MF, body_pose *pose, real *H) {
  m3 R_GF = m3_mul_m3(R_GP, m3_load(c->R_PF)), R_GM = m3_mul_m3(R_GF, m3_transpose(R_MF));
  v3 p = v3_neg(m3_mul(R_GM, p_MF)); /* p_FM */
  pose->R_GM = R_GM;
  pose->r = m3_mul_add(R_GP, v3_load(c->p_PF), p);
  for (int k = 0; k < nu; k++) {
    if (form == HINGE_ANGULAR || form == HINGE_LINEAR) {
      ((v3 *)H)[k] = v3_neg(m3_mul(R_GM, ((const v3 *)H_MF)[k]));
      continue;
    }
    sv h = hinge_column(form, H_MF, k);
    v3 w = v3_neg(m3_mul(R_GM, h.w));
    ((sv *)H)[k] = (sv){ w, v3_neg(v3_cross_add(p, w, m3_mul(R_GM, h.v))) };
  }
}

/* H_MF in Ground's axes again, from H_FM; p is p_FM. */
CDNI_INLINE void reverse_H(hinge_form form, int nu, const real *H, v3 p, real *H_MF) {
  for (int k = 0; k < nu; k++) {
    if (form == HINGE_ANGULAR || form == HINGE_LINEAR) {
      ((v3 *)H_MF)[k] = v3_neg(((const v3 *)H)[k]);
      continue;
    }
    sv h = ((const sv *)H)[k];
    ((sv *)H_MF)[k] = (sv){ v3_neg(h.w), v3_neg(v3_cross_add(p, h.w, h.v)) };
  }
}

/* Hdot_FM u (5.20, 5.22) from Hdot_MF u, V_FM and p_FM, all in the same axes; w is H_w u. */
CDNI_INLINE sv reverse_bias(sv b_MF, sv V, v3 p) {
  v3 a = v3_neg(b_MF.w), v = v3_fma(r_set(2), V.v, v3_neg(v3_cross(V.w, p)));
  return (sv){ a, v3_sub(v3_cross_add(V.w, v, v3_neg(b_MF.v)), v3_cross(p, a)) };
}

#endif
