/* Cardan: contact that has an inverse (Todorov, A convex, smooth and invertible contact model for trajectory
 * optimization, 2011).
 *
 * Within one time step the impulses f of all contacts change the velocities v of the contacts: v = A f + c. The
 * impulses are the least of a convex function that keeps them in the friction cones, and keeps the bodies apart. So
 * there is one answer forward (A and c give f and v) and one inverse (A and v give f and c), and both are smooth. The
 * price is that a contact acts at a distance, and creeps where it should stick. docs/invertible.md tells how much.
 *
 * A row is one number of f, v and c. First come the limits of joints, one row each, then the contacts, three rows
 * each: two tangents and the normal. Impulses are in N s (N m s for hinges), velocities in m/s (rad/s), A and R in
 * 1/kg, energies in J. Matrices are row-major.
 *
 * Functions that have no State tell their failures by cdn_last_error. */
#ifndef CARDAN_INVERTIBLE_H
#define CARDAN_INVERTIBLE_H

#include <cardan/contact.h>

CDN_BEGIN_DECLS

/* ---- the law of one contact ------------------------------------------------------------------ */

/** How R grows with the distance. */
typedef enum cdn_invertible_growth {
  CDN_INVERTIBLE_LINEAR,     /**< R_min + (R_max - R_min) w / w_max: (24) of the paper */
  CDN_INVERTIBLE_EXPONENTIAL /**< R_min (R_max / R_min)^(w / w_max) */
} cdn_invertible_growth;

/** The numbers of the model. The defaults are those of the paper where it has them. */
typedef struct cdn_invertible_law {
  CDN_DEF_HEADER;
  double kappa; /**< weight of the barriers, J, > 0: the smaller, the harder the contact. Default 0.1 */
  /** Force limit of the barrier against penetration, N s, >= 0. 0: the barrier is -kappa log s and has no limit, and a
   *  velocity that penetrates has no inverse. > 0: the barrier is (25), which is finite everywhere: its slope is -q at s_0
   *  = kappa / q, and below s_0 it is a parabola. Default 0 */
  double elastic;
  double R_min, R_max; /**< 1/kg, 0 < R_min <= R_max. Defaults 0.01, 100 */
  double w_max;        /**< the distance at which R is R_max, and beyond which nothing acts, m, > 0. Default 0.1 */
  cdn_invertible_growth growth; /**< default CDN_INVERTIBLE_LINEAR */
  /** What is asked of a contact that penetrates by d: v_min = min(correction d / h, recovery). Defaults 0.2, 1 m/s */
  double correction, recovery;
} cdn_invertible_law;
/** cdn_default_invertible_law for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_invertible_law_init(void *def, size_t size);
static inline cdn_invertible_law cdn_default_invertible_law(void) {
  cdn_invertible_law def;
  cdn_invertible_law_init(&def, sizeof def);
  return def;
}

/** R at the distance w (m, negative: penetration) and its derivative by w, which may be NULL. R is R_min for w <= 0 and
 *  R_max for w >= w_max. Errors: CDN_ERR_ARG, CDN_ERR_NONFINITE. O(1). */
CDN_API cdn_status cdn_invertible_regularisation(const cdn_invertible_law *law, double w, double *R,
                                                 double *dR_dw) CDN_NODISCARD;
/** The least normal velocity that is allowed in a step of h seconds at the distance w, and its derivative by w, which
 *  may be NULL: -w / h for w >= 0, so that the step ends without penetration; min(correction (-w) / h, recovery) for w
 *  < 0. Errors: CDN_ERR_ARG, CDN_ERR_NONFINITE. O(1). */
CDN_API cdn_status cdn_invertible_least_velocity(const cdn_invertible_law *law, double w, double h, double *v_min,
                                                 double *dv_dw) CDN_NODISCARD;

/* ---- contact space --------------------------------------------------------------------------- */

/** One problem: n = n_limits + 3 n_contacts rows. The arrays stay the caller's. */
typedef struct cdn_invertible_problem {
  CDN_DEF_HEADER;
  int n_limits, n_contacts; /**< >= 0 */
  const double *A;          /**< n x n, symmetric, positive semidefinite: velocities by impulses, J M^-1 J^T */
  const double *R;          /**< n numbers > 0. The two tangents of a contact may differ */
  const double *mu;         /**< n_contacts coefficients of friction, >= 0 */
  const double *v_min;      /**< n_limits + n_contacts: the least normal velocities */
  double kappa, elastic;    /**< as in cdn_invertible_law. Defaults 0.1, 0 */
} cdn_invertible_problem;
/** cdn_default_invertible_problem for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_invertible_problem_init(void *def, size_t size);
static inline cdn_invertible_problem cdn_default_invertible_problem(void) {
  cdn_invertible_problem def;
  cdn_invertible_problem_init(&def, sizeof def);
  return def;
}

/* Errors of the functions below. The message names the limit or the contact:
 *   CDN_ERR_ARG         counts below 0, NULL where numbers are needed, kappa or R not positive, mu or elastic negative, A
 *                       not symmetric (looked at by the forward function only)
 *   CDN_ERR_NONFINITE   a NaN or an infinity in A, R, mu, v_min, c or v, or numbers so large that the result is one
 *   CDN_ERR_CONSTRAINT  forward: no impulses reach v_min. Inverse: v is not above v_min. Only where `elastic` is 0
 *   CDN_ERR_SINGULAR    forward: A is not positive semidefinite
 *   CDN_ERR_LIMIT       forward: rounding keeps the iteration from its end
 *   CDN_ERR_NOMEM */

/** The memory of the forward solver and what its last call has to tell. One thread at a time. */
typedef struct cdn_invertible cdn_invertible;
/** Makes one; `allocator` NULL: the C library's memory. It grows with the problems, and then allocates no more. */
CDN_API cdn_status cdn_invertible_create(const cdn_allocator *allocator, cdn_invertible **out) CDN_NODISCARD;
CDN_API void cdn_invertible_destroy(cdn_invertible *solver); /**< NULL is allowed */

/** Forward: the impulses f, of which 1/2 f^T (A + R) f + f^T c plus the barriers is least (17), and v = A f + c; n numbers
 *  each. `start` (n numbers or NULL) is where the iteration begins, and may be any impulses: those that leave the cones are
 *  put into them; it may be f itself. Newton's method with steps that end within the cones by their intersections in
 *  closed form, for falling kappa. On CDN_ERR_CONSTRAINT and CDN_ERR_LIMIT f and v are the best that was found. O(n^3) an
 *  iteration. */
CDN_API cdn_status cdn_invertible_forward(cdn_invertible *solver, const cdn_invertible_problem *problem,
                                          const double *c, const double *start, double *f, double *v) CDN_NODISCARD;

/** Forward with restitution by Poisson's hypothesis: the impulse of the compression is the forward solution, e[i] of it
 *  (0 <= e[i] <= 1, n_limits + n_contacts numbers) comes back at contact i, and where this pushes other contacts together,
 *  a second solution holds them apart. Errors: also CDN_ERR_ARG for e. */
CDN_API cdn_status cdn_invertible_bounce(cdn_invertible *solver, const cdn_invertible_problem *problem, const double *e,
                                         const double *c, double *f, double *v) CDN_NODISCARD;

/** What the last forward call of this solver took. */
typedef struct cdn_invertible_report {
  int iterations;   /**< Newton steps */
  int phases;       /**< values of kappa, and of the elastic mode's slope */
  double residual;  /**< largest |gradient| of the function, m/s, each row over 1 + |c| of the row */
  int elastic;      /**< normal rows that v_min does not hold for, or that are on the parabola of (25) */
  int worst;        /**< the limit or contact (n_limits + i) that is farthest below v_min; -1: none */
  double shortfall; /**< how far, m/s; 0: none */
} cdn_invertible_report;
CDN_API cdn_status cdn_invertible_get_report_sized(const cdn_invertible *solver, cdn_invertible_report *out,
                                                   size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_invertible_get_report(const cdn_invertible *solver,
                                                                 cdn_invertible_report *out) {
  return cdn_invertible_get_report_sized(solver, out, sizeof *out);
}

/** Inverse: the impulses f under which the contacts have the velocities v (n numbers), of which (23) is least, and c = v -
 *  A f, which may be NULL. It falls apart into one problem for each contact, and that into one equation for one unknown,
 *  which Newton's method solves in two or three iterations from a start in closed form. f is right to rounding. Reads A's
 *  rows of normals only, unless c is wanted. Allocates nothing. O(n n_contacts), or O(n^2) with c. */
CDN_API cdn_status cdn_invertible_inverse(const cdn_invertible_problem *problem, const double *v, double *f,
                                          double *c) CDN_NODISCARD;
/** The same for `count` problems: number k gets v[k], and writes f[k] and c[k]; c may be NULL. Contacts of several problems
 *  share the lanes of the processor. The results are those of cdn_invertible_inverse to the bit. It ends at the first
 *  problem that is refused, whose number is the index of the error; others are then undefined. */
CDN_API cdn_status cdn_invertible_inverse_many(int count, const cdn_invertible_problem *const *problems,
                                               const double *const *v, double *const *f,
                                               double *const *c) CDN_NODISCARD;

/** Derivatives of the inverse at its solution f: how f changes by v, by p = A grad d_V, by R and by v_min. With B the
 *  inverse of the Hessian of (23), which has blocks of 3 x 3 (of 1 x 1 for limits), and D the second derivatives of d_V:
 *
 *    df = -B (dv + dp_A + A D (dv - dv_min) + f dR),   dp_A = dA grad d_V.
 *
 *  Writes the blocks of B (n_limits numbers, then 9 for each contact, row-major), and for the normal rows (n_limits +
 *  n_contacts) the gradient y of d_V and D. Each output may be NULL. O(n). */
CDN_API cdn_status cdn_invertible_inverse_derivatives(const cdn_invertible_problem *problem, const double *v,
                                                      const double *f, double *B, double *y, double *D) CDN_NODISCARD;

CDN_END_DECLS
#endif
