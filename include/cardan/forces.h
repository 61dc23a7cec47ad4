/* Cardan: forces. Elements that act on bodies and mobilities, and the door for your own.
 *
 * All parameters are Instance-stage variables: the def gives defaults, the set functions change them in a State.
 * Forces are declared with or without potential; the energy certificate integrates the power of the latter. */
#ifndef CARDAN_FORCES_H
#define CARDAN_FORCES_H

#include <cardan/matter.h>

CDN_BEGIN_DECLS

/* ---- the accumulator ---------------------------------------------------------------------- */

/* A wrong id, or a number that is not finite, is not added: the realization fails and names the force. */

typedef struct cdn_forces cdn_forces;                       /**< borrowed by a force's calc function */
typedef struct cdn_force_derivatives cdn_force_derivatives; /**< likewise: see <cardan/derivatives.h> */

/** Adds force f_G at station p_B of a body. Ground is allowed and ignored. O(1). */
CDN_API void cdn_forces_add_point(cdn_forces *f, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G);
/** Adds a pure moment, in Ground. */
CDN_API void cdn_forces_add_torque(cdn_forces *f, cdn_body body, cdn_vec3 moment_G);
/** Adds a spatial force (moment about, and force at, the body's origin, in Ground). */
CDN_API void cdn_forces_add_body(cdn_forces *f, cdn_body body, cdn_spatial F_G);
/** Adds a generalized force on the body's mobility k (0 .. nu - 1): power = force * u. */
CDN_API void cdn_forces_add_mobility(cdn_forces *f, cdn_body body, int k, double force);

/* ---- built-in elements -------------------------------------------------------------------- */

/* Every adder copies what it is given, returns an id, and is sticky. Coordinates q named below are the body's
 * k-th; springs and stops on coordinates ask for one whose rate is a speed u: all but quaternions, Euler angles beside
 * angular velocities, and what a custom mobilizer has an N for. */

/** Uniform gravity (m/s^2) on every body that is not excluded. One a System. Has potential, zero at Ground's origin
 *  height. */
CDN_API cdn_force cdn_system_add_gravity(cdn_system *system, const char *name, cdn_vec3 g);
CDN_API cdn_status cdn_gravity_set(cdn_state *state, cdn_force force, cdn_vec3 g);
/** g; NaNs if `force` is no gravity. */
CDN_API cdn_vec3 cdn_gravity_get(const cdn_state *state, cdn_force force);

/** Leave a body out, its weight and its potential: while building (the default of every State) and in a State
 *  (Instance stage). Ground is always left out; naming it changes nothing. */
CDN_API void cdn_system_exclude_from_gravity(cdn_system *system, cdn_force gravity, cdn_body body);
CDN_API cdn_status cdn_gravity_set_body_excluded(cdn_state *state, cdn_force gravity, cdn_body body, bool excluded);
/** True also where there is no such gravity or body. */
CDN_API bool cdn_gravity_body_is_excluded(const cdn_state *state, cdn_force gravity, cdn_body body);

/** f = -k (q - q0) on mobility `coordinate` of a body. Energy k/2 (q - q0)^2. */
CDN_API cdn_force cdn_system_add_mobility_spring(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                                 double k, double q0);
CDN_API cdn_status cdn_mobility_spring_set(cdn_state *state, cdn_force force, double k, double q0);
/** f = -c u on mobility `mobility`; c >= 0. */
CDN_API cdn_force cdn_system_add_mobility_damper(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                 double c);
CDN_API cdn_status cdn_mobility_damper_set(cdn_state *state, cdn_force force, double c);
/** f = -c u on every mobility there is, which drains energy and seldom means anything else; c >= 0. */
CDN_API cdn_force cdn_system_add_global_damper(cdn_system *system, const char *name, double c);
CDN_API cdn_status cdn_global_damper_set(cdn_state *state, cdn_force force, double c);
/** A constant generalized force on a mobility. No potential is claimed. */
CDN_API cdn_force cdn_system_add_mobility_force(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                double f);
CDN_API cdn_status cdn_mobility_force_set(cdn_state *state, cdn_force force, double f);
/** A compliant stop: outside [lower, upper] a restoring force k x with dissipation, f = -k x max(0, 1 + d xdot),
 *  x the penetration (Hunt and Crossley 1975); never pulls. Either bound may be infinite. k > 0, d >= 0 (s/m or s). Steps
 *  end where a bound is met or left, and where damping lets go (docs/methods.md, Kinks). */
CDN_API cdn_force cdn_system_add_mobility_stop(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                               double lower, double upper, double k, double d);
CDN_API cdn_status cdn_mobility_stop_set(cdn_state *state, cdn_force force, double lower, double upper, double k,
                                         double d);
/** A spring k theta against the rotation angle theta of a ball or free mobilizer's R_FM from R0 (the shortest way;
 *  at exactly pi the axis is arbitrary; a step ends where theta passes pi, as the moment jumps). Energy k/2 theta^2. */
CDN_API cdn_force cdn_system_add_rotation_spring(cdn_system *system, const char *name, cdn_body body, double k,
                                                 cdn_rotation R0);
CDN_API cdn_status cdn_rotation_spring_set(cdn_state *state, cdn_force force, double k, cdn_rotation R0);
/** A compliant cone limit on the rotation angle of R_FM itself: beyond `max_angle` >= 0 as a mobility stop. Steps end where
 *  one would end them, and where theta passes pi. */
CDN_API cdn_force cdn_system_add_rotation_stop(cdn_system *system, const char *name, cdn_body body, double max_angle,
                                               double k, double d);
CDN_API cdn_status cdn_rotation_stop_set(cdn_state *state, cdn_force force, double max_angle, double k, double d);

/** A spring between two stations of different bodies: tension k (length - rest), rest >= 0. The direction is undefined
 *  at zero length: there the force is zero if rest is zero and realization fails otherwise. Points that pass through one
 *  another make a force with a rest length jump; that ends no step, estimates see it (docs/methods.md, Kinks). */
CDN_API cdn_force cdn_system_add_two_point_spring(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                  cdn_body b, cdn_vec3 p_B, double k, double rest);
CDN_API cdn_status cdn_two_point_spring_set(cdn_state *state, cdn_force force, double k, double rest);
/** A damper between two stations of different bodies: tension c d(length)/dt, c >= 0. At zero length its direction is
 *  that of the stations' relative velocity. */
CDN_API cdn_force cdn_system_add_two_point_damper(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                  cdn_body b, cdn_vec3 p_B, double c);
CDN_API cdn_status cdn_two_point_damper_set(cdn_state *state, cdn_force force, double c);
/** A constant force along the line between two stations of different bodies: f > 0 drives them apart, f < 0 pulls
 *  them together. No potential is claimed. At zero length it has no direction, and realization fails unless f is 0. It
 *  jumps where the points pass through one another, as a spring with a rest length does. */
CDN_API cdn_force cdn_system_add_two_point_force(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                 cdn_body b, cdn_vec3 p_B, double f);
CDN_API cdn_status cdn_two_point_force_set(cdn_state *state, cdn_force force, double f);

/** A linear bushing between frame F on body A and frame M on body B, different bodies. Its six coordinates are the
 *  body-fixed x-y-z angles of R_FM (rad; each within half a turn, the second within a quarter) and p_FM in F's axes;
 *  each has a spring and a damper of its own, f_i = -k_i q_i - c_i qdot_i, in N m and N. Energy sum k_i q_i^2 / 2;
 *  c_i >= 0. A and B feel opposite forces on one line, so Ground may be either. Where the second angle is a quarter
 *  turn the other two are undefined: realization fails there (recoverable), unless the coefficients of all three
 *  angles are zero. Where the first or the third angle passes half a turn its spring jumps, and a step ends. k and c are in
 *  the order of the coordinates; NULL: zeros. */
CDN_API cdn_force cdn_system_add_linear_bushing(cdn_system *system, const char *name, cdn_body a, cdn_transform X_AF,
                                                cdn_body b, cdn_transform X_BM, const double k[6], const double c[6]);
/** NULL leaves the k, or the c, as they are. */
CDN_API cdn_status cdn_linear_bushing_set(cdn_state *state, cdn_force force, const double k[6], const double c[6]);
CDN_API cdn_status cdn_linear_bushing_set_frames(cdn_state *state, cdn_force force, cdn_transform X_AF,
                                                 cdn_transform X_BM);
/** Its coordinates and their rates; either may be NULL. Realizes positions, and velocities for qdot. */
CDN_API cdn_status cdn_linear_bushing_coordinates(cdn_state *state, cdn_force force, double q[6],
                                                  double qdot[6]) CDN_NODISCARD;

/** A constant force f_G at a station and a constant moment m_G on one body, both fixed in Ground's axes. No potential
 *  is claimed. */
CDN_API cdn_force cdn_system_add_body_force(cdn_system *system, const char *name, cdn_body body, cdn_vec3 p_B,
                                            cdn_vec3 f_G, cdn_vec3 m_G);
CDN_API cdn_status cdn_body_force_set(cdn_state *state, cdn_force force, cdn_vec3 f_G, cdn_vec3 m_G);

/** Switch an element on or off (Instance stage). Elements start enabled. What else the subsystem of a custom force
 *  does, such as its zdot, goes on. */
CDN_API cdn_status cdn_force_set_enabled(cdn_state *state, cdn_force force, bool enabled);
CDN_API bool cdn_force_is_enabled(const cdn_state *state, cdn_force force);
CDN_API const char *cdn_force_name(const cdn_system *system, cdn_force force);
CDN_API int cdn_system_force_count(const cdn_system *system);

/* ---- your own ------------------------------------------------------------------------------ */

/** What a force reads of the State by itself; decides when it is computed again. What it reads by way of its `prerequisites`
 *  is known from them. */
typedef enum cdn_force_reads {
  CDN_READS_POSITION,  /**< t, q and parameters: poses */
  CDN_READS_VELOCITY,  /**< u as well */
  CDN_READS_EVERYTHING /**< z as well; a force that declares z reads it, whatever it says */
} cdn_force_reads;

/** A custom force: a subsystem (it may declare z, discrete variables, parameters, cache entries, and give calc_zdot)
 *  that also adds forces. What it declares is a prerequisite of its force without being said; what other subsystems
 *  declare is named in `prerequisites`. See docs/custom-forces.md. */
typedef struct cdn_force_ops {
  cdn_subsystem_ops subsystem; /**< all may be NULL or 0; name is also the force's; struct_size 0: this header's */
  uint32_t struct_size;        /**< sizeof(cdn_force_ops) */
  cdn_force_reads reads;
  /** Adds this element's forces. Required. */
  cdn_status (*calc_force)(const void *self, cdn_state *state, cdn_forces *forces);
  /** Potential energy, a function of t, q and parameters, of which calc_force gives the whole force. NULL: the
   *  force has no potential, and its power is work in the energy certificate. */
  cdn_status (*calc_potential)(const void *self, cdn_state *state, double *energy);
  /** Further tickets that calc_force reads beyond `reads` and its own variables; may be NULL. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** Describes how the forces vary, to what <cardan/derivatives.h> declares. NULL: where derivatives are asked for, the
   *  force is differenced. */
  cdn_status (*calc_derivative)(const void *self, cdn_state *state, cdn_force_derivatives *derivatives);
  /** Where the force bends or jumps (a contact begins, a spring goes slack, friction changes its way): n_kinks numbers, each
   *  of which changes its sign there, and if you know it the rate in time of each. All are NaN beforehand; a value that stays
   *  NaN says that its kink is not near. Without a rate, a kink that is passed twice within a step is not seen. Runs with error
   *  control end a step at each kink (docs/methods.md), without an event. May read what calc_force may, and u. */
  int n_kinks;
  cdn_status (*calc_kinks)(const void *self, cdn_state *state, double *values, double *rates);
} cdn_force_ops;

CDN_API cdn_force cdn_system_add_custom_force_sized(cdn_system *system, const cdn_force_ops *ops, size_t subsystem_size,
                                                    const void *self);
static inline cdn_force cdn_system_add_custom_force(cdn_system *system, const cdn_force_ops *ops, const void *self) {
  return cdn_system_add_custom_force_sized(system, ops, sizeof ops->subsystem, self);
}
/** The subsystem behind a custom force. */
CDN_API cdn_subsystem cdn_force_subsystem(const cdn_system *system, cdn_force force);

/* ---- results ------------------------------------------------------------------------------- */

/** Sum of the potentials of all enabled elements. Realizes positions. */
CDN_API cdn_status cdn_potential_energy(cdn_state *state, double *energy) CDN_NODISCARD;
/** Its ticket, to depend on, in a System that has forces. */
extern CDN_API const cdn_ticket CDN_POTENTIAL_ENERGY;
/** Power of everything without potential: dampers, constant and applied forces, custom forces that claim none. */
CDN_API cdn_status cdn_nonpotential_power(cdn_state *state, double *power) CDN_NODISCARD;
/** All forces applied, as totals: one spatial force a body at its origin (Ground included, where it is zero), and nu
 *  generalized forces on mobilities; either may be NULL. */
CDN_API cdn_status cdn_total_forces(cdn_state *state, cdn_spatial *F_G, double *f_mob) CDN_NODISCARD;

CDN_END_DECLS
#endif
