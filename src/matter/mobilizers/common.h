/* Shared by several kinds: qdot = u, rates of quaternions and Euler angles, and coordinates from wanted poses. */
#ifndef CARDAN_MOBILIZERS_COMMON_H
#define CARDAN_MOBILIZERS_COMMON_H

#include <stddef.h>

#include "math/column.h"
#include "matter/mobilizers/euler.h"
#include "matter/mobilizers/fit.h"
#include "matter/mobilizers/quaternion.h"

_Static_assert(offsetof(body_pose, R_GM) == 0 && offsetof(body_pose, p_GM) == sizeof(m3) &&
                   offsetof(body_pose, r) == sizeof(m3) + sizeof(v3) &&
                   offsetof(body_frames, p_PF) == offsetof(body_frames, R_PF) + sizeof(m3) &&
                   offsetof(body_frames, kind) == offsetof(body_frames, p_PF) + sizeof(v3),
               "columns are loaded and stored with the number that follows");
/* Stores the pose with this R_GM and r, and returns R_GM. p_GM is zero if the parent's pose is not given. */
CDNI_INLINE columns store_pose(columns R_GM, column r, const body_pose *parent, body_pose *pose) {
  real *to = (real *)pose;
  column_store_over(to, R_GM.x), column_store_over(to + 3, R_GM.y), column_store_over(to + 6, R_GM.z);
  column_store_over(to + 9, parent ? column_add(column_load((const real *)&parent->p_GM), r) : column_of(v3_zero()));
  column_store(to + 12, r);
  return R_GM;
}

/* N = 1. */
#define RATES_ARE_SPEEDS(name, n)                                           \
  CDNI_INLINE void name##_N(const real *q, const real *u, real *qdot) {     \
    (void)q;                                                                \
    for (int i = 0; i < n; i++) qdot[i] = u[i];                             \
  }                                                                         \
  CDNI_INLINE void name##_N_inv(const real *q, const real *qdot, real *u) { \
    (void)q;                                                                \
    for (int i = 0; i < n; i++) u[i] = qdot[i];                             \
  }                                                                         \
  CDNI_INLINE void name##_Ndot(const real *q, const real *u, real *out) {   \
    (void)q, (void)u;                                                       \
    for (int i = 0; i < n; i++) out[i] = r_set(0);                          \
  }                                                                         \
  CDNI_INLINE double name##_normalize(double *q, double *scale) { return (void)q, (void)scale, 0.0; }

/* Three speeds that are an angular velocity in F, then `more` speeds with qdot = u; for quaternions and Euler
 * angles. */
#define RATES_OF_ROTATION(name, more)                                                                      \
  CDNI_INLINE void name##_N(const real *q, const real *u, real *qdot) {                                    \
    quaternion_N(q, u, qdot);                                                                              \
    for (int i = 0; i < more; i++) qdot[4 + i] = u[3 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_N_inv(const real *q, const real *qdot, real *u) {                                \
    quaternion_N_inv(q, qdot, u);                                                                          \
    for (int i = 0; i < more; i++) u[3 + i] = qdot[4 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_Ndot(const real *q, const real *u, real *out) {                                  \
    quaternion_Ndot(q, u, out);                                                                            \
    for (int i = 0; i < more; i++) out[4 + i] = r_set(0);                                                  \
  }                                                                                                        \
  CDNI_INLINE double name##_normalize(double *q, double *scale) { return quaternion_normalize(q, scale); } \
  CDNI_INLINE void name##_euler_N(const real *q, const real *u, real *qdot) {                              \
    euler_N(q, u, qdot);                                                                                   \
    for (int i = 0; i < more; i++) qdot[3 + i] = u[3 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_euler_N_inv(const real *q, const real *qdot, real *u) {                          \
    euler_N_inv(q, qdot, u);                                                                               \
    for (int i = 0; i < more; i++) u[3 + i] = qdot[3 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_euler_Ndot(const real *q, const real *u, real *out) {                            \
    euler_Ndot(q, u, out);                                                                                 \
    for (int i = 0; i < more; i++) out[3 + i] = r_set(0);                                                  \
  }                                                                                                        \
  CDNI_INLINE double name##_euler_normalize(double *q, double *scale) { return (void)q, (void)scale, 0.0; }

/* Two speeds that are the angular velocity about M's x and y, then `more` speeds with qdot = u. */
#define RATES_OF_LINE(name, more)                                                                          \
  CDNI_INLINE void name##_N(const real *q, const real *u, real *qdot) {                                    \
    const real w[3] = { u[0], u[1], r_set(0) };                                                            \
    quaternion_N_M(q, w, qdot);                                                                            \
    for (int i = 0; i < more; i++) qdot[4 + i] = u[2 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_N_inv(const real *q, const real *qdot, real *u) {                                \
    real w[3];                                                                                             \
    quaternion_N_M_inv(q, qdot, w);                                                                        \
    u[0] = w[0], u[1] = w[1];                                                                              \
    for (int i = 0; i < more; i++) u[2 + i] = qdot[4 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_Ndot(const real *q, const real *u, real *out) {                                  \
    const real w[3] = { u[0], u[1], r_set(0) };                                                            \
    quaternion_Ndot_M(q, w, out);                                                                          \
    for (int i = 0; i < more; i++) out[4 + i] = r_set(0);                                                  \
  }                                                                                                        \
  CDNI_INLINE double name##_normalize(double *q, double *scale) { return quaternion_normalize(q, scale); } \
  CDNI_INLINE void name##_euler_N(const real *q, const real *u, real *qdot) {                              \
    euler_N_line(q, u, qdot);                                                                              \
    for (int i = 0; i < more; i++) qdot[3 + i] = u[2 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_euler_N_inv(const real *q, const real *qdot, real *u) {                          \
    euler_N_line_inv(q, qdot, u);                                                                          \
    for (int i = 0; i < more; i++) u[2 + i] = qdot[3 + i];                                                 \
  }                                                                                                        \
  CDNI_INLINE void name##_euler_Ndot(const real *q, const real *u, real *out) {                            \
    euler_Ndot_line(q, u, out);                                                                            \
    for (int i = 0; i < more; i++) out[3 + i] = r_set(0);                                                  \
  }                                                                                                        \
  CDNI_INLINE double name##_euler_normalize(double *q, double *scale) { return (void)q, (void)scale, 0.0; }

#endif
