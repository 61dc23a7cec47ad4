/* The matrix of a step that is implicit in velocity: M - h J with the derivatives J of forces by u. */
#include <cardan/derivatives.h>

#include "dynamics/internal.h"
#include "matter/derivatives.h"

static cdn_status add_joints(const dynamics *dyn, cdn_state *state, const char *function, double h, double *hJ) {
  const size_t nu = (size_t)dyn->matter->tree.nu;
  double *damping = cdn_work_push(state, (nu + 1) * sizeof *damping);
  if (!damping) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  memset(damping, 0, (nu + 1) * sizeof *damping);
  if (dyn->forces) cdni_forces_joint_damping(dyn->forces, state, damping);
  for (size_t k = 0; k < nu; k++) hJ[k * nu + k] = -h * damping[k];
  cdn_work_pop(state, damping);
  return CDN_OK;
}

/* J += J^T, halved */
static void make_symmetric(size_t n, double *J) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) J[i * n + k] = J[k * n + i] = 0.5 * (J[i * n + k] + J[k * n + i]);
}

/* M, and -J in place of hJ. */
static cdn_status differentiate(const dynamics *dyn, cdn_state *state, const char *function, step_damping damping,
                                double *M, double *J) {
  const sv *force;
  derivative_pass p;
  CDNI_TRY(cdni_dynamics_total_forces(dyn, state, &force, NULL));
  CDNI_TRY(cdni_derivatives_begin(&p, state, function, NULL, force, NULL, damping == STEP_JOINTS ? NULL : J, M));
  cdn_status status = CDN_OK;
  if (damping != STEP_JOINTS) status = cdni_forces_differentiate(&p, function, NULL);
  if (status == CDN_OK)
    status = damping == STEP_FORCES ? cdni_derivatives_fill_forces(&p) : cdni_derivatives_fill(&p);
  cdni_derivatives_end(&p);
  return status;
}

cdn_status cdni_dynamics_step_matrix(cdn_state *state, const char *function, step_damping damping, double h, double *A,
                                     double *hJ) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  const size_t nu = (size_t)dyn->matter->tree.nu, square = nu * nu;
  double *own = NULL;
  if (!hJ && !(own = hJ = cdn_work_push(state, (square + 1) * sizeof *own)))
    return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  memset(hJ, 0, square * sizeof *hJ);
  cdn_status status = differentiate(dyn, state, function, damping, A, hJ);
  for (size_t k = 0; k < square; k++) hJ[k] *= -h;
  if (damping == STEP_FORCES) make_symmetric(nu, hJ);
  if (status == CDN_OK && damping == STEP_JOINTS) status = add_joints(dyn, state, function, h, hJ);
  for (size_t k = 0; k < square; k++) A[k] -= hJ[k];
  cdn_work_pop(state, own);
  return status;
}
