/* Cardan: assembly. Coordinates that satisfy the constraints from a guess that does not, and of these the ones that come
 * closest to what is wanted: values of coordinates, observed markers and orientations, goals of your own (inverse
 * kinematics, tracking). And speeds: those that satisfy the velocity constraints and come closest to given ones.
 *
 *   minimize  1/2 sum of weight |residual|^2   over q,   subject to   position errors = 0,   bounds,   locks
 *
 * Constraints come first: they are satisfied to the tolerance before goals are looked at, and at every step after. What
 * is prescribed or locked in the State (motion.h) stays as it is. A State is never made worse: its constraint errors do
 * not grow beyond the tolerance, and where they were within it already its goals do not grow either.
 *
 * Constraints: damped Gauss-Newton steps of smallest change by elimination along the tree, O(bodies + constraints) each
 * where loops close locally. Goals: damped Gauss-Newton steps in the null space of the constraints, O(rows n^2 + n^3) for
 * n free mobilities; after each the constraints are satisfied anew. Both find what is nearby: a mechanism that can be
 * assembled in several ways is assembled in the one that its guess leads to.
 *
 * An assembly is of one System and belongs to one thread. Adders copy what they are given, return an id, and are sticky:
 * the first mistake is what the next cdn_assemble returns. SI units, radians. docs/assembly.md has examples. */
#ifndef CARDAN_ASSEMBLY_H
#define CARDAN_ASSEMBLY_H

#include <cardan/constraints.h>

CDN_BEGIN_DECLS

typedef struct cdn_assembly cdn_assembly;
typedef struct cdn_goal {
  int32_t i;
} cdn_goal; /**< something wanted of an assembly */

typedef struct cdn_assembly_def {
  CDN_DEF_HEADER;
  double tolerance;    /**< on every constraint error in its units (9.3). Default 1e-10 */
  double accuracy;     /**< goals: done when a step changes no speed times 1 s by more than this. Default 1e-8 */
  double time_scale;   /**< t_c (s): velocity errors of position constraints count times this (9.3). Default 0.1 */
  int most_iterations; /**< of each of the two methods, in one call. Default 500 */
  /** Starts from pseudo-random coordinates, tried one after the other where the guess leads to no assembly: angles anywhere,
   *  the rest within its bounds, or near where it is. The same numbers in every run. Default 0 */
  int restarts;
} cdn_assembly_def;
/** cdn_default_assembly_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_assembly_def_init(void *def, size_t size);
static inline cdn_assembly_def cdn_default_assembly_def(void) {
  cdn_assembly_def def;
  cdn_assembly_def_init(&def, sizeof def);
  return def;
}

/** An assembly of a frozen System. `def` may be NULL. */
CDN_API cdn_status cdn_assembly_create(const cdn_system *system, const cdn_assembly_def *def,
                                       cdn_assembly **out) CDN_NODISCARD;
CDN_API void cdn_assembly_destroy(cdn_assembly *assembly); /**< NULL is allowed */
/** The last failure; code CDN_OK if none yet. */
CDN_API void cdn_assembly_last_error_sized(const cdn_assembly *assembly, cdn_error *out, size_t size);
static inline void cdn_assembly_last_error(const cdn_assembly *assembly, cdn_error *out) {
  cdn_assembly_last_error_sized(assembly, out, sizeof *out);
}

/* ---- what is wanted ------------------------------------------------------------------------- */

/* Names are copied; NULL: one is made up. Weights are >= 0; with 0 a goal is off. */

/** Coordinate k of a body's mobilizer, one whose rate is a speed; the residual is its value less the wanted one. */
CDN_API cdn_goal cdn_assembly_add_coordinate(cdn_assembly *assembly, const char *name, cdn_body body, int k,
                                             double value, double weight);
/** A marker: where the station p_B of a body is seen, in Ground. Not seen until cdn_assembly_observe_marker. Residual: the
 *  vector between the two, m. */
CDN_API cdn_goal cdn_assembly_add_marker(cdn_assembly *assembly, const char *name, cdn_body body, cdn_vec3 p_B,
                                         double weight);
/** An orientation sensor: how a frame S that is turned by R_BS on a body is seen to be turned in Ground. Not seen until
 *  cdn_assembly_observe_orientation. Residual: the vector of the rotation between the two, rad. */
CDN_API cdn_goal cdn_assembly_add_orientation(cdn_assembly *assembly, const char *name, cdn_body body,
                                              cdn_rotation R_BS, double weight);
/** Mobility k of a body's mobilizer: the wanted speed. Of cdn_assemble_speeds only. */
CDN_API cdn_goal cdn_assembly_add_speed(cdn_assembly *assembly, const char *name, cdn_body body, int k, double value,
                                        double weight);

/** A goal of the user's: `rows` residuals that follow from the State's positions. A status other than CDN_OK ends the call
 *  and is what it returns; at trial coordinates CDN_ERR_CALLBACK means: not there. */
typedef struct cdn_goal_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; copied */
  size_t self_size; /**< bytes of the private part, which is copied */
  int rows;
  cdn_status (*residual)(const void *self, cdn_state *state, double *r);
  /** J, rows x nu, row-major, zero before: the change of r as q moves with qdot = N u. NULL: by central differences, two
   *  residuals a mobility. */
  cdn_status (*jacobian)(const void *self, cdn_state *state, double *J);
  void (*destroy)(void *self); /**< called once with the copy; may be NULL */
} cdn_goal_ops;
CDN_API cdn_goal cdn_assembly_add_goal(cdn_assembly *assembly, const char *name, const cdn_goal_ops *ops,
                                       const void *self, double weight);

CDN_API int cdn_assembly_goal_count(const cdn_assembly *assembly);
CDN_API const char *cdn_assembly_goal_name(const cdn_assembly *assembly, cdn_goal goal); /**< NULL: wrong id */
CDN_API cdn_status cdn_assembly_set_weight(cdn_assembly *assembly, cdn_goal goal, double weight);
/** The wanted value of a coordinate or speed. */
CDN_API cdn_status cdn_assembly_set_value(cdn_assembly *assembly, cdn_goal goal, double value);
/** Where a marker is seen, in Ground. A NaN: it is not, and does not count. */
CDN_API cdn_status cdn_assembly_observe_marker(cdn_assembly *assembly, cdn_goal goal, cdn_vec3 p_G);
/** How a sensor's frame is seen, R_GS. A NaN: it is not, and does not count. */
CDN_API cdn_status cdn_assembly_observe_orientation(cdn_assembly *assembly, cdn_goal goal, cdn_rotation R_GS);

/* ---- what must not change ------------------------------------------------------------------- */

/** Holds all coordinates of a body's mobilizer at what the State given to cdn_assemble has (its speeds, of
 *  cdn_assemble_speeds), beside the locks that the State has itself. */
CDN_API cdn_status cdn_assembly_lock(cdn_assembly *assembly, cdn_body body, bool locked);
/** The same of one coordinate whose rate is a speed. */
CDN_API cdn_status cdn_assembly_lock_coordinate(cdn_assembly *assembly, cdn_body body, int k, bool locked);
/** Keeps coordinate k, one whose rate is a speed, between two values; -INFINITY and INFINITY: anywhere. A State that is
 *  given outside is moved to the nearer of the two first. */
CDN_API cdn_status cdn_assembly_set_bounds(cdn_assembly *assembly, cdn_body body, int k, double lower, double upper);

/* ---- assembling ----------------------------------------------------------------------------- */

typedef struct cdn_assembly_report {
  double error_before, error;      /**< the largest constraint error, in units */
  double goal_before, goal;        /**< 1/2 sum of weight |residual|^2 of all goals that count */
  cdn_constraint worst_constraint; /**< that of `error`; { -1 } if there is no constraint */
  cdn_goal worst_goal;             /**< that adds most to `goal`; { -1 } if none counts */
  int markers;                     /**< markers seen; of their distances (m), by no weights: */
  double marker_rms, marker_most;  /**< the root mean square, and the largest, */
  cdn_goal worst_marker;           /**< which is that of this one; { -1 } if none is seen */
  int iterations;                  /**< Gauss-Newton steps, those of constraints included */
  int attempt;                     /**< from which start it was found: 0: the guess itself */
  int dof; /**< mobilities that are neither locked nor taken by independent position constraints, where it ended */
} cdn_assembly_report;

/** Brings the State's q to the constraints and as close to the goals as it gets. `report` may be NULL. The State's time
 *  stays, and so does, to the bit, every coordinate that neither a constraint's error nor a goal concerns. CDN_ERR_CONSTRAINT if errors remain above the tolerance, with the worst constraint's name and error; q is then
 *  where the errors are smallest of all that was found. CDN_ERR_LIMIT: goals were still falling after most_iterations; q
 *  is the best found. On any other failure q is as it was. Realizes Position. Allocates nothing once it has run. */
CDN_API cdn_status cdn_assemble_sized(cdn_assembly *assembly, cdn_state *state, cdn_assembly_report *report,
                                      size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_assemble(cdn_assembly *assembly, cdn_state *state,
                                                    cdn_assembly_report *report) {
  return cdn_assemble_sized(assembly, state, report, sizeof *report);
}

/** Brings the State's u to the velocity constraints, those of positions differentiated included, and as close to the
 *  wanted speeds as it gets; speeds that neither decides change least. Linear: exact in one step. Report and failures as of
 *  cdn_assemble, of velocities. */
CDN_API cdn_status cdn_assemble_speeds_sized(cdn_assembly *assembly, cdn_state *state, cdn_assembly_report *report,
                                             size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_assemble_speeds(cdn_assembly *assembly, cdn_state *state,
                                                           cdn_assembly_report *report) {
  return cdn_assemble_speeds_sized(assembly, state, report, sizeof *report);
}

/** One frame of a recording: sets the State's time to t, takes n observed places, one a marker in the order in which they
 *  were added (NaN: not seen), and assembles from where the State is: the frame before. Sensors have what they were last
 *  given by cdn_assembly_observe_orientation. */
CDN_API cdn_status cdn_track_sized(cdn_assembly *assembly, cdn_state *state, double t, int n, const cdn_vec3 *markers,
                                   cdn_assembly_report *report, size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_track(cdn_assembly *assembly, cdn_state *state, double t, int n,
                                                 const cdn_vec3 *markers, cdn_assembly_report *report) {
  return cdn_track_sized(assembly, state, t, n, markers, report, sizeof *report);
}

CDN_END_DECLS
#endif
