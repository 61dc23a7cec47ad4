/* Principal curvatures of smooth surfaces. */
#include "geometry/convex/convex.h"

/* Of the ellipsoid at the surface point x with the unit normal n: the second fundamental form is t . A^-2 t / |A^-2 x|.
 * */
static void ellipsoid_curvature(const double *a, cdn_vec3 x, cdn_vec3 n, double k[2], cdn_vec3 *direction) {
  const cdn_vec3 t1 = across(n), t2 = cdn_cross(n, t1);
  const double length = cdn_norm(cdn_v3(x.x / (a[0] * a[0]), x.y / (a[1] * a[1]), x.z / (a[2] * a[2])));
  const cdn_vec3 u = cdn_v3(t1.x / a[0], t1.y / a[1], t1.z / a[2]), v = cdn_v3(t2.x / a[0], t2.y / a[1], t2.z / a[2]);
  const double xx = cdn_dot(u, u) / length, xy = cdn_dot(u, v) / length, yy = cdn_dot(v, v) / length;
  const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy), root = hypot(half, xy);
  /* The larger curvature without loss; the smaller one by the product of both. */
  k[0] = mean + root;
  k[1] = k[0] > 0 ? (xx * yy - xy * xy) / k[0] : 0;
  const double angle = root > 0 ? 0.5 * atan2(xy, half) : 0;
  *direction = g_fma(cos(angle), t1, cdn_scale(sin(angle), t2));
}

bool cdni_curvature(const cdn_geometry *g, cdn_vec3 p_S, double k[2], cdn_vec3 *direction) {
  cdn_vec3 n;
  const double *size = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE:
      cdni_convex_point_distance(g, p_S, &n);
      k[0] = k[1] = 1 / size[0];
      *direction = across(n);
      return true;
    case CDN_GEOMETRY_HALF_SPACE:
      k[0] = k[1] = 0;
      *direction = cdn_v3(1, 0, 0);
      return true;
    case CDN_GEOMETRY_CAPSULE:
      cdni_convex_point_distance(g, p_S, &n);
      k[0] = 1 / size[0];
      k[1] = fabs(p_S.z) < size[1] ? 0 : k[0];
      *direction = fabs(n.z) < 1 ? unit_or(cdn_v3(-n.y, n.x, 0), cdn_v3(1, 0, 0)) : cdn_v3(1, 0, 0);
      return true;
    case CDN_GEOMETRY_ELLIPSOID: {
      const double distance = cdni_convex_point_distance(g, p_S, &n);
      ellipsoid_curvature(size, g_fma(-distance, n, p_S), n, k, direction);
      return true;
    }
    case CDN_GEOMETRY_CYLINDER:
      /* The caps are flat, and the rims are edges. */
      cdni_convex_point_distance(g, p_S, &n);
      if (fabs(n.z) > 1e-9 || fabs(p_S.z) > size[1]) return false;
      k[0] = 1 / size[0], k[1] = 0;
      *direction = cdn_v3(-n.y, n.x, 0);
      return true;
    default: return false;
  }
}

cdn_status cdn_geometry_curvature(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 p_W, double k[2],
                                  cdn_vec3 *direction) {
  CDNI_NEED_OBJECT(g, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(X_WS, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(k, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(direction, CDN_ERR_ARG);
  CDNI_TRY(cdn_geometry_check(g));
  if (!cdni_all_finite(&X_WS->R.x.x, 12, NULL) || !cdni_all_finite(&p_W.x, 3, NULL))
    return cdni_refuse(CDN_ERR_ARG, __func__, "the pose or the point has a number that is not finite; set it first");
  cdn_vec3 d;
  if (!cdni_curvature(g, g_point_inv(X_WS, p_W), k, &d))
    return cdni_refuse(
        CDN_ERR_UNSUPPORTED, __func__,
        "the surface nearest to the point is not smooth; ask for a sphere, a half-space, a capsule, an ellipsoid, or the round side of a cylinder");
  *direction = g_rotate(&X_WS->R, d);
  return CDN_OK;
}
