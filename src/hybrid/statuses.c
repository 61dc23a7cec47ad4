/* The statuses of a moment: accelerations tell them, after its impacts. */
#include "hybrid/moment.h"

#include <math.h>

static bool fired_at(const bool *list, int i) { return list && list[i]; }

/* Speeds below this are zero: what impulses and projection leave. */
double cdni_moment_at_rest(const moment *m) {
  double largest = 1e-3;
  for (int r = 0; r < m->rows; r++) largest = fmax(largest, fabs(m->v[r]));
  return 1e-10 * largest;
}

/* The direction of slips that are faster than this follows their speed. Friction may turn slower ones back within an
 * equal step, unseen. */
static double fast(const moment *m, const cone *c) {
  double fastest = 0;
  const bool rubs = c->mu_dynamic > 0 || c->base_dynamic > 0;
  for (int r = 0; r < m->rows && m->equal > 0 && rubs; r++) fastest = fmax(fastest, fabs(m->b[r]));
  return fmax(m->slow, m->equal * fastest);
}

/* How fast a slip that begins is across a direction. */
static double across(const moment *m, const cone *c, const double *e) {
  double v[CONE_MOST_TANGENTS];
  cone_get(c, m->v, v);
  return cone_across(v, e);
}

/* The first guess of each cone, and what is known: friction that slips does so in the direction of its speed. What has
 * fired must change: contact that lets go pushes no more, what has begun to slip slips. */
static void prepare(moment *m, bool insists) {
  const double rest = cdni_moment_at_rest(m);
  for (int i = 0; i < m->n_cones; i++) {
    cone *c = &m->cones[i];
    c->floor = 0, c->closed = c->normal >= 0, c->status = CONE_STICKS, c->slips = false;
  }
  for (int i = 0; i < hybrid_sides(m->room) && m->fired; i++)
    if (m->side_cone[i] >= 0 && fired_at(m->fired->lets_go, i)) m->cones[m->side_cone[i]].closed = false;
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    if (m->friction_cone[i] < 0) continue;
    cone *c = &m->cones[m->friction_cone[i]];
    const double size = cone_size(c, m->v), *was_e = m->was_e + CONE_MOST_TANGENTS * i;
    const bool sticks = m->fired && fired_at(m->fired->sticks, i), slips = m->fired && fired_at(m->fired->slips, i);
    /* within equal steps a slow slip goes on in its direction, to where it turns back */
    const bool goes_straight = m->equal > 0 && m->was[i] == CDN_FRICTION_SLIP && !m->begins[i];
    const double least = c->n == 1 || goes_straight ? rest : fmax(rest, m->slow);
    const bool ends = sticks && (c->n == 1 || size <= (goes_straight ? SLIP_AT_REST : 2 * m->slow));
    /* in a State that was made by hand, what stuck may have been given another speed, or another belt */
    const bool is_given = !m->fired && size > fmax(rest, m->slow);
    const bool stays = m->was[i] == CDN_FRICTION_STICK && !m->hit && !is_given;
    /* what an impact leaves slipping slips, however slowly: projected away, it would undo the impact */
    const bool begins = m->begins[i] && !m->hit && across(m, c, was_e) <= m->slow;
    c->slips = size > least && !ends && !stays && !(begins && !insists);
    memcpy(c->e, was_e, sizeof c->e);
    for (int t = 0; t < c->n && c->slips; t++) c->e[t] = m->v[c->tangent + t] / size;
    /* what began to slip and is still slow goes on: of two that hold each other both slip, not one by turns */
    const bool goes_on = m->was[i] == CDN_FRICTION_SLIP && c->n > 1 && !c->slips && !sticks;
    if (!(slips || goes_on) || m->hit) continue;
    c->status = CONE_SLIPS;
    c->slips = c->slips || c->n == 1 || insists;
  }
}

/* What parts and is pulled back has parted if it flies higher than rounding; takes it out of the set. */
bool cdni_moment_parts(moment *m) {
  const double rest = cdni_moment_at_rest(m);
  bool parts = false;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const cone *c = m->side_cone[i] >= 0 ? &m->cones[m->side_cone[i]] : NULL;
    if (!c || !c->closed || side_at(m->room, i)->speed || !(m->v[c->normal] > rest)) continue;
    const int r = c->normal;
    const double v = m->v[r], pull = cdni_sparse_at(&m->W, r, r) * m->p[r];
    if (v * v <= 2 * pull * FLIGHT_ROUNDING) continue;
    m->in[i] = false, parts = true;
  }
  return parts;
}

/* Whether the direction of a slip can be read from its speed. */
static bool is_fast(const moment *m, const cone *c) { return c->slips && cone_size(c, m->v) > fast(m, c); }
/* The speed at which it may have come to its end; negative: it begins (follow_slip). */
static double end_of(const moment *m, int i, const cone *c) {
  if (c->n == 1 && !friction_at(m->room, i)->shares) return SLIP_AT_REST;
  const bool follows = c->slips && cone_size(c, m->v) > m->slow;
  if (is_fast(m, c)) return c->n == 1 ? SLIP_AT_REST : fast(m, c);
  /* equal steps: one that has become slow goes straight to its end; a start has the direction of its speed */
  return !follows ? -m->slow : m->fired ? -fast(m, c) : c->n == 1 ? SLIP_AT_REST : m->slow;
}

/* Accelerations of slip that are so much smaller than others are rounding. */
static const double HELD = 1e-10;

/* Friction at its bound whose slip does not begin is held: multipliers that are not unique are shared so that it may be
 * (share.c). What has fired, or slipped before, is about to move. */
static void hold_what_rests(moment *m) {
  double fastest = 0;
  for (int r = 0; r < m->rows; r++) fastest = fmax(fastest, fmax(fabs(m->w[r]), fabs(m->b[r])));
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    cone *c = m->friction_cone[i] >= 0 ? &m->cones[m->friction_cone[i]] : NULL;
    const bool fired = m->fired && fired_at(m->fired->slips, i);
    if (!c || c->status != CONE_SLIPS || c->slips || fired || m->was[i] == CDN_FRICTION_SLIP) continue;
    if (cone_size(c, m->w) <= HELD * fastest) c->status = CONE_STICKS;
  }
}

/* Whether a slip begins: the solution tells a direction along which it accelerates, or will. */
static bool begins(const moment *m, int i, const cone *c) {
  if (c->status != CONE_SLIPS || c->slips) return false;
  if (m->was[i] == CDN_FRICTION_SLIP && m->fired && fired_at(m->fired->slips, i)) return false;
  double w[CONE_MOST_TANGENTS];
  cone_get(c, m->w, w);
  return cone_dot(w, c->e) >= -HELD * cone_size(c, m->b);
}

cdn_status cdni_moment_set_statuses(moment *m) {
  const hybrid_room *room = m->room;
  hold_what_rests(m);
  const int sides = hybrid_sides(room);
  const double rest = cdni_moment_at_rest(m), rounding = cdni_moment_rounding(m);
  double *status = cdni_state_update_discrete(m->state, room->status);
  for (int i = 0; i < sides; i++) {
    const bool on = m->side_cone[i] >= 0 && m->cones[m->side_cone[i]].closed;
    status[i] = on;
    if (m->side_cone[i] >= 0)
      status[slack_place(room, i)] = on || m->v[m->cones[m->side_cone[i]].normal] > rest ? 0 : rounding;
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ side_at(room, i)->constraint }, on));
  }
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const cone *c = m->friction_cone[i] >= 0 ? &m->cones[m->friction_cone[i]] : NULL;
    const int normal = friction_at(room, i)->normal;
    const bool pressed = c && (normal < 0 || m->cones[m->side_cone[normal]].closed);
    double *to = status + sides + FRICTION_NUMBERS * i;
    to[FRICTION_STATUS] = !pressed                  ? CDN_FRICTION_OFF
                          : c->status == CONE_SLIPS ? CDN_FRICTION_SLIP
                                                    : CDN_FRICTION_STICK;
    for (int k = 0; k < CONE_MOST_TANGENTS; k++) to[FRICTION_DIRECTION + k] = pressed && k < c->n ? c->e[k] : 0;
    to[FRICTION_BEGINS] = pressed && c->n > 1 && begins(m, i, c);
    to[FRICTION_REST] = pressed ? end_of(m, i, c) : 0;
    /* what begins does so from rest: a slow speed against its direction would be pushed on */
    const bool starts = to[FRICTION_BEGINS] && !m->begins[i];
    m->starts = m->starts || starts;
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ friction_at(room, i)->slip },
                                        to[FRICTION_STATUS] == CDN_FRICTION_STICK || starts));
  }
  cdni_kept_set_statuses(m, status);
  return CDN_OK;
}

/* What has been brought to rest begins to slip. */
static cdn_status start_slips(moment *m) {
  for (int i = 0; i < hybrid_frictions(m->room) && m->starts; i++)
    if (friction_status(m->room, m->state, i) == CDN_FRICTION_SLIP)
      CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ friction_at(m->room, i)->slip }, false));
  m->starts = false;
  return CDN_OK;
}

/* What touches, is off and approaches now, as others have been brought to rest, is brought to rest with them. */
static cdn_status project_all(moment *m, bool *closed) {
  bool any = true;
  while (any) {
    CDNI_TRY(cdni_moment_project(m));
    CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
    CDNI_TRY(cdni_moment_close_approaching(m, closed, &any));
  }
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (closed[i])
      CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ side_at(m->room, i)->constraint }, false));
  return CDN_OK;
}

cdn_status cdni_moment_hold(moment *m) {
  const size_t size = (size_t)hybrid_sides(m->room) * sizeof(bool);
  bool *closed = cdn_work_push(m->state, size + 1);
  if (!closed) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  memset(closed, 0, size);
  const cdn_status status = project_all(m, closed);
  cdn_work_pop(m->state, closed);
  return status == CDN_OK ? start_slips(m) : status;
}

/* Whether friction that has begun to slip sticks by the solution. */
static bool is_ignored(const moment *m) {
  for (int i = 0; i < hybrid_frictions(m->room) && m->fired && !m->hit; i++)
    if (m->friction_cone[i] >= 0 && fired_at(m->fired->slips, i) && m->cones[m->friction_cone[i]].status == CONE_STICKS)
      return true;
  return false;
}

/* Slips that begin accelerate along themselves. What does not any more, as forces have jumped, is none. */
static bool begin_no_more(moment *m) {
  bool any = false;
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    const cone *c = m->friction_cone[i] >= 0 ? &m->cones[m->friction_cone[i]] : NULL;
    if (!c || !m->begins[i] || c->slips) continue;
    double v[CONE_MOST_TANGENTS];
    cone_get(c, m->v, v);
    if (!(cone_norm(v) > m->slow)) continue;
    if (c->status == CONE_SLIPS && across(m, c, c->e) <= 3 * m->slow && cone_dot(v, c->e) > 0) continue;
    m->begins[i] = false, any = true;
  }
  return any;
}

static void solve(moment *m, bool *found) {
  do {
    prepare(m, false);
    *found = cdni_moment_solve_kept(m, false);
  } while (begin_no_more(m));
}

static cdn_status choose(moment *m, bool *found) {
  solve(m, found);
  if (*found && !is_ignored(m)) return CDN_OK;
  if (!*found && !(m->fired && !m->hit)) return CDN_OK;
  /* others share the load of friction that sticks beyond its bound: it stays at the bound, and they hold it */
  prepare(m, true);
  if (cdni_moment_solve_kept(m, false)) *found = true;
  else if (*found) solve(m, found);
  return CDN_OK;
}

cdn_status cdni_moment_accelerate(moment *m, bool *found) { return cdni_moment_bend(m, choose, found); }

cdn_status cdni_moment_slowed(moment *m, bool *slowed) {
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  *slowed = false;
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    const cone *c = m->friction_cone[i] >= 0 ? &m->cones[m->friction_cone[i]] : NULL;
    double v[CONE_MOST_TANGENTS];
    if (!c || c->n < 2 || friction_status(m->room, m->state, i) != CDN_FRICTION_SLIP || !is_fast(m, c)) continue;
    CDNI_TRY(cdni_friction_slip(m->room, m->state, i, v));
    *slowed = *slowed || !(cone_norm(v) > fast(m, c));
  }
  return CDN_OK;
}
