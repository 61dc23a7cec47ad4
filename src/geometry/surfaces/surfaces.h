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

/* height_field.c: the cell that has (x, y), or the nearest one; the cells that may meet a box; the height and the
 * triangle at (x, y), or false beyond the grid. */
void field_cell(const cdn_surface *s, double x, double y, int *i, int *j);
void field_cells_in(const cdn_surface *s, cdn_vec3 least, cdn_vec3 most, int first[2], int last[2]);
bool field_height(const cdn_surface *s, double x, double y, double *height, int *triangle);

/* The upward unit normal of a triangle: it always has an area, seen from above. */
static inline cdn_vec3 field_normal(const cdn_vec3 v[3]) {
  const cdn_vec3 n = cdn_cross(cdn_sub(v[1], v[0]), cdn_sub(v[2], v[0]));
  return cdn_scale(1 / cdn_norm(n), n);
}

/* The vertices of a triangle of a hull, a mesh or a height field. */
static inline void surface_corners(const cdn_surface *s, int triangle, cdn_vec3 out[3]) {
  int field[3];
  if (s->heights) field_triangle(s, triangle, field);
  for (int k = 0; k < 3; k++)
    out[k] = s->heights ? field_vertex(s, field[k] % s->n_x, field[k] / s->n_x)
                        : surface_vertex(s, s->triangles[3 * (size_t)triangle + k]);
}

/* ---- trees (tree.c) ---- */

/* A stack of nodes that are yet to visit never holds more. */
enum { MOST_DEPTH = 64 };
/* Builds the tree of a mesh whose vertices and triangles are set; `centers` are points by which to halve, 3 a
 * triangle. */
void surface_build_tree(cdn_surface *s, const double *centers);
/* A ball around points: its radius. */
double surface_ball(int n, const double *points, cdn_vec3 *center);

/* The largest n . x over a node's box; the square of a point's distance from it. */
static inline double box_reach(const box_node *node, cdn_vec3 n) {
  return n.x * (double)(n.x > 0 ? node->most : node->least)[0] + n.y * (double)(n.y > 0 ? node->most : node->least)[1] +
         n.z * (double)(n.z > 0 ? node->most : node->least)[2];
}
static inline double box_square(const box_node *node, cdn_vec3 p) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double x = (&p.x)[k], below = node->least[k] - x, above = x - node->most[k];
    const double gap = below > 0 ? below : above > 0 ? above : 0;
    sum += gap * gap;
  }
  return sum;
}
static inline cdn_vec3 surface_normal(const cdn_surface *s, int triangle) {
  const double *n = s->planes + 4 * (size_t)triangle;
  return cdn_v3(n[0], n[1], n[2]);
}

/* kinds/mesh.c, kinds/field.c: the vertex that is farthest along n, and a triangle that has it. */
int mesh_farthest(const cdn_surface *s, cdn_vec3 n, cdn_vec3 *point);
int field_farthest(const cdn_surface *s, cdn_vec3 n, cdn_vec3 *point);

/* ---- point_distance.c ---- */

/* The column `point` of meshes and of height fields. */
double mesh_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *gradient, int *feature);
double field_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *gradient, int *feature);
/* kinds/custom.c: the user's function, with a unit gradient whatever it gave. */
double custom_distance(const cdn_surface *s, cdn_vec3 p, cdn_vec3 *gradient);
/* Refuses what a query of one geometry cannot work with. */
cdn_status check_query(const char *function, const cdn_geometry *g, const cdn_transform *X_WS);

#endif
