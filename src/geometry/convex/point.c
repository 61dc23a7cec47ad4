/* Signed distance of a point from a convex geometry, in closed form where there is one. */
#include "geometry/convex/convex.h"

double cdni_box_point(const double half[3], cdn_vec3 p, cdn_vec3 *normal) {
  const double over[3] = { fabs(p.x) - half[0], fabs(p.y) - half[1], fabs(p.z) - half[2] };
  if (over[0] > 0 || over[1] > 0 || over[2] > 0) {
    const cdn_vec3 out =
        cdn_v3(copysign(fmax(over[0], 0), p.x), copysign(fmax(over[1], 0), p.y), copysign(fmax(over[2], 0), p.z));
    const double distance = cdn_norm(out);
    *normal = unit_or(out, cdn_v3(0, 0, 1));
    return distance;
  }
  const int axis = over[0] >= over[1] ? (over[0] >= over[2] ? 0 : 2) : (over[1] >= over[2] ? 1 : 2);
  *normal =
      cdn_v3(axis == 0 ? copysign(1, p.x) : 0, axis == 1 ? copysign(1, p.y) : 0, axis == 2 ? copysign(1, p.z) : 0);
  return over[axis];
}

static double cylinder_point(const double *size, cdn_vec3 p, cdn_vec3 *normal) {
  const double rho = hypot(p.x, p.y), side = rho - size[0], end = fabs(p.z) - size[1];
  const double cx = rho > LEAST_LENGTH ? p.x / rho : 1, cy = rho > LEAST_LENGTH ? p.y / rho : 0, up = copysign(1, p.z);
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

static double capsule_point(const double *size, cdn_vec3 p, cdn_vec3 *normal) {
  const cdn_vec3 from = cdn_v3(p.x, p.y, p.z - fmin(fmax(p.z, -size[1]), size[1]));
  const double distance = cdn_norm(from);
  *normal = unit_or(from, cdn_v3(1, 0, 0));
  return distance - size[0];
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

/* By the general method, for a point. */
static double general_point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal) {
  const cdn_geometry point = { .kind = CDN_GEOMETRY_SPHERE };
  const cdn_transform X_WS = cdn_transform_identity(), X_WP = { X_WS.R, p };
  cdn_proximity near;
  cdni_convex_distance(&point, &X_WP, g, &X_WS, INFINITY, &near);
  *normal = g_neg(near.normal);
  return near.distance;
}

double cdni_convex_point_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: {
      const double distance = cdn_norm(p);
      *normal = unit_or(p, cdn_v3(0, 0, 1));
      return distance - g->size[0];
    }
    case CDN_GEOMETRY_HALF_SPACE: *normal = cdn_v3(0, 0, 1); return p.z;
    case CDN_GEOMETRY_CAPSULE: return capsule_point(g->size, p, normal);
    case CDN_GEOMETRY_ELLIPSOID: return ellipsoid_point(g->size, p, normal);
    case CDN_GEOMETRY_CYLINDER: return cylinder_point(g->size, p, normal);
    case CDN_GEOMETRY_BOX: return cdni_box_point(g->size, p, normal);
    default: return general_point(g, p, normal);
  }
}
