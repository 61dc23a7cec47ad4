/* What the geometry room offers to the rooms above: the queries of include/cardan/geometry.h for arguments that are
 * checked already, and the broad phase. Nothing here allocates, unless its comment says so. */
#ifndef CARDAN_GEOMETRY_GEOMETRY_H
#define CARDAN_GEOMETRY_GEOMETRY_H

#include <cardan/geometry.h>

#include "core/core.h"

/* ---- pairs (pair.c) ---- */

/* Distance, normal and witness points in W. False: it is surely larger than `reach` (INFINITY: never), and *out is not
 * written. The same bits for the same arguments; exchanging a and b exchanges the answer's sides to the last bit. */
bool cdni_pair_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double reach, cdn_proximity *out);
/* Whether their distance is known, which of custom geometries their kinds do not tell. */
bool cdni_pair_is_supported(const cdn_geometry *a, const cdn_geometry *b);
void cdni_pair_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double margin, cdn_manifold *out);
/* The same of a half-space a and a hull b, where which corner of a side is the lowest one does not matter while the
 * side lies flat to 1e-4 of its size: there the points stay what they are, and the lowest of them may be higher than
 * the distance by that. */
void cdni_hull_stands_steadily(const cdn_transform *X_WA, const cdn_geometry *b, const cdn_transform *X_WB,
                               double margin, cdn_manifold *out);

/* ---- one geometry ---- */

/* The signed distance of p (in S) from the geometry; the unit outward gradient; the triangle, or 0. */
double cdni_point_distance(const cdn_geometry *g, cdn_vec3 p_S, cdn_vec3 *gradient, int *feature);
/* As cdn_geometry_ray, with a unit direction and room for a hit; returns how many there are. */
int cdni_ray(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction, double reach,
             int room, cdn_ray_hit *hits);
/* How many that are, at most. */
int cdni_most_hits(const cdn_geometry *g);
void cdni_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most);
/* The same in O(1) of the triangles of a mesh or a hull: the box may be larger than the least. For the broad phase. */
void cdni_outer_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most);
/* The largest n . x (W) of a convex geometry, for a unit vector n; INFINITY of a half-space, but along its normal. */
double cdni_reach_along(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 n);
/* The ball about a point of S that contains the geometry; INFINITY for a half-space and a height field. */
double cdni_bounding_ball(const cdn_geometry *g, cdn_vec3 *center_S);
/* Principal curvatures at the surface point nearest to p (S) and the first direction; false: not smooth there. */
bool cdni_curvature(const cdn_geometry *g, cdn_vec3 p_S, double k[2], cdn_vec3 *direction);

/* ---- solids with flat faces (faces.c) ---- */

/* The planes of the faces in S, 4 numbers each: unit outward normal n, offset d of n . x = d; *n: how many. A hull
 * keeps its planes; other solids write them to `own`. *n = 0: the solid has no flat faces. A cylinder counts as a
 * prism. */
enum { CDNI_OWN_FACES = 34 };
const double *cdni_faces(const cdn_geometry *g, double (*own)[4], int *n);
/* Of the faces of cdni_faces: the smallest depth of a point in S, and the first face that has it. */
double cdni_nearest_face(const cdn_geometry *g, const double *planes, int n, cdn_vec3 p, int *face);

/* A box in S, by its middle, its half edges and the radius of the ball about it. A face with the normal n is near it if
 * some point x of the box is not deeper below the face than depth + normal . (center - x): if the depth of the middle
 * is at most depth + the reach of the box along n - normal. */
typedef struct face_box {
  cdn_vec3 center, edge[3];
  double radius, depth;
  cdn_vec3 normal;
} face_box;
/* The faces that are near, in ascending order, the first `room` of them; returns how many. */
int cdni_faces_near(const cdn_geometry *g, const double *planes, int n, const face_box *box, int room, int32_t *list);
/* The bounds in W of what of a hull is below the plane n . x = offset in S. Cost: the edges there. Unknown: there are
 * too many. */
typedef enum hull_cut { HULL_CUT_NOWHERE, HULL_CUT, HULL_CUT_UNKNOWN } hull_cut;
hull_cut cdni_hull_cap(const cdn_surface *s, const cdn_transform *X_WS, cdn_vec3 n, double offset, cdn_vec3 *least,
                       cdn_vec3 *most);
/* Whether a plane that parts two convex geometries by more than `reach` is found; it is if they are so far apart, to
 * rounding. Costs less than their distance, above all where they overlap. */
bool cdni_convex_apart(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                       const cdn_transform *X_WB, double reach);
/* How far the solid between these faces goes beyond the geometry: the edges of the prism. */
double cdni_faces_beyond(const cdn_geometry *g);
/* About how deep the deepest point of a solid is; INFINITY where that is not known, or without bound. */
double cdni_largest_depth(const cdn_geometry *g);

/* ---- corners and edges of boxes and hulls, in S (convex/corners.c) ---- */

/* How many corners it has (a mesh: vertices), 0: it has none; the most that a face of a box or a hull has; one of
 * them. */
int cdni_corners(const cdn_geometry *g);
int cdni_most_corners(const cdn_geometry *g);
cdn_vec3 cdni_corner(const cdn_geometry *g, int i);
/* The least n . (x - corner) of the corners x at the other ends of its edges; 0: a mesh does not keep them. */
double cdni_lowest_neighbour(const cdn_geometry *g, int i, cdn_vec3 n);
/* An edge, and the outward normals of its two faces. */
typedef struct cdni_edge {
  cdn_vec3 end[2], normal[2];
} cdni_edge;
/* Edges are among the numbers below this; false: this number is of none. O(faces at a corner). */
int cdni_edges(const cdn_geometry *g);
bool cdni_edge_at(const cdn_geometry *g, int i, cdni_edge *out);
/* How far p, seen along the normal of a face (as cdni_faces counts), is within the face's sides, m; negative: it is
 * outside; INFINITY of a half-space. */
double cdni_within_face(const cdn_geometry *g, int face, cdn_vec3 p);

/* mesh_hull.c: the hull of a mesh that is convex, to the rounding of files, with a reference; NULL: the mesh is not.
 * CDN_ERR_NOMEM. O(n m) of n vertices and triangles, and m faces. */
cdn_status cdni_mesh_hull(const cdn_surface *mesh, cdn_surface **out);

/* ---- triangles near a box or below a plane (triangles.c): for meshes and height fields ---- */

/* Calls visit for each triangle of the surface whose box overlaps [least, most] (S), in ascending order of its index,
 * until one call returns false. */
typedef bool cdni_triangle_visitor(void *context, int triangle, const cdn_vec3 vertices[3]);
void cdni_triangles_in_box(const cdn_surface *s, cdn_vec3 least, cdn_vec3 most, cdni_triangle_visitor *visit,
                           void *context);
/* The same for each triangle with a vertex where n . x <= d (S). */
void cdni_triangles_below(const cdn_surface *s, cdn_vec3 n, double d, cdni_triangle_visitor *visit, void *context);

/* ---- broad phase (broad.c) ---- */

/* Boxes along the axes of W. */
typedef struct cdni_box {
  double least[3], most[3];
} cdni_box;
/* Bytes of working memory for n boxes; what is in it does not matter. */
size_t cdni_broad_size(int n);
/* Finds every pair i < j of boxes that overlap and that `accept` (NULL: all) takes, in ascending order of (i, j). Near
 * linear in n and in the number of pairs. Boxes may be infinite. Writes at most `room` pairs (two numbers each), and
 * returns how many there are; if there is not room for all, those that are written are some of them. */
typedef bool cdni_pair_filter(const void *context, int i, int j);
int cdni_broad_pairs(int n, const cdni_box *boxes, cdni_pair_filter *accept, const void *context, int room,
                     int32_t *pairs, void *work);

#endif
