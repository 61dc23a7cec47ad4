/* A System with something of everything that a checkpoint has to hold, and a log of what occurs in its runs. */
#ifndef CARDAN_TESTS_CHECKPOINT_RIG_H
#define CARDAN_TESTS_CHECKPOINT_RIG_H

#include "../testing.h"

/* z with memories that move on at every step (their updates follow from the updates before, so that they cannot be
 * computed again), one of them of varying length, and a random stream kept in a discrete variable. */
typedef struct drift {
  cdn_zvar z;
  cdn_autovar memory;
  cdn_auto_region trail;
  cdn_computed_region sorted;
  cdn_dvar table;
  cdn_dvar stream;
} drift;

static cdn_status drift_update(const void *self, cdn_state *state, void *out) {
  const drift *d = self;
  double last = *(const double *)cdn_state_discrete(state, d->memory.variable), z = *cdn_state_zvar(state, d->z);
  *(double *)out = 0.75 * last + 0.25 * sin(z);
  return CDN_OK;
}

/* One number more at each step, and no more than ten. */
static cdn_status drift_trail(const void *self, cdn_state *state, cdn_region_output *out) {
  const drift *d = self;
  const float *before;
  int n;
  void *to;
  cdn_status status = cdn_region_get(state, d->trail.variable, (const void **)&before, &n);
  if (status != CDN_OK) return status;
  const int kept = n < 10 ? n : 1;
  status = cdn_region_output_add(out, kept + 1, &to);
  if (status != CDN_OK) return status;
  if (kept > 0) memcpy((float *)to + 1, before, (size_t)kept * sizeof *before);
  *(float *)to = (float)*cdn_state_zvar(state, d->z);
  return CDN_OK;
}

/* Those above zero. */
static cdn_status drift_sorted(const void *self, cdn_state *state, cdn_region_output *out) {
  const drift *d = self;
  const float *trail;
  int n;
  void *to;
  cdn_status status = cdn_region_eval(state, d->trail.update, (const void **)&trail, &n);
  for (int i = 0; status == CDN_OK && i < n; i++) {
    if (trail[i] <= 0) continue;
    status = cdn_region_output_add(out, 1, &to);
    if (status == CDN_OK) *(float *)to = trail[i];
  }
  return status;
}

static cdn_status drift_declare(void *self, cdn_declarer *declarer) {
  drift *d = self;
  double start = 0.5;
  uint32_t seed = 1;
  d->z = cdn_declare_z(declarer, 1, &start);
  cdn_ticket on[] = { d->z.ticket };
  d->memory = cdn_declare_auto_update(declarer, "memory", sizeof start, &start, drift_update, 1, on);
  d->trail = cdn_declare_auto_region(declarer, "trail", sizeof(float), 0, NULL, drift_trail, 1, on);
  d->sorted = cdn_declare_computed_region(declarer, "sorted", sizeof(float), drift_sorted, 1, &d->trail.update.ticket,
                                          CDN_STAGE_EMPTY);
  d->table = cdn_declare_shared_parameters(declarer, "table", 3, (const double[]){ 1e-9, 2e-9, 3e-9 });
  d->stream = cdn_declare_discrete(declarer, "stream", sizeof seed, &seed, CDN_STAGE_REPORT);
  cdn_declare_previous(declarer);
  return CDN_OK;
}

static cdn_status drift_zdot(const void *self, cdn_state *state, double *zdot) {
  const drift *d = self;
  const double *update = cdn_eval(state, d->memory.update);
  if (!update) return CDN_ERR_CALLBACK;
  const float *sorted;
  int n;
  if (cdn_region_eval(state, d->sorted, (const void **)&sorted, &n) != CDN_OK) return CDN_ERR_CALLBACK;
  zdot[0] = cos(3 * cdn_state_time(state)) - 0.2 * *cdn_state_zvar(state, d->z) * *update;
  for (int i = 0; i < n; i++) zdot[0] -= cdn_state_parameters(state, d->table)[i % 3] * (double)sorted[i];
  return CDN_OK;
}

/* What has occurred in a run, as one number. */
typedef struct rig_log {
  int n;
  uint64_t hash;
} rig_log;

static inline void absorb(uint64_t *hash, const void *bytes, size_t n) { /* FNV-1a */
  for (size_t i = 0; i < n; i++) *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
}

enum { RIG_MEASURES = 6 };

/* What the callbacks of events get: the same for all of them. */
typedef struct rig {
  cdn_body torso, arm, fan;
  cdn_force damper;
  cdn_measure measures[RIG_MEASURES];
  drift drift; /* known once the System is frozen */
} rig;

static inline cdn_status rig_note(cdn_state *state, const cdn_occurrence *what) {
  rig_log *log = what->user;
  const double *zdot = cdn_state_zdot(state);
  if (!zdot) return CDN_ERR_CALLBACK;
  log->n++;
  absorb(&log->hash, &what->event, sizeof what->event);
  absorb(&log->hash, &what->time, sizeof what->time);
  absorb(&log->hash, &what->earliest, sizeof what->earliest);
  absorb(&log->hash, &what->count, sizeof what->count);
  absorb(&log->hash, zdot, sizeof *zdot);
  return CDN_OK;
}

static inline cdn_status rig_report(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self;
  return rig_note(state, what);
}

/* A kick of random size. */
static inline cdn_status rig_kick(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const rig *r = *(const rig *const *)self;
  uint32_t stream = *(const uint32_t *)cdn_state_discrete(state, r->drift.stream) * 1664525u + 1013904223u;
  double u = *cdn_body_u(state, r->arm) + ldexp(stream, -33) - 0.25;
  (void)action;
  cdn_status status = rig_note(state, what);
  if (status == CDN_OK) status = cdn_state_set_discrete(state, r->drift.stream, &stream);
  return status == CDN_OK ? cdn_body_set_u(state, r->arm, 1, &u) : status;
}

/* A parameter that changes, and a fan that is held now and then. */
static inline cdn_status rig_retune(const void *self, cdn_state *state, const cdn_occurrence *what,
                                    cdn_action *action) {
  const rig *r = *(const rig *const *)self;
  (void)action;
  cdn_status status = rig_note(state, what);
  if (status == CDN_OK) status = cdn_mobility_damper_set(state, r->damper, 0.1 + 0.1 * (double)(what->count % 3));
  if (status != CDN_OK) return status;
  return what->count % 2 ? cdn_body_lock(state, r->fan, CDN_LEVEL_POSITION) : cdn_body_unlock(state, r->fan);
}

static inline cdn_status rig_arm_angle(const void *self, cdn_state *state, double *value) {
  *value = sin(*cdn_body_q(state, (*(const rig *const *)self)->arm));
  return CDN_OK;
}

/* Several times a step, and where depends on what the memory held during it. */
static inline cdn_status rig_ripple(const void *self, cdn_state *state, double *value) {
  const drift *d = &(*(const rig *const *)self)->drift;
  *value = sin(300 * cdn_state_time(state) + *(const double *)cdn_state_discrete(state, d->memory.variable));
  return CDN_OK;
}

static inline cdn_status rig_next_time(const void *self, cdn_state *state, double after, double *time) {
  (void)self, (void)state;
  *time = after + 0.0731;
  return CDN_OK;
}

static inline void rig_events(cdn_system *system, rig *r) {
  static const double times[] = { 0.2, 0.21, 0.5, 1.1 };
  const rig *shared = r;
  cdn_event_def def = cdn_default_event_def();
  def.self = &shared, def.self_size = sizeof shared;
  def.name = "swing", def.value = rig_arm_angle, def.handle = rig_kick;
  cdn_system_add_event(system, &def);
  def.name = "ripple", def.value = rig_ripple, def.handle = NULL, def.report = rig_report, def.samples = 15;
  cdn_system_add_event(system, &def);
  def.value = NULL;
  def.kind = CDN_EVENT_PERIODIC, def.name = "tick", def.period = 0.037;
  cdn_system_add_event(system, &def);
  def.name = "retune", def.period = 0.23, def.handle = rig_retune;
  cdn_system_add_event(system, &def);
  def.handle = NULL;
  def.kind = CDN_EVENT_SCHEDULED, def.name = "list", def.times = times, def.n_times = 4;
  cdn_system_add_event(system, &def);
  def.name = "asked", def.times = NULL, def.n_times = 0, def.next_time = rig_next_time;
  cdn_system_add_event(system, &def);
  def.next_time = NULL;
  def.kind = CDN_EVENT_STEP, def.name = "step";
  cdn_system_add_event(system, &def);
  def.kind = CDN_EVENT_START, def.name = "start";
  cdn_system_add_event(system, &def);
  def.kind = CDN_EVENT_END, def.name = "end";
  cdn_system_add_event(system, &def);
}

/* Measures with a memory. */
static inline void rig_measures(cdn_system *system, rig *r) {
  cdn_measure angle = cdn_system_add_coordinate_measure(system, "angle", r->arm, CDN_Q, 0);
  cdn_delay_def delay = cdn_default_delay_def();
  delay.name = "earlier", delay.operand = angle, delay.delay = 0.1;
  r->measures[0] = cdn_system_add_delay_measure(system, &delay);
  r->measures[1] = cdn_system_add_integral_measure(system, "sum", angle, NULL, 1);
  r->measures[2] = cdn_system_add_extreme_measure(system, "largest", angle, CDN_MAXIMUM);
  r->measures[3] = cdn_system_add_sample_hold_measure(system, "held", angle, 0.05, 0, NULL);
  cdn_record_def record = cdn_default_record_def();
  record.name = "record", record.operand = angle, record.delay = 0.1, record.samples = 40, record.step = 0.01;
  record.interpolation = CDN_INTERPOLATE_CUBIC;
  r->measures[4] = cdn_system_add_record_measure(system, &record);
  record.name = "sampled", record.delay = 0, record.period = 0.07, record.phase = -0.02;
  r->measures[5] = cdn_system_add_record_measure(system, &record);
}

/* Builds and freezes; `r` must outlive the System. The Adams method wants no events. `allocator` may be NULL. */
static inline cdn_state *rig_state(rig *r, bool events, const cdn_allocator *allocator) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "drift",
                                         .self_size = sizeof(drift),
                                         .declare = drift_declare,
                                         .calc_zdot = drift_zdot };
  cdn_system_def system_def = cdn_default_system_def();
  if (allocator) system_def.allocator = *allocator;
  cdn_system *system = cdn_system_create(&system_def);
  cdn_body_def def = cdn_default_body_def();
  def.name = "torso", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 2, .com = { 0.1, 0, 0.2 }, .inertia = { .xx = 1, .yy = 1.2, .zz = 0.9 } };
  def.u0 = (const double[]){ 1, 2, -1, 0.1, 0.2, 5 };
  r->torso = cdn_system_add_body(system, &def);
  def.name = "arm", def.mobilizer = CDN_PIN, def.parent = r->torso, def.u0 = (const double[]){ 4 };
  def.X_PF.p = cdn_v3(0, 0, 0.7);
  def.mass = (cdn_mass_properties){ .mass = 0.5, .com = { 0.3, 0, 0 }, .inertia = { .xx = 0.1, .yy = 0.1, .zz = 0.1 } };
  r->arm = cdn_system_add_body(system, &def);
  def.name = "fan", def.X_PF.p = cdn_v3(0.2, 0, 0), def.u0 = NULL;
  r->fan = cdn_system_add_body(system, &def);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "breeze", motion.body = r->fan, motion.params[0] = 0.5, motion.params[1] = 4;
  cdn_system_add_motion(system, &motion);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_system_add_mobility_spring(system, "spring", r->arm, 0, 8, 0.1);
  r->damper = cdn_system_add_mobility_damper(system, "damper", r->arm, 0, 0.2);
  cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &(drift){ .z = { 0, { 0 } } });
  if (events) rig_events(system, r);
  if (events) rig_measures(system, r);
  cdn_state *state = NULL;
  if (cdn_system_freeze(system) == CDN_OK && cdn_state_create(system, &state) == CDN_OK) {
    r->drift = *(const drift *)cdn_subsystem_self(system, id);
  }
  cdn_system_release(system);
  return state;
}

#endif
