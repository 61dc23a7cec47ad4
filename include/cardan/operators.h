/* Cardan: operators on the tree of bodies (manual 12.8): the parts of the equations of motion, as functions.
 *
 *   qdot = N u     V = J u     A = J udot + Jdot u     M udot + f_bias = J^T F + f     (8.1 to 8.4)
 *
 * Each operator costs O(n) in the number of bodies unless it fills a matrix. Each realizes the State to the stage
 * that its comment names. None changes a variable, and none invalidates a result. None allocates once the State's
 * workspace has grown.
 *
 * Shapes: a mobility vector has nu numbers, a coordinate vector nq, a body vector one cdn_spatial for each body,
 * Ground (index 0) included. nb is the number of bodies with Ground. Matrices are row-major. Spatial vectors are
 * (angular, linear), in Ground's axes, at the body's origin B_o unless the comment says otherwise. Units: SI and
 * radians; a generalized force f has the unit that makes f . u a power. Armature is part of M and of everything made
 * from M.
 *
 * Errors of every function: CDN_ERR_NONFINITE (an argument has a NaN or an infinity), CDN_ERR_ARG (a System without
 * bodies, an unknown body, NULL where numbers are needed), CDN_ERR_SINGULAR (M^-1 is needed and M is singular),
 * CDN_ERR_NOMEM, and the errors of realization. The message is on the State (cdn_state_last_error). After an error
 * the outputs are undefined. Outputs must not overlap inputs.
 *
 * An argument `udot` may have any accelerations; cdn_state_udot(state) gives the State's own.
 *
 * I want to
 *   get all bodies' accelerations for any udot: cdn_calc_body_accelerations
 *   get the accelerations of points for any udot: cdn_calc_station_accelerations
 *   compute the Jacobian of points: cdn_calc_station_J
 *   multiply by the Jacobian of points, or by its transpose: cdn_multiply_by_station_J,
 *       cdn_multiply_by_station_J_transpose
 *   get the points' accelerations at udot = 0 (Jdot u): cdn_calc_station_Jdot_u
 *   compute the 6-row Jacobian of frames (end effectors): cdn_calc_frame_J
 *   multiply by the Jacobian of frames, or by its transpose: cdn_multiply_by_frame_J, cdn_multiply_by_frame_J_transpose
 *   get the frames' accelerations at udot = 0: cdn_calc_frame_Jdot_u
 *   compute the Jacobian of a direction that is fixed on a body: cdn_calc_axis_J
 *   compute the Jacobian of all bodies: cdn_calc_J
 *   multiply by the Jacobian of all bodies: u to velocities: cdn_multiply_by_J
 *   turn spatial forces on bodies into generalized forces: cdn_multiply_by_J_transpose
 *   get all bodies' accelerations at udot = 0: cdn_calc_Jdot_u
 *   convert speeds to rates of coordinates, and back: cdn_multiply_by_N, cdn_multiply_by_N_inv
 *   convert a gradient by q to one by motion along u, and back: cdn_multiply_by_N_transpose,
 *       cdn_multiply_by_N_inv_transpose
 *   convert udot to second derivatives of q, and back: cdn_calc_qdotdot, cdn_calc_udot_of_qdotdot
 *   get its velocity, and its acceleration for any udot: cdn_center_of_mass_velocity,
 *       cdn_calc_center_of_mass_acceleration
 *   get the momentum about the centre of mass (centroidal momentum): cdn_central_momentum
 *   get the centroidal momentum matrix A_G, and its rate times u: cdn_calc_centroidal_momentum_matrix,
 *       cdn_calc_centroidal_momentum_bias
 *   get the Jacobian of a subtree's centre of mass: cdn_calc_subtree_center_J
 *   get the matrix of a subtree's angular momentum: cdn_calc_subtree_momentum_matrix
 *   get the rate of momentum for any udot: cdn_calc_momentum_rate
 *   get the kinetic energy of each body: cdn_calc_body_kinetic_energies
 *   compute the mass matrix M: cdn_calc_M
 *   compute M^-1: cdn_calc_M_inv
 *   multiply by M in O(n), without the matrix: cdn_multiply_by_M
 *   solve with M in O(n), without the matrix: cdn_multiply_by_M_inv
 *   get log det M, for sampling and Fixman's potential: cdn_calc_log_det_M
 *   get its gradient: cdn_calc_log_det_M_gradient
 *   get the inertia of points in the operational space (Lambda), or its inverse: cdn_calc_station_operational_inertia,
 *       cdn_calc_station_operational_inertia_inv
 *   get that of frames: cdn_calc_frame_operational_inertia, cdn_calc_frame_operational_inertia_inv
 *   get composite body inertias: cdn_calc_composite_body_inertias
 *   compute forward dynamics for forces that I give: cdn_forward_dynamics
 *   compute inverse dynamics for forces that I give: cdn_inverse_dynamics
 *   compute inverse dynamics with all the State's forces: cdn_residual
 *   get velocity-dependent forces: Coriolis, centrifugal, gyroscopic: cdn_calc_bias
 *   hold the State against gravity (gravity compensation): cdn_calc_gravity_compensation
 *   get the generalized forces of any uniform field: cdn_calc_gravity_forces
 *   get the forces that joints transmit (reactions): cdn_calc_reaction_forces */
#ifndef CARDAN_OPERATORS_H
#define CARDAN_OPERATORS_H

#include <cardan/matter.h>
#include <cardan/spatial.h>

CDN_BEGIN_DECLS

/* ---- coordinates ---------------------------------------------------------------------------- */

/** qdot = N u (nq from nu). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_N(cdn_state *state, const double *u, double *qdot) CDN_NODISCARD;
/** u = N^+ qdot (nu from nq), with N^+ N = 1; a change of a quaternion's length is ignored. Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_N_inv(cdn_state *state, const double *qdot, double *u) CDN_NODISCARD;
/** f_u = N^T f_q (nu from nq): turns a gradient with respect to q into a gradient with respect to motion along u.
 *  Stage: Position. O(n). CDN_ERR_UNSUPPORTED if a subsystem other than matter has q. */
CDN_API cdn_status cdn_multiply_by_N_transpose(cdn_state *state, const double *f_q, double *f_u) CDN_NODISCARD;
/** f_q = (N^+)^T f_u (nq from nu). Stage: Position. O(n). CDN_ERR_UNSUPPORTED: as cdn_multiply_by_N_transpose. */
CDN_API cdn_status cdn_multiply_by_N_inv_transpose(cdn_state *state, const double *f_u, double *f_q) CDN_NODISCARD;
/** qdotdot = N udot + Ndot u (nq from nu) at the State's u. Stage: Velocity. O(n). CDN_ERR_UNSUPPORTED: as
 *  cdn_multiply_by_N_transpose. */
CDN_API cdn_status cdn_calc_qdotdot(cdn_state *state, const double *udot, double *qdotdot) CDN_NODISCARD;
/** udot = N^+ (qdotdot - Ndot u) (nu from nq): the inverse of cdn_calc_qdotdot, with its stage, cost and errors. */
CDN_API cdn_status cdn_calc_udot_of_qdotdot(cdn_state *state, const double *qdotdot, double *udot) CDN_NODISCARD;

/* ---- the system Jacobian ------------------------------------------------------------------- */

/** V = J u: spatial velocities of all bodies (nb from nu). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_J(cdn_state *state, const double *u, cdn_spatial *V_G) CDN_NODISCARD;
/** f = J^T F (nu from nb): generalized forces of spatial forces at the bodies' origins (12.8). Stage: Position.
 *  O(n). */
CDN_API cdn_status cdn_multiply_by_J_transpose(cdn_state *state, const cdn_spatial *F_G, double *f) CDN_NODISCARD;
/** Fills J, 6 nb x nu: rows 6 b to 6 b + 5 give body b's (w, v). Stage: Position. O(n d) for depth d, plus the
 *  zeros. */
CDN_API cdn_status cdn_calc_J(cdn_state *state, double *J) CDN_NODISCARD;
/** Jdot u (nb): the bodies' accelerations at udot = 0. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_Jdot_u(cdn_state *state, cdn_spatial *A_G) CDN_NODISCARD;

/* ---- Jacobians of stations and frames -------------------------------------------------------
 *
 * n tasks: station i is fixed on body[i] at station_B[i] (m from the body's origin, in the body's axes). J_S (3 n x nu)
 * gives the stations' velocities in Ground. J_F (6 n x nu) gives the velocities (w, v) of frames that are fixed on the
 * bodies at these origins; the orientation of a frame on its body does not matter. A row has non-zeros only in the
 * columns of its body's own and its ancestors' mobilities. Several tasks may be on one body, and a body may be Ground
 * (its rows are zero). Products cost O(d) for one task on a body of depth d, and O(n) for several. */

/** v = J_S u (n vectors, m/s). Stage: Position. */
CDN_API cdn_status cdn_multiply_by_station_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                             const double *u, cdn_vec3 *v_G) CDN_NODISCARD;
/** f = J_S^T f_G (nu): generalized forces of forces f_G[i] (N, in Ground's axes) at the stations. Stage: Position. */
CDN_API cdn_status cdn_multiply_by_station_J_transpose(cdn_state *state, int n, const cdn_body *body,
                                                       const cdn_vec3 *station_B, const cdn_vec3 *f_G,
                                                       double *f) CDN_NODISCARD;
/** Fills J_S, 3 n x nu. Stage: Position. O(d) for each task, plus the zeros. */
CDN_API cdn_status cdn_calc_station_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                      double *J) CDN_NODISCARD;
/** Jdot_S u (n vectors, m/s^2): the stations' accelerations at udot = 0. Stage: Velocity. */
CDN_API cdn_status cdn_calc_station_Jdot_u(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                           cdn_vec3 *a_G) CDN_NODISCARD;

/** V = J_F u (n spatial vectors). Stage: Position. */
CDN_API cdn_status cdn_multiply_by_frame_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                           const double *u, cdn_spatial *V_G) CDN_NODISCARD;
/** f = J_F^T F (nu): generalized forces of moments F_G[i].w and forces F_G[i].v at the frames' origins. Stage:
 *  Position. */
CDN_API cdn_status cdn_multiply_by_frame_J_transpose(cdn_state *state, int n, const cdn_body *body,
                                                     const cdn_vec3 *origin_B, const cdn_spatial *F_G,
                                                     double *f) CDN_NODISCARD;
/** Fills J_F, 6 n x nu. Stage: Position. O(d) for each task, plus the zeros. */
CDN_API cdn_status cdn_calc_frame_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                    double *J) CDN_NODISCARD;
/** Jdot_F u (n spatial vectors): the frames' accelerations at udot = 0. Stage: Velocity. */
CDN_API cdn_status cdn_calc_frame_Jdot_u(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                         cdn_spatial *A_G) CDN_NODISCARD;

/** Fills J_A, 3 n x nu: the rates of n directions in Ground, of which direction i has the fixed components axis_B[i] on
 *  body[i]; its length counts. J_A = -[axis x] J_w. Stage: Position. O(d) for each task, plus the zeros. */
CDN_API cdn_status cdn_calc_axis_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *axis_B,
                                   double *J) CDN_NODISCARD;

/* ---- accelerations for a given udot --------------------------------------------------------- */

/** A = J udot + Jdot u (nb): the accelerations of all bodies at their origins. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_body_accelerations(cdn_state *state, const double *udot, cdn_spatial *A_G) CDN_NODISCARD;
/** a = J_S udot + Jdot_S u: accelerations of n stations, m/s^2. Stage: Velocity. O(d) for one station, O(n) for
 *  several. */
CDN_API cdn_status cdn_calc_station_accelerations(cdn_state *state, const double *udot, int n, const cdn_body *body,
                                                  const cdn_vec3 *station_B, cdn_vec3 *a_G) CDN_NODISCARD;

/* ---- the mass matrix ------------------------------------------------------------------------ */

/** f = M a (nu from nu). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_M(cdn_state *state, const double *a, double *f) CDN_NODISCARD;
/** a = M^-1 f (nu from nu), without forming M or its inverse. If mobilizers are prescribed (motion.h): M_ff^-1 f_f for
 *  the free mobilities and zero for the others (8.40). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_M_inv(cdn_state *state, const double *f, double *a) CDN_NODISCARD;
/** Fills M, nu x nu: both triangles, with the same bits. Stage: Position. O(n d), plus O(n^2) zeros (Featherstone 2008,
 *  6.2: composite bodies). */
CDN_API cdn_status cdn_calc_M(cdn_state *state, double *M) CDN_NODISCARD;
/** Fills M^-1, nu x nu: both triangles, with the same bits. If mobilities are prescribed: M_ff^-1, with zero rows
 *  and columns for them. Stage: Position. The cost is proportional to the number of elements: the non-zeros fill one
 *  block for each tree on its own base body, and the rest is set to zero. Computed from the articulated bodies' G
 *  and D^-1 as M^-1 = (1 - H psi K)^T D^-1 (1 - H psi K) (Jain 2011, 7.2), without solving for columns. */
CDN_API cdn_status cdn_calc_M_inv(cdn_state *state, double *M_inv) CDN_NODISCARD;
/** log det M (natural logarithm; 0 if nu is 0), the sum of log det D over all mobilizers, prescribed ones included.
 *  Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_log_det_M(cdn_state *state, double *log_det) CDN_NODISCARD;
/** Gradient of log det M in the basis of u (nu numbers): g[k] is its derivative along qdot = N e_k. For the gradient
 *  with respect to q, call cdn_multiply_by_N_inv_transpose. kT g / 2 is the generalized force that Fixman's
 *  potential takes away. Stage: Position. O(n) (Jain 1997, J. Comput. Phys. 136:289). CDN_ERR_UNSUPPORTED for a
 *  custom mobilizer with an N of its own if the Lie bracket of two of its motions is not among its motions. */
CDN_API cdn_status cdn_calc_log_det_M_gradient(cdn_state *state, double *g) CDN_NODISCARD;

/* ---- the operational space -------------------------------------------------------------------
 *
 * Lambda is the inertia of a task (Khatib 1987): forces F at n stations or frames change their accelerations by
 * Lambda^-1 F. Arguments are as for Jacobians. Matrices are symmetric to the bit. Lambda^-1 = J M^-1 J^T with the
 * M^-1 of cdn_calc_M_inv, so prescribed mobilities are rigid. Constraints do not count. Stage: Position. Cost: O(n)
 * for the articulated bodies and their factors, once for each pose; O(d) for each pair of tasks at depth d; for
 * Lambda also the cube of its rows. */

/** Lambda^-1 of stations, 3 n x 3 n (1/kg). Block (i, j): the acceleration of station i by a unit force at station
 *  j. */
CDN_API cdn_status cdn_calc_station_operational_inertia_inv(cdn_state *state, int n, const cdn_body *body,
                                                            const cdn_vec3 *station_B,
                                                            double *Lambda_inv) CDN_NODISCARD;
/** Lambda of stations, 3 n x 3 n (kg). CDN_ERR_SINGULAR, with the name of the task, if its rows of J depend on each
 *  other (to 1e-12 of their squares), as in a singular pose: Lambda has no finite value there. */
CDN_API cdn_status cdn_calc_station_operational_inertia(cdn_state *state, int n, const cdn_body *body,
                                                        const cdn_vec3 *station_B, double *Lambda) CDN_NODISCARD;
/** Lambda^-1 of frames, 6 n x 6 n: maps (moment, force) to (angular, linear) accelerations. */
CDN_API cdn_status cdn_calc_frame_operational_inertia_inv(cdn_state *state, int n, const cdn_body *body,
                                                          const cdn_vec3 *origin_B, double *Lambda_inv) CDN_NODISCARD;
/** Lambda of frames, 6 n x 6 n. CDN_ERR_SINGULAR: as for stations; always if fewer than 6 mobilities move a frame. */
CDN_API cdn_status cdn_calc_frame_operational_inertia(cdn_state *state, int n, const cdn_body *body,
                                                      const cdn_vec3 *origin_B, double *Lambda) CDN_NODISCARD;

/* ---- inertia and energy of bodies ------------------------------------------------------------ */

/** Composite body inertias (nb; in Ground's axes). Entry b is the inertia about b's origin of body b and all bodies
 *  outboard of it, welded together; entry 0 is that of the whole system. Without armature. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_composite_body_inertias(cdn_state *state, cdn_spatial_inertia *R) CDN_NODISCARD;
/** Kinetic energy of each body with the armature of its mobilizer (nb, J). The sum is cdn_kinetic_energy. Stage:
 *  Velocity. O(n). */
CDN_API cdn_status cdn_calc_body_kinetic_energies(cdn_state *state, double *energy) CDN_NODISCARD;

/* ---- dynamics ------------------------------------------------------------------------------- */

/** Inverse dynamics (recursive Newton-Euler): f = M udot + f_bias - J^T F - f_mob, nu numbers. These generalized
 *  forces, added to the given forces, produce udot. udot NULL: zero. F_G (spatial forces at body origins, nb with
 *  Ground) and f_mob (nu) may be NULL. Force elements do not count, gravity included. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_inverse_dynamics(cdn_state *state, const double *udot, const cdn_spatial *F_G,
                                        const double *f_mob, double *f) CDN_NODISCARD;
/** Forward dynamics: udot = M^-1 (J^T F + f_mob - f_bias) for given forces; force elements and constraints do not
 *  count. F_G (nb) and f_mob (nu) may be NULL. Prescribed mobilities keep the udot of their motion, and the others
 *  respond (8.39). A_G (nb accelerations) may be NULL. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_forward_dynamics(cdn_state *state, const cdn_spatial *F_G, const double *f_mob, double *udot,
                                        cdn_spatial *A_G) CDN_NODISCARD;
/** f_bias (nu numbers), the velocity-dependent forces in M udot + f_bias = f (8.4). Zero at u = 0. Stage: Velocity.
 *  O(n). */
CDN_API cdn_status cdn_calc_bias(cdn_state *state, double *f_bias) CDN_NODISCARD;
/** Residual of the equations of motion, r = M udot + f_bias - f_applied (nu numbers): inverse dynamics with all force
 *  elements of the State. For the State's own udot, r = -tau (motion.h) - G^T lambda (constraints.h), and, while dry
 *  friction slips (hybrid.h), its forces are missing, too: cdn_total_forces has them. udot NULL: zero.
 *  Stage: Force. O(n), plus the forces. */
CDN_API cdn_status cdn_residual(cdn_state *state, const double *udot, double *r) CDN_NODISCARD;
/** Generalized forces (nu) of a uniform gravity field g (m/s^2, in Ground): J^T (p_BC x m g, m g). The System's own
 *  gravity does not matter. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_gravity_forces(cdn_state *state, cdn_vec3 g, double *f) CDN_NODISCARD;

/** Gravity compensation: the generalized forces (nu) that hold the bodies against the System's own gravity
 *  (cdn_system_add_gravity) with its parameters in this State. Excluded bodies, and gravity that is off, count as zero.
 *  The result is minus cdn_calc_gravity_forces for that field, or zeros without gravity. As applied mobility
 *  forces they cancel gravity. On mobilities without a motor (a floating base) they are forces that a controller cannot
 *  apply. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_gravity_compensation(cdn_state *state, double *f) CDN_NODISCARD;

/* ---- reactions ------------------------------------------------------------------------------ */

/** The side of a mobilizer on which a reaction force acts, and the point that it refers to. */
typedef enum cdn_reaction {
  CDN_REACTION_ON_BODY_AT_M,        /**< on the body, about the origin of its frame M */
  CDN_REACTION_ON_BODY_AT_ORIGIN,   /**< on the body, about the body's origin */
  CDN_REACTION_ON_PARENT_AT_F,      /**< on the parent, about the origin of the frame F on it */
  CDN_REACTION_ON_PARENT_AT_ORIGIN, /**< on the parent, about the parent's origin */
  CDN_REACTION_COUNT
} cdn_reaction;

/** Reaction forces: the force (moment, force; in Ground's axes) that each mobilizer transmits, one for each body. If
 *  the mobilizer were cut, this force would have to act there so that the bodies still move with `udot` under all
 *  forces of the State on bodies, those of its constraints (with its multipliers) included. Forces along the
 *  mobilities are part of it: for the State's own udot, H^T F = f_mob - armature udot - tau, where tau is that of
 *  motion.h and f_mob contains the forces of constraints on mobilities. Entry 0 is the force that holds Ground in
 *  place against its base bodies' mobilizers, about Ground's origin (on the parent: the opposite). It contains the
 *  forces of constraints on Ground, but not those of force elements. Conventions of Simbody's
 *  calcMobilizerReactionForces. Stage: Force; with constraints: Acceleration. O(n), plus the forces. */
CDN_API cdn_status cdn_calc_reaction_forces(cdn_state *state, const double *udot, cdn_reaction where,
                                            cdn_spatial *F_G) CDN_NODISCARD;

/* ---- momentum and the centre of mass -------------------------------------------------------- */

/** Momentum about the centre of mass (angular, linear; in Ground's axes). For the momentum about Ground's origin, see
 *  cdn_momentum. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_central_momentum(cdn_state *state, cdn_spatial *about_center) CDN_NODISCARD;
/** The centroidal momentum matrix A_G (Orin, Goswami and Lee 2013), 6 x nu: A_G u is cdn_central_momentum. Rows:
 *  angular, linear, in Ground's axes. Without armature. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_centroidal_momentum_matrix(cdn_state *state, double *A_G) CDN_NODISCARD;
/** Of the body and all bodies outboard of it, its subtree: J (3 x nu) times u is the velocity of its centre of mass.
 *  CDN_ERR_ARG: the subtree has no mass. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_subtree_center_J(cdn_state *state, cdn_body body, double *J) CDN_NODISCARD;
/** H (3 x nu) times u is the angular momentum of the subtree about its own centre of mass, in Ground's axes. Bodies
 *  without mass count, too; a subtree without mass has it about its body's origin. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_subtree_momentum_matrix(cdn_state *state, cdn_body body, double *H) CDN_NODISCARD;
/** The bias of the centroidal momentum matrix, (dA_G/dt) u: the rate of the central momentum at udot = 0. Stage:
 *  Velocity. O(n). */
CDN_API cdn_status cdn_calc_centroidal_momentum_bias(cdn_state *state, cdn_spatial *Adot_u) CDN_NODISCARD;
/** Rates of cdn_momentum and of cdn_central_momentum for accelerations udot (nu): the total external moment and force,
 *  N m and N. Either output may be NULL. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_momentum_rate(cdn_state *state, const double *udot, cdn_spatial *about_origin,
                                          cdn_spatial *about_center) CDN_NODISCARD;
/** Velocity of the system's centre of mass in Ground, m/s; zero if there is no mass. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_center_of_mass_velocity(cdn_state *state, cdn_vec3 *v_G) CDN_NODISCARD;
/** Acceleration of the system's centre of mass in Ground, m/s^2, for accelerations udot (nu). Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_center_of_mass_acceleration(cdn_state *state, const double *udot,
                                                        cdn_vec3 *a_G) CDN_NODISCARD;

CDN_END_DECLS
#endif
