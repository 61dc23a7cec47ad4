/* Surfaces: what is cleaned, what is refused and with which words, and bad meshes that have a result. */
#include "property/mesh_shapes.h"
#include "testing.h"

/* The call is refused, with a text that has these words. */
#define REFUSED(call, code, words)                                                                \
  do {                                                                                            \
    cdn_last_error_clear();                                                                       \
    FAILS(call, code);                                                                            \
    ck_assert_msg(strstr(cdn_last_error_text(), (words)) != NULL, "'%s'", cdn_last_error_text()); \
  } while (0)

static cdn_surface_info info_of(const cdn_surface *s) {
  cdn_surface_info info;
  OK(cdn_surface_get_info(s, &info));
  return info;
}

static const double corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
static const int tetrahedron[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };

START_TEST(meshes_are_cleaned) {
  /* A tetrahedron as STL has it: each triangle with three vertices of its own, one of them with -0; one triangle twice,
   * one that is a point, one that is an edge; a vertex that nobody uses. */
  double v[3 * 19];
  int t[3 * 7], n = 0;
  for (int i = 0; i < 12; i++, n++) {
    memcpy(v + 3 * n, corners + 3 * tetrahedron[i], 3 * sizeof(double));
    t[n] = n;
  }
  v[0] = -0.0;
  for (int i = 0; i < 3; i++) t[12 + i] = i;
  for (int i = 0; i < 3; i++) t[15 + i] = 4;
  t[18] = 0, t[19] = 1, t[20] = 0;
  for (int i = 0; i < 3; i++) v[36 + i] = 7;
  cdn_surface *s;
  OK(cdn_surface_create_mesh(13, v, 7, t, &s));
  const cdn_surface_info info = info_of(s);
  ck_assert_int_eq(info.kind, CDN_GEOMETRY_MESH);
  ck_assert_int_eq(info.n_vertices, 4);
  ck_assert_int_eq(info.n_triangles, 4);
  ck_assert_int_eq(info.n_merged, 9);
  ck_assert_int_eq(info.n_dropped, 3);
  ck_assert(info.closed && !info.turned);
  cdn_surface_release(s);
}
END_TEST

START_TEST(meshes_inside_out_are_turned) {
  int t[12];
  for (int i = 0; i < 12; i++) t[i] = tetrahedron[i / 3 * 3 + 2 - i % 3];
  cdn_surface *s;
  OK(cdn_surface_create_mesh(4, corners, 4, t, &s));
  ck_assert(info_of(s).closed && info_of(s).turned);
  const cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = s };
  const cdn_transform X = cdn_transform_identity();
  cdn_proximity near;
  OK(cdn_geometry_point_distance(&g, &X, cdn_v3(0.2, 0.2, 0.1), &near));
  NEAR(near.distance, -0.1, 1e-15);
  NEAR(near.normal.z, -1, 1e-15);
  cdn_surface_release(s);
}
END_TEST

START_TEST(open_and_flat_meshes_have_no_inside) {
  const cdn_transform X = cdn_transform_identity();
  cdn_proximity near;
  cdn_surface *s;
  OK(cdn_surface_create_mesh(4, corners, 3, tetrahedron, &s)); /* one triangle is missing */
  ck_assert(!info_of(s).closed);
  cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = s };
  OK(cdn_geometry_point_distance(&g, &X, cdn_v3(0.2, 0.2, 0.1), &near));
  NEAR(near.distance, 0.1, 1e-15);
  cdn_surface_release(s);

  /* Two sides of one triangle: every edge has two triangles, but there is no volume. */
  const int sheet[] = { 0, 1, 2, 0, 2, 1 };
  OK(cdn_surface_create_mesh(4, corners, 2, sheet, &s));
  ck_assert(!info_of(s).closed);
  ck_assert_int_eq(info_of(s).n_triangles, 2);
  g.surface = s;
  for (int side = -1; side <= 1; side += 2) {
    OK(cdn_geometry_point_distance(&g, &X, cdn_v3(0.2, 0.2, 0.1 * side), &near));
    NEAR(near.distance, 0.1, 1e-15);
    NEAR(near.normal.z, side, 1e-15);
  }
  cdn_surface_release(s);
}
END_TEST

START_TEST(triangles_on_a_line_fill_cracks) {
  /* The tetrahedron's edge from 0 to 1 has a vertex in its middle on one side only: a triangle without area fills the
   * crack. */
  double v[15];
  memcpy(v, corners, sizeof corners);
  v[12] = 0.5, v[13] = v[14] = 0;
  const int t[] = { 0, 2, 4, 4, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 4, 1 };
  cdn_surface *s;
  OK(cdn_surface_create_mesh(5, v, 6, t, &s));
  ck_assert(info_of(s).closed);
  ck_assert_int_eq(info_of(s).n_dropped, 0);
  const cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = s };
  const cdn_transform X = cdn_transform_identity();
  cdn_proximity near;
  const double outside = -0.25;
  OK(cdn_geometry_point_distance(&g, &X, cdn_v3(0.5, outside, outside), &near));
  NEAR(near.distance, sqrt(2) * 0.25, 1e-15);
  /* Rays through the vertex and along the crack go through the solid once. */
  for (double x = 0.25; x < 0.8; x += 0.125) {
    cdn_ray_hit hits[4];
    int n;
    OK(cdn_geometry_ray(&g, &X, cdn_v3(x, -1, -1), cdn_v3(0, 1, 1), INFINITY, 4, hits, &n));
    ck_assert_int_eq(n, 2);
  }
  cdn_surface_release(s);
}
END_TEST

START_TEST(triangles_of_hulls_are_counterclockwise_from_outside) {
  uint64_t seed = 1;
  double points[90];
  for (int i = 0; i < 90; i++) points[i] = mesh_uniform(&seed, -1, 1);
  cdn_surface *s;
  OK(cdn_surface_create_convex(30, points, &s));
  ck_assert(info_of(s).closed);
  NEAR(mesh_winding(s, cdn_v3(0, 0, 0)), 1, 1e-12);
  NEAR(mesh_winding(s, cdn_v3(3, 0, 0)), 0, 1e-12);
  cdn_surface_release(s);
}
END_TEST

START_TEST(bad_meshes_are_refused) {
  cdn_surface *s = NULL;
  double v[12];
  int t[12];
  memcpy(v, corners, sizeof v);
  memcpy(t, tetrahedron, sizeof t);
  REFUSED(cdn_surface_create_mesh(0, v, 1, t, &s), CDN_ERR_ARG, "at least one triangle");
  REFUSED(cdn_surface_create_mesh(4, v, 0, t, &s), CDN_ERR_ARG, "at least one triangle");
  REFUSED(cdn_surface_create_mesh(4, NULL, 4, t, &s), CDN_ERR_ARG, "vertices");
  REFUSED(cdn_surface_create_mesh(4, v, 4, NULL, &s), CDN_ERR_ARG, "triangles");
  FAILS(cdn_surface_create_mesh(4, v, 4, t, NULL), CDN_ERR_ARG);
  t[7] = 4;
  REFUSED(cdn_surface_create_mesh(4, v, 4, t, &s), CDN_ERR_ARG, "corner 1 of triangle 2 is vertex 4");
  t[7] = -1;
  REFUSED(cdn_surface_create_mesh(4, v, 4, t, &s), CDN_ERR_ARG, "corner 1 of triangle 2 is vertex -1");
  const double odd[] = { NAN, INFINITY, -INFINITY, 1e60 };
  for (int i = 0; i < 4; i++) {
    v[7] = odd[i];
    REFUSED(cdn_surface_create_mesh(4, v, 4, tetrahedron, &s), CDN_ERR_ARG, "coordinate y of vertex 2");
  }
  /* All vertices at one point, and all on a line. */
  for (int i = 0; i < 12; i++) v[i] = 3;
  REFUSED(cdn_surface_create_mesh(4, v, 4, tetrahedron, &s), CDN_ERR_ARG, "none of the 4 triangles has an area");
  for (int i = 0; i < 12; i++) v[i] = i / 3 * (i % 3 + 0.1);
  REFUSED(cdn_surface_create_mesh(4, v, 4, tetrahedron, &s), CDN_ERR_ARG, "none of the 4 triangles has an area");
  ck_assert_ptr_null(s);
}
END_TEST

START_TEST(bad_height_fields_are_refused) {
  const double h[6] = { 0, 1, 2, 3, 4, 5 };
  double bad[6];
  cdn_surface *s = NULL;
  REFUSED(cdn_surface_create_height_field(1, 6, h, 1, 1, &s), CDN_ERR_ARG, "1 x 6");
  REFUSED(cdn_surface_create_height_field(3, -2, h, 1, 1, &s), CDN_ERR_ARG, "3 x -2");
  REFUSED(cdn_surface_create_height_field(1 << 20, 1 << 20, h, 1, 1, &s), CDN_ERR_ARG, "in all");
  REFUSED(cdn_surface_create_height_field(3, 2, NULL, 1, 1, &s), CDN_ERR_ARG, "heights");
  const double odd[] = { 0, -1, NAN, INFINITY };
  for (int i = 0; i < 4; i++) {
    REFUSED(cdn_surface_create_height_field(3, 2, h, odd[i], 1, &s), CDN_ERR_ARG, "half lengths");
    REFUSED(cdn_surface_create_height_field(3, 2, h, 1, odd[i], &s), CDN_ERR_ARG, "half lengths");
  }
  memcpy(bad, h, sizeof h);
  bad[4] = NAN;
  REFUSED(cdn_surface_create_height_field(3, 2, bad, 1, 1, &s), CDN_ERR_ARG, "height (1, 1) is nan");
  ck_assert_ptr_null(s);
}
END_TEST

START_TEST(height_fields_have_two_triangles_a_cell) {
  const double h[6] = { 0, 1, 2, 3, 4, 5 };
  cdn_surface *s;
  OK(cdn_surface_create_height_field(3, 2, h, 2, 0.5, &s));
  ck_assert_int_eq(info_of(s).n_vertices, 6);
  ck_assert_int_eq(info_of(s).n_triangles, 4);
  cdn_vec3 v;
  for (int i = 0; i < 6; i++) {
    OK(cdn_surface_vertex(s, i, &v));
    NEAR(v.x, -2 + 2 * (i % 3), 0);
    NEAR(v.y, i / 3 - 0.5, 0);
    NEAR(v.z, i, 0);
  }
  int t[3];
  const int expected[4][3] = { { 0, 1, 4 }, { 0, 4, 3 }, { 1, 2, 5 }, { 1, 5, 4 } };
  for (int i = 0; i < 4; i++) {
    OK(cdn_surface_triangle(s, i, t));
    for (int k = 0; k < 3; k++) ck_assert_int_eq(t[k], expected[i][k]);
  }
  REFUSED(cdn_surface_triangle(s, 4, t), CDN_ERR_ARG, "no triangle 4");
  REFUSED(cdn_surface_vertex(s, -1, &v), CDN_ERR_ARG, "no vertex -1");
  cdn_surface_release(s);
}
END_TEST

/* ---- custom ones ---- */

static int destroyed;
static void count_destroyed(void *self) { destroyed += *(int *)self; }
static double sphere_distance(const void *self, cdn_vec3 p, cdn_vec3 *gradient) {
  (void)self;
  *gradient = p;
  return cdn_norm(p) - 1;
}

START_TEST(custom_surfaces) {
  cdn_surface_ops ops = { .struct_size = sizeof ops,
                          .name = "ball",
                          .self_size = sizeof(int),
                          .distance = sphere_distance,
                          .radius = 1,
                          .destroy = count_destroyed };
  const int self = 7;
  cdn_surface *s;
  OK(cdn_surface_create_custom(&ops, &self, &s));
  ck_assert_int_eq(info_of(s).kind, CDN_GEOMETRY_CUSTOM);
  cdn_surface_retain(s);
  cdn_surface_release(s);
  ck_assert_int_eq(destroyed, 0);
  cdn_surface_release(s);
  ck_assert_int_eq(destroyed, 7);
  cdn_surface_release(NULL);
  cdn_surface_retain(NULL);

  REFUSED(cdn_surface_create_custom(&ops, NULL, &s), CDN_ERR_ARG, "self is NULL");
  REFUSED(cdn_surface_create_custom(NULL, &self, &s), CDN_ERR_ARG, "ops");
  FAILS(cdn_surface_create_custom(&ops, &self, NULL), CDN_ERR_ARG);
  ops.radius = 0;
  REFUSED(cdn_surface_create_custom(&ops, &self, &s), CDN_ERR_ARG, "radius");
  ops.radius = NAN;
  REFUSED(cdn_surface_create_custom(&ops, &self, &s), CDN_ERR_ARG, "radius");
  ops.radius = 1, ops.center.y = INFINITY;
  REFUSED(cdn_surface_create_custom(&ops, &self, &s), CDN_ERR_ARG, "centre");
  ops.center.y = 0, ops.distance = NULL;
  REFUSED(cdn_surface_create_custom(&ops, &self, &s), CDN_ERR_ARG, "neither");
  ops.struct_size = 0;
  REFUSED(cdn_surface_create_custom(&ops, &self, &s), CDN_ERR_VERSION, "struct_size");
  ck_assert_ptr_null(s);
  ck_assert_int_eq(destroyed, 7);
}
END_TEST

CHECK_MAIN("surfaces", meshes_are_cleaned, meshes_inside_out_are_turned, open_and_flat_meshes_have_no_inside,
           triangles_on_a_line_fill_cracks, triangles_of_hulls_are_counterclockwise_from_outside,
           bad_meshes_are_refused, bad_height_fields_are_refused, height_fields_have_two_triangles_a_cell,
           custom_surfaces)
