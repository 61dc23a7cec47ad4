/* shared by tests in this folder */
/* Motions on which the errors of single steps are measured. Each has its parameters in p. */
#include "local_errors.h"
#include "mechanisms.h"
#include "motions.h"

static const cdn_vec3 o = { 0, 0, 0 }, along_z = { 0, 0, 1 };
static const cdn_body ground = { 0 };

static void set(cdn_state *state, cdn_body body, double q, double u) {
  OK_ON(state, cdn_body_set_q(state, body, 1, &q));
  OK_ON(state, cdn_body_set_u(state, body, 1, &u));
}

/* ---- tops ---- */

/* Inertias p[0 .. 2], turning at p[3] about an axis p[4 .. 6], its point p[7] below the centre of mass. */
static cdn_state *turn(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL;
  def.mass = solid(1, cdn_v3(0, 0, p[7]), p[0], p[1], p[2]);
  cdn_body body = cdn_system_add_body(system, &def);
  if (p[7] != 0) cdn_system_add_gravity(system, "gravity", cdn_v3(0.5, 0, -9.81));
  cdn_state *state = state_of(system);
  cdn_vec3 w = cdn_scale(p[3] / cdn_norm(cdn_v3(p[4], p[5], p[6])), cdn_v3(p[4], p[5], p[6]));
  OK(cdn_body_set_u(state, body, 3, (double[]){ w.x, w.y, w.z }));
  return state;
}

/* A free body thrown, likewise. */
static cdn_state *throw(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = solid(1, cdn_v3(0.1, 0, p[7]), p[0], p[1], p[2]);
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  cdn_vec3 w = cdn_scale(p[3] / cdn_norm(cdn_v3(p[4], p[5], p[6])), cdn_v3(p[4], p[5], p[6]));
  OK(cdn_body_set_u(state, body, 6, (double[]){ w.x, w.y, w.z, 3, 1, 5 }));
  return state;
}

static cdn_state *top_on_ball(const double *p) {
  (void)p;
  return make_top().state;
}

static cdn_state *middle_axis(const double *p) {
  (void)p;
  return top.start();
}

/* ---- mechanisms ---- */

/* Crank p[0], rod p[1], masses of rod p[2] and slider p[3]; the crank, of inertia 1, starts at the angle p[5] with
 * p[4]. */
static cdn_state *slider_crank(const double *p) {
  const double a = p[0], l = p[1], w = p[4], th = p[5], phi = asin(-a * sin(th) / l);
  const double rate = -a * cos(th) * w / (l * cos(phi));
  cdn_system *system = cdn_system_create(NULL);
  cdn_body crank = add_pin(system, "crank", ground, along_z, o, solid(1, o, 1, 1, 1));
  cdn_body_def def = cdn_default_body_def();
  def.name = "slider";
  def.mobilizer = CDN_SLIDER;
  def.mass = point_mass(p[3], o);
  cdn_body slider = cdn_system_add_body(system, &def);
  const double i = p[2] * l * l / 12;
  cdn_body rod = add_pin(system, "rod", slider, along_z, o, solid(p[2], cdn_v3(-l / 2, 0, 0), i / 10, i, i));
  cdn_system_constrain_ball(system, "end", crank, cdn_v3(a, 0, 0), rod, cdn_v3(-l, 0, 0));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  set(state, crank, th, w);
  set(state, slider, a * cos(th) + l * cos(phi), -a * sin(th) * w - l * sin(phi) * rate);
  set(state, rod, phi, rate);
  return state;
}

/* Links p[0], p[1], p[2] over a base p[3], the coupler of p[4] kg, the others of 1 kg; the crank starts at p[6] with
 * p[5]. */
static cdn_state *four_bar(const double *p) {
  const double a = p[0], b = p[1], c = p[2], d = p[3], m = p[4], w = p[5], alpha = p[6];
  const double x = d - a * cos(alpha), y = -a * sin(alpha), r = hypot(x, y);
  /* the coupler's angle: towards the other pivot, and up by the triangle b, r, c */
  const double beta = atan2(y, x) + acos((b * b + r * r - c * c) / (2 * b * r));
  const double gamma = atan2(a * sin(alpha) + b * sin(beta), a * cos(alpha) + b * cos(beta) - d);
  const double beta_rate = a * w * sin(gamma - alpha) / (b * sin(beta - gamma));
  const double gamma_rate = a * w * sin(beta - alpha) / (c * sin(beta - gamma));
  cdn_system *system = cdn_system_create(NULL);
#define BAR(mass, l) solid(mass, cdn_v3((l) / 2, 0, 0), 1e-3 * (mass), (mass) * (l) * (l) / 12, (mass) * (l) * (l) / 12)
  cdn_body crank = add_pin(system, "crank", ground, along_z, o, BAR(1, a));
  cdn_body coupler = add_pin(system, "coupler", crank, along_z, cdn_v3(a, 0, 0), BAR(m, b));
  cdn_body rocker = add_pin(system, "rocker", ground, along_z, cdn_v3(d, 0, 0), BAR(1, c));
#undef BAR
  cdn_system_constrain_ball(system, "end", coupler, cdn_v3(b, 0, 0), rocker, cdn_v3(c, 0, 0));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  set(state, crank, alpha, w);
  set(state, coupler, beta - alpha, beta_rate - w);
  set(state, rocker, gamma, gamma_rate);
  return state;
}

static cdn_state *squeezer(const double *p) {
  (void)p;
  return make_andrews().state;
}

static cdn_state *damped_crank(const double *p) {
  (void)p;
  return make_slider_crank().state;
}

static cdn_state *governor(const double *p) {
  (void)p;
  return make_governor().state;
}

static cdn_state *bricard(const double *p) {
  (void)p;
  return make_bricard().state;
}

static cdn_state *rod_pendulum(const double *p) {
  (void)p;
  return make_rod_pendulum().state;
}

/* ---- chains and pendulums ---- */

/* p[0] links of length p[1] and mass 1, p[2], p[2]^2, ..., level and at rest but for p[3] rad/s of the last. */
static cdn_state *chain(const double *p) {
  const int n = (int)p[0];
  const double l = p[1];
  double mass = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body parent = ground;
  for (int i = 0; i < n; i++, mass *= p[2]) {
    const double j = mass * l * l / 12;
    parent = add_pin(system, NULL, parent, along_z, i ? cdn_v3(l, 0, 0) : o,
                     solid(mass, cdn_v3(l / 2, 0, 0), j / 100, j, j));
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  OK(cdn_body_set_u(state, parent, 1, &p[3]));
  return state;
}

static cdn_state *rods(const double *p) {
  (void)p;
  return chain10.start();
}

static cdn_state *stiff_rods(const double *p) {
  (void)p;
  return oscillatory.start();
}

static cdn_state *damped_rods(const double *p) {
  (void)p;
  return springs.start();
}

static cdn_state *limp_person(const double *p) {
  (void)p;
  return humanoid.start();
}

static cdn_state *stiff_dampers(const double *p) {
  (void)p;
  return stiff.start();
}

static cdn_state *wall(const double *p) {
  (void)p;
  return bouncing.start();
}

/* ---- masses on springs ---- */

/* Frequency p[0], damping ratio p[1], from p[2] with p[3]; another of p[4] times the frequency beside it if that is not
 * zero. */
static cdn_state *oscillator(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body[2];
  for (int i = 0; i < (p[4] != 0 ? 2 : 1); i++) {
    const double w = i ? p[4] * p[0] : p[0];
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_SLIDER;
    def.mass = point_mass(1, o);
    body[i] = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, NULL, body[i], 0, w * w, 0);
    if (p[1] != 0) cdn_system_add_mobility_damper(system, NULL, body[i], 0, 2 * p[1] * w);
  }
  cdn_state *state = state_of(system);
  set(state, body[0], p[2], p[3]);
  if (p[4] != 0) set(state, body[1], p[2], 0);
  return state;
}

/* Nine masses between springs of frequency p[0] and dampers of ratio p[1], the first of them struck. */
static cdn_state *row(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body parent = ground;
  for (int i = 0; i < 9; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.parent = parent;
    def.mobilizer = CDN_SLIDER;
    def.mass = point_mass(1, o);
    parent = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, NULL, parent, 0, p[0] * p[0], 0);
    if (p[1] != 0) cdn_system_add_mobility_damper(system, NULL, parent, 0, 2 * p[1] * p[0]);
  }
  cdn_state *state = state_of(system);
  OK(cdn_state_set_u(state, (double[]){ 1, 0, 0, 0, 0, 0, 0, 0, 0 }));
  return state;
}

/* A pendulum of p[0] m at the angle p[1] with p[2] rad/s and, below it, one of p[3] m and 1 g if that is not zero. */
static cdn_state *pendulum(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body first = add_pin(system, NULL, ground, along_z, o, point_mass(1, cdn_v3(0, -p[0], 0))), second = first;
  if (p[3] != 0) {
    second = add_pin(system, NULL, first, along_z, cdn_v3(0, -p[0], 0), point_mass(1e-3, cdn_v3(0, -p[3], 0)));
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  set(state, first, p[1], p[2]);
  if (p[3] != 0) set(state, second, 1, 0);
  return state;
}

/* ---- kinks ---- */

/* A mass that falls on a stop of stiffness p[0] and dissipation p[1] from a height p[2], again and again. */
static cdn_state *stop(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass = point_mass(1, o);
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_stop(system, NULL, body, 0, 0, INFINITY, p[0], p[1]);
  cdn_system_add_gravity(system, "gravity", cdn_v3(-9.81, 0, 0));
  cdn_state *state = state_of(system);
  set(state, body, p[2], 0);
  return state;
}

/* Laws with kinks, by p[0]: a spring with play, a force that sets in at times, a spring that changes its stiffness, dry
 * friction made smooth over p[2] m/s; p[1] is a stiffness. */
typedef struct kinked {
  cdn_body body;
  double kind, k, width;
} kinked;

static cdn_status calc_kinked(const void *self, cdn_state *state, cdn_forces *forces) {
  const kinked *s = self;
  const double x = cdn_state_q(state)[0], v = cdn_state_u(state)[0], t = cdn_state_time(state);
  double f;
  if (s->kind == 0) f = -s->k * (x > 0.1 ? x - 0.1 : x < -0.1 ? x + 0.1 : 0);
  else if (s->kind == 1) f = -s->k * x + (fmod(t, 1) < 0.37 ? 5 * fmod(t, 1) : 0);
  else if (s->kind == 2) f = -s->k * x * (x > 0 ? 1 : 3);
  else f = -s->k * x - fmax(-1, fmin(1, v / s->width));
  cdn_forces_add_mobility(forces, s->body, 0, f);
  return CDN_OK;
}

static cdn_state *kink(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass = point_mass(1, o);
  kinked self = { cdn_system_add_body(system, &def), p[0], p[1], p[2] };
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_VELOCITY, .calc_force = calc_kinked };
  ops.subsystem.name = "kink";
  ops.subsystem.self_size = sizeof self;
  cdn_system_add_custom_force(system, &ops, &self);
  cdn_state *state = state_of(system);
  set(state, self.body, 0.5, 0.3);
  return state;
}

/* ---- orbits ---- */

static cdn_status calc_attraction(const void *self, cdn_state *state, cdn_forces *forces) {
  const double *q = cdn_state_q(state);
  const cdn_vec3 r = cdn_v3(q[0], q[1], q[2]);
  const double d = cdn_norm(r);
  cdn_forces_add_point(forces, *(const cdn_body *)self, o, cdn_scale(-1 / (d * d * d), r));
  return CDN_OK;
}

/* Kepler's ellipse of eccentricity p[0] and period 2 pi, from its far end. */
static cdn_state *orbit(const double *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_TRANSLATION;
  def.mass = point_mass(1, o);
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = calc_attraction };
  ops.subsystem.name = "attraction";
  ops.subsystem.self_size = sizeof body;
  cdn_system_add_custom_force(system, &ops, &body);
  cdn_state *state = state_of(system);
  OK(cdn_state_set_q(state, (double[]){ 1 + p[0], 0, 0 }));
  OK(cdn_state_set_u(state, (double[]){ 0, sqrt((1 - p[0]) / (1 + p[0])), 0 }));
  return state;
}

/* ---- all of them ---- */

const local_motion local_motions[] = {
  { "top-x-5", 60, turn, { 1, 2, 2.5, 5, 1, 0.1, 0.05 } },
  { "top-x-150", 2, turn, { 1, 2, 2.5, 150, 1, 0.1, 0.05 } },
  { "top-y-5", 60, turn, { 1, 2, 2.5, 5, 0.1, 1, 0.05 } },
  { "top-y-40", 8, turn, { 1, 2, 2.5, 40, 0.1, 1, 0.05 } },
  { "top-z-5", 60, turn, { 1, 2, 2.5, 5, 0.1, 0.05, 1 } },
  { "top-z-150", 2, turn, { 1, 2, 2.5, 150, 0.1, 0.05, 1 } },
  { "top-xyz-20", 15, turn, { 1, 2, 2.5, 20, 1, 1, 1 } },
  { "top-pure-30", 10, turn, { 1, 2, 2.5, 30, 0, 0, 1 } },
  { "top-tilted-pure-30", 10, turn, { 2, 2, 2, 30, 1, 2, 3 } },
  { "top-symmetric-100", 3, turn, { 2, 2, 3, 100, 0.3, 0.2, 1 } },
  { "top-needle-60", 5, turn, { 1, 1, 0.1, 60, 0.1, 0.2, 1 } },
  { "top-heavy-60", 5, turn, { 0.03, 0.03, 0.006, 60, 0.05, 0, 1, 0.1 } },
  { "top-heavy-15", 10, turn, { 0.03, 0.03, 0.006, 15, 0.05, 0, 1, 0.1 } },
  { "top-hanging", 10, turn, { 0.03, 0.032, 0.006, 5, 1, 0.4, 0.7, -0.1 } },
  { "thrown-40", 3, throw, { 1, 2, 2.5, 40, 0.1, 0.4, 1 } },
  { "thrown-150", 1, throw, { 1, 2, 2.5, 150, 0.1, 0.4, 1, 0.2 } },
  { "top-middle", 20, middle_axis, { 0 } },
  { "top-on-ball", 4, top_on_ball, { 0 } },
  { "crank-short", 10, slider_crank, { 0.3, 1, 0.1, 0.1, 6, 0.3 } },
  { "crank-whips", 10, slider_crank, { 1, 1.001, 0.01, 0.01, 3, 0.3 } },
  { "crank-whips-heavy", 10, slider_crank, { 1, 1.003, 0.1, 0.3, 3, 0.3 } },
  { "crank-whips-slow", 10, slider_crank, { 1, 1.0003, 0.001, 0.001, 1, 0.3 } },
  { "four-bar", 10, four_bar, { 0.5, 1.2, 1, 1.3, 1, 4, 1 } },
  { "four-bar-whips", 10, four_bar, { 1, 1.002, 1, 1, 0.01, 4, 1 } },
  { "four-bar-whips-light", 10, four_bar, { 0.3, 1.0003, 1, 1.3, 0.001, 10, 1 } },
  { "four-bar-dead-centre", 10, four_bar, { 0.5, 1.0, 1.003, 1.5, 0.01, 8, 1 } },
  { "squeezer", 0.05, squeezer, { 0 } },
  { "damped-crank", 10, damped_crank, { 0 } },
  { "governor", 1, governor, { 0 } },
  { "bricard", 6, bricard, { 0 } },
  { "rod-pendulum", 20, rod_pendulum, { 0 } },
  { "chain2", 10, chain, { 2, 1, 1, 3 } },
  { "chain6", 5, chain, { 6, 0.3, 1, 3 } },
  { "chain-whip", 3, chain, { 6, 0.3, 0.3, 5 } },
  { "rods", 10, rods, { 0 } },
  { "stiff-rods", 1, stiff_rods, { 0 } },
  { "damped-rods", 5, damped_rods, { 0 } },
  { "limp-person", 3, limp_person, { 0 } },
  { "stiff-dampers", 1, stiff_dampers, { 0 } },
  { "wall", 10, wall, { 0 } },
  { "oscillator-1", 60, oscillator, { 1, 0, 1, 0 } },
  { "oscillator-30", 10, oscillator, { 30, 0, 0.3, 2 } },
  { "oscillator-small", 60, oscillator, { 5, 0, 1e-3, 0 } },
  { "oscillator-damped", 20, oscillator, { 10, 0.05, 1, 0 } },
  { "oscillator-dead", 20, oscillator, { 10, 2, 1, 0 } },
  { "oscillator-stiff", 20, oscillator, { 10, 30, 1, 0 } },
  { "oscillators-7", 10, oscillator, { 7, 0, 1, 0, 7.3 } },
  { "oscillators-damped", 10, oscillator, { 3, 0.3, 1, 0, 30 } },
  { "row", 10, row, { 20, 0 } },
  { "row-damped", 10, row, { 20, 0.1 } },
  { "pendulum-1", 20, pendulum, { 1, 2, 0, 0 } },
  { "pendulum-over", 20, pendulum, { 1, 3.1, 0.3, 0 } },
  { "pendulum-100", 200, pendulum, { 100, 1, 0, 0 } },
  { "pendulum-1000-tip", 100, pendulum, { 1000, 0.5, 0, 1 } },
  { "pendulum-1-tip", 10, pendulum, { 1, 2, 0, 0.05 } },
  { "stop", 10, stop, { 1e4, 0.1, 0.5 } },
  { "stop-hard", 5, stop, { 1e7, 0.02, 0.2 } },
  { "kink-play", 20, kink, { 0, 100, 0 } },
  { "kink-times", 20, kink, { 1, 30, 0 } },
  { "kink-stiffness", 20, kink, { 2, 100, 0 } },
  { "kink-friction", 20, kink, { 3, 100, 0.01 } },
  { "orbit-0.3", 20, orbit, { 0.3 } },
  { "orbit-0.95", 20, orbit, { 0.95 } },
};
const int n_local_motions = sizeof local_motions / sizeof local_motions[0];
