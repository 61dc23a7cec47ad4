/* Cylinders. Where flat faces are asked for, a cylinder is a prism about it. */
#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"
#include "geometry/convex/stand.h"
#include "geometry/kind.h"
#include "geometry/kinds/interval.h"

static double ball(const cdn_geometry *g, cdn_vec3 *center) {
  *center = cdn_v3(0, 0, 0);
  return hypot(g->size[0], g->size[1]);
}

static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) {
  const cdn_vec3 end = cdn_v3(0, 0, copysign(g->size[1], n.z));
  const double rho = n.x * n.x + n.y * n.y;
  if (!(rho > 1e-300)) return end;
  const double s = g->size[0] / sqrt(rho);
  return cdn_v3(s * n.x, s * n.y, end.z);
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  return hypot(n.x, n.y) * g->size[0] + fabs(n.z) * g->size[1];
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  const double *size = g->size;
  const double rho = hypot(p.x, p.y), side = rho - size[0], end = fabs(p.z) - size[1];
  const double cx = rho > LEAST_LENGTH ? p.x / rho : 1, cy = rho > LEAST_LENGTH ? p.y / rho : 0, up = copysign(1, p.z);
  (void)feature;
  if (side > 0 && end > 0) {
    const double distance = hypot(side, end);
    *normal = cdn_v3(cx * side / distance, cy * side / distance, up * end / distance);
    return distance;
  }
  if (side >= end) {
    *normal = cdn_v3(cx, cy, 0);
    return side;
  }
  *normal = cdn_v3(0, 0, up);
  return end;
}

static inline bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  return cross_pipe(r, g->size[0], out) && cut_by_slab(out, r->origin.z, r->direction.z, g->size[1], 2);
}

static inline cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  if (surface >= PLANE) return normal_of_plane(surface);
  return cdn_scale(1 / g->size[0], cdn_v3(p.x, p.y, 0));
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  const double *s = g->size, square = s[0] * s[0] + s[1] * s[1];
  return through_interval(g, square, cross, normal_of, X_WS, origin, direction, reach, room, hits);
}

/* The caps are flat, and the rims are edges. */
static bool curvature(const cdn_geometry *g, cdn_vec3 p, double k[2], cdn_vec3 *direction) {
  cdn_vec3 n;
  int feature;
  point(g, p, &n, &feature);
  if (fabs(n.z) > 1e-9 || fabs(p.z) > g->size[1]) return false;
  k[0] = 1 / g->size[0], k[1] = 0;
  *direction = cdn_v3(-n.y, n.x, 0);
  return true;
}

static surface_tensor tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, cdn_vec3 n) {
  const double *size = g->size, tiny = 1e-9 * (size[0] + size[1]);
  const cdn_vec3 p = g_point_inv(X, at);
  const bool on_side = fabs(hypot(p.x, p.y) - size[0]) < tiny, on_cap = fabs(fabs(p.z) - size[1]) < tiny;
  if (!on_side) return (surface_tensor){ .k = 0 };
  if (!on_cap) return (surface_tensor){ .k = 1 / size[0], .axis = X->R.z };
  /* the rim: a ring that is turned by as much as the normal is inclined */
  const cdn_vec3 around = cdn_cross(X->R.z, cdn_sub(at, X->p));
  return (surface_tensor){ .k = INFINITY,
                           .axis = cdn_scale(1 / cdn_norm(around), around),
                           .along = cdn_norm(cdn_cross(n, X->R.z)) / size[0] };
}

/* A cap is eight points of its rim that move with the cylinder. The one that is nearest to the deepest point of the rim
 * stands there. */
static void face(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 d, flat_part *f) {
  const double rho = hypot(d.x, d.y), r = g->size[0], l = g->size[1];
  if (fabs(d.z) < rho) {
    feature_add(f, X, r * d.x / rho, r * d.y / rho, -l, 0);
    feature_add(f, X, r * d.x / rho, r * d.y / rho, l, 1);
    return;
  }
  const bool up = d.z >= 0;
  const int deepest = rho > 1e-9 ? cdni_rim_nearest(d.x, d.y) : -1;
  for (int c = 0; c < RIM_POINTS; c++) {
    const int k = up ? c : RIM_POINTS - 1 - c;
    const int32_t id = k + (up ? RIM_POINTS : 0);
    if (k == deepest) feature_add(f, X, r * d.x / rho, r * d.y / rho, up ? l : -l, id);
    else feature_add(f, X, r * cdni_rim[k][0], r * cdni_rim[k][1], up ? l : -l, id);
  }
  f->normal = up ? X->R.z : g_neg(X->R.z);
}

static void stands(const stand *s, const cdn_geometry *g, const cdn_transform *X, cdn_manifold *out) {
  const double r = g->size[0], l = g->size[1], cx = s->up_B.x, cy = s->up_B.y, cz = s->up_B.z;
  const double rho = sqrt(cx * cx + cy * cy);
  if (s->middle - l * fabs(cz) - r * rho > s->margin) return;
  /* The direction of the deepest point of a rim, in S. */
  const double dx = rho > 0 ? -cx / rho : 0, dy = rho > 0 ? -cy / rho : 0;
  const cdn_vec3 deepest = g_fma(r * dx, X->R.x, g_fma(r * dy, X->R.y, X->p));
  if (fabs(cz) < rho) {
    for (int end = 0; end < 2; end++) {
      const double z = end ? l : -l, height = s->middle - r * rho + z * cz;
      if (height <= s->margin) stand_point(out, height, s->up, g_fma(z, X->R.z, deepest), end);
    }
    return;
  }
  const bool positive = cz <= 0;
  const double z = positive ? l : -l, level = s->middle + z * cz;
  const cdn_vec3 cap = g_fma(z, X->R.z, X->p), ex = cdn_scale(r, X->R.x), ey = cdn_scale(r, X->R.y);
  const int nearest = rho > 1e-9 ? cdni_rim_nearest(dx, dy) : -1;
  for (int c = 0; c < RIM_POINTS; c++) {
    const int k = positive ? c : RIM_POINTS - 1 - c;
    const double *at = cdni_rim[k], height = k == nearest ? level - r * rho : level + r * (at[0] * cx + at[1] * cy);
    if (height > s->margin) continue;
    const cdn_vec3 on = k == nearest ? g_fma(z, X->R.z, deepest) : g_fma(at[0], ex, g_fma(at[1], ey, cap));
    stand_point(out, height, s->up, on, k + (positive ? RIM_POINTS : 0));
  }
}

enum { SIDES = CDNI_OWN_FACES - 2 };
static const double STEP = 2 * 3.14159265358979323846 / SIDES;

/* The sides have the distance at which a prism has the cylinder's volume. */
static double apothem_of(double radius) { return radius * sqrt(0.5 * STEP / tan(0.5 * STEP)); }

static const double *faces(const cdn_geometry *g, double (*own)[4], int *n) {
  const double step = STEP, apothem = apothem_of(g->size[0]);
  *n = 0;
  for (int s = -1; s <= 1; s += 2) {
    const double cap[4] = { 0, 0, s, g->size[1] };
    memcpy(own[(*n)++], cap, sizeof cap);
  }
  for (int k = 0; k < SIDES; k++) {
    const double side[4] = { cos(k * step), sin(k * step), 0, apothem };
    memcpy(own[(*n)++], side, sizeof side);
  }
  return own[0];
}

static double beyond(const cdn_geometry *g) { return apothem_of(g->size[0]) / cos(0.5 * STEP) - g->size[0]; }

static double depth(const cdn_geometry *g) { return fmin(g->size[0], g->size[1]); }

const geometry_kind cdni_kind_cylinder = {
  .name = "cylinder",
  .n_sizes = 2,
  .size = { { "radius", "radius", false }, { "half length", "half_length", false } },
  .is_convex = true,
  .is_even = true,
  .corner = CORNER_SEGMENT,
  .curve = CURVE_DISK,
  .page = { "cylinder", 2 },
  .contact = CONTACT_FACES,
  .ball = ball,
  .support = support,
  .reach = reach_along,
  .point = point,
  .ray = ray_through,
  .curvature = curvature,
  .tensor = tensor,
  .feature = face,
  .stands = stands,
  .faces = faces,
  .depth = depth,
  .beyond = beyond,
};
