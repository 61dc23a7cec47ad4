/* Private to the room: rays against the kinds that a ray meets in one interval. A kind says where a ray is within it,
 * `through_interval` the rest; everything is inlined, computed in local numbers and written once: a ray is a few dozen
 * operations. */
#ifndef CARDAN_GEOMETRY_KINDS_INTERVAL_H
#define CARDAN_GEOMETRY_KINDS_INTERVAL_H

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
typedef bool cross_fn(const cdn_geometry *g, const ray *r, interval *out);
/* The outward normal at a point of one of the surfaces. */
typedef cdn_vec3 normal_fn(const cdn_geometry *g, int surface, cdn_vec3 p);

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

static inline cdn_vec3 normal_of_plane(int surface) {
  const double sign = (surface - PLANE) % 2 ? 1 : -1;
  const int axis = (surface - PLANE) / 2;
  return cdn_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

/* `square_of_ball`: of the radius of a ball about the origin of S that contains the geometry. */
static inline int through_interval(const cdn_geometry *g, double square_of_ball, cross_fn *cross, normal_fn *normal_of,
                                   const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction, double reach,
                                   int room, cdn_ray_hit *hits) {
  const cdn_vec3 o = g_point_inv(X_WS, origin), v = g_rotate_inv(&X_WS->R, direction);
  const double begin = -cdn_dot(o, v);
  const ray near = { g_fma(begin, v, o), v };
  interval in;
  if (cdn_dot(near.origin, near.origin) > 1.000001 * square_of_ball || !cross(g, &near, &in)) return 0;
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

#endif
