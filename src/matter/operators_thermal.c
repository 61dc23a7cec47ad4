/* What sampling needs of the tree: a factor of M^-1, and how the kinetic energy changes along the mobilities.
 *
 * With M^-1 = (1 - H psi K)^T D^-1 (1 - H psi K) the factor is S = (1 - H psi K)^T D^(-1/2): one pass outward.
 *
 * The kinetic energy is half the sum of V_i . I_i V_i. Motion along u_j of mobilizer b carries all bodies outboard as
 * one rigid piece, by the twist h_j. Seen from that piece nothing changes but V_b, which does not turn along, and b's
 * own columns. With the momentum L_b of b and all outboard of it that gives
 *
 *   g_j = L_b . (sum over b's k of u_k dH_k - h_j x V_b),   dH_k along u_j, at a point at rest. */
#include <cardan/sampling.h>

#include "math/cholesky.h"
#include "matter/hinge_gradient.h"
#include "matter/operators_factor.h"

cdn_status cdn_multiply_by_sqrt_M_inv(cdn_state *state, const double *z, double *u) {
  CDNI_NEED_SOME(state, u, cdn_system_nu(cdn_state_system(state)));
  const matter *m = cdni_matter(cdn_state_system(state));
  tree_data d;
  mobility_factor *factors = NULL;
  const size_t n = m ? (size_t)m->tree.n : 0;
  CDNI_TRY(cdni_operator_check(state, __func__, "z", z, cdn_system_nu(cdn_state_system(state))));
  CDNI_TRY(cdni_operator_factor(state, __func__, false, &m, &d, n * sizeof(sv), &factors, NULL));
  sv *A = (sv *)(factors + m->tree.nu);
  A[0] = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    const mobility_factor *own = factors + node->u;
    A[i] = sv_shift_motion(A[node->parent], d.pose[i].r);
    if (d.prescribed && d.prescribed[i]) {
      for (int k = 0; k < node->nu; k++) u[node->u + k] = 0;
      continue;
    }
    /* D^-1 = C C^T */
    real C[MOST_MOBILITIES][MOST_MOBILITIES];
    for (int k = 0; k < node->nu; k++) memcpy(C[k], own[k].D_inv, sizeof C[k]);
    if (cdni_cholesky(node->nu, MOST_MOBILITIES, C[0], 0, 0) >= 0) {
      cdn_work_pop(state, factors);
      return cdni_matter_singular(m, state, i, __func__);
    }
    const sv at_M = A[i];
    for (int k = 0; k < node->nu; k++) {
      double speed = -sv_dot(own[k].g, at_M);
      for (int l = 0; l <= k; l++) speed += C[k][l] * z[node->u + l];
      u[node->u + k] = speed;
      A[i] = sv_fma(speed, own[k].h, A[i]);
    }
  }
  cdn_work_pop(state, factors);
  return CDN_OK;
}

static cdn_status add_columns(const matter *m, cdn_state *state, const tree_data *d, int i, const double *u, sv V, sv L,
                              double *g, double *p) {
  const tree_node *n = &m->tree.node[i];
  sv dH[6][6], h[6];
  bool moves = false;
  CDNI_TRY(cdni_hinge_gradient(m, state, d, i, &moves, dH));
  for (int k = 0; k < n->nu; k++) h[k] = cdni_hinge_column(n, d->H, k);
  for (int j = 0; j < n->nu; j++) {
    sv sum = { v3_cross(V.w, h[j].w), v3_cross_add(V.w, h[j].v, v3_cross(V.v, h[j].w)) }; /* -h_j x V */
    for (int k = 0; k < n->nu; k++) {
      sv change = moves ? dH[j][k] : sv_zero();
      change.v = v3_cross_add(h[j].v, h[k].w, change.v);
      sum = sv_fma(u[n->u + k], change, sum);
    }
    g[n->u + j] = sv_dot(L, sum);
    if (p) p[n->u + j] = sv_dot(L, h[j]) + d->mass[i].armature * u[n->u + j];
  }
  return CDN_OK;
}

cdn_status cdn_calc_kinetic_gradient(cdn_state *state, const double *u, double *g) {
  CDNI_NEED_SOME(state, g, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_operator_check(state, __func__, "u", u, m->tree.nu));
  return cdni_kinetic_gradient(m, state, __func__, u, g, NULL);
}

cdn_status cdni_kinetic_gradient(const matter *m, cdn_state *state, const char *function, const double *u, double *g,
                                 double *p) {
  void *frame = NULL;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_operator_work(state, function, 2 * (size_t)m->tree.n * sizeof(sv), &frame));
  const tree_data d = cdni_matter_data(m, state);
  sv *V = frame, *L = V + m->tree.n;
  cdn_status status = CDN_OK;
  V[0] = L[0] = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    V[i] = sv_add(sv_shift_motion(V[n->parent], d.pose[i].r), cdni_hinge_mul(n, d.H, u));
    L[i] = body_is_massless(&d.mass[i]) ? sv_zero() : rigid_mul(d.inertia[i], V[i]);
  }
  for (int i = m->tree.n - 1; status == CDN_OK && i > 0; i--) {
    const int parent = m->tree.node[i].parent;
    status = add_columns(m, state, &d, i, u, V[i], L[i], g, p);
    L[parent] = sv_add(L[parent], sv_shift_force(L[i], d.pose[i].r));
  }
  cdn_work_pop(state, frame);
  return status;
}
