/* Following a trigger's sign, so that a change seen at the samples of a step is found once.
 *
 * Zero belongs to the side that the value comes from: an event occurs where the value is strictly beyond. A value that is
 * exactly zero at the start has no side until it leaves. NaN says nothing, or stands for the other side.
 *
 * The State at a falling event has a value a little below zero, and a handler that sends it back up (a bounce) may not
 * bring it above zero again before it falls once more. A trigger with one direction therefore takes its value at the
 * event for zero until it is seen above the real one; otherwise a ball would sink into the floor at its last bounces. */
#include "integrators/events.h"

cdn_status cdni_watch_value(cdn_stepper *s, const cdni_watch *w, cdn_state *state, double *g) {
  cdn_status status = cdn_event_value(state, (cdn_event){ w->event }, g);
  if (status != CDN_OK && state != s->work) {
    cdn_error error;
    cdn_state_last_error(state, &error);
    cdni_state_set_error(s->work, &error);
  }
  return status;
}

int cdni_watch_side(const cdni_watch *w, double g) {
  if (isnan(g)) return w->edges ? w->beyond : SIDE_ZERO;
  return g > w->level ? 1 : g < w->level ? -1 : SIDE_ZERO;
}

/* Takes note of a value on a side other than zero. */
static void note(cdni_watch *w, int side, double g) {
  w->sign = (int8_t)side;
  if (isnan(g)) return;
  w->beyond = (int8_t)-side;
  if ((g > 0 && side > 0) || (g < 0 && side < 0)) w->level = 0;
}

bool cdni_watch_follow(cdni_watch *w, const double *values, double t0, double span, double end, cdni_watch *before,
                       cdni_crossing *c) {
  while (w->time < end) {
    double t = w->next <= w->samples ? t0 + span * w->next / (w->samples + 1) : end, g = w->end;
    if (t < end) g = values[w->next++];
    else t = end;
    if (t <= w->time) continue; /* a sample before the value left zero */
    int side = cdni_watch_side(w, g);
    bool crosses = side != SIDE_ZERO && w->sign != SIDE_ZERO && side != w->sign;
    bool counts = crosses && (w->direction & (side > 0 ? CDN_RISING : CDN_FALLING));
    if (counts) {
      if (before) *before = *w;
      *c = (cdni_crossing){ .lo = w->time, .hi = t, .g_lo = w->value, .g_hi = g, .target = (int8_t)side };
      w->crossed = side > 0 ? CDN_RISING : CDN_FALLING;
    }
    w->time = t;
    w->value = g;
    if (side != SIDE_ZERO) note(w, side, g);
    if (counts) return true;
  }
  return false;
}

cdn_status cdni_watch_leave(cdn_stepper *s, cdni_watch *w) {
  const cdni_step *step = &s->step;
  const cdni_record *r = &s->events->records[w->event];
  double least = 4 * DBL_EPSILON * fmax(fabs(step->t0), fabs(step->t1));
  double tau = fmax(least, (r->gap > 0 ? fmin(r->gap, w->window) : w->window) / 1024), previous = 0;
  if (isnan(w->value)) return CDN_OK;
  /* two values of one sign, the later one well away: rounding does not look like that */
  for (; step->t0 + tau < step->t1; tau *= 4) {
    double t = step->t0 + tau, g;
    CDNI_TRY(cdni_scene_at(s, t));
    CDNI_TRY(cdni_watch_value(s, w, s->events->scene, &g));
    if (isnan(g)) return CDN_OK;
    double d = g - w->level;
    if (d * previous > 0 && fabs(d) > 2 * fabs(previous)) {
      w->time = t;
      w->value = g;
      note(w, d > 0 ? 1 : -1, g);
      return CDN_OK;
    }
    previous = d;
  }
  return CDN_OK;
}

/* Whether the handlers have left the value where the event found it. */
static bool is_still_there(const cdni_watch *w, double g) {
  return g == w->end || (g * w->end > 0 && fabs(g) <= 2 * fabs(w->end));
}

static void take_sign(cdni_watch *w, double g, bool changed) {
  w->level = 0;
  if (isnan(g)) {
    if (w->edges && changed) w->sign = w->beyond;
    return;
  }
  w->sign = SIDE_ZERO;
  if (g != 0) note(w, g > 0 ? 1 : -1, g);
}

cdn_status cdni_watches_afresh(cdn_stepper *s, bool changed) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    double g = w->end;
    if (changed) CDNI_TRY(cdni_watch_value(s, w, s->work, &g));
    if (w->fired && w->direction != CDN_EITHER && is_still_there(w, g)) {
      w->level = g;
      w->sign = SIDE_ZERO;
    } else if (changed || w->fired) {
      take_sign(w, g, changed);
    }
    w->fired = w->pending = false;
    w->value = w->end = g;
  }
  return CDN_OK;
}

/* Eight bits as a number. */
static void archive_side(int8_t *side, cdni_archive *a) {
  int value = *side;
  cdni_archive_int(a, &value, -1, SIDE_UNDEFINED);
  *side = (int8_t)value;
}

void cdni_watch_archive(cdni_watch *w, cdni_archive *a) {
  double *const numbers[] = { &w->level, &w->window, &w->time, &w->value, &w->end, &w->lo, &w->hi };
  int crossed = (int)w->crossed;
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  archive_side(&w->sign, a);
  archive_side(&w->beyond, a);
  cdni_archive_int(a, &w->next, 0, w->samples + 1);
  cdni_archive_bool(a, &w->fired);
  cdni_archive_bool(a, &w->pending);
  cdni_archive_int(a, &crossed, 0, CDN_EITHER);
  w->crossed = (cdn_direction)crossed;
}
