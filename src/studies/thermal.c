/* Thermal speeds: drawn along the tree, then projected onto what the constraints leave in the metric of M, which keeps
 * their density right. */
#include <math.h>

#include <cardan/dynamics.h>
#include <cardan/operators.h>
#include <cardan/sampling.h>

#include "matter/operators.h"
#include "studies/sampling.h"

cdn_status cdni_project_speeds(cdn_state *state, double *u) {
  const cdn_system *system = cdn_state_system(state);
  const size_t m = (size_t)cdn_system_nudoterr(system), nu = (size_t)cdn_system_nu(system);
  if (m == 0 || nu == 0) return CDN_OK;
  double *b = cdn_work_push(state, (2 * m + 2 * nu) * sizeof *b);
  if (!b) return CDN_ERR_NOMEM;
  double *lambda = b + m, *f = lambda + m, *change = f + nu;
  cdn_status status = CDN_OK;
  /* the second time removes what rounding has left */
  for (int k = 0; status == CDN_OK && k < 2; k++) {
    status = cdn_multiply_by_G(state, u, b);
    if (status == CDN_OK) status = cdn_solve_G_M_inv_G_transpose(state, b, lambda);
    if (status == CDN_OK) status = cdn_multiply_by_G_transpose(state, lambda, f);
    if (status == CDN_OK) status = cdn_multiply_by_M_inv(state, f, change);
    for (size_t i = 0; status == CDN_OK && i < nu; i++) u[i] -= change[i];
  }
  cdn_work_pop(state, b);
  return status;
}

cdn_status cdni_refresh_speeds(cdn_state *state, double kT, double keep, const cdn_random_place *place) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system);
  const matter *m = cdni_matter(system);
  if (nu == 0) return CDN_OK;
  double *z = cdn_work_push(state, 2 * (size_t)nu * sizeof *z);
  if (!z) return CDN_ERR_NOMEM;
  double *u = z + nu;
  const double more = sqrt((1 - keep) * (1 + keep) * kT);
  cdn_random_normal(place, nu, z);
  cdn_status status = cdn_multiply_by_sqrt_M_inv(state, z, u);
  if (status == CDN_OK) status = cdni_project_speeds(state, u);
  const double *now = status == CDN_OK ? cdn_state_u_eff(state) : NULL;
  if (status == CDN_OK && !now) status = CDN_ERR_CALLBACK;
  if (status == CDN_OK) {
    const tree_data d = cdni_matter_data(m, state);
    for (int i = 1; i < m->tree.n; i++) {
      const tree_node *n = &m->tree.node[i];
      const bool stays = d.prescribed && d.prescribed[i];
      for (int k = n->u; k < n->u + n->nu; k++) u[k] = stays ? now[k] : keep * now[k] + more * u[k];
    }
    status = cdn_state_set_u(state, u);
  }
  cdn_work_pop(state, z);
  return status;
}

cdn_status cdni_need_plain_matter(cdn_state *state, const char *function) {
  const cdn_system *system = cdn_state_system(state);
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  if (m->tree.nu == cdn_system_nu(system) && m->tree.nq == cdn_system_nq(system)) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, NULL,
                         "a subsystem other than matter has q or u: their mass is not known");
}

cdn_status cdn_draw_speeds(cdn_state *state, double kT, double keep, uint32_t user) {
  cdn_random_place place;
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (!(kT >= 0) || isinf(kT) || !(keep >= 0 && keep <= 1))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "kT is %g, and keep is %g: kT must be finite and not negative, keep between 0 and 1", kT,
                           keep);
  CDNI_TRY(cdni_need_plain_matter(state, __func__));
  CDNI_TRY(cdn_state_random(state, user, &place));
  return cdni_refresh_speeds(state, kT, keep, &place);
}

cdn_status cdn_count_thermal_freedoms(cdn_state *state, int *n) {
  CDNI_NEED(state, n);
  const cdn_system *system = cdn_state_system(state);
  const matter *m = NULL;
  int redundant = 0, count = 0;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  const tree_data d = cdni_matter_data(m, state);
  for (int i = 1; i < m->tree.n; i++)
    if (!(d.prescribed && d.prescribed[i])) count += m->tree.node[i].nu;
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, (cdn_constraint){ c });
    if (cdn_constraint_is_enabled(state, (cdn_constraint){ c })) count -= e.np + e.nv + e.na;
  }
  const size_t equations = (size_t)cdn_system_nudoterr(system);
  if (equations > 0) {
    bool *flags = cdn_work_push(state, equations * sizeof *flags);
    if (!flags) return CDN_ERR_NOMEM;
    const cdn_status status = cdn_redundant_equations(state, flags, &redundant);
    cdn_work_pop(state, flags);
    CDNI_TRY(status);
  }
  *n = count + redundant;
  return CDN_OK;
}

cdn_status cdn_calc_kT(cdn_state *state, int removed, double *kT) {
  CDNI_NEED(state, kT);
  int n;
  double K;
  CDNI_TRY(cdn_count_thermal_freedoms(state, &n));
  CDNI_TRY(cdn_kinetic_energy(state, &K));
  *kT = n > removed ? 2 * K / ((double)n - removed) : NAN;
  return CDN_OK;
}
