/* How surfaces are curved where they touch: round ones, and flat faces with the edges and corners between them, on
 * which a point cannot slide at all. */
#include <math.h>

#include "contact/internal.h"

/* Faces of a box or hull that meet at a point of it: one is a face, two an edge, more a corner. */
static surface_tensor of_polytope(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at) {
  double own[CDNI_OWN_FACES][4];
  cdn_vec3 center, first = { 0, 0, 0 }, edge = { 0, 0, 0 };
  const double size = cdni_bounding_ball(g, &center);
  const cdn_vec3 p = cdn_rotate_inv(X->R, cdn_sub(at, X->p));
  int n;
  const double *planes = cdni_faces(g, own, &n);
  bool any = false, corner = false;
  for (int i = 0; i < n; i++) {
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
  return (surface_tensor){ .k = INFINITY, .axis = cdn_rotate(X->R, cdn_scale(1 / length, edge)) };
}

static surface_tensor of_cylinder(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  const double *size = g->size, tiny = 1e-9 * (size[0] + size[1]);
  const cdn_vec3 p = cdn_rotate_inv(X->R, cdn_sub(at, X->p));
  const bool on_side = fabs(hypot(p.x, p.y) - size[0]) < tiny, on_cap = fabs(fabs(p.z) - size[1]) < tiny;
  if (!on_side) return (surface_tensor){ .k = 0 };
  if (!on_cap) return (surface_tensor){ .k = 1 / size[0], .axis = X->R.z };
  /* the rim: a ring that is turned by as much as the normal is inclined */
  const cdn_vec3 around = cdn_cross(X->R.z, cdn_sub(at, X->p));
  return (surface_tensor){ .k = INFINITY,
                           .axis = cdn_scale(1 / cdn_norm(around), around),
                           .along = cdn_norm(cdn_cross(n, X->R.z)) / size[0] };
}

surface_tensor cdni_surface_tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return (surface_tensor){ .k = 1 / g->size[0] };
    case CDN_GEOMETRY_CAPSULE:
      return fabs(cdn_dot(X->R.z, cdn_sub(at, X->p))) < g->size[1]
                 ? (surface_tensor){ .k = 1 / g->size[0], .axis = X->R.z }
                 : (surface_tensor){ .k = 1 / g->size[0] };
    case CDN_GEOMETRY_CYLINDER: return of_cylinder(g, X, at, n);
    case CDN_GEOMETRY_BOX:
    case CDN_GEOMETRY_CONVEX: return of_polytope(g, X, at);
    default: return (surface_tensor){ .k = 0 };
  }
}
