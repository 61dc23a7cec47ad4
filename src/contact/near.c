/* How near two shapes are, for the laws of round surfaces.
 *
 * The nearest points of two capsules jump along them where they become parallel, and a force with them. So between
 * capsules a distance D acts that is smooth: with the points s u and t v of the two segments, D^2 is the least value of
 * |b + t v - a - s u|^2 + e (s^2 + t^2), which has one place for its least value in every pose. It exceeds the distance
 * by less than e (s^2 + t^2) / (2 D). As the least value does not vary with s and t, the force along the line between
 * the two points, times its length over D, has the energy of D. */
#include <float.h>
#include <math.h>

#include "contact/law_kinds.h"
#include "contact/near.h"
#include "contact/touch.h"

/* How much the distance may exceed the true one, against how sharply places change: measured, docs/constants.md. */
static const double e = 1e-3;

static double clamp(double x, double most) { return fmin(fmax(x, -most), most); }

typedef struct rods {
  double l_a, l_b;       /* half lengths */
  double cc, uc, vc, uv; /* of c = b - a */
} rods;

static double value(const rods *r, double s, double t) {
  return r->cc + (1 + e) * (s * s + t * t) + 2 * (t * r->vc - s * r->uc - s * t * r->uv);
}

/* Where it is least. If that is not within both segments, then on a border: one end of one of them. */
static void least_place(const rods *r, double *s, double *t) {
  const double k = 1 + e, det = k * k - r->uv * r->uv;
  *s = (k * r->uc - r->uv * r->vc) / det;
  *t = (r->uv * r->uc - k * r->vc) / det;
  if (fabs(*s) <= r->l_a && fabs(*t) <= r->l_b) return;
  double best = INFINITY;
  for (int i = 0; i < 4; i++) {
    const double end = i % 2 ? 1 : -1;
    const double s_i = i < 2 ? end * r->l_a : clamp((r->uc + r->uv * end * r->l_b) / k, r->l_a);
    const double t_i = i < 2 ? clamp((r->uv * end * r->l_a - r->vc) / k, r->l_b) : end * r->l_b;
    const double here = value(r, s_i, t_i);
    if (here < best) best = here, *s = s_i, *t = t_i;
  }
}

/* Two balls, or a ball and a half-space: `g[ball]` is a ball. */
static bool near_ball(const cdn_geometry *const g[2], const cdn_transform *const X[2], int ball, double reach,
                      cdn_proximity *near) {
  const int other = 1 - ball;
  const double r = g[ball]->size[0];
  cdn_vec3 n; /* from the ball to the other */
  double distance;
  if (g[other]->kind == CDN_GEOMETRY_HALF_SPACE) {
    n = cdn_scale(-1, X[other]->R.z);
    distance = cdn_dot(cdn_sub(X[other]->p, X[ball]->p), n) - r;
  } else {
    const cdn_vec3 line = cdn_sub(X[other]->p, X[ball]->p);
    const double radii = r + g[other]->size[0], square = cdn_dot(line, line), most = radii + reach;
    if (square > most * most) return false;
    const double length = sqrt(square);
    n = length > DBL_MIN ? cdn_scale(1 / length, line) : cdn_v3(0, 0, 1);
    distance = length - radii;
  }
  if (distance > reach) return false;
  const cdn_vec3 p_ball = cdn_add(X[ball]->p, cdn_scale(r, n)), p_other = cdn_add(p_ball, cdn_scale(distance, n));
  *near = (cdn_proximity){ .distance = distance,
                           .normal = ball == 0 ? n : cdn_scale(-1, n),
                           .point_a = ball == 0 ? p_ball : p_other,
                           .point_b = ball == 0 ? p_other : p_ball };
  return true;
}

static bool is_ball_of_such(const cdn_geometry *g, const cdn_geometry *other) {
  return g->kind == CDN_GEOMETRY_SPHERE &&
         (other->kind == CDN_GEOMETRY_SPHERE || other->kind == CDN_GEOMETRY_HALF_SPACE);
}

rods_place cdni_contact_rods(const cdn_geometry *const g[2], const cdn_transform *const X[2]) {
  const cdn_vec3 u = X[0]->R.z, v = X[1]->R.z, c = cdn_sub(X[1]->p, X[0]->p);
  const rods r = { g[0]->size[1], g[1]->size[1], cdn_dot(c, c), cdn_dot(u, c), cdn_dot(v, c), cdn_dot(u, v) };
  double s, t;
  least_place(&r, &s, &t);
  const cdn_vec3 a = cdn_add(X[0]->p, cdn_scale(s, u)), b = cdn_add(X[1]->p, cdn_scale(t, v)), line = cdn_sub(b, a);
  const double length = cdn_norm(line);
  return (rods_place){ .on_a = a,
                       .normal = length > 0 ? cdn_scale(1 / length, line) : contact_tangent(u),
                       .s = s,
                       .t = t,
                       .s_varies = fabs(s) < r.l_a,
                       .t_varies = fabs(t) < r.l_b,
                       .length = length,
                       .D = sqrt(length * length + e * (s * s + t * t)) };
}

void cdni_contact_rods_rate(const rods_place *r, const cdn_transform *const X[2], const cdn_vec3 turn[2],
                            const cdn_vec3 shift[2], rods_rate *out) {
  const cdn_vec3 u = X[0]->R.z, v = X[1]->R.z, c = cdn_sub(X[1]->p, X[0]->p);
  const cdn_vec3 du = cdn_cross(turn[0], u), dv = cdn_cross(turn[1], v), dc = cdn_sub(shift[1], shift[0]);
  /* k s - uv t = uc and k t - uv s = -vc, where the ends are not reached */
  const double k = 1 + e, uv = cdn_dot(u, v), d_uv = cdn_dot(du, v) + cdn_dot(u, dv);
  const double right_s = cdn_dot(du, c) + cdn_dot(u, dc) + d_uv * r->t,
               right_t = d_uv * r->s - cdn_dot(dv, c) - cdn_dot(v, dc);
  double ds = 0, dt = 0;
  if (r->s_varies && r->t_varies) {
    const double det = k * k - uv * uv;
    ds = (k * right_s + uv * right_t) / det, dt = (k * right_t + uv * right_s) / det;
  } else if (r->s_varies) ds = right_s / k;
  else if (r->t_varies) dt = right_t / k;
  out->on_a = cdn_add(shift[0], cdn_add(cdn_scale(ds, u), cdn_scale(r->s, du)));
  const cdn_vec3 on_b = cdn_add(shift[1], cdn_add(cdn_scale(dt, v), cdn_scale(r->t, dv))),
                 line = cdn_sub(on_b, out->on_a);
  out->length = cdn_dot(r->normal, line);
  out->normal = cdn_scale(r->length > 0 ? 1 / r->length : 0, cdn_sub(line, cdn_scale(out->length, r->normal)));
  out->D = r->D > 0 ? (r->length * out->length + e * (r->s * ds + r->t * dt)) / r->D : 0;
}

static bool is_mesh_on_field(const cdn_geometry *g, const cdn_geometry *other) {
  return g->kind == CDN_GEOMETRY_MESH && other->kind == CDN_GEOMETRY_HEIGHT_FIELD;
}

bool cdni_contact_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], double reach,
                       cdn_proximity *near, double *share) {
  *share = 1;
  if (is_ball_of_such(g[0], g[1])) return near_ball(g, X, 0, reach, near);
  if (is_ball_of_such(g[1], g[0])) return near_ball(g, X, 1, reach, near);
  if (is_mesh_on_field(g[0], g[1]) || is_mesh_on_field(g[1], g[0]))
    return cdni_springs_near(g, X, near) && near->distance <= reach;
  if (g[0]->kind != CDN_GEOMETRY_CAPSULE || g[1]->kind != CDN_GEOMETRY_CAPSULE)
    return cdni_pair_distance(g[0], X[0], g[1], X[1], reach, near);
  const rods_place r = cdni_contact_rods(g, X);
  near->normal = r.normal;
  near->distance = r.D - g[0]->size[0] - g[1]->size[0];
  near->point_a = cdn_add(r.on_a, cdn_scale(g[0]->size[0], near->normal));
  near->point_b = cdn_add(near->point_a, cdn_scale(near->distance, near->normal));
  near->feature_a = near->feature_b = 0;
  *share = r.D > 0 ? r.length / r.D : 0;
  return near->distance <= reach;
}
