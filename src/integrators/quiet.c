/* Steps in which nothing can happen: every trigger is so far from zero that the motion does not bring it there. They
 * are not sampled, which costs dense output and a State within the step.
 *
 * Some triggers say how fast their value changes, and how fast that rate does (cdni_trigger_motion). Twice what these,
 * the larger of both ends of the step, would bring in a step is farther than any swing goes that the step follows: of a
 * swing of size A and frequency w, one of the two is at least half of A w or A w^2 at any time.
 *
 * What is farther from zero than things move sleeps for many steps (sleep.c).
 *
 * Others come with the rates (cdni_declare_trigger_shows): the method itself evaluates them within the step, or, with
 * one evaluation a step, in steps so short that the last few show the swing. Where at least four values are known that
 * are all farther from zero than twice their range, the motion that the method follows does not bring one there. */
#include <math.h>

#include "integrators/events.h"
#include "integrators/events_run.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"

/* Values besides those at both ends of the step. */
enum { ENOUGH = 2 };
/* Every so manieth evaluation of an attempt is looked at. */
enum { EVERY = 2 };
static const double RANGES = 2;

/* ---- which watches ---- */

void cdni_quiet_afresh(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  ev->n_live = ev->n_asleep = 0;
  ev->glances = false;
  for (int i = 0; i < ev->n_lasting; i++) {
    cdni_watch *w = &ev->watches[i];
    if (cdni_watch_rests(w)) continue;
    if (cdni_watch_sleeps(w)) {
      ev->asleep[ev->n_asleep++] = i;
      continue;
    }
    ev->live[ev->n_live++] = i;
    ev->glances = ev->glances || w->shows;
  }
}

void cdni_quiet_attempt(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  ev->n_evaluated = 0;
  for (int i = 0; ev->glances && i < ev->n_live; i++) ev->watches[ev->live[i]].glances = 0;
}

void cdni_quiet_accepted(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  cdni_sleep_accepted(s);
  for (int i = 0; ev->glances && i < ev->n_live; i++) {
    cdni_watch *w = &ev->watches[ev->live[i]];
    w->past[1] = w->past[0], w->past_time[1] = w->past_time[0];
    w->past[0] = w->from, w->past_time[0] = s->step.t0;
  }
}

static void include(cdni_watch *w, double g) {
  w->least = w->glances == 0 ? g : fmin(w->least, g);
  w->most = w->glances == 0 ? g : fmax(w->most, g);
  w->glances++;
}

cdn_status cdni_events_glance(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev || !ev->glances || ev->n_evaluated++ % EVERY != 0) return CDN_OK;
  for (int i = 0; i < ev->n_live; i++) {
    cdni_watch *w = &ev->watches[ev->live[i]];
    double g;
    if (!w->shows) continue;
    CDNI_TRY(cdni_watch_value(s, w, s->work, &g));
    include(w, g);
  }
  return CDN_OK;
}

/* ---- whether a step is quiet ---- */

/* Whether the end of the step decides nothing but whether the value is still on its side. */
static bool may_be_quiet(const struct cdni_events *ev) {
  if (ev->n_watches != ev->n_lasting || events_have_kinks(ev) || !isnan(ev->aim) || !isnan(ev->limit)) return false;
  for (int i = 0; i < ev->n_live; i++) {
    const cdni_watch *w = &ev->watches[ev->live[i]];
    if (w->armed || w->edges || !(w->moves || w->shows) || (w->sign != 1 && w->sign != -1)) return false;
  }
  return true;
}

/* The value at the end counts as the first glance does. */
static bool shown_far(const cdn_stepper *s, cdni_watch *w, double before) {
  for (int k = 0; k < 2; k++)
    if (s->step.t0 - w->past_time[k] <= 2 * (k + 1) * s->step.h) include(w, w->past[k]);
  const bool enough = w->glances >= ENOUGH;
  include(w, before), include(w, w->end);
  return enough && w->least * w->most > 0 && w->level == 0 &&
         fmin(fabs(w->least), fabs(w->most)) > RANGES * (w->most - w->least);
}

/* Whether the value stays on its side. Takes its motion at the end of the step. */
static cdn_status stays(cdn_stepper *s, cdni_watch *w, bool *far) {
  const double h = s->step.h, before = w->value;
  double *rate = &w->end_rate, *second = &w->end_second;
  if (w->shows) {
    CDNI_TRY(cdni_watch_value(s, w, s->work, &w->end));
    *far = *far && shown_far(s, w, before);
    return CDN_OK;
  }
  CDNI_TRY(cdni_trigger_moves(s->work, w->trigger, &w->end, rate, second));
  const double most = fmax(fabs(w->rate), fabs(*rate)), bends = fmax(fabs(w->second), fabs(*second));
  const bool known = isfinite(w->rate + w->second + *rate + *second) && before * w->end > 0 && w->level == 0;
  *far = *far && known && fmin(fabs(before), fabs(w->end)) > 2 * h * most + h * h * bends;
  return CDN_OK;
}

cdn_status cdni_events_are_far(cdn_stepper *s, bool *far) {
  struct cdni_events *ev = s->events;
  int n = 0;
  CDNI_TRY(cdni_sleep_attempt(s));
  *far = may_be_quiet(ev) && s->step.t1 == s->step.t0 + s->step.h;
  const bool may_be = *far;
  for (int i = 0; i < ev->n_live; i++) {
    cdni_watch *w = &ev->watches[ev->live[i]];
    bool stays_far;
    w->end_rate = w->end_second = NAN, w->from = w->value;
    CDNI_TRY(cdni_sleep_try(s, w, &stays_far));
    if (cdni_watch_sleeps(w)) ev->asleep[ev->n_asleep++] = ev->live[i];
    else ev->live[n++] = ev->live[i];
    if (stays_far && !cdni_watch_sleeps(w))
      CDNI_TRY(cdni_trigger_moves(s->work, w->trigger, &w->end, &w->end_rate, &w->end_second));
    if (may_be && !stays_far) CDNI_TRY(stays(s, w, far));
  }
  ev->n_live = n;
  if (!*far) return cdni_sleep_end(s);
  for (int i = 0; i < ev->n_live; i++) {
    cdni_watch *w = &ev->watches[ev->live[i]];
    w->time = s->step.t1, w->value = w->end;
    w->slope = w->end_slope = NAN;
    w->rate = w->end_rate, w->second = w->end_second;
    w->fired = w->pending = w->near = false;
  }
  return CDN_OK;
}
