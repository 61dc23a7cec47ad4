/* Cardan: analytic derivatives of the equations of motion.
 *
 * A derivative "with respect to q" is taken in the tangent (u) basis: column k belongs to the displacement qdot = N e_k,
 * that which u_k alone would make. So it has nu columns, whatever the coordinates are, and quaternions need no care; the
 * other bases follow by N^+ (see cdn_qdot_derivatives). Matrices are dense and row-major: row i, column k of a matrix
 * with c columns is at [i * c + k]. Any output may be NULL. See docs/derivatives.md.
 *
 * All force elements of the State take part. What is applied from outside is constant: mobility forces as they are,
 * forces on bodies in Ground's axes at the body's origin. Exact to rounding, but for what brings no derivatives of its own:
 * force elements without them (linear bushings; custom forces without calc_derivative) are differenced, to about 1e-9 of
 * the force; the hinge matrices of function-based and custom mobilizers, too, to about 1e-11.
 *
 * Cost, for a tree of n bodies and mean depth d: O(n d) beside filling the zeros of a matrix, by recursion (Carpentier
 * and Mansard 2018; Singh, Russell and Wensing 2022), plus what the force elements add. Nothing is allocated once the
 * State's workspace has grown.
 *
 * Errors of all functions: CDN_ERR_ARG without bodies, CDN_ERR_NONFINITE for a udot with NaN or Inf, CDN_ERR_SINGULAR where
 * M^-1 or a force's derivative does not exist, CDN_ERR_NOMEM, and what realization and callbacks return. */
#ifndef CARDAN_DERIVATIVES_H
#define CARDAN_DERIVATIVES_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/* ---- dynamics ------------------------------------------------------------------------------ */

/** Derivatives of tau = cdn_residual(udot) = M udot + f_bias - f_applied (no forces of constraints): dtau_dq and dtau_du (nu x nu), dtau_dz
 *  (nu x nz; z is what forces with auxiliary states read). dtau_dudot is M: cdn_calc_M. udot: nu numbers; NULL: zero.
 *  Realizes velocities and forces. */
CDN_API cdn_status cdn_inverse_dynamics_derivatives(cdn_state *state, const double *udot, double *dtau_dq,
                                                    double *dtau_du, double *dtau_dz) CDN_NODISCARD;

/** Derivatives of the State's udot: dudot_dq, dudot_du (nu x nu), dudot_df = M^-1 (nu x nu; f is any generalized
 *  force), dudot_dz (nu x nz). Realizes accelerations. Cost: that of inverse dynamics, and of a solve with M for every
 *  column: dudot_dq = -M^-1 dtau_dq at the realized udot.
 *
 *  Where mobilities are prescribed (motion.h) q and u stand for the effective values, varied as if they were free. Rows
 *  of locks and of functions of time are zero; custom motions at velocity and acceleration level are differenced, to
 *  about 1e-9. The free rows are -M_ff^-1 (dtau_dq + M_fp dudot_p_dq); forces on prescribed mobilities move nothing.
 *
 *  With constraints (constraints.h) udot varies so that they stay in force: every column of
 *    [ M  G^T ]   [ dudot   ]     [ dtau + d(G^T lambda)  at constant udot and lambda ]
 *    [ G   0  ]   [ dlambda ] = - [ d(G udot - b)         at constant udot            ]
 *  is solved, O(n) where loops close locally. Errors of positions and velocities vary with q and u as they will; redundant
 *  equations as in the State's own dynamics, which jumps where rank does. CDN_ERR_UNSUPPORTED with Baumgarte's
 *  stabilization. Kinds of constraints that bring no derivatives are differenced,
 *  to about 1e-11. */
CDN_API cdn_status cdn_forward_dynamics_derivatives(cdn_state *state, double *dudot_dq, double *dudot_du,
                                                    double *dudot_df, double *dudot_dz) CDN_NODISCARD;

/** Derivatives of the State's multipliers: the dlambda of the above. dlambda_dq, dlambda_du, dlambda_df (m x nu) and
 *  dlambda_dz (m x nz), m = cdn_system_nudoterr(system). Of redundant equations: of the multipliers of least norm, without the
 *  part that comes of how the redundancy itself varies. Zero where constraints are off. */
CDN_API cdn_status cdn_multiplier_derivatives(cdn_state *state, double *dlambda_dq, double *dlambda_du,
                                              double *dlambda_df, double *dlambda_dz) CDN_NODISCARD;

/* ---- inertial parameters ------------------------------------------------------------------- */

enum { CDN_INERTIAL_PARAMETERS = 10 }; /**< a body */

/** The inertial parameters pi of all bodies, 10 a body, Ground included (whose numbers do nothing): mass; mass times
 *  centre of mass (x, y, z); the inertia about the *body's origin* (xx, yy, zz, xy, xz, yz); all in the body's axes.
 *  The equations of motion are linear in them. */
CDN_API cdn_status cdn_inertial_parameters(cdn_state *state, double *pi) CDN_NODISCARD;

/** The regressor Y (nu x 10 nb, nb = cdn_system_body_count): M udot + f_bias - (weight) = Y pi + armature udot, where
 *  gravity is there if the State has it; Y is the derivative of cdn_residual with respect to pi. udot: nu numbers; NULL:
 *  zero. O(n d) (Atkeson, An and Hollerbach 1986). */
CDN_API cdn_status cdn_inverse_dynamics_regressor(cdn_state *state, const double *udot, double *Y) CDN_NODISCARD;

/** Derivative of the State's udot with respect to pi (nu x 10 nb): -M^-1 Y, or what constraints leave of it; zero rows
 *  where it is prescribed. */
CDN_API cdn_status cdn_forward_dynamics_regressor(cdn_state *state, double *dudot_dpi) CDN_NODISCARD;

/* ---- kinematics ---------------------------------------------------------------------------- */

/** Derivatives of qdot = N(q) u with respect to the coordinates themselves: dqdot_dq (nq x nq), dqdot_du = N (nq x nu),
 *  and N^+ (nu x nq). With them the Jacobian of (qdot, udot) with respect to (q, u) is
 *    [ dqdot_dq         N        ]
 *    [ dudot_dq N^+     dudot_du ],  as udot does not depend on the lengths of quaternions. Custom kinds' N is differenced,
 *  to about 1e-11. */
CDN_API cdn_status cdn_qdot_derivatives(cdn_state *state, double *dqdot_dq, double *N, double *N_inv) CDN_NODISCARD;

/** How a displacement v in the tangent basis grows: vdot = A v + delta u along the motion (nu x nu, block diagonal; zero
 *  where qdot = u, [w x] where u is an angular velocity). The linearized equations are then
 *    d/dt (v, delta u) = [ A  1; dudot_dq  dudot_du ] (v, delta u).
 *  CDN_ERR_UNSUPPORTED, naming the joint, for line orientation, free line (whose speeds are nonholonomic) and custom kinds
 *  with an N of their own. */
CDN_API cdn_status cdn_tangent_rate_derivatives(cdn_state *state, double *A) CDN_NODISCARD;

/* ---- for calc_derivative of a custom force ------------------------------------------------- */

/* What calc_force adds to the forces, calc_derivative describes here once more, with how it varies. Stations are in the
 * body's frame, everything else in Ground. 3x3 matrices are row-major; NULL: zero. Ground is allowed and ignored.
 * Wrong ids and numbers that are not finite are not added: the call fails and names the force. */

/** A generalized force on mobility k of `body` varies by df_dq and df_du with mobility l of `with` (in the tangent
 *  basis). A constant one needs no mention. */
CDN_API void cdn_force_derivatives_add_mobility(cdn_force_derivatives *d, cdn_body body, int k, cdn_body with, int l,
                                                double df_dq, double df_du);
/** A force f_G at a station, a function of the station's place p and velocity v in Ground: df_dp and df_dv. Constant
 *  forces need this, too: their lever turns with the body. */
CDN_API void cdn_force_derivatives_add_point(cdn_force_derivatives *d, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G,
                                             const double df_dp[9], const double df_dv[9]);
/** A moment that is constant in Ground. */
CDN_API void cdn_force_derivatives_add_torque(cdn_force_derivatives *d, cdn_body body, cdn_vec3 moment_G);
/** A tension along the line between two stations, that pulls them together where it is positive; a function of their
 *  distance and its rate. The stations must be apart. */
CDN_API void cdn_force_derivatives_add_line(cdn_force_derivatives *d, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                            cdn_vec3 p_B, double tension, double dtension_dlength,
                                            double dtension_drate);
/** How the forces vary with number k of a group of z: what is added to the accumulator returned, by the functions that
 *  calc_force uses, is the derivative. Borrowed until the next call of this function or the end of calc_derivative;
 *  NULL where the derivative is not asked for, or there is no such z. */
CDN_API cdn_forces *cdn_force_derivatives_wrt_z(cdn_force_derivatives *d, cdn_zvar z, int k);

CDN_END_DECLS
#endif
