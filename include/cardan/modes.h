/* Cardan: the motions that are possible near a State: degrees of freedom, local independent coordinates,
 * linearization and modes of vibration (manual 12.6, 12.7).
 *
 * Displacements are in the tangent (u) basis, as in derivatives.h: a displacement v has nu numbers and moves q by N
 * v. Several displacements are stored one after the other: number k begins at [k * nu].
 *
 * These functions are studies, not parts of a step: they use dense linear algebra (LAPACK), take workspace from the
 * State, and cost O((nu + m)^3) for m constraint equations. Errors of all of them: CDN_ERR_ARG (the System has no
 * bodies), CDN_ERR_UNSUPPORTED (a subsystem other than matter has q or u), CDN_ERR_SINGULAR, CDN_ERR_NOMEM, and the
 * errors of realization. The message is on the State. They leave the State's variables as they are, unless they say
 * otherwise.
 *
 * I want to
 *   find the constraint that an equation belongs to: cdn_constraint_of_equation
 *   count degrees of freedom: cdn_degrees_of_freedom
 *   linearize the equations of motion: cdn_linearize
 *   — with auxiliary states: cdn_linearize_with_z
 *   — with controls as inputs and measures as outputs: cdn_linearize_outputs
 *   find vibration modes without damping (normal modes): cdn_normal_modes
 *   find how fast the fastest one is, without a matrix: cdn_fastest_mode
 *   find eigenvalues and modes with damping and motion: cdn_linear_modes
 *   get independent displacements, or independent velocities: cdn_displacement_basis, cdn_velocity_basis
 *   move a State along independent displacements: cdn_displace
 *   get the displacement from one configuration to another: cdn_difference */
#ifndef CARDAN_MODES_H
#define CARDAN_MODES_H

#include <cardan/constraints.h>
#include <cardan/measures.h>

CDN_BEGIN_DECLS

/* ---- degrees of freedom ------------------------------------------------------------------------ */

/** The effect of a constraint equation on the degrees of freedom at a State. */
typedef enum cdn_equation_role {
  CDN_EQUATION_OFF,         /**< its constraint is switched off */
  CDN_EQUATION_INDEPENDENT, /**< removes one degree of freedom */
  CDN_EQUATION_REDUNDANT,   /**< follows from other equations (cdn_redundant_equations) */
  CDN_EQUATION_IDLE         /**< no free mobility can change its error */
} cdn_equation_role;

typedef struct cdn_freedom {
  int nu;              /**< mobilities */
  int prescribed;      /**< how many of the nu mobilities have accelerations prescribed by motions and locks */
  int equations;       /**< equations of enabled constraints at acceleration level */
  int independent;     /**< how many of these equations remove a degree of freedom */
  int redundant, idle; /**< how many of them are redundant, and idle; the three add up to `equations` */
  int net;             /**< nu - prescribed - independent: the degrees of freedom */
} cdn_freedom;

/** Counts the degrees of freedom. *roles (cdn_system_nudoterr entries, or NULL) receives the role of each equation,
 *  in the order of udoterr; cdn_constraint_of_equation gives the constraint. The State must satisfy its constraints:
 *  equations that are redundant there may seem independent elsewhere. Realizes Position. */
CDN_SIZED(cdn_degrees_of_freedom, (cdn_state *state, cdn_freedom *out, cdn_equation_role *roles), (state, out, roles),
          out);
/** The constraint to which row `row` of udoterr belongs; { -1 } if there is no such row. *equation (may be NULL)
 *  receives the number of the equation within that constraint. O(number of constraints). */
CDN_API cdn_constraint cdn_constraint_of_equation(const cdn_system *system, int row, int *equation);

/* ---- local independent coordinates (12.7) ------------------------------------------------------- */

/** Computes *n displacements that satisfy all enabled position constraints to first order and do not move
 *  coordinates that are prescribed at position level. They are orthonormal as vectors of nu numbers. `basis` needs
 *  room for nu x nu numbers. Equations count as dependent if the sine of the angle between them is below 3e-6.
 *  Realizes Position. */
CDN_API cdn_status cdn_displacement_basis(cdn_state *state, double *basis, int *n) CDN_NODISCARD;
/** Computes a basis of the possible changes of u: like cdn_displacement_basis, with velocity constraints and speeds
 *  prescribed at velocity level counted too. Realizes Position. */
CDN_API cdn_status cdn_velocity_basis(cdn_state *state, double *basis, int *n) CDN_NODISCARD;
/** Moves q by the sum v of y[k] basis[k], then projects it onto the constraints with cdn_project_q. y has n numbers;
 *  to first order it is the displacement made. Each coordinate moves by its part of N v; a quaternion turns by
 *  |w| about w, w being the angular part of v. `def` as for cdn_project_q; NULL: always project, to 1e-10 in
 *  the model units of cdn_find_equilibrium. Writes q; on failure q is unchanged. Also CDN_ERR_ARG for n above nu,
 *  CDN_ERR_CONSTRAINT from the projection. */
CDN_API cdn_status cdn_displace(cdn_state *state, int n, const double *basis, const double *y,
                                const cdn_projection_def *def) CDN_NODISCARD;

/** The displacement v (nu numbers, in the tangent basis) that leads from the State's q to `q` (nq numbers, in the
 *  State's order): the inverse of cdn_displace without constraints, to rounding, for turns of any size. Of the two ways
 *  to turn, v has the shorter one, so its angles are at most pi. Angles among the coordinates are not wrapped. What a
 *  joint cannot do is left out: a line orientation does not turn about its line. Reads q as it stands, locks do not
 *  count. CDN_ERR_NONFINITE for numbers of `q` that are not finite, CDN_ERR_ARG for a quaternion that is zero. Realizes
 *  Position. O(n). */
CDN_API cdn_status cdn_difference(cdn_state *state, const double *q, double *v) CDN_NODISCARD;

/* ---- linearization (12.6) ------------------------------------------------------------------------ */

/** Linearizes the equations of motion about the State, in local independent coordinates:
 *    d/dt (a, b) = A (a, b),   v = sum a[k] displacements[k],   delta u = sum b[k] velocities[k] + C v.
 *  *n displacements and *l velocities are the bases described above (each array NULL, or room for nu x nu numbers).
 *  A is (n + l) x (n + l), row-major; it needs room for 4 nu x nu numbers. C comes from the velocity constraints and
 *  is zero at rest. Forces, damping and all dynamic motions take part; z is held constant. If the State moves, the
 *  bases and A are those of the moment. As exact as cdn_forward_dynamics_derivatives. Realizes Acceleration. Also
 *  CDN_ERR_UNSUPPORTED: for custom motions at velocity level; in motion (u not zero), for velocity constraints that
 *  are not linear in u, and where cdn_tangent_rate_derivatives returns it. */
CDN_API cdn_status cdn_linearize(cdn_state *state, double *A, double *displacements, int *n, double *velocities,
                                 int *l) CDN_NODISCARD;
/** Linearizes with auxiliary states: d/dt (a, b, c) = A (a, b, c), where c is delta z, and the rest is as in
 *  cdn_linearize. A is (n + l + nz) x (n + l + nz), row-major; it needs room for (2 nu + nz)^2 numbers. The rows of
 *  c are as exact as cdn_calc_zdot_derivatives. Also the errors of that function. */
CDN_API cdn_status cdn_linearize_with_z(cdn_state *state, double *A, double *displacements, int *n, double *velocities,
                                        int *l) CDN_NODISCARD;

/** Inputs and outputs of the equations of cdn_linearize_with_z: with the controls' changes e (nc) and those of n
 *  measures y (ny numbers, one measure after the other),
 *    d/dt (a, b, c) = A (a, b, c) + B e,    y = C (a, b, c) + D e.
 *  B is (n + l + nz) x nc and needs room for (2 nu + nz) nc numbers; C is ny x (n + l + nz) and needs room for ny (2 nu
 *  + nz); D is ny x nc. Row-major; any may be NULL. Differences, as cdn_measure_state_derivatives. Also the errors of
 *  that function, of cdn_linearize_with_z, and CDN_ERR_UNSUPPORTED with B: a control that prescribes a motion. */
CDN_API cdn_status cdn_linearize_outputs(cdn_state *state, int n_measures, const cdn_measure *measures, double *B,
                                         double *C, double *D) CDN_NODISCARD;

/** Eigenvalues re[k] + i im[k] (1/s) of A of cdn_linearize, k = 0 ... *count - 1, and their shapes as displacements
 *  v. *count is at most 2 nu: provide so much room. Order: by magnitude, then by re (decaying first), then by the
 *  mobility that the shape moves most. Conjugate pairs are neighbours, positive im first. re > 0 means growth.
 *  shape_re and shape_im (2 nu x nu each, or NULL) receive real and imaginary parts, scaled to a largest element of
 *  1; all zero if an eigenvector has no displacement. At rest, directions in which only rounding pushes back have
 *  the eigenvalue 0; their shapes are a basis in which each shape has a mobility that it alone moves. Equal
 *  eigenvalues other than 0 share a space of shapes, and which basis of it you get is not defined. Realizes
 *  Acceleration. */
CDN_API cdn_status cdn_linear_modes(cdn_state *state, int *count, double *re, double *im, double *shape_re,
                                    double *shape_im) CDN_NODISCARD;

/** Normal modes of the State at u = 0: K x = omega^2 M x in the space that constraints and motions leave free. K is
 *  the symmetric part of the stiffness of all forces at the State's q, with the stiffness that constraint forces
 *  have because they turn with the bodies (manual 12.6). Equations of velocities and of accelerations bind shapes as
 *  those of positions do: a wheel that rolls vibrates without slip. M is the mass matrix. *n modes: omega_squared
 *  (room: nu) in ascending order (1/s^2; negative: unstable; zero: neutral), and shapes (n x nu, room: nu x nu, or
 *  NULL) with x^T M x = 1. Damping does not count. The result has a meaning only if the State is in equilibrium
 *  (equilibrium.h). */
CDN_API cdn_status cdn_normal_modes(cdn_state *state, int *n, double *omega_squared, double *shapes) CDN_NODISCARD;
/** The largest omega^2 of the normal modes (1/s^2), which bounds the steps of explicit methods: 2 pi/omega is the
 *  shortest period. Zero if nothing can move. By Lanczos' method (Golub and Van Loan, 10.1), with differences of the
 *  equations of motion and no matrix: about 40 pairs of evaluations, O(n) each. To 1e-6 where forces have a potential
 *  and modes below the fastest one are not as fast to 1e-6; where the State is not in equilibrium, custom mobilizers
 *  with an N of their own bring an error of the order of the forces that are out of balance. Errors: as
 *  cdn_normal_modes. */
CDN_API cdn_status cdn_fastest_mode(cdn_state *state, double *omega_squared) CDN_NODISCARD;

CDN_END_DECLS
#endif
