/* Sums, products and components of other measures. Their derivatives follow from those of their operands. */
#include "measures/internal.h"

typedef struct sum {
  measure base;
  int n_terms;
  cdn_measure *terms; /* one block, the weights after the terms */
  double *weights;
} sum;

static int smaller(int a, int b) { return a < b ? a : b; }
static cdn_stage later(cdn_stage a, cdn_stage b) { return a > b ? a : b; }

/* ---- weighted sums ---- */

static int sum_derivatives(const measure *m) {
  const sum *s = (const sum *)m;
  int known = CDN_MEASURE_ALL_DERIVATIVES;
  for (int k = 0; k < s->n_terms; k++) known = smaller(known, cdni_measure_derivatives_of(m, s->terms[k]));
  return known;
}

static cdn_stage sum_stage(const measure *m, int order) {
  const sum *s = (const sum *)m;
  cdn_stage stage = CDN_STAGE_EMPTY;
  for (int k = 0; k < s->n_terms; k++) stage = later(stage, cdni_measure_stage_of(m, s->terms[k], order));
  return stage;
}

static void sum_depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  const sum *s = (const sum *)m;
  for (int k = 0; k < s->n_terms; k++) cdni_measure_depend_on(m, s->terms[k], order, d, entry);
}

static cdn_status sum_value(const measure *m, cdn_state *state, int order, double *out) {
  const sum *s = (const sum *)m;
  double term[CDN_MEASURE_MOST];
  for (int i = 0; i < m->n; i++) out[i] = 0;
  for (int k = 0; k < s->n_terms; k++) {
    CDNI_TRY(cdni_measure_read(m, state, s->terms[k], order, term));
    for (int i = 0; i < m->n; i++) out[i] += s->weights[k] * term[i];
  }
  return CDN_OK;
}

static size_t sum_bytes(int n_terms) { return (size_t)n_terms * (sizeof(double) + sizeof(cdn_measure)); }

static void sum_destroy(measure *m) {
  sum *s = (sum *)m;
  cdni_free(cdni_system_allocator(m->system), s->weights, sum_bytes(s->n_terms));
}

static const measure_kind sum_kind = { .name = "sum",
                                       .size = sizeof(sum),
                                       .derivatives = sum_derivatives,
                                       .stage = sum_stage,
                                       .depend = sum_depend,
                                       .value = sum_value,
                                       .destroy = sum_destroy };

cdn_measure cdn_system_add_sum_measure(cdn_system *system, const char *name, int n_terms, const cdn_measure *terms,
                                       const double *weights) {
  cdni_adder a;
  sum s = { .base = { .operand = { -1 } }, .n_terms = n_terms };
  cdni_measure_begin(&a, system, "cdn_system_add_sum_measure", name);
  if (n_terms < 1 || !terms) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "a sum needs one term or more");
    return (cdn_measure){ -1 };
  }
  for (int k = 0; k < n_terms && a.ok; k++) {
    int n = cdni_measure_check_operand(&a, terms[k]);
    if (k == 0) s.base.n = n;
    if (n != s.base.n) {
      cdni_adder_refuse(&a, CDN_ERR_ARG, "its terms have %d and %d numbers: take components, or terms of one size",
                        s.base.n, n);
    }
  }
  if (a.ok) cdni_adder_check_numbers(&a, "its weights", weights, n_terms);
  if (!a.ok) return (cdn_measure){ -1 };
  s.weights = cdni_alloc(cdni_system_allocator(system), sum_bytes(n_terms));
  if (!s.weights) {
    cdni_adder_refuse(&a, CDN_ERR_NOMEM, "out of memory");
    return (cdn_measure){ -1 };
  }
  s.terms = (cdn_measure *)(s.weights + n_terms);
  memcpy(s.terms, terms, (size_t)n_terms * sizeof *terms);
  for (int k = 0; k < n_terms; k++) s.weights[k] = weights ? weights[k] : 1;
  cdn_measure id = cdni_measure_add(&a, &sum_kind, &s.base);
  if (id.i < 0) cdni_free(cdni_system_allocator(system), s.weights, sum_bytes(n_terms));
  return id;
}

/* ---- products ---- */

typedef struct product {
  measure base;
  cdn_measure b; /* and base.operand */
  int n_b;
} product;

static int product_derivatives(const measure *m) {
  return smaller(cdni_measure_derivatives_of(m, m->operand), cdni_measure_derivatives_of(m, ((const product *)m)->b));
}

static cdn_stage product_stage(const measure *m, int order) {
  cdn_stage stage = CDN_STAGE_EMPTY;
  for (int k = 0; k <= order; k++) {
    stage = later(stage, cdni_measure_stage_of(m, m->operand, k));
    stage = later(stage, cdni_measure_stage_of(m, ((const product *)m)->b, k));
  }
  return stage;
}

static void product_depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  for (int k = 0; k <= order; k++) {
    cdni_measure_depend_on(m, m->operand, k, d, entry);
    cdni_measure_depend_on(m, ((const product *)m)->b, k, d, entry);
  }
}

/* Leibniz' rule. */
static cdn_status product_value(const measure *m, cdn_state *state, int order, double *out) {
  const product *p = (const product *)m;
  double a[CDN_MEASURE_MOST], b[CDN_MEASURE_MOST], choose = 1;
  for (int i = 0; i < m->n; i++) out[i] = 0;
  for (int k = 0; k <= order; k++) {
    CDNI_TRY(cdni_measure_read(m, state, m->operand, order - k, a));
    CDNI_TRY(cdni_measure_read(m, state, p->b, k, b));
    for (int i = 0; i < m->n; i++) out[i] += choose * a[i] * b[p->n_b > 1 ? i : 0];
    choose = choose * (order - k) / (k + 1);
  }
  return CDN_OK;
}

static const measure_kind product_kind = { .name = "product",
                                           .size = sizeof(product),
                                           .derivatives = product_derivatives,
                                           .stage = product_stage,
                                           .depend = product_depend,
                                           .value = product_value };

cdn_measure cdn_system_add_product_measure(cdn_system *system, const char *name, cdn_measure first, cdn_measure b) {
  cdni_adder a;
  product p = { .base = { .operand = first }, .b = b };
  cdni_measure_begin(&a, system, "cdn_system_add_product_measure", name);
  p.base.n = cdni_measure_check_operand(&a, first);
  p.n_b = cdni_measure_check_operand(&a, b);
  if (p.n_b != 1 && p.n_b != p.base.n) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its factors have %d and %d numbers: the second must have one, or as many",
                      p.base.n, p.n_b);
  }
  return cdni_measure_add(&a, &product_kind, &p.base);
}

/* ---- components ---- */

typedef struct component {
  measure base;
  int i;
} component;

static int component_derivatives(const measure *m) { return cdni_measure_derivatives_of(m, m->operand); }

static cdn_stage component_stage(const measure *m, int order) { return cdni_measure_stage_of(m, m->operand, order); }

static void component_depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  cdni_measure_depend_on(m, m->operand, order, d, entry);
}

static cdn_status component_value(const measure *m, cdn_state *state, int order, double *out) {
  double all[CDN_MEASURE_MOST];
  CDNI_TRY(cdni_measure_read(m, state, m->operand, order, all));
  *out = all[((const component *)m)->i];
  return CDN_OK;
}

static const measure_kind component_kind = { .name = "component",
                                             .size = sizeof(component),
                                             .derivatives = component_derivatives,
                                             .stage = component_stage,
                                             .depend = component_depend,
                                             .value = component_value };

cdn_measure cdn_system_add_component_measure(cdn_system *system, const char *name, cdn_measure operand, int i) {
  cdni_adder a;
  component c = { .base = { .n = 1, .operand = operand }, .i = i };
  cdni_measure_begin(&a, system, "cdn_system_add_component_measure", name);
  int n = cdni_measure_check_operand(&a, operand);
  if (i < 0 || i >= n)
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its operand has %d numbers, and there is no number %d", n, i);
  return cdni_measure_add(&a, &component_kind, &c.base);
}
