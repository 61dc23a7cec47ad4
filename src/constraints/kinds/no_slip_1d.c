/* Two bodies do not slip on each other along a direction, at a point; both are fixed on a third body: the case that
 * holds two gears or a wheel and its rack. The multiplier is the force on the first body along the direction. */
#include "constraints/kinds/equations.h"

enum { CASE, FIRST, SECOND };

/* Parameters: the point and the direction on the case. */
static const cdni_parameter table[] = { CDNI_VECTOR("p", "m"), CDNI_DIRECTION("n") };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_direction(p + 3, "the direction without slip", reason, size);
}

static cdn_status calc_rows(const constraint_view *v) {
  row_slip(v, 0, FIRST, SECOND, constraint_place(v, CASE, constraint_arm(v, CASE, v->params)),
           constraint_direction(v, CASE, v->params + 3));
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  v3 arm = constraint_arm(v, CASE, v->params), n = constraint_direction(v, CASE, v->params + 3);
  bias[0] += bias_slip(v, FIRST, SECOND, constraint_place(v, CASE, arm), constraint_velocity(v, CASE, arm), n,
                       v3_cross(constraint_w(v, CASE), n));
  return CDN_OK;
}

const constraint_kind cdni_constraint_no_slip_1d = {
  .name = "no slip",
  .n_params = 6,
  .params = table,
  .check = check,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

cdn_constraint cdn_system_constrain_no_slip(cdn_system *system, const char *name, cdn_body frame, cdn_vec3 p_C,
                                            cdn_vec3 n_C, cdn_body a, cdn_body b) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_NO_SLIP_1D, "cdn_system_constrain_no_slip", name, 0, 1, 0);
  cdni_constraint_add_body(&adder, frame);
  cdni_constraint_add_pair(&adder, a, b);
  const cdn_vec3 n = constraint_unit(n_C);
  const double params[] = { p_C.x, p_C.y, p_C.z, n.x, n.y, n.z };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_no_slip_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 p_C, cdn_vec3 n_C) {
  const cdn_vec3 n = constraint_unit(n_C);
  const double params[] = { p_C.x, p_C.y, p_C.z, n.x, n.y, n.z };
  return cdni_constraint_set(state, constraint, CONSTRAINT_NO_SLIP_1D, "cdn_no_slip_set", params);
}
