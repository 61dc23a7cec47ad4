/* A coordinate keeps its value. (A lock, motion.h, does the same at less cost, and comes before all constraints.) */
#include "constraints/kinds/vary.h"

static const cdni_parameter table[] = { CDNI_ANY("value", "m|rad") };

static cdn_status calc_position(const constraint_view *v, double *e) {
  e[0] = v->q[v->mobility[0].q] - v->params[0];
  return CDN_OK;
}

static void find_arms(const constraint_view *v, double error, double *arm) { (void)v, (void)error, (void)arm; }

const constraint_kind cdni_constraint_constant_coordinate = {
  .name = "constant coordinate",
  .n_params = 1,
  .params = table,
  .calc_position = calc_position,
  .calc_rows = cdni_constraint_slot_row,
  .add_bias = cdni_constraint_no_bias,
  .find_arms = find_arms,
  .vary = vary_nothing,
};

cdn_constraint cdn_system_constrain_coordinate(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                               double value) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CONSTANT_COORDINATE, "cdn_system_constrain_coordinate", name, 1, 0,
                        0);
  cdni_constraint_add_coordinate(&adder, body, coordinate);
  return cdni_constraint_add(&adder, NULL, 0, &value);
}

cdn_status cdn_constant_coordinate_set(cdn_state *state, cdn_constraint constraint, double value) {
  return cdni_constraint_set(state, constraint, CONSTRAINT_CONSTANT_COORDINATE, "cdn_constant_coordinate_set", &value);
}
