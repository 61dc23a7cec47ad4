/* The time derivative: the operand's own if it knows it; else an estimate from its past.
 *
 * Simbody estimates fdot = 2 (f - f0) / (t - t0) - fdot0 from one earlier value and derivative. This is of order 2,
 * but an error of fdot0 never fades: it comes back with the other sign at every step. A parabola through two earlier
 * values has the same order, and values older than two steps have no influence. */
#include "measures/history.h"

typedef struct derivative {
  measure base;
  history past;
  cdn_autovar ring;
} derivative;

enum { KEPT = 8 }; /* two are used, not too close together; the newest may be of this very moment */

static bool is_exact(const measure *m) { return cdni_measure_derivatives_of(m, m->operand) > 0; }

static int derivatives(const measure *m) {
  int known = cdni_measure_derivatives_of(m, m->operand);
  return known == CDN_MEASURE_ALL_DERIVATIVES ? known : known > 0 ? known - 1 : 0;
}

static cdn_stage stage(const measure *m, int order) {
  if (is_exact(m)) return cdni_measure_stage_of(m, m->operand, order + 1);
  return cdni_measure_stage_of(m, m->operand, 0);
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  if (is_exact(m)) {
    cdni_measure_depend_on(m, m->operand, order + 1, d, entry);
    return;
  }
  cdni_declare_prerequisite(d, entry, CDN_T);
  cdni_declare_prerequisite(d, entry, ((const derivative *)m)->ring.variable.ticket);
  cdni_measure_depend_on(m, m->operand, 0, d, entry);
}

static cdn_status estimate(const derivative *v, cdn_state *state, double *out) {
  const measure *m = &v->base;
  const void *ring = cdn_state_discrete(state, v->ring.variable);
  double t = cdn_state_time(state), now[CDN_MEASURE_MOST];
  double width;
  int list[2], count = cdni_history_before(&v->past, ring, t, 2, &width, list);
  CDNI_TRY(cdni_measure_read(m, state, m->operand, 0, now));
  for (int i = 0; i < m->n; i++) {
    polynomial p = { .n = 0 };
    out[i] = 0;
    if (count == 0) continue;
    cdni_polynomial_add(&p, t, now[i], NULL);
    for (int k = 0; k < count; k++) cdni_polynomial_add_sample(&p, &v->past, ring, list[k], i);
    cdni_polynomial_fit(&p);
    cdni_polynomial_at(&p, t, &out[i]);
  }
  return CDN_OK;
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  if (is_exact(m)) return cdni_measure_read(m, state, m->operand, order + 1, out);
  return estimate((const derivative *)m, state, out);
}

/* ---- memory ---- */

static cdn_status calc_update(const void *self, cdn_state *state, void *out) {
  const derivative *v = self;
  memcpy(out, cdn_state_discrete(state, v->ring.variable), cdni_history_size(&v->past));
  return cdni_history_advance(&v->past, &v->base, state, out);
}

static void declare(measure *m, cdn_declarer *d) {
  derivative *v = (derivative *)m;
  if (is_exact(m)) return;
  v->past = (history){ .n = m->n, .capacity = KEPT };
  const cdn_ticket reads[] = { CDN_T, cdn_measure_ticket(m->system, m->operand) };
  v->ring = cdn_declare_auto_update(d, "past", cdni_history_size(&v->past), NULL, calc_update, 2, reads);
}

static cdn_status begin_run(const void *self, cdn_state *state) {
  const derivative *v = self;
  double values[CDN_MEASURE_MOST], t = cdn_state_time(state);
  if (is_exact(&v->base)) return CDN_OK;
  CDNI_TRY(cdni_history_read(&v->past, &v->base, state, values));
  if (cdni_history_continues(&v->past, cdn_state_discrete(state, v->ring.variable), t, values)) return CDN_OK;
  cdni_history_push(&v->past, cdni_state_update_discrete(state, v->ring.variable), t, values, HISTORY_FRESH);
  return CDN_OK;
}

static cdn_status reset(const measure *m, cdn_state *state) {
  const derivative *v = (const derivative *)m;
  if (!is_exact(m)) memset(cdni_state_update_discrete(state, v->ring.variable), 0, cdni_history_size(&v->past));
  return CDN_OK;
}

static const measure_kind derivative_kind = { .name = "derivative",
                                              .size = sizeof(derivative),
                                              .derivatives = derivatives,
                                              .stage = stage,
                                              .depend = depend,
                                              .value = value,
                                              .declare = declare,
                                              .begin_run = begin_run,
                                              .reset = reset };

cdn_measure cdn_system_add_derivative_measure(cdn_system *system, const char *name, cdn_measure operand) {
  cdni_adder a;
  derivative v = { .base = { .operand = operand } };
  cdni_measure_begin(&a, system, "cdn_system_add_derivative_measure", name);
  v.base.n = cdni_measure_check_operand(&a, operand);
  return cdni_measure_add(&a, &derivative_kind, &v.base);
}
