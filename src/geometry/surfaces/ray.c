/* Rays against the kinds that a ray meets in one interval. */
#include <math.h>

#include "geometry/surfaces/ray.h"

/* Where a ray is within a convex geometry: from t[0] to t[1], -INFINITY and INFINITY included, and by which of its
 * surfaces it enters and leaves. The ray starts at its point that is nearest to the origin of S, so that far origins
 * cost no digits. */
enum { CURVE, BALL_BELOW, BALL_ABOVE, PLANE }; /* PLANE + 2 i is the plane against axis i, PLANE + 2 i + 1 along it */
typedef struct interval {
  double t[2];
  int surface[2];
} interval;

/* Cuts with the slab |x_i| <= half; false: nothing is left. */
static inline bool cut_by_slab(interval *with, double o, double v, double half, int i) {
  if (v == 0) return fabs(o) <= half;
  const bool up = v > 0;
  const double over = 1 / v, low = (-half - o) * over, high = (half - o) * over;
  const double in = up ? low : high, out = up ? high : low;
  if (in > with->t[0]) with->t[0] = in, with->surface[0] = PLANE + 2 * i + !up;
  if (out < with->t[1]) with->t[1] = out, with->surface[1] = PLANE + 2 * i + up;
  return with->t[0] <= with->t[1];
}

/* |o + t v| = 1 or, for a unit vector v, the radius. */
static inline bool cross_quadric(cdn_vec3 o, cdn_vec3 v, double square, double radius2, int surface, interval *out) {
  const double middle = -cdn_dot(o, v) / square;
  const cdn_vec3 nearest = g_fma(middle, v, o);
  const double rest = radius2 - cdn_dot(nearest, nearest);
  if (!(rest >= 0)) return false;
  const double half = sqrt(rest / square);
  *out = (interval){ { middle - half, middle + half }, { surface, surface } };
  return true;
}

/* The cylinder about z without ends. A ray along it is within it everywhere, or nowhere. */
static inline bool cross_pipe(const ray *r, double radius, interval *out) {
  const cdn_vec3 o = cdn_v3(r->origin.x, r->origin.y, 0), v = cdn_v3(r->direction.x, r->direction.y, 0);
  const double square = v.x * v.x + v.y * v.y;
  if (square > 0) return cross_quadric(o, v, square, radius * radius, CURVE, out);
  *out = (interval){ { -INFINITY, INFINITY }, { CURVE, CURVE } };
  return o.x * o.x + o.y * o.y <= radius * radius;
}

/* An end of the pipe's interval that is beyond the segment belongs to the ball at that end. */
static inline bool cross_capsule(const ray *r, const double *size, interval *out) {
  if (!cross_pipe(r, size[0], out)) return false;
  for (int k = 0; k < 2; k++) {
    const double z = isinf(out->t[k]) ? copysign(INFINITY, k ? r->direction.z : -r->direction.z)
                                      : r->origin.z + out->t[k] * r->direction.z;
    if (fabs(z) <= size[1]) continue;
    const cdn_vec3 o = cdn_v3(r->origin.x, r->origin.y, r->origin.z - copysign(size[1], z));
    interval ball;
    if (!cross_quadric(o, r->direction, 1, size[0] * size[0], z > 0 ? BALL_ABOVE : BALL_BELOW, &ball)) return false;
    out->t[k] = ball.t[k], out->surface[k] = ball.surface[k];
  }
  return out->t[0] <= out->t[1];
}

static inline bool cross_box(const ray *r, const double *size, interval *out) {
  *out = (interval){ { -INFINITY, INFINITY }, { CURVE, CURVE } };
  return cut_by_slab(out, r->origin.x, r->direction.x, size[0], 0) &&
         cut_by_slab(out, r->origin.y, r->direction.y, size[1], 1) &&
         cut_by_slab(out, r->origin.z, r->direction.z, size[2], 2);
}

static inline bool cross_ellipsoid(const ray *r, const double *size, interval *out) {
  const double x = 1 / size[0], y = 1 / size[1], z = 1 / size[2];
  const cdn_vec3 o = cdn_v3(r->origin.x * x, r->origin.y * y, r->origin.z * z);
  const cdn_vec3 v = cdn_v3(r->direction.x * x, r->direction.y * y, r->direction.z * z);
  return cross_quadric(o, v, cdn_dot(v, v), 1, CURVE, out);
}

/* All points z <= 0. */
static inline bool cross_half_space(const ray *r, interval *out) {
  *out = (interval){ { -INFINITY, INFINITY }, { PLANE + 5, PLANE + 5 } };
  if (r->direction.z == 0) return r->origin.z <= 0;
  out->t[r->direction.z > 0] = -r->origin.z / r->direction.z;
  return true;
}

static inline bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  const double *size = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_HALF_SPACE: return cross_half_space(r, out);
    case CDN_GEOMETRY_CAPSULE: return cross_capsule(r, size, out);
    case CDN_GEOMETRY_ELLIPSOID: return cross_ellipsoid(r, size, out);
    case CDN_GEOMETRY_CYLINDER:
      return cross_pipe(r, size[0], out) && cut_by_slab(out, r->origin.z, r->direction.z, size[1], 2);
    case CDN_GEOMETRY_BOX: return cross_box(r, size, out);
    default: return false;
  }
}

/* The outward normal at a point of a surface. Of what has a radius, the vector from the axis is as long as that. */
static inline cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  const double *size = g->size;
  if (surface >= PLANE) {
    const double sign = (surface - PLANE) % 2 ? 1 : -1;
    const int axis = (surface - PLANE) / 2;
    return cdn_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
  }
  if (g->kind == CDN_GEOMETRY_ELLIPSOID) {
    p = cdn_v3(p.x / (size[0] * size[0]), p.y / (size[1] * size[1]), p.z / (size[2] * size[2]));
    return cdn_scale(1 / sqrt(cdn_dot(p, p)), p);
  }
  if (surface != CURVE) p.z -= surface == BALL_ABOVE ? size[1] : -size[1];
  else p.z = 0;
  return cdn_scale(1 / size[0], p);
}

/* The ball about the origin of S that contains the geometry. */
static inline double square_of_ball(const cdn_geometry *g) {
  const double *s = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_CAPSULE: return (s[0] + s[1]) * (s[0] + s[1]);
    case CDN_GEOMETRY_CYLINDER: return s[0] * s[0] + s[1] * s[1];
    case CDN_GEOMETRY_ELLIPSOID:
    case CDN_GEOMETRY_BOX: return s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    default: return INFINITY;
  }
}

/* A sphere has no axes: W will do. */
static int ray_through_sphere(double radius, cdn_vec3 center, cdn_vec3 origin, cdn_vec3 direction, double reach,
                              int room, cdn_ray_hit *hits) {
  const cdn_vec3 o = cdn_sub(origin, center);
  const double begin = -cdn_dot(o, direction);
  const cdn_vec3 near = g_fma(begin, direction, o);
  const double rest = radius * radius - cdn_dot(near, near);
  if (!(rest >= 0)) return 0;
  const double half = sqrt(rest);
  int n = 0;
  for (int k = 0; k < 2 && n < room; k++) {
    const double from_near = k ? half : -half, t = begin + from_near;
    if (!(t >= 0 && t <= reach && t < INFINITY) || (k == 1 && !(half > 0))) continue;
    const cdn_vec3 normal = cdn_scale(1 / radius, g_fma(from_near, direction, near));
    hits[n++] = (cdn_ray_hit){ t, g_fma(t, direction, origin), normal, 0 };
  }
  return n;
}

/* Everything is computed in local numbers and written once: a ray is a few dozen operations. */
static inline int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                              double reach, int room, cdn_ray_hit *hits) {
  const cdn_vec3 o = g_point_inv(X_WS, origin), v = g_rotate_inv(&X_WS->R, direction);
  const double begin = -cdn_dot(o, v);
  const ray near = { g_fma(begin, v, o), v };
  interval in;
  if (cdn_dot(near.origin, near.origin) > 1.000001 * square_of_ball(g) || !cross(g, &near, &in)) return 0;
  int n = 0;
  for (int k = 0; k < 2 && n < room; k++) {
    const double t = begin + in.t[k];
    if (!(t >= 0 && t <= reach && t < INFINITY) || (k == 1 && !(in.t[1] > in.t[0]))) continue;
    cdn_ray_hit *hit = &hits[n++];
    hit->distance = t;
    hit->point = g_fma(t, direction, origin);
    hit->normal = g_rotate(&X_WS->R, normal_of(g, in.surface[k], g_fma(in.t[k], v, near.origin)));
    hit->feature = 0;
  }
  return n;
}

int cdni_ray(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction, double reach,
             int room, cdn_ray_hit *out) {
  if (g->kind == CDN_GEOMETRY_SPHERE)
    return ray_through_sphere(g->size[0], X_WS->p, origin, direction, reach, room, out);
  if (g->kind < CDN_GEOMETRY_CONVEX) return ray_through(g, X_WS, origin, direction, reach, room, out);
  const ray r = { g_point_inv(X_WS, origin), g_rotate_inv(&X_WS->R, direction) };
  ray_hits hits = { 0, room, reach, out };
  switch (g->kind) {
    case CDN_GEOMETRY_CONVEX: cdni_ray_hull(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_MESH: cdni_ray_mesh(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_HEIGHT_FIELD: cdni_ray_field(g->surface, &r, &hits); break;
    default: cdni_ray_custom(g, &r, &hits);
  }
  for (int i = 0; i < hits.n; i++) {
    out[i].normal = g_rotate(&X_WS->R, out[i].normal);
    out[i].point = g_fma(out[i].distance, direction, origin);
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
  /* a sum tells in most cases that all are finite */
  const double sum = origin.x + origin.y + origin.z + direction.x + direction.y + direction.z;
  if (!isfinite(sum) && (!cdni_all_finite(&origin.x, 3, NULL) || !cdni_all_finite(&direction.x, 3, NULL)))
    return cdni_refuse(CDN_ERR_ARG, function, "the origin or the direction is not finite: give finite numbers");
  const double square = cdn_dot(direction, direction);
  const double length = square > 1e-280 && square < 1e280 ? sqrt(square) : cdn_norm(direction);
  if (!(length > 0)) return cdni_refuse(CDN_ERR_ARG, function, "the direction is 0: give one of any other length");
  if (!(reach >= 0)) return cdni_refuse(CDN_ERR_ARG, function, "the reach is %g: give a number >= 0", reach);
  if (room == 0) return CDN_OK;
  direction = cdn_scale(1 / length, direction);
  if (!(length > 1e-150 && length < 1e150)) direction = cdn_scale(1 / cdn_norm(direction), direction);
  *n = cdni_ray(g, X_WS, origin, direction, reach, room, hits);
  return CDN_OK;
}
