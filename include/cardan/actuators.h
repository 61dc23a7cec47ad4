/* Cardan: actuators with a transmission, an activation and a law: motors on sites, servos on tendons, cylinders on
 * slider-cranks, suction cups, muscles. The actuator of forces.h (cdn_system_add_actuator) acts on one mobility and is
 * the fastest; the functions below that read an actuator know it, too.
 *
 * A *drive* reads one control c (controls.h). Its *activation* makes a signal a of c. Its *transmission* has a length l
 * with a rate ldot. Its *law* makes a force p of them, which acts along the length:
 *
 *     p = gain(l, ldot) a + bias(l, ldot),   within limits
 *
 * The generalized forces are p times the *moments*, which are the derivatives of l by the coordinates. So p ldot is the
 * power. docs/actuators.md has the formulas.
 *
 *     cdn_drive_def def = cdn_default_drive_def();
 *     def.on = CDN_ON_PATH, def.path = biceps, def.control = excitation;
 *     def.dynamics = CDN_ACTUATOR_MUSCLE, def.gain_law = def.bias_law = CDN_LAW_OF_MUSCLE;
 *     def.muscle = cdn_default_muscle(), def.muscle.peak = 800;
 *     def.muscle.length_range[0] = 0.21, def.muscle.length_range[1] = 0.34;
 *     cdn_force force = cdn_system_add_drive(system, "biceps", &def);
 *
 * I want to
 *   add an actuator on a joint, a path, a frame, a slider-crank or contacts: cdn_system_add_drive,
 *       cdn_default_drive_def
 *   start the numbers of a muscle: cdn_default_muscle
 *   know the curves of a muscle: cdn_muscle_gain, cdn_muscle_bias, cdn_muscle_rate
 *   bound what several actuators do together on one mobility, or along a path: cdn_system_limit_drives,
 *       cdn_system_limit_drives_along
 *   get length and rate of an actuator: cdn_actuator_length, cdn_actuator_rate
 *   get its moments: cdn_actuator_moments
 *   get its force, and its signal: cdn_actuator_force, cdn_actuator_signal
 *   find its activation among the auxiliary states: cdn_actuator_activation
 *   find controls that give wanted generalized forces: cdn_actuator_find_controls */
#ifndef CARDAN_ACTUATORS_H
#define CARDAN_ACTUATORS_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/* ---- muscles -------------------------------------------------------------------------------- */

/** The numbers of a muscle, as MuJoCo has them. Lengths in the curves are those of the muscle over its optimal length;
 *  they are range[0] where l is length_range[0], and range[1] where l is length_range[1]. The struct never changes. */
typedef struct cdn_muscle {
  double range[2];        /**< the muscle's lengths, range[0] < range[1]. Default 0.75, 1.05 */
  double peak;            /**< the largest active force at rest, N; negative: scale / acceleration. Default -1 */
  double scale;           /**< > 0; N m/s^2 or the like. Default 200 */
  double lmin, lmax;      /**< where the active force ends, lmin < 1 < lmax. Default 0.5, 1.6 */
  double vmax;            /**< the speed of shortening without a force, optimal lengths a second, > 0. Default 1.5 */
  double fpmax;           /**< the passive force at lmax over the peak, > 0. Default 1.3 */
  double fvmax;           /**< the active force at fast lengthening over the peak, > 0. Default 1.2 */
  double length_range[2]; /**< extremes of l, m. Default 0, 1 */
  double acceleration;    /**< |M^-1 moments| at the default coordinates; used if peak < 0. Default 1 */
} cdn_muscle;
CDN_API cdn_muscle cdn_default_muscle(void);

/** The active force for an activation of 1, N: -peak times force-length times force-velocity curve; a muscle pulls. */
CDN_API double cdn_muscle_gain(const cdn_muscle *muscle, double length, double rate);
/** The passive force, N. */
CDN_API double cdn_muscle_bias(const cdn_muscle *muscle, double length);
/** da/dt of an activation a for a control c (Millard et al. 2013): (c - a) / T, where T is time[0] (0.5 + 1.5 a) if a
 *  rises and time[1] / (0.5 + 1.5 a) if it falls. time[2] > 0: between them T goes over smoothly where |c - a| is below
 *  time[2] / 2. In T a counts as within 0 and 1, and c does everywhere. */
CDN_API double cdn_muscle_rate(const double time[3], double control, double activation);

/* ---- drives ----------------------------------------------------------------------------------- */

/** What an actuator acts on: its length l and its moments. */
typedef enum cdn_transmission {
  CDN_ON_JOINT,   /**< `body`'s mobilizer: one coordinate, l = gear[0] q; a ball, l = gear[0..2] . its rotation vector;
                   *   a free joint, l = 0. Moment and force gear are along the axes of M, or of F if `in_parent`; of a
                   *   free joint the force is along F's axes in either case */
  CDN_ON_PATH,    /**< l = gear[0] times the length of `path`: p > 0 makes it longer */
  CDN_ON_FRAME,   /**< frame X_BS on `body`: moment gear[0..2] and force gear[3..5] in its axes, l = 0. Seen from a
                   *   reference: in the axes of frame X_RF on `reference`, where l is the product of gear with the
                   *   rotation vector (angle up to pi) and the place of the frame; the outermost body that carries both
                   *   has the moment that is missing to the balance */
  CDN_ON_CRANK,   /**< a slider on the z axis of frame X_RF on `reference` is joined by a rod of length `rod` to the
                   *   origin of frame X_BS on `body`: l = gear[0] times the slider's place on the axis. Where the rod
                   *   does not reach the axis, the slider is at the axis's point next to the crank */
  CDN_ON_CONTACTS /**< the mean of the soft contacts of `body`: p > 0 presses the surfaces together, l = 0, and the
                   *   gear has no part */
} cdn_transmission;

/** The signal a that drives an actuator, from its control c. But for the first a is an auxiliary state. */
typedef enum cdn_actuator_dynamics {
  CDN_ACTUATOR_DIRECT,     /**< a = c */
  CDN_ACTUATOR_INTEGRATOR, /**< da/dt = c */
  CDN_ACTUATOR_FILTER,     /**< da/dt = (c - a) / time[0] */
  CDN_ACTUATOR_MUSCLE,     /**< da/dt = cdn_muscle_rate(time, c, a) */
  CDN_ACTUATOR_USER        /**< da/dt is what user.rate says */
} cdn_actuator_dynamics;

/** Where gain and bias come from. */
typedef enum cdn_drive_law {
  CDN_LAW_AFFINE,    /**< three numbers: x[0] + x[1] l + x[2] ldot */
  CDN_LAW_OF_MUSCLE, /**< the gain: cdn_muscle_gain; the bias: cdn_muscle_bias */
  CDN_LAW_OF_USER    /**< user.gain; user.bias */
} cdn_drive_law;

/** What functions of a user know of an actuator. Later releases append members. */
typedef struct cdn_drive_view {
  cdn_control control; /**< the control that the actuator reads */
  /** The control and the signal within its limits, in their units; of the function for da/dt, a is the activation
   *  itself. */
  double c, a;
  double length, rate; /**< of the transmission: m or rad, and m/s or rad/s */
} cdn_drive_view;
/** Computes a rate (1/s), a gain or a bias (N). It may read t, q, u and parameters of the State, and the view. Lengths
 *  are not known, and 0, in the function of a rate. */
typedef cdn_status cdn_drive_fn(void *context, cdn_state *state, const cdn_drive_view *view, double *value);
/** Functions of a user, for actuators that ask for them. A rate or a bias that is missing is 0, a gain 1. The struct
 *  never changes. */
typedef struct cdn_drive_user {
  void *context; /**< must live as long as the System; called by every thread that evaluates a State */
  cdn_drive_fn *rate, *gain, *bias;
} cdn_drive_user;

/** Derivatives of a rate, a gain or a bias by a, length and rate of the view; 0 before the call. by_a, by_length and
 *  by_rate have the unit of the function over that of the variable. */
typedef struct cdn_drive_slopes {
  double by_a, by_length, by_rate;
} cdn_drive_slopes;
/** Computes them. By it a function of a user says that it reads t, parameters and the view alone: no q or u in another
 *  way. */
typedef cdn_status cdn_drive_slopes_fn(void *context, cdn_state *state, const cdn_drive_view *view,
                                       cdn_drive_slopes *slopes);

typedef struct cdn_drive_def {
  CDN_DEF_HEADER;
  cdn_control control; /**< must be set */
  cdn_transmission on; /**< default CDN_ON_JOINT */
  cdn_body body;       /**< the body whose joint it acts on, or that has the frame */
  cdn_transform X_BS;  /**< the frame on the body, m. Default: identity */
  bool has_reference;  /**< of a frame: it is seen from another one */
  cdn_body reference;  /**< default Ground */
  cdn_transform X_RF;  /**< the frame on the reference, m. Default: identity */
  cdn_path path;       /**< the path on which it acts */
  double rod;          /**< m, > 0 */
  double gear[6];      /**< factors of the length along the moment's, then the force's axes. Default 1 0 0 0 0 0 */
  bool in_parent;      /**< of a ball or free joint: the gear is along F's axes instead of M's. Default false */
  cdn_actuator_dynamics dynamics;            /**< default CDN_ACTUATOR_DIRECT */
  double time[3];                            /**< time constants, s, > 0; the third: the width, >= 0. Default 1 1 0 */
  double activation_lower, activation_upper; /**< a, in its unit, does not leave these. Default: infinite */
  cdn_drive_law gain_law, bias_law;          /**< default CDN_LAW_AFFINE */
  double gain[3], bias[3];                   /**< numbers of the laws. Default 1 0 0, 0 0 0 */
  cdn_muscle muscle, passive;                /**< of the gain; of the bias. Default: cdn_default_muscle */
  double lower, upper;                       /**< limits of p, N or N m, lower < upper. Default: infinite */
  cdn_drive_user user;                       /**< functions for the dynamics and laws of a user's */
  /** Of a filter: equal steps by MuJoCo's methods follow it exactly, as if c were constant in a step (its filterexact),
   *  instead of by Euler's rule. Other methods see no difference. Default false */
  bool exact_filter;
  /** s, >= 0: the signal is what the activation would be after this time at its present rate, by the rule of
   *  exact_filter, within the limits. MuJoCo's actearly has the time of a step. Default 0 */
  double early;
  /** Derivatives of the functions in `user`; with its context. NULL: those of the actuator are differences. */
  cdn_drive_slopes_fn *rate_slopes, *gain_slopes, *bias_slopes;
} cdn_drive_def;
CDN_DEF(drive_def);

/** Adds it. No potential: its power is work in the energy certificate. A run with error control ends a step where a
 *  limit begins or ends to hold an activation; an event at the end of each step brings it back to the limit.
 *  Derivatives are exact, but for those on contacts, and of functions of a user without slopes, which are
 *  differences. Sticky. */
CDN_API cdn_force cdn_system_add_drive(cdn_system *system, const char *name, const cdn_drive_def *def);

/** Bounds the sum of what n actuators (copied) do on mobility k of a body, and compensations of gravity, which may be
 *  among them: a force element adds what is missing to the bound, N m or N, lower < upper. Its derivatives are
 *  differences. Sticky. */
CDN_API cdn_force cdn_system_limit_drives(cdn_system *system, const char *name, cdn_body body, int k, int n,
                                          const cdn_force *actuators, double lower, double upper);

/** Bounds the sum of p of n drives on one path, N: where it is beyond a bound, all of their forces act smaller by one
 *  factor, which leaves the bound. (cdn_actuator_force tells p without it.) Otherwise as cdn_system_limit_drives. */
CDN_API cdn_force cdn_system_limit_drives_along(cdn_system *system, const char *name, cdn_path path, int n,
                                                const cdn_force *actuators, double lower, double upper);

/* ---- in a State ------------------------------------------------------------------------------- */

/* `force` is an actuator of forces.h or a drive, on or off. Errors: CDN_ERR_ARG for another force; what realization
 * reports. */

/** The length l. Realizes Position. O(1); along a path: as cdn_path_length. Of an actuator on one mobility: the def's
 *  gear times q. */
CDN_API cdn_status cdn_actuator_length(cdn_state *state, cdn_force force, double *length) CDN_NODISCARD;
/** Its rate. Realizes Velocity. */
CDN_API cdn_status cdn_actuator_rate(cdn_state *state, cdn_force force, double *rate) CDN_NODISCARD;
/** The generalized forces of p = 1: nu numbers, whose product with u is the rate. Realizes Position. O(nu). */
CDN_API cdn_status cdn_actuator_moments(cdn_state *state, cdn_force force, double *moments) CDN_NODISCARD;
/** The force p, N or N m over the gear, within its limits. Realizes Velocity. */
CDN_API cdn_status cdn_actuator_force(cdn_state *state, cdn_force force, double *p) CDN_NODISCARD;
/** The signal a: the control within its limits, or the activation. */
CDN_API cdn_status cdn_actuator_signal(cdn_state *state, cdn_force force, double *a) CDN_NODISCARD;
/** Its auxiliary state; group -1: it has none, or the System is not frozen. */
CDN_API cdn_zvar cdn_actuator_activation(const cdn_system *system, cdn_force force);

/** Signals a (n numbers) of n actuators whose generalized forces come as near as possible to `wanted` (nu numbers): the
 *  least squares of the difference, each within its limits (lower, upper: n numbers, may be infinite; NULL: those of
 *  their controls). Of several that are as good, one with small signals. Limits of forces count, too. For an actuator
 *  without an activation the signal is the control to write. residual (may be NULL): the root of the squares that
 *  remain. Realizes Velocity. Errors: CDN_ERR_ARG, CDN_ERR_NOMEM, CDN_ERR_SINGULAR. O(n^2 nu) an iteration. */
CDN_API cdn_status cdn_actuator_find_controls(cdn_state *state, int n, const cdn_force *actuators, const double *wanted,
                                              const double *lower, const double *upper, double *signals,
                                              double *residual) CDN_NODISCARD;

CDN_END_DECLS
#endif
