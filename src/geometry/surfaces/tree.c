/* The tree of boxes over a mesh's triangles. It is halved along the longest side of the triangles' centres, so that its
 * depth is the logarithm of their number, and the same mesh gives the same tree. */
#include <float.h>
#include <math.h>

#include "geometry/surfaces/surfaces.h"

enum { LEAF = 4 };

double surface_ball(int n, const double *points, cdn_vec3 *center) {
  double least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (size_t i = 0; i < 3 * (size_t)n; i++) {
    least[i % 3] = fmin(least[i % 3], points[i]);
    most[i % 3] = fmax(most[i % 3], points[i]);
  }
  *center = cdn_v3(0.5 * (least[0] + most[0]), 0.5 * (least[1] + most[1]), 0.5 * (least[2] + most[2]));
  double radius = 0;
  for (size_t i = 0; i < (size_t)n; i++)
    radius = fmax(radius, cdn_norm(cdn_sub(cdn_v3(points[3 * i], points[3 * i + 1], points[3 * i + 2]), *center)));
  return radius * (1 + 4 * DBL_EPSILON); /* rounded outward */
}

static float rounded_down(double x) {
  if (x < -FLT_MAX) return -INFINITY;
  const float f = x > FLT_MAX ? FLT_MAX : (float)x;
  return f > x ? nextafterf(f, -INFINITY) : f;
}

static void set_box(const cdn_surface *s, box_node *node, int first, int count) {
  double least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (int i = first; i < first + count; i++)
    for (int k = 0; k < 3; k++) {
      const double *p = s->vertices + 3 * (size_t)s->triangles[3 * (size_t)s->order[i] + k];
      for (int j = 0; j < 3; j++) {
        least[j] = fmin(least[j], p[j]);
        most[j] = fmax(most[j], p[j]);
      }
    }
  for (int j = 0; j < 3; j++) {
    node->least[j] = rounded_down(least[j]);
    node->most[j] = -rounded_down(-most[j]);
  }
}

/* ---- halving ---- */

static bool is_before(const double *centers, int axis, int32_t a, int32_t b) {
  const double x = centers[3 * (size_t)a + axis], y = centers[3 * (size_t)b + axis];
  return x < y || (x == y && a < b);
}

/* Brings the element that belongs at `middle` there, smaller ones before it, larger ones behind it. The pivots come
 * from a generator of numbers, so that no order of the triangles is slow. */
static void select_middle(const double *centers, int axis, int32_t *order, int n, int middle) {
  uint64_t state = 88172645463325252u;
  int low = 0, high = n - 1;
  while (low < high) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const int32_t pivot = order[low + (int)(state % (uint64_t)(high - low + 1))];
    int i = low, j = high;
    while (i <= j) {
      while (is_before(centers, axis, order[i], pivot)) i++;
      while (is_before(centers, axis, pivot, order[j])) j--;
      if (i <= j) {
        const int32_t kept = order[i];
        order[i++] = order[j], order[j--] = kept;
      }
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

static int longest_axis(const double *centers, const int32_t *order, int n) {
  double least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      least[k] = fmin(least[k], centers[3 * (size_t)order[i] + k]);
      most[k] = fmax(most[k], centers[3 * (size_t)order[i] + k]);
    }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (most[k] - least[k] > most[axis] - least[axis]) axis = k;
  return axis;
}

/* A range that is halved has more than LEAF triangles, so every leaf has two or more, and there are fewer nodes than
 * triangles, or one. */
void surface_build_tree(cdn_surface *s, const double *centers) {
  const int n = s->info.n_triangles;
  for (int i = 0; i < n; i++) s->order[i] = i;
  s->nodes[0] = (box_node){ .first = 0, .count = n };
  s->n_nodes = 1;
  for (int at = 0; at < s->n_nodes; at++) {
    box_node *node = &s->nodes[at];
    const int first = node->first, count = node->count;
    set_box(s, node, first, count);
    if (count <= LEAF) continue;
    int32_t *order = s->order + first;
    const int half = count / 2;
    select_middle(centers, longest_axis(centers, order, count), order, count, half);
    node->first = s->n_nodes;
    node->count = 0;
    s->nodes[s->n_nodes++] = (box_node){ .first = first, .count = half };
    s->nodes[s->n_nodes++] = (box_node){ .first = first + half, .count = count - half };
  }
}
