/* A half-space and anything convex: the support point against the normal, and the points of what lies flat. */
#include <math.h>

#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"
#include "geometry/geometry.h"

/* The lowest point of b, in S, where `up` is the normal of the half-space in S. */
static inline cdn_vec3 lowest_point(const cdn_geometry *b, cdn_vec3 up) {
  const double *size = b->size;
  switch (b->kind) {
    case CDN_GEOMETRY_CAPSULE: return g_fma(-size[0], up, cdn_v3(0, 0, copysign(size[1], -up.z)));
    case CDN_GEOMETRY_BOX: return cdn_v3(copysign(size[0], -up.x), copysign(size[1], -up.y), copysign(size[2], -up.z));
    case CDN_GEOMETRY_CONVEX: {
      const double *v = &b->surface->vertices[3 * (size_t)cdni_hull_support(b->surface, g_neg(up))];
      return cdn_v3(v[0], v[1], v[2]);
    }
    default: return cdni_support(b, g_neg(up));
  }
}

bool cdni_half_space_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                              const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  (void)a;
  const cdn_vec3 up = X_WA->R.z, up_B = g_rotate_inv(&X_WB->R, up);
  const cdn_vec3 lowest = lowest_point(b, up_B);
  /* Along the normal the position of b and the support point add up, without a sum of large numbers in between. */
  const double distance = cdn_dot(up, cdn_sub(X_WB->p, X_WA->p)) + cdn_dot(up_B, lowest);
  if (distance > reach) return false;
  const cdn_vec3 point_b = g_point(X_WB, lowest);
  proximity_from_a(distance, up, g_fma(-distance, up, point_b), out);
  out->point_b = point_b;
  return true;
}

/* ---- manifolds ---- */

static inline void touch(cdn_manifold *out, double height, cdn_vec3 up, cdn_vec3 point_b, int32_t id) {
  cdn_proximity *p = &out->points[out->n];
  p->distance = height, p->normal = up;
  p->point_a = g_fma(-height, up, point_b), p->point_b = point_b;
  p->feature_a = p->feature_b = 0;
  out->id[out->n++] = id;
}

/* What the points of b are made of: the height of its origin, and the normal in S. */
typedef struct stand {
  cdn_vec3 up, up_B;
  double middle, margin;
} stand;

static void capsule_stands(const stand *s, const double *size, const cdn_transform *X, cdn_manifold *out) {
  for (int end = 0; end < 2; end++) {
    const double z = end ? size[1] : -size[1], height = s->middle + z * s->up_B.z - size[0];
    if (height <= s->margin) touch(out, height, s->up, g_fma(-size[0], s->up, g_fma(z, X->R.z, X->p)), end);
  }
}

/* The corners below the middle: of two that face each other one, so four at most. Their ids are those of box_face in
 * feature.c. */
static void box_stands(const stand *s, const double *half, const cdn_transform *X, cdn_manifold *out) {
  const double along[3] = { half[0] * s->up_B.x, half[1] * s->up_B.y, half[2] * s->up_B.z };
  if (s->middle - fabs(along[0]) - fabs(along[1]) - fabs(along[2]) > s->margin) return;
  const cdn_vec3 *columns = &X->R.x;
  for (int32_t id = 0; id < 8 && out->n < 4; id++) {
    double rise = 0;
    cdn_vec3 p = X->p;
    for (int k = 0; k < 3; k++) {
      const double sign = id >> k & 1 ? 1 : -1;
      rise += sign * along[k];
      p = g_fma(sign * half[k], columns[k], p);
    }
    if (rise <= 0 && s->middle + rise <= s->margin) touch(out, s->middle + rise, s->up, p, id);
  }
}

static void cylinder_stands(const stand *s, const double *size, const cdn_transform *X, cdn_manifold *out) {
  const double r = size[0], l = size[1], cx = s->up_B.x, cy = s->up_B.y, cz = s->up_B.z;
  const double rho = sqrt(cx * cx + cy * cy);
  if (s->middle - l * fabs(cz) - r * rho > s->margin) return;
  /* The direction of the deepest point of a rim, in S. */
  const double dx = rho > 0 ? -cx / rho : 0, dy = rho > 0 ? -cy / rho : 0;
  const cdn_vec3 deepest = g_fma(r * dx, X->R.x, g_fma(r * dy, X->R.y, X->p));
  if (fabs(cz) < rho) {
    for (int end = 0; end < 2; end++) {
      const double z = end ? l : -l, height = s->middle - r * rho + z * cz;
      if (height <= s->margin) touch(out, height, s->up, g_fma(z, X->R.z, deepest), end);
    }
    return;
  }
  const bool positive = cz <= 0;
  const double z = positive ? l : -l, level = s->middle + z * cz;
  const cdn_vec3 cap = g_fma(z, X->R.z, X->p), ex = cdn_scale(r, X->R.x), ey = cdn_scale(r, X->R.y);
  const int nearest = rho > 1e-9 ? cdni_rim_nearest(dx, dy) : -1;
  for (int c = 0; c < RIM_POINTS; c++) {
    const int k = positive ? c : RIM_POINTS - 1 - c;
    const double *at = cdni_rim[k], height = k == nearest ? level - r * rho : level + r * (at[0] * cx + at[1] * cy);
    if (height > s->margin) continue;
    const cdn_vec3 point = k == nearest ? g_fma(z, X->R.z, deepest) : g_fma(at[0], ex, g_fma(at[1], ey, cap));
    touch(out, height, s->up, point, k + (positive ? RIM_POINTS : 0));
  }
}

/* Corners so near to the plane of the lowest face, over the radius of the hull, lie on it. A side that is flat is many
 * facets where its file has rounded it: which of them is the lowest one must not matter. */
static const double FLAT = 1e-3;
/* What is not lower by more than this, over the radius, is as low by rounding. */
static const double LEVEL = 1e-11;
/* A side that stands on a plane rocks and is rounded by less than this, over the radius: there no corner that happens
 * to be the lowest one takes the place of another. */
static const double STEADY = 1e-4;

/* The corners of a side. Of more than a manifold has room for, those that are farthest along eight directions: these
 * are along two axes of the hull, so that the choice does not change while the side stays the same. */
static int flat_corners(const cdn_surface *hull, const double *plane, int32_t corners[CDN_MANIFOLD_MOST]) {
  static const double h = 0.70710678118654752440;
  static const double around[CDN_MANIFOLD_MOST][2] = { { 1, 0 }, { -1, 0 },  { 0, 1 },  { 0, -1 },
                                                       { h, h }, { -h, -h }, { -h, h }, { h, -h } };
  const double least = plane[3] - FLAT * hull->radius, along[3] = { fabs(plane[0]), fabs(plane[1]), fabs(plane[2]) };
  const int up = along[0] > along[1] ? (along[0] > along[2] ? 0 : 2) : (along[1] > along[2] ? 1 : 2);
  const int x = (up + 1) % 3, y = (up + 2) % 3;
  double most[CDN_MANIFOLD_MOST];
  int32_t far[CDN_MANIFOLD_MOST] = { 0 };
  int all = 0, n = 0;
  for (int k = 0; k < CDN_MANIFOLD_MOST; k++) most[k] = -INFINITY;
  for (int32_t i = 0; i < hull->info.n_vertices; i++) {
    const double *v = &hull->vertices[3 * (size_t)i];
    if (!(plane[0] * v[0] + plane[1] * v[1] + plane[2] * v[2] >= least)) continue;
    if (all < CDN_MANIFOLD_MOST) corners[all] = i;
    for (int k = 0; k < CDN_MANIFOLD_MOST; k++) {
      const double distance = around[k][0] * v[x] + around[k][1] * v[y];
      if (distance > most[k]) most[k] = distance, far[k] = i;
    }
    all++;
  }
  if (all <= CDN_MANIFOLD_MOST) return all;
  for (int k = 0; k < CDN_MANIFOLD_MOST; k++) {
    bool seen = false;
    for (int i = 0; i < n; i++) seen = seen || corners[i] == far[k];
    if (!seen) corners[n++] = far[k];
  }
  return n;
}

static double square_between(cdn_vec3 p, cdn_vec3 q) {
  const cdn_vec3 d = cdn_sub(q, p);
  return cdn_dot(d, d);
}

static void hull_stands(const stand *s, const cdn_geometry *b, const cdn_transform *X, double level,
                        cdn_manifold *out) {
  const cdn_surface *hull = b->surface;
  const int32_t lowest = cdni_hull_support(hull, g_neg(s->up_B));
  const double *v = &hull->vertices[3 * (size_t)lowest];
  const double least = s->middle + cdn_dot(s->up_B, cdn_v3(v[0], v[1], v[2]));
  if (least > s->margin) return;
  const int face = cdni_hull_face(hull, lowest, g_neg(s->up_B));
  int32_t corners[CDN_MANIFOLD_MOST];
  const int n = flat_corners(hull, &hull->face_planes[4 * (size_t)face], corners);
  double deepest = INFINITY;
  for (int c = 0; c < n; c++) {
    const double *p = &hull->vertices[3 * (size_t)corners[c]];
    const cdn_vec3 p_S = cdn_v3(p[0], p[1], p[2]);
    const double height = s->middle + cdn_dot(s->up_B, p_S);
    if (height > s->margin) continue;
    deepest = fmin(deepest, height);
    touch(out, height, s->up, g_point(X, p_S), corners[c] & 0xFFFFF);
  }
  /* The lowest point must not be lost. In a manifold that is full it stands in for the corner next to it. */
  if (!(least < deepest - level * hull->radius)) return;
  const cdn_vec3 point = g_point(X, cdn_v3(v[0], v[1], v[2]));
  if (out->n == CDN_MANIFOLD_MOST) {
    int next = 0;
    for (int i = 1; i < out->n; i++)
      if (square_between(out->points[i].point_b, point) < square_between(out->points[next].point_b, point)) next = i;
    out->n--;
    out->points[next] = out->points[out->n], out->id[next] = out->id[out->n];
  }
  touch(out, least, s->up, point, lowest & 0xFFFFF);
}

static stand stand_of(const cdn_transform *X_WA, const cdn_transform *X_WB, double margin) {
  return (stand){ X_WA->R.z, g_rotate_inv(&X_WB->R, X_WA->R.z), cdn_dot(X_WA->R.z, cdn_sub(X_WB->p, X_WA->p)), margin };
}

void cdni_hull_stands_steadily(const cdn_transform *X_WA, const cdn_geometry *b, const cdn_transform *X_WB,
                               double margin, cdn_manifold *out) {
  const stand s = stand_of(X_WA, X_WB, margin);
  hull_stands(&s, b, X_WB, STEADY, out);
}

void cdni_half_space_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                              const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  const stand s = stand_of(X_WA, X_WB, margin);
  switch (b->kind) {
    case CDN_GEOMETRY_CAPSULE: capsule_stands(&s, b->size, X_WB, out); return;
    case CDN_GEOMETRY_CYLINDER: cylinder_stands(&s, b->size, X_WB, out); return;
    case CDN_GEOMETRY_BOX: box_stands(&s, b->size, X_WB, out); return;
    case CDN_GEOMETRY_CONVEX: hull_stands(&s, b, X_WB, LEVEL, out); return;
    default:
      if (!cdni_half_space_distance(a, X_WA, b, X_WB, margin, &out->points[0])) return;
      out->id[0] = -1, out->n = 1;
  }
}
