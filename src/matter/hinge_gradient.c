/* Derivatives of H along a mobilizer's own mobilities, for every kind without code of its own.
 *
 * Let e_j be the motion qdot = N e_j, and d_j H_k the derivative of column k along it, in F. Two relations are
 * known:
 *
 *   sum over j, k of u_j u_k d_j H_k = Hdot u (5.3), which every kind computes: its mixed parts give d_j H_k + d_k H_j;
 *   d_j H_k - d_k H_j = (w_j x w_k, 0) + sum over l of c_jk^l H_l:   motions j and k in either order.
 *
 * The second holds because second derivatives of R_FM and p_FM do not depend on the order, except for the commutator
 * [e_j, e_k] = sum of c_jk^l e_l of the motions themselves. It is zero if u = qdot. If u is an angular velocity in F
 * (in M for reversed forms; the meaning of q decides), c_jk^l = -epsilon_jkl. For angular velocities about M's x and
 * y it is the motion about M's z, which those mobilizers do not have; H_z is the column that it would have. For
 * custom mobilizers with an N of their own it is found by differences. */
#include "matter/hinge_gradient.h"

#include <math.h>

#include "matter/custom.h"
#include "matter/kinds.h"
#include "matter/operators.h"

/* ---- the symmetric part: Hdot u by the velocity pass, on a tree of this body alone ---- */

typedef struct lone_body {
  tree t;
  tree_data d;
  tree_node node[2];
  body_pose pose[2];
  body_twist twist[2];
  custom_across across;
  real u[6];
} lone_body;

static void isolate(lone_body *l, const matter *m, const tree_data *d, int i) {
  const tree_node *n = &m->tree.node[i];
  l->node[1] = *n;
  l->node[1].parent = 0, l->node[1].u = 0;
  l->t = (tree){ .n = 2, .node = l->node };
  l->pose[0] = d->pose[n->parent], l->pose[1] = d->pose[i];
  l->d = *d;
  l->d.frames = d->frames + (i - 1), l->d.pose = l->pose, l->d.twist = l->twist, l->d.u = l->u;
  if (n->custom < 0) return;
  l->node[1].custom = 0;
  l->across = d->custom[n->custom];
  l->across.bias = sv_zero();
  l->d.custom = &l->across;
}

/* Hdot u for the u that l holds. On a base body it is all that a_cor is. */
static cdn_status lone_bias(lone_body *l, const matter *m, cdn_state *state, const tree_node *n, sv *out) {
  if (n->custom >= 0) {
    const custom_mobilizer *x = &CDNI_AT(m->customs, custom_mobilizer, n->custom);
    const double *params = cdn_state_parameters(state, m->params) + CDN_MOBILIZER_PARAMS * x->body;
    cdn_spatial A = { { 0, 0, 0 }, { 0, 0, 0 } };
    if (x->ops.Hdot_u) CDNI_TRY(x->ops.Hdot_u(x->self, params, l->d.q + n->q, l->u, &A));
    l->across.bias = (sv){ cdni_to_v3(A.w), cdni_to_v3(A.v) };
  }
  m->kernels->velocity(&l->t, &l->d);
  *out = l->twist[1].a_cor;
  return CDN_OK;
}

/* dH = half of the symmetric part. */
static cdn_status symmetric(const matter *m, cdn_state *state, const tree_data *d, int i, sv dH[6][6]) {
  const tree_node *n = &m->tree.node[i];
  lone_body l = { .t = { 0 } };
  sv alone[6];
  isolate(&l, m, d, i);
  for (int j = 0; j < n->nu; j++) {
    l.u[j] = 1;
    CDNI_TRY(lone_bias(&l, m, state, n, &alone[j]));
    dH[j][j] = alone[j];
    for (int k = 0; k < j; k++) {
      sv both;
      l.u[k] = 1;
      CDNI_TRY(lone_bias(&l, m, state, n, &both));
      l.u[k] = 0;
      both = sv_sub(sv_sub(both, alone[j]), alone[k]);
      dH[j][k] = dH[k][j] = (sv){ v3_scale(0.5, both.w), v3_scale(0.5, both.v) };
    }
    l.u[j] = 0;
  }
  return CDN_OK;
}

/* ---- the commutator ---- */

/* H for turning about z of M (of F, if reversed), in Ground, at M's origin. */
static sv line_column(const tree_node *n, const tree_data *d, int i) {
  const body_pose *pose = &d->pose[i], *parent = &d->pose[n->parent];
  if (!(n->variant & 1)) return (sv){ pose->R_GM.z, v3_zero() };
  v3 w = v3_neg(m3_mul(parent->R_GM, m3_load(d->frames[i].R_PF).z));
  v3 p_FM = v3_sub(pose->r, m3_mul(parent->R_GM, v3_load(d->frames[i].p_PF)));
  return (sv){ w, v3_cross(w, p_FM) };
}

enum { MOST_Q = 7 };

/* The derivative of N e_k as q moves with N e_j: differences of fourth order, good to some 1e-12. */
static void difference(const custom_mobilizer *x, const tree_node *n, const real *q, int j, int k, real *out) {
  static const double at[4] = { -2, -1, 1, 2 }, weight[4] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 }, h = 1e-3;
  real e[6] = { 0 }, qdot[MOST_Q], moved[MOST_Q], rate[MOST_Q];
  e[j] = 1;
  x->ops.N(x->self, q, e, qdot);
  e[j] = 0, e[k] = 1;
  memset(out, 0, n->nq * sizeof *out);
  for (int s = 0; s < 4; s++) {
    for (int l = 0; l < n->nq; l++) moved[l] = q[l] + at[s] * h * qdot[l];
    x->ops.N(x->self, moved, e, rate);
    for (int l = 0; l < n->nq; l++) out[l] += weight[s] / h * rate[l];
  }
}

/* c_jk of a custom mobilizer. Fails if the commutator is not among its motions. */
static cdn_status own_commutator(const matter *m, cdn_state *state, const tree_node *n, const real *q, int j, int k,
                                 real c[6]) {
  const custom_mobilizer *x = &CDNI_AT(m->customs, custom_mobilizer, n->custom);
  real jk[MOST_Q], kj[MOST_Q], back[MOST_Q], size = 1;
  difference(x, n, q, j, k, jk);
  difference(x, n, q, k, j, kj);
  for (int l = 0; l < n->nq; l++) {
    size += fabs(jk[l]) + fabs(kj[l]);
    jk[l] -= kj[l];
  }
  x->ops.N_inv(x->self, q, jk, c);
  x->ops.N(x->self, q, c, back);
  for (int l = 0; l < n->nq; l++) {
    if (fabs(back[l] - jk[l]) <= 1e-6 * size) continue;
    const char *name = CDNI_AT(m->bodies, matter_body, x->body).mobilizer_name;
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, "cdn_calc_log_det_M_gradient", name,
                           "joint '%s': moving along speeds %d and %d in turn leads out of the motions that it grants "
                           "(its N is not that of coordinates), which derivatives of H cannot follow",
                           name, j, k);
  }
  return CDN_OK;
}

/* Adds c_jk^l H_l. */
static cdn_status add_commutator(const matter *m, cdn_state *state, const tree_data *d, int i, int j, int k, sv *sum) {
  const tree_node *n = &m->tree.node[i];
  real c[6] = { 0 };
  switch (cdni_kind_of(n)->speeds) {
    case SPEEDS_TURN_IN_F:
      if (j >= 3 || k >= 3) return CDN_OK;
      *sum = sv_fma((j + 1) % 3 == k ? -1.0 : 1.0, cdni_hinge_column(n, d->H, 3 - j - k), *sum);
      return CDN_OK;
    case SPEEDS_TURN_ABOUT_AXES:
      if (j < 2 && k < 2) *sum = sv_fma(j < k ? 1.0 : -1.0, line_column(n, d, i), *sum);
      return CDN_OK;
    case SPEEDS_ARE_RATES:
      if (!cdni_custom_has_N(m, n->custom)) return CDN_OK;
      CDNI_TRY(own_commutator(m, state, n, d->q + n->q, j, k, c));
      break;
  }
  for (int l = 0; l < n->nu; l++) *sum = sv_fma(c[l], cdni_hinge_column(n, d->H, l), *sum);
  return CDN_OK;
}

/* ---- together ---- */

cdn_status cdni_hinge_gradient(const matter *m, cdn_state *state, const tree_data *d, int i, bool *moves, sv dH[6][6]) {
  const tree_node *n = &m->tree.node[i];
  bool reversed = n->variant & 1;
  *moves = n->bias || cdni_kind_of(n)->speeds == SPEEDS_TURN_ABOUT_AXES || (reversed && n->nu > 1);
  if (n->custom >= 0) *moves = true;
  if (!*moves) return CDN_OK;
  CDNI_TRY(symmetric(m, state, d, i, dH));
  for (int j = 0; j < n->nu; j++)
    for (int k = 0; k < j; k++) {
      sv skew = { v3_cross(cdni_hinge_column(n, d->H, j).w, cdni_hinge_column(n, d->H, k).w), v3_zero() };
      CDNI_TRY(add_commutator(m, state, d, i, j, k, &skew));
      dH[j][k] = sv_fma(0.5, skew, dH[j][k]);
      dH[k][j] = sv_fma(-0.5, skew, dH[k][j]);
    }
  return CDN_OK;
}
