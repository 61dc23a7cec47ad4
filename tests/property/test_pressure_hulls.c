/* Pressure fields of hulls with hundreds of faces: forces against a sum over all pairs of faces, which knows no boxes
 * and no order, and the
 * energy against the work of the force, also where one hull is wholly within the other. */
#include "../testing.h"
#include "property/mesh_shapes.h"

static const double THICKNESS = 0.1, MODULUS[2] = { 1e6, 3e6 };

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_surface *hull[2];
  cdn_measure energy;
} scene;

/* The hull of n points of an ellipsoid. */
static cdn_surface *egg(int n, double x, double y, double z, uint64_t *seed) {
  double *points = malloc(sizeof *points * 3 * (size_t)n);
  for (int i = 0; i < n; i++) {
    const cdn_vec3 d = mesh_direction(seed);
    points[3 * i] = x * d.x, points[3 * i + 1] = y * d.y, points[3 * i + 2] = z * d.z;
  }
  cdn_surface *hull;
  OK(cdn_surface_create_convex(n, points, &hull));
  free(points);
  return hull;
}

static cdn_body add_free_body(cdn_system *system) {
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.2, 0.25, 0.3, 0, 0, 0 };
  return cdn_system_add_body(system, &body);
}

/* The shape has the material i; without a hull it is a half-space. */
static void add_shape(cdn_system *system, int i, cdn_body body, cdn_surface *hull, cdn_transform X_BS) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = MODULUS[i], m.dissipation = 0, m.static_friction = m.dynamic_friction = 0, m.thickness = THICKNESS;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = body, shape.material = &m, shape.X_BS = X_BS;
  shape.geometry.kind = hull ? CDN_GEOMETRY_CONVEX : CDN_GEOMETRY_HALF_SPACE;
  shape.geometry.surface = hull;
  cdn_system_add_shape(system, &shape);
}

/* Takes the hulls. */
static scene make_scene(cdn_surface *a, cdn_surface *b) {
  scene s = { .system = cdn_system_create(NULL), .hull = { a, b } };
  for (int i = 0; i < 2; i++) add_shape(s.system, i, add_free_body(s.system), s.hull[i], cdn_transform_identity());
  cdn_contact_measure_def stored = cdn_default_contact_measure_def();
  stored.quantity = CDN_CONTACT_ENERGY;
  s.energy = cdn_system_add_contact_measure(s.system, &stored);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

static void free_scene(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
  for (int i = 0; i < 2; i++) cdn_surface_release(s->hull[i]);
}

static void place(scene *s, int body, cdn_transform X) {
  const cdn_quaternion r = cdn_quaternion_from_rotation(X.R);
  const double q[7] = { r.w, r.x, r.y, r.z, X.p.x, X.p.y, X.p.z };
  OK_ON(s->state, cdn_body_set_q(s->state, (cdn_body){ body + 1 }, 7, q));
}

/* ---- the slow sum ---- */

enum { MOST_CORNERS = 200 };

/* The pressure is h - w . x. */
typedef struct face {
  cdn_vec3 w;
  double h;
} face;

typedef struct polygon {
  int n;
  cdn_vec3 corner[MOST_CORNERS];
} polygon;

static face *faces_of(const cdn_surface *s, cdn_transform X, double stiffness, int *n) {
  cdn_surface_info info;
  OK(cdn_surface_get_info(s, &info));
  face *faces = malloc(sizeof *faces * (size_t)info.n_triangles);
  for (int i = 0; i < info.n_triangles; i++) {
    int t[3];
    cdn_vec3 v[3];
    OK(cdn_surface_triangle(s, i, t));
    for (int k = 0; k < 3; k++) {
      OK(cdn_surface_vertex(s, t[k], &v[k]));
      v[k] = cdn_transform_point(X, v[k]);
    }
    const cdn_vec3 across = cdn_cross(cdn_sub(v[1], v[0]), cdn_sub(v[2], v[0]));
    faces[i].w = cdn_scale(stiffness / cdn_norm(across), across), faces[i].h = cdn_dot(faces[i].w, v[0]);
  }
  *n = info.n_triangles;
  return faces;
}

/* Keeps the part where h - w . x >= 0. */
static void keep(polygon *p, cdn_vec3 w, double h) {
  polygon out = { .n = 0 };
  for (int i = 0, before = p->n - 1; i < p->n; before = i++) {
    const double at = h - cdn_dot(w, p->corner[i]), was = h - cdn_dot(w, p->corner[before]);
    if ((at < 0) != (was < 0))
      out.corner[out.n++] =
          cdn_add(p->corner[before], cdn_scale(was / (was - at), cdn_sub(p->corner[i], p->corner[before])));
    if (at >= 0) out.corner[out.n++] = p->corner[i];
  }
  p->n = out.n;
  memcpy(p->corner, out.corner, sizeof out.corner[0] * (size_t)out.n);
}

/* The force on b of the place where face i of a and face j of b have one pressure, and its moment about the origin. */
static void add_pair(const face *a, int n_a, int i, const face *b, int n_b, int j, cdn_spatial *sum) {
  const cdn_vec3 across = cdn_sub(a[i].w, b[j].w);
  const double length = cdn_norm(across), offset = (a[i].h - b[j].h) / length;
  const cdn_vec3 n = cdn_scale(1 / length, across);
  const cdn_vec3 axis = fabs(n.x) < 0.7 ? cdn_v3(1, 0, 0) : cdn_v3(0, 1, 0);
  cdn_vec3 x = cdn_cross(axis, n);
  x = cdn_scale(5 / cdn_norm(x), x);
  const cdn_vec3 y = cdn_cross(n, x), o = cdn_scale(offset, n);
  polygon p = {
    4, { cdn_sub(cdn_sub(o, x), y), cdn_sub(cdn_add(o, x), y), cdn_add(cdn_add(o, x), y), cdn_add(cdn_sub(o, x), y) }
  };
  keep(&p, a[i].w, a[i].h);
  for (int k = 0; k < n_a && p.n > 2; k++)
    if (k != i) keep(&p, cdn_sub(a[k].w, a[i].w), a[k].h - a[i].h);
  for (int k = 0; k < n_b && p.n > 2; k++)
    if (k != j) keep(&p, cdn_sub(b[k].w, b[j].w), b[k].h - b[j].h);
  for (int k = 1; k + 1 < p.n; k++) {
    const cdn_vec3 t[3] = { p.corner[0], p.corner[k], p.corner[k + 1] };
    const double area = 0.5 * cdn_dot(n, cdn_cross(cdn_sub(t[1], t[0]), cdn_sub(t[2], t[0])));
    /* exact for what is quadratic: the middles of the sides */
    for (int l = 0; l < 3; l++) {
      const cdn_vec3 at = cdn_scale(0.5, cdn_add(t[l], t[(l + 1) % 3]));
      const cdn_vec3 f = cdn_scale(area / 3 * (a[i].h - cdn_dot(a[i].w, at)), n);
      sum->v = cdn_add(sum->v, f), sum->w = cdn_add(sum->w, cdn_cross(at, f));
    }
  }
}

static cdn_spatial slow_force(const scene *s, const cdn_transform X[2]) {
  int n[2];
  face *f[2];
  cdn_spatial sum = { 0 };
  for (int k = 0; k < 2; k++) f[k] = faces_of(s->hull[k], X[k], MODULUS[k] / THICKNESS, &n[k]);
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++) add_pair(f[0], n[0], i, f[1], n[1], j, &sum);
  free(f[0]), free(f[1]);
  return sum;
}

/* A plate with rounded corners and a thin rod that goes through it touch at two places; eggs at one. */
START_TEST(the_force_is_the_sum_over_all_faces) {
  uint64_t seed = 11;
  int touching = 0, deep = 0;
  scene scenes[] = { make_scene(egg(150, 0.3, 0.25, 0.4, &seed), egg(40, 0.2, 0.3, 0.1, &seed)),
                     make_scene(egg(90, 0.5, 0.5, 0.3, &seed), egg(30, 0.05, 0.06, 0.6, &seed)) };
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 6; i++) {
      scene *s = &scenes[k];
      const cdn_transform X[2] = { mesh_pose(&seed, 0.05), mesh_pose(&seed, i % 2 ? 0.2 : 0.5) };
      cdn_spatial F[3];
      int n;
      for (int b = 0; b < 2; b++) place(s, b, X[b]);
      OK_ON(s->state, cdn_applied_forces(s->state, F, NULL));
      OK_ON(s->state, cdn_contact_count(s->state, &n));
      const cdn_spatial slow = slow_force(s, X);
      const cdn_vec3 moment = cdn_add(F[2].w, cdn_cross(X[1].p, F[2].v));
      double size = 1e-6;
      for (int c = 0; c < n; c++) {
        cdn_contact contact;
        OK_ON(s->state, cdn_contact_get(s->state, c, &contact));
        size += contact.force;
      }
      AT_MOST(cdn_norm(cdn_sub(F[2].v, slow.v)), 1e-11 * size);
      AT_MOST(cdn_norm(cdn_sub(moment, slow.w)), 1e-11 * size);
      touching += n > 0, deep += n > 60;
    }
    free_scene(&scenes[k]);
  }
  ck_assert_int_gt(touching, 9);
  ck_assert_int_gt(deep, 3);
}
END_TEST

/* A half-space cuts caps off a hull, shallow and deep ones, and may lie as it likes. */
START_TEST(the_force_of_a_half_space_is_the_sum_too) {
  uint64_t seed = 23;
  int touching = 0, many = 0;
  for (int k = 0; k < 24; k++) {
    cdn_surface *hull = egg(k % 2 ? 200 : 60, 0.3, 0.25, 0.4, &seed);
    const cdn_transform X_ground = mesh_pose(&seed, 0.3), X = mesh_pose(&seed, 0.3);
    cdn_system *system = cdn_system_create(NULL);
    add_shape(system, 0, cdn_ground(), NULL, X_ground);
    add_shape(system, 1, add_free_body(system), hull, cdn_transform_identity());
    OK_FREEZE(system);
    cdn_state *state;
    OK(cdn_state_create(system, &state));
    const cdn_quaternion r = cdn_quaternion_from_rotation(X.R);
    const double q[7] = { r.w, r.x, r.y, r.z, X.p.x, X.p.y, X.p.z };
    OK_ON(state, cdn_body_set_q(state, (cdn_body){ 1 }, 7, q));
    cdn_spatial F[2], slow = { 0 };
    int n, n_faces;
    OK_ON(state, cdn_applied_forces(state, F, NULL));
    OK_ON(state, cdn_contact_count(state, &n));
    const face plane = { cdn_scale(MODULUS[0] / THICKNESS, X_ground.R.z),
                         MODULUS[0] / THICKNESS * cdn_dot(X_ground.R.z, X_ground.p) };
    face *faces = faces_of(hull, X, MODULUS[1] / THICKNESS, &n_faces);
    for (int j = 0; j < n_faces; j++) add_pair(&plane, 1, 0, faces, n_faces, j, &slow);
    const cdn_vec3 moment = cdn_add(F[1].w, cdn_cross(X.p, F[1].v));
    double size = 1e-6;
    for (int c = 0; c < n; c++) {
      cdn_contact contact;
      OK_ON(state, cdn_contact_get(state, c, &contact));
      size += contact.force;
    }
    AT_MOST(cdn_norm(cdn_sub(F[1].v, slow.v)), 1e-11 * size);
    AT_MOST(cdn_norm(cdn_sub(moment, slow.w)), 1e-11 * size);
    touching += n > 0, many += n > 60;
    free(faces);
    cdn_state_destroy(state);
    cdn_system_release(system);
    cdn_surface_release(hull);
  }
  ck_assert_int_gt(touching, 12);
  ck_assert_int_gt(many, 4);
}
END_TEST

/* ---- energy ---- */

static double energy(scene *s) {
  double potential;
  OK_ON(s->state, cdn_potential_energy(s->state, &potential));
  const double *measured = cdn_measure_value(s->state, s->energy);
  ck_assert_ptr_nonnull(measured);
  NEAR(*measured, potential, 1e-14 * potential);
  return potential;
}

/* A hull of hundreds of faces goes through another from one side to the other, and is within it on its way: there no
 * force acts, and the energy stays what it has become. By Gauss's rule with three points on each part, whose error is
 * that of the bends in the force. */
START_TEST(energy_is_the_work_also_within) {
  uint64_t seed = 5;
  enum { PARTS = 160 };
  const double at[3] = { -sqrt(0.6), 0, sqrt(0.6) }, weight[3] = { 5. / 9, 8. / 9, 5. / 9 };
  for (int swap = 0; swap < 2; swap++) {
    cdn_surface *large = egg(220, 0.4, 0.35, 0.3, &seed), *small = egg(50, 0.05, 0.04, 0.06, &seed);
    scene s = swap ? make_scene(small, large) : make_scene(large, small);
    const cdn_vec3 way = cdn_v3(0.7 / PARTS, 0.15 / PARTS, -0.1 / PARTS);
    cdn_transform X = { cdn_rotation_axis_angle(mesh_direction(&seed), 1), { -0.55, -0.05, 0.03 } };
    const cdn_transform other = { cdn_rotation_identity(), { 0, 0, 0 } };
    double work = 0, most = 0, wrong = 0;
    int within = 0;
    place(&s, swap, other), place(&s, 1 - swap, X);
    ck_assert(energy(&s) == 0);
    for (int i = 0; i < PARTS; i++) {
      int n;
      for (int k = 0; k < 3; k++) {
        cdn_spatial F[3];
        const cdn_transform there = { X.R, cdn_add(X.p, cdn_scale(0.5 * (1 + at[k]), way)) };
        place(&s, 1 - swap, there);
        OK_ON(s.state, cdn_applied_forces(s.state, F, NULL));
        work += 0.5 * weight[k] * cdn_dot(F[2 - swap].v, way);
      }
      X.p = cdn_add(X.p, way);
      place(&s, 1 - swap, X);
      OK_ON(s.state, cdn_contact_count(s.state, &n));
      most = fmax(most, energy(&s));
      within += n == 0 && energy(&s) > 0;
      wrong = fmax(wrong, fabs(energy(&s) + work));
    }
    AT_MOST(wrong, 1e-4 * most);
    ck_assert_int_gt(within, PARTS / 4);
    free_scene(&s);
  }
}
END_TEST

/* ---- needles ---- */

/* Cubes that lie in each other to a few roundings have polygons that are needles, without a width but for rounding. */
START_TEST(contacts_of_needles_are_where_both_are) {
  /* half turns, then places, of two of ten cubes that parted from one place */
  static const double roundings[2][6] = { { -1.614e-17, -1.356e-17, 2.93472e-16, -8.95822e-18, -3.18878e-17, 0 },
                                          { 3.78e-17, 7.9e-18, -1.6495e-17, 7.66161e-18, 6.38361e-17, 0 } };
  uint64_t seed = 31;
  int seen = 0;
  for (int k = 0; k < FEWER(1000); k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_shape_def cube = cdn_default_shape_def();
    cube.geometry.kind = CDN_GEOMETRY_BOX;
    for (int i = 0; i < 3; i++) cube.geometry.size[i] = 0.1;
    for (int i = 0; i < 2; i++) cube.body = add_free_body(system), cdn_system_add_shape(system, &cube);
    OK_FREEZE(system);
    cdn_state *state;
    OK(cdn_state_create(system, &state));
    for (int i = 1; i <= 2; i++) {
      double q[7] = { 1 };
      for (int l = 1; l < 7; l++) q[l] = roundings[i - 1][l - 1] * (k > 0 ? mesh_uniform(&seed, 0.5, 1.5) : 1);
      q[6] += 1;
      OK_ON(state, cdn_body_set_q(state, (cdn_body){ i }, 7, q));
    }
    int n;
    OK_ON(state, cdn_contact_count(state, &n));
    for (int c = 0; c < n; c++) {
      cdn_contact contact;
      OK_ON(state, cdn_contact_get(state, c, &contact));
      AT_MOST(contact.depth, 0.2 + 1e-12);
      AT_MOST(cdn_norm(cdn_sub(contact.point, cdn_v3(0, 0, 1))), 0.1 * sqrt(3) + 1e-12);
      seen++;
    }
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  ck_assert_int_gt(seen, FEWER(200));
}
END_TEST

CHECK_MAIN("pressure_hulls", the_force_is_the_sum_over_all_faces, the_force_of_a_half_space_is_the_sum_too,
           energy_is_the_work_also_within, contacts_of_needles_are_where_both_are)
