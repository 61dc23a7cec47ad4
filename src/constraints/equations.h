/* What built-in constraints are made of: single equations between two frames, each with its row and its bias. */
#ifndef CARDAN_CONSTRAINTS_EQUATIONS_H
#define CARDAN_CONSTRAINTS_EQUATIONS_H

#include "constraints/internal.h"

/* ---- places and directions on the bodies that a constraint names, in Ground ---- */

/* From M's origin of its k-th body to the station p_B. */
static inline v3 constraint_arm(const constraint_view *v, int k, const double *p_B) {
  const double *X = v->frames + (size_t)24 * (size_t)v->body[k] + 12;
  v3 p = { p_B[0] - X[9], p_B[1] - X[10], p_B[2] - X[11] };
  return m3_mul(v->pose[v->body[k]].R_GM, m3_tmul(m3_load(X), p));
}
/* The station, from Ground's origin. */
static inline v3 constraint_place(const constraint_view *v, int k, v3 arm) {
  return v3_add(v->pose[v->body[k]].p_GM, arm);
}
static inline v3 constraint_direction(const constraint_view *v, int k, const double *d_B) {
  const double *X = v->frames + (size_t)24 * (size_t)v->body[k] + 12;
  return m3_mul(v->pose[v->body[k]].R_GM, m3_tmul(m3_load(X), v3_load(d_B)));
}
/* A rotation's columns, from 9 numbers. */
static inline m3 constraint_axes(const constraint_view *v, int k, const double *R_BX) {
  return (m3){ constraint_direction(v, k, R_BX), constraint_direction(v, k, R_BX + 3),
               constraint_direction(v, k, R_BX + 6) };
}
static inline v3 constraint_w(const constraint_view *v, int k) { return v->twist[v->body[k]].V.w; }
/* Velocity of what is at the arm on a body. */
static inline v3 constraint_velocity(const constraint_view *v, int k, v3 arm) {
  return sv_shift_motion(v->twist[v->body[k]].V, arm).v;
}
/* Its acceleration if A were zero: w x (w x arm). */
static inline v3 constraint_centripetal(const constraint_view *v, int k, v3 arm) {
  v3 w = constraint_w(v, k);
  return v3_cross(w, v3_cross(w, arm));
}

/* ---- rows ---- */

/* Adds to the row of equation e: a force and a moment of the multiplier on body k. */
static inline void constraint_push(const constraint_view *v, int e, int k, v3 arm, v3 force) {
  sv *J = &v->J[e * v->c->n_bodies + k];
  *J = (sv){ v3_cross_add(arm, force, J->w), v3_add(J->v, force) };
}
static inline void constraint_twist(const constraint_view *v, int e, int k, v3 moment) {
  sv *J = &v->J[e * v->c->n_bodies + k];
  J->w = v3_add(J->w, moment);
}

/* ---- equations of two bodies, a (0) and b (1) ---- */

/* n . (p_b - p_a) - h, where n and p_a are fixed on a: the work of n goes through the point of a that is where p_b is. */
static inline void row_along(const constraint_view *v, int e, int a, int b, v3 arm_b, v3 n) {
  v3 arm_a = v3_sub(constraint_place(v, b, arm_b), v->pose[v->body[a]].p_GM);
  constraint_push(v, e, b, arm_b, n);
  constraint_push(v, e, a, arm_a, v3_neg(n));
}
/* From the acceleration of b's point as it is seen on a. */
static inline double bias_along(const constraint_view *v, int a, int b, v3 arm_b, v3 n) {
  v3 arm_a = v3_sub(constraint_place(v, b, arm_b), v->pose[v->body[a]].p_GM);
  v3 relative = v3_sub(constraint_velocity(v, b, arm_b), constraint_velocity(v, a, arm_a));
  v3 seen = v3_sub(constraint_centripetal(v, b, arm_b), constraint_centripetal(v, a, arm_a));
  return v3_dot(n, v3_fma(-2, v3_cross(constraint_w(v, a), relative), seen));
}

/* x . y - c of directions x on a and y on b. */
static inline void row_angle(const constraint_view *v, int e, int a, int b, v3 x, v3 y) {
  v3 s = v3_cross(x, y);
  constraint_twist(v, e, a, s);
  constraint_twist(v, e, b, v3_neg(s));
}
static inline double bias_angle(const constraint_view *v, int a, int b, v3 x, v3 y) {
  v3 w_a = constraint_w(v, a), w_b = constraint_w(v, b);
  v3 sdot = v3_add(v3_cross(v3_cross(w_a, x), y), v3_cross(x, v3_cross(w_b, y)));
  return v3_dot(v3_sub(w_a, w_b), sdot);
}

#endif
