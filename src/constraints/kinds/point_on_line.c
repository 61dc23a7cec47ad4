/* A station of b stays on a line that is fixed on a: two equations, along two axes across the line. */
#include "constraints/kinds/vary.h"

/* Parameters: the line's direction d and a point p_A on it, p_B. */
static const cdni_parameter table[] = { CDNI_DIRECTION("d"), CDNI_VECTOR("p_A", "m"), CDNI_VECTOR("p_B", "m") };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_direction(p, "the line's direction", reason, size);
}

/* Any two, as long as they are fixed on a. */
static void across(const constraint_view *v, v3 *x, v3 *y) {
  const cdn_rotation R = cdn_rotation_z_to(cdn_v3(v->params[0], v->params[1], v->params[2]));
  *x = constraint_direction(v, 0, &R.x.x);
  *y = constraint_direction(v, 0, &R.y.x);
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  v3 a = constraint_place(v, 0, constraint_arm(v, 0, v->params + 3));
  v3 d = v3_sub(constraint_place(v, 1, constraint_arm(v, 1, v->params + 6)), a), x, y;
  across(v, &x, &y);
  e[0] = v3_dot(x, d), e[1] = v3_dot(y, d);
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  v3 arm = constraint_arm(v, 1, v->params + 6), x, y;
  across(v, &x, &y);
  row_along(v, 0, 0, 1, arm, x);
  row_along(v, 1, 0, 1, arm, y);
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  v3 arm = constraint_arm(v, 1, v->params + 6), x, y;
  across(v, &x, &y);
  bias[0] += bias_along(v, 0, 1, arm, x);
  bias[1] += bias_along(v, 0, 1, arm, y);
  return CDN_OK;
}

static cdn_status vary(const constraint_view *v, const constraint_change *change) {
  v3 arm = constraint_arm(v, 1, v->params + 6), x, y;
  across(v, &x, &y);
  vary_along(v, change, 0, 0, 1, arm, x);
  vary_along(v, change, 1, 0, 1, arm, y);
  return CDN_OK;
}

const constraint_kind cdni_constraint_point_on_line = {
  .name = "point on line",
  .n_params = 9,
  .params = table,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .vary = vary,
};

cdn_constraint cdn_system_constrain_point_on_line(cdn_system *system, const char *name, cdn_body a, cdn_vec3 d_A,
                                                  cdn_vec3 p_A, cdn_body b, cdn_vec3 p_B) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_POINT_ON_LINE, "cdn_system_constrain_point_on_line", name, 2, 0, 0);
  cdni_constraint_add_pair(&adder, a, b);
  const cdn_vec3 d = constraint_unit(d_A);
  const double params[] = { d.x, d.y, d.z, p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_point_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 d_A, cdn_vec3 p_A,
                                 cdn_vec3 p_B) {
  const cdn_vec3 d = constraint_unit(d_A);
  const double params[] = { d.x, d.y, d.z, p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_set(state, constraint, CONSTRAINT_POINT_ON_LINE, "cdn_point_on_line_set", params);
}
