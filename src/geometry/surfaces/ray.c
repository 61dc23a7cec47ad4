/* Rays against the kinds that a ray meets in one interval. */
#include <math.h>

#include "geometry/surfaces/ray.h"

/* Where a ray is within a convex geometry: from t[0] to t[1], -INFINITY and INFINITY included, with the outward normals
 * at both ends. */
typedef struct interval {
  double t[2];
  cdn_vec3 normal[2];
} interval;

static const interval everything = { { -INFINITY, INFINITY }, { { 0, 0, 0 }, { 0, 0, 0 } } };

/* Cuts with another interval; false: nothing is left. */
static bool cut(interval *with, const interval *other) {
  if (other->t[0] > with->t[0]) with->t[0] = other->t[0], with->normal[0] = other->normal[0];
  if (other->t[1] < with->t[1]) with->t[1] = other->t[1], with->normal[1] = other->normal[1];
  return with->t[0] <= with->t[1];
}

/* Cuts with n . x <= d, for a unit vector n. */
static bool cut_by_plane(interval *with, const ray *r, cdn_vec3 n, double d) {
  const double height = d - cdn_dot(n, r->origin), speed = cdn_dot(n, r->direction);
  if (speed == 0) return height >= 0;
  interval half = everything;
  half.t[speed > 0] = height / speed;
  half.normal[speed > 0] = n;
  return cut(with, &half);
}

/* The interval of a ball that is stretched by `axes`. The ray's point that is nearest to the centre comes first, so
 * that far origins cost no digits. */
static bool cross_ellipsoid(const ray *r, cdn_vec3 center, cdn_vec3 axes, interval *out) {
  const cdn_vec3 o = cdn_sub(r->origin, center);
  const cdn_vec3 p = cdn_v3(o.x / axes.x, o.y / axes.y, o.z / axes.z),
                 v = cdn_v3(r->direction.x / axes.x, r->direction.y / axes.y, r->direction.z / axes.z);
  const double square = cdn_dot(v, v), middle = -cdn_dot(p, v) / square;
  const cdn_vec3 nearest = g_fma(middle, v, p);
  const double rest = 1 - cdn_dot(nearest, nearest);
  if (!(rest >= 0)) return false;
  const double half = sqrt(rest / square);
  for (int k = 0; k < 2; k++) {
    out->t[k] = middle + (k ? half : -half);
    const cdn_vec3 q = g_fma(k ? half : -half, v, nearest);
    const cdn_vec3 n = cdn_v3(q.x / axes.x, q.y / axes.y, q.z / axes.z);
    out->normal[k] = cdn_scale(1 / cdn_norm(n), n);
  }
  return true;
}

static bool cross_sphere(const ray *r, cdn_vec3 center, double radius, interval *out) {
  return cross_ellipsoid(r, center, cdn_v3(radius, radius, radius), out);
}

/* The cylinder about z without ends. A ray along it is within it everywhere, or nowhere. */
static bool cross_pipe(const ray *r, double radius, interval *out) {
  const cdn_vec3 o = r->origin, v = r->direction;
  const double square = v.x * v.x + v.y * v.y;
  *out = everything;
  if (square == 0) return o.x * o.x + o.y * o.y <= radius * radius;
  const double middle = -(o.x * v.x + o.y * v.y) / square, x = o.x + middle * v.x, y = o.y + middle * v.y;
  const double rest = (radius - hypot(x, y)) * (radius + hypot(x, y));
  if (!(rest >= 0)) return false;
  const double half = sqrt(rest / square);
  for (int k = 0; k < 2; k++) {
    const double t = k ? half : -half;
    out->t[k] = middle + t;
    const double nx = x + t * v.x, ny = y + t * v.y, length = hypot(nx, ny);
    out->normal[k] = cdn_v3(nx / length, ny / length, 0);
  }
  return true;
}

static bool cross_cylinder(const ray *r, const double *size, interval *out) {
  return cross_pipe(r, size[0], out) && cut_by_plane(out, r, cdn_v3(0, 0, 1), size[1]) &&
         cut_by_plane(out, r, cdn_v3(0, 0, -1), size[1]);
}

/* An end of the pipe's interval that is beyond the segment belongs to the ball at that end. */
static bool cross_capsule(const ray *r, const double *size, interval *out) {
  if (!cross_pipe(r, size[0], out)) return false;
  for (int k = 0; k < 2; k++) {
    const double z = isinf(out->t[k]) ? copysign(INFINITY, k ? r->direction.z : -r->direction.z)
                                      : r->origin.z + out->t[k] * r->direction.z;
    if (fabs(z) <= size[1]) continue;
    interval ball;
    if (!cross_sphere(r, cdn_v3(0, 0, copysign(size[1], z)), size[0], &ball)) return false;
    out->t[k] = ball.t[k];
    out->normal[k] = ball.normal[k];
  }
  return out->t[0] <= out->t[1];
}

static bool cross_box(const ray *r, const double *size, interval *out) {
  *out = everything;
  for (int k = 0; k < 3; k++) {
    const double o = (&r->origin.x)[k], v = (&r->direction.x)[k], end = copysign(size[k], v);
    if (v == 0) {
      if (!(fabs(o) <= size[k])) return false;
      continue;
    }
    interval slab = { { (-end - o) / v, (end - o) / v }, { { 0, 0, 0 }, { 0, 0, 0 } } };
    (&slab.normal[0].x)[k] = copysign(1, -v);
    (&slab.normal[1].x)[k] = copysign(1, v);
    if (!cut(out, &slab)) return false;
  }
  return true;
}

static bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  const double *size = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return cross_sphere(r, cdn_v3(0, 0, 0), size[0], out);
    case CDN_GEOMETRY_HALF_SPACE: *out = everything; return cut_by_plane(out, r, cdn_v3(0, 0, 1), 0);
    case CDN_GEOMETRY_CAPSULE: return cross_capsule(r, size, out);
    case CDN_GEOMETRY_ELLIPSOID: return cross_ellipsoid(r, cdn_v3(0, 0, 0), cdn_v3(size[0], size[1], size[2]), out);
    case CDN_GEOMETRY_CYLINDER: return cross_cylinder(r, size, out);
    case CDN_GEOMETRY_BOX: return cross_box(r, size, out);
    default: return false;
  }
}

int cdni_ray(const cdn_geometry *g, cdn_vec3 origin, cdn_vec3 direction, double reach, int room, cdn_ray_hit *out) {
  const ray r = { origin, direction };
  ray_hits hits = { 0, room, reach, out };
  interval in;
  switch (g->kind) {
    case CDN_GEOMETRY_CONVEX: cdni_ray_hull(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_MESH: cdni_ray_mesh(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_HEIGHT_FIELD: cdni_ray_field(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_CUSTOM: cdni_ray_custom(g, &r, &hits); break;
    default:
      if (!cross(g, &r, &in)) break;
      for (int k = 0; k < 2; k++)
        if (hits.n < room && (k == 0 || in.t[1] > in.t[0])) add_hit(&hits, &r, in.t[k], in.normal[k], 0);
  }
  return hits.n;
}

cdn_status cdn_geometry_ray(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                            double reach, int room, cdn_ray_hit *hits, int *n) {
  static const char function[] = "cdn_geometry_ray";
  if (!n) return cdni_misses(function, "n");
  *n = 0;
  CDNI_TRY(check_query(function, g, X_WS));
  if (room < 0) return cdni_refuse(CDN_ERR_ARG, function, "there is room for %d hits: give a number >= 0", room);
  if (room > 0 && !hits) return cdni_misses(function, "hits");
  if (!cdni_all_finite(&origin.x, 3, NULL) || !cdni_all_finite(&direction.x, 3, NULL))
    return cdni_refuse(CDN_ERR_ARG, function, "the origin or the direction is not finite: give finite numbers");
  const double length = cdn_norm(direction);
  if (!(length > 0)) return cdni_refuse(CDN_ERR_ARG, function, "the direction is 0: give one of any other length");
  if (!(reach >= 0)) return cdni_refuse(CDN_ERR_ARG, function, "the reach is %g: give a number >= 0", reach);
  if (room == 0) return CDN_OK;
  direction = cdn_scale(1 / length, direction);
  if (!(length > 1e-150 && length < 1e150)) direction = cdn_scale(1 / cdn_norm(direction), direction);
  *n = cdni_ray(g, g_point_inv(X_WS, origin), g_rotate_inv(&X_WS->R, direction), reach, room, hits);
  for (int i = 0; i < *n; i++) {
    hits[i].normal = g_rotate(&X_WS->R, hits[i].normal);
    hits[i].point = g_fma(hits[i].distance, direction, origin);
  }
  return CDN_OK;
}
