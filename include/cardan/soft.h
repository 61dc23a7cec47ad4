/* Cardan: soft contact and soft rows. docs/soft_contact.md introduces them.
 *
 * I want to
 *   find the forces of soft rows for given accelerations (inverse dynamics): cdn_soft_forces
 *   choose how soft rows are solved, and by which inverse inertia they are scaled: cdn_default_soft_def,
 *       cdn_system_set_soft
 *   read what soft rows did, and how accurately they were solved: cdn_soft_count, cdn_soft_get, cdn_soft_group_forces,
 *       cdn_soft_get_statistics
 *   — iteration by iteration: cdn_soft_get_iteration
 *   say how a soft row answers to its violation (solref, solimp): cdn_default_soft_law */
#ifndef CARDAN_SOFT_H
#define CARDAN_SOFT_H

#include <cardan/rows.h>

CDN_BEGIN_DECLS

/** How a soft row answers to its violation: MuJoCo's solref and solimp. The struct never changes. */
typedef struct cdn_soft_law {
  /** Time constant (s) and damping ratio, both > 0, of the violation's decay; or, both <= 0, -stiffness (1/s^2) and
   *  -damping (1/s). Default 0.02, 1 */
  double ref[2];
  /** The impedance, in (0, 1), by the violation: its least value, its value from the width on, the width (m or rad),
   *  the midpoint (in (0, 1)) and the power (>= 1) of the curve between them. Default 0.9, 0.95, 0.001, 0.5, 2 */
  double imp[5];
} cdn_soft_law;
static inline cdn_soft_law cdn_default_soft_law(void) {
  const cdn_soft_law law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } };
  return law;
}

/* ---- how a System solves for soft rows --------------------------------------------------- */

/** How soft rows are solved (docs/soft_rows.md). */
typedef enum cdn_soft_solver {
  CDN_SOFT_NEWTON, /**< Newton's method: the elimination with the rows' second derivatives. Few iterations; each costs
                    *   an elimination */
  CDN_SOFT_CG,     /**< conjugate gradients, preconditioned by the masses and the constraints: no matrix of the rows */
  CDN_SOFT_PGS     /**< projected Gauss-Seidel on the forces of the rows, group by group. Many iterations; after each of
                    *   them all forces are within their bounds */
} cdn_soft_solver;
/** A System's options for soft rows (docs/soft_rows.md). */
typedef struct cdn_soft_def {
  CDN_DEF_HEADER;
  int iterations;        /**< most iterations of an island, >= 1. Default 100 */
  double tolerance;      /**< >= 0: see cdn_soft_statistics.residual. Default 1e-8 */
  int line_iterations;   /**< most steps of a line search, >= 1. Default 50 */
  double line_tolerance; /**< in (0, 1): the slope that a line search leaves, relative to the first. Default 1e-6 */
  /** true: rows on a pair of bodies, those of soft equalities too, have the acceleration of the material points,
   *  centripetal terms included. false: they have J udot alone, as in MuJoCo 2.2.2; soft equalities then also weigh
   *  rotations of welds as translations, and do not scale their angles. Rows of contacts and limits of balls have J
   *  udot alone in either case: the point of contact of a rolling ball is not a material point. Default true */
  bool rates;
  /* of contacts (cdn_contact_def.model) */
  cdn_soft_kind cone;     /**< CDN_SOFT_ELLIPTIC, the default, or CDN_SOFT_PYRAMIDAL */
  double impedance_ratio; /**< > 0: of friction to normal force, MuJoCo's impratio. Default 1 */
  /** Time constants of laws count as at least this, s, >= 0: MuJoCo's refsafe is two steps. Default 0 */
  double shortest_time;
  cdn_soft_solver
      solver; /**< default CDN_SOFT_NEWTON, which implicit contact steps (CDN_METHOD_IMPLICIT_CONTACT) always take */
  /** >= 0: MuJoCo's tolerance is in force instead of `tolerance`. An island ends when an iteration lowers the cost, or
   *  leaves a gradient, by less than this times the trace of M at the default coordinates; a line search when its slope
   *  is below line_tolerance times the same, for a direction of length 1. Default -1: not in force */
  double cost_tolerance;
  /** The largest number of sweeps of MuJoCo's no-slip solver, after the solution: friction of contacts and of joints is
   *  solved once more as if its rows had no regularisation, at the normal forces of the solution. >= 0. Default 0: none
   * */
  int noslip_iterations;
  /** >= 0: the sweeps of an island end when one lowers the cost by less than this times the trace of M at the default
   *  coordinates. Default 1e-6 */
  double noslip_tolerance;
  /** Whether rows of contacts and soft elements are scaled by the inverse inertia that they meet at the present pose,
   *  the diagonal of J M^-1 J^T, in place of MuJoCo's approximation of it (docs/soft_elements.md). Mobilities that are
   *  prescribed do not give way. Costs O(bodies) an evaluation, and O(bodies) a row at most. Default false */
  bool exact_diagonal;
  /** >= 0: the depth over which rows of contacts and of limits set in, m or rad: there 1 / R grows from zero, without
   *  a jump, to what the law says, and beyond it the law holds. Default 0: rows set in at once, as MuJoCo's do; error
   *  control then follows a jump of the forces at every touch (docs/soft_contact.md) */
  double onset;
} cdn_soft_def;
CDN_DEF(soft_def);
/** Sets it; without this call the defaults hold. Sticky (system.h). */
CDN_API void cdn_system_set_soft(cdn_system *system, const cdn_soft_def *def);

/* ---- results ------------------------------------------------------------------------------ */

/** The result of one group. Vectors are in Ground. Later releases append members. */
typedef struct cdn_soft_group {
  cdn_soft_kind kind;                  /**< as in the def */
  int rows;                            /**< how many rows the group has */
  cdn_body a, b, joint;                /**< as in the def */
  cdn_vec3 point_G;                    /**< where it acts, m; as in the def */
  double residual[CDN_SOFT_MOST_ROWS]; /**< r */
  double force[CDN_SOFT_MOST_ROWS];    /**< f, N or N m; of a cone in its rows' directions */
  /** The number of the soft element (soft_elements.h) whose group it is, or -1. If it couples two joints, `joint` is
   *  the first of them */
  int element;
  int contact; /**< the number of the contact (cdn_contact_get) whose rows these are, or -1 */
  const char
      *name; /**< of the soft element, or of the provider; NULL: rows of a contact. Lives as long as the System */
} cdn_soft_group;
/** How many groups the State has. Realizes Acceleration. O(1) once they are computed. */
CDN_API cdn_status cdn_soft_count(cdn_state *state, int *n) CDN_NODISCARD;
/** Writes group i, 0 ... n - 1: in the order in which providers and their groups were added. CDN_ERR_ARG: no such
 *  group. */
CDN_SIZED(cdn_soft_get, (cdn_state *state, int i, cdn_soft_group *out), (state, i, out), out);

/** What group i does: forces on bodies, F_G (one for each body, at its origin, in Ground; may be NULL), and on
 *  mobilities directly, f (nu; may be NULL). Errors: as cdn_soft_get. O(bodies). */
CDN_API cdn_status cdn_soft_group_forces(cdn_state *state, int i, cdn_spatial *F_G, double *f) CDN_NODISCARD;

/** The generalized forces (nu) that the soft rows would have at this udot (nu; NULL: zeros): inverse dynamics, in
 *  closed form group by group. cdn_residual less these is what other forces, and the constraints, must provide.
 *  Realizes Velocity. Zeros without soft rows. Errors: CDN_ERR_ARG, CDN_ERR_NONFINITE. O(bodies + rows). */
CDN_API cdn_status cdn_soft_forces(cdn_state *state, const double *udot, double *f) CDN_NODISCARD;

/** How the soft rows of a State were solved. Later releases append members. */
typedef struct cdn_soft_statistics {
  int islands;         /**< sets of trees that rows and constraints connect, and on which a row acts */
  int most_iterations; /**< of an island */
  int factorizations;  /**< of all islands */
  bool converged;      /**< whether every island's residual is within the tolerance */
  /** The root of 1/2 g^T M^-1 g on the accelerations that the constraints allow, over 1/2 |udot0|_M^2 + the cost at
   *  udot0; g is the gradient that is left. Of PGS the gap of both costs takes the place of the first. It bounds the
   *  error of udot in the norm of M, relatively. */
  double residual;
  int evaluations; /**< of slopes along lines, of all islands */
  int records;     /**< what cdn_soft_get_iteration knows: the iterations of the island with most, but 1000 at most */
  int noslip_iterations; /**< of the island with most. The residual is that of the solution before */
} cdn_soft_statistics;
/** Writes them. Realizes Acceleration. */
CDN_SIZED(cdn_soft_get_statistics, (cdn_state *state, cdn_soft_statistics *out), (state, out), out);

/** One iteration: sums over the islands that reached it. Later releases append members. */
typedef struct cdn_soft_iteration {
  int islands;     /**< how many islands reached this iteration */
  int evaluations; /**< of slopes along the line */
  int active;      /**< groups with a force, afterwards */
  int changes;     /**< groups that left the piece of their function on which they had been */
  double cost; /**< afterwards: 1/2 |udot - udot0|_M^2 + the sum of s; of PGS that of the dual problem, which rises */
  double improvement; /**< by how much the cost fell, or rose, in its unit */
  /** Before: the root of 1/2 g^T B^-1 g, with the gradient g and B = M (CG) or M + J^T H J (Newton), which a step by
   *  the quadratic model lowers the cost by; PGS: 0 */
  double gradient;
} cdn_soft_iteration;
/** Writes iteration i, from 0 on: CDN_ERR_ARG beyond cdn_soft_statistics.records. Realizes Acceleration. O(1). */
CDN_SIZED(cdn_soft_get_iteration, (cdn_state *state, int i, cdn_soft_iteration *out), (state, i, out), out);

CDN_END_DECLS
#endif
