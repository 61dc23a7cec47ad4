/* Rays against hulls, meshes and height fields. The test is watertight (Woop, Benthin and Wald, Watertight ray/triangle
 * intersection, 2013): the vertices are projected along the ray, and each edge tells on which side of it the ray
 * passes, with the same bits for both of its triangles. A ray through an edge or a vertex counts as if it were moved
 * aside by next to nothing, the same way for all triangles; so it meets a closed mesh once where it goes through. */
#include <float.h>
#include <math.h>

#include "geometry/surfaces/ray.h"

typedef struct slanted {
  ray ray;
  int axis[3];     /* the last one is the one along which the ray is fastest */
  double slope[3]; /* of the ray over the last axis; and 1 / its speed along that axis */
} slanted;

static slanted slant(const ray *r) {
  slanted s = { .ray = *r };
  const double x = fabs(r->direction.x), y = fabs(r->direction.y), z = fabs(r->direction.z);
  const int fastest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  for (int k = 0; k < 3; k++) s.axis[k] = (fastest + 1 + k) % 3;
  const double *d = &r->direction.x, speed = d[fastest];
  /* The order of the two others keeps what is counterclockwise along the ray. */
  if (speed < 0) s.axis[0] = (fastest + 2) % 3, s.axis[1] = (fastest + 1) % 3;
  s.slope[0] = d[s.axis[0]] / speed;
  s.slope[1] = d[s.axis[1]] / speed;
  s.slope[2] = 1 / speed;
  return s;
}

/* A vertex seen along the ray: beside it, and along it. */
typedef struct seen {
  double x, y, t;
} seen;

static seen see(const slanted *s, cdn_vec3 v) {
  const cdn_vec3 r = cdn_sub(v, s->ray.origin);
  const double *p = &r.x, along = p[s->axis[2]];
  return (seen){ p[s->axis[0]] - s->slope[0] * along, p[s->axis[1]] - s->slope[1] * along, along * s->slope[2] };
}

/* On which side of the edge from a to b the ray passes: exchanging a and b exchanges the sign. 0: both are at one
 * place. */
static int side(seen a, seen b, double *area) {
  *area = a.x * b.y - a.y * b.x;
  if (*area != 0) return *area > 0 ? 1 : -1;
  if (a.y != b.y) return a.y > b.y ? 1 : -1;
  if (a.x != b.x) return b.x > a.x ? 1 : -1;
  return 0;
}

static void meet_triangle(const slanted *s, const cdn_vec3 v[3], int triangle, cdn_vec3 normal, ray_hits *hits) {
  seen p[3];
  double area[3];
  int sign = 0;
  for (int k = 0; k < 3; k++) p[k] = see(s, v[k]);
  for (int k = 0; k < 3; k++) {
    const int one = side(p[k], p[(k + 1) % 3], &area[k]);
    if (one == 0 || (k > 0 && one != sign)) return;
    sign = one;
  }
  const double whole = area[0] + area[1] + area[2];
  double t;
  if (whole != 0) {
    /* Vertex k is across the edge from k + 1 to k + 2. */
    t = (area[1] / whole) * p[0].t + (area[2] / whole) * p[1].t + (area[0] / whole) * p[2].t;
  } else {
    t = fmin(p[0].t, fmin(p[1].t, p[2].t)); /* seen from the side: it is met where it begins */
  }
  t = fmin(fmax(t, fmin(p[0].t, fmin(p[1].t, p[2].t))), fmax(p[0].t, fmax(p[1].t, p[2].t)));
  add_hit(hits, &s->ray, t, normal, triangle);
}

/* ---- hulls ---- */

/* Each triangle is looked at. The faces of a hull are flat within a tolerance only, so that their planes would not
 * do. */
void cdni_ray_hull(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  const cdn_surface *s = g->surface;
  const slanted slanting = slant(r);
  for (int i = 0; i < s->info.n_triangles; i++) {
    cdn_vec3 v[3];
    surface_corners(s, i, v);
    meet_triangle(&slanting, v, 0, surface_normal(s, i), hits);
  }
}

/* ---- meshes ---- */

/* Where the ray enters a node's box; INFINITY: it does not, or beyond the reach. The box is grown by what `see` may
 * round. */
static double enter(const box_node *node, const ray *r, const double *inverse, double reach) {
  double low = 0, high = reach;
  for (int k = 0; k < 3; k++) {
    const double o = (&r->origin.x)[k], least = node->least[k], most = node->most[k];
    const double slack = 16 * DBL_EPSILON * (fabs(o) + fmax(fabs(least), fabs(most)));
    const double a = least - slack - o, b = most + slack - o;
    if (isinf(inverse[k])) {
      if (a > 0 || b < 0) return INFINITY;
      continue;
    }
    const double s = a * inverse[k], t = b * inverse[k];
    low = fmax(low, fmin(s, t));
    high = fmin(high, fmax(s, t));
  }
  return low <= high * (1 + 8 * DBL_EPSILON) ? low : INFINITY;
}

void cdni_ray_mesh(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  const cdn_surface *s = g->surface;
  const slanted slanting = slant(r);
  const double inverse[3] = { 1 / r->direction.x, 1 / r->direction.y, 1 / r->direction.z };
  struct {
    double enter;
    int32_t node;
  } stack[MOST_DEPTH];
  int depth = 0;
  stack[depth].enter = enter(&s->nodes[0], r, inverse, hits->reach);
  stack[depth++].node = 0;
  while (depth > 0) {
    depth--;
    if (stack[depth].enter == INFINITY || stack[depth].enter > hits->reach) continue;
    const box_node *node = &s->nodes[stack[depth].node];
    if (node->count == 0) {
      const int32_t first = node->first;
      const double a = enter(&s->nodes[first], r, inverse, hits->reach),
                   b = enter(&s->nodes[first + 1], r, inverse, hits->reach);
      const bool swap = a <= b; /* the nearer one is the next */
      stack[depth].enter = swap ? b : a, stack[depth++].node = first + swap;
      stack[depth].enter = swap ? a : b, stack[depth++].node = first + !swap;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      cdn_vec3 v[3];
      surface_corners(s, s->order[i], v);
      meet_triangle(&slanting, v, s->order[i], surface_normal(s, s->order[i]), hits);
    }
  }
}

/* ---- height fields ---- */

/* The part of the ray between two planes across axis k, as t from *low to *high; false: none. */
static bool between(const ray *r, int k, double least, double most, double *low, double *high) {
  const double o = (&r->origin.x)[k], v = (&r->direction.x)[k];
  if (v == 0) return least <= o && o <= most;
  const double a = (least - o) / v, b = (most - o) / v;
  *low = fmax(*low, fmin(a, b));
  *high = fmin(*high, fmax(a, b));
  return *low <= *high;
}

static void meet_cell(const cdn_surface *s, const slanted *slanting, int i, int j, ray_hits *hits) {
  for (int half = 0; half < 2; half++) {
    const int triangle = 2 * (j * (s->n_x - 1) + i) + half;
    cdn_vec3 v[3];
    surface_corners(s, triangle, v);
    meet_triangle(slanting, v, triangle, field_normal(v), hits);
  }
}

/* Goes through the rows of cells across the axis along which the ray crosses more cells; in each row through the cells
 * that the ray may meet there, with one more on each side, because the ends are rounded. */
void cdni_ray_field(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  const cdn_surface *s = g->surface;
  const double grow = 1e-12, tall = grow * (fabs(s->lowest) + fabs(s->highest) + fabs(r->origin.z));
  double low = 0, high = hits->reach;
  if (!between(r, 0, -s->half_x * (1 + grow), s->half_x * (1 + grow), &low, &high) ||
      !between(r, 1, -s->half_y * (1 + grow), s->half_y * (1 + grow), &low, &high) ||
      !between(r, 2, s->lowest - tall, s->highest + tall, &low, &high))
    return;
  const slanted slanting = slant(r);
  const double *o = &r->origin.x, *v = &r->direction.x;
  const double half[2] = { s->half_x, s->half_y };
  const int n[2] = { s->n_x, s->n_y };
  const int rows = fabs(v[0]) / half[0] * n[0] > fabs(v[1]) / half[1] * n[1] ? 0 : 1, across = 1 - rows;
  /* A vertical ray, or one that starts and ends in a cell, has an interval of cells, too. */
  double end[2] = { o[rows] + low * v[rows], o[rows] + high * v[rows] };
  if (v[rows] == 0) end[0] = end[1] = o[rows];
  const double cell = 2 * half[rows] / (n[rows] - 1);
  int row[2];
  for (int k = 0; k < 2; k++) row[k] = (int)fmin(fmax(floor((end[k] + half[rows]) / cell), 0), n[rows] - 2);
  const int step = v[rows] >= 0 ? 1 : -1;
  row[0] -= step, row[1] += step;
  for (int a = row[0]; a != row[1] + step; a += step) {
    if (a < 0 || a > n[rows] - 2) continue;
    double from = low, to = high;
    const double least = -half[rows] + cell * a, slack = grow * half[rows];
    if (!between(r, rows, least - slack, least + cell + slack, &from, &to)) continue;
    if (from > hits->reach) break; /* nearer ones are found already */
    const double x0 = o[across] + (v[across] == 0 ? 0 : from * v[across]);
    const double x1 = o[across] + (v[across] == 0 ? 0 : to * v[across]);
    const double side_cell = 2 * half[across] / (n[across] - 1);
    int first = (int)fmin(fmax(floor((fmin(x0, x1) + half[across]) / side_cell) - 1, 0), n[across] - 2);
    const int last = (int)fmin(fmax(floor((fmax(x0, x1) + half[across]) / side_cell) + 1, 0), n[across] - 2);
    for (; first <= last; first++) meet_cell(s, &slanting, rows ? first : a, rows ? a : first, hits);
  }
}
