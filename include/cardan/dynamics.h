/* Cardan: subsystems that take part in the equations of motion.
 *
 * A subsystem that is there for something of its own (a controller, a muscle, a fluid) may add forces as well: it registers one
 * force provider or more while it declares its resources. All force elements and providers are one ordered list, so that any
 * number of subsystems add up. See docs/architecture.md and docs/custom-forces.md. */
#ifndef CARDAN_DYNAMICS_H
#define CARDAN_DYNAMICS_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** Forces of a subsystem. The functions get the subsystem's own `self`. */
typedef struct cdn_force_provider {
  uint32_t struct_size; /**< sizeof(cdn_force_provider) */
  const char *name;     /**< the name of its force element; NULL: one is made up */
  cdn_force_reads reads;
  /** Adds the forces, as that of cdn_force_ops does. Required. */
  cdn_status (*calc_force)(const void *self, cdn_state *state, cdn_forces *forces);
  /** As those of cdn_force_ops; may be NULL. */
  cdn_status (*calc_potential)(const void *self, cdn_state *state, double *energy);
  cdn_status (*calc_derivative)(const void *self, cdn_state *state, cdn_force_derivatives *derivatives);
  /** Further tickets that the functions read beyond `reads` and what the subsystem has declared so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** Where the forces bend or jump, as those of cdn_force_ops. */
  int n_kinks;
  cdn_status (*calc_kinks)(const void *self, cdn_state *state, double *values, double *rates);
} cdn_force_provider;

/** Registers a force provider of the subsystem that declares. It becomes a force element of the System, with an id, which is
 *  switched on and off as any other (cdn_force_set_enabled), and comes after those that were added before. A subsystem may
 *  register several. Where something is wrong, { -1 } is returned, and freezing fails with the story. */
CDN_API cdn_force cdn_declare_forces(cdn_declarer *d, const cdn_force_provider *provider);

/* ---- rows ---------------------------------------------------------------------------------- */

/** What a row provider adds to: rows on accelerations. Row i is
 *
 *    sum J_b . A_b + sum g_k udot_k + bias - regularisation lambda_i = 0,
 *
 *  with conventional accelerations A_b = (angular, of the body's origin) in Ground, and udot of mobilities. It applies the
 *  forces -lambda_i J_b about the bodies' origins and -lambda_i g_k, as M udot + G^T lambda = f has it. */
typedef struct cdn_row_list cdn_row_list;

/** One row. Only accelerations are constrained: what errors of positions and velocities shall do about themselves belongs to the
 *  bias (Baumgarte), and no projection knows of the row. */
typedef struct cdn_row_def {
  CDN_DEF_HEADER;
  double bias; /**< m/s^2, rad/s^2, or what the row is made of */
  double
      regularisation; /**< >= 0; what a multiplier of 1 leaves of the row's acceleration: 1/kg for a force. 0: the row holds exactly */
  double lower, upper; /**< bounds of the multiplier. No solver takes them so far: realization refuses what is finite */
} cdn_row_def;
/** cdn_default_row_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_row_def_init(void *def, size_t size);
/** Zeros, without bounds. */
static inline cdn_row_def cdn_default_row_def(void) {
  cdn_row_def def;
  cdn_row_def_init(&def, sizeof def);
  return def;
}

/** Adds a row; the calls that follow are about it. */
CDN_API void cdn_row_list_add(cdn_row_list *rows, const cdn_row_def *def);
/** J of a body, about its origin, in Ground; of CDN_ROW_MOST_BODIES bodies at most, Ground being ignored. */
CDN_API void cdn_row_list_add_body(cdn_row_list *rows, cdn_body body, cdn_spatial J_G);
/** The acceleration of a station of the body along a direction in Ground. */
CDN_API void cdn_row_list_add_point(cdn_row_list *rows, cdn_body body, cdn_vec3 p_B, cdn_vec3 direction_G);
/** The udot of mobility k of a body; CDN_ROW_MOST_MOBILITIES of them at most. */
CDN_API void cdn_row_list_add_mobility(cdn_row_list *rows, cdn_body body, int k, double g);
/** A weight on the relative acceleration of two bodies at one point: A = A_b - A_a of the points of both that are at p_G,
 *  in Ground (angular, linear). Body b gets the force -W (A + bias) there, and body a the opposite one. W: 6x6, row-major;
 *  it may be singular. It takes six rows, the six numbers of W (A + bias) being the multipliers. */
CDN_API void cdn_row_list_add_weight(cdn_row_list *rows, cdn_body a, cdn_body b, cdn_vec3 p_G, const double W[36],
                                     cdn_spatial bias);
enum { CDN_ROW_MOST_BODIES = 4, CDN_ROW_MOST_MOBILITIES = 4 };

/** Rows of a subsystem: how many there are, it decides at each evaluation. */
typedef struct cdn_row_provider {
  uint32_t struct_size; /**< sizeof(cdn_row_provider) */
  const char *name;     /**< NULL: one is made up */
  int most_rows;        /**< no evaluation adds more; a weight counts as six */
  /** Adds the rows that are there at this State: a function of t, q, u, parameters, and of what is named below. Required. */
  cdn_status (*calc_rows)(const void *self, cdn_state *state, cdn_row_list *rows);
  /** Further tickets that it reads beyond what the subsystem has declared so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
} cdn_row_provider;

typedef struct cdn_row_set {
  int32_t i;
} cdn_row_set;

/** Registers a row provider of the subsystem that declares. Rows stand beside the System's constraints: these hold as well. They take
 *  part in udot, multipliers, reactions, forces of motions and cdn_nonpotential_power; not in cdn_residual, which knows
 *  nothing of constraints either. Derivatives, linearization and equilibria fail with CDN_ERR_UNSUPPORTED while there are
 *  rows; so does cdn_constrained_inverse_dynamics. Cost of n rows: a solution of the dynamics for each, and n^3. Rows that
 *  depend on each other (or on the constraints) need a regularisation: realization fails with CDN_ERR_SINGULAR otherwise. */
CDN_API cdn_row_set cdn_declare_rows(cdn_declarer *d, const cdn_row_provider *provider);

/** The multipliers of a provider's rows, in the order in which it added them, valid until the State changes. Realizes accelerations. */
CDN_API cdn_status cdn_row_multipliers(cdn_state *state, cdn_row_set rows, int *n, const double **lambda) CDN_NODISCARD;

CDN_END_DECLS
#endif
