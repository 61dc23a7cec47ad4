/* Cardan: ensembles. Many States of one System, advanced or evaluated together: in the lanes of the CPU's vector
 * instructions, and on several threads. State k of an ensemble is, to the last bit, what a lone State given the same
 * variables would be; the numbers of lanes and threads change nothing but the time that it takes.
 *
 * Variables are per State: t, q, u, z, and what the def declares varying. All else (other parameters, which elements are
 * on, locks, discrete variables) is shared, as the State that the ensemble is made from has it. Evaluation is in lanes
 * where the System consists of bodies that nothing prescribes or locks, and forces without z; custom mobilizers and custom
 * forces are asked State by State. Any other System is evaluated State by State altogether: the same results, slower
 * (cdn_ensemble_lanes tells).
 *
 * A State that cannot be evaluated fails alone: it keeps its values and is passed over until it is set anew, and the
 * others go on. Calls that evaluate return the status of the first State that has failed, CDN_OK if none has.
 *
 * Arrays of results and values have a row a State: row k starts at k * stride (0: rows are close together). Results may be
 * written over what an operator is given. An ensemble belongs to one thread at a time, beside those of its own. */
#ifndef CARDAN_ENSEMBLE_H
#define CARDAN_ENSEMBLE_H

#include <cardan/stepper.h>

CDN_BEGIN_DECLS

typedef struct cdn_ensemble cdn_ensemble;

/** What may differ between the States of an ensemble beyond t, q, u and z: a sum of these. */
typedef enum cdn_vary {
  CDN_VARY_FRAMES = 1,  /**< X_PF, X_BM and mobilizers' parameters */
  CDN_VARY_MASSES = 2,  /**< mass properties and armature; which bodies are massless is shared */
  CDN_VARY_FORCES = 4,  /**< parameters of the built-in force elements */
  CDN_VARY_OWN = 8,     /**< all parameter arrays of custom forces and other subsystems of your own */
  CDN_VARY_APPLIED = 16 /**< forces applied from outside */
} cdn_vary;

typedef struct cdn_ensemble_def {
  CDN_DEF_HEADER;
  int count;     /**< of States; 1 to 2^22 */
  int threads;   /**< 1 to 4096, the caller's included. Default 1 */
  int lanes;     /**< States a batch: 1, 4 (AVX2) or 8 (AVX-512); 0: the most that this machine has. Default 0 */
  unsigned vary; /**< a sum of cdn_vary. Default 0 */
  /** For cdn_ensemble_advance: an explicit Runge-Kutta method or CDN_METHOD_SEMI_EXPLICIT_EULER. The default is
   *  CDN_METHOD_DORMAND_PRINCE. */
  cdn_method method;
} cdn_ensemble_def;

/** cdn_default_ensemble_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_ensemble_def_init(void *def, size_t size);
static inline cdn_ensemble_def cdn_default_ensemble_def(void) {
  cdn_ensemble_def def;
  cdn_ensemble_def_init(&def, sizeof def);
  return def;
}

/** An ensemble whose States all are copies of `state`, of which only the parameters and other Instance-stage results are
 *  computed. Memory: per State t, y, their rates, what varies (with lanes: its derived constants) and a failure's story;
 *  per thread the results of one batch. CDN_ERR_UNSUPPORTED for lanes that this machine does not have and for methods
 *  that are not in lockstep; CDN_ERR_LIMIT for more States or threads than there may be. On failure the story is on `state`. */
CDN_API cdn_status cdn_ensemble_create(cdn_state *state, const cdn_ensemble_def *def, cdn_ensemble **out) CDN_NODISCARD;
CDN_API void cdn_ensemble_destroy(cdn_ensemble *ensemble); /**< NULL is allowed */
CDN_API int cdn_ensemble_count(const cdn_ensemble *ensemble);
/** States that are evaluated at once: 1 where the System is evaluated State by State. */
CDN_API int cdn_ensemble_lanes(const cdn_ensemble *ensemble);

/* ---- variables ------------------------------------------------------------------------------ */

/** State k takes over t, q, u, z and what varies. CDN_ERR_ARG if anything that is shared differs: the message names it.
 *  A failure of State k is forgotten. */
CDN_API cdn_status cdn_ensemble_set_state(cdn_ensemble *ensemble, int k, const cdn_state *state) CDN_NODISCARD;
/** `state` becomes State k, its variables that is; results are computed when asked for. */
CDN_API cdn_status cdn_ensemble_get_state(cdn_ensemble *ensemble, int k, cdn_state *state) CDN_NODISCARD;
/** All States' q, u or z. CDN_ERR_NONFINITE names the State: nothing was changed then. Failures are forgotten. */
CDN_API cdn_status cdn_ensemble_set(cdn_ensemble *ensemble, cdn_pool pool, const double *values,
                                    size_t stride) CDN_NODISCARD;
CDN_API cdn_status cdn_ensemble_get(cdn_ensemble *ensemble, cdn_pool pool, double *values, size_t stride) CDN_NODISCARD;
CDN_API cdn_status cdn_ensemble_set_time(cdn_ensemble *ensemble, double t) CDN_NODISCARD; /**< of all States */
/** Time of State k; NaN if there is none. */
CDN_API double cdn_ensemble_time(const cdn_ensemble *ensemble, int k);

/* ---- evaluation ----------------------------------------------------------------------------- */

/** Rates of a pool, all States' (qdot, udot, zdot): computed where they are not known. Rows of States that have failed
 *  are filled with NaN. Cost a State: as cdn_realize to Acceleration, over the lanes. */
CDN_API cdn_status cdn_ensemble_rates(cdn_ensemble *ensemble, cdn_pool pool, double *rates,
                                      size_t stride) CDN_NODISCARD;
/** X_GB and V_GB of one body in all States; either may be NULL. As cdn_body_pose and cdn_body_velocity; NaN in States that
 *  have failed. */
CDN_API cdn_status cdn_ensemble_body(cdn_ensemble *ensemble, cdn_body body, cdn_transform *X_GB,
                                     cdn_spatial *V_GB) CDN_NODISCARD;
/** Kinetic and potential energies of all States; either may be NULL. Evaluated State by State; NaN in States that have
 *  failed. */
CDN_API cdn_status cdn_ensemble_energies(cdn_ensemble *ensemble, double *kinetic, double *potential) CDN_NODISCARD;
/** f = M udot + f_bias in every State: rows of nu numbers, as cdn_inverse_dynamics without forces. udot NULL: zeros. NaN in
 *  States that have failed. */
CDN_API cdn_status cdn_ensemble_inverse_dynamics(cdn_ensemble *ensemble, const double *udot, size_t udot_stride,
                                                 double *f, size_t f_stride) CDN_NODISCARD;
/** a = M^-1 f in every State: rows of nu numbers, as cdn_multiply_by_M_inv. */
CDN_API cdn_status cdn_ensemble_multiply_by_M_inv(cdn_ensemble *ensemble, const double *f, size_t f_stride, double *a,
                                                  size_t a_stride) CDN_NODISCARD;
/** Calls `visit` for every State that has not failed, on any thread and in any order, with a State of its own to ask
 *  anything of; what it sets there is lost. A status that it returns is that State's failure. */
CDN_API cdn_status cdn_ensemble_visit(cdn_ensemble *ensemble,
                                      cdn_status (*visit)(void *context, int k, cdn_state *state),
                                      void *context) CDN_NODISCARD;

/* ---- time ----------------------------------------------------------------------------------- */

/** n steps of size h > 0 from where each State is: the same bits as a stepper of this method with fixed_step = h, started
 *  there and advanced to t + n h. A State that fails stays where its last whole step ended. CDN_ERR_UNSUPPORTED if the
 *  System has events, constraints, auto-update variables or prescribed mobilizers, or keeps previous values. Allocates
 *  nothing. */
CDN_API cdn_status cdn_ensemble_advance(cdn_ensemble *ensemble, double h, int64_t n) CDN_NODISCARD;

/* ---- failures ------------------------------------------------------------------------------- */

/** CDN_OK, or why State k has failed. */
CDN_API cdn_status cdn_ensemble_status(const cdn_ensemble *ensemble, int k);
/** The story of State k's failure; code CDN_OK if it has not failed. */
CDN_API void cdn_ensemble_error_sized(const cdn_ensemble *ensemble, int k, cdn_error *out, size_t size);
static inline void cdn_ensemble_error(const cdn_ensemble *ensemble, int k, cdn_error *out) {
  cdn_ensemble_error_sized(ensemble, k, out, sizeof *out);
}
/** The story of the last call that failed: of the first State (index: its k) if it was one. */
CDN_API void cdn_ensemble_last_error_sized(const cdn_ensemble *ensemble, cdn_error *out, size_t size);
static inline void cdn_ensemble_last_error(const cdn_ensemble *ensemble, cdn_error *out) {
  cdn_ensemble_last_error_sized(ensemble, out, sizeof *out);
}

CDN_END_DECLS
#endif
