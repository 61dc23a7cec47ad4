/* Triangle meshes. */
#include <math.h>

#include "geometry/kind.h"
#include "geometry/surfaces/ray.h"

int mesh_farthest(const cdn_surface *s, cdn_vec3 n, cdn_vec3 *point) {
  int32_t stack[MOST_DEPTH];
  int depth = 0, triangle = -1;
  double best = -INFINITY;
  stack[depth++] = 0;
  while (depth > 0) {
    const box_node *node = &s->nodes[stack[--depth]];
    if (!(box_reach(node, n) >= best)) continue;
    if (node->count == 0) {
      const int first = node->first;
      const bool swap = box_reach(&s->nodes[first], n) > box_reach(&s->nodes[first + 1], n);
      stack[depth++] = first + swap;
      stack[depth++] = first + !swap;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++)
      for (int k = 0; k < 3; k++) {
        const cdn_vec3 p = surface_vertex(s, s->triangles[3 * (size_t)s->order[i] + k]);
        const double along = cdn_dot(n, p);
        if (along < best || (along == best && s->order[i] > triangle)) continue;
        best = along, triangle = s->order[i], *point = p;
      }
  }
  return triangle;
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  cdn_vec3 farthest;
  mesh_farthest(g->surface, n, &farthest);
  return cdn_dot(n, farthest);
}

/* That at the root of the tree. */
static bool box(const cdn_geometry *g, cdn_vec3 *middle, double half[3]) {
  const cdn_surface *s = g->surface;
  if (s->n_nodes == 0) return false;
  const box_node *root = &s->nodes[0];
  for (int k = 0; k < 3; k++) {
    (&middle->x)[k] = 0.5 * root->least[k] + 0.5 * root->most[k];
    half[k] = 0.5 * root->most[k] - 0.5 * root->least[k];
  }
  return true;
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  return cdni_ray_by(cdni_ray_mesh, g, X_WS, origin, direction, reach, room, hits);
}

static int most_hits(const cdn_geometry *g) { return g->surface->info.n_triangles; }

const geometry_kind cdni_kind_mesh = { .name = "mesh",
                                       .has_surface = true,
                                       .contact = CONTACT_SPRINGS,
                                       .ball = cdni_surface_ball,
                                       .reach = reach_along,
                                       .box = box,
                                       .point = mesh_distance,
                                       .ray = ray_through,
                                       .most_hits = most_hits };
