/* The multipliers of provided rows, together with the elimination of the constraints.
 *
 * Without the rows udot is a0. With them it is a0 - X lambda, with X = M^-1 G^T, or with enabled constraints the
 * solution of the constrained equations for the columns G^T. So (S + R) lambda = G a0 + bias, with S = G X and the
 * regularisations R on the diagonal. The six rows of a weight W, with lambda = W (G a + bias), give (1 + W S) lambda
 * = W (G a0 + bias).
 *
 * Some rows have bounds. The others are eliminated first; what remains is a convex problem of the bounded ones alone
 * (math/box.h). It tells which of them are at a bound. The equations of the rows that hold are solved once more,
 * with the others at their bounds: so the bits of the multipliers follow from which rows hold, and not from the way
 * on which that was found.
 *
 * Derivatives solve the same equations, with the same rows at their bounds. At constant udot and lambda the equation
 * of row i changes by c_i, and udot would change by a1 without the rows; then (S + R) dlambda = G a1 + c, and dudot
 * = a1 - X dlambda. */
#include <math.h>

#include "dynamics/rows.h"
#include "math/box.h"
#include "math/lu.h"
#include "matter/operators.h"

typedef struct row_problem {
  int n, nu, m;  /* rows, mobilities, equations of constraints */
  double *S, *K; /* n x n; K: the equations */
  double *X, *b; /* nu x n, one column a row; multipliers of the constraints beside them */
  double *alone; /* n: S_ii as it would be without constraints: the size that it could have */
  double *f, *a; /* nu */
  sv *F, *V;     /* bodies */
} row_problem;

/* ---- the equations ---- */

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
    m->kernels->solve(&m->tree, &d);
    p->alone[c] = 0;
    for (size_t k = 0; k < nu; k++) p->alone[c] += p->f[k] * p->a[k];
    const double *column = is_constrained ? p->f : p->a;
    for (size_t k = 0; k < nu; k++) p->X[k * n + c] = column[k];
  }
  if (!is_constrained) return CDN_OK;
  memset(p->b, 0, (size_t)p->m * n * sizeof *p->b);
  return cdni_constraint_solve_columns(dyn->constraints, state, 1, p->n, p->X, p->b);
}

/* out (n, `stride` apart) = G a */
static void multiply(const dynamics *dyn, const provided_rows *rows, const tree_data *d, const row_problem *p,
                     double *out, int stride) {
  dyn->matter->kernels->jacobian(&dyn->matter->tree, d, p->a, p->V);
  for (int i = 0; i < p->n; i++) out[i * stride] = cdni_row_multiply(&rows->row[i], p->V, p->a);
}

/* right (n x columns) becomes the right hand sides: of rows of a weight W times what it was. */
static void weigh(const provided_rows *rows, int columns, double *right) {
  for (int i = 0; i < rows->n; i++) {
    double *w = right + i * columns, before[6];
    if (rows->row[i].weight != 0) continue;
    for (int c = 0; c < columns; c++) {
      for (int k = 0; k < 6; k++) before[k] = w[k * columns + c], w[k * columns + c] = 0;
      for (int e = 0; e < 6; e++)
        for (int k = 0; k < 6; k++) w[e * columns + c] += rows->row[i + e].W[k] * before[k];
    }
  }
}

static cdn_status fill_equations(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                                 row_problem *p) {
  const int n = p->n;
  CDNI_TRY(fill_columns(dyn, state, rows, *d, p));
  for (int c = 0; c < n; c++) {
    for (int k = 0; k < p->nu; k++) p->a[k] = p->X[k * n + c];
    multiply(dyn, rows, d, p, p->S + c, n);
  }
  memcpy(p->K, p->S, (size_t)(n * n) * sizeof *p->K);
  weigh(rows, n, p->K);
  for (int i = 0; i < n; i++) p->K[i * n + i] += rows->row[i].weight < 0 ? rows->row[i].regularisation : 1;
  return CDN_OK;
}

/* The largest number that the equations were computed from. */
static double largest(const row_problem *p) {
  double most = 0;
  for (int i = 0; i < p->n * p->n; i++) most = fmax(most, fabs(p->K[i]));
  for (int i = 0; i < p->n; i++) most = fmax(most, p->alone[i]);
  return most;
}

static const char *provider_of(const dynamics *dyn, cdn_state *state, int row) {
  const int32_t *ends = cdni_state_storage(state, dyn->row_ends);
  size_t i = 0;
  while (i + 1 < dyn->row_providers.count && ends[i] <= row) i++;
  return CDNI_AT(dyn->row_providers, row_provider, i).name;
}

/* Solves the equations of the rows that hold, for n x columns right hand sides; of the other rows these are the
 * solution. K is used up; `packed` is scratch of the same size as `right`. */
static cdn_status solve_equations(cdn_state *state, const char *function, double most, const int32_t *side,
                                  row_problem *p, int columns, double *right, double *packed) {
  const int n = p->n;
  const size_t width = (size_t)columns * sizeof *right;
  int m = 0;
  for (int i = 0; i < n; i++) {
    if (side[i] != CDNI_BOX_FREE) continue;
    double *from = p->K + i * n, *to = packed + m * columns;
    if (width) memcpy(to, right + i * columns, width);
    for (int j = 0; j < n; j++)
      for (int c = 0; c < columns && side[j] != CDNI_BOX_FREE; c++) to[c] -= from[j] * right[j * columns + c];
    m++;
  }
  /* to the front of K, whose rows and columns come before those that they are taken from */
  for (int i = 0, at = 0; i < n; i++)
    for (int j = 0; j < n && side[i] == CDNI_BOX_FREE; j++)
      if (side[j] == CDNI_BOX_FREE) p->K[at++] = p->K[i * n + j];
  const bool regular = cdni_eliminate(m, most, p->K, columns, packed);
  for (int i = n - 1; i >= 0 && regular && width; i--)
    if (side[i] == CDNI_BOX_FREE) memcpy(right + i * columns, packed + --m * columns, width);
  if (regular) return CDN_OK;
  return cdni_state_fail(
      state, CDN_ERR_SINGULAR, true, function, NULL,
      "the rows of row providers depend on each other or on constraints: give them a regularisation");
}

/* ---- bounds ---- */

static bool is_bounded(const provided_row *r) { return r->lower > -INFINITY || r->upper < INFINITY; }

/* The problem of the bounded rows, after the elimination of the others: scratch. */
typedef struct bounded_rows {
  int n, others;
  int32_t *row, *side; /* n rows, then the others; and the sides of the n */
  double *K, *right;   /* others x others, others x (n + 1) */
  double *reduced, *whole, *r, *size, *lower, *upper, *lambda, *box; /* of the n */
} bounded_rows;

static size_t bounded_size(size_t n) {
  return (2 * n * n + n + n * n + 6 * n + cdni_box_scratch((int)n)) * sizeof(double) + 2 * n * sizeof(int32_t);
}

static bounded_rows bounded_at(const provided_rows *rows, double *at) {
  const size_t n = (size_t)rows->n;
  bounded_rows x = { .K = at };
  x.right = x.K + n * n, x.reduced = x.right + n * n + n, x.whole = x.reduced + n * n, x.r = x.whole + n;
  x.size = x.r + n, x.lower = x.size + n, x.upper = x.lower + n, x.lambda = x.upper + n, x.box = x.lambda + n;
  x.row = (int32_t *)(x.box + cdni_box_scratch((int)n)), x.side = x.row + n;
  for (int i = 0; i < rows->n; i++)
    if (is_bounded(&rows->row[i])) x.row[x.n++] = i;
  for (int i = 0; i < rows->n; i++)
    if (!is_bounded(&rows->row[i])) x.row[x.n + x.others++] = i;
  return x;
}

/* Equations of the bounded rows alone, by what the others add to them. False if these depend on each other. */
static bool reduce(const provided_rows *rows, const row_problem *p, const double *r, const double *size, double most,
                   bounded_rows *x) {
  const int32_t *other = x->row + x->n;
  const int width = x->n + 1;
  for (int i = 0; i < x->others; i++) {
    const double *K = p->K + other[i] * p->n;
    for (int j = 0; j < x->others; j++) x->K[i * x->others + j] = K[other[j]];
    for (int j = 0; j < x->n; j++) x->right[i * width + j] = K[x->row[j]];
    x->right[i * width + x->n] = r[other[i]];
  }
  if (!cdni_eliminate(x->others, most, x->K, width, x->right)) return false;
  for (int i = 0; i < x->n; i++) {
    const double *K = p->K + x->row[i] * p->n;
    double *reduced = x->reduced + i * x->n;
    x->r[i] = r[x->row[i]], x->size[i] = size[x->row[i]];
    x->whole[i] = p->alone[x->row[i]] + rows->row[x->row[i]].regularisation;
    x->lower[i] = rows->row[x->row[i]].lower, x->upper[i] = rows->row[x->row[i]].upper;
    for (int j = 0; j < x->n; j++) reduced[j] = K[x->row[j]];
    for (int k = 0; k < x->others; k++) {
      const double c = K[other[k]], *y = x->right + k * width;
      for (int j = 0; j < x->n; j++) reduced[j] -= c * y[j];
      x->r[i] -= c * y[x->n], x->size[i] += fabs(c * y[x->n]);
    }
  }
  return true;
}

/* Which rows are at a bound: their sides and, in `right`, their multipliers. */
static cdn_status find_sides(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const row_problem *p,
                             double most, const double *size, double *right, int32_t *side) {
  void *frame;
  bool any = false;
  for (int i = 0; i < rows->n; i++) any = any || is_bounded(&rows->row[i]);
  if (!any) return CDN_OK;
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", bounded_size((size_t)rows->n), &frame));
  bounded_rows x = bounded_at(rows, frame);
  int which = -1;
  cdni_box_result result = CDNI_BOX_SOLVED;
  if (reduce(rows, p, right, size, most, &x)) {
    const cdni_box box = {
      .n = x.n, .K = x.reduced, .r = x.r, .size = x.size, .lower = x.lower, .upper = x.upper, .whole = x.whole
    };
    result = cdni_box_solve(&box, x.lambda, x.side, &which, x.box);
    for (int i = 0; i < x.n; i++) {
      side[x.row[i]] = x.side[i];
      if (x.side[i] != CDNI_BOX_FREE) right[x.row[i]] = x.lambda[i];
    }
    which = which >= 0 ? x.row[which] : -1;
  }
  cdn_work_pop(state, frame);
  if (result == CDNI_BOX_SOLVED) return CDN_OK;
  const char *name = provider_of(dyn, state, which);
  if (result == CDNI_BOX_CONTRADICTION)
    return cdni_state_fail(
        state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
        "row %d, of row provider '%s', contradicts other rows or constraints: no multiplier within the "
        "bounds meets its equation. Give it a regularisation, or two finite bounds",
        which, name);
  return cdni_state_fail(state, CDN_ERR_LIMIT, true, "cdn_realize", name,
                         "which bounded rows are at a bound was not found within %d exchanges (row %d, of row provider "
                         "'%s', was the last): give them a regularisation, and symmetric weights",
                         cdni_box_most_exchanges(rows->n), which, name);
}

/* ---- accelerations ---- */

/* right = G a0 + bias, and the sizes of the terms in it. */
static void find_right(const provided_rows *rows, const tree_data *d, double *right, double *size) {
  for (int i = 0; i < rows->n; i++) {
    const provided_row *r = &rows->row[i];
    right[i] = cdni_row_multiply(r, d->A, d->udot) + r->bias;
    size[i] = fabs(r->bias);
    for (int b = 0; b < r->n_bodies; b++) {
      const double *J = &r->J[b].w.x, *A = &d->A[r->body[b]].w.x;
      for (int k = 0; k < 6; k++) size[i] += fabs(J[k] * A[k]);
    }
    for (int k = 0; k < r->n_mobilities; k++) size[i] += fabs(r->g[k] * d->udot[r->u[k]]);
  }
}

/* Takes scratch for the problem, and `extra` numbers at *at. */
static cdn_status begin(const dynamics *dyn, cdn_state *state, const char *function, const provided_rows *rows,
                        size_t extra, row_problem *p, double **at) {
  const size_t n = (size_t)rows->n, nb = (size_t)dyn->matter->tree.n, nu = (size_t)dyn->matter->tree.nu;
  const size_t m = dyn->constraints ? (size_t)cdni_constraints_equations(dyn->constraints) : 0;
  const size_t numbers = 2 * n * n + n + (nu + m) * n + 3 * nu + extra;
  void *frame;
  CDNI_TRY(cdni_state_ensure(state, dyn->matter->articulated.ticket));
  CDNI_TRY(cdni_operator_work(state, function, 2 * nb * sizeof(sv) + numbers * sizeof(double), &frame));
  *p = (row_problem){ .n = rows->n, .nu = (int)nu, .m = (int)m, .F = frame };
  p->V = p->F + nb;
  p->S = (double *)(p->V + nb);
  p->K = p->S + n * n, p->alone = p->K + n * n, p->X = p->alone + n, p->b = p->X + nu * n;
  p->f = p->b + m * n, p->a = p->f + nu;
  *at = p->a + 2 * nu;
  return CDN_OK;
}

static cdn_status solve(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                        row_problem *p, double *scratch, double *lambda, int32_t *side) {
  CDNI_TRY(fill_equations(dyn, state, rows, d, p));
  const double most = largest(p);
  find_right(rows, d, lambda, scratch);
  weigh(rows, 1, lambda);
  memset(side, 0, (size_t)rows->n * sizeof *side);
  CDNI_TRY(find_sides(dyn, state, rows, p, most, scratch, lambda, side));
  CDNI_TRY(solve_equations(state, "cdn_realize", most, side, p, 1, lambda, scratch));
  for (int i = 0; i < rows->n; i++) lambda[i] = fmin(fmax(lambda[i], rows->row[i].lower), rows->row[i].upper);
  return CDN_OK;
}

cdn_status cdni_rows_solve(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                           double *lambda, int32_t *side) {
  row_problem p;
  double *scratch;
  CDNI_TRY(begin(dyn, state, "cdn_realize", rows, (size_t)rows->n, &p, &scratch));
  const cdn_status status = solve(dyn, state, rows, d, &p, scratch, lambda, side);
  cdn_work_pop(state, p.F);
  return status;
}

/* ---- derivatives ---- */

/* Z, the changes of the multipliers, for all columns. */
static cdn_status solve_variations(const dynamics *dyn, cdn_state *state, const char *function,
                                   const provided_rows *rows, const tree_data *d, int n, const row_variation *x,
                                   row_problem *p, int columns, double *right) {
  const int32_t *side = cdni_state_storage(state, dyn->row_side);
  CDNI_TRY(fill_equations(dyn, state, rows, d, p));
  const double most = largest(p);
  for (int k = 0, at = 0; k < n; k++)
    for (int c = 0; c < x[k].columns; c++, at++) {
      for (int i = 0; i < p->nu; i++) p->a[i] = x[k].udot[i * x[k].columns + c];
      multiply(dyn, rows, d, p, right + at, columns);
    }
  weigh(rows, columns, right);
  for (int i = 0; i < p->n; i++)
    for (int k = 0, first = 0; k < n; first += x[k++].columns)
      for (int c = 0; c < x[k].columns; c++) {
        double *to = &right[i * columns + first + c];
        if (side[i] != CDNI_BOX_FREE) *to = 0;
        if (x[k].change) *to += x[k].change[i * x[k].columns + c];
      }
  return solve_equations(state, function, most, side, p, columns, right, right + p->n * columns);
}

/* matrix (height x columns) -= by (height x n) Z */
static void subtract(int height, int n, const double *by, const double *Z, int columns, int first,
                     const row_variation *x, double *matrix) {
  for (int k = 0; k < height; k++)
    for (int i = 0; i < n; i++) {
      const double c = by[k * n + i];
      for (int j = 0; j < x->columns && c != 0; j++) matrix[k * x->columns + j] -= c * Z[i * columns + first + j];
    }
}

cdn_status cdni_rows_vary(const dynamics *dyn, cdn_state *state, const char *function, int n, const row_variation *x) {
  provided_rows rows;
  row_problem p;
  double *right;
  int columns = 0;
  for (int k = 0; k < n; k++) columns += x[k].columns;
  if (dyn->most_rows == 0) return CDN_OK;
  CDNI_TRY(cdni_rows_evaluate(dyn, state, &rows));
  if (rows.n == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  CDNI_TRY(begin(dyn, state, function, &rows, 2 * (size_t)rows.n * (size_t)columns, &p, &right));
  const tree_data d = cdni_matter_data(dyn->matter, state);
  const cdn_status status = solve_variations(dyn, state, function, &rows, &d, n, x, &p, columns, right);
  for (int k = 0, first = 0; k < n && status == CDN_OK; first += x[k++].columns) {
    subtract(p.nu, p.n, p.X, right, columns, first, &x[k], x[k].udot);
    if (x[k].lambda && cdni_dynamics_is_constrained(dyn, state))
      subtract(p.m, p.n, p.b, right, columns, first, &x[k], x[k].lambda);
  }
  cdn_work_pop(state, p.F);
  return status;
}
