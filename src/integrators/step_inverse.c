/* Inverse dynamics in discrete time. A step of Euler's methods has (M - h J) a = M udot on what the constraints allow,
 * so for a given a = (u_next - u) / h the accelerations without h J are udot = a + x with
 *
 *   M x + G^T mu = -h J a,    G x = b - G a,
 *
 * and the forces are those of inverse dynamics at udot. */
#include <cardan/constraints.h>
#include <cardan/operators.h>
#include <cardan/stepper.h>

#include "dynamics/dynamics.h"
#include "integrators/fixed.h"
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
