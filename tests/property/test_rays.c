/* Rays: every kind of geometry against the changes of sign of its signed distance along the ray; rays through edges and
 * vertices. */
#include "property/sample_geometries.h"
#include "testing.h"

enum { ROOM = 64 };

static double distance_at(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 origin, cdn_vec3 direction, double t,
                          cdn_vec3 *normal) {
  cdn_proximity near;
  OK(cdn_geometry_point_distance(g, X, cdn_add(origin, cdn_scale(t, direction)), &near));
  *normal = near.normal;
  return near.distance;
}

/* Where the distance changes its sign between a and b. */
static double bisect(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 origin, cdn_vec3 direction, double a,
                     double b) {
  cdn_vec3 normal;
  const bool inside = distance_at(g, X, origin, direction, a, &normal) < 0;
  while (b - a > 1e-15 * (1 + b)) {
    const double t = 0.5 * (a + b);
    if ((distance_at(g, X, origin, direction, t, &normal) < 0) == inside) a = t;
    else b = t;
    if (t == a && t == b) break;
    if (0.5 * (a + b) == t && (t == a || t == b) && b - a < 1e-12) break;
  }
  return 0.5 * (a + b);
}

START_TEST(rays_meet_where_the_distance_changes_its_sign) {
  uint64_t seed = 21;
  sample_geometries samples = sample_geometries_make();
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *g = &samples.geometry[i];
    /* Below the heights at the sides there is no surface where the sign changes. */
    const bool field = g->kind == CDN_GEOMETRY_HEIGHT_FIELD;
    for (int k = 0; k < 60; k++) {
      const cdn_transform X = mesh_pose(&seed, 1);
      const cdn_vec3 origin = cdn_add(X.p, cdn_scale(mesh_uniform(&seed, 0, 2.5), mesh_direction(&seed)));
      const cdn_vec3 aim = cdn_add(X.p, cdn_scale(mesh_uniform(&seed, 0, 1), mesh_direction(&seed)));
      cdn_vec3 direction = cdn_sub(aim, origin);
      direction = cdn_scale(1 / cdn_norm(direction), direction);
      cdn_ray_hit hits[ROOM];
      int n;
      const double reach = 6;
      OK(cdn_geometry_ray(g, &X, origin, cdn_scale(mesh_uniform(&seed, 0.1, 10), direction), reach, ROOM, hits, &n));
      for (int h = 0; h < n; h++) {
        cdn_vec3 normal;
        NEAR(distance_at(g, &X, origin, direction, hits[h].distance, &normal), 0, 1e-8);
        NEAR(cdn_norm(hits[h].normal), 1, 1e-12);
        NEAR(cdn_norm(cdn_sub(hits[h].point, cdn_add(origin, cdn_scale(hits[h].distance, direction)))), 0, 1e-14 * 10);
        if (h) ck_assert(hits[h].distance >= hits[h - 1].distance);
      }
      /* Each change of sign between samples is a hit, and hits between two samples of one sign come in pairs. */
      int used = 0;
      cdn_vec3 normal;
      const double step = 0.01;
      double before = distance_at(g, &X, origin, direction, 0, &normal);
      for (double t = 0; t < reach - step; t += step) {
        const double after = distance_at(g, &X, origin, direction, t + step, &normal);
        int between = 0;
        while (used + between < n && hits[used + between].distance < t + step) between++;
        const bool changes = (before < 0) != (after < 0);
        if (!field)
          ck_assert_msg(between % 2 == changes, "kind %d: %d hits between %g (%g) and %g (%g)", (int)g->kind, between,
                        t, before, t + step, after);
        if (changes && between == 1) {
          const double at = bisect(g, &X, origin, direction, t, t + step);
          NEAR(hits[used].distance, at, 1e-8 / fmax(1e-3, fabs(cdn_dot(hits[used].normal, direction))));
          if (!field)
            ck_assert(after < 0 ? cdn_dot(hits[used].normal, direction) <= 1e-7
                                : cdn_dot(hits[used].normal, direction) >= -1e-7);
        }
        used += between;
        before = after;
      }
      /* The nearest, with room for one; and less reach. */
      cdn_ray_hit first;
      int one;
      OK(cdn_geometry_ray(g, &X, origin, direction, INFINITY, 1, &first, &one));
      if (one) ck_assert(isfinite(first.distance) && (n > 0 || first.distance > reach));
      if (n) NEAR(first.distance, hits[0].distance, 1e-9);
      if (n && hits[0].distance > 1e-6) {
        OK(cdn_geometry_ray(g, &X, origin, direction, hits[0].distance - 1e-6, 1, &first, &one));
        ck_assert_int_eq(one, 0);
      }
    }
  }
  sample_geometries_free(&samples);
}
END_TEST

/* From inside a closed mesh that is starlike to exactly its vertices, to the middles of its edges, and along the
 * axes. */
START_TEST(rays_through_edges_and_vertices_meet_once) {
  uint64_t seed = 22;
  mesh_shape shapes[] = { mesh_box(1, 1, 1), mesh_box(1, 0.5, 0.25), mesh_bumpy_sphere(16, 10, 1, 0.2),
                          mesh_bumpy_sphere(8, 4, 1, 0) };
  for (int i = 0; i < 4; i++) {
    const cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&shapes[i]) };
    for (int turned = 0; turned < 3; turned++) {
      cdn_transform X = turned ? mesh_pose(&seed, 1) : cdn_transform_identity();
      for (int t = 0; t < shapes[i].n_triangles; t++)
        for (int part = 0; part < 6; part++) {
          const int *corner = shapes[i].triangles + 3 * t;
          const double *a = shapes[i].vertices + 3 * corner[part % 3],
                       *b = shapes[i].vertices + 3 * corner[(part + part / 3) % 3];
          const cdn_vec3 aim = cdn_v3(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]));
          const cdn_vec3 from = turned == 2 ? cdn_v3(0.03, -0.02, 0.01) : cdn_v3(0, 0, 0);
          const cdn_vec3 to = cdn_transform_point(X, aim), origin = cdn_transform_point(X, from);
          cdn_ray_hit hits[8];
          int n;
          OK(cdn_geometry_ray(&g, &X, origin, cdn_sub(to, origin), INFINITY, 8, hits, &n));
          ck_assert_msg(n == 1, "mesh %d, triangle %d, part %d: %d hits", i, t, part, n);
          NEAR(cdn_norm(cdn_sub(hits[0].point, to)), 0, 1e-13);
          /* From outside, through the solid: an even number of times. */
          const cdn_vec3 outside = cdn_add(origin, cdn_scale(5, cdn_sub(to, origin)));
          OK(cdn_geometry_ray(&g, &X, outside, cdn_sub(origin, to), INFINITY, 8, hits, &n));
          ck_assert_msg(n % 2 == 0 && n > 0, "mesh %d, triangle %d, part %d: %d hits from outside", i, t, part, n);
        }
    }
    cdn_surface_release(g.surface);
    mesh_shape_free(&shapes[i]);
  }
}
END_TEST

START_TEST(rays_meet_height_fields_on_grid_lines) {
  uint64_t seed = 23;
  double h[63];
  for (int i = 0; i < 63; i++) h[i] = mesh_uniform(&seed, -0.2, 0.2);
  cdn_surface *s;
  OK(cdn_surface_create_height_field(9, 7, h, 0.8, 0.6, &s));
  const cdn_geometry g = { .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
  const cdn_transform X = cdn_transform_identity();
  cdn_ray_hit hits[4];
  int n;
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 7; j++) {
      cdn_vec3 v;
      OK(cdn_surface_vertex(s, 9 * j + i, &v));
      const bool border = i == 0 || i == 8 || j == 0 || j == 6;
      for (int slant = 0; slant < 2; slant++) {
        const cdn_vec3 from = cdn_add(v, cdn_v3(0.2 * slant, 0, 3));
        OK(cdn_geometry_ray(&g, &X, from, cdn_sub(v, from), INFINITY, 4, hits, &n));
        if (!border) ck_assert_int_eq(n, 1);
        if (n) NEAR(hits[0].distance, cdn_norm(cdn_sub(v, from)), 1e-13);
        if (n) ck_assert(hits[0].normal.z > 0);
      }
    }
  /* Level rays along the lines of the grid, and beyond. */
  for (int j = 0; j < 7; j++) {
    OK(cdn_geometry_ray(&g, &X, cdn_v3(-2, -0.6 + 0.2 * j, 0.9), cdn_v3(1, 0, 0), INFINITY, 4, hits, &n));
    ck_assert_int_eq(n, 0);
  }
  cdn_surface_release(s);
}
END_TEST

START_TEST(far_and_flat_rays) {
  /* The origin of a ray is a million sizes away: the place is right to the digits of that distance. */
  const cdn_transform X = cdn_transform_identity();
  sample_geometries samples = sample_geometries_make();
  for (int i = 0; i < samples.n; i++) {
    cdn_ray_hit near, far;
    int n;
    const cdn_vec3 down = { 0, 0, -1 };
    OK(cdn_geometry_ray(&samples.geometry[i], &X, cdn_v3(0.75, 0.011, 3), down, INFINITY, 1, &near, &n));
    if (n == 0) continue;
    OK(cdn_geometry_ray(&samples.geometry[i], &X, cdn_v3(0.75, 0.011, 1e6), down, INFINITY, 1, &far, &n));
    ck_assert_int_eq(n, 1);
    NEAR(far.point.z, near.point.z, 1e-8);
  }
  sample_geometries_free(&samples);
  /* A needle of an ellipsoid, and a sheet of a box. */
  const cdn_geometry needle = { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 1e-6, 1e-6, 1 } },
                     sheet = { .kind = CDN_GEOMETRY_BOX, .size = { 1, 1, 1e-6 } };
  cdn_ray_hit hits[2];
  int n;
  OK(cdn_geometry_ray(&needle, &X, cdn_v3(3, 0, 0.6), cdn_v3(-1, 0, 0), INFINITY, 2, hits, &n));
  ck_assert_int_eq(n, 2);
  NEAR(hits[0].point.x, 0.8e-6, 1e-15);
  NEAR(hits[1].point.x, -0.8e-6, 1e-15);
  OK(cdn_geometry_ray(&sheet, &X, cdn_v3(0.3, 0.2, 3), cdn_v3(0, 0, -1e-200), INFINITY, 2, hits, &n));
  ck_assert_int_eq(n, 2);
  NEAR(hits[0].distance, 3 - 1e-6, 1e-15);
}
END_TEST

START_TEST(bad_arguments_are_refused) {
  const cdn_geometry g = { .kind = CDN_GEOMETRY_SPHERE, .size = { 1 } }, none = { .kind = CDN_GEOMETRY_SPHERE };
  cdn_transform X = cdn_transform_identity(), odd = X;
  odd.R.x.y = NAN;
  const cdn_vec3 o = { 0, 0, 2 }, d = { 0, 0, -1 }, zero = { 0, 0, 0 }, nan = { NAN, 0, 0 };
  cdn_ray_hit hit;
  int n = 7;
  FAILS(cdn_geometry_ray(NULL, &X, o, d, 1, 1, &hit, &n), CDN_ERR_ARG);
  ck_assert_int_eq(n, 0);
  FAILS(cdn_geometry_ray(&none, &X, o, d, 1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, NULL, o, d, 1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &odd, o, d, 1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, nan, d, 1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, nan, 1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, zero, 1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, d, -1, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, d, NAN, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, d, 1, -1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, d, 1, 1, NULL, &n), CDN_ERR_ARG);
  FAILS(cdn_geometry_ray(&g, &X, o, d, 1, 1, &hit, NULL), CDN_ERR_ARG);
  OK(cdn_geometry_ray(&g, &X, o, d, 1, 0, NULL, &n));
  OK(cdn_geometry_ray(&g, &X, o, d, 1, 1, &hit, &n)); /* the reach ends where the sphere begins */
  ck_assert_int_eq(n, 1);
}
END_TEST

CHECK_MAIN("rays", rays_meet_where_the_distance_changes_its_sign, rays_through_edges_and_vertices_meet_once,
           rays_meet_height_fields_on_grid_lines, far_and_flat_rays, bad_arguments_are_refused)
