/* The triangles whose boxes overlap a box, or that reach below a plane, in ascending order, without memory of its
 * own. */
#include <math.h>

#include "geometry/surfaces/surfaces.h"

/* So many triangles are found at once. */
enum { MOST_FOUND = 1024 };

/* What is asked for: all that overlaps the box and has a point where n . x <= d. n = 0 asks for no plane. */
typedef struct zone {
  cdn_vec3 least, most, n;
  double d;
} zone;

static inline double least_of(double x, double y) { return x < y ? x : y; }
static inline double most_of(double x, double y) { return x > y ? x : y; }

static bool overlaps(const cdn_vec3 v[3], const zone *z) {
  for (int k = 0; k < 3; k++) {
    const double a = (&v[0].x)[k], b = (&v[1].x)[k], c = (&v[2].x)[k];
    if (!(least_of(least_of(a, b), c) <= (&z->most.x)[k] && most_of(most_of(a, b), c) >= (&z->least.x)[k]))
      return false;
  }
  return least_of(least_of(cdn_dot(z->n, v[0]), cdn_dot(z->n, v[1])), cdn_dot(z->n, v[2])) <= z->d;
}

static bool overlaps_node(const box_node *node, const zone *z) {
  return node->least[0] <= z->most.x && node->most[0] >= z->least.x && node->least[1] <= z->most.y &&
         node->most[1] >= z->least.y && node->least[2] <= z->most.z && node->most[2] >= z->least.z &&
         -box_reach(node, g_neg(z->n)) <= z->d;
}

/* A heap with the largest number on top. */
static void sink(int32_t *heap, int n, int at) {
  for (int child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && heap[child + 1] > heap[child]) child++;
    if (heap[at] >= heap[child]) return;
    const int32_t kept = heap[at];
    heap[at] = heap[child], heap[child] = kept;
  }
}

static void sort(int32_t *numbers, int n) {
  for (int k = n / 2 - 1; k >= 0; k--) sink(numbers, n, k);
  for (int end = n - 1; end > 0; end--) {
    const int32_t largest = numbers[0];
    numbers[0] = numbers[end], numbers[end] = largest;
    sink(numbers, end, 0);
  }
}

/* The triangles above `last` that overlap: how many there are, and the least MOST_FOUND of them, in order. */
static int find(const cdn_surface *s, const zone *z, int last, int32_t *found, int *n_found) {
  int32_t stack[MOST_DEPTH];
  int depth = 0, total = 0, n = 0;
  bool heap = false;
  stack[depth++] = 0;
  while (depth > 0) {
    const box_node *node = &s->nodes[stack[--depth]];
    if (!overlaps_node(node, z)) continue;
    if (node->count == 0) {
      stack[depth++] = node->first;
      stack[depth++] = node->first + 1;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      const int32_t triangle = s->order[i];
      cdn_vec3 v[3];
      if (triangle <= last) continue;
      surface_corners(s, triangle, v);
      if (!overlaps(v, z)) continue;
      total++;
      if (n < MOST_FOUND) {
        found[n++] = triangle;
        continue;
      }
      if (!heap)
        for (int k = n / 2 - 1; k >= 0; k--) sink(found, n, k);
      heap = true;
      if (triangle < found[0]) found[0] = triangle, sink(found, n, 0);
    }
  }
  sort(found, n);
  *n_found = n;
  return total;
}

static bool show(const cdn_surface *s, int triangle, cdni_triangle_visitor *visit, void *context) {
  cdn_vec3 v[3];
  surface_corners(s, triangle, v);
  return visit(context, triangle, v);
}

static void visit_mesh(const cdn_surface *s, const zone *z, cdni_triangle_visitor *visit, void *context) {
  int32_t found[MOST_FOUND];
  int last = -1, n;
  for (;;) {
    const int total = find(s, z, last, found, &n);
    for (int i = 0; i < n; i++)
      if (!show(s, found[i], visit, context)) return;
    if (n == total) return;
    last = found[n - 1];
    /* Where the search would have to be repeated often, each triangle is looked at once. */
    const double rest = total - n, passes = ceil(rest / MOST_FOUND);
    if (passes * rest * 0.5 < s->info.n_triangles - last) continue;
    for (int i = last + 1; i < s->info.n_triangles; i++) {
      cdn_vec3 v[3];
      surface_corners(s, i, v);
      if (overlaps(v, z) && !visit(context, i, v)) return;
    }
    return;
  }
}

static void visit_field(const cdn_surface *s, const zone *z, cdni_triangle_visitor *visit, void *context) {
  const cdn_vec3 least = z->least, most = z->most;
  if (!(least.z <= s->highest && most.z >= s->lowest && fmin(most.x, s->half_x) >= fmax(least.x, -s->half_x) &&
        fmin(most.y, s->half_y) >= fmax(least.y, -s->half_y)))
    return;
  int first[2], end[2];
  field_cells_in(s, least, most, first, end);
  for (int j = first[1]; j <= end[1]; j++)
    for (int i = first[0]; i <= end[0]; i++)
      for (int half = 0; half < 2; half++) {
        const int triangle = 2 * (j * (s->n_x - 1) + i) + half;
        cdn_vec3 v[3];
        surface_corners(s, triangle, v);
        if (overlaps(v, z) && !visit(context, triangle, v)) return;
      }
}

static void visit_zone(const cdn_surface *s, const zone *z, cdni_triangle_visitor *visit, void *context) {
  if (s->heights) visit_field(s, z, visit, context);
  else if (s->n_nodes > 0) visit_mesh(s, z, visit, context);
}

void cdni_triangles_in_box(const cdn_surface *s, cdn_vec3 least, cdn_vec3 most, cdni_triangle_visitor *visit,
                           void *context) {
  const zone z = { .least = least, .most = most };
  visit_zone(s, &z, visit, context);
}

void cdni_triangles_below(const cdn_surface *s, cdn_vec3 n, double d, cdni_triangle_visitor *visit, void *context) {
  const zone z = {
    .least = { -INFINITY, -INFINITY, -INFINITY }, .most = { INFINITY, INFINITY, INFINITY }, .n = n, .d = d
  };
  visit_zone(s, &z, visit, context);
}
