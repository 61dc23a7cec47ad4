/* q and u of one mobilizer from a wanted X_FM and V_FM: by the kind's closed form, by the user's ops, or by
 * iteration. */
#include "matter/fit.h"

#include <math.h>

#include "math/dense.h"
#include "matter/checks.h"
#include "matter/hinge.h"
#include "matter/mobilizers/mobilizers.h"
#include "matter/operators.h"

/* ---- one mobilizer at any coordinates ---- */

/* -R^T w and -R^T (v - w x p): the motion of F in M as that of M in F. */
static cdn_spatial turned_round(cdn_transform X_MF, cdn_spatial V) {
  const cdn_vec3 v = cdn_sub(V.v, cdn_cross(V.w, X_MF.p));
  return (cdn_spatial){ cdn_scale(-1, cdn_rotate_inv(X_MF.R, V.w)), cdn_scale(-1, cdn_rotate_inv(X_MF.R, v)) };
}

cdn_status cdni_joint_across(const joint *j, const double *q, bool own, cdn_transform *X, cdn_spatial *H) {
  memset(H, 0, 6 * sizeof *H);
  *X = cdn_transform_identity();
  if (j->custom) {
    CDNI_TRY(j->custom->ops.across(j->custom->self, j->params, q, X, H));
  } else {
    real packed[36];
    m3 R = m3_identity();
    v3 p = v3_zero();
    hinge_form form = HINGE_FULL;
#define ACROSS_CASE(ROW, name, KIND, NQ, NU, FORM, ...)        \
  case ROW_##ROW:                                              \
    name##_place(j->frames, q, m3_identity(), &R, &p, packed); \
    form = FORM;                                               \
    break;
    switch (j->n->variant / 2) { MOBILIZER_LIST(ACROSS_CASE) default : break; }
    X->R = (cdn_rotation){ cdni_from_v3(R.x), cdni_from_v3(R.y), cdni_from_v3(R.z) };
    X->p = cdni_from_v3(p);
    for (int k = 0; k < j->n->nu; k++) H[k] = cdni_from_sv(hinge_column(form, packed, k));
  }
  double numbers[12];
  cdni_pack_transform(numbers, *X);
  if (!cdni_all_finite(numbers, 12, NULL) || !cdni_all_finite(&H[0].w.x, 36, NULL)) return CDN_ERR_NONFINITE;
  if (!j->reversed || own) return CDN_OK;
  for (int k = 0; k < j->n->nu; k++) H[k] = turned_round(*X, H[k]);
  *X = cdn_transform_invert(*X);
  return CDN_OK;
}

void cdni_joint_move(const joint *j, const double *du, double *q) {
  double dq[7] = { 0 };
#define MOVE_CASE(ROW, name, ...)                     \
  case ROW_##ROW:                                     \
    name##_N(q, du, dq);                              \
    for (int i = 0; i < j->n->nq; i++) q[i] += dq[i]; \
    name##_normalize(q, NULL);                        \
    break;
  switch (j->n->variant / 2) {
    MOBILIZER_LIST(MOVE_CASE)
    default:
      cdni_custom_N(j->custom, q, du, dq, j->n->nu);
      for (int i = 0; i < j->n->nq; i++) q[i] += dq[i];
      if (j->custom->ops.quaternion) quaternion_normalize(q, NULL);
  }
}

/* ---- the door ---- */

static cdn_status find(cdn_state *state, const char *function, cdn_body body, joint *j) {
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!cdni_body_exists(m, body) || body.i == 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no body %d with a mobilizer",
                           (int)body.i);
  CDNI_TRY(cdni_state_ensure(state, m->frame_constants.ticket));
  const tree_node *n = &m->tree.node[body.i];
  *j = (joint){ .m = m,
                .n = n,
                .frames = cdni_matter_data(m, state).frames + body.i,
                .custom = n->custom < 0 ? NULL : &CDNI_AT(m->customs, custom_mobilizer, n->custom),
                .params = cdn_state_parameters(state, m->params) + CDN_MOBILIZER_PARAMS * body.i,
                .reversed = n->variant & 1 };
  return CDN_OK;
}

static const char *joint_name(const matter *m, cdn_body body) {
  return CDNI_AT(m->bodies, matter_body, body.i).mobilizer_name;
}

static cdn_status failed(cdn_state *state, const char *function, const joint *j, cdn_body body, cdn_status status) {
  const char *name = joint_name(j->m, body);
  return cdni_state_fail(state, status, false, function, name, "joint '%s' (%s): its functions gave no pose (%s)", name,
                         j->custom ? j->custom->ops.name : cdni_body_kind_name(cdn_state_system(state), body),
                         cdn_status_name(status));
}

static cdn_status check_numbers(cdn_state *state, const char *function, const joint *j, cdn_body body, const double *x,
                                int n) {
  if (cdni_all_finite(x, (size_t)n, NULL)) return CDN_OK;
  const char *name = joint_name(j->m, body);
  return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, name,
                         "joint '%s': the wanted pose or velocity has a NaN or an infinity", name);
}

/* ---- the mobilizer ---- */

cdn_status cdn_body_X_FM(cdn_state *state, cdn_body body, cdn_transform *X_FM) {
  CDNI_NEED(state, X_FM);
  joint j;
  cdn_spatial H[6];
  CDNI_TRY(find(state, __func__, body, &j));
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  const cdn_status status = cdni_joint_across(&j, cdni_matter_data(j.m, state).q + j.n->q, false, X_FM, H);
  return status == CDN_OK ? CDN_OK : failed(state, __func__, &j, body, status);
}

cdn_status cdn_body_V_FM(cdn_state *state, cdn_body body, cdn_spatial *V_FM) {
  CDNI_NEED(state, V_FM);
  joint j;
  cdn_transform X;
  cdn_spatial H[6];
  CDNI_TRY(find(state, __func__, body, &j));
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  const tree_data d = cdni_matter_data(j.m, state);
  const cdn_status status = cdni_joint_across(&j, d.q + j.n->q, false, &X, H);
  if (status != CDN_OK) return failed(state, __func__, &j, body, status);
  *V_FM = (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } };
  for (int k = 0; k < j.n->nu; k++) *V_FM = cdn_spatial_add(*V_FM, cdn_spatial_scale(d.u[j.n->u + k], H[k]));
  return CDN_OK;
}

/* ---- q ---- */

/* The kinds' closed forms; *found tells whether there is one. */
static cdn_status closed_form(const joint *j, const wanted_pose *wanted, double *q, bool *found) {
  const double *kind = j->frames->kind;
  const int row = j->n->variant / 2;
  if (wanted->R) {
    cdn_quaternion e = cdn_quaternion_from_rotation(*wanted->R);
    if (j->reversed) e = cdn_quaternion_conjugate(e);
#define FIT_R_CASE(ROW, name, ...) \
  case ROW_##ROW: name##_fit_R(e, q, kind); break;
    switch (row) { MOBILIZER_LIST(FIT_R_CASE) default : break; }
  }
  *found = true;
  if (!wanted->p) return CDN_OK;
  cdn_vec3 p = *wanted->p;
  fit_way way = wanted->R ? FIT_HELD : FIT_FREELY;
  if (j->reversed) {
    cdn_transform X_MF;
    cdn_spatial H[6];
    CDNI_TRY(cdni_joint_across(j, q, true, &X_MF, H));
    p = cdn_scale(-1, cdn_rotate(X_MF.R, p));
    if (!wanted->R) way = FIT_IN_M;
  }
#define FIT_P_CASE(ROW, name, ...) \
  case ROW_##ROW: *found = name##_fit_p(p, way, q, kind); break;
  switch (row) { MOBILIZER_LIST(FIT_P_CASE) default : break; }
  return CDN_OK;
}

/* By the user's own function, which knows of q-frames only: not where the translation of a reversed one is wanted
 * alone. */
static cdn_status by_ops(const joint *j, const wanted_pose *wanted, double *q, bool *found) {
  const cdn_custom_mobilizer_ops *ops = &j->custom->ops;
  *found = ops->fit && !(j->reversed && !wanted->R);
  if (!*found) return CDN_OK;
  cdn_rotation R;
  cdn_vec3 p;
  if (wanted->R) R = j->reversed ? cdn_rotation_transpose(*wanted->R) : *wanted->R;
  if (wanted->p) p = j->reversed ? cdn_scale(-1, cdn_rotate(R, *wanted->p)) : *wanted->p;
  return ops->fit(j->custom->self, j->params, wanted->R ? &R : NULL, wanted->p ? &p : NULL, q);
}

static cdn_status fit(cdn_state *state, const char *function, cdn_body body, const wanted_pose *wanted) {
  joint j;
  CDNI_TRY(find(state, function, body, &j));
  const char *name = joint_name(j.m, body);
  cdn_transform X = cdn_transform_identity();
  if (wanted->R) X.R = *wanted->R;
  if (wanted->p) X.p = *wanted->p;
  const cdn_status good = cdni_check_frame(X);
  if (good != CDN_OK)
    return cdni_state_fail(state, good, false, function, name,
                           "joint '%s': the wanted pose is not finite, or its R is not a rotation to 1e-9", name);
  if (j.n->nu == 0) return CDN_OK;
  double q[7];
  memcpy(q, cdn_body_q(state, body), j.n->nq * sizeof *q);
  bool found = false;
  cdn_status status = j.custom ? by_ops(&j, wanted, q, &found) : closed_form(&j, wanted, q, &found);
  if (status == CDN_OK && !found) status = cdni_fit_iterate(&j, wanted, q);
  if (status == CDN_OK && !cdni_all_finite(q, j.n->nq, NULL)) status = CDN_ERR_NONFINITE;
  if (status != CDN_OK) return failed(state, function, &j, body, status);
  return cdn_body_set_q(state, body, j.n->nq, q);
}

cdn_status cdn_body_set_q_to_fit_transform(cdn_state *state, cdn_body body, cdn_transform X_FM) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return fit(state, "cdn_body_set_q_to_fit_transform", body, &(wanted_pose){ &X_FM.R, &X_FM.p });
}
cdn_status cdn_body_set_q_to_fit_rotation(cdn_state *state, cdn_body body, cdn_rotation R_FM) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return fit(state, "cdn_body_set_q_to_fit_rotation", body, &(wanted_pose){ &R_FM, NULL });
}
cdn_status cdn_body_set_q_to_fit_translation(cdn_state *state, cdn_body body, cdn_vec3 p_FM) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return fit(state, "cdn_body_set_q_to_fit_translation", body, &(wanted_pose){ NULL, &p_FM });
}

/* ---- u ---- */

/* The part of a mobility vector that has been decided: u, and the orthonormal directions in which it is fixed. */
typedef struct decided {
  double u[6], along[6][6];
  int n;
} decided;

/* Motions that are this much smaller than the largest are taken for rounding: the mobilizer does not make them. */
static const double UNREACHABLE = 1e-10;

/* Solves A u = b by least squares over the directions not decided yet (3 x nu). */
static void decide(int nu, double A[3][6], const double b[3], decided *x) {
  double W[3][6], U[6][6], s[6], largest = 0, rest[3];
  for (int i = 0; i < 3; i++) {
    rest[i] = b[i] - cdni_dot(nu, A[i], x->u);
    largest = fmax(largest, sqrt(cdni_dot(nu, A[i], A[i])));
    memcpy(W[i], A[i], sizeof W[i]);
    for (int k = 0; k < x->n; k++) {
      const double part = cdni_dot(nu, W[i], x->along[k]);
      for (int l = 0; l < nu; l++) W[i][l] -= part * x->along[k][l];
    }
  }
  cdni_fit_decompose(3, nu, W, U, s);
  for (int i = 0; i < 3 && x->n < 6; i++) {
    if (!(s[i] > UNREACHABLE * largest)) continue;
    double *v = x->along[x->n++];
    const double value = (U[i][0] * rest[0] + U[i][1] * rest[1] + U[i][2] * rest[2]) / s[i];
    for (int l = 0; l < nu; l++) {
      v[l] = W[i][l] / s[i];
      x->u[l] += value * v[l];
    }
  }
}

static cdn_status fit_velocity(cdn_state *state, const char *function, cdn_body body, const cdn_vec3 *w,
                               const cdn_vec3 *v) {
  joint j;
  CDNI_TRY(find(state, function, body, &j));
  if (w) CDNI_TRY(check_numbers(state, function, &j, body, &w->x, 3));
  if (v) CDNI_TRY(check_numbers(state, function, &j, body, &v->x, 3));
  if (j.n->nu == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  cdn_transform X;
  cdn_spatial H[6];
  const cdn_status status = cdni_joint_across(&j, cdni_matter_data(j.m, state).q + j.n->q, false, &X, H);
  if (status != CDN_OK) return failed(state, function, &j, body, status);

  const int nu = j.n->nu;
  const double *now = cdn_body_u(state, body);
  double angular[3][6] = { { 0 } }, linear[3][6] = { { 0 } };
  for (int k = 0; k < nu; k++) {
    angular[0][k] = H[k].w.x, angular[1][k] = H[k].w.y, angular[2][k] = H[k].w.z;
    linear[0][k] = H[k].v.x, linear[1][k] = H[k].v.y, linear[2][k] = H[k].v.z;
  }
  decided x = { .n = 0 };
  if (w) decide(nu, angular, (const double[3]){ w->x, w->y, w->z }, &x);
  if (v) decide(nu, linear, (const double[3]){ v->x, v->y, v->z }, &x);
  if (!w) { /* keep the present turning if possible */
    double turns[3];
    for (int i = 0; i < 3; i++) turns[i] = cdni_dot(nu, angular[i], now);
    decide(nu, angular, turns, &x);
  }
  /* Directions without a wish keep their values. */
  double stays[6];
  memcpy(stays, now, (size_t)nu * sizeof *stays);
  for (int k = 0; k < x.n; k++) {
    const double part = cdni_dot(nu, stays, x.along[k]);
    for (int l = 0; l < nu; l++) stays[l] -= part * x.along[k][l];
  }
  for (int l = 0; l < nu && x.n < nu; l++) x.u[l] += stays[l];
  return cdn_body_set_u(state, body, nu, x.u);
}

cdn_status cdn_body_set_u_to_fit_velocity(cdn_state *state, cdn_body body, cdn_spatial V_FM) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return fit_velocity(state, "cdn_body_set_u_to_fit_velocity", body, &V_FM.w, &V_FM.v);
}
cdn_status cdn_body_set_u_to_fit_angular_velocity(cdn_state *state, cdn_body body, cdn_vec3 w_FM) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return fit_velocity(state, "cdn_body_set_u_to_fit_angular_velocity", body, &w_FM, NULL);
}
cdn_status cdn_body_set_u_to_fit_linear_velocity(cdn_state *state, cdn_body body, cdn_vec3 v_FM) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return fit_velocity(state, "cdn_body_set_u_to_fit_linear_velocity", body, NULL, &v_FM);
}
