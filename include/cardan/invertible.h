/* Cardan: invertible contact (Todorov, A convex, smooth and invertible contact model for trajectory optimization,
 * 2011).
 *
 * Within one time step the impulses f of all contacts change the velocities v of the contacts: v = A f + c. The
 * impulses are the least of a convex function that keeps them in the friction cones, and keeps the bodies apart. So
 * there is one answer forward (A and c give f and v) and one inverse (A and v give f and c), and both are smooth. In
 * return a contact acts at a distance, and creeps where it should stick (docs/evidence/invertible.md has the sizes).
 * docs/invertible.md introduces it.
 *
 * A row is one number of f, v and c. First come the limits of joints, one row each, then the contacts, three rows each:
 * two tangents and the normal. Impulses are in N s (N m s for hinges), velocities in m/s (rad/s), A and R in 1/kg,
 * energies in J. Matrices are row-major.
 *
 * Functions that have no State tell their failures by cdn_last_error.
 *
 * I want to
 *   get the numbers of the law at a distance: cdn_invertible_regularisation, cdn_invertible_least_velocity,
 *       cdn_default_invertible_law
 *   describe a problem of contacts: cdn_default_invertible_problem
 *   solve problems forward: make and give up a solver: cdn_invertible_create, cdn_invertible_destroy
 *   — impulses of free velocities, without and with restitution: cdn_invertible_forward, cdn_invertible_bounce
 *   — know how the solution went: cdn_invertible_get_report
 *   get the impulses of velocities: cdn_invertible_inverse
 *   — of many problems at once: cdn_invertible_inverse_many
 *   — and their derivatives: cdn_invertible_inverse_derivatives
 *   let a System move under it: begin and end: cdn_invertible_motion_create, cdn_invertible_motion_destroy,
 *       cdn_default_invertible_motion_def
 *   — take steps, and get the State that moves: cdn_invertible_motion_advance, cdn_invertible_motion_state
 *   — see the contacts of the last step, and how they were solved: cdn_invertible_motion_contact_count,
 *       cdn_invertible_motion_get_contact, cdn_invertible_motion_report
 *   get the forces along given positions: cdn_invertible_motion_inverse
 *   find positions whose forces are small: cdn_invertible_optimize_path, cdn_default_invertible_path_def */
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
   *  velocity that penetrates has no inverse. > 0: the barrier is (25), which is finite everywhere: its slope is -q at
   *  s_0 = kappa / q, and below s_0 it is a parabola. Default 0 */
  double elastic;
  double R_min, R_max; /**< 1/kg, 0 < R_min <= R_max. Defaults 0.01, 100 */
  double w_max;        /**< the distance at which R is R_max, and beyond which nothing acts, m, > 0. Default 0.1 */
  cdn_invertible_growth growth; /**< default CDN_INVERTIBLE_LINEAR */
  /** The velocity that a contact with penetration d must reach: v_min = min(correction d / h, recovery). Defaults 0.2,
   *  1 m/s */
  double correction, recovery;
} cdn_invertible_law;
CDN_DEF(invertible_law);

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
CDN_DEF(invertible_problem);

/* Errors of the functions below. The message names the limit or the contact:
 *   CDN_ERR_ARG         counts below 0, NULL where numbers are needed, kappa or R not positive, mu or elastic negative,
 *   A
 *                       not symmetric (looked at by the forward function only)
 *   CDN_ERR_NONFINITE   a NaN or an infinity in A, R, mu, v_min, c or v, or numbers so large that the result is one
 *   CDN_ERR_CONSTRAINT  forward: no impulses reach v_min. Inverse: v is not above v_min. Only where `elastic` is 0
 *   CDN_ERR_SINGULAR    forward: A is not positive semidefinite
 *   CDN_ERR_LIMIT       forward: rounding keeps the iteration from its end
 *   CDN_ERR_NOMEM */

/** The forward solver: its memory, and the statistics of its last call. One thread at a time. */
typedef struct cdn_invertible cdn_invertible;
/** Makes one; `allocator` NULL: the C library's memory. It grows with the problems, and then allocates no more. */
CDN_API cdn_status cdn_invertible_create(const cdn_allocator *allocator, cdn_invertible **out) CDN_NODISCARD;
CDN_API void cdn_invertible_destroy(cdn_invertible *solver); /**< NULL is allowed */

/** Forward: the impulses f, of which 1/2 f^T (A + R) f + f^T c plus the barriers is least (17), and v = A f + c; n
 *  numbers each. `start` (n numbers or NULL) is where the iteration begins, and may be any impulses: those that leave
 *  the cones are put into them; it may be f itself. Newton's method with steps that end within the cones by their
 *  intersections in closed form, for falling kappa. On CDN_ERR_CONSTRAINT and CDN_ERR_LIMIT f and v are the best that
 *  was found. O(n^3) an iteration. */
CDN_API cdn_status cdn_invertible_forward(cdn_invertible *solver, const cdn_invertible_problem *problem,
                                          const double *c, const double *start, double *f, double *v) CDN_NODISCARD;

/** Forward with restitution by Poisson's hypothesis: the impulse of the compression is the forward solution, e[i] of it
 *  (0 <= e[i] <= 1, n_limits + n_contacts numbers) comes back at contact i, and where this pushes other contacts
 *  together, a second solution holds them apart. Errors: also CDN_ERR_ARG for e. */
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
CDN_SIZED(cdn_invertible_get_report, (const cdn_invertible *solver, cdn_invertible_report *out), (solver, out), out);

/** Inverse: the impulses f under which the contacts have the velocities v (n numbers), of which (23) is least, and c =
 *  v - A f, which may be NULL. The problem splits into one equation with one unknown for each contact. Newton's method
 *  solves it in two or three iterations from a start in closed form. f is right to rounding. Reads A's rows of normals
 *  only, unless c is wanted. Allocates nothing. O(n n_contacts), or O(n^2) with c. */
CDN_API cdn_status cdn_invertible_inverse(const cdn_invertible_problem *problem, const double *v, double *f,
                                          double *c) CDN_NODISCARD;
/** The same for `count` problems: number k gets v[k], and writes f[k] and c[k]; c may be NULL. Contacts of several
 *  problems share the lanes of the processor. The results are those of cdn_invertible_inverse to the bit. It ends at
 *  the first problem that is refused, whose number is the index of the error; others are then undefined. */
CDN_API cdn_status cdn_invertible_inverse_many(int count, const cdn_invertible_problem *const *problems,
                                               const double *const *v, double *const *f,
                                               double *const *c) CDN_NODISCARD;

/** Derivatives of the inverse at its solution f: how f changes by v, by p = A grad d_V, by R and by v_min. With B the
 *  inverse of the Hessian of (23), which has blocks of 3 x 3 (of 1 x 1 for limits), and D the second derivatives of
 *  d_V:
 *
 *    df = -B (dv + dp_A + A D (dv - dv_min) + f dR),   dp_A = dA grad d_V.
 *
 *  Writes the blocks of B (n_limits numbers, then 9 for each contact, row-major), and for the normal rows (n_limits +
 *  n_contacts) the gradient y of d_V and D. Each output may be NULL. O(n). */
CDN_API cdn_status cdn_invertible_inverse_derivatives(const cdn_invertible_problem *problem, const double *v,
                                                      const double *f, double *B, double *y, double *D) CDN_NODISCARD;

/* ---- motion of a System -----------------------------------------------------------------------
 *
 * A study of its own, not a method of the stepper: steps of fixed size that set velocities. It has a copy of a State
 * whose shapes are switched off for all other laws of contact. Points of shapes nearer than w_max are contacts, at the
 * middle between the surfaces; shapes stay apart from each other, or touch, by the rules of contact.h. Bilateral
 * constraints and prescribed motions hold exactly in the steps: A and c are those of the constrained System. One thread
 * at a time. */

/** Bounds of a coordinate that act as contacts do: of a mobilizer with one coordinate, whose rate is its speed. */
typedef struct cdn_invertible_limit {
  cdn_body body;       /**< whose mobilizer's coordinate is bounded */
  double lower, upper; /**< m or rad; -INFINITY and INFINITY: none */
} cdn_invertible_limit;

typedef struct cdn_invertible_motion_def {
  CDN_DEF_HEADER;
  const cdn_invertible_law *law; /**< NULL: the default */
  double step;                   /**< h, s, > 0. Default 0.01 */
  double friction; /**< coefficient of all contacts; < 0: the dynamic friction of the materials. Default -1 */
  /** Restitution e by Poisson's hypothesis, 0 to 1: the normal impulses of a contact that began to close faster than
   *  bounce_speed (m/s) are added up until it closes no more, and e of the sum is given back. Defaults 0, 0.1 */
  double restitution, bounce_speed;
  /** Limits of joints; may be NULL. Mobility stops (forces.h) that the State has switched on are limits, too, numbered
   *  after these in their order, and act no more as forces... */
  const cdn_invertible_limit *limits;
  int n_limits;
  bool keep_stops; /**< ... unless this says that they stay forces. Default false */
} cdn_invertible_motion_def;
CDN_DEF(invertible_motion_def);

/** A System in motion under invertible contact. */
typedef struct cdn_invertible_motion cdn_invertible_motion;
/** Makes one from a State, which it copies; `def` NULL: the defaults. Errors: CDN_ERR_ARG (a number of the def; a limit
 *  of a body whose mobilizer does not have one coordinate), CDN_ERR_UNSUPPORTED (a subsystem other than matter has q or
 *  u; a source of contacts), CDN_ERR_NOMEM. The message is on `state`. */
CDN_API cdn_status cdn_invertible_motion_create(cdn_state *state, const cdn_invertible_motion_def *def,
                                                cdn_invertible_motion **out) CDN_NODISCARD;
CDN_API void cdn_invertible_motion_destroy(cdn_invertible_motion *motion); /**< NULL is allowed */
/** The State that moves. Set its q, u, parameters and applied forces as you like between steps. */
CDN_API cdn_state *cdn_invertible_motion_state(cdn_invertible_motion *motion);

/** Takes `steps` steps. One step: c = J (u + h udot) with the accelerations without contact, the forward solution f,
 *  then u' = u + h udot + M^-1 J^T f and q' = q + h N u', which is projected onto the constraints; z by Euler. If no
 *  impulses reach v_min and the law's `elastic` is 0, the step is taken with the best that there are, and
 *  cdn_invertible_motion_report tells. Errors: those of realization and of cdn_invertible_forward; the State is then
 *  the one before the step. O(n) for bodies, O(n^3) for n rows of contact. Allocates while the number of contacts
 *  grows. */
CDN_API cdn_status cdn_invertible_motion_advance(cdn_invertible_motion *motion, int steps) CDN_NODISCARD;
/** Statistics of the contact solution of the last step. `shortfall` is the amount by which v_min was missed. */
CDN_SIZED(cdn_invertible_motion_report, (const cdn_invertible_motion *motion, cdn_invertible_report *out),
          (motion, out), out);

/** One contact or limit of the last step. Vectors are in Ground. Later releases append members. */
typedef struct cdn_invertible_contact {
  int32_t limit;     /**< number of the limit (stops follow those of the def), or -1: a contact of shapes */
  int32_t feature;   /**< of a limit: -1 its lower bound, 1 its upper one; else which of several contacts of the pair */
  cdn_shape a, b;    /**< a.i < b.i; { -1 } for a limit */
  cdn_vec3 point;    /**< between the surfaces, m */
  cdn_vec3 normal;   /**< from a to b */
  double distance;   /**< w at the step's start, m or rad; negative: penetration */
  double R, v_min;   /**< what the law made of it */
  cdn_vec3 impulse;  /**< on b, N s; of a limit: x is its impulse along the coordinate */
  cdn_vec3 velocity; /**< of b relative to a at the step's end, m/s; of a limit: x is the rate of the coordinate */
} cdn_invertible_contact;
CDN_API int cdn_invertible_motion_contact_count(const cdn_invertible_motion *motion); /**< limits included */
/** Contact i, 0 ... n - 1. CDN_ERR_ARG: no such contact. */
CDN_SIZED(cdn_invertible_motion_get_contact, (const cdn_invertible_motion *motion, int i, cdn_invertible_contact *out),
          (motion, i, out), out);

/** Inverse dynamics along n >= 3 positions, a step apart (n nq numbers): tau (n - 2 times nu) are the generalized
 *  forces beside all forces of the State that take positions i and i + 1 to i + 2: w_i = N^+(q_i) (q_i+1 - q_i) / h,
 *  and M (w_i+1 - w_i) = h (forces + tau_i) + J^T f_i at q_i+1, w_i, with the f of the inverse at v = J w_i+1. They are
 *  what a run of cdn_invertible_motion_advance with these forces applied would need, to the tolerance of the solver.
 *  The State is left as it was; its t and z are those of every position. Forces of soft rows are those of the
 *  accelerations without f_i, as in a step.
 *  Errors: those of cdn_invertible_inverse (the message names the position), CDN_ERR_UNSUPPORTED (constraints
 *  that are on: tau is not unique; prescribed motions; row providers while they have rows), those of realization. */
CDN_API cdn_status cdn_invertible_motion_inverse(cdn_invertible_motion *motion, int n, const double *q,
                                                 double *tau) CDN_NODISCARD;

/* ---- optimization of a trajectory --------------------------------------------------------------- */

typedef struct cdn_invertible_path_def {
  CDN_DEF_HEADER;
  /** nu weights of the squares of tau: large for mobilities without a motor. NULL: ones */
  const double *tau_weights;
  /** nu weights of the squares of the displacements from the wanted positions (tangent basis). NULL: zeros */
  const double *q_weights;
  /** n nq numbers: wanted positions, rad or m; NULL: those that the optimization starts from */
  const double *wanted;
  int fixed_first, fixed_last; /**< how many positions at the start and the end do not move, >= 0. Defaults 2, 2 */
  /** Continuation: stage by stage the optimization is repeated, each time from where the last one ended, for kappas
   *  that fall from kappa_first (J) to the law's by equal factors. 1 stage: the law's only. Defaults 1, 1 */
  double kappa_first;
  int stages;
  int most_iterations; /**< of each stage. Default 100 */
  double tolerance;    /**< a stage ends when the cost falls by less than this part of it. Default 1e-6 */
} cdn_invertible_path_def;
CDN_DEF(invertible_path_def);

typedef struct cdn_invertible_path_report {
  int iterations;     /**< steps that were tried, of all stages */
  int evaluations;    /**< of the cost along the whole path */
  double first, last; /**< cost at the start and at the end, with the law's kappa */
  double gradient;    /**< largest component of the cost's gradient at the end, by displacements */
  bool converged;     /**< the last stage ended by the tolerance */
} cdn_invertible_path_report;

/** Minimizes over positions: 1/2 sum of weights tau^2 + 1/2 sum of weights times squared displacements from what is
 *  wanted. `q` (n nq numbers) is the start, and receives the path; `tau` ((n - 2) nu numbers, or NULL) its forces.
 *  Method: Gauss-Newton with Levenberg and Marquardt's damping; forces depend on three positions each, so that its
 *  matrix is banded, five blocks wide, and one iteration costs O(n nu^3). The derivative of the inverse dynamics is
 *  analytic, but for those of the contacts' places and normals, which are differenced (2 nu searches for contacts a
 *  position). Errors: as cdn_invertible_motion_inverse at the start; CDN_ERR_UNSUPPORTED where soft rows act;
 *  CDN_ERR_ARG; CDN_ERR_NOMEM. Ending by most_iterations is no error. */
CDN_SIZED(cdn_invertible_optimize_path,
          (cdn_invertible_motion *motion, const cdn_invertible_path_def *def, int n, double *q, double *tau,
           cdn_invertible_path_report *report), (motion, def, n, q, tau, report), report);

CDN_END_DECLS
#endif
