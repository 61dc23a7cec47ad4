/* A line of a, the edge of a solid, meets a line of b, another edge. The contact is halfway between the lines' nearest
 * points. */
#include <math.h>

#include "constraints/kinds/contact.h"

/* Parameters: the edges' frames; x is the line, z points out of the solid. */
static const cdni_parameter table[] = { CDNI_FRAME("X_AE"), CDNI_FRAME("X_BE") };

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  (void)c;
  return constraint_check_frame(p, "X_AE", reason, size) && constraint_check_frame(p + 12, "X_BE", reason, size);
}

/* The normal points out of a and into b: which of the two decides is the one that is less in doubt. */
static double choose_side(v3 across, v3 out_a, v3 out_b) {
  const double a = v3_dot(across, out_a), b = v3_dot(across, out_b);
  return fabs(a) > fabs(b) ? copysign(1, a) : -copysign(1, b);
}

static cdn_status touch(const constraint_view *v, bool moving, contact *c) {
  const m3 E_a = constraint_axes(v, 0, v->params), E_b = constraint_axes(v, 1, v->params + 12);
  const v3 arm_a = constraint_arm(v, 0, v->params + 9), arm_b = constraint_arm(v, 1, v->params + 21);
  const v3 P_a = constraint_place(v, 0, arm_a), P_b = constraint_place(v, 1, arm_b), d_a = E_a.x, d_b = E_b.x;
  const v3 across = v3_cross(d_a, d_b), apart = v3_sub(P_b, P_a);
  const double sine = v3_norm(across);
  if (sine == 0) return cdni_constraint_singular(v, "the lines are parallel, and they have no common normal");
  const double side = choose_side(across, E_a.z, E_b.z) / sine;
  c->n = v3_scale(side, across);
  c->x = d_a, c->y = v3_cross(c->n, d_a);
  c->gap = v3_dot(c->n, apart);
  /* P_a + t_a d_a + gap n = P_b + t_b d_b */
  const v3 n_b = v3_cross(c->n, d_b);
  const double t_a = v3_dot(apart, n_b) / v3_dot(d_a, n_b), t_b = -v3_dot(apart, c->y) / v3_dot(d_b, c->y);
  const v3 Q_a = v3_fma(t_a, d_a, arm_a), Q_b = v3_fma(t_b, d_b, arm_b);
  c->C = v3_scale(0.5, v3_add(constraint_place(v, 0, Q_a), constraint_place(v, 1, Q_b)));
  if (!moving) return CDN_OK;

  const v3 w_a = constraint_w(v, 0), w_b = constraint_w(v, 1), v_a = constraint_velocity(v, 0, Q_a),
           v_b = constraint_velocity(v, 1, Q_b);
  c->xdot = v3_cross(w_a, d_a);
  const v3 turn = v3_cross_add(c->xdot, d_b, v3_cross(d_a, v3_cross(w_b, d_b)));
  c->ndot = v3_scale(side, v3_fma(-v3_dot(c->n, turn), c->n, turn));
  c->ydot = v3_cross_add(c->ndot, d_a, v3_cross(c->n, c->xdot));
  /* derivatives: rates at which the nearest points move along the lines */
  const v3 run = v3_fma(-c->gap, c->ndot, v3_sub(v_b, v_a));
  const double tdot_a = v3_dot(run, n_b) / v3_dot(d_a, n_b), tdot_b = -v3_dot(run, c->y) / v3_dot(d_b, c->y);
  c->Cdot = v3_scale(0.5, v3_add(v3_fma(tdot_a, d_a, v_a), v3_fma(tdot_b, d_b, v_b)));
  return CDN_OK;
}

CONTACT_FUNCTIONS(touch)

const constraint_kind cdni_constraint_line_on_line = {
  .name = "line on line",
  .n_params = CDNI_COUNT(table),
  .params = table,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

cdn_constraint cdn_system_constrain_line_on_line(cdn_system *system, const char *name, cdn_body a, cdn_transform X_AE,
                                                 cdn_body b, cdn_transform X_BE, bool rolling) {
  constraint_adder adder;
  double params[CDNI_COUNT(table)];
  contact_begin(&adder, system, CONSTRAINT_LINE_ON_LINE, "cdn_system_constrain_line_on_line", name, a, b,
                rolling ? CONTACT_ROLLING : CONTACT_SLIDING);
  cdni_pack_transform(params, X_AE);
  cdni_pack_transform(params + 12, X_BE);
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_line_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_transform X_AE, cdn_transform X_BE) {
  double params[CDNI_COUNT(table)];
  cdni_pack_transform(params, X_AE);
  cdni_pack_transform(params + 12, X_BE);
  return cdni_constraint_set(state, constraint, CONSTRAINT_LINE_ON_LINE, "cdn_line_on_line_set", params);
}
