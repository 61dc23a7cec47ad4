/* Half-spaces. */
#include "geometry/convex/convex.h"
#include "geometry/kind.h"
#include "geometry/kinds/interval.h"

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  (void)g;
  return n.x == 0 && n.y == 0 && n.z > 0 ? 0 : INFINITY;
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  (void)g, (void)feature;
  *normal = cdn_v3(0, 0, 1);
  return p.z;
}

static inline bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  (void)g;
  *out = (interval){ { -INFINITY, INFINITY }, { PLANE + 5, PLANE + 5 } };
  if (r->direction.z == 0) return r->origin.z <= 0;
  out->t[r->direction.z > 0] = -r->origin.z / r->direction.z;
  return true;
}

static inline cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  (void)g, (void)p;
  return normal_of_plane(surface);
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  return through_interval(g, INFINITY, cross, normal_of, X_WS, origin, direction, reach, room, hits);
}

static bool curvature(const cdn_geometry *g, cdn_vec3 p, double k[2], cdn_vec3 *direction) {
  (void)g, (void)p;
  k[0] = k[1] = 0;
  *direction = cdn_v3(1, 0, 0);
  return true;
}

static const double *faces(const cdn_geometry *g, double (*own)[4], int *n) {
  (void)g;
  memcpy(own[0], (double[4]){ 0, 0, 1, 0 }, sizeof own[0]);
  *n = 1;
  return own[0];
}

static double depth(const cdn_geometry *g) {
  (void)g;
  return INFINITY;
}

const geometry_kind cdni_kind_half_space = { .name = "half-space",
                                             .is_convex = true,
                                             .page = { "plane", 2 },
                                             .contact = CONTACT_FACES,
                                             .reach = reach_along,
                                             .point = point,
                                             .ray = ray_through,
                                             .curvature = curvature,
                                             .faces = faces,
                                             .depth = depth };
