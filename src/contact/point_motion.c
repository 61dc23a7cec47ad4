/* How a point of soft contact moves with its bodies: exact for balls, capsules and half-spaces, and for corners on a
 * half-space. */
#include "contact/derivatives.h"
#include "contact/laws.h"
#include "contact/points.h"
#include "contact/sources.h"

static bool is_round(cdn_geometry_kind kind) { return kind == CDN_GEOMETRY_SPHERE || kind == CDN_GEOMETRY_CAPSULE; }
static bool has_corners(cdn_geometry_kind kind) { return kind == CDN_GEOMETRY_BOX; }

bool cdni_contact_motion_is_known(const contact_room *room, const contact_point *p) {
  if (cdni_contact_is_of_source(room, p->feature) || cdni_is_own_law(law_between(room, p->a, p->b))) return false;
  const cdn_geometry_kind a = CDNI_AT(room->shapes, shape, p->a).geometry.kind;
  const cdn_geometry_kind b = CDNI_AT(room->shapes, shape, p->b).geometry.kind;
  if (a == CDN_GEOMETRY_HALF_SPACE) return is_round(b) || has_corners(b);
  if (b == CDN_GEOMETRY_HALF_SPACE) return is_round(a) || has_corners(a);
  return is_round(a) && is_round(b);
}

/* On a half-space capsules touch with their ends, which are balls; a corner is a ball without a radius. */
static double radius_on_ground(const cdn_geometry *g) { return is_round(g->kind) ? g->size[0] : 0; }

/* The normal n of a half-space turns with its body, and the point on the other shape is that of a ball of radius r: for
 * a motion of the half-space (theta, delta), and of the ball. `out` is from the half-space to the ball. */
typedef struct ground_motion {
  cdn_vec3 normal, point;
  double distance;
} ground_motion;
static ground_motion over_ground(cdn_vec3 n, double distance, double r, cdn_vec3 theta, cdn_vec3 delta,
                                 cdn_vec3 theta_ball, cdn_vec3 delta_ball) {
  /* the middle of the ball is at (r + distance / 2) n from the point */
  const cdn_vec3 arm = cdn_scale(r + 0.5 * distance, n), turned = cdn_cross(theta, n);
  const cdn_vec3 middle = cdn_add(delta_ball, cdn_cross(theta_ball, arm));
  ground_motion m = { .normal = turned };
  m.distance = cdn_dot(n, cdn_sub(middle, cdn_add(delta, cdn_cross(theta, arm))));
  /* point = middle - (r + distance / 2) n */
  m.point = cdn_sub(middle, cdn_add(cdn_scale(r + 0.5 * distance, turned), cdn_scale(0.5 * m.distance, n)));
  return m;
}

/* The first tangent is t across n, made of unit length; t turns by dt. */
static void move_tangents(const contact_point *p, cdn_vec3 t, cdn_vec3 dt, int k, contact_point_motion *out) {
  const cdn_vec3 n = p->normal, dn = out->normal[k], t1 = p->tangent[0];
  const double along = cdn_dot(t, n), length = cdn_norm(cdn_sub(t, cdn_scale(along, n)));
  cdn_vec3 d = cdn_sub(dt, cdn_scale(cdn_dot(dt, n) + cdn_dot(t, dn), n));
  d = cdn_sub(d, cdn_scale(along, dn));
  d = cdn_scale(1 / length, cdn_sub(d, cdn_scale(cdn_dot(t1, d), t1)));
  out->tangent[0][k] = d;
  out->tangent[1][k] = cdn_add(cdn_cross(dn, t1), cdn_cross(n, d));
}

void cdni_contact_move_point(const contact_room *room, cdn_state *state, const contact_point *p,
                             contact_point_motion *out) {
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const cdn_geometry *g[2] = { &places[p->a].geometry, &places[p->b].geometry };
  const cdn_transform *X[2] = { &poses[p->a].X_GS, &poses[p->b].X_GS };
  const int ground = g[0]->kind == CDN_GEOMETRY_HALF_SPACE ? 0 : g[1]->kind == CDN_GEOMETRY_HALF_SPACE ? 1 : -1;
  const touch t = { .normal = p->normal, .tangent = p->tangent[0], .point = p->point, .depth = -p->distance };
  spot c = { .t = &t, .depth = t.depth, .share = 0.5 };
  c.x_a = cdn_sub(p->point, cdn_scale(0.5 * p->distance, p->normal));
  if (ground < 0) {
    c.A = cdni_surface_tensor(g[0], X[0], c.x_a, p->normal);
    c.B = cdni_surface_tensor(g[1], X[1], cdn_add(c.x_a, cdn_scale(p->distance, p->normal)), cdn_scale(-1, p->normal));
  }
  int turning; /* the body with which the axis of the first tangent turns */
  const cdn_vec3 axis = cdni_contact_tangent_axis(g, X, p->normal, &turning);
  for (int k = 0; k < 12; k++) {
    const small_motion d = cdni_contact_unit_motion(k);
    if (ground < 0) {
      const effect e = cdni_contact_effect(&c, &d);
      out->normal[k] = e.n, out->point[k] = e.p, out->distance[k] = e.gap;
    } else {
      const double r = radius_on_ground(g[1 - ground]);
      const ground_motion m =
          ground == 0
              ? over_ground(p->normal, p->distance, r, d.theta_a, d.delta_a, d.theta_b, d.delta_b)
              : over_ground(cdn_scale(-1, p->normal), p->distance, r, d.theta_b, d.delta_b, d.theta_a, d.delta_a);
      out->normal[k] = ground == 0 ? m.normal : cdn_scale(-1, m.normal);
      out->point[k] = m.point, out->distance[k] = m.distance;
    }
    const cdn_vec3 theta = turning == 0 ? d.theta_a : turning == 1 ? d.theta_b : cdn_v3(0, 0, 0);
    move_tangents(p, axis, cdn_cross(theta, axis), k, out);
  }
}
