/* Private to the folder: from the triangles of a hull to a surface. */
#ifndef CARDAN_GEOMETRY_CONVEX_HULL_H
#define CARDAN_GEOMETRY_CONVEX_HULL_H

#include "geometry/internal.h"

/* The surface of a hull whose triangles are triples of the n points, counterclockwise from outside; NULL: no memory. */
cdn_surface *cdni_hull_build(int n, const double *points, int n_triangles, const int32_t *triangles);

/* The hull of n points, of which some may be outside by about `within`; 0: none. */
cdn_status cdni_hull_find(int n, const double *points, double within, cdn_surface **out);

#endif
