/* What a moment brings: it is settled, or, where moments crowd or no statuses fit, captured steps take over. */
#include <math.h>

#include "hybrid/crowd.h"

#include <math.h>

/* Captured steps that have come to the end of what was asked for go on after this part of the accuracy, in s: a run has
 * to take a step. */
static const double SHORT = 1e-3;

/* Whether no answer was found. Captured steps go on without statuses. */
static bool fails(cdn_status status) { return status == CDN_ERR_CONSTRAINT; }

/* Bounces that become ever faster come to their limit (two corners that hammer by turns): some moments, each of them
 * nearer to the last one by this ratio, show that, and then so many are not captured. Times between them may come to be
 * as short as times are told apart: after some they need not become shorter. */
enum { MOST_SHORTER = 64, SOME_SHORTER = 4 };
static const double SHORTER = 0.9;

static bool crowds(moment *m, cdn_hybrid_totals *totals) {
  const double between = cdn_state_time(m->state) - totals->last_moment;
  const double last = cdni_changes_captured(m->room, m->state, LAST_BETWEEN);
  const double before = cdni_changes_captured(m->room, m->state, LAST_BEFORE);
  const double many = cdni_changes_captured(m->room, m->state, LAST_SHORTER);
  const bool shorter = between < SHORTER * fmin(last, before) || (many >= SOME_SHORTER && between <= last);
  m->changes[LAST_BETWEEN] = between, m->changes[LAST_BEFORE] = last;
  m->changes[LAST_SHORTER] = shorter ? many + 1 : 0;
  return cdni_crowd_note(m->state, m->accuracy, totals) && !(many >= SOME_SHORTER && shorter && many < MOST_SHORTER);
}

/* Captures, and settles what is there then. Where no statuses fit that, all elements are off, and captured steps go on.
 * *calm: as cdni_crowd_run. */
static cdn_status capture(moment *m, double latest, int *calm, cdn_hybrid_totals *totals) {
  cdni_state_clear_error(m->state);
  cdni_changes_begin(m);
  CDNI_TRY(cdni_crowd_run(m, latest, calm, totals));
  m->fired = NULL;
  const cdn_status status = cdni_moment_settle(m, totals);
  if (!fails(status)) return status;
  cdni_state_clear_error(m->state);
  totals->mean_between = SHORT * m->accuracy;
  CDNI_TRY(cdni_moment_release(m));
  memset(cdni_state_update_discrete(m->state, m->room->status), 0, (size_t)hybrid_sides(m->room) * sizeof(double));
  return cdn_realize(m->state, CDN_STAGE_ACCELERATION);
}

cdn_status cdni_hybrid_settle(const hybrid_room *room, cdn_state *state, const hybrid_run *run,
                              const hybrid_fired *fired) {
  /* equal steps cannot tell apart what happens within one */
  const double accuracy = fmax(run->accuracy, run->step), latest = run->latest;
  moment m = { .room = room, .state = state, .fired = fired, .accuracy = accuracy > 0 ? accuracy : 1e-6 };
  m.equal = run->step;
  cdn_hybrid_totals totals = *(const cdn_hybrid_totals *)cdn_state_discrete(state, room->totals);
  const double now = cdn_state_time(state), resume = cdni_changes_captured(room, state, LAST_RESUME);
  const bool goes_on = resume > 0 && resume <= now && latest > now;
  cdn_status status = cdni_moment_begin(&m);
  if (status == CDN_OK && !goes_on) status = cdni_moment_settle(&m, &totals);
  /* forces that keep reactions are found at moments only */
  const bool may = accuracy > 0 && latest > now && hybrid_kept(room) == 0;
  const bool captures = goes_on || (status == CDN_OK && crowds(&m, &totals));
  if (may && (captures || fails(status))) {
    int calm = goes_on ? (int)cdni_changes_captured(room, state, LAST_CALM) : 0;
    status = capture(&m, latest, &calm, &totals);
    if (totals.mean_between < accuracy)
      m.changes[LAST_RESUME] = cdn_state_time(state) + SHORT * accuracy, m.changes[LAST_CALM] = calm;
  }
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
