/* Kinks: triggers without an event, which forces have (a stop is met). They end steps as events with handlers do, and
 * the method starts anew behind them; nobody hears of them. They are many, and in most steps none is near: all that is
 * done then is to compare values and slopes at the step's two ends. One that the step seems to pass is watched. */
#include <math.h>

#include <cardan/events.h>
#include <cardan/operators.h>

#include "integrators/events_run.h"
#include "integrators/kinks.h"
#include "integrators/norm.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"
#include "system/system.h"
#include "system/triggers.h"

/* Values, then rates. */
static cdn_status read_all(cdn_stepper *s, cdn_state *state, double *values) {
  return s->events->n_kinks > 0 ? cdni_take_failure(s, state, cdni_state_kinks(state, values)) : CDN_OK;
}

cdn_status cdni_kinks_begin(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  cdn_state *const states[] = { s->work, ev->scene };
  if (!events_have_kinks(ev)) return CDN_OK;
  if (s->stride > 0) memset(ev->push, 0, sizeof(double) * s->stride);
  for (int i = 0; i < 2; i++) {
    CDNI_TRY(cdn_multiply_by_M_inv(states[i], ev->push, ev->trial));
    CDNI_TRY(read_all(s, states[i], ev->kinks_end));
    if (ev->has_near) CDNI_TRY(cdni_take_failure(s, states[i], cdni_state_near_kinks(states[i], 0, &ev->near)));
  }
  return CDN_OK;
}

cdn_status cdni_kinks_afresh(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  ev->near_reach = ev->near_saved = -1;
  return read_all(s, s->work, ev->kinks);
}

/* A list is made for times this much longer than the step, so that it holds for the next step, too. A quarter of them
 * is before the list: the step that it ends. */
static const double LONGER = 4;

cdn_status cdni_scene_at_start(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  CDNI_TRY(cdni_scene_begin(s));
  cdn_status status = cdn_state_set_ty(ev->scene, s->t, s->y[s->at]);
  if (status == CDN_OK) status = cdni_prescribe_values(s, ev->scene, NULL);
  return cdni_take_failure(s, ev->scene, status);
}

static cdn_status list_now(cdn_stepper *s, double reach) {
  struct cdni_events *ev = s->events;
  CDNI_TRY(cdni_scene_at_start(s));
  CDNI_TRY(cdni_take_failure(s, ev->scene, cdni_state_near_kinks(ev->scene, reach, &ev->near)));
  ev->near_reach = reach;
  return CDN_OK;
}

/* A checkpoint has the reach of the list, and no list. */
static cdn_status list_as_saved(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  const double reach = ev->near_saved;
  ev->near_saved = -1;
  return reach > 0 && ev->has_near ? list_now(s, reach) : CDN_OK;
}

static cdn_status list_start(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  const double h = s->step.h;
  CDNI_TRY(list_as_saved(s));
  return !ev->has_near || ev->near_reach >= h ? CDN_OK : list_now(s, LONGER * h);
}

static cdn_status list_end(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev->has_near) return CDN_OK;
  ev->near_end_reach = LONGER * s->step.h;
  ev->near_end.n = 0;
  if (ev->sweep.end > 0 && ev->sweep.end_time == s->step.t1) return CDN_OK; /* nothing is near */
  return cdni_state_near_kinks(s->work, ev->near_end_reach, &ev->near_end);
}

/* A kink of the attempt: its values and rates at the two ends. */
typedef struct passage {
  int64_t trigger;
  double a, b, rate_a, rate_b;
  bool turns; /* it may be passed twice, as its value turns towards zero in between */
} passage;

/* The generalized force that a kink adds at x beyond it. */
static cdn_status force_of(const cdn_stepper *s, cdn_state *state, int64_t trigger, double x, double *f, bool *known) {
  memset(f, 0, sizeof(double) * (size_t)s->ny);
  return cdni_trigger_force(state, trigger, x, f, known);
}

/* An upper bound of the force that the kink adds, taken as if it acted during the whole step; the result is in rates
 * of u. */
static cdn_status push_of(cdn_stepper *s, cdn_state *state, const passage *p, double *udot, bool *known) {
  struct cdni_events *ev = s->events;
  double *f = ev->push, h = s->step.h;
  double x = fabs(p->b) + (isnan(p->rate_b) ? fabs(p->a) : 0.25 * h * (fabs(p->rate_a) + fabs(p->rate_b)));
  CDNI_TRY(force_of(s, state, p->trigger, x, f, known));
  return *known ? cdn_multiply_by_M_inv(state, f, udot) : CDN_OK;
}

/* The norm of a change of y, over the tolerance; the step's own weighted errors are kept. */
static cdn_status norm_at(cdn_stepper *s, const double *e, const double *ya, const double *yb, double *norm) {
  double *kept = s->events->push;
  const bool valid = s->weighted_valid;
  memcpy(kept, s->weighted, sizeof(double) * (size_t)s->ny);
  const cdn_status status = cdni_error_norm(s, e, ya, yb, norm);
  memcpy(s->weighted, kept, sizeof(double) * (size_t)s->ny);
  s->weighted_valid = valid;
  *norm /= cdni_tolerance(s);
  return status;
}

static cdn_status norm_beside(cdn_stepper *s, const double *e, double *norm) {
  return norm_at(s, e, s->step.y0, s->step.y1, norm);
}

/* An upper bound of the change of y that the passage causes within this step, divided by the tolerance. For a kink
 * whose force is not known, the bound uses the change of all rates over the step. */
static cdn_status weigh(cdn_stepper *s, cdn_state *state, const passage *p, double *weight) {
  struct cdni_events *ev = s->events;
  const cdni_step *step = &s->step;
  double h = step->h, *f = ev->push, *e = ev->trial, *e_u = e + s->nq;
  bool known;
  memset(e, 0, sizeof(double) * (size_t)s->ny);
  CDNI_TRY(push_of(s, state, p, e_u, &known));
  *weight = INFINITY;
  if (!known && p->turns) return CDN_OK;
  for (int i = s->nq; !known && i < s->ny; i++) e[i] = step->f1[i] - step->f0[i];
  for (int i = 0; i < s->nu; i++) f[i] = h * h / 6 * e_u[i];
  for (int i = s->nq; i < s->ny; i++) e[i] *= h / 2;
  CDNI_TRY(cdni_state_multiply_by_N(state, f, e));
  return norm_beside(s, e, weight);
}

/* A passage with a smaller weight is ignored: a joint that rests at its limit passes the kink with every rounding.
 * The weight is a bound, about ten times the real effect. If passages with weights below 10 do not end steps, runs
 * are as accurate, at half the cost. Measured: docs/constants.md. */
static const double NOTHING = 10;
/* A value of so few of its own roundings has no sign: one that rests at zero. */
static const double RESTS = 64;

static bool is_awake(const struct cdni_events *ev, int64_t trigger) {
  for (int i = ev->n_lasting; i < ev->n_watches; i++)
    if (ev->watches[i].trigger == trigger) return true;
  return false;
}

static cdni_watch watch_of(const cdn_stepper *s, const passage *p) {
  const struct cdni_events *ev = s->events;
  const cdni_step *step = &s->step;
  return (cdni_watch){ .trigger = p->trigger,
                       .leader = ev->n_watches,
                       .first = ev->first_kink + (size_t)(ev->n_watches - ev->n_lasting),
                       .active = true,
                       .direction = CDN_EITHER,
                       .sign = p->a < 0 ? -1 : 1,
                       .beyond = SIDE_UNDEFINED,
                       .window = fmax(cdni_least_window(step), 1e-3 * s->def.accuracy * step->h),
                       .time = step->t0,
                       .value = p->a,
                       .slope = p->rate_a,
                       .end = p->b,
                       .end_slope = p->rate_b };
}

/* Watches the kink from now on, if it matters. */
static cdn_status wake(cdn_stepper *s, cdn_state *state, const passage *p) {
  struct cdni_events *ev = s->events;
  double weight, rounding;
  /* a step that has been shortened for it ends there */
  if (isnan(ev->aim) || ev->aim_trigger != p->trigger) {
    CDNI_TRY(weigh(s, state, p, &weight));
    if (weight <= NOTHING) return CDN_OK;
  }
  CDNI_TRY(cdni_watches_grow(s));
  cdni_watch *w = &ev->watches[ev->n_watches];
  *w = watch_of(s, p);
  w->end = p->a;
  CDNI_TRY(cdni_scene_begin(s));
  CDNI_TRY(cdni_watch_rounding(s, w, &rounding));
  if (fmax(fabs(p->a), fabs(p->b)) <= RESTS * rounding) return CDN_OK;
  w->end = p->b;
  ev->values[w->first] = p->a;
  ev->turns[w->first].time = NAN;
  ev->n_watches++;
  return CDN_OK;
}

/* Watches a kink if the attempt seems to pass it. `time`: of the scene, whose State is asked; NaN: `work` is. */
static cdn_status consider(cdn_stepper *s, double time, passage *p) {
  struct cdni_events *ev = s->events;
  const double both = p->a * p->b, h = s->step.h;
  /* most values are far from zero; they keep their sign and do not turn towards zero */
  if (!(both <= 0) && !(p->a * p->rate_a < 0 && p->b * p->rate_b > 0)) return CDN_OK;
  p->turns = both > 0;
  if (p->turns && !(fabs(p->a) < h * fabs(p->rate_a) && fabs(p->b) < h * fabs(p->rate_b))) return CDN_OK;
  if (both == 0 || is_awake(ev, p->trigger)) return CDN_OK;
  if (!isnan(time)) CDNI_TRY(cdni_scene_at(s, time));
  return wake(s, isnan(time) ? s->work : ev->scene, p);
}

cdn_status cdni_kinks_matters(cdn_stepper *s, int64_t trigger, bool *matters) {
  enum { DEPTHS = 8 };
  cdn_state *scene = s->events->scene;
  passage p = { .trigger = trigger, .turns = true };
  *matters = false;
  CDNI_TRY(cdni_watch_read(s, p.trigger, scene, &p.b, &p.rate_b));
  /* a force may vanish at the depth that the step could come to, behind the other surface: shallower ones are tried,
   * too */
  for (int i = 0; i < DEPTHS && !*matters; i++, p.rate_b *= 0.5) {
    double weight;
    p.a = p.b, p.rate_a = p.rate_b;
    CDNI_TRY(weigh(s, scene, &p, &weight));
    *matters = !(weight <= NOTHING);
  }
  return CDN_OK;
}

/* Those of the two lists. A kink that only one of them has is below zero there, or does not matter. */
static cdn_status consider_near(cdn_stepper *s, double time, const cdni_near_list *there) {
  struct cdni_events *ev = s->events;
  const cdni_near_list *start = &ev->near;
  const int64_t first = cdni_listed_trigger(s->system, 0);
  for (int i = 0, j = 0; i < start->n || j < there->n;) {
    const cdni_near_kink *a = i < start->n ? &start->kinks[i] : NULL, *b = j < there->n ? &there->kinks[j] : NULL;
    if (a && b && a->key < b->key) b = NULL;
    if (a && b && a->key > b->key) a = NULL;
    i += a != NULL, j += b != NULL;
    if (!(a && b) && !((a ? a : b)->value <= 0)) continue;
    passage p = { .trigger = first + (a ? a : b)->key };
    if (a) p.a = a->value, p.rate_a = a->rate;
    else {
      CDNI_TRY(cdni_scene_at_start(s));
      CDNI_TRY(cdni_watch_read(s, p.trigger, ev->scene, &p.a, &p.rate_a));
    }
    if (b) p.b = b->value, p.rate_b = b->rate;
    else {
      if (!isnan(time)) CDNI_TRY(cdni_scene_at(s, time));
      CDNI_TRY(cdni_watch_read(s, p.trigger, isnan(time) ? s->work : ev->scene, &p.b, &p.rate_b));
    }
    CDNI_TRY(consider(s, time, &p));
  }
  return CDN_OK;
}

cdn_status cdni_kinks_wake(cdn_stepper *s, bool at_scene) {
  struct cdni_events *ev = s->events;
  const int n = ev->n_kinks;
  const int64_t first = cdni_slot_trigger(s->system, 0);
  const double time = at_scene ? ev->scene_time : NAN;
  double *start = ev->kinks, *there = ev->kinks_end;
  if (!events_have_kinks(ev)) return CDN_OK;
  CDNI_TRY(read_all(s, at_scene ? ev->scene : s->work, there));
  for (int k = 0; k < n; k++) {
    passage p = { .trigger = first + k, .a = start[k], .b = there[k], .rate_a = start[n + k], .rate_b = there[n + k] };
    CDNI_TRY(consider(s, time, &p));
  }
  if (!ev->has_near) return at_scene ? cdni_scene_at(s, time) : CDN_OK;
  if (at_scene) {
    CDNI_TRY(cdni_take_failure(s, ev->scene, cdni_state_near_kinks(ev->scene, s->step.h, &ev->near_here)));
    CDNI_TRY(consider_near(s, time, &ev->near_here));
    return cdni_scene_at(s, time);
  }
  CDNI_TRY(list_start(s));
  CDNI_TRY(list_end(s));
  return consider_near(s, time, &ev->near_end);
}

/* ---- steps that aim at a kink ---- */

/* A kink that is so near at the start, in steps, is left to the step that passes it; of the others no more than these
 * are followed. */
static const double AT_START = 1e-4;
enum { MOST_FOLLOWED = 4, MOST_LOOKS = 3 };
/* Two looks so near to each other, over their time, agree. */
static const double CLOSE = 1e-2;

/* The kink's value at the time tau from now, on the parabola that the present rates are about; f has its bend. */
static cdn_status foresee(cdn_stepper *s, int64_t trigger, double tau, double *value) {
  struct cdni_events *ev = s->events;
  const double *y = s->y[s->at], *f = s->f[s->at], *bend = ev->push;
  double *at = ev->trial, rate;
  for (int i = 0; i < s->nq; i++) at[i] = y[i] + tau * f[i] + 0.5 * tau * tau * bend[i];
  for (int i = s->nq; i < s->ny; i++) at[i] = y[i] + tau * f[i];
  cdn_status status = cdn_state_set_ty(ev->scene, s->t + tau, at);
  if (status == CDN_OK) status = cdni_prescribe_values(s, ev->scene, NULL);
  return status == CDN_OK ? cdni_watch_read(s, trigger, ev->scene, value, &rate) : status;
}

/* The first zero of a + rate t + c t^2 with a > 0; INFINITY: there is none. */
static double first_zero(double a, double rate, double c) {
  const double square = rate * rate - 4 * a * c;
  if (!(square >= 0)) return INFINITY;
  const double t = 2 * a / (-rate + sqrt(square));
  return t > 0 ? t : INFINITY;
}

/* When the value is zero, before h; else h. The value is nearly a parabola: each look tells how it bends. */
static cdn_status foresee_zero(cdn_stepper *s, int64_t trigger, double value, double rate, double h, double *tau) {
  struct cdni_events *ev = s->events;
  double t = fmin(h, value / -rate), next = INFINITY;
  *tau = h;
  CDNI_TRY(cdn_state_set_ty(ev->scene, s->t, s->y[s->at]));
  CDNI_TRY(cdni_state_multiply_by_N(ev->scene, s->f[s->at] + s->nq, ev->push));
  for (int i = 0; i < MOST_LOOKS; i++) {
    double v;
    CDNI_TRY(foresee(s, trigger, t, &v));
    next = first_zero(value, rate, (v - value - rate * t) / (t * t));
    if (!(next < h)) return CDN_OK;
    if (fabs(next - t) <= CLOSE * t) break;
    t = next;
  }
  *tau = next;
  return CDN_OK;
}

/* Whether the force that sets in changes more than a step may err, in the rest of the step. The scene is where it sets
 * in. */
static cdn_status foresee_force(cdn_stepper *s, int64_t trigger, double rate, double rest, bool *matters) {
  double *f = s->scratch, *udot = s->scratch + s->stride, change = 0;
  bool known;
  *matters = false;
  CDNI_TRY(force_of(s, s->events->scene, trigger, 0.5 * rest * fabs(rate), f, &known));
  if (!known) return CDN_OK;
  CDNI_TRY(cdn_multiply_by_M_inv(s->events->scene, f, udot));
  memset(f, 0, sizeof(double) * (size_t)s->ny);
  for (int i = 0; i < s->nu; i++) f[s->nq + i] = 0.5 * rest * udot[i];
  CDNI_TRY(norm_at(s, f, s->y[s->at], s->y[s->at], &change));
  *matters = change > NOTHING;
  return CDN_OK;
}

typedef struct aimed {
  int64_t trigger;
  double value, rate, time;
} aimed;

/* Keeps the kinks that are met first, the first one first. */
static void put_in(aimed *list, int *n, int64_t trigger, double value, double rate, double h, double least) {
  if (!(value > least && rate < 0 && value < 2 * h * -rate)) return;
  const aimed a = { trigger, value, rate, value / -rate };
  int i = *n < MOST_FOLLOWED ? (*n)++ : MOST_FOLLOWED - 1;
  if (i == MOST_FOLLOWED - 1 && *n == MOST_FOLLOWED && list[i].time > 0 && list[i].time <= a.time) return;
  for (; i > 0 && list[i - 1].time > a.time; i--) list[i] = list[i - 1];
  list[i] = a;
}

cdn_status cdni_kinks_foresee(cdn_stepper *s, double h, double *tau) {
  struct cdni_events *ev = s->events;
  aimed list[MOST_FOLLOWED] = { { 0 } };
  int n = 0;
  const double least = cdni_tolerance(s);
  *tau = h;
  if (!events_have_kinks(ev) || s->method->own_steps) return CDN_OK;
  CDNI_TRY(list_as_saved(s));
  const int64_t slots = cdni_slot_trigger(s->system, 0), listed = cdni_listed_trigger(s->system, 0);
  for (int k = 0; k < ev->n_kinks; k++) put_in(list, &n, slots + k, ev->kinks[k], ev->kinks[ev->n_kinks + k], h, least);
  for (int i = 0; ev->near_reach > 0 && i < ev->near.n; i++)
    put_in(list, &n, listed + ev->near.kinks[i].key, ev->near.kinks[i].value, ev->near.kinks[i].rate, h, least);
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdni_scene_begin(s));
  for (int i = 0; i < n && list[i].time < 2 * *tau; i++) {
    double found;
    bool matters;
    CDNI_TRY(foresee_zero(s, list[i].trigger, list[i].value, list[i].rate, *tau, &found));
    if (!(found > AT_START * h) || !(found < *tau)) continue;
    CDNI_TRY(foresee_force(s, list[i].trigger, list[i].rate, h - found, &matters));
    if (matters) *tau = found, ev->aim_trigger = list[i].trigger;
  }
  return CDN_OK;
}

/* The part of the speed along a force that the force, as it is at the end of a step, would take during that step. In a
 * longer step no stage may see that it is there at all. */
static const double TAKEN = 0.5;
/* What the force may change in the step, over the tolerance: of a force that sets in with the power 3/2 of time, pairs
 * of orders 4 to 8 estimate errors of 1/1000 to 1/150 of it, and a method that begins at order 1 of a half.
 * Measured: docs/constants.md. */
static const double CHANGED = 150, CHANGED_AT_FIRST = 20;

static cdn_status bound_of(cdn_stepper *s, int64_t trigger, double rate, double *h) {
  double *f = s->scratch, *udot = s->scratch + s->stride, *e = s->events->trial;
  const double *u = cdni_state_y(s->work) + s->nq, most = s->method->resize ? CHANGED_AT_FIRST : CHANGED;
  for (int k = 0; k < 16; k++) {
    bool known;
    double power = 0, gain = 0, change;
    CDNI_TRY(force_of(s, s->work, trigger, fabs(rate) * *h, f, &known));
    if (!known) return CDN_OK;
    CDNI_TRY(cdn_multiply_by_M_inv(s->work, f, udot));
    for (int i = 0; i < s->nu; i++) power += f[i] * u[i], gain += f[i] * udot[i];
    memset(e, 0, sizeof(double) * (size_t)s->ny);
    for (int i = 0; i < s->nu; i++) e[s->nq + i] = *h * udot[i];
    CDNI_TRY(norm_beside(s, e, &change));
    const double taken = gain * *h / fabs(power) / TAKEN, changed = change / most;
    if (!(taken > 1.1) && !(changed > 1.1)) return CDN_OK;
    *h *= pow(fmax(taken, changed), -0.4); /* the force goes with the power 1 or 3/2 of time */
  }
  return CDN_OK;
}

cdn_status cdni_kinks_bound(cdn_stepper *s, double *h) {
  const struct cdni_events *ev = s->events;
  for (int i = ev->n_lasting; i < ev->n_watches; i++) {
    const cdni_watch *w = &ev->watches[i];
    if (w->fired && w->crossed == CDN_FALLING && w->end_slope < 0) CDNI_TRY(bound_of(s, w->trigger, w->end_slope, h));
  }
  return CDN_OK;
}

cdn_status cdni_kinks_bound_at(cdn_stepper *s, int64_t trigger, double *h) {
  double value, rate;
  CDNI_TRY(cdni_watch_read(s, trigger, s->work, &value, &rate));
  return rate < 0 ? bound_of(s, trigger, rate, h) : CDN_OK;
}

cdn_status cdni_kinks_end(cdn_stepper *s) {
  CDNI_TRY(read_all(s, s->work, s->events->kinks_end));
  return list_end(s);
}

void cdni_kinks_sleep(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  double *start = ev->kinks;
  const cdni_near_list near = ev->near;
  ev->n_watches = ev->n_lasting;
  ev->kinks = ev->kinks_end;
  ev->kinks_end = start;
  ev->near = ev->near_end;
  ev->near_end = near;
  ev->near_reach = ev->near_end_reach;
  ev->near_saved = -1;
}
