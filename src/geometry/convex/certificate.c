/* Where no better minimum of h can be.
 *
 * Let a minimum have the normal n, the depth h, and the corners w_i with their weighted mean w. For a direction m at
 * the angle T from n, m = n cos T + t sin T, the corners and the curve parts of M bound h(m) from below:
 *   h(m) >= h cos T + s(t) sin T + R(t) (1 - cos T),   s(t) = max_i t . (w_i - w).
 * A disk that lies flat adds its radius, less the distance of the point from its centre, to s. An ellipsoid with the
 * half axes A adds its least radius of curvature on the way to R, |A n x A t|^2 / |A m|^3; the first factor is constant
 * on the way, as is a bound of the second. A disk of radius r adds at least r (t . v)^2 cos^2(T / 2) / c, where v is
 * the tangent of its rim and c the largest cosine of the angle between m and the disk. So h(m) >= h wherever
 * s(t) cot(T / 2) + R(t) >= h. A ball that rolls inside M has the least radius of curvature of all. */
#include "geometry/convex/convex.h"

enum { DIRECTIONS = 24 };

static const double circle[DIRECTIONS][2] = { { 1, 0 },
                                              { 0.96592582628906831, 0.25881904510252068 },
                                              { 0.86602540378443871, 0.49999999999999989 },
                                              { 0.70710678118654757, 0.70710678118654746 },
                                              { 0.50000000000000011, 0.8660254037844386 },
                                              { 0.25881904510252068, 0.96592582628906831 },
                                              { 9.9999999999999998e-17, 1 },
                                              { -0.25881904510252057, 0.96592582628906831 },
                                              { -0.49999999999999978, 0.86602540378443871 },
                                              { -0.70710678118654746, 0.70710678118654757 },
                                              { -0.86602540378443871, 0.49999999999999989 },
                                              { -0.9659258262890682, 0.25881904510252102 },
                                              { -1, 9.9999999999999998e-17 },
                                              { -0.96592582628906831, -0.25881904510252079 },
                                              { -0.86602540378443882, -0.49999999999999972 },
                                              { -0.70710678118654791, -0.70710678118654713 },
                                              { -0.50000000000000044, -0.86602540378443837 },
                                              { -0.25881904510252057, -0.96592582628906831 },
                                              { -2e-16, -1 },
                                              { 0.2588190451025203, -0.96592582628906842 },
                                              { 0.50000000000000011, -0.8660254037844386 },
                                              { 0.70710678118654735, -0.70710678118654768 },
                                              { 0.86602540378443837, -0.50000000000000044 },
                                              { 0.96592582628906809, -0.25881904510252163 } };

/* Of the point (mx, my) from the line through (x, y) and (u, v). */
static double distance_of_line(double x, double y, double u, double v, double mx, double my) {
  const double ex = u - x, ey = v - y;
  return fabs(ex * (my - y) - ey * (mx - x)) / sqrt(ex * ex + ey * ey);
}

/* A corner of the same face of M beyond the edge whose outward normal is t. */
static bool corner_beyond(core_pair *pair, const minimum *found, cdn_vec3 t, cdn_vec3 *corner) {
  probe q;
  const cdn_vec3 n = found->answer.normal, m = g_fma(1e-3, t, n);
  pair_probe(pair, cdn_scale(1 / length_of(m), m), &q);
  *corner = cdn_sub(cdn_sub(q.corner_a, q.corner_b), found->corner[0]);
  return fabs(cdn_dot(n, *corner)) <= 1e-12 * pair->scale;
}

/* An ellipsoid with the half axes A, by direction t: |A n x A t|^2, and what makes |A m|^2 grow. */
typedef struct egg_shape {
  double square, most;          /* |A n|^2, and the largest */
  double twist[DIRECTIONS];     /* |A n x A t|^2 */
  double growth[DIRECTIONS][2]; /* |A t|^2 - |A n|^2 and 2 A n . A t, where they are positive */
} egg_shape;

static void look_at_egg(const core *c, cdn_vec3 n, cdn_vec3 t1, cdn_vec3 t2, egg_shape *out) {
  const double *s = c->size, most = fmax(s[0], fmax(s[1], s[2]));
  const cdn_vec3 e = cdn_v3(s[0] * n.x, s[1] * n.y, s[2] * n.z);
  const cdn_vec3 e1 = cdn_v3(s[0] * t1.x, s[1] * t1.y, s[2] * t1.z), e2 = cdn_v3(s[0] * t2.x, s[1] * t2.y, s[2] * t2.z);
  out->square = cdn_dot(e, e), out->most = most * most;
  for (int d = 0; d < DIRECTIONS; d++) {
    const cdn_vec3 et = g_fma(circle[d][0], e1, cdn_scale(circle[d][1], e2)), twist = cdn_cross(e, et);
    const double wide = cdn_dot(et, et) - out->square, lean = 2 * cdn_dot(e, et);
    out->twist[d] = cdn_dot(twist, twist);
    out->growth[d][0] = wide > 0 ? wide : 0;
    out->growth[d][1] = lean > 0 ? lean : 0;
  }
}

/* The least radius of curvature on the way along direction d by the angle T. */
static double egg_radius(const egg_shape *egg, int d, double sine, double cosine) {
  double square = egg->square + sine * (sine * egg->growth[d][0] + egg->growth[d][1]);
  if (cosine <= 0 || square > egg->most) square = egg->most;
  return egg->twist[d] / (square * sqrt(square));
}

double cdni_safe_angle(core_pair *pair, const minimum *found, double wanted) {
  const cdn_vec3 n = found->answer.normal;
  const double depth = -found->answer.distance;
  const cdn_vec3 t1 = across(n), t2 = cdn_cross(n, t1);
  if (depth <= 0) return 4;
  double radius = pair->rolling, disk[2] = { 0, 0 }, lean[2], rim[2][2] = { { 0 } };
  egg_shape egg[2];
  int eggs = 0;
  for (int side = 0; side < 2; side++) {
    const core *c = side ? &pair->b : &pair->a;
    if (!c->curve) continue;
    if (c->curve == CURVE_ELLIPSOID) {
      const cdn_rotation *R = &pair->R;
      if (side) look_at_egg(c, g_rotate_inv(R, n), g_rotate_inv(R, t1), g_rotate_inv(R, t2), &egg[eggs++]);
      else look_at_egg(c, n, t1, t2, &egg[eggs++]);
      continue;
    }
    const cdn_vec3 axis = side ? pair->R.z : cdn_v3(0, 0, 1), v = cdn_cross(axis, n);
    const double square = cdn_dot(v, v);
    if (square < 1e-12 || found->flat > 0) continue;
    disk[side] = c->size[0], lean[side] = sqrt(square);
    rim[side][0] = cdn_dot(v, t1) / sqrt(square), rim[side][1] = cdn_dot(v, t2) / sqrt(square);
  }
  if (radius >= depth) return 4;
  /* Corners about their mean, across n. */
  double x[6], y[6], mx = 0, my = 0;
  int corners = found->k;
  for (int i = 0; i < found->k; i++) {
    const cdn_vec3 r = cdn_sub(found->corner[i], found->corner[0]);
    x[i] = cdn_dot(t1, r), y[i] = cdn_dot(t2, r);
    mx += found->weight[i] * x[i], my += found->weight[i] * y[i];
  }
  const double flat = found->flat > 0 ? found->flat - cdn_norm(found->from_center) : 0;
  const bool round = eggs > 0 || disk[0] > 0 || disk[1] > 0;
  double largest = INFINITY; /* tan(T / 2) */
  if (found->k == 3) {
    /* s(t) is least across an edge of the triangle, or, where that is too little, of the face that has the triangle. */
    const double needed = tan(0.5 * fmin(wanted, 3)) * (depth - radius) - flat;
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3;
      double far = distance_of_line(x[i], y[i], x[j], y[j], mx, my);
      if (far < needed) {
        const int k = (i + 2) % 3;
        const double ex = x[j] - x[i], ey = y[j] - y[i], length = sqrt(ex * ex + ey * ey);
        const double side = ey * (x[k] - x[i]) - ex * (y[k] - y[i]) > 0 ? -1 : 1;
        cdn_vec3 w;
        if (corner_beyond(pair, found, cdn_add(cdn_scale(side * ey / length, t1), cdn_scale(-side * ex / length, t2)),
                          &w)) {
          const double wx = cdn_dot(t1, w), wy = cdn_dot(t2, w);
          if (side * (ey * (wx - x[i]) - ex * (wy - y[i])) > 1e-9 * length * pair->scale) {
            far = fmin(distance_of_line(x[i], y[i], wx, wy, mx, my), distance_of_line(x[j], y[j], wx, wy, mx, my));
            x[corners] = wx, y[corners++] = wy;
          }
        }
      }
      least = fmin(least, far);
    }
    largest = (least + flat) / (depth - radius);
    if (!round || largest > 5) return 2 * atan(largest);
  }
  /* By trial: for a tangent of T / 2, in all directions. What holds at both ends of a sector holds within it: on an arc
   * where a sinusoid is positive it is concave. The squares of disks and ellipsoids bend by less than the margin. */
  double spread[DIRECTIONS], along[DIRECTIONS][2];
  for (int d = 0; d < DIRECTIONS; d++) {
    const double *t = circle[d], *u = circle[(d + 1) % DIRECTIONS];
    for (int side = 0; side < 2; side++) {
      const double from = disk[side] > 0 ? t[0] * rim[side][0] + t[1] * rim[side][1] : 0;
      const double to = disk[side] > 0 ? u[0] * rim[side][0] + u[1] * rim[side][1] : 0;
      along[d][side] = from * to > 0 ? fmin(from * from, to * to) : 0;
    }
    double most = 0;
    for (int i = 0; i < corners; i++) {
      const double from = t[0] * (x[i] - mx) + t[1] * (y[i] - my), to = u[0] * (x[i] - mx) + u[1] * (y[i] - my);
      const double s = from < to ? from : to;
      most = s > most ? s : most;
    }
    spread[d] = flat + most;
  }
  double best = 0;
  const double tangents[] = { tan(0.5 * fmin(wanted, 3)), 8, 4, 2, 1.4, 1, 0.7, 0.5, 0.25, 0.12, 0.06, 0.03 };
  for (int trial = 0; trial < CDNI_COUNT(tangents) && best == 0; trial++) {
    const double tangent = tangents[trial], cosine2 = 1 / (1 + tangent * tangent);
    const double cosine = 2 * cosine2 - 1, sine = 2 * tangent * cosine2;
    double share[2] = { 0, 0 };
    for (int side = 0; side < 2; side++)
      if (disk[side] > 0)
        share[side] = disk[side] * cosine2 / fmin(1, lean[side] * fmax(cosine, 0) + (cosine > 0 ? sine : 1));
    bool safe = true;
    for (int d = 0; d < DIRECTIONS && safe; d++) {
      double rounding = share[0] * along[d][0] + share[1] * along[d][1];
      for (int i = 0; i < eggs; i++) {
        const double from = egg_radius(&egg[i], d, sine, cosine);
        const double to = egg_radius(&egg[i], (d + 1) % DIRECTIONS, sine, cosine);
        rounding += from < to ? from : to;
      }
      safe = spread[d] / tangent + rounding >= 1.03 * depth;
    }
    if (safe) best = tangent * (1 + 1e-12);
  }
  if (found->k == 3) best = fmax(best, largest);
  return 2 * atan(best);
}

double cdni_wanted_angle(const core_pair *pair, const minimum *found) {
  const double length = cdn_norm(pair->toward);
  if (!(length > 0)) return 4;
  const double between = acos(fmin(fmax(cdn_dot(found->answer.normal, pair->toward) / length, -1), 1));
  return between + acos(fmin(fmax((pair->inner + found->answer.distance) / length, -1), 1));
}
