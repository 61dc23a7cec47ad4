/* Two directions, one on each body, keep the cosine of the angle between them. */
#include <math.h>
#include <stdio.h>

#include "constraints/kinds/vary.h"

/* Parameters: x on a, y on b, the angle. */
static const cdni_parameter table[] = {
  CDNI_DIRECTION("x"),
  CDNI_DIRECTION("y"),
  /* the upper limit leaves pi out even if it was rounded on its way */
  { "angle", "rad", 0, 3.14159265358979, CDNI_EXCLUDES_LOWER | CDNI_EXCLUDES_UPPER, 0,
    "between 0 and pi: at either the two directions are on one line, which takes two constant angles of pi/2" }
};

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_direction(p, "the direction on a", reason, size) &&
         constraint_check_direction(p + 3, "the direction on b", reason, size);
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  e[0] = v3_dot(constraint_direction(v, 0, v->params), constraint_direction(v, 1, v->params + 3)) - cos(v->params[6]);
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  row_angle(v, 0, 0, 1, constraint_direction(v, 0, v->params), constraint_direction(v, 1, v->params + 3));
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  bias[0] += bias_angle(v, 0, 1, constraint_direction(v, 0, v->params), constraint_direction(v, 1, v->params + 3));
  return CDN_OK;
}

static cdn_status vary(const constraint_view *v, const constraint_change *x) {
  vary_angle(v, x, 0, 0, 1, constraint_direction(v, 0, v->params), constraint_direction(v, 1, v->params + 3));
  return CDN_OK;
}

const constraint_kind cdni_constraint_constant_angle = {
  .name = "constant angle",
  .n_params = 7,
  .params = table,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .vary = vary,
};

cdn_constraint cdn_system_constrain_angle(cdn_system *system, const char *name, cdn_body a, cdn_vec3 x_A, cdn_body b,
                                          cdn_vec3 y_B, double angle) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CONSTANT_ANGLE, "cdn_system_constrain_angle", name, 1, 0, 0);
  cdni_constraint_add_pair(&adder, a, b);
  const cdn_vec3 x = constraint_unit(x_A);
  const cdn_vec3 y = constraint_unit(y_B);
  const double params[] = { x.x, x.y, x.z, y.x, y.y, y.z, angle };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_angle_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 x_A, cdn_vec3 y_B, double angle) {
  const cdn_vec3 x = constraint_unit(x_A), y = constraint_unit(y_B);
  const double params[] = { x.x, x.y, x.z, y.x, y.y, y.z, angle };
  return cdni_constraint_set(state, constraint, CONSTRAINT_CONSTANT_ANGLE, "cdn_angle_set", params);
}
