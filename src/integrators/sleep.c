/* Triggers that sleep: their values are so far from zero that nothing has moved so far since they were looked at.
 *
 * Of some values it is known how far they change with the ways of things (cdni_trigger_ways): the gap of a contact at
 * most as far as its bodies move. A way within a step is at most 2 h v + h^2 a, with the larger speeds v and
 * accelerations a of both ends, as in quiet.c; ways are added up from step to step. So a value that is far away costs
 * nothing until they have used up its margin. Attempts that are taken again count, too: that is on the safe side. */
#include <math.h>

#include "integrators/events_run.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"

void cdni_sleep_afresh(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  ev->ways.known = ev->ways.known_end = false;
  ev->ways.alarm = INFINITY;
  for (int i = 0; i < ev->n_lasting; i++) ev->watches[i].parts = 0, ev->watches[i].sleepless = 0;
}

static double weigh(const cdni_watch *w, const double *ways, bool since) {
  double sum = 0;
  for (int k = 0; k < w->parts; k++) sum += w->weight[k] * (ways[w->part[k]] - (since ? w->way[k] : 0));
  return sum;
}

/* What is left of a margin is used up after as much of the total, at the earliest. */
static void set_alarm(cdni_ways *x, const cdni_watch *w, double left) {
  double weights = 0;
  for (int k = 0; k < w->parts; k++) weights += w->weight[k];
  x->alarm = fmin(x->alarm, x->total + left / weights);
}

static void look_at_sleepers(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  int n = 0;
  ev->ways.alarm = INFINITY;
  for (int i = 0; i < ev->n_asleep; i++) {
    cdni_watch *w = &ev->watches[ev->asleep[i]];
    const double left = w->margin - weigh(w, ev->ways.sum, true) - weigh(w, ev->ways.now, false);
    if (ev->ways.known && left > 0) {
      ev->asleep[n++] = ev->asleep[i];
      set_alarm(&ev->ways, w, left);
      continue;
    }
    w->parts = 0, w->woken = true, w->rate = NAN;
    ev->live[ev->n_live++] = ev->asleep[i];
  }
  ev->n_asleep = n;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

cdn_status cdni_sleep_attempt(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  cdni_ways *x = &ev->ways;
  const double h = s->step.h;
  double most = 0;
  bool any = ev->n_asleep > 0;
  for (int i = 0; i < ev->n_live; i++) any = any || ev->watches[ev->live[i]].bounded;
  if (!any) return CDN_OK;
  const cdn_status status = cdni_trigger_speeds(s->work, x->end_speed, x->end_change);
  if (status != CDN_OK) return status;
  x->known_end = true;
  for (int i = 0; i < x->n; i++) {
    x->sum[i] += x->now[i];
    x->now[i] = 2 * h * larger(x->speed[i], x->end_speed[i]) + h * h * larger(x->change[i], x->end_change[i]);
    if (!x->known) x->now[i] = 0;
    most = larger(most, x->now[i]);
  }
  x->total += most;
  if (!x->known || !(x->total < x->alarm)) look_at_sleepers(s);
  return CDN_OK;
}

cdn_status cdni_sleep_try(cdn_stepper *s, cdni_watch *w, bool *far) {
  struct cdni_events *ev = s->events;
  double value;
  *far = false;
  if (!w->bounded || !ev->ways.known || w->armed || w->edges || w->level != 0 || (w->sign != 1 && w->sign != -1) ||
      !(fabs(w->value) > w->sleepless))
    return CDN_OK;
  CDNI_TRY(cdni_trigger_bound(s->work, w->trigger, &value, &w->parts, w->part, w->weight));
  if (w->parts == 0) {
    w->bounded = false;
    return CDN_OK;
  }
  const double way = weigh(w, ev->ways.now, false), size = fabs(value);
  *far = way < size && value * w->sign > 0;
  if (!*far || !(2 * way < size)) {
    w->parts = 0, w->sleepless = 4 * way;
    return CDN_OK;
  }
  /* before the attempt it was farther away than that, whatever becomes of the attempt */
  for (int k = 0; k < w->parts; k++) w->way[k] = ev->ways.sum[w->part[k]];
  w->margin = size - way;
  w->value = w->end = value;
  w->rate = w->slope = w->end_slope = NAN;
  w->fired = w->pending = w->near = w->woken = false;
  set_alarm(&ev->ways, w, w->margin - way);
  return CDN_OK;
}

cdn_status cdni_sleep_end(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  bool at_start = false;
  for (int i = 0; i < ev->n_live; i++) {
    cdni_watch *w = &ev->watches[ev->live[i]];
    if (!w->woken) continue;
    if (!at_start) CDNI_TRY(cdni_scene_at_start(s));
    at_start = true, w->woken = false;
    CDNI_TRY(cdni_watch_value(s, w, ev->scene, &w->value));
  }
  return CDN_OK;
}

void cdni_sleep_accepted(cdn_stepper *s) {
  cdni_ways *x = &s->events->ways;
  x->known = x->known_end && s->step.t1 == s->step.t0 + s->step.h;
  x->known_end = false;
  double *const speed = x->speed, *const change = x->change;
  if (!x->known) return;
  x->speed = x->end_speed, x->change = x->end_change;
  x->end_speed = speed, x->end_change = change;
}

void cdni_sleep_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_ways *x = &s->events->ways;
  double *const all[] = { x->sum, x->now, x->speed, x->change };
  for (int i = 0; i < CDNI_COUNT(all); i++) cdni_archive_doubles(a, all[i], (size_t)x->n);
  cdni_archive_double(a, &x->total);
  cdni_archive_double(a, &x->alarm);
  cdni_archive_bool(a, &x->known);
}
