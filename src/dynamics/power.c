/* Sums over all forces: of those applied, of all, and the power of those without a potential. */
#include "dynamics/internal.h"

/* The power of applied forces; their arrays begin with a flag that is set if any is not zero. */
static cdn_status applied_power(const matter *m, cdn_state *state, const body_twist *twist, const double *u,
                                double *power) {
  const double *f_there = cdn_state_discrete(state, m->applied_f), *F_there = cdn_state_discrete(state, m->applied_F);
  *power = 0;
  if (*f_there == 0 && *F_there == 0) return CDN_OK;
  const size_t F_size = (size_t)m->tree.n * sizeof(sv), f_size = (size_t)m->tree.nu * sizeof(double);
  sv *F = cdn_work_push(state, F_size + f_size);
  if (!F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_nonpotential_power", NULL, "out of memory");
  memset(F, 0, F_size + f_size);
  double *f = (double *)(F + m->tree.n);
  cdn_status status = cdni_matter_add_applied(m, state, F, f);
  if (status == CDN_OK) *power = cdni_force_power(m, twist, u, F, f);
  cdn_work_pop(state, F);
  return status;
}

/* From M's origins, about which matter sums, to the bodies' own. */
static cdn_status at_origins(const matter *m, cdn_state *state, const sv *F, cdn_spatial *F_G) {
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(m, state);
  F_G[0] = (cdn_spatial){ .w = { 0, 0, 0 } };
  for (int b = 1; b < m->tree.n; b++) {
    v3 r = cdni_to_v3(cdni_matter_station(m, state, pose, (cdn_body){ b }, cdn_v3(0, 0, 0)));
    sv F_B = sv_shift_force(F[b], v3_neg(r));
    F_G[b] = (cdn_spatial){ cdni_from_v3(F_B.w), cdni_from_v3(F_B.v) };
  }
  return CDN_OK;
}

cdn_status cdni_nonpotential_forces(cdn_state *state, cdn_spatial *F_G, double *f) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const force_room *room = cdni_forces(cdn_state_system(state));
  sv *F = cdn_work_push(state, (size_t)m->tree.n * sizeof *F);
  if (!F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  memset(F, 0, (size_t)m->tree.n * sizeof *F);
  if (m->tree.nu) memset(f, 0, (size_t)m->tree.nu * sizeof *f);
  cdn_status status = room ? cdni_forces_nonpotential(room, state, F, f) : CDN_OK;
  if (status == CDN_OK) status = cdni_matter_add_applied(m, state, F, f);
  if (status == CDN_OK) status = at_origins(m, state, F, F_G);
  cdn_work_pop(state, F);
  return status;
}

cdn_status cdn_nonpotential_power(cdn_state *state, double *power) {
  CDNI_NEED(state, power);
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  const force_room *room = cdni_forces(system);
  *power = 0;
  if (!m) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  const body_twist *twist = cdni_matter_twist(m, state);
  const double *u = cdn_state_u_eff(state) + cdni_subsystem_runs(system, m->subsystem).u;
  double sum = 0, applied;
  if (room) CDNI_TRY(cdni_forces_nonpotential_power(room, state, twist, u, &sum));
  CDNI_TRY(applied_power(m, state, twist, u, &applied));
  *power = sum + applied;
  double of_rows = 0, of_friction = 0;
  const dynamics *d = cdni_dynamics(system);
  if (d->soft) CDNI_TRY(cdni_soft_power(d->soft, state, &of_rows));
  if (d->hybrid) CDNI_TRY(cdni_hybrid_power(d->hybrid, state, &of_friction));
  *power += of_rows + of_friction;
  return CDN_OK;
}

/* Of element i: F and f are zero. */
static cdn_status contribution(const matter *m, cdn_state *state, int i, sv *F, double *f_own, cdn_spatial *F_G,
                               double *f, double *power, double *potential) {
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(state), m->subsystem);
  cdn_spatial *at = (cdn_spatial *)(F + m->tree.n);
  CDNI_TRY(cdn_realize(state, CDN_STAGE_FORCE));
  CDNI_TRY(cdni_force_alone(cdni_forces(cdn_state_system(state)), state, i, F, f_own, potential));
  *power = cdni_force_power(m, cdni_matter_twist(m, state), cdn_state_u_eff(state) + runs.u, F, f_own);
  CDNI_TRY(at_origins(m, state, F, at));
  if (F_G) memcpy(F_G, at, (size_t)m->tree.n * sizeof *at);
  if (!f) return CDN_OK;
  CDNI_TRY(cdn_multiply_by_J_transpose(state, at, f + runs.u));
  for (int k = 0; k < m->tree.nu; k++) f[runs.u + k] += f_own[k];
  return CDN_OK;
}

cdn_status cdn_force_contribution(cdn_state *state, cdn_force force, cdn_spatial *F_G, double *f, double *power,
                                  double *potential) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  const int nu = cdn_system_nu(system);
  double of_power = 0, of_potential = 0;
  if (force.i < 0 || force.i >= cdn_system_force_count(system))
    return cdni_state_lacks(state, __func__, "force", (int)force.i);
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "the System has no bodies to act on");
  if (f && nu > 0) memset(f, 0, (size_t)nu * sizeof *f);
  const size_t n = (size_t)m->tree.n, size = n * (sizeof(sv) + sizeof(cdn_spatial)) + (size_t)m->tree.nu * sizeof *f;
  sv *F = cdn_work_push(state, size);
  if (!F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  memset(F, 0, size);
  double *f_own = (double *)((cdn_spatial *)(F + n) + n);
  const cdn_status status = contribution(m, state, force.i, F, f_own, F_G, f, &of_power, &of_potential);
  cdn_work_pop(state, F);
  if (power) *power = of_power;
  if (potential) *potential = of_potential;
  return status;
}

/* Writes forces of the tree as the public functions give them: at the bodies' origins, and for all u of the System. */
static cdn_status put_parts(const matter *m, cdn_state *state, const sv *F, const double *f, cdn_spatial *F_G,
                            double *f_mob) {
  if (f_mob && m->tree.nu > 0)
    memcpy(f_mob + cdni_subsystem_runs(cdn_state_system(state), m->subsystem).u, f, (size_t)m->tree.nu * sizeof *f);
  return F_G ? at_origins(m, state, F, F_G) : CDN_OK;
}

static void clear(const cdn_system *system, cdn_spatial *F_G, double *f_mob) {
  const int nu = cdn_system_nu(system);
  if (F_G) memset(F_G, 0, (size_t)cdn_system_body_count(system) * sizeof *F_G);
  if (f_mob && nu > 0) memset(f_mob, 0, (size_t)nu * sizeof *f_mob);
}

cdn_status cdn_applied_forces(cdn_state *state, cdn_spatial *F_G, double *f_mob) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  clear(system, F_G, f_mob);
  if (!m) return CDN_OK;
  const sv *F;
  const double *f;
  CDNI_TRY(cdni_dynamics_applied_forces(cdni_dynamics(system), state, &F, &f));
  return put_parts(m, state, F, f, F_G, f_mob);
}

cdn_status cdn_total_forces(cdn_state *state, cdn_spatial *F_G, double *f_mob) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  clear(system, F_G, f_mob);
  if (!m) return CDN_OK;
  const dynamics *d = cdni_dynamics(system);
  CDNI_TRY(cdni_state_ensure(state, d->motion_forces.ticket));
  const size_t n = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  sv *F = cdn_work_push(state, n * sizeof *F + nu * sizeof(double));
  if (!F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_total_forces", NULL, "out of memory");
  double *f = (double *)(F + n);
  cdn_status status = cdni_dynamics_constrained_forces(d, state, F, f);
  const double *tau = cdni_state_storage(state, d->motion_forces);
  for (size_t k = 0; k < nu; k++) f[k] -= tau[k];
  if (status == CDN_OK) status = put_parts(m, state, F, f, F_G, f_mob);
  cdn_work_pop(state, F);
  return status;
}
