/* A sphere and anything convex: the signed distance of its centre, less the radius. */
#include "geometry/convex/convex.h"

/* From a to b, where the centres are one point and every direction is as good: MuJoCo's, across both z axes, or along x
 * where these are parallel. */
static cdn_vec3 from_one_point(const cdn_transform *X_WA, const cdn_transform *X_WB) {
  const cdn_vec3 w = cdn_cross(X_WA->R.z, X_WB->R.z);
  const double sine = cdn_norm(w);
  return sine > 1e-15 ? cdn_scale(1 / sine, w) : cdn_v3(1, 0, 0);
}

bool cdni_sphere_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                          const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  const double radius = a->size[0];
  if (b->kind == CDN_GEOMETRY_SPHERE) {
    const cdn_vec3 between = cdn_sub(X_WB->p, X_WA->p);
    const double far = radius + b->size[0] + reach;
    /* most pairs that are too far apart are told by the square */
    if (cdn_dot(between, between) > far * far * (1 + 1e-12)) return false;
    const double length = cdn_norm(between), distance = length - (radius + b->size[0]);
    if (distance > reach) return false;
    const cdn_vec3 n = length > LEAST_LENGTH ? cdn_scale(1 / length, between) : from_one_point(X_WA, X_WB);
    proximity_from_a(distance, n, g_fma(radius, n, X_WA->p), out);
    return true;
  }
  if (b->kind == CDN_GEOMETRY_HALF_SPACE) {
    const cdn_vec3 down = g_neg(X_WB->R.z);
    const double distance = cdn_dot(down, cdn_sub(X_WB->p, X_WA->p)) - radius;
    if (distance > reach) return false;
    proximity_from_a(distance, down, g_fma(radius, down, X_WA->p), out);
    return true;
  }
  cdn_vec3 n;
  const double distance = cdni_convex_point_distance(b, g_point_inv(X_WB, X_WA->p), &n) - radius;
  if (distance > reach) return false;
  n = g_neg(g_rotate(&X_WB->R, n));
  proximity_from_a(distance, n, g_fma(radius, n, X_WA->p), out);
  return true;
}
