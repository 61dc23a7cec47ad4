/* Spheres. */
#include "geometry/convex/convex.h"
#include "geometry/kind.h"

static double ball(const cdn_geometry *g, cdn_vec3 *center) {
  *center = cdn_v3(0, 0, 0);
  return g->size[0];
}

static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) { return cdn_scale(g->size[0], n); }

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  (void)n;
  return g->size[0];
}

static void spread(const cdn_geometry *g, const cdn_rotation *R, double reach[3]) {
  (void)R;
  reach[0] = reach[1] = reach[2] = g->size[0];
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  const double distance = cdn_norm(p);
  (void)feature;
  *normal = unit_or(p, cdn_v3(0, 0, 1));
  return distance - g->size[0];
}

/* A sphere has no axes: W will do. */
static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  const double radius = g->size[0];
  const cdn_vec3 o = cdn_sub(origin, X_WS->p);
  const double begin = -cdn_dot(o, direction);
  const cdn_vec3 near = g_fma(begin, direction, o);
  const double rest = radius * radius - cdn_dot(near, near);
  if (!(rest >= 0)) return 0;
  const double half = sqrt(rest);
  int n = 0;
  for (int k = 0; k < 2 && n < room; k++) {
    const double from_near = k ? half : -half, t = begin + from_near;
    if (!(t >= 0 && t <= reach && t < INFINITY) || (k == 1 && !(half > 0))) continue;
    const cdn_vec3 normal = cdn_scale(1 / radius, g_fma(from_near, direction, near));
    hits[n++] = (cdn_ray_hit){ t, g_fma(t, direction, origin), normal, 0 };
  }
  return n;
}

static bool curvature(const cdn_geometry *g, cdn_vec3 p, double k[2], cdn_vec3 *direction) {
  k[0] = k[1] = 1 / g->size[0];
  *direction = across(unit_or(p, cdn_v3(0, 0, 1)));
  return true;
}

static surface_tensor tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  (void)X, (void)at, (void)n;
  return (surface_tensor){ .k = 1 / g->size[0] };
}

static double depth(const cdn_geometry *g) { return g->size[0]; }

const geometry_kind cdni_kind_sphere = { .name = "sphere",
                                         .n_sizes = 1,
                                         .size = { { "radius", "radius", false } },
                                         .is_convex = true,
                                         .is_even = true,
                                         .is_swept = true,
                                         .is_round = true,
                                         .corner = CORNER_POINT,
                                         .page = { "sphere", 1 },
                                         .contact = CONTACT_ROUND,
                                         .ball = ball,
                                         .support = support,
                                         .reach = reach_along,
                                         .spread = spread,
                                         .point = point,
                                         .ray = ray_through,
                                         .curvature = curvature,
                                         .tensor = tensor,
                                         .depth = depth };
