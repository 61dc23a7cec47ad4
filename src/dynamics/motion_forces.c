/* Tau: the generalized forces that make mobilizers move as they are prescribed to, and their power. */
#include "dynamics/internal.h"
#include "matter/hinge.h"
#include "matter/motion.h"

static const dynamics *of(const void *self) { return *(const dynamics *const *)self; }

/* The force that the mobilizer of body i transmits: P A and the bias forces of all bodies outboard, from the pass
 * that computed udot (z: the sums passed on by children). */
static sv transmitted(const matter *m, const tree_data *d, int i) {
  sv F = sv_add(articulated_mul(d->articulated[i].P, d->A[i]), rigid_gyroscopic(d->inertia[i], d->twist[i].V.w));
  if (m->tree.node[i].has_children) F = sv_add(F, d->z[i]);
  return d->force ? sv_sub(F, d->force[i]) : F;
}

/* With enabled constraints there is no such pass: on the prescribed rows tau = f - G^T lambda - f_bias - M udot,
 * (8.32) and (8.35). */
static cdn_status beside_constraints(const dynamics *dyn, cdn_state *state, double *tau) {
  const matter *m = dyn->matter;
  const size_t n = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  sv *force = cdn_work_push(state, 2 * n * sizeof *force + 2 * nu * sizeof *tau);
  if (!force) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_motion_forces", NULL, "out of memory");
  tree_data d = cdni_matter_data(m, state);
  double *f = (double *)(force + 2 * n), *residual = f + nu;
  const cdn_status status = cdni_dynamics_constrained_forces(dyn, state, force, f);
  d.z = force + n, d.force = force, d.f_mob = f;
  if (status == CDN_OK) m->kernels->inverse(&m->tree, &d, true, residual);
  for (int i = 1; i < m->tree.n && status == CDN_OK; i++)
    for (int k = m->tree.node[i].u; d.prescribed[i] && k < m->tree.node[i].u + m->tree.node[i].nu; k++)
      tau[k] = -residual[k];
  cdn_work_pop(state, force);
  return status;
}

/* From (8.22): tau = f - H^T F - armature udot. */
cdn_status cdni_dynamics_calc_motion_forces(const void *self, cdn_state *state, void *out) {
  const dynamics *dyn = of(self);
  const matter *m = dyn->matter;
  double *tau = out;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  if (m->tree.nu) memset(tau, 0, (size_t)m->tree.nu * sizeof *tau);
  tree_data d = cdni_matter_data(m, state);
  if (!d.prescribed) return CDN_OK;
  if (cdni_dynamics_is_constrained(dyn, state)) return beside_constraints(dyn, state, tau);
  if (dyn->soft || cdni_dynamics_has_forces(dyn, state))
    CDNI_TRY(cdni_dynamics_acting_forces(dyn, state, &d.force, &d.f_mob));
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    if (!d.prescribed[i] || n->nu == 0) continue;
    const sv F = transmitted(m, &d, i);
    real f[6];
#define BODY(NU, FORM) hinge_tmul(FORM, NU, d.H + n->H, F, f)
    FOR_KIND(n)
#undef BODY
    for (int k = n->u; k < n->u + n->nu; k++)
      tau[k] = (d.f_mob ? d.f_mob[k] : 0) - f[k - n->u] - d.mass[i].armature * d.udot[k];
  }
  return CDN_OK;
}

const double *cdn_motion_forces(cdn_state *state) {
  CDNI_NEED_OBJECT(state, NULL);
  static const double nothing = 0;
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  return dyn ? cdn_eval(state, dyn->motion_forces) : &nothing;
}

cdn_status cdn_motion_force(cdn_state *state, cdn_motion motion, double *tau) {
  CDNI_NEED(state, tau);
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!cdni_motion_exists(m, motion)) return cdni_state_lacks(state, "cdn_motion_force", "motion", (int)motion.i);
  const int body = cdni_motion_at(m, motion.i)->body;
  const tree_node *n = &m->tree.node[body];
  memset(tau, 0, n->nu * sizeof *tau);
  if (cdni_drivers(state, m->driver_udot)[body] != DRIVEN_BY_MOTION) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_MOTION_FORCES));
  memcpy(tau, (const double *)cdni_state_storage(state, cdni_dynamics(cdn_state_system(state))->motion_forces) + n->u,
         n->nu * sizeof *tau);
  return CDN_OK;
}

cdn_status cdn_motion_power(cdn_state *state, double *power) {
  CDNI_NEED(state, power);
  const matter *m = cdni_matter(cdn_state_system(state));
  *power = 0;
  if (!m || !cdni_is_driven(state, m->at.driver_udot)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_MOTION_FORCES));
  const double *tau = cdni_state_storage(state, cdni_dynamics(cdn_state_system(state))->motion_forces),
               *u = cdni_matter_data(m, state).u;
  for (int k = 0; k < m->tree.nu; k++) *power -= tau[k] * u[k];
  return CDN_OK;
}
