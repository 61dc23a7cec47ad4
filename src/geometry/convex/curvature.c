/* Principal curvatures of smooth surfaces; how flat faces are curved with the edges and corners between them, on which
 * a point cannot slide at all. */
#include "geometry/convex/convex.h"

bool cdni_curvature(const cdn_geometry *g, cdn_vec3 p_S, double k[2], cdn_vec3 *direction) {
  const geometry_kind *kind = kind_of(g);
  return kind->curvature && kind->curvature(g, p_S, k, direction);
}

/* Faces of a box or hull that meet at a point of it: one is a face, two an edge, more a corner. */
surface_tensor cdni_polytope_tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  double own[CDNI_OWN_FACES][4];
  cdn_vec3 center, first = { 0, 0, 0 }, edge = { 0, 0, 0 };
  const double size = cdni_bounding_ball(g, &center);
  const cdn_vec3 p = g_point_inv(X, at);
  int n_faces;
  const double *planes = cdni_faces(g, own, &n_faces);
  bool any = false, corner = false;
  (void)n;
  for (int i = 0; i < n_faces; i++) {
    const double *plane = &planes[4 * i];
    const cdn_vec3 normal = cdn_v3(plane[0], plane[1], plane[2]);
    if (!(fabs(plane[3] - cdn_dot(normal, p)) < 1e-9 * size)) continue;
    if (!any) first = normal;
    else if (cdn_dot(edge, edge) == 0) edge = cdn_cross(first, normal);
    else corner = corner || fabs(cdn_dot(edge, normal)) > 1e-9 * cdn_norm(edge);
    any = true;
  }
  if (corner) return (surface_tensor){ .k = INFINITY };
  const double length = cdn_norm(edge);
  if (!(length > 1e-9)) return (surface_tensor){ .k = 0 };
  return (surface_tensor){ .k = INFINITY, .axis = g_rotate(&X->R, cdn_scale(1 / length, edge)) };
}

surface_tensor cdni_surface_tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  const geometry_kind *kind = kind_of(g);
  return kind->tensor ? kind->tensor(g, X, at, n) : (surface_tensor){ .k = 0 };
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
