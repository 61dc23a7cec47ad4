/* Ellipsoid: q and u as a ball's; M's origin is where p_FM = (a n_x, b n_y, c n_z) in F, n the z axis of M in F and a, b, c the
 * half lengths. H = (e_k, diag(a,b,c) (e_k x n)) for F's axes e_k. */
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

#endif
