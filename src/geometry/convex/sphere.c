/* A sphere and anything convex: the signed distance of its centre, less the radius. */
#include "geometry/convex/convex.h"

bool cdni_sphere_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                          const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  const double radius = a->size[0];
  cdn_vec3 n;
  double distance;
  if (b->kind == CDN_GEOMETRY_SPHERE) {
    const cdn_vec3 between = cdn_sub(X_WB->p, X_WA->p);
    distance = cdn_norm(between);
    if (distance - (radius + b->size[0]) > reach) return false;
    n = distance > LEAST_LENGTH ? cdn_scale(1 / distance, between) : cdn_v3(0, 0, 1);
    distance -= radius + b->size[0];
  } else {
    distance = cdni_convex_point_distance(b, g_point_inv(X_WB, X_WA->p), &n) - radius;
    if (distance > reach) return false;
    n = g_neg(g_rotate(&X_WB->R, n));
  }
  proximity_from_a(distance, n, g_fma(radius, n, X_WA->p), out);
  return true;
}
