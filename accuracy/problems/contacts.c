/* Rigid contact and ropes: impacts and rest. Friction that sticks and slips. */
#include "contacts.h"

static const cdn_vec3 o = { 0, 0, 0 };
static const double g = 9.81;

static void press(cdn_system *system, const char *name, cdn_constraint slip, double load, double mu_static,
                  double mu_dynamic) {
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.name = name, f.slip = slip, f.load = load, f.mu_static = mu_static, f.mu_dynamic = mu_dynamic;
  cdn_system_add_dry_friction(system, &f);
}

static cdn_body add_ball(cdn_system *system, double mu, double e) {
  const double r = 0.1, J = 0.4 * r * r;
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "floor", c.b = add_mobile(system, "ball", cdn_ground(), CDN_FREE, solid(1, o, J, J, J));
  c.radius = r, c.mu_dynamic = mu, c.restitution = e;
  cdn_system_add_rigid_contact(system, &c);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  return c.b;
}

/* ---- a ball that is thrown with spin ---- */

static cdn_state *start_ball(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  (void)p;
  add_ball(system, 0.3, 0.5);
  return state_with(system, (double[]){ 1, 0, 0, 0, 0, 0, 0.6 }, (double[]){ 5, -20, 3, 2, 1, 0 });
}

const problem contact_ball = {
  .name = "rigid-ball",
  .what = "a ball that is thrown with spin, bounces with friction, rests and rolls, 2 s",
  .end = 2,
  .start = start_ball,
};

/* ---- a ball on a table that shakes ---- */

static cdn_state *start_table(const problem *p) {
  const double A = 0.02, w = 30;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  (void)p;
  d.name = "table", d.mobilizer = CDN_SLIDER, d.mass = point_mass(1, o);
  d.X_PF = d.X_BM = frame_x(cdn_v3(0, 0, 1), o);
  const cdn_body table = cdn_system_add_body(system, &d);
  const cdn_body ball = add_mobile(system, "ball", cdn_ground(), CDN_TRANSLATION, point_mass(1, o));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_motion_def shake = cdn_default_motion_def();
  shake.body = table, shake.kind = CDN_MOTION_SINUSOID, shake.params[0] = A, shake.params[1] = w;
  cdn_system_add_motion(system, &shake);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.a = table, c.b = ball, c.restitution = 0.3;
  cdn_system_add_rigid_contact(system, &c);
  return state_with(system, NULL, (double[]){ A * w, 0, 0, A * w });
}

const problem contact_table = {
  .name = "rigid-table",
  .what = "a ball on a shaking table: leaves it, bounces to rest, nine times",
  .end = 1.9,
  .start = start_table,
};

/* ---- a weight on a rope ---- */

static cdn_state *start_rope(const problem *p) {
  const double L = 1.5, angle = 0.5;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body b = add_mobile(system, "weight", cdn_ground(), CDN_TRANSLATION, point_mass(1, o));
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_one_sided_def rope = cdn_default_one_sided_def();
  rope.constraint = cdn_system_constrain_rod(system, "rope", cdn_ground(), o, b, o, L);
  rope.upper = true;
  cdn_system_make_one_sided(system, &rope);
  return state_with(system, (double[]){ L * cos(angle), L * sin(angle), 0 }, NULL);
}

const problem contact_rope = {
  .name = "rigid-rope",
  .what = "a weight on a rope that is slack, taut, slack and taut again, and swings, 6 s",
  .end = 6,
  .start = start_rope,
};

/* ---- Housner's block ---- */

static cdn_state *start_rocking(const problem *p) {
  const double b = 0.15, h = 0.5, lean = 0.1748740766867202552, J = (b * b + h * h) / 3;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_mobile(system, "block", cdn_ground(), CDN_PLANAR, solid(1, o, J, J, J));
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 2; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = i ? "right" : "left", c.b = block, c.p_B = cdn_v3(i ? b : -b, -h, 0), c.mu_dynamic = 2;
    c.X_AP = frame_z(cdn_v3(0, 1, 0), o);
    cdn_system_add_rigid_contact(system, &c);
  }
  return state_with(system, (double[]){ -lean, b - b * cos(lean) + h * sin(lean), b * sin(lean) + h * cos(lean) },
                    NULL);
}

const problem contact_rocking = {
  .name = "rigid-rocking",
  .what = "a block that rocks to rest, 5 s",
  .end = 5,
  .start = start_rocking,
};

/* ---- blocks on a belt ---- */

static void belt_exact(const problem *p, double t, double *y) {
  /* it sticks to the belt up to x = 1, slips about 1/2, and sticks again at 0 */
  const long double v = p->x[0], first = 1 / v, slip = 3.9026054078145230111L, lap = slip + 1 / v;
  const long double since = t - first, in = since - floorl(since / lap) * lap;
  y[0] = (double)(v * t), y[1] = (double)v;
  if (t < first) return;
  y[0] = (double)(v * (in - slip)), y[1] = (double)v;
  if (in < slip)
    y[0] = (double)(0.5L + 0.5L * cosl(in) + v * sinl(in)), y[1] = (double)(-0.5L * sinl(in) + v * cosl(in));
}

static int belt_changes(const problem *p, double *t, int most) {
  int n = 0;
  for (double at = 1 / p->x[0]; n + 1 < most && at < p->end; at += 3.9026054078145230111 + 1 / p->x[0]) {
    t[n++] = at;
    if (at + 3.9026054078145230111 < p->end) t[n++] = at + 3.9026054078145230111;
  }
  return n;
}

static cdn_state *start_belt(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_on_rail(system, "block", 1);
  cdn_system_add_mobility_spring(system, "spring", block, 0, 1, 0);
  press(system, "belt", cdn_system_constrain_speed(system, "belt", block, 0, p->x[0]), 1, 1, 0.5);
  return state_with(system, NULL, p->x);
}

const problem contact_belt = {
  .name = "rigid-belt",
  .what = "a block on a spring and a belt that drags it, sticks and slips ten times",
  .end = 91,
  .start = start_belt,
  .x = { 0.2 },
  .exact = belt_exact,
  .events = belt_changes,
};

static cdn_state *start_chain(const problem *p) {
  static const char *const names[] = { "first", "second", "third" };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body block[3];
  (void)p;
  for (int i = 0; i < 3; i++) block[i] = add_on_rail(system, NULL, 1);
  for (int i = 0; i < 3; i++) {
    cdn_system_add_mobility_spring(system, NULL, block[i], 0, 1, 0);
    press(system, names[i], cdn_system_constrain_speed(system, names[i], block[i], 0, 0.15), 1, 0.8, 0.5);
  }
  for (int i = 0; i < 2; i++)
    cdn_system_add_two_point_spring(system, NULL, block[i], o, block[i + 1], cdn_v3(-100, 0, 0), 1.2, 100);
  return state_with(system, (double[]){ 0, 0.1, -0.1 }, (double[]){ 0.15, 0.15, 0.15 });
}

static double chain_apart(const problem *p, cdn_state *truth, const double *row) {
  double worst = 0;
  (void)p;
  for (int i = 0; i < 3; i++) {
    worst = fmax(worst, fabs(cdn_state_q(truth)[i] - row[1 + i]));
    worst = fmax(worst, fabs(cdn_state_u(truth)[i] - row[4 + i]));
  }
  return worst;
}

static const double chain_end[] = { 30,
                                    0.5037896212982371,
                                    0.5770748011705367,
                                    0.6012221183777797,
                                    -0.2980819179738081,
                                    -0.22642338013521646,
                                    -0.3577463612815885 };
static const published chain_table = { "an integration by pieces at 1e-13", 1, 7, chain_end, 1e-9, chain_apart };

const problem contact_chain = {
  .name = "rigid-chain",
  .what = "three blocks in a chain on a belt, each with friction, 23 changes, 30 s",
  .end = 30,
  .start = start_chain,
  .published = &chain_table,
};

/* ---- a ball that is pulled by a force that grows, rolls, and then slips; x = { rate of the force, friction } ---- */

static double pulled_slips_at(const problem *p) { return 3.5 * p->x[1] * g / p->x[0]; }

static void pulled_exact(const problem *p, double t, double *y) {
  const long double c = p->x[0], r = 0.1L, slips = pulled_slips_at(p), in = fmaxl(0, t - slips), at = t - in;
  const long double f = p->x[1] * (long double)g;
  long double v = c * at * at * 5 / 14, x = v * at / 3, w = v / r, angle = x / r;
  x += v * in + (c * slips - f) * in * in / 2 + c * in * in * in / 6;
  v += (c * slips - f) * in + c * in * in / 2;
  angle += w * in + 2.5L * f / r * in * in / 2, w += 2.5L * f / r * in;
  memset(y, 0, 13 * sizeof *y);
  y[0] = (double)cosl(angle / 2), y[2] = (double)sinl(angle / 2), y[4] = (double)x, y[6] = 0.1;
  y[8] = (double)w, y[10] = (double)v;
}

static int pulled_changes(const problem *p, double *t, int most) {
  if (most > 0) t[0] = pulled_slips_at(p);
  return most > 0;
}

static cdn_state *start_pulled(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_control_def ramp = cdn_default_control_def();
  ramp.name = "pull", ramp.unit = "N";
  cdn_actuator_def pull = cdn_default_actuator_def();
  pull.body = add_ball(system, p->x[1], 0), pull.mobility = 3, pull.gain = 1;
  pull.control = cdn_system_add_control(system, &ramp);
  cdn_control_follow_samples(system, pull.control, 2, (double[]){ 0, 100 }, (double[]){ 0, 100 * p->x[0] });
  cdn_system_add_actuator(system, "pull", &pull);
  return state_with(system, (double[]){ 1, 0, 0, 0, 0, 0, 0.1 }, NULL);
}

const problem contact_pulled = {
  .name = "rigid-pulled",
  .what = "a ball that is pulled harder and harder, rolls and then slips, 4.3 s",
  .end = 4.291875,
  .start = start_pulled,
  .x = { 3, 0.25 },
  .exact = pulled_exact,
  .events = pulled_changes,
};

/* ---- a rod on a pin with friction, pressed by the pin's reaction ---- */

static cdn_state *start_pin(const problem *p) {
  const double l = 1, angle = 1.2, J = l * l / 12;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body rod = add_mobile(system, "rod", cdn_ground(), CDN_PLANAR, solid(1, o, J, J, J));
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_dry_friction_def pin = cdn_default_dry_friction_def();
  pin.reaction = cdn_system_constrain_ball(system, "pin", cdn_ground(), o, rod, cdn_v3(0, l / 2, 0));
  pin.slip = cdn_system_constrain_speed(system, "bearing", rod, 0, 0);
  pin.mu_dynamic = 0.02;
  cdn_system_add_dry_friction(system, &pin);
  return state_with(system, (double[]){ angle, l / 2 * sin(angle), -l / 2 * cos(angle) }, NULL);
}

static double pin_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fabs(cdn_state_q(truth)[0] - row[1]);
}

static const double pin_rest[] = { 11, 0.02384450014656613 };
static const published pin_table = { "an integration by swings at 1e-13", 1, 2, pin_rest, 1e-11, pin_apart };

const problem contact_pin = {
  .name = "rigid-pin",
  .what = "a rod that swings to rest on a pin with friction, 12 swings, 12 s",
  .end = 12,
  .start = start_pin,
  .published = &pin_table,
};

/* ---- the woodpecker toy: the linear model of Pfeiffer and Glocker, of y, phi_M and phi_S. Each is a slider with the
 * inertia that moves with it alone, and a fourth slider is the woodpecker's mass, at y + lM phi_M + lG phi_S ---- */

static cdn_constraint couple(cdn_system *system, const char *name, int n, double c, const double *a,
                             const cdn_mobility *q, bool speeds) {
  cdn_function *f = cdn_function_linear(n, a, c);
  const cdn_constraint made = speeds ? cdn_system_couple_speeds(system, name, f, q, n, NULL, 0)
                                     : cdn_system_couple_coordinates(system, name, f, n, q);
  cdn_function_release(f);
  return made;
}

/* between phi_M and phi_S, bodies 2 and 3 */
static cdn_status spring_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const double *q = cdn_state_q(state), f = 5.6e-3 * (q[2] - q[1]);
  (void)self;
  cdn_forces_add_mobility(forces, (cdn_body){ 2 }, 0, f);
  cdn_forces_add_mobility(forces, (cdn_body){ 3 }, 0, -f);
  return CDN_OK;
}

static cdn_status spring_energy(const void *self, cdn_state *state, double *energy) {
  const double *q = cdn_state_q(state);
  (void)self;
  *energy = 0.5 * 5.6e-3 * (q[2] - q[1]) * (q[2] - q[1]);
  return CDN_OK;
}

static cdn_state *start_woodpecker(const problem *p) {
  const double rO = 2.5e-3, rM = 3.1e-3, hM = 5.8e-3, lM = 0.01, lG = 0.015, hS = 0.02, lS = 0.0201, mM = 3e-4,
               mS = 4.5e-3;
  const double h[3] = { -hS, hM, -hM }, from[3] = { lM + lG - lS - rO, rM - rO, rM - rO };
  const double tangent[3][3] = { { 1, lM, lG - lS }, { 1, rM, 0 }, { 1, rM, 0 } };
  static const char *const names[3] = { "beak", "sleeve below", "sleeve above" };
  static const char *const slips[3] = { "beak slip", "sleeve below slip", "sleeve above slip" };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body sleeve = add_on_rail(system, "sleeve", mM), phi_M = add_on_rail(system, "phi_M", 5e-9),
                 phi_S = add_on_rail(system, "phi_S", 7e-7), bird = add_on_rail(system, "bird", mS);
  const cdn_mobility q[] = { { sleeve, 0 }, { phi_M, 0 }, { phi_S, 0 }, { bird, 0 } };
  (void)p;
  couple(system, "bird's place", 4, 0, (double[]){ -1, -lM, -lG, 1 }, q, false);
  cdn_system_add_mobility_force(system, "weight", sleeve, 0, -mM * g);
  cdn_system_add_mobility_force(system, "bird's weight", bird, 0, -mS * g);
  cdn_force_ops spring = { .struct_size = sizeof spring,
                           .reads = CDN_READS_POSITION,
                           .calc_force = spring_force,
                           .calc_potential = spring_energy };
  spring.subsystem.name = "spring";
  cdn_system_add_custom_force(system, &spring, NULL);
  for (int i = 0; i < 3; i++) {
    cdn_one_sided_def side = cdn_default_one_sided_def();
    side.constraint =
        couple(system, names[i], 3, from[i], i ? (double[]){ 0, h[i], 0 } : (double[]){ 0, 0, h[0] }, q, false);
    side.restitution = i == 0 ? 0.5 : 0;
    cdn_dry_friction_def friction = cdn_default_dry_friction_def();
    friction.name = names[i], friction.normal = cdn_system_make_one_sided(system, &side), friction.mu_dynamic = 0.3;
    friction.slip = couple(system, slips[i], 3, 0, tangent[i], q, true);
    cdn_system_add_dry_friction(system, &friction);
  }
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = CDN_IMPACT_NEWTON;
  cdn_system_set_impact(system, &impact);
  /* the limit cycle, just when the lower sleeve begins to slip */
  const double M = -(rM - rO) / hM, S = -0.2051353492435258, wS = 17.57466620557608;
  return state_with(system, (double[]){ 0, M, S, lM * M + lG * S }, (double[]){ 0, 0, wS, lG * wS });
}

static double woodpecker_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fabs(cdn_state_q(truth)[0] - row[1]);
}

static const double woodpecker_sticks[] = { 0.14, -0.01944537928471653 };
static const published woodpecker_table = {
  "the limit cycle with 30 digits", 1, 2, woodpecker_sticks, 1e-11, woodpecker_apart
};

const problem contact_woodpecker = {
  .name = "rigid-woodpecker",
  .what = "a woodpecker toy that climbs down, nine changes in each of three periods",
  .end = 0.43,
  .start = start_woodpecker,
  .witness = 1e-11, /* angular accelerations of 1e5 rad/s^2, mass ratios of 1e6 */
  .published = &woodpecker_table,
};
