/* Cardan: questions about the shapes of a State: rays, what is near a point, distances.
 *
 * geometry.h answers such questions about one geometry or two. The functions here look at all shapes (contact.h) of a
 * System where a State has them. They realize Position. Shapes that are switched off in the State do not take part,
 * except in cdn_shapes_distance. After the first call with a State they do not allocate. docs/shapes.md has an
 * example.
 *
 * I want to
 *   know what a ray meets among all shapes of a State: cdn_shapes_ray, cdn_default_shape_query_def
 *   find the shapes near a point, the nearest one, those that contain it: cdn_shapes_near_point
 *   find how far two shapes are from each other: cdn_shapes_distance
 *   ask in an element of my own: cdn_shapes_ticket */
#ifndef CARDAN_QUERIES_H
#define CARDAN_QUERIES_H

#include <cardan/contact.h>

CDN_BEGIN_DECLS

/** The prerequisite of an element that asks these questions: the places of all shapes. { 0 } without shapes. */
CDN_API cdn_ticket cdn_shapes_ticket(const cdn_system *system);

/** Tells whether a shape takes part in a query. `context` is that of the def. */
typedef bool cdn_shape_accept_fn(void *context, cdn_shape shape);

/** Which shapes a query looks at. NULL in its place: all of them. */
typedef struct cdn_shape_query_def {
  CDN_DEF_HEADER;
  /** A shape takes part if a bit of its type is in this affinity, or a bit of this type in its affinity, as between two
   *  shapes. Defaults: all bits, so that a shape takes part unless its type and affinity are both 0. */
  uint32_t type, affinity;
  cdn_body except;             /**< shapes on this body do not take part: that of a sensor, say. Default { -1 }: none */
  cdn_shape_accept_fn *accept; /**< asked last, and only for shapes that are near; may be NULL */
  void *context;               /**< passed to `accept`; the program's */
} cdn_shape_query_def;
CDN_DEF(shape_query_def);

/** Where a ray meets a shape. Vectors are in Ground. The struct never changes. */
typedef struct cdn_shape_hit {
  cdn_shape shape; /**< the shape that is met */
  cdn_ray_hit hit; /**< where */
} cdn_shape_hit;
/** The places, in ascending order of their distance, where the ray from `origin` along `direction` (any length but 0)
 *  meets the surfaces of shapes within `reach` (m; INFINITY is allowed): the nearest ones, at most `room`, into `hits`;
 *  *n is how many were written. room = 1 finds the nearest at less cost. A ray that starts inside a shape meets it
 *  where it leaves. Of equal distances the shape with the lower id comes first. Errors: CDN_ERR_ARG. O(shapes) tests of
 *  boxes, and cdn_geometry_ray for shapes whose box is met nearer than what was found already. */
CDN_API cdn_status cdn_shapes_ray(cdn_state *state, cdn_vec3 origin, cdn_vec3 direction, double reach,
                                  const cdn_shape_query_def *query, int room, cdn_shape_hit *hits,
                                  int *n) CDN_NODISCARD;

/** How near a point is to a shape. The struct never changes. */
typedef struct cdn_shape_proximity {
  cdn_shape shape;
  cdn_proximity near; /**< as cdn_geometry_point_distance: point_a is on the shape, point_b is the point; in Ground */
} cdn_shape_proximity;
/** The shapes whose signed distance from point p_G (Ground, m) is at most `radius` (m, INFINITY is allowed), in
 *  ascending order of the distance: the nearest ones, at most `room`, into `found`; *n is how many were written. So
 *  room = 1 and the radius INFINITY find the nearest shape, and the radius 0 those that contain the point. Of equal
 *  distances the shape with the lower id comes first. Errors: CDN_ERR_ARG. O(shapes) tests of boxes, and the distance
 *  of shapes whose box is near enough. */
CDN_API cdn_status cdn_shapes_near_point(cdn_state *state, cdn_vec3 p_G, double radius,
                                         const cdn_shape_query_def *query, int room, cdn_shape_proximity *found,
                                         int *n) CDN_NODISCARD;

/** Signed distance, normal (from a to b) and nearest points of two shapes in Ground, as cdn_geometry_distance has them.
 *  Errors: CDN_ERR_ARG (no such shapes, the same shape twice), CDN_ERR_UNSUPPORTED (no distance between these kinds;
 *  cdn_geometry_pair_is_supported tells). */
CDN_API cdn_status cdn_shapes_distance(cdn_state *state, cdn_shape a, cdn_shape b, cdn_proximity *out) CDN_NODISCARD;

CDN_END_DECLS
#endif
