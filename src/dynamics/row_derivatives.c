/* Differences of the rows whose derivatives are not known: their forces, and the equations of exact rows, at constant
 * udot. */
#include "dynamics/row_derivatives.h"

#include "matter/derivatives.h"
#include "matter/differences.h"
#include "matter/operators.h"

/* Forces and equations of the rows in one State. */
typedef struct row_values {
  bool same; /* the rows of the State itself */
  sv *F;
  double *f, *equation;
} row_values;

typedef struct differ {
  const dynamics *dyn;
  differences by;
  derivative_pass still; /* looks at the State put aside */
  int first_u, nz;       /* matter's u; numbers of z */
  double *dz;
  const row_changes *changes;
  int exact; /* rows */
  double *udot;
  row_values here, there[2];
  soft_base *base; /* the rows of the State itself */
} differ;

static cdn_status evaluate_here(const differ *x, row_values *out) {
  const tree *t = &x->dyn->matter->tree;
  int exact;
  memset(out->F, 0, (size_t)t->n * sizeof *out->F);
  if (t->nu) memset(out->f, 0, (size_t)t->nu * sizeof *out->f);
  CDNI_TRY(cdni_state_ensure(x->by.state, CDN_TWIST));
  CDNI_TRY(cdni_soft_count_exact(x->dyn->soft, x->by.state, &exact));
  if (exact > 0 && exact != x->exact) {
    out->same = false;
    return CDN_OK;
  }
  CDNI_TRY(cdni_soft_forces(x->dyn->soft, x->by.state, x->udot, SOFT_LEFT_OUT, x->base, out->F, out->f,
                            exact > 0 ? out->equation : NULL, &out->same));
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
  const derivative_pass *p = &x->still;
  const bool by_z = pool == CDN_POOL_Z;
  double *const tau = pool == CDN_POOL_Q ? p->dq : pool == CDN_POOL_U ? p->du : x->dz;
  double *const equations = x->changes->by[pool];
  const int columns = by_z ? x->nz : p->m->tree.nu;
  if (!by_z) column -= x->first_u;
  if (tau) cdni_derivatives_push_difference(p, a->F, b->F, a->f, b->f, h, tau, columns, column);
  for (int i = 0; i < x->exact && equations; i++)
    equations[(size_t)i * (size_t)columns + (size_t)column] = (a->equation[i] - b->equation[i]) / h;
}

/* Where exact rows come or go on one side, the derivative is that of the other side. */
static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const differ *x = user;
  const row_values *a = &x->there[0], *b = &x->there[1];
  const bool a_fits = a->same || x->exact == 0, b_fits = b->same || x->exact == 0;
  if (!a_fits && !b_fits)
    return cdni_state_fail(x->by.state, CDN_ERR_SINGULAR, false, x->by.function, NULL,
                           "the number of rows of row providers is another on both sides of this State: there is no "
                           "derivative here");
  if (a_fits && b_fits) add_difference(x, a, b, 2 * h, pool, column);
  else add_difference(x, a_fits ? a : &x->here, a_fits ? &x->here : b, h, pool, column);
  return CDN_OK;
}

static cdn_status all(void *user) {
  differ *x = user;
  const int first[] = { x->first_u, x->first_u, 0 }, n[] = { x->still.m->tree.nu, x->still.m->tree.nu, x->nz };
  cdni_derivatives_look_at(&x->still, x->by.saved);
  for (int pool = CDN_POOL_Q; pool <= CDN_POOL_Z; pool++)
    if (x->changes->by[pool]) CDNI_TRY(cdni_differences_by(&x->by, (cdn_pool)pool, first[pool], n[pool]));
  return CDN_OK;
}

/* Places in memory for the values of one State. */
static double *divide(differ *x, row_values *v, double *at) {
  const size_t nb = (size_t)x->dyn->matter->tree.n, nu = (size_t)x->dyn->matter->tree.nu;
  v->F = (sv *)at, v->f = at + 6 * nb, v->equation = v->f + nu;
  return v->equation + x->exact;
}

cdn_status cdni_rows_differentiate(const dynamics *dyn, derivative_pass *p, double *dz, const row_changes *changes) {
  cdn_state *state = p->state;
  const cdn_system *system = cdn_state_system(state);
  const size_t nb = (size_t)dyn->matter->tree.n, nu = (size_t)dyn->matter->tree.nu;
  differ x = { .dyn = dyn, .dz = dz, .changes = changes, .still = *p };
  bool rest = true;
  CDNI_TRY(cdni_soft_differentiate(dyn->soft, p, &rest));
  if (!rest) return CDN_OK;
  CDNI_TRY(cdni_soft_count_exact(dyn->soft, state, &x.exact));
  x.first_u = cdni_subsystem_runs(system, dyn->matter->subsystem).u, x.nz = cdn_system_nz(system);
  x.by = (differences){ .frees = true, .user = &x, .evaluate = evaluate, .add = add };
  void *frame;
  CDNI_TRY(cdni_operator_work(
      state, p->function, (3 * (6 * nb + nu + (size_t)x.exact) + nu + cdni_differences_room(system)) * sizeof(double),
      &frame));
  x.udot = divide(&x, &x.there[1], divide(&x, &x.there[0], divide(&x, &x.here, frame)));
  if (nu) memcpy(x.udot, p->udot, nu * sizeof *x.udot);

  /* As they are now they are constant forces at M's origins; then comes how they vary. */
  cdn_status status = cdni_differences_begin(&x.by, state, p->function, x.udot + nu);
  if (status == CDN_OK) status = cdni_soft_base_begin(dyn->soft, state, x.udot, &x.base);
  if (status == CDN_OK) status = evaluate_here(&x, &x.here);
  for (int i = 1; status == CDN_OK && i < (int)nb; i++) {
    cdni_derivatives_constant_moment(p, i, x.here.F[i].w);
    cdni_derivatives_constant_force(p, i, v3_zero(), x.here.F[i].v);
  }
  if (status == CDN_OK) status = cdni_differences_make(&x.by, all);
  if (x.base) cdni_soft_base_end(state, x.base);
  cdn_work_pop(state, frame);
  return status;
}
