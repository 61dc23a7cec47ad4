/* A bushing between frame F of body A and frame M of body B: springs and dampers along the six coordinates of M in F,
 * the x-y-z angles of R_FM (body-fixed) and p_FM (in F). With f_i = -k_i q_i - c_i qdot_i, force and moment on B follow
 * from the power f . qdot: the force is f_p along F's axes, at M's origin; the moment, in M, is N^T f_angles, where
 * qdot_angles = N w_FM (w in M). A feels the opposite at the point of A that coincides with M's origin.
 * Parameters: k (6), c (6), X_AF, X_BM (12 each: R by columns, p). */
#ifndef CARDAN_FORCES_LINEAR_BUSHING_H
#define CARDAN_FORCES_LINEAR_BUSHING_H

#include "forces/kernel.h"

enum { BUSHING_K = 0, BUSHING_C = 6, BUSHING_X_AF = 12, BUSHING_X_BM = 24, BUSHING_PARAMS = 36 };

typedef struct bushing {
  int32_t body_a, body_b;
} bushing;

/* Where the frames are, and M's place in F. */
typedef struct bushing_place {
  v3 r_a, r_b; /* from the bodies' M origins to M's origin, in Ground */
  m3 R_GF, R_GM;
  real q[6];
  real s1, c1, s2, c2; /* sines and cosines of the second and the third angle */
  rmask regular;       /* the first and the third angle can be told apart */
} bushing_place;

CDNI_INLINE m3 bushing_axes(const real *frames, const body_pose *pose, int body, const real *X) {
  const m3 R = pose[body].R_GM, B = m3_load(frames + FORCE_FRAME * body + FORCE_X_BM);
  return (m3){ m3_mul(R, m3_tmul(B, v3_load(X))), m3_mul(R, m3_tmul(B, v3_load(X + 3))),
               m3_mul(R, m3_tmul(B, v3_load(X + 6))) };
}

CDNI_INLINE bushing_place bushing_at(const real *frames, const body_pose *pose, const bushing *e, const real *p) {
  bushing_place at;
  const v3 to_F = lanes_station(frames, pose, e->body_a, v3_load(p + BUSHING_X_AF + 9));
  at.r_b = lanes_station(frames, pose, e->body_b, v3_load(p + BUSHING_X_BM + 9));
  const v3 M = v3_add(pose[e->body_b].p_GM, at.r_b), F = v3_add(pose[e->body_a].p_GM, to_F);
  const v3 p_FM_G = v3_sub(M, F);
  at.r_a = v3_add(to_F, p_FM_G);
  at.R_GF = bushing_axes(frames, pose, e->body_a, p + BUSHING_X_AF);
  at.R_GM = bushing_axes(frames, pose, e->body_b, p + BUSHING_X_BM);

  /* R_FM = Rx(q0) Ry(q1) Rz(q2) has the first row (c1 c2, -c1 s2, s1) and the last column (s1, -s0 c1, c0 c1). */
  const v3 row = { v3_dot(at.R_GF.x, at.R_GM.x), v3_dot(at.R_GF.x, at.R_GM.y), v3_dot(at.R_GF.x, at.R_GM.z) };
  at.s1 = row.z;
  at.c1 = r_hypot(row.x, row.y);
  at.regular = r_greater(at.c1, r_set(0x1p-40));
  at.c2 = r_select(at.regular, row.x / at.c1, r_set(1));
  at.s2 = r_select(at.regular, -row.y / at.c1, r_set(0));
  at.q[0] = r_atan2(-v3_dot(at.R_GF.y, at.R_GM.z), v3_dot(at.R_GF.z, at.R_GM.z));
  at.q[1] = r_atan2(at.s1, at.c1);
  at.q[2] = r_atan2(-row.y, row.x);
  const v3 p_FM = m3_tmul(at.R_GF, p_FM_G);
  at.q[3] = p_FM.x, at.q[4] = p_FM.y, at.q[5] = p_FM.z;
  return at;
}

CDNI_INLINE void bushing_rates(const bushing_place *at, const body_twist *twist, const bushing *e, real qdot[6]) {
  const sv V_a = sv_shift_motion(twist[e->body_a].V, at->r_a), V_b = sv_shift_motion(twist[e->body_b].V, at->r_b);
  const v3 w = m3_tmul(at->R_GM, v3_sub(V_b.w, V_a.w)), v = m3_tmul(at->R_GF, v3_sub(V_b.v, V_a.v));
  qdot[0] = r_select(at->regular, (at->c2 * w.x - at->s2 * w.y) / at->c1, r_set(0));
  qdot[1] = at->s2 * w.x + at->c2 * w.y;
  qdot[2] = w.z - at->s1 * qdot[0];
  qdot[3] = v.x, qdot[4] = v.y, qdot[5] = v.z;
}

/* Without springs or dampers about its axes a bushing has no singular position. */
CDNI_INLINE rmask bushing_needs_angles(const real *coefficients) {
  const real largest = r_max(r_max(r_abs(coefficients[0]), r_abs(coefficients[1])), r_abs(coefficients[2]));
  return r_greater(largest, r_set(0));
}

/* What the six forces f do to the bodies. */
CDNI_INLINE void lanes_bushing(const force_lanes *b, const bushing *e, const bushing_place *at, const real f[6]) {
  const rmask turns = r_greater(r_max(r_abs(f[0]), r_abs(f[2])), r_set(0));
  const real g = r_select(turns, (f[0] - at->s1 * f[2]) / at->c1, r_set(0));
  const v3 m_M = { at->c2 * g + at->s2 * f[1], at->c2 * f[1] - at->s2 * g, f[2] };
  const v3 moment = m3_mul(at->R_GM, m_M), force = m3_mul(at->R_GF, v3_load(f + 3));
  lanes_push(b, e->body_b, at->r_b, force);
  lanes_push(b, e->body_a, at->r_a, v3_neg(force));
  lanes_turn(b, e->body_b, moment);
  lanes_turn(b, e->body_a, v3_neg(moment));
}

CDNI_INLINE void lanes_bushing_elastic(const force_lanes *b) {
  const bushing *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + BUSHING_PARAMS * i;
    const bushing_place at = bushing_at(b->frames, b->pose, &e[i], p);
    lanes_fail(b, i, ~at.regular & bushing_needs_angles(p + BUSHING_K));
    real f[6];
    for (int k = 0; k < 6; k++) f[k] = -p[BUSHING_K + k] * at.q[k];
    lanes_bushing(b, &e[i], &at, f);
  }
}

CDNI_INLINE void lanes_bushing_damping(const force_lanes *b) {
  const bushing *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real *p = b->params + BUSHING_PARAMS * i;
    const bushing_place at = bushing_at(b->frames, b->pose, &e[i], p);
    lanes_fail(b, i, ~at.regular & bushing_needs_angles(p + BUSHING_C));
    real qdot[6], f[6];
    bushing_rates(&at, b->twist, &e[i], qdot);
    for (int k = 0; k < 6; k++) f[k] = -p[BUSHING_C + k] * qdot[k];
    lanes_bushing(b, &e[i], &at, f);
  }
}

#endif
