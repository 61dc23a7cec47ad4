/* A ball joint as a constraint: a station of b coincides with one of a. Errors are along a's axes; the multipliers
 * are the force on a along the same axes, the opposite of the force on b. */
#include "constraints/kinds/vary.h"

static const cdni_parameter table[] = { CDNI_VECTOR("p_A", "m"), CDNI_VECTOR("p_B", "m") };
static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static cdn_status calc_position(const constraint_view *v, double *e) {
  v3 a = constraint_place(v, 0, constraint_arm(v, 0, v->params));
  v3 b = constraint_place(v, 1, constraint_arm(v, 1, v->params + 3));
  v3 d = m3_tmul(constraint_axes(v, 0, axes), v3_sub(b, a));
  e[0] = d.x, e[1] = d.y, e[2] = d.z;
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  m3 R = constraint_axes(v, 0, axes);
  v3 arm = constraint_arm(v, 1, v->params + 3);
  row_along(v, 0, 0, 1, arm, R.x);
  row_along(v, 1, 0, 1, arm, R.y);
  row_along(v, 2, 0, 1, arm, R.z);
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  m3 R = constraint_axes(v, 0, axes);
  v3 arm = constraint_arm(v, 1, v->params + 3);
  bias[0] += bias_along(v, 0, 1, arm, R.x);
  bias[1] += bias_along(v, 0, 1, arm, R.y);
  bias[2] += bias_along(v, 0, 1, arm, R.z);
  return CDN_OK;
}

static cdn_status vary(const constraint_view *v, const constraint_change *x) {
  const m3 R = constraint_axes(v, 0, axes);
  const v3 arm = constraint_arm(v, 1, v->params + 3);
  vary_along(v, x, 0, 0, 1, arm, R.x);
  vary_along(v, x, 1, 0, 1, arm, R.y);
  vary_along(v, x, 2, 0, 1, arm, R.z);
  return CDN_OK;
}

const constraint_kind cdni_constraint_ball = {
  .name = "ball",
  .n_params = 6,
  .params = table,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .vary = vary,
};

cdn_constraint cdn_system_constrain_ball(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                         cdn_vec3 p_B) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_BALL, "cdn_system_constrain_ball", name, 3, 0, 0);
  cdni_constraint_add_pair(&adder, a, b);
  const double params[] = { p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_ball_set(cdn_state *state, cdn_constraint ball, cdn_vec3 p_A, cdn_vec3 p_B) {
  const double params[] = { p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_set(state, ball, CONSTRAINT_BALL, "cdn_ball_set", params);
}
