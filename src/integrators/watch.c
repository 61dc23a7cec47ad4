/* Follows a trigger's sign, so that a change that the samples of a step show is found once.
 *
 * Zero belongs to the side that the value comes from: an event occurs where the value is strictly beyond zero. A
 * value that is exactly zero at the start is on the side to which its slope leads; without a slope it has no side
 * until it leaves zero. NaN has no side, or stands for the other side.
 *
 * The State at a falling event has a value a little below zero. A handler may turn the value back there (a bounce)
 * or stop it (an impact without restitution). Such a value need not come above zero again before it falls once more.
 * So a trigger with one direction is armed at the value that it has: the next value below that one is the next
 * event. The slopes before and after the handler tell such a handler from one that lets the value go on, whose
 * trigger has simply passed zero. */
#include <float.h>
#include <math.h>

#include <cardan/events.h>

#include "core/archive.h"
#include "integrators/events_run.h"
#include "integrators/kinks.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"
#include "system/events.h"
#include "system/system.h"
#include "system/triggers.h"

cdn_status cdni_watch_read(cdn_stepper *s, int64_t trigger, cdn_state *state, double *g, double *rate) {
  return cdni_take_failure(s, state, cdni_trigger_read(state, trigger, g, rate));
}

cdn_status cdni_watch_value(cdn_stepper *s, const cdni_watch *w, cdn_state *state, double *g) {
  double rate;
  return cdni_watch_read(s, w->trigger, state, g, &rate);
}

int cdni_watch_side(const cdni_watch *w, double g) {
  if (isnan(g)) return w->edges ? w->beyond : SIDE_ZERO;
  return g > w->level ? 1 : g < w->level ? -1 : SIDE_ZERO;
}

static int way_of(const cdni_watch *w) { return w->direction == CDN_RISING ? 1 : -1; }

/* Takes note of a value on a side other than zero. */
static void note(cdni_watch *w, int side, double g) {
  w->sign = (int8_t)side;
  if (isnan(g)) return;
  w->beyond = (int8_t)-side;
  if ((g > 0 && side > 0) || (g < 0 && side < 0)) w->level = 0;
}

/* ---- following ---- */

/* The next turn or sample before `end`; false if there is none. */
static bool next_point(const struct cdni_events *ev, cdni_watch *w, double t0, double end, double *t, double *g) {
  for (; w->next <= 2 * w->samples; w->next++) {
    int k = w->next / 2;
    if (w->next % 2) {
      *t = t0 + ev->span * (k + 1) / (w->samples + 1);
      *g = ev->values[w->first + (size_t)k + 1];
    } else {
      const cdni_turn *turn = &ev->turns[w->first + (size_t)k];
      *t = turn->time;
      *g = turn->value;
      if (isnan(*t)) continue;
    }
    if (*t >= end) return false;
    w->next++;
    return true;
  }
  return false;
}

bool cdni_watch_follow(const struct cdni_events *ev, cdni_watch *w, double t0, double end, cdni_watch *before,
                       cdni_crossing *c) {
  while (w->time < end) {
    double t, g;
    if (!next_point(ev, w, t0, end, &t, &g)) t = end, g = w->end;
    if (t <= w->time) continue; /* a point that rounding puts at the start */
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

/* ---- at the start of a step ---- */

/* A handler stops a value if the slope after the handler is no more than this part of the slope before it. */
static const double STOPPED = 1e-6;

static bool has_to_be_asked(const struct cdni_events *ev, const cdni_watch *w) {
  return w->armed || (ev->begun && !watch_is_kink(ev, w) && w->sign == SIDE_ZERO && !isnan(w->value));
}

/* The value at a time tau after t, if y continued along its rates at t. Dense output has curvature that would hide a
 * small slope; this line has none. NaN if the value cannot be evaluated. */
static cdn_status value_along(cdn_stepper *s, double t, const double *y0, const double *f0, double tau,
                              const cdni_watch *w, double *g) {
  struct cdni_events *ev = s->events;
  double *y = s->scratch + s->stride;
  cdn_status status = CDN_OK;
  *g = NAN;
  if (!ev->scene_set || ev->scene_time != t + tau) {
    for (int i = 0; i < s->ny; i++) y[i] = y0[i] + tau * f0[i];
    status = cdn_state_set_ty(ev->scene, t + tau, y);
    if (status == CDN_OK) status = cdni_prescribe_values(s, ev->scene, NULL);
    ev->scene_time = t + tau;
    ev->scene_set = status == CDN_OK;
  }
  if (status == CDN_OK) status = cdni_watch_value(s, w, ev->scene, g);
  if (status != CDN_OK) *g = NAN;
  return status == CDN_ERR_NOMEM ? status : CDN_OK;
}

cdn_status cdni_watches_lean(cdn_stepper *s, cdni_asks *asks, double t, const double *y, const double *f) {
  struct cdni_events *ev = s->events;
  double tau = s->step.h / 1024;
  int asked = 0;
  for (int i = 0; i < ev->n_watches; i++) asked += asks(ev, &ev->watches[i]);
  if (asked == 0) return CDN_OK;
  for (int way = -1; way <= 1; way += 2) {
    ev->scene_set = false;
    for (int i = 0; i < ev->n_watches; i++) {
      cdni_watch *w = &ev->watches[i];
      if (asks(ev, w)) CDNI_TRY(value_along(s, t, y, f, way * tau, w, way < 0 ? &w->back : &w->forth));
    }
  }
  ev->scene_set = false;
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    if (asks(ev, w)) w->lean = (w->forth - w->back) / (2 * tau);
  }
  return CDN_OK;
}

/* The change of y[i] that counts as much as one of the unit. */
static double unit_of(const cdn_stepper *s, int i) {
  const int u = i - s->nq;
  const double *w = u < s->nu ? s->def.u_weights : s->def.z_weights;
  const double weight = u < 0 ? s->q_weight[i] : w ? w[u < s->nu ? u : u - s->nu] : 1;
  return weight > 0 ? 1 / weight : 1;
}

/* The largest distance of the value from g over four changes of t and y. Each changes t and every number of y by the
 * relative part of the number, and y by the absolute part of its unit, too: all up, all down, and with alternating
 * signs. What is prescribed follows t, and so has the rounding of t. */
static cdn_status spread(cdn_stepper *s, const cdni_watch *w, double t, const double *y0, double g, double relative,
                         double absolute, double *most) {
  struct cdni_events *ev = s->events;
  double *y = s->scratch + s->stride;
  *most = 0;
  ev->scene_set = false;
  for (int k = 0; k < 4; k++) {
    double value;
    for (int i = 0; i < s->ny; i++) {
      bool up = (k & 1) ^ ((k & 2) && (i & 1));
      y[i] = y0[i] + (up ? 1 : -1) * (relative * y0[i] + (absolute > 0 ? absolute * unit_of(s, i) : 0));
    }
    CDNI_TRY(cdn_state_set_ty(ev->scene, t + (k & 1 ? 1 : -1) * relative * t, y));
    CDNI_TRY(cdni_prescribe_values(s, ev->scene, NULL));
    CDNI_TRY(cdni_watch_value(s, w, ev->scene, &value));
    *most = fmax(*most, fabs(value - g));
  }
  return CDN_OK;
}

cdn_status cdni_watch_rounding(cdn_stepper *s, const cdni_watch *w, double *rounding) {
  CDNI_TRY(spread(s, w, s->t, s->y[s->at], w->end, 4 * DBL_EPSILON, 0, rounding));
  *rounding *= 0.25;
  return CDN_OK;
}

cdn_status cdni_watch_uncertainty(cdn_stepper *s, const cdni_watch *w, double t, double g, double *most) {
  double *y = s->events->trial;
  CDNI_TRY(cdni_scene_at(s, t));
  if (s->ny) memcpy(y, cdni_state_y(s->events->scene), sizeof(double) * (size_t)s->ny);
  return spread(s, w, t, y, g, 0, s->def.accuracy, most);
}

/* Decides by the slope on which side a trigger continues that stands at its level. */
static void decide(const cdn_stepper *s, cdni_watch *w) {
  if (w->armed) {
    const int way = way_of(w);
    bool close = s->events->records[w->trigger].close > 0;
    bool goes_on = way * w->came > 0 && way * w->slope > STOPPED * fabs(w->came) && !close;
    if (goes_on) w->level = 0;
    w->sign = (int8_t)(goes_on && way * w->value >= 0 ? way : -way);
    w->beyond = (int8_t)-w->sign;
    w->armed = false;
  } else if (w->slope != 0 && !isnan(w->slope)) {
    w->sign = w->slope > 0 ? 1 : -1;
    w->beyond = (int8_t)-w->sign;
  }
}

cdn_status cdni_watches_start(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  CDNI_TRY(cdni_watches_lean(s, has_to_be_asked, s->step.t0, s->step.y0, s->step.f0));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    if (!has_to_be_asked(ev, w)) continue;
    w->slope = w->lean;
    decide(s, w);
  }
  return CDN_OK;
}

/* ---- afresh ---- */

/* Whether the handlers have left the value where the event found it, which is beyond zero. (Within a step constraints
 * hold no better than the accuracy asks: where its end is projected, an event may prove to be none.) */
static bool is_still_there(const cdni_watch *w, double g) {
  return way_of(w) * w->end >= 0 && g * w->end >= 0 && fabs(g) <= 2 * fabs(w->end);
}

/* Whether the handler of its set has left a value beyond zero: it has decided about all events of the set, so what
 * counts next is a value further beyond. */
static bool is_decided(const cdn_stepper *s, const cdni_watch *w, double g) {
  return !watch_is_kink(s->events, w) && cdni_event_at(s->system, (int)w->trigger)->def.handle_set &&
         w->direction != CDN_EITHER && way_of(w) * g >= 0;
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
  ev->begun = ev->begun || changed;
  if (changed) CDNI_TRY(cdni_kinks_afresh(s));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    double g = w->end;
    if (changed) CDNI_TRY(cdni_watch_value(s, w, s->work, &g));
    const bool decided = changed && is_decided(s, w, g);
    const bool stays = is_still_there(w, g), is_zero = g == 0 && w->end == 0;
    double rounding = 0; /* a value that stays there may come and go by its rounding */
    w->end = g;
    if (decided) {
      const cdn_status status = cdni_watch_rounding(s, w, &rounding);
      if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
    }
    if (decided) w->came = 0; /* what it did before the handler does not tell what it does now */
    w->armed = decided || (changed && w->fired && w->direction != CDN_EITHER && stays);
    if (w->armed) {
      w->level = g + (w->direction == CDN_RISING ? 4 : -4) * rounding;
      w->sign = SIDE_ZERO;
    } else if (w->fired || (changed && !is_zero)) {
      /* a value that has come to zero, while the handler of another event changed the State, keeps the side that it
       * came from */
      take_sign(w, g, changed);
    }
    w->slope = changed ? NAN : w->end_slope;
    if (changed) w->rate = w->past_time[0] = w->past_time[1] = NAN;
    w->fired = w->pending = false;
    w->value = w->end = g;
  }
  if (changed) cdni_sleep_afresh(s), cdni_quiet_afresh(s);
  return CDN_OK;
}

/* ---- checkpoints ---- */

/* Eight bits as a number. */
static void archive_side(int8_t *side, cdni_archive *a) {
  int value = *side;
  cdni_archive_int(a, &value, -1, SIDE_UNDEFINED);
  *side = (int8_t)value;
}

void cdni_watch_archive(cdni_watch *w, int parts, cdni_archive *a) {
  double *const numbers[] = { &w->level, &w->came,      &w->window,   &w->time,         &w->value,  &w->end,
                              &w->slope, &w->end_slope, &w->lo,       &w->hi,           &w->rate,   &w->second,
                              w->past,   w->past + 1,   w->past_time, w->past_time + 1, &w->margin, &w->sleepless };
  int crossed = (int)w->crossed;
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  archive_side(&w->sign, a);
  archive_side(&w->beyond, a);
  cdni_archive_int(a, &w->next, 0, 2 * w->samples + 1);
  cdni_archive_bool(a, &w->armed);
  cdni_archive_bool(a, &w->fired);
  cdni_archive_bool(a, &w->pending);
  cdni_archive_int(a, &crossed, 0, CDN_EITHER);
  cdni_archive_int(a, &w->parts, 0, TRIGGER_PARTS);
  for (int k = 0; k < w->parts; k++) {
    int part = w->part[k];
    cdni_archive_int(a, &part, 0, parts - 1);
    cdni_archive_double(a, &w->weight[k]);
    cdni_archive_double(a, &w->way[k]);
    w->part[k] = part;
  }
  w->crossed = (cdn_direction)crossed;
}
