/* The points at which two shapes touch, as soft contact sees them: where MuJoCo 2.2.2 has closed forms they are
 * MuJoCo's, elsewhere those of the geometry's manifold. */
#include <math.h>

#include "contact/near.h"
#include "contact/points.h"
#include "contact/touch.h"

static bool is_ball_of_such(const cdn_geometry *g, const cdn_geometry *other) {
  return g->kind == CDN_GEOMETRY_SPHERE &&
         (other->kind == CDN_GEOMETRY_SPHERE || other->kind == CDN_GEOMETRY_HALF_SPACE);
}

/* ---- capsules: one point, or the two ends of what lies side by side ---- */

static double clamp(double x) { return fmin(fmax(x, -1), 1); }

/* The balls at the places s and t (-1 ... 1) of the two segments, if they are within the margin. */
static void add_balls(const cdn_geometry *const g[2], const cdn_transform *const X[2], double s, double t,
                      double margin, int id, cdn_manifold *out) {
  const double r[2] = { g[0]->size[0], g[1]->size[0] };
  const cdn_vec3 p = cdn_add(X[0]->p, cdn_scale(s * g[0]->size[1], X[0]->R.z));
  const cdn_vec3 q = cdn_add(X[1]->p, cdn_scale(t * g[1]->size[1], X[1]->R.z)), line = cdn_sub(q, p);
  const double length = cdn_norm(line), distance = length - r[0] - r[1];
  if (distance > margin) return;
  cdn_vec3 n;
  if (length > 1e-15) n = cdn_scale(1 / length, line);
  else { /* the segments cross, or lie in one line: what is across both of them parts the capsules */
    n = cdn_cross(X[0]->R.z, X[1]->R.z);
    const double sine = cdn_norm(n);
    n = sine > 1e-15 ? cdn_scale(1 / sine, n) : contact_tangent(X[0]->R.z);
  }
  const cdn_vec3 on = cdn_add(p, cdn_scale(r[0], n));
  out->points[out->n] = (cdn_proximity){
    .distance = distance, .normal = n, .point_a = on, .point_b = cdn_add(on, cdn_scale(distance, n))
  };
  out->id[out->n++] = id;
}

static void capsules(const cdn_geometry *const g[2], const cdn_transform *const X[2], double margin,
                     cdn_manifold *out) {
  const cdn_vec3 u = cdn_scale(g[0]->size[1], X[0]->R.z), v = cdn_scale(g[1]->size[1], X[1]->R.z);
  const cdn_vec3 c = cdn_sub(X[1]->p, X[0]->p);
  const double uu = cdn_dot(u, u), vv = cdn_dot(v, v), uv = cdn_dot(u, v), uc = cdn_dot(u, c), vc = cdn_dot(v, c);
  const double det = uu * vv - uv * uv;
  /* one of them may be a ball */
  const double within_u = uu > 0 ? 1 / uu : 0, within_v = vv > 0 ? 1 / vv : 0;
  if (det >= 1e-15 || uu == 0 || vv == 0) {
    double s = det >= 1e-15 ? clamp((vv * uc - uv * vc) / det) : 0, t = (s * uv - vc) * within_v;
    if (fabs(t) > 1 || uu == 0 || vv == 0) {
      t = clamp(t);
      s = clamp((uc + t * uv) * within_u);
    }
    add_balls(g, X, s, t, margin, 0, out);
    return;
  }
  for (int end = 0; end < 4 && out->n < 2; end++) {
    const double at = end % 2 ? -1 : 1;
    const double s = end < 2 ? at : clamp((uc + at * uv) * within_u);
    const double t = end < 2 ? clamp((at * uv - vc) * within_v) : at;
    add_balls(g, X, s, t, margin, end, out);
  }
}

/* ---- a cylinder on a half-space: the deepest point of the lower rim, the other end of its line, and two points of the
 * rim that make a triangle with the first ---- */

static void add_height(double height, cdn_vec3 point_b, cdn_vec3 up, double margin, int id, cdn_manifold *out) {
  if (height > margin) return;
  out->points[out->n] = (cdn_proximity){
    .distance = height, .normal = up, .point_a = cdn_sub(point_b, cdn_scale(height, up)), .point_b = point_b
  };
  out->id[out->n++] = id;
}

static void cylinder_stands(const double *size, const cdn_transform *ground, const cdn_transform *X, double margin,
                            cdn_manifold *out) {
  static const double half_root_three = 0.86602540378443864676;
  const cdn_vec3 up = ground->R.z, z = X->R.z;
  const double cosine = cdn_dot(up, z), sign = cosine > 0 ? -1 : 1;
  const cdn_vec3 down = cdn_scale(sign * size[1], z); /* to the middle of the lower rim */
  const cdn_vec3 across = cdn_sub(cdn_scale(cosine, z), up);
  const double sine = cdn_norm(across);
  /* MuJoCo's limit; a cylinder that stands upright has its x axis there */
  const cdn_vec3 out_r = sine * sine >= 1e-12 ? cdn_scale(size[0] / sine, across) : cdn_scale(size[0], X->R.x);
  const double middle = cdn_dot(up, cdn_sub(X->p, ground->p)), fall = cdn_dot(up, down), lean = cdn_dot(up, out_r);
  if (middle + fall + lean > margin) return;
  const cdn_vec3 lower = cdn_add(X->p, down), upper = cdn_sub(X->p, down);
  const cdn_vec3 side = cdn_scale(half_root_three * sign, cdn_cross(out_r, z)), back = cdn_scale(-0.5, out_r);
  add_height(middle + fall + lean, cdn_add(lower, out_r), up, margin, 0, out);
  add_height(middle - fall + lean, cdn_add(upper, out_r), up, margin, 1, out);
  const double aside = middle + fall - 0.5 * lean;
  add_height(aside, cdn_add(cdn_add(lower, back), side), up, margin, 2, out);
  add_height(aside, cdn_sub(cdn_add(lower, back), side), up, margin, 3, out);
}

/* Exchanges the sides of all points. */
static void turn(cdn_manifold *m) {
  for (int i = 0; i < m->n; i++) {
    const cdn_proximity p = m->points[i];
    m->points[i].normal = cdn_scale(-1, p.normal);
    m->points[i].point_a = p.point_b, m->points[i].point_b = p.point_a;
  }
}

/* ---- all kinds ---- */

/* There are few: the id of a point that stands alone is less than the others'. */
static void put_in_order(cdn_manifold *m) {
  for (int i = 1; i < m->n; i++) {
    const cdn_proximity p = m->points[i];
    const int32_t id = m->id[i];
    int at = i;
    for (; at > 0 && m->id[at - 1] > id; at--) m->points[at] = m->points[at - 1], m->id[at] = m->id[at - 1];
    m->points[at] = p, m->id[at] = id;
  }
}

void cdni_contact_pair_points(const cdn_geometry *const g[2], const cdn_transform *const X[2], double margin,
                              cdn_manifold *out) {
  double share;
  out->n = 0;
  if (is_ball_of_such(g[0], g[1]) || is_ball_of_such(g[1], g[0])) {
    out->n = cdni_contact_near(g, X, margin, &out->points[0], &share);
    out->id[0] = 0;
  } else if (g[0]->kind == CDN_GEOMETRY_CAPSULE && g[1]->kind == CDN_GEOMETRY_CAPSULE) capsules(g, X, margin, out);
  else if (g[0]->kind == CDN_GEOMETRY_HALF_SPACE && g[1]->kind == CDN_GEOMETRY_CYLINDER)
    cylinder_stands(g[1]->size, X[0], X[1], margin, out);
  else if (g[0]->kind == CDN_GEOMETRY_CYLINDER && g[1]->kind == CDN_GEOMETRY_HALF_SPACE) {
    cylinder_stands(g[0]->size, X[1], X[0], margin, out);
    turn(out);
  } else if (g[0]->kind == CDN_GEOMETRY_HALF_SPACE && g[1]->kind == CDN_GEOMETRY_CONVEX)
    cdni_hull_stands_steadily(X[0], g[1], X[1], margin, out);
  else if (g[0]->kind == CDN_GEOMETRY_CONVEX && g[1]->kind == CDN_GEOMETRY_HALF_SPACE) {
    cdni_hull_stands_steadily(X[1], g[0], X[0], margin, out);
    turn(out);
  } else cdni_pair_manifold(g[0], X[0], g[1], X[1], margin, out);
  put_in_order(out);
}
