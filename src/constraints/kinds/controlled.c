/* A coordinate, or a speed, is the value of a control. (A motion, motion.h, does the same for a whole mobilizer at less
 * cost.) The control's rates enter the equations of the higher levels. */
#include "constraints/kinds/vary.h"
#include "controls/controls.h"

/* The control's value and its first two rates; for a coordinate level 0 is the position, for a speed the velocity. */
static cdn_status rate(const constraint_view *v, int order, double *value) {
  double rates[3];
  CDNI_TRY(cdni_control_rates(v->state, v->c->control, rates));
  *value = rates[order];
  return CDN_OK;
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  double c;
  CDNI_TRY(rate(v, 0, &c));
  e[0] = v->q[v->mobility[0].q] - c;
  return CDN_OK;
}

static cdn_status finish_velocity(const constraint_view *v, double *e) {
  double c;
  CDNI_TRY(rate(v, v->c->np, &c));
  e[0] -= c;
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  double c;
  CDNI_TRY(rate(v, v->c->np + 1, &c));
  bias[0] -= c;
  return CDN_OK;
}

const constraint_kind cdni_constraint_controlled_coordinate = {
  .name = "controlled coordinate",
  .calc_position = calc_position,
  .calc_rows = cdni_constraint_slot_row,
  .finish_velocity = finish_velocity,
  .add_bias = add_bias,
  .vary = vary_nothing,
};

const constraint_kind cdni_constraint_controlled_speed = {
  .name = "controlled speed",
  .calc_rows = cdni_constraint_slot_row,
  .finish_velocity = finish_velocity,
  .add_bias = add_bias,
  .vary = vary_nothing,
};

static cdn_constraint add(constraint_adder *adder, cdn_control control) {
  cdni_adder_check_there(&adder->by, "control", control.i, cdn_system_control_count(adder->by.system));
  adder->element.control = control;
  return cdni_constraint_add(adder, NULL, 0, NULL);
}

cdn_constraint cdn_system_constrain_coordinate_to_control(cdn_system *system, const char *name, cdn_body body,
                                                          int coordinate, cdn_control control) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CONTROLLED_COORDINATE, __func__, name, 1, 0, 0);
  cdni_constraint_add_coordinate(&adder, body, coordinate);
  return add(&adder, control);
}

cdn_constraint cdn_system_constrain_speed_to_control(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                     cdn_control control) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CONTROLLED_SPEED, __func__, name, 0, 1, 0);
  cdni_constraint_add_mobility(&adder, body, mobility);
  return add(&adder, control);
}
