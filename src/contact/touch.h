/* What a contact is, by the pose and by the velocity. Private to the room. */
#ifndef CARDAN_CONTACT_TOUCH_H
#define CARDAN_CONTACT_TOUCH_H

#include <math.h>

#include "laws/laws.h"

/* What a contact is by the pose alone. The force on b along the normal is the pressure of its law by depth and rate,
 * and never pulls. */
typedef struct touch {
  int32_t a, b, feature;
  int16_t law;    /* of its pressure (pressure_at) */
  int8_t in_pair; /* 1: the energy is that of the pair of shapes, which is computed when somebody asks */
  int8_t model;   /* a cdn_contact_model; what is not compliant has forces by rows alone */
  cdn_vec3 point, normal, tangent;  /* the first of two tangents */
  double depth, elastic;            /* elastic: the pressure at the rate 0 */
  double numbers[CDN_LAW_NUMBERS];  /* of its law */
  double energy;                    /* NaN: nobody computes it, and the force counts as one without a potential */
  cdn_vec3 side_force, side_moment; /* on b, elastic as well: stiffness that varies (varying.c) */
  double friction[3];               /* static, dynamic, viscous; of soft contact along two tangents */
  double torsional, rolling;        /* m */
  double modulus;                   /* of both, combined */
  double spread;                    /* root mean square of the distances of its pressure from the point, m */
  double radius[2];
  /* A pressure field on a polygon (in_pair), for bed.c: its stiffness, N/m; the middle of its area, along the tangent
   * and across, from the point; the root of twice the second moments of the area over the area: xx, xy, yy, m. */
  double stiffness, middle[2], half[3];
} touch;

/* Contacts of a State are compared by their bytes, so there must be none between members. */
_Static_assert(sizeof(touch) == 4 * sizeof(int32_t) + 38 * sizeof(double), "a touch has no unused bytes");

/* What it is by pose and velocity. */
typedef struct touch_force {
  double rate, slip[2];
  double normal;          /* force along the normal, >= 0 */
  cdn_vec3 friction;      /* force on b in the plane */
  cdn_vec3 moment;        /* on b, against spin and rolling */
  cdn_vec3 turn, carried; /* as in relative_motion */
  double power;           /* of all that is not elastic, into the bodies */
} touch_force;

/* The first of two tangents where nothing tells which: some unit vector across the unit vector n (Duff et al., Building
 * an Orthonormal Basis, Revisited, 2017). */
static inline cdn_vec3 contact_tangent(cdn_vec3 n) {
  const double sign = copysign(1, n.z), a = -1 / (sign + n.z);
  return cdn_v3(1 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x);
}

#endif
