/* Building blocks of the built-in constraints: single equations between two frames, each with its row and its bias. */
#ifndef CARDAN_CONSTRAINTS_KINDS_EQUATIONS_H
#define CARDAN_CONSTRAINTS_KINDS_EQUATIONS_H

#include <stdio.h>

#include "constraints/internal.h"
#include "matter/checks.h"

/* ---- points and directions on the bodies of a constraint, in Ground ---- */

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
/* Velocity of the point of a body at the arm. */
static inline v3 constraint_velocity(const constraint_view *v, int k, v3 arm) {
  return sv_shift_motion(v->twist[v->body[k]].V, arm).v;
}
/* Acceleration of that point for A = 0: w x (w x arm). */
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

/* ---- equations of two bodies, a and b ---- */

/* d . (velocity of b's point at place C - velocity of a's point there): the slip along d of two bodies that meet. */
static inline void row_slip(const constraint_view *v, int e, int a, int b, v3 C, v3 d) {
  constraint_push(v, e, b, v3_sub(C, v->pose[v->body[b]].p_GM), d);
  constraint_push(v, e, a, v3_sub(C, v->pose[v->body[a]].p_GM), v3_neg(d));
}
/* Its derivative without A, if the place moves with Cdot and the direction changes by ddot. */
static inline double bias_slip(const constraint_view *v, int a, int b, v3 C, v3 Cdot, v3 d, v3 ddot) {
  const body_pose *A = &v->pose[v->body[a]], *B = &v->pose[v->body[b]];
  const sv V_A = v->twist[v->body[a]].V, V_B = v->twist[v->body[b]].V;
  v3 slip = v3_sub(sv_shift_motion(V_B, v3_sub(C, B->p_GM)).v, sv_shift_motion(V_A, v3_sub(C, A->p_GM)).v);
  v3 turn = v3_sub(v3_cross(V_B.w, v3_sub(Cdot, V_B.v)), v3_cross(V_A.w, v3_sub(Cdot, V_A.v)));
  return v3_dot(ddot, slip) + v3_dot(d, turn);
}

/* d . (w_b - w_a): how b turns about d relative to a; and its derivative without A. */
static inline void row_turn(const constraint_view *v, int e, int a, int b, v3 d) {
  constraint_twist(v, e, b, d);
  constraint_twist(v, e, a, v3_neg(d));
}
static inline double bias_turn(const constraint_view *v, int a, int b, v3 ddot) {
  return v3_dot(ddot, v3_sub(constraint_w(v, b), constraint_w(v, a)));
}

/* n . (p_b - p_a) - h, with n and p_a fixed on a. The force along n acts on a at the point that coincides with p_b. */
static inline void row_along(const constraint_view *v, int e, int a, int b, v3 arm_b, v3 n) {
  row_slip(v, e, a, b, constraint_place(v, b, arm_b), n);
}
static inline double bias_along(const constraint_view *v, int a, int b, v3 arm_b, v3 n) {
  return bias_slip(v, a, b, constraint_place(v, b, arm_b), constraint_velocity(v, b, arm_b), n,
                   v3_cross(constraint_w(v, a), n));
}

/* x . y - c, for a direction x on a and a direction y on b. */
static inline void row_angle(const constraint_view *v, int e, int a, int b, v3 x, v3 y) {
  v3 s = v3_cross(x, y);
  constraint_twist(v, e, a, s);
  constraint_twist(v, e, b, v3_neg(s));
}
static inline double rate_angle(const constraint_view *v, int a, int b, v3 x, v3 y) {
  return v3_dot(v3_sub(constraint_w(v, a), constraint_w(v, b)), v3_cross(x, y));
}
static inline double bias_angle(const constraint_view *v, int a, int b, v3 x, v3 y) {
  v3 w_a = constraint_w(v, a), w_b = constraint_w(v, b);
  v3 sdot = v3_add(v3_cross(v3_cross(w_a, x), y), v3_cross(x, v3_cross(w_b, y)));
  return v3_dot(v3_sub(w_a, w_b), sdot);
}

/* ---- functions of the user ---- */

static inline cdn_status constraint_function(const constraint_view *v, const cdn_function *f, const double *x,
                                             int order, cdn_function_result *out) {
  const cdn_status status = cdn_function_calc(f, x, order, out);
  if (status == CDN_OK) return CDN_OK;
  return cdni_state_fail(v->state, status, status == CDN_ERR_NONFINITE, "cdn_realize", v->c->name,
                         "constraint '%s': its function failed: %s", v->c->name, cdn_status_text(status));
}
/* Adds an element whose data retains the function; n: the number of inputs that it must have. */
static inline cdn_constraint constraint_add_function(constraint_adder *adder, const cdn_function *f, int n,
                                                     const void *data, size_t size) {
  if (!f) cdni_adder_refuse(&adder->by, CDN_ERR_ARG, "no function was given");
  else if (cdn_function_n_inputs(f) != n)
    cdni_adder_refuse(&adder->by, CDN_ERR_ARG, "its function has %d inputs, for which %d are given",
                      cdn_function_n_inputs(f), n);
  const cdn_constraint id = cdni_constraint_add(adder, data, size, NULL);
  if (id.i >= 0) cdn_function_retain(f);
  return id;
}
static inline const cdn_function *constraint_function_of(const void *data) {
  return *(const cdn_function *const *)data;
}

/* ---- parameters ---- */

/* Scales to unit length; a zero vector stays as it is, for constraint_check_direction to refuse. */
static inline cdn_vec3 constraint_unit(cdn_vec3 d) {
  const double length = cdn_norm(d);
  return length > 0 ? cdn_scale(1 / length, d) : d;
}
static inline bool constraint_check_direction(const double *d, const char *what, char *reason, size_t size) {
  if (v3_norm(v3_load(d)) > 0.5) return true;
  cdni_print(reason, size, "%s is (%g, %g, %g), which has no direction", what, d[0], d[1], d[2]);
  return false;
}
/* Does so for a frame's 12 numbers. */
static inline bool constraint_check_frame(const double *X, const char *what, char *reason, size_t size) {
  if (cdni_check_frame(cdni_unpack_transform(X)) == CDN_OK) return true;
  snprintf(reason, size, "the rotation of %s is none: its columns must be orthonormal and right-handed", what);
  return false;
}

#endif
