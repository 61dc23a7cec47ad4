/* Private to the room: what the files of surfaces/ share. */
#ifndef CARDAN_GEOMETRY_SURFACES_H
#define CARDAN_GEOMETRY_SURFACES_H

#include "geometry/internal.h"

static inline cdn_vec3 surface_vertex(const cdn_surface *s, int i) {
  return cdn_v3(s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2]);
}

/* ---- height fields: triangles 2 c and 2 c + 1 are those of cell c = j (n_x - 1) + i ---- */

static inline cdn_vec3 field_vertex(const cdn_surface *s, int i, int j) {
  /* The grid is symmetric to the last bit, and ends exactly at the half lengths. */
  return cdn_v3(s->half_x * ((2.0 * i - (s->n_x - 1)) / (s->n_x - 1)),
                s->half_y * ((2.0 * j - (s->n_y - 1)) / (s->n_y - 1)), s->heights[(size_t)j * s->n_x + i]);
}
/* The indices of the vertices of a triangle, counterclockwise from above. */
static inline void field_triangle(const cdn_surface *s, int triangle, int out[3]) {
  const int cell = triangle / 2, i = cell % (s->n_x - 1), j = cell / (s->n_x - 1), first = j * s->n_x + i;
  out[0] = first;
  out[1] = triangle % 2 ? first + s->n_x + 1 : first + 1;
  out[2] = triangle % 2 ? first + s->n_x : first + s->n_x + 1;
}

/* The vertices of a triangle of a hull, a mesh or a height field. */
static inline void surface_corners(const cdn_surface *s, int triangle, cdn_vec3 out[3]) {
  int field[3];
  if (s->heights) field_triangle(s, triangle, field);
  for (int k = 0; k < 3; k++)
    out[k] = s->heights ? field_vertex(s, field[k] % s->n_x, field[k] / s->n_x)
                        : surface_vertex(s, s->triangles[3 * (size_t)triangle + k]);
}

#endif
