/* Geometries of functions of the user's: convex ones by a support function, others by a distance. */
#include "geometry/convex/convex.h"
#include "geometry/kind.h"
#include "geometry/surfaces/ray.h"

/* The origin of the ball about it where the function gives no numbers. */
static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) {
  const cdn_surface *s = g->surface;
  const cdn_vec3 p = s->ops.support(s->self, n);
  return isfinite(p.x + p.y + p.z) ? p : s->center;
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  const cdn_surface *s = g->surface;
  return s->ops.support ? cdn_dot(n, support(g, n)) : cdn_dot(n, s->center) + s->radius;
}

double custom_distance(const cdn_surface *s, cdn_vec3 p, cdn_vec3 *gradient) {
  *gradient = cdn_v3(0, 0, 0);
  const double distance = s->ops.distance(s->self, p, gradient);
  const double length = cdn_norm(*gradient);
  if (length > 0 && isfinite(length)) {
    *gradient = cdn_scale(1 / length, *gradient);
    return distance;
  }
  const cdn_vec3 r = cdn_sub(p, s->center);
  const double away = cdn_norm(r);
  *gradient = away > 0 ? cdn_scale(1 / away, r) : cdn_v3(0, 0, 1);
  return distance;
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  (void)feature;
  return g->surface->ops.distance ? custom_distance(g->surface, p, normal) : cdni_convex_point_distance(g, p, normal);
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  ray_by *function = g->surface->ops.distance ? cdni_ray_distance : cdni_ray_support;
  return cdni_ray_by(function, g, X_WS, origin, direction, reach, room, hits);
}

/* More of a distance are not asked for. */
static int most_hits(const cdn_geometry *g) {
  (void)g;
  return 4096;
}

const geometry_kind cdni_kind_custom = { .name = "custom geometry",
                                         .has_surface = true,
                                         .is_round = true,
                                         .contact = CONTACT_ROUND,
                                         .ball = cdni_surface_ball,
                                         .support = support,
                                         .reach = reach_along,
                                         .point = point,
                                         .ray = ray_through,
                                         .most_hits = most_hits };
