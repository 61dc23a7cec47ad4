/* How the accelerations of an implicit step vary. Of K a + G^T mu = M udot and G a = G udot, with K = M - h J, the
 * variation is
 *
 *   K da + G^T dmu = M dudot + c,    c = d(M (udot - a)) + d(h J a) - d(G^T mu),
 *   G da = G dudot - dG (a - udot),
 *
 * where in c and dG only the matrices vary. With s of M s + G^T nu = 0, G s = -dG (a - udot) these are the equations of
 * a step from dudot + s. The parts of M and G are differences of the derivatives of inverse dynamics at udot and at a.
 *
 * d(J a) holds second derivatives of forces. J a is how forces vary along u + e a, so d(J a) is how the derivatives of
 * inverse dynamics do: one central difference, exact to rounding for what is quadratic in u. A symmetric J is not such
 * a derivative: there J a is differenced, column by column. The damping of a joint varies with its own speed alone, and
 * only if its damper is not linear. */
#include <cardan/derivatives.h>
#include <math.h>

#include "dynamics/step_solver.h"
#include "matter/derivatives.h"
#include "matter/differences.h"
#include "matter/operators.h"

typedef struct step_terms {
  const dynamics *dyn;
  cdn_state *state;
  const char *function;
  double h;
  const double *a, *udot; /* of matter */
  size_t nu, nz, m;       /* m: equations; 0: nothing is constrained */
  double *c_q, *c_u, *c_z;
} step_terms;

/* ---- inertia and constraints ---- */

/* Derivatives of M x + f_bias + G^T lambda by q, and of the acceleration errors at x. */
static cdn_status inertia_by_q(const step_terms *x, const double *udot, const double *lambda, const sv *no_force,
                               double *dq, double *errors) {
  derivative_pass p;
  CDNI_TRY(cdni_derivatives_begin(&p, x->state, x->function, udot, no_force, dq, NULL, NULL));
  cdn_status status = CDN_OK;
  if (x->m > 0) status = cdni_constraint_differentiate(x->dyn->constraints, &p, lambda, errors, NULL);
  if (status == CDN_OK) status = cdni_derivatives_fill(&p);
  cdni_derivatives_end(&p);
  return status;
}

/* mu, from what the step's forces lack: K a + G^T mu = M udot. `missing`: room for nu. */
static cdn_status find_multipliers(const step_terms *x, const step_solver *solver, double *missing, double *mu) {
  for (size_t i = 0; i < x->nu; i++) {
    missing[i] = 0;
    for (size_t k = 0; k < x->nu; k++)
      missing[i] += solver->M[i * x->nu + k] * x->udot[k] - solver->K[i * x->nu + k] * x->a[k];
  }
  memset(mu, 0, x->m * sizeof *mu);
  return cdni_constraint_solve_columns(x->dyn->constraints, x->state, 1, 1, missing, mu);
}

/* c_q of M and G, and s, which is added to y. */
static cdn_status add_inertia(const step_terms *x, const step_solver *solver, double *y) {
  const size_t nu = x->nu, m = x->m, nb = (size_t)x->dyn->matter->tree.n;
  void *frame;
  CDNI_TRY(cdni_operator_work(x->state, x->function,
                              nb * sizeof(sv) + (2 * nu * nu + nu + 2 * m * (nu + 1) + 1) * sizeof(double), &frame));
  sv *no_force = frame;
  double *at_a = (double *)(no_force + nb), *s = at_a + nu * nu, *missing = s + nu * nu, *mu = missing + nu;
  double *none = mu + m, *errors = none + m, *errors_a = errors + m * nu;
  memset(frame, 0, nb * sizeof(sv));
  memset(none, 0, m * sizeof *none);
  cdn_status status = m > 0 ? find_multipliers(x, solver, missing, mu) : CDN_OK;
  if (status == CDN_OK) status = inertia_by_q(x, x->udot, none, no_force, x->c_q, m > 0 ? errors : NULL);
  if (status == CDN_OK) status = inertia_by_q(x, x->a, mu, no_force, at_a, m > 0 ? errors_a : NULL);
  for (size_t k = 0; k < nu * nu; k++) x->c_q[k] -= at_a[k];
  if (status == CDN_OK && m > 0) {
    memset(s, 0, nu * nu * sizeof *s);
    for (size_t k = 0; k < m * nu; k++) errors[k] -= errors_a[k];
    status = cdni_constraint_solve_columns(x->dyn->constraints, x->state, 1, (int)nu, s, errors);
    for (size_t k = 0; k < nu * nu; k++) y[k] += s[k];
  }
  cdn_work_pop(x->state, frame);
  return status;
}

/* ---- forces ---- */

typedef struct differ {
  differences by;
  const step_terms *x;
  step_damping damping;
  int first_u; /* of matter */
  /* Column by column: h J a on both sides (nu of the System). Along a: displacements (2 nu + nz), derivatives of
   * inverse dynamics. */
  double *change[2], *amount, *dq, *du, *dz;
} differ;

static double largest(size_t n, const double *x) {
  double most = 0;
  for (size_t k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

static void add_change(size_t n, double by, const double *change, double *c) {
  for (size_t k = 0; k < n; k++) c[k] += by * change[k];
}

/* By one difference along a. */
static cdn_status along_a(differ *d) {
  const step_terms *x = d->x;
  const size_t nu = x->nu, all = (size_t)cdn_system_nu(cdn_state_system(x->state));
  double *u = d->amount + all + d->first_u;
  const double size = largest(nu, x->a), speed = largest(nu, cdn_state_u(x->state) + d->first_u);
  if (size == 0) return CDN_OK;
  const double e = CDNI_DIFFERENCE * fmax(1, speed) / size;
  memset(d->amount, 0, (2 * all + x->nz) * sizeof *d->amount);
  for (int side = -1; side <= 1; side += 2) {
    for (size_t k = 0; k < nu; k++) u[k] = side * e * x->a[k];
    CDNI_TRY(cdni_differences_move(&d->by, d->amount));
    CDNI_TRY(cdn_inverse_dynamics_derivatives(x->state, NULL, d->dq, d->du, x->nz ? d->dz : NULL));
    const double by = -x->h * side / (2 * e);
    add_change(nu * nu, by, d->dq, x->c_q);
    add_change(nu * nu, by, d->du, x->c_u);
    add_change(nu * x->nz, by, d->dz, x->c_z);
  }
  return CDN_OK;
}

/* ---- column by column ---- */

static cdn_status evaluate(void *user, int side) {
  const differ *d = user;
  const step_terms *x = d->x;
  return cdni_dynamics_step_change(x->state, x->function, STEP_FORCES, x->h, x->a - d->first_u, d->change[side]);
}

static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const differ *d = user;
  const step_terms *x = d->x;
  double *const c = pool == CDN_POOL_Q ? x->c_q : pool == CDN_POOL_U ? x->c_u : x->c_z;
  const size_t columns = pool == CDN_POOL_Z ? x->nz : x->nu;
  const size_t k = (size_t)(pool == CDN_POOL_Z ? column : column - d->first_u);
  const double *plus = d->change[0] + d->first_u, *minus = d->change[1] + d->first_u;
  for (size_t i = 0; i < x->nu; i++) c[i * columns + k] += (plus[i] - minus[i]) / (2 * h);
  return CDN_OK;
}

static cdn_status each_column(differ *d) {
  const int nu = (int)d->x->nu;
  CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_Q, d->first_u, nu));
  CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_U, d->first_u, nu));
  return cdni_differences_by(&d->by, CDN_POOL_Z, 0, (int)d->x->nz);
}

static cdn_status all(void *user) {
  differ *d = user;
  return d->damping == STEP_ALL ? along_a(d) : each_column(d);
}

static cdn_status add_forces(const step_terms *x, step_damping damping) {
  const cdn_system *system = cdn_state_system(x->state);
  const size_t nu = (size_t)cdn_system_nu(system), room = cdni_differences_room(system);
  differ d = { .x = x, .damping = damping, .first_u = cdni_subsystem_runs(system, x->dyn->matter->subsystem).u };
  void *frame;
  CDNI_TRY(cdni_operator_work(x->state, x->function,
                              (room + 4 * nu + x->nz + x->nu * (2 * x->nu + x->nz) + 1) * sizeof(double), &frame));
  d.by = (differences){ .frees = true, .user = &d, .evaluate = evaluate, .add = add };
  d.change[0] = frame, d.change[1] = d.change[0] + nu, d.amount = d.change[1] + nu;
  d.dq = d.amount + 2 * nu + x->nz, d.du = d.dq + x->nu * x->nu, d.dz = d.du + x->nu * x->nu;
  cdn_status status = cdni_differences_begin(&d.by, x->state, x->function, d.dz + x->nu * x->nz);
  if (status == CDN_OK) status = cdni_differences_make(&d.by, all);
  cdn_work_pop(x->state, frame);
  return status;
}

/* ---- all ---- */

/* The dampers of joints: of h J a, by the speed of each. */
static cdn_status add_joints(const step_terms *x) {
  double *change;
  CDNI_TRY(cdni_operator_work(x->state, x->function, (x->nu + 1) * sizeof *change, (void **)&change));
  const cdn_status status = cdni_forces_joint_damping_by_u(x->dyn->forces, x->state, change, (int)x->nu);
  for (size_t k = 0; k < x->nu; k++) x->c_u[k * x->nu + k] -= x->h * change[k] * x->a[k];
  cdn_work_pop(x->state, change);
  return status;
}

static bool damps(const step_solver *s) { return memcmp(s->M, s->K, s->nu * s->nu * sizeof *s->M) != 0; }

static cdn_status vary(const step_terms *x, const step_solver *solver, step_damping damping, const double *change,
                       const dynamics_variation *v) {
  const int nu = (int)x->nu;
  CDNI_TRY(damping == STEP_JOINTS ? add_joints(x) : add_forces(x, damping));
  if (v->by_q) CDNI_TRY(cdni_step_solver_apply(solver, nu, x->c_q, v->by_q));
  if (v->by_u) CDNI_TRY(cdni_step_solver_apply(solver, nu, x->c_u, v->by_u));
  if (v->by_z) CDNI_TRY(cdni_step_solver_apply(solver, (int)x->nz, x->c_z, v->by_z));
  return v->by_f ? cdni_step_solver_apply(solver, v->forces, change, v->by_f) : CDN_OK;
}

cdn_status cdni_dynamics_damp_vary(cdn_state *state, const char *function, step_damping damping, double h,
                                   const double *a, const double *change, const dynamics_variation *v) {
  const cdn_system *system = cdn_state_system(state);
  const dynamics *dyn = cdni_dynamics(system);
  const size_t nu = (size_t)dyn->matter->tree.nu, nz = (size_t)cdn_system_nz(system);
  const int first = cdni_subsystem_runs(system, dyn->matter->subsystem).u;
  step_terms x = { .dyn = dyn, .state = state, .function = function, .h = h, .a = a + first, .nu = nu, .nz = nz };
  step_solver solver;
  void *frame;
  if (cdni_dynamics_is_constrained(dyn, state)) x.m = (size_t)cdni_constraints_equations(dyn->constraints);
  CDNI_TRY(cdni_operator_work(state, function, (nu + 2 * nu * nu + nu * nz + 1) * sizeof(double), &frame));
  double *udot = frame;
  x.udot = udot, x.c_q = udot + nu, x.c_u = x.c_q + nu * nu, x.c_z = x.c_u + nu * nu;
  memcpy(udot, cdn_state_udot(state) + first, nu * sizeof *udot);
  memset(x.c_q, 0, (2 * nu * nu + nu * nz) * sizeof *x.c_q);
  cdn_status status = cdni_step_solver_begin(&solver, state, function, damping, h);
  if (status == CDN_OK) {
    if (damping != STEP_JOINTS || damps(&solver)) {
      status = cdni_step_solver_factor(&solver);
      if (status == CDN_OK && v->by_q) status = add_inertia(&x, &solver, v->by_q);
      if (status == CDN_OK) status = vary(&x, &solver, damping, change, v);
    }
    cdni_step_solver_end(&solver);
  }
  cdn_work_pop(state, frame);
  return status;
}
