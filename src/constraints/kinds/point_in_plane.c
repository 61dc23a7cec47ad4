/* A station of b stays in a plane that is fixed on a: n . p = h in a's axes. The multiplier is the force along n on
 * a. */
#include "constraints/kinds/vary.h"

/* Parameters: n in A, h, p_B. */
static const cdni_parameter table[] = { CDNI_DIRECTION("n"), CDNI_ANY("h", "m"), CDNI_VECTOR("p_B", "m") };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_direction(p, "the plane's normal", reason, size);
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  const double origin[3] = { 0, 0, 0 };
  v3 a = constraint_place(v, 0, constraint_arm(v, 0, origin));
  v3 b = constraint_place(v, 1, constraint_arm(v, 1, v->params + 4));
  e[0] = v3_dot(constraint_direction(v, 0, v->params), v3_sub(b, a)) - v->params[3];
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  row_along(v, 0, 0, 1, constraint_arm(v, 1, v->params + 4), constraint_direction(v, 0, v->params));
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  bias[0] += bias_along(v, 0, 1, constraint_arm(v, 1, v->params + 4), constraint_direction(v, 0, v->params));
  return CDN_OK;
}

static cdn_status vary(const constraint_view *v, const constraint_change *x) {
  vary_along(v, x, 0, 0, 1, constraint_arm(v, 1, v->params + 4), constraint_direction(v, 0, v->params));
  return CDN_OK;
}

/* Seen from a the station moves by less than `error`, so that it is never farther from a's origin than this. */
static void find_arms(const constraint_view *v, double error, double *arm) {
  const v3 arm_b = constraint_arm(v, 1, v->params + 4);
  arm[0] = v3_norm(v3_sub(constraint_place(v, 1, arm_b), v->pose[v->body[0]].p_GM)) + fabs(error);
  arm[1] = v3_norm(arm_b);
}

const constraint_kind cdni_constraint_point_in_plane = {
  .name = "point in plane",
  .n_params = 7,
  .params = table,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .find_arms = find_arms,
  .vary = vary,
};

cdn_constraint cdn_system_constrain_point_in_plane(cdn_system *system, const char *name, cdn_body a, cdn_vec3 n_A,
                                                   double h, cdn_body b, cdn_vec3 p_B) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_POINT_IN_PLANE, "cdn_system_constrain_point_in_plane", name, 1, 0,
                        0);
  cdni_constraint_add_pair(&adder, a, b);
  const cdn_vec3 n = constraint_unit(n_A);
  const double params[] = { n.x, n.y, n.z, h, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_point_in_plane_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 n_A, double h, cdn_vec3 p_B) {
  const cdn_vec3 n = constraint_unit(n_A);
  const double params[] = { n.x, n.y, n.z, h, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_set(state, constraint, CONSTRAINT_POINT_IN_PLANE, "cdn_point_in_plane_set", params);
}
