/* Hulls of fewer points. Qhull leaves out points that are hardly outside of what it has. How far the points that were
 * left out are from the hull of the others is measured here. */
#include "geometry/convex/convex.h"
#include "geometry/convex/hull.h"

/* Of the hull's points from the other hull, the largest distance. The points of the other one, and those that are
 * farther from it than `within`, go to `kept`, unless that is NULL. */
static double look_outside(const cdn_surface *hull, const cdn_surface *other, double within, double *kept, int *n) {
  const cdn_geometry g = { .kind = CDN_GEOMETRY_CONVEX, .surface = other };
  double most = 0;
  *n = 0;
  for (int i = 0; kept && i < 3 * other->info.n_vertices; i++) kept[i] = other->vertices[i];
  if (kept) *n = other->info.n_vertices;
  for (int i = 0; i < hull->info.n_vertices; i++) {
    cdn_vec3 gradient;
    int feature;
    const double *p = &hull->vertices[3 * i];
    const double distance = cdni_point_distance(&g, cdn_v3(p[0], p[1], p[2]), &gradient, &feature);
    most = fmax(most, distance);
    if (kept && distance > within) memcpy(&kept[3 * (*n)++], p, 3 * sizeof *p);
  }
  return most;
}

/* Points that are near the planes of a hull may be far from its corner where that is sharp. What is too far is taken
 * back. To leave out more at first, and take more back, leaves fewer triangles: of the hulls of five robots a fifth
 * fewer. */
static const double ROUGHLY = 1.5;

static cdn_status leave_out(const cdn_surface *hull, double within, double *points, cdn_surface **out,
                            double *farthest) {
  int n;
  CDNI_TRY(cdni_hull_find(hull->info.n_vertices, hull->vertices, ROUGHLY * within, out));
  *farthest = look_outside(hull, *out, within, points, &n);
  if (*farthest <= within) return CDN_OK;
  cdn_surface_release(*out);
  CDNI_TRY(cdni_hull_find(n, points, 0, out));
  *farthest = look_outside(hull, *out, within, NULL, &n);
  return CDN_OK;
}

cdn_status cdn_surface_simplify(const cdn_surface *hull, double within, cdn_surface **out, double *farthest) {
  if (!out) return cdni_misses(__func__, "out");
  *out = NULL;
  if (!hull) return cdni_misses(__func__, "hull");
  if (hull->info.kind != CDN_GEOMETRY_CONVEX)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the surface is no convex hull; only hulls are simplified");
  if (!(within >= 0 && within < INFINITY))
    return cdni_refuse(CDN_ERR_ARG, __func__, "within is %g; it must be at least 0, and finite", within);
  double beyond = 0;
  double *points = cdni_alloc(NULL, 6 * (size_t)hull->info.n_vertices * sizeof *points);
  if (!points) return cdni_refuse(CDN_ERR_NOMEM, __func__, "no memory for %d points", hull->info.n_vertices);
  const cdn_status status = within > 0 ? leave_out(hull, within, points, out, &beyond) : CDN_OK;
  cdni_free(NULL, points, 0);
  if (status == CDN_ERR_NOMEM) return status;
  /* what qhull cannot do stays as it is */
  if (*out && !(beyond <= within && (*out)->info.n_triangles < hull->info.n_triangles)) {
    cdn_surface_release(*out);
    *out = NULL;
  }
  if (farthest) *farthest = *out ? beyond : 0;
  if (*out) return CDN_OK;
  cdn_surface_retain(hull);
  *out = (cdn_surface *)hull;
  return CDN_OK;
}
