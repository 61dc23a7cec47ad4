/* Inverse dynamics in discrete time. A step of Euler's methods has (M - h J) a = M udot on what the constraints allow,
 * so for a given a = (u_next - u) / h the accelerations without h J are udot = a + x with
 *
 *   M x + G^T mu = -h J a,    G x = b - G a,
 *
 * and the forces are those of inverse dynamics at udot. Where nothing is constrained or prescribed u_next is an
 * invertible function of tau, whose derivatives are those of the step: so tau has theirs. */
#include <math.h>

#include <cardan/constraints.h>
#include <cardan/operators.h>
#include <cardan/stepper.h>

#include "dynamics/dynamics.h"
#include "integrators/fixed.h"
#include "math/lu.h"
#include "matter/matter.h"
#include "matter/motion.h"
#include "matter/operators.h"
#include "system/system.h"

/* A step gives prescribed mobilities the accelerations, and in the end the speeds, of their motions. */
static cdn_status take_prescribed(cdn_state *state, double *a, double *udot) {
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m || !cdni_is_driven(state, m->at.driver_udot)) return CDN_OK;
  CDNI_TRY(cdn_forward_dynamics(state, NULL, NULL, udot, NULL));
  const int32_t *driver = cdni_drivers(state, m->driver_udot);
  const int first = cdni_subsystem_runs(cdn_state_system(state), m->subsystem).u;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    if (driver[i] != DRIVEN_BY_NOTHING)
      memcpy(a + first + node->u, udot + first + node->u, (size_t)node->nu * sizeof *a);
  }
  return CDN_OK;
}

static cdn_status find_udot(cdn_state *state, const char *function, const euler_kind *kind, double h, const double *a,
                            double *udot, double *change, double *b, double *lambda) {
  const int nu = cdn_system_nu(cdn_state_system(state)), m = cdn_system_nudoterr(cdn_state_system(state));
  if (kind) CDNI_TRY(cdni_dynamics_step_change(state, function, kind->damping, h, a, change));
  else memset(change, 0, (size_t)nu * sizeof *change);
  for (int k = 0; k < nu; k++) change[k] = -change[k];
  if (m > 0) CDNI_TRY(cdn_calc_udoterr(state, a, b));
  for (int k = 0; k < m; k++) b[k] = -b[k];
  CDNI_TRY(cdn_solve_constrained(state, change, b, udot, lambda));
  for (int k = 0; k < nu; k++) udot[k] += a[k];
  return CDN_OK;
}

cdn_status cdn_step_inverse_dynamics(cdn_state *state, cdn_method method, double h, const double *u_next, double *tau) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system), m = cdn_system_nudoterr(system);
  const euler_kind *kind;
  void *frame;
  CDNI_NEED_SOME(state, tau, nu);
  CDNI_TRY(cdni_euler_of(state, __func__, "inverse", method, h, &kind));
  CDNI_TRY(cdni_operator_check(state, __func__, "u_next", u_next, nu));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_FORCE));
  CDNI_TRY(cdni_operator_work(state, __func__, (size_t)(3 * nu + 2 * m + 1) * sizeof(double), &frame));
  double *a = frame, *udot = a + nu, *change = udot + nu, *b = change + nu;
  const double *u = cdn_state_u(state);
  for (int k = 0; k < nu; k++) a[k] = (u_next[k] - u[k]) / h;
  cdn_status status = take_prescribed(state, a, udot);
  if (status == CDN_OK) status = find_udot(state, __func__, kind, h, a, udot, change, b, b + m);
  if (status == CDN_OK) status = cdn_constrained_inverse_dynamics(state, udot, NULL, tau, NULL, NULL);
  cdn_work_pop(state, frame);
  return status;
}

static cdn_status refuse_bound(cdn_state *state, const char *function) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  if (dyn && cdni_dynamics_is_constrained(dyn, state))
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, NULL,
                           "constraints are on: several forces lead to the same speeds, so tau has no derivatives; use "
                           "cdn_step_derivatives");
  if (m && cdni_is_driven(state, m->at.driver_udot))
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, NULL,
                           "mobilities are prescribed: a step does not read tau there; use cdn_step_derivatives");
  return cdni_dynamics_refuse_exact_rows(state, function);
}

/* The State has the forces tau, too. x = K^-1 by, where u_next varies by K with tau, and by `by` with (q, u, z), which
 * are taken with a minus, and with u_next itself. */
static cdn_status solve(cdn_state *state, const char *function, cdn_method method, double h, double *dtau_dx,
                        double *dtau_du_next, double *memory) {
  const size_t nu = (size_t)cdn_system_nu(cdn_state_system(state));
  const size_t n = 2 * nu + (size_t)cdn_system_nz(cdn_state_system(state)), all = n + nu;
  double *dx_dx = memory, *dx_dtau = dx_dx + n * n, *by = dx_dtau + n * nu, *K = dx_dtau + nu * nu; /* its rows of u */
  CDNI_TRY(cdn_step_derivatives(state, method, h, dx_dx, dx_dtau, NULL));
  double largest = 0;
  for (size_t k = 0; k < nu * nu; k++) largest = fmax(largest, fabs(K[k]));
  for (size_t i = 0; i < nu; i++) {
    for (size_t k = 0; k < n; k++) by[i * all + k] = -dx_dx[(nu + i) * n + k];
    for (size_t k = 0; k < nu; k++) by[i * all + n + k] = i == k;
  }
  if (!cdni_eliminate((int)nu, largest, K, (int)all, by))
    return cdni_state_fail(state, CDN_ERR_SINGULAR, false, function, NULL,
                           "the speeds at the end of the step do not follow all forces: the mass matrix is singular");
  for (size_t i = 0; i < nu; i++) {
    if (dtau_dx) memcpy(dtau_dx + i * n, by + i * all, n * sizeof *by);
    if (dtau_du_next) memcpy(dtau_du_next + i * nu, by + i * all + n, nu * sizeof *by);
  }
  return CDN_OK;
}

static cdn_status apply(cdn_state *state, double *tau) {
  const double *f = cdn_state_applied_mobility_forces(state);
  for (int k = 0; k < cdn_system_nu(cdn_state_system(state)); k++) tau[k] += f[k];
  return cdn_state_set_applied_mobility_forces(state, tau);
}

cdn_status cdn_step_inverse_derivatives(cdn_state *state, cdn_method method, double h, const double *u_next,
                                        double *dtau_dx, double *dtau_du_next) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), n = 2 * nu + (size_t)cdn_system_nz(system);
  const euler_kind *kind;
  char *saved;
  double *memory;
  CDNI_TRY(cdni_euler_of(state, __func__, "inverse derivatives", method, h, &kind));
  CDNI_TRY(cdni_operator_check(state, __func__, "u_next", u_next, (int)nu));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_FORCE));
  CDNI_TRY(refuse_bound(state, __func__));
  if (nu == 0) return CDN_OK;
  CDNI_TRY(
      cdni_operator_work(state, __func__, (nu + n * n + n * nu + nu * (n + nu)) * sizeof *memory, (void **)&memory));
  cdn_status status = cdn_step_inverse_dynamics(state, method, h, u_next, memory);
  if (status == CDN_OK) status = cdni_operator_work(state, __func__, cdni_state_snapshot_size(state), (void **)&saved);
  if (status == CDN_OK) {
    cdni_state_take_snapshot(state, saved);
    status = apply(state, memory);
    if (status == CDN_OK) status = solve(state, __func__, method, h, dtau_dx, dtau_du_next, memory + nu);
    cdni_state_return_to(state, saved);
    cdn_work_pop(state, saved);
  }
  cdn_work_pop(state, memory);
  return status;
}
