/* A station of b does not move along a direction of a: the slip of a bead on its wire. The multiplier is the force on a
 * along the direction, at the station. */
#include "constraints/kinds/equations.h"

/* Parameters: d in A, p_B. */
static const cdni_parameter table[] = { CDNI_DIRECTION("d"), CDNI_VECTOR("p_B", "m") };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_direction(p, "the line's direction", reason, size);
}

static cdn_status calc_rows(const constraint_view *v) {
  row_along(v, 0, 0, 1, constraint_arm(v, 1, v->params + 3), constraint_direction(v, 0, v->params));
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  bias[0] += bias_along(v, 0, 1, constraint_arm(v, 1, v->params + 3), constraint_direction(v, 0, v->params));
  return CDN_OK;
}

const constraint_kind cdni_constraint_slip_on_line = {
  .name = "no slip on line",
  .n_params = 6,
  .params = table,
  .check = check,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

cdn_constraint cdn_system_constrain_slip_on_line(cdn_system *system, const char *name, cdn_body a, cdn_vec3 d_A,
                                                 cdn_body b, cdn_vec3 p_B) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_SLIP_ON_LINE, "cdn_system_constrain_slip_on_line", name, 0, 1, 0);
  cdni_constraint_add_pair(&adder, a, b);
  const cdn_vec3 d = constraint_unit(d_A);
  const double params[] = { d.x, d.y, d.z, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_slip_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 d_A, cdn_vec3 p_B) {
  const cdn_vec3 d = constraint_unit(d_A);
  const double params[] = { d.x, d.y, d.z, p_B.x, p_B.y, p_B.z };
  return cdni_constraint_set(state, constraint, CONSTRAINT_SLIP_ON_LINE, "cdn_slip_on_line_set", params);
}
