/* Capsules: two segments with radii, and a segment with a radius and a box. */
#include "geometry/convex/convex.h"

static double clamp(double x, double limit) { return fmin(fmax(x, -limit), limit); }

bool cdni_capsules_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                            const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  const cdn_vec3 u = X_WA->R.z, v = X_WB->R.z, between = cdn_sub(X_WB->p, X_WA->p);
  const double la = a->size[1], lb = b->size[1], radii = a->size[0] + b->size[0];
  const cdn_vec3 w = cdn_cross(u, v);
  const double sine2 = cdn_dot(w, w), cosine = cdn_dot(u, v), pu = cdn_dot(between, u), pv = cdn_dot(between, v);
  double s = 0, t = 0; /* along a and along b */
  bool crossing = false;
  if (sine2 > 1e-30) {
    /* Where the lines are nearest, if that is on both segments; else on the border, which the clamps find. */
    s = cdn_dot(between, cdn_cross(v, w)) / sine2;
    crossing = fabs(s) <= la;
    s = clamp(s, la);
  } else {
    /* Parallel: the middle of what they have in common. */
    const double low = fmax(-la, pu - lb), high = fmin(la, pu + lb);
    s = clamp(0.5 * (low + high), la);
  }
  t = s * cosine - pv;
  if (fabs(t) > lb) {
    crossing = false;
    t = clamp(t, lb);
    s = clamp(pu + t * cosine, la);
  }
  const cdn_vec3 r = g_fma(t, v, g_fma(-s, u, between));
  const double square = cdn_dot(r, r), far = radii + reach;
  if (square > far * far * (1 + 1e-12)) return false;
  double distance = cdn_norm(r);
  cdn_vec3 n;
  /* Where the segments almost touch, the direction between the points has no digits; the common perpendicular has. */
  if (crossing && sine2 > 1e-12) {
    n = cdn_scale(1 / sqrt(sine2), w);
    distance = cdn_dot(n, between);
    if (distance < 0) n = g_neg(n), distance = -distance;
  } else if (distance > 1e-15 * (la + lb)) n = cdn_scale(1 / distance, r);
  else n = sine2 > 1e-20 ? cdn_scale(1 / sqrt(sine2), w) : across(u);
  distance -= radii;
  if (distance > reach) return false;
  proximity_from_a(distance, n, g_fma(a->size[0], n, g_fma(s, u, X_WA->p)), out);
  return true;
}

/* ---- a capsule and a box ----
 *
 * In the frame of the box the segment is c + t u, |t| <= l. While the two are apart, half the squared distance is a
 * convex function of t whose derivative is made of straight pieces between the places where the line crosses the planes
 * of the box. */

typedef struct segment_box {
  double c[3], u[3], half[3], l;
} segment_box;

/* The derivative of half the squared distance at t. */
static double slope_at(const segment_box *p, double t) {
  double slope = 0;
  for (int i = 0; i < 3; i++) {
    const double x = p->c[i] + t * p->u[i];
    slope += p->u[i] * (x - clamp(x, p->half[i]));
  }
  return slope;
}

static double nearest_place(const segment_box *p) {
  double low = -p->l, high = p->l;
  double slope_low = slope_at(p, low), slope_high = slope_at(p, high);
  if (slope_low >= 0 && slope_high > 0 && slope_low > 0) return low;
  if (slope_high <= 0 && slope_low < 0 && slope_high < 0) return high;
  /* Narrow the interval to one straight piece. */
  for (int i = 0; i < 3; i++) {
    if (p->u[i] == 0) continue;
    for (int side = -1; side <= 1; side += 2) {
      const double t = (side * p->half[i] - p->c[i]) / p->u[i];
      if (!(t > low && t < high)) continue;
      const double slope = slope_at(p, t);
      if (slope < 0) low = t, slope_low = slope;
      else if (slope > 0) high = t, slope_high = slope;
      else if (slope_low < 0) high = t, slope_high = 0;
      else low = t, slope_low = 0;
    }
  }
  if (slope_low < 0 && slope_high > 0) return low + (high - low) * (slope_low / (slope_low - slope_high));
  if (slope_low < 0) return high;
  if (slope_high > 0) return low;
  return 0.5 * (low + high); /* equally near all along */
}

/* The segment passes through the box: the difference of the two has faces across the axes of the box and across the
 * axes and u. */
static double deep_axis(const segment_box *p, double n[3], double at[3]) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    const double depth = p->half[i] + p->l * fabs(p->u[i]) - fabs(p->c[i]);
    if (depth < least) {
      least = depth;
      const double side = copysign(1, p->c[i]);
      n[0] = n[1] = n[2] = 0;
      n[i] = side;
      /* The deepest end; where the segment is parallel to the face, the middle of the part that lies below the face. */
      double place;
      if (fabs(p->u[i]) > 1e-12) place = -side * copysign(p->l, p->u[i]);
      else {
        double low = -p->l, high = p->l;
        for (int j = 0; j < 3; j++) {
          if (j == i || fabs(p->u[j]) < 1e-12) continue;
          const double t0 = (-p->half[j] - p->c[j]) / p->u[j], t1 = (p->half[j] - p->c[j]) / p->u[j];
          low = fmax(low, fmin(t0, t1)), high = fmin(high, fmax(t0, t1));
        }
        place = 0.5 * (low + high);
      }
      for (int j = 0; j < 3; j++) at[j] = p->c[j] + place * p->u[j];
    }
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    double nj = -p->u[k], nk = p->u[j]; /* e_i x u */
    const double length = hypot(nj, nk);
    if (length < 1e-9) continue;
    nj /= length, nk /= length;
    double height = nj * p->c[j] + nk * p->c[k];
    if (height < 0) nj = -nj, nk = -nk, height = -height;
    const double depth = p->half[j] * fabs(nj) + p->half[k] * fabs(nk) - height;
    if (!(depth < least * (1 - 1e-12))) continue;
    /* The place of the segment that is nearest to the edge along axis i. */
    const double ej = copysign(p->half[j], nj), ek = copysign(p->half[k], nk);
    const double place = clamp(((ej - p->c[j]) * p->u[j] + (ek - p->c[k]) * p->u[k]) / (length * length), p->l);
    least = depth;
    n[i] = 0, n[j] = nj, n[k] = nk;
    for (int m = 0; m < 3; m++) at[m] = p->c[m] + place * p->u[m];
  }
  return -least;
}

bool cdni_capsule_box_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                               const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  const cdn_vec3 c = g_point_inv(X_WB, X_WA->p), u = g_rotate_inv(&X_WB->R, X_WA->R.z);
  const segment_box p = { { c.x, c.y, c.z }, { u.x, u.y, u.z }, { b->size[0], b->size[1], b->size[2] }, a->size[1] };
  /* The boxes about the two are farther apart than the reach. */
  for (int i = 0; i < 3; i++)
    if (fabs(p.c[i]) - p.half[i] - p.l * fabs(p.u[i]) - a->size[0] > reach) return false;
  const double t = nearest_place(&p);
  double from[3], at[3], n[3], square = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    at[i] = p.c[i] + t * p.u[i];
    from[i] = at[i] - clamp(at[i], p.half[i]);
    square += from[i] * from[i];
    size = fmax(size, fabs(at[i]));
  }
  double distance;
  if (square > 1e-28 * size * size) {
    distance = cdn_norm(cdn_v3(from[0], from[1], from[2]));
    for (int i = 0; i < 3; i++) n[i] = from[i] / distance;
  } else distance = deep_axis(&p, n, at);
  distance -= a->size[0];
  if (distance > reach) return false;
  const cdn_vec3 normal = g_neg(g_rotate(&X_WB->R, cdn_v3(n[0], n[1], n[2])));
  const cdn_vec3 on_segment = g_point(X_WB, cdn_v3(at[0], at[1], at[2]));
  proximity_from_a(distance, normal, g_fma(a->size[0], normal, on_segment), out);
  return true;
}
