/* Forces with kinks and jumps that no event announces. */
#include "kinks.h"

static const cdn_vec3 o = { 0, 0, 0 };
static const long double half_turn = 3.141592653589793238462643383279502884L;

static cdn_state *start_mass(cdn_system *system, double q, double u) {
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, &q));
  MUST(state, cdn_state_set_u(state, &u));
  return state;
}

static cdn_body add_mass(cdn_system *system) {
  return add_mobile(system, "mass", cdn_ground(), CDN_SLIDER, point_mass(1, o));
}

/* ---- to and fro between elastic stops at 0 and 1; x = { stiffness, speed } ---- */

static void stops_exact(const problem *p, double t, double *y) {
  const long double w = sqrtl(p->x[0]), v = p->x[1], flight = 1 / v, contact = half_turn / w, lap = flight + contact;
  /* as if it had left the lower stop at -flight / 2; laps end where a stop is left */
  const long double since = t + flight / 2, n = floorl(since / lap), in = since - n * lap;
  const bool back = fmodl(n, 2) > 0.5L;
  long double q, u;
  if (in < flight) q = v * in, u = v;
  else q = 1 + v / w * sinl(w * (in - flight)), u = v * cosl(w * (in - flight));
  y[0] = (double)(back ? 1 - q : q), y[1] = (double)(back ? -u : u);
}

static cdn_state *start_stops(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_mobility_stop(system, "stops", add_mass(system), 0, 0, 1, p->x[0], 0);
  return start_mass(system, 0.5, p->x[1]);
}

const problem kink_stops = {
  .name = "stops",
  .what = "a mass to and fro between elastic stops, 19 contacts, 10 s",
  .end = 10,
  .start = start_stops,
  .x = { 1e4, 2 },
  .exact = stops_exact,
};
const problem kink_stops_hard = {
  .name = "stops-hard",
  .what = "the same, a hundred times stiffer",
  .end = 10,
  .start = start_stops,
  .x = { 1e6, 2 },
  .exact = stops_exact,
};

/* ---- a spring that is softer one way than the other ---- */

static void bilinear_exact(const problem *p, double t, double *y) {
  const long double w[2] = { sqrtl(p->x[0]), sqrtl(p->x[1]) };
  /* from the softer side's outermost point; a period begins where the softer side is entered */
  const long double soft = half_turn / w[0], hard = half_turn / w[1], period = soft + hard;
  const long double since = t + soft / 2, in = since - floorl(since / period) * period;
  if (in < soft) y[0] = (double)sinl(w[0] * in), y[1] = (double)(w[0] * cosl(w[0] * in));
  else y[0] = (double)(-w[0] / w[1] * sinl(w[1] * (in - soft))), y[1] = (double)(-w[0] * cosl(w[1] * (in - soft)));
}

static cdn_status bilinear_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const double q = cdn_state_q(state)[0], *k = self;
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, -(q > 0 ? k[0] : k[1]) * q);
  return CDN_OK;
}

static cdn_state *start_bilinear(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = bilinear_force };
  ops.subsystem.name = "spring", ops.subsystem.self_size = 2 * sizeof(double);
  add_mass(system);
  cdn_system_add_custom_force(system, &ops, p->x);
  return start_mass(system, 1, 0);
}

const problem kink_bilinear = {
  .name = "bilinear",
  .what = "a custom spring, 25 times stiffer one way, 26 periods, 100 s",
  .end = 100,
  .start = start_bilinear,
  .x = { 1, 25 },
  .exact = bilinear_exact,
};

/* ---- dry friction, a custom force that jumps with the sign of the speed: each swing is shorter by 2 f / k ---- */

static void coulomb_exact(const problem *p, double t, double *y) {
  const int n = (int)floorl(t / half_turn);
  const long double sign = n % 2 ? -1 : 1, amplitude = p->x[0] - 2 * n, in = t - n * half_turn;
  y[0] = (double)(sign * (1 + (amplitude - 1) * cosl(in))), y[1] = (double)(-sign * (amplitude - 1) * sinl(in));
}

static cdn_status coulomb_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const double u = cdn_state_u(state)[0];
  (void)self;
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, u > 0 ? -1 : u < 0 ? 1 : 0);
  return CDN_OK;
}

static cdn_state *start_coulomb(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_VELOCITY, .calc_force = coulomb_force };
  ops.subsystem.name = "friction";
  cdn_system_add_mobility_spring(system, "spring", add_mass(system), 0, 1, 0);
  cdn_system_add_custom_force(system, &ops, NULL);
  return start_mass(system, p->x[0], 0);
}

const problem kink_coulomb = {
  .name = "coulomb",
  .what = "a mass on a spring with dry friction, a custom force that jumps, 5 swings",
  .end = 15,
  .start = start_coulomb,
  .x = { 12.3 },
  .exact = coulomb_exact,
};

/* ---- a pendulum that falls on a stop with dissipation ---- */

static cdn_state *start_pendulum_stop(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body bob = add_pin(system, "pendulum", cdn_ground(), cdn_v3(0, 0, 1), o, point_mass(1, cdn_v3(0, -1, 0)));
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_system_add_mobility_stop(system, "stop", bob, 0, -0.3, INFINITY, 5e3, 0.1);
  return start_mass(system, 1, 0);
}

const problem kink_pendulum_stop = {
  .name = "pendulum-stop",
  .what = "a pendulum that falls on a stop with dissipation, 10 s",
  .end = 10,
  .start = start_pendulum_stop,
};
