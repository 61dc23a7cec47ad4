/* Signed distances of points from every kind of geometry, against brute force and against what a distance must be;
 * bounds. */
#include "geometry/geometry.h"
#include "property/sample_geometries.h"
#include "testing.h"

enum { POINTS = FEWER(300) };

/* ---- meshes and height fields against all their triangles ---- */

static void check_against_triangles(const cdn_geometry *g, bool closed, double reach, uint64_t *seed) {
  cdn_surface_info info;
  OK(cdn_surface_get_info(g->surface, &info));
  const cdn_transform X = cdn_transform_identity();
  for (int k = 0; k < POINTS; k++) {
    cdn_vec3 p =
        cdn_v3(mesh_uniform(seed, -reach, reach), mesh_uniform(seed, -reach, reach), mesh_uniform(seed, -reach, reach));
    if (k % 5 == 0) OK(cdn_surface_vertex(g->surface, k % info.n_vertices, &p)); /* on the surface, and next to it */
    if (k % 10 == 0) p = cdn_add(p, cdn_scale(mesh_uniform(seed, 0, 1e-3), mesh_direction(seed)));
    double best = INFINITY;
    for (int i = 0; i < info.n_triangles; i++) {
      int t[3];
      cdn_vec3 v[3];
      OK(cdn_surface_triangle(g->surface, i, t));
      for (int j = 0; j < 3; j++) OK(cdn_surface_vertex(g->surface, t[j], &v[j]));
      best = fmin(best, mesh_triangle_distance(p, v));
    }
    cdn_proximity near;
    OK(cdn_geometry_point_distance(g, &X, p, &near));
    NEAR(fabs(near.distance), best, 1e-13 * (1 + reach));
    NEAR(cdn_norm(near.normal), 1, 1e-12);
    NEAR(cdn_norm(cdn_sub(cdn_add(near.point_a, cdn_scale(near.distance, near.normal)), p)), 0, 1e-13 * (1 + reach));
    if (best < 1e-12) continue;
    if (closed && info.kind == CDN_GEOMETRY_MESH) {
      const bool inside = mesh_winding(g->surface, p) > 0.5;
      ck_assert_msg(inside == (near.distance < 0), "inside %d, distance %g", inside, near.distance);
    } else if (info.kind == CDN_GEOMETRY_MESH) {
      ck_assert(near.distance > 0);
    }
  }
}

START_TEST(meshes_against_brute_force) {
  uint64_t seed = 3;
  mesh_shape shapes[] = { mesh_torus(20, 12, 1, 0.4), mesh_bumpy_sphere(16, 10, 1, 0.3), mesh_box(1, 0.5, 0.25),
                          mesh_box(1, 1, 1e-6), mesh_bumpy_sphere(8, 6, 1, 0) };
  /* Squeezed to an aspect of 1e6: needles and sharp edges. */
  for (int i = 0; i < shapes[4].n_vertices; i++) shapes[4].vertices[3 * i] *= 1e-6;
  for (int i = 0; i < CDNI_COUNT(shapes); i++)
    for (int open = 0; open < 2; open++) {
      if (open) shapes[i].n_triangles = shapes[i].n_triangles * 2 / 3;
      const cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&shapes[i]) };
      check_against_triangles(&g, !open, 1.6, &seed);
      check_against_triangles(&g, !open, 30, &seed);
      cdn_surface_release(g.surface);
    }
  for (int i = 0; i < CDNI_COUNT(shapes); i++) mesh_shape_free(&shapes[i]);
}
END_TEST

START_TEST(height_fields_against_brute_force) {
  uint64_t seed = 4;
  const int n[][2] = { { 2, 2 }, { 12, 9 }, { 2, 40 }, { 30, 3 } };
  for (int c = 0; c < CDNI_COUNT(n); c++) {
    double h[120];
    for (int i = 0; i < n[c][0] * n[c][1]; i++) h[i] = mesh_uniform(&seed, -0.3, 0.3);
    cdn_surface *s;
    OK(cdn_surface_create_height_field(n[c][0], n[c][1], h, 1, 0.8, &s));
    const cdn_geometry g = { .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
    check_against_triangles(&g, true, 1.4, &seed);
    check_against_triangles(&g, true, 20, &seed);
    cdn_surface_release(s);
  }
}
END_TEST

START_TEST(height_fields_have_their_inside_below) {
  const double h[9] = { 0, 0, 0, 0, 1, 0, 0, 0, 0 };
  cdn_surface *s;
  OK(cdn_surface_create_height_field(3, 3, h, 1, 1, &s));
  const cdn_geometry g = { .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
  const cdn_transform X = cdn_transform_identity();
  cdn_proximity near;
  const struct {
    cdn_vec3 p;
    bool inside;
  } points[] = { { { 0, 0, 0.99 }, true },     { { 0, 0, 1.01 }, false },     { { 0.5, 0, 0.4 }, true },
                 { { 0.5, 0, 0.6 }, false },   { { 0.3, -0.9, -50 }, true },  { { 1.1, 0, -0.5 }, false },
                 { { 0, -1.001, -9 }, false }, { { -0.9, 0.9, -1e-9 }, true } };
  for (int i = 0; i < CDNI_COUNT(points); i++) {
    OK(cdn_geometry_point_distance(&g, &X, points[i].p, &near));
    ck_assert_int_eq(near.distance < 0, points[i].inside);
  }
  cdn_surface_release(s);
}
END_TEST

/* ---- every kind: the gradient is that of the distance, and the nearest point is on the surface ---- */

START_TEST(gradients_are_those_of_the_distance) {
  uint64_t seed = 5;
  sample_geometries samples = sample_geometries_make();
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *g = &samples.geometry[i];
    for (int k = 0; k < FEWER(100); k++) {
      const cdn_transform X = mesh_pose(&seed, 2);
      const cdn_vec3 p = cdn_add(X.p, cdn_scale(mesh_uniform(&seed, 0, 3), mesh_direction(&seed)));
      cdn_proximity at, on, ahead, behind;
      OK(cdn_geometry_point_distance(g, &X, p, &at));
      OK(cdn_geometry_point_distance(g, &X, at.point_a, &on));
      NEAR(on.distance, 0, 2e-8);
      /* The distance grows at the rate one, but where two points of the surface are equally near. */
      const double step = 1e-5;
      OK(cdn_geometry_point_distance(g, &X, cdn_add(p, cdn_scale(step, at.normal)), &ahead));
      OK(cdn_geometry_point_distance(g, &X, cdn_add(p, cdn_scale(-step, at.normal)), &behind));
      AT_MOST(fabs(ahead.distance - at.distance), step * (1 + 1e-2));
      AT_MOST(fabs(behind.distance - at.distance), step * (1 + 1e-2));
      if (g->kind != CDN_GEOMETRY_HEIGHT_FIELD)
        NEAR(at.distance > 0 ? ahead.distance - at.distance : at.distance - behind.distance, step, 1e-2 * step);
    }
  }
  sample_geometries_free(&samples);
}
END_TEST

START_TEST(ellipsoids_to_rounding) {
  /* A point of the surface, moved along the normal by less than the least radius of curvature, has that distance. */
  uint64_t seed = 6;
  const cdn_transform X = cdn_transform_identity();
  for (int k = 0; k < FEWER(20000); k++) {
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = pow(10, mesh_uniform(&seed, -3, 3));
    if (k % 3 == 0) a[2] = a[k % 2];
    cdn_vec3 u = mesh_direction(&seed);
    if (k % 5 == 0) u.z = 0;
    if (k % 7 == 0) u.x = 0;
    u = cdn_scale(1 / cdn_norm(u), u);
    const cdn_vec3 q = cdn_v3(a[0] * u.x, a[1] * u.y, a[2] * u.z);
    cdn_vec3 n = cdn_v3(u.x / a[0], u.y / a[1], u.z / a[2]);
    n = cdn_scale(1 / cdn_norm(n), n);
    const double least = fmin(a[0], fmin(a[1], a[2])), most = fmax(a[0], fmax(a[1], a[2]));
    const double offset =
        k % 2 ? mesh_uniform(&seed, 0, 10) * most : -mesh_uniform(&seed, 0, 0.99) * least * least / most;
    const cdn_geometry g = { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { a[0], a[1], a[2] } };
    cdn_proximity near;
    OK(cdn_geometry_point_distance(&g, &X, cdn_add(q, cdn_scale(offset, n)), &near));
    NEAR(near.distance, offset, 1e-13 * (most + fabs(offset)));
  }
}
END_TEST

/* ---- bounds ---- */

START_TEST(bounds_hold_all_and_touch) {
  uint64_t seed = 7;
  sample_geometries samples = sample_geometries_make();
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *g = &samples.geometry[i];
    cdn_vec3 center;
    const double ball = cdni_bounding_ball(g, &center);
    for (int k = 0; k < 20; k++) {
      const cdn_transform X = mesh_pose(&seed, 2);
      cdn_vec3 least, most;
      OK(cdn_geometry_bounds(g, &X, &least, &most));
      for (int j = 0; j < 3; j++) ck_assert((&least.x)[j] < (&most.x)[j]);
      if (isinf(ball)) continue;
      /* The plane that bounds it touches it: the distance along the axis is the least one of any point far beyond. */
      cdn_vec3 nearest[2] = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
      for (int m = 0; m < 400; m++) {
        cdn_proximity near;
        cdn_vec3 p = cdn_add(cdn_transform_point(X, center), cdn_scale(1.2 * ball, mesh_direction(&seed)));
        OK(cdn_geometry_point_distance(g, &X, p, &near));
        for (int j = 0; j < 3; j++) {
          const double x = (&near.point_a.x)[j];
          AT_MOST((&least.x)[j], x + 1e-8);
          AT_MOST(x, (&most.x)[j] + 1e-8);
          (&nearest[0].x)[j] = fmin((&nearest[0].x)[j], x);
          (&nearest[1].x)[j] = fmax((&nearest[1].x)[j], x);
        }
        AT_MOST(cdn_norm(cdn_sub(near.point_a, cdn_transform_point(X, center))), ball * (1 + 1e-8));
      }
      if (g->kind == CDN_GEOMETRY_CUSTOM) continue; /* without a support function the box is that of its ball */
      for (int j = 0; j < 3; j++) {
        AT_MOST((&nearest[0].x)[j] - (&least.x)[j], 0.1 * ball);
        AT_MOST((&most.x)[j] - (&nearest[1].x)[j], 0.1 * ball);
      }
    }
  }
  sample_geometries_free(&samples);

  const cdn_geometry half_space = { .kind = CDN_GEOMETRY_HALF_SPACE };
  cdn_transform X = cdn_transform_identity();
  X.p.z = 3;
  cdn_vec3 least, most;
  OK(cdn_geometry_bounds(&half_space, &X, &least, &most));
  ck_assert(most.z == 3 && least.z == -INFINITY && most.x == INFINITY && least.y == -INFINITY);
}
END_TEST

/* ---- bad arguments ---- */

START_TEST(bad_arguments_are_refused) {
  const cdn_geometry g = { .kind = CDN_GEOMETRY_SPHERE, .size = { 1 } }, none = { .kind = CDN_GEOMETRY_MESH };
  cdn_transform X = cdn_transform_identity(), odd = X;
  odd.p.y = NAN;
  cdn_proximity near;
  cdn_vec3 v;
  const cdn_vec3 p = { 0, 0, 2 }, nan = { 0, NAN, 0 };
  FAILS(cdn_geometry_point_distance(NULL, &X, p, &near), CDN_ERR_ARG);
  FAILS(cdn_geometry_point_distance(&none, &X, p, &near), CDN_ERR_ARG);
  FAILS(cdn_geometry_point_distance(&g, NULL, p, &near), CDN_ERR_ARG);
  FAILS(cdn_geometry_point_distance(&g, &odd, p, &near), CDN_ERR_ARG);
  FAILS(cdn_geometry_point_distance(&g, &X, nan, &near), CDN_ERR_ARG);
  FAILS(cdn_geometry_point_distance(&g, &X, p, NULL), CDN_ERR_ARG);
  FAILS(cdn_geometry_bounds(&g, &odd, &v, &v), CDN_ERR_ARG);
  FAILS(cdn_geometry_bounds(&g, &X, NULL, &v), CDN_ERR_ARG);
  FAILS(cdn_geometry_bounds(&g, &X, &v, NULL), CDN_ERR_ARG);
  FAILS(cdn_geometry_bounds(NULL, &X, &v, &v), CDN_ERR_ARG);
}
END_TEST

CHECK_MAIN("points of surfaces", meshes_against_brute_force, height_fields_against_brute_force,
           height_fields_have_their_inside_below, gradients_are_those_of_the_distance, ellipsoids_to_rounding,
           bounds_hold_all_and_touch, bad_arguments_are_refused)
