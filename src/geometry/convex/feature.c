/* What of a convex geometry may lie flat: faces of boxes and hulls, caps and sides of cylinders, sides of capsules. */
#include <math.h>

#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"

static void add(feature *f, const cdn_transform *X, double x, double y, double z, int32_t id) {
  f->p[f->n] = g_point(X, cdn_v3(x, y, z));
  f->id[f->n++] = id;
}

/* A corner has the id of its signs: bit i is set where coordinate i is positive. */
static void box_face(const double *half, const cdn_transform *X, cdn_vec3 d, feature *f) {
  const double along[3] = { fabs(d.x), fabs(d.y), fabs(d.z) }, signs[3] = { d.x, d.y, d.z };
  const int i = along[0] >= along[1] ? (along[0] >= along[2] ? 0 : 2) : (along[1] >= along[2] ? 1 : 2);
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const bool up = signs[i] >= 0;
  static const int around[4][2] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
  for (int c = 0; c < 4; c++) {
    const int *a = around[up ? c : 3 - c];
    double p[3];
    p[i] = up ? half[i] : -half[i], p[j] = a[0] * half[j], p[k] = a[1] * half[k];
    add(f, X, p[0], p[1], p[2], (p[0] > 0) | (p[1] > 0) << 1 | (p[2] > 0) << 2);
  }
  const cdn_vec3 column = i == 0 ? X->R.x : i == 1 ? X->R.y : X->R.z;
  f->normal = up ? column : g_neg(column);
}

#define HALF_ROOT 0.70710678118654752440
const double cdni_rim[RIM_POINTS][2] = { { 1, 0 },  { HALF_ROOT, HALF_ROOT },   { 0, 1 },  { -HALF_ROOT, HALF_ROOT },
                                         { -1, 0 }, { -HALF_ROOT, -HALF_ROOT }, { 0, -1 }, { HALF_ROOT, -HALF_ROOT } };

int cdni_rim_nearest(double x, double y) {
  int nearest = 0;
  double most = -INFINITY;
  for (int k = 0; k < RIM_POINTS; k++) {
    const double along = cdni_rim[k][0] * x + cdni_rim[k][1] * y;
    if (along > most) most = along, nearest = k;
  }
  return nearest;
}

/* A cap is eight points of its rim that move with the cylinder. The one that is nearest to the deepest point of the rim
 * stands there. */
static void cylinder_face(const double *size, const cdn_transform *X, cdn_vec3 d, feature *f) {
  const double rho = hypot(d.x, d.y), r = size[0], l = size[1];
  if (fabs(d.z) < rho) {
    add(f, X, r * d.x / rho, r * d.y / rho, -l, 0);
    add(f, X, r * d.x / rho, r * d.y / rho, l, 1);
    return;
  }
  const bool up = d.z >= 0;
  const int deepest = rho > 1e-9 ? cdni_rim_nearest(d.x, d.y) : -1;
  for (int c = 0; c < RIM_POINTS; c++) {
    const int k = up ? c : RIM_POINTS - 1 - c;
    const int32_t id = k + (up ? RIM_POINTS : 0);
    if (k == deepest) add(f, X, r * d.x / rho, r * d.y / rho, up ? l : -l, id);
    else add(f, X, r * cdni_rim[k][0], r * cdni_rim[k][1], up ? l : -l, id);
  }
  f->normal = up ? X->R.z : g_neg(X->R.z);
}

int cdni_hull_face(const cdn_surface *s, int32_t vertex, cdn_vec3 direction) {
  int best = 0;
  double most = -INFINITY;
  for (int32_t k = s->first_face[vertex]; k < s->first_face[vertex + 1]; k++) {
    const double *plane = &s->face_planes[4 * (size_t)s->vertex_faces[k]];
    const double along = plane[0] * direction.x + plane[1] * direction.y + plane[2] * direction.z;
    best = along > most ? s->vertex_faces[k] : best;
    most = along > most ? along : most;
  }
  return best;
}

int cdni_hull_corners(const cdn_surface *s, int face, int32_t corners[FEATURE_MOST]) {
  const int first = s->first_corner[face], n = s->first_corner[face + 1] - first;
  const int taken = n < FEATURE_MOST ? n : FEATURE_MOST;
  for (int c = 0; c < taken; c++)
    corners[c] = s->corners[n == taken ? first + c : first + (int)((int64_t)c * n / taken)];
  return taken;
}

static void hull_feature(const cdn_surface *s, const cdn_transform *X, cdn_vec3 d, feature *f) {
  const int face = cdni_hull_face(s, cdni_hull_support(s, d), d);
  int32_t corners[FEATURE_MOST];
  const int n = cdni_hull_corners(s, face, corners);
  for (int c = 0; c < n; c++) {
    const double *v = &s->vertices[3 * (size_t)corners[c]];
    add(f, X, v[0], v[1], v[2], corners[c] & 0xFFFFF);
  }
  const double *plane = &s->face_planes[4 * (size_t)face];
  f->normal = g_rotate(&X->R, cdn_v3(plane[0], plane[1], plane[2]));
}

void cdni_feature(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 direction, feature *f) {
  const cdn_vec3 d = g_rotate_inv(&X_WS->R, direction);
  f->n = 0;
  f->radius = 0;
  switch (g->kind) {
    case CDN_GEOMETRY_CAPSULE:
      add(f, X_WS, 0, 0, -g->size[1], 0);
      add(f, X_WS, 0, 0, g->size[1], 1);
      f->radius = g->size[0];
      break;
    case CDN_GEOMETRY_CYLINDER: cylinder_face(g->size, X_WS, d, f); break;
    case CDN_GEOMETRY_BOX: box_face(g->size, X_WS, d, f); break;
    case CDN_GEOMETRY_CONVEX: hull_feature(g->surface, X_WS, d, f); break;
    default: f->n = 1; f->p[0] = X_WS->p;
  }
}

void cdni_feature_edge(feature *f, cdn_vec3 direction) {
  if (f->n < 3) return;
  int best = 0;
  double most = -INFINITY;
  for (int i = 0; i < f->n; i++) {
    const double middle = cdn_dot(direction, cdn_add(f->p[i], f->p[(i + 1) % f->n]));
    if (middle > most) most = middle, best = i;
  }
  /* The corner with the smaller id comes first. */
  const int next = (best + 1) % f->n, i = f->id[best] < f->id[next] ? best : next, j = i == best ? next : best;
  const cdn_vec3 p = f->p[i], q = f->p[j];
  const int32_t id = f->id[i], jd = f->id[j];
  f->p[0] = p, f->p[1] = q, f->id[0] = id, f->id[1] = jd;
  f->n = 2;
}

/* ---- clipping ---- */

static int32_t crossing(int side, int32_t edge) { return (side + 1) << 21 | edge; }

int cdni_clip(const feature *subject, const feature *window, clipped_point out[CLIPPED_MOST]) {
  clipped_point copy[CLIPPED_MOST], *from = copy, *to = out;
  const bool open = subject->n == 2;
  int n = subject->n;
  for (int i = 0; i < n; i++) from[i] = (clipped_point){ subject->p[i], subject->id[i], open ? 0 : subject->id[i] };
  for (int side = 0; side < window->n && n > 0; side++) {
    const cdn_vec3 corner = window->p[side];
    const cdn_vec3 inward = cdn_cross(window->normal, cdn_sub(window->p[(side + 1) % window->n], corner));
    int kept = 0;
    for (int i = 0; i < n; i++) {
      const clipped_point *p = &from[i], *q = &from[(i + 1) % n];
      const double dp = cdn_dot(inward, cdn_sub(p->p, corner)), dq = cdn_dot(inward, cdn_sub(q->p, corner));
      if (dp >= 0 && kept < CLIPPED_MOST) to[kept++] = *p;
      if (open && i == n - 1) break;
      if ((dp >= 0) == (dq >= 0) || kept == CLIPPED_MOST) continue;
      const cdn_vec3 at = g_fma(dp / (dp - dq), cdn_sub(q->p, p->p), p->p);
      /* Where the subject leaves, the line to the next point is this side of the window. */
      to[kept++] = (clipped_point){ at, crossing(side, p->edge), dp >= 0 ? 1 << 20 | side : p->edge };
    }
    n = kept;
    clipped_point *t = from;
    from = to, to = t;
  }
  if (from != out) memcpy(out, from, sizeof *out * (size_t)n);
  return n;
}
