/* Cardan: constraints on the motion of the tree: closed loops, couplings, rolling (manual 6 and 8).
 *
 * A constraint has np equations at position level (holonomic), nv at velocity level and na at acceleration level, in
 * this order. All of them restrict accelerations, G udot = b, and each has a multiplier there:
 *
 *   M udot + G^T lambda = f,     G udot = b                                            (8.11, 8.12)
 *
 * So a constraint applies the forces -G^T lambda. Accelerations satisfy the constraints to rounding. Steppers
 * project positions and velocities back to within a tolerance (10.1) at every accepted step. Constraints may be
 * redundant: see cdn_redundant_equations.
 *
 * All parameters are Instance-stage variables: adders give defaults, the set functions change them in a State.
 * Adders copy their arguments, return an id, and are sticky (system.h). Prescribed mobilizers come first (8.4):
 * constraints act on the mobilities that are free.
 *
 * I want to
 *   count constraints, and get the name or kind of one: cdn_system_constraint_count, cdn_constraint_name,
 *       cdn_constraint_kind_name
 *   find a constraint by name: cdn_system_find_constraint
 *   compute inverse dynamics with loops, underactuated or redundantly actuated: cdn_constrained_inverse_dynamics
 *   keep two points at a distance (rod): cdn_system_constrain_rod, cdn_rod_set
 *   join two points (ball, connect): cdn_system_constrain_ball, cdn_ball_set
 *   change the frames and parameters of a joint that closes a loop: cdn_joint_set
 *   keep a point in a plane: cdn_system_constrain_point_in_plane, cdn_point_in_plane_set
 *   keep a point on a line: cdn_system_constrain_point_on_line, cdn_point_on_line_set
 *   keep an angle between two directions: cdn_system_constrain_angle, cdn_angle_set
 *   hold a coordinate at a value: cdn_system_constrain_coordinate, cdn_constant_coordinate_set
 *   hold a speed at a value: cdn_system_constrain_speed, cdn_constant_speed_set
 *   hold an acceleration at a value: cdn_system_constrain_acceleration, cdn_constant_acceleration_set
 *   make a coordinate follow a function of time: cdn_system_constrain_motion
 *   make a coordinate or a speed follow a control: cdn_system_constrain_coordinate_to_control,
 *       cdn_system_constrain_speed_to_control
 *   couple coordinates by a function: cdn_system_couple_coordinates
 *   couple speeds by a function (gears, nonholonomic couplings): cdn_system_couple_speeds
 *   couple two joints by a polynomial, as MJCF's `joint` equality: cdn_system_couple_by_polynomial,
 *       cdn_polynomial_coupler_set
 *   keep two bodies from slipping on each other at a point: cdn_system_constrain_no_slip, cdn_no_slip_set
 *   keep a body from turning relative to another one, as friction of a ball joint does: cdn_system_constrain_rotation
 *   keep a bead from moving along its wire, as friction there does: cdn_system_constrain_slip_on_line,
 *       cdn_slip_on_line_set
 *   roll or slide a sphere on a plane: cdn_system_constrain_sphere_on_plane, cdn_sphere_on_plane_set
 *   keep it from slipping, without holding it at the plane: cdn_system_constrain_slip_on_plane
 *   roll or slide a sphere on a sphere: cdn_system_constrain_sphere_on_sphere, cdn_sphere_on_sphere_set
 *   roll or slide an edge on an edge: cdn_system_constrain_line_on_line, cdn_line_on_line_set
 *   add a constraint of my own: cdn_system_constrain_custom, cdn_custom_constraint_set
 *   fill in the definition of my own constraint with its defaults: cdn_default_custom_constraint_def
 *   start a constraint switched off: cdn_system_disable_constraint
 *   switch a constraint off or on, or ask whether it is on: cdn_constraint_set_enabled, cdn_constraint_is_enabled
 *   read a constraint's parameters: cdn_constraint_params
 *   find a constraint's equations among all: cdn_constraint_get_equations
 *   read the gap of one constraint, or its velocity errors, on or off: cdn_calc_constraint_perr,
 *       cdn_calc_constraint_verr
 *   get the forces of all constraints on bodies and joints: cdn_constraint_forces
 *   get the forces of one constraint: cdn_constraint_force
 *   get the power of constraints: cdn_constraint_power
 *   say which error of a constraint counts as one unit: cdn_constraint_set_unit_error
 *   share forces among redundant constraints by relative stiffness: cdn_constraint_set_weight
 *   know which equations are redundant: cdn_redundant_equations
 *   compute the constraint Jacobian G: cdn_calc_G
 *   multiply by G or by its transpose: cdn_multiply_by_G, cdn_multiply_by_G_transpose
 *   get b of G udot = b: cdn_calc_constraint_bias
 *   get the position constraints' Jacobian by q: cdn_calc_Pq
 *   get acceleration errors for any udot: cdn_calc_udoterr
 *   solve M x + G^T lambda = f, G x = b (impulses too): cdn_solve_constrained
 *   solve for impulses of constraints and of prescribed motion: cdn_solve_impulses
 *   compute G M^-1 G^T, or solve with it: cdn_calc_G_M_inv_G_transpose, cdn_solve_G_M_inv_G_transpose
 *   project q onto the position constraints: cdn_project_q
 *   project u onto the velocity constraints: cdn_project_u
 *   set tolerance and weights of a projection: cdn_default_projection_def
 *   use Baumgarte's stabilization in place of projection: cdn_constraints_set_baumgarte
 *   give the rows of my constraint: at a point, about an axis, on a joint: cdn_rows_add_point, cdn_rows_add_torque,
 *       cdn_rows_add_mobility */
#ifndef CARDAN_CONSTRAINTS_H
#define CARDAN_CONSTRAINTS_H

#include <cardan/controls.h>
#include <cardan/motion.h>
#include <cardan/operators.h>

CDN_BEGIN_DECLS

/* ---- built-in kinds --------------------------------------------------------------------------- */

/* Stations, directions and frames are in the axes of their bodies, which may be Ground; a and b must differ.
 * Directions have any length but zero. Errors are in m, rad, m/s and rad/s; multipliers in N or N m. If an equation
 * is a component of p_B - p_A, or of b's velocity relative to a, its multiplier is the force on body a along that
 * component; body b feels the opposite. If an equation has no meaning at a State (a rod of length zero), realization
 * fails with the constraint's name; the failure is recoverable. Set functions return CDN_ERR_ARG for a constraint of
 * another kind and for wrong numbers, CDN_ERR_NONFINITE, and then change nothing. O(1) each. */

/** A massless rod: the distance of the stations is `length` > 0. One equation, distance - length; its multiplier is the
 *  tension. The rod has no direction if the stations coincide. */
CDN_API cdn_constraint cdn_system_constrain_rod(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                cdn_body b, cdn_vec3 p_B, double length);
CDN_API cdn_status cdn_rod_set(cdn_state *state, cdn_constraint rod, cdn_vec3 p_A, cdn_vec3 p_B,
                               double length) CDN_NODISCARD;
/** A ball joint: stations p_B and p_A coincide. Three equations, p_B - p_A along a's axes. */
CDN_API cdn_constraint cdn_system_constrain_ball(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                 cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_ball_set(cdn_state *state, cdn_constraint ball, cdn_vec3 p_A, cdn_vec3 p_B) CDN_NODISCARD;
/** Station p_B of b stays in the plane n . p = h (m) of a. One equation, n . p - h. */
CDN_API cdn_constraint cdn_system_constrain_point_in_plane(cdn_system *system, const char *name, cdn_body a,
                                                           cdn_vec3 n_A, double h, cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_point_in_plane_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 n_A, double h,
                                          cdn_vec3 p_B) CDN_NODISCARD;
/** Station p_B of b stays on the line of a through p_A along d. Two equations: x and y of p_B - p_A, in the axes of
 *  cdn_rotation_z_to(d). */
CDN_API cdn_constraint cdn_system_constrain_point_on_line(cdn_system *system, const char *name, cdn_body a,
                                                          cdn_vec3 d_A, cdn_vec3 p_A, cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_point_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 d_A, cdn_vec3 p_A,
                                         cdn_vec3 p_B) CDN_NODISCARD;
/** Direction y of b keeps an angle (rad, between 0 and pi) to direction x of a. One equation, x . y - cos(angle); its
 *  multiplier is the moment on b about x cross y, over the sine of the angle. */
CDN_API cdn_constraint cdn_system_constrain_angle(cdn_system *system, const char *name, cdn_body a, cdn_vec3 x_A,
                                                  cdn_body b, cdn_vec3 y_B, double angle);
CDN_API cdn_status cdn_angle_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 x_A, cdn_vec3 y_B,
                                 double angle) CDN_NODISCARD;

/** Sets the frames and the parameters of a loop joint (cdn_system_constrain_joint, mobilizers.h); params NULL: the
 *  parameters stay. */
CDN_API cdn_status cdn_joint_set(cdn_state *state, cdn_constraint joint, cdn_transform X_AF, cdn_transform X_BM,
                                 const double *params) CDN_NODISCARD;

/* Coordinates and speeds. A coordinate must have a speed u of the same mobilizer as its rate: no quaternion, and no
 * angle of a kind with an N of its own. A multiplier is minus the generalized force that the constraint applies to
 * the mobility. */

/** Coordinate k has this value. One equation, q - value. */
CDN_API cdn_constraint cdn_system_constrain_coordinate(cdn_system *system, const char *name, cdn_body body,
                                                       int coordinate, double value);
CDN_API cdn_status cdn_constant_coordinate_set(cdn_state *state, cdn_constraint constraint, double value) CDN_NODISCARD;
/** Mobility k has this speed. One equation at velocity level, u - speed. */
CDN_API cdn_constraint cdn_system_constrain_speed(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                  double speed);
CDN_API cdn_status cdn_constant_speed_set(cdn_state *state, cdn_constraint constraint, double speed) CDN_NODISCARD;
/** Mobility k has this acceleration. One equation at acceleration level, udot - acceleration. */
CDN_API cdn_constraint cdn_system_constrain_acceleration(cdn_system *system, const char *name, cdn_body body,
                                                         int mobility, double acceleration);
CDN_API cdn_status cdn_constant_acceleration_set(cdn_state *state, cdn_constraint constraint,
                                                 double acceleration) CDN_NODISCARD;
/** Coordinate k is a function of time f(t), with one input and second derivatives; retained. One equation, q - f(t). */
CDN_API cdn_constraint cdn_system_constrain_motion(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                                   const cdn_function *f);
/** Coordinate k is the value of a control, within its limits. One equation, q - c. The rates of c are those of the
 *  control's source; 0 for a control that your program writes. Not for a control that follows a measure. */
CDN_API cdn_constraint cdn_system_constrain_coordinate_to_control(cdn_system *system, const char *name, cdn_body body,
                                                                  int coordinate, cdn_control control);
/** Mobility k has the speed of a control, within its limits. One equation at velocity level, u - c. Its control: as
 *  for a coordinate. */
CDN_API cdn_constraint cdn_system_constrain_speed_to_control(cdn_system *system, const char *name, cdn_body body,
                                                             int mobility, cdn_control control);
/** f(q_1, ..., q_n) = 0, n = 1 to 6: f with second derivatives; retained. One equation, f. */
CDN_API cdn_constraint cdn_system_couple_coordinates(cdn_system *system, const char *name, const cdn_function *f, int n,
                                                     const cdn_mobility *coordinates);
/** f(u_1, ..., u_n, q_1, ..., q_m) = 0, n >= 1, n + m <= 6: f with first derivatives; retained. f need not be linear
 *  in u: the row of G is df/du. One equation at velocity level, f. `coordinates` may be NULL if m is 0. G then
 *  depends on velocities, so operators below that say "Stage: Position" realize Velocity. */
CDN_API cdn_constraint cdn_system_couple_speeds(cdn_system *system, const char *name, const cdn_function *f,
                                                const cdn_mobility *speeds, int n, const cdn_mobility *coordinates,
                                                int m);
/** MuJoCo's coupling of joints, y - y0 = a[0] + a[1] (x - x0) + ... + a[4] (x - x0)^4. One equation, the difference. */
CDN_API cdn_constraint cdn_system_couple_by_polynomial(cdn_system *system, const char *name, cdn_mobility y, double y0,
                                                       cdn_mobility x, double x0, const double a[5]);
CDN_API cdn_status cdn_polynomial_coupler_set(cdn_state *state, cdn_constraint constraint, double y0, double x0,
                                              const double a[5]) CDN_NODISCARD;

/* Contact that pushes and pulls (bilateral). Sliding: one equation, the gap along the normal n, which points from a
 * to b. Rolling: two more at velocity level, the velocity of b relative to a along the tangents x and y. The
 * multipliers are the force on a, along n, x and y, at the point of contact. */

/** Bodies a and b have the same velocity along direction n, at station p_C; p_C and n are fixed on a third body.
 *  Used for gears and wheels in a case, which may be one of the two. One equation at velocity level, n . (v_b -
 *  v_a). */
CDN_API cdn_constraint cdn_system_constrain_no_slip(cdn_system *system, const char *name, cdn_body frame, cdn_vec3 p_C,
                                                    cdn_vec3 n_C, cdn_body a, cdn_body b);
CDN_API cdn_status cdn_no_slip_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 p_C,
                                   cdn_vec3 n_C) CDN_NODISCARD;
/** Body b does not turn relative to a, from where it is. Three equations at velocity level, the angular velocity of b
 *  relative to a along the axes of a, rad/s. The multipliers are the moment on a along these axes, N m. As the slip of
 *  dry friction (hybrid.h) it is that of a ball joint. */
CDN_API cdn_constraint cdn_system_constrain_rotation(cdn_system *system, const char *name, cdn_body a, cdn_body b);
/** Station p_B of b does not move along direction d of a, wherever it is: with cdn_system_constrain_point_on_line, a
 *  bead that sticks on its wire. One equation at velocity level, the velocity of p_B relative to a along d, m/s. The
 *  multiplier is the force on a along d. As the slip of dry friction (hybrid.h) it is that of the bead. */
CDN_API cdn_constraint cdn_system_constrain_slip_on_line(cdn_system *system, const char *name, cdn_body a, cdn_vec3 d_A,
                                                         cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_slip_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 d_A,
                                        cdn_vec3 p_B) CDN_NODISCARD;
/** A sphere of b on the plane through the origin of frame P of a. The normal is P's z, the tangents are its x and y.
 *  Radius 0: a point; `rolling` makes it stick (otherwise it slides as with cdn_system_constrain_point_in_plane). */
CDN_API cdn_constraint cdn_system_constrain_sphere_on_plane(cdn_system *system, const char *name, cdn_body a,
                                                            cdn_transform X_AP, cdn_body b, cdn_vec3 p_B, double radius,
                                                            bool rolling);
CDN_API cdn_status cdn_sphere_on_plane_set(cdn_state *state, cdn_constraint constraint, cdn_transform X_AP,
                                           cdn_vec3 p_B, double radius) CDN_NODISCARD;
/** The slip of such a contact alone, whatever the gap: two equations at velocity level, along x and y of P, at the
 *  sphere's lowest point. cdn_sphere_on_plane_set changes its parameters. hybrid.h lets it slip by friction. */
CDN_API cdn_constraint cdn_system_constrain_slip_on_plane(cdn_system *system, const char *name, cdn_body a,
                                                          cdn_transform X_AP, cdn_body b, cdn_vec3 p_B, double radius);
/** Two spheres that touch from outside: the gap is the distance of the centres minus the radii (>= 0, not both 0).
 *  Tangents: x is along n cross the axis of a that is farthest from n, y = n cross x. There is no normal if the
 *  centres coincide. */
CDN_API cdn_constraint cdn_system_constrain_sphere_on_sphere(cdn_system *system, const char *name, cdn_body a,
                                                             cdn_vec3 p_A, double radius_a, cdn_body b, cdn_vec3 p_B,
                                                             double radius_b, bool rolling);
CDN_API cdn_status cdn_sphere_on_sphere_set(cdn_state *state, cdn_constraint constraint, cdn_vec3 p_A, double radius_a,
                                            cdn_vec3 p_B, double radius_b) CDN_NODISCARD;
/** An edge of a touches an edge of b. Each edge is a straight line along x of its frame E; z of E points out of the
 *  solid that the edge bounds. The contact is halfway between the nearest points; x is a's line, y = n cross x.
 *  There is no normal if the lines are parallel. */
CDN_API cdn_constraint cdn_system_constrain_line_on_line(cdn_system *system, const char *name, cdn_body a,
                                                         cdn_transform X_AE, cdn_body b, cdn_transform X_BE,
                                                         bool rolling);
CDN_API cdn_status cdn_line_on_line_set(cdn_state *state, cdn_constraint constraint, cdn_transform X_AE,
                                        cdn_transform X_BE) CDN_NODISCARD;

/* ---- custom constraints ------------------------------------------------------------------------ */

/** Arguments of the functions of a custom constraint: the bodies and mobilities of its def, in the order of the def.
 *  The library owns them; later releases append members. */
typedef struct cdn_constraint_input {
  double t;             /**< s; 0 unless the constraint is rheonomic */
  const double *params; /**< the constraint's parameters */
  int n_bodies;
  const cdn_transform *X_GB; /**< pose of each body in Ground */
  const cdn_spatial *V_GB;   /**< velocity of each body at its origin, in Ground; NULL at position level */
  int n_mobilities;
  const double *q; /**< for each mobility: the coordinate whose rate it is; NaN if there is none */
  const double *u; /**< for each mobility: its speed; NULL at position level */
} cdn_constraint_input;

/** Rows of G; the functions below add to them. */
typedef struct cdn_rows cdn_rows;
/** Adds the term f_G . v to velocity error number `equation` (0 ... np + nv + na - 1), v being the velocity of
 *  station p_B (for the last na equations: the acceleration). In the equations of motion, lambda = 1 then applies
 *  the force -f_G at p_B. */
CDN_API void cdn_rows_add_point(cdn_rows *rows, int equation, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G);
/** Adds the term m_G . w, w being the body's angular velocity in Ground; lambda = 1 applies the moment -m_G. */
CDN_API void cdn_rows_add_torque(cdn_rows *rows, int equation, cdn_body body, cdn_vec3 m_G);
/** Adds the term c u_k for mobility k of a body; lambda = 1 applies the generalized force -c. */
CDN_API void cdn_rows_add_mobility(cdn_rows *rows, int equation, cdn_body body, int k, double c);

/** A custom constraint. `self` is the System's copy of the private part. Several threads may call the functions at
 *  once, on different States. A status other than CDN_OK is returned to the caller of realize. A number that is not
 *  finite, or a body that the def does not list, is a failure that names the constraint. Outputs are zero on entry. */
typedef struct cdn_constraint_ops {
  uint32_t struct_size;
  const char *name; /**< name of the kind, appears in messages; copied; NULL: "custom" */
  size_t self_size; /**< bytes of the private part */
  int np, nv, na;   /**< numbers of equations, 1 to 32 in all */
  bool rheonomic;   /**< true: the constraint reads t */
  /** Set this if the constraint also pushes on Ground (a blade on ice). If it is false, the forces on the listed
   *  bodies must sum to zero, and so must their moments; otherwise the rows fail with the constraint's name. */
  bool absolute;
  /** true: calc_rows reads V_GB or u. The velocity equations are then not linear, and the rows are their derivatives.
   *  Operators that say "Stage: Position" then realize Velocity. */
  bool nonlinear;
  /** Computes np position errors. Required if np > 0. */
  cdn_status (*calc_position)(const void *self, const cdn_constraint_input *in, double *perr);
  /** Adds all rows: derivatives of the errors by velocities (for the last na: by accelerations). Required. */
  cdn_status (*calc_rows)(const void *self, const cdn_constraint_input *in, cdn_rows *rows);
  /** Computes np + nv velocity errors; the first np are the rates of the position errors. NULL: they are G u.
   *  Required if the constraint is rheonomic or nonlinear. */
  cdn_status (*calc_velocity)(const void *self, const cdn_constraint_input *in, double *verr);
  /** Computes np + nv + na acceleration errors for zero udot and zero accelerations of the bodies (angular, and of
   *  their origins). A term f . v of station p_B gives fdot . v + f . (w x (w x p_BP)). NULL: zero. */
  cdn_status (*calc_bias)(const void *self, const cdn_constraint_input *in, double *bias);
  void (*destroy)(void *self); /**< called once with the System's copy, when the System goes; may be NULL */
} cdn_constraint_ops;

typedef struct cdn_custom_constraint_def {
  CDN_DEF_HEADER;
  const char *name;              /**< copied; NULL: "constraint<i>" */
  const cdn_constraint_ops *ops; /**< copied */
  const void *self;              /**< copied; may be NULL if ops->self_size is 0 */
  const cdn_body *bodies;        /**< bodies that it reads or acts on, 16 at most; may be NULL if there are none */
  int n_bodies;
  const cdn_mobility *mobilities; /**< mobilities that it reads or acts on, 64 at most */
  int n_mobilities;
  const double *params; /**< default parameters; States may change them */
  int n_params;
} cdn_custom_constraint_def;

CDN_DEF(custom_constraint_def);
/** Adds a custom constraint. Copies its arguments; sticky (system.h). */
CDN_API cdn_constraint cdn_system_constrain_custom(cdn_system *system, const cdn_custom_constraint_def *def);
/** Sets its n_params parameters. */
CDN_API cdn_status cdn_custom_constraint_set(cdn_state *state, cdn_constraint constraint,
                                             const double *params) CDN_NODISCARD;

/* ---- any constraint --------------------------------------------------------------------------- */

/** The number of constraints: their ids are 0 to this, without it. Names of one and of its kind live as long as the
 *  System. */
CDN_API int cdn_system_constraint_count(const cdn_system *system);
CDN_API const char *cdn_constraint_name(const cdn_system *system, cdn_constraint constraint); /**< NULL: wrong id */
CDN_API const char *cdn_constraint_kind_name(const cdn_system *system, cdn_constraint constraint);
/** The constraint of this name, or { -1 }. O(number of constraints). */
CDN_API cdn_constraint cdn_system_find_constraint(const cdn_system *system, const char *name);

/** The place of a constraint's equations in the pools of a frozen System (state.h): np from `qerr` on in qerr, np +
 *  nv from `uerr` on in uerr, and np + nv + na from `row` on in udoterr, in the multipliers and in the rows of G. */
typedef struct cdn_constraint_equations {
  int np, nv, na;
  int qerr, uerr, row;
} cdn_constraint_equations;
/** All zero for a wrong id. */
CDN_SIZED_VALUE(cdn_constraint_equations, cdn_constraint_get_equations,
                (const cdn_system *system, cdn_constraint constraint), (system, constraint));

/** The constraint's parameters in the State, *n (may be NULL) of them: the arguments of the set function of its
 *  kind, in their order, with directions of unit length and frames as R by columns and p. NULL and 0 for a wrong id,
 *  and if there are none. Valid until they are set. */
CDN_API const double *cdn_constraint_params(const cdn_state *state, cdn_constraint constraint, int *n);

/** While building: the constraint starts switched off in every State. Sticky. */
CDN_API void cdn_system_disable_constraint(cdn_system *system, cdn_constraint constraint);
/** Switches a constraint on or off. Constraints start enabled, unless they were disabled while building. The errors and
 *  multipliers of a disabled constraint are zero in the State's pools; cdn_calc_constraint_perr and
 *  cdn_calc_constraint_verr compute its errors. It costs nothing in evaluations. The first evaluation with another set
 *  of enabled constraints makes the plan of elimination for the set: O(bodies + constraints) if loops close locally.
 *  It allocates only if the State never had a plan as large. Results depend on the set alone, not on earlier sets. A
 *  call that changes nothing invalidates nothing. An Instance-stage variable. */
CDN_API cdn_status cdn_constraint_set_enabled(cdn_state *state, cdn_constraint constraint, bool enabled) CDN_NODISCARD;
CDN_API bool cdn_constraint_is_enabled(const cdn_state *state, cdn_constraint constraint);
/** The error of its equations that counts as one unit (9.3), > 0; tolerances are in units. Default: 1. */
CDN_API cdn_status cdn_constraint_set_unit_error(cdn_state *state, cdn_constraint constraint,
                                                 double unit) CDN_NODISCARD;
/** Weight of its multipliers, > 0, default 1: a relative stiffness. If multipliers are not unique, those with the
 *  least sum of (lambda / weight)^2 are taken (9.4). */
CDN_API cdn_status cdn_constraint_set_weight(cdn_state *state, cdn_constraint constraint, double weight) CDN_NODISCARD;

/** Baumgarte's stabilization, for comparisons. With a time constant T > 0 (s), accelerations make position errors e
 *  follow e'' + 2 e' / T + e / T^2 = 0, and udoterr is not zero if there are errors. 0, the default: no
 *  stabilization; projection holds the constraints. An Instance-stage variable. */
CDN_API cdn_status cdn_constraints_set_baumgarte(cdn_state *state, double time_constant) CDN_NODISCARD;

/* ---- forces ------------------------------------------------------------------------------------ */

/** Forces of all constraints with the State's multipliers: on bodies, F_G (one for each body, at its origin, in
 *  Ground; may be NULL), and on mobilities directly, f (nu; may be NULL). Together they are -G^T lambda. Stage:
 *  Acceleration. O(constraints). */
CDN_API cdn_status cdn_constraint_forces(cdn_state *state, cdn_spatial *F_G, double *f) CDN_NODISCARD;
/** Forces of one constraint, like cdn_constraint_forces. */
CDN_API cdn_status cdn_constraint_force(cdn_state *state, cdn_constraint constraint, cdn_spatial *F_G,
                                        double *f) CDN_NODISCARD;
/** The power (W) that constraints put into the system. It is zero, except for constraints that depend on time and for
 *  velocity errors. Stage: Acceleration. */
CDN_API cdn_status cdn_constraint_power(cdn_state *state, double *power) CDN_NODISCARD;

/* ---- errors of one constraint, on or off ------------------------------------------------------- */

/** Computes the np position errors of a constraint (its gap), enabled or not, in its units of position. For an enabled
 *  constraint they are its part of cdn_state_qerr. `perr` may be NULL if the constraint has only acceleration
 *  equations. Stage: Position. CDN_ERR_ARG for a wrong id, or a NULL where numbers are needed; CDN_ERR_NONFINITE if an
 *  error is not finite. O(1); each call computes them anew. */
CDN_API cdn_status cdn_calc_constraint_perr(cdn_state *state, cdn_constraint constraint, double *perr) CDN_NODISCARD;
/** Computes the np + nv velocity errors of a constraint, enabled or not, in the order of cdn_state_uerr. Stage:
 *  Velocity. `verr` may be NULL, errors and cost: as for cdn_calc_constraint_perr. */
CDN_API cdn_status cdn_calc_constraint_verr(cdn_state *state, cdn_constraint constraint, double *verr) CDN_NODISCARD;

/* ---- operators --------------------------------------------------------------------------------- */

/* m = cdn_system_nudoterr(system) equations. Rows of constraints that are off are zero. Errors as in operators.h. */

/** r = G a (m from nu). Stage: Position. O(bodies + constraints). */
CDN_API cdn_status cdn_multiply_by_G(cdn_state *state, const double *a, double *r) CDN_NODISCARD;
/** f = G^T lambda (nu from m). Stage: Position. O(bodies + constraints). */
CDN_API cdn_status cdn_multiply_by_G_transpose(cdn_state *state, const double *lambda, double *f) CDN_NODISCARD;
/** Fills G, m x nu, row-major. Stage: Position. O(path of each constraint), plus the zeros. */
CDN_API cdn_status cdn_calc_G(cdn_state *state, double *G) CDN_NODISCARD;
/** b of G udot = b (m numbers). Stage: Velocity. O(bodies + constraints). */
CDN_API cdn_status cdn_calc_constraint_bias(cdn_state *state, double *b) CDN_NODISCARD;
/** Pq = P N^+ (np x nq, row-major), the derivative of the position errors with respect to q; rows as in qerr. Stage:
 *  Position. */
CDN_API cdn_status cdn_calc_Pq(cdn_state *state, double *Pq) CDN_NODISCARD;
/** udoterr = G udot - b for any udot (m). Stage: Velocity. */
CDN_API cdn_status cdn_calc_udoterr(cdn_state *state, const double *udot, double *udoterr) CDN_NODISCARD;

/** Solves M x + G^T lambda = f, G x = b for x (nu) and lambda (m). f (nu) or b (m) may be NULL: zero. With f = 0,
 *  -lambda are the multipliers (or impulses) that change the constrained accelerations (or velocities) by b.
 *  Prescribed mobilities have x = 0. Redundant equations are treated as in the State's own dynamics. Stage:
 *  Position. The first call at a pose factors, O(n + m) if loops close locally; each call then costs O(n + m). */
CDN_API cdn_status cdn_solve_constrained(cdn_state *state, const double *f, const double *b, double *x,
                                         double *lambda) CDN_NODISCARD;

/** Solves for the impulses of constraints and prescribed motion (8.4):
 *    M du + G^T lambda + tau = f,   G du = b,   du = known on prescribed mobilities,
 *  Results: the change du of u (nu), the impulses lambda of the equations (m; may be NULL), and the impulses tau of
 *  motions and locks (nu, zero on free mobilities; may be NULL). Given: the impulses f from outside (nu), the changes b
 *  of G u (m), and the changes `known` of prescribed speeds (nu; entries of free mobilities are ignored). Each of them
 *  may be NULL: zero. lambda has the sign of the multipliers, tau that of cdn_motion_forces; units N s and N m s. If
 *  the speed of a motion jumps by v, give known = v. To remove velocity errors e, give b = -e. Redundant
 *  equations are treated as in cdn_solve_constrained. Stage: Position. CDN_ERR_ARG if du is NULL. Cost: that of
 *  cdn_solve_constrained, and O(n). */
CDN_API cdn_status cdn_solve_impulses(cdn_state *state, const double *f, const double *b, const double *known,
                                      double *du, double *lambda, double *tau) CDN_NODISCARD;
/** Fills W = G M^-1 G^T (8.43), m x m, row-major, symmetric; M is the mass matrix of the free mobilities. W_ij is the
 *  change of the acceleration (or velocity) of equation i if multiplier (or impulse) j changes by -1. Rows and columns
 *  of disabled constraints are zero. Stage: Position. CDN_ERR_ARG if W is NULL. O((n + m) m), and the zeros. */
CDN_API cdn_status cdn_calc_G_M_inv_G_transpose(cdn_state *state, double *W) CDN_NODISCARD;
/** Solves W lambda = b (m each) without forming W, with the State's own factorization along the tree. If equations are
 *  redundant, W is singular: lambda then has the least norm (cdn_constraint_set_weight), and b is met in the sense of
 *  least squares. lambda is zero for disabled constraints. Stage: Position. CDN_ERR_ARG if b or lambda is NULL. Cost:
 *  that of cdn_solve_constrained. */
CDN_API cdn_status cdn_solve_G_M_inv_G_transpose(cdn_state *state, const double *b, double *lambda) CDN_NODISCARD;

/** Marks the redundant equations: those that follow from equations before them in the order of elimination. Sets m
 *  flags, and *n (may be NULL) to their number. An equation is redundant if its pivot, relative to its possible size
 *  (the square of a sine), is below 1e-11; it stays redundant until the pivot is above 1e-8. Each accepted step
 *  decides anew. Stage: Position. */
CDN_API cdn_status cdn_redundant_equations(cdn_state *state, bool *redundant, int *n) CDN_NODISCARD;

/** Inverse dynamics with constraints: forces f (nu) on mobilities that have an actuator, and multipliers lambda (m;
 *  may be NULL), with
 *    M udot + f_bias - f_applied + G^T lambda = f,
 *  where f_applied are all forces of the State, those of soft rows at this udot included. `actuated` (nu) marks the
 *  mobilities with an actuator; NULL: all. udot should satisfy the constraints (cdn_calc_udoterr tells). With more
 *  actuators than needed, f has the least sum of squares. With too few, the remaining imbalance has the least sum of
 *  squares, and *unbalanced (may be NULL) is its largest element; it is zero, or rounding, if udot can be reached.
 *  Multipliers that then remain free are those of least norm (cdn_constraint_set_weight). On prescribed mobilities f is
 *  -tau of their motion (motion.h). With one-sided elements and dry friction (hybrid.h) all this holds among admissible
 *  multipliers: what is on pushes, what sticks is within its bound, and what slips has its force. If the imbalance is
 *  larger than without these conditions, CDN_ERR_CONSTRAINT names an element that cannot be; the results are the best.
 *  Dense: O((nu + m) m^2). Stage: Force. CDN_ERR_UNSUPPORTED if a subsystem other than matter has u or constraint
 *  equations, and while there are exact rows (rows.h); CDN_ERR_SINGULAR if friction slips by reactions that do not
 *  follow from it. A force that keeps a reaction takes part, too. */
CDN_API cdn_status cdn_constrained_inverse_dynamics(cdn_state *state, const double *udot, const bool *actuated,
                                                    double *f, double *lambda, double *unbalanced) CDN_NODISCARD;

/* ---- projection (10.1) ------------------------------------------------------------------------- */

typedef struct cdn_projection_def {
  CDN_DEF_HEADER;
  double tolerance;        /**< bound on every error, in its units (9.3); velocities times time_scale; 0: 1e-4 */
  double time_scale;       /**< t_c, s; 0: 0.1 */
  const double *u_weights; /**< W_u (nu): speeds with small weights change most; NULL: ones */
  bool always;             /**< true: take a step even if all errors are within the tolerance */
  int most_iterations;     /**< 0: 30 */
} cdn_projection_def;
CDN_DEF(projection_def);

/** Projects q onto the position constraints by the smallest weighted change; coordinates of mobilizers that a motion or
 *  lock drives, at any level (motion.h), stay; then brings quaternions to unit length. Changes the State's q only if
 *  errors exceed the tolerance (see `always`).
 *  *error (may be NULL): the largest error afterwards, in units. CDN_ERR_CONSTRAINT if it is still above the
 *  tolerance: the message has the worst equation's constraint, and q is unchanged. `def` may be NULL: the defaults.
 *  Stage: Position. Each iteration costs O(bodies + constraints) if loops close locally. */
CDN_API cdn_status cdn_project_q(cdn_state *state, const cdn_projection_def *def, double *error) CDN_NODISCARD;
/** Projects u onto the velocity constraints (the rates of position constraints included), at the State's q: as
 *  cdn_project_q, with velocities. Stage: Velocity. */
CDN_API cdn_status cdn_project_u(cdn_state *state, const cdn_projection_def *def, double *error) CDN_NODISCARD;

CDN_END_DECLS
#endif
