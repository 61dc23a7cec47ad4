/* Private to the room: rays, in S, with a unit direction. */
#ifndef CARDAN_GEOMETRY_RAY_H
#define CARDAN_GEOMETRY_RAY_H

#include <math.h>

#include "geometry/surfaces/surfaces.h"

/* The nearest hits so far, in order. */
typedef struct ray_hits {
  int n, room;
  double reach; /* what is farther away does not count: the last hit, when there is no more room */
  cdn_ray_hit *hit;
} ray_hits;

typedef struct ray {
  cdn_vec3 origin, direction;
} ray;

static inline void add_hit(ray_hits *hits, const ray *r, double distance, cdn_vec3 normal, int feature) {
  if (!(distance >= 0 && distance <= hits->reach && distance < INFINITY)) return;
  if (hits->n == hits->room && distance >= hits->hit[hits->n - 1].distance) return;
  int at = hits->n < hits->room ? hits->n++ : hits->n - 1;
  for (; at > 0 && hits->hit[at - 1].distance > distance; at--) hits->hit[at] = hits->hit[at - 1];
  hits->hit[at] = (cdn_ray_hit){ distance, g_fma(distance, r->direction, r->origin), normal, feature };
  if (hits->n == hits->room) hits->reach = hits->hit[hits->n - 1].distance;
}

/* Adds the hits with the geometry. */
typedef void ray_by(const cdn_geometry *g, const ray *r, ray_hits *hits);
/* ray.c: the column `ray` by such a function. */
int cdni_ray_by(ray_by *function, const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                double reach, int room, cdn_ray_hit *out);
/* ray_triangles.c */
ray_by cdni_ray_hull, cdni_ray_mesh, cdni_ray_field;
/* ray_general.c: by a signed distance of the user's; by the distance of points from anything convex and bounded. */
ray_by cdni_ray_distance, cdni_ray_support;

#endif
