/* Turning points. If a trigger's value turns between two samples, it may have crossed zero twice, and no sign at a
 * sample shows it. Slopes at the samples show that it turns; it is then followed to its turning point, on dense
 * output. */
#include <float.h>
#include <math.h>

#include <cardan/events.h>

#include "integrators/doubt.h"
#include "integrators/events_run.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"
#include "system/events.h"

cdn_status cdni_watches_slope(cdn_stepper *s, cdni_asks *asks, double t, bool of_end) {
  struct cdni_events *ev = s->events;
  /* the slope of the parabola through three values: at a turning point it is nearly zero, and its sign matters */
  const double tau = ev->span / 1024, way = t - 2 * tau < s->step.t0 ? tau : -tau;
  int asked = 0;
  for (int i = 0; i < ev->n_watches; i++) asked += asks(ev, &ev->watches[i]);
  /* all values at one time together, so that the State is realized once */
  for (int k = 1; k <= 2 && asked > 0; k++) {
    CDNI_TRY(cdni_scene_at(s, t + k * way));
    for (int i = 0; i < ev->n_watches; i++) {
      cdni_watch *w = &ev->watches[i];
      if (asks(ev, w)) CDNI_TRY(cdni_watch_value(s, w, ev->scene, k == 1 ? &w->back : &w->forth));
    }
  }
  for (int i = 0; i < ev->n_watches && asked > 0; i++) {
    cdni_watch *w = &ev->watches[i];
    if (!asks(ev, w)) continue;
    const double g = of_end ? w->end : w->value;
    const double slope = t + way == t ? NAN : (4 * w->back - w->forth - 3 * g) / (2 * way);
    if (of_end) w->end_slope = slope;
    else w->slope = slope;
  }
  return CDN_OK;
}

/* ---- one interval between samples ---- */

typedef struct interval {
  double a, b, g_a, g_b, slope_a, slope_b;
} interval;

static cdn_status value_at(cdn_stepper *s, const cdni_watch *w, double t, double *g) {
  CDNI_TRY(cdni_scene_at(s, t));
  return cdni_watch_value(s, w, s->events->scene, g);
}

/* How far a value that starts at its level goes to one side before it ends on the other. From the parabola through
 * the start, its slope and the end, which describes a short flight; tries shorter ones until one is found or is too
 * short to see. */
static cdn_status find_peak(cdn_stepper *s, const cdni_watch *w, interval x, cdni_turn *turn) {
  double shortest = 4 * DBL_EPSILON * fmax(fabs(x.a), fabs(x.b));
  for (int k = 0; k < 12; k++) {
    double length = x.b - x.a, bend = (x.g_b - x.g_a - x.slope_a * length) / (length * length);
    double t = x.a - x.slope_a / (2 * bend), g;
    if (!(t - x.a > shortest && t < x.b)) return CDN_OK;
    CDNI_TRY(value_at(s, w, t, &g));
    if (cdni_watch_side(w, g) == w->sign) {
      *turn = (cdni_turn){ t, g };
      return CDN_OK;
    }
    if (isnan(g)) return CDN_OK;
    x.b = t, x.g_b = g;
  }
  return CDN_OK;
}

/* The turning point of the parabola through three points; the middle one is nearest to zero. */
static double vertex(double a, double g_a, double x, double g_x, double b, double g_b) {
  double left = (x - a) * (g_x - g_b), right = (x - b) * (g_x - g_a);
  return x - 0.5 * ((x - a) * left - (x - b) * right) / (left - right);
}

/* Distance from zero, on `side`, at which the cubic through the ends turns, and its place *theta in the interval.
 * Infinite if it does not turn towards zero. */
static double cubic_turn(const interval *x, int side, double *theta) {
  double h = x->b - x->a, d_a = side * h * x->slope_a, d_b = side * h * x->slope_b, rise = side * (x->g_b - x->g_a);
  if (!(d_a < 0 && d_b > 0)) return INFINITY;
  /* its derivative is d_a + 2 (3 rise - 2 d_a - d_b) theta + 3 (d_a + d_b - 2 rise) theta^2 */
  double linear = 3 * rise - 2 * d_a - d_b, square = 3 * (d_a + d_b - 2 * rise);
  double root = sqrt(fmax(0, linear * linear - square * d_a));
  *theta = linear + root > 0 ? -d_a / (linear + root) : 0.5;
  double r = *theta;
  return side * x->g_a + r * (d_a + r * (linear + r * square / 3));
}

/* The value is on this side of zero at both ends (or comes from it and is at zero at the start), and turns towards
 * zero in between. *nearest: its nearest point, if it does not cross. */
static cdn_status find_dip(cdn_stepper *s, const cdni_watch *w, const interval *x, int side, cdni_turn *turn,
                           double *nearest) {
  double theta = 0.5, a = x->a, b = x->b, g_a = fabs(x->g_a), g_b = fabs(x->g_b), least = fmin(g_a, g_b);
  /* points closer together than this do not show where the parabola through them turns */
  const double apart = 1e-6 * (b - a);
  double expected = cubic_turn(x, side, &theta), m, g;
  *nearest = INFINITY;
  /* far from zero, or not nearer than at an end: the sign at that end is enough */
  if (!(expected < fmax(0.5 * least, 0.01 * fmax(g_a, g_b)))) return CDN_OK;
  m = a + fmin(0.99, fmax(0.01, theta)) * (b - a);
  CDNI_TRY(value_at(s, w, m, &g));
  for (int k = 0; k < 12; k++) {
    if (isnan(g)) return CDN_OK;
    *turn = (cdni_turn){ m, g };
    *nearest = fmin(*nearest, side * g);
    if (side * g < 0) return CDN_OK;
    /* continue to the turning point of the parabola, if the value could be beyond zero there */
    double next = vertex(a, g_a, m, side * g, b, g_b), other;
    if (!(next > a && next < b)) next = 0.5 * (m - a > b - m ? a + m : b + m);
    if (fabs(next - m) < apart) next = m + copysign(apart, m - a > b - m ? a - m : b - m);
    CDNI_TRY(value_at(s, w, next, &other));
    if (isnan(other) || side * other < 0) {
      g = other, m = next;
      continue;
    }
    double best = fmin(side * g, side * other), change = fabs(side * g - side * other);
    bool nearer = side * other < side * g;
    if (nearer) {
      if (next > m) a = m, g_a = side * g;
      else b = m, g_b = side * g;
      m = next, g = other;
    } else if (next > m) {
      b = next, g_b = side * other;
    } else {
      a = next, g_a = side * other;
    }
    if (change < 1e-3 * best) break;
  }
  *turn = (cdni_turn){ m, g };
  *nearest = fmin(*nearest, side * g);
  return CDN_OK;
}

/* Where the tangents at both ends meet: theta is its place in the interval, and the result the distance from zero on
 * `side`. A value that is convex, as the distance of two balls in flight, is nowhere nearer to zero. */
static double tangents_meet(const interval *x, int side, double *theta) {
  const double h = x->b - x->a, d_a = side * h * x->slope_a, d_b = side * h * x->slope_b;
  *theta = (side * (x->g_b - x->g_a) - d_b) / (d_a - d_b);
  return side * x->g_a + *theta * d_a;
}

/* As find_dip, for a trigger whose rates come with its values. Two shapes that pass each other quickly are near each
 * other for a small part of the interval: their distance falls and rises along two nearly straight lines. */
static cdn_status find_pass(cdn_stepper *s, const cdni_watch *w, interval x, int side, cdni_turn *turn,
                            double *nearest) {
  enum { MOST = 60 };
  const double apart = 1e-12 * (x.b - x.a);
  *nearest = INFINITY;
  for (int k = 0; k < MOST && x.b - x.a > apart; k++) {
    double theta, other, g, rate;
    const double least = tangents_meet(&x, side, &theta);
    if (!(side * x.slope_a < 0 && side * x.slope_b > 0) || least > 0) return CDN_OK;
    if (k % 2 && cubic_turn(&x, side, &other) < INFINITY) theta = other;
    const double t = x.a + fmin(0.999, fmax(0.001, theta)) * (x.b - x.a);
    CDNI_TRY(cdni_scene_at(s, t));
    CDNI_TRY(cdni_watch_read(s, w->trigger, s->events->scene, &g, &rate));
    if (isnan(g) || isnan(rate)) return CDN_OK;
    *turn = (cdni_turn){ t, g };
    *nearest = fmin(*nearest, side * g);
    if (side * g < 0) return CDN_OK;
    if (side * rate < 0) x.a = t, x.g_a = g, x.slope_a = rate;
    else x.b = t, x.g_b = g, x.slope_b = rate;
  }
  return CDN_OK;
}

/* ---- all intervals ---- */

static double value_of(const struct cdni_events *ev, const cdni_watch *w, int k) {
  return k > w->samples ? w->end : ev->values[w->first + (size_t)k];
}

/* The slope at sample k, from its neighbours; at the ends of the step slopes are known. */
static double slope_of(const struct cdni_events *ev, const cdni_watch *w, int k) {
  int n = w->samples + 1;
  if (k == 0) return w->slope;
  if (k == n) return w->end_slope;
  double rise = (value_of(ev, w, k + 1) - value_of(ev, w, k - 1)) * n / ev->span;
  /* the data of two intervals determine a polynomial of degree four */
  return n == 2 ? 0.75 * rise - 0.25 * (w->slope + w->end_slope) : 0.5 * rise;
}

/* The change of the value in the step; NaN if it is undefined somewhere. */
static double variation_of(const struct cdni_events *ev, const cdni_watch *w, double *nearest) {
  double least = INFINITY, most = -INFINITY;
  for (int k = 0; k <= w->samples + 1; k++) {
    double g = value_of(ev, w, k);
    if (isnan(g)) return NAN;
    least = fmin(least, g), most = fmax(most, g);
  }
  *nearest = least * most > 0 ? fmin(fabs(least), fabs(most)) : 0;
  return most - least;
}

static cdn_status find_turn(cdn_stepper *s, cdni_watch *w, int k) {
  struct cdni_events *ev = s->events;
  cdni_turn *turn = &ev->turns[w->first + (size_t)k];
  double t0 = s->step.t0, nearest = INFINITY;
  int n = w->samples + 1;
  interval x = { .a = k == 0 ? t0 : t0 + ev->span * k / n,
                 .b = t0 + ev->span * (k + 1) / n,
                 .g_a = value_of(ev, w, k),
                 .g_b = value_of(ev, w, k + 1),
                 .slope_a = slope_of(ev, w, k),
                 .slope_b = slope_of(ev, w, k + 1) };
  if (k == 0 && x.g_a == w->level && (w->sign == 1 || w->sign == -1)) {
    bool returns = w->sign * x.slope_a > 0 && w->sign * (x.g_b - w->level) <= 0;
    if (returns || x.g_a != 0) return returns ? find_peak(s, w, x, turn) : CDN_OK;
  }
  const int side = x.g_b > 0 ? 1 : -1;
  const bool from_zero = k == 0 && x.g_a == 0 && w->sign == side && side * x.slope_a < 0;
  if (!(x.g_a * x.g_b > 0 || (from_zero && x.g_b != 0))) return CDN_OK;
  CDNI_TRY(watch_is_listed(ev, w) ? find_pass(s, w, x, side, turn, &nearest)
                                  : find_dip(s, w, &x, side, turn, &nearest));
  if (isnan(turn->time) || turn->value * side <= 0) return CDN_OK;
  /* a near miss: an error of the size of the accuracy decides whether it crosses */
  double uncertainty = 0;
  if (!watch_is_kink(ev, w)) CDNI_TRY(cdni_watch_uncertainty(s, w, turn->time, turn->value, &uncertainty));
  if (!(nearest <= uncertainty)) turn->time = NAN;
  return CDN_OK;
}

bool cdni_watch_may_turn(const struct cdni_events *ev, const cdni_watch *w) {
  return w->near && !watch_is_kink(ev, w) && !cdni_watch_is_idle(w);
}

static bool has_no_slope(const struct cdni_events *ev, const cdni_watch *w) {
  return cdni_watch_may_turn(ev, w) && isnan(w->slope);
}

cdn_status cdni_find_turns(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    double nearest = INFINITY;
    for (int k = 0; k <= w->samples; k++) ev->turns[w->first + (size_t)k].time = NAN;
    w->near = false;
    if (cdni_watch_is_idle(w)) continue;
    const double variation = variation_of(ev, w, &nearest);
    w->near = nearest <= 3 * variation || watch_is_listed(ev, w);
  }
  CDNI_TRY(cdni_watches_slope(s, has_no_slope, s->step.t0, false));
  CDNI_TRY(cdni_watches_slope(s, cdni_watch_may_turn, s->step.t0 + ev->span, true));
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    for (int k = 0; w->near && k <= w->samples; k++) CDNI_TRY(find_turn(s, w, k));
  }
  return CDN_OK;
}

/* A value that turns after less than that, relative to unit coordinates, has not turned: that is rounding, as of a gap
 * whose bodies have just let go of each other. */
static const double FLAT = 8 * DBL_EPSILON;

/* Whether more than the accuracy depends on whether an event occurs, whose value comes at this rate. */
static bool matters(const cdn_stepper *s, const cdni_watch *w, double rate) {
  if (watch_is_kink(s->events, w)) return true;
  const cdn_event event = { (int32_t)w->trigger };
  const cdni_event *e = cdni_event_at(s->system, event.i);
  const double accuracy = cdni_asked(s->judged ? s->judged : s);
  return !e->grazes || !e->grazes(cdni_event_self(s->system, e), s->work, event, rate, accuracy);
}

/* Turns up to the end of the step so near to zero that an error of the size of the accuracy decides whether the sign
 * changed. */
static void note_near_misses(cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_watches; i++) {
    const cdni_watch *w = &ev->watches[i];
    for (int k = 0; k <= w->samples; k++) {
      const cdni_turn *turn = &ev->turns[w->first + (size_t)k];
      if (!(turn->time <= s->step.t1)) continue;
      double before = value_of(ev, w, k), after = value_of(ev, w, k + 1);
      if (!(turn->value * before > 0 && turn->value * after > 0)) continue;
      if (!(fabs(turn->value) < fmin(fabs(before), fabs(after)) - FLAT * fmax(1, fabs(turn->value)))) continue;
      /* of the parabola that turns there */
      const double came = 2 * (turn->value - before) / (turn->time - s->step.t0 - ev->span * k / (w->samples + 1));
      const bool counts = matters(s, w, came);
      s->certificate.near_misses += counts;
      if (w->active && (s->companion || (s->muted && counts)))
        cdni_graze_note(s, (int32_t)w->trigger, turn->time, turn->value);
    }
  }
}

/* Values that are so many parts of a step apart tell how a value bends: nearer ones would tell their rounding, farther
 * ones another bend. */
static const double APART = 1. / 64;

/* By the parabola through the last value of the step and two before it; a bend that is rounding is none. */
static cdn_status bend_by_values(cdn_stepper *s, const cdni_watch *w, double apart, double *slope, double *bend) {
  double near, far;
  CDNI_TRY(value_at(s, w, s->step.t1 - apart, &near));
  CDNI_TRY(value_at(s, w, s->step.t1 - 2 * apart, &far));
  *slope = (3 * w->end - 4 * near + far) / (2 * apart);
  *bend = (w->end - 2 * near + far) / (apart * apart);
  if (fabs(*bend) * apart * apart <= 4 * FLAT * fmax(1, fabs(w->end))) *bend = 0;
  return CDN_OK;
}

/* The slope of a value that has come to zero at the end of the step, and how it bends: by its motion, if that is known,
 * or by its values before, for beyond zero it may have a kink. Dense output leads back before a step that is too
 * short. */
static cdn_status arrive(cdn_stepper *s, const cdni_watch *w, double *slope, double *bend) {
  double value = NAN;
  *slope = *bend = NAN;
  if (w->moves) CDNI_TRY(cdni_trigger_moves(s->work, w->trigger, &value, slope, bend));
  if (!isnan(*bend)) return CDN_OK;
  CDNI_TRY(bend_by_values(s, w, 0.5 * (s->step.t1 - s->step.t0), slope, bend));
  return *bend != 0 || s->method->own_steps ? CDN_OK : bend_by_values(s, w, APART * s->events->span, slope, bend);
}

/* Events that have fired while their value was about to turn back: the parabola through the step's end goes beyond zero
 * by no more than an error of the size of the accuracy changes the value. */
static cdn_status note_near_hits(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_lasting; i++) {
    const cdni_watch *w = &ev->watches[i];
    double slope, bend, uncertainty;
    if (!w->active || !w->fired || !isfinite(w->end) || (s->muted && !matters(s, w, w->came))) continue;
    CDNI_TRY(arrive(s, w, &slope, &bend));
    if (!(slope * bend < 0) || (s->muted && !matters(s, w, slope))) continue;
    CDNI_TRY(cdni_watch_uncertainty(s, w, s->step.t1, w->end, &uncertainty));
    const double beyond = w->end - 0.5 * slope * slope / bend;
    if (fabs(beyond) <= uncertainty) cdni_graze_note(s, (int32_t)w->trigger, s->step.t1, beyond);
  }
  return CDN_OK;
}

cdn_status cdni_note_grazes(cdn_stepper *s) {
  note_near_misses(s);
  return s->companion || s->muted ? note_near_hits(s) : CDN_OK;
}
