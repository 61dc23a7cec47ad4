/* Cardan: rows on accelerations, of a subsystem of one's own. docs/providers.md introduces them.
 *
 * A *row* has the residual r = J A - target, where A are accelerations of bodies and mobilities, and a convex function
 * s(r) that says what the residual costs. It acts with the force f = -ds/dr along J: positive forces push along J. The
 * accelerations of a System are those with the least 1/2 |udot - udot0|_M^2 + sum s(r) among those that the enabled
 * constraints allow (docs/soft_rows.md). Contacts, limits, soft elements and the rows of subsystems are entries of one
 * table. Rows that share a function are a group.
 *
 * I want to
 *   add rows on accelerations (exact, soft, bounded, cones) from a subsystem of mine: cdn_declare_rows,
 *       cdn_default_row_def, cdn_row_list_add
 *   — what a row is about: a body, a station, a joint: cdn_row_list_add_body, cdn_row_list_add_point,
 *       cdn_row_list_add_mobility
 *   — a weight on the relative acceleration of two bodies: cdn_row_list_add_weight
 *   read the forces of these rows: cdn_row_forces */
#ifndef CARDAN_ROWS_H
#define CARDAN_ROWS_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** What a group of rows costs (MuJoCo, chapter Computation). R: the regularisation of a row, D = 1 / R. */
typedef enum cdn_soft_kind {
  CDN_SOFT_EQUALITY,      /**< sum of D r^2 / 2, any number of rows */
  CDN_SOFT_FRICTION_LOSS, /**< one row: D r^2 / 2, but the force is at most `loss` */
  CDN_SOFT_LIMIT,         /**< one row: D r^2 / 2 for r < 0: a force >= 0 */
  CDN_SOFT_ELLIPTIC,      /**< 3, 4 or 6 rows: normal, two tangents, torsion, two rolls; their force is in a cone */
  CDN_SOFT_PYRAMIDAL,     /**< the same rows; the cone is a pyramid of edges, each with R[0] */
  CDN_SOFT_BOUNDED        /**< one row: D r^2 / 2, but the force stays between `lower` and `upper` */
} cdn_soft_kind;

/** The most rows and the most mobilities of a group; the most bodies and mobilities of one row of a provider. */
enum { CDN_SOFT_MOST_ROWS = 6, CDN_SOFT_MOST_TERMS = 16, CDN_ROW_MOST_BODIES = 4, CDN_ROW_MOST_MOBILITIES = 4 };

/** One group. Of rows that are not there numbers are not read. It constrains accelerations only; no projection knows of
 *  it. To reduce errors of positions and velocities, put a term into the target (Baumgarte). */
typedef struct cdn_row_def {
  CDN_DEF_HEADER;
  cdn_soft_kind kind; /**< default CDN_SOFT_BOUNDED */
  int rows;           /**< default 1 */
  /** >= 0: the acceleration that remains for a force of 1 (1/kg for a force). 0: the row is exact: it holds to rounding
   *  unless its force is at a bound. Cones need R > 0; of a pyramid R[0] is read alone. Default 0 */
  double R[CDN_SOFT_MOST_ROWS];
  double target[CDN_SOFT_MOST_ROWS]; /**< in the unit of the row: m/s^2, rad/s^2. Default 0 */
  /** Of CDN_SOFT_BOUNDED: bounds of the force, lower <= upper. At a bound the row does not hold: then r <= 0 at the
   *  upper bound, and r >= 0 at the lower one. lower = 0: it only pushes along J; -f and f: dry friction of at most f.
   *  Default: infinite */
  double lower, upper;
  double loss;        /**< of a friction loss: its largest force, >= 0 */
  double mu;          /**< of an elliptic cone: of the regularised cone, friction[0] sqrt(R[1] / R[0]) */
  double friction[5]; /**< of a cone: of the rows after the first, >= 0 */
  /** Rows on the acceleration of body b relative to body a at a point (Ground's axes, m): J_k . (A_b - A_a), rotation
   *  first. Default: Ground and Ground, which are no bodies */
  cdn_body a, b;
  cdn_vec3 point_G;
  cdn_spatial J[CDN_SOFT_MOST_ROWS];
  /** Rows on the mobilities of the joint of a body, if this is not Ground: g_k . udot of these. Default Ground */
  cdn_body joint;
  double g[CDN_SOFT_MOST_ROWS][6];
  /** Or, of a group with one row, on mobilities of several joints: the sum of slope[i] udot of term[i], two of them at
   *  least. Default: 0 terms. A group of one row that names nothing is filled by cdn_row_list_add_body, _point and
   *  _mobility */
  int terms;
  cdn_mobility term[CDN_SOFT_MOST_TERMS];
  double slope[CDN_SOFT_MOST_TERMS];
} cdn_row_def;
CDN_DEF(row_def);

/** The list to which a provider adds its groups. Valid during that call only. A mistake makes the provider's evaluation
 *  fail by name. */
typedef struct cdn_row_list cdn_row_list;
/** Adds a group. */
CDN_API void cdn_row_list_add(cdn_row_list *list, const cdn_row_def *def);
/** Adds a body to the last row, which must be one that named nothing: J about the body's origin, in Ground. At most
 *  CDN_ROW_MOST_BODIES bodies; Ground is ignored. The row is on the true acceleration, centripetal terms included. */
CDN_API void cdn_row_list_add_body(cdn_row_list *list, cdn_body body, cdn_spatial J_G);
/** Adds the acceleration of station p_B of a body along a direction in Ground. */
CDN_API void cdn_row_list_add_point(cdn_row_list *list, cdn_body body, cdn_vec3 p_B, cdn_vec3 direction_G);
/** Adds g times udot of mobility k of a body. At most CDN_ROW_MOST_MOBILITIES of them. */
CDN_API void cdn_row_list_add_mobility(cdn_row_list *list, cdn_body body, int k, double g);
/** Adds a weight on the relative acceleration of two bodies at one point: A = A_b - A_a (angular, linear; in Ground) of
 *  the points of both bodies that are at p_G. Body b gets the force -W (A + bias) there, and body a the opposite. W:
 *  6x6, row-major, symmetric and without a negative eigenvalue; it may be singular. A weight is a group of six rows,
 *  whose J are those of W = J^T J. */
CDN_API void cdn_row_list_add_weight(cdn_row_list *list, cdn_body a, cdn_body b, cdn_vec3 p_G, const double W[36],
                                     cdn_spatial bias);

/** A provider of rows, of a subsystem. It decides at each evaluation how many groups there are. */
typedef struct cdn_row_provider {
  uint32_t struct_size; /**< sizeof(cdn_row_provider) */
  const char *name;     /**< copied; NULL: the library makes one up */
  /** Adds the groups for this State: a function of t, q, u, parameters and `prerequisites`. Required. */
  cdn_status (*calc_rows)(const void *self, cdn_state *state, cdn_row_list *list);
  /** Further tickets that calc_rows reads, beyond the subsystem's own declarations so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
} cdn_row_provider;

/** Names a row provider. */
typedef struct cdn_row_set {
  int32_t i;
} cdn_row_set;

/** Registers a row provider of the declaring subsystem. Its rows hold together with the System's constraints, contacts
 *  and soft elements. They count in udot, multipliers, reactions, forces of motions, cdn_nonpotential_power, and the
 *  derivatives of udot. They do not count in cdn_residual, like constraints (cdn_soft_forces has them).
 *
 *  Exact rows (R = 0, and what is as stiff) are solved by Newton's method, whatever cdn_soft_def.solver says, with the
 *  rest of the System. All forces follow from the State alone, to the bit. Cost: proportional to rows and bodies for
 *  chains and trees, a few eliminations. Exact rows that agree may depend on each other; of all forces that give the
 *  accelerations those nearest to zero are taken. Realization fails with CDN_ERR_SINGULAR where exact rows contradict
 *  each other or the constraints and no bound limits their forces; an R > 0 or bounds cure that. Equilibrium,
 *  cdn_constrained_inverse_dynamics and cdn_soft_forces fail with CDN_ERR_UNSUPPORTED while there are exact rows, whose
 *  forces do not follow from udot. */
CDN_API cdn_row_set cdn_declare_rows(cdn_declarer *d, const cdn_row_provider *provider);

/** The forces of a provider's rows along their J, in the order of addition: at most `most` of them (force may be NULL
 *  if most is 0); *n: how many there are. Realizes Acceleration. CDN_ERR_ARG for a wrong set. O(rows of all). */
CDN_API cdn_status cdn_row_forces(cdn_state *state, cdn_row_set rows, int most, double *force, int *n) CDN_NODISCARD;

CDN_END_DECLS
#endif
