/* A massless rod: the distance of two stations is constant. The multiplier is the rod's tension, in N. */
#include <stdio.h>

#include "constraints/kinds/vary.h"

/* Parameters: p_A, p_B, length. */
static const cdni_parameter table[] = { CDNI_VECTOR("p_A", "m"),
                                        CDNI_VECTOR("p_B", "m"),
                                        { "length", "m", 0, INFINITY, CDNI_EXCLUDES_LOWER, 0,
                                          "two stations in one place are a ball" } };

typedef struct line {
  v3 arm_a, arm_b, n; /* n: from a to b, of unit length */
  double length;
} line;

static cdn_status line_of(const constraint_view *v, line *l) {
  l->arm_a = constraint_arm(v, 0, v->params);
  l->arm_b = constraint_arm(v, 1, v->params + 3);
  v3 d = v3_sub(constraint_place(v, 1, l->arm_b), constraint_place(v, 0, l->arm_a));
  l->length = v3_norm(d);
  if (l->length == 0) return cdni_constraint_singular(v, "the rod's ends are in one place, and it has no direction");
  l->n = v3_scale(1 / l->length, d);
  return CDN_OK;
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  line l;
  CDNI_TRY(line_of(v, &l));
  e[0] = l.length - v->params[6];
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  line l;
  CDNI_TRY(line_of(v, &l));
  constraint_push(v, 0, 1, l.arm_b, l.n);
  constraint_push(v, 0, 0, l.arm_a, v3_neg(l.n));
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  line l;
  CDNI_TRY(line_of(v, &l));
  v3 rate = v3_sub(constraint_velocity(v, 1, l.arm_b), constraint_velocity(v, 0, l.arm_a));
  v3 across = v3_fma(-v3_dot(rate, l.n), l.n, rate);
  bias[0] += v3_dot(l.n, v3_sub(constraint_centripetal(v, 1, l.arm_b), constraint_centripetal(v, 0, l.arm_a))) +
             v3_dot(across, across) / l.length;
  return CDN_OK;
}

static void find_arms(const constraint_view *v, double error, double *arm) {
  (void)error;
  for (int k = 0; k < 2; k++) arm[k] = v3_norm(constraint_arm(v, k, v->params + 3 * k));
}

/* n . (a_b - a_a) + |across|^2 / length, where the line turns by `across` / length. */
static cdn_status vary(const constraint_view *v, const constraint_change *x) {
  line l;
  CDNI_TRY(line_of(v, &l));
  const moving_point a = station_of(v, x, 0, l.arm_a), b = station_of(v, x, 1, l.arm_b);
  const v3 dd = v3_sub(v3_add(x->S[1].v, b.d_arm), v3_add(x->S[0].v, a.d_arm));
  const real dL = v3_dot(l.n, dd);
  const v3 dn = v3_scale(1 / l.length, v3_fma(-dL, l.n, dd));
  const v3 rate = v3_sub(b.v, a.v), d_rate = v3_sub(b.dv, a.dv);
  const v3 across = v3_fma(-v3_dot(rate, l.n), l.n, rate);
  change_push(x, 0, 1, &b, l.n, dn);
  change_push(x, 0, 0, &a, v3_neg(l.n), v3_neg(dn));
  /* the change of `across` along n is perpendicular to it */
  const real d_square = 2 * v3_dot(across, v3_fma(-v3_dot(rate, l.n), dn, d_rate));
  x->da[0] += v3_dot(dn, v3_sub(b.a, a.a)) + v3_dot(l.n, v3_sub(b.da, a.da)) +
              (d_square - v3_dot(across, across) * dL / l.length) / l.length;
  return CDN_OK;
}

const constraint_kind cdni_constraint_rod = {
  .name = "rod",
  .n_params = 7,
  .params = table,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .find_arms = find_arms,
  .vary = vary,
};

cdn_constraint cdn_system_constrain_rod(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                        cdn_vec3 p_B, double length) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_ROD, "cdn_system_constrain_rod", name, 1, 0, 0);
  cdni_constraint_add_pair(&adder, a, b);
  const double params[] = { p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z, length };
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_rod_set(cdn_state *state, cdn_constraint rod, cdn_vec3 p_A, cdn_vec3 p_B, double length) {
  const double params[] = { p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z, length };
  return cdni_constraint_set(state, rod, CONSTRAINT_ROD, "cdn_rod_set", params);
}
