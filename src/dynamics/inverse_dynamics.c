/* Constrained inverse dynamics: forces and multipliers for given accelerations, if only some mobilities have an
 * actuator. Three least-squares problems, each among the solutions of the one before: the imbalance of mobilities
 * without an actuator, the forces of the actuators, the multipliers. */
#include <math.h>

#include "dynamics/inverse_dynamics.h"
#include "math/dense.h"
#include "matter/operators.h"

static const char function[] = "cdn_constrained_inverse_dynamics";

/* Divides memory, or counts the doubles if there is none. */
static size_t divide(inverse_problem *p, double *memory) {
  const size_t nu = (size_t)p->nu, m = (size_t)p->m, most = nu > m ? nu : m;
  size_t at = 0;
  p->B = cdni_take(memory, &at, m * nu), p->scale = cdni_take(memory, &at, m), p->r = cdni_take(memory, &at, nu);
  p->y = cdni_take(memory, &at, m), p->A = cdni_take(memory, &at, nu * m), p->s = cdni_take(memory, &at, most);
  p->U = cdni_take(memory, &at, nu * most), p->VT = cdni_take(memory, &at, m * m), p->Z = cdni_take(memory, &at, m * m);
  p->c = cdni_take(memory, &at, nu), p->x = cdni_take(memory, &at, most);
  p->row[0] = (int *)cdni_take(memory, &at, nu), p->row[1] = (int *)cdni_take(memory, &at, nu);
  return at;
}

/* The smallest y that minimizes |A y + c| (A: rows x columns, destroyed), and A's rank. Rows of VT beyond the rank
 * span the directions that change nothing. */
static cdn_status least_squares(inverse_problem *p, int rows, int columns, const double *c, double *y, int *rank_out) {
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

/* Columns on the rows of a kind, times `right` (columns x n; NULL: the identity). */
static void fill(inverse_problem *p, int kind, int columns, const double *B, const double *right, int n) {
  for (int i = 0; i < p->rows[kind]; i++)
    for (int j = 0; j < n; j++) {
      const int u = p->row[kind][i];
      double sum = 0;
      if (!right) sum = B[j * p->nu + u];
      for (int e = 0; right && e < columns; e++) sum += B[e * p->nu + u] * right[j * columns + e];
      p->A[j * p->rows[kind] + i] = sum;
    }
}

double cdni_inverse_balance(const inverse_problem *p, int columns, const double *B, const double *r, const double *y,
                            int u) {
  double sum = r[u];
  for (int e = 0; e < columns; e++) sum += B[e * p->nu + u] * y[e];
  return sum;
}

cdn_status cdni_inverse_solve(inverse_problem *p, int columns, const double *B, const double *r, double *y) {
  int rank;
  for (int i = 0; i < p->rows[0]; i++) p->c[i] = r[p->row[0][i]];
  fill(p, 0, columns, B, NULL, columns);
  CDNI_TRY(least_squares(p, p->rows[0], columns, p->c, y, &rank));
  const int left = columns - rank;
  for (int j = 0; j < left; j++)
    for (int e = 0; e < columns; e++) p->Z[j * columns + e] = p->VT[e * columns + rank + j];
  for (int i = 0; i < p->rows[1]; i++) p->c[i] = cdni_inverse_balance(p, columns, B, r, y, p->row[1][i]);
  fill(p, 1, columns, B, p->Z, left);
  CDNI_TRY(least_squares(p, p->rows[1], left, p->c, p->x, &rank));
  for (int j = 0; j < left; j++)
    for (int e = 0; e < columns; e++) y[e] += p->Z[j * columns + e] * p->x[j];
  return CDN_OK;
}

/* Equations, weights, residual and the kinds of rows. Prescribed mobilities are neither kind: their motion provides
 * the force. */
static cdn_status prepare(cdn_state *state, inverse_problem *p, const constraint_room *room, const double *udot,
                          const bool *actuated) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const int32_t *prescribed = cdni_matter_data(m, state).prescribed;
  CDNI_TRY(cdn_residual(state, udot, p->r));
  CDNI_TRY(cdn_soft_forces(state, udot, p->c));
  for (int k = 0; k < p->nu; k++) p->r[k] -= p->c[k];
  size_t bad;
  if (p->nu > 0 && !cdni_all_finite(p->r, (size_t)p->nu, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL, "the residual force on mobility %zu is %g",
                           bad, p->r[bad]);
  const int equations = room ? cdni_constraints_equations(room) : 0;
  if (equations > 0) CDNI_TRY(cdn_calc_G(state, p->B));
  if (equations > 0) cdni_constraints_weights(room, state, p->scale);
  for (int e = equations; e < p->m; e++) p->scale[e] = 1;
  for (int i = 1; i < m->tree.n; i++)
    for (int k = 0; k < m->tree.node[i].nu; k++) {
      const int u = m->tree.node[i].u + k, kind = !actuated || actuated[u];
      if (!prescribed || !prescribed[i]) p->row[kind][p->rows[kind]++] = u;
    }
  return CDN_OK;
}

void cdni_inverse_scale(inverse_problem *p) {
  for (int e = 0; e < p->m; e++)
    for (int u = 0; u < p->nu; u++) p->B[e * p->nu + u] *= p->scale[e];
}

cdn_status cdn_constrained_inverse_dynamics(cdn_state *state, const double *udot, const bool *actuated, double *f,
                                            double *lambda, double *unbalanced) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  const cdn_system *system = cdn_state_system(state);
  const constraint_room *room = cdni_constraints(system);
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  const int equations = room ? cdni_constraints_equations(room) : 0;
  const hybrid_room *hybrid = cdni_hybrid(system);
  inverse_problem p = { .state = state, .nu = m->tree.nu, .m = equations };
  if (hybrid) p.m += cdni_hybrid_kept_count(hybrid, state);
  if (cdn_system_nu(system) != p.nu || cdn_system_nudoterr(system) != equations)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, __func__, NULL,
                           "subsystems other than matter have u, or constraint equations, of their own");
  CDNI_TRY(cdni_dynamics_refuse_exact_rows(state, __func__));
  CDNI_TRY(cdni_operator_check(state, __func__, "udot", udot, p.nu));
  void *frame;
  CDNI_TRY(cdni_operator_work(state, __func__, (divide(&p, NULL) + 1) * sizeof(double), &frame));
  divide(&p, frame);
  cdn_status status = prepare(state, &p, room, udot, actuated);
  bool solved = status == CDN_OK;
  if (solved && hybrid) {
    status = cdni_inverse_follow(&p, hybrid, udot);
    solved = status == CDN_OK || status == CDN_ERR_CONSTRAINT; /* then y is the best that there is */
  } else if (solved) {
    cdni_inverse_scale(&p);
    status = cdni_inverse_solve(&p, p.m, p.B, p.r, p.y);
    solved = status == CDN_OK;
  }
  double most = 0;
  for (int u = 0; u < p.nu && solved; u++) f[u] = cdni_inverse_balance(&p, p.m, p.B, p.r, p.y, u);
  for (int i = 0; i < p.rows[0] && solved; i++) {
    most = fmax(most, fabs(f[p.row[0][i]]));
    f[p.row[0][i]] = 0;
  }
  for (int e = 0; lambda && e < equations && solved; e++) lambda[e] = p.scale[e] * p.y[e];
  if (lambda && hybrid && solved) cdni_hybrid_fill_kept(hybrid, state, lambda);
  if (unbalanced) *unbalanced = most;
  cdn_work_pop(state, frame);
  return status;
}
