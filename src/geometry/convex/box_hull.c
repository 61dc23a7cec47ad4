/* A box and a small hull: of all directions that may part them the one that parts them best, or where they overlap the
 * least. Where corners, edges or faces that meet are not just two, and where the two are apart, the search for any two
 * convex geometries has the points. */
#include "geometry/convex/survey.h"

static cdn_vec3 hull_vertex(const cdn_surface *s, int32_t i) {
  return cdn_v3(s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2]);
}

/* The point of the box that is farthest along -n, but along axis `free`. False: not only one is. */
static bool box_corner(const box_at_hull *b, cdn_vec3 n, int free, cdn_vec3 *corner) {
  *corner = b->center;
  for (int k = 0; k < 3; k++) {
    if (k == free) continue;
    const double along = cdn_dot(n, b->axis[k]);
    if (fabs(along) < 1e-9) return false;
    *corner = g_fma(-copysign(b->half[k], along), b->axis[k], *corner);
  }
  return true;
}

/* A face of the hull and a corner of the box. */
static bool on_hull_face(const cdn_surface *s, const box_at_hull *b, const hull_axis *x, cdn_vec3 *n,
                         cdn_vec3 *at_box) {
  const double *plane = &s->planes[4 * x->at];
  *n = cdn_v3(plane[0], plane[1], plane[2]);
  return box_corner(b, *n, -1, at_box);
}

/* A face of the box and a corner of the hull. */
static bool on_box_face(const cdn_surface *s, const box_at_hull *b, const hull_axis *x, cdn_vec3 *n, cdn_vec3 *at_box) {
  *n = x->at ? g_neg(b->axis[x->k]) : b->axis[x->k];
  const int32_t farthest = cdni_hull_support(s, *n);
  const cdn_vec3 v = hull_vertex(s, farthest);
  for (int32_t k = s->first_neighbour[farthest]; k < s->first_neighbour[farthest + 1]; k++)
    if (cdn_dot(*n, cdn_sub(v, hull_vertex(s, s->neighbours[k]))) < 1e-9 * s->radius) return false;
  *at_box = g_fma(-x->h, *n, v);
  return true;
}

/* Two edges: where their common perpendicular meets that of the box. */
static bool on_edges(const cdn_surface *s, const box_at_hull *b, const hull_axis *x, cdn_vec3 *n, cdn_vec3 *at_box) {
  const int m = s->n_edge_columns;
  const double *c = s->edge_columns + x->at;
  const cdn_vec3 n1 = cdn_v3(c[0], c[m], c[2 * m]), n2 = cdn_v3(c[4 * m], c[5 * m], c[6 * m]), axis = b->axis[x->k];
  const cdn_vec3 normal = g_fma(fabs(cdn_dot(n2, axis)), n1, cdn_scale(fabs(cdn_dot(n1, axis)), n2));
  *n = cdn_scale(1 / length_of(normal), normal);
  cdn_vec3 q;
  if (!box_corner(b, *n, x->k, &q)) return false;
  const cdn_vec3 v = hull_vertex(s, s->edge_ends[2 * x->at]),
                 e = cdn_sub(hull_vertex(s, s->edge_ends[2 * x->at + 1]), v);
  const cdn_vec3 r = cdn_sub(v, q);
  const double ee = cdn_dot(e, e), ea = cdn_dot(e, axis), re = cdn_dot(r, e), ra = cdn_dot(r, axis), det = ee - ea * ea;
  if (!(det > 1e-8 * ee)) return false;
  const double along_hull = (ea * ra - re) / det, along_box = ra + along_hull * ea;
  if (!(along_hull > 0 && along_hull < 1 && fabs(along_box) < b->half[x->k])) return false;
  *at_box = g_fma(along_box, axis, q);
  return true;
}

bool cdni_box_hull_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                            const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  const cdn_surface *s = b->surface;
  if (s->n_edge_columns == 0) return cdni_convex_distance(a, X_WA, b, X_WB, reach, out);
  const box_hull_kernels *kernels = cdni_box_hull_kernels[cdni_kernel_set(1)];
  const cdn_vec3 *axes = &X_WA->R.x;
  box_at_hull box = { .half = { a->size[0], a->size[1], a->size[2] }, .center = g_point_inv(X_WB, X_WA->p) };
  for (int k = 0; k < 3; k++) box.axis[k] = g_rotate_inv(&X_WB->R, axes[k]);
  hull_axis x;
  kernels->faces(s, &box, &x);
  if (-x.h > reach) return false;
  if (x.h > 0) kernels->edges(s, &box, &x);
  if (-x.h > reach) return false;
  cdn_vec3 n, at_box;
  const bool single = x.at >= 0 && x.h > 0 &&
                      (x.part == AXIS_OF_HULL  ? on_hull_face(s, &box, &x, &n, &at_box)
                       : x.part == AXIS_OF_BOX ? on_box_face(s, &box, &x, &n, &at_box)
                                               : on_edges(s, &box, &x, &n, &at_box));
  if (!single) return cdni_convex_distance(a, X_WA, b, X_WB, reach, out);
  proximity_from_a(-x.h, g_neg(g_rotate(&X_WB->R, n)), g_point(X_WB, at_box), out);
  return true;
}
