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

/* The vector t with trace(A B [a]x) = a . t, of A by columns and B by rows. */
static inline v3 cross_trace(m3 A, m3 B) {
  return v3_add(v3_cross(A.x, B.x), v3_add(v3_cross(A.y, B.y), v3_cross(A.z, B.z)));
}
static inline m3 whole(s3 S) { return (m3){ { S.xx, S.xy, S.xz }, { S.xy, S.yy, S.yz }, { S.xz, S.yz, S.zz } }; }
static inline m3 transposed(m3 A) {
  return (m3){ { A.x.x, A.y.x, A.z.x }, { A.x.y, A.y.y, A.z.y }, { A.x.z, A.y.z, A.z.z } };
}

/* -2 trace(Y P X) as a force on the twist that X belongs to, with P = [J F; F^T M]. `turns`: the moment is enough. */
static sv carry_force(const compliance *Y, const articulated_inertia *P, bool turns) {
  const m3 F_rows = transposed(P->F), M = whole(P->M), ww = whole(Y->ww);
  v3 turn = v3_add(cross_trace(ww, whole(P->J)), cross_trace(Y->wv, P->F));
  turn = v3_add(turn, v3_add(cross_trace(transposed(Y->wv), F_rows), cross_trace(whole(Y->vv), M)));
  const v3 shift = turns ? v3_zero() : v3_add(cross_trace(ww, F_rows), cross_trace(Y->wv, M));
  return (sv){ v3_scale(-2, turn), v3_scale(-2, shift) };
}

static hinge_form form_of(const tree_node *n) {
  static const hinge_form form[] = {
#define HINGE_FORM(SHAPE, NU, FORM) FORM,
    HINGE_LIST(HINGE_FORM)
#undef HINGE_FORM
  };
  return form[n->shape];
}

/* dH[j][k]: the change of column k of body i's H along its u_j, seen from a point at rest. *any = false: there is none,
 * and nothing was written. */
static cdn_status own_changes(const matter *m, cdn_state *state, const tree_data *d, int i, bool *any, sv dH[6][6]) {
  const tree_node *n = &m->tree.node[i];
  bool moves = false;
  sv h[6];
  CDNI_TRY(cdni_hinge_gradient(m, state, d, i, &moves, dH));
  *any = moves || form_of(n) > HINGE_LINEAR; /* which have both parts */
  for (int k = 0; *any && k < n->nu; k++) h[k] = cdni_hinge_column(n, d->H, k);
  for (int j = 0; *any && j < n->nu; j++)
    for (int k = 0; k < n->nu; k++) {
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
  sv dH[6][6];
  bool any;
  CDNI_TRY(own_changes(m, state, d, i, &any, dH));
  for (int k = 0; any && k < n->nu; k++) {
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
  if (g) memset(&Y[0], 0, sizeof Y[0]);
  cdn_status status = CDN_OK;
  for (int i = 1; g && status == CDN_OK && i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    const mobility_factor *own = factors + node->u;
    compliance at_M = compliance_shift(&Y[node->parent], d.pose[i].r);
    const bool turns = form_of(node) == HINGE_ANGULAR;
    Y[i] = compliance_cross(&at_M, own, node->nu, turns);
    const sv F = carry_force(&Y[i], &d.articulated[i].P, turns);
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
    sv dH[6][6], sum = sv_zero();
    bool any;
    CDNI_TRY(own_changes(m, state, d, i, &any, dH));
    for (int e = 0; e < n; e++) { /* -(h x V) . X = -h . (V x* X) */
      const sv V_i = V[(size_t)e * nb + (size_t)i], X_i = X[(size_t)e * nb + (size_t)i];
      const double *y_i = y + (size_t)e * nu + (size_t)node->u;
      sum.w = v3_cross_add(V_i.w, X_i.w, v3_cross_add(V_i.v, X_i.v, sum.w));
      sum.v = v3_cross_add(V_i.w, X_i.v, sum.v);
      for (int j = 0; any && j < node->nu; j++)
        for (int k = 0; k < node->nu; k++) g[node->u + j] += scale * y_i[k] * sv_dot(dH[j][k], X_i);
    }
    for (int j = 0; j < node->nu; j++) g[node->u + j] -= scale * sv_dot(cdni_hinge_column(node, d->H, j), sum);
  }
  return CDN_OK;
}
