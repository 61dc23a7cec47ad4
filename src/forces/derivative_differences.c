/* Differences for forces that bring no derivatives: central, of the generalized forces of these elements only.
 *
 * The elements are summed in States that are displaced a little in every direction. The State's block is kept aside
 * meanwhile and put back, so that nothing that was computed is lost. */
#include <math.h>

#include "forces/derivatives.h"
#include "matter/motion_derivatives.h"

/* The cube root of the rounding error balances it with the truncation error h^2 / 6. */
static const double STEP = 6e-6;

typedef struct differ {
  const force_room *room;
  cdn_force_derivatives *d;
  cdn_state *state;
  derivative_pass still; /* the pass, looking at the block put aside */
  cdni_runs runs;
  double *base, *there; /* values of a pool, and others to set */
  double *direction;    /* nq */
  sv *F[2];
  double *f[2];
} differ;

static bool is_differenced(const force_room *room, cdn_state *state, int k) {
  if (room->sets[k].ids.count == 0) return false;
  if (k != FORCE_CUSTOM) return !cdni_force_kinds[k]->derivative;
  const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
  return cdni_custom_any_differenced(&b);
}

static cdn_status sum(const differ *s, int side) {
  const force_room *room = s->room;
  memset(s->F[side], 0, (size_t)room->matter->tree.n * sizeof(sv));
  if (room->matter->tree.nu) memset(s->f[side], 0, (size_t)room->matter->tree.nu * sizeof(double));
  CDNI_TRY(cdni_state_ensure(s->state, CDN_POSE));
  force_collector c = { .to = { .state = s->state, .matter = room->matter } };
  c.to.pose = cdni_matter_pose(room->matter, s->state);
  c.to.F = s->F[side], c.to.f = s->f[side];
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const force_kind *kind = cdni_force_kinds[k];
    if (!is_differenced(room, s->state, k)) continue;
    for (int i = 0; i < FORCE_CLASSES; i++) {
      const force_part *part = &kind->parts[i];
      if (!force_part_exists(part) || (kind->has_part && !kind->has_part(&room->sets[k], part))) continue;
      force_batch b = cdni_force_batch(room, s->state, (force_kind_id)k, part);
      b.differenced = true;
      CDNI_TRY(cdni_force_calc(&b, s->state, &c.to));
    }
  }
  return CDN_OK;
}

/* Whether these forces may vary with a variable. What they read themselves their class says; what they read by way of measures
 * and entries the graph knows, whatever they said. */
static bool vary_with(const differ *s, cdn_ticket variable) {
  const force_room *room = s->room;
  for (int i = 0; i < FORCE_CLASSES; i++) {
    const accumulator *a = &room->accumulators[i];
    bool any = false;
    for (int k = 0; k < a->n_parts; k++) any = any || is_differenced(room, s->state, (int)a->parts[k].kind);
    if (any && cdni_ticket_is_upstream(room->system, variable, a->entry.ticket)) return true;
  }
  return false;
}

/* Column `column` of a matrix from both sides of base along the direction. */
static cdn_status difference(differ *s, cdn_pool pool, int n, const double *direction, double *matrix, int columns,
                             int column) {
  double scale = 1;
  for (int i = 0; i < n; i++)
    if (direction[i] != 0) scale = fmax(scale, fabs(s->base[i]));
  const double h = STEP * scale;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) s->there[i] = s->base[i] + (side ? -h : h) * direction[i];
    CDNI_TRY(cdn_state_set_slots(s->state, pool, 0, n, s->there));
    CDNI_TRY(sum(s, side));
  }
  const matter *m = s->room->matter;
  const double a = 0.5 / h;
  for (int i = 1; i < m->tree.n; i++) {
    sv dF = sv_sub(s->F[0][i], s->F[1][i]);
    dF = (sv){ v3_scale(a, dF.w), v3_scale(a, dF.v) };
    const double *x = (const double *)&dF;
    if (x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0 || x[4] != 0 || x[5] != 0)
      cdni_derivatives_push(&s->still, i, dF, matrix, columns, column);
  }
  for (int k = 0; k < m->tree.nu; k++)
    matrix[(size_t)k * (size_t)columns + (size_t)column] -= a * (s->f[0][k] - s->f[1][k]);
  return CDN_OK;
}

/* Begins with another pool: its values as they are. */
static void take_base(differ *s, const double *values, int n) {
  if (n) memcpy(s->base, values, (size_t)n * sizeof *values);
}

static cdn_status by_q(differ *s, int nq, int nu) {
  take_base(s, cdn_state_q(s->state), nq);
  for (int k = 0; k < s->room->matter->tree.nu; k++) {
    double *unit = s->there; /* nu <= the room there */
    memset(unit, 0, (size_t)nu * sizeof *unit);
    unit[s->runs.u + k] = 1;
    CDNI_TRY(cdni_state_multiply_by_N(s->state, unit, s->direction));
    CDNI_TRY(difference(s, CDN_POOL_Q, nq, s->direction, s->still.dq, s->room->matter->tree.nu, k));
    CDNI_TRY(cdn_state_set_slots(s->state, CDN_POOL_Q, 0, nq, s->base));
  }
  return CDN_OK;
}

/* u, from slot `first`, or z. */
static cdn_status by_slots(differ *s, cdn_pool pool, const double *values, int n, int first, double *matrix,
                           int columns) {
  take_base(s, values, n);
  memset(s->direction, 0, (size_t)n * sizeof *s->direction);
  for (int k = 0; k < columns; k++) {
    s->direction[first + k] = 1;
    CDNI_TRY(difference(s, pool, n, s->direction, matrix, columns, k));
    s->direction[first + k] = 0;
  }
  return cdn_state_set_slots(s->state, pool, 0, n, s->base);
}

static cdn_status all(differ *s, int nq, int nu) {
  const derivative_pass *p = &s->still;
  if (p->dq && nq > 0) CDNI_TRY(by_q(s, nq, nu));
  if (p->du && nu > 0 && vary_with(s, CDN_U))
    CDNI_TRY(by_slots(s, CDN_POOL_U, cdn_state_u(s->state), nu, s->runs.u, p->du, p->m->tree.nu));
  if (s->d->dz && vary_with(s, CDN_Z))
    CDNI_TRY(by_slots(s, CDN_POOL_Z, cdn_state_z(s->state), s->d->nz, 0, s->d->dz, s->d->nz));
  return CDN_OK;
}

cdn_status cdni_difference_forces(const force_room *room, cdn_force_derivatives *d) {
  cdn_state *state = d->pass->state;
  bool any = false;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) any = any || is_differenced(room, state, k);
  if (!any) return CDN_OK;

  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  const size_t pool = (size_t)(nq + nu + cdn_system_nz(system)), n = (size_t)room->matter->tree.n;
  const size_t block_size = cdn_system_state_size(system);
  char *saved = cdn_work_push(state, block_size + 3 * pool * sizeof(double) + 2 * n * sizeof(sv) +
                                         2 * (size_t)room->matter->tree.nu * sizeof(double));
  if (!saved) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "derivatives", NULL, "out of memory");
  char *block = cdni_state_block(state);
  differ s = { .room = room, .d = d, .state = state, .still = *d->pass };
  s.runs = cdni_subsystem_runs(system, room->matter->subsystem);
  s.F[0] = (sv *)(saved + block_size), s.F[1] = s.F[0] + n;
  s.base = (double *)(s.F[1] + n);
  s.there = s.base + pool, s.direction = s.there + pool;
  s.f[0] = s.direction + pool, s.f[1] = s.f[0] + room->matter->tree.nu;

  /* As they are now they are constant forces at M's origins; then comes how they vary. */
  cdn_status status = sum(&s, 0);
  for (int i = 1; status == CDN_OK && i < room->matter->tree.n; i++) {
    cdni_derivatives_constant_moment(d->pass, i, s.F[0][i].w);
    cdni_derivatives_constant_force(d->pass, i, v3_zero(), s.F[0][i].v);
  }
  memcpy(saved, block, block_size);
  s.still.pose = (const body_pose *)(saved + ((const char *)d->pass->pose - block));
  s.still.twist = (const body_twist *)(saved + ((const char *)d->pass->twist - block));
  /* with their effective values as the variables, and free to be displaced */
  if (status == CDN_OK) status = cdn_prescribe(state, NULL);
  if (status == CDN_OK) {
    cdni_motion_release(room->matter, state);
    status = all(&s, nq, nu);
  }
  memcpy(block, saved, block_size);
  cdn_work_pop(state, saved);
  return status;
}
