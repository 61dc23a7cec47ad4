/* Height fields. */
#include <math.h>

#include "geometry/kind.h"
#include "geometry/surfaces/ray.h"

int field_farthest(const cdn_surface *s, cdn_vec3 n, cdn_vec3 *point) {
  double best = -INFINITY;
  int at[2] = { 0, 0 };
  for (int j = 0; j < s->n_y; j++)
    for (int i = 0; i < s->n_x; i++) {
      const cdn_vec3 p = field_vertex(s, i, j);
      if (!(cdn_dot(n, p) > best)) continue;
      best = cdn_dot(n, p);
      *point = p;
      at[0] = i, at[1] = j;
    }
  /* A triangle that has this vertex. */
  const int i = at[0] < s->n_x - 1 ? at[0] : s->n_x - 2, j = at[1] < s->n_y - 1 ? at[1] : s->n_y - 2;
  return 2 * (j * (s->n_x - 1) + i) + (at[0] == i && at[1] == j + 1);
}

/* The largest n . x over what lies below the heights. */
static double field_reach(const cdn_surface *s, cdn_vec3 n) {
  if (n.z < 0) return INFINITY;
  if (n.z == 0) return fabs(n.x) * s->half_x + fabs(n.y) * s->half_y;
  if (n.x == 0 && n.y == 0) return n.z * s->highest;
  cdn_vec3 farthest;
  field_farthest(s, n, &farthest);
  return cdn_dot(n, farthest);
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) { return field_reach(g->surface, n); }

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  return cdni_ray_by(cdni_ray_field, g, X_WS, origin, direction, reach, room, hits);
}

static int most_hits(const cdn_geometry *g) { return g->surface->info.n_triangles; }

const geometry_kind cdni_kind_field = { .name = "height field",
                                        .has_surface = true,
                                        .contact = CONTACT_HEIGHTS,
                                        .ball = cdni_surface_ball,
                                        .reach = reach_along,
                                        .point = field_distance,
                                        .ray = ray_through,
                                        .most_hits = most_hits };
