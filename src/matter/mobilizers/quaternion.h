/* Orientation by a quaternion (w,x,y,z) of any length but zero (8.7), for the kinds whose u is an angular velocity. */
#ifndef CARDAN_MOBILIZERS_QUATERNION_H
#define CARDAN_MOBILIZERS_QUATERNION_H

#include "matter/records.h"

/* R_FM of a quaternion of any length but zero. */
CDNI_INLINE m3 quaternion_rotation(const real *q) {
  real w = q[0], x = q[1], y = q[2], z = q[3];
  real s = 2.0 / r_fma(z, z, r_fma(y, y, r_fma(x, x, w * w)));
  real sx = s * x, sy = s * y, sz = s * z;
  real xx = sx * x, yy = sy * y, zz = sz * z;
  return (m3){ { 1.0 - (yy + zz), r_fma(sx, y, sz * w), r_fnma(sy, w, sx * z) },
               { r_fnma(sz, w, sx * y), 1.0 - (xx + zz), r_fma(sy, z, sx * w) },
               { r_fma(sx, z, sy * w), r_fnma(sx, w, sy * z), 1.0 - (xx + yy) } };
}

/* qdot = 1/2 w q (quaternion product): the rate of the quaternion as it is, not of its unit multiple. */
CDNI_INLINE void quaternion_N(const real *q, const real *u, real *qdot) {
  v3 v = { q[1], q[2], q[3] }, w = { 0.5 * u[0], 0.5 * u[1], 0.5 * u[2] };
  v3 rate = v3_cross_add(w, v, v3_scale(q[0], w));
  qdot[0] = -v3_dot(w, v);
  qdot[1] = rate.x, qdot[2] = rate.y, qdot[3] = rate.z;
}

/* N^+: blind to changes of length. */
CDNI_INLINE void quaternion_N_inv(const real *q, const real *qdot, real *u) {
  v3 v = { q[1], q[2], q[3] }, vdot = { qdot[1], qdot[2], qdot[3] };
  real s = 2.0 / r_fma(q[0], q[0], v3_dot(v, v));
  v3 w = v3_scale(s, v3_cross_add(v, vdot, v3_fma(q[0], vdot, v3_scale(-qdot[0], v))));
  u[0] = w.x, u[1] = w.y, u[2] = w.z;
}

/* Lengths within a few roundings of one are left alone, so that a normalized quaternion stays the same bits. */
CDNI_INLINE double quaternion_normalize(double *q, double *scale) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), error = fabs(length - 1.0);
  if (error <= 0x1p-51) return error;
  for (int i = 0; i < 4; i++) q[i] /= length;
  for (int i = 0; scale && i < 4; i++) scale[i] = 1.0 / length;
  return error;
}

/* The same for an angular velocity in M's axes: qdot = 1/2 q w. */
CDNI_INLINE void quaternion_N_M(const real *q, const real *u, real *qdot) {
  v3 v = { q[1], q[2], q[3] }, w = { 0.5 * u[0], 0.5 * u[1], 0.5 * u[2] };
  v3 rate = v3_cross_add(v, w, v3_scale(q[0], w));
  qdot[0] = -v3_dot(w, v);
  qdot[1] = rate.x, qdot[2] = rate.y, qdot[3] = rate.z;
}
CDNI_INLINE void quaternion_N_M_inv(const real *q, const real *qdot, real *u) {
  v3 v = { q[1], q[2], q[3] }, vdot = { qdot[1], qdot[2], qdot[3] };
  real s = 2.0 / r_fma(q[0], q[0], v3_dot(v, v));
  v3 w = v3_scale(s, v3_cross_add(vdot, v, v3_fma(q[0], vdot, v3_scale(-qdot[0], v))));
  u[0] = w.x, u[1] = w.y, u[2] = w.z;
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
