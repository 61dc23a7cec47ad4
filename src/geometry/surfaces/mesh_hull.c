/* Meshes that are convex: their hull is the same solid, with faces, edges and corners that are known as such. */
#include <math.h>

#include "geometry/surfaces/surfaces.h"

/* What is so near the surface of the hull is on it, in parts of the radius: files have numbers of single precision. */
static const double ON_HULL = 1e-6;

static bool is_on(const cdn_geometry *hull, double within, cdn_vec3 p) {
  double own[CDNI_OWN_FACES][4];
  int n, face;
  const double *planes = cdni_faces(hull, own, &n);
  return fabs(cdni_nearest_face(hull, planes, n, p, &face)) <= within;
}

/* A triangle whose corners and middle are on the surface lies in one face. A closed surface that has a volume, and is
 * nowhere but on the surface of the hull, covers all of it. */
static bool covers(const cdn_surface *mesh, const cdn_surface *hull) {
  const cdn_geometry g = { .kind = CDN_GEOMETRY_CONVEX, .surface = hull };
  const double within = ON_HULL * mesh->radius;
  for (int i = 0; i < mesh->info.n_vertices; i++)
    if (!is_on(&g, within, surface_vertex(mesh, i))) return false;
  for (int i = 0; i < mesh->info.n_triangles; i++) {
    cdn_vec3 p[3];
    surface_corners(mesh, i, p);
    if (!is_on(&g, within, cdn_scale(1.0 / 3, cdn_add(p[0], cdn_add(p[1], p[2]))))) return false;
  }
  return true;
}

cdn_status cdni_mesh_hull(const cdn_surface *mesh, cdn_surface **out) {
  cdn_surface *hull;
  *out = NULL;
  if (!mesh->info.closed) return CDN_OK;
  const cdn_status status = cdn_surface_create_convex(mesh->info.n_vertices, mesh->vertices, &hull);
  if (status != CDN_OK) return status == CDN_ERR_NOMEM ? status : CDN_OK;
  if (covers(mesh, hull)) *out = hull;
  else cdn_surface_release(hull);
  return CDN_OK;
}
