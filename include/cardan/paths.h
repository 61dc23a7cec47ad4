/* Cardan: paths of tendons, cables and muscles. A path has a length, which follows from q. It either goes through
 * points on bodies, past spheres and cylinders, straight or around them; or it is a weighted sum of coordinates, as
 * where a cord runs over drums on the joints' axes.
 *
 * A path has no force of its own. Springs, dampers and actuators pull along it (forces.h), and so may a force of yours.
 * A tension T is a generalized force -T times the moments, which are the derivatives of the length by the coordinates.
 *
 *     cdn_path biceps = cdn_system_add_path(system, "biceps");
 *     cdn_path_add_point(system, biceps, upper_arm, cdn_v3(0.02, 0, 0.25));
 *     cdn_path_add_cylinder(system, biceps, upper_arm, elbow_frame, 0.015);
 *     cdn_path_add_point(system, biceps, lower_arm, cdn_v3(0.03, 0, 0.05));
 *
 * Adders copy what they are given and are sticky (system.h). docs/paths.md has the formulas.
 *
 * I want to
 *   add a path: cdn_system_add_path
 *   lead it through a point of a body: cdn_path_add_point
 *   lead it past a sphere or a cylinder, which it wraps around: cdn_path_add_sphere, cdn_path_add_cylinder
 *   say on which side of that it goes, or that it goes through: cdn_path_pass_by
 *   begin a new part that counts less, as behind a pulley: cdn_path_add_pulley
 *   make it a sum of coordinates: cdn_path_add_coordinate
 *   find a path, count them, get a name: cdn_system_find_path, cdn_system_path_count, cdn_path_name
 *   get length, rate and moments: cdn_path_length, cdn_path_rate, cdn_path_moments
 *   get the points that it runs through, to draw it: cdn_path_points, cdn_path_most_points
 *   depend on paths in an element of my own: cdn_path_ticket, cdn_path_rate_ticket */
#ifndef CARDAN_PATHS_H
#define CARDAN_PATHS_H

#include <cardan/matter.h>

CDN_BEGIN_DECLS

/** A path of a System; { -1 } after a building mistake. */
typedef struct cdn_path {
  int32_t i;
} cdn_path;

/* ---- building ---------------------------------------------------------------------------- */

/** An empty path. It needs two points or a coordinate by the time the System is frozen. */
CDN_API cdn_path cdn_system_add_path(cdn_system *system, const char *name);
/** The path goes through station p_B (m) of a body. Ground is allowed. Each part of a path begins and ends with a
 *  point. */
CDN_API void cdn_path_add_point(cdn_system *system, cdn_path path, cdn_body body, cdn_vec3 p_B);
/** Between the points before and after it the path goes around a sphere about p_B, if it is in the way: along a
 *  geodesic, without friction. radius > 0 (m). While one of the two points is within the sphere the path is straight.
 *  Not two obstacles without a point between. */
CDN_API void cdn_path_add_sphere(cdn_system *system, cdn_path path, cdn_body body, cdn_vec3 p_B, double radius);
/** The same of a cylinder about the z axis of frame X_BC, without ends. */
CDN_API void cdn_path_add_cylinder(cdn_system *system, cdn_path path, cdn_body body, const cdn_transform *X_BC,
                                   double radius);
/** The path goes past the obstacle added last on the side of this station, also where it is not in the way otherwise.
 *  Where the station is nearer to the obstacle's origin than its radius, the path goes through the obstacle, and
 *  touches it from inside. */
CDN_API void cdn_path_pass_by(cdn_system *system, cdn_path path, cdn_body body, cdn_vec3 p_B);
/** Ends a part of the path and begins the next one, whose length counts 1 / divisor; divisor > 0. The first part counts
 *  whole, unless this comes first. */
CDN_API void cdn_path_add_pulley(cdn_system *system, cdn_path path, double divisor);
/** Adds coefficient (m/rad, or a pure number) times coordinate k of a body's mobilizer, whose rate must be a speed, to
 *  the length. A path of coordinates has no points. */
CDN_API void cdn_path_add_coordinate(cdn_system *system, cdn_path path, cdn_body body, int k, double coefficient);

/* ---- paths of a System --------------------------------------------------------------------- */

/** The number of paths: their ids are 0 to this, without it. */
CDN_API int cdn_system_path_count(const cdn_system *system);
/** The path of that name, or { -1 }. O(number of paths). */
CDN_API cdn_path cdn_system_find_path(const cdn_system *system, const char *name);
/** NULL for a wrong id. Valid as long as the System. */
CDN_API const char *cdn_path_name(const cdn_system *system, cdn_path path);
/** The tickets of all paths' lengths, and of their rates, for lists of prerequisites. They are there as soon as the
 *  System has a path; { 0 } before. */
CDN_API cdn_ticket cdn_path_ticket(const cdn_system *system);
CDN_API cdn_ticket cdn_path_rate_ticket(const cdn_system *system);

/* ---- in a State ----------------------------------------------------------------------------- */

/* Numbers of the items are parameters (type CDN_ELEMENT_PATH of elements.h): "0.p.x", "1.radius", "2.divisor". Errors:
 * CDN_ERR_ARG for a wrong id; CDN_ERR_SINGULAR where two neighbouring points meet and the path has no direction. The
 * functions realize what they need: all paths together, O(items). */

/** The length (m). Realizes Position. */
CDN_API cdn_status cdn_path_length(cdn_state *state, cdn_path path, double *length) CDN_NODISCARD;
/** Its rate (m/s). Realizes Velocity. */
CDN_API cdn_status cdn_path_rate(cdn_state *state, cdn_path path, double *rate) CDN_NODISCARD;
/** Its derivatives by the coordinates, so that the rate is their product with u: nu numbers. Realizes Position. O(nu +
 *  items x depth). */
CDN_API cdn_status cdn_path_moments(cdn_state *state, cdn_path path, double *moments) CDN_NODISCARD;

/** Points in Ground for drawing, in order: those it goes through, and `arc` more (0 to 1000) along each arc around an
 *  obstacle. The number of the first point of each part is in `part`, which may be NULL. At most
 *  cdn_path_most_points. Realizes Position. */
CDN_API cdn_status cdn_path_points(cdn_state *state, cdn_path path, int arc, cdn_vec3 *points, int *part,
                                   int *n) CDN_NODISCARD;
/** The most points and parts that cdn_path_points writes; 0 for a wrong id or `arc`. */
CDN_API int cdn_path_most_points(const cdn_system *system, cdn_path path, int arc);

CDN_END_DECLS
#endif
