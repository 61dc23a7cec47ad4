/* Cardan: matter, a tree of bodies. A mobilizer joins each body to its parent and defines the motion between the
 * two.
 *
 * Frames (manual chapter 5): F is fixed on the parent P at X_PF, M is fixed on the body B at X_BM; the mobilizer
 * moves M in F. q are its coordinates, u its speeds, V_FM = H u, qdot = N u. Body 0 is Ground. Getters realize the
 * results that they need. SI units, radians. Vectors are in Ground's axes unless a suffix names another frame.
 * Bodies are added by mobilizers.h. The O(n) operators are in operators.h.
 *
 * Functions that return a status return CDN_ERR_ARG for an unknown body, with the message on the State or the
 * System.
 *
 * I want to
 *   name the fixed world as a parent: cdn_ground
 *   define a mobilizer by functions of its coordinates, as OpenSim's CustomJoint: cdn_default_function_mobilizer
 *   count bodies: cdn_system_body_count
 *   find a body by name: cdn_system_find_body
 *   get a body's name, or its mobilizer's: cdn_body_name, cdn_body_mobilizer_name
 *   get a body's parent: cdn_body_parent
 *   know whether a body's mobilizer is reversed: cdn_body_is_reversed
 *   know whether a body's q begins with a quaternion: cdn_body_has_quaternion
 *   find a body's coordinates and speeds within q and u: cdn_body_first_q, cdn_body_nq, cdn_body_first_u, cdn_body_nu
 *   know the unit of a coordinate or a speed: cdn_body_unit
 *   read or set the coordinates of one body's mobilizer: cdn_body_q, cdn_body_set_q
 *   read or set the speeds of one body's mobilizer: cdn_body_u, cdn_body_set_u
 *   set a mobilizer's coordinates so that it has a wanted pose: cdn_body_set_q_to_fit_transform
 *   — a wanted rotation, or a wanted translation: cdn_body_set_q_to_fit_rotation, cdn_body_set_q_to_fit_translation
 *   set its speeds so that it has a wanted velocity: cdn_body_set_u_to_fit_velocity
 *   — a wanted angular, or linear velocity: cdn_body_set_u_to_fit_angular_velocity,
 *       cdn_body_set_u_to_fit_linear_velocity
 *   read or change a body's mass, centre of mass and inertia: cdn_body_mass_properties, cdn_body_set_mass_properties
 *   read or change a joint's frame on the parent: cdn_body_X_PF, cdn_body_set_X_PF
 *   read or change a joint's frame on the body: cdn_body_X_BM, cdn_body_set_X_BM
 *   read or change a rotor's reflected inertia (armature): cdn_body_armature, cdn_body_set_armature
 *   read or change a mobilizer's parameters: pitch, half lengths: cdn_body_mobilizer_params,
 *       cdn_body_set_mobilizer_params
 *   get the pose of a body (forward kinematics): cdn_body_pose
 *   get the pose or velocity across a joint: cdn_body_X_FM, cdn_body_V_FM
 *   get the position and velocity of a point of a body: an end effector, a site: cdn_body_station
 *   get a body's angular and linear velocity: cdn_body_velocity
 *   get a body's angular and linear acceleration: cdn_body_acceleration
 *   get the centre of mass of the system: cdn_center_of_mass
 *   get the momentum about Ground's origin: cdn_momentum
 *   get the kinetic energy: cdn_kinetic_energy
 *   get the mass of the system, and of its moving part: cdn_system_mass
 *   apply generalized forces (motor torques) from outside: cdn_state_set_applied_mobility_forces
 *   read the generalized forces that are applied: cdn_state_applied_mobility_forces
 *   apply a force and moment to a body from outside: cdn_state_set_applied_body_force
 *   read the force and moment that are applied to a body: cdn_state_applied_body_force */
#ifndef CARDAN_MATTER_H
#define CARDAN_MATTER_H

#include <cardan/functions.h>
#include <cardan/math.h>
#include <cardan/state.h>

CDN_BEGIN_DECLS

/** A mobilizer made of functions of its coordinates, u = qdot (as OpenSim's CustomJoint):
 *  R_FM = R(axis[0], f0) R(axis[1], f1) R(axis[2], f2),  p_FM = f3 axis[3] + f4 axis[4] + f5 axis[5].
 *  The functions are retained and everything else is copied when the body is added. */
typedef struct cdn_function_mobilizer {
  CDN_DEF_HEADER;
  int nu;                          /**< number of coordinates and of speeds, 1 to 6 */
  const cdn_function *function[6]; /**< NULL: zero */
  int input[6][6];                 /**< input[i][j]: the coordinate that is argument j of function i; default: j */
  cdn_vec3 axis[6];                /**< of any length but zero; default: x, y, z, x, y, z */
} cdn_function_mobilizer;

CDN_DEF(function_mobilizer);

enum { CDN_MOBILIZER_PARAMS = 4 }; /**< number of parameters of a mobilizer */

/** A mobilizer of your own. `self` is the System's copy of custom_self of the body def. `params` are the body's
 *  CDN_MOBILIZER_PARAMS parameters. Several threads may call the functions at once, on different States. A status
 *  other than CDN_OK is returned to the caller of realize. docs/custom_mobilizers.md has an example. */
typedef struct cdn_custom_mobilizer_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; copied */
  size_t self_size; /**< bytes of the private part */
  int nq, nu;       /**< nu 1 to 6, nq nu to 7 */
  bool quaternion;  /**< true: q[0..3] is a quaternion of any length but zero; the library normalizes it */
  /** Computes X_FM and the nu columns of H_FM: column k is the velocity (angular, linear) of M in F for u_k = 1, in F's
   *  axes (5.1, 5.2). */
  cdn_status (*across)(const void *self, const double *params, const double *q, cdn_transform *X_FM, cdn_spatial *H_FM);
  /** Computes Hdot_FM u, with the derivative taken in F (5.3). NULL: zero. */
  cdn_status (*Hdot_u)(const void *self, const double *params, const double *q, const double *u, cdn_spatial *A_FM);
  /** qdot = N(q) u; u = N^+ qdot; and Ndot u along qdot = N u. All three or none. NULL: nq = nu and qdot = u. */
  void (*N)(const void *self, const double *q, const double *u, double *qdot);
  void (*N_inv)(const void *self, const double *q, const double *qdot, double *u);
  void (*Ndot_u)(const void *self, const double *q, const double *u, double *qdotdot);
  void (*destroy)(void *self); /**< called once with the System's copy, when the System goes; may be NULL */
  /** Computes the coordinates whose pose is nearest to R_FM and p_FM (cdn_body_set_q_to_fit_transform and its
   *  relatives). R_FM or p_FM may be NULL: that part does not count. q has the present coordinates on entry and the
   *  new ones on return. NULL: the library finds them by iteration. */
  cdn_status (*fit)(const void *self, const double *params, const cdn_rotation *R_FM, const cdn_vec3 *p_FM, double *q);
} cdn_custom_mobilizer_ops;

/** The level at which the motion of a mobilizer is prescribed (motion.h): udot only; u and udot; or q, u and udot. */
typedef enum cdn_motion_level {
  CDN_LEVEL_NONE,
  CDN_LEVEL_ACCELERATION,
  CDN_LEVEL_VELOCITY,
  CDN_LEVEL_POSITION
} cdn_motion_level;

/** Ground's id. */
static inline cdn_body cdn_ground(void) {
  cdn_body g = { 0 };
  return g;
}

/* ---- the tree of a System. For an unknown body: NULL, 0, false or { -1 } ------------------ */

/** Coordinate or mobility k of a body's mobilizer. */
typedef struct cdn_mobility {
  cdn_body body;
  int k;
} cdn_mobility;

CDN_API int cdn_system_body_count(const cdn_system *system); /**< Ground included */
/** What the def said: names, which live as long as the System, the parent, and whether F and M are exchanged. */
CDN_API const char *cdn_body_name(const cdn_system *system, cdn_body body);
CDN_API const char *cdn_body_mobilizer_name(const cdn_system *system, cdn_body body);
CDN_API cdn_body cdn_body_parent(const cdn_system *system, cdn_body body);
CDN_API bool cdn_body_is_reversed(const cdn_system *system, cdn_body body);
CDN_API bool cdn_body_has_quaternion(const cdn_system *system, cdn_body body); /**< in its first four q */
/** Numbers of its mobilizer's coordinates and speeds, and their first places in q and u. */
CDN_API int cdn_body_nq(const cdn_system *system, cdn_body body);
CDN_API int cdn_body_nu(const cdn_system *system, cdn_body body);
CDN_API int cdn_body_first_q(const cdn_system *system, cdn_body body);
CDN_API int cdn_body_first_u(const cdn_system *system, cdn_body body);
/** The unit of coordinate k (CDN_POOL_Q) or speed k (CDN_POOL_U) of a body's mobilizer: "rad", "m", "rad/s", "m/s", or
 *  what these are called in the System's units (cdn_system_unit); "" for the numbers of a quaternion, and of custom and
 *  function-based mobilizers. NULL for what is not there. Static storage. */
CDN_API const char *cdn_body_unit(const cdn_system *system, cdn_body body, cdn_pool pool, int k);
/** The body of this name, or { -1 }. O(number of bodies). */
CDN_API cdn_body cdn_system_find_body(const cdn_system *system, const char *name);

/** Tickets for entries that depend on poses (all results of q alone), on velocities, or on accelerations. */
extern CDN_API const cdn_ticket CDN_POSE, CDN_TWIST, CDN_ACCELERATION;

/* ---- variables of one body ---------------------------------------------------------------- */

/* q and u of one body, n = nq or nu numbers. Setting q invalidates Position, setting u Velocity. Setters return
 * CDN_ERR_ARG for a wrong n and CDN_ERR_NONFINITE; getters return NULL for an unknown body, else pointers that are
 * valid as long as the State. rad or m, rad/s or m/s. If the mobilizer is prescribed (motion.h), the values that you
 * set have no effect. */
CDN_API cdn_status cdn_body_set_q(cdn_state *state, cdn_body body, int n, const double *q) CDN_NODISCARD;
CDN_API cdn_status cdn_body_set_u(cdn_state *state, cdn_body body, int n, const double *u) CDN_NODISCARD;
CDN_API const double *cdn_body_q(const cdn_state *state, cdn_body body);
CDN_API const double *cdn_body_u(const cdn_state *state, cdn_body body);

/* Set to fit: computes and sets the coordinates or speeds that bring M in F nearest to a wanted pose or velocity
 * (Simbody's setQToFitTransform and setUToFitVelocity families). If the mobilizer can reach the wanted value, the
 * result is exact to rounding. Otherwise the rotation comes first:
 *
 *   rotation     the smallest angle between R_FM and the rotation reached
 *   translation  the smallest distance of M's origin from p_FM. Alone, it may use every coordinate that moves the
 *                origin; after a rotation, only coordinates that keep this rotation (a screw may add whole turns)
 *   velocity     likewise: least squares of w_FM, then of v_FM by the remaining speeds; for v_FM alone, w_FM changes as
 *                little as possible
 *
 * All other coordinates and speeds keep their values. Angles go to the nearest turn and to the nearer of two
 * solutions; quaternions to the nearer sign and to unit length; lengths along a turned axis keep their sign. In
 * gimbal lock the two angles that share an axis change by half each, and speeds fit the reachable part of the
 * velocity without becoming large. To place a frame fixed on the body, use X_FM = X_PF^-1 X_PB X_BM.
 *
 * Built-in kinds have closed forms, O(1). Three cases need iteration: function-based mobilizers, custom ones without
 * an op for it, and the translation alone of a reversed ellipsoid or custom mobilizer. The iteration starts from the
 * present coordinates and, if it does not reach the wanted value, from 15 other places. It finds a local minimum,
 * which need not be the smallest.
 *
 * Errors: CDN_ERR_ARG (Ground, an unknown body, or an R that is not a rotation to 1e-9), CDN_ERR_NONFINITE; then
 * nothing changes. A weld has nothing to set. Prescribed mobilizers (motion.h): as cdn_body_set_q. */
CDN_API cdn_status cdn_body_set_q_to_fit_transform(cdn_state *state, cdn_body body, cdn_transform X_FM) CDN_NODISCARD;
CDN_API cdn_status cdn_body_set_q_to_fit_rotation(cdn_state *state, cdn_body body, cdn_rotation R_FM) CDN_NODISCARD;
CDN_API cdn_status cdn_body_set_q_to_fit_translation(cdn_state *state, cdn_body body, cdn_vec3 p_FM) CDN_NODISCARD;
/** V_FM: angular velocity of M in F (rad/s) and velocity of M's origin in F (m/s), in F's axes, at the State's q. */
CDN_API cdn_status cdn_body_set_u_to_fit_velocity(cdn_state *state, cdn_body body, cdn_spatial V_FM) CDN_NODISCARD;
CDN_API cdn_status cdn_body_set_u_to_fit_angular_velocity(cdn_state *state, cdn_body body, cdn_vec3 w_FM) CDN_NODISCARD;
CDN_API cdn_status cdn_body_set_u_to_fit_linear_velocity(cdn_state *state, cdn_body body, cdn_vec3 v_FM) CDN_NODISCARD;

/* Parameters, Instance-stage variables: setting one invalidates the results that depend on it. The setters check as
 * cdn_system_add_body does: CDN_ERR_ARG, CDN_ERR_NONFINITE. */
CDN_API cdn_mass_properties cdn_body_mass_properties(const cdn_state *state, cdn_body body);
CDN_API cdn_status cdn_body_set_mass_properties(cdn_state *state, cdn_body body,
                                                cdn_mass_properties mass) CDN_NODISCARD;
CDN_API cdn_transform cdn_body_X_PF(const cdn_state *state, cdn_body body);
CDN_API cdn_transform cdn_body_X_BM(const cdn_state *state, cdn_body body);
CDN_API cdn_status cdn_body_set_X_PF(cdn_state *state, cdn_body body, cdn_transform X_PF) CDN_NODISCARD;
CDN_API cdn_status cdn_body_set_X_BM(cdn_state *state, cdn_body body, cdn_transform X_BM) CDN_NODISCARD;
CDN_API double cdn_body_armature(const cdn_state *state, cdn_body body);
CDN_API cdn_status cdn_body_set_armature(cdn_state *state, cdn_body body, double armature) CDN_NODISCARD;

/** The CDN_MOBILIZER_PARAMS parameters of the body's mobilizer (see cdn_mobilizer), valid as long as the State; NULL
 *  for an unknown body. */
CDN_API const double *cdn_body_mobilizer_params(const cdn_state *state, cdn_body body);
/** Sets all of them. CDN_ERR_NONFINITE; CDN_ERR_ARG: negative half lengths, flags that do not exist. */
CDN_API cdn_status cdn_body_set_mobilizer_params(cdn_state *state, cdn_body body, const double *params) CDN_NODISCARD;

/* ---- kinematics --------------------------------------------------------------------------- */

/** X_GB, the pose of B in Ground. Realizes Position. O(1) once realized. */
CDN_API cdn_status cdn_body_pose(cdn_state *state, cdn_body body, cdn_transform *X_GB) CDN_NODISCARD;
/** V_GB: angular velocity, and velocity of B's origin, in Ground. Realizes Velocity. O(1) once realized. */
CDN_API cdn_status cdn_body_velocity(cdn_state *state, cdn_body body, cdn_spatial *V_GB) CDN_NODISCARD;
/** A_GB: angular acceleration, and acceleration of B's origin, in Ground. Realizes Acceleration. O(1) once realized. */
CDN_API cdn_status cdn_body_acceleration(cdn_state *state, cdn_body body, cdn_spatial *A_GB) CDN_NODISCARD;
/** X_FM, the pose of M in F. Not for Ground. Realizes Position. O(1) once realized. */
CDN_API cdn_status cdn_body_X_FM(cdn_state *state, cdn_body body, cdn_transform *X_FM) CDN_NODISCARD;
/** V_FM, the velocity of M in F, in F's axes (angular, linear). Not for Ground. Realizes Velocity. O(1) once
 *  realized. */
CDN_API cdn_status cdn_body_V_FM(cdn_state *state, cdn_body body, cdn_spatial *V_FM) CDN_NODISCARD;
/** Position p_G and velocity v_G of station p_B in Ground; either output may be NULL. Realizes Position; for v_G,
 *  Velocity. O(1) once realized. */
CDN_API cdn_status cdn_body_station(cdn_state *state, cdn_body body, cdn_vec3 p_B, cdn_vec3 *p_G,
                                    cdn_vec3 *v_G) CDN_NODISCARD;

/* ---- the system as a whole ---------------------------------------------------------------- */

/** Total mass, and the mass of all bodies that are not welded to Ground, kg. Either output may be NULL. Reads
 *  parameters only. O(n d). */
CDN_API cdn_status cdn_system_mass(cdn_state *state, double *total, double *moving) CDN_NODISCARD;
/** Centre of mass in Ground, m; zero if there is no mass. Realizes Position. O(n). */
CDN_API cdn_status cdn_center_of_mass(cdn_state *state, cdn_vec3 *p_G) CDN_NODISCARD;
/** Momentum (angular about Ground's origin, linear), kg m^2/s and kg m/s. Without armature. Realizes Velocity. O(n). */
CDN_API cdn_status cdn_momentum(cdn_state *state, cdn_spatial *about_origin) CDN_NODISCARD;
/** Kinetic energy of all bodies, armature included, J. Realizes Velocity. O(n). */
CDN_API cdn_status cdn_kinetic_energy(cdn_state *state, double *energy) CDN_NODISCARD;

/* ---- applied forces ----------------------------------------------------------------------- */

/* Forces that your program applies: variables of every State with bodies. They start at zero, keep their values
 * until you change them, and act in addition to the force elements. Setting one invalidates Force. Setters:
 * CDN_ERR_NONFINITE. */

/** Generalized forces on all mobilities (nu numbers; N on lengths, N m on angles). The getter's pointer is valid as
 *  long as the State. */
CDN_API cdn_status cdn_state_set_applied_mobility_forces(cdn_state *state, const double *f) CDN_NODISCARD;
CDN_API const double *cdn_state_applied_mobility_forces(const cdn_state *state);
/** A spatial force on one body (moment about, and force at, the body's origin; in Ground's axes; N m, N). */
CDN_API cdn_status cdn_state_set_applied_body_force(cdn_state *state, cdn_body body, cdn_spatial F_G) CDN_NODISCARD;
CDN_API cdn_spatial cdn_state_applied_body_force(const cdn_state *state, cdn_body body);

CDN_END_DECLS
#endif
