/* What a moment brings: it is settled, or, where moments crowd or no statuses fit, captured steps take over. */
#include "hybrid/crowd.h"
#include "hybrid/slip.h"

#include <math.h>

/* Captured steps that have come to the end of what was asked for go on after this part of the accuracy, in s: a run has
 * to take a step. */
static const double SHORT = 1e-3;

/* Whether no answer was found, or none whose forces agree with their pushes. Captured steps go on without statuses. */
static bool fails(cdn_status status) { return status == CDN_ERR_CONSTRAINT || status == CDN_ERR_SINGULAR; }

/* Bounces that become ever faster come to their limit (two corners that hammer by turns): some moments, each of them
 * nearer to the last one by this ratio, show that, and then so many are not captured. Times between them may come to be
 * as short as times are told apart: after some they need not become shorter. */
enum { MOST_SHORTER = 64, SOME_SHORTER = 4 };
static const double SHORTER = 0.9;

/* A start is no moment: equal steps that begin anew, one after another, do not crowd. */
static bool crowds(moment *m, cdn_hybrid_totals *totals) {
  if (!m->fired) return false;
  const double between = cdn_state_time(m->state) - totals->last_moment;
  const double last = cdni_changes_captured(m->room, m->state, LAST_BETWEEN);
  const double before = cdni_changes_captured(m->room, m->state, LAST_BEFORE);
  const double many = cdni_changes_captured(m->room, m->state, LAST_SHORTER);
  const bool shorter = between < SHORTER * fmin(last, before) || (many >= SOME_SHORTER && between <= last);
  m->changes[LAST_BETWEEN] = between, m->changes[LAST_BEFORE] = last;
  m->changes[LAST_SHORTER] = shorter ? many + 1 : 0;
  return cdni_crowd_note(m->state, m->accuracy, totals) && !(many >= SOME_SHORTER && shorter && many < MOST_SHORTER);
}

/* Settles the moment. Where no answer is found, impulses on the way to it are none either, and what they leave is not
 * that of an answer: speeds and totals are those before. */
static cdn_status settle(moment *m, cdn_hybrid_totals *totals) {
  const cdn_hybrid_totals before = *totals;
  const size_t size = (size_t)m->all_nu * sizeof(double);
  double *u = cdn_work_push(m->state, size + 1);
  if (!u) return cdni_moment_fits(m, false);
  if (size > 0) memcpy(u, cdn_state_u(m->state), size);
  const cdn_status status = cdni_moment_settle(m, totals);
  if (fails(status)) {
    *totals = before, m->residual = 0;
    (void)!cdn_state_set_u(m->state, u); /* these are numbers */
  }
  cdn_work_pop(m->state, u);
  return status;
}

/* Captures, and settles what is there then. Where no statuses fit that, all elements are off, and captured steps go on.
 */
static cdn_status capture(moment *m, double latest, crowd_calm *calm, cdn_hybrid_totals *totals) {
  cdni_state_clear_error(m->state);
  cdni_changes_begin(m);
  CDNI_TRY(cdni_crowd_run(m, latest, calm, totals));
  m->fired = NULL;
  const cdn_status status = settle(m, totals);
  if (!fails(status)) return status;
  cdni_state_clear_error(m->state);
  totals->mean_between = SHORT * m->accuracy;
  CDNI_TRY(cdni_moment_release(m));
  memset(cdni_state_update_discrete(m->state, m->room->status), 0, (size_t)hybrid_sides(m->room) * sizeof(double));
  return cdn_realize(m->state, CDN_STAGE_ACCELERATION);
}

/* How calm captured steps have to be. If steps of events have not taken the run on for so many times as long as the
 * calm lasted, it has to last twice as long. */
enum { CALM = 10, MOST_CALM = 640 };
static const double SOON = 4;

static crowd_calm calm_of(const moment *m, bool goes_on) {
  double last[LAST_NUMBERS];
  for (int k = 0; k < LAST_NUMBERS; k++) last[k] = cdni_changes_captured(m->room, m->state, k);
  crowd_calm calm = { .need = (int)last[LAST_NEED], .ended = last[LAST_END] };
  if (goes_on) calm.steps = (int)last[LAST_CALM];
  else if (calm.need > 0 && cdn_state_time(m->state) - calm.ended < SOON * calm.need * m->accuracy)
    calm.need = calm.need < MOST_CALM ? 2 * calm.need : calm.need;
  else calm.need = CALM;
  return calm;
}

/* What overlaps by more at a start, m, is not put on its surface. */
static const double TOO_DEEP = 1e-2;

static cdn_status refuse_overlap(const hybrid_room *room, cdn_state *state) {
  double gap;
  int both[2];
  char name[128];
  if (room->slots == 0) return CDN_OK;
  CDNI_TRY(cdni_rigid_least_gap(room->contact, state, &gap, both));
  if (gap >= -TOO_DEEP) return CDN_OK;
  cdni_hybrid_name_shapes(cdn_state_system(state), both[0], both[1], name, sizeof name);
  return cdni_state_fail(state, CDN_ERR_CONSTRAINT, false, "cdn_settle", name,
                         "at t = %.9g shapes '%s' overlap by %.3g m, too much for a start: assemble the State first "
                         "(cdn_assemble), or move one of them out",
                         cdn_state_time(state), name, -gap);
}

cdn_status cdni_hybrid_settle(const hybrid_room *room, cdn_state *state, const hybrid_run *run,
                              const hybrid_fired *fired) {
  /* equal steps cannot tell apart moments within one; one moment is as exact as that of a State made by hand */
  const double accuracy = fmax(run->accuracy, run->step), latest = run->latest;
  moment m = { .room = room, .state = state, .fired = fired, .accuracy = run->accuracy > 0 ? run->accuracy : 1e-6 };
  m.equal = run->step;
  cdn_hybrid_totals totals = *(const cdn_hybrid_totals *)cdn_state_discrete(state, room->totals);
  const double now = cdn_state_time(state), resume = cdni_changes_captured(room, state, LAST_RESUME);
  const bool goes_on = resume > 0 && resume <= now && latest > now, takes_over = fired && fired->captures;
  const double need = cdni_changes_captured(room, state, LAST_NEED), end = cdni_changes_captured(room, state, LAST_END);
  if (!fired) CDNI_TRY(refuse_overlap(room, state));
  cdn_status status = cdni_moment_begin(&m);
  if (status == CDN_OK && !goes_on && !takes_over) status = settle(&m, &totals);
  if (accuracy > 0) m.accuracy = accuracy;
  /* forces that keep reactions are found at moments only */
  const bool may = accuracy > 0 && latest > now && hybrid_kept(room) == 0;
  const bool captures = goes_on || takes_over || (status == CDN_OK && crowds(&m, &totals));
  m.changes[LAST_NEED] = need, m.changes[LAST_END] = end;
  if (may && (captures || fails(status))) {
    crowd_calm calm = calm_of(&m, goes_on);
    status = capture(&m, latest, &calm, &totals);
    m.changes[LAST_NEED] = calm.need, m.changes[LAST_END] = cdn_state_time(state);
    if (totals.mean_between < accuracy)
      m.changes[LAST_RESUME] = cdn_state_time(state) + SHORT * accuracy, m.changes[LAST_CALM] = calm.steps;
  }
  m.changes[LAST_EASE] = status == CDN_OK && cdni_hybrid_follows(room, state) ? cdni_hybrid_ease(room, state) : 0;
  if (status == CDN_OK) cdni_changes_keep(&m, &totals);
  cdni_moment_end(&m);
  return status;
}

cdn_status cdn_settle(cdn_state *state, double accuracy) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  if (!room) return cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (!(accuracy >= 0 && accuracy < 1))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "the accuracy is %g; it must be from 0 to below 1", accuracy);
  return cdni_hybrid_settle(room, state, &(hybrid_run){ accuracy, 0, 0 }, NULL);
}
