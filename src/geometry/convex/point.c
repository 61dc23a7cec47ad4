/* Signed distance of a point from a convex geometry, in closed form where its kind has one. */
#include "geometry/convex/convex.h"

/* By the general method, for a point. */
static double general_point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal) {
  const cdn_geometry point = { .kind = CDN_GEOMETRY_SPHERE };
  const cdn_transform X_WS = cdn_transform_identity(), X_WP = { X_WS.R, p };
  cdn_proximity near;
  cdni_convex_distance(&point, &X_WP, g, &X_WS, INFINITY, &near);
  *normal = g_neg(near.normal);
  return near.distance;
}

double cdni_convex_point_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal) {
  const geometry_kind *kind = kind_of(g);
  int feature;
  return kind->is_convex && kind->point ? kind->point(g, p, normal, &feature) : general_point(g, p, normal);
}
