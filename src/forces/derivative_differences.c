/* Differences for forces that bring no derivatives: central, of the generalized forces of these elements only.
 *
 * The elements are summed in States that are displaced a little in every direction. The State is saved
 * before and restored afterwards, so that no computed result is lost. */
#include <math.h>

#include "forces/derivatives.h"
#include "matter/motion_derivatives.h"
#include "matter/scale.h"

/* The cube root of the rounding error balances it with the truncation error h^2 / 6. */
static const double STEP = 6e-6;
/* Displacements are measured by the model's own length. Far from the origin, rounding asks for more. */
static const double FAR = 0.01;

/* Element i of a kind. */
typedef struct differenced_force {
  force_batch batch;
  int i;
} differenced_force;

typedef struct differ {
  const force_room *room;
  int n_forces;
  differenced_force *force;
  cdn_force_derivatives *d;
  cdn_state *state;
  derivative_pass still; /* the pass, looking at the State put aside */
  cdni_runs runs;
  double *unit;         /* nu of matter: displacements of the model's own size */
  double *base, *there; /* values of a pool, and others to set */
  double *direction;    /* nq */
  sv *F[2];
  double *f[2];
} differ;

/* Begins a sum of forces on one side. */
static cdn_status begin_sum(const differ *s, int side, force_collector *c) {
  const matter *m = s->still.m;
  memset(s->F[side], 0, (size_t)m->tree.n * sizeof(sv));
  if (m->tree.nu) memset(s->f[side], 0, (size_t)m->tree.nu * sizeof(double));
  CDNI_TRY(cdni_state_ensure(s->state, CDN_POSE));
  *c = (force_collector){ .to = { .state = s->state, .matter = m } };
  c->to.pose = cdni_matter_pose(m, s->state);
  c->to.F = s->F[side], c->to.f = s->f[side];
  return CDN_OK;
}

static cdn_status add_one(const differ *s, int k, force_collector *c) {
  const force_batch *b = &s->force[k].batch;
  return cdni_force_kinds[b->kind]->calc_one(b, s->force[k].i, s->state, &c->to);
}

static cdn_status sum(const differ *s, int side) {
  force_collector c;
  CDNI_TRY(begin_sum(s, side, &c));
  for (int k = 0; k < s->n_forces; k++) CDNI_TRY(add_one(s, k, &c));
  return CDN_OK;
}

static cdn_status one(const differ *s, int k, int side) {
  force_collector c;
  CDNI_TRY(begin_sum(s, side, &c));
  return add_one(s, k, &c);
}

/* Whether these forces may vary with a variable. What they read themselves their class says; what they read by way of measures
 * and entries the graph knows, whatever they said. */
static bool vary_with(const differ *s, cdn_ticket variable) {
  const force_room *room = s->room;
  for (int i = 0; i < FORCE_CLASSES; i++) {
    const accumulator *a = &room->accumulators[i];
    bool any = false;
    for (int k = 0; k < a->n_parts; k++) any = any || cdni_force_kinds[a->parts[k].kind]->calc_one;
    if (any && cdni_ticket_is_upstream(room->system, variable, a->entry.ticket)) return true;
  }
  return false;
}

/* Column `column` of a matrix gets the difference of the two sums, which are 2 h apart. */
static void add_difference(const differ *s, double h, double *matrix, int columns, int column) {
  const matter *m = s->still.m;
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
}

/* The same of all forces, with n values of a pool on both sides of base along the direction. Steps have the size of
 * `unit`, and of the share `far` of the values that they change. */
static cdn_status difference(differ *s, cdn_pool pool, int n, const double *direction, double unit, double far,
                             double *matrix, int columns, int column) {
  double scale = unit;
  for (int i = 0; i < n; i++)
    if (direction[i] != 0) scale = fmax(scale, far * fabs(s->base[i]));
  const double h = STEP * scale;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) s->there[i] = s->base[i] + (side ? -h : h) * direction[i];
    CDNI_TRY(cdn_state_set_slots(s->state, pool, 0, n, s->there));
    CDNI_TRY(sum(s, side));
  }
  add_difference(s, h, matrix, columns, column);
  return CDN_OK;
}

/* Begins with another pool: its values as they are. */
static void take_base(differ *s, const double *values, int n) {
  if (n) memcpy(s->base, values, (size_t)n * sizeof *values);
}

static cdn_status by_q(differ *s, int nq, int nu) {
  take_base(s, cdn_state_q(s->state), nq);
  for (int k = 0; k < s->still.m->tree.nu; k++) {
    double *unit = s->there; /* nu <= the room there */
    memset(unit, 0, (size_t)nu * sizeof *unit);
    unit[s->runs.u + k] = 1;
    CDNI_TRY(cdni_state_multiply_by_N(s->state, unit, s->direction));
    CDNI_TRY(difference(s, CDN_POOL_Q, nq, s->direction, s->unit[k], FAR, s->still.dq, s->still.m->tree.nu, k));
    CDNI_TRY(cdn_state_set_slots(s->state, CDN_POOL_Q, 0, nq, s->base));
  }
  return CDN_OK;
}

static cdn_status by_u(differ *s, int nu) {
  const int columns = s->still.m->tree.nu;
  take_base(s, cdn_state_u(s->state), nu);
  memset(s->direction, 0, (size_t)nu * sizeof *s->direction);
  for (int k = 0; k < columns; k++) {
    s->direction[s->runs.u + k] = 1;
    CDNI_TRY(difference(s, CDN_POOL_U, nu, s->direction, 1, 1, s->still.du, columns, k));
    s->direction[s->runs.u + k] = 0;
  }
  return cdn_state_set_slots(s->state, CDN_POOL_U, 0, nu, s->base);
}

static double step_of_z(const differ *s, int k) { return STEP * fmax(1, fabs(s->base[k])); }

/* Column k of dz, of one force: the State is at the base, and is again afterwards. */
static cdn_status by_one_z(differ *s, int force, int k) {
  const double h = step_of_z(s, k);
  for (int side = 0; side < 2; side++) {
    const double z = s->base[k] + (side ? -h : h);
    CDNI_TRY(cdn_state_set_slots(s->state, CDN_POOL_Z, k, 1, &z));
    CDNI_TRY(one(s, force, side));
  }
  add_difference(s, h, s->d->dz, s->d->nz, k);
  return cdn_state_set_slots(s->state, CDN_POOL_Z, k, 1, s->base + k);
}

/* Whether a force varies with z that are not its own. All of these are displaced, by amounts that do not cancel each other;
 * its own stay as they are. The State is at the base, and is again afterwards. */
static cdn_status reads_others(differ *s, int force, const cdni_runs *own, bool *reads) {
  const matter *m = s->still.m;
  const int nz = s->d->nz;
  CDNI_TRY(one(s, force, 0));
  if (own->nz) memcpy(s->there + own->z, s->base + own->z, (size_t)own->nz * sizeof *s->there);
  CDNI_TRY(cdn_state_set_slots(s->state, CDN_POOL_Z, 0, nz, s->there));
  CDNI_TRY(one(s, force, 1));
  for (int k = own->z; k < own->z + own->nz; k++) s->there[k] = s->base[k] + s->direction[k];
  *reads = memcmp(s->F[0], s->F[1], (size_t)m->tree.n * sizeof(sv)) != 0;
  for (int k = 0; k < m->tree.nu; k++) *reads = *reads || s->f[0][k] != s->f[1][k];
  return cdn_state_set_slots(s->state, CDN_POOL_Z, 0, nz, s->base);
}

/* Every force by itself: most read z of their own subsystem only, which may be one of many. */
static cdn_status by_z(differ *s) {
  const int nz = s->d->nz;
  take_base(s, cdn_state_z(s->state), nz);
  for (int k = 0; k < nz; k++) {
    s->direction[k] = step_of_z(s, k) * (1 + 0.618 * k - floor(0.618 * k));
    s->there[k] = s->base[k] + s->direction[k];
  }
  for (int i = 0; i < s->n_forces; i++) {
    const force_kind *kind = cdni_force_kinds[s->force[i].batch.kind];
    cdni_runs own = { 0 };
    if (kind->subsystem_of)
      own = cdni_subsystem_runs(s->room->system, kind->subsystem_of(&s->force[i].batch, s->force[i].i));
    bool others = false;
    if (own.nz < nz) CDNI_TRY(reads_others(s, i, &own, &others));
    const int first = others ? 0 : own.z, n = others ? nz : own.nz;
    for (int k = first; k < first + n; k++) CDNI_TRY(by_one_z(s, i, k));
  }
  return CDN_OK;
}

static cdn_status all(differ *s, int nq, int nu) {
  const derivative_pass *p = &s->still;
  if (p->dq && nq > 0) CDNI_TRY(by_q(s, nq, nu));
  if (p->du && nu > 0 && vary_with(s, CDN_U)) CDNI_TRY(by_u(s, nu));
  if (s->d->dz && vary_with(s, CDN_Z)) CDNI_TRY(by_z(s));
  return CDN_OK;
}

/* Those that are differenced (to: NULL: they are only counted). */
static int list(const force_room *room, cdn_state *state, differenced_force *to) {
  int n = 0;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    if (!cdni_force_kinds[k]->is_differenced || room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    for (int i = 0; i < b.n; i++) {
      if (!cdni_force_kinds[k]->is_differenced(&b, i)) continue;
      if (to) to[n] = (differenced_force){ b, i };
      n++;
    }
  }
  return n;
}

/* The State as it is now is put aside, and returned to. */
static cdn_status displaced(differ *s, int nq, int nu) {
  cdn_state *state = s->state;
  const derivative_pass *pass = s->d->pass;
  const char *block = cdni_state_block(state);
  char *saved = cdn_work_push(state, cdni_state_snapshot_size(state));
  if (!saved) return cdni_state_fail(state, CDN_ERR_NOMEM, false, pass->function, NULL, "out of memory");
  cdni_state_take_snapshot(state, saved);
  s->still.pose = (const body_pose *)(saved + ((const char *)pass->pose - block));
  s->still.twist = (const body_twist *)(saved + ((const char *)pass->twist - block));
  /* with their effective values as the variables, and free to be displaced */
  cdn_status status = cdn_prescribe(state, NULL);
  if (status == CDN_OK) {
    cdni_motion_release(pass->m, state);
    status = all(s, nq, nu);
  }
  cdni_state_return_to(state, saved);
  cdn_work_pop(state, saved);
  return status;
}

cdn_status cdni_difference_forces(const force_room *room, cdn_force_derivatives *d) {
  cdn_state *state = d->pass->state;
  const size_t n_forces = (size_t)list(room, state, NULL);
  if (n_forces == 0) return CDN_OK;

  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  const size_t pool = (size_t)(nq + nu + cdn_system_nz(system)), n = (size_t)room->matter->tree.n;
  double *vectors = cdn_work_push(state, (3 * pool + 3 * (size_t)room->matter->tree.nu) * sizeof(double) +
                                             2 * n * sizeof(sv) + n_forces * sizeof(differenced_force));
  if (!vectors) return cdni_state_fail(state, CDN_ERR_NOMEM, false, d->pass->function, NULL, "out of memory");
  differ s = { .room = room, .n_forces = (int)n_forces, .d = d, .state = state, .still = *d->pass };
  s.runs = cdni_subsystem_runs(system, room->matter->subsystem);
  s.F[0] = (sv *)vectors, s.F[1] = s.F[0] + n;
  s.base = (double *)(s.F[1] + n);
  s.there = s.base + pool, s.direction = s.there + pool;
  s.f[0] = s.direction + pool, s.f[1] = s.f[0] + room->matter->tree.nu;
  s.unit = s.f[1] + room->matter->tree.nu;
  s.force = (differenced_force *)(void *)(s.unit + room->matter->tree.nu);
  cdni_matter_units(room->matter, state, cdni_matter_length(room->matter, state), s.unit);
  list(room, state, s.force);

  /* As they are now they are constant forces at M's origins; then comes how they vary. */
  cdn_status status = sum(&s, 0);
  for (int i = 1; status == CDN_OK && i < room->matter->tree.n; i++) {
    cdni_derivatives_constant_moment(d->pass, i, s.F[0][i].w);
    cdni_derivatives_constant_force(d->pass, i, v3_zero(), s.F[0][i].v);
  }
  if (status == CDN_OK) status = displaced(&s, nq, nu);
  cdn_work_pop(state, vectors);
  return status;
}
