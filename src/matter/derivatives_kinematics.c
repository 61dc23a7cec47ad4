/* Derivatives of qdot = N(q) u, and of displacements in the tangent basis. */
#include <cardan/derivatives.h>

#include <math.h>

#include "matter/custom.h"
#include "matter/kinds.h"
#include "matter/move.h"
#include "matter/subsystem.h"

/* First slots of q and u of matter in the pools; the matrices have the sizes of the pools, with zero rows for other
 * subsystems. */
static cdn_status begin(cdn_state *state, const char *function, const matter **m, cdni_runs *runs) {
  const cdn_system *system = cdn_state_system(state);
  *m = cdni_matter(system);
  if (!*m) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
  *runs = cdni_subsystem_runs(system, (*m)->subsystem);
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  return cdni_state_ensure(state, CDN_U_EFF);
}

/* The blocks of N (rows q, columns u) or N^+: one product with a vector of ones in every k-th place fills the k-th
 * column of all of them. */
static cdn_status fill_blocks(cdn_state *state, const matter *m,
                              cdn_status (*multiply)(cdn_state *, const double *, double *), bool inverse,
                              double *out) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nq = (size_t)cdn_system_nq(system), nu = (size_t)cdn_system_nu(system);
  const size_t width = inverse ? nq : nu, height = inverse ? nu : nq;
  const cdni_runs runs = cdni_subsystem_runs(system, m->subsystem);
  memset(out, 0, nq * nu * sizeof *out);
  double *unit = cdn_work_push(state, (nq + nu) * sizeof *unit);
  if (!unit) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_qdot_derivatives", NULL, "out of memory");
  double *column = unit + width;
  cdn_status status = CDN_OK;
  for (int k = 0; k < 7 && status == CDN_OK; k++) {
    memset(unit, 0, width * sizeof *unit);
    memset(column, 0, height * sizeof *column);
    for (int i = 1; i < m->tree.n; i++) {
      const tree_node *n = &m->tree.node[i];
      if (k < (inverse ? n->nq : n->nu)) unit[inverse ? runs.q + n->q + k : runs.u + n->u + k] = 1;
    }
    status = multiply(state, unit, column);
    for (int i = 1; i < m->tree.n; i++) {
      const tree_node *n = &m->tree.node[i];
      const int columns = inverse ? n->nq : n->nu, rows = inverse ? n->nu : n->nq;
      const size_t row0 = (size_t)(inverse ? runs.u + n->u : runs.q + n->q);
      const size_t column0 = (size_t)(inverse ? runs.q + n->q : runs.u + n->u);
      for (int r = 0; k < columns && r < rows; r++)
        out[(row0 + (size_t)r) * width + column0 + (size_t)k] = column[row0 + (size_t)r];
    }
  }
  cdn_work_pop(state, unit);
  return status;
}

/* ---- d(N u)/dq of one joint, 7 x 7 at most; elements that are not set are zero ---- */

/* qdot = 1/2 (0, w) q, a product of quaternions; 1/2 q (0, w) for w in M's axes. */
static void by_quaternion(const double *w, bool in_M, rate_block D) {
  const double x = 0.5 * w[0], y = 0.5 * w[1], z = 0.5 * w[2], s = in_M ? -1 : 1;
  const double block[4][4] = {
    { 0, -x, -y, -z }, { x, 0, -s * z, s * y }, { y, s * z, 0, -s * x }, { z, -s * y, s * x, 0 }
  };
  for (int r = 0; r < 4; r++) memcpy(D[r], block[r], sizeof block[r]);
}

/* See mobilizers/euler.h. */
static void by_angles(const double *q, const double *u, rate_block D) {
  const double s0 = sin(q[0]), c0 = cos(q[0]), s1 = sin(q[1]), c1 = cos(q[1]);
  const double e = c0 * u[2] - s0 * u[1], q1 = c0 * u[1] + s0 * u[2], q2 = e / c1;
  D[1][0] = e;
  D[2][0] = -q1 / c1;
  D[0][0] = -s1 * D[2][0];
  D[2][1] = q2 * s1 / c1;
  D[0][1] = -c1 * q2 - s1 * D[2][1];
}

static void by_angles_in_M(const double *q, const double *u, rate_block D) {
  const double s1 = sin(q[1]), c1 = cos(q[1]), s2 = sin(q[2]), c2 = cos(q[2]);
  const double a = c2 * u[0] - s2 * u[1], b = s2 * u[0] + c2 * u[1], q0 = a / c1;
  D[0][1] = q0 * s1 / c1;
  D[2][1] = -c1 * q0 - s1 * D[0][1];
  D[0][2] = -b / c1;
  D[1][2] = a;
  D[2][2] = -s1 * D[0][2];
}

/* Custom kinds bring N, but not its derivative: central differences with steps h and h/2, extrapolated. */
static void by_differences(const custom_mobilizer *x, const double *q, const double *u, rate_block D) {
  static const double weight[4] = { -1 / 6.0, 1 / 6.0, 8 / 6.0, -8 / 6.0 }, h = 2e-3;
  for (int k = 0; k < x->ops.nq; k++)
    for (int step = 0; step < 4; step++) {
      double there[7], qdot[7];
      memcpy(there, q, (size_t)x->ops.nq * sizeof *q);
      there[k] += (step & 1 ? -h : h) * (step < 2 ? 1 : 0.5);
      x->ops.N(x->self, there, u, qdot);
      for (int r = 0; r < x->ops.nq; r++) D[r][k] += weight[step] / h * qdot[r];
    }
}

void cdni_rate_block(const matter *m, const tree_node *n, const double *q, const double *u, rate_block D) {
  memset(D, 0, sizeof(rate_block));
  const double in_M[3] = { u[0], n->nu > 1 ? u[1] : 0, 0 };
  switch (cdni_kind_of(n)->speeds) {
    case SPEEDS_TURN_IN_F:
      if (n->quaternion) by_quaternion(u, false, D);
      else by_angles(q, u, D);
      break;
    case SPEEDS_TURN_ABOUT_AXES:
      if (n->quaternion) by_quaternion(in_M, true, D);
      else by_angles_in_M(q, u, D);
      break;
    case SPEEDS_ARE_RATES:
      if (cdni_custom_has_N(m, n->custom)) by_differences(&CDNI_AT(m->customs, custom_mobilizer, n->custom), q, u, D);
      break;
  }
}

cdn_status cdn_qdot_derivatives(cdn_state *state, double *dqdot_dq, double *N, double *N_inv) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m;
  cdni_runs runs;
  CDNI_TRY(begin(state, "cdn_qdot_derivatives", &m, &runs));
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(state));
  const double *q = cdn_state_q_eff(state) + runs.q, *u = cdn_state_u_eff(state) + runs.u;
  if (dqdot_dq && nq) memset(dqdot_dq, 0, nq * nq * sizeof *dqdot_dq);
  for (int i = 1; dqdot_dq && i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    rate_block D;
    if (n->nu == 0) continue;
    cdni_rate_block(m, n, q + n->q, u + n->u, D);
    const size_t at = (size_t)(runs.q + n->q);
    for (size_t r = 0; r < n->nq; r++) memcpy(dqdot_dq + (at + r) * nq + at, D[r], n->nq * sizeof D[r][0]);
  }
  if (N) CDNI_TRY(fill_blocks(state, m, cdni_state_multiply_by_N, false, N));
  return N_inv ? fill_blocks(state, m, cdni_state_multiply_by_N_inv, true, N_inv) : CDN_OK;
}

/* ---- displacements ---- */

cdn_status cdni_refuse_nonholonomic(cdn_state *state, const matter *m, const char *function) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const char *name = CDNI_AT(m->bodies, matter_body, i).mobilizer_name;
    if (cdni_custom_has_N(m, n->custom) || cdni_kind_of(n)->speeds == SPEEDS_TURN_ABOUT_AXES)
      return cdni_state_fail(
          state, CDN_ERR_UNSUPPORTED, false, function, name,
          "displacements of joint '%s' by its speeds do not stay among themselves (or it is custom): "
          "linearize in q, with cdn_qdot_derivatives",
          name);
  }
  return CDN_OK;
}

cdn_status cdn_tangent_rate_derivatives(cdn_state *state, double *A) {
  CDNI_NEED_SOME(state, A, cdn_system_nu(cdn_state_system(state)));
  const matter *m;
  cdni_runs runs;
  CDNI_TRY(begin(state, __func__, &m, &runs));
  CDNI_TRY(cdni_refuse_nonholonomic(state, m, __func__));
  const size_t nu = (size_t)m->tree.nu;
  const double *u = cdn_state_u_eff(state) + runs.u;
  if (nu) memset(A, 0, nu * nu * sizeof *A);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const double *w = u + n->u;
    if (cdni_kind_of(n)->speeds != SPEEDS_TURN_IN_F) continue; /* qdot = u */
    const double block[3][3] = { { 0, -w[2], w[1] }, { w[2], 0, -w[0] }, { -w[1], w[0], 0 } };
    for (size_t r = 0; r < 3; r++) memcpy(A + ((size_t)n->u + r) * nu + (size_t)n->u, block[r], sizeof block[r]);
  }
  return CDN_OK;
}
