// Custom mobilizers that repeat built-in kinds, written as a user would.
#include "tree.h"

#include <cmath>

namespace peers {

// ---- bend and stretch: q = (angle about z, distance along the turned x) -------------------------

static cdn_status bend_stretch_across(const void *, const double *, const double *q, cdn_transform *X_FM,
                                      cdn_spatial *H_FM) {
  const cdn_vec3 z = { 0, 0, 1 };
  X_FM->R = cdn_rotation_axis_angle(z, q[0]);
  X_FM->p = cdn_scale(q[1], X_FM->R.x);
  H_FM[0] = { z, cdn_cross(z, X_FM->p) };
  H_FM[1] = { { 0, 0, 0 }, X_FM->R.x };
  return CDN_OK;
}

// u0^2 z x (z x p) + 2 u0 u1 z x x'
static cdn_status bend_stretch_Hdot_u(const void *, const double *, const double *q, const double *u,
                                      cdn_spatial *A_FM) {
  const cdn_rotation R = cdn_rotation_axis_angle({ 0, 0, 1 }, q[0]);
  A_FM->w = { 0, 0, 0 };
  A_FM->v = cdn_add(cdn_scale(-u[0] * u[0] * q[1], R.x), cdn_scale(2 * u[0] * u[1], R.y));
  return CDN_OK;
}

// ---- ball: q = quaternion, u = angular velocity in F --------------------------------------------

static cdn_status ball_across(const void *, const double *, const double *q, cdn_transform *X_FM, cdn_spatial *H_FM) {
  X_FM->R = cdn_rotation_from_quaternion({ q[0], q[1], q[2], q[3] });
  X_FM->p = { 0, 0, 0 };
  H_FM[0] = { { 1, 0, 0 }, { 0, 0, 0 } };
  H_FM[1] = { { 0, 1, 0 }, { 0, 0, 0 } };
  H_FM[2] = { { 0, 0, 1 }, { 0, 0, 0 } };
  return CDN_OK;
}

// qdot = 1/2 (0, w) q
static void ball_N(const void *, const double *q, const double *u, double *qdot) {
  const cdn_vec3 w = { u[0], u[1], u[2] }, v = { q[1], q[2], q[3] };
  const cdn_vec3 rate = cdn_add(cdn_scale(q[0], w), cdn_cross(w, v));
  qdot[0] = -0.5 * cdn_dot(w, v);
  qdot[1] = 0.5 * rate.x, qdot[2] = 0.5 * rate.y, qdot[3] = 0.5 * rate.z;
}

// w = 2 qdot q^-1, without its scalar part
static void ball_N_inv(const void *, const double *q, const double *qdot, double *u) {
  const cdn_vec3 v = { q[1], q[2], q[3] }, vdot = { qdot[1], qdot[2], qdot[3] };
  const double s = 2 / (q[0] * q[0] + cdn_dot(v, v));
  const cdn_vec3 w = cdn_add(cdn_sub(cdn_scale(q[0], vdot), cdn_scale(qdot[0], v)), cdn_cross(v, vdot));
  u[0] = s * w.x, u[1] = s * w.y, u[2] = s * w.z;
}

// 1/2 (0, w) qdot = -1/4 |w|^2 q
static void ball_Ndot_u(const void *, const double *q, const double *u, double *qdotdot) {
  const double s = -0.25 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int i = 0; i < 4; i++) qdotdot[i] = s * q[i];
}

// ---- both ---------------------------------------------------------------------------------------

static cdn_custom_mobilizer_ops ball_ops() {
  cdn_custom_mobilizer_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.name = "own ball";
  ops.nq = 4;
  ops.nu = 3;
  ops.quaternion = true;
  ops.across = ball_across;
  ops.N = ball_N;
  ops.N_inv = ball_N_inv;
  ops.Ndot_u = ball_Ndot_u;
  return ops;
}

static cdn_custom_mobilizer_ops bend_stretch_ops() {
  cdn_custom_mobilizer_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.name = "own bend and stretch";
  ops.nq = ops.nu = 2;
  ops.across = bend_stretch_across;
  ops.Hdot_u = bend_stretch_Hdot_u;
  return ops;
}

const cdn_custom_mobilizer_ops *custom_mobilizer(cdn_mobilizer like) {
  static const cdn_custom_mobilizer_ops ball = ball_ops(), bend_stretch = bend_stretch_ops();
  return like == CDN_BALL ? &ball : &bend_stretch;
}

} // namespace peers
