/* Cardan: analytic derivatives of the equations of motion.
 *
 * A derivative "with respect to q" is taken in the tangent (u) basis: column k is the derivative along the
 * displacement qdot = N e_k, which u_k alone would cause. So it has nu columns for any kind of coordinates, and
 * quaternions need no special care. N^+ converts to other bases (see cdn_qdot_derivatives). Matrices are dense and
 * row-major: row i, column k of a matrix with c columns is at [i * c + k]. Any output may be NULL. See
 * docs/derivatives.md.
 *
 * All force elements of the State take part. Applied forces (matter.h) are constant: mobility forces as they are,
 * forces on bodies in Ground's axes at the body's origin. The derivatives are exact to rounding, with three exceptions
 * that use differences: custom forces without calc_derivative, and contacts of some shapes
 * (docs/compliant_contact.md), to about 1e-9 of the force; and the hinge matrices of function-based and custom
 * mobilizers, to about 1e-11.
 *
 * Cost, for a tree of n bodies and mean depth d: O(n d) by recursion (Carpentier and Mansard 2018; Singh, Russell
 * and Wensing 2022), plus the zeros of the matrices, plus the force elements. Nothing is allocated once the State's
 * workspace has grown. No variable of the State changes.
 *
 * Errors of every function: CDN_ERR_ARG (no bodies), CDN_ERR_NONFINITE (udot has a NaN or an infinity),
 * CDN_ERR_SINGULAR (M^-1 or the derivative of a force does not exist), CDN_ERR_NOMEM, and the errors of realization
 * and of callbacks. The message is on the State.
 *
 * I want to
 *   differentiate forward dynamics by q, u, f, z: cdn_forward_dynamics_derivatives
 *   differentiate inverse dynamics by q, u, z: cdn_inverse_dynamics_derivatives
 *   — with soft rows, by q, u, z, udot: cdn_soft_inverse_dynamics_derivatives
 *   differentiate the rates of auxiliary states: cdn_calc_zdot_derivatives
 *   differentiate constraint multipliers: cdn_multiplier_derivatives
 *   get the inertial parameters of all bodies: cdn_inertial_parameters
 *   compute the regressor of inverse dynamics: cdn_inverse_dynamics_regressor
 *   differentiate accelerations by inertial parameters: cdn_forward_dynamics_regressor
 *   differentiate qdot = N u, and get N and N^+: cdn_qdot_derivatives
 *   know how displacements grow along the motion: cdn_tangent_rate_derivatives
 *   describe the derivatives of my force: at a joint: cdn_force_derivatives_add_mobility
 *   — of a force at a point: cdn_force_derivatives_add_point
 *   — of a constant moment: cdn_force_derivatives_add_torque
 *   — of a tension between two points: cdn_force_derivatives_add_line
 *   — of a tension along a path: cdn_force_derivatives_add_path
 *   — of forces on several bodies that depend on each other's places and motions: cdn_force_derivatives_add_bodies
 *   — by auxiliary states: cdn_force_derivatives_wrt_z
 *   describe how my auxiliary states' rates vary: with z: cdn_zdot_derivatives_add_z
 *   — with a joint: cdn_zdot_derivatives_add_mobility
 *   — with a point: cdn_zdot_derivatives_add_station
 *   — with a slot of u: cdn_zdot_derivatives_add_slot */
#ifndef CARDAN_DERIVATIVES_H
#define CARDAN_DERIVATIVES_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/* ---- dynamics ------------------------------------------------------------------------------ */

/** Derivatives of tau = cdn_residual(udot) = M udot + f_bias - f_applied, without forces of constraints: dtau_dq and
 *  dtau_du (nu x nu), dtau_dz (nu x nz, for forces that read auxiliary states z). The derivative with respect to
 *  udot is M: cdn_calc_M. udot: nu numbers; NULL: zero. Realizes Force. */
CDN_API cdn_status cdn_inverse_dynamics_derivatives(cdn_state *state, const double *udot, double *dtau_dq,
                                                    double *dtau_du, double *dtau_dz) CDN_NODISCARD;

/** The same with soft rows (soft_rows.md): derivatives of cdn_residual(udot) less cdn_soft_forces(udot): MuJoCo's
 *  inverse dynamics. dtau_dq, dtau_du and dtau_dudot (nu x nu), dtau_dz (nu x nz). dtau_dudot = M + J^T H J, where H is
 *  the second derivative of what the rows cost; it is symmetric. Without soft rows it is M. Rows that are differenced
 *  are as in cdn_forward_dynamics_derivatives. Realizes Force. O(n d), and O(n + nu^2) for each row.
 *  CDN_ERR_UNSUPPORTED: exact rows, whose forces do not follow from udot. */
CDN_API cdn_status cdn_soft_inverse_dynamics_derivatives(cdn_state *state, const double *udot, double *dtau_dq,
                                                         double *dtau_du, double *dtau_dz,
                                                         double *dtau_dudot) CDN_NODISCARD;

/** Derivatives of the State's udot: dudot_dq, dudot_du (nu x nu), dudot_df = M^-1 (nu x nu; f is any generalized
 *  force), dudot_dz (nu x nz). Realizes Acceleration. Cost: that of inverse dynamics, plus one solution with M for
 *  each column, as dudot_dq = -M^-1 dtau_dq at the realized udot.
 *
 *  Prescribed mobilities (motion.h): q and u mean the effective values, varied as if they were free. Rows of locks
 *  and of functions of time are zero. Custom motions at velocity and acceleration level are differenced, to about
 *  1e-9. The free rows are -M_ff^-1 (dtau_dq + M_fp dudot_p_dq). Forces on prescribed mobilities have no effect.
 *
 *  Constraints (constraints.h): udot varies so that the acceleration equations stay satisfied. Each column solves
 *    [ M  G^T ]   [ dudot   ]     [ dtau + d(G^T lambda)  at constant udot and lambda ]
 *    [ G   0  ]   [ dlambda ] = - [ d(G udot - b)         at constant udot            ]
 *  in O(n) if loops close locally. The variations of q and u need not satisfy the position and velocity constraints.
 *  Redundant equations are treated as in the State's own dynamics; the derivatives jump where the rank does. Kinds of
 *  constraints without derivatives of their own are differenced, to about 1e-11. Also CDN_ERR_UNSUPPORTED: with
 *  Baumgarte's stabilization.
 *
 *  Rows of row providers (rows.h) are differenced, to about 1e-9: two evaluations of them for each q and u, and
 *  for each z if dudot_dz is wanted. Rows that are at a bound stay there, and those that hold go on holding. Where
 *  rows come or go on one side of the State, the derivatives are those of the other side; where exact
 *  rows do so on both sides the function fails with CDN_ERR_SINGULAR. */
CDN_API cdn_status cdn_forward_dynamics_derivatives(cdn_state *state, double *dudot_dq, double *dudot_du,
                                                    double *dudot_df, double *dudot_dz) CDN_NODISCARD;

/** Derivatives of the State's multipliers, dlambda of the equations above: dlambda_dq, dlambda_du, dlambda_df (m x
 *  nu) and dlambda_dz (m x nz), with m = cdn_system_nudoterr(system). Redundant equations: derivatives of the
 *  multipliers of least norm, without the part that comes from the variation of the redundancy itself. Rows of
 *  constraints that are off are zero. Stage, cost and errors: as cdn_forward_dynamics_derivatives. */
CDN_API cdn_status cdn_multiplier_derivatives(cdn_state *state, double *dlambda_dq, double *dlambda_du,
                                              double *dlambda_df, double *dlambda_dz) CDN_NODISCARD;

/* ---- inertial parameters ------------------------------------------------------------------- */

enum { CDN_INERTIAL_PARAMETERS = 10 }; /**< number of inertial parameters of a body */

/** Writes the inertial parameters pi of all bodies, 10 for each, Ground included (Ground's have no effect): mass
 *  (kg); mass times centre of mass (x, y, z; kg m); inertia about the *body's origin* (xx, yy, zz, xy, xz, yz; kg
 *  m^2); in the body's axes. The equations of motion are linear in pi. Reads parameters only. O(n). */
CDN_API cdn_status cdn_inertial_parameters(cdn_state *state, double *pi) CDN_NODISCARD;

/** Regressor Y (nu x 10 nb, nb = cdn_system_body_count): M udot + f_bias - (weight) = Y pi + armature udot, with the
 *  weight in the State's gravity, if there is one. Y is the derivative of cdn_residual with respect to pi. udot: nu
 *  numbers; NULL: zero. Realizes Force. O(n d) (Atkeson, An and Hollerbach 1986). */
CDN_API cdn_status cdn_inverse_dynamics_regressor(cdn_state *state, const double *udot, double *Y) CDN_NODISCARD;

/** Derivative of the State's udot with respect to pi (nu x 10 nb): -M^-1 Y, with constraints as in
 *  cdn_forward_dynamics_derivatives; rows of prescribed mobilities are zero. Provided and soft rows are taken into
 *  account. Soft rows of contacts and elements are scaled by how light bodies are, which follows pi, too: that part is
 *  differenced, to about 1e-7, and costs 20 n evaluations of the rows and memory for a second State. Realizes
 *  Acceleration. */
CDN_API cdn_status cdn_forward_dynamics_regressor(cdn_state *state, double *dudot_dpi) CDN_NODISCARD;

/* ---- auxiliary states ----------------------------------------------------------------------- */

/** Derivatives of the State's zdot: dzdot_dq, dzdot_du (nz x nu) and dzdot_dz (nz x nz). If zdot reads udot, they
 *  include the derivatives of udot. Subsystems describe them in calc_zdot_derivative. Rates of other subsystems are
 *  differenced, centrally, to about 1e-9, which costs two evaluations of their calc_zdot and its prerequisites for
 *  each q, u and z. Columns of prescribed q and u (motion.h) are zero. Works without bodies, too. Realizes
 *  Acceleration. */
CDN_API cdn_status cdn_calc_zdot_derivatives(cdn_state *state, double *dzdot_dq, double *dzdot_du,
                                             double *dzdot_dz) CDN_NODISCARD;

/* ---- kinematics ---------------------------------------------------------------------------- */

/** Derivatives of qdot = N(q) u with respect to the coordinates themselves: dqdot_dq (nq x nq) and dqdot_du = N (nq
 *  x nu); also N^+ (nu x nq). The Jacobian of (qdot, udot) with respect to (q, u) is
 *    [ dqdot_dq         N        ]
 *    [ dudot_dq N^+     dudot_du ],  as udot does not depend on the lengths of quaternions.
 *  N of custom mobilizers is differenced, to about 1e-11. Realizes Velocity. */
CDN_API cdn_status cdn_qdot_derivatives(cdn_state *state, double *dqdot_dq, double *N, double *N_inv) CDN_NODISCARD;

/** Growth matrix A (nu x nu, block diagonal) of displacements v in the tangent basis: vdot = A v + delta u along the
 *  motion. A is zero where qdot = u, and [w x] where u is an angular velocity. The linearized equations are then
 *    d/dt (v, delta u) = [ A  1; dudot_dq  dudot_du ] (v, delta u).
 *  Realizes Velocity. Also CDN_ERR_UNSUPPORTED, with the joint's name: line orientation and free line (their speeds are
 *  nonholonomic), and custom mobilizers with an N of their own. */
CDN_API cdn_status cdn_tangent_rate_derivatives(cdn_state *state, double *A) CDN_NODISCARD;

/* ---- for calc_derivative of a custom force ------------------------------------------------- */

enum { CDN_FORCE_BODIES = 8 }; /**< the most bodies of one call of cdn_force_derivatives_add_bodies */

/* calc_derivative describes each force that calc_force adds once more, with its derivatives. Stations are in the
 * body's axes, everything else in Ground's. 3x3 matrices are row-major; NULL: zero. Ground is allowed and ignored. A
 * wrong id or a number that is not finite is not added: the call to calc_derivative then fails and names the force. */

/** A generalized force on mobility k of `body` that depends on mobility l of `with`: its derivatives df_dq (in the
 *  tangent basis) and df_du. A constant force needs no call. */
CDN_API void cdn_force_derivatives_add_mobility(cdn_force_derivatives *d, cdn_body body, int k, cdn_body with, int l,
                                                double df_dq, double df_du);
/** A force f_G (N) at station p_B, a function of the station's place p and velocity v in Ground: its derivatives df_dp
 *  and df_dv. Constant forces need this call too, because their lever arm turns with the body. */
CDN_API void cdn_force_derivatives_add_point(cdn_force_derivatives *d, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G,
                                             const double df_dp[9], const double df_dv[9]);
/** A moment (N m) that is constant in Ground. */
CDN_API void cdn_force_derivatives_add_torque(cdn_force_derivatives *d, cdn_body body, cdn_vec3 moment_G);
/** A tension (N) along the line between two stations, positive if it pulls them together; a function of their
 *  distance and of its rate. The stations must not coincide. */
CDN_API void cdn_force_derivatives_add_line(cdn_force_derivatives *d, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                            cdn_vec3 p_B, double tension, double dtension_dlength,
                                            double dtension_drate);
/** A tension (N) along a path (paths.h), a function of the path's length and of its rate. O(sum of the paths of its
 *  bodies to Ground, times the path's items). */
CDN_API void cdn_force_derivatives_add_path(cdn_force_derivatives *d, cdn_path path, double tension,
                                            double dtension_dlength, double dtension_drate);
/** Forces on n bodies (1 to CDN_FORCE_BODIES) that depend on the poses and velocities of all of these bodies: bends,
 *  torsions, bushings. Body k has a station, in its own axes, and a spatial force F_G[k]: a moment about the
 *  station, and a force there. dF_dX and dF_dV (6 n x 6 n, row-major; NULL: zero) are the derivatives of the n
 *  forces: by small turns of the bodies and displacements of their stations, and by angular velocities and
 *  velocities. Row 6 k is the moment on body k about its moved station; row 6 k + 3 is the force. Column 6 l is a
 *  turn of body l, column 6 l + 3 a displacement of its station. A body may occur twice, with two stations; one may
 *  be Ground. `relative` says that the forces turn with the bodies, and do not change otherwise, if all bodies move
 *  as one piece; joints that carry all of them are then skipped. O(sum of the paths to Ground, times a path). */
CDN_API void cdn_force_derivatives_add_bodies(cdn_force_derivatives *d, int n, const cdn_body *bodies,
                                              const cdn_vec3 *stations, const cdn_spatial *F_G, const double *dF_dX,
                                              const double *dF_dV, bool relative);
/** Derivative with respect to number k of a group of z. Add to the returned accumulator, with the functions that
 *  calc_force uses, the derivatives of the forces. Valid until the next call of this function or the end of
 *  calc_derivative. NULL: this derivative is not needed, or there is no such z. */
CDN_API cdn_forces *cdn_force_derivatives_wrt_z(cdn_force_derivatives *d, cdn_zvar z, int k);

/* ---- for calc_zdot_derivative of a subsystem ------------------------------------------------- */

/* Each function names a rate: number i of a group z that the subsystem itself has declared. Calls for the same rate are
 * summed. A wrong id or a number that is not finite is not added: the call to calc_zdot_derivative then fails and names
 * the subsystem. O(1), except for stations. */

/** Derivative of the rate by number k of a group of z, its own or another subsystem's. */
CDN_API void cdn_zdot_derivatives_add_z(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_zvar by, int k, double value);
/** Derivatives of the rate by mobility l of a body: by q (in the tangent basis), by u, and by udot at constant q, u
 *  and z. */
CDN_API void cdn_zdot_derivatives_add_mobility(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, int l,
                                               double by_q, double by_u, double by_udot);
/** Gradients of the rate by the place (by_p) and the velocity (by_v) of a station in Ground. Two stations describe a
 *  length and its rate. O(depth). */
CDN_API void cdn_zdot_derivatives_add_station(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, cdn_vec3 p_B,
                                              cdn_vec3 by_p, cdn_vec3 by_v);
/** Derivatives of the rate by a slot of the System's u, and by the q that belongs to it (in the tangent basis). The
 *  slot need not belong to a body. */
CDN_API void cdn_zdot_derivatives_add_slot(cdn_zdot_derivatives *d, cdn_zvar z, int i, int slot, double by_q,
                                           double by_u);

CDN_END_DECLS
#endif
