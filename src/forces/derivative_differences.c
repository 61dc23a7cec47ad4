/* Differences for forces that bring no derivatives: central, of the generalized forces of these elements only. */
#include <math.h>

#include "forces/derivatives.h"
#include "matter/differences.h"

/* Element i of a kind. */
typedef struct differenced_force {
  force_batch batch;
  int i;
} differenced_force;

typedef struct differ {
  const force_room *room;
  int n_forces, only; /* only: the one that is evaluated; -1: all */
  differenced_force *force;
  cdn_force_derivatives *d;
  differences by;
  derivative_pass still; /* looks at the State put aside */
  int first_u, nz;       /* matter's u; numbers of z */
  sv *F[2];
  double *f[2], *amount; /* of all columns */
} differ;

/* The sum of the forces that are asked for. */
static cdn_status evaluate(void *user, int side) {
  const differ *s = user;
  const matter *m = s->room->matter;
  cdn_state *state = s->by.state;
  memset(s->F[side], 0, (size_t)m->tree.n * sizeof(sv));
  if (m->tree.nu) memset(s->f[side], 0, (size_t)m->tree.nu * sizeof(double));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  force_collector c = { .to = { .state = state, .matter = m } };
  c.to.pose = cdni_matter_pose(m, state);
  c.to.F = s->F[side], c.to.f = s->f[side];
  const int first = s->only < 0 ? 0 : s->only, end = s->only < 0 ? s->n_forces : s->only + 1;
  for (int k = first; k < end; k++) {
    const force_batch *b = &s->force[k].batch;
    CDNI_TRY(cdni_force_kinds[b->kind]->calc_one(b, s->force[k].i, state, &c.to));
  }
  return CDN_OK;
}

static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const differ *s = user;
  const derivative_pass *p = &s->still;
  double *const matrix = pool == CDN_POOL_Q ? p->dq : pool == CDN_POOL_U ? p->du : s->d->dz;
  const bool by_z = pool == CDN_POOL_Z;
  cdni_derivatives_push_difference(p, s->F[0], s->F[1], s->f[0], s->f[1], 2 * h, matrix, by_z ? s->nz : p->m->tree.nu,
                                   by_z ? column : column - s->first_u);
  return CDN_OK;
}

/* Whether these forces may vary with a variable. What they read themselves their class says; what they read by way of
 * measures and entries the graph knows, whatever they said. */
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

/* Whether a force varies with z that are not its own. All of these are displaced, by amounts that do not cancel each
 * other; its own stay as they are. The State is where it was, and is again afterwards. */
static cdn_status reads_others(differ *s, const cdni_runs *own, bool *reads) {
  const matter *m = s->room->matter;
  const double *z = cdn_state_z(s->by.state);
  const int columns = 2 * cdn_system_nu(s->room->system) + s->nz, first = columns - s->nz;
  memset(s->amount, 0, (size_t)columns * sizeof *s->amount);
  CDNI_TRY(evaluate(s, 0));
  for (int k = 0; k < s->nz; k++) {
    const bool is_own = k >= own->z && k < own->z + own->nz;
    s->amount[first + k] = is_own ? 0 : cdni_difference_of(z[k]) * (1 + 0.618 * k - floor(0.618 * k));
  }
  CDNI_TRY(cdni_differences_move(&s->by, s->amount));
  CDNI_TRY(evaluate(s, 1));
  *reads = memcmp(s->F[0], s->F[1], (size_t)m->tree.n * sizeof(sv)) != 0;
  for (int k = 0; k < m->tree.nu; k++) *reads = *reads || s->f[0][k] != s->f[1][k];
  memset(s->amount + first, 0, (size_t)s->nz * sizeof *s->amount);
  return cdni_differences_move(&s->by, s->amount);
}

/* Every force by itself: most read z of their own subsystem only, which may be one of many. */
static cdn_status by_z(differ *s) {
  const int nz = s->nz;
  for (s->only = 0; s->only < s->n_forces; s->only++) {
    const differenced_force *f = &s->force[s->only];
    const force_kind *kind = cdni_force_kinds[f->batch.kind];
    cdni_runs own = { 0 };
    if (kind->subsystem_of) own = cdni_subsystem_runs(s->room->system, kind->subsystem_of(&f->batch, f->i));
    bool others = false;
    if (own.nz < nz) CDNI_TRY(reads_others(s, &own, &others));
    CDNI_TRY(cdni_differences_by(&s->by, CDN_POOL_Z, others ? 0 : own.z, others ? nz : own.nz));
  }
  s->only = -1;
  return CDN_OK;
}

static cdn_status all(void *user) {
  differ *s = user;
  const derivative_pass *p = &s->still;
  const int nu = p->m->tree.nu;
  cdni_derivatives_look_at(&s->still, s->by.saved);
  if (p->dq) CDNI_TRY(cdni_differences_by(&s->by, CDN_POOL_Q, s->first_u, nu));
  if (p->du && vary_with(s, CDN_U)) CDNI_TRY(cdni_differences_by(&s->by, CDN_POOL_U, s->first_u, nu));
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

cdn_status cdni_difference_forces(const force_room *room, cdn_force_derivatives *d) {
  cdn_state *state = d->pass->state;
  const matter *m = room->matter;
  const size_t n_forces = (size_t)list(room, state, NULL);
  if (n_forces == 0) return CDN_OK;

  const size_t n = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  const size_t columns = 2 * (size_t)cdn_system_nu(room->system) + (size_t)cdn_system_nz(room->system);
  double *vectors = cdn_work_push(state, (cdni_differences_room(room->system) + 2 * nu + columns) * sizeof(double) +
                                             2 * n * sizeof(sv) + n_forces * sizeof(differenced_force));
  if (!vectors) return cdni_state_fail(state, CDN_ERR_NOMEM, false, d->pass->function, NULL, "out of memory");
  differ s = { .room = room, .n_forces = (int)n_forces, .only = -1, .d = d, .still = *d->pass };
  s.by = (differences){ .frees = true, .user = &s, .evaluate = evaluate, .add = add };
  s.first_u = cdni_subsystem_runs(room->system, m->subsystem).u, s.nz = cdn_system_nz(room->system);
  s.F[0] = (sv *)vectors, s.F[1] = s.F[0] + n;
  s.f[0] = (double *)(s.F[1] + n), s.f[1] = s.f[0] + nu;
  s.force = (differenced_force *)(void *)(s.f[1] + nu);
  s.amount = (double *)(void *)(s.force + n_forces);
  list(room, state, s.force);

  /* As they are now they are constant forces at M's origins; then comes how they vary. */
  cdn_status status = cdni_differences_begin(&s.by, state, d->pass->function, s.amount + columns);
  if (status == CDN_OK) status = evaluate(&s, 0);
  for (int i = 1; status == CDN_OK && i < m->tree.n; i++) {
    cdni_derivatives_constant_moment(d->pass, i, s.F[0][i].w);
    cdni_derivatives_constant_force(d->pass, i, v3_zero(), s.F[0][i].v);
  }
  if (status == CDN_OK) status = cdni_differences_make(&s.by, all);
  cdn_work_pop(state, vectors);
  return status;
}
