/* One geometry of each kind. */
#include "property/sample_geometries.h"

#include <math.h>

#include "testing.h"

static double torus_distance(const void *self, cdn_vec3 p, cdn_vec3 *gradient) {
  const double *size = self, rho = hypot(p.x, p.y), over = rho - size[0], distance = hypot(over, p.z);
  const double x = rho > 0 ? p.x / rho : 1, y = rho > 0 ? p.y / rho : 0;
  *gradient = distance > 0 ? cdn_scale(1 / distance, cdn_v3(x * over, y * over, p.z)) : cdn_v3(0, 0, 1);
  return distance - size[1];
}

/* A box with round edges: the sum of a box and a ball. */
static cdn_vec3 round_box_support(const void *self, cdn_vec3 n) {
  const double *size = self, length = cdn_norm(n);
  return cdn_v3(copysign(size[0], n.x) + size[3] * n.x / length, copysign(size[1], n.y) + size[3] * n.y / length,
                copysign(size[2], n.z) + size[3] * n.z / length);
}

static void add(sample_geometries *samples, cdn_geometry_kind kind, double a, double b, double c,
                const cdn_surface *surface) {
  samples->geometry[samples->n++] = (cdn_geometry){ .kind = kind, .size = { a, b, c }, .surface = surface };
}

static void add_mesh(sample_geometries *samples, mesh_shape shape) {
  add(samples, CDN_GEOMETRY_MESH, 0, 0, 0, mesh_surface(&shape));
  mesh_shape_free(&shape);
}

sample_geometries sample_geometries_make(void) {
  sample_geometries samples = { 0 };
  uint64_t seed = 11;
  add(&samples, CDN_GEOMETRY_SPHERE, 0.7, 0, 0, NULL);
  add(&samples, CDN_GEOMETRY_HALF_SPACE, 0, 0, 0, NULL);
  add(&samples, CDN_GEOMETRY_CAPSULE, 0.4, 0.6, 0, NULL);
  add(&samples, CDN_GEOMETRY_CAPSULE, 0.8, 0, 0, NULL);
  add(&samples, CDN_GEOMETRY_ELLIPSOID, 0.3, 0.6, 1.1, NULL);
  add(&samples, CDN_GEOMETRY_CYLINDER, 0.5, 0.7, 0, NULL);
  add(&samples, CDN_GEOMETRY_BOX, 0.3, 0.5, 0.9, NULL);
  double points[60];
  for (int i = 0; i < 20; i++) {
    const cdn_vec3 p = mesh_direction(&seed);
    points[3 * i] = p.x, points[3 * i + 1] = 0.8 * p.y, points[3 * i + 2] = 0.6 * p.z;
  }
  cdn_surface *s;
  OK(cdn_surface_create_convex(20, points, &s));
  add(&samples, CDN_GEOMETRY_CONVEX, 0, 0, 0, s);
  add_mesh(&samples, mesh_torus(20, 12, 0.8, 0.3));
  add_mesh(&samples, mesh_bumpy_sphere(16, 10, 1, 0.3));
  add_mesh(&samples, mesh_box(0.5, 0.4, 0.3));
  double heights[110];
  for (int i = 0; i < 110; i++) heights[i] = mesh_uniform(&seed, -0.3, 0.3);
  OK(cdn_surface_create_height_field(11, 10, heights, 1.2, 1, &s));
  add(&samples, CDN_GEOMETRY_HEIGHT_FIELD, 0, 0, 0, s);
  const double torus[2] = { 0.7, 0.25 }, round_box[4] = { 0.3, 0.4, 0.2, 0.1 };
  const cdn_surface_ops torus_ops = { .struct_size = sizeof torus_ops,
                                      .name = "torus",
                                      .self_size = sizeof torus,
                                      .distance = torus_distance,
                                      .radius = 0.95 };
  OK(cdn_surface_create_custom(&torus_ops, torus, &s));
  add(&samples, CDN_GEOMETRY_CUSTOM, 0, 0, 0, s);
  const cdn_surface_ops box_ops = { .struct_size = sizeof box_ops,
                                    .name = "round box",
                                    .self_size = sizeof round_box,
                                    .support = round_box_support,
                                    .radius = 0.7 };
  OK(cdn_surface_create_custom(&box_ops, round_box, &s));
  add(&samples, CDN_GEOMETRY_CUSTOM, 0, 0, 0, s);
  return samples;
}

void sample_geometries_free(sample_geometries *samples) {
  for (int i = 0; i < samples->n; i++) cdn_surface_release(samples->geometry[i].surface);
}
