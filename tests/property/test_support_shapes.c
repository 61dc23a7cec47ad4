/* Shapes that are known by a support function alone: what is asked of them agrees with the closed forms of the
 * library's kinds, and a shape that no kind has obeys Hertz's law and keeps its energy. Every entry of the table of
 * kinds has what its other columns call for. */
#include "../testing.h"
#include "geometry/kind.h"
#include "property/geometry_reference.h"

/* ---- support functions from definitions ---- */

typedef struct solid {
  int kind;
  double size[3], round; /* round: the solid and a ball of this radius added up */
} solid;

static double sign_of(double x) { return x < 0 ? -1 : 1; }

static cdn_vec3 support(const void *self, cdn_vec3 d) {
  const solid *s = self;
  const double *a = s->size, rho = hypot(d.x, d.y), length = cdn_norm(d);
  cdn_vec3 p = { 0, 0, 0 };
  if (s->kind == CDN_GEOMETRY_SPHERE || s->kind == CDN_GEOMETRY_CAPSULE) p = cdn_scale(a[0] / length, d);
  if (s->kind == CDN_GEOMETRY_CAPSULE) p.z += sign_of(d.z) * a[1];
  if (s->kind == CDN_GEOMETRY_BOX) p = cdn_v3(sign_of(d.x) * a[0], sign_of(d.y) * a[1], sign_of(d.z) * a[2]);
  if (s->kind == CDN_GEOMETRY_CYLINDER)
    p = cdn_v3(rho > 0 ? a[0] * d.x / rho : 0, rho > 0 ? a[0] * d.y / rho : 0, sign_of(d.z) * a[1]);
  if (s->kind == CDN_GEOMETRY_ELLIPSOID) {
    const cdn_vec3 e = cdn_v3(a[0] * d.x, a[1] * d.y, a[2] * d.z);
    p = cdn_scale(1 / cdn_norm(e), cdn_v3(a[0] * e.x, a[1] * e.y, a[2] * e.z));
  }
  return cdn_add(p, cdn_scale(s->round / length, d));
}

static cdn_geometry by_support(const solid *s) {
  const cdn_surface_ops ops = {
    .struct_size = sizeof ops, .name = "solid", .self_size = sizeof *s, .support = support, .radius = 1.5
  };
  cdn_surface *surface = NULL;
  OK(cdn_surface_create_custom(&ops, s, &surface));
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CUSTOM, .surface = surface };
}

static void release(const cdn_geometry *g) { cdn_surface_release(g->surface); }

static const int kinds[] = { CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_ELLIPSOID, CDN_GEOMETRY_CYLINDER,
                             CDN_GEOMETRY_BOX };
enum { KINDS = sizeof kinds / sizeof *kinds };

static solid random_solid(int kind) {
  return (solid){ kind, { sample_number(0.2, 0.6), sample_number(0.2, 0.6), sample_number(0.2, 0.6) }, 0 };
}
static cdn_geometry by_kind(const solid *s) {
  return (cdn_geometry){ .kind = (cdn_geometry_kind)s->kind, .size = { s->size[0], s->size[1], s->size[2] } };
}
static cdn_transform random_pose(double away) {
  return (cdn_transform){ sample_rotation(), cdn_scale(away, sample_direction()) };
}

START_TEST(queries_are_those_of_closed_forms) {
  for (int trial = 0; trial < FEWER(300); trial++) {
    const solid s = random_solid(kinds[trial % KINDS]), t = random_solid(kinds[trial / KINDS % KINDS]);
    const cdn_geometry a = by_kind(&s), b = by_kind(&t), as = by_support(&s), bs = by_support(&t);
    const cdn_transform X_A = random_pose(0.1), X_B = random_pose(sample_number(0.4, 1.6));
    cdn_proximity one, two;
    OK(cdn_geometry_distance(&a, &X_A, &b, &X_B, &one));
    OK(cdn_geometry_distance(&as, &X_A, &bs, &X_B, &two));
    NEAR(two.distance, one.distance, 1e-8);
    OK(cdn_geometry_distance(&as, &X_A, &b, &X_B, &two));
    NEAR(two.distance, one.distance, 1e-8);
    cdn_vec3 low, high, low_s, high_s;
    OK(cdn_geometry_bounds(&a, &X_A, &low, &high));
    OK(cdn_geometry_bounds(&as, &X_A, &low_s, &high_s));
    AT_MOST(cdn_norm(cdn_sub(low, low_s)) + cdn_norm(cdn_sub(high, high_s)), 1e-14);
    cdn_ray_hit hit, hit_s;
    int n, n_s;
    const cdn_vec3 from = cdn_scale(3, sample_direction()),
                   aim = cdn_sub(cdn_scale(sample_number(0, 0.1), sample_direction()), from);
    OK(cdn_geometry_ray(&a, &X_A, from, aim, INFINITY, 1, &hit, &n));
    OK(cdn_geometry_ray(&as, &X_A, from, aim, INFINITY, 1, &hit_s, &n_s));
    ck_assert_int_eq(n, 1);
    ck_assert_int_eq(n_s, 1);
    NEAR(hit_s.distance, hit.distance, 1e-7);
    release(&as), release(&bs);
  }
}
END_TEST

/* ---- contact ---- */

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
} scene;

static scene make_scene(const cdn_geometry *ground, const cdn_geometry *moving) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_contact_material m = cdn_default_contact_material();
  m.dissipation = 0, m.static_friction = m.dynamic_friction = 0;
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 2, body.mass.inertia = (cdn_inertia){ 0.2, 0.25, 0.3, 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry = *ground, shape.material = &m;
  cdn_system_add_shape(s.system, &shape);
  shape.body = cdn_system_add_body(s.system, &body), shape.geometry = *moving;
  cdn_system_add_shape(s.system, &shape);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

static void free_scene(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

static void place(scene *s, cdn_transform X) {
  const cdn_quaternion r = cdn_quaternion_from_rotation(X.R);
  const double q[7] = { r.w, r.x, r.y, r.z, X.p.x, X.p.y, X.p.z };
  OK_ON(s->state, cdn_body_set_q(s->state, (cdn_body){ 1 }, 7, q));
}

/* A pose that overlaps the ground by about 1 mm. */
static cdn_transform touching(const cdn_geometry *ground, const cdn_geometry *moving) {
  const cdn_transform here = cdn_transform_identity();
  cdn_transform X = random_pose(0.3);
  cdn_proximity near;
  OK(cdn_geometry_distance(ground, &here, moving, &X, &near));
  X.p = cdn_sub(X.p, cdn_scale(near.distance + 1e-3, near.normal));
  return X;
}

static cdn_contact contact_at(scene *s, cdn_transform X) {
  cdn_contact c;
  place(s, X);
  OK_ON(s->state, cdn_contact_get(s->state, 0, &c));
  return c;
}

START_TEST(an_ellipsoid_by_support_touches_as_one) {
  const solid other = { CDN_GEOMETRY_ELLIPSOID, { 0.5, 0.3, 0.4 }, 0 };
  const cdn_geometry grounds[] = { { .kind = CDN_GEOMETRY_HALF_SPACE },
                                   { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.4 } },
                                   by_kind(&other) };
  for (int trial = 0; trial < FEWER(60); trial++) {
    const solid s = random_solid(CDN_GEOMETRY_ELLIPSOID);
    const cdn_geometry ground = grounds[trial % 3], a = by_kind(&s), b = by_support(&s);
    scene one = make_scene(&ground, &a), two = make_scene(&ground, &b);
    const cdn_transform X = touching(&ground, &a);
    const cdn_contact c = contact_at(&one, X), d = contact_at(&two, X);
    NEAR(d.depth, c.depth, 1e-8);
    NEAR(d.force, c.force, 3e-5 * c.force); /* the normal is known to 1e-5, and the curvatures there */
    NEAR(d.radius[0], c.radius[0], 3e-5 * c.radius[0]);
    AT_MOST(cdn_norm(cdn_sub(d.normal, c.normal)), 2e-5);
    AT_MOST(cdn_norm(cdn_sub(d.side_force, c.side_force)), 1e-4 * c.force * c.depth);
    AT_MOST(cdn_norm(cdn_sub(d.side_moment, c.side_moment)), 1e-4 * c.force * c.depth);
    free_scene(&one), free_scene(&two), release(&b);
  }
}
END_TEST

/* An ellipsoid and a ball added up have no closed form here. On its pole its principal radii are a^2 / c + r and
 * b^2 / c + r: those of an ellipsoid with other axes, whose force is the same. */
START_TEST(a_rounded_ellipsoid_has_its_radii) {
  const solid s = { CDN_GEOMETRY_ELLIPSOID, { 0.5, 0.3, 0.4 }, 0.1 };
  const double c = 0.45, like[3] = { sqrt(c * (0.25 / 0.4 + 0.1)), sqrt(c * (0.09 / 0.4 + 0.1)), c };
  const cdn_geometry ground = { .kind = CDN_GEOMETRY_HALF_SPACE }, a = by_support(&s);
  const cdn_geometry b = { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { like[0], like[1], like[2] } };
  scene one = make_scene(&ground, &a), two = make_scene(&ground, &b);
  cdn_transform X = cdn_transform_identity();
  X.p.z = 0.5 - 1e-3;
  const cdn_contact of_a = contact_at(&one, X);
  X.p.z = c - 1e-3;
  const cdn_contact of_b = contact_at(&two, X);
  NEAR(of_a.force, of_b.force, 1e-8 * of_b.force);
  NEAR(of_a.radius[1], of_b.radius[1], 1e-8 * of_b.radius[1]);
  free_scene(&one), free_scene(&two), release(&a);
}
END_TEST

/* The power of the force is what the energy loses. */
START_TEST(forces_are_the_gradient_of_the_energy) {
  const cdn_geometry grounds[] = { { .kind = CDN_GEOMETRY_HALF_SPACE },
                                   { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.4 } },
                                   { .kind = CDN_GEOMETRY_BOX, .size = { 3, 3, 3 } } };
  for (int trial = 0; trial < FEWER(60); trial++) {
    solid s = random_solid(CDN_GEOMETRY_ELLIPSOID);
    s.round = 0.1;
    const cdn_geometry ground = grounds[trial % 3], g = by_support(&s);
    scene scene_ = make_scene(&ground, &g);
    cdn_transform X = touching(&ground, &g);
    const cdn_contact c = contact_at(&scene_, X);
    const cdn_vec3 w = sample_direction(), v = cdn_scale(0.1, sample_direction());
    const cdn_vec3 force = cdn_add(cdn_scale(c.force, c.normal), c.side_force);
    const double power = cdn_dot(force, cdn_add(v, cdn_cross(w, cdn_sub(c.point, X.p)))) + cdn_dot(c.side_moment, w);
    const double h = 1e-5;
    double energy[2];
    for (int i = 0; i < 2; i++) {
      const double t = i ? h : -h;
      const cdn_transform moved = { cdn_rotation_multiply(cdn_rotation_axis_angle(w, t), X.R),
                                    cdn_add(X.p, cdn_scale(t, v)) };
      place(&scene_, moved);
      OK_ON(scene_.state, cdn_potential_energy(scene_.state, &energy[i]));
    }
    NEAR((energy[1] - energy[0]) / (2 * h), -power, 2e-5 * c.force);
    free_scene(&scene_), release(&g);
  }
}
END_TEST

static double ball_distance(const void *self, cdn_vec3 p, cdn_vec3 *gradient) {
  (void)self;
  *gradient = cdn_scale(1 / cdn_norm(p), p);
  return cdn_norm(p) - 0.5;
}

/* A distance does not tell curvatures: freezing says what the shape lacks. */
START_TEST(what_lacks_a_support_function_is_named) {
  const cdn_surface_ops ops = { .struct_size = sizeof ops, .distance = ball_distance, .radius = 0.5 };
  cdn_surface *surface;
  OK(cdn_surface_create_custom(&ops, NULL, &surface));
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.name = "pebble", shape.body = cdn_system_add_body(system, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CUSTOM, .surface = surface };
  cdn_system_add_shape(system, &shape);
  FAILS(cdn_system_freeze(system), CDN_ERR_UNSUPPORTED);
  ck_assert(strstr(cdn_last_error_text(), "pebble") && strstr(cdn_last_error_text(), "cdn_surface_ops.support"));
  cdn_system_release(system);
  cdn_surface_release(surface);
}
END_TEST

START_TEST(entries_have_what_they_need) {
  for (int i = 0; i < CDN_GEOMETRY_KIND_COUNT; i++)
    ck_assert_msg(!cdni_geometry_kind_lacks(cdni_geometry_kinds[i]), "%s lacks %s", cdni_geometry_kinds[i]->name,
                  cdni_geometry_kind_lacks(cdni_geometry_kinds[i]));
  /* a kind of a name, a ball and a support function is whole; planes are wanted where contact asks for them */
  const geometry_kind *ellipsoid = cdni_geometry_kinds[CDN_GEOMETRY_ELLIPSOID];
  geometry_kind pebble = {
    .name = "pebble", .is_convex = true, .ball = ellipsoid->ball, .support = ellipsoid->support
  };
  ck_assert_ptr_null(cdni_geometry_kind_lacks(&pebble));
  pebble.contact = CONTACT_ROUND;
  ck_assert_ptr_null(cdni_geometry_kind_lacks(&pebble));
  pebble.contact = CONTACT_FACES;
  ck_assert_str_eq(cdni_geometry_kind_lacks(&pebble), "faces");
  pebble.contact = CONTACT_ROUND, pebble.support = NULL;
  ck_assert_str_eq(cdni_geometry_kind_lacks(&pebble), "support");
}
END_TEST

CHECK_MAIN("support_shapes", queries_are_those_of_closed_forms, an_ellipsoid_by_support_touches_as_one,
           a_rounded_ellipsoid_has_its_radii, forces_are_the_gradient_of_the_energy,
           what_lacks_a_support_function_is_named, entries_have_what_they_need)
