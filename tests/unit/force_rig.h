/* Systems for the tests of forces, and their results in one call. */
#ifndef CARDAN_TESTS_FORCE_RIG_H
#define CARDAN_TESTS_FORCE_RIG_H

#include "../testing.h"

/* One body on each kind of mobilizer, with frames that are nowhere the identity. */
typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body pin, slider, ball, free;
} rig;

static inline cdn_vec3 v(double x, double y, double z) { return cdn_v3(x, y, z); }
static const cdn_body ground = { 0 };

static inline cdn_body add_body(cdn_system *system, const char *name, cdn_body parent, cdn_mobilizer kind) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name;
  def.parent = parent;
  def.mobilizer = kind;
  def.X_PF = (cdn_transform){ cdn_rotation_axis_angle(v(1, 2, -1), 0.7), v(0.3, -0.2, 0.5) };
  def.X_BM = (cdn_transform){ cdn_rotation_axis_angle(v(-1, 1, 3), -1.1), v(-0.1, 0.4, 0.2) };
  def.mass = (cdn_mass_properties){ 2, v(0.1, -0.3, 0.2), { 0.5, 0.6, 0.7, 0.01, -0.02, 0.03 } };
  return cdn_system_add_body(system, &def);
}

static inline rig make_rig(void) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  rig r = { .system = cdn_system_create(&def) };
  r.pin = add_body(r.system, "arm", ground, CDN_PIN);
  r.slider = add_body(r.system, "rod", r.pin, CDN_SLIDER);
  r.ball = add_body(r.system, "head", ground, CDN_BALL);
  r.free = add_body(r.system, "box", ground, CDN_FREE);
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

/* A body on a free mobilizer whose M frame is its own and whose F frame is Ground: q is its place. */
static inline rig make_floater(void) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  rig r = { .system = cdn_system_create(&def) };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE;
  body.mass = (cdn_mass_properties){ 3, v(0, 0, 0), { 1, 1, 1, 0, 0, 0 } };
  r.free = cdn_system_add_body(r.system, &body);
  return r;
}

static inline double mobility_force(const rig *r, int u) {
  double f[16];
  OK_ON(r->state, cdn_applied_forces(r->state, NULL, f));
  return f[u];
}

static inline cdn_spatial body_force(const rig *r, cdn_body body) {
  cdn_spatial F[8];
  OK_ON(r->state, cdn_applied_forces(r->state, F, NULL));
  return F[body.i];
}

static inline double potential(const rig *r) {
  double energy;
  OK_ON(r->state, cdn_potential_energy(r->state, &energy));
  return energy;
}

static inline double power(const rig *r) {
  double value;
  OK_ON(r->state, cdn_nonpotential_power(r->state, &value));
  return value;
}

static inline void near3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

static inline void set_q(const rig *r, cdn_body body, double q) {
  OK_ON(r->state, cdn_body_set_q(r->state, body, 1, &q));
}
static inline void set_u(const rig *r, cdn_body body, double u) {
  OK_ON(r->state, cdn_body_set_u(r->state, body, 1, &u));
}

#endif
