/* Convex hulls. */
#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"
#include "geometry/convex/hull.h"
#include "geometry/convex/stand.h"
#include "geometry/kind.h"
#include "geometry/surfaces/ray.h"

static cdn_vec3 vertex(const cdn_surface *s, int32_t i) {
  const double *v = &s->vertices[3 * (size_t)i];
  return cdn_v3(v[0], v[1], v[2]);
}

static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) {
  return vertex(g->surface, cdni_hull_support(g->surface, n));
}

static bool box(const cdn_geometry *g, cdn_vec3 *middle, double half[3]) {
  const cdn_surface *s = g->surface;
  *middle = s->center;
  half[0] = s->half.x, half[1] = s->half.y, half[2] = s->half.z;
  return true;
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  return cdni_ray_by(cdni_ray_hull, g, X_WS, origin, direction, reach, room, hits);
}

static void face(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 d, flat_part *f) {
  const cdn_surface *s = g->surface;
  const int at = cdni_hull_face(s, cdni_hull_support(s, d), d);
  int32_t corners[FEATURE_MOST];
  const int n = cdni_hull_corners(s, at, corners);
  for (int c = 0; c < n; c++) {
    const double *v = &s->vertices[3 * (size_t)corners[c]];
    feature_add(f, X, v[0], v[1], v[2], corners[c] & 0xFFFFF);
  }
  const double *plane = &s->face_planes[4 * (size_t)at];
  f->normal = g_rotate(&X->R, cdn_v3(plane[0], plane[1], plane[2]));
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

static void stands_by(const stand *s, const cdn_geometry *b, const cdn_transform *X, double level, cdn_manifold *out) {
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
    stand_point(out, height, s->up, g_point(X, p_S), corners[c] & 0xFFFFF);
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
  stand_point(out, least, s->up, point, lowest & 0xFFFFF);
}

static void stands(const stand *s, const cdn_geometry *b, const cdn_transform *X, cdn_manifold *out) {
  stands_by(s, b, X, LEVEL, out);
}

void cdni_hull_stands_steadily(const cdn_transform *X_WA, const cdn_geometry *b, const cdn_transform *X_WB,
                               double margin, cdn_manifold *out) {
  const stand s = stand_of(X_WA, X_WB, margin);
  stands_by(&s, b, X_WB, STEADY, out);
}

static const double *faces(const cdn_geometry *g, double (*own)[4], int *n) {
  (void)own;
  *n = g->surface->n_faces;
  return g->surface->face_planes;
}

static double depth(const cdn_geometry *g) { return fmax(g->surface->inner_radius, 1e-3 * g->surface->radius); }

const geometry_kind cdni_kind_hull = {
  .name = "convex hull",
  .has_surface = true,
  .is_convex = true,
  .corner = CORNER_HULL,
  .contact = CONTACT_FACES,
  .ball = cdni_surface_ball,
  .support = support,
  .box = box,
  .ray = ray_through,
  .tensor = cdni_polytope_tensor,
  .feature = face,
  .stands = stands,
  .faces = faces,
  .depth = depth,
};
