/* Cardan: subsystems that take part in the equations of motion.
 *
 * Any subsystem (a controller, a muscle, a fluid) may add forces as well: it registers force providers while it
 * declares its resources. All force elements and providers form one ordered list, so forces of any number of
 * subsystems add up. See docs/providers.md. */
#ifndef CARDAN_DYNAMICS_H
#define CARDAN_DYNAMICS_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** A force provider: forces of a subsystem. The functions get the subsystem's own `self`. */
typedef struct cdn_force_provider {
  uint32_t struct_size; /**< sizeof(cdn_force_provider) */
  /** The name of its force element; copied; NULL: the library makes one up. If a force has that name already, this one
   *  is called "NAME 2", "NAME 3", ... */
  const char *name;
  cdn_force_reads reads;
  /** Adds the forces, like calc_force of cdn_force_ops. Required. */
  cdn_status (*calc_force)(const void *self, cdn_state *state, cdn_forces *forces);
  /** Like those of cdn_force_ops; may be NULL. */
  cdn_status (*calc_potential)(const void *self, cdn_state *state, double *energy);
  cdn_status (*calc_derivative)(const void *self, cdn_state *state, cdn_force_derivatives *derivatives);
  /** Further tickets that the functions read, beyond `reads` and the subsystem's own declarations so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** Kinks of the forces, as in cdn_force_ops. */
  int n_kinks;
  cdn_status (*calc_kinks)(const void *self, cdn_state *state, double *values, double *rates);
} cdn_force_provider;

/** Registers a force provider of the declaring subsystem; a subsystem may register several. It becomes a force
 *  element of the System, after all elements that were added before; cdn_force_set_enabled switches it like any
 *  other. Returns its id, or { -1 } if something is wrong: freezing then fails with the message. */
CDN_API cdn_force cdn_declare_forces(cdn_declarer *d, const cdn_force_provider *provider);

/* ---- rows ---------------------------------------------------------------------------------- */

/** The list to which a row provider adds rows on accelerations. Row i is
 *
 *    sum J_b . A_b + sum g_k udot_k + bias - regularisation lambda_i = 0,
 *
 *  with the true accelerations A_b of bodies (angular, of the body's origin) in Ground, and udot of mobilities. It
 *  applies the forces -lambda_i J_b about the bodies' origins and -lambda_i g_k, as in M udot + G^T lambda = f. */
typedef struct cdn_row_list cdn_row_list;

/** One row. It constrains accelerations only; no projection knows of it. To reduce errors of positions and
 *  velocities, add a term to the bias (Baumgarte). */
typedef struct cdn_row_def {
  CDN_DEF_HEADER;
  double bias; /**< in the unit of the row: m/s^2, rad/s^2 */
  /** >= 0: the row's acceleration that remains for a multiplier of 1 (1/kg for a force). 0: the row holds exactly. */
  double regularisation;
  /** Bounds of the multiplier, lower <= upper. At a bound the row does not hold: its left side is <= 0 at the lower
   *  bound and >= 0 at the upper one. A row of -J with lower = 0 only pushes along J; bounds of -f and f are dry
   *  friction of at most f. */
  double lower, upper;
} cdn_row_def;
/** cdn_default_row_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_row_def_init(void *def, size_t size);
/** Zeros, and infinite bounds. */
static inline cdn_row_def cdn_default_row_def(void) {
  cdn_row_def def;
  cdn_row_def_init(&def, sizeof def);
  return def;
}

/** Adds a row; the next calls fill it. */
CDN_API void cdn_row_list_add(cdn_row_list *rows, const cdn_row_def *def);
/** Adds a body to the row: J about its origin, in Ground. At most CDN_ROW_MOST_BODIES bodies; Ground is ignored. */
CDN_API void cdn_row_list_add_body(cdn_row_list *rows, cdn_body body, cdn_spatial J_G);
/** Adds the acceleration of station p_B of a body along a direction in Ground. */
CDN_API void cdn_row_list_add_point(cdn_row_list *rows, cdn_body body, cdn_vec3 p_B, cdn_vec3 direction_G);
/** Adds g times udot of mobility k of a body. At most CDN_ROW_MOST_MOBILITIES of them. */
CDN_API void cdn_row_list_add_mobility(cdn_row_list *rows, cdn_body body, int k, double g);
/** Adds a weight on the relative acceleration of two bodies at one point: A = A_b - A_a (angular, linear; in Ground)
 *  of the points of both bodies that are at p_G. Body b gets the force -W (A + bias) there, and body a the opposite.
 *  W: 6x6, row-major; it may be singular. A weight takes six rows; their multipliers are the six numbers of W (A +
 *  bias). */
CDN_API void cdn_row_list_add_weight(cdn_row_list *rows, cdn_body a, cdn_body b, cdn_vec3 p_G, const double W[36],
                                     cdn_spatial bias);
enum { CDN_ROW_MOST_BODIES = 4, CDN_ROW_MOST_MOBILITIES = 4 };

/** A row provider: rows of a subsystem, which decides at each evaluation how many there are. */
typedef struct cdn_row_provider {
  uint32_t struct_size; /**< sizeof(cdn_row_provider) */
  const char *name;     /**< copied; NULL: the library makes one up */
  int most_rows;        /**< the most rows of one evaluation; a weight counts as six */
  /** Adds the rows for this State: a function of t, q, u, parameters and `prerequisites`. Required. */
  cdn_status (*calc_rows)(const void *self, cdn_state *state, cdn_row_list *rows);
  /** Further tickets that calc_rows reads, beyond the subsystem's own declarations so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
} cdn_row_provider;

/** Names a row provider. */
typedef struct cdn_row_set {
  int32_t i;
} cdn_row_set;

/** Registers a row provider of the declaring subsystem. Its rows hold together with the System's constraints. They
 *  count in udot, multipliers, reactions, forces of motions, cdn_nonpotential_power, and the derivatives of udot. They
 *  do not count in cdn_residual, like constraints. Equilibrium and cdn_constrained_inverse_dynamics fail with
 *  CDN_ERR_UNSUPPORTED while there are rows.
 *
 *  All multipliers together are the solution of one convex problem (docs/providers.md), which follows from the State
 *  alone, to the bit. Cost of n rows: n solutions of the dynamics, and n^3; n^2 for each change of which bounded rows
 *  are at a bound. Realization fails with CDN_ERR_SINGULAR if rows without bounds depend on each other or on the
 *  constraints, or if bounded rows contradict each other and no bound limits them; a regularisation cures both.
 *  CDN_ERR_LIMIT: with m bounded rows there were more than 20 (m + 5) changes, which happens only by rounding, or with
 *  weights that are not symmetric. */
CDN_API cdn_row_set cdn_declare_rows(cdn_declarer *d, const cdn_row_provider *provider);

/** The multipliers of a provider's rows, *n of them, in the order of addition. Valid until the State changes. Realizes
 *  Acceleration. CDN_ERR_ARG for a wrong set. */
CDN_API cdn_status cdn_row_multipliers(cdn_state *state, cdn_row_set rows, int *n, const double **lambda) CDN_NODISCARD;

CDN_END_DECLS
#endif
