/* Private to the folder: from the triangles of a hull to a surface. */
#ifndef CARDAN_GEOMETRY_CONVEX_HULL_H
#define CARDAN_GEOMETRY_CONVEX_HULL_H

#include "geometry/internal.h"

/* The surface of a hull whose triangles are triples of the n points, counterclockwise from outside; NULL: no memory. */
cdn_surface *cdni_hull_build(int n, const double *points, int n_triangles, const int32_t *triangles);

/* The hull of n points, of which some may be outside by about `within`; 0: none. */
cdn_status cdni_hull_find(int n, const double *points, double within, cdn_surface **out);

/* ---- face_groups.c ---- */

/* A face while faces are sorted. */
typedef struct keyed_face {
  double key;
  int32_t face;
} keyed_face;

/* Room for the groups of so many faces. Sets the groups of a hull whose faces and centre are known; `work` has room for
 * all faces. */
size_t cdni_face_groups_room(size_t n_faces);
void cdni_face_groups_set(cdn_surface *s, keyed_face *work);
/* The smallest depth of a point below a face, and the first such face. */
double cdni_hull_nearest_face(const cdn_surface *s, cdn_vec3 p, int *face);
/* Whether a face is near, and those that are: see cdni_faces_near. */
bool cdni_face_is_near(const double *plane, const face_box *box);
int cdni_hull_faces_near(const cdn_surface *s, const face_box *box, int room, int32_t *list);

#endif
