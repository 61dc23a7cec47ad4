/* The matrix of a step that is implicit in velocity: M - h J with the derivatives J of forces by u. */
#include <cardan/derivatives.h>
#include <cardan/operators.h>

#include "dynamics/internal.h"
#include "matter/derivatives.h"
#include "matter/operators.h"

/* With the joints' dampers for J. */
static cdn_status damp_joints(const dynamics *dyn, cdn_state *state, const char *function, double h, double *M,
                              double *A) {
  const size_t nu = (size_t)dyn->matter->tree.nu;
  double *damping;
  CDNI_TRY(cdn_calc_M(state, M));
  CDNI_TRY(cdni_operator_work(state, function, nu * sizeof *damping, (void **)&damping));
  const cdn_status status = cdni_forces_joint_damping(dyn->forces, state, damping, (int)nu, NULL);
  memcpy(A, M, nu * nu * sizeof *A);
  for (size_t k = 0; k < nu; k++) A[k * nu + k] += h * damping[k];
  cdn_work_pop(state, damping);
  return status;
}

/* J += J^T, halved */
static void make_symmetric(size_t n, double *J) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) J[i * n + k] = J[k * n + i] = 0.5 * (J[i * n + k] + J[k * n + i]);
}

cdn_status cdni_dynamics_step_matrix(cdn_state *state, const char *function, step_damping damping, double h, double *M,
                                     double *A) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  const size_t nu = (size_t)dyn->matter->tree.nu;
  const sv *force;
  derivative_pass p;
  if (damping == STEP_JOINTS) return damp_joints(dyn, state, function, h, M, A);
  CDNI_TRY(cdni_dynamics_applied_forces(dyn, state, &force, NULL));
  CDNI_TRY(cdni_derivatives_begin(&p, state, function, NULL, force, NULL, A, M));
  cdn_status status = cdni_forces_differentiate(&p, function, NULL);
  if (status == CDN_OK) status = damping == STEP_FORCES ? cdni_derivatives_fill_forces(&p) : cdni_derivatives_fill(&p);
  cdni_derivatives_end(&p);
  /* what is there are the derivatives of what udot asks for: -J */
  if (damping == STEP_FORCES) make_symmetric(nu, A);
  for (size_t k = 0; k < nu * nu; k++) A[k] = M[k] + h * A[k];
  return status;
}

cdn_status cdni_dynamics_step_change(cdn_state *state, const char *function, step_damping damping, double h,
                                     const double *a, double *out) {
  const cdn_system *system = cdn_state_system(state);
  const dynamics *dyn = cdni_dynamics(system);
  const size_t all = (size_t)cdn_system_nu(system), nu = dyn ? (size_t)dyn->matter->tree.nu : 0;
  if (all) memset(out, 0, all * sizeof *out);
  if (nu == 0) return CDN_OK;
  const int first = cdni_subsystem_runs(system, dyn->matter->subsystem).u;
  double *frame;
  CDNI_TRY(cdni_operator_work(state, function, (damping == STEP_JOINTS ? nu : 2 * nu * nu) * sizeof *frame,
                              (void **)&frame));
  cdn_status status = CDN_OK;
  if (damping == STEP_JOINTS) {
    status = cdni_forces_joint_damping(dyn->forces, state, frame, (int)nu, NULL);
    for (size_t k = 0; k < nu; k++) out[(size_t)first + k] = -h * frame[k] * a[(size_t)first + k];
  } else {
    double *M = frame, *A = M + nu * nu;
    status = cdni_dynamics_step_matrix(state, function, damping, h, M, A);
    for (size_t i = 0; i < nu && status == CDN_OK; i++)
      for (size_t k = 0; k < nu; k++) out[(size_t)first + i] += (M[i * nu + k] - A[i * nu + k]) * a[(size_t)first + k];
  }
  cdn_work_pop(state, frame);
  return status;
}
