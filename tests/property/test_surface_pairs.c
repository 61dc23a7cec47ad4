/* Meshes, height fields and distances of one's own with convex geometries, half-spaces and meshes. */
#include "geometry/geometry.h"
#include "property/sample_geometries.h"
#include "testing.h"

static const cdn_geometry convex[] = {
  { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.3 } },
  { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.2, 0.3 } },
  { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 0.2, 0.3, 0.5 } },
  { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.3, 0.2 } },
  { .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.3, 0.4 } },
};

static cdn_proximity distance_of(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                 const cdn_transform *X_WB) {
  cdn_proximity near, turned;
  OK(cdn_geometry_distance(a, X_WA, b, X_WB, &near));
  NEAR(cdn_norm(near.normal), 1, 1e-12);
  const cdn_vec3 gap = cdn_sub(cdn_sub(near.point_b, near.point_a), cdn_scale(near.distance, near.normal));
  NEAR(cdn_norm(gap), 0, 1e-12);
  OK(cdn_geometry_distance(b, X_WB, a, X_WA, &turned));
  ck_assert(turned.distance == near.distance && turned.feature_a == near.feature_b &&
            turned.feature_b == near.feature_a);
  return near;
}

/* ---- apart: the least distance of a point of any triangle from b ---- */

static double at(const cdn_geometry *b, const cdn_transform *X_WB, const cdn_vec3 t[3], double u, double v) {
  cdn_proximity near;
  const cdn_vec3 p =
      cdn_add(t[0], cdn_add(cdn_scale(u * (1 - v), cdn_sub(t[1], t[0])), cdn_scale(v, cdn_sub(t[2], t[0]))));
  OK(cdn_geometry_point_distance(b, X_WB, p, &near));
  return near.distance;
}

/* Golden sections within golden sections: the distance from a convex geometry is convex over a triangle. */
static double least_over_row(const cdn_geometry *b, const cdn_transform *X_WB, const cdn_vec3 t[3], double v) {
  const double ratio = 0.6180339887498949;
  double low = 0, high = 1, p = 1 - ratio, q = ratio;
  double fp = at(b, X_WB, t, p, v), fq = at(b, X_WB, t, q, v), best = fmin(at(b, X_WB, t, 0, v), at(b, X_WB, t, 1, v));
  while (high - low > 1e-7) {
    best = fmin(best, fmin(fp, fq));
    if (fp < fq) high = q, q = p, fq = fp, p = high - ratio * (high - low), fp = at(b, X_WB, t, p, v);
    else low = p, p = q, fp = fq, q = low + ratio * (high - low), fq = at(b, X_WB, t, q, v);
  }
  return best;
}

static double least_over_triangle(const cdn_geometry *b, const cdn_transform *X_WB, const cdn_vec3 t[3]) {
  const double ratio = 0.6180339887498949;
  double low = 0, high = 1, p = 1 - ratio, q = ratio;
  double fp = least_over_row(b, X_WB, t, p), fq = least_over_row(b, X_WB, t, q);
  double best = fmin(least_over_row(b, X_WB, t, 0), least_over_row(b, X_WB, t, 1));
  while (high - low > 1e-7) {
    best = fmin(best, fmin(fp, fq));
    if (fp < fq) high = q, q = p, fq = fp, p = high - ratio * (high - low), fp = least_over_row(b, X_WB, t, p);
    else low = p, p = q, fp = fq, q = low + ratio * (high - low), fq = least_over_row(b, X_WB, t, q);
  }
  return best;
}

static void check_apart(const cdn_geometry *a, uint64_t *seed) {
  cdn_surface_info info;
  OK(cdn_surface_get_info(a->surface, &info));
  for (int k = 0; k < CDNI_COUNT(convex); k++)
    for (int pose = 0, done = 0; done < 3 && pose < 100; pose++) {
      const cdn_transform X_WA = mesh_pose(seed, 1), X_WB = mesh_pose(seed, 2.5);
      const cdn_proximity near = distance_of(a, &X_WA, &convex[k], &X_WB);
      if (near.distance < 1e-3) continue;
      done++;
      double best = INFINITY;
      for (int i = 0; i < info.n_triangles; i++) {
        int t[3];
        cdn_vec3 v[3];
        OK(cdn_surface_triangle(a->surface, i, t));
        double size = 0;
        for (int j = 0; j < 3; j++) {
          OK(cdn_surface_vertex(a->surface, t[j], &v[j]));
          v[j] = cdn_transform_point(X_WA, v[j]);
          size = fmax(size, cdn_norm(cdn_sub(v[j], v[0])));
        }
        if (at(&convex[k], &X_WB, v, 0, 0) - size > best) continue;
        best = fmin(best, least_over_triangle(&convex[k], &X_WB, v));
      }
      NEAR(near.distance, best, 1e-8);
      cdn_proximity a_side, b_side;
      OK(cdn_geometry_point_distance(a, &X_WA, near.point_a, &a_side));
      OK(cdn_geometry_point_distance(&convex[k], &X_WB, near.point_b, &b_side));
      NEAR(a_side.distance, 0, 1e-8);
      NEAR(b_side.distance, 0, 1e-8);
    }
}

START_TEST(apart_against_an_independent_minimiser) {
  uint64_t seed = 31;
  mesh_shape torus = mesh_torus(9, 6, 0.8, 0.3), ball = mesh_bumpy_sphere(8, 6, 0.8, 0.3);
  cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&torus) };
  check_apart(&g, &seed);
  cdn_surface_release(g.surface);
  g.surface = mesh_surface(&ball);
  check_apart(&g, &seed);
  cdn_surface_release(g.surface);
  double heights[36];
  for (int i = 0; i < 36; i++) heights[i] = mesh_uniform(&seed, -0.3, 0.3);
  cdn_surface *field;
  OK(cdn_surface_create_height_field(6, 6, heights, 1, 1, &field));
  g = (cdn_geometry){ .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = field };
  check_apart(&g, &seed);
  cdn_surface_release(field);
  mesh_shape_free(&torus);
  mesh_shape_free(&ball);
}
END_TEST

/* ---- shallow: a mesh of a convex solid is that solid ---- */

START_TEST(shallow_overlaps_are_those_of_the_solid) {
  uint64_t seed = 32;
  mesh_shape shape = mesh_box(0.6, 0.5, 0.4);
  const cdn_geometry mesh = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&shape) },
                     box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.6, 0.5, 0.4 } };
  int shallow = 0, different = 0;
  for (int i = 0; i < FEWER(20000); i++) {
    const cdn_geometry *b = &convex[i % CDNI_COUNT(convex)];
    const cdn_transform X_WA = mesh_pose(&seed, 1);
    cdn_transform X_WB = mesh_pose(&seed, 1);
    X_WB.p = cdn_add(X_WA.p, cdn_scale(mesh_uniform(&seed, 0.3, 1.2), mesh_direction(&seed)));
    cdn_proximity solid;
    OK(cdn_geometry_distance(&box, &X_WA, b, &X_WB, &solid));
    if (solid.distance < -0.04) continue;
    const cdn_proximity near = distance_of(&mesh, &X_WA, b, &X_WB);
    /* At corners the triangles alone do not always tell the way out; then the answer is less deep. */
    AT_MOST(solid.distance, near.distance + 1e-8);
    ck_assert((near.distance < 0) == (solid.distance < 0));
    if (solid.distance > 0) NEAR(near.distance, solid.distance, 1e-8);
    else AT_MOST(near.distance, 0.7 * solid.distance);
    shallow += solid.distance < 0;
    different += fabs(near.distance - solid.distance) > 1e-8;
  }
  AT_MOST(different, 0.005 * shallow);
  ck_assert_int_ge(shallow, FEWER(300));
  cdn_surface_release(mesh.surface);
  mesh_shape_free(&shape);
}
END_TEST

/* Whether a ball is beyond the border of a height field, which has no sides: there it is judged by what is above it. */
static bool is_beyond_border(const cdn_geometry *a, const cdn_transform *X_WA, cdn_vec3 center, double radius) {
  if (a->kind != CDN_GEOMETRY_HEIGHT_FIELD) return false;
  const cdn_transform X_SS = cdn_transform_identity();
  const cdn_vec3 p = cdn_transform_point(cdn_transform_invert(*X_WA), center);
  cdn_vec3 least, most;
  OK(cdn_geometry_bounds(a, &X_SS, &least, &most));
  return fabs(p.x) + radius > most.x || fabs(p.y) + radius > most.y;
}

/* A ball whose centre is outside: as far as its centre, less its radius. */
START_TEST(balls_are_as_far_as_their_centres) {
  uint64_t seed = 33;
  sample_geometries samples = sample_geometries_make();
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *a = &samples.geometry[i], ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.2 } };
    if (a->kind < CDN_GEOMETRY_MESH) continue;
    for (int k = 0; k < FEWER(300); k++) {
      const cdn_transform X_WA = mesh_pose(&seed, 1), X_WB = mesh_pose(&seed, 2);
      cdn_proximity center;
      OK(cdn_geometry_point_distance(a, &X_WA, X_WB.p, &center));
      const cdn_proximity near = distance_of(a, &X_WA, &ball, &X_WB);
      if (is_beyond_border(a, &X_WA, X_WB.p, 0.2)) continue;
      if (center.distance > 1e-3) NEAR(near.distance, center.distance - 0.2, 1e-8);
      else AT_MOST(near.distance, center.distance + 1e-8);
    }
  }
  sample_geometries_free(&samples);
}
END_TEST

/* ---- deep: the distance changes by no more than the motion, and b inside is never outside ---- */

static void check_sinking(const cdn_geometry *a, const cdn_geometry *b, double top, double deepest, uint64_t *seed) {
  const cdn_transform X_WA = cdn_transform_identity();
  cdn_transform X_WB = mesh_pose(seed, 0);
  X_WB.p = cdn_v3(0.013, -0.027, top);
  double last = INFINITY;
  const double step = 0.01;
  for (double z = top; z > deepest; z -= step) {
    X_WB.p.z = z;
    const cdn_proximity near = distance_of(a, &X_WA, b, &X_WB);
    if (last < INFINITY) NEAR(near.distance, last - step, 1e-8);
    last = near.distance;
  }
}

START_TEST(what_sinks_gets_deeper) {
  uint64_t seed = 34;
  const double flat[9] = { 0 };
  mesh_shape block = mesh_box(5, 5, 2);
  for (int i = 2; i < 24; i += 3) block.vertices[i] -= 2; /* its top is at 0 */
  const cdn_geometry mesh = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&block) };
  cdn_surface *s;
  OK(cdn_surface_create_height_field(3, 3, flat, 5, 5, &s));
  const cdn_geometry field = { .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
  for (int k = 0; k < CDNI_COUNT(convex); k++) {
    check_sinking(&mesh, &convex[k], 1, -1.2, &seed);
    check_sinking(&field, &convex[k], 1, -2.5, &seed);
  }
  cdn_surface_release(mesh.surface);
  cdn_surface_release(field.surface);
  mesh_shape_free(&block);
}
END_TEST

START_TEST(inside_is_inside) {
  uint64_t seed = 35;
  mesh_shape shape = mesh_bumpy_sphere(16, 10, 3, 0.3);
  const cdn_geometry mesh = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&shape) };
  for (int k = 0; k < FEWER(200); k++) {
    const cdn_transform X_WA = mesh_pose(&seed, 1);
    cdn_transform X_WB = mesh_pose(&seed, 1);
    X_WB.p = cdn_add(X_WA.p, cdn_scale(mesh_uniform(&seed, 0, 2.5), mesh_direction(&seed)));
    cdn_proximity center;
    OK(cdn_geometry_point_distance(&mesh, &X_WA, X_WB.p, &center));
    const cdn_proximity near = distance_of(&mesh, &X_WA, &convex[k % CDNI_COUNT(convex)], &X_WB);
    if (center.distance < 0) AT_MOST(near.distance, center.distance + 1e-9);
    /* With a reach, too, the pair is not missed. */
    cdn_proximity other;
    const bool found = cdni_pair_distance(&mesh, &X_WA, &convex[k % CDNI_COUNT(convex)], &X_WB, 0.01, &other);
    ck_assert_int_eq(found, near.distance <= 0.01);
    if (found) NEAR(other.distance, near.distance, 1e-12);
  }
  cdn_surface_release(mesh.surface);
  mesh_shape_free(&shape);
}
END_TEST

/* ---- half-spaces ---- */

START_TEST(half_spaces_see_the_lowest_point) {
  uint64_t seed = 36;
  sample_geometries samples = sample_geometries_make();
  const cdn_geometry half_space = { .kind = CDN_GEOMETRY_HALF_SPACE };
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *a = &samples.geometry[i];
    if (a->kind < CDN_GEOMETRY_MESH) continue;
    cdn_surface_info info;
    OK(cdn_surface_get_info(a->surface, &info));
    for (int k = 0; k < 50; k++) {
      const cdn_transform X_WA = mesh_pose(&seed, 1), X_WB = mesh_pose(&seed, 2);
      const cdn_proximity near = distance_of(a, &X_WA, &half_space, &X_WB);
      double lowest = INFINITY;
      for (int v = 0; v < info.n_vertices; v++) {
        cdn_vec3 p;
        OK(cdn_surface_vertex(a->surface, v, &p));
        lowest = fmin(lowest, cdn_dot(X_WB.R.z, cdn_sub(cdn_transform_point(X_WA, p), X_WB.p)));
      }
      if (a->kind == CDN_GEOMETRY_CUSTOM) {
        const double sine = cdn_norm(cdn_cross(X_WA.R.z, X_WB.R.z)),
                     center = cdn_dot(X_WB.R.z, cdn_sub(X_WA.p, X_WB.p));
        if (i == samples.n - 1) continue; /* it is convex */
        lowest = center - 0.7 * sine - 0.25;
      }
      NEAR(near.distance, lowest, a->kind == CDN_GEOMETRY_CUSTOM ? 1e-8 : 1e-14 * 10);
      NEAR(cdn_norm(cdn_add(near.normal, X_WB.R.z)), 0, 1e-14);
    }
  }
  sample_geometries_free(&samples);
}
END_TEST

/* ---- meshes with meshes ---- */

START_TEST(meshes_with_meshes) {
  uint64_t seed = 37;
  mesh_shape one = mesh_box(0.6, 0.5, 0.4), other = mesh_box(0.3, 0.2, 0.5);
  const cdn_geometry a = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&one) },
                     b = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&other) },
                     box_a = { .kind = CDN_GEOMETRY_BOX, .size = { 0.6, 0.5, 0.4 } },
                     box_b = { .kind = CDN_GEOMETRY_BOX, .size = { 0.3, 0.2, 0.5 } };
  for (int i = 0; i < FEWER(3000); i++) {
    const cdn_transform X_WA = mesh_pose(&seed, 1), X_WB = mesh_pose(&seed, 2);
    cdn_proximity solid;
    OK(cdn_geometry_distance(&box_a, &X_WA, &box_b, &X_WB, &solid));
    const cdn_proximity near = distance_of(&a, &X_WA, &b, &X_WB);
    if (solid.distance > 1e-9) NEAR(near.distance, solid.distance, 1e-9);
    else
      ck_assert_msg(near.distance <= 0 && near.distance >= solid.distance - 1e-9, "%g, and the solids %g",
                    near.distance, solid.distance);
  }
  cdn_surface_release(a.surface);
  cdn_surface_release(b.surface);
  mesh_shape_free(&one);
  mesh_shape_free(&other);
}
END_TEST

START_TEST(a_mesh_in_a_mesh) {
  uint64_t seed = 38;
  mesh_shape one = mesh_bumpy_sphere(20, 12, 2, 0.2), other = mesh_torus(12, 8, 0.4, 0.15);
  const cdn_geometry a = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&one) },
                     b = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&other) };
  for (int i = 0; i < 50; i++) {
    const cdn_transform X_WA = mesh_pose(&seed, 0.5), X_WB = mesh_pose(&seed, 0.5);
    ck_assert(distance_of(&a, &X_WA, &b, &X_WB).distance < 0);
  }
  cdn_surface_release(a.surface);
  cdn_surface_release(b.surface);
  mesh_shape_free(&one);
  mesh_shape_free(&other);
}
END_TEST

/* Sheets, needles, doubled and torn meshes, far away or not: an answer with finite numbers, within a bounded time. */
START_TEST(bad_meshes_have_answers) {
  uint64_t seed = 39;
  double doubled[48];
  int twice[72];
  mesh_shape box = mesh_box(0.5, 0.4, 0.3);
  memcpy(doubled, box.vertices, 24 * sizeof(double));
  memcpy(doubled + 24, box.vertices, 24 * sizeof(double));
  for (int i = 0; i < 36; i++) twice[i] = box.triangles[i], twice[36 + i] = box.triangles[i / 3 * 3 + 2 - i % 3] + 8;
  mesh_shape shapes[] = { mesh_box(1, 1, 1e-6),        mesh_box(1e-6, 1e-6, 1),
                          mesh_torus(9, 6, 0.8, 1e-6), mesh_bumpy_sphere(8, 6, 1, 0.9),
                          mesh_box(1e-9, 1e-9, 1e-9),  mesh_bumpy_sphere(8, 6, 1e6, 0.2) };
  cdn_surface *s[CDNI_COUNT(shapes) + 2];
  for (int i = 0; i < CDNI_COUNT(shapes); i++) {
    s[i] = mesh_surface(&shapes[i]);
    ck_assert_ptr_nonnull(s[i]);
    mesh_shape_free(&shapes[i]);
  }
  OK(cdn_surface_create_mesh(16, doubled, 24, twice, &s[CDNI_COUNT(shapes)]));       /* a box and itself inside out */
  OK(cdn_surface_create_mesh(8, doubled, 7, twice + 6, &s[CDNI_COUNT(shapes) + 1])); /* torn */
  mesh_shape_free(&box);
  for (int i = 0; i < CDNI_COUNT(s); i++)
    for (int k = 0; k < FEWER(200); k++) {
      const cdn_geometry mesh = { .kind = CDN_GEOMETRY_MESH, .surface = s[i] },
                         other = { .kind = CDN_GEOMETRY_MESH, .surface = s[k % CDNI_COUNT(s)] },
                         half_space = { .kind = CDN_GEOMETRY_HALF_SPACE };
      const cdn_geometry *b = k % 7 == 0 ? &other : k % 7 == 1 ? &half_space : &convex[k % 7 - 2];
      const cdn_transform X_WA = mesh_pose(&seed, 1), X_WB = k % 13 ? mesh_pose(&seed, 1.5) : X_WA;
      cdn_proximity near;
      OK(cdn_geometry_distance(&mesh, &X_WA, b, &X_WB, &near));
      ck_assert(isfinite(near.distance) && isfinite(near.point_a.x) && isfinite(near.point_b.y));
      NEAR(cdn_norm(near.normal), 1, 1e-9);
      cdn_manifold m;
      OK(cdn_geometry_manifold(&mesh, &X_WA, b, &X_WB, 0.01, &m));
      ck_assert_int_le(m.n, CDN_MANIFOLD_MOST);
    }
  for (int i = 0; i < CDNI_COUNT(s); i++) cdn_surface_release(s[i]);
}
END_TEST

CHECK_MAIN("pairs of surfaces", apart_against_an_independent_minimiser, shallow_overlaps_are_those_of_the_solid,
           balls_are_as_far_as_their_centres, what_sinks_gets_deeper, inside_is_inside,
           half_spaces_see_the_lowest_point, meshes_with_meshes, a_mesh_in_a_mesh, bad_meshes_have_answers)
