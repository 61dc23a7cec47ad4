/* Values that locks and motions prescribe for q, u and udot (8.3, 10.4.1). Each function does nothing if nothing is
 * prescribed. */
#include <math.h>

#include "controls/controls.h"
#include "math/lane_block.h"
#include "matter/mobilizers/quaternion.h"
#include "matter/subsystem.h"

static const matter *of(const void *self) { return *(const matter *const *)self; }

/* ---- calling a motion ---- */

static cdn_status failed(const matter *m, cdn_state *state, const matter_motion *x, cdn_status status,
                         const char *what) {
  const char *joint = CDNI_AT(m->bodies, matter_body, x->body).mobilizer_name;
  return cdni_state_fail(state, status, true, "cdn_realize", x->name,
                         status == CDN_ERR_NONFINITE ? "motion '%s' (%s) of joint '%s': its %s is not finite"
                                                     : "motion '%s' (%s) of joint '%s': its function for %s failed",
                         x->name, x->ops.name, joint, what);
}

/* q and u are the whole System's, or NULL where the level has none yet. */
static cdn_status call(const matter *m, cdn_state *state, const matter_motion *x, cdn_motion_fn *fn, const char *what,
                       const double *q, const double *u, double *out, int n) {
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(state), m->subsystem);
  const tree_node *node = &m->tree.node[x->body];
  const ptrdiff_t at = x - cdni_motion_at(m, 0);
  double rates[CDN_MOTION_PARAMS] = { 0 }; /* of the control, in place of parameters */
  if (x->control.i >= 0) CDNI_TRY(cdni_control_rates(state, x->control, rates));
  cdn_motion_input in = { .t = x->ops.timeless ? 0 : cdn_state_time(state),
                          .params = cdn_state_parameters(state, m->motion_params) + CDN_MOTION_PARAMS * at,
                          .nq = node->nq,
                          .nu = node->nu,
                          .first_q = runs.q + node->q,
                          .first_u = runs.u + node->u,
                          .q = q,
                          .u = u };
  if (x->control.i >= 0) in.params = rates;
  if (x->mocap >= 0) in.params = cdn_state_parameters(state, m->mocap) + MOCAP_INPUTS * x->mocap;
  cdn_status status = fn(x->self, &in, out);
  if (status == CDN_OK && !cdni_all_finite(out, (size_t)n, NULL)) status = CDN_ERR_NONFINITE;
  return status == CDN_OK ? CDN_OK : failed(m, state, x, status, what);
}

/* ---- in lanes ---- */

/* Effective values of all lanes, from each lane's own State. */
static cdn_status gather_effective(const matter *m, cdn_state *state, cdn_ticket ticket, int n, double *out) {
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    if (cdni_state_ensure(one, ticket) != CDN_OK) cdni_lane_fail(state, l);
    const tree_data d = cdni_matter_data(cdni_matter(cdn_state_system(one)), one);
    lane_put(out, m->lanes, l, ticket.i == CDN_Q_EFF.i ? d.q : d.u, (size_t)n);
  }
  return CDN_OK;
}

/* The same of udot, where it is prescribed; other numbers stay as they are. */
static cdn_status gather_udot(const matter *m, cdn_state *state, double *udot) {
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    const matter *own = cdni_matter(cdn_state_system(one));
    double *values = cdni_matter_data(own, one).udot;
    if (cdni_motion_calc_udot(own, one, values) != CDN_OK) cdni_lane_fail(state, l);
    const int32_t *by = cdni_drivers(one, own->driver_udot);
    for (int i = 1; i < m->tree.n; i++) {
      const tree_node *n = &m->tree.node[i];
      if (by[i]) lane_put(udot + (size_t)n->u * (size_t)m->lanes, m->lanes, l, values + n->u, (size_t)n->nu);
    }
  }
  return CDN_OK;
}

/* ---- q ---- */

/* A motion's quaternion has unit length except for a small error, which is removed here. */
static cdn_status check_quaternion(const matter *m, cdn_state *state, const matter_motion *x, double *q) {
  if (quaternion_normalize(q, NULL) <= 1e-6) return CDN_OK;
  const char *joint = CDNI_AT(m->bodies, matter_body, x->body).mobilizer_name;
  return cdni_state_fail(state, CDN_ERR_ARG, true, "cdn_realize", x->name,
                         "motion '%s' (%s) of joint '%s': its quaternion is not of unit length", x->name, x->ops.name,
                         joint);
}

cdn_status cdni_motion_calc_q_eff(const void *self, cdn_state *state, double *q) {
  const matter *m = of(self);
  if (!cdni_is_driven(state, m->at.driver_q)) return CDN_OK;
  if (m->lanes > 1) return gather_effective(m, state, CDN_Q_EFF, m->tree.nq, q);
  const int32_t *by = cdni_drivers(state, m->driver_q);
  const double *held = cdn_state_parameters(state, m->lock_q);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = n->q; by[i] == DRIVEN_BY_LOCK && k < n->q + n->nq; k++) q[k] = held[k];
    const matter_motion *x = cdni_driving_motion(m, by[i], i, CDN_LEVEL_POSITION);
    if (!x) continue;
    CDNI_TRY(call(m, state, x, x->ops.q, "q", NULL, NULL, q + n->q, n->nq));
    if (n->quaternion) CDNI_TRY(check_quaternion(m, state, x, q + n->q));
  }
  return CDN_OK;
}

/* ---- u ---- */

static cdn_status motion_u(const matter *m, cdn_state *state, const matter_motion *x, double *u) {
  const tree_node *n = &m->tree.node[x->body];
  const double *q = cdn_state_q_eff(state);
  if (x->level == CDN_LEVEL_VELOCITY || x->mocap >= 0) return call(m, state, x, x->ops.u, "u", q, NULL, u, n->nu);
  double qdot[7];
  CDNI_TRY(call(m, state, x, x->ops.qdot, "qdot", NULL, NULL, qdot, n->nq));
  cdni_body_N_inv(m, x->body, cdni_matter_data(m, state).q + n->q, qdot, u);
  return CDN_OK;
}

cdn_status cdni_motion_calc_u_eff(const void *self, cdn_state *state, double *u) {
  const matter *m = of(self);
  if (!cdni_is_driven(state, m->at.driver_u)) return CDN_OK;
  if (m->lanes > 1) return gather_effective(m, state, CDN_U_EFF, m->tree.nu, u);
  const int32_t *by = cdni_drivers(state, m->driver_u);
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  const double *held = cdn_state_parameters(state, m->lock_u);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = n->u; by[i] == DRIVEN_BY_LOCK && k < n->u + n->nu; k++) u[k] = held[k];
    const matter_motion *x = cdni_driving_motion(m, by[i], i, CDN_LEVEL_VELOCITY);
    if (x) CDNI_TRY(motion_u(m, state, x, u + n->u));
  }
  return CDN_OK;
}

/* ---- udot ---- */

cdn_status cdni_motion_udot_at(const matter *m, cdn_state *state, const matter_motion *x, const double *q,
                               const double *u, double *udot) {
  return call(m, state, x, x->ops.udot, "udot", q, u, udot, m->tree.node[x->body].nu);
}

/* udot = N^+ (qdotdot - Ndot u) */
static cdn_status udot_of_position(const matter *m, cdn_state *state, const matter_motion *x, double *udot) {
  const tree_node *n = &m->tree.node[x->body];
  const tree_data d = cdni_matter_data(m, state);
  double qdotdot[7], bias[7];
  CDNI_TRY(call(m, state, x, x->ops.qdotdot, "qdotdot", NULL, NULL, qdotdot, n->nq));
  cdni_body_Ndot_u(m, x->body, d.q + n->q, d.u + n->u, bias);
  for (int k = 0; k < n->nq; k++) qdotdot[k] -= bias[k];
  cdni_body_N_inv(m, x->body, d.q + n->q, qdotdot, udot);
  return CDN_OK;
}

cdn_status cdni_motion_calc_udot(const matter *m, cdn_state *state, double *udot) {
  if (!cdni_is_driven(state, m->at.driver_udot)) return CDN_OK;
  if (m->lanes > 1) return gather_udot(m, state, udot);
  const int32_t *by = cdni_drivers(state, m->driver_udot);
  const double *q = cdn_state_q_eff(state), *u = cdn_state_u_eff(state);
  const double *held = cdn_state_parameters(state, m->lock_udot);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = n->u; by[i] == DRIVEN_BY_LOCK && k < n->u + n->nu; k++) udot[k] = held[k];
    const matter_motion *x = cdni_driving_motion(m, by[i], i, CDN_LEVEL_ACCELERATION);
    if (!x) continue;
    if (x->level == CDN_LEVEL_POSITION && x->mocap < 0) CDNI_TRY(udot_of_position(m, state, x, udot + n->u));
    else CDNI_TRY(cdni_motion_udot_at(m, state, x, q, u, udot + n->u));
  }
  return CDN_OK;
}

/* ---- which slots ---- */

void cdni_motion_mark_prescribed(const void *self, const cdn_state *state, bool *q, bool *u) {
  const matter *m = of(self);
  const int32_t *by_q = cdni_drivers(state, m->driver_q), *by_u = cdni_drivers(state, m->driver_u);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = 0; by_q[i] && k < n->nq; k++) q[n->q + k] = true;
    for (int k = 0; by_u[i] && k < n->nu; k++) u[n->u + k] = true;
  }
}
