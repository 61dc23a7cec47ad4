/* Points that carry any load between two geometries. */
#include "geometry/convex/convex.h"

void cdni_pair_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  out->n = 0;
  if (!geometry_is_convex(a)) cdni_surface_manifold(a, X_WA, b, X_WB, margin, out);
  else if (!geometry_is_convex(b)) {
    cdni_surface_manifold(b, X_WB, a, X_WA, margin, out);
    for (int i = 0; i < out->n; i++) {
      const cdn_proximity t = out->points[i];
      out->points[i] = (cdn_proximity){ t.distance, g_neg(t.normal), t.point_b, t.point_a, t.feature_b, t.feature_a };
    }
  } else if (cdni_pair_distance(a, X_WA, b, X_WB, margin, &out->points[0])) out->n = 1, out->id[0] = 0;
}

cdn_status cdn_geometry_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                 const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  CDNI_NEED_OBJECT(a, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(X_WA, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(b, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(X_WB, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  CDNI_TRY(cdni_check_pair(__func__, a, X_WA, b, X_WB));
  if (!(margin >= 0)) return cdni_refuse(CDN_ERR_ARG, __func__, "margin is %g; give a length >= 0", margin);
  cdni_pair_manifold(a, X_WA, b, X_WB, margin, out);
  return CDN_OK;
}
