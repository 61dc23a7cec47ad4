/* A coordinate is a function of time. (A motion, motion.h, does the same for a whole mobilizer at less cost.) */
#include "constraints/kinds/vary.h"

static cdn_status evaluate(const constraint_view *v, int order, cdn_function_result *f) {
  return constraint_function(v, constraint_function_of(v->data), &v->t, order, f);
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 0, &f));
  e[0] = v->q[v->mobility[0].q] - f.value;
  return CDN_OK;
}

static cdn_status finish_velocity(const constraint_view *v, double *e) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 1, &f));
  e[0] -= f.d1[0];
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 2, &f));
  bias[0] -= f.d2[0];
  return CDN_OK;
}

static void destroy(void *data) { cdn_function_release(constraint_function_of(data)); }

const constraint_kind cdni_constraint_prescribed_motion = {
  .name = "prescribed motion",
  .calc_position = calc_position,
  .calc_rows = cdni_constraint_slot_row,
  .finish_velocity = finish_velocity,
  .add_bias = add_bias,
  .destroy = destroy,
  .vary = vary_nothing,
};

cdn_constraint cdn_system_constrain_motion(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                           const cdn_function *f) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_PRESCRIBED_MOTION, "cdn_system_constrain_motion", name, 1, 0, 0);
  adder.element.rheonomic = true;
  cdni_constraint_add_coordinate(&adder, body, coordinate);
  return constraint_add_function(&adder, f, 1, &f, sizeof f);
}
