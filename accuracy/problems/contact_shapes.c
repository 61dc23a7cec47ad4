/* Rigid contact of shapes: what rolls, slides, tips, rocks, wobbles, and strikes with many joints; and what falls on
 * several contacts at once, of shapes and of elements. */
#include "contacts.h"

static const cdn_vec3 o = { 0, 0, 0 };
static const double g = 9.81;

/* A floor z = 0, and materials of this friction and restitution. */
typedef struct shapes {
  cdn_system *system;
  double mu, e;
} shapes;

static void put(const shapes *s, cdn_body body, cdn_geometry geometry, cdn_transform X) {
  cdn_contact_material m = cdn_default_contact_material();
  cdn_shape_def d = cdn_default_shape_def();
  m.static_friction = m.dynamic_friction = s->mu, m.restitution = s->e;
  d.body = body, d.geometry = geometry, d.material = &m, d.X_BS = X;
  cdn_system_add_shape(s->system, &d);
}

static shapes begin(double mu, double e) {
  shapes s = { cdn_system_create(NULL), mu, e };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(s.system, &contact);
  cdn_system_add_gravity(s.system, "gravity", cdn_v3(0, 0, -g));
  put(&s, cdn_ground(), (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, cdn_transform_identity());
  return s;
}

static cdn_body add_free(const shapes *s, const char *name, double m, cdn_vec3 J) {
  return add_mobile(s->system, name, cdn_ground(), CDN_FREE, solid(m, o, J.x, J.y, J.z));
}

static cdn_body add_box(const shapes *s, const char *name, double m, double x, double y, double z) {
  const cdn_vec3 J = cdn_scale(m / 3, cdn_v3(y * y + z * z, x * x + z * z, x * x + y * y));
  const cdn_body box = add_free(s, name, m, J);
  put(s, box, (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { x, y, z } }, cdn_transform_identity());
  return box;
}

/* ---- a ball with backspin, which slides until it rolls back ---- */

static void backspin_exact(const problem *p, double t, double *y) {
  const long double r = 0.1L, mu = 0.2L, a = mu * (long double)g, rolls = 8 / (3.5L * a), at = fminl(t, rolls);
  long double v = 2 - a * at, w = (-6 + 2.5L * a * at) / r;
  const long double x = 2 * at - a * at * at / 2 + v * (t - at);
  const long double angle = (-6 * at + 1.25L * a * at * at) / r + w * (t - at);
  (void)p;
  memset(y, 0, 13 * sizeof *y);
  y[0] = (double)cosl(angle / 2), y[2] = (double)sinl(angle / 2), y[4] = (double)x, y[6] = 0.1;
  y[8] = (double)w, y[10] = (double)v;
}

static int backspin_changes(const problem *p, double *t, int most) {
  (void)p, (void)most;
  t[0] = 8 / (3.5 * 0.2 * g);
  return 1;
}

static cdn_state *start_backspin(const problem *p) {
  const double r = 0.1, J = 0.4 * r * r;
  const shapes s = begin(0.2, 0);
  (void)p;
  put(&s, add_free(&s, "ball", 1, cdn_v3(J, J, J)), (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } },
      cdn_transform_identity());
  return state_with(s.system, (double[]){ 1, 0, 0, 0, 0, 0, r }, (double[]){ 0, -60, 0, 2, 0, 0 });
}

const problem shapes_backspin = {
  .name = "shapes-backspin",
  .what = "a ball with backspin on a floor, both shapes, slides until it rolls back, 2 s",
  .end = 2,
  .start = start_backspin,
  .exact = backspin_exact,
  .events = backspin_changes,
};

/* ---- a box that slides to rest ---- */

static void slide_exact(const problem *p, double t, double *y) {
  const long double v = 1.5L, a = 0.3L * (long double)g, at = fminl(t, v / a), c = cosl(0.3L), s = sinl(0.3L);
  const long double x = v * at - a * at * at / 2, now = v - a * at;
  (void)p;
  memset(y, 0, 13 * sizeof *y);
  y[0] = 1, y[4] = (double)(c * x), y[5] = (double)(s * x), y[6] = 0.1;
  y[10] = (double)(c * now), y[11] = (double)(s * now);
}

static int slide_changes(const problem *p, double *t, int most) {
  (void)p, (void)most;
  t[0] = 1.5 / (0.3 * g);
  return 1;
}

static cdn_state *start_slide(const problem *p) {
  const shapes s = begin(0.3, 0);
  (void)p;
  add_box(&s, "box", 2, 0.2, 0.3, 0.1);
  return state_with(s.system, (double[]){ 1, 0, 0, 0, 0, 0, 0.1 },
                    (double[]){ 0, 0, 0, 1.5 * cos(0.3), 1.5 * sin(0.3), 0 });
}

const problem shapes_slide = {
  .name = "shapes-slide",
  .what = "a box that slides to rest on a floor, 1 s",
  .end = 1,
  .start = start_slide,
  .exact = slide_exact,
  .events = slide_changes,
};

/* ---- a tall box that slides and tips, falls back, and rocks to rest; Housner's block ---- */

static cdn_state *start_tip(const problem *p) {
  const shapes s = begin(1.2, 0);
  (void)p;
  add_box(&s, "box", 1, 0.1, 0.2, 0.4);
  return state_with(s.system, (double[]){ 1, 0, 0, 0, 0, 0, 0.4 }, (double[]){ 0, 0, 0, 0.6, 0, 0 });
}

const problem shapes_tip = {
  .name = "shapes-tip",
  .what = "a tall box that slides, tips over two of its corners, falls back, and rocks, 1.5 s",
  .end = 1.5,
  .start = start_tip,
};

static cdn_state *start_rock(const problem *p) {
  const double b = 0.15, h = 0.5, lean = 0.1748740766867202552;
  const shapes s = begin(2, 0);
  (void)p;
  add_box(&s, "block", 1, b, 0.2, h);
  return state_with(s.system, (double[]){ cos(lean / 2), 0, sin(lean / 2), 0, 0, 0, b * sin(lean) + h * cos(lean) },
                    NULL);
}

const problem shapes_rock = {
  .name = "shapes-rock",
  .what = "a box that rocks to rest from two of its corners to the two others, 5 s",
  .end = 5,
  .start = start_rock,
  .witness = 1e-13, /* gaps of shapes are rounded more than those of points */
};

/* ---- a body that falls on several contacts at once, e = 0.5: a box on its corners, a ball in a groove; x = { height,
 * that of its middle at rest } ---- */

/* A point that falls from a height and bounces with e = 0.5: where it is, and its speed. */
static void bounce_exact(double height, double t, double *above, double *speed) {
  const long double e = 0.5L, first = sqrtl(2 * height / (long double)g);
  long double at = first, v = g * first;
  *above = *speed = 0;
  if (t < first) *above = (double)(height - g * (long double)t * t / 2), *speed = -g * t;
  while (t >= at && (v *= e) > 1e-18L) {
    const long double in = t - at;
    if (in < 2 * v / g) *above = (double)(v * in - g * in * in / 2), *speed = (double)(v - g * in);
    at += 2 * v / g;
  }
}

static int bounce_impacts(const problem *p, double *t, int most) {
  double at = sqrt(2 * p->x[0] / g), flight = at;
  int n = 0;
  for (; n < most && flight > 1e-15; at += flight, flight *= 0.5) t[n++] = at;
  return n;
}

static void drop_exact(const problem *p, double t, double *y) {
  memset(y, 0, 13 * sizeof *y);
  bounce_exact(p->x[0], t, &y[6], &y[12]);
  y[0] = 1, y[6] += p->x[1];
}

static cdn_state *start_flat(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body box = add_mobile(system, "box", cdn_ground(), CDN_FREE, solid(1, o, 0.02, 0.03, 0.04));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  for (int i = 0; i < 4; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = box, c.p_B = cdn_v3(i % 2 ? 0.2 : -0.2, i / 2 ? 0.3 : -0.3, -p->x[1]);
    c.mu_dynamic = 0.3, c.restitution = 0.5;
    cdn_system_add_rigid_contact(system, &c);
  }
  return state_with(system, (double[]){ 1, 0, 0, 0, 0, 0, p->x[0] + p->x[1] }, NULL);
}

const problem contact_flat = {
  .name = "rigid-flat",
  .what = "a box that falls flat, on four corners at once, bounces and rests, 2 s",
  .end = 2,
  .start = start_flat,
  .x = { 0.7, 0.1 },
  .exact = drop_exact,
  .events = bounce_impacts,
};

static cdn_state *start_groove(const problem *p) {
  const double r = 0.1, slope = 0.6, J = 0.4 * r * r;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_mobile(system, "ball", cdn_ground(), CDN_FREE, solid(1, o, J, J, J));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  for (int i = 0; i < 2; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = i ? "right" : "left", c.b = ball, c.radius = r, c.restitution = 0.5;
    c.X_AP = frame_z(cdn_v3(i ? -sin(slope) : sin(slope), 0, cos(slope)), o);
    cdn_system_add_rigid_contact(system, &c);
  }
  return state_with(system, (double[]){ 1, 0, 0, 0, 0, 0, p->x[0] + r / cos(slope) }, NULL);
}

const problem contact_groove = {
  .name = "rigid-groove",
  .what = "a ball that falls straight into a groove, bounces and rests, 2 s",
  .end = 2,
  .start = start_groove,
  .x = { 0.7, 0.12116283145123168 }, /* 0.1 / cos(0.6) */
  .exact = drop_exact,
  .events = bounce_impacts,
};

/* ---- boxes that fall flat, with e = 0.5: one, and two, one on the other; x = { height, how many } ---- */

static void fall_exact(const problem *p, double t, double *y) {
  const int n = (int)p->x[1];
  double above, speed;
  bounce_exact(p->x[0], t, &above, &speed);
  memset(y, 0, 13 * (size_t)n * sizeof *y);
  for (int i = 0; i < n; i++) y[7 * i] = 1, y[7 * i + 6] = 0.1 + 0.2 * i + above, y[7 * n + 6 * i + 5] = speed;
}

static cdn_state *start_fall(const problem *p) {
  const shapes s = begin(0.3, 0.5);
  double q[14] = { 0 };
  for (int i = 0; i < (int)p->x[1]; i++) {
    add_box(&s, i ? "upper" : "lower", i ? 1 : 2, 0.2, 0.3, 0.1);
    q[7 * i] = 1, q[7 * i + 6] = p->x[0] + 0.1 + 0.2 * i;
  }
  return state_with(s.system, q, NULL);
}

const problem shapes_flat = {
  .name = "shapes-flat",
  .what = "a box that falls flat on a floor, bounces and rests, 2 s",
  .end = 2,
  .start = start_fall,
  .x = { 0.7, 1 },
  .exact = fall_exact,
  .events = bounce_impacts,
};
const problem shapes_stack = {
  .name = "shapes-stack",
  .what = "two boxes, one on the other, that fall flat, bounce together and rest, 2 s",
  .end = 2,
  .start = start_fall,
  .x = { 0.7, 2 },
  .exact = fall_exact,
  .events = bounce_impacts,
};

/* ---- a coin, a cylinder whose rim rolls ---- */

static cdn_state *start_coin(const problem *p) {
  const double R = 0.1, h = 0.01, tilt = 0.4, m = 0.5, J = m * (R * R / 4 + h * h / 3);
  const shapes s = begin(0.5, 0);
  (void)p;
  put(&s, add_free(&s, "coin", m, cdn_v3(J, J, m * R * R / 2)),
      (cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { R, h } }, cdn_transform_identity());
  return state_with(s.system, (double[]){ cos(tilt / 2), sin(tilt / 2), 0, 0, 0, 0, R * sin(tilt) + h * cos(tilt) },
                    (double[]){ 0, 8, 2, 0, 0, 0 });
}

const problem shapes_coin = {
  .name = "shapes-coin",
  .what = "a coin that slips, rolls on its rim, and goes round, 0.6 s",
  .end = 0.6,
  .start = start_coin,
};

/* ---- a tippe top, a ball whose centre of mass is not its middle, on a smooth floor ---- */

static cdn_state *start_tippe(const problem *p) {
  const double R = 0.015, a = 0.003, tilt = 0.1, spin = 180;
  const shapes s = begin(0.01, 0);
  cdn_transform X = cdn_transform_identity();
  X.p.z = a;
  (void)p;
  put(&s, add_free(&s, "top", 6e-3, cdn_v3(8e-7, 8e-7, 7e-7)),
      (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } }, X);
  return state_with(s.system, (double[]){ cos(tilt / 2), sin(tilt / 2), 0, 0, 0, 0, R - a * cos(tilt) },
                    (double[]){ 0, -spin * sin(tilt), spin * cos(tilt), 0, 0, 0 });
}

const problem shapes_tippe = {
  .name = "shapes-tippe",
  .what = "a tippe top that slips on a smooth floor and rises, 0.5 s",
  .end = 0.5,
  .start = start_tippe,
};

/* ---- three capsules on two pins that fall, strike the floor, and slide on ---- */

static cdn_state *start_limbs(const problem *p) {
  const double r = 0.05, h = 0.2, J = 4 * h * h / 12;
  const shapes s = begin(0.4, 0.2);
  cdn_transform X = cdn_transform_identity();
  (void)p;
  cdn_body body = add_free(&s, "body", 1, cdn_v3(J, J, 0.002));
  put(&s, body, (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { r, h } }, X);
  for (int i = 0; i < 2; i++) { /* each hangs from the lower end of the one above */
    X.p.z = -h;
    body = add_pin(s.system, i ? "shin" : "thigh", body, cdn_v3(0, 1, 0), cdn_v3(0, 0, i ? -2 * h : -h),
                   solid(0.5, cdn_v3(0, 0, -h), J / 2, J / 2, 0.001));
    cdn_system_add_mobility_spring(s.system, NULL, body, 0, 2, 0);
    cdn_system_add_mobility_damper(s.system, NULL, body, 0, 0.2);
    put(&s, body, (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { r, h } }, X);
  }
  return state_with(s.system, (double[]){ cos(0.2), 0, sin(0.2), 0, 0, 0, 1.3, -0.5, 0.9 },
                    (double[]){ 0.3, 0, 0.5, 0.8, 0.1, 0, 0, 0 });
}

const problem shapes_limbs = {
  .name = "shapes-limbs",
  .what = "three capsules on pins with springs that fall, strike the floor with one end, and leave it, 0.6 s",
  .end = 0.6,
  .start = start_limbs,
  .witness = 1e-11, /* a slip that begins in a plane takes the more steps the tighter it is */
};
