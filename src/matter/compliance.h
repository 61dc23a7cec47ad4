/* The compliance Y = J M^-1 J^T of a body's M origin against all that it hangs on and carries, found outward: 6 x 6 in
 * four blocks, each by columns; Y maps forces to motion. Private to the room. */
#ifndef CARDAN_MATTER_COMPLIANCE_H
#define CARDAN_MATTER_COMPLIANCE_H

#include "matter/records.h"

typedef struct compliance {
  m3 ww, wv, vw, vv; /* wv: angular motion by force */
} compliance;

static inline sv compliance_mul(const compliance *Y, sv F) {
  return (sv){ m3_mul_add(Y->ww, F.w, m3_mul(Y->wv, F.v)), m3_mul_add(Y->vw, F.w, m3_mul(Y->vv, F.v)) };
}

/* Y + a b^T */
static inline m3 compliance_plus_outer(m3 A, v3 a, v3 b) { return m3_minus_outer(A, v3_neg(a), b); }
static inline void compliance_add_outer(compliance *Y, sv a, sv b) {
  Y->ww = compliance_plus_outer(Y->ww, a.w, b.w), Y->wv = compliance_plus_outer(Y->wv, a.w, b.v);
  Y->vw = compliance_plus_outer(Y->vw, a.v, b.w), Y->vv = compliance_plus_outer(Y->vv, a.v, b.v);
}

/* phi^T Y phi: at a point further out by r. Columns first (a force there, taken to here), then rows. */
static inline compliance compliance_shift(const compliance *Y, v3 r) {
  static const real e[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  compliance out;
  m3 *w[2] = { &out.ww, &out.wv }, *v[2] = { &out.vw, &out.vv };
  for (int half = 0; half < 2; half++) {
    v3 angular[3], linear[3];
    for (int k = 0; k < 3; k++) {
      v3 unit = v3_load(e[k]);
      sv F = half == 0 ? (sv){ unit, v3_zero() } : (sv){ v3_zero(), unit };
      sv V = sv_shift_motion(compliance_mul(Y, sv_shift_force(F, r)), r);
      angular[k] = V.w, linear[k] = V.v;
    }
    *w[half] = (m3){ angular[0], angular[1], angular[2] };
    *v[half] = (m3){ linear[0], linear[1], linear[2] };
  }
  return out;
}

/* Across a mobilizer, from the inboard side: (1 - H G^T) Y (1 - H G^T)^T + H D^-1 H^T. */
static inline compliance compliance_cross(const compliance *Y, const mobility_factor *own, int nu) {
  compliance out = *Y;
  sv YG[MOST_MOBILITIES];
  for (int k = 0; k < nu; k++) {
    YG[k] = compliance_mul(Y, own[k].g);
    compliance_add_outer(&out, sv_neg(own[k].h), YG[k]);
    compliance_add_outer(&out, YG[k], sv_neg(own[k].h));
  }
  for (int k = 0; k < nu; k++)
    for (int l = 0; l < nu; l++) {
      real s = own[k].D_inv[l] + sv_dot(own[k].g, YG[l]);
      compliance_add_outer(&out, (sv){ v3_scale(s, own[k].h.w), v3_scale(s, own[k].h.v) }, own[l].h);
    }
  return out;
}

#endif
