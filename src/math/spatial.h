/* Vectors, rotations and spatial inertias of `real`, for the kernels. Everything is by value and inlined. */
#ifndef CARDAN_MATH_SPATIAL_H
#define CARDAN_MATH_SPATIAL_H

#include <cardan/math.h>

#include "math/lane.h"

typedef struct v3 {
  real x, y, z;
} v3;
typedef struct m3 {
  v3 x, y, z;
} m3; /* by columns */
typedef struct s3 {
  real xx, yy, zz, xy, xz, yz;
} s3; /* symmetric */
typedef struct sv {
  v3 w, v;
} sv; /* spatial vector, rotation first */

/* The rigid body's spatial inertia about the origin of its frame: I, mass times centre of mass, mass. */
typedef struct rigid_inertia {
  s3 I;
  v3 mc;
  real m;
} rigid_inertia;

/* The articulated body inertia (12.4) by its 21 numbers: [J F; F^T M]. */
typedef struct articulated_inertia {
  s3 J;
  m3 F;
  s3 M;
} articulated_inertia;

/* ---- vectors ---- */

CDNI_INLINE v3 v3_zero(void) { return (v3){ r_set(0), r_set(0), r_set(0) }; }
CDNI_INLINE v3 v3_load(const real *p) { return (v3){ p[0], p[1], p[2] }; }
CDNI_INLINE v3 v3_add(v3 a, v3 b) { return (v3){ a.x + b.x, a.y + b.y, a.z + b.z }; }
CDNI_INLINE v3 v3_sub(v3 a, v3 b) { return (v3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
CDNI_INLINE v3 v3_scale(real s, v3 a) { return (v3){ s * a.x, s * a.y, s * a.z }; }
CDNI_INLINE v3 v3_neg(v3 a) { return (v3){ -a.x, -a.y, -a.z }; }
/* s a + b */
CDNI_INLINE v3 v3_fma(real s, v3 a, v3 b) { return (v3){ r_fma(s, a.x, b.x), r_fma(s, a.y, b.y), r_fma(s, a.z, b.z) }; }
CDNI_INLINE real v3_dot(v3 a, v3 b) { return r_fma(a.z, b.z, r_fma(a.y, b.y, a.x * b.x)); }
/* The length, also of vectors whose squares are out of range. */
CDNI_INLINE real v3_norm(v3 a) {
  real square = v3_dot(a, a), norm = r_sqrt(square);
  rmask usual = r_greater(square, r_set(1e-280)) & r_greater(r_set(1e280), square);
  if (r_all(usual)) return norm;
#if CDNI_LANES == 1
  return cdn_norm((cdn_vec3){ a.x, a.y, a.z });
#else
  for (int i = 0; i < CDNI_LANES; i++)
    if (!usual[i]) norm[i] = cdn_norm((cdn_vec3){ a.x[i], a.y[i], a.z[i] });
  return norm;
#endif
}
/* a . b + c */
CDNI_INLINE real v3_dot_add(v3 a, v3 b, real c) { return r_fma(a.z, b.z, r_fma(a.y, b.y, r_fma(a.x, b.x, c))); }
CDNI_INLINE v3 v3_cross(v3 a, v3 b) {
  return (v3){ r_fnma(a.z, b.y, a.y * b.z), r_fnma(a.x, b.z, a.z * b.x), r_fnma(a.y, b.x, a.x * b.y) };
}
/* a x b + c */
CDNI_INLINE v3 v3_cross_add(v3 a, v3 b, v3 c) {
  return (v3){ r_fma(a.y, b.z, r_fnma(a.z, b.y, c.x)), r_fma(a.z, b.x, r_fnma(a.x, b.z, c.y)),
               r_fma(a.x, b.y, r_fnma(a.y, b.x, c.z)) };
}

CDNI_INLINE sv sv_zero(void) { return (sv){ v3_zero(), v3_zero() }; }
CDNI_INLINE sv sv_add(sv a, sv b) { return (sv){ v3_add(a.w, b.w), v3_add(a.v, b.v) }; }
CDNI_INLINE sv sv_neg(sv a) { return (sv){ v3_neg(a.w), v3_neg(a.v) }; }
/* s a + b */
CDNI_INLINE sv sv_fma(real s, sv a, sv b) { return (sv){ v3_fma(s, a.w, b.w), v3_fma(s, a.v, b.v) }; }
CDNI_INLINE real sv_dot(sv a, sv b) { return v3_dot_add(a.w, b.w, v3_dot(a.v, b.v)); }
CDNI_INLINE sv sv_sub(sv a, sv b) { return (sv){ v3_sub(a.w, b.w), v3_sub(a.v, b.v) }; }

/* Velocity of a body at a point displaced by r (phi^T): (w, v + w x r). */
CDNI_INLINE sv sv_shift_motion(sv V, v3 r) { return (sv){ V.w, v3_cross_add(V.w, r, V.v) }; }
/* A force acting at a point displaced by r, as a force at the origin (phi): (m + r x f, f). */
CDNI_INLINE sv sv_shift_force(sv F, v3 r) { return (sv){ v3_cross_add(r, F.v, F.w), F.v }; }

/* ---- matrices ---- */

CDNI_INLINE m3 m3_load(const real *p) { return (m3){ v3_load(p), v3_load(p + 3), v3_load(p + 6) }; }
/* A b */
CDNI_INLINE v3 m3_mul(m3 A, v3 b) {
  v3 r = v3_scale(b.x, A.x);
  r = v3_fma(b.y, A.y, r);
  return v3_fma(b.z, A.z, r);
}
/* A b + c */
CDNI_INLINE v3 m3_mul_add(m3 A, v3 b, v3 c) { return v3_fma(b.z, A.z, v3_fma(b.y, A.y, v3_fma(b.x, A.x, c))); }
/* A^T b */
CDNI_INLINE v3 m3_tmul(m3 A, v3 b) { return (v3){ v3_dot(A.x, b), v3_dot(A.y, b), v3_dot(A.z, b) }; }
CDNI_INLINE m3 m3_transpose(m3 A) {
  return (m3){ { A.x.x, A.y.x, A.z.x }, { A.x.y, A.y.y, A.z.y }, { A.x.z, A.y.z, A.z.z } };
}
CDNI_INLINE m3 m3_identity(void) {
  return (m3){ { r_set(1), r_set(0), r_set(0) }, { r_set(0), r_set(1), r_set(0) }, { r_set(0), r_set(0), r_set(1) } };
}
CDNI_INLINE m3 m3_mul_m3(m3 A, m3 B) { return (m3){ m3_mul(A, B.x), m3_mul(A, B.y), m3_mul(A, B.z) }; }
/* A R_x, A R_y, A R_z: the columns turned by sine s and cosine c about the first, second, third one. */
CDNI_INLINE m3 m3_turn_x(m3 A, real s, real c) {
  return (m3){ A.x, v3_fma(s, A.z, v3_scale(c, A.y)), v3_fma(-s, A.y, v3_scale(c, A.z)) };
}
CDNI_INLINE m3 m3_turn_y(m3 A, real s, real c) {
  return (m3){ v3_fma(-s, A.z, v3_scale(c, A.x)), A.y, v3_fma(s, A.x, v3_scale(c, A.z)) };
}
CDNI_INLINE m3 m3_turn_z(m3 A, real s, real c) {
  return (m3){ v3_fma(s, A.y, v3_scale(c, A.x)), v3_fma(-s, A.x, v3_scale(c, A.y)), A.z };
}

CDNI_INLINE s3 s3_load(const real *p) { return (s3){ p[0], p[1], p[2], p[3], p[4], p[5] }; }
CDNI_INLINE s3 s3_add(s3 a, s3 b) {
  return (s3){ a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz };
}
CDNI_INLINE v3 s3_mul(s3 S, v3 b) {
  return (v3){ r_fma(S.xz, b.z, r_fma(S.xy, b.y, S.xx * b.x)), r_fma(S.yz, b.z, r_fma(S.yy, b.y, S.xy * b.x)),
               r_fma(S.zz, b.z, r_fma(S.yz, b.y, S.xz * b.x)) };
}
CDNI_INLINE v3 s3_mul_add(s3 S, v3 b, v3 c) {
  return (v3){ r_fma(S.xz, b.z, r_fma(S.xy, b.y, r_fma(S.xx, b.x, c.x))),
               r_fma(S.yz, b.z, r_fma(S.yy, b.y, r_fma(S.xy, b.x, c.y))),
               r_fma(S.zz, b.z, r_fma(S.yz, b.y, r_fma(S.xz, b.x, c.z))) };
}
/* S - a b^T, where a b^T is known to be symmetric. */
CDNI_INLINE s3 s3_minus_outer(s3 S, v3 a, v3 b) {
  return (s3){ r_fnma(a.x, b.x, S.xx), r_fnma(a.y, b.y, S.yy), r_fnma(a.z, b.z, S.zz),
               r_fnma(a.x, b.y, S.xy), r_fnma(a.x, b.z, S.xz), r_fnma(a.y, b.z, S.yz) };
}
CDNI_INLINE m3 m3_minus_outer(m3 A, v3 a, v3 b) {
  return (m3){ v3_fma(-b.x, a, A.x), v3_fma(-b.y, a, A.y), v3_fma(-b.z, a, A.z) };
}
CDNI_INLINE real s3_trace(s3 S) { return S.xx + S.yy + S.zz; }
/* R S R^T */
CDNI_INLINE s3 s3_reexpress(m3 R, s3 S) {
  /* Columns of T = R S; then the six elements of T R^T. */
  v3 tx = v3_fma(S.xz, R.z, v3_fma(S.xy, R.y, v3_scale(S.xx, R.x)));
  v3 ty = v3_fma(S.yz, R.z, v3_fma(S.yy, R.y, v3_scale(S.xy, R.x)));
  v3 tz = v3_fma(S.zz, R.z, v3_fma(S.yz, R.y, v3_scale(S.xz, R.x)));
  return (
      s3){ r_fma(tz.x, R.z.x, r_fma(ty.x, R.y.x, tx.x * R.x.x)), r_fma(tz.y, R.z.y, r_fma(ty.y, R.y.y, tx.y * R.x.y)),
           r_fma(tz.z, R.z.z, r_fma(ty.z, R.y.z, tx.z * R.x.z)), r_fma(tz.x, R.z.y, r_fma(ty.x, R.y.y, tx.x * R.x.y)),
           r_fma(tz.x, R.z.z, r_fma(ty.x, R.y.z, tx.x * R.x.z)), r_fma(tz.y, R.z.z, r_fma(ty.y, R.y.z, tx.y * R.x.z)) };
}
/* Inverse of a symmetric positive definite S by L D L^T; *pivot is the smallest pivot, to be tested by the caller. */
CDNI_INLINE s3 s3_inverse(s3 S, real *pivot) {
  real d1 = S.xx, i1 = 1.0 / d1;
  real l21 = S.xy * i1, l31 = S.xz * i1;
  real d2 = r_fnma(l21, S.xy, S.yy), i2 = 1.0 / d2;
  real m32 = r_fnma(l31, S.xy, S.yz), l32 = m32 * i2;
  real d3 = r_fnma(l32, m32, r_fnma(l31, S.xz, S.zz)), i3 = 1.0 / d3;
  /* Columns of L^-1 below the diagonal. */
  real k21 = -l21, k32 = -l32, k31 = r_fma(l32, l21, -l31);
  real lower = r_select(r_greater(d2, d1), d1, d2);
  *pivot = r_select(r_greater(d3, lower), lower, d3);
  return (s3){ r_fma(k31 * i3, k31, r_fma(k21 * i2, k21, i1)),
               r_fma(k32 * i3, k32, i2),
               i3,
               r_fma(k31 * i3, k32, k21 * i2),
               k31 * i3,
               k32 * i3 };
}

/* ---- inertias ---- */

CDNI_INLINE rigid_inertia rigid_reexpress(m3 R, const real I[6], const real mc[3], real m) {
  return (rigid_inertia){ s3_reexpress(R, s3_load(I)), m3_mul(R, v3_load(mc)), m };
}
/* Force that gives the body at rest the acceleration A: (I alpha + mc x a, m a + alpha x mc). For a velocity in
 * place of A it is the momentum. */
CDNI_INLINE sv rigid_mul(rigid_inertia B, sv A) {
  return (sv){ v3_cross_add(B.mc, A.v, s3_mul(B.I, A.w)), v3_fma(B.m, A.v, v3_cross(A.w, B.mc)) };
}
/* Gyroscopic force at angular velocity w. */
CDNI_INLINE sv rigid_gyroscopic(rigid_inertia B, v3 w) {
  return (sv){ v3_cross(w, s3_mul(B.I, w)), v3_cross(w, v3_cross(w, B.mc)) };
}
/* Sum of both: the force of the Newton-Euler equations. */
CDNI_INLINE sv rigid_newton_euler(rigid_inertia B, sv A, v3 w) {
  v3 gyroscopic = v3_cross_add(w, s3_mul(B.I, w), s3_mul(B.I, A.w));
  return (sv){ v3_cross_add(B.mc, A.v, gyroscopic),
               v3_cross_add(w, v3_cross(w, B.mc), v3_cross_add(A.w, B.mc, v3_scale(B.m, A.v))) };
}
/* Inertia about a point; the body's origin is at r from it. */
CDNI_INLINE rigid_inertia rigid_shift(rigid_inertia B, v3 r) {
  v3 c = B.mc, e = v3_fma(B.m, r, v3_add(c, c)); /* 2 mc + m r */
  v3 f = v3_fma(B.m, r, c);                      /* mc + m r */
  real trace = v3_dot(e, r);
  s3 I = { r_fnma(e.x, r.x, B.I.xx) + trace,           r_fnma(e.y, r.y, B.I.yy) + trace,
           r_fnma(e.z, r.z, B.I.zz) + trace,           r_fnma(c.x, r.y, r_fnma(r.x, f.y, B.I.xy)),
           r_fnma(c.x, r.z, r_fnma(r.x, f.z, B.I.xz)), r_fnma(c.y, r.z, r_fnma(r.y, f.z, B.I.yz)) };
  return (rigid_inertia){ I, f, B.m };
}
CDNI_INLINE rigid_inertia rigid_add(rigid_inertia A, rigid_inertia B) {
  return (rigid_inertia){ s3_add(A.I, B.I), v3_add(A.mc, B.mc), A.m + B.m };
}

/* P += B: F gets [mc x], M gets m 1. */
CDNI_INLINE articulated_inertia articulated_add_rigid(articulated_inertia P, rigid_inertia B) {
  P.J = s3_add(P.J, B.I);
  P.F.x.y += B.mc.z, P.F.x.z -= B.mc.y;
  P.F.y.x -= B.mc.z, P.F.y.z += B.mc.x;
  P.F.z.x += B.mc.y, P.F.z.y -= B.mc.x;
  P.M.xx += B.m, P.M.yy += B.m, P.M.zz += B.m;
  return P;
}
CDNI_INLINE articulated_inertia articulated_from_rigid(rigid_inertia B) {
  real o = r_set(0);
  return (articulated_inertia){ B.I,
                                { { o, B.mc.z, -B.mc.y }, { -B.mc.z, o, B.mc.x }, { B.mc.y, -B.mc.x, o } },
                                { B.m, B.m, B.m, o, o, o } };
}
CDNI_INLINE articulated_inertia articulated_add(articulated_inertia A, articulated_inertia B) {
  return (articulated_inertia){ s3_add(A.J, B.J),
                                { v3_add(A.F.x, B.F.x), v3_add(A.F.y, B.F.y), v3_add(A.F.z, B.F.z) },
                                s3_add(A.M, B.M) };
}
CDNI_INLINE sv articulated_mul(articulated_inertia P, sv A) {
  return (sv){ m3_mul_add(P.F, A.v, s3_mul(P.J, A.w)), s3_mul_add(P.M, A.v, m3_tmul(P.F, A.w)) };
}
/* Rigid shift (12.5 to 12.8) to a point; the present origin is at r from it:
 * F' = F + r x M, J' = J + r x F^T - F' r x (the last two summed symmetric). */
CDNI_INLINE articulated_inertia articulated_shift(articulated_inertia P, v3 r) {
  v3 mx = { P.M.xx, P.M.xy, P.M.xz }, my = { P.M.xy, P.M.yy, P.M.yz }, mz = { P.M.xz, P.M.yz, P.M.zz };
  m3 F = { v3_cross_add(r, mx, P.F.x), v3_cross_add(r, my, P.F.y), v3_cross_add(r, mz, P.F.z) };
  /* (r x F^T)_ij = (r x row_j of F)_i; (F' r x)_ij: row i of F' crossed with r, component j. */
  s3 J = P.J;
  v3 rx = { P.F.x.x, P.F.y.x, P.F.z.x }, ry = { P.F.x.y, P.F.y.y, P.F.z.y }, rz = { P.F.x.z, P.F.y.z, P.F.z.z };
  v3 fx = { F.x.x, F.y.x, F.z.x }, fy = { F.x.y, F.y.y, F.z.y };
  v3 fz = { F.x.z, F.y.z, F.z.z };
  J.xx = r_fma(r.y, rx.z, r_fnma(r.z, rx.y, J.xx));
  J.xx = r_fma(r.y, fx.z, r_fnma(r.z, fx.y, J.xx));
  J.yy = r_fma(r.z, ry.x, r_fnma(r.x, ry.z, J.yy));
  J.yy = r_fma(r.z, fy.x, r_fnma(r.x, fy.z, J.yy));
  J.zz = r_fma(r.x, rz.y, r_fnma(r.y, rz.x, J.zz));
  J.zz = r_fma(r.x, fz.y, r_fnma(r.y, fz.x, J.zz));
  J.xy = r_fma(r.y, ry.z, r_fnma(r.z, ry.y, J.xy));
  J.xy = r_fma(r.z, fx.x, r_fnma(r.x, fx.z, J.xy));
  J.xz = r_fma(r.y, rz.z, r_fnma(r.z, rz.y, J.xz));
  J.xz = r_fma(r.x, fx.y, r_fnma(r.y, fx.x, J.xz));
  J.yz = r_fma(r.z, rz.x, r_fnma(r.x, rz.z, J.yz));
  J.yz = r_fma(r.x, fy.y, r_fnma(r.y, fy.x, J.yz));
  return (articulated_inertia){ J, F, P.M };
}

#endif
