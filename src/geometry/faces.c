/* Solids with flat faces: their planes, and how deep they are. A cylinder has the faces of a prism about it. */
#include <math.h>

#include "geometry/convex/hull.h"

enum { CYLINDER_SIDES = CDNI_OWN_FACES - 2 };

static int box_faces(const cdn_geometry *g, double (*planes)[4]) {
  int n = 0;
  for (int k = 0; k < 3; k++)
    for (int s = -1; s <= 1; s += 2) {
      memset(planes[n], 0, sizeof planes[n]);
      planes[n][k] = s;
      planes[n++][3] = g->size[k];
    }
  return n;
}

static const double STEP = 2 * 3.14159265358979323846 / CYLINDER_SIDES;

/* The sides have the distance at which a prism has the cylinder's volume. */
static double apothem_of(double radius) { return radius * sqrt(0.5 * STEP / tan(0.5 * STEP)); }

static int cylinder_faces(const cdn_geometry *g, double (*planes)[4]) {
  const double step = STEP, apothem = apothem_of(g->size[0]);
  int n = 0;
  for (int s = -1; s <= 1; s += 2) {
    const double cap[4] = { 0, 0, s, g->size[1] };
    memcpy(planes[n++], cap, sizeof cap);
  }
  for (int k = 0; k < CYLINDER_SIDES; k++) {
    const double side[4] = { cos(k * step), sin(k * step), 0, apothem };
    memcpy(planes[n++], side, sizeof side);
  }
  return n;
}

const double *cdni_faces(const cdn_geometry *g, double (*own)[4], int *n) {
  *n = 0;
  switch (g->kind) {
    case CDN_GEOMETRY_HALF_SPACE:
      memcpy(own[0], (double[4]){ 0, 0, 1, 0 }, sizeof own[0]);
      *n = 1;
      return own[0];
    case CDN_GEOMETRY_BOX: *n = box_faces(g, own); return own[0];
    case CDN_GEOMETRY_CYLINDER: *n = cylinder_faces(g, own); return own[0];
    case CDN_GEOMETRY_CONVEX: *n = g->surface->n_faces; return g->surface->face_planes;
    default: return own[0];
  }
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
  if (g->kind != CDN_GEOMETRY_CYLINDER) return 0;
  return apothem_of(g->size[0]) / cos(0.5 * STEP) - g->size[0];
}

double cdni_largest_depth(const cdn_geometry *g) {
  switch (g->kind) {
    case CDN_GEOMETRY_BOX: return fmin(fmin(g->size[0], g->size[1]), g->size[2]);
    case CDN_GEOMETRY_CYLINDER: return fmin(g->size[0], g->size[1]);
    case CDN_GEOMETRY_CONVEX: return fmax(g->surface->inner_radius, 1e-3 * g->surface->radius);
    default: return INFINITY;
  }
}
