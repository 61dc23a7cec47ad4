/* Events at times that are known beforehand. */
#include <math.h>

#include <cardan/events.h>

#include "core/archive.h"
#include "integrators/events_run.h"
#include "integrators/failure.h"
#include "integrators/stepper.h"
#include "system/events.h"

/* The first time of a list or a period that is at or after t (after it, if `after`). */
static void find_next(cdni_timer *timer, const cdn_event_def *def, double t, bool after) {
  if (def->kind == CDN_EVENT_SCHEDULED) {
    timer->n = 0;
    while (timer->n < def->n_times && (def->times[timer->n] < t || (after && def->times[timer->n] == t))) timer->n++;
    timer->next = timer->n < def->n_times ? def->times[timer->n] : INFINITY;
    return;
  }
  double n = fmax(0, floor((t - def->phase) / def->period) - 1);
  /* Rounding cannot be off by more than a few periods, unless the period is lost in t: then there is no next time. */
  timer->next = INFINITY;
  for (int k = 0; k < 4; k++, n++) {
    double next = def->phase + n * def->period;
    if (next < t || (after && next == t)) continue;
    timer->next = next;
    return;
  }
}

static cdn_status ask(cdn_stepper *s, cdni_timer *timer, double after) {
  const cdni_event *e = cdni_event_at(s->system, timer->event);
  double next = INFINITY;
  cdn_status status = e->def.next_time(cdni_event_self(s->system, e), s->work, after, &next);
  if (status != CDN_OK) return cdni_fail_event(s, status, e->def.name, "its next_time failed");
  if (!(next > after)) {
    return cdni_fail_event(s, CDN_ERR_ARG, e->def.name, "its next_time gave %.17g, which is not after %.17g", next,
                           after);
  }
  timer->next = next;
  return CDN_OK;
}

cdn_status cdni_timer_advance(cdn_stepper *s, cdni_timer *timer, double t) {
  const cdn_event_def *def = &cdni_event_at(s->system, timer->event)->def;
  if (def->next_time) return ask(s, timer, t);
  /* in a list the next one is known */
  if (def->kind == CDN_EVENT_SCHEDULED && timer->n + 1 < def->n_times && def->times[timer->n + 1] > t) {
    timer->next = def->times[++timer->n];
    return CDN_OK;
  }
  find_next(timer, def, t, true);
  return CDN_OK;
}

cdn_status cdni_timers_reset(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_timers; i++) {
    cdni_timer *timer = &ev->timers[i];
    const cdn_event_def *def = &cdni_event_at(s->system, timer->event)->def;
    const cdni_record *r = &ev->records[timer->event];
    if (def->next_time) CDNI_TRY(ask(s, timer, t));
    else find_next(timer, def, t, r->count > 0 && r->last == t);
  }
  return CDN_OK;
}

cdn_status cdni_timers_changed(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_timers; i++) {
    if (cdni_event_at(s->system, ev->timers[i].event)->def.next_time) CDNI_TRY(ask(s, &ev->timers[i], s->t));
  }
  return CDN_OK;
}

cdn_status cdni_timers_skip(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_timers; i++) {
    cdni_timer *timer = &ev->timers[i];
    const cdn_event_def *def = &cdni_event_at(s->system, timer->event)->def;
    if (!def->next_time && timer->next < t) find_next(timer, def, t, false);
  }
  return CDN_OK;
}

void cdni_timer_archive(const cdn_stepper *s, cdni_timer *timer, cdni_archive *a) {
  const cdn_event_def *def = &cdni_event_at(s->system, timer->event)->def;
  cdni_archive_int64(a, &timer->n, 0, def->times ? def->n_times : INT64_MAX);
  cdni_archive_double(a, &timer->next);
}
