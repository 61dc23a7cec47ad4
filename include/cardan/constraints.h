/* Cardan: constraints. What takes motion away: closed loops, couplings, rolling (manual 6 and 8).
 *
 * A constraint has np equations at position level (holonomic), nv at velocity level and na at acceleration level, in this
 * order. All of them restrict accelerations, G udot = b, and each has a multiplier there:
 *
 *   M udot + G^T lambda = f,     G udot = b                                            (8.11, 8.12)
 *
 * so that lambda is what the constraint takes from the forces. Accelerations satisfy the constraints to rounding; steppers
 * bring positions and velocities back to within a tolerance by projection (10.1) at every accepted step. Constraints may
 * be redundant: see cdn_redundant_equations.
 *
 * All parameters are Instance-stage variables: adders give defaults, the set functions change them in a State. Adders
 * copy what they are given, return an id, and are sticky (system.h). Prescribed mobilizers come first (8.4): constraints
 * act on what is left free. */
#ifndef CARDAN_CONSTRAINTS_H
#define CARDAN_CONSTRAINTS_H

#include <cardan/motion.h>
#include <cardan/operators.h>

CDN_BEGIN_DECLS

/* ---- built-in kinds --------------------------------------------------------------------------- */

/* Stations, directions and frames are in the axes of the bodies that they are given for, which may be Ground; a and b are
 * different. Directions are of any length but zero. Errors are in m, rad, m/s and the like; multipliers in N or N m. A
 * multiplier is what the constraint takes away along its equation: where that is a component of p_B - p_A, or of b's velocity
 * against a's, body a feels the multiplier and body b its opposite. Where an equation has no meaning (a rod of no length)
 * realization fails, recoverably, with the constraint's name. The set functions want a constraint of their kind, and change
 * nothing if an argument is wrong. O(1) each. */

/** A massless rod: the stations' distance is `length` > 0. One equation, distance - length; its multiplier is the tension.
 *  No direction where the stations are in one place. */
CDN_API cdn_constraint cdn_system_constrain_rod(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                cdn_body b, cdn_vec3 p_B, double length);
CDN_API cdn_status cdn_rod_set(cdn_state *state, cdn_constraint rod, cdn_vec3 p_A, cdn_vec3 p_B, double length);
/** A ball joint: station p_B is where p_A is. Three equations, p_B - p_A along a's axes. */
CDN_API cdn_constraint cdn_system_constrain_ball(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                 cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_ball_set(cdn_state *state, cdn_constraint ball, cdn_vec3 p_A, cdn_vec3 p_B);
/** Station p_B of b stays in the plane n . p = h (m) of a. One equation, n . p - h. */
CDN_API cdn_constraint cdn_system_constrain_point_in_plane(cdn_system *system, const char *name, cdn_body a,
                                                           cdn_vec3 n_A, double h, cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_point_in_plane_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 n_A, double h,
                                          cdn_vec3 p_B);
/** Station p_B of b stays on the line of a through p_A along d. Two equations: x and y of p_B - p_A, in the axes of
 *  cdn_rotation_z_to(d). */
CDN_API cdn_constraint cdn_system_constrain_point_on_line(cdn_system *system, const char *name, cdn_body a,
                                                          cdn_vec3 d_A, cdn_vec3 p_A, cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_point_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 d_A, cdn_vec3 p_A,
                                         cdn_vec3 p_B);
/** Direction y of b keeps an angle (rad, between 0 and pi) to direction x of a. One equation, x . y - cos(angle); its
 *  multiplier is the moment on b about x cross y, over the sine of the angle. */
CDN_API cdn_constraint cdn_system_constrain_angle(cdn_system *system, const char *name, cdn_body a, cdn_vec3 x_A,
                                                  cdn_body b, cdn_vec3 y_B, double angle);
CDN_API cdn_status cdn_angle_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 x_A, cdn_vec3 y_B, double angle);

/** A mobilizer as a loop joint: frame M of b moves in frame F of a as if that mobilizer were between them, without
 *  coordinates of its own. (For a reversed one, swap the two.) Equations, in this order:
 *    rotation   (3) the rotation vector (rad) of M in F, in F's axes, zero where they are parallel;
 *    alignment  (2) x and y of the rotation vector that turns F's z axis into M's: both are parallel, not opposite;
 *    p_x, p_y, p_z  M's origin in F, in m.
 *  WELD: rotation, p (6). PIN: alignment, p (5). SLIDER: rotation, p_y, p_z (5). BALL, GIMBAL: p (3). UNIVERSAL:
 *  x_F . y_M, p (4). CYLINDER: alignment, p_x, p_y (4). BEND_STRETCH: alignment, p_z, and p along y_M (4). PLANAR:
 *  alignment, p_z (3). TRANSLATION: rotation (3). ELLIPSOID: p - (a n_x, b n_y, c n_z), n = z_M (3). SPHERICAL_COORDS:
 *  z_F . y_M, and p along y_M and x_M (z_M, if it moves along x') (3). SCREW: alignment, p_x, p_y, and p_z - pitch times the
 *  angle, by the nearest turn (5). LINE_ORIENTATION: p (3), and, at velocity level, no angular velocity along z_M (1).
 *  FREE_LINE: the latter (1).
 *  FREE and BUSHING take nothing away and are refused, as are FUNCTION_BASED and CUSTOM_MOBILIZER, whose equations nobody
 *  knows. `params` are the CDN_MOBILIZER_PARAMS of the mobilizer; NULL: zeros. Alignment, and the screw's angle, fail where
 *  the z axes are exactly opposite. (Simbody's Weld and ConstantOrientation have dot products in place of the rotation vector:
 *  these are zero half a turn away, too.) */
CDN_API cdn_constraint cdn_system_constrain_joint(cdn_system *system, const char *name, cdn_mobilizer kind, cdn_body a,
                                                  cdn_transform X_AF, cdn_body b, cdn_transform X_BM,
                                                  const double *params);
/** params NULL: as they are. */
CDN_API cdn_status cdn_joint_set(cdn_state *state, cdn_constraint joint, cdn_transform X_AF, cdn_transform X_BM,
                                 const double *params);

/* Coordinates and speeds. Coordinates are those whose rate is a speed u of the same mobilizer: not quaternions, nor the angles
 * of a kind that has an N of its own. Multipliers are the generalized forces that the constraint takes from a mobility. */

/** Coordinate or mobility k of a body's mobilizer. */
typedef struct cdn_mobility {
  cdn_body body;
  int k;
} cdn_mobility;

/** Coordinate k has this value. One equation, q - value. */
CDN_API cdn_constraint cdn_system_constrain_coordinate(cdn_system *system, const char *name, cdn_body body,
                                                       int coordinate, double value);
CDN_API cdn_status cdn_constant_coordinate_set(cdn_state *state, cdn_constraint constraint, double value);
/** Mobility k has this speed. One equation at velocity level, u - speed. */
CDN_API cdn_constraint cdn_system_constrain_speed(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                  double speed);
CDN_API cdn_status cdn_constant_speed_set(cdn_state *state, cdn_constraint constraint, double speed);
/** Mobility k has this acceleration. One equation at acceleration level, udot - acceleration. */
CDN_API cdn_constraint cdn_system_constrain_acceleration(cdn_system *system, const char *name, cdn_body body,
                                                         int mobility, double acceleration);
CDN_API cdn_status cdn_constant_acceleration_set(cdn_state *state, cdn_constraint constraint, double acceleration);
/** Coordinate k is a function of time: one input, with second derivatives; retained. One equation, q - f(t). */
CDN_API cdn_constraint cdn_system_constrain_motion(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                                   const cdn_function *f);
/** f(q_1, ..., q_n) = 0, n = 1 to 6: f with second derivatives; retained. One equation, f. */
CDN_API cdn_constraint cdn_system_couple_coordinates(cdn_system *system, const char *name, const cdn_function *f,
                                                     const cdn_mobility *coordinates, int n);
/** f(u_1, ..., u_n, q_1, ..., q_m) = 0, n >= 1, n + m <= 6: f with first derivatives; retained. It need not be linear in u:
 *  rows of G are df/du. One equation at velocity level, f. `coordinates` may be NULL if m is 0. Velocities are then what G
 *  depends on, and a stage of Position in what follows means Velocity. */
CDN_API cdn_constraint cdn_system_couple_speeds(cdn_system *system, const char *name, const cdn_function *f,
                                                const cdn_mobility *speeds, int n, const cdn_mobility *coordinates,
                                                int m);
/** MuJoCo's coupling of joints, y - y0 = a[0] + a[1] (x - x0) + ... + a[4] (x - x0)^4. One equation, the difference. */
CDN_API cdn_constraint cdn_system_couple_by_polynomial(cdn_system *system, const char *name, cdn_mobility y, double y0,
                                                       cdn_mobility x, double x0, const double a[5]);
CDN_API cdn_status cdn_polynomial_coupler_set(cdn_state *state, cdn_constraint constraint, double y0, double x0,
                                              const double a[5]);

/* Contact that pushes and pulls (bilateral). Sliding: one equation, the gap along the normal n, which points from a to b.
 * Rolling: two more at velocity level, the slip of b on a along the tangents x and y. The multipliers are the force on a, along
 * n, x and y, at the point of contact. */

/** Two bodies a and b do not slip on each other, where the station p_C of a third body is, along its direction n: gears and
 *  wheels in their case, which may be one of the two. One equation at velocity level, n . (v_b - v_a). */
CDN_API cdn_constraint cdn_system_constrain_no_slip(cdn_system *system, const char *name, cdn_body frame, cdn_vec3 p_C,
                                                    cdn_vec3 n_C, cdn_body a, cdn_body b);
CDN_API cdn_status cdn_no_slip_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 p_C, cdn_vec3 n_C);
/** A sphere of b on the plane through the origin of frame P of a, whose normal is P's z; tangents are its x and y. Radius 0: a
 *  point, which sticks where it would roll (and slides as cdn_system_constrain_point_in_plane). */
CDN_API cdn_constraint cdn_system_constrain_sphere_on_plane(cdn_system *system, const char *name, cdn_body a,
                                                            cdn_transform X_AP, cdn_body b, cdn_vec3 p_B, double radius,
                                                            bool rolling);
CDN_API cdn_status cdn_sphere_on_plane_set(cdn_state *state, cdn_constraint constraint, cdn_transform X_AP,
                                           cdn_vec3 p_B, double radius);
/** Two spheres touch from outside: the gap is the centres' distance minus the radii (>= 0, not both 0). Tangents: x is along
 *  n cross that axis of a which is farthest from n, y = n cross x. No normal where the centres are in one place. */
CDN_API cdn_constraint cdn_system_constrain_sphere_on_sphere(cdn_system *system, const char *name, cdn_body a,
                                                             cdn_vec3 p_A, double radius_a, cdn_body b, cdn_vec3 p_B,
                                                             double radius_b, bool rolling);
CDN_API cdn_status cdn_sphere_on_sphere_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 p_A, double radius_a,
                                            cdn_vec3 p_B, double radius_b);
/** An edge of a meets an edge of b: straight lines along x of the frames E, whose z points out of the solid that the edge
 *  bounds and so tells which side is out. The contact is halfway between the nearest points; x is a's line, y = n cross x.
 *  No normal where the lines are parallel. */
CDN_API cdn_constraint cdn_system_constrain_line_on_line(cdn_system *system, const char *name, cdn_body a,
                                                         cdn_transform X_AE, cdn_body b, cdn_transform X_BE,
                                                         bool rolling);
CDN_API cdn_status cdn_line_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_transform X_AE,
                                        cdn_transform X_BE);

/* ---- your own ---------------------------------------------------------------------------------- */

/** What the functions of a custom constraint are given: what its def lists, in that order, and nothing else.
 *  The library owns it; later releases append members. */
typedef struct cdn_constraint_input {
  double t;             /**< s; 0 unless it is rheonomic */
  const double *params; /**< its parameters */
  int n_bodies;
  const cdn_transform *X_GB; /**< one a body */
  const cdn_spatial *V_GB;   /**< one a body, of its origin; NULL at position level */
  int n_mobilities;
  const double *q; /**< one a mobility: the coordinate whose rate it is, NaN where there is none */
  const double *u; /**< NULL at position level */
} cdn_constraint_input;

/** Rows of G, to which one adds. */
typedef struct cdn_rows cdn_rows;
/** The velocity (acceleration) error of the equation, 0 to np + nv + na - 1, has the term f . v of the station's velocity
 *  (acceleration): a multiplier of 1 takes the force f from it. */
CDN_API void cdn_rows_add_point(cdn_rows *rows, int equation, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G);
/** A term m . w of the body's angular velocity. */
CDN_API void cdn_rows_add_torque(cdn_rows *rows, int equation, cdn_body body, cdn_vec3 m_G);
/** A term c u of a mobility. */
CDN_API void cdn_rows_add_mobility(cdn_rows *rows, int equation, cdn_body body, int k, double c);

/** A custom constraint. `self` is the System's copy of the private part, const; functions may be called from several threads
 *  at once, on different States. A status other than CDN_OK passes through to the caller of realize; numbers that are not
 *  finite and bodies that the def does not list are failures that name the constraint. Outputs are zero before. */
typedef struct cdn_constraint_ops {
  uint32_t struct_size;
  const char *name; /**< of the kind, appears in messages; copied; NULL: "custom" */
  size_t self_size; /**< bytes of the private part */
  int np, nv, na;   /**< equations, 1 to 32 in all */
  bool rheonomic;   /**< it reads t */
  /** Its rows have a net force or moment on the bodies that it lists: it refers to Ground, which is not among them. Rows that
   *  do so unasked fail, with the constraint's name. */
  bool absolute;
  /** calc_rows reads V_GB or u: the velocity equations are not linear, and rows are their derivatives. Then everything that
   *  says stage Position for G means Velocity. */
  bool nonlinear;
  /** np position errors. Required if np > 0. */
  cdn_status (*calc_position)(const void *self, const cdn_constraint_input *in, double *perr);
  /** All rows: how errors change with velocities (accelerations, for the last na). Required. */
  cdn_status (*calc_rows)(const void *self, const cdn_constraint_input *in, cdn_rows *rows);
  /** np + nv velocity errors, the first of them the derivatives of the position errors. NULL: they are G u. Required if it is
   *  rheonomic or nonlinear. */
  cdn_status (*calc_velocity)(const void *self, const cdn_constraint_input *in, double *verr);
  /** np + nv + na acceleration errors where udot and the accelerations of the bodies (angular, and of their origins) are zero:
   *  for a term f . v of a station p_B that is fdot . v + f . (w x (w x p_BP)). NULL: zero. */
  cdn_status (*calc_bias)(const void *self, const cdn_constraint_input *in, double *bias);
  void (*destroy)(void *self); /**< called once with the System's copy, when the System goes; may be NULL */
} cdn_constraint_ops;

typedef struct cdn_custom_constraint_def {
  CDN_DEF_HEADER;
  const char *name;              /**< copied; NULL: "constraint<i>" */
  const cdn_constraint_ops *ops; /**< copied */
  const void *self;              /**< copied; may be NULL if ops->self_size is 0 */
  const cdn_body *bodies; /**< whose motion it reads and on which it acts, 16 at most; may be NULL if there are none */
  int n_bodies;
  const cdn_mobility *mobilities; /**< 64 at most */
  int n_mobilities;
  const double *params; /**< default parameters, which States may change */
  int n_params;
} cdn_custom_constraint_def;

/** cdn_default_custom_constraint_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_custom_constraint_def_init(void *def, size_t size);
static inline cdn_custom_constraint_def cdn_default_custom_constraint_def(void) {
  cdn_custom_constraint_def def;
  cdn_custom_constraint_def_init(&def, sizeof def);
  return def;
}
CDN_API cdn_constraint cdn_system_constrain_custom(cdn_system *system, const cdn_custom_constraint_def *def);
/** Its n_params parameters. */
CDN_API cdn_status cdn_custom_constraint_set(cdn_state *state, cdn_constraint constraint, const double *params);

/* ---- any constraint --------------------------------------------------------------------------- */

CDN_API int cdn_system_constraint_count(const cdn_system *system);
CDN_API const char *cdn_constraint_name(const cdn_system *system, cdn_constraint constraint); /**< NULL: wrong id */
CDN_API const char *cdn_constraint_kind_name(const cdn_system *system, cdn_constraint constraint);
/** The constraint of this name, or { -1 }. O(number of constraints). */
CDN_API cdn_constraint cdn_system_find_constraint(const cdn_system *system, const char *name);

/** Where a constraint's equations are in a frozen System's pools (state.h): np from `qerr` on in qerr, np + nv from `uerr`
 *  on in uerr, and np + nv + na from `row` on in udoterr, in the multipliers and in the rows of G. */
typedef struct cdn_constraint_equations {
  int np, nv, na;
  int qerr, uerr, row;
} cdn_constraint_equations;
/** All zero for a wrong id. */
CDN_API void cdn_constraint_get_equations_sized(const cdn_system *system, cdn_constraint constraint,
                                                cdn_constraint_equations *out, size_t size);
static inline cdn_constraint_equations cdn_constraint_get_equations(const cdn_system *system,
                                                                    cdn_constraint constraint) {
  cdn_constraint_equations out;
  cdn_constraint_get_equations_sized(system, constraint, &out, sizeof out);
  return out;
}

/** Its parameters in the State, *n (may be NULL) of them: what the set function of its kind takes, in that order, directions
 *  of unit length, frames as R by columns and p. NULL and 0 if it has none or the id is wrong. Valid until they are set. */
CDN_API const double *cdn_constraint_params(const cdn_state *state, cdn_constraint constraint, int *n);

/** While building: this constraint starts switched off in every State. Sticky. */
CDN_API void cdn_system_disable_constraint(cdn_system *system, cdn_constraint constraint);
/** Switch a constraint on or off (Instance stage). Constraints start enabled, unless they were disabled while building. Off, its
 *  errors and multipliers are zero. */
CDN_API cdn_status cdn_constraint_set_enabled(cdn_state *state, cdn_constraint constraint, bool enabled);
CDN_API bool cdn_constraint_is_enabled(const cdn_state *state, cdn_constraint constraint);
/** The error of its equations that counts as one unit (9.3), > 0: tolerances are in these. 1 unless set. */
CDN_API cdn_status cdn_constraint_set_unit_error(cdn_state *state, cdn_constraint constraint, double unit);
/** Where multipliers are not unique, those of least sum of (lambda / weight)^2 are taken (9.4): relative stiffnesses, > 0.
 *  1 unless set. */
CDN_API cdn_status cdn_constraint_set_weight(cdn_state *state, cdn_constraint constraint, double weight);

/** Baumgarte's stabilization, for those who compare: with a time constant T > 0 (s) accelerations are such that errors e of
 *  positions follow e'' + 2 e' / T + e / T^2 = 0, and udoterr is not zero where there are errors. 0, as every State starts:
 *  none, and projection is what holds the constraints. Instance stage. */
CDN_API cdn_status cdn_constraints_set_baumgarte(cdn_state *state, double time_constant);

/* ---- forces ------------------------------------------------------------------------------------ */

/** What all constraints do by the State's multipliers: to bodies, F_G (one a body, at its origin, in Ground; may be NULL),
 *  and to mobilities directly, f (nu; may be NULL). -G^T lambda is both together. Stage: Acceleration. O(constraints). */
CDN_API cdn_status cdn_constraint_forces(cdn_state *state, cdn_spatial *F_G, double *f) CDN_NODISCARD;
/** The same of one constraint. */
CDN_API cdn_status cdn_constraint_force(cdn_state *state, cdn_constraint constraint, cdn_spatial *F_G,
                                        double *f) CDN_NODISCARD;
/** The power (W) that constraints put into the system: zero but for those that depend on time and for velocity errors. */
CDN_API cdn_status cdn_constraint_power(cdn_state *state, double *power) CDN_NODISCARD;

/* ---- operators --------------------------------------------------------------------------------- */

/* m = cdn_system_nudoterr(system) equations. Rows of constraints that are off are zero. Errors as in operators.h. */

/** r = G a (m from nu). Stage: Position. O(bodies + constraints). */
CDN_API cdn_status cdn_multiply_by_G(cdn_state *state, const double *a, double *r) CDN_NODISCARD;
/** f = G^T lambda (nu from m). Stage: Position. O(bodies + constraints). */
CDN_API cdn_status cdn_multiply_by_G_transpose(cdn_state *state, const double *lambda, double *f) CDN_NODISCARD;
/** G, m x nu, row-major. Stage: Position. O(path of each constraint), and the zeros. */
CDN_API cdn_status cdn_calc_G(cdn_state *state, double *G) CDN_NODISCARD;
/** b of G udot = b (m). Stage: Velocity. */
CDN_API cdn_status cdn_calc_constraint_bias(cdn_state *state, double *b) CDN_NODISCARD;
/** Pq = P N^+ (np x nq, row-major), the derivative of the position errors with respect to q: rows as in qerr. Stage: Position. */
CDN_API cdn_status cdn_calc_Pq(cdn_state *state, double *Pq) CDN_NODISCARD;
/** udoterr = G udot - b for any udot (m). Stage: Velocity. */
CDN_API cdn_status cdn_calc_udoterr(cdn_state *state, const double *udot, double *udoterr) CDN_NODISCARD;

/** Solves M x + G^T lambda = f, G x = b: x (nu) and lambda (m). f (nu) or b (m) NULL: zero. With f = 0 and errors b the
 *  multipliers -lambda are those that make a change b of the constrained accelerations (or, as impulses, velocities).
 *  Prescribed mobilities have x = 0. Redundant equations as in the State's own dynamics. Stage: Position. The first call
 *  factors, O(n + m) where loops close locally; each then costs O(n + m). */
CDN_API cdn_status cdn_solve_constrained(cdn_state *state, const double *f, const double *b, double *x,
                                         double *lambda) CDN_NODISCARD;

/** Which equations are redundant where the State is, that is follow from those before them in the order of elimination:
 *  flags (m) are set, *n (may be NULL) is their number. By pivots relative to what they could have been, of the squares of
 *  sines: redundant below 1e-11, and then until it is above 1e-8 (decided anew at each accepted step). Stage: Position. */
CDN_API cdn_status cdn_redundant_equations(cdn_state *state, bool *redundant, int *n) CDN_NODISCARD;

/** Inverse dynamics: forces f (nu) on mobilities that have an actuator, and multipliers lambda (m; may be NULL), with
 *    M udot + f_bias - f_applied + G^T lambda = f,
 *  beside all forces of the State. `actuated` (nu) says where there is an actuator; NULL: everywhere. udot should satisfy the
 *  constraints (cdn_calc_udoterr tells). Where there are more actuators than needed, the forces are those of least sum of
 *  squares; where they are too few, what is left over is, and *unbalanced (may be NULL) is its largest element: 0, or rounding,
 *  where udot can be had. Multipliers that still make no difference are those of least norm (cdn_constraint_set_weight). On
 *  prescribed mobilities f is what their motion gives, -tau (motion.h). Dense: O((nu + m) m^2). Stage: Force.
 *  CDN_ERR_UNSUPPORTED where subsystems other than matter have u or constraint equations. */
CDN_API cdn_status cdn_constrained_inverse_dynamics(cdn_state *state, const double *udot, const bool *actuated,
                                                    double *f, double *lambda, double *unbalanced) CDN_NODISCARD;

/* ---- projection (10.1) ------------------------------------------------------------------------- */

typedef struct cdn_projection_def {
  CDN_DEF_HEADER;
  double tolerance;        /**< on every error in its units (9.3); velocities times the time scale; 0: 1e-4 */
  double time_scale;       /**< t_c (s); 0: 0.1 */
  const double *u_weights; /**< W_u (nu): the largest steps go where weights are small; NULL: ones */
  bool always;             /**< take a step even where errors are within the tolerance */
  int most_iterations;     /**< 0: 30 */
} cdn_projection_def;
/** cdn_default_projection_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_projection_def_init(void *def, size_t size);
static inline cdn_projection_def cdn_default_projection_def(void) {
  cdn_projection_def def;
  cdn_projection_def_init(&def, sizeof def);
  return def;
}

/** Brings q to the position constraints by the smallest weighted change, prescribed mobilizers left as they are, and then
 *  quaternions to unit length: changes the State's q only if errors exceed the tolerance. *error (may be NULL): the largest
 *  error afterwards, in units. CDN_ERR_CONSTRAINT, with the worst equation's name and q as it was, if that is not within the
 *  tolerance. `def` may be NULL. */
CDN_API cdn_status cdn_project_q(cdn_state *state, const cdn_projection_def *def, double *error) CDN_NODISCARD;
/** The same for u and the velocity constraints (those of positions differentiated, too), at the q of the State. */
CDN_API cdn_status cdn_project_u(cdn_state *state, const cdn_projection_def *def, double *error) CDN_NODISCARD;

CDN_END_DECLS
#endif
