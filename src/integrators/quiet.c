/* Steps in which nothing can happen: every trigger is so far from zero that the motion does not bring it there. They
 * are not sampled, which costs dense output and a State within the step.
 *
 * A trigger says how fast its value changes, and how fast that rate does (cdni_trigger_motion). Twice what these, the
 * larger of both ends of the step, would bring in a step is farther than any swing goes that the step follows: of a
 * swing of size A and frequency w, one of the two is at least half of A w or A w^2 at any time. */
#include <math.h>

#include "integrators/events_run.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"

/* Whether the end of the step decides nothing but whether the value is still on its side. */
static bool may_be_quiet(const struct cdni_events *ev) {
  if (ev->n_watches != ev->n_lasting || events_have_kinks(ev) || !isnan(ev->aim) || !isnan(ev->limit)) return false;
  for (int i = 0; i < ev->n_watches; i++) {
    const cdni_watch *w = &ev->watches[i];
    if (w->armed || w->edges) return false;
    if (!isnan(w->value) && (!w->moves || (w->sign != 1 && w->sign != -1))) return false;
  }
  return true;
}

/* Whether the value stays on its side. Takes its motion at the end of the step. */
static cdn_status stays(cdn_stepper *s, cdni_watch *w, bool *far) {
  const double h = s->step.h, before = w->value;
  double *rate = &w->end_rate, *second = &w->end_second;
  CDNI_TRY(cdni_watch_value(s, w, s->work, &w->end));
  if (isnan(before) && isnan(w->end)) return CDN_OK;
  CDNI_TRY(cdni_take_failure(s, s->work, cdni_trigger_moves(s->work, w->trigger, rate, second)));
  const double most = fmax(fabs(w->rate), fabs(*rate)), bends = fmax(fabs(w->second), fabs(*second));
  const bool known = isfinite(w->rate + w->second + *rate + *second) && before * w->end > 0 && w->level == 0;
  *far = *far && known && fmin(fabs(before), fabs(w->end)) > 2 * h * most + h * h * bends;
  return CDN_OK;
}

cdn_status cdni_events_are_far(cdn_stepper *s, bool *far) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_lasting; i++) ev->watches[i].end_rate = NAN;
  *far = may_be_quiet(ev) && s->step.t1 == s->step.t0 + s->step.h;
  if (!*far) return CDN_OK;
  for (int i = 0; i < ev->n_watches; i++) CDNI_TRY(stays(s, &ev->watches[i], far));
  for (int i = 0; i < ev->n_watches && *far; i++) {
    cdni_watch *w = &ev->watches[i];
    w->time = s->step.t1, w->value = w->end;
    w->slope = w->end_slope = NAN;
    w->rate = w->end_rate, w->second = w->end_second;
    w->fired = w->pending = w->near = false;
  }
  return CDN_OK;
}
