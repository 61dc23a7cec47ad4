/* Where in a step events occur: triggers are looked at on its dense output, with q on its manifold, and a change of
 * sign is closed in upon until it is known to within the event's window. */
#include "integrators/events.h"

cdn_status cdni_scene_at(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  double work, *y = s->scratch + s->stride;
  if (ev->scene_set && ev->scene_time == t) return CDN_OK;
  ev->scene_set = false;
  CDNI_TRY(cdni_look(s, t, y, &work));
  cdn_status status = cdni_project(s, ev->scene, t, y, CDNI_WHERE_OFF);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(ev->scene, &error);
    cdni_state_set_error(s->work, &error);
    return status;
  }
  ev->scene_time = t;
  ev->scene_set = true;
  return CDN_OK;
}

/* ---- one crossing ---- */

static bool opposite(double a, double b) { return isfinite(a) && isfinite(b) && a * b < 0; }

/* Where the straight line between the ends of a crossing meets zero; a weight below 1 draws it to the other end. */
static double secant(const cdni_crossing *c, double level, double weight_lo, double weight_hi) {
  double a = (c->g_lo - level) * weight_lo, b = (c->g_hi - level) * weight_hi;
  return opposite(a, b) ? c->lo + (c->hi - c->lo) * (a / (a - b)) : c->lo + 0.5 * (c->hi - c->lo);
}

/* The window is what events must be apart; they are located more finely, since a handler that comes late adds energy:
 * the ball falls on for a while. It costs little, as the last digits come fast. */
static const double FINER = 1.0 / 1024;

/* Regula falsi with the Illinois weights (Dahlquist and Bjorck 1974, section 6.4) and a bisection now and then; never
 * nearer to an end than half the width aimed at, so that the last step closes the bracket from the other side. */
static cdn_status locate(cdn_stepper *s, const cdni_watch *before, cdni_crossing *c) {
  double resolved = 16 * DBL_EPSILON * fmax(fabs(s->step.t0), fabs(s->step.t1));
  double width = fmax(resolved, FINER * before->window), weight_lo = 1, weight_hi = 1;
  int last = 0;
  for (int k = 1; c->hi - c->lo > width; k++) {
    double t = k % 4 == 0 ? c->lo + 0.5 * (c->hi - c->lo) : secant(c, before->level, weight_lo, weight_hi), g;
    t = fmax(c->lo + 0.5 * width, fmin(c->hi - 0.5 * width, t));
    if (!(t > c->lo && t < c->hi)) break;
    CDNI_TRY(cdni_scene_at(s, t));
    CDNI_TRY(cdni_watch_value(s, before, s->events->scene, &g));
    bool beyond = cdni_watch_side(before, g) == c->target;
    weight_lo = beyond && last == 1 ? 0.5 * weight_lo : 1;
    weight_hi = !beyond && last == -1 ? 0.5 * weight_hi : 1;
    last = beyond ? 1 : -1;
    if (beyond) c->hi = t, c->g_hi = g;
    else c->lo = t, c->g_lo = g;
  }
  return CDN_OK;
}

cdn_status cdni_watch_find(cdn_stepper *s, cdni_watch *w) {
  struct cdni_events *ev = s->events;
  cdni_watch before;
  cdni_crossing c;
  w->pending = cdni_watch_follow(w, ev->values + w->first, s->step.t0, ev->span, s->step.t1, &before, &c);
  if (!w->pending) return CDN_OK;
  CDNI_TRY(locate(s, &before, &c));
  w->lo = c.lo;
  w->hi = c.hi;
  return CDN_OK;
}

/* ---- the step ---- */

/* The scene gets the discrete variables of `work`, if they may have changed. */
static cdn_status set_scene(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  uint64_t discrete = cdni_state_discrete_changes(s->work);
  ev->scene_set = false;
  if (discrete == ev->scene_discrete && !cdni_system_auto_updates(s->system)) return CDN_OK;
  ev->scene_discrete = discrete;
  return cdn_state_copy(ev->scene, s->work);
}

/* Values of all triggers at their samples; those with the same samples together, in the order of their stages. */
static cdn_status sample(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  double t0 = s->step.t0;
  for (int i = 0; i < ev->n_watches; i++) {
    int samples = ev->watches[i].samples;
    if (ev->watches[i].leader != i) continue;
    for (int k = 1; k <= samples; k++) {
      CDNI_TRY(cdni_scene_at(s, t0 + ev->span * k / (samples + 1)));
      for (int j = i; j < ev->n_watches; j++) {
        const cdni_watch *w = &ev->watches[j];
        if (w->leader == i) CDNI_TRY(cdni_watch_value(s, w, ev->scene, &ev->values[w->first + (size_t)k]));
      }
    }
  }
  return CDN_OK;
}

/* Values at the end of the step, where `work` stands. */
static cdn_status sample_end(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_watches; i++) {
    CDNI_TRY(cdni_watch_value(s, &ev->watches[i], s->work, &ev->watches[i].end));
  }
  return CDN_OK;
}

/* The active trigger that seems to cross first before `end`, or -1. */
static int first_crossing(cdn_stepper *s, double end, cdni_watch *before, cdni_crossing *c) {
  struct cdni_events *ev = s->events;
  double earliest = INFINITY;
  int first = -1;
  for (int i = 0; i < ev->n_watches; i++) {
    if (!ev->watches[i].active) continue;
    cdni_watch w = ev->watches[i], was;
    cdni_crossing found;
    if (!cdni_watch_follow(&w, ev->values + w.first, s->step.t0, ev->span, end, &was, &found)) continue;
    double about = secant(&found, was.level, 1, 1);
    if (!(about < earliest)) continue;
    earliest = about;
    first = i;
    *before = was;
    *c = found;
  }
  return first;
}

/* The first active trigger of the step, or -1: all that have crossed at c->hi did so after c->lo. */
static cdn_status find_first(cdn_stepper *s, int *first, cdni_crossing *c) {
  struct cdni_events *ev = s->events;
  cdni_watch before;
  cdni_crossing candidate;
  double end = s->step.t1;
  *first = -1;
  for (;;) {
    int i = first_crossing(s, end, &before, &candidate);
    if (i < 0) return CDN_OK;
    CDNI_TRY(locate(s, &before, &candidate));
    *first = i;
    *c = candidate;
    if (!(candidate.lo > s->step.t0)) return CDN_OK;
    /* does another one cross before? */
    end = candidate.lo;
    CDNI_TRY(cdni_scene_at(s, end));
    for (int k = 0; k < ev->n_watches; k++) {
      cdni_watch *w = &ev->watches[k];
      if (w->active) CDNI_TRY(cdni_watch_value(s, w, ev->scene, &w->end));
    }
  }
}

/* Ends the step at time t within it. Its y1 and f1 stay, for dense output; the next step starts elsewhere. */
static cdn_status shorten(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  cdni_step *step = &s->step;
  double work, power, *y = ev->y, *f = ev->f;
  CDNI_TRY(cdni_look(s, t, y, &work));
  CDNI_TRY(cdni_project(s, s->work, t, y, CDNI_ALWAYS));
  CDNI_TRY(cdni_evaluate_here(s, f, &power));
  ev->y = s->y[!s->at], s->y[!s->at] = y;
  ev->f = s->f[!s->at], s->f[!s->at] = f;
  step->t1 = t;
  step->work = work;
  step->power1 = power;
  ev->cut = true;
  return CDN_OK;
}

/* Follows every trigger to the end of the step: active ones have fired there or not at all, passive ones on the way. */
static cdn_status follow_all(cdn_stepper *s, int first, const cdni_crossing *found) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    cdni_crossing c;
    if (!w->active) {
      CDNI_TRY(cdni_watch_find(s, w));
      continue;
    }
    while (cdni_watch_follow(w, ev->values + w->first, s->step.t0, ev->span, s->step.t1, NULL, &c)) {
      w->fired = true;
      w->lo = first >= 0 ? fmax(c.lo, found->lo) : c.lo;
      w->hi = c.hi;
    }
  }
  return CDN_OK;
}

static cdn_status examine(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  const cdni_step *step = &s->step;
  double resolved = 16 * DBL_EPSILON * fmax(fabs(step->t0), fabs(step->t1));
  double longest = fmax(s->certificate.largest_step, step->h);
  cdni_crossing found;
  int first;
  ev->span = step->t1 - step->t0;
  CDNI_TRY(set_scene(s));
  /* what the dense output still has to evaluate, it evaluates there, with the discrete variables of this step */
  if (s->method->extend) CDNI_TRY(cdn_state_copy(s->report, s->work));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    double window = cdni_event_at(s->system, w->event)->def.window;
    w->window = fmax(resolved, window > 0 ? window : 1e-3 * s->def.accuracy * longest);
    w->time = step->t0;
    w->next = 1;
    w->fired = w->pending = false;
  }
  CDNI_TRY(sample_end(s));
  CDNI_TRY(sample(s));
  for (int i = 0; i < ev->n_watches; i++) {
    if (ev->watches[i].sign == SIDE_ZERO) CDNI_TRY(cdni_watch_leave(s, &ev->watches[i]));
  }
  CDNI_TRY(find_first(s, &first, &found));
  if (first >= 0) {
    if (found.hi < step->t1) CDNI_TRY(shorten(s, found.hi));
    CDNI_TRY(sample_end(s));
  }
  return follow_all(s, first, &found);
}

cdn_status cdni_events_examine(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev || ev->n_watches == 0) return CDN_OK;
  size_t bytes = sizeof *ev->watches * (size_t)ev->n_watches;
  memcpy(ev->saved, ev->watches, bytes);
  cdn_status status = examine(s);
  /* what cannot be evaluated here may be where the step is shorter */
  if (status != CDN_OK) memcpy(ev->watches, ev->saved, bytes);
  return status;
}
