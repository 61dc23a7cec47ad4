/* The compliance Y = J M^-1 J^T of a body's M origin against all that it hangs on and carries, found outward: it maps
 * forces to motion and is symmetric. Private to the room. */
#ifndef CARDAN_MATTER_COMPLIANCE_H
#define CARDAN_MATTER_COMPLIANCE_H

#include "matter/records.h"

typedef struct compliance {
  s3 ww;
  m3 wv; /* angular motion by force */
  s3 vv;
} compliance;

static inline sv compliance_mul(const compliance *Y, sv F) {
  return (sv){ m3_mul_add(Y->wv, F.v, s3_mul(Y->ww, F.w)), s3_mul_add(Y->vv, F.v, m3_tmul(Y->wv, F.w)) };
}

/* phi^T Y phi: at a point further out by r, where v' = v + w x r. With a_k = r x e_k that makes wv' = wv + ww a_k in
 * column k, and vv'_jk = vv_jk + wv_j . a_k + wv'_k . a_j. */
static inline compliance compliance_shift(const compliance *Y, v3 r) {
  const v3 a[3] = { { 0, r.z, -r.y }, { -r.z, 0, r.x }, { r.y, -r.x, 0 } };
  const m3 wv = { s3_mul_add(Y->ww, a[0], Y->wv.x), s3_mul_add(Y->ww, a[1], Y->wv.y),
                  s3_mul_add(Y->ww, a[2], Y->wv.z) };
  const s3 vv = {
    Y->vv.xx + v3_dot(Y->wv.x, a[0]) + v3_dot(wv.x, a[0]), Y->vv.yy + v3_dot(Y->wv.y, a[1]) + v3_dot(wv.y, a[1]),
    Y->vv.zz + v3_dot(Y->wv.z, a[2]) + v3_dot(wv.z, a[2]), Y->vv.xy + v3_dot(Y->wv.x, a[1]) + v3_dot(wv.y, a[0]),
    Y->vv.xz + v3_dot(Y->wv.x, a[2]) + v3_dot(wv.z, a[0]), Y->vv.yz + v3_dot(Y->wv.y, a[2]) + v3_dot(wv.z, a[1]),
  };
  return (compliance){ Y->ww, wv, vv };
}

/* S - a b^T - b a^T */
static inline s3 compliance_minus_both(s3 S, v3 a, v3 b) {
  return (s3){ S.xx - 2 * a.x * b.x,         S.yy - 2 * a.y * b.y,         S.zz - 2 * a.z * b.z,
               S.xy - a.x * b.y - a.y * b.x, S.xz - a.x * b.z - a.z * b.x, S.yz - a.y * b.z - a.z * b.y };
}

/* Across a mobilizer, from the inboard side: (1 - H G^T) Y (1 - H G^T)^T + H D^-1 H^T, which is Y - sum over k of
 * h_k b_k^T + b_k h_k^T with b_k = Y g_k - 1/2 sum over l of (D^-1 + G^T Y G)_kl h_l. `turns`: H has no linear part. */
static inline compliance compliance_cross(const compliance *Y, const mobility_factor *own, int nu, bool turns) {
  compliance out = *Y;
  sv YG[MOST_MOBILITIES];
  for (int k = 0; k < nu; k++) YG[k] = compliance_mul(Y, own[k].g);
  for (int k = 0; k < nu; k++) {
    sv b = YG[k];
    for (int l = 0; l < nu; l++) b = sv_fma(-0.5 * (own[k].D_inv[l] + sv_dot(own[k].g, YG[l])), own[l].h, b);
    const v3 w = own[k].h.w, v = own[k].h.v;
    out.ww = compliance_minus_both(out.ww, w, b.w);
    out.wv = m3_minus_outer(out.wv, w, b.v);
    if (turns) continue;
    out.wv = m3_minus_outer(out.wv, b.w, v);
    out.vv = compliance_minus_both(out.vv, v, b.v);
  }
  return out;
}

#endif
