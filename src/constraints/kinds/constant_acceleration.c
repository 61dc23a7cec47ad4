/* A mobility's acceleration udot has a given value. Errors of u and q that result are not corrected. */
#include "constraints/kinds/vary.h"

static const cdni_parameter table[] = { CDNI_ANY("acceleration", "m/s^2|rad/s^2") };

static cdn_status add_bias(const constraint_view *v, double *bias) {
  bias[0] -= v->params[0];
  return CDN_OK;
}

const constraint_kind cdni_constraint_constant_acceleration = {
  .name = "constant acceleration",
  .n_params = 1,
  .params = table,
  .calc_rows = cdni_constraint_slot_row,
  .add_bias = add_bias,
  .vary = vary_nothing,
};

cdn_constraint cdn_system_constrain_acceleration(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                 double acceleration) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CONSTANT_ACCELERATION, "cdn_system_constrain_acceleration", name, 0,
                        0, 1);
  cdni_constraint_add_mobility(&adder, body, mobility);
  return cdni_constraint_add(&adder, NULL, 0, &acceleration);
}

cdn_status cdn_constant_acceleration_set(cdn_state *state, cdn_constraint constraint, double acceleration) {
  return cdni_constraint_set(state, constraint, CONSTRAINT_CONSTANT_ACCELERATION, "cdn_constant_acceleration_set",
                             &acceleration);
}
