/* Dynamics as a subsystem: it has the entries of the equations of motion, and no variables.
 *
 *   applied forces, sums of the forces room                    -> forces         (Force)
 *   articulated inertias, twist, forces, rows, constraints     -> acceleration   (Acceleration)
 *   acceleration                                               -> motion forces  (when asked for) */
#include "dynamics/internal.h"

#include "dynamics/fixman.h"
#include "math/lane_block.h"
#include "matter/motion.h"
#include "matter/operators.h"
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

/* Whether friction slips, so that its force acts. */
static bool slips(const dynamics *d, const cdn_state *state) {
  return d->hybrid && cdni_hybrid_follows(d->hybrid, state);
}

cdn_status cdni_dynamics_acting_forces(const dynamics *d, cdn_state *state, const sv **F, const double **f) {
  bool rows = false;
  if (d->soft) CDNI_TRY(cdni_soft_any(d->soft, state, &rows));
  if (!rows && !slips(d, state)) return cdni_dynamics_applied_forces(d, state, F, f);
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
  const char *does = NULL;
  char name[128];
  if (d && d->hybrid && cdni_hybrid_follower_text(d->hybrid, state, name, sizeof name, &does))
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                           "'%s' %s at present, which %s cannot handle", name, does, function);
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

void cdni_dynamics_copy_forces(const dynamics *dyn, cdn_state *state, tree_data *d, sv **F, double **f) {
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
  cdni_dynamics_copy_forces(dyn, state, d, &F, &f);
  CDNI_TRY(cdni_soft_solve(dyn->soft, state, d, false, F, f));
  CDNI_TRY(cdni_dynamics_accelerate(dyn, state, d));
  return cdni_soft_judge(dyn->soft, state, d);
}

/* Accelerations of a step whose soft rows start from a guess: one elimination, from the forces that lack to hold udot
 * at 0, or at what is prescribed. */
static cdn_status accelerate_straight(const dynamics *dyn, cdn_state *state, tree_data *d) {
  const matter *m = dyn->matter;
  const size_t nu = (size_t)m->tree.nu;
  sv *F;
  double *f, *load = cdn_work_push(state, (nu + 1) * sizeof *load);
  if (!load) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  if (nu) memset(d->udot, 0, nu * sizeof *d->udot);
  cdn_status status = d->prescribed ? cdni_motion_calc_udot(m, state, d->udot) : CDN_OK;
  cdni_dynamics_copy_forces(dyn, state, d, &F, &f);
  m->kernels->inverse(&m->tree, d, true, load);
  for (size_t k = 0; k < nu; k++) load[k] = -load[k];
  if (status == CDN_OK) status = cdni_soft_solve_step(dyn->soft, state, d, load, F, f);
  cdn_work_pop(state, load);
  return status;
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

/* How a lane's soft rows are solved. */
typedef enum lane_rows { LANE_NONE, LANE_ROWS, LANE_STRAIGHT } lane_rows;

/* Also what the lane's own State takes from the lanes for that. */
static cdn_status look_at_lane(cdn_state *one, lane_rows *rows) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(one));
  bool any = false, straight = false;
  CDNI_TRY(cdni_soft_any(dyn->soft, one, &any));
  if (!any) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(one, dyn->matter->mass_constants.ticket));
  CDNI_TRY(cdni_state_ensure(one, dyn->matter->pose.ticket));
  CDNI_TRY(cdni_state_ensure(one, dyn->matter->twist.ticket));
  CDNI_TRY(cdni_soft_goes_straight(dyn->soft, one, &straight));
  *rows = straight ? LANE_STRAIGHT : LANE_ROWS;
  return CDN_OK;
}

/* Soft rows of several lanes under way. */
typedef struct soft_lanes {
  const dynamics *dyn;
  cdn_state *state;
  tree_data *d;       /* of all lanes */
  tree_data straight; /* with udot and A of lanes that go straight, before their rows */
  real *load, *own_load;
  sv *F;
  double *f;
  lane_rows rows[CDNI_MOST_LANES];
  cdn_state *own[CDNI_MOST_LANES]; /* NULL: there is none */
  soft_lane lane[CDNI_MOST_LANES];
} soft_lanes;

/* Copies numbers between all lanes and, where their rows are solved in one of these ways, their own States. */
typedef enum which_numbers { OF_F, OF_f, OF_A, OF_UDOT, OF_LOAD } which_numbers;
static double *own_numbers(const soft_lanes *x, int l, which_numbers which) {
  const tree_data own = cdni_matter_data(cdni_matter(cdn_state_system(x->own[l])), x->own[l]);
  const dynamics *dyn = cdni_dynamics(cdn_state_system(x->own[l]));
  switch (which) {
    case OF_F: return cdni_state_storage(x->own[l], dyn->row_F);
    case OF_f: return cdni_state_storage(x->own[l], dyn->row_f);
    case OF_A: return (double *)own.A;
    case OF_UDOT: return own.udot;
    default: return x->own_load + (size_t)l * (size_t)x->dyn->matter->tree.nu;
  }
}
static void copy_lanes(const soft_lanes *x, which_numbers which, unsigned ways, double *all, bool back) {
  const matter *m = x->dyn->matter;
  const size_t n = which == OF_F || which == OF_A ? 6 * (size_t)m->tree.n : (size_t)m->tree.nu;
  double *values[CDNI_MOST_LANES];
  for (int l = 0; l < m->lanes; l++)
    values[l] = x->own[l] && (ways >> x->rows[l] & 1) ? own_numbers(x, l, which) : NULL;
  if (back) cdni_lanes_put(all, m->lanes, n, (const double *const *)values);
  else cdni_lanes_get(all, m->lanes, n, values);
}
enum { WAY_NONE = 1 << LANE_NONE, WAY_ROWS = 1 << LANE_ROWS, WAY_STRAIGHT = 1 << LANE_STRAIGHT };

/* The motion at a udot of 0, or what is prescribed, and what lacks to hold it. */
static cdn_status find_loads(soft_lanes *x) {
  const matter *m = x->dyn->matter;
  const size_t nu = (size_t)m->tree.nu * (size_t)m->lanes;
  if (nu) memset(x->straight.udot, 0, nu * sizeof(real));
  if (x->d->prescribed) CDNI_TRY(cdni_motion_calc_udot(m, x->state, x->straight.udot));
  x->straight.force = x->F, x->straight.f_mob = x->f;
  m->kernels->inverse(&m->tree, &x->straight, true, x->load);
  for (size_t k = 0; k < nu; k++) x->load[k] = -x->load[k];
  copy_lanes(x, OF_A, WAY_STRAIGHT, (double *)x->straight.A, false);
  copy_lanes(x, OF_UDOT, WAY_STRAIGHT, x->straight.udot, false);
  copy_lanes(x, OF_LOAD, WAY_STRAIGHT, x->load, false);
  return CDN_OK;
}

static cdn_status solve_soft_lanes(soft_lanes *x, unsigned ways) {
  const matter *m = x->dyn->matter;
  copy_lanes(x, OF_F, WAY_ROWS | WAY_STRAIGHT, (double *)x->F, false);
  copy_lanes(x, OF_f, WAY_ROWS | WAY_STRAIGHT, x->f, false);
  copy_lanes(x, OF_A, WAY_ROWS, (double *)x->d->A, false);
  copy_lanes(x, OF_UDOT, WAY_ROWS, x->d->udot, false);
  if (ways & WAY_STRAIGHT) CDNI_TRY(find_loads(x));
  for (int l = 0; l < m->lanes; l++) {
    x->lane[l] = (soft_lane){ .state = x->own[l] && x->rows[l] != LANE_NONE ? x->own[l] : NULL };
    if (!x->lane[l].state) continue;
    x->lane[l].d = cdni_matter_data(cdni_matter(cdn_state_system(x->own[l])), x->own[l]);
    x->lane[l].F = (sv *)own_numbers(x, l, OF_F), x->lane[l].f = own_numbers(x, l, OF_f);
    if (x->rows[l] == LANE_STRAIGHT) x->lane[l].load = own_numbers(x, l, OF_LOAD);
  }
  CDNI_TRY(cdni_soft_solve_lanes(x->dyn->soft, x->state, x->d, m->lanes, x->lane));
  copy_lanes(x, OF_F, WAY_ROWS | WAY_STRAIGHT, (double *)x->F, true);
  copy_lanes(x, OF_f, WAY_ROWS | WAY_STRAIGHT, x->f, true);
  return CDN_OK;
}

/* With the forces of all rows in F and f; the lanes' own States have the accelerations, too. */
static cdn_status finish_soft_lanes(soft_lanes *x, unsigned ways) {
  const matter *m = x->dyn->matter;
  x->d->force = x->F, x->d->f_mob = x->f;
  if (ways & WAY_ROWS) CDNI_TRY(cdni_dynamics_accelerate(x->dyn, x->state, x->d));
  copy_lanes(x, OF_A, WAY_STRAIGHT, (double *)x->d->A, true);
  copy_lanes(x, OF_UDOT, WAY_STRAIGHT, x->d->udot, true);
  copy_lanes(x, OF_A, WAY_NONE | WAY_ROWS, (double *)x->d->A, false);
  copy_lanes(x, OF_UDOT, WAY_NONE | WAY_ROWS, x->d->udot, false);
  for (int l = 0; l < m->lanes; l++) {
    if (!x->own[l]) continue;
    if (x->rows[l] == LANE_ROWS && cdni_soft_judge(x->dyn->soft, x->own[l], &x->lane[l].d) != CDN_OK)
      cdni_lane_fail(x->state, l);
    cdni_state_mark_valid(x->own[l], CDN_ACCELERATION);
  }
  return CDN_OK;
}

static cdn_status run_soft_lanes(soft_lanes *x, unsigned ways) {
  const matter *m = x->dyn->matter;
  const size_t lanes = (size_t)m->lanes;
  if (ways != WAY_STRAIGHT) CDNI_TRY(cdni_dynamics_accelerate(x->dyn, x->state, x->d));
  memcpy(x->F, cdni_state_storage(x->state, x->dyn->forces_F), (size_t)m->tree.n * sizeof(sv) * lanes);
  if (m->tree.nu)
    memcpy(x->f, cdni_state_storage(x->state, x->dyn->forces_f), (size_t)m->tree.nu * sizeof(real) * lanes);
  CDNI_TRY(solve_soft_lanes(x, ways));
  return finish_soft_lanes(x, ways);
}

/* Accelerations with soft rows: passes along the tree for all lanes, and the rows of each. */
static cdn_status accelerate_soft_lanes(const dynamics *dyn, cdn_state *state, tree_data *d) {
  const matter *m = dyn->matter;
  const size_t nb = (size_t)m->tree.n * (size_t)m->lanes, nu = (size_t)m->tree.nu * (size_t)m->lanes;
  soft_lanes x = { .dyn = dyn, .state = state, .d = d, .straight = *d };
  unsigned ways = 0;
  CDNI_TRY(cdni_soft_prepare_lanes(dyn->soft, state));
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (one && look_at_lane(one, &x.rows[l]) != CDN_OK) cdni_lane_fail(state, l), one = NULL;
    x.own[l] = one;
    if (one) ways |= 1U << x.rows[l];
  }
  size_t at = 0;
  for (int pass = 0; pass < 2; pass++) {
    void *frame = NULL;
    if (pass > 0) CDNI_TRY(cdni_operator_work(state, "cdn_realize", at, &frame));
    at = 0;
    x.straight.A = cdni_part(frame, &at, nb, sizeof(sv));
    x.straight.udot = cdni_part(frame, &at, nu, sizeof(real));
    x.load = cdni_part(frame, &at, nu, sizeof(real));
    x.own_load = cdni_part(frame, &at, nu, sizeof(real));
    if (pass == 0) continue;
    x.F = cdni_state_storage(state, dyn->row_F), x.f = cdni_state_storage(state, dyn->row_f);
    const cdn_status status = run_soft_lanes(&x, ways);
    cdn_work_pop(state, frame);
    CDNI_TRY(status);
  }
  return CDN_OK;
}

static cdn_status accelerate(const dynamics *dyn, cdn_state *state) {
  const matter *m = dyn->matter;
  /* a lane's own State takes inertias without what they came from */
  CDNI_TRY(cdni_state_ensure(state, m->mass_constants.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->pose.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->twist.ticket));
  CDNI_TRY(cdni_state_ensure(state, dyn->forces_F.ticket));
  tree_data d = cdni_matter_data(m, state);
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  if (m->lanes > 1 && (constrained || dyn->hybrid)) return accelerate_apart(dyn, state, d.udot);
  bool straight = false;
  const bool slipping = slips(dyn, state);
  if (dyn->soft && m->lanes == 1 && !constrained && !slipping)
    CDNI_TRY(cdni_soft_goes_straight(dyn->soft, state, &straight));
  if (straight) return accelerate_straight(dyn, state, &d);
  if (d.prescribed) CDNI_TRY(cdni_motion_calc_udot(m, state, d.udot));
  if (cdni_dynamics_has_forces(dyn, state)) {
    d.force = (const sv *)(cdni_state_block(state) + dyn->at_F);
    d.f_mob = (const double *)(cdni_state_block(state) + dyn->at_f);
  }
  if (slipping) return cdni_dynamics_accelerate_slipping(dyn, state, &d);
  if (dyn->soft && m->lanes > 1) return accelerate_soft_lanes(dyn, state, &d);
  CDNI_TRY(cdni_dynamics_accelerate(dyn, state, &d));
  return dyn->soft ? add_rows(dyn, state, &d) : CDN_OK;
}

static cdn_status calc_acceleration(const void *self, cdn_state *state, void *out) {
  const dynamics *dyn = of(self);
  (void)out;
  CDNI_TRY(accelerate(dyn, state));
  return dyn->hybrid && dyn->matter->lanes == 1 ? cdni_hybrid_share(dyn->hybrid, state) : CDN_OK;
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
  dyn->hybrid = dyn->constraints ? cdni_hybrid(system) : NULL;
  declare_forces(dyn, d);
  cdni_fixman_declare_reads(dyn, d);

  const cdn_ticket of_acceleration[] = { m->articulated.ticket, CDN_TWIST, dyn->forces_F.ticket };
  cdni_declare_well_known(d, CDN_ACCELERATION);
  dyn->acceleration = cdn_declare_eager_cache(d, "acceleration", cdni_matter_acceleration_size(m), calc_acceleration, 3,
                                              of_acceleration, CDN_STAGE_ACCELERATION);
  cdni_declare_written_by(d, CDN_UDOT, dyn->acceleration);
  cdni_declare_written_by(d, CDN_MULTIPLIERS, dyn->acceleration);
  if (dyn->soft) cdni_declare_prerequisite(d, dyn->acceleration, cdni_soft_ticket(dyn->soft));
  if (dyn->hybrid) {
    cdn_ticket reads[4];
    const int n = cdni_hybrid_reads(dyn->hybrid, reads);
    for (int i = 0; i < n; i++) cdni_declare_prerequisite(d, dyn->acceleration, reads[i]);
    cdni_hybrid_declare_forces(dyn->hybrid, d, dyn->acceleration, &cdni_dynamics_answer);
  }
  if (dyn->soft || dyn->hybrid) {
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
