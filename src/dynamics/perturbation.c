/* A perturbation takes hold of a body: its stiffness is chosen for the mass that the station shows, with the
 * constraints. */
#include <math.h>

#include <cardan/constraints.h>
#include <cardan/matter.h>
#include <cardan/operators.h>
#include <cardan/perturbation.h>

#include "forces/forces.h"
#include "system/system.h"

/* The sum of the accelerations of a station per force along each axis, along the same axis: the trace of Lambda^-1,
 * with constraints and without. */
static cdn_status find_mobility(cdn_state *state, cdn_body body, cdn_vec3 p_B, double *constrained, double *free) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), m = (size_t)cdn_system_nudoterr(system);
  double L[9];
  CDNI_TRY(cdn_calc_station_operational_inertia_inv(state, 1, &body, &p_B, L));
  *constrained = *free = L[0] + L[4] + L[8];
  if (m == 0) return CDN_OK;
  double *f = cdn_work_push(state, (2 * nu + m) * sizeof *f), *x = f + nu;
  if (!f) return CDN_ERR_NOMEM;
  cdn_status status = CDN_OK;
  *constrained = 0;
  for (int k = 0; k < 3 && status == CDN_OK; k++) {
    const cdn_vec3 along = cdn_v3(k == 0, k == 1, k == 2);
    status = cdn_multiply_by_station_J_transpose(state, 1, &body, &p_B, &along, f);
    if (status == CDN_OK) status = cdn_solve_constrained(state, f, NULL, x, x + nu);
    for (size_t i = 0; i < nu && status == CDN_OK; i++) *constrained += f[i] * x[i];
  }
  cdn_work_pop(state, f);
  return status;
}

cdn_status cdn_perturbation_begin(cdn_state *state, cdn_force force, cdn_body body, cdn_vec3 p_B, cdn_vec3 target_G) {
  static const double omega = 10;
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  double trace, free;
  CDNI_TRY(cdni_perturbation_check(state, __func__, force, p_B, target_G));
  if (body.i <= 0 || body.i >= cdn_system_body_count(system))
    return cdni_refuse(CDN_ERR_ARG, __func__, "body %d cannot be pulled: it must be 1 to %d, as Ground does not move",
                       (int)body.i, cdn_system_body_count(system) - 1);
  CDNI_TRY(find_mobility(state, body, p_B, &trace, &free));
  if (!(trace > 1e-10 * free) || !isfinite(1 / trace)) // less is rounding
    return cdni_refuse(CDN_ERR_ARG, __func__, "body '%s' cannot be pulled there: %s", cdn_body_name(system, body),
                       free > 0 ? "constraints hold that point" : "no free joint moves that point");
  const double m = 3 / trace;
  const cdn_perturbation how = {
    .body = body, .p_B = p_B, .target_G = target_G, .stiffness = m * omega * omega, .damping = 2 * m * omega
  };
  return cdni_perturbation_hold(state, force, &how);
}
