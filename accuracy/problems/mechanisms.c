/* Mechanisms with closed loops whose motion is known. */
#include "mechanisms.h"

#include <stdlib.h>

static const cdn_body ground = { 0 };

/* A uniform slender rod of 1 m and 1 kg from the body's origin along d. */
static cdn_mass_properties rod_along(cdn_vec3 d) {
  const double i = 1. / 12;
  return solid(1, cdn_v3(d.x / 2, d.y / 2, d.z / 2), d.x != 0 ? 0 : i, d.y != 0 ? 0 : i, d.z != 0 ? 0 : i);
}

static void set(cdn_state *state, cdn_body body, double q, double u) {
  MUST(state, cdn_body_set_q(state, body, 1, &q));
  MUST(state, cdn_body_set_u(state, body, 1, &u));
}

static mechanism ladder(int n, bool pins) {
  enum { MOST = 101 };
  const cdn_vec3 x = cdn_v3(1, 0, 0), z = cdn_v3(0, 0, 1);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body crank[MOST] = { 0 }, coupler[MOST];
  mechanism m = { 0 };
  if (n >= MOST) abort();
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  for (int i = 0; i <= n; i++) crank[i] = add_pin(system, NULL, ground, z, cdn_v3(i, 0, 0), rod_along(x));
  for (int i = 0; i < n; i++) {
    coupler[i] = add_pin(system, NULL, crank[i], z, x, rod_along(x));
    cdn_system_constrain_ball(system, NULL, coupler[i], x, crank[i + 1], x);
    if (pins) cdn_system_constrain_angle(system, NULL, coupler[i], z, crank[i + 1], x, PI / 2);
    if (pins) cdn_system_constrain_angle(system, NULL, coupler[i], z, crank[i + 1], cdn_v3(0, 1, 0), PI / 2);
  }
  m.state = state_of(system);
  m.body[0] = crank[0];
  for (int i = 0; i <= n; i++) set(m.state, crank[i], PI / 2, -1);
  for (int i = 0; i < n; i++) set(m.state, coupler[i], -PI / 2, 1);
  return m;
}

mechanism make_ladder(int n) { return ladder(n, false); }
mechanism make_pinned_ladder(int n) { return ladder(n, true); }

double ladder_angle(int n, double t) {
  /* Runge's and Kutta's own formula, with steps so short that rounding is what is left */
  const double k = 9.81 * ((n + 1) / 2. + n) / ((n + 1) / 3. + n);
  const int steps = (int)(t * 4000);
  const double h = t / steps;
  double a = PI / 2, w = -1;
  for (int i = 0; i < steps; i++) {
    const double w1 = w, f1 = -k * cos(a), w2 = w + h / 2 * f1, f2 = -k * cos(a + h / 2 * w1), w3 = w + h / 2 * f2,
                 f3 = -k * cos(a + h / 2 * w2), w4 = w + h * f3, f4 = -k * cos(a + h * w3);
    a += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (f1 + 2 * f2 + 2 * f3 + f4);
  }
  return a;
}

mechanism make_bricard(void) {
  const cdn_vec3 x = cdn_v3(1, 0, 0), y = cdn_v3(0, 1, 0), z = cdn_v3(0, 0, 1), o = cdn_v3(0, 0, 0);
  /* from each joint to the next */
  const cdn_vec3 along[5] = { x, cdn_v3(0, -1, 0), z, cdn_v3(-1, 0, 0), y }, axis[5] = { y, z, x, y, z };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body rod[5];
  mechanism m = { 0 };
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  for (int i = 0; i < 5; i++)
    rod[i] = add_pin(system, NULL, i ? rod[i - 1] : ground, axis[i], i ? along[i - 1] : o, rod_along(along[i]));
  cdn_system_constrain_ball(system, "P5", ground, z, rod[4], along[4]);
  cdn_system_constrain_angle(system, "P5 xy", ground, y, rod[4], x, PI / 2);
  cdn_system_constrain_angle(system, "P5 xz", ground, z, rod[4], x, PI / 2);
  m.state = state_of(system);
  m.body[0] = rod[1];
  m.body[1] = rod[2];
  return m;
}

mechanism make_andrews(void) {
  const cdn_vec3 z = cdn_v3(0, 0, 1), A = cdn_v3(-0.06934, -0.00227, 0), E = cdn_v3(-0.028, 0, 0);
  static const double q[7] = { -0.0617138900142764496358948458001, 0,
                               0.455279819163070380255912382449,   0.222668390165885884674473185609,
                               0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                               1.23054744454982119249735015568 };
  cdn_system *system = cdn_system_create(NULL);
  mechanism m = { 0 };
/* a flat body */
#define FLAT(mass, x, y, inertia) solid(mass, cdn_v3(x, y, 0), (inertia) / 2, (inertia) / 2, inertia)
  cdn_body k1 = add_pin(system, "K1", ground, z, cdn_v3(0, 0, 0), FLAT(0.04325, 0.00092, 0, 2.194e-6));
  cdn_body k2 = add_pin(system, "K2", k1, z, cdn_v3(0.007, 0, 0), FLAT(0.00365, -0.0115, 0, 4.41e-7));
  cdn_body k3 =
      add_pin(system, "K3", ground, z, cdn_v3(-0.03635, 0.03273, 0), FLAT(0.02373, 0.01043, -0.01874, 5.255e-6));
  cdn_body k5 = add_pin(system, "K5", ground, z, A, FLAT(0.0705, 0.02308, 0.00916, 1.169e-5));
  cdn_body k4 = add_pin(system, "K4", k5, z, cdn_v3(0.04, 0, 0), FLAT(0.00706, 0, -0.00579, 5.667e-7));
  cdn_body k7 = add_pin(system, "K7", ground, z, A, FLAT(0.05498, -0.00449, -0.01228, 1.912e-5));
  cdn_body k6 = add_pin(system, "K6", k7, z, cdn_v3(0, -0.04, 0), FLAT(0.00706, 0.00579, 0, 5.667e-7));
#undef FLAT
  cdn_system_constrain_ball(system, "E3", k2, E, k3, cdn_v3(0, -0.035, 0));
  cdn_system_constrain_ball(system, "E4", k2, E, k4, cdn_v3(0, -0.02, 0));
  cdn_system_constrain_ball(system, "E6", k2, E, k6, cdn_v3(0.02, 0, 0));
  cdn_system_add_two_point_spring(system, "spring", ground, cdn_v3(0.014, 0.072, 0), k3, cdn_v3(0.02, -0.018, 0), 4530,
                                  0.07785);
  cdn_system_add_mobility_force(system, "drive", k1, 0, 0.033);
  m.state = state_of(system);
  m.body[0] = k1;
  const cdn_body in_order[7] = { k1, k2, k3, k4, k5, k6, k7 };
  for (int i = 0; i < 7; i++) set(m.state, in_order[i], q[i], 0);
  return m;
}

mechanism make_slider_crank(void) {
  const cdn_vec3 x = cdn_v3(1, 0, 0), z = cdn_v3(0, 0, 1), o = cdn_v3(0, 0, 0);
  const double a = 0.5, p = asin(-a);
  cdn_system *system = cdn_system_create(NULL);
  mechanism m = { 0 };
  m.body[0] = add_pin(system, "crank", ground, z, o, solid(1, o, 1, 1, 1));
  cdn_body_def def = cdn_default_body_def();
  def.name = "slider";
  def.mobilizer = CDN_SLIDER;
  m.body[1] = cdn_system_add_body(system, &def);
  m.body[2] = add_pin(system, "rod", m.body[1], z, o, solid(1, o, 2, 2, 2)); /* the slider's mass, the rod's inertia */
  cdn_system_constrain_ball(system, "end", m.body[0], cdn_v3(a, 0, 0), m.body[2], cdn_v3(-1, 0, 0));
  const cdn_vec3 of_crank = cdn_v3(a / 2, 0, 0), of_rod = cdn_v3(-0.5, 0, 0);
  cdn_system_add_two_point_spring(system, "spring", m.body[0], of_crank, m.body[2], of_rod, 1, 1);
  cdn_system_add_two_point_damper(system, "damper", m.body[0], of_crank, m.body[2], of_rod, 1);
  cdn_system_add_body_force(system, "push", m.body[2], x, x, o);
  m.state = state_of(system);
  set(m.state, m.body[0], PI / 2, 0);
  set(m.state, m.body[1], cos(p), 0);
  set(m.state, m.body[2], p, 0);
  return m;
}

mechanism make_rod_pendulum(void) {
  const cdn_vec3 o = cdn_v3(0, 0, 0);
  const double q[3] = { 1, 0, 0 };
  cdn_system *system = cdn_system_create(NULL);
  mechanism m = { 0 };
  cdn_body_def def = cdn_default_body_def();
  def.name = "bob";
  def.mobilizer = CDN_TRANSLATION;
  def.mass = point_mass(1, o);
  m.body[0] = cdn_system_add_body(system, &def);
  cdn_system_constrain_rod(system, "rod", ground, o, m.body[0], o, 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -13.750371636040745654980191559621114395801712, 0));
  m.state = state_of(system);
  MUST(m.state, cdn_body_set_q(m.state, m.body[0], 3, q));
  return m;
}

mechanism make_governor(void) {
  const cdn_vec3 o = cdn_v3(0, 0, 0), x = cdn_v3(1, 0, 0), y = cdn_v3(0, 1, 0), z = cdn_v3(0, 0, 1);
  const double slim = 0.3 * 2e-4 / 12, wide = 0.3 * 1.0001 / 12, reduced = 0.3 * 5 / 5.3 * 0.25, beta = PI / 6;
  cdn_system *system = cdn_system_create(NULL);
  mechanism m = { 0 };
  m.body[0] = add_pin(system, "shaft", ground, z, o, solid(0.3, cdn_v3(0, 0, 0.5), wide, wide, slim));
  cdn_body_def def = cdn_default_body_def();
  def.name = "slider";
  def.mobilizer = CDN_CYLINDER;
  def.mass = solid(3, o, 0.005, 0.005, 0.005);
  m.body[1] = cdn_system_add_body(system, &def);
  cdn_system_constrain_angle(system, "key", m.body[0], x, m.body[1], y, PI / 2);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  for (int side = 0; side < 2; side++) {
    /* the rod lies along x of a frame that looks outwards; positive angles are below the horizontal */
    const double out = side ? -1 : 1;
    const cdn_rotation R = side ? cdn_rotation_axis_angle(z, PI) : cdn_rotation_identity();
    cdn_body_def rod = cdn_default_body_def();
    rod.name = side ? "left" : "right";
    rod.parent = m.body[0];
    rod.mobilizer = CDN_PIN;
    rod.X_PF = (cdn_transform){ .R = cdn_rotation_multiply(R, cdn_rotation_z_to(y)), .p = cdn_v3(0.05 * out, 0, 1) };
    rod.X_BM = frame_z(y, o);
    rod.mass = solid(5.3, cdn_v3((0.15 + 5) / 5.3, 0, 0), slim, wide + reduced, wide + reduced);
    rod.q0 = &beta;
    const cdn_body body = cdn_system_add_body(system, &rod);
    const cdn_vec3 middle = cdn_v3(0.5, 0, 0), lug = cdn_v3(0.05 * out, 0, 0);
    cdn_system_add_two_point_spring(system, NULL, m.body[1], lug, body, middle, 8e5, 0.5);
    cdn_system_add_two_point_damper(system, NULL, m.body[1], lug, body, middle, 4e4);
    if (!side) m.body[2] = body;
  }
  m.state = state_of(system);
  const double q[2] = { 0, 0.5 }, u[2] = { 2 * PI, 0 };
  set(m.state, m.body[0], 0, 2 * PI);
  MUST(m.state, cdn_body_set_q(m.state, m.body[1], 2, q));
  MUST(m.state, cdn_body_set_u(m.state, m.body[1], 2, u));
  return m;
}

mechanism make_top(void) {
  const double l = 0.25, half = PI / 6, w = 40;
  /* tilted about x; the origin is the centre of mass, whose place is R (0, 0, l) */
  const cdn_vec3 p = cdn_v3(0, -l * sin(2 * half), l * cos(2 * half));
  const double q[7] = { cos(half), sin(half), 0, 0, p.x, p.y, p.z };
  const double u[6] = { 0, w * p.y / l, w * p.z / l, 0, 0, 0 };
  cdn_system *system = cdn_system_create(NULL);
  mechanism m = { 0 };
  cdn_body_def def = cdn_default_body_def();
  def.name = "top";
  def.mobilizer = CDN_FREE;
  def.mass = solid(4, cdn_v3(0, 0, 0), 0.25, 0.25, 0.25); /* 0.5 about the tip */
  m.body[0] = cdn_system_add_body(system, &def);
  cdn_system_constrain_ball(system, "tip", ground, cdn_v3(0, 0, 0), m.body[0], cdn_v3(0, 0, -l));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  m.state = state_of(system);
  MUST(m.state, cdn_body_set_q(m.state, m.body[0], 7, q));
  MUST(m.state, cdn_body_set_u(m.state, m.body[0], 6, u));
  return m;
}

mechanism make_disc(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_vec3 x = cdn_v3(1, 0, 0), y = cdn_v3(0, 1, 0), z = cdn_v3(0, 0, 1), o = cdn_v3(0, 0, 0);
  mechanism m = { 0 };
  cdn_body_def def = cdn_default_body_def();
  def.name = "place", def.mobilizer = CDN_TRANSLATION;
  m.body[0] = cdn_system_add_body(system, &def);
  m.body[1] = add_pin(system, "heading", m.body[0], z, o, point_mass(0, o));
  m.body[2] = add_pin(system, "lean", m.body[1], x, o, point_mass(0, o));
  def.name = "wheel", def.parent = m.body[2], def.mobilizer = CDN_PIN;
  def.X_PF.R = cdn_rotation_axis_angle(x, -PI / 2);
  def.mass = solid(1, o, 1. / 16, 1. / 16, 1. / 8);
  m.body[3] = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  const cdn_vec3 touch = cdn_v3(0, 0, -0.5);
  cdn_system_constrain_point_in_plane(system, "ground", ground, z, 0, m.body[2], touch);
  cdn_system_constrain_no_slip(system, "along", m.body[2], touch, x, ground, m.body[3]);
  cdn_system_constrain_no_slip(system, "across", m.body[2], touch, y, ground, m.body[3]);
  m.state = state_of(system);
  return m;
}

void start_disc(const mechanism *disc, double lean, double heading_rate, double spin) {
  const cdn_vec3 up = cdn_v3(0, -0.5 * sin(lean), 0.5 * cos(lean));
  const cdn_vec3 w = cdn_v3(0, spin * cos(lean), spin * sin(lean) + heading_rate), v = cdn_cross(w, up);
  MUST(disc->state, cdn_body_set_q(disc->state, disc->body[0], 3, (double[]){ 0, 0, up.z }));
  MUST(disc->state, cdn_body_set_u(disc->state, disc->body[0], 3, (double[]){ v.x, v.y, v.z }));
  set(disc->state, disc->body[1], 0, heading_rate);
  set(disc->state, disc->body[2], lean, 0);
  set(disc->state, disc->body[3], 0, spin);
}
