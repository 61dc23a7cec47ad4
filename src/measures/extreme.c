/* The smallest or the largest value of a measure so far, with its sign or in magnitude.
 *
 * Values at the ends of steps are not enough, since most turning points lie within a step. They are sought on the
 * polynomial through the last samples and the present value, without further evaluations and without an effect on
 * the steps. The present rate is not used, so that forces may read the extreme of every measure that they may read. */
#include "measures/history.h"
#include "system/triggers.h"

#include <math.h>

typedef struct extreme {
  measure base;
  cdn_extreme which;
  history past;
  cdn_autovar memory; /* the best values, their times, then the ring */
  cdn_cache found;    /* extremes and their times up to the present moment */
} extreme;

enum { KEPT = 12, LOOK_BACK = 4, LOOK_BACK_RATES = 3, PIECES = 8 };

static size_t best_bytes(const measure *m) { return 2 * (size_t)m->n * sizeof(double); }
static void *ring_of(const measure *m, const void *memory) { return (char *)memory + best_bytes(m); }

static const char *memory_of(const extreme *x, const cdn_state *state) {
  return cdn_state_discrete(state, x->memory.variable);
}

static cdn_stage stage(const measure *m, int order) { return cdni_measure_stage_of(m, m->operand, order); }

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)order;
  cdni_declare_prerequisite(d, entry, ((const extreme *)m)->found.ticket);
}

/* ---- comparing ---- */

static bool is_better(cdn_extreme which, double a, double than) {
  switch (which) {
    case CDN_MINIMUM: return a < than;
    case CDN_MAXIMUM: return a > than;
    case CDN_MAX_ABS: return fabs(a) > fabs(than);
    case CDN_MIN_ABS: return fabs(a) < fabs(than);
  }
  return false;
}

static void offer(const extreme *x, double value, double t, double *best, double *when) {
  if (!is_better(x->which, value, *best)) return;
  *best = value;
  *when = t;
}

/* ---- turning points ---- */

/* Where the derivative (or the value), which is positive at only one of a and b, vanishes. */
static double find_zero(const polynomial *p, double a, double b, bool derivative) {
  double at_a, slope;
  at_a = cdni_polynomial_at(p, a, &slope);
  bool positive = (derivative ? slope : at_a) > 0;
  for (int k = 0; k < 64 && b - a > 1e-15 * fabs(b); k++) {
    double middle = a + 0.5 * (b - a), at = cdni_polynomial_at(p, middle, &slope);
    if (((derivative ? slope : at) > 0) == positive) a = middle;
    else b = middle;
  }
  return a + 0.5 * (b - a);
}

/* Offers the turning points between a and b; rounding alone makes none. For the least magnitude a zero is one, too. */
static void offer_turns(const extreme *x, const polynomial *p, double a, double b, double *best, double *when) {
  double slope_from, at_a = cdni_polynomial_at(p, a, &slope_from), at_b = cdni_polynomial_at(p, b, NULL);
  double noise = 8e-16 * fmax(fabs(at_a), fabs(at_b)), from = a, at_from = at_a;
  for (int k = 1; k <= PIECES; k++) {
    double to = k < PIECES ? a + (b - a) * k / PIECES : b, slope, at = cdni_polynomial_at(p, to, &slope);
    if ((slope_from > 0) != (slope > 0)) {
      double t = find_zero(p, from, to, true), value = cdni_polynomial_at(p, t, NULL);
      if (fmin(fabs(value - at_a), fabs(value - at_b)) > noise) offer(x, value, t, best, when);
    }
    if (x->which == CDN_MIN_ABS && (at_from > 0) != (at > 0)) offer(x, 0, find_zero(p, from, to, false), best, when);
    slope_from = slope, at_from = at;
    from = to;
  }
}

static cdn_status calc_found(const void *self, cdn_state *state, void *out) {
  const extreme *x = self;
  const measure *m = &x->base;
  const char *memory = memory_of(x, state);
  const void *ring = ring_of(m, memory);
  double t = cdn_state_time(state), now[CDN_MEASURE_MOST], *best = out, *when = best + m->n;
  double width;
  int list[LOOK_BACK];
  int count = cdni_history_before(&x->past, ring, t, x->past.rates ? LOOK_BACK_RATES : LOOK_BACK, &width, list);
  CDNI_TRY(cdni_measure_read(m, state, m->operand, 0, now));
  bool any = cdni_history_count(ring) > 0;
  if (any) memcpy(out, memory, best_bytes(m));
  for (int i = 0; i < m->n; i++) {
    if (!any) best[i] = now[i], when[i] = t;
    if (count > 0) {
      polynomial p = { .n = 0 };
      cdni_polynomial_add(&p, t, now[i], NULL);
      for (int k = 0; k < count; k++) cdni_polynomial_add_sample(&p, &x->past, ring, list[k], i);
      cdni_polynomial_fit(&p);
      offer_turns(x, &p, t - width, t, &best[i], &when[i]);
    }
    offer(x, now[i], t, &best[i], &when[i]);
  }
  return CDN_OK;
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  const extreme *x = (const extreme *)m;
  (void)order;
  CDNI_TRY(cdni_state_ensure(state, x->found.ticket));
  memcpy(out, cdni_state_storage(state, x->found), (size_t)m->n * sizeof *out);
  return CDN_OK;
}

/* ---- memory ---- */

static cdn_status calc_update(const void *self, cdn_state *state, void *out) {
  const extreme *x = self;
  const measure *m = &x->base;
  memcpy(out, memory_of(x, state), best_bytes(m) + cdni_history_size(&x->past));
  CDNI_TRY(cdni_state_ensure(state, x->found.ticket));
  memcpy(out, cdni_state_storage(state, x->found), best_bytes(m));
  return cdni_history_advance(&x->past, m, state, ring_of(m, out));
}

/* An extreme bends where the value comes up with it from behind, and the least magnitude where the value passes
 * zero. */
static cdn_status calc_kinks(const void *self, cdn_state *state, void *out) {
  const extreme *x = self;
  const measure *m = &x->base;
  const char *memory = memory_of(x, state);
  const double *best = (const double *)memory;
  const bool any = cdni_history_count(ring_of(m, memory)) > 0;
  double now[CDN_MEASURE_MOST], *behind = out, *to_zero = behind + m->n;
  CDNI_TRY(cdni_measure_read(m, state, m->operand, 0, now));
  for (int i = 0; i < 4 * m->n; i++) behind[i] = NAN;
  for (int i = 0; any && i < m->n; i++) {
    switch (x->which) {
      case CDN_MINIMUM: behind[i] = now[i] - best[i]; break;
      case CDN_MAXIMUM: behind[i] = best[i] - now[i]; break;
      case CDN_MAX_ABS: behind[i] = fabs(best[i]) - fabs(now[i]); break;
      case CDN_MIN_ABS: behind[i] = fabs(now[i]) - fabs(best[i]); break;
    }
    if (x->which == CDN_MIN_ABS && best[i] != 0) to_zero[i] = now[i];
  }
  return CDN_OK;
}

static void declare(measure *m, cdn_declarer *d) {
  extreme *x = (extreme *)m;
  x->past = (history){ .n = m->n, .rates = cdni_measure_derivatives_of(m, m->operand) > 0, .capacity = KEPT };
  x->memory =
      cdn_declare_auto_update(d, "memory", best_bytes(m) + cdni_history_size(&x->past), NULL, calc_update, 1, &CDN_T);
  const cdn_ticket reads[] = { CDN_T, x->memory.variable.ticket, cdn_measure_ticket(m->system, m->operand) };
  x->found = cdn_declare_cache(d, "found", best_bytes(m), calc_found, 3, reads);
  cdni_declare_prerequisite(d, x->memory.update, x->found.ticket);
  if (x->past.rates) cdni_measure_depend_on(m, m->operand, 1, d, x->memory.update);
  const cdn_cache kinks = cdn_declare_cache(d, "kinks", 4 * (size_t)m->n * sizeof(double), calc_kinks, 2, reads + 1);
  cdni_declare_kinks(d, 2 * m->n, kinks, x->found.ticket, NULL);
}

static cdn_status begin_run(const void *self, cdn_state *state) {
  const extreme *x = self;
  const measure *m = &x->base;
  double values[2 * CDN_MEASURE_MOST], best[2 * CDN_MEASURE_MOST], t = cdn_state_time(state);
  CDNI_TRY(cdni_history_read(&x->past, m, state, values));
  if (cdni_history_continues(&x->past, ring_of(m, memory_of(x, state)), t, values)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, x->found.ticket));
  memcpy(best, cdni_state_storage(state, x->found), best_bytes(m));
  char *memory = cdni_state_update_discrete(state, x->memory.variable);
  memcpy(memory, best, best_bytes(m));
  cdni_history_push(&x->past, ring_of(m, memory), t, values, HISTORY_FRESH);
  return CDN_OK;
}

static cdn_status reset(const measure *m, cdn_state *state) {
  const extreme *x = (const extreme *)m;
  memset(cdni_state_update_discrete(state, x->memory.variable), 0, best_bytes(m) + cdni_history_size(&x->past));
  return CDN_OK;
}

static const measure_kind extreme_kind = { .name = "extreme",
                                           .size = sizeof(extreme),
                                           .stage = stage,
                                           .depend = depend,
                                           .value = value,
                                           .declare = declare,
                                           .begin_run = begin_run,
                                           .reset = reset };

cdn_measure cdn_system_add_extreme_measure(cdn_system *system, const char *name, cdn_measure operand,
                                           cdn_extreme which) {
  cdni_adder a;
  extreme x = { .base = { .operand = operand }, .which = which };
  cdni_measure_begin(&a, system, "cdn_system_add_extreme_measure", name);
  x.base.n = cdni_measure_check_operand(&a, operand);
  if (which < CDN_MINIMUM || which > CDN_MIN_ABS) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "which is not one of cdn_extreme");
  }
  return cdni_measure_add(&a, &extreme_kind, &x.base);
}

cdn_status cdn_measure_extreme_times(cdn_state *state, cdn_measure id, double *times) {
  if (!state || !times) return cdni_refuse(CDN_ERR_ARG, __func__, "the State or the result is NULL");
  const measure *m = cdni_measure_at(cdn_state_system(state), id);
  if (!m || m->kind != &extreme_kind) {
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, m ? cdni_measure_name(m) : NULL,
                           "measure %d is not an extreme of this System", (int)id.i);
  }
  const extreme *x = (const extreme *)m;
  CDNI_TRY(cdni_state_ensure(state, x->found.ticket));
  memcpy(times, (const double *)cdni_state_storage(state, x->found) + m->n, (size_t)m->n * sizeof *times);
  return CDN_OK;
}
