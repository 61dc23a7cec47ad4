/* Cardan: the joints of a spec (spec.h).
 *
 * I want to
 *   add, read or change a joint: cdn_default_spec_joint, cdn_spec_add_joint, cdn_spec_get_joint, cdn_spec_set_joint */
#ifndef CARDAN_SPEC_JOINTS_H
#define CARDAN_SPEC_JOINTS_H

#include <cardan/mobilizers.h>
#include <cardan/spec.h>

CDN_BEGIN_DECLS

/** The way to cut a loop that a joint closes (see cdn_spec_make_tree). */
typedef enum cdn_spec_cut {
  CDN_CUT_AUTO, /**< welds, free joints, and balls without forces: at the joint; others: the body is split */
  CDN_CUT_BODY,
  CDN_CUT_JOINT
} cdn_spec_cut;

/** A joint: `child` moves in `parent` as a mobilizer of this kind lets M move in F. Any body may be the parent of
 *  any other; cdn_spec_make_tree decides which of them is nearer to Ground. Springs, limits and the like are for
 *  joints with one coordinate, unless the member says otherwise. */
typedef struct cdn_spec_joint {
  CDN_DEF_HEADER;
  int line;                                /**< line of the file; 0: none */
  const char *name;                        /**< must be unique among joints (cdn_model_build checks) */
  const char *parent, *child;              /**< bodies; NULL: Ground */
  cdn_mobilizer kind;                      /**< default: CDN_WELD */
  bool reversed, euler;                    /**< as in cdn_body_def */
  double params[CDN_MOBILIZER_PARAMS];     /**< parameters of the kind, as in cdn_body_def */
  const cdn_function_mobilizer *functions; /**< for CDN_FUNCTION_BASED: copied, its functions retained */
  const cdn_custom_mobilizer_ops *custom;  /**< for CDN_CUSTOM_MOBILIZER: copied */
  const void *custom_self;  /**< its custom->self_size bytes: copied; every System gets a copy of its own */
  cdn_transform X_PF, X_CM; /**< F on the parent, M on the child, m; default: identity */
  double q0[7], u0[6];      /**< default coordinates and speeds; a zero quaternion: the identity */
  cdn_motion_level lock;    /**< as in cdn_body_def */
  double armature;          /**< kg m^2 or kg, on every mobility */
  double damping;           /**< Nm s or N s/m, on every mobility */
  double stiffness;         /**< Nm/rad or N/m; joints with one coordinate, balls and free joints */
  double springref;         /**< coordinate at which the spring is at rest, rad or m, for one coordinate */
  cdn_transform X_FM_rest;  /**< its pose at rest, for a ball (rotation only) and a free joint; default: identity */
  bool limited;             /**< one coordinate: lower <= q <= upper; balls: a cone */
  double lower, upper;      /**< default: infinite; a ball's largest angle is `upper` */
  double limit_timeconst, limit_dampratio; /**< of the compliant stop, as MuJoCo's solreflimit; 0: 0.02 s and 1 */
  double friction;                         /**< dry friction, N m or N; simulated with CDN_MODEL_SOFT */
  double effort_lower, effort_upper;       /**< limits of an actuator, N m or N; default: infinite; see drive_limited */
  double speed_limit;                      /**< rad/s or m/s; default: infinite; not enforced */
  double weight;                           /**< loops are cut at joints of smaller weight; default 1 */
  cdn_spec_cut cut;                        /**< the way to cut a loop at this joint */
  /** Of soft limits and of soft friction loss: MuJoCo's solreflimit, solimplimit, solreffriction, solimpfriction.
   *  Default: cdn_default_soft_law() */
  cdn_soft_law limit_law, friction_law;
  double margin; /**< of a soft limit, rad or m: its distance at which it is at rest. Default 0 */
  /** true: the force of the actuator on this joint stays within effort_lower and effort_upper (MJCF's
   *  actuatorfrcrange); for joints
   *  with one coordinate and one actuator. Default false: those are numbers for a table */
  bool drive_limited;
  /** > 0, both: spring and damper get the stiffness m / (T^2 D^2) and the damping 2 m / T, with 1 / m the joint's
   *  diagonal
   *  number of the inverse of M at the default coordinates, T the time constant (s) and D the damping ratio;
   *  stiffness and damping are replaced
   *  (MJCF's springdamper). Default 0 */
  double spring_timeconst, spring_dampratio;
  /** One coordinate: with x the distance from rest and v the speed, spring and damper have, besides, the forces
   *  -(stiffness_higher[0] x^2 + stiffness_higher[1] x^3) and -(damping_higher[0] v |v| + damping_higher[1] v^3).
   *  Ball and free joints: x is the angle from rest, and of a free joint the distance from rest for the force; v is
   *  each component of the angular velocity in M, and of a free joint of the velocity in F.
   *  (MJCF's stiffness and damping with three numbers.) Default 0 */
  double stiffness_higher[2], damping_higher[2];
  /** true: with drive_limited, what compensation of gravity (cdn_spec_body.gravity_compensation) does on this joint
   *  counts as its actuators', so that effort_lower and effort_upper bound the sum of both (MJCF's actuatorgravcomp).
   *  Default false */
  bool drive_compensates;
} cdn_spec_joint;
CDN_DEF(spec_joint);
CDN_API cdn_status cdn_spec_add_joint(cdn_spec *spec, const cdn_spec_joint *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_joint(cdn_spec *spec, int i, const cdn_spec_joint *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_joint, (const cdn_spec *spec, int i, cdn_spec_joint *out), (spec, i, out), out);

CDN_END_DECLS
#endif
