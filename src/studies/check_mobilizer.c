/* Checks of a mobilizer: its velocities and their rates are compared with differences of the poses of M. */
#include <math.h>
#include <stdio.h>

#include "studies/check.h"

typedef struct mobilizer {
  checker c;
  cdn_body body;
  const tree_node *node;
  cdn_spatial V[6]; /* columns of H at the pose, in F */
  cdn_transform X_FM;
  double away; /* distance of the frames from Ground's origin and from each other: it decides the rounding of X_FM */
} mobilizer;

/* ---- functions to be differenced ---- */

static cdn_status pose_of(void *context, cdn_state *state, double *values) {
  const mobilizer *m = context;
  cdn_transform X;
  CDNI_TRY(cdn_body_X_FM(state, m->body, &X));
  memcpy(values, &X, 12 * sizeof *values);
  return CDN_OK;
}

static cdn_status velocity_of(void *context, cdn_state *state, double *values) {
  const mobilizer *m = context;
  cdn_spatial V;
  CDNI_TRY(cdn_body_V_FM(state, m->body, &V));
  memcpy(values, &V, 6 * sizeof *values);
  return CDN_OK;
}

static cdn_status rates_of(void *context, cdn_state *state, double *values) {
  const mobilizer *m = context;
  CDNI_TRY(cdn_multiply_by_N(state, cdn_state_u(state), m->c.values + 5 * m->c.most));
  memcpy(values, m->c.values + 5 * m->c.most + m->node->q, (size_t)m->node->nq * sizeof *values);
  return CDN_OK;
}

/* ---- comparing ---- */

static const char *const AXES[6] = { "w_x", "w_y", "w_z", "v_x", "v_y", "v_z" };

/* Six numbers in F; the angular and the linear ones have sizes of their own. */
static void compare(mobilizer *m, const char *what, int column, const double *expected, const double *doubt,
                    const double *found, double linear, const char *hint) {
  const char *slot_of = "";
  char slot[96] = "", where[160];
  if (column >= 0) {
    cdn_system_slot_name(m->c.system, CDN_POOL_U, m->node->u + column, slot, sizeof slot);
    slot_of = ", for ";
  }
  for (int i = 0; i < 6; i++) {
    const double *half_e = expected + i / 3 * 3, *half_f = found + i / 3 * 3;
    const double size = fmax(fmax(check_largest(half_e, 3), check_largest(half_f, 3)), i < 3 ? 1e-4 : 1e-4 * linear);
    snprintf(where, sizeof where, "%s%s%s", AXES[i], slot_of, slot);
    cdni_check_compare(&m->c, what, i, column, where, expected[i], found[i], size, doubt[i], hint);
  }
}

/* ---- the checks at one pose ---- */

static cdn_status check_H(mobilizer *m) {
  checker *c = &m->c;
  double *u = c->values + 5 * c->most; /* one mobility moves at a time */
  for (int k = 0; k < m->node->nu; k++) {
    cdn_spatial V;
    memset(u, 0, (size_t)c->nu * sizeof *u);
    u[m->node->u + k] = 1;
    CDNI_TRY(cdni_check_go_along(c, u, 0));
    CDNI_TRY(cdn_state_set_u(c->state, u));
    CDNI_TRY(cdn_body_V_FM(c->state, m->body, &V));
    m->V[k] = V;
    CDNI_TRY(cdni_check_rate(c, pose_of, m, 12));
    /* Each axis of R turns with w: w = sum of axis x rate / 2. */
    const cdn_rotation *R = &m->X_FM.R;
    const double *d = c->rate;
    const cdn_vec3 dx = { d[0], d[1], d[2] }, dy = { d[3], d[4], d[5] }, dz = { d[6], d[7], d[8] };
    cdn_vec3 w = cdn_add(cdn_cross(R->x, dx), cdn_add(cdn_cross(R->y, dy), cdn_cross(R->z, dz)));
    w = cdn_scale(0.5, w);
    const double turn = check_largest(c->doubt, 9), rounding = 1e-10 * m->away;
    const double expected[6] = { w.x, w.y, w.z, d[9], d[10], d[11] };
    const double doubt[6] = {
      turn, turn, turn, c->doubt[9] + rounding, c->doubt[10] + rounding, c->doubt[11] + rounding
    };
    const double found[6] = { V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z };
    compare(m, "H", k, expected, doubt, found, cdn_norm(m->X_FM.p),
            "H_FM is the velocity of M in F, in F's axes, when q moves along N u; differences of X_FM say otherwise");
  }
  return CDN_OK;
}

/* The rate of H u in F at constant u, from the accelerations of the bodies while all other joints rest. */
static cdn_status bias_of(mobilizer *m, double *found) {
  checker *c = &m->c;
  const size_t size = (size_t)c->nb * sizeof(cdn_spatial) + (size_t)c->nu * sizeof(double);
  cdn_spatial *A = cdn_work_push(c->state, size);
  if (!A) return cdni_refuse(CDN_ERR_NOMEM, c->function, "out of memory");
  double *udot = (double *)(A + c->nb);
  memset(udot, 0, (size_t)c->nu * sizeof *udot);
  cdn_status status = cdn_calc_body_accelerations(c->state, udot, A);
  const cdn_spatial A_GB = A[m->body.i];
  cdn_work_pop(c->state, A);
  CDNI_TRY(status);
  cdn_transform X_GB, X_GP;
  cdn_spatial V;
  CDNI_TRY(cdn_body_pose(c->state, m->body, &X_GB));
  CDNI_TRY(cdn_body_pose(c->state, cdn_body_parent(c->system, m->body), &X_GP));
  CDNI_TRY(cdn_body_velocity(c->state, m->body, &V));
  const cdn_vec3 r = cdn_rotate(X_GB.R, cdn_body_X_BM(c->state, m->body).p);
  const cdn_vec3 a = cdn_add(A_GB.v, cdn_add(cdn_cross(A_GB.w, r), cdn_cross(V.w, cdn_cross(V.w, r))));
  const cdn_rotation R_PF = cdn_body_X_PF(c->state, m->body).R;
  const cdn_vec3 alpha_F = cdn_rotate_inv(R_PF, cdn_rotate_inv(X_GP.R, A_GB.w));
  const cdn_vec3 a_F = cdn_rotate_inv(R_PF, cdn_rotate_inv(X_GP.R, a));
  memcpy(found, &alpha_F, 3 * sizeof *found);
  memcpy(found + 3, &a_F, 3 * sizeof *found);
  return CDN_OK;
}

static cdn_status check_bias(mobilizer *m) {
  checker *c = &m->c;
  double found[6], speed = 0;
  for (int k = 0; k < m->node->nu; k++) speed = fmax(speed, fabs(c->at.u[m->node->u + k]));
  if (speed == 0) return CDN_OK;
  CDNI_TRY(bias_of(m, found));
  CDNI_TRY(cdni_check_go_along(c, c->at.u, 0));
  CDNI_TRY(cdni_check_rate(c, velocity_of, m, 6));
  double linear = cdn_norm(m->X_FM.p);
  for (int i = 3; i < 6; i++) c->doubt[i] += 1e-10 * m->away * speed * speed;
  for (int k = 0; k < m->node->nu; k++) linear = fmax(linear, cdn_norm(m->V[k].v));
  compare(m, "Hdot u", -1, c->rate, c->doubt, found, linear * speed * speed,
          "Hdot_FM u is the rate of H_FM u at constant u, taken in F; differences of H_FM u say otherwise");
  return CDN_OK;
}

static cdn_status check_N(mobilizer *m) {
  checker *c = &m->c;
  const tree_node *n = m->node;
  double *u = c->values + 5 * c->most, *back = c->values + 4 * c->most;
  char slot[96];
  for (int k = 0; k < n->nu; k++) {
    memset(u, 0, (size_t)c->nu * sizeof *u);
    u[n->u + k] = 1;
    CDNI_TRY(cdni_check_go_along(c, u, 0));
    CDNI_TRY(cdn_multiply_by_N_inv(c->state, c->along.q, back));
    for (int l = 0; l < n->nu; l++) {
      cdn_system_slot_name(c->system, CDN_POOL_U, n->u + l, slot, sizeof slot);
      cdni_check_compare(c, "N_inv", l, k, slot, l == k, back[n->u + l], 1, 1e-9,
                         "N_inv is not the inverse of N: N_inv (N u) must be u");
    }
  }
  double *Ndot_u = c->values + 4 * c->most;
  memset(u, 0, (size_t)c->nu * sizeof *u);
  CDNI_TRY(cdn_calc_qdotdot(c->state, u, Ndot_u));
  double found[7];
  memcpy(found, Ndot_u + n->q, (size_t)n->nq * sizeof *found);
  CDNI_TRY(cdni_check_go_along(c, c->at.u, 0));
  CDNI_TRY(cdni_check_rate(c, rates_of, m, n->nq));
  double size = 1e-4 * check_largest(c->at.u + n->u, n->nu);
  size = fmax(size * size, fmax(check_largest(c->rate, n->nq), check_largest(found, n->nq)));
  for (int k = 0; k < n->nq; k++) {
    cdn_system_slot_name(c->system, CDN_POOL_Q, n->q + k, slot, sizeof slot);
    cdni_check_compare(c, "Ndot u", k, -1, slot, c->rate[k], found[k], size, c->doubt[k],
                       "Ndot_u is the rate of N(q) u at constant u along qdot = N u; differences of N u say otherwise");
  }
  return CDN_OK;
}

/* From where the State was to this pose, by set-to-fit. */
static cdn_status check_fit(mobilizer *m) {
  checker *c = &m->c;
  if (c->pose < 2 || (m->node->custom >= 0 && !cdni_custom_has_fit(c->matter, m->node->custom))) return CDN_OK;
  cdn_transform X;
  CDNI_TRY(cdni_check_set(c, &c->given));
  CDNI_TRY(cdn_body_set_q_to_fit_transform(c->state, m->body, m->X_FM));
  CDNI_TRY(cdn_body_X_FM(c->state, m->body, &X));
  double expected[12], found[12];
  memcpy(expected, &m->X_FM, sizeof expected);
  memcpy(found, &X, sizeof found);
  for (int i = 0; i < 12; i++)
    cdni_check_compare(c, "fit", i, -1, i < 9 ? "R_FM" : "p_FM", expected[i], found[i],
                       i < 9 ? 1 : fmax(cdn_norm(X.p), cdn_norm(m->X_FM.p)), 1e-9,
                       "setting q to fit a pose that the mobilizer can have does not give that pose");
  return cdni_check_set(c, &c->at);
}

static cdn_status check_pose(mobilizer *m) {
  checker *c = &m->c;
  CDNI_TRY(cdni_check_set(c, &c->at));
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_X_FM(c->state, m->body, &m->X_FM));
  CDNI_TRY(cdn_body_pose(c->state, m->body, &X_GB));
  m->away = cdn_norm(X_GB.p) + cdn_norm(cdn_body_X_BM(c->state, m->body).p) + cdn_norm(m->X_FM.p);
  CDNI_TRY(check_H(m));
  CDNI_TRY(check_bias(m));
  CDNI_TRY(check_N(m));
  return check_fit(m);
}

cdn_status cdn_check_mobilizer(cdn_state *state, cdn_body body, const cdn_check_def *def, cdn_check **out) {
  if (out) *out = NULL;
  if (!state || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the check shall go, is NULL");
  const cdn_system *system = cdn_state_system(state);
  if (body.i < 1 || body.i >= cdn_system_body_count(system))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "there is no body %d with a mobilizer in this System", (int)body.i);
  mobilizer m = { .body = body };
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), longest = nq > nu ? nq : nu;
  CDNI_TRY(cdni_check_begin(&m.c, state, __func__, "mobilizer", cdn_body_mobilizer_name(system, body),
                            cdni_body_kind_name(system, body), def, longest > 12 ? longest : 12, out));
  m.node = &m.c.matter->tree.node[body.i];
  cdn_status status = CDN_OK;
  for (int i = 0; i <= m.c.def.poses + 1 && status == CDN_OK; i++) {
    cdni_check_choose(&m.c, i, body);
    const cdn_status here = check_pose(&m);
    if (here == CDN_OK) m.c.report->poses++;
    else status = cdni_check_failed(&m.c, here);
  }
  return cdni_check_end(&m.c, status, out);
}
