/* Numbers that somebody else computes and puts into a State: valid until something that they depend on changes, and
 * never stale. (A variable keeps its numbers through every change; a custom measure computes its own.) */
#include "measures/internal.h"

typedef struct result {
  measure base;
  cdn_stage stage;
  int n_prerequisites;
  cdn_ticket *prerequisites; /* instead of the stage, if there are any: our copy */
} result;

static cdn_stage stage(const measure *m, int order) {
  (void)order;
  return ((const result *)m)->stage;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  const result *r = (const result *)m;
  (void)order;
  for (int i = 0; i < r->n_prerequisites; i++) cdni_declare_prerequisite(d, entry, r->prerequisites[i]);
  if (r->n_prerequisites == 0) cdni_declare_prerequisite(d, entry, cdn_stage_ticket(r->stage));
  cdni_declare_given(d, entry);
}

/* Called only if the value is not valid. */
static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  (void)order, (void)out;
  return cdni_state_fail(
      state, CDN_ERR_ARG, false, "cdn_measure_value", cdni_measure_name(m),
      "measure '%s' is a result without a valid value, because a prerequisite has changed since it was set: set it with "
      "cdn_measure_set_value",
      cdni_measure_name(m));
}

static cdn_status set(const measure *m, cdn_state *state, const double *to) {
  return cdni_state_give(state, "cdn_measure_set_value", m->value, to);
}

static cdn_status reset(const measure *m, cdn_state *state) {
  return cdni_state_give(state, "cdn_measure_reset", m->value, NULL);
}

static size_t tickets_size(const result *r) { return (size_t)r->n_prerequisites * sizeof(cdn_ticket); }

static void destroy(measure *m) {
  result *r = (result *)m;
  cdni_free(cdni_system_allocator(m->system), r->prerequisites, tickets_size(r));
}

static const measure_kind result_kind = { .name = "result",
                                          .size = sizeof(result),
                                          .stage = stage,
                                          .depend = depend,
                                          .value = value,
                                          .set = set,
                                          .reset = reset,
                                          .destroy = destroy };

cdn_measure cdn_system_add_result_measure(cdn_system *system, const char *name, int n, cdn_stage stage_of,
                                          int n_prerequisites, const cdn_ticket *prerequisites) {
  cdni_adder a;
  result r = { .base = { .n = n, .operand = { -1 } }, .stage = stage_of, .n_prerequisites = n_prerequisites };
  cdni_measure_begin(&a, system, "cdn_system_add_result_measure", name);
  cdni_measure_check_size(&a, n);
  if (stage_of < CDN_STAGE_INSTANCE || stage_of > CDN_STAGE_ACCELERATION) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its stage must be one from Instance to Acceleration");
  }
  if (n_prerequisites < 0 || (n_prerequisites > 0 && !prerequisites)) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "there are %d prerequisites%s", n_prerequisites,
                      prerequisites ? "" : ", but no list of them");
  }
  if (!a.ok) return (cdn_measure){ -1 };
  const cdn_allocator *memory = cdni_system_allocator(system);
  r.prerequisites = cdni_alloc(memory, tickets_size(&r));
  if (r.prerequisites) memcpy(r.prerequisites, prerequisites, tickets_size(&r));
  else if (n_prerequisites > 0) cdni_adder_refuse(&a, CDN_ERR_NOMEM, "out of memory");
  cdn_measure id = cdni_measure_add(&a, &result_kind, &r.base);
  if (id.i < 0) cdni_free(memory, r.prerequisites, tickets_size(&r));
  return id;
}
