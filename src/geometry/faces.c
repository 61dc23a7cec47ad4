/* Solids with flat faces: their planes, and how deep they are, as their kinds have it. */
#include <math.h>

#include "geometry/convex/hull.h"

const double *cdni_faces(const cdn_geometry *g, double (*own)[4], int *n) {
  const geometry_kind *kind = kind_of(g);
  *n = 0;
  return kind->faces ? kind->faces(g, own, n) : own[0];
}

static double depth_below(const double *plane, cdn_vec3 p) {
  return plane[3] - (plane[0] * p.x + plane[1] * p.y + plane[2] * p.z);
}

double cdni_nearest_face(const cdn_geometry *g, const double *planes, int n, cdn_vec3 p, int *face) {
  if (g->kind == CDN_GEOMETRY_CONVEX) return cdni_hull_nearest_face(g->surface, p, face);
  double least = INFINITY;
  *face = 0;
  for (int i = 0; i < n; i++) {
    const double depth = depth_below(&planes[4 * i], p);
    if (depth < least) least = depth, *face = i;
  }
  return least;
}

int cdni_faces_near(const cdn_geometry *g, const double *planes, int n, const face_box *box, int room, int32_t *list) {
  if (g->kind == CDN_GEOMETRY_CONVEX) return cdni_hull_faces_near(g->surface, box, room, list);
  int count = 0;
  for (int i = 0; i < n && count < room; i++)
    if (cdni_face_is_near(&planes[4 * i], box)) list[count++] = i;
  return count;
}

double cdni_faces_beyond(const cdn_geometry *g) {
  const geometry_kind *kind = kind_of(g);
  return kind->beyond ? kind->beyond(g) : 0;
}

double cdni_largest_depth(const cdn_geometry *g) {
  const geometry_kind *kind = kind_of(g);
  return kind->depth ? kind->depth(g) : INFINITY;
}
