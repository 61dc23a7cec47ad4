/* log det M and its gradient along the mobilities (the force of Fixman's potential).
 *
 * M factors into (1 + H phi K) D (1 + H phi K)^T with a unit triangular factor, so log det M is the sum of log det D.
 * Its gradient is trace(M^-1 dM), for which the inverse is not needed: with the compliance of body i against all that
 * it hangs on and carries,
 *
 *   Y_i = J_i M^-1 J_i^T,   found outward:   Y_i = T Y_P T^T + H D^-1 H^T,   T = (1 - H G^T) phi^T,
 *
 * a change dP of the articulated inertia P_i changes log det M by trace(Y_i dP). Motion along u_j of mobilizer i
 * carries everything outboard along, as one rigid piece that moves by the twist h_j: dP = -(X^T P + P X) with X = (h_j
 * x), the spatial cross product. That gives -2 trace(Y_i P_i X), which is linear in h_j: a spatial force. The
 * mobilizer's own columns H move differently; a change dH of theirs, seen from a point at rest, gives 2 trace(K^T dH)
 * with K = G - P+ Y_P' G, where Y_P' = phi^T Y_P phi and P+ = P - P H D^-1 H^T P. O(n). */
#include "matter/log_det.h"

#include "matter/compliance.h"
#include "matter/hinge_gradient.h"
#include "matter/operators_factor.h"

/* The vector t with trace(A [a]x) = a . t. */
static v3 cross_trace(m3 A) { return (v3){ A.z.y - A.y.z, A.x.z - A.z.x, A.y.x - A.x.y }; }

/* -2 trace(Y P X) as a force on the twist that X belongs to. */
static sv carry_force(const compliance *Y, articulated_inertia P) {
  /* Blocks of Z = Y P with P = [J F; F^T M], by columns. */
  m3 J = { { P.J.xx, P.J.xy, P.J.xz }, { P.J.xy, P.J.yy, P.J.yz }, { P.J.xz, P.J.yz, P.J.zz } };
  m3 M = { { P.M.xx, P.M.xy, P.M.xz }, { P.M.xy, P.M.yy, P.M.yz }, { P.M.xz, P.M.yz, P.M.zz } };
  m3 F = P.F, F_T = { { F.x.x, F.y.x, F.z.x }, { F.x.y, F.y.y, F.z.y }, { F.x.z, F.y.z, F.z.z } };
  m3 ww[2] = { m3_mul_m3(Y->ww, J), m3_mul_m3(Y->wv, F_T) }, wv[2] = { m3_mul_m3(Y->ww, F), m3_mul_m3(Y->wv, M) };
  m3 vv[2] = { m3_mul_m3(Y->vw, F), m3_mul_m3(Y->vv, M) };
  v3 turn = v3_add(v3_add(cross_trace(ww[0]), cross_trace(ww[1])), v3_add(cross_trace(vv[0]), cross_trace(vv[1])));
  v3 shift = v3_add(cross_trace(wv[0]), cross_trace(wv[1]));
  return (sv){ v3_scale(-2, turn), v3_scale(-2, shift) };
}

/* dH[j][k]: the change of column k of body i's H along its u_j, seen from a point at rest. */
static cdn_status own_changes(const matter *m, cdn_state *state, const tree_data *d, int i, const sv *h, sv dH[6][6]) {
  const int nu = m->tree.node[i].nu;
  bool moves = false;
  CDNI_TRY(cdni_hinge_gradient(m, state, d, i, &moves, dH));
  for (int j = 0; j < nu; j++)
    for (int k = 0; k < nu; k++) {
      if (!moves) dH[j][k] = sv_zero();
      dH[j][k].v = v3_cross_add(h[j].v, h[k].w, dH[j][k].v); /* a column that turns, as M's origin moves on */
    }
  return CDN_OK;
}

/* The part of the columns' own motion: 2 sum over k of K_k . dH_k, with dH_k along u_j. */
static cdn_status add_own_columns(const matter *m, cdn_state *state, const tree_data *d, int i,
                                  const mobility_factor *own, const compliance *Y, double *g) {
  const tree_node *n = &m->tree.node[i];
  const articulated_inertia P = d->articulated[i].P;
  sv dH[6][6], h[6];
  for (int k = 0; k < n->nu; k++) h[k] = own[k].h;
  CDNI_TRY(own_changes(m, state, d, i, h, dH));
  for (int k = 0; k < n->nu; k++) {
    /* P+ = P - sum of G_l (P H)_l^T; (P H)^T a = H^T P a. */
    sv a = compliance_mul(Y, own[k].g), Pa = articulated_mul(P, a), K = sv_sub(own[k].g, Pa);
    for (int l = 0; l < n->nu; l++) K = sv_fma(sv_dot(own[l].h, Pa), own[l].g, K);
    for (int j = 0; j < n->nu; j++) g[n->u + j] += 2 * sv_dot(K, dH[j][k]);
  }
  return CDN_OK;
}

cdn_status cdni_log_det_M(cdn_state *state, const char *function, bool whole, double *log_det, double *g) {
  const matter *m = cdni_matter(cdn_state_system(state));
  tree_data d;
  mobility_factor *factors = NULL;
  double sum = 0;
  const size_t n = m && g ? (size_t)m->tree.n : 0;
  CDNI_TRY(cdni_operator_factor(state, function, whole, &m, &d, n * sizeof(compliance), &factors, &sum));
  if (log_det) *log_det = sum;
  compliance *Y = (compliance *)(factors + m->tree.nu);
  m3 o = { v3_zero(), v3_zero(), v3_zero() };
  if (g) Y[0] = (compliance){ o, o, o, o };
  cdn_status status = CDN_OK;
  for (int i = 1; g && status == CDN_OK && i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    const mobility_factor *own = factors + node->u;
    compliance at_M = compliance_shift(&Y[node->parent], d.pose[i].r);
    Y[i] = compliance_cross(&at_M, own, node->nu);
    sv F = carry_force(&Y[i], d.articulated[i].P);
    for (int k = 0; k < node->nu; k++) g[node->u + k] = sv_dot(F, own[k].h);
    status = add_own_columns(m, state, &d, i, own, &at_M, g);
  }
  cdn_work_pop(state, factors);
  return status;
}

cdn_status cdn_calc_log_det_M(cdn_state *state, double *log_det) {
  CDNI_NEED(state, log_det);
  return cdni_log_det_M(state, __func__, true, log_det, NULL);
}

cdn_status cdn_calc_log_det_M_gradient(cdn_state *state, double *g) {
  CDNI_NEED_SOME(state, g, cdn_system_nu(cdn_state_system(state)));
  return cdni_log_det_M(state, __func__, true, NULL, g);
}

/* Along u_j of body i all that is outboard turns by h_j as one piece, and so do its motions by speeds outboard. What
 * does not turn along is the part by speeds of body i and inboard: -h_j x V_i, and the own columns change. */
cdn_status cdni_add_motion_gradient(const matter *m, cdn_state *state, const tree_data *d, int n, const double *y,
                                    const sv *V, const sv *X, double scale, double *g) {
  const size_t nb = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    sv dH[6][6], h[6];
    for (int k = 0; k < node->nu; k++) h[k] = cdni_hinge_column(node, d->H, k);
    CDNI_TRY(own_changes(m, state, d, i, h, dH));
    for (int e = 0; e < n; e++) {
      const sv V_i = V[(size_t)e * nb + (size_t)i], X_i = X[(size_t)e * nb + (size_t)i];
      const double *y_i = y + (size_t)e * nu + (size_t)node->u;
      for (int j = 0; j < node->nu; j++) {
        sv c = { v3_cross(V_i.w, h[j].w), v3_cross_add(V_i.w, h[j].v, v3_cross(V_i.v, h[j].w)) };
        for (int k = 0; k < node->nu; k++) c = sv_fma(y_i[k], dH[j][k], c);
        g[node->u + j] += scale * sv_dot(c, X_i);
      }
    }
  }
  return CDN_OK;
}
