/* Orientation by a quaternion (w,x,y,z) of any length but zero (8.7), for kinds whose u is an angular velocity. */
#ifndef CARDAN_MOBILIZERS_QUATERNION_H
#define CARDAN_MOBILIZERS_QUATERNION_H

#include "matter/records.h"

/* Lengths whose squares are near the limits of doubles. A power of two brings such a quaternion back into range;
 * other quaternions keep their bits. */
CDNI_INLINE bool quaternion_is_extreme(real square) {
  return r_any(r_greater(r_set(0x1p-600), square) | r_greater(square, r_set(0x1p600)));
}
CDNI_INLINE real quaternion_power(real square) {
  real small = r_select(r_greater(r_set(0x1p-600), square), r_set(0x1p700), r_set(1));
  return r_select(r_greater(square, r_set(0x1p600)), r_set(0x1p-700), small);
}

/* R_FM of a quaternion of any length but zero. */
CDNI_INLINE m3 quaternion_rotation(const real *q) {
  real w = q[0], x = q[1], y = q[2], z = q[3];
  real square = r_fma(z, z, r_fma(y, y, r_fma(x, x, w * w)));
  if (quaternion_is_extreme(square)) {
    real f = quaternion_power(square);
    w = f * w, x = f * x, y = f * y, z = f * z;
    square = r_fma(z, z, r_fma(y, y, r_fma(x, x, w * w)));
  }
  real s = 2.0 / square;
  real sx = s * x, sy = s * y, sz = s * z;
  real xx = sx * x, yy = sy * y, zz = sz * z;
  return (m3){ { 1.0 - (yy + zz), r_fma(sx, y, sz * w), r_fnma(sy, w, sx * z) },
               { r_fnma(sz, w, sx * y), 1.0 - (xx + zz), r_fma(sy, z, sx * w) },
               { r_fma(sx, z, sy * w), r_fnma(sx, w, sy * z), 1.0 - (xx + yy) } };
}

/* qdot = 1/2 w q (quaternion product): the rate of the quaternion itself, not of its unit multiple. */
CDNI_INLINE void quaternion_N(const real *q, const real *u, real *qdot) {
  v3 v = { q[1], q[2], q[3] }, w = { 0.5 * u[0], 0.5 * u[1], 0.5 * u[2] };
  v3 rate = v3_cross_add(w, v, v3_scale(q[0], w));
  qdot[0] = -v3_dot(w, v);
  qdot[1] = rate.x, qdot[2] = rate.y, qdot[3] = rate.z;
}

/* N^+; ignores changes of length, for angular velocities in F's or M's axes. */
CDNI_INLINE void quaternion_rates(const real *q, const real *qdot, bool in_M, real *u) {
  v3 v = { q[1], q[2], q[3] }, vdot = { qdot[1], qdot[2], qdot[3] };
  real q0 = q[0], qdot0 = qdot[0], square = r_fma(q0, q0, v3_dot(v, v));
  if (quaternion_is_extreme(square)) {
    real f = quaternion_power(square);
    v = v3_scale(f, v), vdot = v3_scale(f, vdot);
    q0 = f * q0, qdot0 = f * qdot0;
    square = r_fma(q0, q0, v3_dot(v, v));
  }
  v3 along = v3_fma(q0, vdot, v3_scale(-qdot0, v));
  v3 w = v3_scale(2.0 / square, in_M ? v3_cross_add(vdot, v, along) : v3_cross_add(v, vdot, along));
  u[0] = w.x, u[1] = w.y, u[2] = w.z;
}
CDNI_INLINE void quaternion_N_inv(const real *q, const real *qdot, real *u) { quaternion_rates(q, qdot, false, u); }
CDNI_INLINE void quaternion_N_M_inv(const real *q, const real *qdot, real *u) { quaternion_rates(q, qdot, true, u); }

/* Lengths within a few roundings of one stay, so that a normalized quaternion keeps its bits. */
CDNI_INLINE double quaternion_normalize(double *q, double *scale) {
  double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], power = 1.0;
  if (square < 0x1p-600 || square > 0x1p600) {
    power = square > 1.0 ? 0x1p-700 : 0x1p700;
    for (int i = 0; i < 4; i++) q[i] *= power;
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  }
  /* the length of the quaternion brought into range; a zero quaternion has no direction and stays */
  double length = sqrt(square), error = fabs(length / power - 1.0);
  if (error <= 0x1p-51 || length == 0) return error;
  for (int i = 0; i < 4; i++) q[i] /= length;
  for (int i = 0; scale && i < 4; i++) scale[i] = power / length;
  return error;
}

/* qdot = 1/2 q w, for an angular velocity in M's axes. */
CDNI_INLINE void quaternion_N_M(const real *q, const real *u, real *qdot) {
  v3 v = { q[1], q[2], q[3] }, w = { 0.5 * u[0], 0.5 * u[1], 0.5 * u[2] };
  v3 rate = v3_cross_add(v, w, v3_scale(q[0], w));
  qdot[0] = -v3_dot(w, v);
  qdot[1] = rate.x, qdot[2] = rate.y, qdot[3] = rate.z;
}

/* Ndot u: N is linear in q. */
CDNI_INLINE void quaternion_Ndot(const real *q, const real *u, real *out) {
  real qdot[4];
  quaternion_N(q, u, qdot);
  quaternion_N(qdot, u, out);
}
CDNI_INLINE void quaternion_Ndot_M(const real *q, const real *u, real *out) {
  real qdot[4];
  quaternion_N_M(q, u, qdot);
  quaternion_N_M(qdot, u, out);
}

#endif
