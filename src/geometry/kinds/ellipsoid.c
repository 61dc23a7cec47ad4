/* Ellipsoids. */
#include "geometry/convex/convex.h"
#include "geometry/kind.h"
#include "geometry/kinds/interval.h"

static double ball(const cdn_geometry *g, cdn_vec3 *center) {
  *center = cdn_v3(0, 0, 0);
  return fmax(g->size[0], fmax(g->size[1], g->size[2]));
}

static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) {
  const double *a = g->size;
  const cdn_vec3 e = cdn_v3(a[0] * n.x, a[1] * n.y, a[2] * n.z);
  const double s = 1 / sqrt(cdn_dot(e, e));
  return cdn_v3(s * a[0] * e.x, s * a[1] * e.y, s * a[2] * e.z);
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  return cdn_norm(cdn_v3(n.x * g->size[0], n.y * g->size[1], n.z * g->size[2]));
}

/* The nearest point x of the ellipsoid satisfies x_i (a_i^2 + t) = a_i^2 p_i for one t >= -(least a)^2. With s = t +
 * (least a)^2 and f(s) = |x_i / a_i|, the function 1 / f - 1 is almost straight; Newton's method from the left of its
 * root does not pass it. */
static double ellipsoid_point(const double *a, cdn_vec3 point, cdn_vec3 *normal) {
  const double p[3] = { fabs(point.x), fabs(point.y), fabs(point.z) };
  const double unit = fmin(a[0], fmin(a[1], a[2]));
  double b[3], q[3], above[3], s = 0, x[3];
  for (int i = 0; i < 3; i++) {
    b[i] = a[i] / unit, q[i] = p[i] / unit;
    above[i] = (b[i] - 1) * (b[i] + 1);
  }
  for (int i = 0; i < 3; i++) s = fmax(s, b[i] * q[i] - above[i]);
  /* Inside, near the plane of symmetry across the shortest axis, no s > 0 may do: then the point is where the ellipsoid
   * and the line along that axis meet. */
  double sum = 0;
  if (!(s > 0)) {
    int shortest = 0;
    for (int i = 0; i < 3; i++) {
      if (b[i] < b[shortest]) shortest = i;
      x[i] = above[i] > 0 ? b[i] * b[i] * q[i] / above[i] : 0;
      sum += x[i] / b[i] * (x[i] / b[i]);
    }
    if (sum <= 1) {
      x[shortest] = b[shortest] * sqrt(1 - sum);
      s = -1;
    } else s = 0;
  }
  if (s >= 0) {
    for (int step = 0; step < 60; step++) {
      double square = 0, slope = 0;
      for (int i = 0; i < 3; i++) {
        const double down = s + above[i], r = down > 0 ? b[i] * q[i] / down : 0;
        square += r * r;
        if (down > 0) slope += r * r / down;
      }
      const double f = sqrt(square), to = s + square * (f - 1) / slope;
      if (!(slope > 0) || !(to > s * (1 + 1e-16))) break;
      s = to;
    }
    for (int i = 0; i < 3; i++) x[i] = s + above[i] > 0 ? b[i] * b[i] * q[i] / (s + above[i]) : 0;
  }
  const cdn_vec3 n = unit_or(cdn_v3(copysign(x[0] / (b[0] * b[0]), point.x), copysign(x[1] / (b[1] * b[1]), point.y),
                                    copysign(x[2] / (b[2] * b[2]), point.z)),
                             cdn_v3(0, 0, 1));
  *normal = n;
  return unit * (fabs(n.x) * (q[0] - x[0]) + fabs(n.y) * (q[1] - x[1]) + fabs(n.z) * (q[2] - x[2]));
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  (void)feature;
  return ellipsoid_point(g->size, p, normal);
}

static inline bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  const double x = 1 / g->size[0], y = 1 / g->size[1], z = 1 / g->size[2];
  const cdn_vec3 o = cdn_v3(r->origin.x * x, r->origin.y * y, r->origin.z * z);
  const cdn_vec3 v = cdn_v3(r->direction.x * x, r->direction.y * y, r->direction.z * z);
  return cross_quadric(o, v, cdn_dot(v, v), 1, CURVE, out);
}

static inline cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  const double *a = g->size;
  (void)surface;
  p = cdn_v3(p.x / (a[0] * a[0]), p.y / (a[1] * a[1]), p.z / (a[2] * a[2]));
  return cdn_scale(1 / sqrt(cdn_dot(p, p)), p);
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  const double *s = g->size, square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  return through_interval(g, square, cross, normal_of, X_WS, origin, direction, reach, room, hits);
}

/* Of the ellipsoid at the surface point x with the unit normal n: the second fundamental form is t . A^-2 t / |A^-2 x|.
 * */
static void ellipsoid_curvature(const double *a, cdn_vec3 x, cdn_vec3 n, double k[2], cdn_vec3 *direction) {
  const cdn_vec3 t1 = across(n), t2 = cdn_cross(n, t1);
  const double length = cdn_norm(cdn_v3(x.x / (a[0] * a[0]), x.y / (a[1] * a[1]), x.z / (a[2] * a[2])));
  const cdn_vec3 u = cdn_v3(t1.x / a[0], t1.y / a[1], t1.z / a[2]), v = cdn_v3(t2.x / a[0], t2.y / a[1], t2.z / a[2]);
  const double xx = cdn_dot(u, u) / length, xy = cdn_dot(u, v) / length, yy = cdn_dot(v, v) / length;
  const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy), root = hypot(half, xy);
  /* The larger curvature without loss; the smaller one by the product of both. */
  k[0] = mean + root;
  k[1] = k[0] > 0 ? (xx * yy - xy * xy) / k[0] : 0;
  const double angle = root > 0 ? 0.5 * atan2(xy, half) : 0;
  *direction = g_fma(cos(angle), t1, cdn_scale(sin(angle), t2));
}

static bool curvature(const cdn_geometry *g, cdn_vec3 p, double k[2], cdn_vec3 *direction) {
  cdn_vec3 n;
  const double distance = ellipsoid_point(g->size, p, &n);
  ellipsoid_curvature(g->size, g_fma(-distance, n, p), n, k, direction);
  return true;
}

static double depth(const cdn_geometry *g) { return fmin(fmin(g->size[0], g->size[1]), g->size[2]); }

const geometry_kind cdni_kind_ellipsoid = {
  .name = "ellipsoid",
  .n_sizes = 3,
  .size = { { "half axis x", "half.x", false },
            { "half axis y", "half.y", false },
            { "half axis z", "half.z", false } },
  .is_convex = true,
  .is_even = true,
  .is_round = true,
  .corner = CORNER_POINT,
  .curve = CURVE_ELLIPSOID,
  .page = { "ellipsoid", 3 },
  .contact = CONTACT_ROUND,
  .ball = ball,
  .support = support,
  .reach = reach_along,
  .point = point,
  .ray = ray_through,
  .curvature = curvature,
  .depth = depth,
};
