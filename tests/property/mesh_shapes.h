/* Meshes to test with, as vertices and triangles, and surfaces made of them. */
#ifndef CARDAN_TESTS_MESH_SHAPES_H
#define CARDAN_TESTS_MESH_SHAPES_H

#include <cardan/cardan.h>

typedef struct mesh_shape {
  int n_vertices, n_triangles;
  double *vertices; /* 3 each */
  int *triangles;   /* 3 each */
} mesh_shape;

/* A ring of n x m squares, each of two triangles; its centre line has the radius `large`. */
mesh_shape mesh_torus(int n, int m, double large, double small);
/* A sphere with bumps: not convex for bumps above about 0.05. */
mesh_shape mesh_bumpy_sphere(int n, int m, double radius, double bumps);
/* A box of twelve triangles, by its half lengths. */
mesh_shape mesh_box(double x, double y, double z);
void mesh_shape_free(mesh_shape *shape);
cdn_surface *mesh_surface(const mesh_shape *shape);

/* Numbers that are the same in every run. */
double mesh_uniform(uint64_t *seed, double least, double most);
cdn_vec3 mesh_direction(uint64_t *seed);
cdn_transform mesh_pose(uint64_t *seed, double away);

/* Independent of the library: the distance of a point from a triangle, by trying its inner points, edges and vertices;
 * and how many times a closed mesh goes around a point, by solid angles. */
double mesh_triangle_distance(cdn_vec3 p, const cdn_vec3 t[3]);
double mesh_winding(const cdn_surface *s, cdn_vec3 p);

#endif
