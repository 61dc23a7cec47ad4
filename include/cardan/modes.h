/* Cardan: what a model can do near a State: degrees of freedom, local independent coordinates, linearization and modes
 * (manual 12.6, 12.7).
 *
 * Displacements are in the tangent (u) basis, as in derivatives.h: nu numbers v, of which q moves by N v. Sets of displacements
 * are stored one after the other: number k is at [k * nu].
 *
 * These are studies, not steps: they use dense linear algebra (LAPACK), and cost O((nu + m)^3). Errors of all functions:
 * CDN_ERR_ARG without bodies, CDN_ERR_UNSUPPORTED where subsystems other than matter have q or u, CDN_ERR_SINGULAR,
 * CDN_ERR_NOMEM, and what realization returns; the story is on the State. */
#ifndef CARDAN_MODES_H
#define CARDAN_MODES_H

#include <cardan/constraints.h>

CDN_BEGIN_DECLS

/* ---- degrees of freedom ------------------------------------------------------------------------ */

/** What a constraint equation does where the State is. */
typedef enum cdn_equation_role {
  CDN_EQUATION_OFF,         /**< its constraint is switched off */
  CDN_EQUATION_INDEPENDENT, /**< takes a degree of freedom */
  CDN_EQUATION_REDUNDANT,   /**< follows from others (cdn_redundant_equations) */
  CDN_EQUATION_IDLE         /**< nothing that is free can change its error */
} cdn_equation_role;

typedef struct cdn_freedom {
  int nu;          /**< mobilities */
  int prescribed;  /**< of these those whose accelerations are prescribed: by motions and locks */
  int equations;   /**< of constraints that are on, at acceleration level */
  int independent; /**< of these; the others are redundant or idle */
  int redundant, idle;
  int net; /**< nu - prescribed - independent: the degrees of freedom */
} cdn_freedom;

/** Counts them. `roles` (cdn_system_nudoterr of them; may be NULL) tells of each equation; its place among them names it:
 *  cdn_constraint_get_equations, or cdn_constraint_of_equation. On the constraints' manifold: off it, equations that are
 *  redundant there may not be. Stage: Position. */
CDN_API cdn_status cdn_degrees_of_freedom_sized(cdn_state *state, cdn_freedom *out, size_t size,
                                                cdn_equation_role *roles) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_degrees_of_freedom(cdn_state *state, cdn_freedom *out,
                                                              cdn_equation_role *roles) {
  return cdn_degrees_of_freedom_sized(state, out, sizeof *out, roles);
}
/** The constraint that a row of udoterr belongs to, or { -1 }; *equation (may be NULL) is its number within the constraint. */
CDN_API cdn_constraint cdn_constraint_of_equation(const cdn_system *system, int row, int *equation);

/* ---- local independent coordinates (12.7) ------------------------------------------------------- */

/** Displacements that satisfy the position constraints that are on, to first order, and leave alone what is prescribed at
 *  position level: *n of them, orthonormal (as vectors of nu numbers). `basis` has room for nu x nu. Equations whose sines are
 *  below 3e-6 count as dependent. Stage: Position. */
CDN_API cdn_status cdn_displacement_basis(cdn_state *state, double *basis, int *n) CDN_NODISCARD;
/** The same of changes of u: velocity constraints, and what is prescribed at velocity level, count as well. */
CDN_API cdn_status cdn_velocity_basis(cdn_state *state, double *basis, int *n) CDN_NODISCARD;
/** From n independent coordinates y to a State: displaces q by sum y[k] basis[k], and brings it back to the constraints with
 *  cdn_project_q (`def` as there, but steps are always taken to 1e-10 unless it says otherwise; NULL allowed). y is what the
 *  displacement is to first order. On failure q is as it was. */
CDN_API cdn_status cdn_displace(cdn_state *state, int n, const double *basis, const double *y,
                                const cdn_projection_def *def) CDN_NODISCARD;

/* ---- linearization (12.6) ------------------------------------------------------------------------ */

/** The linearized equations of motion in local independent coordinates,
 *    d/dt (a, b) = A (a, b),   v = sum a[k] displacements[k],   delta u = sum b[k] velocities[k] + (what v makes of it),
 *  about the State: A is (n + l) x (n + l), row-major, with n displacements and l velocities as above (each NULL or room for
 *  nu x nu; A: 4 nu x nu). What v makes of delta u, through the velocity constraints, is zero at rest. Forces, damping and all
 *  motions that are dynamic take part; z is held. Where the State moves, bases and A are those of the moment. Exact as
 *  cdn_forward_dynamics_derivatives. Realizes accelerations. CDN_ERR_UNSUPPORTED also for custom motions at velocity
 *  level, and in motion where cdn_tangent_rate_derivatives is and for velocity constraints that are not linear in u. */
CDN_API cdn_status cdn_linearize(cdn_state *state, double *A, double *displacements, int *n, double *velocities,
                                 int *l) CDN_NODISCARD;

/** Eigenvalues re[k] + i im[k] (1/s) of A and their shapes, as displacements v: k < *count <= 2 nu (so much room). Conjugate
 *  pairs are next to each other, the positive im first; in order of the magnitude, then of re (what decays comes first), then of
 *  what the shape moves most. re > 0: it grows. Shapes (2 nu x nu each; NULL: not wanted) are real and imaginary parts, of
 *  largest element 1; all zero where an eigenvector has no displacement. At rest, eigenvalues of directions in which nothing
 *  pushes back but rounding are 0, and their shapes a basis of those directions, each with a mobility that it alone moves.
 *  Equal eigenvalues that are not 0 share a space of shapes: which of them come out is not defined. */
CDN_API cdn_status cdn_linear_modes(cdn_state *state, int *count, double *re, double *im, double *shape_re,
                                    double *shape_im) CDN_NODISCARD;

/** Normal modes about equilibrium at rest: K x = omega^2 M x on what the constraints and motions leave. K is the stiffness of
 *  all forces at the State's q and u = 0, its symmetric part, with that which constraint forces have because they turn (12.6); M
 *  the mass matrix. *n modes, omega_squared in ascending order (1/s^2; negative: unstable; zero: neutral) and shapes
 *  (n x nu) with x^T M x = 1. Room: nu, and nu x nu (may be NULL). Velocities do not matter: nothing is damped. Where the State
 *  is not in equilibrium (equilibrium.h) these are not modes of anything. */
CDN_API cdn_status cdn_normal_modes(cdn_state *state, int *n, double *omega_squared, double *shapes) CDN_NODISCARD;

CDN_END_DECLS
#endif
