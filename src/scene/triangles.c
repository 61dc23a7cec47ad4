/* Triangles of geometries, for programs that draw nothing else. */
#include <math.h>

#include "scene/internal.h"

static const double turn = 6.28318530717958647693;

/* ---- making ---- */

static bool start(cdn_triangles *t, int n_vertices, int n_triangles) {
  *t = (cdn_triangles){ .n_vertices = n_vertices, .n_triangles = n_triangles };
  t->positions = malloc(3 * (size_t)n_vertices * sizeof *t->positions);
  t->normals = malloc(3 * (size_t)n_vertices * sizeof *t->normals);
  t->indices = malloc(3 * (size_t)n_triangles * sizeof *t->indices);
  if (t->positions && t->normals && t->indices) return true;
  cdn_triangles_free(t);
  return false;
}

void cdn_triangles_free(cdn_triangles *t) {
  if (!t) return;
  free(t->positions);
  free(t->normals);
  free(t->indices);
  *t = (cdn_triangles){ 0 };
}

static cdn_vec3 unit(cdn_vec3 v) {
  const double length = cdn_norm(v);
  return length > 0 ? cdn_scale(1 / length, v) : cdn_v3(0, 0, 1);
}

static void put(float *to, cdn_vec3 v) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }

static void set_vertex(cdn_triangles *t, int i, cdn_vec3 p, cdn_vec3 n) {
  put(t->positions + 3 * (size_t)i, p);
  put(t->normals + 3 * (size_t)i, n);
}

static void set_triangle(cdn_triangles *t, int i, int a, int b, int c) {
  int32_t *to = t->indices + 3 * (size_t)i;
  to[0] = a, to[1] = b, to[2] = c;
}

/* ---- surfaces of revolution and the like: a grid of rings ---- */

/* The point and the outward normal of a surface at (ring, way around): the rings lead from the top (z) down. */
typedef void grid_fn(const void *shape, int ring, double cos_a, double sin_a, cdn_vec3 *p, cdn_vec3 *n);

static bool make_grid(cdn_triangles *t, int rings, int segments, grid_fn *at, const void *shape) {
  if (!start(t, rings * (segments + 1), 2 * (rings - 1) * segments)) return false;
  for (int r = 0, i = 0; r < rings; r++)
    for (int s = 0; s <= segments; s++, i++) {
      const double a = s == segments ? 0 : turn * s / segments;
      cdn_vec3 p, n;
      at(shape, r, cos(a), sin(a), &p, &n);
      set_vertex(t, i, p, n);
    }
  for (int r = 0, i = 0; r + 1 < rings; r++)
    for (int s = 0; s < segments; s++) {
      const int a = r * (segments + 1) + s, b = a + segments + 1;
      set_triangle(t, i++, a, b, b + 1);
      set_triangle(t, i++, a, b + 1, a + 1);
    }
  return true;
}

typedef struct round_shape {
  double half[3];   /* half axes of the ellipsoid */
  double half_line; /* the halves are so far apart along z */
  int rings;        /* of both halves */
} round_shape;

static void round_at(const void *shape, int ring, double c, double s, cdn_vec3 *p, cdn_vec3 *n) {
  const round_shape *e = shape;
  const bool upper = ring < e->rings / 2;
  const int k = e->half_line > 0 && !upper ? ring - 1 : ring, steps = e->half_line > 0 ? e->rings - 2 : e->rings - 1;
  const double b = 0.5 * turn * k / steps, sb = k == 0 || k == steps ? 0 : sin(b), cb = cos(b);
  *p = cdn_v3(e->half[0] * sb * c, e->half[1] * sb * s, e->half[2] * cb + (upper ? e->half_line : -e->half_line));
  *n = unit(cdn_v3(sb * c / e->half[0], sb * s / e->half[1], cb / e->half[2]));
}

/* Rings of the two caps, and of the side, which have normals of their own. */
static void cylinder_at(const void *shape, int ring, double c, double s, cdn_vec3 *p, cdn_vec3 *n) {
  const double *size = shape;
  const double r = ring == 0 || ring == 5 ? 0 : size[0], z = ring < 3 ? size[1] : -size[1];
  *p = cdn_v3(r * c, r * s, z);
  *n = ring < 2 ? cdn_v3(0, 0, 1) : ring > 3 ? cdn_v3(0, 0, -1) : cdn_v3(c, s, 0);
}

static bool make_round(cdn_triangles *t, const double half[3], double half_line, int segments) {
  const int halves = segments / 4 > 1 ? segments / 4 : 2;
  round_shape e = { { half[0], half[1], half[2] }, half_line, half_line > 0 ? 2 * halves + 2 : 2 * halves + 1 };
  return make_grid(t, e.rings, segments, round_at, &e);
}

/* ---- flat ones ---- */

static bool make_box(cdn_triangles *t, const double half[3]) {
  if (!start(t, 24, 12)) return false;
  for (int face = 0; face < 6; face++) {
    const int k = face / 2;
    const double side = face % 2 ? -1 : 1;
    const double u[4] = { -1, 1, 1, -1 }, v[4] = { -1, -1, 1, 1 };
    for (int i = 0; i < 4; i++) {
      double p[3] = { 0 }, n[3] = { 0 };
      n[k] = side, p[k] = side * half[k];
      p[(k + 1) % 3] = side * u[i] * half[(k + 1) % 3], p[(k + 2) % 3] = v[i] * half[(k + 2) % 3];
      set_vertex(t, 4 * face + i, cdn_v3(p[0], p[1], p[2]), cdn_v3(n[0], n[1], n[2]));
    }
    set_triangle(t, 2 * face, 4 * face, 4 * face + 1, 4 * face + 2);
    set_triangle(t, 2 * face + 1, 4 * face, 4 * face + 2, 4 * face + 3);
  }
  return true;
}

static bool make_square(cdn_triangles *t, double extent) {
  if (!start(t, 4, 2)) return false;
  const double x[4] = { -1, 1, 1, -1 }, y[4] = { -1, -1, 1, 1 };
  for (int i = 0; i < 4; i++) set_vertex(t, i, cdn_v3(extent * x[i], extent * y[i], 0), cdn_v3(0, 0, 1));
  set_triangle(t, 0, 0, 1, 2);
  set_triangle(t, 1, 0, 2, 3);
  return true;
}

/* ---- meshes ---- */

typedef struct corner {
  int vertex, triangle, place;
} corner;

static int compare_corners(const void *a, const void *b) {
  const corner *x = a, *y = b;
  if (x->vertex != y->vertex) return (x->vertex > y->vertex) - (x->vertex < y->vertex);
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/* Each corner has the mean of the normals about its vertex that differ from its own triangle's by less than 40 degrees,
 * weighted by area. Corners of one vertex with one normal are one vertex of the result. */
static void smooth(cdn_triangles *t, const cdn_surface *s, const cdn_vec3 *areas, const corner *corners, int n) {
  const double least_cosine = 0.766;
  int made = 0;
  for (int first = 0, end; first < n; first = end) {
    cdn_vec3 p;
    for (end = first; end < n && corners[end].vertex == corners[first].vertex;) end++;
    if (cdn_surface_vertex(s, corners[first].vertex, &p) != CDN_OK) p = cdn_v3(0, 0, 0);
    const int start_of_vertex = made;
    for (int i = first; i < end; i++) {
      const cdn_vec3 own = unit(areas[corners[i].triangle]);
      cdn_vec3 sum = areas[corners[i].triangle];
      for (int j = first; j < end; j++)
        if (j != i && cdn_dot(unit(areas[corners[j].triangle]), own) > least_cosine)
          sum = cdn_add(sum, areas[corners[j].triangle]);
      const cdn_vec3 normal = unit(sum);
      int same = start_of_vertex;
      float f[3];
      put(f, normal);
      while (same < made && (fabsf(t->normals[3 * (size_t)same] - f[0]) > 1e-5f ||
                             fabsf(t->normals[3 * (size_t)same + 1] - f[1]) > 1e-5f ||
                             fabsf(t->normals[3 * (size_t)same + 2] - f[2]) > 1e-5f))
        same++;
      if (same == made) set_vertex(t, made++, p, normal);
      t->indices[3 * (size_t)corners[i].triangle + (size_t)corners[i].place] = same;
    }
  }
  t->n_vertices = made;
}

static bool make_mesh(cdn_triangles *t, const cdn_surface *s) {
  cdn_surface_info info;
  if (cdn_surface_get_info(s, &info) != CDN_OK || info.n_triangles < 1) return false;
  const int n = 3 * info.n_triangles;
  cdn_vec3 *areas = malloc((size_t)info.n_triangles * sizeof *areas);
  corner *corners = malloc((size_t)n * sizeof *corners);
  const bool ok = areas && corners && start(t, n, info.n_triangles);
  for (int i = 0; ok && i < info.n_triangles; i++) {
    int index[3];
    cdn_vec3 p[3];
    if (cdn_surface_triangle(s, i, index) != CDN_OK) index[0] = index[1] = index[2] = 0;
    for (int k = 0; k < 3; k++) {
      if (cdn_surface_vertex(s, index[k], &p[k]) != CDN_OK) p[k] = cdn_v3(0, 0, 0);
      corners[3 * i + k] = (corner){ index[k], i, k };
    }
    areas[i] = cdn_cross(cdn_sub(p[1], p[0]), cdn_sub(p[2], p[0]));
  }
  if (ok) {
    qsort(corners, (size_t)n, sizeof *corners, compare_corners);
    smooth(t, s, areas, corners, n);
  }
  free(areas);
  free(corners);
  return ok;
}

/* ---- custom ones ---- */

typedef struct custom_shape {
  const cdn_geometry *g;
  cdn_vec3 center;
  double radius;
  int rings;
} custom_shape;

/* Where the ray from outside towards the middle of the ball meets the surface. */
static void custom_at(const void *shape, int ring, double c, double s, cdn_vec3 *p, cdn_vec3 *n) {
  const custom_shape *e = shape;
  const double b = 0.5 * turn * ring / (e->rings - 1);
  const cdn_vec3 out = cdn_v3(sin(b) * c, sin(b) * s, cos(b)), from = cdn_add(e->center, cdn_scale(2 * e->radius, out));
  const cdn_transform here = cdn_transform_identity();
  cdn_ray_hit hit;
  int found = 0;
  const cdn_status status = cdn_geometry_ray(e->g, &here, from, cdn_scale(-1, out), 2 * e->radius, 1, &hit, &found);
  const bool met = status == CDN_OK && found > 0;
  *p = met ? hit.point : e->center;
  *n = met ? hit.normal : out;
}

static bool make_custom(cdn_triangles *t, const cdn_geometry *g, int segments) {
  const cdn_transform here = cdn_transform_identity();
  cdn_vec3 least, most;
  if (cdn_geometry_bounds(g, &here, &least, &most) != CDN_OK) return false;
  const custom_shape e = { g, cdn_scale(0.5, cdn_add(least, most)), 0.5 * cdn_norm(cdn_sub(most, least)),
                           segments / 2 + 1 };
  return make_grid(t, e.rings, segments, custom_at, &e);
}

cdn_status cdn_geometry_triangles(const cdn_geometry *g, int segments, double extent, cdn_triangles *out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = (cdn_triangles){ 0 };
  CDNI_NEED_OBJECT(g, CDN_ERR_ARG);
  CDNI_TRY(cdn_geometry_check(g));
  if (segments < 3 || segments > 1024 || !(extent > 0) || !isfinite(extent))
    return cdni_refuse(CDN_ERR_ARG, __func__, "there must be 3 to 1024 segments, and an extent above 0");
  const double r = g->size[0], ball[3] = { r, r, r };
  bool ok = false;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: ok = make_round(out, ball, 0, segments); break;
    case CDN_GEOMETRY_CAPSULE: ok = make_round(out, ball, g->size[1], segments); break;
    case CDN_GEOMETRY_ELLIPSOID: ok = make_round(out, g->size, 0, segments); break;
    case CDN_GEOMETRY_CYLINDER: ok = make_grid(out, 6, segments, cylinder_at, g->size); break;
    case CDN_GEOMETRY_BOX: ok = make_box(out, g->size); break;
    case CDN_GEOMETRY_HALF_SPACE: ok = make_square(out, extent); break;
    case CDN_GEOMETRY_CONVEX:
    case CDN_GEOMETRY_MESH:
    case CDN_GEOMETRY_HEIGHT_FIELD: ok = make_mesh(out, g->surface); break;
    default: ok = make_custom(out, g, segments); /* whatever it is, rays meet it */
  }
  return ok ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory for the triangles");
}
