/* Cardan: soft elements: limits, friction losses and equalities that give way as MuJoCo's do. docs/soft_elements.md
 * introduces them; constraints.h has equations that hold exactly, forces.h stops that are springs.
 *
 * Each element makes soft rows of a State (soft.h) while it is enabled. Its law gives the target acceleration of the
 * rows, aref = -B v - K d x, from the violation x and its rate v, and their regularisation: R = (1 - d) / d times the
 * inverse inertia that a row meets at the default coordinates (MuJoCo's diagonal approximation).
 *
 * Adders are sticky (system.h) and return an id. The elements are of the type CDN_ELEMENT_SOFT (elements.h), which
 * gives their names, kinds and parameters; all parameters are Instance-stage variables.
 *
 * I want to
 *   limit a joint softly, give it dry friction, or write an equation that gives way: cdn_default_soft_limit_def,
 *       cdn_system_add_soft_limit, cdn_default_friction_loss_def, cdn_system_add_friction_loss,
 *       cdn_default_soft_equality_def, cdn_system_add_soft_equality
 *   limit the length of a tendon softly, give it dry friction or inertia, couple two: cdn_default_soft_tendon_def,
 *       cdn_system_add_soft_tendon
 *   — switch it on or off: cdn_soft_element_set_enabled, cdn_soft_element_is_enabled */
#ifndef CARDAN_SOFT_ELEMENTS_H
#define CARDAN_SOFT_ELEMENTS_H

#include <cardan/constraints.h>
#include <cardan/paths.h>
#include <cardan/soft.h>

CDN_BEGIN_DECLS

/** A soft element. The struct never changes. */
typedef struct cdn_soft_element {
  int32_t i;
} cdn_soft_element;

/** A coordinate stays between two values, or the angle of a ball below one. A row is there while the distance to a
 *  bound is below the margin. */
typedef struct cdn_soft_limit_def {
  CDN_DEF_HEADER;
  const char *name; /**< copied; NULL: the library makes one up */
  cdn_body body;    /**< whose joint it is */
  int coordinate;   /**< of the joint, 0 ...: one whose rate is a speed u. Not read of a ball. Default 0 */
  double lower,
      upper;     /**< m or rad; an infinite one is no bound. Of a ball `upper` alone: the largest angle of its rotation.
                            Default -+infinity */
  double margin; /**< m or rad, >= 0. Default 0 */
  cdn_soft_law law; /**< default cdn_default_soft_law() */
  bool disabled;    /**< whether it begins switched off */
} cdn_soft_limit_def;
CDN_DEF(soft_limit_def);
CDN_API cdn_soft_element cdn_system_add_soft_limit(cdn_system *system, const cdn_soft_limit_def *def);

/** Dry friction in a joint: one row for each mobility. Its target is rest, and its force is at most `loss`. In ball and
 *  free joints it acts about the axes of M (rotations) and along those of F (translations). The row gives way: below
 *  the speed loss w (1 - d0) / d0 d1 T / 2 (w: the inverse inertia that it meets; d0, d1, T: imp[0], imp[1], ref[0] of
 *  the law) the force is viscous, and a joint under a load below `loss` creeps. By the default law that is 1.06e-3 s
 *  loss w. */
typedef struct cdn_friction_loss_def {
  CDN_DEF_HEADER;
  const char *name; /**< copied; NULL: the library makes one up */
  cdn_body body;    /**< whose joint it is */
  int mobility;     /**< 0 ..., or -1: each mobility of the joint. Default -1 */
  double loss;      /**< N or N m, >= 0 */
  cdn_soft_law law; /**< of impedances the first one counts, and of ref the damping */
  bool disabled;    /**< true: starts switched off */
} cdn_friction_loss_def;
CDN_DEF(friction_loss_def);
CDN_API cdn_soft_element cdn_system_add_friction_loss(cdn_system *system, const cdn_friction_loss_def *def);

typedef enum cdn_soft_equality_kind {
  CDN_SOFT_CONNECT, /**< station p_A of a and p_B of b coincide: three rows */
  CDN_SOFT_WELD,    /**< and b has the orientation q_AB in a: six rows, the last three half of a small angle */
  CDN_SOFT_COUPLE   /**< y - y0 = polynomial[0] + polynomial[1] (x - x0) + ... for coordinates y and x: one row */
} cdn_soft_equality_kind;

/** An equation that gives way. Members that its kind does not have are not read. */
typedef struct cdn_soft_equality_def {
  CDN_DEF_HEADER;
  const char *name;            /**< copied; NULL: the library makes one up */
  cdn_soft_equality_kind kind; /**< what it holds */
  cdn_body a, b;               /**< bodies, or Ground; they differ */
  cdn_vec3 p_A, p_B;           /**< stations on both bodies, m. Default 0 */
  cdn_quaternion q_AB;         /**< of a weld. Default 1 */
  double torque_scale;         /**< of a weld, m: an angle of 2 rad counts as this length, >= 0. Default 1 */
  /** Coordinates whose rates are speeds u; x.body Ground: there is no x, and y - y0 = polynomial[0]. */
  cdn_mobility y, x;
  double y0, x0, polynomial[5]; /**< numbers of a coupling, rad or m; default of the polynomial: 0, 1, 0, 0, 0 */
  cdn_soft_law law;             /**< how it gives way. Default: cdn_default_soft_law() */
  bool disabled;                /**< true: starts switched off */
} cdn_soft_equality_def;
CDN_DEF(soft_equality_def);
CDN_API cdn_soft_element cdn_system_add_soft_equality(cdn_system *system, const cdn_soft_equality_def *def);

typedef enum cdn_soft_tendon_kind {
  CDN_TENDON_LIMIT,  /**< its length stays between two values: a row for each bound that is nearer than the margin */
  CDN_TENDON_LOSS,   /**< dry friction: one row, whose force along the tendon is at most `loss` */
  CDN_TENDON_COUPLE, /**< of paths: y - y0 = polynomial[0] + polynomial[1] (x - x0) + ... for their lengths: one row */
  CDN_TENDON_INERTIA /**< of a path: `mass` moves with its length, so that the force along it is -mass d2L/dt2. Its
                          kinetic energy is not part of cdn_kinetic_energy. The law is not read */
} cdn_soft_tendon_kind;

/** A tendon: a path (paths.h), or the sum of coefficient[i] times the coordinate joint[i], as MuJoCo's fixed tendons
 *  have it. A force f along it acts with f times the moments: with coefficient[i] f on the mobility. R is scaled by
 *  c^T M^-1 c of the moments c at the default coordinates. The paths of an element lead over at most 8 moving bodies,
 *  or have at most 36 coordinates. */
typedef struct cdn_soft_tendon_def {
  CDN_DEF_HEADER;
  const char *name;                        /**< copied; NULL: the library makes one up */
  cdn_soft_tendon_kind kind;               /**< default CDN_TENDON_LIMIT */
  int joints;                              /**< 1 to 16; 0 with a path */
  cdn_mobility joint[CDN_SOFT_MOST_TERMS]; /**< coordinates whose rates are speeds u; each one once */
  double coefficient[CDN_SOFT_MOST_TERMS]; /**< factors of the coordinates */
  double lower, upper;                     /**< of a limit, m; an infinite one is no bound. Default -+infinity */
  double margin;                           /**< of a limit, m, >= 0. Default 0 */
  double loss;                             /**< of a friction loss, N, >= 0 */
  cdn_soft_law law;                        /**< how it gives way. Default: cdn_default_soft_law() */
  bool disabled;                           /**< true: starts switched off */
  cdn_path path;                           /**< { -1 } (the default): it has joints */
  cdn_path x;                   /**< of a couple; { -1 } (the default): there is none, and y - y0 = polynomial[0] */
  double y0, x0, polynomial[5]; /**< of a couple. Default of the polynomial: 0, 1, 0, 0, 0 */
  double mass;                  /**< of an inertia, kg, >= 0 */
} cdn_soft_tendon_def;
CDN_DEF(soft_tendon_def);
CDN_API cdn_soft_element cdn_system_add_soft_tendon(cdn_system *system, const cdn_soft_tendon_def *def);

/** Switches an element on or off in a State: its parameter "enabled". CDN_ERR_ARG: there is no such element. */
CDN_API cdn_status cdn_soft_element_set_enabled(cdn_state *state, cdn_soft_element element, bool enabled) CDN_NODISCARD;
/** False also if there is no such element. */
CDN_API bool cdn_soft_element_is_enabled(const cdn_state *state, cdn_soft_element element);

CDN_END_DECLS
#endif
