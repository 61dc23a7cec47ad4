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
#include "geometry/convex/survey.h"

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

/* Half axes times the directions n, t1, t2. */
static void look_at_egg(const core *c, cdn_vec3 n, cdn_vec3 t1, cdn_vec3 t2, safe_egg *out) {
  const double *s = c->size, most = fmax(s[0], fmax(s[1], s[2]));
  out->e = cdn_v3(s[0] * n.x, s[1] * n.y, s[2] * n.z);
  out->e1 = cdn_v3(s[0] * t1.x, s[1] * t1.y, s[2] * t1.z), out->e2 = cdn_v3(s[0] * t2.x, s[1] * t2.y, s[2] * t2.z);
  out->most = most * most;
}

/* The tangent of half of an angle that is hardly less than half a turn. */
static const double WIDEST = 14.1;

static double within_one(double x) { return x < -1 ? -1 : x > 1 ? 1 : x; }

double cdni_safe_tangent(core_pair *pair, const minimum *found, double wanted) {
  const cdn_vec3 n = found->answer.normal;
  const double depth = -found->answer.distance;
  const cdn_vec3 t1 = across(n), t2 = cdn_cross(n, t1);
  if (depth <= 0) return INFINITY;
  safe_problem p = { .depth = depth };
  double radius = pair->rolling, *x = p.x, *y = p.y;
  for (int side = 0; side < 2; side++) {
    const core *c = side ? &pair->b : &pair->a;
    if (!c->curve) continue;
    if (c->curve == CURVE_ELLIPSOID) {
      const cdn_rotation *R = &pair->R;
      if (side) look_at_egg(c, g_rotate_inv(R, n), g_rotate_inv(R, t1), g_rotate_inv(R, t2), &p.egg[p.eggs++]);
      else look_at_egg(c, n, t1, t2, &p.egg[p.eggs++]);
      continue;
    }
    const cdn_vec3 axis = side ? pair->R.z : cdn_v3(0, 0, 1), v = cdn_cross(axis, n);
    const double square = cdn_dot(v, v);
    if (square < 1e-12 || found->flat > 0) continue;
    const double lean = sqrt(square);
    p.disk[p.disks] = c->size[0], p.lean[p.disks] = lean;
    p.rim[p.disks][0] = cdn_dot(v, t1) / lean, p.rim[p.disks++][1] = cdn_dot(v, t2) / lean;
  }
  if (radius >= depth) return INFINITY;
  /* Corners about their mean, across n. */
  double mx = 0, my = 0;
  int corners = found->k;
  for (int i = 0; i < found->k; i++) {
    const cdn_vec3 r = cdn_sub(found->corner[i], found->corner[0]);
    x[i] = cdn_dot(t1, r), y[i] = cdn_dot(t2, r);
    mx += found->weight[i] * x[i], my += found->weight[i] * y[i];
  }
  const double flat = found->flat > 0 ? found->flat - cdn_norm(found->from_center) : 0;
  const bool round = p.eggs > 0 || p.disks > 0;
  const double first = wanted < WIDEST ? wanted : WIDEST;
  double largest = INFINITY; /* tan(T / 2) */
  if (found->k == 3) {
    /* s(t) is least across an edge of the triangle, or, where that is too little, of the face that has the triangle. */
    const double needed = first * (depth - radius) - flat;
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
    if (!round || largest > 5) return largest;
  }
  p.flat = flat, p.corners = corners;
  for (int i = 0; i < corners; i++) x[i] -= mx, y[i] -= my;
  const double tangents[SAFE_TRIALS] = { first, 8, 4, 2, 1.4, 1, 0.7, 0.5, 0.25, 0.12, 0.06, 0.03 };
  const double best = cdni_survey_kernels[cdni_kernel_set(1)]->safe(&p, tangents) * (1 + 1e-12);
  return found->k == 3 && largest > best ? largest : best;
}

double cdni_wanted_tangent(const core_pair *pair, const minimum *found) {
  const double square = cdn_dot(pair->toward, pair->toward);
  if (!(square > 0)) return INFINITY;
  /* Two angles, by their cosines: from the minimum to the way between the middles, and from there to where h is sure to
   * be larger. */
  const double over = 1 / sqrt(square);
  const double a = within_one(cdn_dot(found->answer.normal, pair->toward) * over);
  const double b = within_one((pair->inner + found->answer.distance) * over);
  const double sine_a = sqrt(1 - a * a), sine_b = sqrt(1 - b * b);
  const double cosine = a * b - sine_a * sine_b, sine = sine_a * b + a * sine_b;
  /* Half a turn in all is everything. */
  if (sine > 0) return sine / (1 + cosine);
  return a > 0 && b > 0 ? 0 : INFINITY;
}
