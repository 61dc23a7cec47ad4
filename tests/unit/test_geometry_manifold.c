/* Contact manifolds: how many points, where they are, and that they keep their ids. */
#include "../property/geometry_reference.h"
#include "../testing.h"
#include "geometry/geometry.h"

static cdn_transform at(double x, double y, double z) {
  cdn_transform X = cdn_transform_identity();
  X.p = cdn_v3(x, y, z);
  return X;
}

static cdn_transform turned(cdn_vec3 axis, double angle, double x, double y, double z) {
  const cdn_transform X = { cdn_rotation_axis_angle(axis, angle), { x, y, z } };
  return X;
}

static const cdn_geometry ground = { .kind = CDN_GEOMETRY_HALF_SPACE },
                          brick = { .kind = CDN_GEOMETRY_BOX, .size = { 0.5, 0.3, 0.2 } },
                          slab = { .kind = CDN_GEOMETRY_BOX, .size = { 2, 1, 0.1 } },
                          can = { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.3, 0.5 } },
                          pill = { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.2, 0.4 } },
                          ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.5 } };

/* The points join the two geometries, and the deepest is as deep as the distance says. */
static void check(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b, const cdn_transform *X_WB,
                  double margin, int expected, cdn_manifold *m) {
  OK(cdn_geometry_manifold(a, X_WA, b, X_WB, margin, m));
  ck_assert_int_eq(m->n, expected);
  cdn_proximity near;
  OK(cdn_geometry_distance(a, X_WA, b, X_WB, &near));
  double least = INFINITY;
  for (int i = 0; i < m->n; i++) {
    const cdn_proximity *p = &m->points[i];
    AT_MOST(p->distance, margin + 1e-12);
    least = fmin(least, p->distance);
    NEAR(cdn_norm(cdn_sub(cdn_sub(p->point_b, p->point_a), cdn_scale(p->distance, p->normal))), 0, 1e-12);
    NEAR(cdn_dot(p->normal, near.normal), 1, 1e-9);
    for (int j = 0; j < i; j++) ck_assert_int_ne(m->id[i], m->id[j]);
  }
  if (m->n) NEAR(least, near.distance, 1e-9);
}

/* The area of the hull of the points across z, by the largest triangle fan: they come in order or not. */
static double spread(const cdn_manifold *m) {
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
  for (int i = 0; i < m->n; i++) {
    low[0] = fmin(low[0], m->points[i].point_a.x), high[0] = fmax(high[0], m->points[i].point_a.x);
    low[1] = fmin(low[1], m->points[i].point_a.y), high[1] = fmax(high[1], m->points[i].point_a.y);
  }
  return (high[0] - low[0]) * (high[1] - low[1]);
}

START_TEST(boxes_lie_on_their_faces) {
  cdn_manifold m;
  const cdn_transform O = cdn_transform_identity(), up = at(0.2, 0.1, 0.199);
  check(&ground, &O, &brick, &up, 0, 4, &m);
  NEAR(spread(&m), 1.0 * 0.6, 1e-12);
  for (int i = 0; i < 4; i++) NEAR(m.points[i].distance, -0.001, 1e-12);

  const cdn_transform on = at(0.2, 0.1, 0.299);
  check(&slab, &O, &brick, &on, 0, 4, &m);
  NEAR(spread(&m), 0.6, 1e-12);
  check(&brick, &on, &slab, &O, 0, 4, &m);
  NEAR(spread(&m), 0.6, 1e-12);
  /* Half over the border: the common part. */
  const cdn_transform over = at(2, 0, 0.299);
  check(&slab, &O, &brick, &over, 0, 4, &m);
  NEAR(spread(&m), 0.5 * 0.6, 1e-12);
  /* Turned by 45 degrees on a square of its size: eight corners. */
  const cdn_geometry tile = { .kind = CDN_GEOMETRY_BOX, .size = { 1, 1, 0.1 } };
  const cdn_transform askew = turned(cdn_v3(0, 0, 1), PI / 4, 0, 0, 0.2);
  check(&tile, &O, &tile, &askew, 0.001, 8, &m);
  /* On an edge: two points; on a corner: one. */
  const cdn_transform edge = turned(cdn_v3(0, 1, 0), PI / 4, 0, 0, 0.7 / sqrt(2) - 1e-3);
  check(&ground, &O, &brick, &edge, 0, 2, &m);
  cdn_transform corner = turned(cdn_v3(1, 0.3, 0), 0.8, 0, 0, 1);
  cdn_proximity near;
  OK(cdn_geometry_distance(&ground, &O, &brick, &corner, &near));
  corner.p.z -= near.distance + 1e-3;
  check(&ground, &O, &brick, &corner, 0, 1, &m);
  /* Crossed edges: one. */
  const cdn_geometry bar = { .kind = CDN_GEOMETRY_BOX, .size = { 1, 0.1, 0.1 } };
  const cdn_transform low = turned(cdn_v3(1, 0, 0), PI / 4, 0, 0, 0);
  const cdn_transform high = { cdn_rotation_multiply(cdn_rotation_axis_angle(cdn_v3(0, 0, 1), PI / 2), low.R),
                               { 0, 0, 0.28 } };
  check(&bar, &low, &bar, &high, 0, 1, &m);
  /* Parallel edges that face each other: two. */
  const cdn_transform above = turned(cdn_v3(1, 0, 0), PI / 4, 0.1, 0, 0.1 * sqrt(8) + 1e-4);
  check(&bar, &low, &bar, &above, 0.01, 2, &m);
}
END_TEST

START_TEST(round_ones_have_a_point_or_a_line) {
  cdn_manifold m;
  const cdn_transform O = cdn_transform_identity();
  cdn_transform X = at(0, 0, 0.499);
  check(&ground, &O, &ball, &X, 0, 1, &m);
  check(&ground, &O, &can, &X, 0, 8, &m);
  NEAR(spread(&m), 0.36, 1e-12);
  X = turned(cdn_v3(1, 0, 0), PI / 2, 0, 0, 0.299);
  check(&ground, &O, &can, &X, 0, 2, &m);
  X = turned(cdn_v3(1, 0, 0), PI / 2, 0, 0, 0.199);
  check(&ground, &O, &pill, &X, 0, 2, &m);
  X = turned(cdn_v3(1, 0, 0), PI / 2, 0, 0, 0.299);
  check(&slab, &O, &pill, &X, 0, 2, &m);
  X = turned(cdn_v3(1, 0, 0), PI / 2, 0, 0, 0.399);
  check(&slab, &O, &can, &X, 0, 2, &m);
  X = at(0, 0, 0.599);
  check(&slab, &O, &can, &X, 0, 8, &m);
  /* A capsule stands: its ends are round. Two lie along each other, or cross. */
  X = at(0, 0, 0.599);
  check(&ground, &O, &pill, &X, 0, 1, &m);
  X = at(0.399, 0, 0.2);
  check(&pill, &O, &pill, &X, 0, 2, &m);
  X = turned(cdn_v3(1, 0, 0), 1, 0.399, 0, 0);
  check(&pill, &O, &pill, &X, 0, 1, &m);
  /* Two cans: on each other, and side by side. */
  X = at(0.1, 0.1, 0.999);
  OK(cdn_geometry_manifold(&can, &O, &can, &X, 0, &m));
  ck_assert_int_ge(m.n, 6);
  X = at(0.599, 0, 0.3);
  check(&can, &O, &can, &X, 0, 2, &m);
  /* Apart by more than the margin: none. */
  X = at(0, 0, 0.6);
  check(&ground, &O, &ball, &X, 0.05, 0, &m);
  check(&ground, &O, &ball, &X, 0.15, 1, &m);
}
END_TEST

START_TEST(a_tilted_cylinder_touches_with_its_deepest_point) {
  cdn_manifold m;
  const cdn_transform O = cdn_transform_identity();
  for (int i = 0; i < 100; i++) {
    const double tilt = 1e-4 * i, angle = 0.1 * i;
    const cdn_vec3 axis = cdn_v3(cos(angle), sin(angle), 0);
    const cdn_transform X = turned(axis, tilt, 0, 0, 0.499);
    OK(cdn_geometry_manifold(&ground, &O, &can, &X, 0.01, &m));
    ck_assert_int_ge(m.n, 4);
    cdn_proximity near;
    OK(cdn_geometry_distance(&ground, &O, &can, &X, &near));
    double least = INFINITY;
    for (int k = 0; k < m.n; k++) least = fmin(least, m.points[k].distance);
    NEAR(least, near.distance, 1e-12);
  }
}
END_TEST

START_TEST(hulls_lie_on_their_merged_faces) {
  /* A cube of more points than corners. */
  double points[3 * 27];
  int n = 0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      for (int k = -1; k <= 1; k++, n++)
        points[3 * n] = 0.5 * i, points[3 * n + 1] = 0.5 * j, points[3 * n + 2] = 0.5 * k;
  cdn_surface *surface;
  OK(cdn_surface_create_convex(27, points, &surface));
  cdn_surface_info info;
  OK(cdn_surface_get_info(surface, &info));
  ck_assert_int_eq(info.n_vertices, 8);
  ck_assert_int_eq(info.n_triangles, 12);
  const cdn_geometry cube = { .kind = CDN_GEOMETRY_CONVEX, .surface = surface };
  cdn_manifold m;
  const cdn_transform O = cdn_transform_identity(), X = at(0.25, 0.25, 0.999);
  check(&cube, &O, &cube, &X, 0, 4, &m);
  NEAR(spread(&m), 0.75 * 0.75, 1e-12);
  const cdn_transform Y = at(0, 0, 0.499), Z = at(0, 0, 0.599);
  check(&ground, &O, &cube, &Y, 0, 4, &m);
  check(&slab, &O, &cube, &Z, 0, 4, &m);
  NEAR(spread(&m), 1, 1e-12);
  cdn_surface_release(surface);
}
END_TEST

/* A pose that moves by 1e-7 keeps the ids and moves the points by little. */
START_TEST(ids_stay) {
  const cdn_geometry *const lower[] = { &ground, &slab, &slab, &slab, &ground, &ground, &pill, &slab };
  const cdn_geometry *const upper[] = { &brick, &brick, &can, &pill, &can, &pill, &pill, &brick };
  const cdn_transform poses[] = { at(0, 0, 0.19),   turned(cdn_v3(0, 0, 1), 0.3, 1.9, 0.8, 0.29),
                                  at(0, 0.1, 0.59), turned(cdn_v3(1, 0, 0), PI / 2, 0, 0, 0.29),
                                  at(0, 0.1, 0.49), turned(cdn_v3(1, 0, 0), PI / 2, 0, 0, 0.19),
                                  at(0.39, 0, 0.1), turned(cdn_v3(0, 0, 1), 1, 0, 0, 0.29) };
  for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
    cdn_manifold first, m;
    const cdn_transform O = cdn_transform_identity();
    OK(cdn_geometry_manifold(lower[i], &O, upper[i], &poses[i], 0.01, &first));
    ck_assert_int_ge(first.n, 2);
    for (int k = 0; k < 50; k++) {
      cdn_transform X = poses[i];
      X.p = cdn_add(X.p, cdn_scale(1e-7, sample_direction()));
      X.R = cdn_rotation_multiply(cdn_rotation_axis_angle(sample_direction(), 1e-7), X.R);
      OK(cdn_geometry_manifold(lower[i], &O, upper[i], &X, 0.01, &m));
      ck_assert_int_eq(m.n, first.n);
      for (int p = 0; p < m.n; p++) {
        int q = 0;
        while (q < first.n && first.id[q] != m.id[p]) q++;
        ck_assert_msg(q < first.n, "pair %d: id %d is new", (int)i, m.id[p]);
        /* The deepest point of a rim may be anywhere near its place on it. */
        AT_MOST(cdn_norm(cdn_sub(m.points[p].point_a, first.points[q].point_a)), upper[i] == &can ? 0.13 : 1e-5);
      }
    }
  }
}
END_TEST

/* Any solid at any pose, also a hull whose lowest face has more corners than there is room for: the points are on both,
 * each is as high as it says, and the lowest is as low as the distance. */
START_TEST(solids_stand_on_a_half_space) {
  static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_SPHERE,   CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_ELLIPSOID,
                                             CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_BOX,     CDN_GEOMETRY_CONVEX };
  double prism[120];
  for (int i = 0; i < 40; i++)
    prism[3 * i] = cos(i / 2 * PI / 10), prism[3 * i + 1] = sin(i / 2 * PI / 10), prism[3 * i + 2] = i % 2;
  cdn_surface *many;
  OK(cdn_surface_create_convex(40, prism, &many));
  for (int i = 0; i < 7 * 100; i++) {
    sample_geometry s = { .geometry = { .kind = CDN_GEOMETRY_CONVEX, .surface = many } };
    if (i % 7 < 6) sample_make(kinds[i % 7], 1, &s);
    /* Every other one is turned by little, so that faces, rims and lines of the solids lie almost flat. */
    const double angle = i / 7 % 2 ? sample_number(-3, 3) : pow(10, sample_number(-12, -1));
    const cdn_transform X_WA = { sample_rotation(), sample_direction() };
    const cdn_transform X_AB = { cdn_rotation_axis_angle(sample_direction(), angle), { 0, 0, 0 } };
    cdn_transform X_WB = cdn_transform_multiply(X_WA, X_AB);
    cdn_proximity near;
    OK(cdn_geometry_distance(&ground, &X_WA, &s.geometry, &X_WB, &near));
    X_WB.p = cdn_sub(X_WB.p, cdn_scale(near.distance + pow(10, sample_number(-9, -1)), near.normal));
    OK(cdn_geometry_distance(&ground, &X_WA, &s.geometry, &X_WB, &near));
    cdn_manifold m;
    OK(cdn_geometry_manifold(&ground, &X_WA, &s.geometry, &X_WB, 0, &m));
    ck_assert_int_ge(m.n, 1);
    double least = INFINITY;
    for (int k = 0; k < m.n; k++) {
      const cdn_proximity *p = &m.points[k];
      least = fmin(least, p->distance);
      NEAR(cdn_norm(cdn_sub(p->normal, X_WA.R.z)), 0, 1e-15);
      NEAR(cdn_dot(X_WA.R.z, cdn_sub(p->point_b, X_WA.p)), p->distance, 1e-14);
      NEAR(cdn_dot(X_WA.R.z, cdn_sub(p->point_a, X_WA.p)), 0, 1e-14);
      cdn_proximity on;
      OK(cdn_geometry_point_distance(&s.geometry, &X_WB, p->point_b, &on));
      NEAR(on.distance, 0, 1e-12);
      for (int l = 0; l < k; l++) ck_assert_int_ne(m.id[k], m.id[l]);
    }
    NEAR(least, near.distance, 1e-10); /* the points of a rim stay where they are while it is flat to 1e-9 */
    if (i % 7 < 6) sample_free(&s);
  }
  cdn_surface_release(many);
}
END_TEST

/* A base whose rim is rounded as files are, so that its underside is many facets: whichever is the lowest, the hull
 * stands on corners all around, which stay the same as it rocks. */
START_TEST(a_base_of_many_facets_stands_on_its_whole_rim) {
  enum { CORNERS = 30 };
  double points[6 * CORNERS];
  for (int i = 0; i < CORNERS; i++) {
    const double angle = 2 * PI * i / CORNERS;
    for (int top = 0; top < 2; top++) {
      double *p = &points[3 * (2 * i + top)];
      p[0] = 0.08 * cos(angle), p[1] = 0.08 * sin(angle), p[2] = top ? 0.1 : 1e-6 * ((i * 7) % 11 - 5) / 5;
    }
  }
  cdn_surface *hull;
  OK(cdn_surface_create_convex(2 * CORNERS, points, &hull));
  const cdn_geometry base = { .kind = CDN_GEOMETRY_CONVEX, .surface = hull };
  const cdn_transform O = cdn_transform_identity();
  int32_t first[CDN_MANIFOLD_MOST] = { 0 };
  for (int i = 0; i < 200; i++) {
    const cdn_vec3 axis = cdn_v3(cos(i), sin(i), 0);
    const cdn_transform X = turned(axis, 1e-5 * (i % 5), 0, 0, -1e-4);
    cdn_manifold m = { 0 };
    cdni_hull_stands_steadily(&O, &base, &X, 0, &m);
    ck_assert_int_eq(m.n, CDN_MANIFOLD_MOST);
    ck_assert(spread(&m) > 0.9 * 0.16 * 0.16);
    if (i == 0) memcpy(first, m.id, sizeof first);
    ck_assert_int_eq(memcmp(first, m.id, sizeof first), 0);
    /* the geometry's own manifold has the lowest corner in any case */
    cdn_proximity near;
    OK(cdn_geometry_distance(&ground, &O, &base, &X, &near));
    OK(cdn_geometry_manifold(&ground, &O, &base, &X, 0, &m));
    double least = INFINITY;
    for (int k = 0; k < m.n; k++) least = fmin(least, m.points[k].distance);
    NEAR(least, near.distance, 1e-12);
    ck_assert(spread(&m) > 0.8 * 0.16 * 0.16);
  }
  cdn_surface_release(hull);
}
END_TEST

START_TEST(arguments_are_checked) {
  cdn_manifold m;
  cdn_transform O = cdn_transform_identity(), bad = O;
  bad.p.x = NAN;
  FAILS(cdn_geometry_manifold(&ball, &O, &ball, &O, -1, &m), CDN_ERR_ARG);
  FAILS(cdn_geometry_manifold(&ball, &O, &ball, &O, NAN, &m), CDN_ERR_ARG);
  FAILS(cdn_geometry_manifold(&ball, &bad, &ball, &O, 0, &m), CDN_ERR_ARG);
  FAILS(cdn_geometry_manifold(&ground, &O, &ground, &O, 0, &m), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_geometry_manifold(NULL, &O, &ball, &O, 0, &m), CDN_ERR_ARG);
}
END_TEST

CHECK_MAIN("geometry_manifold", boxes_lie_on_their_faces, round_ones_have_a_point_or_a_line,
           a_tilted_cylinder_touches_with_its_deepest_point, hulls_lie_on_their_merged_faces, ids_stay,
           solids_stand_on_a_half_space, a_base_of_many_facets_stands_on_its_whole_rim, arguments_are_checked)
