/* Cardan: the stepper, a Study that advances a State through time under error control. */
#ifndef CARDAN_STEPPER_H
#define CARDAN_STEPPER_H

#include <cardan/events.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** Owns working States; one thread at a time. While a call is under way, its callbacks (forces, triggers, handlers,
 *  reporters, a checkpoint's writer) cannot advance, step, save, restart or destroy the same stepper: such a call gives
 *  CDN_ERR_ARG and a story and does nothing. A callback must return, not longjmp. */
typedef struct cdn_stepper cdn_stepper;

typedef enum cdn_error_norm { CDN_NORM_RMS, CDN_NORM_INFINITY } cdn_error_norm;

/** How a step is taken; docs/methods.md compares them. All have error control and dense output. */
typedef enum cdn_method {
  CDN_METHOD_DEFAULT,        /**< Adams; with constraints Dormand-Prince 8(6,5); with fixed steps Dormand-Prince 5(4) */
  CDN_METHOD_MERSON,         /**< Runge-Kutta-Merson 4(3), Simbody's default */
  CDN_METHOD_DORMAND_PRINCE, /**< Dormand-Prince 5(4) */
  CDN_METHOD_BOGACKI_SHAMPINE,      /**< Bogacki-Shampine 3(2), for loose accuracy */
  CDN_METHOD_FEHLBERG,              /**< Runge-Kutta-Fehlberg 5(4) */
  CDN_METHOD_DORMAND_PRINCE_8,      /**< Dormand-Prince 8(6,5), for tight accuracy */
  CDN_METHOD_ADAMS,                 /**< Adams PECE of orders 1 to 12: fewest evaluations on most problems */
  CDN_METHOD_VERLET,                /**< velocity Verlet of order 2, implicit where forces depend on u (manual 10.4) */
  CDN_METHOD_SEMI_EXPLICIT_EULER,   /**< symplectic Euler of order 1 */
  CDN_METHOD_SEMI_EXPLICIT_EULER_2, /**< the same in two half steps, compared with a whole one */
  CDN_METHOD_EXPLICIT_EULER,        /**< of order 1 */
  CDN_METHOD_TRAPEZOID,             /**< explicit trapezoid (Heun) of order 2 */
  /* Of SUNDIALS; CDN_ERR_UNSUPPORTED where the library was built without it. They control their steps: no fixed_step. */
  CDN_METHOD_CVODE_BDF, /**< backward differences of orders 1 to 5, for stiff problems */
  CDN_METHOD_CVODE_ADAMS, /**< Adams-Moulton of orders 1 to 12 by functional iteration: a cross-check, without constraints */
  CDN_METHOD_IDA          /**< backward differences on the residual form ydot - f(t, y) = 0: a cross-check */
} cdn_method;

/** "dormand-prince" and the like, as the command spells it; NULL for a number that is no method. Static storage. */
CDN_API const char *cdn_method_name(cdn_method method);
/** Whether this library has the method: those of SUNDIALS only if it was built with SUNDIALS. */
CDN_API bool cdn_method_is_available(cdn_method method);

/** Why cdn_stepper_advance came back. */
typedef enum cdn_why {
  CDN_REACHED_TIME,
  CDN_HANDLED_EVENT, /**< an event occurred, and the def asked to return then: call again to go on */
  CDN_STOPPED        /**< a handler ended the run */
} cdn_why;

typedef struct cdn_stepper_def {
  CDN_DEF_HEADER;
  cdn_method method;
  int max_order; /**< Adams (the highest order of the predictor) and the methods of SUNDIALS; 0: the method's own */
  /** The accuracy alpha of manual 9.5, which runs deliver (docs/accuracy.md): weighted norms of each step's error estimate
   *  stay below a tenth of it, separately for q, u and z. Where final_time is finite, runs of more than a hundred steps share
   *  ten accuracies among their steps. q (through N W N^+) and u are absolute; z is relative above its unit change.
   *  Default 1e-4. */
  double accuracy; /**< 1e-15 to 1 */
  /** On every constraint error, in its unit error (9.3): positions and velocities are projected where they exceed it, as the
   *  first State is if its errors are at most 0.01 (or 10 tolerances): otherwise CDN_ERR_CONSTRAINT asks to assemble it.
   *  0: accuracy / 10, but not below 1e-13. */
  double constraint_tolerance;
  /** > 0: steps of this size without error control, at t0 + n fixed_step, the last one shortened to end at
   *  final_time; 0: controlled. */
  double fixed_step;
  double initial_step; /**< 0: chosen from the first derivatives */
  /** An error that is too large, or an evaluation that fails, at this size ends the run with a report. 0: a few
   *  roundings of t. */
  double min_step;
  double max_step;   /**< 0: no limit */
  double final_time; /**< no step goes beyond it, and the accuracy is that of the run up to it. Default: infinity */
  cdn_error_norm norm;
  /** A typical time over which something happens (manual 9.3): the first step is short against it, and it is what makes
   *  errors of velocity constraints errors of positions. Default 0.1. */
  double time_scale;
  bool z_absolute;             /**< errors of all z are absolute: never relative to a large value */
  const bool *z_absolute_each; /**< the same for single z: nz flags, or NULL. Copied */
  /** W_q = 1 / unit change of q along each u (radians, metres): nu numbers, by which E_q = N W_q N^+; NULL: ones. Copied */
  const double *q_weights;
  const double *u_weights; /**< W_u = 1 / unit change of u (9.2), nu numbers; NULL: ones. Copied */
  const double *z_weights; /**< W_z, nz numbers; NULL: what is declared (cdn_declare_z_scale), else ones. Copied */
  int64_t max_steps;       /**< attempts within one call of advance before CDN_ERR_LIMIT; 0: no limit */
  /** cdn_stepper_advance comes back from each moment at which events occurred (those of every step, CDN_EVENT_STEP,
   *  do not count), the State as their handlers left it. */
  bool return_on_events;
  void *user; /**< what callbacks of events find in their cdn_occurrence: this run's own, while the System is shared */
  /** A second run goes along, at a tenth of the accuracy or less (with half the step where steps are fixed). The distance between the
   *  two runs is the estimate of the error that this run delivers: see cdn_certificate. It costs 1.2 to 2 times the evaluations
   *  of the run itself. Handlers run in both, so that what they change outside the State is changed twice; reporters hear this
   *  run only. Default: false. */
  bool companion;
  void *companion_user; /**< `user` of the second run: what its handlers find in their cdn_occurrence */
} cdn_stepper_def;

/** cdn_default_stepper_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_stepper_def_init(void *def, size_t size);
static inline cdn_stepper_def cdn_default_stepper_def(void) {
  cdn_stepper_def def;
  cdn_stepper_def_init(&def, sizeof def);
  return def;
}

/** A stepper that starts at a copy of `initial` (realized to Acceleration here, so that what is wrong with the
 *  model shows now). What is prescribed (motion.h) is written into the copy's q and u first. `def` may be NULL. On failure the story is on `initial`. */
CDN_API cdn_status cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out) CDN_NODISCARD;
/** NULL is allowed. Ignored within one of the stepper's own callbacks; the call that runs the callback then fails. */
CDN_API void cdn_stepper_destroy(cdn_stepper *stepper);

/** Advances so that cdn_stepper_state is at time t, not before where it is. Steps are as long as the accuracy allows
 *  and do not end at t: it is served by dense output, normalized; t = final_time is reached exactly. `why` may be
 *  NULL. Nothing is allocated. On failure the State is at the last accepted step, and cdn_stepper_failure tells the
 *  rest: CDN_ERR_STEP, CDN_ERR_LIMIT (call again to go on), CDN_ERR_NONFINITE, whatever a callback returned. A failure
 *  that is marked recoverable, or numbers that are not finite, first make the step shorter.
 *
 *  Events (events.h) occur on the way, each once, those at time t included. One that has a handler ends a step: there
 *  the State is on the manifold, changes restart the method, and the jump of energy is booked. Where a handler moved time
 *  beyond t, the State is at that time. Failures at events name the event: what a callback returned, CDN_ERR_CHATTER,
 *  CDN_ERR_ARG for a handler that moved time back or a reporter that changed something; the State is then as it was
 *  before the handlers. A stopped run stays where it is. */
CDN_API cdn_status cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_why *why) CDN_NODISCARD;
/** One accepted step, not beyond t_max (may be infinite); the State is then at its end. A State that stands within
 *  the last step goes to that step's end instead. CDN_ERR_ARG if it is at t_max or final_time already. */
CDN_API cdn_status cdn_stepper_step(cdn_stepper *stepper, double t_max) CDN_NODISCARD;
/** The State at the time last reached: the same object for the stepper's life. Reading computed values is free to
 *  realize it. Its variables may be set between calls: forces, parameters, q, u, z. The next call of advance or step goes on
 *  from what was set (docs/inputs.md). A change of q, u or z starts the run anew from here and books the jump of energy; a
 *  change of any other variable does so if it changes the rates. The time is changed by cdn_stepper_restart only. */
CDN_API cdn_state *cdn_stepper_state(cdn_stepper *stepper);
/** The second run of cdn_stepper_def.companion, NULL without one. For looking only: its State and certificate. It stands at the
 *  time of the first run, but where a handler has stopped it. */
CDN_API cdn_stepper *cdn_stepper_companion(cdn_stepper *stepper);
/** Continue from another State of the same System (after a kick, a change of parameters), at its own time: drops
 *  method memory, keeps statistics and books the jump of energy. If `state` cannot be realized the stepper is left as
 *  it was. */
CDN_API cdn_status cdn_stepper_restart(cdn_stepper *stepper, cdn_state *state) CDN_NODISCARD;
/** How many events occurred where cdn_stepper_advance came back with CDN_HANDLED_EVENT or CDN_STOPPED. */
CDN_API int cdn_stepper_occurrence_count(const cdn_stepper *stepper);
/** These, in the order in which they were handled. Lasts until the next call of advance or step; NULL for a wrong i. */
CDN_API const cdn_occurrence *cdn_stepper_occurrence(const cdn_stepper *stepper, int i);
/** Whether a handler has stopped the run; cdn_stepper_restart makes it go on. */
CDN_API bool cdn_stepper_is_stopped(const cdn_stepper *stepper);
/** Size of the last accepted step, within or at whose end the State is; 0 before the first. */
CDN_API double cdn_stepper_last_step(const cdn_stepper *stepper);
/** The def that the stepper was made with, its defaults filled in; what it points to lives as long as the stepper. The
 *  defaults if there is no stepper. */
CDN_API void cdn_stepper_get_def_sized(const cdn_stepper *stepper, cdn_stepper_def *out, size_t size);
static inline cdn_stepper_def cdn_stepper_get_def(const cdn_stepper *stepper) {
  cdn_stepper_def out;
  cdn_stepper_get_def_sized(stepper, &out, sizeof out);
  return out;
}
/** Step size that will be tried next. */
CDN_API double cdn_stepper_next_step(const cdn_stepper *stepper);

/** Whether a run delivered the accuracy that was asked for. */
typedef enum cdn_verdict {
  CDN_VERDICT_UNKNOWN,      /**< no companion, or it or the run failed; or steps are fixed: no accuracy was asked for */
  CDN_VERDICT_DELIVERED,    /**< the error estimate is at most 3 accuracies */
  CDN_VERDICT_NOT_DELIVERED /**< it is larger */
} cdn_verdict;

/** What a run was worth. */
typedef struct cdn_certificate {
  /* The error of the run as a whole. Distances are those between the run and its companion (cdn_stepper_def.companion), wherever
   * advance or step came back and at events, in the norms of docs/accuracy.md. NaN without a companion. */
  cdn_verdict delivered;
  double accuracy;       /**< that was asked for; 0 where steps are fixed */
  double error_estimate; /**< the largest distance: the largest of the next three */
  double error_estimate_q, error_estimate_u, error_estimate_z;
  double error_time;         /**< where it was largest */
  char error_slot[96];       /**< the coordinate, speed or z that was furthest off there */
  double delivered_until;    /**< up to this time all distances were at most 3 accuracies */
  double amplification;      /**< error_estimate over the sum of the estimated errors of all steps */
  double event_shift;        /**< the largest difference of the times of an event in the two runs, s */
  char event_alone[64];      /**< the first event that occurred in one of the runs only, or "" */
  double event_alone_time;   /**< when */
  char parting[96];          /**< constraints at whose singular pose the two runs have gone different ways, or "" */
  double parting_time;       /**< when */
  char companion_story[192]; /**< why the companion ended before the run, or "" */
  char failure_story[96];    /**< that the last call could not go on with the run, where and with which status, or "" */
  int64_t companion_evaluations; /**< of ydot, by the companion */

  /* Coordinates to which the accuracy, which is absolute, does not fit; "" where it does. Not with fixed steps. */
  char below_tolerance[96]; /**< the first coordinate of a vector of q that moves by less than the accuracy, and whose
                                   *   motion errors spoil (by a tenth of it or more, where a companion tells). A larger
                                   *   q_weight, other units or a tighter accuracy resolve it */
  double below_tolerance_motion; /**< how far it has moved from where it began, weighted */
  char below_rounding[96];    /**< a coordinate that moves and is rounded by more than the accuracy. A looser accuracy,
                                   *   another origin or other units cure it */
  double below_rounding_size; /**< what it is rounded by, weighted */

  int64_t steps, rejected;    /**< accepted and rejected steps */
  int64_t evaluations;        /**< of ydot, rejected attempts included, reports not */
  int64_t jacobians;          /**< evaluations of the Jacobian of the rates, by implicit methods */
  int64_t report_evaluations; /**< that the dense output of some methods makes in steps which are looked into */
  /** Accepted steps that seem to be kept short by stability, not by accuracy (Hairer and Wanner, IV.2), after 15 in a row
   *  (docs/methods.md says which methods can tell): where these are most of the steps the problem is stiff, and an
   *  implicit method would be cheaper. */
  int64_t stiff_steps;
  /** Accepted steps that were allowed more than the accuracy gives them, because q, u or z are rounded by as much: tighter
   *  accuracies change nothing there. */
  int64_t rounding_steps;
  int64_t events; /**< calls of handlers */
  /** Triggers that came so near to zero and turned that an error of the accuracy asked decides whether the event occurs. */
  int64_t near_misses;
  double time_initial, time_final;
  double smallest_step, largest_step;
  double energy_initial, energy_final; /**< kinetic + potential, at the start and at the last accepted step */
  /** Integral of the power of forces without potential, of motions and of locks, by the method's own weights. */
  double work;
  double energy_jumps; /**< booked by restarts and handlers */
  /** (E - E0 - work - jumps) / max(largest kinetic energy, integral of |power|); where both vanish, relative to what
   *  rounding may do to E (1e6 roundings of it). */
  double energy_residual;
  /** The largest errors at any accepted step: of position constraints, and of velocity constraints (where those are rates of
   *  the former, times the time scale), in their unit errors (9.3). */
  double max_position_error, max_velocity_error;
  double max_constraint_error; /**< the larger of them, and of the errors of quaternion lengths */
  /** How often the run was loaded (cdn_stepper_load) on a processor whose arithmetic rounds differently from that of the
   *  processor which saved it: with fused multiply-adds, or without. Above 0 the run does not have the bits of an
   *  uninterrupted one. */
  int64_t kernel_changes;
} cdn_certificate;

/** Valid at any time; realizes energies of the stepper's State. */
CDN_API cdn_status cdn_stepper_certificate_sized(cdn_stepper *stepper, cdn_certificate *out, size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_stepper_certificate(cdn_stepper *stepper, cdn_certificate *out) {
  return cdn_stepper_certificate_sized(stepper, out, sizeof *out);
}

/** The verdict in one sentence without a full stop, such as "asked 1e-5, delivered about 4e-6", cut to `size` bytes; 400 are
 *  enough. Where the accuracy was not delivered the sentence names the coordinate, the time and the cause. */
CDN_API void cdn_certificate_verdict_sized(const cdn_certificate *certificate, size_t certificate_size, char *text,
                                           size_t size);
static inline void cdn_certificate_verdict(const cdn_certificate *certificate, char *text, size_t size) {
  cdn_certificate_verdict_sized(certificate, sizeof *certificate, text, size);
}
/** The accuracy to ask for, if the accuracy was not delivered and a tighter one is likely to cure it; else 0. */
CDN_API double cdn_certificate_suggestion_sized(const cdn_certificate *certificate, size_t certificate_size);
static inline double cdn_certificate_suggestion(const cdn_certificate *certificate) {
  return cdn_certificate_suggestion_sized(certificate, sizeof *certificate);
}

/** How far two States are apart, in the norms of the error estimate. */
typedef struct cdn_distance {
  double q, u, z; /**< weighted distances */
  double largest; /**< of the three */
  char slot[96];  /**< the coordinate, speed or z with the largest weighted difference, or "" */
} cdn_distance;
/** The distance between the stepper's State and another State of the System at the same time; N of its q is used. */
CDN_API cdn_status cdn_stepper_distance_sized(cdn_stepper *stepper, cdn_state *other, cdn_distance *out,
                                              size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_stepper_distance(cdn_stepper *stepper, cdn_state *other, cdn_distance *out) {
  return cdn_stepper_distance_sized(stepper, other, out, sizeof *out);
}

/* ---- checkpoints (docs/checkpoints.md) ---- */

/** Writes all that the run's future depends on: States, the method's memory, step sizes, what events remember and have
 *  pending, the certificate so far, and the def. Between calls only, not from within a callback. A failure's story is in
 *  cdn_stepper_failure. Saving changes nothing, unless the method says so in docs/methods.md: those whose memory cannot be
 *  saved begin anew from here. */
CDN_API cdn_status cdn_stepper_save(cdn_stepper *stepper, cdn_write_fn *write, void *context) CDN_NODISCARD;
/** A stepper that goes on as the saved one does: the same calls on both give the same bits, on the same kind of machine.
 *  A processor of another kind may round differently: cdn_certificate.kernel_changes counts that.
 *  `state` says of which System, is left as it is, and gets the story of a failure: CDN_ERR_ARG, another System, with the
 *  first difference; CDN_ERR_PARSE, damaged bytes. `user` and `companion_user` are those of cdn_stepper_def, which cannot be
 *  saved. */
CDN_API cdn_status cdn_stepper_load(cdn_state *state, void *user, void *companion_user, cdn_read_fn *read,
                                    void *context, cdn_stepper **out) CDN_NODISCARD;

#define CDN_FAILURE_STEPS 8

/** Why a run failed. */
typedef struct cdn_failure {
  cdn_error error;   /**< status, element and text, as from the State that failed */
  double time, step; /**< where, and the step size last tried */
  /** Pool slot with the largest weighted error in the last attempt that came so far as to have an estimate, or "". */
  char coordinate[96];
  double coordinate_error; /**< its weighted error over what is allowed, a tenth of the accuracy */
  /** The last attempts, oldest first: from where, of what size, the error over what is allowed (above 1: rejected; -1: an
   *  evaluation failed; 0 where steps are fixed). */
  int n_last;
  double last_time[CDN_FAILURE_STEPS], last_step[CDN_FAILURE_STEPS],
      last_error[CDN_FAILURE_STEPS]; /**< error over what is allowed; -1: could not be evaluated */
  char advice[448];                  /**< what to try */
} cdn_failure;

/** The last failure of a call on this stepper; error.code CDN_OK if none. */
CDN_API void cdn_stepper_failure_sized(const cdn_stepper *stepper, cdn_failure *out, size_t size, size_t error_size);
static inline void cdn_stepper_failure(const cdn_stepper *stepper, cdn_failure *out) {
  cdn_stepper_failure_sized(stepper, out, sizeof *out, sizeof out->error);
}

CDN_END_DECLS
#endif
