/* Meshes to test with. */
#include "property/mesh_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

static mesh_shape make(int n_vertices, int n_triangles) {
  return (mesh_shape){ n_vertices, n_triangles, calloc(3 * (size_t)n_vertices, sizeof(double)),
                       calloc(3 * (size_t)n_triangles, sizeof(int)) };
}

static void put_triangle(mesh_shape *s, int *at, int a, int b, int c) {
  const int t[3] = { a, b, c };
  memcpy(s->triangles + 3 * (size_t)(*at)++, t, sizeof t);
}

mesh_shape mesh_torus(int n, int m, double large, double small) {
  mesh_shape s = make(n * m, 2 * n * m);
  int at = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const double a = TWO_PI * i / n, b = TWO_PI * j / m, r = large + small * cos(b);
      double *p = s.vertices + 3 * (size_t)(i * m + j);
      p[0] = r * cos(a), p[1] = r * sin(a), p[2] = small * sin(b);
      const int i1 = (i + 1) % n, j1 = (j + 1) % m;
      put_triangle(&s, &at, i * m + j, i1 * m + j, i1 * m + j1);
      put_triangle(&s, &at, i * m + j, i1 * m + j1, i * m + j1);
    }
  return s;
}

mesh_shape mesh_bumpy_sphere(int n, int m, double radius, double bumps) {
  /* n around, m - 1 circles, and two poles. */
  mesh_shape s = make(n * (m - 1) + 2, 2 * n * (m - 1));
  int at = 0;
  const int south = n * (m - 1), north = south + 1;
  for (int j = 1; j < m; j++)
    for (int i = 0; i < n; i++) {
      const double a = TWO_PI * i / n, b = TWO_PI / 2 * j / m;
      const double r = radius * (1 + bumps * sin(3 * a) * sin(b) * sin(4 * b));
      double *p = s.vertices + 3 * (size_t)((j - 1) * n + i);
      p[0] = r * sin(b) * cos(a), p[1] = r * sin(b) * sin(a), p[2] = -r * cos(b);
    }
  s.vertices[3 * south + 2] = -radius;
  s.vertices[3 * north + 2] = radius;
  for (int i = 0; i < n; i++) {
    const int i1 = (i + 1) % n;
    put_triangle(&s, &at, south, i1, i);
    put_triangle(&s, &at, north, (m - 2) * n + i, (m - 2) * n + i1);
    for (int j = 0; j < m - 2; j++) {
      put_triangle(&s, &at, j * n + i, j * n + i1, (j + 1) * n + i1);
      put_triangle(&s, &at, j * n + i, (j + 1) * n + i1, (j + 1) * n + i);
    }
  }
  return s;
}

mesh_shape mesh_box(double x, double y, double z) {
  static const int triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
  mesh_shape s = make(8, 12);
  for (int i = 0; i < 8; i++) {
    s.vertices[3 * i] = i & 1 ? x : -x;
    s.vertices[3 * i + 1] = i & 2 ? y : -y;
    s.vertices[3 * i + 2] = i & 4 ? z : -z;
  }
  memcpy(s.triangles, triangles, sizeof triangles);
  return s;
}

void mesh_shape_free(mesh_shape *s) {
  free(s->vertices);
  free(s->triangles);
}

cdn_surface *mesh_surface(const mesh_shape *s) {
  cdn_surface *out;
  return cdn_surface_create_mesh(s->n_vertices, s->vertices, s->n_triangles, s->triangles, &out) ? NULL : out;
}

double mesh_uniform(uint64_t *seed, double least, double most) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * ((double)(*seed >> 11) * 0x1p-53);
}

cdn_vec3 mesh_direction(uint64_t *seed) {
  for (;;) {
    const cdn_vec3 v = cdn_v3(mesh_uniform(seed, -1, 1), mesh_uniform(seed, -1, 1), mesh_uniform(seed, -1, 1));
    const double length = cdn_norm(v);
    if (length > 0.1 && length <= 1) return cdn_scale(1 / length, v);
  }
}

cdn_transform mesh_pose(uint64_t *seed, double away) {
  cdn_transform X = { cdn_rotation_axis_angle(mesh_direction(seed), mesh_uniform(seed, 0, TWO_PI)),
                      cdn_scale(mesh_uniform(seed, 0, away), mesh_direction(seed)) };
  return X;
}

static double segment_distance(cdn_vec3 p, cdn_vec3 a, cdn_vec3 b) {
  const cdn_vec3 e = cdn_sub(b, a);
  const double t = fmin(fmax(cdn_dot(cdn_sub(p, a), e) / cdn_dot(e, e), 0), 1);
  return cdn_norm(cdn_sub(p, cdn_add(a, cdn_scale(t, e))));
}

double mesh_triangle_distance(cdn_vec3 p, const cdn_vec3 t[3]) {
  double best =
      fmin(segment_distance(p, t[0], t[1]), fmin(segment_distance(p, t[1], t[2]), segment_distance(p, t[2], t[0])));
  /* p - t0 = u e + v f + w (e x f), by Cramer's rule. */
  const cdn_vec3 e = cdn_sub(t[1], t[0]), f = cdn_sub(t[2], t[0]), n = cdn_cross(e, f), r = cdn_sub(p, t[0]);
  const double square = cdn_dot(n, n), u = cdn_dot(cdn_cross(r, f), n) / square,
               v = cdn_dot(cdn_cross(e, r), n) / square;
  if (u >= 0 && v >= 0 && u + v <= 1) best = fmin(best, fabs(cdn_dot(r, n)) / sqrt(square));
  return best;
}

double mesh_winding(const cdn_surface *s, cdn_vec3 p) {
  /* Van Oosterom and Strackee, The solid angle of a plane triangle, 1983. */
  cdn_surface_info info;
  double sum = 0;
  if (cdn_surface_get_info(s, &info)) return NAN;
  for (int i = 0; i < info.n_triangles; i++) {
    int t[3];
    cdn_vec3 r[3];
    if (cdn_surface_triangle(s, i, t)) return NAN;
    for (int k = 0; k < 3; k++) {
      if (cdn_surface_vertex(s, t[k], &r[k])) return NAN;
      r[k] = cdn_sub(r[k], p);
    }
    const double a = cdn_norm(r[0]), b = cdn_norm(r[1]), c = cdn_norm(r[2]);
    sum += 2 * atan2(cdn_dot(r[0], cdn_cross(r[1], r[2])),
                     a * b * c + cdn_dot(r[0], r[1]) * c + cdn_dot(r[1], r[2]) * a + cdn_dot(r[2], r[0]) * b);
  }
  return sum / (2 * TWO_PI);
}
