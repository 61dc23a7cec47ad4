/* A box and a small hull: h along every direction where it can have a minimum. These are the normals of the faces of
 * their difference: of faces of the hull, of faces of the box, and across two edges. Products and sums are rounded one
 * by one, so that all sets have the same bits. */
#include "geometry/convex/survey.h"
#include "geometry/convex/wide_farthest.h"

CDNI_INLINE wide3 load_columns(const double *columns, int n, int at) {
  return (wide3){ wide_load(columns + at), wide_load(columns + n + at), wide_load(columns + 2 * n + at) };
}
CDNI_INLINE wide3 all(cdn_vec3 v) { return (wide3){ wide_set(v.x), wide_set(v.y), wide_set(v.z) }; }
CDNI_INLINE wide dot(wide3 a, wide3 b) {
  return wide_add(wide_add(wide_mul(a.x, b.x), wide_mul(a.y, b.y)), wide_mul(a.z, b.z));
}
CDNI_INLINE wide size_of(wide a) { return wide_max(a, wide_sub(wide_zero(), a)); }

/* The least of h |h| / |n|^2 in each lane, as a fraction, and its number. */
typedef struct least_axes {
  wide over, under, at;
} least_axes;

CDNI_INLINE void take(least_axes *l, wide over, wide under, wide at) {
  const wide mine = wide_mul(over, l->under), its = wide_mul(l->over, under);
  l->over = wide_where_more(its, mine, over, l->over);
  l->under = wide_where_more(its, mine, under, l->under);
  l->at = wide_where_more(its, mine, at, l->at);
}

/* The first of the least. */
static double least_of(const least_axes *l, int *number) {
  double over[WIDE], under[WIDE], at[WIDE], least = INFINITY;
  wide_store(over, l->over), wide_store(under, l->under), wide_store(at, l->at);
  *number = -1;
  for (int k = 0; k < WIDE; k++) {
    const double value = over[k] / under[k];
    if (value < least || (value == least && at[k] < *number)) least = value, *number = (int)at[k];
  }
  return copysign(sqrt(fabs(least)), least);
}

static const double places[WIDE] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static void KERNEL_NAME(box_faces)(const cdn_surface *s, const box_at_hull *b, hull_axis *least) {
  const wide3 axis[3] = { all(b->axis[0]), all(b->axis[1]), all(b->axis[2]) }, center = all(b->center);
  const wide half[3] = { wide_set(b->half[0]), wide_set(b->half[1]), wide_set(b->half[2]) };
  const wide one = wide_set(1);
  least_axes l = { wide_set(INFINITY), one, wide_zero() };
  for (int i = 0; i < s->n_plane_columns; i += WIDE) {
    const wide3 n = load_columns(s->plane_columns, s->n_plane_columns, i);
    wide h = wide_sub(wide_load(s->plane_columns + 3 * s->n_plane_columns + i), dot(n, center));
    for (int k = 0; k < 3; k++) h = wide_add(h, wide_mul(size_of(dot(n, axis[k])), half[k]));
    take(&l, wide_mul(h, size_of(h)), one, wide_add(wide_set(i), wide_load(places)));
  }
  least->part = AXIS_OF_HULL, least->k = 0;
  least->h = least_of(&l, &least->at);
  wide most[3], low[3];
  for (int k = 0; k < 3; k++) most[k] = wide_set(-INFINITY), low[k] = wide_set(INFINITY);
  for (int i = 0; i < s->n_columns; i += WIDE) {
    const wide3 v = load_columns(s->columns, s->n_columns, i);
    for (int k = 0; k < 3; k++) {
      const wide along = dot(v, axis[k]);
      most[k] = wide_max(most[k], along), low[k] = wide_min(low[k], along);
    }
  }
  for (int k = 0; k < 3; k++) {
    const double middle = cdn_dot(b->axis[k], b->center);
    const double up = wide_largest(most[k]) - middle + b->half[k], down = middle - wide_least(low[k]) + b->half[k];
    if (up < least->h) *least = (hull_axis){ up, AXIS_OF_BOX, 0, k };
    if (down < least->h) *least = (hull_axis){ down, AXIS_OF_BOX, 1, k };
  }
}

/* An edge of the hull and one of the box, along axis k, are a face of the difference where the way between the normals
 * of the faces at the edge crosses the plane across the axis. */
static void KERNEL_NAME(box_edges)(const cdn_surface *s, const box_at_hull *b, hull_axis *least) {
  const wide3 axis[3] = { all(b->axis[0]), all(b->axis[1]), all(b->axis[2]) }, center = all(b->center);
  const wide half[3] = { wide_set(b->half[0]), wide_set(b->half[1]), wide_set(b->half[2]) };
  const wide zero = wide_zero(), two = wide_set(2), far = wide_set(INFINITY);
  const int n = s->n_edge_columns;
  const double *c = s->edge_columns;
  least_axes l = { far, wide_set(1), zero };
  for (int i = 0; i < n; i += WIDE) {
    const wide3 n1 = load_columns(c, n, i), n2 = load_columns(c + 4 * n, n, i);
    const wide o1 = wide_sub(wide_load(c + 3 * n + i), dot(n1, center));
    const wide o2 = wide_sub(wide_load(c + 7 * n + i), dot(n2, center)), between = wide_load(c + 8 * n + i);
    wide c1[3], c2[3];
    for (int k = 0; k < 3; k++) c1[k] = dot(n1, axis[k]), c2[k] = dot(n2, axis[k]);
    for (int k = 0; k < 3; k++) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      const wide w1 = size_of(c2[k]), w2 = size_of(c1[k]), product = wide_mul(w1, w2);
      wide h = wide_add(wide_mul(w1, o1), wide_mul(w2, o2));
      h = wide_add(h, wide_mul(size_of(wide_add(wide_mul(w1, c1[k1]), wide_mul(w2, c2[k1]))), half[k1]));
      h = wide_add(h, wide_mul(size_of(wide_add(wide_mul(w1, c1[k2]), wide_mul(w2, c2[k2]))), half[k2]));
      const wide square =
          wide_add(wide_add(wide_mul(w1, w1), wide_mul(w2, w2)), wide_mul(two, wide_mul(product, between)));
      const wide over = wide_where_more(zero, wide_mul(c1[k], c2[k]), wide_mul(h, size_of(h)), far);
      take(&l, over, square, wide_add(wide_set(i + k * n), wide_load(places)));
    }
  }
  int at;
  const double h = least_of(&l, &at);
  /* Faces come first: edges must be less deep by more than rounding. */
  if (at >= 0 && h < least->h - 1e-14 * s->radius) *least = (hull_axis){ h, AXIS_OF_EDGES, at % n, at / n };
}

const box_hull_kernels KERNEL_NAME(cdni_box_hull_kernels_of) = { .faces = KERNEL_NAME(box_faces),
                                                                 .edges = KERNEL_NAME(box_edges) };
