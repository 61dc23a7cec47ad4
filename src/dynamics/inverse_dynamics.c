/* Constrained inverse dynamics: forces and multipliers for given accelerations, if only some mobilities have an
 * actuator. Three least-squares problems, each among the solutions of the one before: the imbalance of mobilities
 * without an actuator, the forces of the actuators, the multipliers. */
#include <math.h>

#include "dynamics/internal.h"
#include "math/dense.h"
#include "matter/operators.h"

typedef struct problem {
  cdn_state *state;
  int nu, m, rows[2];          /* rows: mobilities without an actuator, and with one */
  int *row[2];                 /* which they are */
  double *G, *weight, *r, *mu; /* m x nu by rows; a multiplier each; nu; lambda / weight */
  double *A, *s, *U, *VT, *Z, *c, *y;
} problem;

/* Divides memory, or counts the doubles if there is none. */
static size_t divide(problem *p, double *memory) {
  const size_t nu = (size_t)p->nu, m = (size_t)p->m, most = nu > m ? nu : m;
  size_t at = 0;
  p->G = cdni_take(memory, &at, m * nu), p->weight = cdni_take(memory, &at, m), p->r = cdni_take(memory, &at, nu);
  p->mu = cdni_take(memory, &at, m), p->A = cdni_take(memory, &at, nu * m), p->s = cdni_take(memory, &at, most);
  p->U = cdni_take(memory, &at, nu * most), p->VT = cdni_take(memory, &at, m * m), p->Z = cdni_take(memory, &at, m * m);
  p->c = cdni_take(memory, &at, nu), p->y = cdni_take(memory, &at, most);
  p->row[0] = (int *)cdni_take(memory, &at, nu), p->row[1] = (int *)cdni_take(memory, &at, nu);
  return at;
}

/* The smallest y that minimizes |A y + c| (A: rows x columns, destroyed), and A's rank. Rows of VT beyond the rank
 * span the directions that change nothing. */
static cdn_status least_squares(problem *p, int rows, int columns, const double *c, double *y, int *rank_out) {
  static const char function[] = "cdn_constrained_inverse_dynamics";
  const int n = rows < columns ? rows : columns;
  void *work;
  CDNI_TRY(cdni_operator_work(p->state, function, cdni_svd_work(rows, columns) * sizeof(double), &work));
  const bool found = cdni_svd(rows, columns, p->A, p->s, p->U, p->VT, work);
  cdn_work_pop(p->state, work);
  if (!found)
    return cdni_state_fail(p->state, CDN_ERR_SINGULAR, false, function, NULL,
                           "the singular values of the constraints' matrix were not found");
  const int rank = cdni_svd_rank(n, p->s);
  for (int j = 0; j < columns; j++) y[j] = 0;
  for (int k = 0; k < rank; k++) {
    double along = 0;
    for (int i = 0; i < rows; i++) along += p->U[k * rows + i] * c[i];
    for (int j = 0; j < columns; j++) y[j] -= along / p->s[k] * p->VT[j * columns + k];
  }
  *rank_out = rank;
  return CDN_OK;
}

/* G^T W on the rows of a kind, times `right` (m x columns; NULL: the identity). */
static void fill(problem *p, int kind, const double *right, int columns) {
  for (int i = 0; i < p->rows[kind]; i++)
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      if (!right) sum = p->G[j * p->nu + p->row[kind][i]] * p->weight[j];
      for (int e = 0; right && e < p->m; e++)
        sum += p->G[e * p->nu + p->row[kind][i]] * p->weight[e] * right[j * p->m + e];
      p->A[j * p->rows[kind] + i] = sum;
    }
}

/* (r + G^T lambda) of one mobility. */
static double balance(const problem *p, int u) {
  double sum = p->r[u];
  for (int e = 0; e < p->m; e++) sum += p->G[e * p->nu + u] * p->weight[e] * p->mu[e];
  return sum;
}

static cdn_status solve(problem *p) {
  const int m = p->m;
  int rank;
  for (int i = 0; i < p->rows[0]; i++) p->c[i] = p->r[p->row[0][i]];
  fill(p, 0, NULL, m);
  CDNI_TRY(least_squares(p, p->rows[0], m, p->c, p->mu, &rank));
  const int left = m - rank;
  for (int j = 0; j < left; j++)
    for (int e = 0; e < m; e++) p->Z[j * m + e] = p->VT[e * m + rank + j];
  for (int i = 0; i < p->rows[1]; i++) p->c[i] = balance(p, p->row[1][i]);
  fill(p, 1, p->Z, left);
  CDNI_TRY(least_squares(p, p->rows[1], left, p->c, p->y, &rank));
  for (int j = 0; j < left; j++)
    for (int e = 0; e < m; e++) p->mu[e] += p->Z[j * m + e] * p->y[j];
  return CDN_OK;
}

/* Equations, weights, residual and the kinds of rows. Prescribed mobilities are neither kind: their motion provides
 * the force. */
static cdn_status prepare(cdn_state *state, problem *p, const constraint_room *room, const double *udot,
                          const bool *actuated) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const int32_t *prescribed = cdni_matter_data(m, state).prescribed;
  CDNI_TRY(cdn_residual(state, udot, p->r));
  CDNI_TRY(cdn_soft_forces(state, udot, p->c));
  for (int k = 0; k < p->nu; k++) p->r[k] -= p->c[k];
  size_t bad;
  if (p->nu > 0 && !cdni_all_finite(p->r, (size_t)p->nu, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, "cdn_constrained_inverse_dynamics", NULL,
                           "the residual force on mobility %zu is %g", bad, p->r[bad]);
  if (p->m > 0) CDNI_TRY(cdn_calc_G(state, p->G));
  if (p->m > 0) cdni_constraints_weights(room, state, p->weight);
  for (int i = 1; i < m->tree.n; i++)
    for (int k = 0; k < m->tree.node[i].nu; k++) {
      const int u = m->tree.node[i].u + k, kind = !actuated || actuated[u];
      if (!prescribed || !prescribed[i]) p->row[kind][p->rows[kind]++] = u;
    }
  return CDN_OK;
}

cdn_status cdn_constrained_inverse_dynamics(cdn_state *state, const double *udot, const bool *actuated, double *f,
                                            double *lambda, double *unbalanced) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  const cdn_system *system = cdn_state_system(state);
  const constraint_room *room = cdni_constraints(system);
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  problem p = { .state = state, .nu = m->tree.nu, .m = room ? cdni_constraints_equations(room) : 0 };
  if (cdn_system_nu(system) != p.nu || cdn_system_nudoterr(system) != p.m)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, __func__, NULL,
                           "subsystems other than matter have u, or constraint equations, of their own");
  CDNI_TRY(cdni_dynamics_refuse_exact_rows(state, __func__));
  CDNI_TRY(cdni_operator_check(state, __func__, "udot", udot, p.nu));
  void *frame;
  CDNI_TRY(cdni_operator_work(state, __func__, (divide(&p, NULL) + 1) * sizeof(double), &frame));
  divide(&p, frame);
  cdn_status status = prepare(state, &p, room, udot, actuated);
  if (status == CDN_OK) status = solve(&p);
  double most = 0;
  for (int u = 0; u < p.nu && status == CDN_OK; u++) f[u] = balance(&p, u);
  for (int i = 0; i < p.rows[0] && status == CDN_OK; i++) {
    most = fmax(most, fabs(f[p.row[0][i]]));
    f[p.row[0][i]] = 0;
  }
  for (int e = 0; lambda && e < p.m && status == CDN_OK; e++) lambda[e] = p.weight[e] * p.mu[e];
  if (unbalanced) *unbalanced = most;
  cdn_work_pop(state, frame);
  return status;
}
