/* Cardan: shapes in space without a System: distances, contact manifolds, rays and points.
 *
 * A *geometry* is a value: a kind, its sizes, and, for the kinds that need more data, a *surface*. Each geometry has a
 * frame S of its own, in which the comments below place it. Every query takes the poses of its geometries in one common
 * frame W, and answers in W. No query allocates. All queries may be called by several threads at once. Lengths are in
 * m.
 *
 * A geometry is a solid: its points are the points of the surface and those inside. The exceptions are an open triangle
 * mesh, which has no inside, and the height field, whose inside is what lies below the heights, however deep. The sides
 * of what lies below are no surface: rays pass through them, and distances are measured to the heights.
 *
 * I want to
 *   make the convex hull of points: cdn_surface_create_convex
 *   leave out corners of a hull that hardly matter: cdn_surface_simplify
 *   describe a geometry by functions of my own: cdn_surface_create_custom
 *   make a surface of triangles, or of heights over a grid: cdn_surface_create_mesh, cdn_surface_create_height_field
 *   know what a surface has, and what was cleaned: cdn_surface_get_info
 *   read a vertex or a triangle of a surface: cdn_surface_vertex, cdn_surface_triangle
 *   share or give up a surface: cdn_surface_retain, cdn_surface_release
 *   check the sizes of a geometry, name its kind: cdn_geometry_check, cdn_geometry_kind_name
 *   know which kinds have distances from each other: cdn_geometry_pair_is_supported
 *   find distance, normal and nearest points of two geometries: cdn_geometry_distance
 *   find the points that carry the load between two geometries: cdn_geometry_manifold
 *   find how far a point is from a geometry, inside or outside: cdn_geometry_point_distance
 *   find where a ray meets a geometry: cdn_geometry_ray
 *   get the box that contains a geometry: cdn_geometry_bounds
 *   know the curvature of a smooth surface: cdn_geometry_curvature */
#ifndef CARDAN_GEOMETRY_H
#define CARDAN_GEOMETRY_H

#include <cardan/math.h>

CDN_BEGIN_DECLS

/** Kinds of geometry, with their sizes. The values never change; later releases append kinds. */
typedef enum cdn_geometry_kind {
  CDN_GEOMETRY_SPHERE,       /**< size: radius; the centre is the origin of S */
  CDN_GEOMETRY_HALF_SPACE,   /**< no size; all points of z <= 0, so that +z is the outward normal */
  CDN_GEOMETRY_CAPSULE,      /**< size: radius, half length; all points within the radius of the segment along z */
  CDN_GEOMETRY_ELLIPSOID,    /**< size: half axes along x, y, z */
  CDN_GEOMETRY_CYLINDER,     /**< size: radius, half length along z */
  CDN_GEOMETRY_BOX,          /**< size: half lengths along x, y, z */
  CDN_GEOMETRY_CONVEX,       /**< surface: the convex hull of points */
  CDN_GEOMETRY_MESH,         /**< surface: triangles */
  CDN_GEOMETRY_HEIGHT_FIELD, /**< surface: heights over a grid of x and y, with z up */
  CDN_GEOMETRY_CUSTOM,       /**< surface: functions of yours */
  CDN_GEOMETRY_KIND_COUNT
} cdn_geometry_kind;

/** The name of a kind, such as "half-space". Static storage; "?" for an unknown number. */
CDN_API const char *cdn_geometry_kind_name(cdn_geometry_kind kind);

/** Data of a convex hull, of a triangle mesh, of a height field, or of functions of yours. It never changes, and has a
 *  reference count: create it, give it to its users (a System retains it), release it. Threads may share it. */
typedef struct cdn_surface cdn_surface;

/** A geometry. The struct never changes. */
typedef struct cdn_geometry {
  cdn_geometry_kind kind; /**< which geometry it is */
  double size[3];         /**< m; as the kind has them, the others are not read */
  const cdn_surface
      *surface; /**< for the kinds that have one; else not read. Whoever takes a geometry into a model retains it */
} cdn_geometry;

/** Tells whether a geometry is one: sizes from 1e-30 to 1e30 (the half length of a capsule may be 0), a surface of the
 *  right kind. Errors: CDN_ERR_ARG, with what is wrong. O(1). */
CDN_API cdn_status cdn_geometry_check(const cdn_geometry *geometry) CDN_NODISCARD;

/* ---- surfaces -----------------------------------------------------------------------------
 *
 * Each function copies what it is given and writes a surface with one reference. Errors: CDN_ERR_ARG (the text names
 * the first vertex or triangle that is wrong, and the remedy), CDN_ERR_NOMEM; then *out is NULL. */

/** The convex hull of n points (3 n numbers, m), by qhull. Points that are not on the hull are left out. CDN_ERR_ARG:
 *  fewer than 4 points, or all points in a plane (a flat set has no inside). O(n log n). */
CDN_API cdn_status cdn_surface_create_convex(int n, const double *points, cdn_surface **out) CDN_NODISCARD;

/** A hull of fewer corners: of some corners of a hull. No corner is farther than `within` (m, >= 0) from it; it lies in
 *  the hull. *farthest (m, may be NULL) is how far the farthest one is. Where nothing can be left out, it is the same
 *  surface with one more reference. CDN_ERR_ARG: no hull. O(n m) with n corners before and m triangles after. */
CDN_API cdn_status cdn_surface_simplify(const cdn_surface *hull, double within, cdn_surface **out,
                                        double *farthest) CDN_NODISCARD;

/** A triangle mesh: n_vertices points (3 numbers each, m), n_triangles triples of their indices, counterclockwise as
 *  seen from outside. Equal vertices are merged. Triangles that are there twice, or that have two equal vertices, are
 *  left out. A triangle whose vertices are on a line is kept where it fills a crack between others. A closed mesh that
 *  is inside out is turned. A mesh that is not closed is allowed and has no inside: cdn_surface_get_info tells.
 *  CDN_ERR_ARG: an index that is no vertex, a number that is not finite, no triangle with an area. O(n log n). */
CDN_API cdn_status cdn_surface_create_mesh(int n_vertices, const double *vertices, int n_triangles,
                                           const int *triangles, cdn_surface **out) CDN_NODISCARD;

/** A height field: n_x x n_y heights (m) over a grid that is centred on the origin, over x from -half_x to half_x and y
 *  from -half_y to half_y; height (i, j) is heights[j n_x + i]. n_x and n_y are at least 2. Each cell is two triangles
 *  that meet on the diagonal from its corner (i, j) to (i + 1, j + 1). Beyond the grid there is nothing. O(n_x n_y). */
CDN_API cdn_status cdn_surface_create_height_field(int n_x, int n_y, const double *heights, double half_x,
                                                   double half_y, cdn_surface **out) CDN_NODISCARD;

/** A geometry of your own. `self` is a private copy. Several threads may call the functions at once. At least one of
 *  `support` and `distance` is given: `support` for a convex geometry, `distance` for any other. */
typedef struct cdn_surface_ops {
  uint32_t struct_size;
  const char *name; /**< distinguishes the geometry in checkpoints; copied; may be NULL */
  size_t self_size; /**< bytes of the private part */
  /** The point of the convex geometry that is farthest along `direction` (of any length but 0), in S. */
  cdn_vec3 (*support)(const void *self, cdn_vec3 direction);
  /** The signed distance of point p of S (negative inside), and the unit gradient of it. */
  double (*distance)(const void *self, cdn_vec3 p, cdn_vec3 *gradient);
  cdn_vec3 center;             /**< of a ball in S that contains the geometry, m */
  double radius;               /**< of that ball, m; > 0 */
  void (*destroy)(void *self); /**< called once with the copy; may be NULL */
} cdn_surface_ops;
CDN_API cdn_status cdn_surface_create_custom(const cdn_surface_ops *ops, const void *self,
                                             cdn_surface **out) CDN_NODISCARD;

CDN_API void cdn_surface_retain(const cdn_surface *s);  /**< adds a reference; thread-safe */
CDN_API void cdn_surface_release(const cdn_surface *s); /**< removes a reference; thread-safe; NULL is allowed */

/** What a surface has; every number is 0 for a surface without it. */
typedef struct cdn_surface_info {
  cdn_geometry_kind kind;      /**< hull, mesh, height field or custom */
  int n_vertices, n_triangles; /**< of a hull, a mesh, or a height field, after cleaning */
  int n_merged, n_dropped;     /**< vertices merged or left out, triangles left out */
  bool closed;                 /**< a mesh whose edges all have two triangles, and that has a volume; a hull */
  bool turned;                 /**< a mesh that was inside out */
} cdn_surface_info;
CDN_SIZED(cdn_surface_get_info, (const cdn_surface *s, cdn_surface_info *out), (s, out), out);
/** Writes vertex i (S, m), or the three vertices of triangle i. CDN_ERR_ARG: there is none. O(1). */
CDN_API cdn_status cdn_surface_vertex(const cdn_surface *s, int i, cdn_vec3 *out) CDN_NODISCARD;
CDN_API cdn_status cdn_surface_triangle(const cdn_surface *s, int i, int out[3]) CDN_NODISCARD;

/* ---- two geometries ----------------------------------------------------------------------- */

/** How near two geometries are, and where. The struct never changes. */
typedef struct cdn_proximity {
  double distance;           /**< m; negative: how far one must move, at least, until the two only touch */
  cdn_vec3 normal;           /**< unit vector from a to b: moving b along it increases the distance */
  cdn_vec3 point_a, point_b; /**< the nearest points, or the deepest: point_b - point_a = distance * normal */
  int feature_a, feature_b;  /**< the triangle of a mesh or of a height field; else 0 */
} cdn_proximity;

/** True if the library has the distance of these two kinds: convex kinds and half-spaces with one another (but not two
 *  half-spaces); meshes, height fields and custom distances with all of these; meshes with meshes. Two custom
 *  geometries need a support function in at least one of them. A custom geometry beside a mesh or a height field needs
 *  one itself. The kind does not tell; cdn_geometry_distance refuses the other cases. */
CDN_API bool cdn_geometry_pair_is_supported(cdn_geometry_kind a, cdn_geometry_kind b);

/** Distance, normal and witness points of two geometries, apart or deep. Right to 1e-8 of their size wherever the
 *  answer is unique (normal and points of a geometry that is known by its support function alone: to 1e-5); where it is
 *  not (parallel faces, equal centres), one of the answers. Errors: CDN_ERR_ARG (a geometry that cdn_geometry_check
 *  refuses, a pose that is not finite), CDN_ERR_UNSUPPORTED (the pair). Bounded in iterations.
 *
 *  Where a solid that is not convex overlaps another, the least motion that parts the two is not searched for over all
 *  ways. The distance is then how deep the other lies below the surface, and it is never positive:
 *  - A mesh or a height field and a convex geometry: the least value of all triangles that the other meets. A
 *    triangle's value is the least motion that parts the two, if this leads out of the solid, else the signed distance
 *    of the other's deepest point below that triangle. A shallow overlap with a convex part of the mesh has the value
 *    that this part alone would have; only at corners, in about one pose of a thousand, it is less deep. What is inside
 *    and meets no triangle is as deep as its deepest point along the normal of the nearest triangle, or as its middle.
 *    An open mesh has two sides and no inside. A ball is as far from a mesh as its centre, less its radius.
 *  - Two meshes: the deepest vertex of one in the other; where none is inside, the longest of the motions that part two
 *    triangles which cross, which is no longer than what parts the meshes.
 *  - A distance of yours: its least value over the points of the other, from several starts; of a half-space, the
 *    lowest point.
 *  - A half-space and a mesh or a height field: the lowest vertex. What lies below the heights is not looked at. */
CDN_API cdn_status cdn_geometry_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                         const cdn_transform *X_WB, cdn_proximity *out) CDN_NODISCARD;

enum { CDN_MANIFOLD_MOST = 8 }; /**< the most contact points of two geometries */
/** Contact points of two geometries, enough of them to carry any load. The struct never changes. */
typedef struct cdn_manifold {
  int n;                                   /**< 0: they are farther apart than the margin */
  cdn_proximity points[CDN_MANIFOLD_MOST]; /**< the normals of a flat contact are equal */
  int32_t id[CDN_MANIFOLD_MOST];           /**< which features a point belongs to: the same from step to step */
} cdn_manifold;
/** The points of two geometries within `margin` (m, >= 0) of each other: one where either is round, two where an edge
 *  lies on a face or on an edge parallel to it, three or more where faces lie on each other. Meshes and height fields:
 *  the points of the triangles near the other, at most CDN_MANIFOLD_MOST of them, those that reach deepest and farthest
 *  apart. Errors: as cdn_geometry_distance. */
CDN_API cdn_status cdn_geometry_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                         const cdn_transform *X_WB, double margin, cdn_manifold *out) CDN_NODISCARD;

/* ---- one geometry ------------------------------------------------------------------------- */

/** Signed distance of a point from a geometry (negative inside), the nearest point of its surface, and the outward
 *  normal there. Errors: as cdn_geometry_distance. out->point_a is on the geometry, out->point_b is p. An open mesh has
 *  no inside: its distance is never negative, and the normal is the direction to p. O(log n) of a mesh's triangles,
 *  O(n) of a hull's. */
CDN_API cdn_status cdn_geometry_point_distance(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 p_W,
                                               cdn_proximity *out) CDN_NODISCARD;

/** Where a ray meets a geometry. The struct never changes. */
typedef struct cdn_ray_hit {
  double distance;        /**< along the ray, m, >= 0 */
  cdn_vec3 point, normal; /**< W; the outward normal of the surface, also where the ray leaves */
  int feature;            /**< the triangle of a mesh or of a height field; else 0 */
} cdn_ray_hit;
/** The places, in order, where the ray from `origin` along `direction` (any length but 0) meets the surface within
 *  `reach` (m; INFINITY is allowed): at most `room` of them into `hits`; *n is how many there are, at most. A ray that
 *  starts inside meets the surface where it leaves. room = 1 is the nearest, at less cost. A ray through an edge or a
 *  vertex of a closed mesh goes in or out once. Of a custom geometry with a distance, what is thinner than 1e-7 of its
 *  ball's radius may be missed. Errors: CDN_ERR_ARG. O(log n) of a mesh's triangles, O(n) of a hull's; of a height
 *  field, the cells under the ray. */
CDN_API cdn_status cdn_geometry_ray(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin,
                                    cdn_vec3 direction, double reach, int room, cdn_ray_hit *hits,
                                    int *n) CDN_NODISCARD;

/** The least box along the axes of W that contains the geometry; -INFINITY and INFINITY where it has no end. For a
 *  custom geometry without a support function it is the box of its ball. */
CDN_API cdn_status cdn_geometry_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least,
                                       cdn_vec3 *most) CDN_NODISCARD;

/** Principal curvatures (1/m, positive where the solid is convex) and the unit direction of the first one, at the point
 *  of a smooth surface nearest to p, in W. Spheres, half-spaces, capsules, ellipsoids and the round side of cylinders
 *  are smooth; CDN_ERR_UNSUPPORTED elsewhere. */
CDN_API cdn_status cdn_geometry_curvature(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 p_W, double k[2],
                                          cdn_vec3 *direction) CDN_NODISCARD;

CDN_END_DECLS
#endif
