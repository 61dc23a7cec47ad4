/* Which geometries and pairs are accepted, what a hull is made of, and curvatures. */
#include "../property/geometry_reference.h"
#include "../testing.h"

START_TEST(sizes_are_checked) {
  const cdn_geometry good[] = { { .kind = CDN_GEOMETRY_SPHERE, .size = { 1, NAN, -1 } },
                                { .kind = CDN_GEOMETRY_HALF_SPACE, .size = { -1 } },
                                { .kind = CDN_GEOMETRY_CAPSULE, .size = { 1, 0 } },
                                { .kind = CDN_GEOMETRY_BOX, .size = { 1, 2, 3 } } };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) OK(cdn_geometry_check(&good[i]));
  const cdn_geometry bad[] = { { .kind = CDN_GEOMETRY_SPHERE, .size = { 0 } },
                               { .kind = CDN_GEOMETRY_SPHERE, .size = { NAN } },
                               { .kind = CDN_GEOMETRY_CAPSULE, .size = { 1, -1 } },
                               { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 1, 1, INFINITY } },
                               { .kind = CDN_GEOMETRY_CYLINDER, .size = { 1, 0 } },
                               { .kind = CDN_GEOMETRY_CONVEX },
                               { .kind = CDN_GEOMETRY_MESH },
                               { .kind = CDN_GEOMETRY_KIND_COUNT },
                               { .kind = (cdn_geometry_kind)-1 } };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    FAILS(cdn_geometry_check(&bad[i]), CDN_ERR_ARG);
    ck_assert_int_gt(strlen(cdn_last_error_text()), 20);
  }
  FAILS(cdn_geometry_check(NULL), CDN_ERR_ARG);
}
END_TEST

START_TEST(pairs_are_symmetric) {
  for (int i = 0; i < CDN_GEOMETRY_KIND_COUNT; i++)
    for (int j = 0; j < CDN_GEOMETRY_KIND_COUNT; j++) {
      const bool supported = cdn_geometry_pair_is_supported((cdn_geometry_kind)i, (cdn_geometry_kind)j);
      ck_assert(supported == cdn_geometry_pair_is_supported((cdn_geometry_kind)j, (cdn_geometry_kind)i));
      if (i <= CDN_GEOMETRY_CONVEX && j <= CDN_GEOMETRY_CONVEX)
        ck_assert(supported == !(i == CDN_GEOMETRY_HALF_SPACE && j == CDN_GEOMETRY_HALF_SPACE));
    }
  ck_assert(cdn_geometry_pair_is_supported(CDN_GEOMETRY_MESH, CDN_GEOMETRY_MESH));
  ck_assert(!cdn_geometry_pair_is_supported(CDN_GEOMETRY_HEIGHT_FIELD, CDN_GEOMETRY_HEIGHT_FIELD));
  ck_assert(!cdn_geometry_pair_is_supported(CDN_GEOMETRY_KIND_COUNT, CDN_GEOMETRY_SPHERE));
}
END_TEST

START_TEST(hulls_of_good_and_bad_points) {
  cdn_surface *s;
  cdn_surface_info info;
  /* Points on a sphere: all are corners; Euler's formula counts the triangles. Points within are left out. */
  double points[3 * 600];
  for (int i = 0; i < 600; i++) {
    const cdn_vec3 p = cdn_scale(i < 500 ? 2 : sample_number(0, 1.5), sample_direction());
    memcpy(&points[3 * i], &p, sizeof p);
  }
  OK(cdn_surface_create_convex(600, points, &s));
  OK(cdn_surface_get_info(s, &info));
  ck_assert_int_eq(info.n_vertices, 500);
  ck_assert_int_eq(info.n_triangles, 2 * 500 - 4);
  ck_assert(info.closed);
  /* Triangles are counterclockwise from outside: the volume is positive, and near that of the ball. */
  double volume = 0;
  for (int i = 0; i < info.n_triangles; i++) {
    int t[3];
    cdn_vec3 v[3];
    OK(cdn_surface_triangle(s, i, t));
    for (int k = 0; k < 3; k++) OK(cdn_surface_vertex(s, t[k], &v[k]));
    volume += cdn_dot(v[0], cdn_cross(v[1], v[2])) / 6;
  }
  ck_assert(volume > 0.9 * 4 / 3 * PI * 8 && volume < 4.0 / 3 * PI * 8);
  cdn_surface_release(s);
  /* A million times flatter or longer, small, far away: still a hull. */
  const double scales[][3] = { { 1, 1, 1e-6 }, { 1e6, 1, 1 }, { 1e-6, 1e-6, 1e-6 }, { 1e6, 1e6, 1e6 } };
  for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
    double scaled[3 * 600];
    for (int i = 0; i < 3 * 600; i++) scaled[i] = points[i] * scales[k][i % 3];
    OK(cdn_surface_create_convex(600, scaled, &s));
    OK(cdn_surface_get_info(s, &info));
    ck_assert_int_eq(info.n_vertices, 500);
    cdn_surface_release(s);
  }
  /* None of these has an inside. */
  double flat[30], line[30], same[30] = { 0 }, bad[12] = { 0, 0, 0, 1, 0, 0, 0, NAN, 0, 0, 0, 1 };
  for (int i = 0; i < 10; i++) {
    flat[3 * i] = sample_number(-1, 1), flat[3 * i + 1] = sample_number(-1, 1);
    flat[3 * i + 2] = flat[3 * i] + 2 * flat[3 * i + 1];
    line[3 * i] = line[3 * i + 1] = line[3 * i + 2] = i;
  }
  FAILS(cdn_surface_create_convex(10, flat, &s), CDN_ERR_ARG);
  ck_assert_ptr_null(s);
  FAILS(cdn_surface_create_convex(10, line, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_create_convex(10, same, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_create_convex(4, bad, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_create_convex(3, points, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_create_convex(-1, points, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_create_convex(4, NULL, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_create_convex(4, points, NULL), CDN_ERR_ARG);
}
END_TEST

/* Corners of a simpler hull are corners of the hull. Nothing is farther from it than was asked for, sharp ends
 * included. */
START_TEST(simpler_hulls_keep_what_is_far) {
  const double axes[][3] = { { 1, 1, 1 }, { 3, 0.1, 0.05 }, { 1, 1, 0.02 } };
  for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
    double points[3 * 500], farthest, most = 0;
    const cdn_rotation R = sample_rotation();
    for (int i = 0; i < 500; i++) {
      const cdn_vec3 d = sample_direction();
      const cdn_vec3 p = cdn_rotate(R, cdn_v3(axes[k][0] * d.x, axes[k][1] * d.y, axes[k][2] * d.z));
      memcpy(&points[3 * i], &p, sizeof p);
    }
    cdn_surface *whole, *simple, *same;
    cdn_surface_info before, after;
    OK(cdn_surface_create_convex(500, points, &whole));
    OK(cdn_surface_simplify(whole, 0.01, &simple, &farthest));
    OK(cdn_surface_get_info(whole, &before));
    OK(cdn_surface_get_info(simple, &after));
    ck_assert_int_lt(after.n_triangles, before.n_triangles);
    const cdn_geometry g = { .kind = CDN_GEOMETRY_CONVEX, .surface = simple };
    const cdn_transform X = cdn_transform_identity();
    for (int i = 0; i < 500; i++) {
      cdn_proximity near;
      OK(cdn_geometry_point_distance(&g, &X, cdn_v3(points[3 * i], points[3 * i + 1], points[3 * i + 2]), &near));
      most = fmax(most, near.distance);
    }
    ck_assert(most > 0 && most <= 0.01);
    NEAR(farthest, most, 1e-15);
    for (int i = 0; i < after.n_vertices; i++) {
      cdn_vec3 v;
      bool is_corner = false;
      OK(cdn_surface_vertex(simple, i, &v));
      for (int j = 0; j < 500 && !is_corner; j++) is_corner = memcmp(&v, &points[3 * j], sizeof v) == 0;
      ck_assert(is_corner);
    }
    /* nothing may be left out */
    OK(cdn_surface_simplify(whole, 0, &same, &farthest));
    ck_assert_ptr_eq(same, whole);
    ck_assert(farthest == 0);
    cdn_surface_release(same);
    cdn_surface_release(whole);
    cdn_surface_release(simple);
  }
  const double corners[24] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1 };
  const int triangles[3] = { 0, 1, 2 };
  cdn_surface *cube, *mesh, *same;
  OK(cdn_surface_create_convex(8, corners, &cube));
  OK(cdn_surface_create_mesh(3, corners, 1, triangles, &mesh));
  OK(cdn_surface_simplify(cube, 0.1, &same, NULL));
  ck_assert_ptr_eq(same, cube);
  cdn_surface_release(same);
  FAILS(cdn_surface_simplify(mesh, 0.1, &same, NULL), CDN_ERR_ARG);
  ck_assert_ptr_null(same);
  FAILS(cdn_surface_simplify(cube, -1, &same, NULL), CDN_ERR_ARG);
  FAILS(cdn_surface_simplify(cube, NAN, &same, NULL), CDN_ERR_ARG);
  FAILS(cdn_surface_simplify(NULL, 1, &same, NULL), CDN_ERR_ARG);
  FAILS(cdn_surface_simplify(cube, 1, NULL, NULL), CDN_ERR_ARG);
  cdn_surface_release(cube);
  cdn_surface_release(mesh);
}
END_TEST

/* At a vertex of an ellipsoid on the axis x the curvatures are a / b^2 and a / c^2. */
START_TEST(curvatures) {
  const double a = 0.5, b = 0.3, c = 0.9;
  const cdn_geometry egg = { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { a, b, c } },
                     can = { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.4, 1 } },
                     pill = { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.4, 1 } },
                     brick = { .kind = CDN_GEOMETRY_BOX, .size = { 1, 1, 1 } };
  const cdn_transform X = { sample_rotation(), { 1, 2, 3 } };
  double k[2];
  cdn_vec3 d;
  OK(cdn_geometry_curvature(&egg, &X, cdn_transform_point(X, cdn_v3(1, 0, 0)), k, &d));
  NEAR(k[0], a / (b * b), 1e-12);
  NEAR(k[1], a / (c * c), 1e-12);
  NEAR(fabs(cdn_dot(d, X.R.y)), 1, 1e-12);
  OK(cdn_geometry_curvature(&can, &X, cdn_transform_point(X, cdn_v3(0, 1, 0.3)), k, &d));
  NEAR(k[0], 2.5, 1e-12);
  NEAR(k[1], 0, 1e-12);
  NEAR(fabs(cdn_dot(d, X.R.x)), 1, 1e-12);
  FAILS(cdn_geometry_curvature(&can, &X, cdn_transform_point(X, cdn_v3(0, 0.1, 2)), k, &d), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_geometry_curvature(&brick, &X, cdn_v3(0, 0, 0), k, &d), CDN_ERR_UNSUPPORTED);
  OK(cdn_geometry_curvature(&pill, &X, cdn_transform_point(X, cdn_v3(0, 0.1, 2)), k, &d));
  NEAR(k[1], 2.5, 1e-12);
  /* Anywhere on the egg: the product is Gauss's curvature 1 / (abc)^2 / (x^2/a^4 + y^2/b^4 + z^2/c^4)^2. */
  for (int i = 0; i < 100; i++) {
    const cdn_vec3 u = sample_direction(), x = cdn_v3(a * u.x, b * u.y, c * u.z);
    OK(cdn_geometry_curvature(&egg, &X, cdn_transform_point(X, x), k, &d));
    const double s = u.x * u.x / (a * a) + u.y * u.y / (b * b) + u.z * u.z / (c * c);
    NEAR(k[0] * k[1], 1 / (a * a * b * b * c * c * s * s), 1e-9);
  }
}
END_TEST

CHECK_MAIN("geometry_kinds", sizes_are_checked, pairs_are_symmetric, hulls_of_good_and_bad_points,
           simpler_hulls_keep_what_is_far, curvatures)
