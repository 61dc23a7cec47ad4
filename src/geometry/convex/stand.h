/* Private to the room: the points of a convex geometry on a half-space. */
#ifndef CARDAN_GEOMETRY_CONVEX_STAND_H
#define CARDAN_GEOMETRY_CONVEX_STAND_H

#include "geometry/internal.h"

/* What the points of b are made of: the height of its origin, and the normal in S. */
typedef struct stand {
  cdn_vec3 up, up_B;
  double middle, margin;
} stand;

/* Of b on the half-space a. */
static inline stand stand_of(const cdn_transform *X_WA, const cdn_transform *X_WB, double margin) {
  return (stand){ X_WA->R.z, g_rotate_inv(&X_WB->R, X_WA->R.z), cdn_dot(X_WA->R.z, cdn_sub(X_WB->p, X_WA->p)), margin };
}

/* Adds a point: its height, and where it is on b. */
static inline void stand_point(cdn_manifold *out, double height, cdn_vec3 up, cdn_vec3 point_b, int32_t id) {
  cdn_proximity *p = &out->points[out->n];
  p->distance = height, p->normal = up;
  p->point_a = g_fma(-height, up, point_b), p->point_b = point_b;
  p->feature_a = p->feature_b = 0;
  out->id[out->n++] = id;
}

#endif
