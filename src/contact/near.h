/* How near two shapes are for the laws of round surfaces. Private to the room. */
#ifndef CARDAN_CONTACT_NEAR_H
#define CARDAN_CONTACT_NEAR_H

#include "geometry/geometry.h"

/* near.c: as cdni_pair_distance, but smooth between capsules. A force acts along the normal with the part `share` of
 * what the distance says. */
bool cdni_contact_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], double reach,
                       cdn_proximity *near, double *share);
/* The place of two capsules' axes to each other that their law is about: on_a + length normal is on b's. */
typedef struct rods_place {
  cdn_vec3 on_a, normal;
  double s, t;             /* along the axes, from their middles */
  bool s_varies, t_varies; /* they are not at an end */
  double length, D;
} rods_place;
rods_place cdni_contact_rods(const cdn_geometry *const g[2], const cdn_transform *const X[2]);
/* How it changes while the two capsules turn about their middles, and these shift. */
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
