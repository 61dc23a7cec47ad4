/* A custom force that does as a test tells it, and Systems for it. */
#ifndef CARDAN_TESTS_FORCE_PROBE_H
#define CARDAN_TESTS_FORCE_PROBE_H

#include "../testing.h"

static const cdn_body ground = { 0 };

/* A force that does as it is told and counts its calls; `says` is outside the System, so that a test can change it. */
typedef struct says {
  int calls, potentials;
  cdn_body body;
  int mobility;
  double force;
  cdn_status status;
  bool message, reads_u, reads_z;
} says;

typedef struct probe {
  says *say;
  cdn_body pin;
  cdn_zvar z;
  cdn_dvar gain;
  cdn_cache twice;
  int what; /* which of z, parameter and cache entry it declares: bits */
} probe;

static inline cdn_status calc_twice(const void *self, cdn_state *state, void *out) {
  const probe *p = self;
  *(double *)out = 2 * *cdn_state_parameters(state, p->gain);
  return CDN_OK;
}

static inline cdn_status declare(void *self, cdn_declarer *d) {
  probe *p = self;
  if (p->what & 1) p->z = cdn_declare_z(d, 1, (double[]){ 0.5 });
  if (p->what & 2) p->gain = cdn_declare_parameters(d, "gain", 1, (double[]){ 3 });
  if (p->what & 4) p->twice = cdn_declare_cache(d, "twice", sizeof(double), calc_twice, 1, &p->gain.ticket);
  return CDN_OK;
}

static inline cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  zdot[0] = 0;
  return CDN_OK;
}

static inline cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const probe *p = self;
  double force = p->say->force;
  p->say->calls++;
  if (p->say->reads_u) force += *cdn_body_u(state, p->pin);
  if (p->say->reads_z) force += *cdn_state_z(state);
  if (p->what & 1) force += *cdn_state_zvar(state, p->z);
  if (p->what & 2) force += *cdn_state_parameters(state, p->gain);
  if (p->what & 4) {
    const double *twice = cdn_eval(state, p->twice);
    if (!twice) return CDN_ERR_CALLBACK;
    force += *twice;
  }
  cdn_forces_add_mobility(forces, p->say->body, p->say->mobility, force);
  if (p->say->message) return cdn_state_fail(state, p->say->status, true, NULL, "the probe was told to fail");
  return p->say->status;
}

static inline cdn_status calc_potential(const void *self, cdn_state *state, double *energy) {
  const probe *p = self;
  p->say->potentials++;
  *energy = -p->say->force * *cdn_body_q(state, p->pin);
  return p->say->status;
}

static inline cdn_force_ops probe_ops(const char *name, cdn_force_reads reads) {
  return (cdn_force_ops){
    .subsystem = { .name = name, .self_size = sizeof(probe), .declare = declare, .calc_zdot = calc_zdot },
    .struct_size = sizeof(cdn_force_ops),
    .reads = reads,
    .calc_force = calc_force,
  };
}

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body pin, ball;
} rig;

static inline rig make_rig(void) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  rig r = { .system = cdn_system_create(&def) };
  cdn_body_def body = cdn_default_body_def();
  body.name = "arm";
  body.mobilizer = CDN_PIN;
  body.X_BM.p = cdn_v3(0, 1, 0);
  body.mass = (cdn_mass_properties){ 1, cdn_v3(0, 0, 0), { 1, 1, 1, 0, 0, 0 } };
  r.pin = cdn_system_add_body(r.system, &body);
  body.name = "head";
  body.mobilizer = CDN_BALL;
  r.ball = cdn_system_add_body(r.system, &body);
  return r;
}

static inline void start(rig *r) {
  OK_FREEZE(r->system);
  OK(cdn_state_create(r->system, &r->state));
}

static inline void stop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

static inline says plain(const rig *r) { return (says){ .body = r->pin, .force = 1 }; }
static inline void realize(const rig *r) { OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_ACCELERATION)); }

/* Adds the probe `say` with what it declares. */
static inline cdn_force add(const rig *r, cdn_force_ops ops, says *say, int what) {
  return cdn_system_add_custom_force(r->system, &ops, &(probe){ .say = say, .pin = r->pin, .what = what });
}

static inline double pin_force(const rig *r) {
  double f[4];
  OK_ON(r->state, cdn_applied_forces(r->state, NULL, f));
  return f[0];
}

#endif
