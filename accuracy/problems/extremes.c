/* Motions in units that do not suit them, masses that differ by far, quaternions in a tree, a digital controller. */
#include "extremes.h"

static const cdn_vec3 o = { 0, 0, 0 }, z = { 0, 0, 1 };

static cdn_body add_point(cdn_system *system, const char *name, cdn_mobilizer kind, double mass) {
  return add_mobile(system, name, cdn_ground(), kind, point_mass(mass, o));
}

/* ---- an atom on a bond, in SI: 1e-26 kg, 100 N/m, 1e-11 m, 10 periods of 6.3e-14 s ---- */

static const double atom = 1e-26, bond = 100, stretch = 1e-11;

static void molecule_exact(const problem *p, double t, double *y) {
  const long double w = sqrtl((long double)bond / atom);
  (void)p;
  y[0] = (double)(stretch * cosl(w * t)), y[1] = (double)(-stretch * w * sinl(w * t));
}

static cdn_state *start_molecule(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_mobility_spring(system, "bond", add_point(system, "atom", CDN_SLIDER, atom), 0, bond, 0);
  cdn_state *state = state_of(system);
  (void)p;
  MUST(state, cdn_state_set_q(state, &stretch));
  return state;
}

const problem extreme_molecule = {
  .name = "molecule-si",
  .what = "an atom on a bond in SI units, 10 periods of 6.3e-14 s",
  .end = 6.15e-13,
  .start = start_molecule,
  .exact = molecule_exact,
};

/* ---- a satellite in metres: 7e6 m from the Earth's centre, 3 turns ---- */

static const double earth = 3.986004418e14, near = 7e6, fast = 8e3;

static void satellite_start(const problem *p, long double *x) { (void)p, x[0] = near, x[1] = x[2] = 0, x[3] = fast; }

static void satellite_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double r = hypotl(x[0], x[1]), k = -earth / (r * r * r);
  (void)self, (void)t;
  f[0] = x[2], f[1] = x[3], f[2] = k * x[0], f[3] = k * x[1];
}

static void satellite_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  y[0] = (double)x[0], y[1] = (double)x[1], y[2] = 0;
  y[3] = (double)x[2], y[4] = (double)x[3], y[5] = 0;
}

static const problem_equations satellite_equations = { 4, satellite_start, satellite_rates, satellite_unfold };

static cdn_status attract(const void *self, cdn_state *state, cdn_forces *forces) {
  const double *q = cdn_state_q(state), r = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  (void)self;
  for (int i = 0; i < 3; i++) cdn_forces_add_mobility(forces, (cdn_body){ 1 }, i, -earth * q[i] / (r * r * r));
  return CDN_OK;
}

static cdn_state *start_satellite(const problem *p) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = attract };
  cdn_system *system = cdn_system_create(NULL);
  (void)p;
  ops.subsystem.name = "Earth";
  add_point(system, "satellite", CDN_TRANSLATION, 1);
  cdn_system_add_custom_force(system, &ops, NULL);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, (double[]){ near, 0, 0 }));
  MUST(state, cdn_state_set_u(state, (double[]){ 0, fast, 0 }));
  return state;
}

const problem extreme_orbit_metres = {
  .name = "orbit-metres",
  .what = "a satellite in metres, 3 turns in 22000 s; rounding is 1e-9 m",
  .end = 22000,
  .start = start_satellite,
  .equations = &satellite_equations,
};

/* ---- a pendulum of 1 kg and 1 m, at whose end one of 1e-9 kg and 0.3 m hangs ---- */

static const double light = 1e-9, shorter = 0.3;

static void masses_start(const problem *p, long double *x) { (void)p, x[0] = 0.5L, x[1] = 0.2L, x[2] = x[3] = 0; }

static void masses_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double c = cosl(x[0] - x[1]), s = sinl(x[0] - x[1]), sum = 1 + (long double)light;
  const long double a = -light * shorter * s * x[3] * x[3] - sum * 9.81 * sinl(x[0]),
                    b = s * x[2] * x[2] - 9.81 * sinl(x[1]);
  (void)self, (void)t;
  f[0] = x[2], f[1] = x[3], f[2] = (a - light * c * b) / (sum - light * c * c), f[3] = (b - c * f[2]) / shorter;
}

static void masses_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  y[0] = (double)x[0], y[1] = (double)(x[1] - x[0]), y[2] = (double)x[2], y[3] = (double)(x[3] - x[2]);
}

static const problem_equations masses_equations = { 4, masses_start, masses_rates, masses_unfold };

static cdn_state *start_masses(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_vec3 end = cdn_v3(0, -1, 0);
  const cdn_body first = add_pin(system, "heavy", cdn_ground(), z, o, point_mass(1, end));
  add_pin(system, "light", first, z, end, point_mass(light, cdn_v3(0, -shorter, 0)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  (void)p;
  MUST(state, cdn_state_set_q(state, (double[]){ 0.5, -0.3 }));
  return state;
}

const problem extreme_masses = {
  .name = "masses-1e9",
  .what = "a double pendulum of 1 and 1e-9 kg, 10 s",
  .end = 10,
  .start = start_masses,
  .equations = &masses_equations,
};

/* ---- two links on balls and one on a pin between them, swung: quaternions in a tree ---- */

static cdn_state *start_balls(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  (void)p;
  def.mass = solid(1, cdn_v3(0, 0, -0.25), 0.02, 0.02, 0.004);
  def.name = "upper", def.mobilizer = CDN_BALL;
  def.parent = cdn_system_add_body(system, &def);
  def.name = "middle", def.mobilizer = CDN_PIN, def.X_PF = frame_z(cdn_v3(0, 1, 0.2), cdn_v3(0, 0, -0.5));
  def.X_BM = frame_z(cdn_v3(0, 1, 0.2), o);
  def.parent = cdn_system_add_body(system, &def);
  def.name = "lower", def.mobilizer = CDN_BALL, def.X_PF = frame_z(z, cdn_v3(0, 0, -0.5)), def.X_BM = frame_z(z, o);
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, (double[]){ 0.9, 0.3, -0.2, 0.1, 0.5, 0.8, -0.1, 0.4, 0.2 }));
  MUST(state, cdn_state_set_u(state, (double[]){ 0.5, -1, 2, 0.5, -1, 0.3, 1 }));
  return state;
}

const problem extreme_balls = {
  .name = "chain-balls",
  .what = "three links on balls and a pin, swung, 3 s",
  .end = 3,
  .start = start_balls,
};

/* ---- a controller that looks every 0.1 s: the force is -20 q - 6 u of that moment ---- */

static const double period = 0.1;

static void digital_exact(const problem *p, double t, double *y) {
  long double q = 1, u = 0, now = 0;
  (void)p;
  for (int n = 0;; n++) {
    const long double f = -20 * q - 6 * u, next = (long double)period * (n + 1), h = next < t ? next - now : t - now;
    q += u * h + f * h * h / 2, u += f * h, now = next;
    if (next >= t) break;
  }
  y[0] = (double)q, y[1] = (double)u;
}

static int samples(const problem *p, double *t, int most) {
  int n = 0;
  while (n < most && period * (n + 1) < p->end) t[n] = period * (n + 1), n++;
  return n;
}

static cdn_status control(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const cdn_force *force = self;
  (void)what, (void)action;
  return cdn_mobility_force_set(state, *force, -20 * cdn_state_q(state)[0] - 6 * cdn_state_u(state)[0]);
}

static cdn_state *start_digital(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_event_def event = cdn_default_event_def();
  const cdn_force force =
      cdn_system_add_mobility_force(system, "motor", add_point(system, "mass", CDN_SLIDER, 1), 0, 0);
  event.name = "controller", event.kind = CDN_EVENT_PERIODIC, event.period = period;
  event.handle = control, event.self = &force, event.self_size = sizeof force;
  cdn_system_add_event(system, &event);
  cdn_state *state = state_of(system);
  (void)p;
  MUST(state, cdn_state_set_q(state, (double[]){ 1 }));
  return state;
}

const problem extreme_digital = {
  .name = "digital",
  .what = "a mass that a digital controller holds, 100 samples, 10 s",
  .end = 9.95,
  .start = start_digital,
  .exact = digital_exact,
  .events = samples,
};
