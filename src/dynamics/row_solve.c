/* The multipliers of provided rows, together with the elimination of the constraints.
 *
 * Without the rows udot is a0. With them it is a0 - X lambda, with X = M^-1 G^T, or with enabled constraints the
 * solution of the constrained equations for the columns G^T. So (S + R) lambda = G a0 + bias, with S = G X and the
 * regularisations R on the diagonal. The six rows of a weight W, with lambda = W (G a + bias), give (1 + W S) lambda
 * = W (G a0 + bias). */
#include <math.h>

#include "dynamics/rows.h"
#include "matter/operators.h"

typedef struct row_problem {
  int n, nu;
  double *S, *K, *r; /* n x n; n x n; n */
  double *X, *b;     /* nu x n, one column a row; multipliers of the constraints beside them */
  double *f, *a;     /* nu */
  sv *F, *V;         /* bodies */
} row_problem;

/* x = K^-1 x by elimination with row pivoting; K is used up. False if K is singular. */
static bool eliminate(int n, double *K, double *x) {
  double most = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(K[i]));
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(K[i * n + k]) > fabs(K[pivot * n + k])) pivot = i;
    if (!(fabs(K[pivot * n + k]) > 1e-13 * most)) return false;
    for (int j = 0; j < n && pivot != k; j++) {
      const double t = K[k * n + j];
      K[k * n + j] = K[pivot * n + j], K[pivot * n + j] = t;
    }
    const double t = x[k];
    x[k] = x[pivot], x[pivot] = t;
    for (int i = k + 1; i < n; i++) {
      const double c = K[i * n + k] / K[k * n + k];
      if (c == 0) continue;
      for (int j = k; j < n; j++) K[i * n + j] -= c * K[k * n + j];
      x[i] -= c * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= K[k * n + j] * x[j];
    x[k] /= K[k * n + k];
  }
  return true;
}

/* X = M^-1 G^T, or its counterpart with constraints; in columns. */
static cdn_status fill_columns(const dynamics *dyn, cdn_state *state, const provided_rows *rows, tree_data d,
                               row_problem *p) {
  const matter *m = dyn->matter;
  const size_t nb = (size_t)m->tree.n, nu = (size_t)p->nu, n = (size_t)p->n;
  const bool is_constrained = cdni_dynamics_is_constrained(dyn, state);
  d.z = p->F, d.A = p->V, d.force = NULL, d.f_mob = p->f, d.udot = p->a, d.eps = p->a + nu;
  for (size_t c = 0; c < n; c++) {
    const provided_row *r = &rows->row[c];
    memset(p->F, 0, nb * sizeof *p->F);
    for (int b = 0; b < r->n_bodies; b++) p->F[r->body[b]] = sv_add(p->F[r->body[b]], r->J[b]);
    m->kernels->jacobian_transpose(&m->tree, &d, p->f);
    for (int k = 0; k < r->n_mobilities; k++) p->f[r->u[k]] += r->g[k];
    if (is_constrained) memcpy(p->a, p->f, nu * sizeof *p->a);
    else m->kernels->solve(&m->tree, &d);
    for (size_t k = 0; k < nu; k++) p->X[k * n + c] = p->a[k];
  }
  if (!is_constrained) return CDN_OK;
  memset(p->b, 0, (size_t)cdni_constraints_equations(dyn->constraints) * n * sizeof *p->b);
  return cdni_constraint_solve_columns(dyn->constraints, state, 1, p->n, p->X, p->b);
}

static cdn_status solve(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                        row_problem *p, double *lambda) {
  const matter *m = dyn->matter;
  const int n = p->n;
  CDNI_TRY(fill_columns(dyn, state, rows, *d, p));
  for (int c = 0; c < n; c++) {
    for (int k = 0; k < p->nu; k++) p->a[k] = p->X[k * n + c];
    m->kernels->jacobian(&m->tree, d, p->a, p->V);
    for (int i = 0; i < n; i++) p->S[i * n + c] = cdni_row_multiply(&rows->row[i], p->V, p->a);
  }
  for (int i = 0; i < n; i++) p->r[i] = cdni_row_multiply(&rows->row[i], d->A, d->udot) + rows->row[i].bias;
  for (int i = 0; i < n; i++) {
    const provided_row *r = &rows->row[i];
    double *K = p->K + i * n;
    if (r->weight < 0) {
      memcpy(K, p->S + i * n, (size_t)n * sizeof *K);
      K[i] += r->regularisation;
      lambda[i] = p->r[i];
      continue;
    }
    const int first = i - r->weight;
    memset(K, 0, (size_t)n * sizeof *K);
    lambda[i] = 0;
    for (int k = 0; k < 6; k++) {
      for (int c = 0; c < n; c++) K[c] += r->W[k] * p->S[(first + k) * n + c];
      lambda[i] += r->W[k] * p->r[first + k];
    }
    K[i] += 1;
  }
  if (eliminate(n, p->K, lambda)) return CDN_OK;
  return cdni_state_fail(
      state, CDN_ERR_SINGULAR, true, "cdn_realize", NULL,
      "the rows of row providers depend on each other or on constraints: give them a regularisation");
}

cdn_status cdni_rows_solve(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                           double *lambda) {
  const size_t n = (size_t)rows->n, nb = (size_t)dyn->matter->tree.n, nu = (size_t)dyn->matter->tree.nu;
  const size_t m = dyn->constraints ? (size_t)cdni_constraints_equations(dyn->constraints) : 0;
  void *frame;
  const size_t numbers = 2 * n * n + n + (nu + m) * n + 3 * nu;
  CDNI_TRY(cdni_state_ensure(state, dyn->matter->articulated.ticket));
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", 2 * nb * sizeof(sv) + numbers * sizeof(double), &frame));
  row_problem p = { .n = rows->n, .nu = (int)nu, .F = frame };
  p.V = p.F + nb;
  p.S = (double *)(p.V + nb);
  p.K = p.S + n * n, p.r = p.K + n * n, p.X = p.r + n, p.b = p.X + nu * n, p.f = p.b + m * n, p.a = p.f + nu;
  const cdn_status status = solve(dyn, state, rows, d, &p, lambda);
  cdn_work_pop(state, frame);
  return status;
}
