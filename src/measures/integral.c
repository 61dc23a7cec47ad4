/* Integrals over time: auxiliary states z, stepped with everything else. */
#include "measures/internal.h"

typedef struct integral {
  measure base;
  double initial[CDN_MEASURE_MOST], scale;
  cdn_zvar z;
} integral;

/* In a loop each order follows from the one below, by a recursion that grows with it: somewhere it has to end. */
enum { LOOP_MOST = 16 };

static int derivatives(const measure *m) {
  int known = cdni_measure_derivatives_of(m, m->operand);
  return known == CDN_MEASURE_ALL_DERIVATIVES ? known : known < LOOP_MOST ? known + 1 : LOOP_MOST;
}

/* As all z, it may be read at any time; forces are the first who may need it. */
static cdn_stage stage(const measure *m, int order) {
  return order == 0 ? CDN_STAGE_FORCE : cdni_measure_stage_of(m, m->operand, order - 1);
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  if (order == 0) cdni_declare_prerequisite(d, entry, ((const integral *)m)->z.ticket);
  else cdni_measure_depend_on(m, m->operand, order - 1, d, entry);
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  if (order > 0) return cdni_measure_read(m, state, m->operand, order - 1, out);
  memcpy(out, cdn_state_zvar(state, ((const integral *)m)->z), (size_t)m->n * sizeof *out);
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const measure *m = self;
  return cdni_measure_read(m, state, m->operand, 0, zdot);
}

static void declare(measure *m, cdn_declarer *d) {
  integral *g = (integral *)m;
  double scale[CDN_MEASURE_MOST];
  for (int i = 0; i < m->n; i++) scale[i] = g->scale;
  g->z = cdn_declare_z(d, m->n, g->initial);
  cdn_declare_z_scale(d, g->z, scale);
  cdni_measure_depend_on(m, m->operand, 0, d, (cdn_cache){ 0, CDN_ZDOT });
}

static cdn_status set(const measure *m, cdn_state *state, const double *to) {
  return cdn_state_set_zvar(state, ((const integral *)m)->z, to);
}

static cdn_status reset(const measure *m, cdn_state *state) { return set(m, state, ((const integral *)m)->initial); }

static const measure_kind integral_kind = { .name = "integral",
                                            .size = sizeof(integral),
                                            .rewirable = true,
                                            .derivatives = derivatives,
                                            .stage = stage,
                                            .depend = depend,
                                            .value = value,
                                            .declare = declare,
                                            .calc_zdot = calc_zdot,
                                            .set = set,
                                            .reset = reset };

cdn_measure cdn_system_add_integral_measure(cdn_system *system, const char *name, cdn_measure operand,
                                            const double *initial, double scale) {
  cdni_adder a;
  integral g = { .base = { .operand = operand }, .scale = scale };
  cdni_measure_begin(&a, system, "cdn_system_add_integral_measure", name);
  g.base.n = cdni_measure_check_operand(&a, operand);
  cdni_adder_check_numbers(&a, "its initial value", initial, g.base.n);
  cdni_adder_check_numbers(&a, "its scale", &scale, 1);
  if (!(scale > 0)) cdni_adder_refuse(&a, CDN_ERR_ARG, "its scale is %g: the change that counts as a unit", scale);
  if (a.ok && initial) memcpy(g.initial, initial, (size_t)g.base.n * sizeof *initial);
  return cdni_measure_add(&a, &integral_kind, &g.base);
}
