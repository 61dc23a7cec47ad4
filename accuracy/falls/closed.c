/* Families whose motion is known without a run: a ball on a half-space, and pulses of a force; and runs that somebody
 * writes into, or cuts. */
#include "families.h"
#include "meeting.h"

/* ---- a ball on a half-space, by Hertz's law without dissipation: x'' = g - k x^(3/2) for the depth x ---- */

enum { HEIGHT, SPEED, STIFFNESS, RADIUS, TURN, GRAVITY }; /* numbers of the scene; the stiffness by mass */

static long double depth_force(const scene *s, long double x) {
  return s->x[GRAVITY] - (x > 0 ? s->x[STIFFNESS] * x * sqrtl(x) : 0);
}

/* The largest depth: v^2 / 2 + g x = 2/5 k x^(5/2). */
static long double largest_depth(const scene *s, long double v) {
  long double x = powl(1.25L * v * v / s->x[STIFFNESS], 0.4L);
  for (int i = 0; i < 60; i++) {
    const long double k = s->x[STIFFNESS], f = v * v / 2 + s->x[GRAVITY] * x - 0.4L * k * powl(x, 2.5L);
    x += f / (k * x * sqrtl(x) - s->x[GRAVITY]);
  }
  return x;
}

/* How long it takes from the touch to the largest depth m: x = m (1 - w^2), by Gauss's rule of two points in each of
 * many parts. */
static long double time_to_depth(const scene *s, long double v, long double m) {
  enum { PARTS = 4000 };
  long double sum = 0;
  for (int i = 0; i < PARTS; i++) {
    for (int k = -1; k <= 1; k += 2) {
      const long double w = (i + 0.5L + k * 0.5L / sqrtl(3)) / PARTS, x = m * (1 - w * w);
      const long double square = v * v + 2 * s->x[GRAVITY] * x - 0.8L * s->x[STIFFNESS] * x * x * sqrtl(x);
      sum += m * w / sqrtl(square) / PARTS;
    }
  }
  return sum;
}

/* Depth and its rate at a time t after (or before) the largest depth m. */
static void depth_at(const scene *s, long double m, long double t, long double *x, long double *rate) {
  enum { STEPS = 2000 };
  const long double h = t / STEPS;
  long double p = m, v = 0;
  for (int i = 0; i < STEPS; i++) {
    const long double a1 = depth_force(s, p), v2 = v + h / 2 * a1, a2 = depth_force(s, p + h / 2 * v);
    const long double v3 = v + h / 2 * a2, a3 = depth_force(s, p + h / 2 * v2);
    const long double v4 = v + h * a3, a4 = depth_force(s, p + h * v3);
    p += h / 6 * (v + 2 * v2 + 2 * v3 + v4), v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  *x = p, *rate = v;
}

static void exact_bounce(const scene *s, double time, double *y) {
  const long double g = s->x[GRAVITY], u = s->x[SPEED], h = s->x[HEIGHT];
  const long double v = sqrtl(u * u + 2 * g * h), touch = (v - u) / g, t = time;
  const long double m = largest_depth(s, v), half = time_to_depth(s, v, m);
  long double depth, rate;
  if (t <= touch) depth = u * t + g * t * t / 2 - h, rate = u + g * t;
  else if (t < touch + 2 * half) depth_at(s, m, t - touch - half, &depth, &rate);
  else {
    const long double free = t - touch - 2 * half;
    depth = -v * free + g * free * free / 2, rate = -v + g * free;
  }
  y[0] = (double)(s->x[RADIUS] - depth), y[1] = (double)-rate;
}

bool family_hertz(dice *d, scene *out) {
  const double size = dice_log(d, 1e-3, 1), height = dice_log(d, 0.1, 30),
               down = dice_chance(d, 0.5) ? 0 : dice_log(d, 0.1, 10);
  const double density = dice_log(d, 200, 8000), speed = sqrt(2 * 9.81 * height + down * down);
  const double q0[1] = { height + size }, u0[1] = { -down };
  cdn_contact_material hard;
  cdn_soft_material soft;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_vec3 up = dice_direction(d);
  meeting_materials(d, density, speed, size, size, &hard, &soft);
  hard.dissipation = 0, hard.static_friction = hard.dynamic_friction = 0;
  cdn_body_def def = cdn_default_body_def();
  def.name = "ball", def.mobilizer = CDN_SLIDER, def.X_PF = frame_x(up, cdn_v3(0, 0, 0));
  const double mass = 4. / 3 * PI * size * size * size * density;
  def.mass = solid(mass, cdn_v3(0, 0, 0), mass * size * size, mass * size * size, mass * size * size);
  def.q0 = q0, def.u0 = u0;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = cdn_system_add_body(system, &def), shape.material = &hard;
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = size;
  cdn_system_add_shape(system, &shape);
  shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.material = &hard, shape.X_BS = frame_z(up, cdn_v3(0, 0, 0));
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_scale(-9.81, up));
  out->x[HEIGHT] = height, out->x[SPEED] = down, out->x[RADIUS] = size, out->x[GRAVITY] = 9.81;
  out->x[STIFFNESS] = 4. / 3 * sqrt(size) * hard.modulus / pow(2, 1.5) / mass;
  out->exact = exact_bounce, out->law = LAW_HERTZ;
  out->start = state_of(system);
  out->guard = (guard){ .present = true, .of = { 1 }, .X = frame_z(up, cdn_v3(0, 0, 0)), .behind = 0.2 * size };
  out->guard.half[0] = out->guard.half[1] = INFINITY;
  out->end = (speed - down) / 9.81 * 1.4, out->finest = 0.2 * size / speed, out->fixed_step = 0.02 * size / speed;
  snprintf(out->what, sizeof out->what, "ball of %.3g on a slider falls %.3g m from %.3g m/s on a half-space", size,
           height, down);
  return true;
}

/* ---- a pulse of a force on a free mass ---- */

typedef struct pulse {
  cdn_body body;
  double strength, width, middle;
  bool box; /* constant within its width, else a bell */
} pulse;

enum { PULSE_STRENGTH, PULSE_WIDTH, PULSE_MIDDLE, PULSE_BOX, PULSE_SPEED };

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const pulse *p = self;
  const double x = (cdn_state_time(state) - p->middle) / p->width;
  cdn_forces_add_mobility(forces, p->body, 0, p->box ? (fabs(x) < 1 ? p->strength : 0) : p->strength * exp(-x * x));
  return CDN_OK;
}

static void exact_pulse(const scene *s, double t, double *y) {
  const double A = s->x[PULSE_STRENGTH], w = s->x[PULSE_WIDTH], u0 = s->x[PULSE_SPEED], late = t - s->x[PULSE_MIDDLE];
  y[0] = u0 * t, y[1] = u0;
  if (s->x[PULSE_BOX] > 0) {
    const double since = fmin(fmax(late + w, 0), 2 * w), after = fmax(late - w, 0);
    y[0] += A * since * since / 2 + A * since * after, y[1] += A * since;
  } else {
    const double x = late / w, I = A * w * sqrt(PI) / 2;
    y[0] += I * w * (x * (1 + erf(x)) + exp(-x * x) / sqrt(PI)), y[1] += I * (1 + erf(x));
  }
}

bool family_pulse(dice *d, scene *out) {
  cdn_system *system = cdn_system_create(NULL);
  const double u0[1] = { 0.3 };
  cdn_body_def def = cdn_default_body_def();
  def.name = "mass", def.mobilizer = CDN_SLIDER, def.mass.mass = 1, def.u0 = u0;
  pulse p = { .width = dice_log(d, 1e-4, 0.3), .middle = dice_uniform(d, 3, 7), .box = dice_chance(d, 0.3) };
  p.strength = dice_log(d, 0.05, 2) / p.width;
  p.body = cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .struct_size = sizeof ops,
                        .subsystem = { .name = "pulse", .self_size = sizeof p },
                        .reads = CDN_READS_VELOCITY,
                        .calc_force = push };
  cdn_system_add_custom_force(system, &ops, &p);
  out->x[PULSE_STRENGTH] = p.strength, out->x[PULSE_WIDTH] = p.width, out->x[PULSE_MIDDLE] = p.middle;
  out->x[PULSE_BOX] = p.box, out->x[PULSE_SPEED] = 0.3;
  out->exact = exact_pulse, out->law = LAW_NONE, out->start = state_of(system);
  out->end = 10, out->finest = 0.2 * p.width, out->fixed_step = fmax(0.05 * p.width, 1e-3);
  snprintf(out->what, sizeof out->what, "%s of %.3g s at %.3g s on a free mass", p.box ? "box" : "bell", p.width,
           p.middle);
  return true;
}

/* ---- what callers do between calls ---- */

static cdn_state *two_links(dice *d) {
  cdn_system *system = cdn_system_create(NULL);
  const double first[1] = { dice_uniform(d, -1.2, 1.2) }, second[1] = { dice_uniform(d, -0.5, 0.5) };
  cdn_body_def def = cdn_default_body_def();
  def.name = "upper", def.mobilizer = CDN_PIN, def.X_BM.p = cdn_v3(0, 1, 0), def.mass = point_mass(1, cdn_v3(0, 0, 0));
  def.q0 = first;
  def.parent = cdn_system_add_body(system, &def);
  def.name = "lower", def.q0 = second;
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  return state_of(system);
}

static void kick(const scene *s, cdn_state *at, int report) {
  double u[2];
  memcpy(u, cdn_state_u(at), sizeof u);
  u[0] += s->x[0] * sin(1 + report);
  MUST(at, cdn_state_set_u(at, u));
}

static void wrap(const scene *s, cdn_state *at, int report) {
  (void)s, (void)report;
  double q[2];
  memcpy(q, cdn_state_q(at), sizeof q);
  q[0] = remainder(q[0], 1.5), q[1] = remainder(q[1], 2 * PI); /* the first one moves the upper link, too */
  if (memcmp(q, cdn_state_q(at), sizeof q)) MUST(at, cdn_state_set_q(at, q));
}

bool family_writes(dice *d, scene *out) {
  out->start = two_links(d), out->law = LAW_NONE;
  out->end = dice_uniform(d, 2, 6), out->finest = 0.05, out->fixed_step = 1e-3;
  out->reports = 10 + dice_below(d, 100), out->x[0] = dice_log(d, 1e-4, 0.1);
  out->write = dice_chance(d, 0.7) ? kick : wrap;
  snprintf(out->what, sizeof out->what, "two links, %s %d times, %.3g", out->write == kick ? "kicked" : "wrapped",
           out->reports, out->x[0]);
  return true;
}

bool family_cut(dice *d, scene *out) {
  out->start = two_links(d), out->law = LAW_NONE;
  out->end = dice_uniform(d, 5, 15), out->finest = 0.05, out->fixed_step = 1e-2;
  out->max_steps = 10 + dice_below(d, 200);
  snprintf(out->what, sizeof out->what, "two links, at most %lld steps a call", (long long)out->max_steps);
  return true;
}

/* ---- flight ---- */

bool family_flight(dice *d, scene *out) {
  cdn_system *system = cdn_system_create(NULL);
  solid_shape s;
  if (!solid_shape_make(d, CDN_GEOMETRY_BOX, dice_log(d, 0.01, 1), &s)) return false;
  const bool floor = dice_chance(d, 0.5);
  const double q0[7] = { 1, 0, 0, 0, 0, 0, 100 };
  const cdn_vec3 w = cdn_scale(dice_log(d, 0.3, 30), dice_direction(d));
  const double u0[6] = { w.x, w.y, w.z, dice_uniform(d, -3, 3), 0, dice_uniform(d, -3, 10) };
  cdn_body_def def = cdn_default_body_def();
  def.name = "box", def.mobilizer = CDN_FREE, def.mass = solid_shape_mass(&s, 1000), def.q0 = q0, def.u0 = u0;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = cdn_system_add_body(system, &def), shape.geometry = s.geometry;
  cdn_system_add_shape(system, &shape);
  shape = cdn_default_shape_def(), shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  if (floor) cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  out->start = state_of(system), out->law = LAW_NONE, out->end = dice_uniform(d, 1, 3);
  out->finest = 0.05, out->fixed_step = 1e-3;
  snprintf(out->what, sizeof out->what, "box of %.3g spins at %.3g rad/s%s", s.outer, cdn_norm(w),
           floor ? ", a floor far below" : "");
  return true;
}
