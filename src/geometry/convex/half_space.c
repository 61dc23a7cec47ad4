/* A half-space and anything convex: the support point against the normal. */
#include "geometry/convex/convex.h"

bool cdni_half_space_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                              const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  (void)a;
  const cdn_vec3 up = X_WA->R.z;
  const cdn_vec3 down_B = g_neg(g_rotate_inv(&X_WB->R, up));
  int32_t hint = 0;
  const cdn_vec3 lowest = cdni_support(b, down_B, &hint);
  /* Along the normal the position of b and the support point add up, without a sum of large numbers in between. */
  const double distance = cdn_dot(up, cdn_sub(X_WB->p, X_WA->p)) - cdn_dot(down_B, lowest);
  if (distance > reach) return false;
  const cdn_vec3 point_b = g_point(X_WB, lowest);
  proximity_from_a(distance, up, g_fma(-distance, up, point_b), out);
  out->point_b = point_b;
  return true;
}
