/* Cardan: operators on the tree of bodies (manual 12.8): what the equations of motion are made of, as functions.
 *
 *   qdot = N u     V = J u     A = J udot + Jdot u     M udot + f_bias = J^T F + f     (8.1 to 8.4)
 *
 * Each costs O(n) in the number of bodies unless it fills a matrix, and each realizes what it needs itself. None
 * changes a variable or a valid result of the State; none allocates once the State's workspace has grown.
 *
 * Shapes: a mobility vector has nu numbers, a coordinate vector nq, a body vector one cdn_spatial a body, Ground
 * (index 0) included. Matrices are row-major. Spatial vectors are (angular, linear), in Ground's axes, at the
 * body's origin B_o unless said otherwise. Units: SI and radians; a generalized force has the unit that makes f . u
 * a power. Armature is part of M and of everything made from it.
 *
 * Errors, the same everywhere: CDN_ERR_NONFINITE for a NaN or an infinity given, CDN_ERR_ARG for a System without
 * bodies, an unknown body, or NULL where numbers are needed, CDN_ERR_SINGULAR where M^-1 is needed and M is
 * singular, CDN_ERR_NOMEM, and whatever realizing reports; the story is on the State (cdn_state_last_error). Outputs
 * are then undefined. Outputs may not alias inputs.
 *
 * Where `udot` is an argument it may be any accelerations; cdn_state_udot(state) gives the State's own. */
#ifndef CARDAN_OPERATORS_H
#define CARDAN_OPERATORS_H

#include <cardan/matter.h>
#include <cardan/spatial.h>

CDN_BEGIN_DECLS

/* ---- coordinates ---------------------------------------------------------------------------- */

/** qdot = N u (nq from nu). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_N(cdn_state *state, const double *u, double *qdot) CDN_NODISCARD;
/** u = N^+ qdot (nu from nq): N^+ N = 1; a quaternion's change of length is ignored. Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_N_inv(cdn_state *state, const double *qdot, double *u) CDN_NODISCARD;
/** f_u = N^T f_q (nu from nq): a gradient with respect to q, as one with respect to motion along u. Stage: Position.
 *  O(n). CDN_ERR_UNSUPPORTED where subsystems other than matter have q. */
CDN_API cdn_status cdn_multiply_by_N_transpose(cdn_state *state, const double *f_q, double *f_u) CDN_NODISCARD;
/** f_q = (N^+)^T f_u (nq from nu). Stage: Position. O(n). CDN_ERR_UNSUPPORTED as above. */
CDN_API cdn_status cdn_multiply_by_N_inv_transpose(cdn_state *state, const double *f_u, double *f_q) CDN_NODISCARD;
/** qdotdot = N udot + Ndot u (nq from nu) at the State's u. Stage: Velocity. O(n). CDN_ERR_UNSUPPORTED as above. */
CDN_API cdn_status cdn_calc_qdotdot(cdn_state *state, const double *udot, double *qdotdot) CDN_NODISCARD;
/** udot = N^+ (qdotdot - Ndot u): the inverse of the former. Stage: Velocity. O(n). CDN_ERR_UNSUPPORTED as above. */
CDN_API cdn_status cdn_calc_udot_of_qdotdot(cdn_state *state, const double *qdotdot, double *udot) CDN_NODISCARD;

/* ---- the system Jacobian ------------------------------------------------------------------- */

/** V = J u: spatial velocities of all bodies. Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_J(cdn_state *state, const double *u, cdn_spatial *V_G) CDN_NODISCARD;
/** f = J^T F: generalized forces (nu) of spatial forces applied at the bodies' origins (12.8). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_J_transpose(cdn_state *state, const cdn_spatial *F_G, double *f) CDN_NODISCARD;
/** J itself, 6 nb x nu: rows 6 b to 6 b + 5 are body b's (w, v). Stage: Position. O(n d) for depth d, and the zeros. */
CDN_API cdn_status cdn_calc_J(cdn_state *state, double *J) CDN_NODISCARD;
/** Jdot u: the bodies' accelerations if udot were zero. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_Jdot_u(cdn_state *state, cdn_spatial *A_G) CDN_NODISCARD;

/* ---- Jacobians of stations and frames -------------------------------------------------------
 *
 * n tasks: station i is fixed on body[i] at station_B[i] (from the body's origin, in its axes). J_S (3 n x nu) gives
 * the stations' velocities in Ground. J_F (6 n x nu) gives the (w, v) of frames fixed on the bodies with these
 * origins; how a frame is turned on its body does not matter. Only columns of a body's own and its ancestors'
 * mobilities are not zero. Several tasks may be on one body. Products cost O(d) for one task on a body of depth d,
 * O(n) for several; Ground is a body like others (its rows are zero). */

/** v = J_S u (n). Stage: Position. */
CDN_API cdn_status cdn_multiply_by_station_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                             const double *u, cdn_vec3 *v_G) CDN_NODISCARD;
/** f = J_S^T f_S (nu): generalized forces of forces f_G[i] applied at the stations. Stage: Position. */
CDN_API cdn_status cdn_multiply_by_station_J_transpose(cdn_state *state, int n, const cdn_body *body,
                                                       const cdn_vec3 *station_B, const cdn_vec3 *f_G,
                                                       double *f) CDN_NODISCARD;
/** J_S, 3 n x nu. Stage: Position. O(d) a task, and the zeros. */
CDN_API cdn_status cdn_calc_station_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                      double *J) CDN_NODISCARD;
/** Jdot_S u (n): the stations' accelerations if udot were zero. Stage: Velocity. */
CDN_API cdn_status cdn_calc_station_Jdot_u(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                           cdn_vec3 *a_G) CDN_NODISCARD;

/** V = J_F u (n). Stage: Position. */
CDN_API cdn_status cdn_multiply_by_frame_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                           const double *u, cdn_spatial *V_G) CDN_NODISCARD;
/** f = J_F^T F (nu): generalized forces of moments F_G[i].w and forces F_G[i].v at the frames' origins. Stage: Position. */
CDN_API cdn_status cdn_multiply_by_frame_J_transpose(cdn_state *state, int n, const cdn_body *body,
                                                     const cdn_vec3 *origin_B, const cdn_spatial *F_G,
                                                     double *f) CDN_NODISCARD;
/** J_F, 6 n x nu. Stage: Position. O(d) a task, and the zeros. */
CDN_API cdn_status cdn_calc_frame_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                    double *J) CDN_NODISCARD;
/** Jdot_F u (n). Stage: Velocity. */
CDN_API cdn_status cdn_calc_frame_Jdot_u(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                         cdn_spatial *A_G) CDN_NODISCARD;

/* ---- accelerations for a given udot --------------------------------------------------------- */

/** A = J udot + Jdot u: all bodies' accelerations (angular, and of the body's origin). Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_body_accelerations(cdn_state *state, const double *udot, cdn_spatial *A_G) CDN_NODISCARD;
/** a = J_S udot + Jdot_S u of n stations. Stage: Velocity. O(d) for one, O(n) for several. */
CDN_API cdn_status cdn_calc_station_accelerations(cdn_state *state, const double *udot, int n, const cdn_body *body,
                                                  const cdn_vec3 *station_B, cdn_vec3 *a_G) CDN_NODISCARD;

/* ---- the mass matrix ------------------------------------------------------------------------ */

/** f = M a. Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_M(cdn_state *state, const double *a, double *f) CDN_NODISCARD;
/** a = M^-1 f, without forming either. Where mobilizers are prescribed (motion.h): M_ff^-1 f_f for the free mobilities and
 *  zero for the others (8.40). Stage: Position. O(n). */
CDN_API cdn_status cdn_multiply_by_M_inv(cdn_state *state, const double *f, double *a) CDN_NODISCARD;
/** M, nu x nu, symmetric to the bit, both triangles. Stage: Position. O(n d) to fill plus O(n^2) zeros (Featherstone
 *  2008, 6.2: composite bodies). */
CDN_API cdn_status cdn_calc_M(cdn_state *state, double *M) CDN_NODISCARD;
/** M^-1, nu x nu, symmetric to the bit, both triangles; M_ff^-1 with zero rows and columns where mobilities are
 *  prescribed. Stage: Position. Proportional to its non-zeros, which fill the
 *  blocks of trees that share a base body, plus the zeros between these. From the articulated bodies' G and D^-1:
 *  M^-1 = (1 - H psi K)^T D^-1 (1 - H psi K) (Jain 2011, 7.2), no column solved from scratch. */
CDN_API cdn_status cdn_calc_M_inv(cdn_state *state, double *M_inv) CDN_NODISCARD;
/** log det M = sum of log det D over the mobilizers (natural logarithm; 0 if nu is 0), prescribed ones included. Stage:
 *  Position. O(n). */
CDN_API cdn_status cdn_calc_log_det_M(cdn_state *state, double *log_det) CDN_NODISCARD;
/** Its gradient in the basis of u (nu numbers): g[k] is the derivative of log det M as q moves with qdot = N e_k; the
 *  gradient with respect to q is cdn_multiply_by_N_inv_transpose of it. Half of kT g is the generalized force that
 *  Fixman's potential takes away. Stage: Position. O(n) (Jain 1997, J. Comput. Phys. 136:289). CDN_ERR_UNSUPPORTED
 *  for a custom mobilizer with an N of its own, two of whose motions in turn lead to one that it does not grant. */
CDN_API cdn_status cdn_calc_log_det_M_gradient(cdn_state *state, double *g) CDN_NODISCARD;

/* ---- the operational space -------------------------------------------------------------------
 *
 * Lambda, the inertia that a task shows (Khatib 1987): forces F at n stations or frames accelerate them by Lambda^-1
 * F, beside what they do without. Tasks are given as for Jacobians, matrices are symmetric to the bit, and what is
 * prescribed is rigid: Lambda^-1 = J M^-1 J^T with the M^-1 of cdn_calc_M_inv. Constraints are not in it. Stage:
 * Position. O(n) for the articulated bodies, once a pose, and for their factors; then O(d) for each pair of tasks at
 * depth d; the inverse costs the cube of its rows more. */

/** Lambda^-1 of stations, 3 n x 3 n: its blocks are how the station of the row accelerates by a force at that of the
 *  column. */
CDN_API cdn_status cdn_calc_station_operational_inertia_inv(cdn_state *state, int n, const cdn_body *body,
                                                            const cdn_vec3 *station_B,
                                                            double *Lambda_inv) CDN_NODISCARD;
/** Lambda of stations, 3 n x 3 n (kg). CDN_ERR_SINGULAR, with the name of the task, where its rows of J are not
 *  independent (to 1e-12 of their squares), as in a singular pose: Lambda has no finite value there. */
CDN_API cdn_status cdn_calc_station_operational_inertia(cdn_state *state, int n, const cdn_body *body,
                                                        const cdn_vec3 *station_B, double *Lambda) CDN_NODISCARD;
/** Lambda^-1 of frames, 6 n x 6 n: (angular, linear) accelerations by (moment, force). */
CDN_API cdn_status cdn_calc_frame_operational_inertia_inv(cdn_state *state, int n, const cdn_body *body,
                                                          const cdn_vec3 *origin_B, double *Lambda_inv) CDN_NODISCARD;
/** Lambda of frames, 6 n x 6 n. CDN_ERR_SINGULAR as above: always if fewer than 6 mobilities move a frame. */
CDN_API cdn_status cdn_calc_frame_operational_inertia(cdn_state *state, int n, const cdn_body *body,
                                                      const cdn_vec3 *origin_B, double *Lambda) CDN_NODISCARD;

/* ---- inertia and energy of bodies ------------------------------------------------------------ */

/** Composite body inertias (nb; in Ground's axes): body b and all outboard of it as if they were welded together,
 *  about b's origin. Ground's entry is that of everything. Armature is not in it. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_composite_body_inertias(cdn_state *state, cdn_spatial_inertia *R) CDN_NODISCARD;
/** Kinetic energy of each body (nb, J), that of its mobilizer's armature included: they add up to
 *  cdn_kinetic_energy. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_body_kinetic_energies(cdn_state *state, double *energy) CDN_NODISCARD;

/* ---- dynamics ------------------------------------------------------------------------------- */

/** Inverse dynamics (recursive Newton-Euler): f = M udot + f_bias - J^T F - f_mob, the generalized forces that,
 *  added to the given ones, produce udot. udot NULL means zero; F_G (spatial forces at body origins, Ground
 *  included) and f_mob may be NULL. f_bias holds the velocity terms only; gravity is a force. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_inverse_dynamics(cdn_state *state, const double *udot, const cdn_spatial *F_G,
                                        const double *f_mob, double *f) CDN_NODISCARD;
/** udot = M^-1 (J^T F + f_mob - f_bias), for forces given here, not those of the force elements; F_G and f_mob may
 *  be NULL. Prescribed mobilities have the udot of their motion, and the others follow (8.39). A_G (one a body) may be NULL. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_forward_dynamics(cdn_state *state, const cdn_spatial *F_G, const double *f_mob, double *udot,
                                        cdn_spatial *A_G) CDN_NODISCARD;
/** Velocity-dependent bias: M udot + f_bias = f (8.4). Zero at u = 0. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_bias(cdn_state *state, double *f_bias) CDN_NODISCARD;
/** Residual of the equations of motion with all force elements: r = M udot + f_bias - f_applied, nu numbers: inverse
 *  dynamics with the State's forces; at the State's own udot it is -tau (motion.h) - G^T lambda (constraints.h). udot NULL means zero. Stage: Force. O(n) beside the forces. */
CDN_API cdn_status cdn_residual(cdn_state *state, const double *udot, double *r) CDN_NODISCARD;
/** Generalized forces (nu) of a uniform gravity field g (m/s^2, in Ground): J^T (p_BC x m g, m g), whatever gravity the
 *  System has. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_gravity_forces(cdn_state *state, cdn_vec3 g, double *f) CDN_NODISCARD;

/** Gravity compensation: the generalized forces (nu) that hold the State's bodies against the System's own gravity
 *  (cdn_system_add_gravity), as it is in the State: what is excluded or switched off is not held. Minus
 *  cdn_calc_gravity_forces with that field. Set as applied mobility forces they leave gravity no effect; on
 *  mobilities that nothing drives (a floating base) they are what a controller must do without. Zeros without
 *  gravity. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_gravity_compensation(cdn_state *state, double *f) CDN_NODISCARD;

/* ---- reactions ------------------------------------------------------------------------------ */

/** On which side of a mobilizer its force is wanted, and at which point. */
typedef enum cdn_reaction {
  CDN_REACTION_ON_BODY_AT_M,        /**< on the body, about the origin of its frame M */
  CDN_REACTION_ON_BODY_AT_ORIGIN,   /**< on the body, about the body's origin */
  CDN_REACTION_ON_PARENT_AT_F,      /**< on the parent, about the origin of the frame F on it */
  CDN_REACTION_ON_PARENT_AT_ORIGIN, /**< on the parent, about the parent's origin */
  CDN_REACTION_COUNT
} cdn_reaction;

/** The force (moment, force; in Ground's axes) that each mobilizer transmits, one a body: what a cut there would have to
 *  replace if the bodies are to move with `udot` under all the State's forces on bodies, those of its constraints (by its own
 *  multipliers) included. Whatever acts along the
 *  mobilities is in it: for the State's own udot, H^T F = f_mob - armature udot - tau (tau: motion.h; f_mob with
 *  what constraints do to mobilities directly). Entry 0 is what holds Ground in
 *  place against its base bodies' mobilizers (about Ground's origin; on the parent: the opposite); forces that act on
 *  Ground itself are not kept, and not in it, but for those of constraints. Simbody's calcMobilizerReactionForces conventions.
 *  Stage: Force; Acceleration with constraints. O(n) beside the forces. */
CDN_API cdn_status cdn_calc_reaction_forces(cdn_state *state, const double *udot, cdn_reaction where,
                                            cdn_spatial *F_G) CDN_NODISCARD;

/* ---- momentum and the centre of mass -------------------------------------------------------- */

/** Momentum about the centre of mass: (angular about it, linear). Stage: Velocity. O(n). About Ground's origin:
 *  cdn_momentum. */
CDN_API cdn_status cdn_central_momentum(cdn_state *state, cdn_spatial *about_center) CDN_NODISCARD;
/** The centroidal momentum matrix A_G (Orin, Goswami and Lee 2013), 6 x nu: A_G u is cdn_central_momentum, rows
 *  (angular, linear) in Ground's axes about the centre of mass. Armature is not in it. Stage: Position. O(n). */
CDN_API cdn_status cdn_calc_centroidal_momentum_matrix(cdn_state *state, double *A_G) CDN_NODISCARD;
/** Its bias, the rate of A_G times u: what cdn_calc_momentum_rate gives about the centre if udot were zero. Stage:
 *  Velocity. O(n). */
CDN_API cdn_status cdn_calc_centroidal_momentum_bias(cdn_state *state, cdn_spatial *Adot_u) CDN_NODISCARD;
/** d/dt of cdn_momentum and of cdn_central_momentum if the accelerations are udot: the total external moment and
 *  force. Either output may be NULL. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_momentum_rate(cdn_state *state, const double *udot, cdn_spatial *about_origin,
                                          cdn_spatial *about_center) CDN_NODISCARD;
/** Velocity of the system's centre of mass (zero if there is no mass). Stage: Velocity. O(n). */
CDN_API cdn_status cdn_center_of_mass_velocity(cdn_state *state, cdn_vec3 *v_G) CDN_NODISCARD;
/** Its acceleration if the accelerations are udot. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_calc_center_of_mass_acceleration(cdn_state *state, const double *udot,
                                                        cdn_vec3 *a_G) CDN_NODISCARD;

CDN_END_DECLS
#endif
