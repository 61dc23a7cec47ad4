/* Spring and stop on the rotation angle of a ball or free mobilizer, and a damper of its turning.
 *
 * R_FM R0^T turns by theta about n (in F), and dtheta/dt = n . w_FM for any motion. So k theta^2 / 2 is the energy of
 * the moment -k theta n, which is a generalized force as it stands: the first three u are w_FM in F. A spring that is
 * not linear has (k + k2 theta + k3 theta^2) in the place of k.
 * Parameters: k, the quaternion of R0, k2 and k3 for the spring; the angle, k and d for the stop, whose R0 is the
 * identity. The damper acts on each component w of the angular velocity in M's axes by itself, by
 * -(c + c2 |w| + c3 w^2) w; c, c2, c3. */
#ifndef CARDAN_FORCES_ROTATION_H
#define CARDAN_FORCES_ROTATION_H

#include "forces/elements/mobility.h"
#include "matter/mobilizers/quaternion.h"

enum { ROTATION_K, ROTATION_R0, ROTATION_K2 = 5, ROTATION_K3, ROTATION_SPRING_PARAMS };

/* theta in [0, pi] and n of the rotation q q0^* (q0 NULL: q); n is 0 where theta is. Good to the last bits near 0 and
 * near pi; any length of q. */
CDNI_INLINE v3 axis_and_angle(const real *q, const real *q0, real *theta) {
  real w = q[0];
  v3 v = v3_load(q + 1);
  if (q0) {
    v3 v0 = v3_load(q0 + 1);
    w = q[0] * q0[0] + v3_dot(v, v0);
    v = v3_sub(v3_sub(v3_scale(q0[0], v), v3_scale(q[0], v0)), v3_cross(v, v0));
  }
  real s = v3_norm(v);
  *theta = 2.0 * r_atan2(s, r_abs(w));
  /* q and -q are one rotation: the shorter way round. */
  real length = r_select(r_greater(r_set(0), w), -s, s);
  rmask turned = r_greater(s, r_set(0));
  return (v3){ r_select(turned, v.x / length, r_set(0)), r_select(turned, v.y / length, r_set(0)),
               r_select(turned, v.z / length, r_set(0)) };
}

/* size n, where `where` is true. */
CDNI_INLINE void lanes_moment(const force_lanes *b, force_mobility at, rmask where, real size, v3 n) {
  real *f = b->f + at.u;
  f[0] += r_select(where, size * n.x, r_set(0));
  f[1] += r_select(where, size * n.y, r_set(0));
  f[2] += r_select(where, size * n.z, r_set(0));
}

CDNI_INLINE void lanes_rotation_spring(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + ROTATION_SPRING_PARAMS * i;
    real theta;
    v3 n = axis_and_angle(b->q + at[i].q, p + ROTATION_R0, &theta);
    real k = p[ROTATION_K] + theta * (p[ROTATION_K2] + theta * p[ROTATION_K3]);
    lanes_moment(b, at[i], r_greater(r_set(1), r_set(0)), -k * theta, n);
  }
}

/* As mobility_stop.h, with x = theta - the largest angle. */
CDNI_INLINE void lanes_rotation_stop_elastic(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + 3 * i;
    real theta;
    v3 n = axis_and_angle(b->q + at[i].q, NULL, &theta);
    lanes_moment(b, at[i], r_greater(theta, p[0]), -p[1] * (theta - p[0]), n);
  }
}

CDNI_INLINE void lanes_rotation_stop_dissipative(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + 3 * i;
    real theta;
    v3 n = axis_and_angle(b->q + at[i].q, NULL, &theta);
    real rate = v3_dot(n, v3_load(b->u + at[i].u));
    lanes_moment(b, at[i], r_greater(theta, p[0]), -p[1] * (theta - p[0]) * r_max(p[2] * rate, r_set(-1)), n);
  }
}

/* The moment in M's axes. */
CDNI_INLINE v3 turn_damping(const real *p, v3 w) {
  return (v3){ -damper_factor(p, w.x) * w.x, -damper_factor(p, w.y) * w.y, -damper_factor(p, w.z) * w.z };
}

CDNI_INLINE void lanes_rotation_damper(const force_lanes *b) {
  const force_mobility *at = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const m3 R = quaternion_rotation(b->q + at[i].q);
    const v3 m = m3_mul(R, turn_damping(b->params + DAMPER_PARAMS * i, m3_tmul(R, v3_load(b->u + at[i].u))));
    real *f = b->f + at[i].u;
    f[0] += m.x, f[1] += m.y, f[2] += m.z;
  }
}

#endif
