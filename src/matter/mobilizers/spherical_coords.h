/* Spherical coordinates: azimuth s0 q0 + az0 about F's z, zenith s1 q1 + ze0 about the turned y, then s2 q2 along M's z
 * (or x); u = qdot. H = ((s0 z, s0 z x p), (s1 y, s1 y x p), (0, s2 d)) with d = M's z or x. */
/* kind: az0, ze0, s0, s1, and d as s2 times its x and z in M. */
#ifndef CARDAN_MOBILIZERS_SPHERICAL_COORDS_H
#define CARDAN_MOBILIZERS_SPHERICAL_COORDS_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void spherical_coords_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  real s, t;
  sv *h = (sv *)H;
  r_sincos(r_fma(c->kind[2], q[0], c->kind[0]), &s, &t);
  m3 turned = m3_turn_z(R, s, t);
  r_sincos(r_fma(c->kind[3], q[1], c->kind[1]), &s, &t);
  *R_GM = m3_turn_y(turned, s, t);
  v3 d = v3_fma(c->kind[4], R_GM->x, v3_scale(c->kind[5], R_GM->z));
  *p = v3_scale(q[2], d);
  v3 w0 = v3_scale(c->kind[2], R.z), w1 = v3_scale(c->kind[3], turned.y);
  h[0] = (sv){ w0, v3_cross(w0, *p) };
  h[1] = (sv){ w1, v3_cross(w1, *p) };
  h[2] = (sv){ v3_zero(), d };
}

/* The second axis turns about the first; the origin follows with centripetal and Coriolis terms. */
CDNI_INLINE sv spherical_coords_bias(const body_frames *c, const real *q, const real *u, const real *H, v3 z) {
  const sv *h = (const sv *)H;
  (void)c, (void)z;
  v3 w = v3_fma(u[1], h[1].w, v3_scale(u[0], h[0].w)), a = v3_scale(u[0] * u[1], v3_cross(h[0].w, h[1].w));
  v3 v = v3_fma(u[1], h[1].v, v3_scale(u[0], h[0].v)); /* w x p */
  v = v3_fma(2.0 * u[2], h[2].v, v);
  return (sv){ a, v3_cross_add(w, v, v3_scale(q[2], v3_cross(a, h[2].v))) };
}

RATES_ARE_SPEEDS(spherical_coords, 3)
/* The angles as turns, from and to the coordinates. */
CDNI_INLINE void spherical_coords_turns(const double *q, const double *kind, double *azimuth, double *zenith) {
  *azimuth = kind[2] * q[0] + kind[0], *zenith = kind[3] * q[1] + kind[1];
}
CDNI_INLINE void spherical_coords_take(double azimuth, double zenith, double *q, const double *kind) {
  q[0] = (azimuth - kind[0]) / kind[2], q[1] = (zenith - kind[1]) / kind[3];
}

/* Rz Ry = (cc, -ss, cs, sc) as a quaternion. */
CDNI_INLINE void spherical_coords_fit_R(cdn_quaternion wanted, double *q, const double *kind) {
  double azimuth, zenith;
  spherical_coords_turns(q, kind, &azimuth, &zenith);
  fit_two_turns(wanted.w, wanted.z, wanted.y, -wanted.x, &azimuth, &zenith);
  spherical_coords_take(azimuth, zenith, q, kind);
}

/* The distance keeps its sign. Two pairs of angles point in the same direction; the nearer pair is taken. */
CDNI_INLINE bool spherical_coords_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) {
  double azimuth, zenith;
  spherical_coords_turns(q, kind, &azimuth, &zenith);
  if (way != FIT_FREELY) {
    const double s = sin(zenith), c = cos(zenith), level = p.x * cos(azimuth) + p.y * sin(azimuth);
    q[2] = kind[4] * (c * level - s * p.z) + kind[5] * (s * level + c * p.z);
    return true;
  }
  const double distance = cdn_norm(p);
  q[2] = q[2] < 0 ? -distance : distance;
  if (distance == 0) return true;
  const bool along_x = kind[4] != 0;
  const double sign = (q[2] < 0 ? -1 : 1) * (kind[4] + kind[5]);
  const double level = hypot(p.x, p.y), height = sign * p.z;
  double turn = level > FIT_NOTHING * distance ? fit_turn(atan2(sign * p.y, sign * p.x), azimuth) : azimuth;
  double tilt = fit_turn(along_x ? atan2(-height, level) : atan2(level, height), zenith);
  const double other_turn = level > FIT_NOTHING * distance ? fit_turn(turn + 0.5 * FIT_TURN, azimuth) : azimuth;
  const double other_tilt = fit_turn(along_x ? 0.5 * FIT_TURN - tilt : -tilt, zenith);
  if (hypot(other_turn - azimuth, other_tilt - zenith) < hypot(turn - azimuth, tilt - zenith))
    turn = other_turn, tilt = other_tilt;
  spherical_coords_take(turn, tilt, q, kind);
  return true;
}

#endif
