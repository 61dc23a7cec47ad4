/* Measures that users bring. */
#include "measures/internal.h"

typedef struct custom {
  measure base;
  cdn_measure_ops ops; /* prerequisites: our copy */
  void *self;          /* our copy */
} custom;

static int derivatives(const measure *m) { return ((const custom *)m)->ops.derivatives; }

/* A derivative needs what the value needs, differentiated: positions become velocities, and these accelerations. */
static cdn_stage stage(const measure *m, int order) {
  cdn_stage stage = ((const custom *)m)->ops.stage;
  for (; order > 0 && stage >= CDN_STAGE_POSITION && stage < CDN_STAGE_ACCELERATION; order--) {
    stage = stage == CDN_STAGE_POSITION ? CDN_STAGE_VELOCITY : CDN_STAGE_ACCELERATION;
  }
  return stage;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  const custom *c = (const custom *)m;
  for (int i = 0; i < c->ops.n_prerequisites; i++) cdni_declare_prerequisite(d, entry, c->ops.prerequisites[i]);
  /* the tickets are the value's: what its derivatives read beyond them belongs to their stages */
  if (c->ops.n_prerequisites == 0 || order > 0) cdni_declare_prerequisite(d, entry, cdn_stage_ticket(stage(m, order)));
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  const custom *c = (const custom *)m;
  cdni_state_clear_error(state);
  cdn_status status = c->ops.calc_value(c->self, state, order, out);
  if (status == CDN_OK) return CDN_OK;
  cdn_error e;
  cdn_state_last_error(state, &e);
  if (e.code == CDN_OK) {
    return cdni_state_fail(state, status, status == CDN_ERR_NONFINITE, "cdn_measure_value", cdni_measure_name(m),
                           "calc_value of measure '%s' failed: %s", cdni_measure_name(m), cdn_status_text(status));
  }
  /* its own message, with the measure's name if it named nobody */
  if (!e.element[0]) strncpy(e.element, cdni_measure_name(m), sizeof e.element - 1);
  cdni_state_set_error(state, &e);
  return status;
}

static size_t tickets_size(const custom *c) { return (size_t)c->ops.n_prerequisites * sizeof(cdn_ticket); }

static void give_back(const cdn_allocator *a, custom *c) {
  if (c->self) cdni_free(a, c->self, c->ops.self_size);
  if (c->ops.prerequisites) cdni_free(a, (void *)c->ops.prerequisites, tickets_size(c));
}

static void destroy(measure *m) {
  custom *c = (custom *)m;
  if (c->ops.destroy) c->ops.destroy(c->self);
  give_back(cdni_system_allocator(m->system), c);
}

static const measure_kind custom_kind = { .name = "custom measure",
                                          .size = sizeof(custom),
                                          .derivatives = derivatives,
                                          .stage = stage,
                                          .depend = depend,
                                          .value = value,
                                          .destroy = destroy };

static void check_ops(cdni_adder *a, const cdn_measure_ops *ops, const void *self) {
  cdni_measure_check_size(a, ops->n);
  if (!ops->calc_value) cdni_adder_refuse(a, CDN_ERR_ARG, "its ops have no calc_value");
  if (ops->derivatives < 0 || ops->derivatives > CDN_MEASURE_ALL_DERIVATIVES) {
    cdni_adder_refuse(a, CDN_ERR_ARG, "ops.derivatives is %d", ops->derivatives);
  }
  if (ops->stage < CDN_STAGE_INSTANCE || ops->stage > CDN_STAGE_ACCELERATION) {
    cdni_adder_refuse(a, CDN_ERR_ARG, "ops.stage must be one from Instance to Acceleration");
  }
  if (ops->n_prerequisites < 0 || (ops->n_prerequisites > 0 && !ops->prerequisites)) {
    cdni_adder_refuse(a, CDN_ERR_ARG, "ops has %d prerequisites%s", ops->n_prerequisites,
                      ops->prerequisites ? "" : ", but no list of them");
  }
  if (ops->self_size > 0 && !self) cdni_adder_refuse(a, CDN_ERR_ARG, "self is NULL but ops.self_size is not 0");
}

cdn_measure cdn_system_add_custom_measure(cdn_system *system, const char *name, const cdn_measure_ops *ops,
                                          const void *self) {
  cdni_adder a;
  cdni_measure_begin(&a, system, "cdn_system_add_custom_measure", name);
  cdn_measure_ops known;
  const char *unreadable = CDNI_READ_OPS(cdn_measure_ops, &known, ops);
  ops = &known;
  if (unreadable) cdni_adder_refuse(&a, CDN_ERR_VERSION, "%s", unreadable);
  else check_ops(&a, ops, self);
  if (!a.ok) return (cdn_measure){ -1 };

  const cdn_allocator *memory = cdni_system_allocator(system);
  custom c = { .base = { .n = ops->n, .operand = { -1 } }, .ops = *ops };
  cdn_ticket *tickets = cdni_alloc(memory, tickets_size(&c));
  c.ops.prerequisites = tickets;
  c.self = cdni_alloc(memory, ops->self_size);
  if ((!tickets && ops->n_prerequisites > 0) || (!c.self && ops->self_size > 0)) {
    cdni_adder_refuse(&a, CDN_ERR_NOMEM, "out of memory");
  } else {
    if (tickets) memcpy(tickets, ops->prerequisites, tickets_size(&c));
    if (c.self) memcpy(c.self, self, ops->self_size);
  }
  cdn_measure id = cdni_measure_add(&a, &custom_kind, &c.base);
  if (id.i < 0) give_back(memory, &c);
  return id;
}
