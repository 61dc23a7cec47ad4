/* Cardan: the stepper, a Study that advances a State through time under error control (manual 9 and 10).
 *
 * Times are in s. Every function with a cdn_status returns CDN_ERR_ARG if `stepper` or a required pointer is NULL.
 * The message of a failure is in cdn_stepper_failure, but for cdn_stepper_create and cdn_stepper_load: if these fail
 * there is no stepper, and the message is on the State that was given.
 *
 * I want to
 *   start a run from a State: cdn_stepper_create
 *   set accuracy, method, step sizes and the companion: cdn_default_stepper_def
 *   advance to a time: cdn_stepper_advance
 *   take one step: cdn_stepper_step
 *   end a call from another thread or a signal handler: cdn_stepper_interrupt
 *   the same, in the middle of a step: cdn_stepper_break_off
 *   read the State of the run, or change its inputs: cdn_stepper_state
 *   continue from another State: cdn_stepper_restart
 *   know whether the run delivered its accuracy: cdn_stepper_certificate
 *   print the verdict in one sentence: cdn_certificate_verdict
 *   know which accuracy to ask for next: cdn_certificate_suggestion
 *   measure the distance between the run and another State: cdn_stepper_distance
 *   look at the second run that measures the error: cdn_stepper_companion
 *   know the last and the next step size: cdn_stepper_last_step, cdn_stepper_next_step
 *   read the options of a stepper: cdn_stepper_get_def
 *   get the name of a method, and whether this library has it: cdn_method_name, cdn_method_is_available
 *   find the forces that make a step of equal size lead to given speeds: cdn_step_inverse_dynamics
 *   — and their derivatives: cdn_step_inverse_derivatives
 *   differentiate a step of equal size by q, u, z, forces and controls: cdn_step_derivatives
 *   ask whether a method takes equal steps only: cdn_method_needs_fixed_step
 *   give up a stepper: cdn_stepper_destroy
 *   know which events ended a call of advance: cdn_stepper_occurrence_count, cdn_stepper_occurrence
 *   know whether a handler stopped the run: cdn_stepper_is_stopped
 *   read why a run failed: cdn_stepper_failure
 *   save a run, or continue a saved one: cdn_stepper_save, cdn_stepper_load */
#ifndef CARDAN_STEPPER_H
#define CARDAN_STEPPER_H

#include <cardan/events.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** A stepper owns its States. One thread at a time may use it; cdn_stepper_interrupt alone may come from another one.
 *  While a call runs, its callbacks (forces, triggers, handlers, reporters, a checkpoint's writer) must not advance,
 *  step, save, restart or destroy the same stepper: such a call returns CDN_ERR_ARG with a message and changes
 *  nothing. A callback must return; longjmp out of it is an error. */
typedef struct cdn_stepper cdn_stepper;

/** How the errors of one pool (q, u or z) become one number: root mean square over its slots, or the longest vector of
 *  a mobilizer. */
typedef enum cdn_error_norm { CDN_NORM_RMS, CDN_NORM_INFINITY } cdn_error_norm;

/** Integration methods; docs/methods.md compares them. All have dense output, and all but those of equal steps error
 *  control. */
typedef enum cdn_method {
  CDN_METHOD_DEFAULT, /**< Adams; with constraints, unless shapes may touch, Dormand-Prince 8(6,5); with fixed steps
                       *   Dormand-Prince 5(4) */
  CDN_METHOD_MERSON,  /**< Runge-Kutta-Merson 4(3), Simbody's default */
  CDN_METHOD_DORMAND_PRINCE,        /**< Dormand-Prince 5(4) */
  CDN_METHOD_BOGACKI_SHAMPINE,      /**< Bogacki-Shampine 3(2), for loose accuracy */
  CDN_METHOD_FEHLBERG,              /**< Runge-Kutta-Fehlberg 5(4) */
  CDN_METHOD_DORMAND_PRINCE_8,      /**< Dormand-Prince 8(6,5), for tight accuracy */
  CDN_METHOD_ADAMS,                 /**< Adams PECE of orders 1 to 12: fewest evaluations on most problems */
  CDN_METHOD_VERLET,                /**< velocity Verlet of order 2, implicit where forces depend on u (manual 10.4) */
  CDN_METHOD_SEMI_EXPLICIT_EULER,   /**< symplectic Euler of order 1 */
  CDN_METHOD_SEMI_EXPLICIT_EULER_2, /**< symplectic Euler in two half steps, compared with one whole step */
  CDN_METHOD_EXPLICIT_EULER,        /**< of order 1 */
  CDN_METHOD_TRAPEZOID,             /**< explicit trapezoid (Heun) of order 2 */
  /* The methods of SUNDIALS. CDN_ERR_UNSUPPORTED in a library without SUNDIALS. They choose their steps: no
   * fixed_step. */
  CDN_METHOD_CVODE_BDF,   /**< backward differences of orders 1 to 5, for stiff problems */
  CDN_METHOD_CVODE_ADAMS, /**< Adams-Moulton of orders 1 to 12 by functional iteration; no constraints: a cross-check */
  CDN_METHOD_IDA,         /**< backward differences on the residual form ydot - f(t, y) = 0: a cross-check */
  /* Equal steps, as MuJoCo takes them: they need a fixed_step, and estimate no error. Quaternions turn at constant
   * angular velocity. */
  CDN_METHOD_MUJOCO_EULER,    /**< symplectic Euler of order 1, implicit in the mobility dampers (MuJoCo's Euler) */
  CDN_METHOD_MUJOCO_IMPLICIT, /**< the same, implicit in u of all forces but soft rows, those of inertia included */
  CDN_METHOD_MUJOCO_IMPLICIT_FAST, /**< the same without those of inertia, by the symmetric part (MuJoCo's
                                    *   implicitfast) */
  CDN_METHOD_MUJOCO_MIDPOINT, /**< the same, but free bodies without children turn by the implicit midpoint: they keep
                               *   their
                        *   energy */
  CDN_METHOD_MUJOCO_RK4,      /**< the classical one of order 4, of order 2 where balls and free joints tumble (MuJoCo's
                             *   RK4) */
  CDN_METHOD_IMPLICIT_CONTACT, /**< the implicit contact step of order 2: contact is implicit, all else explicit
                      *   (docs/implicit_contact_step.md) */
  CDN_METHOD_COUNT             /**< number of methods; later releases append some */
} cdn_method;

/** The method's name as the command spells it, such as "dormand-prince"; NULL for an unknown number. Static storage. */
CDN_API const char *cdn_method_name(cdn_method method);
/** Whether this library has the method. Methods of SUNDIALS need a library that was built with SUNDIALS. */
CDN_API bool cdn_method_is_available(cdn_method method);
/** Whether the method takes equal steps only: it needs a fixed_step. */
CDN_API bool cdn_method_needs_fixed_step(cdn_method method);

/** Why cdn_stepper_advance returned. */
typedef enum cdn_return_reason {
  CDN_REACHED_TIME,
  CDN_HANDLED_EVENT, /**< an event occurred and return_on_events is set: call advance again to continue */
  CDN_STOPPED        /**< a handler ended the run */
} cdn_return_reason;

typedef struct cdn_stepper_def {
  CDN_DEF_HEADER;
  cdn_method method; /**< default: CDN_METHOD_DEFAULT */
  int max_order; /**< highest order, for Adams (its predictor) and the methods of SUNDIALS; 0: the method's own limit */
  /** Requested global accuracy, alpha of manual 9.5; 1e-15 to 1, default 1e-4. The local error test uses accuracy /
   *  10: the weighted norm of each step's error estimate stays below it, separately for q, u and z. If final_time is
   *  finite, a run of more than a hundred steps shares ten accuracies among its steps. Errors of q (through N W_q
   *  N^+) and of u are absolute; errors of z are relative above the unit change of z. docs/accuracy.md has the
   *  definitions. */
  double accuracy;
  /** Bound on every constraint error, in its unit error (manual 9.3). Positions and velocities that exceed it are
   *  projected. A first State may exceed it by errors up to 0.01 (or 10 tolerances, if that is more) and is then
   *  projected; beyond that CDN_ERR_CONSTRAINT asks you to assemble it. 0: accuracy / 10, but at least 1e-13. */
  double constraint_tolerance;
  /** > 0: steps of this size without error control, at t0 + n fixed_step; the last step is shortened to end at
   *  final_time. 0: the stepper chooses the steps. */
  double fixed_step;
  double initial_step; /**< s; 0: chosen from the first derivatives */
  /** If a step of this size has too large an error, or fails to evaluate, the run ends with a failure report. 0: 16
   *  roundings of the time. */
  double min_step;
  double max_step;   /**< s; 0: no limit */
  double final_time; /**< no step ends after it, and the accuracy holds for the run up to it. Default: infinity */
  cdn_error_norm norm;
  /** Typical time scale of the motion, s (manual 9.3). The first step is short against it. Errors of velocity
   *  constraints are multiplied by it, which makes them comparable with errors of positions. Default 0.1. */
  double time_scale;
  bool z_absolute;             /**< true: errors of all z are absolute, even if z is large */
  const bool *z_absolute_each; /**< z_absolute for each z: nz flags, or NULL. Copied */
  /** W_q = 1 / unit change of q along each u (radians, metres): nu numbers, used in E_q = N W_q N^+. NULL: ones.
   *  Copied */
  const double *q_weights;
  const double *u_weights; /**< W_u = 1 / unit change of u (manual 9.2): nu numbers. NULL: ones. Copied */
  const double *z_weights; /**< W_z: nz numbers. NULL: the declared scales (cdn_declare_z_scale), else ones. Copied */
  int64_t max_steps;       /**< attempts in one call of advance or step before CDN_ERR_LIMIT; 0: no limit */
  /** true: cdn_stepper_advance returns at each moment at which events occurred, with the State as their handlers left
   *  it. Events of kind CDN_EVENT_STEP do not count. */
  bool return_on_events;
  /** Passed to the callbacks of events as cdn_occurrence.user. It belongs to this run, while the System is shared. */
  void *user;
  /** true: a second run, the companion, advances beside this one. Its accuracy is a tenth of this run's or tighter, and
   *  it takes other steps, most often by another method (fixed steps: half the step). The distance between the two runs
   *  estimates the error of this run: see cdn_certificate. It costs 0.3 to 1.3 times the evaluations of the run itself
   *  (the implicit contact step: 3). Handlers run in both runs, so a handler that changes something outside the State
   *  changes it twice; reporters are called for this run only. Default: false. */
  bool companion;
  void *companion_user; /**< `user` of the companion: passed to its handlers as cdn_occurrence.user */
  /** The accuracy that the verdict is about, 1e-15 to 1. 0: `accuracy`. cdn_deliver (deliver.h) sets it for runs
   *  whose steps are more accurate than what was asked for. */
  double asked_accuracy;
} cdn_stepper_def;

CDN_DEF(stepper_def);

/** Makes a stepper that starts from a copy of `initial`. Realizes `initial` to Acceleration, so that a faulty model
 *  fails here. Writes prescribed q and u (motion.h) into the copy, and projects it if its constraint errors are
 *  small (see constraint_tolerance). `def` may be NULL: the defaults. Errors: CDN_ERR_ARG (a number of the def is
 *  out of range; final_time lies before the State's time), CDN_ERR_UNSUPPORTED (a method that this library lacks, or
 *  one that cannot handle constraints), CDN_ERR_CONSTRAINT, CDN_ERR_NOMEM, and the errors of realization; the
 *  message is on `initial`. */
CDN_API cdn_status cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out) CDN_NODISCARD;
/** Inverse dynamics in discrete time: the forces tau on mobilities (nu), beside all that act, with which a step of size
 *  h > 0 (s) by `method` leads from the State's u to u_next (nu), before u is projected. `method`:
 *  CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT, CDN_METHOD_MUJOCO_IMPLICIT_FAST or
 *  CDN_METHOD_SEMI_EXPLICIT_EULER; CDN_ERR_UNSUPPORTED for others, whose steps are not linear in tau. Forces of soft
 *  rows are found contact by contact from the accelerations, without an iteration. With constraints tau is the one of
 *  least norm, for the reachable u that is nearest to u_next; on prescribed mobilities it is as in
 *  cdn_constrained_inverse_dynamics, whose cost and errors it has, and u_next is not read: a step gives them the speeds
 *  of their motions. Stage: Force. CDN_ERR_ARG if h is not positive and finite. */
CDN_API cdn_status cdn_step_inverse_dynamics(cdn_state *state, cdn_method method, double h, const double *u_next,
                                             double *tau) CDN_NODISCARD;

/** Derivatives of one step of size h > 0 (s) by `method` from the State: dx1 = dx_dx dx0 + dx_dtau dtau + dx_dc dc,
 *  where x = (q in the tangent basis of derivatives.h, u, z) has n = 2 nu + nz numbers. dx_dx (n x n); dx_dtau (n x
 *  nu), by forces on mobilities beside all that act; dx_dc (n x the System's controls). Row-major; any may be NULL.
 *  `method` as in cdn_step_inverse_dynamics.
 *
 *  These are the derivatives of the whole step: of soft rows, constraints, implicit forces, the motion of coordinates,
 *  and the first step of the projection at the end (without weights). Columns of what is prescribed at the start, and
 *  rows of what is prescribed at the end, are zero, and so are columns of controls that follow a source. Forces, rows
 *  and constraints of yours without derivatives are differenced, as in derivatives.h. So are, to about 1e-9, controls,
 *  and how J (docs/fixed_steps.md) varies: for CDN_METHOD_MUJOCO_IMPLICIT by two evaluations in all, for
 *  CDN_METHOD_MUJOCO_IMPLICIT_FAST by two for each q, u and z.
 *
 *  Stage: Acceleration. Cost: about ten evaluations of forward dynamics, and n^3. Allocates nothing once the State's
 *  workspace has grown. No variable of the State changes. CDN_ERR_ARG if h is not positive and finite.
 *  CDN_ERR_UNSUPPORTED: another method; coordinates that no mobilizer has; line orientation and free line; custom
 *  mobilizers with an N of their own; custom motions at velocity or acceleration level; velocity constraints that are
 *  not linear in u; with dx_dc a control that prescribes a motion, and rows of row providers. Else the errors of
 *  cdn_forward_dynamics_derivatives. */
CDN_API cdn_status cdn_step_derivatives(cdn_state *state, cdn_method method, double h, double *dx_dx, double *dx_dtau,
                                        double *dx_dc) CDN_NODISCARD;

/** Derivatives of cdn_step_inverse_dynamics: dtau = dtau_dx dx + dtau_du_next du_next, with x as in
 *  cdn_step_derivatives: dtau_dx is nu x n, dtau_du_next nu x nu. Row-major; either may be NULL. They follow from the
 *  derivatives of the step that tau brings about, whose errors are multiplied by the condition number of the inertia
 *  that the step sees. Stage, cost and errors: those of cdn_step_derivatives and cdn_step_inverse_dynamics; also
 *  CDN_ERR_UNSUPPORTED while constraints are on or mobilities are prescribed: tau is then not unique, or not read. */
CDN_API cdn_status cdn_step_inverse_derivatives(cdn_state *state, cdn_method method, double h, const double *u_next,
                                                double *dtau_dx, double *dtau_du_next) CDN_NODISCARD;

/** Frees the stepper. NULL is allowed. A call from within one of the stepper's own callbacks is ignored, and the
 *  call that runs the callback then fails. */
CDN_API void cdn_stepper_destroy(cdn_stepper *stepper);

/** Advances the run until cdn_stepper_state is at time t, which must not lie before the State's present time. Steps
 *  are as long as the accuracy allows and need not end at t: dense output gives the State there, with unit
 *  quaternions and on the constraints. t = final_time is reached exactly. *reason (may be NULL) tells why the call
 *  returned. Allocates nothing.
 *
 *  On failure the State is at the last accepted step, and cdn_stepper_failure has the report: CDN_ERR_STEP,
 *  CDN_ERR_LIMIT (call again to continue), CDN_ERR_NONFINITE, CDN_ERR_CONSTRAINT, or the status that a callback
 *  returned (CDN_ERR_STEP in place of its CDN_ERR_LIMIT). After a recoverable failure or a NaN the stepper first
 *  retries with a shorter step. CDN_ERR_ARG: t lies before the State's time or after final_time.
 *
 *  Events (events.h) up to and including time t occur, each once. An event with a handler ends a step. There the
 *  State is on the constraint manifold; if the handler changes the State, the method starts anew, and the
 *  certificate books the jump of energy. If a handler moves the time beyond t, the State is at that later time. A
 *  failure at an event names the event: the status that its callback returned, CDN_ERR_CHATTER, or CDN_ERR_ARG (a
 *  handler moved time back, or a reporter changed a variable). The State is then as it was before the handlers. Once
 *  a handler has stopped the run, further calls leave the State at that time and return CDN_STOPPED in *reason. */
CDN_API cdn_status cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason) CDN_NODISCARD;
/** Takes one accepted step that ends at t_max (may be infinite) or before; the State is then at its end. If the
 *  State lies within the last step, it moves to the end of that step instead, and no new step is taken. CDN_ERR_ARG
 *  if the State is at t_max or final_time already, or if a handler has stopped the run. Other errors: as
 *  cdn_stepper_advance. */
CDN_API cdn_status cdn_stepper_step(cdn_stepper *stepper, double t_max) CDN_NODISCARD;
/** Asks the call of advance or step that is in progress, or else the next one, to return soon: before its next attempt
 *  of a step, or its companion's, it returns CDN_ERR_LIMIT, as at max_steps. Call it again to continue: the bits of the
 *  run are those of a run without interruption. Until then the companion may be behind the run. Other threads and
 *  signal handlers may call this function at any time before cdn_stepper_destroy; it is the only one that they may call
 *  while the stepper is in use. A call that comes to its end beforehand returns as usual, and the next one returns at
 *  once. Cost: one atomic store. Nothing without a stepper. */
CDN_API void cdn_stepper_interrupt(cdn_stepper *stepper);
/** The same, and the attempt of a step that is in progress ends before its next evaluation. It counts as rejected; the
 *  State is at the last accepted step. If the run continues, it repeats the step. Methods of SUNDIALS start anew there,
 *  and the numbers change within the accuracy. For programs that end while a step may take seconds. */
CDN_API void cdn_stepper_break_off(cdn_stepper *stepper);
/** The State at the time last reached, which lives as long as the stepper and is always the same object; NULL without a
 *  stepper. You may read computed values, which realizes it. You may set its variables between calls (forces,
 *  parameters, q, u, z): the next call of advance or step continues from the values you set (docs/inputs.md). A change
 *  of q, u or z starts the method anew here and books the jump of energy; a change of another variable starts the
 *  method anew if it changes the rates. Only cdn_stepper_restart changes the time. */
CDN_API cdn_state *cdn_stepper_state(cdn_stepper *stepper);
/** The companion, the second run of cdn_stepper_def.companion; NULL without one. It belongs to the stepper. Use it
 *  only to look at its State and certificate. It stands at the time of the first run, unless a handler has stopped it
 *  earlier or the last call ended with CDN_ERR_LIMIT. Ask again after each call: where a problem turns out to be
 *  stiff, another one takes over. */
CDN_API cdn_stepper *cdn_stepper_companion(cdn_stepper *stepper);
/** Continues from another State of the same System, at that State's time: after a kick, or a change of parameters.
 *  Drops the method's memory, keeps the statistics, and books the jump of energy. Errors: CDN_ERR_ARG (another
 *  System's State, or a time after final_time), CDN_ERR_CONSTRAINT, and the errors of realization. If `state` cannot
 *  be realized the stepper is unchanged. A companion gets the same change if the time is the present one, and else
 *  starts anew (docs/inputs.md). */
CDN_API cdn_status cdn_stepper_restart(cdn_stepper *stepper, cdn_state *state) CDN_NODISCARD;
/** Number of events that occurred where cdn_stepper_advance returned CDN_HANDLED_EVENT or CDN_STOPPED. */
CDN_API int cdn_stepper_occurrence_count(const cdn_stepper *stepper);
/** One of these events; i counts in the order of handling. Valid until the next call of advance or step. NULL: wrong
 *  i. */
CDN_API const cdn_occurrence *cdn_stepper_occurrence(const cdn_stepper *stepper, int i);
/** Whether a handler has stopped the run. cdn_stepper_restart lets it continue. */
CDN_API bool cdn_stepper_is_stopped(const cdn_stepper *stepper);
/** Size of the last accepted step (s), in which the State lies; 0 before the first step. */
CDN_API double cdn_stepper_last_step(const cdn_stepper *stepper);
/** The def of this stepper, with defaults filled in. Its pointers are valid as long as the stepper is. Without a
 *  stepper: the defaults. */
CDN_SIZED_VALUE(cdn_stepper_def, cdn_stepper_get_def, (const cdn_stepper *stepper), (stepper));
/** Size of the step that will be tried next, s. */
CDN_API double cdn_stepper_next_step(const cdn_stepper *stepper);

/** Whether a run delivered the accuracy that was asked for. */
typedef enum cdn_verdict {
  /** No companion, a run failed, a doubt, the two were not compared up to the present time, or steps are fixed (no
   *  accuracy was asked for). */
  CDN_VERDICT_UNKNOWN,
  CDN_VERDICT_DELIVERED,    /**< the error estimate is at most 3 accuracies */
  CDN_VERDICT_NOT_DELIVERED /**< the error estimate is larger than 3 accuracies */
} cdn_verdict;

/** Quality and statistics of a run; docs/accuracy.md and docs/delivered.md explain the members. */
typedef struct cdn_certificate {
  /* The error of the whole run. A distance is that between the run and its companion (cdn_stepper_def.companion), in
   * the norms of docs/accuracy.md; it is measured each time that advance or step returns, and at events. NaN without
   * a companion. */
  cdn_verdict delivered;
  double accuracy;       /**< the accuracy that was asked for; 0 if steps are fixed */
  double error_estimate; /**< the largest distance: the largest of the next three */
  double error_estimate_q, error_estimate_u, error_estimate_z;
  double error_time;             /**< time of the largest distance, s */
  char error_slot[96];           /**< the coordinate, speed or z with the largest error at that time */
  double delivered_until;        /**< up to this time all distances were at most 3 accuracies */
  double amplification;          /**< error_estimate over the sum of the estimated errors of all steps */
  double event_shift;            /**< largest difference between the times of one event in the two runs, s */
  char event_alone[64];          /**< the first event that occurred in only one of the two runs, or "" */
  double event_alone_time;       /**< time of that event, s */
  char bifurcation[96];          /**< constraints at whose singular pose the two runs took different ways, or "" */
  double bifurcation_time;       /**< time of that pose, s */
  char companion_message[192];   /**< why the companion ended before the run, or "" */
  char failure_message[96];      /**< if the last call failed: the time and the status of the failure; else "" */
  int64_t companion_evaluations; /**< evaluations of ydot by the companion */

  /* Coordinates that the absolute accuracy does not suit. "" if there is none, and with fixed steps. */
  /** A coordinate that moves by less than the accuracy and is not resolved: the first slot of its vector of q. With a
   *  companion: one whose error is half of its motion or more. A larger q_weight, other units or a tighter accuracy
   *  resolve it. */
  char below_tolerance[96];
  double below_tolerance_motion; /**< its largest distance from where it began, weighted */
  /** A coordinate that moves and whose rounding exceeds the accuracy. A looser accuracy, another origin or other units
   *  cure it. */
  char below_rounding[96];
  double below_rounding_size; /**< the size of its rounding, weighted */

  int64_t steps, rejected;    /**< accepted and rejected steps */
  int64_t evaluations;        /**< evaluations of ydot, with those of rejected attempts, without those of reports */
  int64_t jacobians;          /**< evaluations of the Jacobian of the rates, by implicit methods */
  int64_t report_evaluations; /**< evaluations at reports within a step: one to check the step there, and those of some
                                 methods' dense output */
  /** Accepted steps that stability seems to keep short, not accuracy (Hairer and Wanner, IV.2); counted after 15 in
   *  a row. If they are most of the steps, the problem is stiff and an implicit method would cost less.
   *  docs/methods.md lists the methods that can tell. */
  int64_t stiff_steps;
  /** Accepted steps that were allowed an error of the size of the rounding of q, u or z, because their share of the
   *  accuracy was smaller. A tighter accuracy does not improve these steps. */
  int64_t rounding_steps;
  int64_t events; /**< calls of handlers */
  /** Triggers that turned so near to zero that an error of the size of the accuracy decides whether the event
   *  occurs. */
  int64_t near_misses;
  double time_initial, time_final;
  double smallest_step, largest_step;
  double energy_initial, energy_final; /**< kinetic + potential energy at the start and at the last accepted step, J */
  /** Integral of the power of forces without potential, of motions, of locks and of constraints that demand motion,
   *  by the method's own weights, J. */
  double work;
  double energy_jumps; /**< sum of the jumps of energy that restarts and handlers made, J */
  /** (energy_final - energy_initial - work - energy_jumps) / max(largest kinetic energy, integral of |power|, 1e6
   *  roundings of the energies). */
  double energy_residual;
  /** The largest errors at any accepted step, in unit errors (manual 9.3): of position constraints, and of velocity
   *  constraints. The rate of a position constraint counts as a velocity constraint, multiplied by time_scale. */
  double max_position_error, max_velocity_error;
  double max_constraint_error; /**< the largest of the two and of the errors of quaternion lengths */
  /** How often the run was loaded (cdn_stepper_load) on a processor that rounds differently from the processor which
   *  saved it (fused multiply-adds on one of the two only). If it is above 0, the bits differ from those of an
   *  uninterrupted run. */
  int64_t kernel_changes;
  /** The reason why the verdict is unknown although the run and its companion came to the end, or "". Both may err in
   *  the same way, or agree by chance: because of rounding, a motion that is not resolved, an event that is grazed,
   *  soft rows that were not solved, friction without memory, energy that does not balance, shapes that went through
   *  each other, or a companion that is behind the run. docs/delivered.md has the bounds. Without a companion: of
   *  these, what the run alone tells. */
  char doubt[128];
  /** Solver of soft rows (soft.h) and of the contacts of implicit contact steps, over all evaluations, rejected
   *  attempts included. Iterations: the sum, over evaluations, of the largest number that an island took. Residual: the
   *  largest cdn_soft_statistics.residual; stages of implicit contact steps count only if their iterations ran out. 0
   *  without such rows. */
  int64_t soft_iterations;
  double max_soft_residual;
  /** Two shapes of which one has gone through the other, because the force between them is too weak to stop it, or
   *  steps are fixed and too long; "" if there are none. `passed_time`: when, s. */
  char passed[192];
  double passed_time;
  /** Since this time the companion has run without a new start, s: the start of the run, unless a change of yours
   *  could not be made in the companion (docs/inputs.md). The error that was known there counts in error_estimate.
   *  After cdn_stepper_restart from a State of another time, delivered and the estimates cover the run since then.
   *  NaN without a companion. */
  double compared_since;
  double step_accuracy; /**< the accuracy of the steps, cdn_stepper_def.accuracy; 0 if steps are fixed */
  /** The time up to which the run and its companion were compared, s; NaN without a companion. It is the time at
   *  which the run is shown, unless a call has just ended with CDN_ERR_LIMIT, or the companion has ended early. */
  double compared_until;
  /** Stages of the implicit contact step, in all attempts, whose friction was bounded by normal forces that differ from
   *  the resulting ones by 5 % or more after four passes. */
  int64_t unconverged_stages;
} cdn_certificate;

/** The certificate of the run so far. Can be called at any time; realizes the energies of the stepper's State. The
 *  error of that realization, if it fails. */
CDN_SIZED(cdn_stepper_certificate, (cdn_stepper *stepper, cdn_certificate *out), (stepper, out), out);

/** Writes the verdict in one sentence without a full stop, such as "asked 1e-5, delivered about 4e-6", cut to `size`
 *  bytes; 400 are enough. If the accuracy was not delivered the sentence names the coordinate, the time and the
 *  cause. */
CDN_SIZED_VOID(cdn_certificate_verdict, (const cdn_certificate *certificate, char *text, size_t size),
               (certificate, text, size), certificate);
/** A tighter accuracy to ask for, if the accuracy was not delivered and a tighter one is likely to help; else 0. */
CDN_SIZED_PAIR(, double, return, cdn_certificate_suggestion, (const cdn_certificate *certificate), (certificate),
               (size_t struct_size), (sizeof *certificate));

/** The distance between two States, in the norms of the error estimate. */
typedef struct cdn_distance {
  double q, u, z; /**< weighted distances */
  double largest; /**< the largest of the three */
  char slot[96];  /**< the coordinate, speed or z with the largest weighted difference, or "" */
} cdn_distance;
/** The distance between the stepper's State and another State of the same System at the same time. N is evaluated at
 *  the stepper's q. */
CDN_SIZED(cdn_stepper_distance, (cdn_stepper *stepper, cdn_state *other, cdn_distance *out), (stepper, other, out),
          out);

/* ---- checkpoints (docs/checkpoints.md) ---- */

/** Writes everything that the future of the run depends on: the States, the method's memory, step sizes, the memory
 *  and the queue of events, the certificate so far, and the def. Call it between calls of advance, not from a
 *  callback. Saving changes nothing, except with methods whose memory cannot be saved (docs/methods.md): those start
 *  anew here. Errors: the status that `write` returned; CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_stepper_save(cdn_stepper *stepper, cdn_write_fn *write, void *context) CDN_NODISCARD;
/** Makes a stepper that continues the saved run: the same calls on the saved stepper and on this one give the same
 *  bits, on the same kind of machine. A processor of another kind may round differently:
 *  cdn_certificate.kernel_changes counts that. `state` tells the System and is not changed; it receives the message
 *  of a failure: CDN_ERR_ARG (another System; the message has the first difference), CDN_ERR_PARSE (damaged bytes),
 *  CDN_ERR_NOMEM, or the status that `read` returned. `user` and `companion_user` are those of cdn_stepper_def:
 *  pointers cannot be saved. */
CDN_API cdn_status cdn_stepper_load(cdn_state *state, void *user, void *companion_user, cdn_read_fn *read,
                                    void *context, cdn_stepper **out) CDN_NODISCARD;

#define CDN_FAILURE_STEPS 8

/** Why a run failed; docs/failure-reports.md explains the members. */
typedef struct cdn_failure {
  cdn_error error;   /**< status, element and text, copied from the State that failed */
  double time, step; /**< the time reached, and the size of the step last tried, s */
  /** The slot with the largest weighted error in the last attempt that had an error estimate, or "". */
  char coordinate[96];
  double coordinate_error; /**< its weighted error, divided by the error allowed (a tenth of the accuracy) */
  /** The last attempts, oldest first: the time at which each began, its size, and its error divided by the error
   *  allowed (above 1: rejected; -1: an evaluation failed; 0: steps are fixed). */
  int n_last;
  double last_time[CDN_FAILURE_STEPS], last_step[CDN_FAILURE_STEPS],
      last_error[CDN_FAILURE_STEPS]; /**< error divided by the error allowed; -1: could not be evaluated */
  char advice[448];                  /**< what to try */
} cdn_failure;

/** The last failure of a call on this stepper; error.code is CDN_OK if there was none. */
CDN_SIZED_PAIR(, void, , cdn_stepper_failure, (const cdn_stepper *stepper, cdn_failure *out), (stepper, out),
               (size_t struct_size, size_t error_size), (sizeof *out, sizeof out->error));

CDN_END_DECLS
#endif
