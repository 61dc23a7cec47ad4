/* What the factorization of the dynamics solves: constrained motions, impulses, G M^-1 G^T. */
#include "constraints/internal.h"
#include "constraints/loops.h"
#include "matter/operators.h"

/* The constraints of a State, NULL if the System has no equations of them. */
static const constraint_room *room_of(const cdn_state *state) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  return room && room->m > 0 ? room : NULL;
}

/* ---- the augmented system ---- */

static cdn_status solve_without(cdn_state *state, const double *f, double *x) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  if (f) return cdn_multiply_by_M_inv(state, f, x);
  if (nu) memset(x, 0, (size_t)nu * sizeof *x);
  return CDN_OK;
}

cdn_status cdn_solve_constrained(cdn_state *state, const double *f, const double *b, double *x, double *lambda) {
  CDNI_NEED_SOME(state, x, cdn_system_nu(cdn_state_system(state)));
  CDNI_NEED_SOME(state, lambda, cdn_system_nudoterr(cdn_state_system(state)));
  const constraint_room *room = room_of(state);
  const cdn_system *system = cdn_state_system(state);
  const loop_plan *p;
  const loop_factor *factor;
  void *frame;
  if (!room) return solve_without(state, f, x);
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "f", f, cdn_system_nu(system)));
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "b", b, cdn_system_nudoterr(system)));
  CDNI_TRY(cdni_constraint_factor(room, state, &p, &factor));
  memset(lambda + room->first_row, 0, (size_t)room->m * sizeof *lambda);
  if (!factor) return solve_without(state, f, x);
  const int first_u = cdni_subsystem_runs(system, room->matter->subsystem).u;
  const tree_data d = cdni_matter_data(room->matter, state);
  const size_t m = (size_t)p->m, A = (size_t)p->tree->n * sizeof(sv);
  const size_t own = cdni_aligned(A + 2 * m * sizeof(double));
  CDNI_TRY(cdni_operator_work(state, __func__, own + cdni_loop_solve_scratch(p, factor), &frame));
  double *right = (double *)((char *)frame + A), *found = right + m;
  if (b) cdni_constraint_gather(p, b + room->first_row, right);
  else memset(right, 0, m * sizeof *right);
  const loop_problem problem = { .f = f ? f + first_u : NULL,
                                 .b = right,
                                 .weight = cdn_state_parameters(state, room->weights),
                                 .x = x + first_u,
                                 .lambda = found,
                                 .A = frame };
  cdni_loop_solve(p, &d, factor, &problem, (char *)frame + own);
  cdni_constraint_spread(room, p, found, lambda + room->first_row);
  cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_redundant_equations(cdn_state *state, bool *redundant, int *n) {
  CDNI_NEED_SOME(state, redundant, cdn_system_nudoterr(cdn_state_system(state)));
  const constraint_room *room = room_of(state);
  const loop_plan *plan;
  const loop_factor *f;
  if (n) *n = 0;
  if (!room) return CDN_OK;
  CDNI_TRY(cdni_constraint_factor(room, state, &plan, &f));
  const int32_t *flags = cdni_constraint_redundant(room, state);
  for (int k = 0; k < room->m; k++) redundant[room->first_row + k] = flags[k] != 0;
  if (n && f) *n = *f->n_redundant;
  return CDN_OK;
}

/* ---- impulses ---- */

/* What is asked for, and scratch. */
typedef struct impulse {
  const double *f, *b, *known; /* NULL: zero */
  double *du, *lambda, *tau;
  double *right, *beta; /* nu, m */
} impulse;

/* Mobilities whose motion is prescribed keep their part of `values`; the others have 0. */
static void keep_prescribed(const matter *m, cdn_state *state, double *values) {
  const int32_t *prescribed = cdni_matter_data(m, state).prescribed;
  const int first = cdni_subsystem_runs(cdn_state_system(state), m->subsystem).u;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = n->u; k < n->u + n->nu && !(prescribed && prescribed[i]); k++) values[first + k] = 0;
  }
}

/* What is known goes to the right: f - M du, b - G du. */
static cdn_status move_known(cdn_state *state, const impulse *x, int nu, int m) {
  CDNI_TRY(cdn_multiply_by_M(state, x->tau, x->right));
  for (int k = 0; k < nu; k++) x->right[k] = (x->f ? x->f[k] : 0) - x->right[k];
  if (m) memset(x->beta, 0, (size_t)m * sizeof *x->beta);
  CDNI_TRY(cdn_multiply_by_G(state, x->tau, x->beta));
  for (int k = 0; k < m; k++) x->beta[k] = (x->b ? x->b[k] : 0) - x->beta[k];
  return CDN_OK;
}

static cdn_status solve_impulses(cdn_state *state, const matter *bodies, const impulse *x, int nu, int m) {
  const size_t size = (size_t)nu * sizeof(double);
  if (nu) memset(x->tau, 0, size);
  if (x->known && nu) memcpy(x->tau, x->known, size);
  keep_prescribed(bodies, state, x->tau);
  if (x->known) CDNI_TRY(move_known(state, x, nu, m));
  CDNI_TRY(cdn_solve_constrained(state, x->known ? x->right : x->f, x->known ? x->beta : x->b, x->du, x->lambda));
  for (int k = 0; k < nu; k++) x->du[k] += x->tau[k];
  /* tau = f - M du - G^T lambda */
  CDNI_TRY(cdn_multiply_by_M(state, x->du, x->tau));
  CDNI_TRY(cdn_multiply_by_G_transpose(state, x->lambda, x->right));
  for (int k = 0; k < nu; k++) x->tau[k] = (x->f ? x->f[k] : 0) - x->tau[k] - x->right[k];
  keep_prescribed(bodies, state, x->tau);
  return CDN_OK;
}

cdn_status cdn_solve_impulses(cdn_state *state, const double *f, const double *b, const double *known, double *du,
                              double *lambda, double *tau) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system), m = cdn_system_nudoterr(system);
  const matter *bodies;
  void *frame;
  CDNI_TRY(cdni_operator_matter(state, __func__, &bodies));
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "the impulses f", f, nu));
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "the changes b", b, m));
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "the known changes of u", known, nu));
  if (nu > 0 && !du)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "there is no place for du: give nu numbers");
  CDNI_TRY(cdni_operator_work(state, __func__, (size_t)(2 * nu + 2 * m + 1) * sizeof(double), &frame));
  impulse x = { .f = f, .b = b, .known = known, .du = du, .right = frame };
  x.beta = x.right + nu;
  x.lambda = lambda ? lambda : x.beta + m;
  x.tau = tau ? tau : x.beta + 2 * m;
  const cdn_status status = solve_impulses(state, bodies, &x, nu, m);
  cdn_work_pop(state, frame);
  return status;
}

/* ---- G M^-1 G^T (8.43) ---- */

/* Column k in r, from the unit multiplier of equation k. */
static cdn_status calc_column(cdn_state *state, int k, int m, double *unit, double *f, double *a, double *r) {
  memset(unit, 0, (size_t)m * sizeof *unit);
  memset(r, 0, (size_t)m * sizeof *r);
  unit[k] = 1;
  CDNI_TRY(cdn_multiply_by_G_transpose(state, unit, f));
  CDNI_TRY(cdn_multiply_by_M_inv(state, f, a));
  return cdn_multiply_by_G(state, a, r);
}

cdn_status cdn_calc_G_M_inv_G_transpose(cdn_state *state, double *W) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const constraint_room *room = room_of(state);
  const cdn_system *system = cdn_state_system(state);
  const size_t m = (size_t)cdn_system_nudoterr(system), nu = (size_t)cdn_system_nu(system);
  const loop_plan *p;
  void *frame;
  if (m > 0 && !W)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "there is no place for the matrix: give m x m numbers");
  if (m) memset(W, 0, m * m * sizeof *W);
  if (!room) return CDN_OK;
  CDNI_TRY(cdni_constraint_plan(room, state, &p));
  CDNI_TRY(cdni_operator_work(state, __func__, (2 * m + 2 * nu + 1) * sizeof(double), &frame));
  double *unit = frame, *r = unit + m, *f = r + m, *a = f + nu;
  cdn_status status = CDN_OK;
  for (int k = 0; k < p->m && status == CDN_OK; k++) {
    const size_t column = (size_t)(room->first_row + p->row[k]);
    status = calc_column(state, (int)column, (int)m, unit, f, a, r);
    for (int e = k; e < p->m && status == CDN_OK; e++) {
      const size_t row = (size_t)(room->first_row + p->row[e]);
      W[row * m + column] = W[column * m + row] = r[row];
    }
  }
  cdn_work_pop(state, frame);
  return status;
}

cdn_status cdn_solve_G_M_inv_G_transpose(cdn_state *state, const double *b, double *lambda) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system), m = cdn_system_nudoterr(system);
  void *x;
  CDNI_TRY(cdni_operator_check(state, __func__, "the right hand side", b, m));
  if (m == 0) return CDN_OK;
  if (!lambda)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "there is no place for lambda: give m numbers");
  CDNI_TRY(cdni_operator_work(state, __func__, (size_t)(nu + 1) * sizeof(double), &x));
  /* M x + G^T l = 0 and G x = b: l is the negative of what is wanted */
  const cdn_status status = cdn_solve_constrained(state, NULL, b, x, lambda);
  for (int k = 0; k < m && status == CDN_OK; k++) lambda[k] = -lambda[k];
  cdn_work_pop(state, x);
  return status;
}
