/* Private to the room: the point of a triangle that is nearest to a point. */
#ifndef CARDAN_GEOMETRY_CLOSEST_H
#define CARDAN_GEOMETRY_CLOSEST_H

#include "geometry/internal.h"

/* The part of a triangle where a point is: edge k (from vertex k to the next), vertex k, or the inner points. */
enum { PART_EDGE = 0, PART_VERTEX = 3, PART_FACE = 6 };

typedef struct closest_point {
  cdn_vec3 point;
  double square; /* of the distance */
  int part;
} closest_point;

static inline closest_point closest_on_segment(cdn_vec3 p, cdn_vec3 a, cdn_vec3 b, int edge) {
  const cdn_vec3 e = cdn_sub(b, a), r = cdn_sub(p, a);
  const double along = cdn_dot(r, e), whole = cdn_dot(e, e);
  closest_point c = { a, 0, PART_VERTEX + edge };
  if (along >= whole) c.point = b, c.part = PART_VERTEX + (edge + 1) % 3;
  else if (along > 0) c.point = g_fma(along / whole, e, a), c.part = PART_EDGE + edge;
  const cdn_vec3 d = cdn_sub(p, c.point);
  c.square = cdn_dot(d, d);
  return c;
}

/* `normal` is a unit vector. Where the point projects beyond an edge, the nearest of the three edges is right. */
static inline closest_point closest_on_triangle(cdn_vec3 p, const cdn_vec3 v[3], cdn_vec3 normal) {
  bool inner = true;
  for (int k = 0; k < 3 && inner; k++) {
    const cdn_vec3 *a = &v[k], *b = &v[(k + 1) % 3];
    inner = cdn_dot(cdn_cross(normal, cdn_sub(*b, *a)), cdn_sub(p, *a)) > 0;
  }
  if (inner) {
    const double height = cdn_dot(normal, cdn_sub(p, v[0]));
    return (closest_point){ g_fma(-height, normal, p), height * height, PART_FACE };
  }
  closest_point best = closest_on_segment(p, v[0], v[1], 0);
  for (int k = 1; k < 3; k++) {
    const closest_point c = closest_on_segment(p, v[k], v[(k + 1) % 3], k);
    if (c.square < best.square) best = c;
  }
  return best;
}

#endif
