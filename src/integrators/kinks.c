/* Kinks that forces of the library have (a stop is met) end steps as events do, and the method starts anew behind them. Nobody hears of
 * them. In most steps none is near, and all that is done is to compare values and slopes at the step's two ends. */
#include <cardan/operators.h>

#include "integrators/events.h"

cdn_status cdni_kinks_begin(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  cdn_state *const states[] = { s->work, ev->scene };
  if (ev->n_kinks == 0) return CDN_OK;
  memset(ev->f, 0, sizeof(double) * s->stride);
  for (int i = 0; i < 2; i++) {
    CDNI_TRY(cdn_multiply_by_M_inv(states[i], ev->f, ev->y));
    CDNI_TRY(cdni_state_kinks(states[i], ev->kinks_here));
  }
  return CDN_OK;
}

cdn_status cdni_kinks_afresh(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  return ev->n_kinks > 0 ? cdni_state_kinks(s->work, ev->kinks) : CDN_OK;
}

/* What passing kink k does to y within this step is at most so much, over the tolerance: the force that value x stands for, acting
 * all the time. */
static cdn_status weigh(cdn_stepper *s, cdn_state *state, int k, double x, double *weight) {
  struct cdni_events *ev = s->events;
  double h = s->step.h, *f = ev->f, *e = ev->y;
  bool valid = s->weighted_valid;
  memset(f, 0, sizeof(double) * (size_t)s->ny);
  memset(e, 0, sizeof(double) * (size_t)s->ny);
  CDNI_TRY(cdni_state_kink_force(state, k, x, f));
  CDNI_TRY(cdn_multiply_by_M_inv(state, f, e + s->nq));
  for (int i = 0; i < s->nu; i++) f[i] = h * h / 6 * e[s->nq + i], e[s->nq + i] *= h / 2;
  CDNI_TRY(cdni_state_multiply_by_N(state, f, e));
  memcpy(f, s->weighted, sizeof(double) * (size_t)s->ny);
  CDNI_TRY(cdni_error_norm(s, e, s->step.y0, s->step.y1, weight));
  memcpy(s->weighted, f, sizeof(double) * (size_t)s->ny);
  s->weighted_valid = valid;
  *weight /= cdni_tolerance(s);
  return CDN_OK;
}

/* Below this a kink makes no difference: a joint that rests at its limit passes it with every rounding. The weight is a bound, some ten
 * times what such a kink does; where it is less than 10, runs deliver as much without ending steps, at half the cost. */
static const double NOTHING = 10;

static bool is_awake(const struct cdni_events *ev, int k) {
  for (int i = ev->n_triggers; i < ev->n_watches; i++)
    if (ev->watches[i].kink == k) return true;
  return false;
}

cdn_status cdni_kinks_wake(cdn_stepper *s, bool at_scene) {
  struct cdni_events *ev = s->events;
  const int n = ev->n_kinks;
  const double h = s->step.h, *at_start = ev->kinks;
  double *there = at_scene ? ev->kinks_here : ev->kinks_end;
  cdn_state *state = at_scene ? ev->scene : s->work;
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdni_state_kinks(state, there));
  for (int k = 0; k < n; k++) {
    double a = at_start[k], b = there[k], rate_a = at_start[n + k], rate_b = there[n + k];
    bool turns = a * rate_a < 0 && b * rate_b > 0 && fabs(a) < h * fabs(rate_a) && fabs(b) < h * fabs(rate_b);
    if ((a < 0) == (b < 0) && !turns) continue;
    if (is_awake(ev, k)) continue;
    double weight, x = fabs(b) + (isnan(rate_b) ? fabs(a) : 0.25 * h * (fabs(rate_a) + fabs(rate_b)));
    CDNI_TRY(weigh(s, state, k, x, &weight));
    if (weight <= NOTHING) continue;
    cdni_watch *w = &ev->watches[ev->n_watches];
    *w = (cdni_watch){ .event = -1,
                       .kink = k,
                       .leader = ev->n_watches,
                       .first = ev->first_kink + (size_t)(ev->n_watches - ev->n_triggers),
                       .active = true,
                       .direction = CDN_EITHER,
                       .sign = a < 0 ? -1 : 1,
                       .beyond = SIDE_UNDEFINED,
                       .window = fmax(128 * DBL_EPSILON * fmax(fabs(s->step.t0), fabs(s->step.t1)),
                                      1e-3 * s->def.accuracy * h),
                       .time = s->step.t0,
                       .value = a,
                       .slope = rate_a,
                       .end = b,
                       .end_slope = rate_b };
    ev->values[w->first] = a;
    ev->turns[w->first].time = NAN;
    ev->n_watches++;
  }
  return CDN_OK;
}

cdn_status cdni_kinks_end(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  return ev->n_kinks > 0 ? cdni_state_kinks(s->work, ev->kinks_end) : CDN_OK;
}

void cdni_kinks_sleep(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  double *start = ev->kinks;
  ev->n_watches = ev->n_triggers;
  if (ev->n_kinks == 0) return;
  ev->kinks = ev->kinks_end;
  ev->kinks_end = start;
}
