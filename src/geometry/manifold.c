/* Points that carry any load between two geometries: one where either is round, the ends of an edge, the corners of
 * what two faces have in common. */
#include <math.h>

#include "geometry/convex/feature.h"

/* A face lies flat if the normal of the contact is within 5 degrees of its own; edges are parallel within 3. */
static const double flat_cosine = 0.9962, parallel_sine = 0.05;

static bool is_face(const flat_part *f, cdn_vec3 outward) {
  return f->n >= 3 && cdn_dot(f->normal, outward) >= flat_cosine;
}

static void add_point(cdn_manifold *out, double distance, cdn_vec3 normal, cdn_vec3 point_a, int32_t id) {
  cdn_proximity *p = &out->points[out->n];
  p->distance = distance, p->normal = normal;
  p->point_a = point_a, p->point_b = g_fma(distance, normal, point_a);
  p->feature_a = p->feature_b = 0;
  out->id[out->n++] = id;
}

/* Leaves the deepest point, and the farthest ones along directions that are fixed in the face, at most
 * CDN_MANIFOLD_MOST. */
static int reduce(int n, clipped_point *points, double *height, const flat_part *window) {
  if (n <= CDN_MANIFOLD_MOST) return n;
  bool keep[CLIPPED_MOST] = { false };
  int deepest = 0, kept = 1;
  for (int i = 1; i < n; i++)
    if (height[i] < height[deepest]) deepest = i;
  keep[deepest] = true;
  const cdn_vec3 e = cdn_sub(window->p[1], window->p[0]), x = cdn_scale(1 / cdn_norm(e), e),
                 y = cdn_cross(window->normal, x);
  static const double h = 0.70710678118654752440;
  static const double around[8][2] = { { 1, 0 }, { -1, 0 },  { 0, 1 },  { 0, -1 },
                                       { h, h }, { -h, -h }, { -h, h }, { h, -h } };
  for (int k = 0; k < 8 && kept < CDN_MANIFOLD_MOST; k++) {
    const cdn_vec3 d = g_fma(around[k][0], x, cdn_scale(around[k][1], y));
    int far = 0;
    for (int i = 1; i < n; i++)
      if (cdn_dot(d, cdn_sub(points[i].p, points[far].p)) > 0) far = i;
    if (!keep[far]) keep[far] = true, kept++;
  }
  kept = 0;
  for (int i = 0; i < n; i++)
    if (keep[i]) points[kept] = points[i], height[kept++] = height[i];
  return kept;
}

/* A face and what lies on it. `on_a`: the face is of a; `normal` is from a to b. */
static void on_face(const flat_part *face, const flat_part *other, cdn_vec3 normal, bool on_a, double margin,
                    cdn_manifold *out) {
  clipped_point points[CLIPPED_MOST];
  double height[CLIPPED_MOST];
  const int n = cdni_clip(other, face, points);
  const cdn_vec3 outward = on_a ? normal : g_neg(normal);
  const double cosine = cdn_dot(face->normal, outward);
  int near = 0;
  for (int i = 0; i < n; i++) {
    const double h = cdn_dot(face->normal, cdn_sub(points[i].p, face->p[0])) / cosine - other->radius;
    if (h > margin) continue;
    points[near] = points[i], height[near++] = h;
  }
  near = reduce(near, points, height, face);
  for (int i = 0; i < near; i++) {
    const cdn_vec3 on_other = g_fma(-other->radius, outward, points[i].p);
    add_point(out, height[i], normal, on_a ? g_fma(-height[i], outward, on_other) : on_other, points[i].id);
  }
}

/* Two parallel edges: the ends of what they have in common. */
static void on_edges(const flat_part *a, const flat_part *b, cdn_vec3 normal, double margin, cdn_manifold *out) {
  const cdn_vec3 ea = cdn_sub(a->p[1], a->p[0]), eb = cdn_sub(b->p[1], b->p[0]);
  const double la = cdn_norm(ea), lb = cdn_norm(eb);
  if (!(la > 0 && lb > 0)) return;
  const cdn_vec3 u = cdn_scale(1 / la, ea), v = cdn_scale(1 / lb, eb);
  if (fabs(cdn_dot(u, normal)) > 2 * parallel_sine || fabs(cdn_dot(v, normal)) > 2 * parallel_sine) return;
  if (cdn_norm(cdn_cross(u, v)) > parallel_sine) return;
  const double s0 = cdn_dot(u, cdn_sub(b->p[0], a->p[0])), s1 = cdn_dot(u, cdn_sub(b->p[1], a->p[0]));
  const double low = fmax(0, fmin(s0, s1)), high = fmin(la, fmax(s0, s1));
  if (!(high > low)) return;
  for (int end = 0; end < 2; end++) {
    const double s = end ? high : low, t = (s - s0) / (s1 - s0);
    const cdn_vec3 pa = g_fma(s, u, a->p[0]), pb = g_fma(t, eb, b->p[0]);
    const double distance = cdn_dot(normal, cdn_sub(pb, pa)) - a->radius - b->radius;
    if (distance <= margin) add_point(out, distance, normal, g_fma(a->radius, normal, pa), end);
  }
}

static void turn(cdn_manifold *m) {
  for (int i = 0; i < m->n; i++) {
    const cdn_proximity t = m->points[i];
    m->points[i] = (cdn_proximity){ t.distance, g_neg(t.normal), t.point_b, t.point_a, t.feature_b, t.feature_a };
  }
}

static void convex_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                            const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  if (a->kind == CDN_GEOMETRY_HALF_SPACE) {
    cdni_half_space_manifold(a, X_WA, b, X_WB, margin, out);
    return;
  }
  /* Two capsules that cross touch in one point, too. */
  const bool cross =
      a->kind == CDN_GEOMETRY_CAPSULE && b->kind == CDN_GEOMETRY_CAPSULE && fabs(cdn_dot(X_WA->R.z, X_WB->R.z)) < 0.99;
  if (cross || kind_of(a)->is_round || kind_of(b)->is_round) {
    out->id[0] = -1;
    out->n = cdni_pair_distance(a, X_WA, b, X_WB, margin, &out->points[0]);
    return;
  }
  cdn_proximity near;
  if (!cdni_pair_distance(a, X_WA, b, X_WB, margin, &near)) return;
  const cdn_vec3 n = near.normal;
  flat_part fa, fb;
  cdni_feature(b, X_WB, g_neg(n), &fb);
  cdni_feature(a, X_WA, n, &fa);
  const bool face_a = is_face(&fa, n), face_b = is_face(&fb, g_neg(n));
  /* Of two faces, the one of a is the plane, unless that of b is clearly better aligned: so a rocking pair keeps its
   * choice. */
  if (face_a && (!face_b || cdn_dot(fa.normal, n) >= -cdn_dot(fb.normal, n) - 1e-3))
    on_face(&fa, &fb, n, true, margin, out);
  else if (face_b) on_face(&fb, &fa, n, false, margin, out);
  else {
    cdni_feature_edge(&fa, n);
    cdni_feature_edge(&fb, g_neg(n));
    on_edges(&fa, &fb, n, margin, out);
  }
  /* The nearest points themselves, where nothing lies flat, or where none of the points is as deep. */
  double least = INFINITY;
  for (int i = 0; i < out->n; i++) least = out->points[i].distance < least ? out->points[i].distance : least;
  bool shallow = least > near.distance;
  if (shallow && out->n > 0) {
    double size = fabs(near.distance);
    for (int i = 0; i < out->n; i++) size = fmax(size, cdn_norm(cdn_sub(out->points[i].point_a, near.point_a)));
    shallow = least > near.distance + 0.02 * size;
  }
  if (shallow) {
    if (out->n == CDN_MANIFOLD_MOST) out->n--;
    out->points[out->n] = near;
    out->id[out->n++] = -1;
  } else if (out->n == 1) out->points[0] = near;
}

void cdni_pair_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  out->n = 0;
  const bool a_is_surface = !geometry_is_convex(a), b_is_surface = !geometry_is_convex(b);
  if (a_is_surface) cdni_surface_manifold(a, X_WA, b, X_WB, margin, out);
  else if (b_is_surface) {
    cdni_surface_manifold(b, X_WB, a, X_WA, margin, out);
    turn(out);
  } else if (a->kind <= b->kind) convex_manifold(a, X_WA, b, X_WB, margin, out);
  else {
    convex_manifold(b, X_WB, a, X_WA, margin, out);
    turn(out);
  }
}

cdn_status cdn_geometry_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                 const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  CDNI_TRY(cdni_check_pair(__func__, a, X_WA, b, X_WB, out));
  if (!(margin >= 0)) return cdni_refuse(CDN_ERR_ARG, __func__, "margin is %g; give a length >= 0", margin);
  cdni_pair_manifold(a, X_WA, b, X_WB, margin, out);
  return CDN_OK;
}
