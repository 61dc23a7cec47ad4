/* Cardan: ensembles, many States of one System that are advanced or evaluated together: in the lanes of the CPU's
 * vector instructions, and on several threads. State k of an ensemble has the same bits as a lone State with the
 * same variables. The numbers of lanes and threads change only the computing time.
 *
 * Each State has variables of its own: t, q, u, z, and those that the def declares varying. All else (other
 * parameters, which elements are on, locks, discrete variables) is shared, with the values of the State that the
 * ensemble is made from. Lanes are used if all q and u are those of bodies. What has no lanes of its own is called
 * State by State: custom mobilizers and forces, motions, rates of z, and accelerations under constraints. A System
 * with subsystems that have q and u is evaluated State by State altogether: the same results, slower
 * (cdn_ensemble_lanes tells).
 *
 * A State that cannot be evaluated fails alone: it keeps its values and is skipped until you set it anew, and the
 * others continue. Calls that evaluate return the status of the first failed State, or CDN_OK if none has failed.
 *
 * Arrays of values have one row for each State: row k begins at k * stride (stride 0: rows follow each other without
 * gaps). Outputs of an operator may overwrite its inputs. An ensemble belongs to one thread at a time and has worker
 * threads of its own. Every function
 * returns CDN_ERR_ARG for NULL where a value is needed, and for a State number or a pool that does not exist.
 *
 * I want to
 *   start an ensemble: cdn_ensemble_create, cdn_default_ensemble_def
 *   give up an ensemble: cdn_ensemble_destroy
 *   count its States and its lanes: cdn_ensemble_count, cdn_ensemble_lanes
 *   copy a State into it, or out of it: cdn_ensemble_set_state, cdn_ensemble_get_state
 *   set or get q, u or z of all States: cdn_ensemble_set, cdn_ensemble_get
 *   set the time of all States, get the time of one: cdn_ensemble_set_time, cdn_ensemble_time
 *   set the controls of all States: cdn_ensemble_set_controls
 *   get the rates of all States: cdn_ensemble_rates
 *   get one body's pose and velocity in all States: cdn_ensemble_body
 *   get all energies: cdn_ensemble_energies
 *   compute inverse dynamics in all States: cdn_ensemble_inverse_dynamics
 *   solve with M in all States: cdn_ensemble_multiply_by_M_inv
 *   do something else with every State, in parallel: cdn_ensemble_visit
 *   advance all States by fixed steps: cdn_ensemble_advance
 *   advance all States to a time, at an accuracy: cdn_ensemble_advance_to
 *   end a call from another thread or a signal handler: cdn_ensemble_interrupt
 *   know for each State whether the accuracy was delivered: cdn_ensemble_verdict, cdn_ensemble_certificate
 *   know which State failed, and why: cdn_ensemble_status, cdn_ensemble_error
 *   read the last failure of a call: cdn_ensemble_last_error */
#ifndef CARDAN_ENSEMBLE_H
#define CARDAN_ENSEMBLE_H

#include <cardan/stepper.h>

CDN_BEGIN_DECLS

typedef struct cdn_ensemble cdn_ensemble;

/** What may differ between the States of an ensemble besides t, q, u and z; combine by addition. */
typedef enum cdn_vary {
  CDN_VARY_FRAMES = 1,    /**< X_PF, X_BM and mobilizers' parameters */
  CDN_VARY_MASSES = 2,    /**< mass properties and armature; which bodies are massless is shared */
  CDN_VARY_FORCES = 4,    /**< parameters of the built-in force elements */
  CDN_VARY_OWN = 8,       /**< all parameter arrays of custom forces and of your own subsystems */
  CDN_VARY_APPLIED = 16,  /**< the applied forces of matter.h */
  CDN_VARY_CONTROLS = 32, /**< written values of controls (controls.h) */
  CDN_VARY_MOCAP = 64     /**< poses and velocities of mocap bodies (motion.h) */
} cdn_vary;

typedef struct cdn_ensemble_def {
  CDN_DEF_HEADER;
  int count;     /**< number of States, 1 to 2^22 */
  int threads;   /**< number of threads, the caller's included, 1 to 4096. Default 1 */
  int lanes;     /**< States in a batch: 1, 4 (AVX2) or 8 (AVX-512). Default 0: the machine's most; 4 with soft rows */
  unsigned vary; /**< a sum of cdn_vary. Default 0 */
  /** For cdn_ensemble_advance: an explicit Runge-Kutta method, CDN_METHOD_SEMI_EXPLICIT_EULER, or a method that takes
   *  equal steps only. The default is CDN_METHOD_DORMAND_PRINCE. */
  cdn_method method;
  /** The accuracy that cdn_ensemble_advance_to asks for (as cdn_stepper_def.accuracy: 1e-15 to 1), and by which
   *  verdicts are given, those of cdn_ensemble_advance, too. Default 1e-4 */
  double accuracy;
  /** Attempts at steps of a State in one call of cdn_ensemble_advance_to before it fails with CDN_ERR_LIMIT: one
   *  State that needs very short steps does not hold up the others. Default 0: no limit */
  int64_t max_steps;
  /** true: every State has a companion, a second solution with steps two thirds as long, which estimates its error
   *  (cdn_ensemble_certificate). The companions take up to 1.5 times the time of the States, and the memory of an
   *  ensemble of their own. Handlers of events and custom functions are called for both. Default: false */
  bool companion;
} cdn_ensemble_def;

CDN_DEF(ensemble_def);

/** Makes an ensemble of copies of `state`. Computes only parameters and other Instance-stage results. Memory per
 *  State: t, y, its rates, the varying variables (with lanes: constants derived from them) and an error; per thread:
 *  the results of one batch. CDN_ERR_UNSUPPORTED: lanes that this machine does not have, or a method that does not
 *  work in lockstep. CDN_ERR_LIMIT: too many States or threads. CDN_ERR_NOMEM. The message is on `state`. */
CDN_API cdn_status cdn_ensemble_create(cdn_state *state, const cdn_ensemble_def *def, cdn_ensemble **out) CDN_NODISCARD;
CDN_API void cdn_ensemble_destroy(cdn_ensemble *ensemble); /**< NULL is allowed */
CDN_API int cdn_ensemble_count(const cdn_ensemble *ensemble);
/** Number of States that are evaluated at once: 1 if the System is evaluated State by State. */
CDN_API int cdn_ensemble_lanes(const cdn_ensemble *ensemble);

/* ---- variables ------------------------------------------------------------------------------ */

/** Copies t, q, u, z and the varying variables of `state` to State k, and clears a failure of State k. CDN_ERR_ARG if a
 *  shared variable differs: the message names it. */
CDN_API cdn_status cdn_ensemble_set_state(cdn_ensemble *ensemble, int k, const cdn_state *state) CDN_NODISCARD;
/** Copies the variables of State k to `state`; results are computed when asked for. */
CDN_API cdn_status cdn_ensemble_get_state(cdn_ensemble *ensemble, int k, cdn_state *state) CDN_NODISCARD;
/** Sets q, u or z of all States and clears their failures. CDN_ERR_NONFINITE names the State; then nothing changes. */
CDN_API cdn_status cdn_ensemble_set(cdn_ensemble *ensemble, cdn_pool pool, const double *values,
                                    size_t stride) CDN_NODISCARD;
CDN_API cdn_status cdn_ensemble_get(cdn_ensemble *ensemble, cdn_pool pool, double *values, size_t stride) CDN_NODISCARD;
/** Writes the controls of all States (def.vary has CDN_VARY_CONTROLS): rows of cdn_system_control_count numbers, as
 *  cdn_control_set_all. Runs go on: t, y, memories and companions stay, and failures are kept. CDN_ERR_ARG: controls do
 *  not vary. CDN_ERR_NONFINITE names the State; then nothing changes. O(controls) for each State; in lanes O(size of
 *  the model) for constants of the lanes. */
CDN_API cdn_status cdn_ensemble_set_controls(cdn_ensemble *ensemble, const double *values, size_t stride) CDN_NODISCARD;
CDN_API cdn_status cdn_ensemble_set_time(cdn_ensemble *ensemble, double t) CDN_NODISCARD; /**< of all States, s */
/** Time of State k, s; NaN if there is no such State. */
CDN_API double cdn_ensemble_time(const cdn_ensemble *ensemble, int k);

/* ---- evaluation ----------------------------------------------------------------------------- */

/** Writes the rates of a pool (qdot, udot or zdot) for all States, and computes them if needed. Rows of failed
 *  States are filled with NaN. Cost for each State: cdn_realize to Acceleration, divided by the lanes. */
CDN_API cdn_status cdn_ensemble_rates(cdn_ensemble *ensemble, cdn_pool pool, double *rates,
                                      size_t stride) CDN_NODISCARD;
/** X_GB and V_GB of one body in all States (count entries each; either may be NULL), as cdn_body_pose and
 *  cdn_body_velocity. NaN for failed States. */
CDN_API cdn_status cdn_ensemble_body(cdn_ensemble *ensemble, cdn_body body, cdn_transform *X_GB,
                                     cdn_spatial *V_GB) CDN_NODISCARD;
/** Kinetic and potential energies of all States, J (count numbers each; either may be NULL). Evaluated State by
 *  State. NaN for failed States. */
CDN_API cdn_status cdn_ensemble_energies(cdn_ensemble *ensemble, double *kinetic, double *potential) CDN_NODISCARD;
/** f = M udot + f_bias in every State: rows of nu numbers, as cdn_inverse_dynamics without forces. udot NULL: zeros.
 *  NaN for failed States. */
CDN_API cdn_status cdn_ensemble_inverse_dynamics(cdn_ensemble *ensemble, const double *udot, size_t udot_stride,
                                                 double *f, size_t f_stride) CDN_NODISCARD;
/** a = M^-1 f in every State: rows of nu numbers, as cdn_multiply_by_M_inv. */
CDN_API cdn_status cdn_ensemble_multiply_by_M_inv(cdn_ensemble *ensemble, const double *f, size_t f_stride, double *a,
                                                  size_t a_stride) CDN_NODISCARD;
/** Calls `visit` for every State that has not failed, on any thread and in any order, with a State of the visiting
 *  thread that has the variables of State k. Changes that `visit` makes to it are lost. A status other than CDN_OK
 *  is State k's failure. */
CDN_API cdn_status cdn_ensemble_visit(cdn_ensemble *ensemble,
                                      cdn_status (*visit)(void *context, int k, cdn_state *state),
                                      void *context) CDN_NODISCARD;

/* ---- time ----------------------------------------------------------------------------------- */

/** Takes n steps of size h > 0 (s) in each State. The bits are those of a stepper of this method with fixed_step = h
 *  that starts at the same State and advances to t + n h. A State that fails keeps the values at the end of its last
 *  whole step. What is prescribed is written into q and u.
 *
 *  With constraints or events each State goes by itself, with a stepper that belongs to the thread (cdn_occurrence.user
 *  is NULL). Handlers may change t, q, u, z and what varies. A State in which a handler has changed anything else fails
 *  with CDN_ERR_UNSUPPORTED. A State that a handler stops stays there, without a failure.
 *
 *  CDN_ERR_UNSUPPORTED if the System keeps previous values, or has auto-update variables beside the library's own.
 *  CDN_ERR_NOMEM. Allocates nothing, except for the steppers at the first call with a new h. */
CDN_API cdn_status cdn_ensemble_advance(cdn_ensemble *ensemble, double h, int64_t n) CDN_NODISCARD;

/** Advances every State to time t (s) under error control: each State has steps of its own sizes, which its own
 *  errors choose, as those of cdn_stepper with cdn_ensemble_def.accuracy. The bits of a State do not depend on the
 *  others, the lanes and the threads. A State that is at t already stays. With constraints, events or shapes that may
 *  touch each State goes by itself, with a stepper of this method, as in cdn_ensemble_advance.
 *
 *  A step that cannot be evaluated is tried again with a quarter of its size, if the failure is recoverable or a
 *  number is not finite. A State fails with CDN_ERR_STEP if no step has a small enough error, with CDN_ERR_LIMIT
 *  after max_steps, and with what its evaluation returns; it keeps the values at the end of its last step.
 *
 *  CDN_ERR_UNSUPPORTED as in cdn_ensemble_advance, and for methods without error control in lanes: semi-explicit
 *  Euler, and those that take equal steps only. CDN_ERR_ARG if a State that has not failed is beyond t.
 *  CDN_ERR_NONFINITE, CDN_ERR_NOMEM. Allocates nothing, except for steppers at the first call. */
CDN_API cdn_status cdn_ensemble_advance_to(cdn_ensemble *ensemble, double t) CDN_NODISCARD;

/** Asks the call of cdn_ensemble_advance or cdn_ensemble_advance_to that is in progress, or else the next one, to
 *  return soon: after the step that each thread is in it returns CDN_ERR_LIMIT. No State has failed by that; each is
 *  at the end of a step of its own, so they are at different times. cdn_ensemble_advance_to brings them on. The
 *  verdict of a State whose companion could not follow it is unknown until its values are set anew. Other threads and
 *  signal handlers may call this function at any time before cdn_ensemble_destroy. Cost: one atomic store. Nothing
 *  without an ensemble. */
CDN_API void cdn_ensemble_interrupt(cdn_ensemble *ensemble);

/* ---- verdicts (docs/ensembles.md) ----------------------------------------------------------- */

/** Whether State k has the accuracy of the def: its error estimate, the largest since its values were last set, is
 *  at most 3 accuracies. CDN_VERDICT_UNKNOWN: no companion, nothing advanced yet, the State or its companion has
 *  failed, or no such State. */
CDN_API cdn_verdict cdn_ensemble_verdict(const cdn_ensemble *ensemble, int k);
/** The certificate of State k since its values were last set: delivered, accuracy, error_estimate and those of q, u
 *  and z, error_time (distances are measured at the end of each call, and in lanes at up to 7 moments before it),
 *  error_slot, delivered_until, amplification, passed, the messages, steps, rejected, evaluations,
 *  companion_evaluations, time_initial and time_final, smallest_step and largest_step (0 where each State goes by
 *  itself). Numbers of energy and constraints are NaN, and other members 0 or "". cdn_certificate_verdict says it in a
 *  sentence. CDN_ERR_ARG: no such State, or NULL. */
CDN_SIZED(cdn_ensemble_certificate, (cdn_ensemble *ensemble, int k, cdn_certificate *out), (ensemble, k, out), out);

/* ---- failures ------------------------------------------------------------------------------- */

/** The status of State k's failure, or CDN_OK. */
CDN_API cdn_status cdn_ensemble_status(const cdn_ensemble *ensemble, int k) CDN_NODISCARD;
/** The error of State k; its code is CDN_OK if the State has not failed. */
CDN_SIZED_VOID(cdn_ensemble_error, (const cdn_ensemble *ensemble, int k, cdn_error *out), (ensemble, k, out), out);
/** The error of the last call that failed. If States failed: that of the first, with its number in `index`. */
CDN_SIZED_VOID(cdn_ensemble_last_error, (const cdn_ensemble *ensemble, cdn_error *out), (ensemble, out), out);

CDN_END_DECLS
#endif
