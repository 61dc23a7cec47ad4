/* Functions of time: time itself, and a sinusoid. */
#include <math.h>

#include "measures/internal.h"

typedef struct sinusoid {
  measure base;
  double amplitude, frequency, phase;
} sinusoid;

static int derivatives(const measure *m) {
  (void)m;
  return CDN_MEASURE_ALL_DERIVATIVES;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)m, (void)order;
  cdni_declare_prerequisite(d, entry, CDN_T);
}

/* The n-th derivative of sin is sin a quarter turn on, n times: exactly so, by swapping sine and cosine. */
static cdn_status sinusoid_value(const measure *m, cdn_state *state, int order, double *out) {
  const sinusoid *s = (const sinusoid *)m;
  const double angle = s->frequency * cdn_state_time(state) + s->phase;
  const double wave = order % 2 ? cos(angle) : sin(angle);
  *out = s->amplitude * pow(s->frequency, order) * (order % 4 < 2 ? wave : -wave);
  return CDN_OK;
}

static cdn_status time_value(const measure *m, cdn_state *state, int order, double *out) {
  (void)m;
  *out = order == 0 ? cdn_state_time(state) : order == 1;
  return CDN_OK;
}

static const measure_kind sinusoid_kind = { .name = "sinusoid",
                                            .size = sizeof(sinusoid),
                                            .derivatives = derivatives,
                                            .stage = cdni_measure_stage_time,
                                            .depend = depend,
                                            .value = sinusoid_value };
static const measure_kind time_kind = { .name = "time",
                                        .size = sizeof(measure),
                                        .derivatives = derivatives,
                                        .stage = cdni_measure_stage_time,
                                        .depend = depend,
                                        .value = time_value };

cdn_measure cdn_system_add_sinusoid_measure(cdn_system *system, const char *name, double amplitude, double frequency,
                                            double phase) {
  cdni_adder a;
  const double numbers[] = { amplitude, frequency, phase };
  sinusoid s = { .base = { .n = 1, .operand = { -1 } } };
  s.amplitude = amplitude, s.frequency = frequency, s.phase = phase;
  cdni_measure_begin(&a, system, "cdn_system_add_sinusoid_measure", name);
  cdni_adder_check_numbers(&a, "(amplitude, frequency, phase)", numbers, 3);
  return cdni_measure_add(&a, &sinusoid_kind, &s.base);
}

cdn_measure cdn_system_add_time_measure(cdn_system *system, const char *name) {
  cdni_adder a;
  measure m = { .n = 1, .operand = { -1 } };
  cdni_measure_begin(&a, system, "cdn_system_add_time_measure", name);
  return cdni_measure_add(&a, &time_kind, &m);
}
