/* Coordinates from a wanted pose: shared by the mobilizer kinds. On doubles, outside of the kernels.
 *
 * Each kind NAME defines NAME_fit_R(wanted, q, kind): the rotation nearest to the wanted one, by the angle between
 * them; and NAME_fit_p(p, way, q, kind): the origin of M nearest to p; false if there is no closed form. Coordinates
 * that do not matter for the wish keep their values; angles go to the nearest turn. `kind` as in body_frames. */
#ifndef CARDAN_MOBILIZERS_FIT_H
#define CARDAN_MOBILIZERS_FIT_H

#include <math.h>

#include <cardan/angles.h>

#include "matter/records.h"

/* Conditions of a wanted translation: all coordinates may change; or the rotation must stay; or p is known in M's
 * axes (of a reversed mobilizer) and is given as turned by the present rotation. */
typedef enum fit_way { FIT_FREELY, FIT_HELD, FIT_IN_M } fit_way;

#define FIT_NO_ROTATION(name)                                                           \
  CDNI_INLINE void name##_fit_R(cdn_quaternion wanted, double *q, const double *kind) { \
    (void)wanted, (void)q, (void)kind;                                                  \
  }
#define FIT_NO_TRANSLATION(name)                                                          \
  CDNI_INLINE bool name##_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) { \
    return (void)p, (void)way, (void)q, (void)kind, true;                                 \
  }

static const double FIT_TURN = 6.28318530717958647692;
/* Parts of unit quaternions below this are rounding. */
static const double FIT_NOTHING = 0x1p-50;

/* x plus whole turns, nearest to y. */
CDNI_INLINE double fit_turn(double x, double y) {
  return fabs(x - y) <= 0.5 * FIT_TURN ? x : y + remainder(x - y, FIT_TURN);
}

/* The nearest turn about z. */
CDNI_INLINE void fit_turn_z(cdn_quaternion wanted, double *q) {
  if (hypot(wanted.w, wanted.z) > FIT_NOTHING) *q = fit_turn(2 * atan2(wanted.z, wanted.w), *q);
}
#define FIT_TURNS_ABOUT_Z(name)                                                         \
  CDNI_INLINE void name##_fit_R(cdn_quaternion wanted, double *q, const double *kind) { \
    (void)kind;                                                                         \
    fit_turn_z(wanted, q);                                                              \
  }

/* Two turns about perpendicular axes. Their quaternion is (cc, sc, cs, ss) of the half angles. Its product with the
 * wanted one is u^T Q v for the unit vectors u, v of the half angles, and is largest for the leading singular
 * vectors of Q = [cc cs; sc ss]. */
CDNI_INLINE void fit_two_turns(double cc, double sc, double cs, double ss, double *first, double *second) {
  const double a = cc + ss, b = sc - cs, c = cc - ss, d = sc + cs;
  const double difference = hypot(a, b) > FIT_NOTHING ? atan2(b, a) : 0.5 * (*first - *second);
  const double sum = hypot(c, d) > FIT_NOTHING ? atan2(d, c) : 0.5 * (*first + *second);
  *first = fit_turn(sum + difference, *first), *second = fit_turn(sum - difference, *second);
}

/* The unit quaternion, of the two, on the present one's side. */
CDNI_INLINE void fit_quaternion(cdn_quaternion wanted, double *q) {
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  const double dot = wanted.w * (q[0] / largest) + wanted.x * (q[1] / largest) + wanted.y * (q[2] / largest) +
                     wanted.z * (q[3] / largest);
  const double sign = dot < 0 ? -1 : 1;
  q[0] = sign * wanted.w, q[1] = sign * wanted.x, q[2] = sign * wanted.y, q[3] = sign * wanted.z;
}

/* Angles about x, y', z''. */
CDNI_INLINE void fit_angles(cdn_quaternion wanted, double *q) {
  cdn_angles a;
  cdn_angles_near(CDN_XYZ, CDN_BODY_FIXED, wanted, (cdn_angles){ q[0], q[1], q[2] }, &a);
  if (isfinite(a.first)) q[0] = a.first, q[1] = a.second, q[2] = a.third;
}

/* Every rotation can be reached, with a quaternion and with angles. */
#define FIT_ANY_ROTATION(name)                                                                \
  CDNI_INLINE void name##_fit_R(cdn_quaternion wanted, double *q, const double *kind) {       \
    (void)kind;                                                                               \
    fit_quaternion(wanted, q);                                                                \
  }                                                                                           \
  CDNI_INLINE void name##_euler_fit_R(cdn_quaternion wanted, double *q, const double *kind) { \
    (void)kind;                                                                               \
    fit_angles(wanted, q);                                                                    \
  }

/* p_FM from three coordinates beginning with q[first]. */
#define FIT_POINT(name, first)                                                            \
  CDNI_INLINE bool name##_fit_p(cdn_vec3 p, fit_way way, double *q, const double *kind) { \
    (void)way, (void)kind;                                                                \
    q[first] = p.x, q[first + 1] = p.y, q[first + 2] = p.z;                               \
    return true;                                                                          \
  }

#endif
