/* Between q and u, mobilizer by mobilizer: N and its kin, and quaternions back to unit length. */
#include "math/lane_block.h"
#include "matter/custom.h"
#include "matter/kinds.h"
#include "matter/mobilizers/mobilizers.h"
#include "matter/subsystem.h"

static const matter *of(const void *self) { return *(const matter *const *)self; }

/* Applies CASE(row, name) for the kind of node n; if ops describe the mobilizer, CUSTOM with `custom` set to its
 * ops. */
#define FOR_KIND_OF(n, CASE, CUSTOM)                                                \
  do {                                                                              \
    const custom_mobilizer *custom;                                                 \
    switch ((n)->variant / 2) {                                                     \
      MOBILIZER_LIST(CASE)                                                          \
      default: custom = &CDNI_AT(m->customs, custom_mobilizer, (n)->custom); CUSTOM \
    }                                                                               \
  } while (0)

/* ---- one body, on its own run of q and u ---- */

CDNI_INLINE void body_N_inv(const matter *m, const tree_node *n, const double *q, const double *qdot, double *u) {
#define N_INV_CASE(ROW, name, ...) \
  case ROW_##ROW:                  \
    name##_N_inv(q, qdot, u);      \
    break;
#define N_INV_CUSTOM                                              \
  if (custom->ops.N) custom->ops.N_inv(custom->self, q, qdot, u); \
  else memcpy(u, qdot, n->nu * sizeof *u);
  FOR_KIND_OF(n, N_INV_CASE, N_INV_CUSTOM);
}

CDNI_INLINE void body_Ndot_u(const matter *m, const tree_node *n, const double *q, const double *u, double *out) {
#define NDOT_CASE(ROW, name, ...) \
  case ROW_##ROW:                 \
    name##_Ndot(q, u, out);       \
    break;
#define NDOT_CUSTOM                                               \
  if (custom->ops.N) custom->ops.Ndot_u(custom->self, q, u, out); \
  else memset(out, 0, n->nq * sizeof *out);
  FOR_KIND_OF(n, NDOT_CASE, NDOT_CUSTOM);
}

void cdni_body_N_inv(const matter *m, int body, const double *q, const double *qdot, double *u) {
  body_N_inv(m, &m->tree.node[body], q, qdot, u);
}

void cdni_body_Ndot_u(const matter *m, int body, const double *q, const double *u, double *out) {
  body_Ndot_u(m, &m->tree.node[body], q, u, out);
}

/* ---- all bodies ---- */

static void multiply_N(const matter *m, const double *q, const double *u, double *qdot) {
  m->kernels->multiply_N(&m->tree, q, u, qdot);
  for (size_t i = 0; i < m->customs.count; i++) {
    const custom_mobilizer *custom = &CDNI_AT(m->customs, custom_mobilizer, i);
    const tree_node *n = &m->tree.node[custom->body];
    for (int l = 0; l < m->lanes; l++) {
      double one_q[7], one_u[6], one_qdot[7];
      lane_get(q + n->q * m->lanes, m->lanes, l, one_q, n->nq);
      lane_get(u + n->u * m->lanes, m->lanes, l, one_u, n->nu);
      cdni_custom_N(custom, one_q, one_u, one_qdot, n->nu);
      lane_put(qdot + n->q * m->lanes, m->lanes, l, one_qdot, n->nq);
    }
  }
}

cdn_status cdni_matter_calc_qdot(const void *self, cdn_state *state, double *qdot) {
  const matter *m = of(self);
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  tree_data d = cdni_matter_data(m, state);
  multiply_N(m, d.q, d.u, qdot);
  return CDN_OK;
}

cdn_status cdni_matter_multiply_by_N(const void *self, cdn_state *state, const double *u, double *qdot) {
  const matter *m = of(self);
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  multiply_N(m, cdni_matter_data(m, state).q, u, qdot);
  return CDN_OK;
}

cdn_status cdni_matter_multiply_by_N_inv(const void *self, cdn_state *state, const double *qdot, double *u) {
  const matter *m = of(self);
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  const double *q = cdni_matter_data(m, state).q;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    body_N_inv(m, n, q + n->q, qdot + n->q, u + n->u);
  }
  return CDN_OK;
}

cdn_status cdni_matter_Ndot_u(const matter *m, cdn_state *state, const double *u, double *out) {
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  const double *q = cdni_matter_data(m, state).q;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    body_Ndot_u(m, n, q + n->q, u + n->u, out + n->q);
  }
  return CDN_OK;
}

CDNI_INLINE double body_normalize(const matter *m, const tree_node *n, double *q, double *scale) {
#define NORMALIZE_CASE(ROW, name, ...) \
  case ROW_##ROW:                      \
    return name##_normalize(q, scale);
#define NORMALIZE_CUSTOM return custom->ops.quaternion ? quaternion_normalize(q, scale) : 0;
  FOR_KIND_OF(n, NORMALIZE_CASE, NORMALIZE_CUSTOM);
}

double cdni_matter_normalize_q(const void *self, const cdn_state *state, double *q, double *scale) {
  const matter *m = of(self);
  double worst = 0;
  (void)state;
  for (int i = 1; i < m->tree.n && m->tree.n_quaternions > 0; i++) {
    const tree_node *n = &m->tree.node[i];
    if (n->quaternion) worst = fmax(worst, body_normalize(m, n, q + n->q, scale ? scale + n->q : NULL));
  }
  return worst;
}

/* q turns as a quaternion by the rotation from q0 to q1, both of any length. */
static void turn_alike(const double *q0, const double *q1, double *q) {
  const cdn_quaternion from = { q0[0], q0[1], q0[2], q0[3] }, to = { q1[0], q1[1], q1[2], q1[3] };
  const cdn_quaternion turn = cdn_quaternion_multiply(to, cdn_quaternion_conjugate(from));
  const cdn_quaternion now = cdn_quaternion_multiply(turn, (cdn_quaternion){ q[0], q[1], q[2], q[3] });
  q[0] = now.w, q[1] = now.x, q[2] = now.y, q[3] = now.z;
  (void)quaternion_normalize(q, NULL);
}

void cdni_matter_change_q(const matter *m, const double *q0, const double *q1, const bool *as_q1, double *q) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    int k = n->q;
    if (n->quaternion) {
      const bool changes = memcmp(q0 + k, q1 + k, 4 * sizeof *q) != 0;
      const bool as = as_q1[k] && as_q1[k + 1] && as_q1[k + 2] && as_q1[k + 3];
      if (changes && as) memcpy(q + k, q1 + k, 4 * sizeof *q);
      else if (changes) turn_alike(q0 + k, q1 + k, q + k);
      k += 4;
    }
    for (; k < n->q + n->nq; k++) q[k] = as_q1[k] && q1[k] != q0[k] ? q1[k] : q[k] + (q1[k] - q0[k]);
  }
}

int cdni_first_plain_coordinate(const matter *m, int body) {
  const tree_node *node = &CDNI_AT(m->nodes, tree_node, body);
  const mobilizer_kind *kind = cdni_kind_of(node);
  if (kind->speeds != SPEEDS_ARE_RATES) return node->nq - cdni_kind_lengths(kind); /* p_FM comes last */
  return cdni_custom_has_N(m, node->custom) ? node->nq : 0;
}
