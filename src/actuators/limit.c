/* A bound on the sum of what several actuators do on one mobility. */
#include "actuators/internal.h"

typedef struct limit {
  cdn_body body;
  int k, n;
  cdn_force *actuators; /* ours */
  cdn_allocator memory;
  double lower, upper;
} limit;

static cdn_status sum_of(const limit *l, cdn_state *state, double *sum) {
  const cdn_system *system = cdn_state_system(state);
  const size_t bytes = (size_t)cdn_system_nu(system) * sizeof(double);
  double *moments = cdn_work_push(state, bytes);
  if (!moments) return CDN_ERR_NOMEM;
  cdn_status status = CDN_OK;
  for (int i = 0; i < l->n && status == CDN_OK; i++) {
    actuator_look x;
    if (!cdn_force_is_enabled(state, l->actuators[i])) continue;
    memset(moments, 0, bytes);
    status = cdni_actuator_look(state, "cdn_realize", l->actuators[i], true, &x);
    if (status == CDN_OK) status = cdni_actuator_add_moments(&x, state, moments);
    if (status == CDN_OK) *sum += x.action.p * moments[cdn_body_first_u(system, l->body) + l->k];
  }
  cdn_work_pop(state, moments);
  return status;
}

/* What transmissions read, and the controls, which have tickets as soon as they are there: those of all are named. */
static int more_prerequisites(const void *self, const cdn_system *system, cdn_ticket *tickets) {
  const limit *l = self;
  int n = 0;
  for (int i = 0; i < l->n; i++) {
    const drive *a = cdni_drive_of(system, l->actuators[i]);
    const transmission *t = a ? cdni_transmission(a) : NULL;
    const cdn_ticket more = t && t->reads ? t->reads(system) : (cdn_ticket){ 0 };
    bool is_new = more.i != 0;
    for (int k = 0; k < n; k++) is_new = is_new && tickets[k].i != more.i;
    if (is_new) tickets[n++] = more;
  }
  return n; /* of paths and of contacts: two at most */
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const limit *l = self;
  double sum = 0;
  CDNI_TRY(sum_of(l, state, &sum));
  const double missing = drive_within(sum, l->lower, l->upper) - sum;
  if (missing != 0) cdn_forces_add_mobility(forces, l->body, l->k, missing);
  return CDN_OK;
}

/* How far the sum is from the nearer bound. */
static cdn_status calc_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  const limit *l = self;
  double sum = 0;
  (void)rates;
  CDNI_TRY(sum_of(l, state, &sum));
  values[0] = fmin(sum - l->lower, l->upper - sum);
  return CDN_OK;
}

static void destroy(void *self) {
  limit *l = self;
  cdni_free(&l->memory, l->actuators, (size_t)l->n * sizeof *l->actuators);
}

static cdn_force add(cdn_system *system, const char *name, const limit *l, const cdn_ticket *controls) {
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = name, .self_size = sizeof *l, .destroy = destroy },
    .struct_size = sizeof ops,
    .reads = CDN_READS_EVERYTHING,
    .calc_force = calc_force,
    .prerequisites = controls,
    .n_prerequisites = l->n,
    .n_kinks = 1,
    .calc_kinks = calc_kinks,
    .more_prerequisites = more_prerequisites,
  };
  return cdn_system_add_custom_force(system, &ops, l);
}

static cdn_force refuse(cdn_system *system, cdn_status code, const char *name, const char *wrong) {
  cdni_system_fail(system, code, "cdn_system_limit_drives", name, "limit '%.60s': %s", name ? name : "", wrong);
  return (cdn_force){ -1 };
}

static const char *complaint(const cdn_system *system, cdn_body body, int k, int n, const cdn_force *actuators,
                             double lower, double upper) {
  if (body.i < 0 || body.i >= cdn_system_body_count(system)) return "there is no such body";
  if (k < 0 || k >= cdn_body_nu(system, body)) return "its body has no such mobility";
  if (n < 1 || !actuators) return "it needs at least one actuator";
  if (!(lower < upper)) return "the lower limit must be below the upper one";
  for (int i = 0; i < n; i++)
    if (!cdni_drive_of(system, actuators[i]) && !cdni_force_is_actuator(system, actuators[i]))
      return "one of its forces is no actuator";
  return NULL;
}

cdn_force cdn_system_limit_drives(cdn_system *system, const char *name, cdn_body body, int k, int n,
                                  const cdn_force *actuators, double lower, double upper) {
  CDNI_NEED_OBJECT(system, (cdn_force){ -1 });
  const char *wrong = complaint(system, body, k, n, actuators, lower, upper);
  if (wrong) return refuse(system, CDN_ERR_ARG, name, wrong);
  limit l = { .body = body, .k = k, .n = n, .memory = *cdni_system_allocator(system), .lower = lower, .upper = upper };
  const size_t bytes = (size_t)n * sizeof *actuators;
  l.actuators = cdni_alloc(&l.memory, bytes);
  cdn_ticket *controls = cdni_alloc(&l.memory, (size_t)n * sizeof *controls);
  cdn_force made = { -1 };
  if (l.actuators && controls) {
    memcpy(l.actuators, actuators, bytes);
    for (int i = 0; i < n; i++) {
      const drive *a = cdni_drive_of(system, actuators[i]);
      controls[i] = cdn_control_ticket(system, a ? a->def.control : cdni_force_actuator_control(system, actuators[i]));
    }
    made = add(system, name, &l, controls);
  } else made = refuse(system, CDN_ERR_NOMEM, name, "out of memory");
  cdni_free(&l.memory, controls, (size_t)n * sizeof *controls);
  if (made.i < 0) cdni_free(&l.memory, l.actuators, bytes);
  return made;
}
