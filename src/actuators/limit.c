/* Bounds on the sum of what several actuators do: on one mobility, compensations of gravity with them, or along one
 * path. */
#include <cardan/operators.h>

#include "actuators/internal.h"

typedef struct limit {
  cdn_body body; /* of the mobility; path.i >= 0: of none */
  int k;
  cdn_path path;
  int n;
  cdn_force *actuators; /* ours */
  cdn_allocator memory;
  double lower, upper;
} limit;

/* Of the actuators that are on: the sum that is bounded, and the force along what is bounded. Both are the same on a
 * mobility; along a path the first is the sum of p, and the second has the gears. */
typedef struct sums {
  double bounded, force;
} sums;

/* The generalized forces of a compensation. */
static cdn_status compensation_on(cdn_state *state, cdn_force force, double *f) {
  cdn_body body;
  cdn_vec3 p_B, f_G;
  CDNI_TRY(cdni_compensation_at(state, force, &body, &p_B, &f_G));
  return cdn_multiply_by_station_J_transpose(state, 1, &body, &p_B, &f_G, f);
}

static cdn_status add_one(const limit *l, cdn_state *state, cdn_force force, double *moments, size_t bytes, sums *to) {
  const cdn_system *system = cdn_state_system(state);
  const int at = l->path.i >= 0 ? 0 : cdn_body_first_u(system, l->body) + l->k;
  actuator_look x;
  memset(moments, 0, bytes);
  if (cdni_force_is_compensation(system, force)) {
    CDNI_TRY(compensation_on(state, force, moments));
    to->force = to->bounded += moments[at];
    return CDN_OK;
  }
  CDNI_TRY(cdni_actuator_look(state, "cdn_realize", force, true, &x));
  const double p = x.action.p;
  if (l->path.i >= 0) {
    to->bounded += p;
    to->force += p * x.drive->def.gear[0];
    return CDN_OK;
  }
  CDNI_TRY(cdni_actuator_add_moments(&x, state, moments));
  to->force = to->bounded += p * moments[at];
  return CDN_OK;
}

static cdn_status sum_up(const limit *l, cdn_state *state, sums *out) {
  const size_t bytes = (size_t)cdn_system_nu(cdn_state_system(state)) * sizeof(double);
  double *moments = cdn_work_push(state, bytes);
  if (!moments) return CDN_ERR_NOMEM;
  cdn_status status = CDN_OK;
  *out = (sums){ 0, 0 };
  for (int i = 0; i < l->n && status == CDN_OK; i++)
    if (cdn_force_is_enabled(state, l->actuators[i])) status = add_one(l, state, l->actuators[i], moments, bytes, out);
  cdn_work_pop(state, moments);
  return status;
}

/* The force is smaller by as much as the bounded sum is. */
static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const limit *l = self;
  sums sum;
  CDNI_TRY(sum_up(l, state, &sum));
  const double within = drive_within(sum.bounded, l->lower, l->upper);
  if (within == sum.bounded) return CDN_OK;
  if (l->path.i < 0) cdn_forces_add_mobility(forces, l->body, l->k, within - sum.bounded);
  else if (sum.bounded != 0) cdn_forces_add_path(forces, l->path, (1 - within / sum.bounded) * sum.force);
  return CDN_OK;
}

/* How far the sum is from the nearer bound. */
static cdn_status calc_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  const limit *l = self;
  sums sum;
  (void)rates;
  CDNI_TRY(sum_up(l, state, &sum));
  values[0] = fmin(sum.bounded - l->lower, l->upper - sum.bounded);
  return CDN_OK;
}

/* What transmissions read. */
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

static void destroy(void *self) {
  limit *l = self;
  cdni_free(&l->memory, l->actuators, (size_t)l->n * sizeof *l->actuators);
}

/* ---- adding ---- */

static cdn_force refuse(cdn_system *system, cdn_status code, const char *function, const char *name,
                        const char *wrong) {
  cdni_system_fail(system, code, function, name, "limit '%.60s': %s", name ? name : "", wrong);
  return (cdn_force){ -1 };
}

static const char *complaint(const cdn_system *system, const limit *l, const cdn_force *actuators) {
  const bool along = l->path.i >= 0;
  if (!along && (l->body.i < 0 || l->body.i >= cdn_system_body_count(system))) return "there is no such body";
  if (!along && (l->k < 0 || l->k >= cdn_body_nu(system, l->body))) return "its body has no such mobility";
  if (l->n < 1 || !actuators) return "it needs at least one actuator";
  if (!(l->lower < l->upper)) return "the lower limit must be below the upper one";
  for (int i = 0; i < l->n; i++) {
    const drive *a = cdni_drive_of(system, actuators[i]);
    const bool compensates = !along && cdni_force_is_compensation(system, actuators[i]);
    if (!a && !compensates && !cdni_force_is_actuator(system, actuators[i]))
      return "one of its forces is no actuator, nor a compensation of gravity on a mobility";
    if (along && (!a || a->def.on != CDN_ON_PATH || a->def.path.i != l->path.i))
      return "one of its actuators does not act on the path";
  }
  return NULL;
}

static cdn_force add_with(cdn_system *system, const char *name, const limit *l, int n, const cdn_ticket *controls) {
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = name, .self_size = sizeof *l, .destroy = destroy },
    .struct_size = sizeof ops,
    .reads = CDN_READS_EVERYTHING,
    .calc_force = calc_force,
    .prerequisites = controls,
    .n_prerequisites = n,
    .n_kinks = 1,
    .calc_kinks = calc_kinks,
    .more_prerequisites = more_prerequisites,
  };
  return cdn_system_add_custom_force(system, &ops, l);
}

static cdn_force add(cdn_system *system, const char *function, const char *name, limit l, const cdn_force *actuators) {
  const char *wrong = complaint(system, &l, actuators);
  if (wrong) return refuse(system, CDN_ERR_ARG, function, name, wrong);
  l.memory = *cdni_system_allocator(system);
  const size_t bytes = (size_t)l.n * sizeof *actuators, of_controls = (size_t)l.n * sizeof(cdn_ticket);
  l.actuators = cdni_alloc(&l.memory, bytes);
  cdn_ticket *controls = cdni_alloc(&l.memory, of_controls);
  cdn_force made = { -1 };
  if (l.actuators && controls) {
    memcpy(l.actuators, actuators, bytes);
    int read = 0;
    for (int i = 0; i < l.n; i++) {
      const drive *a = cdni_drive_of(system, actuators[i]);
      if (!cdni_force_is_compensation(system, actuators[i]))
        controls[read++] =
            cdn_control_ticket(system, a ? a->def.control : cdni_force_actuator_control(system, actuators[i]));
    }
    made = add_with(system, name, &l, read, controls);
  } else made = refuse(system, CDN_ERR_NOMEM, function, name, "out of memory");
  cdni_free(&l.memory, controls, of_controls);
  if (made.i < 0) cdni_free(&l.memory, l.actuators, bytes);
  return made;
}

cdn_force cdn_system_limit_drives(cdn_system *system, const char *name, cdn_body body, int k, int n,
                                  const cdn_force *actuators, double lower, double upper) {
  CDNI_NEED_OBJECT(system, (cdn_force){ -1 });
  const limit l = { .body = body, .k = k, .path = { -1 }, .n = n, .lower = lower, .upper = upper };
  return add(system, __func__, name, l, actuators);
}

cdn_force cdn_system_limit_drives_along(cdn_system *system, const char *name, cdn_path path, int n,
                                        const cdn_force *actuators, double lower, double upper) {
  CDNI_NEED_OBJECT(system, (cdn_force){ -1 });
  const limit l = { .path = path, .n = n, .lower = lower, .upper = upper };
  if (path.i < 0 || path.i >= cdn_system_path_count(system))
    return refuse(system, CDN_ERR_ARG, __func__, name, "there is no such path: add it before");
  return add(system, __func__, name, l, actuators);
}
