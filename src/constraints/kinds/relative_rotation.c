/* Body b does not turn relative to a: the slip of a ball joint. Errors are the angular velocity of b relative to a,
 * along a's axes; the multipliers are the moment on a along the same axes. */
#include "constraints/kinds/equations.h"

static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static cdn_status calc_rows(const constraint_view *v) {
  const m3 R = constraint_axes(v, 0, axes);
  row_turn(v, 0, 0, 1, R.x), row_turn(v, 1, 0, 1, R.y), row_turn(v, 2, 0, 1, R.z);
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  const m3 R = constraint_axes(v, 0, axes);
  const v3 w = constraint_w(v, 0);
  bias[0] += bias_turn(v, 0, 1, v3_cross(w, R.x));
  bias[1] += bias_turn(v, 0, 1, v3_cross(w, R.y));
  bias[2] += bias_turn(v, 0, 1, v3_cross(w, R.z));
  return CDN_OK;
}

const constraint_kind cdni_constraint_relative_rotation = {
  .name = "no rotation",
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

cdn_constraint cdn_system_constrain_rotation(cdn_system *system, const char *name, cdn_body a, cdn_body b) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_RELATIVE_ROTATION, "cdn_system_constrain_rotation", name, 0, 3, 0);
  cdni_constraint_add_pair(&adder, a, b);
  return cdni_constraint_add(&adder, NULL, 0, NULL);
}
