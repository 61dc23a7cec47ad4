/* Private to the room: what of a convex geometry may lie flat on another, and polygons cut by polygons. */
#ifndef CARDAN_GEOMETRY_CONVEX_FEATURE_H
#define CARDAN_GEOMETRY_CONVEX_FEATURE_H

#include "geometry/internal.h"

enum { FEATURE_MOST = 32, CLIPPED_MOST = 2 * FEATURE_MOST + 2 };

/* The part of a geometry that is farthest along a direction: a point (n = 1), a segment, or a face, counterclockwise
 * from outside. */
typedef struct flat_part {
  int n;
  cdn_vec3 p[FEATURE_MOST]; /* W */
  int32_t id[FEATURE_MOST]; /* of the corner; < 2^20 */
  cdn_vec3 normal;          /* of a face */
  double radius;            /* of the ball that the feature is swept by */
} flat_part;

static inline void feature_add_point(flat_part *f, cdn_vec3 p, int32_t id) {
  f->p[f->n] = p;
  f->id[f->n++] = id;
}
/* A point of S. */
static inline void feature_add(flat_part *f, const cdn_transform *X_WS, double x, double y, double z, int32_t id) {
  feature_add_point(f, g_point(X_WS, cdn_v3(x, y, z)), id);
}

/* Points of the rim of a cap, on the circle of radius 1; the one that is nearest to a unit vector. */
enum { RIM_POINTS = 8 };
extern const double cdni_rim[RIM_POINTS][2];
int cdni_rim_nearest(double x, double y);
/* Of the faces of a hull that meet at a vertex, the one whose normal is nearest to the direction. */
int cdni_hull_face(const cdn_surface *s, int32_t vertex, cdn_vec3 direction);
/* Writes the corners of a face, at most FEATURE_MOST of them, counterclockwise; returns how many. */
int cdni_hull_corners(const cdn_surface *s, int face, int32_t corners[FEATURE_MOST]);

/* half_space.c: the points of a convex geometry b within the margin of a half-space a. */
void cdni_half_space_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                              const cdn_transform *X_WB, double margin, cdn_manifold *out);

void cdni_feature(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 direction, flat_part *f);
/* The edge of a face that is farthest along a direction; a segment stays what it is. */
void cdni_feature_edge(flat_part *f, cdn_vec3 direction);

typedef struct clipped_point {
  cdn_vec3 p;
  int32_t id;
  int32_t edge; /* where the line to the next point lies: an edge of the subject, or a side of the window */
} clipped_point;
/* The part of a segment or polygon that is over the polygon `window`, along its normal; returns the number of its
 * points. Their ids are those of corners of the subject, or name the edge and the side that cross there. */
int cdni_clip(const flat_part *subject, const flat_part *window, clipped_point out[CLIPPED_MOST]);

#endif
