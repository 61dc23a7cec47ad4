/* A plain differential equation with events, and a log of what occurred. */
#ifndef CARDAN_TESTS_EVENT_RIG_H
#define CARDAN_TESTS_EVENT_RIG_H

#include "ode.h"

enum { LOG_MOST = 4096 };

/* What occurred, in order: kept by the stepper's user pointer. */
typedef struct event_log {
  int n;
  cdn_occurrence at[LOG_MOST];
  double z[LOG_MOST];
} event_log;

static inline cdn_status log_occurrence(cdn_state *state, const cdn_occurrence *what) {
  event_log *log = what->user;
  if (!log) return CDN_OK;
  ck_assert_int_lt(log->n, LOG_MOST);
  log->z[log->n] = cdn_state_z(state)[0];
  log->at[log->n++] = *what;
  return CDN_OK;
}

static inline cdn_status log_report(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self;
  ck_assert(cdn_state_time(state) == what->time);
  return log_occurrence(state, what);
}

static inline cdn_status log_handle(const void *self, cdn_state *state, const cdn_occurrence *what,
                                    cdn_action *action) {
  (void)self;
  ck_assert_int_eq(*action, CDN_CONTINUE);
  ck_assert(cdn_state_time(state) == what->time);
  return log_occurrence(state, what);
}

static inline cdn_system *event_system(const ode *equation, const cdn_allocator *allocator) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops,
    .name = "ode",
    .self_size = sizeof(ode),
    .declare = ode_declare,
    .calc_zdot = ode_zdot,
  };
  cdn_system_def def = cdn_default_system_def();
  if (allocator) def.allocator = *allocator;
  cdn_system *system = cdn_system_create(&def);
  cdn_system_add_subsystem(system, &ops, equation);
  return system;
}

/* Freezes; the State keeps the System. */
static inline cdn_state *event_state(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static inline cdn_stepper_def event_stepper_def(event_log *log, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  def.user = log;
  if (log) log->n = 0;
  return def;
}

/* zdot = 1, so that z is time. */
static inline cdn_status clock_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t, (void)z;
  zdot[0] = 1;
  return CDN_OK;
}
static const ode clock_ode = { .n = 1, .z0 = { 0 }, .rates = clock_rate };

/* z'' = -z from (0, 1): z[0] = sin t. */
static inline cdn_status swing_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[1];
  zdot[1] = -z[0];
  return CDN_OK;
}
static const ode swing_ode = { .n = 2, .z0 = { 0, 1 }, .rates = swing_rate };

/* A trigger on z[0] - *self; self may be NULL for 0. */
static inline cdn_status z_minus(const void *self, cdn_state *state, double *value) {
  *value = cdn_state_z(state)[0] - (self ? *(const double *)self : 0);
  return CDN_OK;
}

#endif
