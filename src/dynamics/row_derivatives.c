/* Differences of provided rows, which bring no derivatives: their forces at constant multipliers, and their
 * equations at constant udot and multipliers. */
#include <math.h>

#include "dynamics/rows.h"
#include "math/box.h"
#include "matter/differences.h"
#include "matter/operators.h"

/* Forces and equations of the rows in one State. */
typedef struct row_values {
  bool same; /* as many rows of every provider as in the State itself */
  sv *F;
  double *f, *equation;
} row_values;

typedef struct differ {
  const dynamics *dyn;
  differences by;
  double *dz;
  const row_changes *changes;
  int n;
  double *lambda, *udot;
  int32_t *side, *ends;
  row_values here, there[2];
  sv *A;
  soft_base *base_rows; /* of soft rows: those of the State itself */
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
  CDNI_TRY(cdni_state_ensure(x->by.state, CDN_TWIST));
  return cdni_soft_forces(x->dyn->soft, x->by.state, x->udot, true, x->base_rows, out->F, out->f);
}

static cdn_status evaluate_here(const differ *x, row_values *out) {
  const matter *m = x->dyn->matter;
  provided_rows rows;
  if (x->dyn->soft) return evaluate_soft(x, out);
  CDNI_TRY(cdni_rows_evaluate(x->dyn, x->by.state, &rows));
  const int32_t *ends = cdni_state_storage(x->by.state, x->dyn->row_ends);
  out->same = memcmp(ends, x->ends, x->dyn->row_providers.count * sizeof *ends) == 0;
  if (!out->same) return CDN_OK;
  const tree_data d = cdni_matter_data(m, x->by.state);
  cdni_operator_accelerations(m, &d, x->udot, x->A);
  clear_forces(x, out);
  cdni_rows_add_forces(&rows, x->lambda, out->F, out->f);
  for (int i = 0; i < x->n; i++) out->equation[i] = equation_of(x, rows.row, i);
  return CDN_OK;
}

static cdn_status evaluate(void *user, int side) {
  differ *x = user;
  return evaluate_here(x, &x->there[side]);
}

/* Column `column` of tau's derivatives (NULL: not wanted) and of the equations': the differences of two States that
 * are h apart. */
static void add_difference(const differ *x, const row_values *a, const row_values *b, double h, cdn_pool pool,
                           int column) {
  const derivative_pass *p = &x->by.still;
  double *const tau = pool == CDN_POOL_Q ? p->dq : pool == CDN_POOL_U ? p->du : x->dz;
  double *const equations = x->changes->by[pool];
  const int columns = pool == CDN_POOL_Z ? x->by.nz : p->m->tree.nu;
  if (tau) cdni_differences_push(&x->by, a->F, b->F, a->f, b->f, h, tau, columns, column);
  for (int i = 0; i < x->n && equations; i++)
    equations[(size_t)i * (size_t)columns + (size_t)column] = (a->equation[i] - b->equation[i]) / h;
}

/* Where rows come or go on one side, the derivative is that of the other side. */
static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const differ *x = user;
  const row_values *a = &x->there[0], *b = &x->there[1];
  if (!a->same && !b->same)
    return cdni_state_fail(x->by.state, CDN_ERR_SINGULAR, false, x->by.still.function, NULL,
                           "the number of rows of row providers is another on both sides of this State: there is no "
                           "derivative here");
  if (a->same && b->same) add_difference(x, a, b, 2 * h, pool, column);
  else add_difference(x, a->same ? a : &x->here, a->same ? &x->here : b, h, pool, column);
  return CDN_OK;
}

static cdn_status all(void *user) {
  differ *x = user;
  if (x->changes->by[CDN_POOL_Q]) CDNI_TRY(cdni_differences_by_q(&x->by));
  if (x->changes->by[CDN_POOL_U]) CDNI_TRY(cdni_differences_by_u(&x->by));
  return x->changes->by[CDN_POOL_Z] ? cdni_differences_by_z(&x->by, 0, x->by.nz) : CDN_OK;
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
  differ x = { .dyn = dyn, .dz = dz, .changes = changes };
  provided_rows rows = { .n = 0 };
  bool rest = true;
  if (dyn->soft) CDNI_TRY(cdni_soft_differentiate(dyn->soft, p, &rest));
  if (!rest) return CDN_OK;
  if (dyn->most_rows > 0) CDNI_TRY(cdni_rows_evaluate(dyn, state, &rows));
  x.n = rows.n;
  x.by = (differences){ .user = &x, .evaluate = evaluate, .add = add };
  const size_t n = (size_t)x.n;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, p->function,
                              (3 * (6 * nb + nu + n) + 6 * nb + n + nu + cdni_differences_room(system, dyn->matter)) *
                                      sizeof(double) +
                                  (n + providers) * sizeof(int32_t),
                              &frame));
  double *at = divide(&x, &x.there[1], divide(&x, &x.there[0], divide(&x, &x.here, frame)));
  x.A = (sv *)at, x.lambda = at + 6 * nb, x.udot = x.lambda + n;
  double *room = x.udot + nu;
  cdni_differences_set(&x.by, p, room);
  x.side = (int32_t *)(room + cdni_differences_room(system, dyn->matter)), x.ends = x.side + n;
  if (n > 0) {
    memcpy(x.lambda, cdni_state_storage(state, dyn->row_lambda), n * sizeof *x.lambda);
    memcpy(x.side, cdni_state_storage(state, dyn->row_side), n * sizeof *x.side);
    memcpy(x.ends, cdni_state_storage(state, dyn->row_ends), providers * sizeof *x.ends);
  }
  if (nu) memcpy(x.udot, p->udot, nu * sizeof *x.udot);

  /* As they are now they are constant forces at M's origins; then comes how they vary. */
  cdn_status status = CDN_OK;
  if (dyn->soft) status = cdni_soft_base_begin(dyn->soft, state, x.udot, &x.base_rows);
  if (status == CDN_OK) status = evaluate_here(&x, &x.here);
  for (int i = 1; status == CDN_OK && i < (int)nb; i++) {
    cdni_derivatives_constant_moment(p, i, x.here.F[i].w);
    cdni_derivatives_constant_force(p, i, v3_zero(), x.here.F[i].v);
  }
  if (status == CDN_OK) status = cdni_differences_make(&x.by, all);
  if (x.base_rows) cdni_soft_base_end(state, x.base_rows);
  cdn_work_pop(state, frame);
  return status;
}
