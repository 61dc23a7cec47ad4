/* Cardan: spatial vectors and inertias (manual 3.3; Featherstone 2008, chapter 2), as functions of values. All cost
 * O(1).
 *
 * A spatial vector is a pair of three-dimensional ones, the angular part first, in the same axes, and belongs to a
 * point:
 *
 *   velocity      (w, v)        of a body, and of the point on it         motion vectors
 *   acceleration  (b, a)        angular, and of the point on it           (a is the point's true acceleration:
 *                 Simbody's A, Featherstone's "classical" one)
 *   force         (m, f)        moment about the point, and force         force vectors; momentum and impulse likewise
 *
 * A *shift* refers the vector to another point of the same body, at p from the first one, in the same axes. A
 * *transform* converts a vector in B's axes about B's origin to A's axes about A's origin, with B fixed in A at
 * X_AB: Featherstone's Pluecker transforms X (motion) and X* (force). Nothing here depends on a System.
 *
 * I want to
 *   add, subtract, scale spatial vectors; get a power: cdn_spatial_add, cdn_spatial_sub, cdn_spatial_scale,
 *       cdn_spatial_dot
 *   take Featherstone's cross products of spatial vectors: cdn_spatial_cross_motion, cdn_spatial_cross_force
 *   shift a spatial velocity, acceleration or force to another point: cdn_spatial_shift_velocity,
 *       cdn_spatial_shift_acceleration, cdn_spatial_shift_force
 *   express a spatial vector in other axes: cdn_spatial_reexpress
 *   transform a spatial velocity, acceleration or force to another frame: cdn_spatial_transform_velocity,
 *       cdn_spatial_transform_acceleration, cdn_spatial_transform_force
 *   get the motion of one body as another sees it: cdn_relative_velocity, cdn_relative_acceleration
 *   make a spatial inertia of mass properties, or go back: cdn_spatial_inertia_from_mass, cdn_spatial_inertia_to_mass
 *   add spatial inertias, shift, re-express or transform them: cdn_spatial_inertia_add, cdn_spatial_inertia_shift,
 *       cdn_spatial_inertia_reexpress, cdn_spatial_inertia_transform
 *   get the momentum, kinetic energy or force of a rigid body: cdn_spatial_inertia_multiply,
 *       cdn_spatial_inertia_energy, cdn_spatial_inertia_force */
#ifndef CARDAN_SPATIAL_H
#define CARDAN_SPATIAL_H

#include <cardan/math.h>

CDN_BEGIN_DECLS

/* ---- sums and products ----------------------------------------------------------------------- */

/** Sum, difference, and product with a number, part by part. */
static inline cdn_spatial cdn_spatial_add(cdn_spatial a, cdn_spatial b) {
  cdn_spatial r = { cdn_add(a.w, b.w), cdn_add(a.v, b.v) };
  return r;
}
static inline cdn_spatial cdn_spatial_sub(cdn_spatial a, cdn_spatial b) {
  cdn_spatial r = { cdn_sub(a.w, b.w), cdn_sub(a.v, b.v) };
  return r;
}
static inline cdn_spatial cdn_spatial_scale(double s, cdn_spatial a) {
  cdn_spatial r = { cdn_scale(s, a.w), cdn_scale(s, a.v) };
  return r;
}
/** Power of a force on a motion about the same point and in the same axes: m . w + f . v. */
static inline double cdn_spatial_dot(cdn_spatial force, cdn_spatial motion) {
  return cdn_dot(force.w, motion.w) + cdn_dot(force.v, motion.v);
}
/** Featherstone's V x U (crm): the rate of a motion vector U that is fixed on a body with velocity V:
 *  (w x u_w, w x u_v + v x u_w). */
CDN_API cdn_spatial cdn_spatial_cross_motion(cdn_spatial V, cdn_spatial U);
/** Featherstone's V x* F (crf): the rate of a force vector F that is fixed on a body with velocity V:
 *  (w x m + v x f, w x f). As a matrix it is -(V x)^T. */
CDN_API cdn_spatial cdn_spatial_cross_force(cdn_spatial V, cdn_spatial F);

/* ---- shifts ---------------------------------------------------------------------------------- */

/** The velocity of the point at p: (w, v + w x p). Simbody's shiftVelocityBy. */
CDN_API cdn_spatial cdn_spatial_shift_velocity(cdn_spatial V, cdn_vec3 p);
/** The acceleration of the point at p on a body that turns at w: (b, a + b x p + w x (w x p)). Simbody's
 *  shiftAccelerationBy. */
CDN_API cdn_spatial cdn_spatial_shift_acceleration(cdn_spatial A, cdn_vec3 w, cdn_vec3 p);
/** A force, momentum or impulse about the point at p: (m - p x f, f). Simbody's shiftForceBy. */
CDN_API cdn_spatial cdn_spatial_shift_force(cdn_spatial F, cdn_vec3 p);

/* ---- transforms ------------------------------------------------------------------------------ */

/** Any spatial vector about the same point, in A's axes: (R w, R v). */
CDN_API cdn_spatial cdn_spatial_reexpress(cdn_rotation R_AB, cdn_spatial in_B);
/** A velocity: (R w, R v + p x R w) (3.10). */
CDN_API cdn_spatial cdn_spatial_transform_velocity(cdn_transform X_AB, cdn_spatial V_B);
/** An acceleration of a body that turns at w_B (in B's axes). */
CDN_API cdn_spatial cdn_spatial_transform_acceleration(cdn_transform X_AB, cdn_spatial A_B, cdn_vec3 w_B);
/** A force, momentum or impulse: (R m + p x R f, R f) (3.12). */
CDN_API cdn_spatial cdn_spatial_transform_force(cdn_transform X_AB, cdn_spatial F_B);

/* ---- motion of one body seen from another ---------------------------------------------------- */

/** V_AB, the velocity of B in A and in A's axes, from the poses and velocities of both in one frame G. Simbody's
 *  findRelativeVelocity. */
CDN_API cdn_spatial cdn_relative_velocity(cdn_transform X_GA, cdn_spatial V_GA, cdn_transform X_GB, cdn_spatial V_GB);
/** A_AB, the acceleration of B as A sees it, in A's axes: without the centrifugal, Coriolis and Euler accelerations
 *  of A. Simbody's findRelativeAcceleration. */
CDN_API cdn_spatial cdn_relative_acceleration(cdn_transform X_GA, cdn_spatial V_GA, cdn_spatial A_GA,
                                              cdn_transform X_GB, cdn_spatial V_GB, cdn_spatial A_GB);

/* ---- spatial inertia ------------------------------------------------------------------------- */

/** The inertia of a rigid body about a point: what maps the velocity of that point to momentum, and its acceleration
 *  at rest to force. */
typedef struct cdn_spatial_inertia {
  double mass;         /**< kg */
  cdn_vec3 mass_com;   /**< mass times the centre of mass from the point: kg m */
  cdn_inertia inertia; /**< about the point: kg m^2 */
} cdn_spatial_inertia;

/** About the origin of the frame in which the mass properties are given. */
CDN_API cdn_spatial_inertia cdn_spatial_inertia_from_mass(cdn_mass_properties m);
/** Mass properties from a spatial inertia: the inverse of cdn_spatial_inertia_from_mass. Without mass the centre is
 *  zero and the inertia stays as it is. */
CDN_API cdn_mass_properties cdn_spatial_inertia_to_mass(cdn_spatial_inertia I);
/** The rigid union of two that are about the same point and in the same axes. */
CDN_API cdn_spatial_inertia cdn_spatial_inertia_add(cdn_spatial_inertia a, cdn_spatial_inertia b);
/** I V: momentum of a velocity, force of an acceleration of a body at rest: (inertia w + mass_com x v, mass v -
 *  mass_com x w). */
CDN_API cdn_spatial cdn_spatial_inertia_multiply(cdn_spatial_inertia I, cdn_spatial V);
/** The force (about the point) that gives a body at velocity V the acceleration A of that point: Newton's and Euler's
 *  equations, with the gyroscopic terms. */
CDN_API cdn_spatial cdn_spatial_inertia_force(cdn_spatial_inertia I, cdn_spatial V, cdn_spatial A);
/** 1/2 V . I V, J. */
CDN_API double cdn_spatial_inertia_energy(cdn_spatial_inertia I, cdn_spatial V);
/** About the point at p, axes alike. Exact for any point: the centre of mass need not be known. */
CDN_API cdn_spatial_inertia cdn_spatial_inertia_shift(cdn_spatial_inertia I, cdn_vec3 p);
/** About the same point, in A's axes. */
CDN_API cdn_spatial_inertia cdn_spatial_inertia_reexpress(cdn_rotation R_AB, cdn_spatial_inertia I_B);
/** About A's origin, in A's axes. */
CDN_API cdn_spatial_inertia cdn_spatial_inertia_transform(cdn_transform X_AB, cdn_spatial_inertia I_B);

CDN_END_DECLS
#endif
