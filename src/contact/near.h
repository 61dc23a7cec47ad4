/* How near two shapes are for the laws of round surfaces. Private to the room. */
#ifndef CARDAN_CONTACT_NEAR_H
#define CARDAN_CONTACT_NEAR_H

#include "geometry/geometry.h"

/* near.c: as cdni_pair_distance, but between capsules the distance is a smooth function of the pose. The force of such
 * a distance is `share` (0 to 1) times the force that the law has at this distance; it acts along the normal. */
bool cdni_contact_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], double reach,
                       cdn_proximity *near, double *share);
/* The two points of the axes of two capsules between which their law acts. One is on_a, on the axis of a; the other is
 * on_a + length * normal, on the axis of b. */
typedef struct rods_place {
  cdn_vec3 on_a, normal;
  double s, t;             /* where the points are on the axes of a and b, from their middles, m */
  bool s_varies, t_varies; /* the point is not at an end of its axis, so that it moves along it as the pose changes */
  double length;           /* between the points */
  double D;                /* the smooth distance of the axes, which is a little longer (near.c) */
} rods_place;
rods_place cdni_contact_rods(const cdn_geometry *const g[2], const cdn_transform *const X[2]);
/* Its rates if the capsules turn about their middles by `turn`, and the middles move by `shift`, in a unit of time. */
typedef struct rods_rate {
  cdn_vec3 on_a, normal;
  double length, D;
} rods_rate;
void cdni_contact_rods_rate(const rods_place *r, const cdn_transform *const X[2], const cdn_vec3 turn[2],
                            const cdn_vec3 shift[2], rods_rate *out);
/* Puts a sphere, end i of it, in the place of the capsule of a pair. */
void cdni_capsule_end(const cdn_geometry *g[2], const cdn_transform *X[2], int i, cdn_geometry *end,
                      cdn_transform *X_end);

#endif
