/* Ellipsoid: q and u as a ball's. M's origin is at p_FM = (a n_x, b n_y, c n_z) in F, with n the z axis of M in F
 * and half lengths a, b, c. H = (e_k, diag(a,b,c) (e_k x n)) for F's axes e_k. */
/* kind[0..2]: the half lengths. */
#ifndef CARDAN_MOBILIZERS_ELLIPSOID_H
#define CARDAN_MOBILIZERS_ELLIPSOID_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void ellipsoid_glide(const body_frames *c, m3 R, m3 R_FM, m3 *R_GM, v3 *p, real *H) {
  sv *h = (sv *)H;
  v3 n = R_FM.z;
  real a = c->kind[0], b = c->kind[1], d = c->kind[2];
  *R_GM = m3_mul_m3(R, R_FM);
  *p = m3_mul(R, (v3){ a * n.x, b * n.y, d * n.z });
  /* e_x x n = (0, -n_z, n_y) and so on */
  h[0] = (sv){ R.x, v3_fma(-b * n.z, R.y, v3_scale(d * n.y, R.z)) };
  h[1] = (sv){ R.y, v3_fma(a * n.z, R.x, v3_scale(-d * n.x, R.z)) };
  h[2] = (sv){ R.z, v3_fma(-a * n.y, R.x, v3_scale(b * n.x, R.y)) };
}

CDNI_INLINE void ellipsoid_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  ellipsoid_glide(c, R, quaternion_rotation(q), R_GM, p, H);
}

CDNI_INLINE void ellipsoid_euler_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  ellipsoid_glide(c, R, euler_turn(m3_identity(), q, NULL), R_GM, p, H);
}

/* diag(a,b,c) (w x (w x n)): F's axes are the angular halves of H. */
CDNI_INLINE sv ellipsoid_bias(const body_frames *c, const real *q, const real *u, const real *H, v3 z) {
  const sv *h = (const sv *)H;
  (void)q;
  m3 R = { h[0].w, h[1].w, h[2].w };
  v3 w = { u[0], u[1], u[2] }, f = v3_cross(w, v3_cross(w, m3_tmul(R, z)));
  v3 g = { c->kind[0] * f.x, c->kind[1] * f.y, c->kind[2] * f.z };
  return (sv){ v3_zero(), m3_mul(R, g) };
}
#define ellipsoid_euler_bias ellipsoid_bias

RATES_OF_ROTATION(ellipsoid, 0)
FIT_ANY_ROTATION(ellipsoid)

/* The unit vector n whose point diag(a,b,c) n is nearest to p: (a_i^2 + t) n_i = a_i p_i, with the t above -min
 * a_i^2 that gives n unit length. If there is no such t (p inside, on a plane of symmetry), the missing length goes
 * along the shortest half axis, on the side of `now`. */
CDNI_INLINE cdn_vec3 ellipsoid_nearest(const double *half, cdn_vec3 p, cdn_vec3 now) {
  const double at[3] = { p.x, p.y, p.z }, old[3] = { now.x, now.y, now.z };
  double c[3], e[3], n[3], scale = 0, least = INFINITY, length = 0, singular = 0;
  for (int i = 0; i < 3; i++) {
    c[i] = half[i] * at[i], e[i] = half[i] * half[i];
    least = fmin(least, e[i]);
    scale = fmax(scale, fmax(fabs(c[i]), e[i]));
  }
  if (!(scale > 0) || !isfinite(scale)) return now;
  for (int i = 0; i < 3; i++) {
    c[i] /= scale, e[i] = (e[i] - least) / scale;
    length += c[i] * c[i];
    if (e[i] == 0) singular += c[i] * c[i];
  }
  double lower = sqrt(singular), upper = sqrt(length), sum = 0, rest = 0;
  for (int i = 0; i < 3 && singular == 0; i++) {
    n[i] = e[i] > 0 ? c[i] / e[i] : 0;
    sum += n[i] * n[i];
    if (e[i] == 0) rest += old[i] * old[i];
  }
  if (singular == 0 && sum <= 1) {
    const double missing = sqrt(1 - sum);
    bool given = false;
    for (int i = 0; i < 3; i++) {
      if (e[i] != 0) continue;
      if (rest > 0) n[i] = missing * old[i] / sqrt(rest);
      else n[i] = given ? 0 : missing;
      given = true;
    }
    return cdn_v3(n[0], n[1], n[2]);
  }
  for (int round = 0; round < 200; round++) {
    const double t = 0.5 * (lower + upper);
    if (t == lower || t == upper) break;
    double square = 0;
    for (int i = 0; i < 3; i++) square += (c[i] / (e[i] + t)) * (c[i] / (e[i] + t));
    if (square > 1) lower = t;
    else upper = t;
  }
  for (int i = 0; i < 3; i++) n[i] = c[i] / (e[i] + upper);
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  return cdn_v3(n[0] / size, n[1] / size, n[2] / size);
}

/* The smallest rotation that turns z' into that direction. */
CDNI_INLINE cdn_quaternion ellipsoid_turned(cdn_vec3 p, cdn_quaternion now, const double *kind) {
  const cdn_vec3 z = cdn_rotation_from_quaternion(now).z;
  cdn_quaternion q = cdn_quaternion_multiply(cdn_quaternion_between(z, ellipsoid_nearest(kind, p, z)), now);
  const double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (cdn_quaternion){ q.w / length, q.x / length, q.y / length, q.z / length };
}

CDNI_INLINE bool ellipsoid_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  quaternion_normalize(q, NULL);
  if (way == FIT_FREELY) fit_quaternion(ellipsoid_turned(p, (cdn_quaternion){ q[0], q[1], q[2], q[3] }, kind), q);
  return way != FIT_IN_M;
}
CDNI_INLINE bool ellipsoid_euler_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  const cdn_angles a = { q[0], q[1], q[2] };
  if (way == FIT_FREELY)
    fit_angles(ellipsoid_turned(p, cdn_quaternion_from_angles(CDN_XYZ, CDN_BODY_FIXED, a), kind), q);
  return way != FIT_IN_M;
}

#endif
