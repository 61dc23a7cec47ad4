/* A sphere of a touches one of b from outside. The contact divides the line of centres in the ratio of the radii, so
 * a remaining gap is shared in the same ratio. */
#include <math.h>

#include "constraints/kinds/contact.h"

/* Parameters: centre and radius on a, centre and radius on b. */
static const cdni_parameter table[] = { CDNI_VECTOR("p_A", "m"), CDNI_NOT_NEGATIVE("radius_a", "m"),
                                        CDNI_VECTOR("p_B", "m"), CDNI_NOT_NEGATIVE("radius_b", "m") };
enum { RADIUS_A = 3, CENTER_B = 4, RADIUS_B = 7 };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  if (p[RADIUS_A] + p[RADIUS_B] > 0) return true;
  snprintf(reason, size, "both radii are zero: two points are a ball");
  return false;
}

/* Tangents: x is across n and that axis of a which is farthest from n. They jump where another axis takes its place,
 * which turns the tangential equations into combinations of themselves. */
static void choose_tangents(const constraint_view *v, bool moving, contact *c) {
  static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const m3 A = constraint_axes(v, 0, identity);
  const v3 n_A = m3_tmul(A, c->n);
  const double x = fabs(n_A.x), y = fabs(n_A.y), z = fabs(n_A.z);
  const v3 axis = x <= y && x <= z ? A.x : y <= z ? A.y : A.z;
  const v3 side = v3_cross(c->n, axis);
  const double length = v3_norm(side);
  c->x = v3_scale(1 / length, side);
  c->y = v3_cross(c->n, c->x);
  if (!moving) return;
  const v3 rate = v3_cross_add(c->ndot, axis, v3_cross(c->n, v3_cross(constraint_w(v, 0), axis)));
  c->xdot = v3_scale(1 / length, v3_fma(-v3_dot(c->x, rate), c->x, rate));
  c->ydot = v3_cross_add(c->ndot, c->x, v3_cross(c->n, c->xdot));
}

static cdn_status touch(const constraint_view *v, bool moving, contact *c) {
  const double *p = v->params, share = p[RADIUS_A] / (p[RADIUS_A] + p[RADIUS_B]);
  const v3 arm_a = constraint_arm(v, 0, p), arm_b = constraint_arm(v, 1, p + CENTER_B);
  const v3 a = constraint_place(v, 0, arm_a), d = v3_sub(constraint_place(v, 1, arm_b), a);
  const double distance = v3_norm(d);
  if (distance == 0)
    return cdni_constraint_singular(v, "the spheres' centres are in one place, and they have no common normal");
  c->n = v3_scale(1 / distance, d);
  c->C = v3_fma(share, d, a);
  c->gap = distance - p[RADIUS_A] - p[RADIUS_B];
  if (moving) {
    const v3 v_a = constraint_velocity(v, 0, arm_a), rate = v3_sub(constraint_velocity(v, 1, arm_b), v_a);
    c->Cdot = v3_fma(share, rate, v_a);
    c->ndot = v3_scale(1 / distance, v3_fma(-v3_dot(c->n, rate), c->n, rate));
  }
  if (v->c->nv > 0) choose_tangents(v, moving, c);
  return CDN_OK;
}

CONTACT_FUNCTIONS(touch)

const constraint_kind cdni_constraint_sphere_on_sphere = {
  .name = "sphere on sphere",
  .n_params = CDNI_COUNT(table),
  .params = table,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

cdn_constraint cdn_system_constrain_sphere_on_sphere(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                     double radius_a, cdn_body b, cdn_vec3 p_B, double radius_b,
                                                     bool rolling) {
  constraint_adder adder;
  contact_begin(&adder, system, CONSTRAINT_SPHERE_ON_SPHERE, "cdn_system_constrain_sphere_on_sphere", name, a, b,
                rolling ? CONTACT_ROLLING : CONTACT_SLIDING);
  const double params[] = { p_A.x, p_A.y, p_A.z, radius_a, p_B.x, p_B.y, p_B.z, radius_b };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_sphere_on_sphere_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 p_A, double radius_a,
                                    cdn_vec3 p_B, double radius_b) {
  const double params[] = { p_A.x, p_A.y, p_A.z, radius_a, p_B.x, p_B.y, p_B.z, radius_b };
  return cdni_constraint_set(state, constraint, CONSTRAINT_SPHERE_ON_SPHERE, "cdn_sphere_on_sphere_set", params);
}
