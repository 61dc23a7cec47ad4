/* The hinge matrix H and the joint-space inertia D of one mobilizer, in all their forms. The number of mobilities
 * and the form are constants wherever these functions are inlined. */
#ifndef CARDAN_MATTER_HINGE_H
#define CARDAN_MATTER_HINGE_H

#include "matter/records.h"

/* Calls BODY(nu, form), which the user of this macro defines, for the shape of a node's H. */
#define HINGE_CASE(SHAPE, NU, FORM) \
  case SHAPE_##SHAPE:               \
    BODY(NU, FORM);                 \
    break;
#define FOR_KIND(node) \
  switch ((node)->shape) { HINGE_LIST(HINGE_CASE) default : break; }

/* ---- H ---- */

/* Column k of H as a spatial vector. */
CDNI_INLINE sv hinge_column(hinge_form form, const real *H, int k) {
  if (form == HINGE_FULL) return ((const sv *)H)[k];
  if (form == HINGE_ANGULAR) return (sv){ ((const v3 *)H)[k], v3_zero() };
  if (form == HINGE_LINEAR) return (sv){ v3_zero(), ((const v3 *)H)[k] };
  return k < 3 ? (sv){ ((const v3 *)H)[k], v3_zero() } : (sv){ v3_zero(), ((const v3 *)H)[k - 3] };
}

/* The half of a spatial vector on which H acts, for angular and linear forms. */
CDNI_INLINE v3 hinge_half(hinge_form form, sv a) { return form == HINGE_ANGULAR ? a.w : a.v; }

/* Column k of H times F. */
CDNI_INLINE real hinge_dot(hinge_form form, const real *H, int k, sv F) {
  if (form == HINGE_FULL) return sv_dot(((const sv *)H)[k], F);
  return v3_dot(((const v3 *)H)[k], hinge_half(form, F));
}

/* H u */
CDNI_INLINE sv hinge_mul(hinge_form form, int nu, const real *H, const real *u) {
  if (form == HINGE_NONE) return sv_zero();
  const v3 *h = (const v3 *)H;
  if (form == HINGE_FREE) {
    m3 R = *(const m3 *)H;
    return (sv){ m3_mul(R, (v3){ u[0], u[1], u[2] }), m3_mul(R, (v3){ u[3], u[4], u[5] }) };
  }
  if (form == HINGE_FULL) {
    const sv *f = (const sv *)H;
    sv all = { v3_scale(u[0], f[0].w), v3_scale(u[0], f[0].v) };
    for (int k = 1; k < nu; k++) all = sv_fma(u[k], f[k], all);
    return all;
  }
  v3 sum = v3_scale(u[0], h[0]);
  for (int k = 1; k < nu; k++) sum = v3_fma(u[k], h[k], sum);
  return form == HINGE_ANGULAR ? (sv){ sum, v3_zero() } : (sv){ v3_zero(), sum };
}

/* H^T F */
CDNI_INLINE void hinge_tmul(hinge_form form, int nu, const real *H, sv F, real *f) {
  if (form == HINGE_NONE) return;
  if (form == HINGE_FREE) {
    m3 R = *(const m3 *)H;
    v3 m = m3_tmul(R, F.w), v = m3_tmul(R, F.v);
    f[0] = m.x, f[1] = m.y, f[2] = m.z, f[3] = v.x, f[4] = v.y, f[5] = v.z;
    return;
  }
  for (int k = 0; k < nu; k++) f[k] = hinge_dot(form, H, k, F);
}

/* Whether Hdot u can be non-zero: not for free joints and single axes (the full form stands for any kind). */
CDNI_INLINE bool hinge_may_bias(hinge_form form, int nu) {
  return form == HINGE_FULL || (form == HINGE_ANGULAR && nu > 1);
}

/* ---- D ---- */

/* The stored form of D:
 *   one mobility: 1 / D;  three rotations or translations: D^-1 (s3);  free: (P + armature)^-1 in Ground's axes;
 *   otherwise the factors of D = L diag(d) L^T by rows, 1 / d_i in place of the unit diagonal: element (i, j) at i (i +
 *   1) / 2 + j. */
CDNI_INLINE bool hinge_D_is_factored(hinge_form form, int nu) { return nu == 2 || (form == HINGE_FULL && nu > 1); }

#define LDL_AT(i, j) ((i) * ((i) + 1) / 2 + (j))

/* Factors D in place, from its lower triangle. The mask is false if a pivot is not above its floor. */
CDNI_INLINE rmask ldl_factor(int nu, real *D, const real *floor) {
  rmask ok = r_greater(r_set(1), r_set(0));
  for (int j = 0; j < nu; j++) {
    real row[6]; /* L_jk d_k */
    real d = D[LDL_AT(j, j)];
    for (int k = 0; k < j; k++) {
      row[k] = D[LDL_AT(j, k)];
      for (int l = 0; l < k; l++) row[k] = r_fnma(row[l], D[LDL_AT(k, l)], row[k]);
    }
    for (int k = 0; k < j; k++) {
      real l = row[k] * D[LDL_AT(k, k)];
      d = r_fnma(l, row[k], d);
      D[LDL_AT(j, k)] = l;
    }
    ok &= r_greater(d, floor[j]);
    D[LDL_AT(j, j)] = 1.0 / d;
  }
  return ok;
}

/* x = D^-1 e */
CDNI_INLINE void ldl_solve(int nu, const real *L, const real *e, real *x) {
  for (int i = 0; i < nu; i++) {
    x[i] = e[i];
    for (int k = 0; k < i; k++) x[i] = r_fnma(L[LDL_AT(i, k)], x[k], x[i]);
  }
  for (int i = nu - 1; i >= 0; i--) {
    x[i] *= L[LDL_AT(i, i)];
    for (int k = i + 1; k < nu; k++) x[i] = r_fnma(L[LDL_AT(k, i)], x[k], x[i]);
  }
}

/* D^-1 e; not for the free form. `out` may be `e`. */
CDNI_INLINE void D_inv_mul(hinge_form form, int nu, const real *D_inv, const real *e, real *out) {
  if (nu == 1) out[0] = D_inv[0] * e[0];
  else if (hinge_D_is_factored(form, nu)) ldl_solve(nu, D_inv, e, out);
  else {
    v3 r = s3_mul(*(const s3 *)D_inv, (v3){ e[0], e[1], e[2] });
    out[0] = r.x, out[1] = r.y, out[2] = r.z;
  }
}

/* D^-1 of a free joint, (P + armature 1)^-1 in Ground's axes, through the Schur complement of the translational
 * block. */
CDNI_INLINE articulated_inertia free_inverse(articulated_inertia P, real armature, real *pivot_J, real *pivot_M) {
  P.J.xx += armature, P.J.yy += armature, P.J.zz += armature;
  P.M.xx += armature, P.M.yy += armature, P.M.zz += armature;
  s3 M_inv = s3_inverse(P.M, pivot_M);
  /* K = F M^-1 by columns; S = J - K F^T. */
  m3 K = { v3_fma(M_inv.xz, P.F.z, v3_fma(M_inv.xy, P.F.y, v3_scale(M_inv.xx, P.F.x))),
           v3_fma(M_inv.yz, P.F.z, v3_fma(M_inv.yy, P.F.y, v3_scale(M_inv.xy, P.F.x))),
           v3_fma(M_inv.zz, P.F.z, v3_fma(M_inv.yz, P.F.y, v3_scale(M_inv.xz, P.F.x))) };
  s3 S = s3_minus_outer(s3_minus_outer(s3_minus_outer(P.J, K.x, P.F.x), K.y, P.F.y), K.z, P.F.z);
  articulated_inertia inverse;
  inverse.J = s3_inverse(S, pivot_J);
  m3 L = { s3_mul(inverse.J, K.x), s3_mul(inverse.J, K.y), s3_mul(inverse.J, K.z) };
  inverse.F = (m3){ v3_neg(L.x), v3_neg(L.y), v3_neg(L.z) };
  inverse.M = (s3){ v3_dot_add(K.x, L.x, M_inv.xx), v3_dot_add(K.y, L.y, M_inv.yy), v3_dot_add(K.z, L.z, M_inv.zz),
                    v3_dot_add(K.x, L.y, M_inv.xy), v3_dot_add(K.x, L.z, M_inv.xz), v3_dot_add(K.y, L.z, M_inv.yz) };
  return inverse;
}

#endif
