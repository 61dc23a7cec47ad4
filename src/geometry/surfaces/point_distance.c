/* Signed distances of points. */
#include <math.h>

#include "geometry/surfaces/closest.h"
#include "geometry/surfaces/surfaces.h"

/* The point of a surface that is nearest so far. Of several at one distance, that of the first triangle counts. */
typedef struct nearest_point {
  closest_point at;
  int triangle; /* -1: none yet */
} nearest_point;

static void look_at_triangle(nearest_point *best, int triangle, closest_point at) {
  const bool nearer = at.square < best->at.square ||
                      (at.square == best->at.square && (best->triangle < 0 || triangle < best->triangle));
  if (!nearer) return;
  best->at = at;
  best->triangle = triangle;
}

/* From the nearest point: the signed distance and its gradient, for a `normal` that is outward at the nearest point. */
static double signed_distance(const nearest_point *best, cdn_vec3 p, cdn_vec3 normal, bool inside, cdn_vec3 *gradient) {
  const cdn_vec3 r = cdn_sub(p, best->at.point);
  const double distance = cdn_norm(r), rounding = 1e-15 * (cdn_norm(p) + cdn_norm(best->at.point));
  if (distance > rounding) *gradient = cdn_scale((inside ? -1 : 1) / distance, r);
  else *gradient = cdn_scale(1 / cdn_norm(normal), normal);
  return inside ? -distance : distance;
}

/* ---- meshes ---- */

static nearest_point nearest_of_mesh(const cdn_surface *s, cdn_vec3 p) {
  int32_t stack[MOST_DEPTH];
  int depth = 0;
  nearest_point best = { .at = { .square = INFINITY }, .triangle = -1 };
  stack[depth++] = 0;
  while (depth > 0) {
    const box_node *node = &s->nodes[stack[--depth]];
    if (box_square(node, p) > best.at.square) continue;
    if (node->count == 0) {
      const int first = node->first;
      const bool swap = box_square(&s->nodes[first], p) < box_square(&s->nodes[first + 1], p);
      stack[depth++] = first + swap; /* the nearer one is the next */
      stack[depth++] = first + !swap;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      cdn_vec3 v[3];
      surface_corners(s, s->order[i], v);
      look_at_triangle(&best, s->order[i], closest_on_triangle(p, v, surface_normal(s, s->order[i])));
    }
  }
  return best;
}

/* A vector that is outward at the nearest point: its product with any way from there to a point that is nearest to it
 * has the sign of that point's distance. */
static cdn_vec3 pseudo_normal(const cdn_surface *s, const nearest_point *best) {
  const int t = best->triangle, part = best->at.part;
  const cdn_vec3 normal = surface_normal(s, t);
  cdn_vec3 sum = normal;
  if (part == PART_FACE) return normal;
  if (part >= PART_VERTEX) {
    const double *v = s->vertex_normals + 3 * (size_t)s->triangles[3 * (size_t)t + (part - PART_VERTEX)];
    sum = cdn_v3(v[0], v[1], v[2]);
  } else if (s->beyond[3 * (size_t)t + part] >= 0) {
    sum = cdn_add(normal, surface_normal(s, s->beyond[3 * (size_t)t + part]));
  }
  return cdn_norm(sum) > 1e-12 ? sum : normal;
}

double mesh_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *gradient, int *feature) {
  const cdn_surface *s = g->surface;
  const nearest_point best = nearest_of_mesh(s, p);
  *feature = best.triangle;
  const cdn_vec3 normal = pseudo_normal(s, &best);
  if (best.at.part == PART_FACE && s->info.closed) {
    *gradient = normal;
    const cdn_vec3 corner = surface_vertex(s, s->triangles[3 * (size_t)best.triangle]);
    return cdn_dot(normal, cdn_sub(p, corner));
  }
  const bool inside = s->info.closed && cdn_dot(normal, cdn_sub(p, best.at.point)) < 0;
  return signed_distance(&best, p, normal, inside, gradient);
}

/* ---- height fields ---- */

static void look_at_cell(const cdn_surface *s, int i, int j, cdn_vec3 p, nearest_point *best) {
  const cdn_vec3 a = field_vertex(s, i, j), b = field_vertex(s, i + 1, j), c = field_vertex(s, i + 1, j + 1),
                 d = field_vertex(s, i, j + 1);
  const double dx = fmax(0, fmax(a.x - p.x, p.x - c.x)), dy = fmax(0, fmax(a.y - p.y, p.y - c.y)),
               dz = fmax(0,
                         fmax(fmin(fmin(a.z, b.z), fmin(c.z, d.z)) - p.z, p.z - fmax(fmax(a.z, b.z), fmax(c.z, d.z))));
  if (dx * dx + dy * dy + dz * dz > best->at.square) return;
  const int triangle = 2 * (j * (s->n_x - 1) + i);
  const cdn_vec3 lower[3] = { a, b, c }, upper[3] = { a, c, d };
  look_at_triangle(best, triangle, closest_on_triangle(p, lower, field_normal(lower)));
  look_at_triangle(best, triangle + 1, closest_on_triangle(p, upper, field_normal(upper)));
}

/* Looks at rings of cells around the point, until what is beyond the last ring is farther away than the nearest
 * point. */
static nearest_point nearest_of_field(const cdn_surface *s, cdn_vec3 p) {
  nearest_point best = { .at = { .square = INFINITY }, .triangle = -1 };
  int i, j;
  field_cell(s, p.x, p.y, &i, &j);
  for (int ring = 0;; ring++) {
    const int i0 = i - ring, i1 = i + ring, j0 = j - ring, j1 = j + ring;
    for (int b = j0 > 0 ? j0 : 0; b <= j1 && b <= s->n_y - 2; b++) {
      const bool whole = b == j0 || b == j1;
      for (int a = i0 > 0 ? i0 : 0; a <= i1 && a <= s->n_x - 2; a++) {
        if (!whole && a != i0 && a != i1) {
          a = (i1 <= s->n_x - 2 ? i1 : s->n_x - 1) - 1;
          continue;
        }
        look_at_cell(s, a, b, p, &best);
      }
    }
    double beyond = INFINITY;
    if (i0 > 0) beyond = fmin(beyond, p.x - field_vertex(s, i0, 0).x);
    if (i1 < s->n_x - 2) beyond = fmin(beyond, field_vertex(s, i1 + 1, 0).x - p.x);
    if (j0 > 0) beyond = fmin(beyond, p.y - field_vertex(s, 0, j0).y);
    if (j1 < s->n_y - 2) beyond = fmin(beyond, field_vertex(s, 0, j1 + 1).y - p.y);
    beyond = fmax(beyond, 0);
    if (beyond * beyond > best.at.square || beyond == INFINITY) return best;
  }
}

double field_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *gradient, int *feature) {
  const cdn_surface *s = g->surface;
  const nearest_point best = nearest_of_field(s, p);
  *feature = best.triangle;
  cdn_vec3 v[3];
  surface_corners(s, best.triangle, v);
  double height;
  int under;
  const bool inside = field_height(s, p.x, p.y, &height, &under) && p.z < height;
  return signed_distance(&best, p, field_normal(v), inside, gradient);
}

/* ---- all kinds ---- */

double cdni_point_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *gradient, int *feature) {
  const geometry_kind *kind = kind_of(g);
  *feature = 0;
  return kind->point ? kind->point(g, p, gradient, feature) : cdni_convex_point_distance(g, p, gradient);
}

cdn_status check_query(const char *function, const cdn_geometry *g, const cdn_transform *X_WS) {
  if (!g) return cdni_misses(function, "g");
  if (!X_WS) return cdni_misses(function, "X_WS");
  CDNI_TRY(cdn_geometry_check(g));
  /* a sum tells in most cases that all are finite */
  const cdn_vec3 all = cdn_add(cdn_add(X_WS->R.x, X_WS->R.y), cdn_add(X_WS->R.z, X_WS->p));
  const double sum = all.x + all.y + all.z;
  if (isfinite(sum) || cdni_all_finite(&X_WS->R.x.x, sizeof *X_WS / sizeof(double), NULL)) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function, "the pose of the geometry is not finite: give a finite X_WS");
}

cdn_status cdn_geometry_point_distance(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 p_W,
                                       cdn_proximity *out) {
  if (!out) return cdni_misses(__func__, "out");
  CDNI_TRY(check_query(__func__, g, X_WS));
  if (!cdni_all_finite(&p_W.x, 3, NULL))
    return cdni_refuse(CDN_ERR_ARG, __func__, "p_W is not finite: give a finite point");
  cdn_vec3 gradient;
  out->distance = cdni_point_distance(g, g_point_inv(X_WS, p_W), &gradient, &out->feature_a);
  out->normal = g_rotate(&X_WS->R, gradient);
  out->point_a = g_fma(-out->distance, out->normal, p_W);
  out->point_b = p_W;
  out->feature_b = 0;
  return CDN_OK;
}
