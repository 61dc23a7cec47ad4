/* Rays, as the kinds have them. */
#include <math.h>

#include "geometry/surfaces/ray.h"

int cdni_ray_by(ray_by *function, const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                double reach, int room, cdn_ray_hit *out) {
  const ray r = { g_point_inv(X_WS, origin), g_rotate_inv(&X_WS->R, direction) };
  ray_hits hits = { 0, room, reach, out };
  function(g, &r, &hits);
  for (int i = 0; i < hits.n; i++) {
    out[i].normal = g_rotate(&X_WS->R, out[i].normal);
    out[i].point = g_fma(out[i].distance, direction, origin);
  }
  return hits.n;
}

int cdni_ray(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction, double reach,
             int room, cdn_ray_hit *out) {
  const geometry_kind *kind = kind_of(g);
  if (kind->ray) return kind->ray(g, X_WS, origin, direction, reach, room, out);
  return cdni_ray_by(cdni_ray_support, g, X_WS, origin, direction, reach, room, out);
}

int cdni_most_hits(const cdn_geometry *g) {
  const geometry_kind *kind = kind_of(g);
  return kind->most_hits ? kind->most_hits(g) : 2;
}

cdn_status cdn_geometry_ray(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                            double reach, int room, cdn_ray_hit *hits, int *n) {
  if (!n) return cdni_misses(__func__, "n");
  *n = 0;
  CDNI_TRY(check_query(__func__, g, X_WS));
  if (room < 0) return cdni_refuse(CDN_ERR_ARG, __func__, "there is room for %d hits: give a number >= 0", room);
  if (room > 0 && !hits) return cdni_misses(__func__, "hits");
  /* a sum tells in most cases that all are finite */
  const double sum = origin.x + origin.y + origin.z + direction.x + direction.y + direction.z;
  if (!isfinite(sum) && (!cdni_all_finite(&origin.x, 3, NULL) || !cdni_all_finite(&direction.x, 3, NULL)))
    return cdni_refuse(CDN_ERR_ARG, __func__, "the origin or the direction is not finite: give finite numbers");
  const double square = cdn_dot(direction, direction);
  const double length = square > 1e-280 && square < 1e280 ? sqrt(square) : cdn_norm(direction);
  if (!(length > 0)) return cdni_refuse(CDN_ERR_ARG, __func__, "the direction is 0: give one of any other length");
  if (!(reach >= 0)) return cdni_refuse(CDN_ERR_ARG, __func__, "the reach is %g: give a number >= 0", reach);
  if (room == 0) return CDN_OK;
  direction = cdn_scale(1 / length, direction);
  if (!(length > 1e-150 && length < 1e150)) direction = cdn_scale(1 / cdn_norm(direction), direction);
  *n = cdni_ray(g, X_WS, origin, direction, reach, room, hits);
  return CDN_OK;
}
