/* Numbers that do not vary, and numbers that a State may be given. */
#include "measures/internal.h"

typedef struct constant {
  measure base;
  double initial[CDN_MEASURE_MOST];
  cdn_dvar variable; /* of a variable measure */
} constant;

static int derivatives(const measure *m) {
  (void)m;
  return CDN_MEASURE_ALL_DERIVATIVES;
}

static cdn_stage stage(const measure *m, int order) {
  (void)m, (void)order;
  return CDN_STAGE_INSTANCE;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)m, (void)order, (void)d, (void)entry;
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  (void)state;
  for (int i = 0; i < m->n; i++) out[i] = order == 0 ? ((const constant *)m)->initial[i] : 0;
  return CDN_OK;
}

static const measure_kind constant_kind = { .name = "constant",
                                            .size = sizeof(constant),
                                            .derivatives = derivatives,
                                            .stage = stage,
                                            .depend = depend,
                                            .value = value };

/* ---- variables ---- */

static size_t bytes(const measure *m) { return (size_t)m->n * sizeof(double); }

static void declare(measure *m, cdn_declarer *d) {
  constant *c = (constant *)m;
  c->variable = cdn_declare_discrete(d, "variable", bytes(m), c->initial, CDN_STAGE_REPORT);
}

static void depend_on_variable(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  if (order == 0) cdni_declare_prerequisite(d, entry, ((const constant *)m)->variable.ticket);
}

static cdn_status variable_value(const measure *m, cdn_state *state, int order, double *out) {
  if (order > 0) memset(out, 0, bytes(m));
  else memcpy(out, cdn_state_discrete(state, ((const constant *)m)->variable), bytes(m));
  return CDN_OK;
}

static cdn_status set(const measure *m, cdn_state *state, const double *to) {
  return cdn_state_set_discrete(state, ((const constant *)m)->variable, to);
}

static cdn_status reset(const measure *m, cdn_state *state) { return set(m, state, ((const constant *)m)->initial); }

static const measure_kind variable_kind = { .name = "variable",
                                            .size = sizeof(constant),
                                            .derivatives = derivatives,
                                            .stage = stage,
                                            .depend = depend_on_variable,
                                            .value = variable_value,
                                            .declare = declare,
                                            .set = set,
                                            .reset = reset };

/* ---- adding ---- */

static cdn_measure add(cdn_system *system, const char *function, const char *name, const measure_kind *kind, int n,
                       const double *initial) {
  cdni_adder a;
  constant c = { .base = { .n = n, .operand = { -1 } } };
  cdni_measure_begin(&a, system, function, name);
  cdni_measure_check_size(&a, n);
  if (!initial) cdni_adder_refuse(&a, CDN_ERR_ARG, "no value is given");
  cdni_adder_check_numbers(&a, "its value", initial, n);
  if (a.ok) memcpy(c.initial, initial, bytes(&c.base));
  return cdni_measure_add(&a, kind, &c.base);
}

cdn_measure cdn_system_add_constant_measure(cdn_system *system, const char *name, int n, const double *initial) {
  return add(system, "cdn_system_add_constant_measure", name, &constant_kind, n, initial);
}

cdn_measure cdn_system_add_variable_measure(cdn_system *system, const char *name, int n, const double *initial) {
  return add(system, "cdn_system_add_variable_measure", name, &variable_kind, n, initial);
}
