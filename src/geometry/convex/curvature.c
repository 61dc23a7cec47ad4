/* Principal curvatures of smooth surfaces; how flat faces are curved with the edges and corners between them, on which
 * a point cannot slide at all. */
#include "geometry/convex/convex.h"

bool cdni_curvature(const cdn_geometry *g, cdn_vec3 p_S, double k[2], cdn_vec3 *direction) {
  const geometry_kind *kind = kind_of(g);
  return kind->curvature && kind->curvature(g, p_S, k, direction);
}

bool cdni_curvature_varies(const cdn_geometry *g) {
  const geometry_kind *kind = kind_of(g);
  return kind->contact == CONTACT_ROUND && !kind->is_swept && (kind->curvature || geometry_is_convex(g));
}

/* ---- by the support function: its support point x(n) is the gradient, so that dx/dn has the principal radii ---- */

/* Of a unit normal; what the second order takes is as small as what rounding takes. */
static const double STEP = 1e-5;
static const double LEAST_RADIUS = 1e-2, MOST_RADIUS = 10; /* of the ball */

void cdni_support_tensor(const cdn_geometry *g, cdn_vec3 n, cdn_vec3 t, cdn_vec3 s, double A[3]) {
  cdn_vec3 center, d[2];
  const double size = cdni_bounding_ball(g, &center);
  for (int i = 0; i < 2; i++) {
    const cdn_vec3 e = i ? s : t;
    d[i] = cdn_scale(0.5 / STEP, cdn_sub(cdni_support(g, g_fma(STEP, e, n)), cdni_support(g, g_fma(-STEP, e, n))));
  }
  const double xx = cdn_dot(d[0], t), yy = cdn_dot(d[1], s), xy = 0.5 * (cdn_dot(d[0], s) + cdn_dot(d[1], t));
  const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy), root = hypot(half, xy);
  const double k_0 = 1 / fmin(fmax(mean + root, LEAST_RADIUS * size), MOST_RADIUS * size);
  const double k_1 = 1 / fmin(fmax(mean - root, LEAST_RADIUS * size), MOST_RADIUS * size);
  /* in the axes of the radii, turned back */
  const double cos_2 = root > 0 ? half / root : 1, sin_2 = root > 0 ? xy / root : 0;
  const double middle = 0.5 * (k_0 + k_1), apart = 0.5 * (k_0 - k_1);
  A[0] = middle + apart * cos_2, A[1] = apart * sin_2, A[2] = middle - apart * cos_2;
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
