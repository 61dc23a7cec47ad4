/* Capsules: balls swept along a segment. */
#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"
#include "geometry/convex/stand.h"
#include "geometry/kind.h"
#include "geometry/kinds/interval.h"

static double ball(const cdn_geometry *g, cdn_vec3 *center) {
  *center = cdn_v3(0, 0, 0);
  return g->size[0] + g->size[1];
}

static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) {
  return g_fma(g->size[0], n, cdn_v3(0, 0, copysign(g->size[1], n.z)));
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) { return g->size[0] + fabs(n.z) * g->size[1]; }
static void spread(const cdn_geometry *g, const cdn_rotation *R, double reach[3]) {
  reach[0] = g->size[0] + fabs(R->z.x) * g->size[1];
  reach[1] = g->size[0] + fabs(R->z.y) * g->size[1];
  reach[2] = g->size[0] + fabs(R->z.z) * g->size[1];
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  const double *size = g->size;
  const cdn_vec3 from = cdn_v3(p.x, p.y, p.z - fmin(fmax(p.z, -size[1]), size[1]));
  const double distance = cdn_norm(from);
  (void)feature;
  *normal = unit_or(from, cdn_v3(1, 0, 0));
  return distance - size[0];
}

/* An end of the pipe's interval that is beyond the segment belongs to the ball at that end. */
static inline bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  const double *size = g->size;
  if (!cross_pipe(r, size[0], out)) return false;
  for (int k = 0; k < 2; k++) {
    const double z = isinf(out->t[k]) ? copysign(INFINITY, k ? r->direction.z : -r->direction.z)
                                      : r->origin.z + out->t[k] * r->direction.z;
    if (fabs(z) <= size[1]) continue;
    const cdn_vec3 o = cdn_v3(r->origin.x, r->origin.y, r->origin.z - copysign(size[1], z));
    interval end;
    if (!cross_quadric(o, r->direction, 1, size[0] * size[0], z > 0 ? BALL_ABOVE : BALL_BELOW, &end)) return false;
    out->t[k] = end.t[k], out->surface[k] = end.surface[k];
  }
  return out->t[0] <= out->t[1];
}

/* The vector from the axis is as long as the radius. */
static inline cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  if (surface != CURVE) p.z -= surface == BALL_ABOVE ? g->size[1] : -g->size[1];
  else p.z = 0;
  return cdn_scale(1 / g->size[0], p);
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  const double most = g->size[0] + g->size[1];
  return through_interval(g, most * most, cross, normal_of, X_WS, origin, direction, reach, room, hits);
}

static bool curvature(const cdn_geometry *g, cdn_vec3 p, double k[2], cdn_vec3 *direction) {
  cdn_vec3 n;
  int feature;
  point(g, p, &n, &feature);
  k[0] = 1 / g->size[0];
  k[1] = fabs(p.z) < g->size[1] ? 0 : k[0];
  *direction = fabs(n.z) < 1 ? unit_or(cdn_v3(-n.y, n.x, 0), cdn_v3(1, 0, 0)) : cdn_v3(1, 0, 0);
  return true;
}

static surface_tensor tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  (void)n;
  return fabs(cdn_dot(X->R.z, cdn_sub(at, X->p))) < g->size[1] ? (surface_tensor){ .k = 1 / g->size[0], .axis = X->R.z }
                                                               : (surface_tensor){ .k = 1 / g->size[0] };
}

static void side(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 n, flat_part *f) {
  (void)n;
  feature_add(f, X, 0, 0, -g->size[1], 0);
  feature_add(f, X, 0, 0, g->size[1], 1);
  f->radius = g->size[0];
}

static void stands(const stand *s, const cdn_geometry *g, const cdn_transform *X, cdn_manifold *out) {
  const double *size = g->size;
  for (int end = 0; end < 2; end++) {
    const double z = end ? size[1] : -size[1], height = s->middle + z * s->up_B.z - size[0];
    if (height <= s->margin) stand_point(out, height, s->up, g_fma(-size[0], s->up, g_fma(z, X->R.z, X->p)), end);
  }
}

static double depth(const cdn_geometry *g) { return g->size[0]; }

const geometry_kind cdni_kind_capsule = {
  .name = "capsule",
  .n_sizes = 2,
  .size = { { "radius", "radius", false }, { "half length", "half_length", true } },
  .is_convex = true,
  .is_even = true,
  .is_swept = true,
  .stands_on_ends = true,
  .corner = CORNER_SEGMENT,
  .page = { "capsule", 2 },
  .contact = CONTACT_ROUND,
  .ball = ball,
  .support = support,
  .reach = reach_along,
  .spread = spread,
  .point = point,
  .ray = ray_through,
  .curvature = curvature,
  .tensor = tensor,
  .feature = side,
  .stands = stands,
  .depth = depth,
};
