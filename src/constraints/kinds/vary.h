/* Derivatives of the single equations of equations.h along a change (derivatives.h): the product rule, term by term. */
#ifndef CARDAN_CONSTRAINTS_KINDS_VARY_H
#define CARDAN_CONSTRAINTS_KINDS_VARY_H

#include "constraints/derivatives.h"
#include "constraints/kinds/equations.h"

/* A vector fixed on body k turns with it. */
static inline v3 change_of_direction(const constraint_change *x, int k, v3 d) { return v3_cross(x->S[k].w, d); }

/* A place that moves with body k or over it: the arm from M's origin; velocity and acceleration of the body's point
 * there; and the changes of all three if the arm itself changes by d_arm. */
typedef struct moving_point {
  v3 arm, v, a, d_arm, dv, da;
} moving_point;

static inline moving_point moving_point_of(const constraint_view *v, const constraint_change *x, int k, v3 arm,
                                           v3 d_arm) {
  const sv V = v->twist[v->body[k]].V, dV = x->dV[k], A = x->A[k];
  const v3 turn = v3_cross(V.w, arm), d_turn = v3_cross_add(dV.w, arm, v3_cross(V.w, d_arm));
  return (moving_point){ .arm = arm,
                         .d_arm = d_arm,
                         .v = v3_add(V.v, turn),
                         .dv = v3_add(dV.v, d_turn),
                         .a = v3_cross_add(V.w, turn, v3_cross_add(A.w, arm, A.v)),
                         .da = v3_cross_add(dV.w, turn, v3_cross_add(V.w, d_turn, v3_cross(A.w, d_arm))) };
}
static inline moving_point station_of(const constraint_view *v, const constraint_change *x, int k, v3 arm) {
  return moving_point_of(v, x, k, arm, change_of_direction(x, k, arm));
}

/* A force at the point and its change, times the multiplier of equation e. */
static inline void change_push(const constraint_change *x, int e, int k, const moving_point *p, v3 f, v3 df) {
  const real by = x->lambda[e];
  const v3 moment = v3_cross_add(p->d_arm, f, v3_cross(p->arm, df));
  x->dF[k] = sv_fma(by, (sv){ moment, df }, x->dF[k]);
}

/* Of row_along and bias_along: n . (a_b - a_a - 2 w_a x (v_b - v_a)), both at the place of b's station. */
static inline void vary_along(const constraint_view *v, const constraint_change *x, int e, int a, int b, v3 arm_b,
                              v3 n) {
  const moving_point at_b = station_of(v, x, b, arm_b);
  const v3 arm_a = v3_sub(constraint_place(v, b, arm_b), v->pose[v->body[a]].p_GM);
  const moving_point at_a = moving_point_of(v, x, a, arm_a, v3_sub(v3_add(x->S[b].v, at_b.d_arm), x->S[a].v));
  const v3 dn = change_of_direction(x, a, n), w = constraint_w(v, a);
  const v3 slip = v3_sub(at_b.v, at_a.v), d_slip = v3_sub(at_b.dv, at_a.dv);
  const v3 seen = v3_fma(-2, v3_cross(w, slip), v3_sub(at_b.a, at_a.a));
  const v3 d_seen = v3_fma(-2, v3_cross_add(x->dV[a].w, slip, v3_cross(w, d_slip)), v3_sub(at_b.da, at_a.da));
  change_push(x, e, b, &at_b, n, dn);
  change_push(x, e, a, &at_a, v3_neg(n), v3_neg(dn));
  x->da[e] += v3_dot(dn, seen) + v3_dot(n, d_seen);
}

/* Of row_angle and bias_angle: s . (alpha_a - alpha_b) + sdot . (w_a - w_b), s = x x y. */
static inline void vary_angle(const constraint_view *v, const constraint_change *c, int e, int a, int b, v3 x, v3 y) {
  const v3 w_a = constraint_w(v, a), w_b = constraint_w(v, b);
  const v3 dx = change_of_direction(c, a, x), dy = change_of_direction(c, b, y);
  const v3 xdot = v3_cross(w_a, x), ydot = v3_cross(w_b, y);
  const v3 d_xdot = v3_cross_add(c->dV[a].w, x, v3_cross(w_a, dx));
  const v3 d_ydot = v3_cross_add(c->dV[b].w, y, v3_cross(w_b, dy));
  const v3 ds = v3_cross_add(dx, y, v3_cross(x, dy)), sdot = v3_cross_add(xdot, y, v3_cross(x, ydot));
  const v3 d_sdot = v3_add(v3_cross_add(d_xdot, y, v3_cross(xdot, dy)), v3_cross_add(dx, ydot, v3_cross(x, d_ydot)));
  c->dF[a].w = v3_fma(c->lambda[e], ds, c->dF[a].w);
  c->dF[b].w = v3_fma(-c->lambda[e], ds, c->dF[b].w);
  c->da[e] += v3_dot(ds, v3_sub(c->A[a].w, c->A[b].w)) + v3_dot(d_sdot, v3_sub(w_a, w_b)) +
              v3_dot(sdot, v3_sub(c->dV[a].w, c->dV[b].w));
}

/* For kinds with constant rows and biases. */
static inline cdn_status vary_nothing(const constraint_view *v, const constraint_change *x) {
  (void)v, (void)x;
  return CDN_OK;
}

#endif
