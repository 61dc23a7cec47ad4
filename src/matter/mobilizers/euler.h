/* Orientation by angles about x, then the turned y, then the twice turned z: R_FM = R_x(q0) R_y(q1) R_z(q2). The rates
 * are singular at q1 = +-pi/2. */
#ifndef CARDAN_MOBILIZERS_EULER_H
#define CARDAN_MOBILIZERS_EULER_H

#include "matter/records.h"

/* R R_x R_y R_z; if `axes` is not NULL, also the axes of the three rates, in the axes of R. */
CDNI_INLINE m3 euler_turn(m3 R, const real *q, v3 *axes) {
  real s, c;
  r_sincos(q[0], &s, &c);
  if (axes) axes[0] = R.x;
  R = m3_turn_x(R, s, c);
  r_sincos(q[1], &s, &c);
  if (axes) axes[1] = R.y;
  R = m3_turn_y(R, s, c);
  r_sincos(q[2], &s, &c);
  if (axes) axes[2] = R.z;
  return m3_turn_z(R, s, c);
}

/* The angular acceleration for constant rates, from the axes: u0 u1 a0 x a1 + u2 (u0 a0 + u1 a1) x a2. */
CDNI_INLINE v3 euler_bias(const real *u, v3 a0, v3 a1, v3 a2) {
  v3 w = v3_fma(u[1], a1, v3_scale(u[0], a0));
  return v3_fma(u[0] * u[1], v3_cross(a0, a1), v3_scale(u[2], v3_cross(w, a2)));
}

/* qdot = N u for an angular velocity u in F's axes: u = (q0' + s1 q2', c0 q1' - s0 c1 q2', s0 q1' + c0 c1 q2'). */
CDNI_INLINE void euler_N(const real *q, const real *u, real *qdot) {
  real s0, c0, s1, c1;
  r_sincos(q[0], &s0, &c0);
  r_sincos(q[1], &s1, &c1);
  qdot[1] = r_fma(c0, u[1], s0 * u[2]);
  qdot[2] = r_fma(c0, u[2], -s0 * u[1]) / c1;
  qdot[0] = r_fnma(s1, qdot[2], u[0]);
}
CDNI_INLINE void euler_N_inv(const real *q, const real *qdot, real *u) {
  real s0, c0, s1, c1;
  r_sincos(q[0], &s0, &c0);
  r_sincos(q[1], &s1, &c1);
  real e = c1 * qdot[2];
  u[0] = r_fma(s1, qdot[2], qdot[0]);
  u[1] = r_fma(c0, qdot[1], -s0 * e);
  u[2] = r_fma(s0, qdot[1], c0 * e);
}
/* Ndot u: the derivative of the three rows at constant u. */
CDNI_INLINE void euler_Ndot(const real *q, const real *u, real *out) {
  real s0, c0, s1, c1, qdot[3];
  r_sincos(q[0], &s0, &c0);
  r_sincos(q[1], &s1, &c1);
  real e = r_fma(c0, u[2], -s0 * u[1]);
  qdot[1] = r_fma(c0, u[1], s0 * u[2]);
  qdot[2] = e / c1;
  qdot[0] = r_fnma(s1, qdot[2], u[0]);
  out[1] = qdot[0] * e;
  out[2] = qdot[1] * r_fma(s1, qdot[2], -qdot[0]) / c1;
  out[0] = -r_fma(s1, out[2], c1 * qdot[1] * qdot[2]);
}

/* qdot = N u for u = (w_x, w_y) in M's axes, with w_z = 0: u = (c1 c2 q0' + s2 q1', c2 q1' - c1 s2 q0'), q2' = -s1
 * q0'. */
CDNI_INLINE void euler_N_line(const real *q, const real *u, real *qdot) {
  real s1, c1, s2, c2;
  r_sincos(q[1], &s1, &c1);
  r_sincos(q[2], &s2, &c2);
  qdot[0] = r_fma(c2, u[0], -s2 * u[1]) / c1;
  qdot[1] = r_fma(s2, u[0], c2 * u[1]);
  qdot[2] = -s1 * qdot[0];
}
CDNI_INLINE void euler_N_line_inv(const real *q, const real *qdot, real *u) {
  real s1, c1, s2, c2;
  r_sincos(q[1], &s1, &c1);
  r_sincos(q[2], &s2, &c2);
  real a = c1 * qdot[0];
  u[0] = r_fma(c2, a, s2 * qdot[1]);
  u[1] = r_fma(c2, qdot[1], -s2 * a);
}
CDNI_INLINE void euler_Ndot_line(const real *q, const real *u, real *out) {
  real s1, c1, s2, c2;
  r_sincos(q[1], &s1, &c1);
  r_sincos(q[2], &s2, &c2);
  real a = r_fma(c2, u[0], -s2 * u[1]), b = r_fma(s2, u[0], c2 * u[1]), q0 = a / c1, q2 = -s1 * q0;
  out[0] = b * r_fma(s1, q0, -q2) / c1;
  out[1] = q2 * a;
  out[2] = -r_fma(s1, out[0], c1 * b * q0);
}

#endif
