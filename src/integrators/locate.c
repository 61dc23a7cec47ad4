/* Finding events within a step: triggers are evaluated on its dense output, with q on the manifold, and the interval
 * of a change of sign is narrowed until it is within the event's window. */
#include <float.h>
#include <math.h>

#include <cardan/events.h>

#include "integrators/events.h"
#include "integrators/events_run.h"
#include "integrators/kinks.h"
#include "integrators/project.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/sweep.h"
#include "integrators/watch.h"
#include "system/events.h"

/* cdni_look for a step that has not been accepted yet. */
cdn_status cdni_look_ahead(cdn_stepper *s, double t, double *y, double *work) {
  struct cdni_events *ev = s->events;
  /* the evaluations that dense output still needs use `report` */
  if (s->method->extend && !s->extended && !ev->look_ready) CDNI_TRY(cdn_state_copy(s->report, s->work));
  ev->look_ready = true;
  /* where forces grow without bound within the step, a shorter one may do */
  return cdni_take_failure(s, s->report, cdni_look(s, t, y, work));
}

cdn_status cdni_scene_at(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  double work, *y = s->scratch + s->stride;
  if (ev->scene_set && ev->scene_time == t) return CDN_OK;
  ev->scene_set = false;
  CDNI_TRY(cdni_look_ahead(s, t, y, &work));
  CDNI_TRY(cdni_take_failure(s, ev->scene, cdni_project(s, ev->scene, t, y, CDNI_WHERE_OFF)));
  ev->scene_time = t;
  ev->scene_set = true;
  return CDN_OK;
}

/* ---- one crossing ---- */

static bool opposite(double a, double b) { return isfinite(a) && isfinite(b) && a * b < 0; }

/* The zero of the straight line between the ends of a crossing; a weight below 1 moves it towards the other end. */
static double secant(const cdni_crossing *c, double level, double weight_lo, double weight_hi) {
  double a = (c->g_lo - level) * weight_lo, b = (c->g_hi - level) * weight_hi;
  return opposite(a, b) ? c->lo + (c->hi - c->lo) * (a / (a - b)) : c->lo + 0.5 * (c->hi - c->lo);
}

/* Events must be a window apart, but they are located more finely, because a late handler adds energy: the ball
 * falls on for a while. This costs little, since the last digits converge fast. If rounding of time sets the window,
 * the resolution of time sets the width. */
static const double FINER = 1.0 / 1024, RESOLVED = 8 * DBL_EPSILON;

static double latest(const cdni_step *step) { return fmax(fabs(step->t0), fabs(step->t1)); }

double cdni_least_window(const cdni_step *step) { return 128 * DBL_EPSILON * latest(step); }

/* Regula falsi with the Illinois weights (Dahlquist and Bjorck 1974, section 6.4) and a bisection now and then.
 * Never nearer to an end than half the target width, so that the last step closes the bracket from the other side. */
static cdn_status locate(cdn_stepper *s, const cdni_watch *before, cdni_crossing *c) {
  double width = fmax(RESOLVED * latest(&s->step), FINER * before->window), weight_lo = 1, weight_hi = 1;
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
  w->pending = cdni_watch_follow(ev, w, s->step.t0, s->step.t1, &before, &c);
  if (!w->pending) return CDN_OK;
  CDNI_TRY(locate(s, &before, &c));
  w->lo = c.lo;
  w->hi = c.hi;
  return CDN_OK;
}

/* ---- the step ---- */

cdn_status cdni_scene_begin(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  uint64_t discrete = cdni_state_discrete_changes(s->work);
  ev->scene_set = false;
  if (discrete == ev->scene_discrete && !cdni_system_auto_updates(s->system)) return CDN_OK;
  ev->scene_discrete = discrete;
  return cdn_state_copy(ev->scene, s->work);
}

/* Values of all triggers at their samples: triggers with the same samples together, in the order of their stages. */
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
        double *value = &ev->values[w->first + (size_t)k];
        if (w->leader == i && cdni_watch_rests(w)) *value = NAN;
        else if (w->leader == i && cdni_watch_sleeps(w)) *value = w->value;
        else if (w->leader == i) CDNI_TRY(cdni_watch_value(s, w, ev->scene, value));
      }
    }
  }
  return CDN_OK;
}

/* Values at the end of the step: at the present `work`, or a little later on dense output. */
static cdn_status sample_end(cdn_stepper *s, double end) {
  struct cdni_events *ev = s->events;
  if (end > s->step.t1) CDNI_TRY(cdni_scene_at(s, end));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    cdn_state *state = end > s->step.t1 ? ev->scene : s->work;
    w->end = cdni_watch_sleeps(w) ? w->value : NAN, w->end_slope = NAN;
    if (!cdni_watch_rests(w) && !cdni_watch_sleeps(w))
      CDNI_TRY(cdni_watch_read(s, w->trigger, state, &w->end, &w->end_slope));
  }
  return CDN_OK;
}

/* The active trigger whose estimated crossing before `end` is first, or -1. */
static int first_crossing(cdn_stepper *s, double end, cdni_watch *before, cdni_crossing *c) {
  struct cdni_events *ev = s->events;
  double earliest = INFINITY;
  int first = -1;
  for (int i = 0; i < ev->n_watches; i++) {
    if (!ev->watches[i].active || cdni_watch_is_idle(&ev->watches[i])) continue;
    cdni_watch w = ev->watches[i], was;
    cdni_crossing found;
    if (!cdni_watch_follow(ev, &w, s->step.t0, end, &was, &found)) continue;
    double about = secant(&found, was.level, 1, 1);
    if (!(about < earliest)) continue;
    earliest = about;
    first = i;
    *before = was;
    *c = found;
  }
  return first;
}

/* The first active trigger up to `end`, or -1, and its watch before: every trigger that has crossed at c->hi crossed
 * after c->lo. */
static cdn_status find_first(cdn_stepper *s, double end, int *first, cdni_watch *before, cdni_crossing *c) {
  struct cdni_events *ev = s->events;
  cdni_watch watch;
  cdni_crossing candidate;
  *first = -1;
  for (;;) {
    int i = first_crossing(s, end, &watch, &candidate);
    if (i < 0) return CDN_OK;
    CDNI_TRY(locate(s, &watch, &candidate));
    *first = i;
    *before = watch;
    *c = candidate;
    if (!(candidate.lo > s->step.t0)) return CDN_OK;
    /* does another one cross before? */
    end = candidate.lo;
    CDNI_TRY(cdni_scene_at(s, end));
    CDNI_TRY(cdni_kinks_wake(s, true));
    for (int k = 0; k < ev->n_watches; k++) {
      cdni_watch *w = &ev->watches[k];
      if (w->active && !cdni_watch_rests(w) && !cdni_watch_sleeps(w))
        CDNI_TRY(cdni_watch_value(s, w, ev->scene, &w->end));
    }
  }
}

/* Follows every trigger to the end of the step: active ones fire at the end or not at all, passive ones on the way.
 * `found`: an event ends the step. */
static cdn_status follow_all(cdn_stepper *s, const cdni_crossing *found) {
  struct cdni_events *ev = s->events;
  double t1 = s->step.t1;
  if (found) CDNI_TRY(cdni_watches_slope(s, cdni_watch_may_turn, t1, true));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    cdni_crossing c;
    if (cdni_watch_is_idle(w)) {
      w->slope = w->rate = NAN;
      continue;
    }
    if (!w->active) {
      CDNI_TRY(cdni_watch_find(s, w));
    } else {
      while (cdni_watch_follow(ev, w, s->step.t0, t1, NULL, &c)) {
        w->fired = true;
        w->lo = found ? fmax(c.lo, found->lo) : c.lo;
        w->hi = c.hi;
      }
    }
    w->slope = w->end_slope;
    w->rate = w->end_rate, w->second = w->end_second;
  }
  return CDN_OK;
}

/* Values and turns of all triggers from the step's start to `end`. */
static cdn_status tabulate(cdn_stepper *s, double end) {
  struct cdni_events *ev = s->events;
  ev->span = end - s->step.t0;
  CDNI_TRY(sample_end(s, end));
  CDNI_TRY(sample(s));
  return cdni_find_turns(s);
}

static void begin_watches(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  const cdni_step *step = &s->step;
  double least = cdni_least_window(step);
  double longest = fmax(s->certificate.largest_step, step->h);
  /* without a window of its own: a thousandth of accuracy times longest step; measured: docs/constants.md */
  for (int i = 0; i < ev->n_lasting; i++) {
    cdni_watch *w = &ev->watches[i];
    double window = cdni_event_at(s->system, (int)w->trigger)->def.window;
    w->window = fmax(least, window > 0 ? window : 1e-3 * s->def.accuracy * longest);
    w->time = step->t0;
    w->next = 0;
    w->fired = w->pending = false;
    ev->values[w->first] = w->value;
  }
}

static bool has_fired(const struct cdni_events *ev, const cdni_watch *w) { return w->fired && !watch_is_kink(ev, w); }

/* Ends the step where the trigger has crossed. Projection of the State there may undo the crossing by a little; then
 * the step ends that much later, but no more than a window or this part of it: a crossing that is farther away is for
 * the next step. */
static const double LATER = 0.05;
static cdn_status end_at(cdn_stepper *s, int first, const cdni_watch *before, const cdni_crossing *found) {
  const cdni_step *step = &s->step;
  const cdni_watch *w = &s->events->watches[first];
  double end = step->t0 + step->h, t = found->hi, later = t - found->lo, power;
  const double latest_end = t + fmax(before->window, LATER * step->h);
  if (t == end) {
    if (s->method->own_steps) CDNI_TRY(cdni_evaluate_here(s, step->f1, &power));
    return sample_end(s, end);
  }
  /* these were of the method's end */
  for (int i = 0; i < s->events->n_lasting; i++) s->events->watches[i].end_rate = NAN;
  for (;;) {
    CDNI_TRY(cdni_cut_at(s, t));
    CDNI_TRY(sample_end(s, t));
    t += later;
    later *= 2;
    if (cdni_watch_side(before, w->end) == found->target || !(t < fmin(end, latest_end))) return CDN_OK;
  }
}

/* Checks the rates at the end of the step for all triggers that have fired. *shorter: they lead a trigger back to
 * the side that it came from, so the step is too long to resolve the event. (A ball that is thrown up seems to fall
 * at once if the step is so much longer than its flight that the accuracy does not see the flight.) */
static cdn_status judge_arrival(cdn_stepper *s, bool *shorter) {
  struct cdni_events *ev = s->events;
  CDNI_TRY(cdni_watches_lean(s, has_fired, s->step.t1, s->y[!s->at], s->f[!s->at]));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    if (!has_fired(ev, w)) continue;
    w->came = w->lean;
    if (w->came * (w->crossed == CDN_RISING ? 1 : -1) < 0) *shorter = *shorter || cdni_cut_shorter(s, w->window);
  }
  return CDN_OK;
}

static cdn_status examine(cdn_stepper *s, double error, cdni_outcome *outcome) {
  struct cdni_events *ev = s->events;
  double reach = cdni_cut_reach(s);
  cdni_crossing found;
  cdni_watch before;
  int first;
  bool again = false, shorter = false;
  CDNI_TRY(tabulate(s, reach));
  CDNI_TRY(find_first(s, reach, &first, &before, &found));
  bool falls_short = first < 0 && reach > s->step.t1;
  if (falls_short) {
    /* the step ends before the event; the next step will find it soon after its start */
    CDNI_TRY(tabulate(s, s->step.t1));
    CDNI_TRY(find_first(s, s->step.t1, &first, &before, &found));
  }
  if (first >= 0) {
    CDNI_TRY(cdni_cut_again(s, &found, error, &again));
    if (again) ev->aim_trigger = ev->watches[first].trigger;
    if (!again) CDNI_TRY(end_at(s, first, &before, &found));
  }
  if (!again) CDNI_TRY(follow_all(s, first >= 0 ? &found : NULL));
  if (!again && first >= 0) CDNI_TRY(judge_arrival(s, &shorter));
  *outcome = again ? CDNI_STEP_AGAIN : shorter ? CDNI_STEP_SHORTER : CDNI_STEP_TAKEN;
  if (*outcome != CDNI_STEP_TAKEN) return CDN_OK;
  CDNI_TRY(cdni_kinks_end(s));
  ev->fell_short = falls_short;
  CDNI_TRY(cdni_note_grazes(s));
  ev->cut = s->step.t1 != s->step.t0 + s->step.h || !isnan(ev->aim) || !isnan(ev->limit);
  return CDN_OK;
}

cdn_status cdni_events_examine(cdn_stepper *s, double error, cdni_outcome *outcome) {
  struct cdni_events *ev = s->events;
  *outcome = CDNI_STEP_TAKEN;
  if (!ev) return CDN_OK;
  CDNI_TRY(cdni_sweep_step(s, outcome));
  if (*outcome != CDNI_STEP_TAKEN) return CDN_OK;
  ev->n_watches = ev->n_lasting;
  CDNI_TRY(cdni_kinks_wake(s, false));
  if (ev->n_watches == ev->n_lasting && events_have_kinks(ev) && !isnan(ev->aim)) {
    /* the step has been aimed to end before a kink, which is a little later on dense output */
    CDNI_TRY(cdni_scene_begin(s));
    CDNI_TRY(cdni_scene_at(s, cdni_cut_reach(s)));
    CDNI_TRY(cdni_kinks_wake(s, true));
  }
  if (ev->n_watches == 0) {
    ev->cut = ev->cut || !isnan(ev->limit);
    return CDN_OK;
  }
  bool far;
  CDNI_TRY(cdni_events_are_far(s, &far));
  if (far) {
    ev->fell_short = ev->cut = false;
    return CDN_OK;
  }
  CDNI_TRY(cdni_scene_begin(s));
  begin_watches(s);
  CDNI_TRY(cdni_watches_start(s));
  size_t bytes = sizeof *ev->watches * (size_t)ev->n_lasting;
  memcpy(ev->saved, ev->watches, bytes);
  cdn_status status = examine(s, error, outcome);
  /* a value that cannot be evaluated here may be evaluated in a shorter step */
  if (status != CDN_OK || *outcome != CDNI_STEP_TAKEN) {
    memcpy(ev->watches, ev->saved, bytes);
    ev->n_watches = ev->n_lasting;
  }
  if (status == CDN_OK && *outcome == CDNI_STEP_TAKEN) ev->aim = ev->limit = NAN;
  return status;
}
