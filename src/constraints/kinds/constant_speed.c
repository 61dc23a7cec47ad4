/* A speed u keeps its value. (A steady motion, motion.h, does the same at less cost.) */
#include "constraints/kinds/vary.h"

static const cdni_parameter table[] = { CDNI_ANY("speed", "m/s|rad/s") };

static cdn_status finish_velocity(const constraint_view *v, double *e) {
  e[0] -= v->params[0];
  return CDN_OK;
}

const constraint_kind cdni_constraint_constant_speed = {
  .name = "constant speed",
  .n_params = 1,
  .params = table,
  .calc_rows = cdni_constraint_slot_row,
  .finish_velocity = finish_velocity,
  .add_bias = cdni_constraint_no_bias,
  .vary = vary_nothing,
};

cdn_constraint cdn_system_constrain_speed(cdn_system *system, const char *name, cdn_body body, int mobility,
                                          double speed) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CONSTANT_SPEED, "cdn_system_constrain_speed", name, 0, 1, 0);
  cdni_constraint_add_mobility(&adder, body, mobility);
  return cdni_constraint_add(&adder, NULL, 0, &speed);
}

cdn_status cdn_constant_speed_set(cdn_state *state, cdn_constraint constraint, double speed) {
  return cdni_constraint_set(state, constraint, CONSTRAINT_CONSTANT_SPEED, "cdn_constant_speed_set", &speed);
}
