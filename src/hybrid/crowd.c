/* Where moments crowd, so that the times between them are shorter than what the accuracy tells apart, a run captures
 * what happens (Moreau, Jean): steps of equal size, each of them half a kick by the accelerations without pushes, a
 * drift, and half a kick. Impulses act between two steps, before anything touches: whatever would close its gap in
 * the drift either bounces at once, by the laws that hold elsewhere, or goes on just as fast as closes the gap by
 * its end. So gaps stay open without any correction, but for how paths bend within a step. What overlaps by that is
 * put on its surface before the next impulses (lift.c). Without contact a step is of second order. An impact may be
 * a step early: the sum of changes of speed, times that, is the estimate of the error. */
#include "hybrid/crowd.h"
#include "hybrid/impact.h"

#include <math.h>

/* Weight of the last time between moments in its mean. Longer times than so many accuracies count as that. */
static const double WEIGHT = 1. / 8, LONG = 8;
/* What the mean is, in accuracies, after captured steps have ended: they may soon begin again. */
static const double SOON = 2;
/* A run of captured steps ends at the latest after so many. */
enum { MOST_STEPS = 1000, MOST_IMPACTS = 100 };
/* The shortest steps, in parts of the longest. */
static const double SHORTEST = 1. / 64;

bool cdni_crowd_note(const cdn_state *state, double accuracy, cdn_hybrid_totals *totals) {
  const double now = cdn_state_time(state), longest = LONG * accuracy;
  if (!(accuracy > 0)) return false;
  if (totals->mean_between == 0) totals->mean_between = longest;
  else totals->mean_between += WEIGHT * (fmin(now - totals->last_moment, longest) - totals->mean_between);
  totals->last_moment = now;
  return totals->mean_between < accuracy;
}

static size_t divide(crowd *c, char *base) {
  size_t at = 0;
  double **const of_q[] = { &c->q0, &c->q };
  double **const of_u[] = { &c->u0, &c->u, &c->first, &c->rate, &c->push, &c->held, &c->applied };
  double **const of_z[] = { &c->z0, &c->z };
  for (int i = 0; i < CDNI_COUNT(of_q); i++) *of_q[i] = cdni_part(base, &at, (size_t)c->nq, sizeof(double));
  for (int i = 0; i < CDNI_COUNT(of_u); i++) *of_u[i] = cdni_part(base, &at, (size_t)c->nu, sizeof(double));
  for (int i = 0; i < CDNI_COUNT(of_z); i++) *of_z[i] = cdni_part(base, &at, (size_t)c->nz, sizeof(double));
  c->gap = cdni_part(base, &at, (size_t)hybrid_sides(c->m->room), sizeof(double));
  c->did = cdni_part(base, &at, (size_t)hybrid_sides(c->m->room), sizeof *c->did);
  c->was = cdni_part(base, &at, (size_t)hybrid_sides(c->m->room), sizeof *c->was);
  return at;
}

/* The kick between two drifts, half of each. The second one is shorter, if the kick is not as accurate as the run. */
static cdn_status kick_between(crowd *c, double before) {
  cdn_state *state = c->m->state;
  for (;;) {
    double error;
    CDNI_TRY(cdni_crowd_kick(c, (before + c->h) / 2, &error));
    if (!(error > c->m->accuracy) || c->h < 2 * SHORTEST * c->m->accuracy) return CDN_OK;
    c->h /= 2;
    CDNI_TRY(cdn_state_set_u(state, c->u0));
    if (c->nz > 0) CDNI_TRY(cdn_state_set_z(state, c->z0));
  }
}

/* ---- impulses ---- */

static int row_of(const moment *m, int i) { return m->cones[m->side_cone[i]].normal; }

/* Adds what may close its gap within `time` s. Sets may have more than that: what others push. *more: something has
 * come to what is there. */
static cdn_status choose(crowd *c, double time, bool *more) {
  moment *m = c->m;
  const bool by_sets = cdni_impact_by_sets(m->room);
  *more = false;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    double speed;
    if (m->in[i] || !side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &c->gap[i], &speed));
    if (side_at(m->room, i)->speed) m->in[i] = speed <= 0;
    else if (by_sets && side_slot(m->room, i) >= 0) m->in[i] = true; /* slots hold what may touch within a step */
    else m->in[i] = c->gap[i] + time * (by_sets ? -fabs(speed) - m->accuracy : fmin(0, speed)) <= 0;
    *more = *more || m->in[i];
  }
  return CDN_OK;
}

/* Whether an element with restitution closes its gap within the time, faster than it is captured. */
static bool bounces(const crowd *c, int i, double speed, double time) {
  const double *numbers = side_params(c->m->room, c->m->state, i);
  const double least = numbers[ONE_SIDED_CAPTURE] > 0 ? numbers[ONE_SIDED_CAPTURE] : c->m->accuracy;
  return numbers[ONE_SIDED_RESTITUTION] > 0 && c->gap[i] + time * speed <= 0 && -speed > least;
}

static cdn_status set_speeds(moment *m, const double *u) {
  CDNI_TRY(cdn_state_set_u(m->state, u));
  CDNI_TRY(cdn_prescribe(m->state, NULL));
  return cdn_realize(m->state, CDN_STAGE_VELOCITY);
}

/* How much of a speed a row loses within half the time, as paths bend: what its acceleration has without any of u. */
static double bend_of(const moment *m, int row, const double *udot, double time) {
  return 0.5 * time * (m->b[row] - cdni_sparse_dot(&m->G, row, udot));
}

/* How fast what does not bounce may go on, so that its gap closes by the end of the time, and what sticks is at rest in
 * the middle: with that impulses on what rolls and turns do no work, to second order (SHAKE). Paths bend as they do
 * before a kick, which has not been carried yet. */
static cdn_status allow(const crowd *c, double time) {
  moment *m = c->m;
  if (!cdni_impact_by_sets(m->room)) return CDN_OK;
  crowd_copy(c->first, cdn_state_u(m->state), c->nu);
  CDNI_TRY(set_speeds(m, c->u0));
  CDNI_TRY(cdni_moment_free_accelerations(m));
  const double *udot = cdn_state_udot(m->state) + m->first_u;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->in[i] || side_at(m->room, i)->speed) continue;
    const cone *k = &m->cones[m->side_cone[i]];
    const bool stops = m->dull || !bounces(c, i, m->v[k->normal], time);
    if (!stops) continue;
    m->allowed[k->normal] = fmax(0, c->gap[i]) / time + bend_of(m, k->normal, udot, time);
    for (int t = 0; t < k->n; t++) m->allowed[k->tangent + t] = bend_of(m, k->tangent + t, udot, time);
  }
  return set_speeds(m, c->first);
}

/* The guess is what has been last: most go on. */
static void guess(const crowd *c) {
  const moment *m = c->m;
  for (int i = 0; i < m->n_cones; i++) m->cones[i].status = CONE_STICKS;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->in[i]) continue;
    cone *k = &m->cones[m->side_cone[i]];
    const deed *did = &c->was[i];
    k->closed = did->closed || m->v[k->normal] + m->allowed[k->normal] < 0;
    if (did->closed) k->status = did->status, memcpy(k->e, did->e, sizeof k->e);
  }
}

/* Speeds below this part of the accuracy are at rest, for who asks whether anything happens. */
static const double SLOW = 0.3;

/* Keeps what has been done. */
static void keep(crowd *c) {
  const moment *m = c->m;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const cone *k = m->in[i] ? &m->cones[m->side_cone[i]] : NULL;
    if (!k) continue;
    const double *v = m->v + k->tangent, slip = k->n == 0 ? 0 : k->n == 1 ? fabs(v[0]) : hypot(v[0], v[1]);
    c->did[i].stays = m->v[k->normal] + m->allowed[k->normal] <= SLOW * m->accuracy;
    c->did[i].slides = c->did[i].stays && slip > SLOW * m->accuracy;
    if (!(m->total[k->normal] > 0)) continue;
    c->did[i].closed = true, c->did[i].impulse += m->total[k->normal];
    c->did[i].status = k->status, memcpy(c->did[i].e, k->e, sizeof k->e);
  }
}

/* Impulses that are smaller than this part of the largest come and go by rounding. */
static const double SMALL = 1e-6;

/* Whether other things happen than last time. Who carries what rests may be another each time. */
static bool has_changed(const crowd *c) {
  const int n = hybrid_sides(c->m->room);
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fmax(c->did[i].impulse, c->was[i].impulse));
  for (int i = 0; i < n; i++) {
    const deed *now = &c->did[i], *was = &c->was[i];
    if (!(fmax(now->impulse, was->impulse) > SMALL * most)) continue;
    if (now->stays != was->stays || now->slides != was->slides) return true;
  }
  return false;
}

/* One set of impulses of all that is chosen; *hit: there was more than what carries needs, or other statuses. */
static cdn_status strike(crowd *c, double time, bool *hit) {
  moment *m = c->m;
  CDNI_TRY(cdni_moment_arrange(m));
  if (m->rows == 0) return CDN_OK;
  CDNI_TRY(cdni_moment_respond(m));
  CDNI_TRY(allow(c, time));
  guess(c);
  memcpy(m->before, m->v, (size_t)m->rows * sizeof *m->before);
  CDNI_TRY(cdni_moment_collide(m, c->totals));
  if (m->span > 0) {
    memset(c->push, 0, (size_t)m->nu * sizeof *c->push);
    for (int r = 0; r < m->rows; r++) cdni_sparse_add_to(&m->G, r, m->total[r] / m->span, c->push);
  }
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->in[i] || !(m->total[row_of(m, i)] > 0) || !(-m->before[row_of(m, i)] > m->least[row_of(m, i)])) continue;
    *hit = true, c->totals->crowded_error += time * (m->v[row_of(m, i)] - m->before[row_of(m, i)]);
  }
  keep(c);
  m->span = m->step = 0; /* loads have had their impulses */
  return cdn_realize(m->state, CDN_STAGE_VELOCITY);
}

/* Putting down an overlap that is deeper than this part of the accuracy, in m, may make other features overlap; so
 * often they are looked for. */
static const double DEEP = 1e-3;
enum { LOOKS = 4 };

/* Slots for all that overlaps or may touch within `time`; what overlaps is put down. */
static cdn_status look_ahead(crowd *c, double time) {
  moment *m = c->m;
  for (int k = 0; k < LOOKS; k++) {
    double deepest;
    if (m->room->slots > 0) {
      CDNI_TRY(cdni_hybrid_renew_slots(m->room, m->state, false, time));
      cdni_changes_renewed(m);
      CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
    }
    CDNI_TRY(cdni_moment_begin_rows(m));
    CDNI_TRY(cdni_moment_lift(m, &deepest, c->totals));
    if (m->room->slots == 0 || deepest < DEEP * m->accuracy) break;
  }
  return CDN_OK;
}

/* All impulses until the next ones, `time` later. Impacts bring on others. */
static cdn_status strike_all(crowd *c, double time, bool *hit) {
  moment *m = c->m;
  const bool dull = m->dull, loads = m->span > 0;
  const size_t sides = (size_t)hybrid_sides(m->room);
  bool more = true;
  memset(m->in, 0, sides * sizeof *m->in);
  memcpy(c->was, c->did, sides * sizeof *c->did), memset(c->did, 0, sides * sizeof *c->did);
  CDNI_TRY(choose(c, time, &more));
  m->rows = 0;
  for (int k = 0; (k == 0 && loads) || (more && k < 2 * MOST_IMPACTS); k++) {
    m->dull = dull || k >= MOST_IMPACTS;
    CDNI_TRY(strike(c, time, hit));
    CDNI_TRY(choose(c, time, &more));
  }
  *hit = *hit || (c->knows && has_changed(c));
  c->knows = true;
  m->span = m->step = 0, m->dull = false;
  return CDN_OK;
}

/* Impulses of what carries, after a kick: they have the loads of its duration. Nothing bounces. */
static cdn_status carry(crowd *c, double time, double span, bool *hit) {
  c->m->span = span, c->m->dull = true;
  return strike_all(c, time, hit);
}

static cdn_status any_bounces(crowd *c, double time, bool *any) {
  moment *m = c->m;
  *any = false;
  for (int i = 0; i < hybrid_sides(m->room) && !*any; i++) {
    double speed;
    if (side_at(m->room, i)->speed || !side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &c->gap[i], &speed));
    *any = bounces(c, i, speed, time);
  }
  return CDN_OK;
}

/* Impacts that bounce have no part in the loads of a kick: they are taken back before it, which follows again. */
static cdn_status bounce(crowd *c, double before, bool *hit) {
  moment *m = c->m;
  bool any;
  double error;
  CDNI_TRY(any_bounces(c, c->h, &any));
  if (!any) return CDN_OK;
  CDNI_TRY(set_speeds(m, c->u0));
  CDNI_TRY(any_bounces(c, c->h, &any));
  if (!any) return set_speeds(m, c->u);
  if (c->nz > 0) CDNI_TRY(cdn_state_set_z(m->state, c->z0));
  m->step = before;
  CDNI_TRY(strike_all(c, c->h, hit));
  return cdni_crowd_kick(c, (before + c->h) / 2, &error);
}

/* ---- steps ---- */

/* A kick, impulses, and the drift behind them; *before: the duration of the last drift. */
static cdn_status step(crowd *c, double latest, double *before, bool *hit) {
  moment *m = c->m;
  cdn_projection_def def = cdn_default_projection_def();
  const double t = cdn_state_time(m->state), left = latest - t;
  double most = m->accuracy, way;
  if (m->room->slots > 0) {
    CDNI_TRY(cdni_rigid_time(m->room->contact, m->state, &way));
    most = fmin(most, fmax(way, SHORTEST * m->accuracy));
  }
  /* a call that asks for one step may name no end */
  const double whole = isfinite(left) ? left / fmax(1, ceil(left / most * (1 - 1e-9))) : most;
  c->h = *before > 0 ? fmin(whole, 2 * *before) : whole;
  CDNI_TRY(kick_between(c, *before));
  CDNI_TRY(look_ahead(c, c->h));
  CDNI_TRY(bounce(c, *before, hit));
  CDNI_TRY(carry(c, c->h, (*before + c->h) / 2, hit));
  CDNI_TRY(cdni_crowd_drift(c, c->h >= left ? latest : t + c->h));
  CDNI_TRY(cdn_project_q(m->state, &def, NULL));
  CDNI_TRY(cdn_project_u(m->state, &def, NULL));
  CDNI_TRY(cdni_state_finish_step(m->state));
  cdni_state_accept_step(m->state);
  c->totals->crowded_steps++, c->totals->crowded_time += c->h;
  *before = c->h;
  return CDN_OK;
}

/* Steps until they are calm, and the last half of a kick. */
static cdn_status run(crowd *c, double latest, crowd_calm *calm) {
  moment *m = c->m;
  double before = 0, error;
  bool hit;
  CDNI_TRY(cdni_moment_release(m));
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  for (int k = 0; k < MOST_STEPS && calm->steps < calm->need && cdn_state_time(m->state) < latest; k++) {
    hit = false;
    CDNI_TRY(step(c, latest, &before, &hit));
    calm->steps = hit ? 0 : calm->steps + 1;
  }
  CDNI_TRY(cdni_crowd_kick(c, before / 2, &error));
  CDNI_TRY(look_ahead(c, before));
  return carry(c, before, before / 2, &hit);
}

cdn_status cdni_crowd_run(moment *m, double latest, crowd_calm *calm, cdn_hybrid_totals *totals) {
  const cdn_system *system = cdn_state_system(m->state);
  const cdn_allocator *a = cdni_system_allocator(system);
  crowd c = { .m = m, .totals = totals, .nq = cdn_system_nq(system), .nu = m->all_nu, .nz = cdn_system_nz(system) };
  const size_t size = divide(&c, NULL) + 1;
  char *memory = cdni_calloc(a, size);
  if (!memory) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_stepper_advance", NULL, "out of memory");
  divide(&c, memory);
  m->captures = m->hit = true; /* these impacts are no sequences of bounces */
  const cdn_status status = run(&c, latest, calm);
  if (calm->steps == calm->need) totals->mean_between = SOON * m->accuracy;
  totals->last_moment = cdn_state_time(m->state);
  memset(cdni_state_update_discrete(m->state, m->room->status), 0, (size_t)hybrid_sides(m->room) * sizeof(double));
  totals->worst_residual = fmax(totals->worst_residual, m->residual);
  m->span = m->residual = 0, m->captures = m->hit = m->jammed = false;
  cdni_free(a, memory, size);
  return status;
}
