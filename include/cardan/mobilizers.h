/* Cardan: the kinds of mobilizers, and what is built with them: bodies that join the tree, joints that close loops.
 *
 * I want to
 *   add a body and the mobilizer (joint) that connects it to its parent: cdn_system_add_body
 *   fill in a body's definition with its defaults: cdn_default_body_def
 *   get the kind of a body's mobilizer: cdn_body_mobilizer
 *   get the name of a mobilizer kind: cdn_mobilizer_name
 *   count the coordinates and speeds of a mobilizer kind: cdn_mobilizer_nq, cdn_mobilizer_nu
 *   close a loop by any joint: weld, pin (revolute), slider (prismatic), ...: cdn_system_constrain_joint */
#ifndef CARDAN_MOBILIZERS_H
#define CARDAN_MOBILIZERS_H

#include <cardan/matter.h>

CDN_BEGIN_DECLS

/** Kinds of mobilizers. Coordinates and speeds are those of Simbody 3.7. Angles in radians, lengths in metres. x, y, z
 *  are the axes of F; x', y', z' are the axes of M after the rotations before. u = qdot unless the line says
 *  otherwise. */
typedef enum cdn_mobilizer {
  CDN_WELD,   /**< none */
  CDN_PIN,    /**< q = angle about z */
  CDN_SLIDER, /**< q = distance along x */
  /** q = quaternion (w,x,y,z) of R_FM, of any length but zero; u = angular velocity of M in F, in F's axes */
  CDN_BALL,
  CDN_FREE,         /**< q = (quaternion, p_FM); u = (angular, linear) velocity of M in F, in F's axes */
  CDN_UNIVERSAL,    /**< q = angles about x, then about y' */
  CDN_CYLINDER,     /**< q = (angle about z, distance along z) */
  CDN_BEND_STRETCH, /**< q = (angle about z, distance along x') */
  CDN_PLANAR,       /**< q = (angle about z, p_FM along x, along y) */
  CDN_GIMBAL,       /**< q = angles about x, y', z'. Singular at q1 = +-pi/2 */
  CDN_BUSHING,      /**< q = (angles about x, y', z', then p_FM in F). Singular as CDN_GIMBAL */
  /** as CDN_BALL, with p_FM = (a n_x, b n_y, c n_z) for n = z': M's origin moves on an ellipsoid fixed in F.
   *  Parameters: the half lengths a, b, c */
  CDN_ELLIPSOID,
  CDN_TRANSLATION, /**< q = p_FM */
  /** q as CDN_BALL; u = (w_x', w_y'), the angular velocity of M in F in *M's* axes; it has no component along z'. For
   *  bodies without inertia about z', which are singular on a CDN_BALL */
  CDN_LINE_ORIENTATION,
  CDN_FREE_LINE, /**< q as CDN_FREE; u = (w_x', w_y' in M's axes, linear velocity in F's axes) */
  /** azimuth = s0 q0 + az0 about z, zenith = s1 q1 + ze0 about y', then s2 q2 along z' (or x'). Parameters: az0, ze0,
   *  and a sum of: 1 (s0 = -1), 2 (s1 = -1), 4 (along x'), 8 (s2 = -1). For bodies without inertia
   *  singular where q2 = 0, or where the translation points along z */
  CDN_SPHERICAL_COORDS,
  CDN_SCREW, /**< q = angle about z; M advances along z by pitch times q. Parameter: the pitch, metres a radian */
  CDN_FUNCTION_BASED,   /**< see cdn_function_mobilizer */
  CDN_CUSTOM_MOBILIZER, /**< see cdn_custom_mobilizer_ops */
  CDN_MOBILIZER_COUNT
} cdn_mobilizer;

CDN_API const char *cdn_mobilizer_name(
    cdn_mobilizer kind); /**< "pin", "line_orientation" and the like; static storage */
/** Numbers of coordinates (with a quaternion, if the kind has one) and of speeds. 0 for function-based and custom
 *  mobilizers: there cdn_body_nq and cdn_body_nu tell. */
CDN_API int cdn_mobilizer_nq(cdn_mobilizer kind);
CDN_API int cdn_mobilizer_nu(cdn_mobilizer kind);

/* ---- bodies --------------------------------------------------------------------------------- */

typedef struct cdn_body_def {
  CDN_DEF_HEADER;
  const char *name;           /**< copied; NULL: "body<i>" */
  const char *mobilizer_name; /**< names q and u in messages and files; copied; NULL: the body's name */
  cdn_body parent;            /**< default: Ground */
  cdn_mobilizer mobilizer;    /**< default: CDN_WELD */
  bool reversed;              /**< true: q and u describe the motion of F in M instead of M in F (5.1) */
  /** true: angles about x, y', z' replace the quaternion, for kinds that have one; u is the same. Singular at +-pi/2
   *  of the second angle. */
  bool euler;
  double params[CDN_MOBILIZER_PARAMS];     /**< parameters of the kind (see cdn_mobilizer); default: zeros */
  const cdn_function_mobilizer *functions; /**< for CDN_FUNCTION_BASED */
  const cdn_custom_mobilizer_ops *custom;  /**< for CDN_CUSTOM_MOBILIZER */
  const void *custom_self;                 /**< its private part; copied; may be NULL if custom->self_size is 0 */
  cdn_transform X_PF, X_BM; /**< frames of the mobilizer on the parent and on the body, m. Default: identity */
  cdn_mass_properties mass; /**< kg, m, kg m^2. Default: massless */
  double armature;          /**< inertia added to each mobility (reflected rotor inertia), kg m^2 or kg; >= 0 */
  const double *q0;         /**< default coordinates, nq numbers; NULL: zero (identity quaternion) */
  const double *u0;         /**< default speeds, nu numbers; NULL: zero */
  cdn_motion_level lock;    /**< locked by default: at q0, at u0, or at udot = 0; default: not locked */
  /** true: accept an inertia that violates the triangle inequality, and a massless body with no mass beyond it. If the
   *  equations are then singular, realization fails with the joint's name. */
  bool allow_improper;
} cdn_body_def;

CDN_DEF(body_def);

/** Adds a body, joined to a parent that was added before. The mass must be >= 0 (0: a massless frame, allowed if M
 *  stays regular). The central inertia must be that of a real mass distribution: principal moments are not negative,
 *  and none is larger than the sum of the other two. Bodies, q and u are in the order of addition. Copies its
 *  arguments; sticky (system.h): cdn_system_freeze returns the first mistake. */
CDN_API cdn_body cdn_system_add_body(cdn_system *system, const cdn_body_def *def);
/** The kind of a body's mobilizer; CDN_WELD for an unknown body. */
CDN_API cdn_mobilizer cdn_body_mobilizer(const cdn_system *system, cdn_body body);

/* ---- loops ---------------------------------------------------------------------------------- */

/** A mobilizer as a loop joint: frame M of b moves in frame F of a as if that mobilizer joined them, without
 *  coordinates of its own. (For a reversed mobilizer swap the two bodies.) Equations, in this order:
 *    rotation   (3) the rotation vector (rad) of M in F, in F's axes, zero where they are parallel;
 *    alignment  (2) x and y of the rotation vector that turns F's z axis into M's: both are parallel, not opposite;
 *    p_x, p_y, p_z  M's origin in F, in m.
 *  WELD: rotation, p (6). PIN: alignment, p (5). SLIDER: rotation, p_y, p_z (5). BALL, GIMBAL: p (3). UNIVERSAL: x_F
 *  . y_M, p (4). CYLINDER: alignment, p_x, p_y (4). BEND_STRETCH: alignment, p_z, and p along y_M (4). PLANAR:
 *  alignment, p_z (3). TRANSLATION: rotation (3). ELLIPSOID: p - (a n_x, b n_y, c n_z), n = z_M (3).
 *  SPHERICAL_COORDS: z_F . y_M, and p along y_M and x_M (z_M, if it moves along x') (3). SCREW: alignment, p_x, p_y,
 *  and p_z - pitch times the angle, by the nearest turn (5). LINE_ORIENTATION: p (3), and at velocity level the
 *  angular velocity along z_M (1). FREE_LINE: at velocity level the angular velocity along z_M (1). FREE and BUSHING
 *  restrict nothing and are refused; FUNCTION_BASED and CUSTOM_MOBILIZER are refused because their equations are
 *  unknown. `params` has the CDN_MOBILIZER_PARAMS parameters of the mobilizer; NULL: zeros. Alignment, and the
 *  screw's angle, fail if the z axes are exactly opposite. (Simbody's Weld and ConstantOrientation use dot products
 *  in place of the rotation vector: these are also zero half a turn away.) */
CDN_API cdn_constraint cdn_system_constrain_joint(cdn_system *system, const char *name, cdn_mobilizer kind, cdn_body a,
                                                  cdn_transform X_AF, cdn_body b, cdn_transform X_BM,
                                                  const double *params);

CDN_END_DECLS
#endif
