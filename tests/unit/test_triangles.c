/* Triangles of geometries: they enclose the volume that they should, look outward, and keep sharp edges sharp. */
#include "../testing.h"

typedef struct measured {
  double volume, area;
} measured;

/* Volume and area; every triangle is counterclockwise as its normals say, and every normal has length 1. */
static measured measure(const cdn_triangles *t) {
  measured m = { 0, 0 };
  for (int i = 0; i < t->n_triangles; i++) {
    cdn_vec3 p[3], n[3];
    for (int k = 0; k < 3; k++) {
      const int32_t v = t->indices[3 * i + k];
      ck_assert(v >= 0 && v < t->n_vertices);
      p[k] = cdn_v3(t->positions[3 * v], t->positions[3 * v + 1], t->positions[3 * v + 2]);
      n[k] = cdn_v3(t->normals[3 * v], t->normals[3 * v + 1], t->normals[3 * v + 2]);
      NEAR(cdn_norm(n[k]), 1, 1e-6); /* single precision */
    }
    const cdn_vec3 area = cdn_cross(cdn_sub(p[1], p[0]), cdn_sub(p[2], p[0]));
    m.volume += cdn_dot(p[0], cdn_cross(p[1], p[2])) / 6;
    m.area += 0.5 * cdn_norm(area);
    if (cdn_norm(area) > 1e-6)
      for (int k = 0; k < 3; k++) ck_assert(cdn_dot(area, n[k]) > 0);
  }
  return m;
}

static measured triangles_of(cdn_geometry g, int segments) {
  cdn_triangles t;
  OK(cdn_geometry_triangles(&g, segments, 1, &t));
  const measured m = measure(&t);
  cdn_triangles_free(&t);
  ck_assert(!t.positions && t.n_triangles == 0);
  return m;
}

/* An inscribed polyhedron falls short by O(1 / segments^2): four times as many segments, a sixteenth of the gap. */
START_TEST(volumes_converge) {
  const struct {
    cdn_geometry g;
    double volume;
  } cases[] = { { { CDN_GEOMETRY_SPHERE, { 2 }, NULL }, 4 * PI / 3 * 8 },
                { { CDN_GEOMETRY_CAPSULE, { 1, 2 }, NULL }, 4 * PI / 3 + 4 * PI },
                { { CDN_GEOMETRY_CAPSULE, { 1, 0 }, NULL }, 4 * PI / 3 },
                { { CDN_GEOMETRY_ELLIPSOID, { 1, 2, 3 }, NULL }, 4 * PI / 3 * 6 },
                { { CDN_GEOMETRY_CYLINDER, { 2, 3 }, NULL }, 24 * PI } };
  for (int i = 0; i < 5; i++) {
    const double coarse = cases[i].volume - triangles_of(cases[i].g, 32).volume;
    const double fine = cases[i].volume - triangles_of(cases[i].g, 128).volume;
    ck_assert(fine > 0 && fine < 0.005 * cases[i].volume);
    NEAR(coarse / fine, 16, 0.5);
  }
}
END_TEST

START_TEST(flat_ones_are_exact) {
  const measured box = triangles_of((cdn_geometry){ CDN_GEOMETRY_BOX, { 1, 2, 3 }, NULL }, 3);
  NEAR(box.volume, 48, 1e-5);
  NEAR(box.area, 88, 1e-5);
  NEAR(triangles_of((cdn_geometry){ CDN_GEOMETRY_HALF_SPACE, { 0 }, NULL }, 3).area, 4, 1e-6);
}
END_TEST

/* A cube of eight vertices has sharp edges: three normals a corner. A fine ball of triangles has one a vertex. */
START_TEST(meshes_keep_their_edges) {
  double corners[24];
  for (int i = 0; i < 8; i++)
    corners[3 * i] = i & 1 ? 1 : -1, corners[3 * i + 1] = i & 2 ? 1 : -1, corners[3 * i + 2] = i & 4 ? 1 : -1;
  cdn_surface *cube, *ball;
  OK(cdn_surface_create_convex(8, corners, &cube));
  cdn_triangles t;
  const cdn_geometry g = { CDN_GEOMETRY_CONVEX, { 0 }, cube };
  OK(cdn_geometry_triangles(&g, 3, 1, &t));
  ck_assert_int_eq(t.n_vertices, 24);
  ck_assert_int_eq(t.n_triangles, 12);
  NEAR(measure(&t).volume, 8, 1e-6);
  cdn_triangles_free(&t);

  double points[3 * 500];
  for (int i = 0; i < 500; i++) {
    const double z = 1 - (2 * i + 1) / 500.0, a = 2.399963 * i, w = sqrt(1 - z * z);
    points[3 * i] = w * cos(a), points[3 * i + 1] = w * sin(a), points[3 * i + 2] = z;
  }
  OK(cdn_surface_create_convex(500, points, &ball));
  const cdn_geometry round = { CDN_GEOMETRY_CONVEX, { 0 }, ball };
  OK(cdn_geometry_triangles(&round, 3, 1, &t));
  ck_assert_int_eq(t.n_vertices, 500);
  for (int i = 0; i < 500; i++)
    for (int k = 0; k < 3; k++) NEAR(t.normals[3 * i + k], t.positions[3 * i + k], 0.1);
  cdn_triangles_free(&t);
  cdn_surface_release(cube);
  cdn_surface_release(ball);
}
END_TEST

static double ball_distance(const void *self, cdn_vec3 p, cdn_vec3 *gradient) {
  (void)self;
  const double r = cdn_norm(p);
  *gradient = r > 0 ? cdn_scale(1 / r, p) : cdn_v3(0, 0, 1);
  return r - 1.5;
}

START_TEST(custom_ones_are_met_by_rays) {
  const cdn_surface_ops ops = { .struct_size = sizeof ops, .distance = ball_distance, .radius = 2 };
  cdn_surface *s;
  OK(cdn_surface_create_custom(&ops, NULL, &s));
  NEAR(triangles_of((cdn_geometry){ CDN_GEOMETRY_CUSTOM, { 0 }, s }, 64).volume, 4 * PI / 3 * 3.375, 0.01 * 14.2);
  cdn_surface_release(s);
}
END_TEST

START_TEST(bad_calls) {
  cdn_triangles t;
  const cdn_geometry g = { CDN_GEOMETRY_SPHERE, { 1 }, NULL }, bad = { CDN_GEOMETRY_SPHERE, { -1 }, NULL };
  FAILS(cdn_geometry_triangles(&g, 2, 1, &t), CDN_ERR_ARG);
  FAILS(cdn_geometry_triangles(&g, 8, 0, &t), CDN_ERR_ARG);
  FAILS(cdn_geometry_triangles(&bad, 8, 1, &t), CDN_ERR_ARG);
  FAILS(cdn_geometry_triangles(NULL, 8, 1, &t), CDN_ERR_ARG);
  ck_assert(!t.positions);
  FAILS(cdn_geometry_triangles(&g, 8, 1, NULL), CDN_ERR_ARG);
  cdn_triangles_free(NULL);
}
END_TEST

CHECK_MAIN("triangles", volumes_converge, flat_ones_are_exact, meshes_keep_their_edges, custom_ones_are_met_by_rays,
           bad_calls)
