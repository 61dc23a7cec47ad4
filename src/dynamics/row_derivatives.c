/* Differences of provided rows, which bring no derivatives: their forces at constant multipliers, and their
 * equations at constant udot and multipliers. The rows are evaluated in States that are displaced a little in every
 * direction, from both sides. The State is saved before and restored afterwards, so that no computed result is lost. */
#include <math.h>

#include "dynamics/rows.h"
#include "math/box.h"
#include "matter/derivatives.h"
#include "matter/motion_derivatives.h"
#include "matter/operators.h"

/* The cube root of the rounding error balances it with the truncation error h^2 / 6. */
static const double STEP = 6e-6;

/* Forces and equations of the rows in one State. */
typedef struct row_values {
  bool same; /* as many rows of every provider as in the State itself */
  sv *F;
  double *f, *equation;
} row_values;

typedef struct differ {
  const dynamics *dyn;
  cdn_state *state;
  derivative_pass still; /* the pass, looking at the State put aside */
  int n, nq, nu, nz;
  cdni_runs runs;
  double *lambda, *udot;
  int32_t *side, *ends;
  row_values here, there[2];
  double *base, *displaced, *direction; /* values of a pool, others to set, and nq */
  sv *A;
} differ;

/* The left side of row i's equation. */
static double equation_of(const differ *x, const provided_row *rows, int i) {
  const provided_row *r = &rows[i];
  double sum = 0;
  switch ((cdni_box_side)x->side[i]) {
    case CDNI_BOX_AT_LOWER: return r->lower;
    case CDNI_BOX_AT_UPPER: return r->upper;
    case CDNI_BOX_HELD: return x->lambda[i];
    case CDNI_BOX_FREE: break;
  }
  if (r->weight < 0) return cdni_row_multiply(r, x->A, x->udot) + r->bias - r->regularisation * x->lambda[i];
  for (int k = 0; k < 6; k++) {
    const provided_row *other = &rows[i - r->weight + k];
    sum += r->W[k] * (cdni_row_multiply(other, x->A, x->udot) + other->bias);
  }
  return sum;
}

static void clear_forces(const differ *x, row_values *out) {
  const tree *t = &x->dyn->matter->tree;
  memset(out->F, 0, (size_t)t->n * sizeof *out->F);
  if (t->nu) memset(out->f, 0, (size_t)t->nu * sizeof *out->f);
}

/* Soft rows have no equations: their forces follow from the State and udot. Of most it is known how they vary. */
static cdn_status evaluate_soft(const differ *x, row_values *out) {
  out->same = true;
  clear_forces(x, out);
  CDNI_TRY(cdni_state_ensure(x->state, CDN_TWIST));
  return cdni_soft_forces(x->dyn->soft, x->state, x->udot, true, out->F, out->f);
}

static cdn_status evaluate(const differ *x, row_values *out) {
  const matter *m = x->dyn->matter;
  provided_rows rows;
  if (x->dyn->soft) return evaluate_soft(x, out);
  CDNI_TRY(cdni_rows_evaluate(x->dyn, x->state, &rows));
  const int32_t *ends = cdni_state_storage(x->state, x->dyn->row_ends);
  out->same = memcmp(ends, x->ends, x->dyn->row_providers.count * sizeof *ends) == 0;
  if (!out->same) return CDN_OK;
  const tree_data d = cdni_matter_data(m, x->state);
  cdni_operator_accelerations(m, &d, x->udot, x->A);
  clear_forces(x, out);
  cdni_rows_add_forces(&rows, x->lambda, out->F, out->f);
  for (int i = 0; i < x->n; i++) out->equation[i] = equation_of(x, rows.row, i);
  return CDN_OK;
}

/* Column `column` of tau's derivatives (NULL: not wanted) and of the equations': the differences of two States that
 * are h apart. */
static void add_difference(const differ *x, const row_values *a, const row_values *b, double h, double *tau,
                           double *equations, int columns, int column) {
  const matter *m = x->dyn->matter;
  for (int i = 1; i < m->tree.n && tau; i++) {
    const sv dF = sv_sub(a->F[i], b->F[i]);
    cdni_derivatives_push(&x->still, i, (sv){ v3_scale(1 / h, dF.w), v3_scale(1 / h, dF.v) }, tau, columns, column);
  }
  for (int k = 0; k < m->tree.nu && tau; k++)
    tau[(size_t)k * (size_t)columns + (size_t)column] -= (a->f[k] - b->f[k]) / h;
  for (int i = 0; i < x->n && equations; i++)
    equations[(size_t)i * (size_t)columns + (size_t)column] = (a->equation[i] - b->equation[i]) / h;
}

/* One column, with n values of a pool on both sides of base along the direction. Where rows come or go on one side,
 * the derivative is that of the other side. */
static cdn_status difference(differ *x, cdn_pool pool, int n, const double *direction, double *tau, double *equations,
                             int columns, int column) {
  double scale = 1;
  for (int i = 0; i < n; i++)
    if (direction[i] != 0) scale = fmax(scale, fabs(x->base[i]));
  const double h = STEP * scale;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) x->displaced[i] = x->base[i] + (side ? -h : h) * direction[i];
    CDNI_TRY(cdn_state_set_slots(x->state, pool, 0, n, x->displaced));
    CDNI_TRY(evaluate(x, &x->there[side]));
  }
  const row_values *a = &x->there[0], *b = &x->there[1];
  if (!a->same && !b->same)
    return cdni_state_fail(x->state, CDN_ERR_SINGULAR, false, x->still.function, NULL,
                           "the number of rows of row providers is another on both sides of this State: there is no "
                           "derivative here");
  if (a->same && b->same) add_difference(x, a, b, 2 * h, tau, equations, columns, column);
  else add_difference(x, a->same ? a : &x->here, a->same ? &x->here : b, h, tau, equations, columns, column);
  return CDN_OK;
}

static void take_base(differ *x, const double *values, int n) {
  if (n) memcpy(x->base, values, (size_t)n * sizeof *values);
}

static cdn_status by_q(differ *x, double *equations) {
  const int columns = x->dyn->matter->tree.nu;
  take_base(x, cdn_state_q(x->state), x->nq);
  for (int k = 0; k < columns; k++) {
    double *unit = x->displaced; /* nu <= the room there */
    memset(unit, 0, (size_t)x->nu * sizeof *unit);
    unit[x->runs.u + k] = 1;
    CDNI_TRY(cdni_state_multiply_by_N(x->state, unit, x->direction));
    CDNI_TRY(difference(x, CDN_POOL_Q, x->nq, x->direction, x->still.dq, equations, columns, k));
    CDNI_TRY(cdn_state_set_slots(x->state, CDN_POOL_Q, 0, x->nq, x->base));
  }
  return CDN_OK;
}

static cdn_status by_values(differ *x, cdn_pool pool, const double *base, int n, int first, int columns, double *tau,
                            double *equations) {
  take_base(x, base, n);
  memset(x->direction, 0, (size_t)n * sizeof *x->direction);
  for (int k = 0; k < columns; k++) {
    x->direction[first + k] = 1;
    CDNI_TRY(difference(x, pool, n, x->direction, tau, equations, columns, k));
    x->direction[first + k] = 0;
  }
  return cdn_state_set_slots(x->state, pool, 0, n, x->base);
}

static cdn_status all(differ *x, double *dz, const row_changes *changes) {
  cdn_state *s = x->state;
  const int nu = x->dyn->matter->tree.nu;
  if (changes->by[0] && x->nq > 0) CDNI_TRY(by_q(x, changes->by[0]));
  if (changes->by[1] && x->nu > 0)
    CDNI_TRY(by_values(x, CDN_POOL_U, cdn_state_u(s), x->nu, x->runs.u, nu, x->still.du, changes->by[1]));
  if (changes->by[2] && x->nz > 0)
    CDNI_TRY(by_values(x, CDN_POOL_Z, cdn_state_z(s), x->nz, 0, x->nz, dz, changes->by[2]));
  return CDN_OK;
}

/* The State as it is now is put aside, and returned to. */
static cdn_status displaced(differ *x, derivative_pass *p, double *dz, const row_changes *changes) {
  cdn_state *state = x->state;
  const char *block = cdni_state_block(state);
  char *saved = cdn_work_push(state, cdni_state_snapshot_size(state));
  if (!saved) return cdni_state_fail(state, CDN_ERR_NOMEM, false, p->function, NULL, "out of memory");
  cdni_state_take_snapshot(state, saved);
  x->still.pose = (const body_pose *)(saved + ((const char *)p->pose - block));
  x->still.twist = (const body_twist *)(saved + ((const char *)p->twist - block));
  /* with their effective values as the variables, and free to be displaced */
  cdn_status status = cdn_prescribe(state, NULL);
  if (status == CDN_OK) {
    cdni_motion_release(p->m, state);
    status = all(x, dz, changes);
  }
  cdni_state_return_to(state, saved);
  cdn_work_pop(state, saved);
  return status;
}

/* Places in memory for the values of one State. */
static double *divide(differ *x, row_values *v, double *at) {
  const size_t nb = (size_t)x->dyn->matter->tree.n, nu = (size_t)x->dyn->matter->tree.nu;
  v->F = (sv *)at, v->f = at + 6 * nb, v->equation = v->f + nu;
  return v->equation + x->n;
}

cdn_status cdni_rows_differentiate(const dynamics *dyn, derivative_pass *p, double *dz, const row_changes *changes) {
  cdn_state *state = p->state;
  const cdn_system *system = cdn_state_system(state);
  const size_t nb = (size_t)dyn->matter->tree.n, nu = (size_t)dyn->matter->tree.nu,
               providers = dyn->row_providers.count;
  differ x = { .dyn = dyn, .state = state, .still = *p };
  provided_rows rows = { .n = 0 };
  bool rest = true;
  if (dyn->soft) CDNI_TRY(cdni_soft_differentiate(dyn->soft, p, &rest));
  if (!rest) return CDN_OK;
  if (dyn->most_rows > 0) CDNI_TRY(cdni_rows_evaluate(dyn, state, &rows));
  x.n = rows.n, x.nq = cdn_system_nq(system), x.nu = cdn_system_nu(system), x.nz = cdn_system_nz(system);
  x.runs = cdni_subsystem_runs(system, dyn->matter->subsystem);
  const size_t n = (size_t)x.n, pool = (size_t)(x.nq + x.nu + x.nz);
  void *frame;
  CDNI_TRY(cdni_operator_work(state, p->function,
                              (3 * (6 * nb + nu + n) + 6 * nb + n + nu + 3 * pool) * sizeof(double) +
                                  (n + providers) * sizeof(int32_t),
                              &frame));
  double *at = divide(&x, &x.there[1], divide(&x, &x.there[0], divide(&x, &x.here, frame)));
  x.A = (sv *)at, x.lambda = at + 6 * nb, x.udot = x.lambda + n;
  x.base = x.udot + nu, x.displaced = x.base + pool, x.direction = x.displaced + pool;
  x.side = (int32_t *)(x.direction + pool), x.ends = x.side + n;
  if (n > 0) {
    memcpy(x.lambda, cdni_state_storage(state, dyn->row_lambda), n * sizeof *x.lambda);
    memcpy(x.side, cdni_state_storage(state, dyn->row_side), n * sizeof *x.side);
    memcpy(x.ends, cdni_state_storage(state, dyn->row_ends), providers * sizeof *x.ends);
  }
  if (nu) memcpy(x.udot, p->udot, nu * sizeof *x.udot);

  /* As they are now they are constant forces at M's origins; then comes how they vary. */
  cdn_status status = evaluate(&x, &x.here);
  for (int i = 1; status == CDN_OK && i < (int)nb; i++) {
    cdni_derivatives_constant_moment(p, i, x.here.F[i].w);
    cdni_derivatives_constant_force(p, i, v3_zero(), x.here.F[i].v);
  }
  if (status == CDN_OK) status = displaced(&x, p, dz, changes);
  cdn_work_pop(state, frame);
  return status;
}
