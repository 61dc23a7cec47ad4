/* A sphere of b on a plane of a; of radius 0: a point. The contact is the sphere's lowest point. */
#include "constraints/kinds/contact.h"

/* Parameters: the plane's frame X_AP (its z is the normal), the sphere's centre p_B, its radius. */
static const cdni_parameter table[] = { CDNI_FRAME("X_AP"), CDNI_VECTOR("p_B", "m"), CDNI_NOT_NEGATIVE("radius", "m") };
enum { CENTER = 12, RADIUS = 15 };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_frame(p, "X_AP", reason, size);
}

static cdn_status touch(const constraint_view *v, bool moving, contact *c) {
  const double r = v->params[RADIUS];
  const m3 P = constraint_axes(v, 0, v->params);
  v3 arm = constraint_arm(v, 1, v->params + CENTER);
  c->n = P.z, c->x = P.x, c->y = P.y;
  c->C = v3_fma(-r, c->n, constraint_place(v, 1, arm));
  c->gap = v3_dot(c->n, v3_sub(c->C, constraint_place(v, 0, constraint_arm(v, 0, v->params + 9))));
  if (!moving) return CDN_OK;
  const v3 w = constraint_w(v, 0);
  c->ndot = v3_cross(w, c->n), c->xdot = v3_cross(w, c->x), c->ydot = v3_cross(w, c->y);
  c->Cdot = v3_fma(-r, c->ndot, constraint_velocity(v, 1, arm));
  return CDN_OK;
}

CONTACT_FUNCTIONS(touch)

/* Seen from a the centre moves by less than `error`, so that it is never farther from a's origin than this. */
static void find_arms(const constraint_view *v, double error, double *arm) {
  const v3 arm_b = constraint_arm(v, 1, v->params + CENTER);
  arm[0] = v3_norm(v3_sub(constraint_place(v, 1, arm_b), v->pose[v->body[0]].p_GM)) + fabs(error);
  arm[1] = v3_norm(arm_b);
}

const constraint_kind cdni_constraint_sphere_on_plane = {
  .name = "sphere on plane",
  .n_params = CDNI_COUNT(table),
  .params = table,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .find_arms = find_arms,
};

static void pack(double *params, cdn_transform X_AP, cdn_vec3 p_B, double radius) {
  cdni_pack_transform(params, X_AP);
  params[CENTER] = p_B.x, params[CENTER + 1] = p_B.y, params[CENTER + 2] = p_B.z;
  params[RADIUS] = radius;
}

cdn_constraint cdn_system_constrain_sphere_on_plane(cdn_system *system, const char *name, cdn_body a,
                                                    cdn_transform X_AP, cdn_body b, cdn_vec3 p_B, double radius,
                                                    bool rolling) {
  constraint_adder adder;
  double params[CDNI_COUNT(table)];
  contact_begin(&adder, system, CONSTRAINT_SPHERE_ON_PLANE, "cdn_system_constrain_sphere_on_plane", name, a, b,
                rolling ? CONTACT_ROLLING : CONTACT_SLIDING);
  pack(params, X_AP, p_B, radius);
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_constraint cdn_system_constrain_slip_on_plane(cdn_system *system, const char *name, cdn_body a, cdn_transform X_AP,
                                                  cdn_body b, cdn_vec3 p_B, double radius) {
  constraint_adder adder;
  double params[CDNI_COUNT(table)];
  contact_begin(&adder, system, CONSTRAINT_SPHERE_ON_PLANE, "cdn_system_constrain_slip_on_plane", name, a, b,
                CONTACT_SLIP);
  pack(params, X_AP, p_B, radius);
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_constraint cdni_constrain_turn_on_plane(cdn_system *system, const char *name, cdn_body a, cdn_transform X_AP,
                                            cdn_body b, contact_equations equations) {
  constraint_adder adder;
  double params[CDNI_COUNT(table)];
  contact_begin(&adder, system, CONSTRAINT_SPHERE_ON_PLANE, "cdn_system_add_rigid_contact", name, a, b, equations);
  pack(params, X_AP, cdn_v3(0, 0, 0), 0);
  return cdni_constraint_add(&adder, &equations, sizeof equations, params);
}

cdn_status cdn_sphere_on_plane_set(cdn_state *state, cdn_constraint constraint, cdn_transform X_AP, cdn_vec3 p_B,
                                   double radius) {
  double params[CDNI_COUNT(table)];
  pack(params, X_AP, p_B, radius);
  return cdni_constraint_set(state, constraint, CONSTRAINT_SPHERE_ON_PLANE, "cdn_sphere_on_plane_set", params);
}
