#include "dynamics/step_solver.h"

#include "math/lu.h"
#include "matter/operators.h"

static void find_free(step_solver *s, const int32_t *prescribed) {
  const tree *t = &s->dyn->matter->tree;
  s->n = 0;
  for (int i = 1; i < t->n; i++)
    for (int k = 0; k < t->node[i].nu && !(prescribed && prescribed[i]); k++) s->at[s->n++] = t->node[i].u + k;
}

/* Factors the rows of the constraints; `G` is room for all of them. */
static cdn_status gather_rows(step_solver *s, double *G) {
  const cdn_system *system = cdn_state_system(s->state);
  const constraint_room *room = s->dyn->constraints;
  const size_t nu = (size_t)cdn_system_nu(system), n = (size_t)s->n;
  const int first_u = cdni_subsystem_runs(system, s->dyn->matter->subsystem).u;
  const int first = cdni_constraints_first_row(room), m = cdni_constraints_equations(room);
  CDNI_TRY(cdn_calc_G(s->state, G));
  for (int e = 0; e < m; e++)
    for (size_t k = 0; k < n; k++)
      s->rows.A[(size_t)e * n + k] = G[(size_t)(first + e) * nu + (size_t)(first_u + s->at[k])];
  s->rows.n = s->n, s->rows.m = m;
  /* the sine that makes an equation redundant in the elimination, too */
  cdni_null_space_factor(&s->rows, 3e-6);
  return CDN_OK;
}

cdn_status cdni_step_solver_begin(step_solver *s, cdn_state *state, const char *function, step_damping damping,
                                  double h) {
  const cdn_system *system = cdn_state_system(state);
  const dynamics *dyn = cdni_dynamics(system);
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  const size_t nu = (size_t)dyn->matter->tree.nu;
  const size_t m = constrained ? (size_t)cdni_constraints_equations(dyn->constraints) : 0;
  const size_t G = constrained ? (size_t)cdn_system_nudoterr(system) * (size_t)cdn_system_nu(system) : 0;
  *s = (step_solver){ .dyn = dyn, .state = state, .function = function, .nu = nu };
  CDNI_TRY(
      cdni_operator_work(state, function, (3 * nu * nu + 2 * nu + m * (nu + 3) + G + 4) * sizeof(double), &s->frame));
  s->M = s->frame, s->K = s->M + nu * nu, s->factor = s->K + nu * nu, s->column = s->factor + nu * nu;
  s->rows.A = s->column + nu, s->rows.scale = s->rows.A + m * nu, s->rows.size = s->rows.scale + m;
  double *all = s->rows.size + m;
  s->rows.order = (int32_t *)(all + G);
  s->at = (int *)(s->rows.order + m + m % 2);
  find_free(s, cdni_matter_data(dyn->matter, state).prescribed);
  cdn_status status = cdni_dynamics_step_matrix(state, function, damping, h, s->M, s->K);
  if (status == CDN_OK && constrained) status = gather_rows(s, all);
  if (status != CDN_OK) cdni_step_solver_end(s);
  return status;
}

void cdni_step_solver_end(step_solver *s) { cdn_work_pop(s->state, s->frame); }

/* Q^T K Q of the free mobilities, the null space of G alone. */
static void reduce(step_solver *s) {
  double *A = s->factor;
  const size_t n = (size_t)s->n, rank = (size_t)s->rows.rank, left = n - rank;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) A[i * n + k] = s->K[(size_t)s->at[i] * s->nu + (size_t)s->at[k]];
  if (rank == 0) return;
  for (size_t i = 0; i < n; i++) cdni_null_space_enter(&s->rows, A + i * n);
  for (size_t k = rank; k < n; k++) {
    for (size_t i = 0; i < n; i++) s->column[i] = A[i * n + k];
    cdni_null_space_enter(&s->rows, s->column);
    for (size_t i = 0; i < n; i++) A[i * n + k] = s->column[i];
  }
  for (size_t i = 0; i < left; i++) memmove(A + i * left, A + (i + rank) * n + rank, left * sizeof *A);
}

cdn_status cdni_step_solver_factor(step_solver *s) {
  reduce(s);
  const int bad = cdni_lu_factor(s->n - s->rows.rank, s->factor);
  if (bad < 0) return CDN_OK;
  char speed[96] = "what the constraints leave free";
  const cdn_system *system = cdn_state_system(s->state);
  if (s->rows.rank == 0)
    cdn_system_slot_name(system, CDN_POOL_U, cdni_subsystem_runs(system, s->dyn->matter->subsystem).u + s->at[bad],
                         speed, sizeof speed);
  return cdni_state_fail(s->state, CDN_ERR_SINGULAR, true, s->function, speed,
                         "forces grow with the speed of %s faster than a step of this size can follow: take a shorter "
                         "step",
                         speed);
}

/* x (n rows) += by times the free rows of A (nu x nu) with y. */
static void add_product(const step_solver *s, double by, const double *A, const double *y, int columns, double *x) {
  const tree_kernels *kernels = s->dyn->matter->kernels;
  const int nu = (int)s->nu;
  for (int i = 0; i < s->n; i++)
    kernels->add_product(1, nu, columns, by, A + s->at[i] * nu, s->nu, 1, y, x + (size_t)i * (size_t)columns);
}

/* Columns of n numbers from the axes of mobilities to those of the constraints, or back. */
static void turn(const step_solver *s, bool back, size_t columns, double *x) {
  const size_t n = (size_t)s->n;
  for (size_t c = 0; c < columns && s->rows.rank > 0; c++) {
    for (size_t i = 0; i < n; i++) s->column[i] = x[i * columns + c];
    if (back) cdni_null_space_leave(&s->rows, s->column);
    else cdni_null_space_enter(&s->rows, s->column);
    for (size_t i = 0; i < n; i++) x[i * columns + c] = s->column[i];
  }
}

/* Of a = P y + N w, where P y is what prescribed motions and constraints say, first P y is put in place of y. */
cdn_status cdni_step_solver_apply(const step_solver *s, int n_columns, const double *c, double *y) {
  const size_t n = (size_t)s->n, rank = (size_t)s->rows.rank, columns = (size_t)n_columns;
  void *frame;
  CDNI_TRY(cdni_operator_work(s->state, s->function, (2 * n * columns + 1) * sizeof(double), &frame));
  double *x = frame, *held = x + n * columns;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < columns; k++) {
      x[i * columns + k] = c ? c[(size_t)s->at[i] * columns + k] : 0;
      held[i * columns + k] = y[(size_t)s->at[i] * columns + k];
    }
  add_product(s, 1, s->M, y, n_columns, x);
  turn(s, false, columns, held);
  for (size_t k = rank * columns; k < n * columns; k++) held[k] = 0;
  turn(s, true, columns, held);
  for (size_t i = 0; i < n; i++) memcpy(y + (size_t)s->at[i] * columns, held + i * columns, columns * sizeof *y);
  if (rank > 0 || n < s->nu) add_product(s, -1, s->K, y, n_columns, x);
  turn(s, false, columns, x);
  for (size_t k = 0; k < rank * columns; k++) x[k] = 0;
  cdni_lu_solve(s->n - s->rows.rank, s->factor, n_columns, x + rank * columns, s->dyn->matter->kernels->add_product);
  turn(s, true, columns, x);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < columns; k++) y[(size_t)s->at[i] * columns + k] += x[i * columns + k];
  cdn_work_pop(s->state, frame);
  return CDN_OK;
}
