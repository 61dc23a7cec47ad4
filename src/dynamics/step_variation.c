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
 * a derivative: there J a is differenced, column by column. The damping of joints is constant. */
#include <cardan/derivatives.h>
#include <math.h>

#include "dynamics/step_solver.h"
#include "math/difference.h"
#include "matter/derivatives.h"
#include "matter/motion_derivatives.h"
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

/* Derivatives of the forces asked for, at speeds u + e a. */
static cdn_status forces_at(const step_terms *x, const double *u, double e, double *shifted, double *dq, double *du,
                            double *dz) {
  const int first = cdni_subsystem_runs(cdn_state_system(x->state), x->dyn->matter->subsystem).u;
  for (size_t k = 0; k < x->nu; k++) shifted[k] = u[k] + e * x->a[k];
  CDNI_TRY(cdn_state_set_slots(x->state, CDN_POOL_U, first, (int)x->nu, shifted));
  return cdn_inverse_dynamics_derivatives(x->state, NULL, dq, du, x->nz ? dz : NULL);
}

static double largest(size_t n, const double *x) {
  double most = 0;
  for (size_t k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

static void add_change(size_t n, double by, const double *change, double *c) {
  for (size_t k = 0; k < n; k++) c[k] += by * change[k];
}

/* By one difference along a. */
static cdn_status along_a(const step_terms *x, double *memory) {
  const size_t nu = x->nu;
  double *u = memory, *shifted = u + nu, *dq = shifted + nu, *du = dq + nu * nu, *dz = du + nu * nu;
  memcpy(u, cdni_matter_data(x->dyn->matter, x->state).u, nu * sizeof *u);
  const double size = largest(nu, x->a);
  if (size == 0) return CDN_OK;
  const double e = CDNI_DIFFERENCE * fmax(1, largest(nu, u)) / size;
  for (int side = -1; side <= 1; side += 2) {
    CDNI_TRY(forces_at(x, u, side * e, shifted, dq, du, dz));
    const double by = -x->h * side / (2 * e);
    add_change(nu * nu, by, dq, x->c_q);
    add_change(nu * nu, by, du, x->c_u);
    add_change(nu * x->nz, by, dz, x->c_z);
  }
  return CDN_OK;
}

/* Column k of c from both sides of the values `base` of a pool, along `direction`. */
static cdn_status difference(const step_terms *x, cdn_pool pool, int n, const double *base, const double *direction,
                             double *memory, size_t columns, size_t k, double *c) {
  double scale = 1, *there = memory, *change = memory + n;
  for (int i = 0; i < n; i++)
    if (direction[i] != 0) scale = fmax(scale, fabs(base[i]));
  const int first = cdni_subsystem_runs(cdn_state_system(x->state), x->dyn->matter->subsystem).u;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < n; i++) there[i] = base[i] + side * CDNI_DIFFERENCE * scale * direction[i];
    CDNI_TRY(cdn_state_set_slots(x->state, pool, 0, n, there));
    CDNI_TRY(cdni_dynamics_step_change(x->state, x->function, STEP_FORCES, x->h, x->a - first, change));
    for (size_t i = 0; i < x->nu; i++)
      c[i * columns + k] += side * change[(size_t)first + i] / (2 * CDNI_DIFFERENCE * scale);
  }
  return cdn_state_set_slots(x->state, pool, 0, n, base);
}

/* Column by column. */
static cdn_status each_column(const step_terms *x, double *memory) {
  const cdn_system *system = cdn_state_system(x->state);
  const int nq = cdn_system_nq(system), all = cdn_system_nu(system), nz = (int)x->nz, most = nq + all + nz;
  const int first = cdni_subsystem_runs(system, x->dyn->matter->subsystem).u;
  double *base = memory, *direction = base + most, *unit = direction + most, *rest = unit + most;
  double *const c[3] = { x->c_q, x->c_u, x->c_z };
  const int numbers[3] = { nq, all, nz };
  const double *values[3] = { cdn_state_q(x->state), cdn_state_u(x->state), cdn_state_z(x->state) };
  static const cdn_pool pools[3] = { CDN_POOL_Q, CDN_POOL_U, CDN_POOL_Z };
  for (int by = 0; by < 3; by++) {
    const size_t columns = by == 2 ? x->nz : x->nu;
    if (columns == 0) continue;
    memcpy(base, values[by], (size_t)numbers[by] * sizeof *base);
    for (size_t k = 0; k < columns; k++) {
      memset(unit, 0, (size_t)most * sizeof *unit);
      unit[by == 2 ? k : (size_t)first + k] = 1;
      if (by == 0) CDNI_TRY(cdni_state_multiply_by_N(x->state, unit, direction));
      CDNI_TRY(difference(x, pools[by], numbers[by], base, by == 0 ? direction : unit, rest, columns, k, c[by]));
    }
  }
  return CDN_OK;
}

/* In the State with its effective values as variables, which is returned to. */
static cdn_status add_forces(const step_terms *x, step_damping damping) {
  const cdn_system *system = cdn_state_system(x->state);
  const size_t numbers = (size_t)cdn_system_nq(system) + 2 * (size_t)cdn_system_nu(system) + x->nz;
  const size_t saved_size = cdni_state_snapshot_size(x->state);
  char *saved;
  CDNI_TRY(cdni_operator_work(x->state, x->function,
                              saved_size + (5 * numbers + x->nu * (2 * x->nu + x->nz) + 1) * sizeof(double),
                              (void **)&saved));
  cdni_state_take_snapshot(x->state, saved);
  cdn_status status = cdn_prescribe(x->state, NULL);
  if (status == CDN_OK) {
    cdni_motion_release(x->dyn->matter, x->state);
    double *memory = (double *)(void *)(saved + saved_size);
    status = damping == STEP_ALL ? along_a(x, memory) : each_column(x, memory);
  }
  cdni_state_return_to(x->state, saved);
  cdn_work_pop(x->state, saved);
  return status;
}

/* ---- all ---- */

static bool damps(const step_solver *s) { return memcmp(s->M, s->K, s->nu * s->nu * sizeof *s->M) != 0; }

static cdn_status vary(const step_terms *x, const step_solver *solver, step_damping damping, const double *change,
                       const dynamics_variation *v) {
  const int nu = (int)x->nu;
  if (damping != STEP_JOINTS) CDNI_TRY(add_forces(x, damping));
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
