/* Cardan: prescribed motion and locks (manual 8.3, 8.4, 10.3).
 *
 * A mobilizer is free (driven by forces), or its motion is known: by a *motion*, at most one a mobilizer, or by a *lock*,
 * which takes the place of a motion while it lasts. What is known is known at a level:
 *
 *   position      q = q(t);        u and udot follow:  u = N^+ qdot,  udot = N^+ (qdotdot - Ndot u)
 *   velocity      u = u(t, q);     udot follows; q is integrated
 *   acceleration  udot(t, q, u);   u and q are integrated
 *
 * Prescribed values are derived: setting q or u of a slot that is prescribed has no effect on anything computed.
 * cdn_state_q_eff and cdn_state_u_eff show what counts; cdn_prescribe writes it back into q and u, and the stepper does so
 * at every state that it accepts or shows. What a mobilizer was made to do stays where it is when it is set free.
 *
 * The generalized forces tau that enforce all this are on the left of the equations of motion (8.13), as in Simbody:
 *
 *   M udot + tau = f - f_bias,     so that the force on the mobility is -tau, and the power put in is -tau . u
 *
 * Motions, like all parameters, are Instance-stage variables; what is invalidated is just what depends on them. In Systems
 * without motions and locks none of this costs anything but a copy of q and u. docs/motion.md has the manual's table. */
#ifndef CARDAN_MOTION_H
#define CARDAN_MOTION_H

#include <cardan/matter.h>

CDN_BEGIN_DECLS

enum { CDN_MOTION_PARAMS = 6 }; /**< parameters a motion */

/** What the functions of a motion are given. The library owns it; later releases append members. */
typedef struct cdn_motion_input {
  double t;             /**< s; 0 for a timeless motion */
  const double *params; /**< the motion's CDN_MOTION_PARAMS parameters */
  int nq, nu;           /**< the mobilizer's */
  int first_q, first_u; /**< the mobilizer's own are q[first_q] ... and u[first_u] ... */
  const double *q;      /**< effective coordinates of the whole System; NULL at position level */
  const double *u;      /**< effective speeds of the whole System; NULL but for udot */
} cdn_motion_input;

/** One of a motion's functions: fills `out` with the mobilizer's nq (q and its rates) or nu numbers. A status other than
 *  CDN_OK passes through to the caller of realize; what is not finite is a failure that names the motion. */
typedef cdn_status cdn_motion_fn(const void *self, const cdn_motion_input *in, double *out);

/** A motion of the user's, at the def's level. `self` is the System's copy of the private part, const; functions may be
 *  called from several threads at once, on different States. */
typedef struct cdn_motion_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; copied */
  size_t self_size; /**< bytes of the private part */
  /** No function reads t: setting the time alone then leaves velocities valid. Not at position level. */
  bool timeless;
  /** Position level: q(t), and its first and second derivatives by t. Quaternions are of unit length (to 1e-6; what is
   *  missing of it is made up). */
  cdn_motion_fn *q, *qdot, *qdotdot;
  /** Velocity level: u(t, q). It may read any coordinate that does not itself depend on u. */
  cdn_motion_fn *u;
  /** Velocity level: du/dt along the motion (with qdot = N u); acceleration level: udot(t, q, u). */
  cdn_motion_fn *udot;
  void (*destroy)(void *self); /**< called once with the System's copy, when the System goes; may be NULL */
} cdn_motion_ops;

typedef enum cdn_motion_kind {
  /** Every coordinate (speed, acceleration: by level) of the mobilizer is a sin(w t + p); the parameters are the amplitude
   *  a, the rate w (rad/s) and the phase p (rad). Not at position level of a mobilizer with a quaternion. */
  CDN_MOTION_SINUSOID,
  CDN_MOTION_STEADY, /**< velocity level: u is constant; the parameters are its nu values */
  CDN_MOTION_CUSTOM  /**< by ops; the parameters are the user's */
} cdn_motion_kind;

/** How what is driven is updated as time goes on (10.3). */
typedef enum cdn_motion_rate {
  CDN_RATE_DYNAMIC, /**< continuously: free, or a motion's functions of time */
  CDN_RATE_SLOW,    /**< at events only (udot = 0 in between): locks at position and velocity level, steady motions */
  CDN_RATE_FAST     /**< quasi-static, always in equilibrium: refused until there is a solver for it */
} cdn_motion_rate;

typedef struct cdn_motion_def {
  CDN_DEF_HEADER;
  const char *name;                 /**< copied; NULL: "motion<i>" */
  cdn_body body;                    /**< whose mobilizer; default: none */
  cdn_motion_kind kind;             /**< default: sinusoid */
  cdn_motion_level level;           /**< default: position; steady motions are at velocity level */
  cdn_motion_rate rate;             /**< default: dynamic; slow and fast are refused with the reason */
  bool disabled;                    /**< starts switched off */
  double params[CDN_MOTION_PARAMS]; /**< default: zeros */
  const cdn_motion_ops *custom;     /**< for CDN_MOTION_CUSTOM, with its private part: */
  const void *custom_self;          /**< copied; may be NULL if custom->self_size is 0 */
} cdn_motion_def;

/** cdn_default_motion_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_motion_def_init(void *def, size_t size);
static inline cdn_motion_def cdn_default_motion_def(void) {
  cdn_motion_def def;
  cdn_motion_def_init(&def, sizeof def);
  return def;
}

/** Adds a motion. Refused (at freezing, as any building mistake): a mobilizer that has one already or nothing to move,
 *  functions missing for the level, parameters that are not finite. A body without inertia of its own may be moved. */
CDN_API cdn_motion cdn_system_add_motion(cdn_system *system, const cdn_motion_def *def);

CDN_API int cdn_system_motion_count(const cdn_system *system);
CDN_API const char *cdn_motion_name(const cdn_system *system, cdn_motion motion); /**< NULL for a wrong id */
/** The motion of this name, or { -1 }. O(number of motions). */
CDN_API cdn_motion cdn_system_find_motion(const cdn_system *system, const char *name);
CDN_API cdn_body cdn_motion_body(const cdn_system *system, cdn_motion motion); /**< { -1 } for a wrong id */
CDN_API cdn_motion cdn_body_motion(const cdn_system *system, cdn_body body);   /**< { -1 } if it has none */

/* ---- in a State ------------------------------------------------------------------------------- */

/** Switches a motion off and on again. What it drives is held by a lock or free meanwhile. */
CDN_API cdn_status cdn_motion_set_enabled(cdn_state *state, cdn_motion motion, bool enabled);
CDN_API bool cdn_motion_is_enabled(const cdn_state *state, cdn_motion motion);
/** The CDN_MOTION_PARAMS parameters; NULL for a wrong id. */
CDN_API const double *cdn_motion_params(const cdn_state *state, cdn_motion motion);
CDN_API cdn_status cdn_motion_set_params(cdn_state *state, cdn_motion motion, const double *params);

/** Holds a mobilizer at what it is (effective values: positions or velocities are computed for it): q at its value and
 *  u = 0; u at its value; or udot at 0. A second lock takes the place of the first. */
CDN_API cdn_status cdn_body_lock(cdn_state *state, cdn_body body, cdn_motion_level level) CDN_NODISCARD;
/** The same at values that are given: nq at position level (a quaternion is brought to unit length), else nu. */
CDN_API cdn_status cdn_body_lock_at(cdn_state *state, cdn_body body, cdn_motion_level level, const double *values,
                                    int n) CDN_NODISCARD;
/** Takes a lock away, if there is one: the mobilizer follows its motion again, or is free and goes on from where it is. */
CDN_API cdn_status cdn_body_unlock(cdn_state *state, cdn_body body);
CDN_API cdn_motion_level cdn_body_lock_level(const cdn_state *state, cdn_body body); /**< CDN_LEVEL_NONE: not locked */

/** What drives a mobilizer at present: a row of the manual's table in 10.3. */
typedef struct cdn_driver {
  cdn_motion_level level; /**< CDN_LEVEL_NONE: forces alone */
  cdn_motion_rate rate;
  bool locked;       /**< by a lock */
  cdn_motion motion; /**< the motion that it follows, or { -1 } */
} cdn_driver;
CDN_API void cdn_body_driver_sized(const cdn_state *state, cdn_body body, cdn_driver *out, size_t size);
static inline cdn_driver cdn_body_driver(const cdn_state *state, cdn_body body) {
  cdn_driver out;
  cdn_body_driver_sized(state, body, &out, sizeof out);
  return out;
}

/* ---- the forces behind it --------------------------------------------------------------------- */

/** Tau (nu numbers, 0 where a mobility is free): see above for its sign. NULL on failure. Realizes Acceleration. Lazy;
 *  O(bodies that are prescribed). */
CDN_API const double *cdn_motion_forces(cdn_state *state);
/** The mobilizer's own part of tau for one motion, nu numbers: zeros while the motion is off or a lock takes its place. */
CDN_API cdn_status cdn_motion_force(cdn_state *state, cdn_motion motion, double *tau) CDN_NODISCARD;
/** -tau . u: the power (W) that all motions and locks put into the system. Realizes Acceleration. */
CDN_API cdn_status cdn_motion_power(cdn_state *state, double *power) CDN_NODISCARD;
/** Tau, for whoever depends on it. */
extern CDN_API const cdn_ticket CDN_MOTION_FORCES;

CDN_END_DECLS
#endif
