/* What of a convex geometry may lie flat, as its kind has it; polygons cut by polygons. */
#include <math.h>

#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"

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

void cdni_feature(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 direction, flat_part *f) {
  const geometry_kind *kind = kind_of(g);
  const cdn_vec3 d = g_rotate_inv(&X_WS->R, direction);
  f->n = 0;
  f->radius = 0;
  if (kind->feature) kind->feature(g, X_WS, d, f);
  else feature_add_point(f, g_point(X_WS, cdni_support(g, d)), 0);
}

void cdni_feature_edge(flat_part *f, cdn_vec3 direction) {
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

int cdni_clip(const flat_part *subject, const flat_part *window, clipped_point out[CLIPPED_MOST]) {
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
