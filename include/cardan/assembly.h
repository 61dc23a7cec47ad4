/* Cardan: assembly. From a first guess, finds coordinates that satisfy the constraints and come as close as possible
 * to goals: values of coordinates, observed markers and orientations, goals of your own (inverse kinematics,
 * tracking). Also finds speeds that satisfy the velocity constraints and come as close as possible to wanted speeds.
 *
 *   minimize  1/2 sum of weight |residual|^2   over q,   subject to   position errors = 0,   bounds,   locks
 *
 * Constraints come first: they are brought within the tolerance before goals count, and stay within it. Coordinates
 * that the State prescribes or locks (motion.h) keep their values. A State never gets worse: its constraint errors
 * do not grow beyond the tolerance, and if they were within it from the start its goals do not grow.
 *
 * Method. Constraints: damped Gauss-Newton steps of smallest change, by elimination along the tree, O(bodies +
 * constraints) each if loops close locally. Goals: damped Gauss-Newton steps in the null space of the constraints,
 * O(rows n^2 + n^3) for n free mobilities; after each step the constraints are satisfied anew. Both find a solution
 * near the guess: if a mechanism can be assembled in several ways, the guess decides which.
 *
 * An assembly belongs to one System and one thread. Adders copy their arguments, return an id, and are sticky: the
 * next cdn_assemble returns the first mistake. SI units, radians. docs/assembly.md has examples. Where nothing else
 * is said, functions return CDN_ERR_ARG for a wrong id or number; cdn_assembly_last_error has the message.
 *
 * I want to
 *   start an assembly (inverse kinematics) of a System: cdn_assembly_create
 *   set its tolerances and restarts: cdn_default_assembly_def
 *   want a value of a coordinate: cdn_assembly_add_coordinate
 *   want a point of a body (end effector, marker) at a place: cdn_assembly_add_marker
 *   want a body turned as an orientation sensor sees it: cdn_assembly_add_orientation
 *   want a speed: cdn_assembly_add_speed
 *   want something else (a goal of my own): cdn_assembly_add_goal
 *   change a goal's weight, or its wanted value: cdn_assembly_set_weight, cdn_assembly_set_value
 *   give the observed place of a marker: cdn_assembly_observe_marker
 *   give the observed orientation of a sensor: cdn_assembly_observe_orientation
 *   list the goals: cdn_assembly_goal_count, cdn_assembly_goal_name
 *   hold a joint or one coordinate during assembly: cdn_assembly_lock, cdn_assembly_lock_coordinate
 *   keep a coordinate within bounds: cdn_assembly_set_bounds
 *   find coordinates that satisfy constraints and come closest to the goals: cdn_assemble
 *   find speeds that satisfy constraints and come closest to the wanted ones: cdn_assemble_speeds
 *   follow a recording of markers frame by frame: cdn_track
 *   read why an assembly failed: cdn_assembly_last_error
 *   give up an assembly: cdn_assembly_destroy */
#ifndef CARDAN_ASSEMBLY_H
#define CARDAN_ASSEMBLY_H

#include <cardan/constraints.h>

CDN_BEGIN_DECLS

typedef struct cdn_assembly cdn_assembly;
typedef struct cdn_goal {
  int32_t i;
} cdn_goal; /**< one goal of an assembly */

typedef struct cdn_assembly_def {
  CDN_DEF_HEADER;
  double tolerance;    /**< bound on every constraint error, in its units (manual 9.3). Default 1e-10 */
  double accuracy;     /**< goals: the search ends when a step changes no speed x 1 s by more than this. Default 1e-8 */
  double time_scale;   /**< t_c, s: rates of position constraints are multiplied by it (manual 9.3). Default 0.1 */
  int most_iterations; /**< of each of the two methods, in one call. Default 500 */
  /** Number of further starts from pseudo-random coordinates, tried in turn if the guess leads to no assembly.
   *  Angles start anywhere; other coordinates within their bounds, or near their present values. Every run draws the
   *  same numbers. Default 0. */
  int restarts;
} cdn_assembly_def;
CDN_DEF(assembly_def);

/** Makes an assembly of a frozen System, which it retains. `def` may be NULL: the defaults. */
CDN_API cdn_status cdn_assembly_create(const cdn_system *system, const cdn_assembly_def *def,
                                       cdn_assembly **out) CDN_NODISCARD;
CDN_API void cdn_assembly_destroy(cdn_assembly *assembly); /**< NULL is allowed */
/** The last failure; its code is CDN_OK if there was none. */
CDN_SIZED_VOID(cdn_assembly_last_error, (const cdn_assembly *assembly, cdn_error *out), (assembly, out), out);

/* ---- goals ---------------------------------------------------------------------------------- */

/* Names are copied; NULL: the assembly makes one up. Weights are >= 0; a goal of weight 0 is off. */

/** Goal: coordinate k of a body's mobilizer has `value` (rad or m). Its rate must be a speed (no quaternion).
 *  Residual: the coordinate minus `value`. */
CDN_API cdn_goal cdn_assembly_add_coordinate(cdn_assembly *assembly, const char *name, cdn_body body, int k,
                                             double value, double weight);
/** Goal: station p_B (in B's axes, m) of a body is where a marker is observed, in Ground. The goal is off until
 *  cdn_assembly_observe_marker. Residual: the vector from the observed place to the station, m. */
CDN_API cdn_goal cdn_assembly_add_marker(cdn_assembly *assembly, const char *name, cdn_body body, cdn_vec3 p_B,
                                         double weight);
/** Goal: frame S, which is turned by R_BS on a body, has the orientation that a sensor observes in Ground. The goal
 *  is off until cdn_assembly_observe_orientation. Residual: the rotation vector between the two orientations, rad. */
CDN_API cdn_goal cdn_assembly_add_orientation(cdn_assembly *assembly, const char *name, cdn_body body,
                                              cdn_rotation R_BS, double weight);
/** Goal of cdn_assemble_speeds: mobility k of a body's mobilizer has the speed `value` (rad/s or m/s). */
CDN_API cdn_goal cdn_assembly_add_speed(cdn_assembly *assembly, const char *name, cdn_body body, int k, double value,
                                        double weight);

/** A goal of your own: `rows` residuals, functions of the State's positions. A status other than CDN_OK ends the call,
 *  which returns it. At trial coordinates it means "not defined here" (except CDN_ERR_NOMEM), and the search takes a
 *  shorter step. */
typedef struct cdn_goal_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; copied */
  size_t self_size; /**< bytes of the private part, which is copied */
  int rows;         /**< number of residuals */
  cdn_status (*residual)(const void *self, cdn_state *state, double *r); /**< computes `rows` residuals. Required */
  /** J, rows x nu, row-major, zero on entry: derivatives of r along qdot = N u. NULL: central differences, two
   *  residuals for each mobility. */
  cdn_status (*jacobian)(const void *self, cdn_state *state, double *J);
  void (*destroy)(void *self); /**< called once with the copy; may be NULL */
} cdn_goal_ops;
CDN_API cdn_goal cdn_assembly_add_goal(cdn_assembly *assembly, const char *name, const cdn_goal_ops *ops,
                                       const void *self, double weight);

/** The number of goals: their ids are 0 to this, without it. Names live as long as the assembly. */
CDN_API int cdn_assembly_goal_count(const cdn_assembly *assembly);
CDN_API const char *cdn_assembly_goal_name(const cdn_assembly *assembly, cdn_goal goal); /**< NULL: wrong id */
/** Changes the weight of a goal, >= 0; 0: the goal is off. */
CDN_API cdn_status cdn_assembly_set_weight(cdn_assembly *assembly, cdn_goal goal, double weight) CDN_NODISCARD;
/** Changes the wanted value of a coordinate or a speed. */
CDN_API cdn_status cdn_assembly_set_value(cdn_assembly *assembly, cdn_goal goal, double value) CDN_NODISCARD;
/** Sets the observed place of a marker, in Ground, m. A NaN: the marker was not seen, and its goal is off. */
CDN_API cdn_status cdn_assembly_observe_marker(cdn_assembly *assembly, cdn_goal goal, cdn_vec3 p_G) CDN_NODISCARD;
/** Sets the observed orientation R_GS of a sensor's frame. A NaN: it was not seen, and its goal is off. */
CDN_API cdn_status cdn_assembly_observe_orientation(cdn_assembly *assembly, cdn_goal goal,
                                                    cdn_rotation R_GS) CDN_NODISCARD;

/* ---- locks and bounds of the assembly ------------------------------------------------------- */

/** Locks a body's mobilizer: cdn_assemble keeps all its coordinates, cdn_assemble_speeds all its speeds. The State's
 *  own locks hold as well. */
CDN_API cdn_status cdn_assembly_lock(cdn_assembly *assembly, cdn_body body, bool locked) CDN_NODISCARD;
/** Locks one coordinate, whose rate must be a speed. */
CDN_API cdn_status cdn_assembly_lock_coordinate(cdn_assembly *assembly, cdn_body body, int k,
                                                bool locked) CDN_NODISCARD;
/** Bounds on coordinate k, whose rate must be a speed (rad or m). -INFINITY and INFINITY: no bound. If q starts outside
 *  the bounds, it is first moved to the nearest bound. */
CDN_API cdn_status cdn_assembly_set_bounds(cdn_assembly *assembly, cdn_body body, int k, double lower,
                                           double upper) CDN_NODISCARD;

/* ---- assembling ----------------------------------------------------------------------------- */

typedef struct cdn_assembly_report {
  double error_before, error;      /**< largest constraint error before and after, in units */
  double goal_before, goal;        /**< 1/2 sum of weight |residual|^2 of all goals that are on, before and after */
  cdn_constraint worst_constraint; /**< the constraint with the error `error`; { -1 } if there is no constraint */
  cdn_goal worst_goal;             /**< the goal that adds most to `goal`; { -1 } if none is on */
  int markers;                     /**< number of markers seen */
  double marker_rms, marker_most;  /**< root mean square and largest of their distances, without weights, m */
  cdn_goal worst_marker;           /**< the marker with the largest distance; { -1 } if none was seen */
  int iterations;                  /**< Gauss-Newton steps, those of constraints included */
  int attempt;                     /**< number of the start that led here; 0: the guess itself */
  int dof; /**< at the end: mobilities that are neither locked nor bound by independent position constraints */
} cdn_assembly_report;

/** Moves the State's q until the constraints hold, and then as close to the goals as possible. Writes q; the time
 *  stays, and coordinates that no constraint error and no goal concerns keep their bits. Gaps of one-sided elements
 *  (hybrid.h) are inequalities, whatever their statuses: what is in penetration is put on its surface, and goals may
 *  lift the rest. What was on and has a gap afterwards is off. Realizes Position. `report` may be NULL. Errors:
 *  CDN_ERR_CONSTRAINT (errors remain above the tolerance; the message has the worst constraint
 *  and its error, and q has the smallest errors found); CDN_ERR_LIMIT (goals were still falling after
 *  most_iterations; q is the best found); CDN_ERR_ARG; CDN_ERR_NOMEM; errors of realization. After any other error q
 *  is unchanged. Allocates nothing after the first call. Cost: see the top of this file. */
CDN_SIZED(cdn_assemble, (cdn_assembly *assembly, cdn_state *state, cdn_assembly_report *report),
          (assembly, state, report), report);

/** Moves the State's u until the velocity constraints hold (the rates of position constraints included), and then as
 *  close to the wanted speeds as possible; other speeds change as little as possible. The problem is linear: one
 *  step solves it. What is on or sticks is held, and speeds of ratchets (hybrid.h) are inequalities. Realizes Velocity.
 *  Report and errors: as cdn_assemble, with velocities. */
CDN_SIZED(cdn_assemble_speeds, (cdn_assembly *assembly, cdn_state *state, cdn_assembly_report *report),
          (assembly, state, report), report);

/** Assembles one frame of a recording. Sets the State's time to t (s), takes n observed places in Ground, one for each
 *  marker in the order of addition (NaN: not seen), and assembles from the State's present q, that of the frame before.
 *  Sensors keep their last observation (cdn_assembly_observe_orientation). Errors: as cdn_assemble; CDN_ERR_ARG if n is
 *  not the number of markers. */
CDN_SIZED(cdn_track,
          (cdn_assembly *assembly, cdn_state *state, double t, int n, const cdn_vec3 *markers,
           cdn_assembly_report *report), (assembly, state, t, n, markers, report), report);

CDN_END_DECLS
#endif
