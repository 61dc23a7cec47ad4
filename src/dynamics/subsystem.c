/* Dynamics as a subsystem: it has the entries of the equations of motion, and no variables.
 *
 *   applied forces, sums of the forces room                    -> forces         (Force)
 *   articulated inertias, twist, forces, rows, constraints     -> acceleration   (Acceleration)
 *   acceleration                                               -> motion forces  (when asked for) */
#include "dynamics/internal.h"

#include "math/lane_block.h"
#include "matter/motion.h"
#include "rooms.h"

static const dynamics *of(const void *self) { return *(const dynamics *const *)self; }

const dynamics *cdni_dynamics(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_DYNAMICS); }

/* ---- the sum of all forces ---- */

static cdn_status calc_forces(const void *self, cdn_state *state, void *out) {
  const dynamics *d = of(self);
  const tree *t = &d->matter->tree;
  const size_t lanes = (size_t)d->matter->lanes;
  sv *F = out;
  double *f = (double *)(cdni_state_block(state) + d->at_f);
  const bool applied = cdni_matter_any_applied(d->matter, state);
  /* States of several lanes are made with zeros here, and what is applied to one of them is never said to be taken
   * back. */
  if (applied || (!d->elements_act && lanes == 1)) {
    memset(F, 0, (size_t)t->n * sizeof *F * lanes);
    if (t->nu) memset(f, 0, (size_t)t->nu * sizeof *f * lanes);
  }
  if (applied) CDNI_TRY(cdni_matter_add_applied(d->matter, state, F, f));
  return d->elements_act ? cdni_forces_add(d->forces, state, applied, F, f) : CDN_OK;
}

cdn_status cdni_dynamics_applied_forces(const dynamics *d, cdn_state *state, const sv **F, const double **f) {
  CDNI_TRY(cdni_state_ensure(state, d->forces_F.ticket));
  if (F) *F = cdni_state_storage(state, d->forces_F);
  if (f) *f = cdni_state_storage(state, d->forces_f);
  return CDN_OK;
}

cdn_status cdni_dynamics_constrained_forces(const dynamics *d, cdn_state *state, sv *F, double *f) {
  const sv *acting;
  const double *f_acting;
  CDNI_TRY(cdni_dynamics_acting_forces(d, state, &acting, &f_acting));
  memcpy(F, acting, (size_t)d->matter->tree.n * sizeof *F);
  if (f && d->matter->tree.nu) memcpy(f, f_acting, (size_t)d->matter->tree.nu * sizeof *f);
  return cdni_dynamics_is_constrained(d, state) ? cdni_constraints_add_forces(d->constraints, state, F, f) : CDN_OK;
}

cdn_status cdni_dynamics_acting_forces(const dynamics *d, cdn_state *state, const sv **F, const double **f) {
  bool rows = false;
  if (d->soft) CDNI_TRY(cdni_soft_any(d->soft, state, &rows));
  if (!rows) return cdni_dynamics_applied_forces(d, state, F, f);
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  if (F) *F = cdni_state_storage(state, d->row_F);
  if (f) *f = cdni_state_storage(state, d->row_f);
  return CDN_OK;
}

cdn_status cdni_dynamics_refuse_exact_rows(cdn_state *state, const char *function) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  return d && d->soft ? cdni_soft_refuse_exact(d->soft, state, function) : CDN_OK;
}

cdn_status cdni_dynamics_refuse_rows(cdn_state *state, const char *function) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  bool any = false;
  if (d && d->soft) CDNI_TRY(cdni_soft_any(d->soft, state, &any));
  if (!any) return CDN_OK;
  return cdni_state_fail(
      state, CDN_ERR_UNSUPPORTED, false, function, cdni_soft_first_name(d->soft),
      "rows of '%s' act at present, which %s cannot handle: use compliant contact and exact equalities instead",
      cdni_soft_first_name(d->soft), function);
}

/* ---- accelerations ---- */

bool cdni_dynamics_is_constrained(const dynamics *d, const cdn_state *state) {
  return d->constraints && cdni_constraint_any_enabled(d->constraints, state);
}

cdn_status cdni_dynamics_accelerate(const dynamics *dyn, cdn_state *state, const tree_data *d) {
  const matter *m = dyn->matter;
  if (dyn->constraints && m->lanes == 1) CDNI_TRY(cdni_constraints_choose_plan(dyn->constraints, state));
  if (cdni_dynamics_is_constrained(dyn, state)) return cdni_constraints_solve(dyn->constraints, state, d);
  bool factored = cdni_state_is_valid(state, m->articulated.ticket);
  CDNI_LANE_FINDINGS(singular);
  m->kernels->forward(&m->tree, d, factored, singular);
  const int64_t body = cdni_lanes_fail(state, singular);
  if (body >= 0) return cdni_matter_singular(m, state, (int)body, "cdn_realize");
  if (!factored) cdni_state_mark_valid(state, m->articulated.ticket);
  return CDN_OK;
}

/* The total forces, to which those of rows will be added. */
static void copy_forces(const dynamics *dyn, cdn_state *state, tree_data *d, sv **F, double **f) {
  const tree *t = &dyn->matter->tree;
  *F = cdni_state_storage(state, dyn->row_F), *f = cdni_state_storage(state, dyn->row_f);
  memcpy(*F, cdni_state_storage(state, dyn->forces_F), (size_t)t->n * sizeof **F);
  if (t->nu) memcpy(*f, cdni_state_storage(state, dyn->forces_f), (size_t)t->nu * sizeof **f);
  d->force = *F, d->f_mob = *f;
}

/* Solves again with the forces of rows, if there are rows at present. */
static cdn_status add_rows(const dynamics *dyn, cdn_state *state, tree_data *d) {
  bool any;
  sv *F;
  double *f;
  CDNI_TRY(cdni_soft_any(dyn->soft, state, &any));
  if (!any) return CDN_OK;
  copy_forces(dyn, state, d, &F, &f);
  CDNI_TRY(cdni_soft_solve(dyn->soft, state, d, F, f));
  CDNI_TRY(cdni_dynamics_accelerate(dyn, state, d));
  return cdni_soft_judge(dyn->soft, state, d);
}

/* Where lanes may part, by the ranks of their constraints, each lane's own State goes on by itself from the kinematics
 * and forces of all. */
static cdn_status accelerate_apart(const dynamics *dyn, cdn_state *state, double *udot) {
  const matter *m = dyn->matter;
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    if (cdni_state_ensure(one, CDN_ACCELERATION) != CDN_OK) cdni_lane_fail(state, l);
    const tree_data d = cdni_matter_data(cdni_matter(cdn_state_system(one)), one);
    lane_put(udot, m->lanes, l, d.udot, (size_t)m->tree.nu);
  }
  return CDN_OK;
}

/* Copies udot and A of a lane to its own State. */
static tree_data take_accelerations(const dynamics *dyn, const tree_data *d, int lane, cdn_state *one) {
  const tree *t = &dyn->matter->tree;
  const tree_data own = cdni_matter_data(cdni_matter(cdn_state_system(one)), one);
  lane_get((const double *)d->A, dyn->matter->lanes, lane, (double *)own.A, 6 * (size_t)t->n);
  lane_get(d->udot, dyn->matter->lanes, lane, own.udot, (size_t)t->nu);
  return own;
}

/* The forces of a lane's soft rows, from the accelerations without them: with them in F and f of all lanes. */
static cdn_status solve_soft_lane(const dynamics *dyn, const tree_data *d, int lane, cdn_state *one, sv *F, double *f,
                                  bool *any) {
  const dynamics *own_dyn = cdni_dynamics(cdn_state_system(one));
  const matter *m = own_dyn->matter;
  sv *own_F;
  double *own_f;
  CDNI_TRY(cdni_soft_any(own_dyn->soft, one, any));
  if (!*any) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(one, m->mass_constants.ticket));
  CDNI_TRY(cdni_state_ensure(one, m->pose.ticket));
  CDNI_TRY(cdni_state_ensure(one, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(one, m->twist.ticket));
  CDNI_TRY(cdni_state_ensure(one, own_dyn->forces_F.ticket));
  tree_data own = take_accelerations(dyn, d, lane, one);
  copy_forces(own_dyn, one, &own, &own_F, &own_f);
  CDNI_TRY(cdni_soft_solve(own_dyn->soft, one, &own, own_F, own_f));
  lane_put((double *)F, dyn->matter->lanes, lane, (const double *)own_F, 6 * (size_t)m->tree.n);
  lane_put(f, dyn->matter->lanes, lane, own_f, (size_t)m->tree.nu);
  return CDN_OK;
}

/* Accelerations with soft rows: passes along the tree for all lanes, and each lane's rows by themselves. The lanes' own
 * States have accelerations, too. */
static cdn_status accelerate_soft_lanes(const dynamics *dyn, cdn_state *state, tree_data *d) {
  const matter *m = dyn->matter;
  const size_t lanes = (size_t)m->lanes;
  sv *F = cdni_state_storage(state, dyn->row_F);
  double *f = cdni_state_storage(state, dyn->row_f);
  bool any[CDNI_MOST_LANES] = { false }, some = false;
  memcpy(F, cdni_state_storage(state, dyn->forces_F), (size_t)m->tree.n * sizeof *F * lanes);
  if (m->tree.nu) memcpy(f, cdni_state_storage(state, dyn->forces_f), (size_t)m->tree.nu * sizeof *f * lanes);
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (one && solve_soft_lane(dyn, d, l, one, F, f, &any[l]) != CDN_OK) cdni_lane_fail(state, l);
    some = some || any[l];
  }
  d->force = F, d->f_mob = f;
  if (some) CDNI_TRY(cdni_dynamics_accelerate(dyn, state, d));
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    const dynamics *own_dyn = cdni_dynamics(cdn_state_system(one));
    const tree_data own = take_accelerations(dyn, d, l, one);
    if (any[l] && cdni_soft_judge(own_dyn->soft, one, &own) != CDN_OK) cdni_lane_fail(state, l);
    cdni_state_mark_valid(one, CDN_ACCELERATION);
  }
  return CDN_OK;
}

static cdn_status calc_acceleration(const void *self, cdn_state *state, void *out) {
  const dynamics *dyn = of(self);
  const matter *m = dyn->matter;
  (void)out;
  /* a lane's own State takes inertias without what they came from */
  CDNI_TRY(cdni_state_ensure(state, m->mass_constants.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->pose.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->twist.ticket));
  CDNI_TRY(cdni_state_ensure(state, dyn->forces_F.ticket));
  tree_data d = cdni_matter_data(m, state);
  if (m->lanes > 1 && cdni_dynamics_is_constrained(dyn, state)) return accelerate_apart(dyn, state, d.udot);
  if (d.prescribed) CDNI_TRY(cdni_motion_calc_udot(m, state, d.udot));
  if (cdni_dynamics_has_forces(dyn, state)) {
    d.force = (const sv *)(cdni_state_block(state) + dyn->at_F);
    d.f_mob = (const double *)(cdni_state_block(state) + dyn->at_f);
  }
  CDNI_TRY(cdni_dynamics_accelerate(dyn, state, &d));
  if (!dyn->soft) return CDN_OK;
  return m->lanes > 1 ? accelerate_soft_lanes(dyn, state, &d) : add_rows(dyn, state, &d);
}

/* ---- declaring ---- */

static void declare_forces(dynamics *dyn, cdn_declarer *d) {
  const matter *m = dyn->matter;
  const cdn_ticket reads[] = { CDN_POSE, m->applied_f.ticket, m->applied_F.ticket };
  dyn->forces_F =
      cdn_declare_eager_cache(d, "forces", (size_t)m->tree.n * sizeof(sv), calc_forces, 3, reads, CDN_STAGE_FORCE);
  dyn->forces_f = cdni_declare_companion(d, "forces_mob", (size_t)m->tree.nu * sizeof(double), dyn->forces_F);
  cdn_ticket sums[CDNI_FORCE_SUMS];
  const int n = dyn->forces ? cdni_forces_sums(dyn->forces, sums) : 0;
  for (int i = 0; i < n; i++) cdni_declare_prerequisite(d, dyn->forces_F, sums[i]);
  dyn->elements_act = n > 0;
}

static cdn_status declare(void *self, cdn_declarer *d) {
  dynamics *dyn = *(dynamics **)self;
  const cdn_system *system = cdni_declarer_system(d);
  const matter *m = dyn->matter = cdni_matter(system);
  dyn->forces = cdni_forces(system);
  dyn->constraints = cdni_constraints_declared(system);
  dyn->soft = cdni_soft(system);
  declare_forces(dyn, d);

  const cdn_ticket of_acceleration[] = { m->articulated.ticket, CDN_TWIST, dyn->forces_F.ticket };
  cdni_declare_well_known(d, CDN_ACCELERATION);
  dyn->acceleration = cdn_declare_eager_cache(d, "acceleration", cdni_matter_acceleration_size(m), calc_acceleration, 3,
                                              of_acceleration, CDN_STAGE_ACCELERATION);
  cdni_declare_written_by(d, CDN_UDOT, dyn->acceleration);
  cdni_declare_written_by(d, CDN_MULTIPLIERS, dyn->acceleration);
  if (dyn->soft) {
    cdni_declare_prerequisite(d, dyn->acceleration, cdni_soft_ticket(dyn->soft));
    dyn->row_F = cdni_declare_companion(d, "row_F", (size_t)m->tree.n * sizeof(sv), dyn->acceleration);
    dyn->row_f = cdni_declare_companion(d, "row_f", (size_t)m->tree.nu * sizeof(double), dyn->acceleration);
  }
  cdn_ticket more[8];
  cdni_motion_declare_reads(m, d, CDN_LEVEL_ACCELERATION, dyn->acceleration);
  const int n = dyn->constraints ? cdni_constraints_solve_reads(dyn->constraints, more) : 0;
  for (int i = 0; i < n; i++) cdni_declare_prerequisite(d, dyn->acceleration, more[i]);

  const cdn_ticket of_motion_forces[] = { CDN_UDOT };
  cdni_declare_well_known(d, CDN_MOTION_FORCES);
  dyn->motion_forces = cdn_declare_cache(d, "motion_forces", (size_t)m->tree.nu * sizeof(double),
                                         cdni_dynamics_calc_motion_forces, 1, of_motion_forces);
  /* with constraints tau is the remainder of the equations of motion */
  if (dyn->constraints) cdni_declare_prerequisite(d, dyn->motion_forces, CDN_MULTIPLIERS);
  /* rates of z may read tau (8.15) */
  cdni_declare_prerequisite(d, (cdn_cache){ 0, CDN_ZDOT }, CDN_MOTION_FORCES);
  cdni_declare_in_lanes(d, dyn->forces_F.ticket, CDNI_LANES_TOGETHER);
  cdni_declare_in_lanes(d, dyn->acceleration.ticket, CDNI_LANES_TOGETHER);
  return CDN_OK;
}

/* ---- the room ---- */

static bool is_needed(const cdn_system *system) { return cdni_matter(system) != NULL; }

static const cdn_subsystem_ops subsystem_ops = {
  .struct_size = sizeof subsystem_ops, .name = "dynamics", .self_size = sizeof(dynamics *), .declare = declare
};

static cdn_status planned(cdn_system *system, void *room) {
  dynamics *d = room;
  d->matter = cdni_matter(system);
  d->forces = cdni_forces(system);
  d->at_F = cdni_entry_offset(system, d->forces_F);
  d->at_f = cdni_entry_offset(system, d->forces_f);
  return CDN_OK;
}

const cdni_room_ops cdni_dynamics_room = {
  .size = sizeof(dynamics), .needed = is_needed, .subsystem = &subsystem_ops, .planned = planned
};
