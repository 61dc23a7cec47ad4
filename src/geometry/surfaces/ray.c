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
static bool cut_by_slab(interval *with, double o, double v, double half, int i) {
  if (v == 0) return fabs(o) <= half;
  const bool up = v > 0;
  const double over = 1 / v, low = (-half - o) * over, high = (half - o) * over;
  const double in = up ? low : high, out = up ? high : low;
  if (in > with->t[0]) with->t[0] = in, with->surface[0] = PLANE + 2 * i + !up;
  if (out < with->t[1]) with->t[1] = out, with->surface[1] = PLANE + 2 * i + up;
  return with->t[0] <= with->t[1];
}

/* |o + t v| = 1 or, for a unit vector v, the radius. */
static bool cross_quadric(cdn_vec3 o, cdn_vec3 v, double square, double radius2, int surface, interval *out) {
  const double middle = -cdn_dot(o, v) / square;
  const cdn_vec3 nearest = g_fma(middle, v, o);
  const double rest = radius2 - cdn_dot(nearest, nearest);
  if (!(rest >= 0)) return false;
  const double half = sqrt(rest / square);
  *out = (interval){ { middle - half, middle + half }, { surface, surface } };
  return true;
}

/* The cylinder about z without ends. A ray along it is within it everywhere, or nowhere. */
static bool cross_pipe(const ray *r, double radius, interval *out) {
  const cdn_vec3 o = cdn_v3(r->origin.x, r->origin.y, 0), v = cdn_v3(r->direction.x, r->direction.y, 0);
  const double square = v.x * v.x + v.y * v.y;
  if (square > 0) return cross_quadric(o, v, square, radius * radius, CURVE, out);
  *out = (interval){ { -INFINITY, INFINITY }, { CURVE, CURVE } };
  return o.x * o.x + o.y * o.y <= radius * radius;
}

/* An end of the pipe's interval that is beyond the segment belongs to the ball at that end. */
static bool cross_capsule(const ray *r, const double *size, interval *out) {
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

static bool cross_box(const ray *r, const double *size, interval *out) {
  *out = (interval){ { -INFINITY, INFINITY }, { CURVE, CURVE } };
  return cut_by_slab(out, r->origin.x, r->direction.x, size[0], 0) &&
         cut_by_slab(out, r->origin.y, r->direction.y, size[1], 1) &&
         cut_by_slab(out, r->origin.z, r->direction.z, size[2], 2);
}

static bool cross_ellipsoid(const ray *r, const double *size, interval *out) {
  const double x = 1 / size[0], y = 1 / size[1], z = 1 / size[2];
  const cdn_vec3 o = cdn_v3(r->origin.x * x, r->origin.y * y, r->origin.z * z);
  const cdn_vec3 v = cdn_v3(r->direction.x * x, r->direction.y * y, r->direction.z * z);
  return cross_quadric(o, v, cdn_dot(v, v), 1, CURVE, out);
}

/* All points z <= 0. */
static bool cross_half_space(const ray *r, interval *out) {
  *out = (interval){ { -INFINITY, INFINITY }, { PLANE + 5, PLANE + 5 } };
  if (r->direction.z == 0) return r->origin.z <= 0;
  out->t[r->direction.z > 0] = -r->origin.z / r->direction.z;
  return true;
}

static bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  const double *size = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return cross_quadric(r->origin, r->direction, 1, size[0] * size[0], CURVE, out);
    case CDN_GEOMETRY_HALF_SPACE: return cross_half_space(r, out);
    case CDN_GEOMETRY_CAPSULE: return cross_capsule(r, size, out);
    case CDN_GEOMETRY_ELLIPSOID: return cross_ellipsoid(r, size, out);
    case CDN_GEOMETRY_CYLINDER:
      return cross_pipe(r, size[0], out) && cut_by_slab(out, r->origin.z, r->direction.z, size[1], 2);
    case CDN_GEOMETRY_BOX: return cross_box(r, size, out);
    default: return false;
  }
}

/* The outward normal at a point of a surface. */
static cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  if (surface >= PLANE) {
    const double sign = (surface - PLANE) % 2 ? 1 : -1;
    const int axis = (surface - PLANE) / 2;
    return cdn_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
  }
  if (surface != CURVE) p.z -= surface == BALL_ABOVE ? g->size[1] : -g->size[1];
  else if (g->kind == CDN_GEOMETRY_CAPSULE || g->kind == CDN_GEOMETRY_CYLINDER) p.z = 0;
  else if (g->kind == CDN_GEOMETRY_ELLIPSOID)
    for (int i = 0; i < 3; i++) (&p.x)[i] /= g->size[i] * g->size[i];
  return cdn_scale(1 / sqrt(cdn_dot(p, p)), p);
}

/* The ball about the origin of S that contains the geometry. */
static double square_of_ball(const cdn_geometry *g) {
  const double *s = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return s[0] * s[0];
    case CDN_GEOMETRY_CAPSULE: return (s[0] + s[1]) * (s[0] + s[1]);
    case CDN_GEOMETRY_CYLINDER: return s[0] * s[0] + s[1] * s[1];
    case CDN_GEOMETRY_ELLIPSOID:
    case CDN_GEOMETRY_BOX: return s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    default: return INFINITY;
  }
}

static void ray_through(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  const double begin = -cdn_dot(r->origin, r->direction);
  const ray near = { g_fma(begin, r->direction, r->origin), r->direction };
  interval in;
  if (cdn_dot(near.origin, near.origin) > 1.000001 * square_of_ball(g) || !cross(g, &near, &in)) return;
  for (int k = 0; k < 2; k++) {
    const double t = begin + in.t[k];
    if (hits->n == hits->room || !(t >= 0 && t <= hits->reach && t < INFINITY) || (k == 1 && !(in.t[1] > in.t[0])))
      continue;
    add_hit(hits, r, t, normal_of(g, in.surface[k], g_fma(in.t[k], near.direction, near.origin)), 0);
  }
}

int cdni_ray(const cdn_geometry *g, cdn_vec3 origin, cdn_vec3 direction, double reach, int room, cdn_ray_hit *out) {
  const ray r = { origin, direction };
  ray_hits hits = { 0, room, reach, out };
  switch (g->kind) {
    case CDN_GEOMETRY_CONVEX: cdni_ray_hull(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_MESH: cdni_ray_mesh(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_HEIGHT_FIELD: cdni_ray_field(g->surface, &r, &hits); break;
    case CDN_GEOMETRY_CUSTOM: cdni_ray_custom(g, &r, &hits); break;
    default: ray_through(g, &r, &hits);
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
  *n = cdni_ray(g, g_point_inv(X_WS, origin), g_rotate_inv(&X_WS->R, direction), reach, room, hits);
  for (int i = 0; i < *n; i++) {
    hits[i].normal = g_rotate(&X_WS->R, hits[i].normal);
    hits[i].point = g_fma(hits[i].distance, direction, origin);
  }
  return CDN_OK;
}
