/* Meshes with meshes, by their faces.
 *
 * Apart, the distance is the least one of two triangles. Where the meshes overlap, it is the least signed distance of a
 * vertex of one from the other. Where no vertex is inside, edges go through faces: each two triangles that cross are
 * parted by some least motion, and the longest of these motions is taken. What parts the two solids is no shorter. */
#include <math.h>

#include "geometry/surfaces/closest.h"
#include "geometry/surfaces/pairs.h"

/* ---- two triangles ---- */

typedef struct faces {
  cdn_vec3 a[3], b[3];
  cdn_vec3 normal_a, normal_b; /* outward */
} faces;

/* The nearest points of two segments: each end against the other segment, and the inner points of both. */
static void look_at_segments(cdn_vec3 a0, cdn_vec3 a1, cdn_vec3 b0, cdn_vec3 b1, double *best, cdn_proximity *out) {
  const cdn_vec3 d = cdn_sub(a1, a0), e = cdn_sub(b1, b0), r = cdn_sub(a0, b0);
  const double dd = cdn_dot(d, d), ee = cdn_dot(e, e), de = cdn_dot(d, e), dr = cdn_dot(d, r), er = cdn_dot(e, r);
  const double whole = dd * ee - de * de;
  if (!(whole > 1e-14 * dd * ee)) return; /* parallel: the ends will do */
  const double s = (de * er - ee * dr) / whole, t = (dd * er - de * dr) / whole;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return;
  const cdn_vec3 p = g_fma(s, d, a0), q = g_fma(t, e, b0), gap = cdn_sub(q, p);
  const double square = cdn_dot(gap, gap);
  if (square >= *best) return;
  *best = square;
  out->point_a = p, out->point_b = q;
}

static bool crosses(cdn_vec3 p, cdn_vec3 q, const cdn_vec3 v[3], cdn_vec3 n) {
  const double a = cdn_dot(n, cdn_sub(p, v[0])), b = cdn_dot(n, cdn_sub(q, v[0]));
  if ((a > 0) == (b > 0) || a == b) return false;
  const cdn_vec3 at = g_fma(a / (a - b), cdn_sub(q, p), p);
  for (int k = 0; k < 3; k++)
    if (cdn_dot(cdn_cross(n, cdn_sub(v[(k + 1) % 3], v[k])), cdn_sub(at, v[k])) < 0) return false;
  return true;
}

static bool faces_cross(const faces *f) {
  for (int k = 0; k < 3; k++)
    if (crosses(f->a[k], f->a[(k + 1) % 3], f->b, f->normal_b) ||
        crosses(f->b[k], f->b[(k + 1) % 3], f->a, f->normal_a))
      return true;
  return false;
}

static double faces_distance(const faces *f, cdn_proximity *out) {
  double best = INFINITY;
  for (int k = 0; k < 3; k++) {
    const closest_point on_b = closest_on_triangle(f->a[k], f->b, f->normal_b),
                        on_a = closest_on_triangle(f->b[k], f->a, f->normal_a);
    if (on_b.square < best) best = on_b.square, out->point_a = f->a[k], out->point_b = on_b.point;
    if (on_a.square < best) best = on_a.square, out->point_a = on_a.point, out->point_b = f->b[k];
  }
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) look_at_segments(f->a[k], f->a[(k + 1) % 3], f->b[l], f->b[(l + 1) % 3], &best, out);
  return sqrt(best);
}

/* The motion of b along n that parts two faces. */
static void try_way(const faces *f, cdn_vec3 n, double *best, cdn_proximity *out) {
  double most = -INFINITY, least = INFINITY;
  for (int k = 0; k < 3; k++) {
    most = fmax(most, cdn_dot(n, f->a[k]));
    least = fmin(least, cdn_dot(n, f->b[k]));
  }
  if (most - least >= *best) return;
  *best = fmax(most - least, 0);
  out->normal = n;
}

/* The least motion of b that parts two faces that cross. */
static double faces_depth(const faces *f, cdn_proximity *out) {
  double best = INFINITY;
  try_way(f, f->normal_a, &best, out);
  try_way(f, g_neg(f->normal_a), &best, out);
  try_way(f, f->normal_b, &best, out);
  try_way(f, g_neg(f->normal_b), &best, out);
  for (int axis = 0; axis < 9; axis++) {
    const int k = axis / 3, l = axis % 3;
    cdn_vec3 n = cdn_cross(cdn_sub(f->a[(k + 1) % 3], f->a[k]), cdn_sub(f->b[(l + 1) % 3], f->b[l]));
    const double length = cdn_norm(n);
    if (!(length > 0)) continue;
    try_way(f, cdn_scale(1 / length, n), &best, out);
    try_way(f, cdn_scale(-1 / length, n), &best, out);
  }
  return best;
}

/* ---- all of both ---- */

typedef struct meshes {
  const cdn_surface *a, *b;
  const cdn_transform *X_AB;
  double reach;
  bool found, crossed;
  cdn_proximity best, crossing;
} meshes;

static void look_at(meshes *m, int i, int j) {
  faces f;
  surface_corners(m->a, i, f.a);
  surface_corners(m->b, j, f.b);
  for (int k = 0; k < 3; k++) f.b[k] = g_point(m->X_AB, f.b[k]);
  f.normal_a = surface_normal(m->a, i);
  f.normal_b = g_rotate(&m->X_AB->R, surface_normal(m->b, j));
  cdn_proximity near = { .feature_a = i, .feature_b = j };
  near.distance = faces_distance(&f, &near);
  if (faces_cross(&f)) {
    const double depth = faces_depth(&f, &near);
    const cdn_vec3 middle = cdn_scale(0.5, cdn_add(near.point_a, near.point_b));
    near.distance = -depth;
    near.point_a = g_fma(0.5 * depth, near.normal, middle);
    near.point_b = g_fma(-0.5 * depth, near.normal, middle);
    if (!m->crossed || near.distance < m->crossing.distance ||
        (near.distance == m->crossing.distance && i < m->crossing.feature_a))
      m->crossing = near;
    m->crossed = m->found = true;
    m->reach = fmin(m->reach, 0);
    return;
  }
  const double distance = m->found ? m->best.distance : INFINITY;
  if (m->crossed || near.distance > m->reach) return;
  if (near.distance > distance ||
      (near.distance == distance && (i > m->best.feature_a || (i == m->best.feature_a && j > m->best.feature_b))))
    return;
  const cdn_vec3 gap = cdn_sub(near.point_b, near.point_a);
  near.normal = near.distance > 0 ? cdn_scale(1 / near.distance, gap) : f.normal_a;
  m->best = near;
  m->found = true;
  m->reach = near.distance;
}

/* The box of a node of b, along the axes of a. */
static void seen_box(const meshes *m, int node, cdn_vec3 *least, cdn_vec3 *most) {
  const box_node *n = &m->b->nodes[node];
  const cdn_rotation *R = &m->X_AB->R;
  const double *columns[3] = { &R->x.x, &R->y.x, &R->z.x };
  for (int k = 0; k < 3; k++) {
    double low = (&m->X_AB->p.x)[k], high = low;
    for (int j = 0; j < 3; j++) {
      const double x = columns[j][k] * n->least[j], y = columns[j][k] * n->most[j];
      low += fmin(x, y), high += fmax(x, y);
    }
    const double slack = 1e-14 * (fabs(low) + fabs(high));
    (&least->x)[k] = low - slack;
    (&most->x)[k] = high + slack;
  }
}

static double gap_of(const meshes *m, int node_a, int node_b) {
  cdn_vec3 least, most;
  seen_box(m, node_b, &least, &most);
  return box_gap(&m->a->nodes[node_a], least, most);
}

static double box_size(const box_node *n) {
  return fmax(n->most[0] - n->least[0], fmax(n->most[1] - n->least[1], n->most[2] - n->least[2]));
}

static void search_pairs(meshes *m) {
  struct {
    double gap;
    int32_t a, b;
  } stack[2 * MOST_DEPTH];
  int depth = 0;
  stack[depth].gap = gap_of(m, 0, 0);
  stack[depth].a = stack[depth].b = 0, depth++;
  while (depth > 0) {
    depth--;
    if (stack[depth].gap > m->reach) continue;
    const int32_t at_a = stack[depth].a, at_b = stack[depth].b;
    const box_node *a = &m->a->nodes[at_a], *b = &m->b->nodes[at_b];
    if (a->count > 0 && b->count > 0) {
      for (int i = a->first; i < a->first + a->count; i++)
        for (int j = b->first; j < b->first + b->count; j++) look_at(m, m->a->order[i], m->b->order[j]);
      continue;
    }
    /* The larger one is divided; the nearer half is the next. */
    const bool divide_a = b->count > 0 || (a->count == 0 && box_size(a) >= box_size(b));
    const int32_t first = divide_a ? a->first : b->first;
    double gap[2];
    for (int k = 0; k < 2; k++) gap[k] = divide_a ? gap_of(m, first + k, at_b) : gap_of(m, at_a, first + k);
    const int next = gap[0] <= gap[1] ? 0 : 1;
    for (int k = 0; k < 2; k++) {
      const int which = k ? next : !next;
      stack[depth].gap = gap[which];
      stack[depth].a = divide_a ? first + which : at_a;
      stack[depth].b = divide_a ? at_b : first + which;
      depth++;
    }
  }
}

/* ---- vertices inside ---- */

typedef struct deepest {
  const cdn_geometry *in;
  const cdn_transform *X; /* from the frame of the vertices to that of `in` */
  bool found;
  cdn_proximity at; /* in the frame of `in` */
  int triangle;
} deepest;

static bool look_at_vertices(void *context, int triangle, const cdn_vec3 v[3]) {
  deepest *d = context;
  for (int k = 0; k < 3; k++) {
    const cdn_vec3 p = g_point(d->X, v[k]);
    if (cdn_norm(cdn_sub(p, d->in->surface->center)) > d->in->surface->radius) continue;
    const cdn_proximity at = at_point(d->in, p);
    if (at.distance >= 0 || (d->found && at.distance >= d->at.distance)) continue;
    d->at = at;
    d->triangle = triangle;
    d->found = true;
  }
  return true;
}

/* The deepest vertex of `of` inside `in`; X leads from the frame of `of` to that of `in`. */
static deepest find_deepest(const cdn_geometry *of, const cdn_geometry *in, const cdn_transform *X,
                            const cdn_transform *back) {
  deepest d = { .in = in, .X = X };
  if (!in->surface->info.closed) return d;
  cdn_vec3 least, most;
  cdni_bounds(in, back, &least, &most);
  cdni_triangles_in_box(of->surface, least, most, look_at_vertices, &d);
  return d;
}

bool cdni_meshes_distance(const cdn_geometry *a, const cdn_geometry *b, const cdn_transform *X_AB, double reach,
                          cdn_proximity *out) {
  meshes m = { .a = a->surface, .b = b->surface, .X_AB = X_AB, .reach = reach };
  search_pairs(&m);
  const cdn_transform X_BA = cdn_transform_invert(*X_AB);
  const deepest of_b = find_deepest(b, a, X_AB, &X_BA), of_a = find_deepest(a, b, &X_BA, X_AB);
  if (of_b.found && (!of_a.found || of_b.at.distance <= of_a.at.distance)) {
    *out = of_b.at;
    out->feature_b = of_b.triangle;
  } else if (of_a.found) {
    *out = (cdn_proximity){ .distance = of_a.at.distance, .feature_a = of_a.triangle, .feature_b = of_a.at.feature_a };
    out->normal = g_neg(g_rotate(&X_AB->R, of_a.at.normal));
    out->point_a = g_point(X_AB, of_a.at.point_b);
    out->point_b = g_point(X_AB, of_a.at.point_a);
  } else if (m.found) {
    *out = m.crossed ? m.crossing : m.best;
  } else {
    return false;
  }
  return out->distance <= reach;
}
