/* A half-space and anything convex: the support point against the normal, and the points of what lies flat. */
#include <math.h>

#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"
#include "geometry/convex/stand.h"

bool cdni_half_space_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                              const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  (void)a;
  const cdn_vec3 up = X_WA->R.z, up_B = g_rotate_inv(&X_WB->R, up);
  const cdn_vec3 lowest = kind_of(b)->support(b, g_neg(up_B));
  /* Along the normal the position of b and the support point add up, without a sum of large numbers in between. */
  const double distance = cdn_dot(up, cdn_sub(X_WB->p, X_WA->p)) + cdn_dot(up_B, lowest);
  if (distance > reach) return false;
  const cdn_vec3 point_b = g_point(X_WB, lowest);
  proximity_from_a(distance, up, g_fma(-distance, up, point_b), out);
  out->point_b = point_b;
  return true;
}

/* ---- manifolds ---- */

void cdni_half_space_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                              const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  const geometry_kind *kind = kind_of(b);
  const stand s = stand_of(X_WA, X_WB, margin);
  if (kind->stands) {
    kind->stands(&s, b, X_WB, out);
    return;
  }
  if (!cdni_half_space_distance(a, X_WA, b, X_WB, margin, &out->points[0])) return;
  out->id[0] = -1, out->n = 1;
}
