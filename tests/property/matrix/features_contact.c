/* shared by tests in this folder */
/* Features: contact of each kind of geometry by compliant laws, friction by slip speed and friction that sticks, soft
 * soft contact. */
#include <stdlib.h>

#include <cardan/actuators.h>
#include <cardan/contact_law.h>

#include "matrix.h"

/* ---- shapes ---- */

static cdn_surface *hull(void) {
  static const double points[] = { 0.2, 0.1, 0.1,  -0.15, 0.2, 0.1,  -0.2, -0.15, 0.1,  0.1, -0.2, 0.1,
                                   0.1, 0.1, -0.1, -0.1,  0.1, -0.1, -0.1, -0.1,  -0.1, 0.1, -0.1, -0.1 };
  cdn_surface *out = NULL;
  OK(cdn_surface_create_convex(8, points, &out));
  return out;
}

/* A block whose upper and lower sides have many triangles. */
static cdn_surface *block(void) {
  enum { N = 4, SIDE = (N + 1) * (N + 1) };
  double v[2 * SIDE * 3];
  int t[(4 * N * N + 8 * N) * 3], n = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i <= N; i++)
      for (int j = 0; j <= N; j++) {
        double *p = v + 3 * (k * SIDE + i * (N + 1) + j);
        p[0] = 0.1 * i - 0.2, p[1] = 0.1 * j - 0.2, p[2] = k ? 0.1 : -0.1;
      }
#define TRIANGLE(a, b, c) t[n++] = (a), t[n++] = (b), t[n++] = (c)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const int a = i * (N + 1) + j, b = a + N + 1, c = a + 1, d = b + 1;
      TRIANGLE(SIDE + a, SIDE + b, SIDE + d);
      TRIANGLE(SIDE + a, SIDE + d, SIDE + c);
      TRIANGLE(a, d, b);
      TRIANGLE(a, c, d);
    }
  for (int i = 0; i < N; i++) {
    const int rim[4][2] = { { i * (N + 1), (i + 1) * (N + 1) }, /* y low: outward -y */
                            { (i + 1) * (N + 1) + N, i * (N + 1) + N },
                            { i + 1, i },
                            { N * (N + 1) + i, N * (N + 1) + i + 1 } };
    for (int k = 0; k < 4; k++) {
      const int a = rim[k][0], b = rim[k][1];
      TRIANGLE(a, b, SIDE + b);
      TRIANGLE(a, SIDE + b, SIDE + a);
    }
  }
#undef TRIANGLE
  cdn_surface *out = NULL;
  OK(cdn_surface_create_mesh(2 * SIDE, v, n / 3, t, &out));
  return out;
}

static cdn_surface *hills(void) {
  double h[36];
  cdn_surface *out = NULL;
  for (int i = 0; i < 36; i++) { /* a slope through the origin, whose triangles are in one plane, and a rim */
    const double x = i % 6 - 2.5, y = i / 6 - 2.5;
    h[i] = 0.02 * x - 0.01 * y + (fabs(x) > 2 || fabs(y) > 2 ? 0.01 * sin(i) : 0);
  }
  OK(cdn_surface_create_height_field(6, 6, h, 0.5, 0.5, &out));
  return out;
}

static double egg_distance(const void *self, cdn_vec3 p, cdn_vec3 *gradient) {
  (void)self;
  const double r = cdn_norm(p);
  *gradient = cdn_scale(1 / r, p);
  return r - 0.1;
}
static cdn_surface *egg(void) {
  const cdn_surface_ops ops = { .struct_size = sizeof ops, .name = "egg", .distance = egg_distance, .radius = 0.1 };
  cdn_surface *out = NULL;
  OK(cdn_surface_create_custom(&ops, NULL, &out));
  return out;
}

/* Half its size along z. Each kind of geometry has an entry. */
static double make_geometry(cdn_geometry_kind kind, cdn_geometry *g) {
  *g = (cdn_geometry){ .kind = kind };
  switch (kind) {
    case CDN_GEOMETRY_SPHERE: g->size[0] = 0.1; return 0.1;
    case CDN_GEOMETRY_HALF_SPACE: return 0;
    case CDN_GEOMETRY_CAPSULE: g->size[0] = 0.1, g->size[1] = 0.2; return 0.3;
    case CDN_GEOMETRY_ELLIPSOID: g->size[0] = 0.15, g->size[1] = 0.2, g->size[2] = 0.1; return 0.1;
    case CDN_GEOMETRY_CYLINDER: g->size[0] = 0.1, g->size[1] = 0.1; return 0.1;
    case CDN_GEOMETRY_BOX: g->size[0] = 0.15, g->size[1] = 0.1, g->size[2] = 0.1; return 0.1;
    case CDN_GEOMETRY_CONVEX: g->surface = hull(); return 0.1;
    case CDN_GEOMETRY_MESH: g->surface = block(); return 0.1;
    case CDN_GEOMETRY_HEIGHT_FIELD: g->surface = hills(); return 0;
    case CDN_GEOMETRY_CUSTOM: g->surface = egg(); return 0.1;
    case CDN_GEOMETRY_KIND_COUNT: break;
  }
  ck_abort_msg("no geometry");
  return 0;
}

/* ---- two that touch ---- */

/* Each kind of friction and each model of contact has rows in the table. */
static inline void each_friction(cdn_friction friction, cdn_contact_model model) {
  switch (friction) {
    case CDN_FRICTION_SLIP_SPEED:      /* SLIDES */
    case CDN_FRICTION_STICKING: break; /* STICKS */
  }
  switch (model) {
    case CDN_CONTACT_OF_SYSTEM: break;
    case CDN_CONTACT_COMPLIANT:    /* SLIDES, STICKS */
    case CDN_CONTACT_SOFT:         /* CONVEX */
    case CDN_CONTACT_RIGID: break; /* features_hybrid.c */
  }
}

typedef struct touching {
  cdn_geometry_kind below, above;
  double depth, tilt;
  cdn_friction friction;
  double rolling, speed; /* friction; 0: that of all scenes */
  int condim;            /* of soft contact; 0: as it is */
  bool pyramidal;
  double gap; /* of soft contact: acts before it touches */
} touching;

static const touching *touching_of(const scene *s) { return scene_feature(s)->data; }

static cdn_shape add_shape(scene *s, cdn_body body, cdn_geometry_kind kind, cdn_transform X_G, double side,
                           double depth, uint32_t mask, const char *name) {
  const touching *t = touching_of(s);
  cdn_contact_material material = cdn_default_contact_material();
  cdn_soft_material soft = cdn_default_soft_material();
  material.modulus = 2e4, material.static_friction = 0.6, material.dynamic_friction = 0.4;
  material.viscous_friction = 0.05, material.torsional_friction = t->rolling, material.rolling_friction = t->rolling;
  material.thickness = 0.1;
  if (t->condim) soft.condim = t->condim;
  if (t->gap > 0) soft.margin = t->gap;
  cdn_shape_def def = cdn_default_shape_def();
  def.name = name, def.body = body, def.type = def.affinity = mask, def.material = &material, def.soft = &soft;
  const double half = make_geometry(kind, &def.geometry);
  X_G.p = cdn_sub(X_G.p, cdn_scale(side * (half - depth / 2), X_G.R.z));
  def.X_BS = scene_frame(s, body, X_G);
  const cdn_shape shape = cdn_system_add_shape(s->system, &def);
  if (def.geometry.surface) cdn_surface_release(def.geometry.surface);
  return shape;
}

/* The lower one's z points at the upper one. The upper one is tilted, but for its z. */
static void add_touch_by(scene *s, uint32_t mask) {
  const touching *t = touching_of(s);
  static const char *const names[2][2] = { { "anvil", "hammer" }, { "sole", "foot" } };
  const cdn_body below = s->ball, above = s->loose[0];
  cdn_transform X = { scene_rotation(s), cdn_add(s->X[above.i].p, scene_vec3(s, 0.1)) };
  add_shape(s, below, t->below, X, 1, t->depth, mask, names[s->now][0]);
  X.R = cdn_rotation_multiply(X.R, cdn_rotation_axis_angle(cdn_v3(1, 2, 0), t->tilt));
  X.R = cdn_rotation_multiply(X.R, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.5)); /* no edges along edges */
  add_shape(s, above, t->above, X, -1, t->depth, mask, names[s->now][1]);
  s->has_contact = true;
  s->contact.transition_velocity = 0.1;
  if (t->friction == CDN_FRICTION_STICKING) s->contact.friction = CDN_FRICTION_STICKING;
  if (t->speed > 0) s->u_size = t->speed;
  if (scene_feature(s)->contact == SOFT_CONTACT) {
    s->contact.model = CDN_CONTACT_SOFT;
    s->has_soft = true;
    if (t->pyramidal) s->soft.cone = CDN_SOFT_PYRAMIDAL;
  }
}
static void add_touch(scene *s) { add_touch_by(s, 2u << s->now); }

/* The memory of friction is of slots in a unit of its own, some of which are loaded. */
static void load_friction(scene *s, cdn_state *state) {
  char name[96];
  for (int i = 0; i < cdn_system_nz(cdn_state_system(state)); i++) {
    cdn_system_slot_name(cdn_state_system(state), CDN_POOL_Z, i, name, sizeof name);
    const double z = scene_number(s, -20, 20);
    if (strstr(name, "contact")) OK_ON(state, cdn_state_set_slots(state, CDN_POOL_Z, i, 1, &z));
  }
}

/* Of the user's: an egg on a half-space is pushed by the square of the depth, and tells its energy or does not. */
static cdn_status push_egg(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  const bool half_first = in->geometry_a->kind == CDN_GEOMETRY_HALF_SPACE;
  const cdn_transform half = half_first ? in->X_GA : in->X_GB;
  const cdn_vec3 center = half_first ? in->X_GB.p : in->X_GA.p;
  const double x = 0.1 - cdn_dot(half.R.z, cdn_sub(center, half.p));
  if (x <= 0) return CDN_OK;
  cdn_law_contact c = cdn_default_law_contact();
  c.normal = cdn_scale(half_first ? 1 : -1, half.R.z);
  c.point = cdn_sub(center, cdn_scale(0.1 - x / 2, half.R.z));
  c.depth = x, c.elastic = 3000 * x * x, c.damping = 0.2, c.numbers[0] = 3000;
  if (*(const bool *)self) c.energy = 1000 * x * x * x;
  return cdn_law_add(out, &c);
}
/* As the first feature of a scene it tells force and energy, as the second one it says its pressure, without slopes. */
static double egg_pressure(const double *p, double x, double v) { return p[0] * x * x * (1 + 0.2 * v); }
static double egg_potential(const double *p, double x) { return p[0] / 3 * x * x * x; }
static void add_own_law(scene *s) {
  const bool tells = true;
  cdn_contact_law_def def = cdn_default_contact_law_def();
  def.name = "egg", def.a = CDN_GEOMETRY_HALF_SPACE, def.b = CDN_GEOMETRY_CUSTOM, def.find = push_egg;
  def.self = &tells, def.self_size = sizeof tells;
  if (s->now > 0) def.pressure = egg_pressure, def.potential = egg_potential;
  cdn_system_add_contact_law(s->system, &def);
  add_touch(s);
}

/* The user's function finds a ball on a half-space, neither of which touches anything by itself; the second one moves
 * with time, and its force follows the speed of a joint. */
typedef struct field {
  cdn_shape ground, ball;
  cdn_body joint; /* -1: it reads poses alone */
} field;
static cdn_status find_field(const void *self, cdn_state *state, cdn_source_output *out) {
  const field *f = self;
  cdn_geometry geometry;
  cdn_transform ground, ball;
  CDN_TRY(cdn_shape_get(state, f->ground, &geometry, &ground));
  CDN_TRY(cdn_shape_get(state, f->ball, &geometry, &ball));
  cdn_law_contact c = cdn_default_law_contact();
  c.normal = ground.R.z;
  c.depth = geometry.size[0] - cdn_dot(c.normal, cdn_sub(ball.p, ground.p));
  c.point = cdn_sub(ball.p, cdn_scale(geometry.size[0] - 0.5 * c.depth, c.normal));
  c.curvature[0] = c.curvature[1] = 1 / geometry.size[0];
  if (f->joint.i > 0) {
    c.curvature[0] = c.curvature[1] = 0;
    c.depth += 1e-4 * sin(cdn_state_time(state)) + 1e-4 * tanh(u_of(state, f->joint));
    c.elastic = 5e3 * fmax(c.depth, 0), c.damping = 0.2;
  }
  return cdn_source_add(out, f->ground, f->ball, &c);
}
static void add_source(scene *s) {
  cdn_contact_source_def def = cdn_default_contact_source_def();
  const uint32_t n = (uint32_t)cdn_system_shape_count(s->system);
  const cdn_ticket reads[] = { CDN_T, CDN_U_EFF };
  add_touch_by(s, 0);
  const field self = { { (int32_t)n }, { (int32_t)n + 1 }, { s->now > 0 ? s->slider.i : -1 } };
  def.name = s->now ? "second field" : "field", def.find = find_field, def.self = &self, def.self_size = sizeof self;
  if (s->now > 0) def.reads = reads, def.n_reads = 2;
  cdn_system_add_contact_source(s->system, &def);
}

/* An actuator presses the two together. */
static void add_pressed(scene *s) {
  cdn_control_def control = cdn_default_control_def();
  cdn_drive_def def = cdn_default_drive_def();
  add_touch(s);
  control.name = s->now ? "grip" : "hold", control.initial = 0.7;
  def.control = cdn_system_add_control(s->system, &control);
  def.on = CDN_ON_CONTACTS, def.body = s->loose[0];
  def.dynamics = CDN_ACTUATOR_FILTER, def.gain[0] = 3, def.bias[2] = -2;
  cdn_system_add_drive(s->system, s->now ? "grip" : "hold", &def);
}

/* A belt: the surface of the lower shape moves. */
static void add_belt(scene *s) {
  const touching *t = touching_of(s);
  cdn_transform X = { scene_rotation(s), cdn_add(s->X[s->loose[0].i].p, scene_vec3(s, 0.1)) };
  cdn_shape_def def = cdn_default_shape_def();
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = 1e5;
  def.name = "belt", def.geometry.kind = CDN_GEOMETRY_HALF_SPACE, def.material = &material;
  def.type = def.affinity = 2u << s->now;
  def.surface_velocity = cdn_v3(0.4, -0.2, 0), def.surface_spin = cdn_v3(0, 0, 0.5);
  cdn_transform Y = X;
  Y.p = cdn_add(Y.p, cdn_scale(t->depth / 2, Y.R.z));
  def.X_BS = Y;
  cdn_system_add_shape(s->system, &def);
  add_shape(s, s->loose[0], t->above, X, -1, t->depth, 2u << s->now, "load");
  s->has_contact = true;
  s->contact.transition_velocity = 0.1;
}

/* ---- the table ---- */

#define HALF_SPACE CDN_GEOMETRY_HALF_SPACE
#define SPHERE CDN_GEOMETRY_SPHERE
#define BOX CDN_GEOMETRY_BOX
/* clang-format off */
#define TOUCH(...) .data = &(const touching){ __VA_ARGS__ }
#define SLIDES(lower, upper, deep, slope) \
  .contact = COMPLIANT_CONTACT, TOUCH(.below = lower, .above = upper, .depth = deep, .tilt = slope)
#define STICKS(lower, upper, deep, slope, roll, most) \
  .begin = load_friction, .contact = COMPLIANT_CONTACT, \
  TOUCH(.below = lower, .above = upper, .depth = deep, .tilt = slope, .friction = CDN_FRICTION_STICKING, \
        .rolling = roll, .speed = most)
#define CONVEX(lower, upper, dim, edges, deep, acts) \
  .contact = SOFT_CONTACT, .soft = true, \
  TOUCH(.below = lower, .above = upper, .depth = deep, .tilt = 0.02, .condim = dim, .pyramidal = edges, .gap = acts)
static const refusal source_refuses[] = { { "invertible motion", NULL, "field" }, { NULL, NULL, NULL } };

static const feature table[] = {
  { .name = "ball on half-space", .add = add_touch, SLIDES(HALF_SPACE, SPHERE, 2e-3, 0) },
  { .name = "capsule on ball", .add = add_touch, SLIDES(SPHERE, CDN_GEOMETRY_CAPSULE, 2e-3, 0) },
  { .name = "ellipsoid on ball", .differenced = true, .add = add_touch,
    SLIDES(SPHERE, CDN_GEOMETRY_ELLIPSOID, 2e-3, 0.1) },
  { .name = "ball on box", .add = add_touch, SLIDES(BOX, SPHERE, 2e-3, 0) },
  { .name = "box on half-space", .differenced = true, .add = add_touch, SLIDES(HALF_SPACE, BOX, 4e-3, 0.02) },
  { .name = "hull on cylinder", .differenced = true, .add = add_touch,
    SLIDES(CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_CONVEX, 4e-3, 0.02) },
  { .name = "ball on mesh", .differenced = true, .add = add_touch, SLIDES(CDN_GEOMETRY_MESH, SPHERE, 3e-2, 0) },
  { .name = "ball on height field", .differenced = true, .add = add_touch,
    SLIDES(CDN_GEOMETRY_HEIGHT_FIELD, SPHERE, 3e-2, 0) },
  { .name = "law of the user's", .differenced = true, .add = add_own_law,
    SLIDES(HALF_SPACE, CDN_GEOMETRY_CUSTOM, 2e-2, 0) },
  { .name = "source of the user's", .differenced = true, .refuses = source_refuses, .add = add_source, SLIDES(HALF_SPACE, SPHERE, 2e-3, 0) },
  { .name = "belt", .add = add_belt, SLIDES(HALF_SPACE, SPHERE, 2e-3, 0) },
  { .name = "sticking ball", .add = add_touch, STICKS(HALF_SPACE, SPHERE, 2e-3, 0, 0, 0.003) },
  { .name = "sticking box", .differenced = true, .add = add_touch, STICKS(BOX, BOX, 4e-3, 0.02, 0, 0) },
  { .name = "rolling ball", .add = add_touch, STICKS(SPHERE, SPHERE, 2e-3, 0, 0.01, 0) },
  { .name = "convex ball", .add = add_touch, CONVEX(HALF_SPACE, SPHERE, 3, false, 2e-3, 0) },
  { .name = "convex frictionless", .add = add_touch, CONVEX(SPHERE, CDN_GEOMETRY_CAPSULE, 1, false, 2e-3, 0.01) },
  { .name = "convex rolling", .add = add_touch, CONVEX(SPHERE, SPHERE, 6, false, 2e-3, 0) },
  { .name = "convex box", .add = add_touch, CONVEX(HALF_SPACE, BOX, 4, false, 8e-3, 0) },
  { .name = "convex pressed", .differenced = true, .add = add_pressed, CONVEX(HALF_SPACE, SPHERE, 3, false, 2e-3, 0) },
  { .name = "convex law of the user's", .differenced = true, .add = add_own_law,
    CONVEX(HALF_SPACE, CDN_GEOMETRY_CUSTOM, 3, false, 2e-2, 0) },
  { .name = "convex source of the user's", .differenced = true, .refuses = source_refuses, .add = add_source,
    CONVEX(HALF_SPACE, SPHERE, 3, false, 2e-3, 0) },
  { .name = "convex pyramid", .add = add_touch, CONVEX(BOX, SPHERE, 3, true, 2e-3, 0) },
};
/* clang-format on */

void contact_features_have_all_kinds(void) {
  for (int kind = 0; kind < CDN_GEOMETRY_KIND_COUNT; kind++) {
    bool there = false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
      const touching *t = table[i].data;
      there = there || (int)t->below == kind || (int)t->above == kind;
    }
    ck_assert_msg(there, "no row of features_contact.c has a %s", cdn_geometry_kind_name((cdn_geometry_kind)kind));
  }
}

feature_table contact_features(void) { return (feature_table){ table, (int)(sizeof table / sizeof *table) }; }
