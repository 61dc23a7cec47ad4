/* The residual of the equations of motion: the generalized forces that are missing for a given udot. */
#include "dynamics/internal.h"
#include "matter/operators.h"

cdn_status cdn_residual(cdn_state *state, const double *udot, double *r) {
  CDNI_NEED_SOME(state, r, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  void *frame;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "udot", udot, m->tree.nu));
  const size_t n = (size_t)m->tree.n;
  CDNI_TRY(cdni_operator_work(state, __func__, 2 * n * sizeof(sv) + (size_t)m->tree.nu * sizeof(real), &frame));
  tree_data d = cdni_matter_data(m, state);
  d.z = frame;
  d.A = d.z + n;
  d.eps = (real *)(d.A + n);
  d.udot = (real *)udot; /* read only in this pass */
  cdn_status status = cdni_state_ensure(state, m->inertia.ticket);
  if (status == CDN_OK) status = cdni_state_ensure(state, CDN_TWIST);
  if (status == CDN_OK)
    status = cdni_dynamics_applied_forces(cdni_dynamics(cdn_state_system(state)), state, &d.force, &d.f_mob);
  if (status == CDN_OK) m->kernels->inverse(&m->tree, &d, true, r);
  cdn_work_pop(state, frame);
  return status;
}
