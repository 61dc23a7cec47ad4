/* Cardan: the stepper, a Study that advances a State through time under error control. */
#ifndef CARDAN_STEPPER_H
#define CARDAN_STEPPER_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

typedef struct cdn_stepper cdn_stepper; /**< owns working States; one thread at a time */

typedef enum cdn_error_norm { CDN_NORM_RMS, CDN_NORM_INFINITY } cdn_error_norm;

/** Why cdn_stepper_advance came back. */
typedef enum cdn_why { CDN_REACHED_TIME } cdn_why;

typedef struct cdn_stepper_def {
  CDN_DEF_HEADER;
  /** The accuracy alpha of manual 9.5: weighted norms of each step's error estimate stay below it, separately
   *  for q, u and z. q is absolute (through N W N^+); u and z are relative above their unit change. Default 1e-4. */
  double accuracy;             /**< 1e-15 to 1 */
  double constraint_tolerance; /**< on every constraint error; 0: accuracy / 10 */
  /** > 0: steps of this size without error control, at t0 + n fixed_step, the last one shortened to end at
   *  final_time; 0: controlled. */
  double fixed_step;
  double initial_step; /**< 0: chosen from the first derivatives */
  /** An error that is too large, or an evaluation that fails, at this size ends the run with a report. 0: a few
   *  roundings of t. */
  double min_step;
  double max_step;   /**< 0: no limit */
  double final_time; /**< no step goes beyond it. Default: infinity */
  cdn_error_norm norm;
  const double *u_weights; /**< W_u = 1 / unit change (9.2), nu numbers; NULL: ones. Copied */
  const double *z_weights; /**< W_z, nz numbers; NULL: ones. Copied */
  int64_t max_steps;       /**< attempts within one call of advance before CDN_ERR_LIMIT; 0: no limit */
} cdn_stepper_def;

CDN_API cdn_stepper_def cdn_default_stepper_def(void);

/** A stepper that starts at a copy of `initial` (realized to Acceleration here, so that what is wrong with the
 *  model shows now). `def` may be NULL. On failure the story is on `initial`. Method: Dormand-Prince 5(4), first
 *  same as last, with its fourth-order continuous extension (Dormand and Prince 1980; Hairer, Norsett, Wanner). */
CDN_API cdn_status cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out) CDN_NODISCARD;
CDN_API void cdn_stepper_destroy(cdn_stepper *stepper); /**< NULL is allowed */

/** Advances so that cdn_stepper_state is at time t, not before where it is. Steps are as long as the accuracy allows
 *  and do not end at t: it is served by dense output, normalized; t = final_time is reached exactly. `why` may be
 *  NULL. Nothing is allocated. On failure the State is at the last accepted step, and cdn_stepper_failure tells the
 *  rest: CDN_ERR_STEP, CDN_ERR_LIMIT (call again to go on), CDN_ERR_NONFINITE, whatever a callback returned. A failure
 *  that is marked recoverable, or numbers that are not finite, first make the step shorter. */
CDN_API cdn_status cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_why *why) CDN_NODISCARD;
/** One accepted step, not beyond t_max (may be infinite); the State is then at its end. A State that stands within
 *  the last step goes to that step's end instead. CDN_ERR_ARG if it is at t_max or final_time already. */
CDN_API cdn_status cdn_stepper_step(cdn_stepper *stepper, double t_max) CDN_NODISCARD;
/** The State at the time last reached: the same object for the stepper's life. Reading computed values is free to
 *  realize it; changes of its variables take effect with cdn_stepper_restart only (this State may be given to it). */
CDN_API cdn_state *cdn_stepper_state(cdn_stepper *stepper);
/** Continue from another State of the same System (after a kick, a change of parameters), at its own time: drops
 *  method memory, keeps statistics and books the jump of energy. If `state` cannot be realized the stepper is left as
 *  it was. */
CDN_API cdn_status cdn_stepper_restart(cdn_stepper *stepper, cdn_state *state) CDN_NODISCARD;
/** Step size that will be tried next. */
CDN_API double cdn_stepper_next_step(const cdn_stepper *stepper);

/** What a run was worth (DESIGN 7.8). */
typedef struct cdn_certificate {
  int64_t steps, rejected; /**< accepted and rejected steps */
  int64_t evaluations;     /**< of ydot, rejected attempts included, reports not */
  double time_initial, time_final;
  double smallest_step, largest_step;
  double energy_initial, energy_final; /**< kinetic + potential, at the start and at the last accepted step */
  double work;         /**< integral of the power of forces without potential, by the method's own weights */
  double energy_jumps; /**< booked by restarts */
  /** (E - E0 - work - jumps) / max(largest kinetic energy, integral of |power|); where both vanish, relative to what
   *  rounding may do to E (1e6 roundings of it). */
  double energy_residual;
  double max_constraint_error; /**< the largest at any accepted step (quaternion lengths included) */
} cdn_certificate;

/** Valid at any time; realizes energies of the stepper's State. */
CDN_API cdn_status cdn_stepper_certificate(cdn_stepper *stepper, cdn_certificate *out) CDN_NODISCARD;

#define CDN_FAILURE_STEPS 8

/** Why a run failed. */
typedef struct cdn_failure {
  cdn_error error;         /**< status, element and text, as from the State that failed */
  double time, step;       /**< where, and the step size last tried */
  char coordinate[96];     /**< pool slot with the largest weighted error in the last attempt, or "" */
  double coordinate_error; /**< its weighted error over the accuracy */
  /** The last attempts, oldest first: from where, of what size, the error over the accuracy (above 1: rejected; -1: an
   *  evaluation failed; 0 where steps are fixed). */
  int n_last;
  double last_time[CDN_FAILURE_STEPS], last_step[CDN_FAILURE_STEPS],
      last_error[CDN_FAILURE_STEPS]; /**< error over accuracy; -1: could not be evaluated */
  char advice[256];
} cdn_failure;

/** The last failure of a call on this stepper; error.code CDN_OK if none. */
CDN_API void cdn_stepper_failure(const cdn_stepper *stepper, cdn_failure *out);

CDN_END_DECLS
#endif
