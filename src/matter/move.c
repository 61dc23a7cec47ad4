#include "matter/move.h"

#include <math.h>

#include "matter/operators.h"

/* sin(x) / x */
static double sine_part(double x) { return x > 1e-4 ? sin(x) / x : 1 - x * x / 6; }

/* Half of the angular speed of a unit quaternion: qdot is at right angles to q, which moves along a great circle. */
static double half_speed(const double *qdot) {
  double square = 0;
  for (int i = 0; i < 4; i++) square += qdot[i] * qdot[i];
  return sqrt(square);
}

cdn_status cdni_move(cdn_state *state, move_way way, int lanes, int nq, const double *h, const double *q0,
                     const double *u, double *qdot, double *q1) {
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  if (nq == 0) return CDN_OK;
  CDNI_TRY(cdni_state_multiply_by_N(state, u, qdot));
  for (int i = 0; i < nq; i++)
    for (int l = i * lanes; l < (i + 1) * lanes; l++) q1[l] = q0[l] + h[l - i * lanes] * qdot[l];
  if (way == MOVE_STRAIGHT || !m || m->tree.n_quaternions == 0) return CDN_OK;
  const int first = cdni_subsystem_runs(system, m->subsystem).q;
  for (int b = 1; b < m->tree.n; b++) {
    if (!m->tree.node[b].quaternion) continue;
    for (int l = 0; l < lanes; l++) {
      const int at = first + m->tree.node[b].q * lanes + l;
      double rate[4];
      for (int k = 0; k < 4; k++) rate[k] = qdot[at + k * lanes];
      const double angle = fabs(h[l]) * half_speed(rate), along = cos(angle), across = h[l] * sine_part(angle);
      for (int k = at; k < at + 4 * lanes; k += lanes) q1[k] = along * q0[k] + across * qdot[k];
    }
  }
  return CDN_OK;
}

/* ---- how it varies ---- */

/* The change of a quaternion after the move, from those of q0 and of qdot. */
static void vary_quaternion(move_way way, double h, const double *q0, const double *qdot, const double *d_q0,
                            const double *d_qdot, double *out) {
  double along = 1, across = h, by_q0 = 0, by_qdot = 0;
  if (way == MOVE_TURN) {
    const double speed = half_speed(qdot), angle = fabs(h) * speed;
    double faster = 0; /* half of the growth of speed squared */
    for (int i = 0; i < 4; i++) faster += qdot[i] * d_qdot[i];
    along = cos(angle), across = h * sine_part(angle);
    by_q0 = -h * across * faster;
    by_qdot = faster * (angle > 1e-2 ? (h * along - across) / (speed * speed)
                                     : h * h * h * (angle * angle / 30 - 1 / 3.0 - pow(angle, 4) / 840));
  } else {
    double square = 0;
    for (int i = 0; i < 4; i++) square += (q0[i] + h * qdot[i]) * (q0[i] + h * qdot[i]);
    along = 1 / sqrt(square), across = h * along;
  }
  for (int i = 0; i < 4; i++) out[i] = along * d_q0[i] + across * d_qdot[i] + by_q0 * q0[i] + by_qdot * qdot[i];
}

/* Data of one call. */
typedef struct mover {
  const matter *m;
  cdni_runs runs;
  move_way way;
  double h;
  const double *q0, *u, *qdot;
} mover;

/* From the changes of q0 and qdot, nq numbers each, that of q1. */
static void vary(const mover *x, const double *d_q0, const double *d_qdot, double *out) {
  for (int b = 1; b < x->m->tree.n; b++) {
    const tree_node *n = &x->m->tree.node[b];
    const int at = x->runs.q + n->q;
    for (int i = at; i < at + n->nq; i++) out[i] = d_q0[i] + x->h * d_qdot[i];
    if (n->quaternion) vary_quaternion(x->way, x->h, x->q0 + at, x->qdot + at, d_q0 + at, d_qdot + at, out + at);
  }
}

/* d_qdot = d(N u)/dq d_q */
static void vary_rates(const mover *x, const double *d_q, double *d_qdot) {
  for (int b = 1; b < x->m->tree.n; b++) {
    const tree_node *n = &x->m->tree.node[b];
    const int at = x->runs.q + n->q;
    rate_block D;
    if (n->nu == 0) continue;
    cdni_rate_block(x->m, n, x->q0 + at, x->u + x->runs.u + n->u, D);
    for (int r = 0; r < n->nq; r++) {
      d_qdot[at + r] = 0;
      for (int k = 0; k < n->nq; k++) d_qdot[at + r] += D[r][k] * d_q[at + k];
    }
  }
}

/* Column k of all joints, from changes of q1 in terms of u. */
static void put(const mover *x, int k, const double *d_u, double *out) {
  for (int b = 1; b < x->m->tree.n; b++) {
    const tree_node *n = &x->m->tree.node[b];
    for (int r = 0; r < n->nu && k < n->nu; r++) out[MOVE_COLUMNS * (n->u + r) + k] = d_u[x->runs.u + n->u + r];
  }
}

/* Changes of q1 for the k-th mobility of every joint, at `by_q` and `by_u`. */
static cdn_status vary_mobility(const mover *x, cdn_state *state, int k, double *unit, double *d_q, double *d_qdot,
                                double *by_q, double *by_u) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nq = (size_t)cdn_system_nq(system);
  memset(unit, 0, (size_t)cdn_system_nu(system) * sizeof *unit);
  memset(d_qdot, 0, nq * sizeof *d_qdot);
  for (int b = 1; b < x->m->tree.n; b++)
    if (k < x->m->tree.node[b].nu) unit[x->runs.u + x->m->tree.node[b].u + k] = 1;
  CDNI_TRY(cdni_state_multiply_by_N(state, unit, d_q));
  vary_rates(x, d_q, d_qdot);
  vary(x, d_q, d_qdot, by_q);
  memcpy(d_qdot, d_q, nq * sizeof *d_q);
  memset(d_q, 0, nq * sizeof *d_q);
  vary(x, d_q, d_qdot, by_u);
  return CDN_OK;
}

cdn_status cdni_move_vary(cdn_state *state, const char *function, move_way way, double h, const double *u, double *by_q,
                          double *by_u) {
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  const size_t nq = (size_t)cdn_system_nq(system), nu = (size_t)cdn_system_nu(system), mine = (size_t)m->tree.nu;
  if (mine == 0) return CDN_OK;
  CDNI_TRY(cdni_refuse_nonholonomic(state, m, function));
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, ((5 + 2 * MOVE_COLUMNS) * nq + nu) * sizeof(double), &frame));
  double *q0 = frame, *qdot = q0 + nq, *q1 = qdot + nq, *d_q = q1 + nq, *d_qdot = d_q + nq, *unit = d_qdot + nq;
  double *columns = unit + nu;
  const mover x = { m, cdni_subsystem_runs(system, m->subsystem), way, h, q0, u, qdot };
  memcpy(q0, cdn_state_q(state), nq * sizeof *q0);
  memset(columns, 0, 2 * MOVE_COLUMNS * nq * sizeof *columns);
  memset(by_q, 0, MOVE_COLUMNS * mine * sizeof *by_q);
  memset(by_u, 0, MOVE_COLUMNS * mine * sizeof *by_u);
  cdn_status status = cdni_move(state, way, 1, (int)nq, &h, q0, u, qdot, q1);
  for (int k = 0; k < MOVE_COLUMNS && status == CDN_OK; k++)
    status = vary_mobility(&x, state, k, unit, d_q, d_qdot, columns + 2 * (size_t)k * nq,
                           columns + (2 * (size_t)k + 1) * nq);
  if (status == CDN_OK) {
    cdni_state_normalize_q(state, q1, NULL);
    status = cdn_state_set_q(state, q1);
  }
  for (int k = 0; k < 2 * MOVE_COLUMNS && status == CDN_OK; k++) {
    status = cdni_state_multiply_by_N_inv(state, columns + (size_t)k * nq, unit);
    put(&x, k / 2, unit, k % 2 ? by_u : by_q);
  }
  cdn_work_pop(state, frame);
  return status;
}
