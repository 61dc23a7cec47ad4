/* Manifolds of meshes, height fields and custom distances: enough points to carry a load, in the right places, and the
 * same from step to step. */
#include "property/sample_geometries.h"
#include "testing.h"

/* Flat ground at z = 0, from -1 to 1: two triangles, many triangles, a block, a height field, and an open sheet. */
enum { GROUNDS = 5 };
static void make_grounds(cdn_geometry *ground) {
  double sheet[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
  const int two[6] = { 0, 1, 2, 0, 2, 3 };
  cdn_surface *s;
  OK(cdn_surface_create_mesh(4, sheet, 2, two, &s));
  ground[0] = (cdn_geometry){ .kind = CDN_GEOMETRY_MESH, .surface = s };
  enum { N = 21 };
  static double grid[3 * N * N], flat[N * N];
  static int triangles[6 * (N - 1) * (N - 1)];
  int at = 0;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double *p = grid + 3 * (j * N + i);
      p[0] = -1 + 0.1 * i, p[1] = -1 + 0.1 * j, p[2] = 0;
      if (i == N - 1 || j == N - 1) continue;
      const int a = j * N + i, t[6] = { a, a + 1, a + N + 1, a, a + N + 1, a + N };
      memcpy(triangles + 6 * at++, t, sizeof t);
    }
  OK(cdn_surface_create_mesh(N * N, grid, 2 * at, triangles, &s));
  ground[1] = (cdn_geometry){ .kind = CDN_GEOMETRY_MESH, .surface = s };
  mesh_shape block = mesh_box(1, 1, 0.5);
  for (int i = 2; i < 24; i += 3) block.vertices[i] -= 0.5;
  ground[2] = (cdn_geometry){ .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&block) };
  mesh_shape_free(&block);
  OK(cdn_surface_create_height_field(N, N, flat, 1, 1, &s));
  ground[3] = (cdn_geometry){ .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
  OK(cdn_surface_create_height_field(2, 2, flat, 1, 1, &s));
  ground[4] = (cdn_geometry){ .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
}

static cdn_manifold manifold_of(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                const cdn_transform *X_WB, double margin) {
  cdn_manifold m;
  OK(cdn_geometry_manifold(a, X_WA, b, X_WB, margin, &m));
  for (int i = 0; i < m.n; i++) {
    const cdn_proximity *p = &m.points[i];
    NEAR(cdn_norm(p->normal), 1, 1e-12);
    AT_MOST(p->distance, margin + 1e-12);
    NEAR(cdn_norm(cdn_sub(cdn_sub(p->point_b, p->point_a), cdn_scale(p->distance, p->normal))), 0, 1e-12);
    for (int j = 0; j < i; j++) ck_assert(m.id[i] != m.id[j]);
  }
  return m;
}

/* True if some point of b is where p is. */
static bool has_point(const cdn_manifold *m, cdn_vec3 p, double tolerance) {
  for (int i = 0; i < m->n; i++)
    if (cdn_norm(cdn_sub(m->points[i].point_b, p)) <= tolerance) return true;
  return false;
}

START_TEST(what_lies_flat) {
  cdn_geometry ground[GROUNDS];
  make_grounds(ground);
  uint64_t seed = 41;
  for (int g = 0; g < GROUNDS; g++)
    for (int pose = 0; pose < FEWER(10); pose++) {
      const cdn_transform X_WA = mesh_pose(&seed, 1);
      const double height = pose % 2 ? 0.002 : -0.002;
      const cdn_transform place = { cdn_rotation_axis_angle(cdn_v3(0, 0, 1), mesh_uniform(&seed, 0, 6)),
                                    { mesh_uniform(&seed, -0.3, 0.3), mesh_uniform(&seed, -0.3, 0.3), 0 } };
      /* A box on its face: its four lower corners are among the points. */
      const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.3, 0.2, 0.1 } };
      cdn_transform X = place;
      X.p.z = 0.1 + height;
      cdn_transform X_WB = cdn_transform_multiply(X_WA, X);
      cdn_manifold m = manifold_of(&ground[g], &X_WA, &box, &X_WB, 0.01);
      ck_assert_int_ge(m.n, 4);
      for (int i = 0; i < 4; i++)
        ck_assert(has_point(&m, cdn_transform_point(X_WB, cdn_v3(i & 1 ? 0.3 : -0.3, i & 2 ? 0.2 : -0.2, -0.1)), 1e-9));
      for (int i = 0; i < m.n; i++) {
        NEAR(m.points[i].distance, height, 1e-9);
        NEAR(cdn_norm(cdn_sub(m.points[i].normal, X_WA.R.z)), 0, 1e-9);
      }
      /* The same points where it has moved little. */
      cdn_transform moved = X_WB;
      moved.p = cdn_add(moved.p, cdn_v3(1e-8, -2e-8, 1e-8));
      const cdn_manifold n = manifold_of(&ground[g], &X_WA, &box, &moved, 0.01);
      ck_assert_int_eq(n.n, m.n);
      for (int i = 0; i < m.n; i++) ck_assert_int_eq(n.id[i], m.id[i]);

      /* A ball has one point. */
      const cdn_geometry ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.2 } };
      X.p.z = 0.2 + height;
      X_WB = cdn_transform_multiply(X_WA, X);
      m = manifold_of(&ground[g], &X_WA, &ball, &X_WB, 0.01);
      ck_assert_int_eq(m.n, 1);
      NEAR(m.points[0].distance, height, 1e-9);

      /* A capsule on its side has both ends, a cylinder too; a cylinder on its end has points all around. */
      const cdn_rotation lying = cdn_rotation_multiply(place.R, cdn_rotation_axis_angle(cdn_v3(0, 1, 0), PI / 2));
      const cdn_geometry capsule = { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.1, 0.3 } },
                         cylinder = { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.1, 0.3 } };
      X.R = lying;
      X.p.z = 0.1 + height;
      X_WB = cdn_transform_multiply(X_WA, X);
      for (int k = 0; k < 2; k++) {
        m = manifold_of(&ground[g], &X_WA, k ? &cylinder : &capsule, &X_WB, 0.01);
        ck_assert_int_ge(m.n, 2);
        for (int end = -1; end <= 1; end += 2) {
          const cdn_vec3 lowest = cdn_sub(cdn_transform_point(X_WB, cdn_v3(0, 0, 0.3 * end)), cdn_scale(0.1, X_WA.R.z));
          ck_assert(has_point(&m, lowest, 1e-9));
        }
      }
      X.R = place.R;
      X.p.z = 0.3 + height;
      X_WB = cdn_transform_multiply(X_WA, X);
      m = manifold_of(&ground[g], &X_WA, &cylinder, &X_WB, 0.01);
      ck_assert_int_ge(m.n, 4);
      for (int i = 0; i < 4; i++) {
        /* Some point is in each quarter of the rim. */
        const cdn_vec3 way = cdn_rotate(X_WB.R, cdn_v3(cos(i * PI / 2), sin(i * PI / 2), 0));
        double farthest = -1;
        for (int k = 0; k < m.n; k++) farthest = fmax(farthest, cdn_dot(way, cdn_sub(m.points[k].point_b, X_WB.p)));
        AT_MOST(0.05, farthest);
      }
    }
  for (int g = 0; g < GROUNDS; g++) cdn_surface_release(ground[g].surface);
}
END_TEST

START_TEST(an_edge_on_the_ground) {
  cdn_geometry ground[GROUNDS];
  make_grounds(ground);
  const cdn_transform X_WA = cdn_transform_identity();
  const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.3, 0.2, 0.2 } };
  for (int g = 0; g < GROUNDS; g++) {
    const cdn_transform X_WB = { cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI / 4),
                                 { 0.03, 0.05, 0.2 * sqrt(2) - 1e-3 } };
    const cdn_manifold m = manifold_of(&ground[g], &X_WA, &box, &X_WB, 0.01);
    ck_assert_int_ge(m.n, 2);
    ck_assert(has_point(&m, cdn_transform_point(X_WB, cdn_v3(0.3, -0.2, -0.2)), 1e-9));
    ck_assert(has_point(&m, cdn_transform_point(X_WB, cdn_v3(-0.3, -0.2, -0.2)), 1e-9));
    for (int i = 0; i < m.n; i++) NEAR(m.points[i].normal.z, 1, 1e-9);
  }
  for (int g = 0; g < GROUNDS; g++) cdn_surface_release(ground[g].surface);
}
END_TEST

START_TEST(others) {
  const cdn_transform X_WA = cdn_transform_identity();
  cdn_transform X_WB = X_WA;
  const cdn_geometry half_space = { .kind = CDN_GEOMETRY_HALF_SPACE };
  mesh_shape shape = mesh_box(0.3, 0.2, 0.1);
  const cdn_geometry mesh = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&shape) };
  /* A mesh on a half-space: its four lower corners. The half-space is b, and its normal leads to a. */
  X_WB.p.z = -0.1 + 1e-3;
  cdn_manifold m = manifold_of(&mesh, &X_WA, &half_space, &X_WB, 0.01);
  ck_assert_int_eq(m.n, 4);
  for (int i = 0; i < 4; i++) NEAR(m.points[i].distance, -1e-3, 1e-12);
  for (int i = 0; i < 4; i++) NEAR(m.points[i].normal.z, -1, 0);
  /* Two meshes, one on the other: corners of the smaller one. */
  mesh_shape large = mesh_box(1, 1, 1);
  const cdn_geometry block = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&large) };
  X_WB.p.z = 1.1 - 1e-3;
  m = manifold_of(&block, &X_WA, &mesh, &X_WB, 0.01);
  ck_assert_int_eq(m.n, 4);
  for (int i = 0; i < 4; i++) NEAR(m.points[i].normal.z, 1, 1e-12);
  for (int i = 0; i < 4; i++) NEAR(m.points[i].distance, -1e-3, 1e-12);
  X_WB.p.z = 1.2;
  ck_assert_int_eq(manifold_of(&block, &X_WA, &mesh, &X_WB, 0.01).n, 0);
  cdn_surface_release(mesh.surface);
  cdn_surface_release(block.surface);
  mesh_shape_free(&shape);
  mesh_shape_free(&large);
}
END_TEST

/* Whatever the pose: no crash, at most eight points, none beyond the margin, and one at least as deep as the distance
 * says. */
START_TEST(any_pose) {
  uint64_t seed = 42;
  sample_geometries samples = sample_geometries_make();
  for (int i = 0; i < samples.n; i++)
    for (int j = 0; j < samples.n; j++) {
      const cdn_geometry *a = &samples.geometry[i], *b = &samples.geometry[j];
      if (a->kind < CDN_GEOMETRY_MESH) continue;
      for (int k = 0; k < FEWER(40); k++) {
        const cdn_transform X_WA = mesh_pose(&seed, 1), X_WB = mesh_pose(&seed, 1);
        cdn_proximity near;
        if (cdn_geometry_distance(a, &X_WA, b, &X_WB, &near)) break; /* not supported */
        const cdn_manifold m = manifold_of(a, &X_WA, b, &X_WB, 0.05);
        ck_assert_int_eq(m.n > 0, near.distance <= 0.05);
        ck_assert_int_le(m.n, CDN_MANIFOLD_MOST);
      }
    }
  sample_geometries_free(&samples);
}
END_TEST

CHECK_MAIN("manifolds of surfaces", what_lies_flat, an_edge_on_the_ground, others, any_pose)
