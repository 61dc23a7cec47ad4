/* The geometry room: what its files share. */
#ifndef CARDAN_GEOMETRY_INTERNAL_H
#define CARDAN_GEOMETRY_INTERNAL_H

#include <math.h>
#include <stdatomic.h>

#include "geometry/geometry.h"
#include "geometry/kind.h"

/* A node of a tree of boxes over triangles: children first and first + 1, or, in a leaf (count > 0), the triangles
 * order[first] ... order[first + count - 1]. */
typedef struct box_node {
  float least[3], most[3]; /* rounded outward */
  int32_t first, count;
} box_node;

/* Cells of directions, by the signs of their components and by the order of the components' sizes. */
enum { HULL_CELLS = 64 };
static inline int hull_cell(cdn_vec3 d) {
  const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  return (d.x < 0) | (d.y < 0) << 1 | (d.z < 0) << 2 | (x > y) << 3 | (y > z) << 4 | (z > x) << 5;
}

/* All kinds of surface; what a kind does not have is NULL or 0. It is one block of memory. */
/* Faces of a hull whose normals are alike: all are within `spread` of their mean. */
typedef struct face_group {
  cdn_vec3 mean;
  double spread, least; /* the least depth of the surface's centre below one of them */
  int32_t first, count;
} face_group;

struct cdn_surface {
  atomic_int references;
  cdn_surface_info info;
  cdn_vec3 center; /* of a ball in S that contains the geometry */
  double radius;
  /* Hull and mesh. */
  double *vertices;   /* 3 x n_vertices */
  int32_t *triangles; /* 3 x n_triangles, counterclockwise from outside */
  double *planes;     /* 4 x n_triangles: unit outward normal n and offset d of n . x = d */
  /* Hull: the neighbours of vertex i are neighbours[first_neighbour[i]] ... neighbours[first_neighbour[i + 1] - 1].
   * Faces are the triangles of one plane merged: the corners of face i, counterclockwise, are corners[first_corner[i]]
   * ... */
  int32_t *first_neighbour, *neighbours;
  int n_columns;   /* the vertices of a small hull in columns, the first one again behind the last; else 0 */
  double *columns; /* 3 x n_columns */
  /* Of a hull whose vertices are in columns and whose planes support it to rounding: planes in 4 columns, the first one
   * again behind the last; edges between triangles of two planes in 9: both planes and the cosine of the angle between
   * their normals. Else 0. */
  int n_plane_columns, n_edge_columns;
  double *plane_columns, *edge_columns;
  int32_t *edge_ends;        /* 2 x n_edge_columns: vertices */
  int32_t start[HULL_CELLS]; /* the farthest vertex along the middle of each cell of directions */
  int n_faces;
  int32_t *first_corner, *corners;
  double *face_planes; /* 4 x n_faces */
  /* The faces at vertex i are vertex_faces[first_face[i]] ... vertex_faces[first_face[i + 1] - 1]. */
  int32_t *first_face, *vertex_faces;
  int n_groups;
  face_group *groups;
  int32_t *group_faces; /* n_faces, by group */
  cdn_vec3 half;        /* of the box in S about center that contains a hull */
  double inner_radius;  /* of a ball about center that is within the hull; 0: the centre is not */
  /* Mesh: the triangle beyond edge k (vertices k and k + 1) of triangle i is beyond[3 i + k], -1 at a border. */
  int32_t *beyond;
  double *vertex_normals; /* 3 x n_vertices: pseudo-normals, of any length */
  int n_nodes;
  box_node *nodes;
  int32_t *order;
  /* Height field. */
  int n_x, n_y;
  double half_x, half_y, lowest, highest;
  double *heights;
  /* Custom. */
  cdn_surface_ops ops;
  char *name;
  void *self;
};

/* Vectors: as in math/spatial.h, for one lane and for the public types. */
static inline cdn_vec3 g_neg(cdn_vec3 a) { return cdn_v3(-a.x, -a.y, -a.z); }
static inline cdn_vec3 g_fma(double s, cdn_vec3 a, cdn_vec3 b) {
  return cdn_v3(s * a.x + b.x, s * a.y + b.y, s * a.z + b.z);
}
static inline cdn_vec3 g_rotate(const cdn_rotation *R, cdn_vec3 v) {
  return cdn_v3(R->x.x * v.x + R->y.x * v.y + R->z.x * v.z, R->x.y * v.x + R->y.y * v.y + R->z.y * v.z,
                R->x.z * v.x + R->y.z * v.y + R->z.z * v.z);
}
static inline cdn_vec3 g_rotate_inv(const cdn_rotation *R, cdn_vec3 v) {
  return cdn_v3(cdn_dot(R->x, v), cdn_dot(R->y, v), cdn_dot(R->z, v));
}
static inline cdn_vec3 g_point(const cdn_transform *X, cdn_vec3 p) { return cdn_add(X->p, g_rotate(&X->R, p)); }
static inline cdn_vec3 g_point_inv(const cdn_transform *X, cdn_vec3 p) { return g_rotate_inv(&X->R, cdn_sub(p, X->p)); }

/* ---- convex kinds (convex/) ---- */

/* The farthest point along `direction` (any length but 0), in S. */
cdn_vec3 cdni_support(const cdn_geometry *g, cdn_vec3 direction);
static inline bool geometry_is_convex(const cdn_geometry *g) {
  return kind_of(g)->is_convex || (g->kind == CDN_GEOMETRY_CUSTOM && g->surface->ops.support);
}
/* Distance of two bounded convex geometries: as cdni_pair_distance. */
bool cdni_convex_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                          const cdn_transform *X_WB, double reach, cdn_proximity *out);
/* Signed distance of p (S) from a convex geometry or half-space, and the unit outward normal there. */
double cdni_convex_point_distance(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal);
/* Distance of a triangle (W) and a bounded convex geometry or half-space. The triangle is a flat convex set with two
 * sides: the least motion that parts the two may be through either. */
bool cdni_triangle_distance(const cdn_vec3 triangle[3], const cdn_geometry *b, const cdn_transform *X_WB, double reach,
                            cdn_proximity *out);

/* pair.c: refuses what a query of two geometries cannot work with, and a result without a place (out). */
cdn_status cdni_check_pair(const char *function, const cdn_geometry *a, const cdn_transform *X_WA,
                           const cdn_geometry *b, const cdn_transform *X_WB, const void *out);

/* ---- surfaces ---- */

/* bounds.c: the column `ball` of what has a surface. */
double cdni_surface_ball(const cdn_geometry *g, cdn_vec3 *center);
/* surface.c: a surface of one block with room for `more` bytes behind the struct, one reference; NULL: no memory. */
cdn_surface *cdni_surface_allocate(cdn_geometry_kind kind, size_t more);
/* mesh_pairs.c: a mesh, height field or custom distance (a) with anything that is supported. */
bool cdni_surface_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                           const cdn_transform *X_WB, double reach, cdn_proximity *out);
void cdni_surface_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                           const cdn_transform *X_WB, double margin, cdn_manifold *out);

#endif
