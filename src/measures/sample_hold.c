/* A value sampled at equal intervals and held between them: the inputs and outputs of a digital device. */
#include <math.h>

#include "measures/internal.h"

typedef struct sample_hold {
  measure base;
  double period, phase, initial[CDN_MEASURE_MOST];
  cdn_dvar held;
} sample_hold;

/* Constant between its jumps. */
static int derivatives(const measure *m) {
  (void)m;
  return CDN_MEASURE_ALL_DERIVATIVES;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  if (order == 0) cdni_declare_prerequisite(d, entry, ((const sample_hold *)m)->held.ticket);
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  size_t bytes = (size_t)m->n * sizeof *out;
  if (order > 0) memset(out, 0, bytes);
  else memcpy(out, cdn_state_discrete(state, ((const sample_hold *)m)->held), bytes);
  return CDN_OK;
}

static cdn_status set(const measure *m, cdn_state *state, const double *to) {
  return cdn_state_set_discrete(state, ((const sample_hold *)m)->held, to);
}

static cdn_status reset(const measure *m, cdn_state *state) { return set(m, state, ((const sample_hold *)m)->initial); }

static cdn_status sample(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const measure *m = self;
  double now[CDN_MEASURE_MOST];
  (void)what, (void)action;
  CDNI_TRY(cdni_measure_read(m, state, m->operand, 0, now));
  return set(m, state, now);
}

static void declare(measure *m, cdn_declarer *d) {
  sample_hold *h = (sample_hold *)m;
  h->held = cdn_declare_discrete(d, "held", (size_t)m->n * sizeof(double), h->initial, CDN_STAGE_REPORT);
  cdn_event_def def = cdn_default_event_def();
  def.name = cdni_measure_name(m);
  def.kind = CDN_EVENT_PERIODIC;
  def.period = h->period, def.phase = h->phase;
  def.handle = sample;
  cdn_declare_event(d, &def);
}

static const measure_kind sample_hold_kind = { .name = "sample-and-hold",
                                               .size = sizeof(sample_hold),
                                               .rewirable = true,
                                               .derivatives = derivatives,
                                               .stage = cdni_measure_stage_time,
                                               .depend = depend,
                                               .value = value,
                                               .declare = declare,
                                               .set = set,
                                               .reset = reset };

cdn_measure cdn_system_add_sample_hold_measure(cdn_system *system, const char *name, cdn_measure operand, double period,
                                               double phase, const double *initial) {
  cdni_adder a;
  sample_hold h = { .base = { .operand = operand }, .period = period, .phase = phase };
  cdni_measure_begin(&a, system, "cdn_system_add_sample_hold_measure", name);
  h.base.n = cdni_measure_check_operand(&a, operand);
  cdni_adder_check_numbers(&a, "its initial value", initial, h.base.n);
  if (!(period > 0) || !isfinite(period)) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its period is %g: it must be positive and finite", period);
  }
  cdni_adder_check_numbers(&a, "its phase", &phase, 1);
  if (a.ok && initial) memcpy(h.initial, initial, (size_t)h.base.n * sizeof *initial);
  return cdni_measure_add(&a, &sample_hold_kind, &h.base);
}
