/* Boxes and balls that contain a geometry. */
#include <math.h>

#include "geometry/surfaces/surfaces.h"

double cdni_bounding_ball(const cdn_geometry *g, cdn_vec3 *center) {
  const geometry_kind *kind = kind_of(g);
  *center = cdn_v3(0, 0, 0);
  return kind->ball ? kind->ball(g, center) : INFINITY;
}

double cdni_surface_ball(const cdn_geometry *g, cdn_vec3 *center) {
  *center = g->surface->center;
  return g->surface->radius;
}

/* The largest n . x over the geometry, for a unit vector n of S. */
static double reach_along(const geometry_kind *kind, const cdn_geometry *g, cdn_vec3 n) {
  return kind->reach ? kind->reach(g, n) : cdn_dot(n, cdni_support(g, n));
}

double cdni_reach_along(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 n) {
  return cdn_dot(n, X_WS->p) + reach_along(kind_of(g), g, g_rotate_inv(&X_WS->R, n));
}

void cdni_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most) {
  const geometry_kind *kind = kind_of(g);
  double spread[3];
  if (kind->spread) {
    kind->spread(g, &X_WS->R, spread);
    *least = cdn_v3(X_WS->p.x - spread[0], X_WS->p.y - spread[1], X_WS->p.z - spread[2]);
    *most = cdn_v3(X_WS->p.x + spread[0], X_WS->p.y + spread[1], X_WS->p.z + spread[2]);
    return;
  }
  for (int k = 0; k < 3; k++) {
    const cdn_vec3 axis = cdn_v3((&X_WS->R.x.x)[k], (&X_WS->R.y.x)[k], (&X_WS->R.z.x)[k]);
    const double up = reach_along(kind, g, axis), down = kind->is_even ? up : reach_along(kind, g, g_neg(axis));
    (&most->x)[k] = (&X_WS->p.x)[k] + up;
    (&least->x)[k] = (&X_WS->p.x)[k] - down;
  }
}

/* A geometry is within its box, and within its ball. */
void cdni_outer_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most) {
  const geometry_kind *kind = kind_of(g);
  double half[3];
  cdn_vec3 middle, center;
  if (!kind->box || !kind->box(g, &middle, half)) {
    cdni_bounds(g, X_WS, least, most);
    return;
  }
  const double radius = kind->ball(g, &center);
  const cdn_vec3 box = g_point(X_WS, middle), ball = g_point(X_WS, center);
  for (int k = 0; k < 3; k++) {
    const double x = (&X_WS->R.x.x)[k], y = (&X_WS->R.y.x)[k], z = (&X_WS->R.z.x)[k];
    const double reach = fabs(x) * half[0] + fabs(y) * half[1] + fabs(z) * half[2];
    const double at = (&box.x)[k], about = (&ball.x)[k];
    const double slack = 1e-14 * (fabs(at) + fabs(about) + reach + radius);
    const double low = at - reach, high = at + reach, low_ball = about - radius, high_ball = about + radius;
    (&least->x)[k] = (low > low_ball ? low : low_ball) - slack;
    (&most->x)[k] = (high < high_ball ? high : high_ball) + slack;
  }
}

cdn_status cdn_geometry_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most) {
  if (!least || !most) return cdni_misses("cdn_geometry_bounds", least ? "most" : "least");
  CDNI_TRY(check_query("cdn_geometry_bounds", g, X_WS));
  cdni_bounds(g, X_WS, least, most);
  return CDN_OK;
}
