/* Cardan: prescribed motion and locks (manual 8.3, 8.4, 10.3).
 *
 * A mobilizer is free (forces drive it) or prescribed. A *motion* prescribes it as a function of time; a mobilizer
 * has at most one. A *lock* prescribes a constant value, and replaces the motion as long as the lock lasts. Both act
 * at one of three levels:
 *
 *   position      q = q(t);        u and udot follow:  u = N^+ qdot,  udot = N^+ (qdotdot - Ndot u)
 *   velocity      u = u(t, q);     udot follows; q is integrated
 *   acceleration  udot(t, q, u);   u and q are integrated
 *
 * Prescribed values are computed: if you set q or u of a prescribed slot, no computed value changes. The effective
 * values are in cdn_state_q_eff and cdn_state_u_eff. cdn_prescribe writes them back into q and u; the stepper does
 * so at every State that it accepts or shows. When you release a motion or lock, q and u keep their last prescribed
 * values.
 *
 * The generalized forces tau that enforce motions and locks are on the left side of the equations of motion (8.13),
 * as in Simbody:
 *
 *   M udot + tau = f - f_bias
 *
 * So the force that acts on the mobility (the motor's torque) is -tau, and the motors' power is -tau . u.
 *
 * Parameters of motions, and locks, are Instance-stage variables. Setting one invalidates the results that depend on
 * it. A System without motions and locks pays only a copy of q and u. docs/motion.md has the manual's table.
 *
 * Ids that the System does not have give CDN_ERR_ARG with a message on the State, where a function returns a status.
 *
 * I want to
 *   count motions, find one by name, get its name: cdn_system_motion_count, cdn_system_find_motion, cdn_motion_name
 *   get the body that a motion drives, or the motion of a body: cdn_motion_body, cdn_body_motion
 *   prescribe a joint's motion: sinusoidal, steady or by my own functions: cdn_system_add_motion
 *   fill in a motion's definition with its defaults: cdn_default_motion_def
 *   switch a motion off or on, or ask whether it is on: cdn_motion_set_enabled, cdn_motion_is_enabled
 *   read or change a motion's parameters: cdn_motion_params, cdn_motion_set_params
 *   add a body that my program poses (mocap): cdn_system_add_motion
 *   ask whether a body is one: cdn_body_is_mocap
 *   pose it, or give it a velocity: cdn_mocap_set_pose, cdn_mocap_set_velocity
 *   pose all of them as q and u of the State say, of a recording for one: cdn_mocap_take
 *   lock a joint where it is: cdn_body_lock
 *   lock a joint at given values: cdn_body_lock_at
 *   unlock a joint: cdn_body_unlock
 *   ask whether and at which level a joint is locked: cdn_body_lock_level
 *   ask what drives a joint at present: cdn_body_driver
 *   get the forces that enforce all motions and locks: cdn_motion_forces
 *   get the force of one motion: cdn_motion_force
 *   get the power that motions and locks put in: cdn_motion_power */
#ifndef CARDAN_MOTION_H
#define CARDAN_MOTION_H

#include <cardan/controls.h>
#include <cardan/matter.h>

CDN_BEGIN_DECLS

enum { CDN_MOTION_PARAMS = 6 }; /**< number of parameters of a motion */

/** Arguments of the functions of a motion. The library owns them; later releases append members. */
typedef struct cdn_motion_input {
  double t;             /**< s; 0 for a timeless motion */
  const double *params; /**< the motion's CDN_MOTION_PARAMS parameters */
  int nq, nu;           /**< numbers of the mobilizer's coordinates and speeds */
  int first_q, first_u; /**< the mobilizer's own are q[first_q] ... and u[first_u] ... */
  const double *q;      /**< effective coordinates of the whole System, rad or m; NULL at position level */
  const double *u;      /**< effective speeds of the whole System, rad/s or m/s; NULL except for udot */
} cdn_motion_input;

/** A function of a motion: writes the mobilizer's nq numbers (q, qdot, qdotdot) or nu numbers (u, udot) into `out`.
 *  A status other than CDN_OK is returned to the caller of realize. A NaN or an infinity is a failure that names the
 *  motion. */
typedef cdn_status cdn_motion_fn(const void *self, const cdn_motion_input *in, double *out);

/** A motion of your own, at the level of its def. `self` is the System's copy of the private part. Several threads may
 *  call the functions at once, on different States, so they must not change anything outside `out`. */
typedef struct cdn_motion_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; copied */
  size_t self_size; /**< bytes of the private part */
  /** true: no function reads t. Setting the time alone then leaves velocities valid. Not at position level. */
  bool timeless;
  /** Position level: q(t) and its first and second time derivatives. Quaternions must have unit length to 1e-6; the
   *  library corrects the rest. */
  cdn_motion_fn *q, *qdot, *qdotdot;
  /** Velocity level: u(t, q). It may read every coordinate that does not itself depend on u. */
  cdn_motion_fn *u;
  /** Velocity level: du/dt along qdot = N u. Acceleration level: udot(t, q, u). */
  cdn_motion_fn *udot;
  void (*destroy)(void *self); /**< called once with the System's copy, when the System goes; may be NULL */
} cdn_motion_ops;

typedef enum cdn_motion_kind {
  /** Every coordinate of the mobilizer (or speed, or acceleration, by level) is a sin(w t + p). Parameters:
   *  amplitude a, rate w (rad/s), phase p (rad). Not at position level of a mobilizer with a quaternion. */
  CDN_MOTION_SINUSOID,
  CDN_MOTION_STEADY, /**< velocity level: u is constant; the parameters are its nu values */
  CDN_MOTION_CUSTOM, /**< the functions of `custom`; you define the parameters */
  /** Every coordinate of the mobilizer (or speed, or acceleration, by level) is the value of a control, within its
   *  limits. The rates are those of the control's source; a control that your program writes is constant in between.
   *  Not of a control that follows a measure, and not at position level of a mobilizer with a quaternion. */
  CDN_MOTION_CONTROLLED,
  /** Pose and velocity are inputs of the State: cdn_mocap_set_pose, cdn_mocap_set_velocity. Always at position level,
   *  of a CDN_FREE mobilizer with a quaternion that stands on Ground. No parameters in the def. It cannot be off. */
  CDN_MOTION_MOCAP
} cdn_motion_kind;

/** When prescribed values change (manual 10.3). */
typedef enum cdn_motion_rate {
  CDN_RATE_DYNAMIC, /**< continuously: a free mobilizer, or a motion that is a function of time */
  /** at events only, udot = 0 in between: locks at position and velocity level, steady motions, mocap bodies,
   *  controls that your program writes */
  CDN_RATE_SLOW,
  CDN_RATE_FAST /**< quasi-static, always in equilibrium: refused, since there is no solver for it yet */
} cdn_motion_rate;

typedef struct cdn_motion_def {
  CDN_DEF_HEADER;
  const char *name;                 /**< copied; NULL: "motion<i>" */
  cdn_body body;                    /**< the body whose mobilizer moves; must be set */
  cdn_motion_kind kind;             /**< default: sinusoid */
  cdn_motion_level level;           /**< default: position; steady motions are at velocity level */
  cdn_motion_rate rate;             /**< default: dynamic; slow and fast are refused with the reason */
  bool disabled;                    /**< true: the motion starts switched off */
  double params[CDN_MOTION_PARAMS]; /**< parameters of the kind. Default: zeros */
  const cdn_motion_ops *custom;     /**< for CDN_MOTION_CUSTOM */
  const void *custom_self;          /**< its private part; copied; may be NULL if custom->self_size is 0 */
  cdn_control control;              /**< for CDN_MOTION_CONTROLLED; default { -1 }: none */
} cdn_motion_def;

CDN_DEF(motion_def);

/** Adds a motion. Building mistakes (cdn_system_freeze then fails): a mobilizer that has a motion
 *  already or has no mobility, functions missing for the level, parameters that are not finite. The body may be
 *  massless. */
CDN_API cdn_motion cdn_system_add_motion(cdn_system *system, const cdn_motion_def *def);

/** The number of motions: their ids are 0 to this, without it. */
CDN_API int cdn_system_motion_count(const cdn_system *system);
CDN_API const char *cdn_motion_name(const cdn_system *system, cdn_motion motion); /**< NULL for a wrong id */
/** The motion of this name, or { -1 }. O(number of motions). */
CDN_API cdn_motion cdn_system_find_motion(const cdn_system *system, const char *name);
CDN_API cdn_body cdn_motion_body(const cdn_system *system, cdn_motion motion); /**< { -1 } for a wrong id */
CDN_API cdn_motion cdn_body_motion(const cdn_system *system, cdn_body body);   /**< { -1 } if it has none */

/* ---- in a State ------------------------------------------------------------------------------- */

/** Switches a motion on or off. While it is off, a lock holds the mobilizer, or it is free. */
CDN_API cdn_status cdn_motion_set_enabled(cdn_state *state, cdn_motion motion, bool enabled) CDN_NODISCARD;
CDN_API bool cdn_motion_is_enabled(const cdn_state *state, cdn_motion motion); /**< false for a wrong id */
/** The CDN_MOTION_PARAMS parameters; valid until they are set again. NULL for a wrong id. */
CDN_API const double *cdn_motion_params(const cdn_state *state, cdn_motion motion);
/** Sets all CDN_MOTION_PARAMS parameters. Also CDN_ERR_NONFINITE. */
CDN_API cdn_status cdn_motion_set_params(cdn_state *state, cdn_motion motion, const double *params) CDN_NODISCARD;

/** Locks a mobilizer at its present effective values. Position level: q stays and u = 0. Velocity level: u stays.
 *  Acceleration level: udot = 0. Computes positions or velocities if it needs them. A second lock replaces the
 *  first. */
CDN_API cdn_status cdn_body_lock(cdn_state *state, cdn_body body, cdn_motion_level level) CDN_NODISCARD;
/** Locks a mobilizer at given values: nq numbers at position level (a quaternion is normalized), else nu numbers. */
CDN_API cdn_status cdn_body_lock_at(cdn_state *state, cdn_body body, cdn_motion_level level, int n,
                                    const double *values) CDN_NODISCARD;
/** Removes a lock, if there is one. The mobilizer follows its motion again, or is free and keeps its last q and u. */
CDN_API cdn_status cdn_body_unlock(cdn_state *state, cdn_body body) CDN_NODISCARD;
CDN_API cdn_motion_level cdn_body_lock_level(const cdn_state *state, cdn_body body); /**< CDN_LEVEL_NONE: not locked */

/** The source of a mobilizer's motion at present: a row of the table in manual 10.3. */
typedef struct cdn_driver {
  cdn_motion_level level; /**< CDN_LEVEL_NONE: forces alone drive the mobilizer */
  cdn_motion_rate rate;   /**< when the prescribed values change */
  bool locked;            /**< whether a lock holds it */
  cdn_motion motion;      /**< the motion that it follows, or { -1 } */
} cdn_driver;
CDN_SIZED_VALUE(cdn_driver, cdn_body_driver, (const cdn_state *state, cdn_body body), (state, body));

/* ---- mocap bodies -----------------------------------------------------------------------------
 *
 * The body of a CDN_MOTION_MOCAP has the pose that your program gives it, and no force moves it. Constraints, contact,
 * sensors and the bodies that hang on it see its pose and its velocity. A new State has the pose of the body's q0 and
 * no velocity. With a velocity the body moves on from the pose, at that velocity, until you set another. Its shapes do
 * not touch those of Ground and of other mocap bodies. Its inputs are 14 parameters of the State, which the element of
 * the motion names (elements.h): the quaternion (w x y z; of any length but zero) and the position of M in F, its
 * angular and linear velocity in F's axes, and the time at which it had that pose. Setting one invalidates what depends
 * on positions. */

CDN_API bool cdn_body_is_mocap(const cdn_system *system, cdn_body body); /**< false for a wrong id */
/** Poses a mocap body: X_GB, at the State's time. Its velocity stays. CDN_ERR_ARG: the body is no mocap body, or R is
 *  no rotation to 1e-9; CDN_ERR_NONFINITE. */
CDN_API cdn_status cdn_mocap_set_pose(cdn_state *state, cdn_body body, cdn_transform X_GB) CDN_NODISCARD;
/** Gives it a velocity: angular (rad/s), and of B's origin (m/s), in Ground's axes. Its present pose stays. From there
 *  on the angular velocity and the velocity of M's origin are constant. */
CDN_API cdn_status cdn_mocap_set_velocity(cdn_state *state, cdn_body body, cdn_spatial V_GB) CDN_NODISCARD;
/** Gives all mocap bodies the poses and velocities that q and u of the State have, as a recording gives them: while
 *  the motion prescribes them, nothing else reads these numbers. CDN_ERR_ARG: a quaternion is zero; then nothing
 *  changes. */
CDN_API cdn_status cdn_mocap_take(cdn_state *state) CDN_NODISCARD;

/* ---- forces of motions and locks -------------------------------------------------------------- */

/** tau, nu numbers, 0 for free mobilities; the top of this file explains its sign. NULL on failure, with the message
 *  on the State. Valid until the State changes. Realizes Acceleration. Computed when asked for; O(prescribed
 *  bodies). */
CDN_API const double *cdn_motion_forces(cdn_state *state);
/** Copies the part of tau that belongs to the mobilizer of one motion, nu numbers of that mobilizer; zeros while the
 *  motion is off or a lock replaces it. Realizes Acceleration. */
CDN_API cdn_status cdn_motion_force(cdn_state *state, cdn_motion motion, double *tau) CDN_NODISCARD;
/** *power = -tau . u, the power (W) that all motions and locks put into the system. Realizes Acceleration. */
CDN_API cdn_status cdn_motion_power(cdn_state *state, double *power) CDN_NODISCARD;
/** Ticket of tau, for entries that depend on it. */
extern CDN_API const cdn_ticket CDN_MOTION_FORCES;

CDN_END_DECLS
#endif
