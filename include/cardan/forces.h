/* Cardan: forces, elements that act on bodies and mobilities, and custom forces.
 *
 * All parameters are Instance-stage variables: adders give defaults, the set functions change them in a State. An
 * element has a potential or not; the energy certificate integrates the power of those that have none. Set functions
 * return CDN_ERR_ARG for an element of another kind and for wrong numbers, CDN_ERR_NONFINITE, and then change
 * nothing.
 *
 * I want to
 *   find a force element by its name: cdn_system_find_force
 *   count force elements, and get the name and the kind of one: cdn_system_force_count, cdn_force_name,
 *       cdn_force_kind_name
 *   get the sum of the applied forces, force elements and forces from outside: cdn_applied_forces
 *   get all forces, those of rows, constraints and motions, too: cdn_total_forces
 *   get what touches, holds or pulls bodies from outside the model: cdn_external_forces
 *   get what a body has from its parent by joints, tendons and motors together: cdn_transmitted_forces
 *   get what one force element does: forces, power, potential: cdn_force_contribution
 *   get the potential energy: cdn_potential_energy
 *   get the power of forces without potential: cdn_nonpotential_power
 *   add a motor or a servo, change it in a State: cdn_system_add_actuator, cdn_default_actuator_def, cdn_actuator_set
 *   add gravity: cdn_system_add_gravity, cdn_gravity_set
 *   read gravity in a State: cdn_gravity_get
 *   exempt a body from gravity while building: cdn_system_exclude_from_gravity
 *   exempt a body from gravity in a State, or ask whether it is: cdn_gravity_set_body_excluded,
 *       cdn_gravity_body_is_excluded
 *   let a body float, or take off a part of its weight: cdn_system_add_gravity_compensation,
 *       cdn_gravity_compensation_set
 *   add a spring on a joint's coordinate (a torsion spring on a pin): cdn_system_add_mobility_spring,
 *       cdn_mobility_spring_set
 *   add viscous damping to a joint: cdn_system_add_mobility_damper, cdn_mobility_damper_set
 *   add a spring or a damper that is not linear: cdn_system_add_polynomial_spring, cdn_system_add_polynomial_damper
 *   damp all speeds alike: cdn_system_add_global_damper, cdn_global_damper_set
 *   apply a constant force or torque to a joint: cdn_system_add_mobility_force, cdn_mobility_force_set
 *   limit a joint's coordinate by compliant stops: cdn_system_add_mobility_stop, cdn_mobility_stop_set
 *   add a spring against the rotation of a ball or free joint: cdn_system_add_rotation_spring, cdn_rotation_spring_set
 *   — that is not linear: cdn_system_add_polynomial_rotation_spring
 *   — against its translation: cdn_system_add_position_spring, cdn_position_spring_set
 *   damp the rotation of a ball or free joint by a law that is not linear: cdn_system_add_rotation_damper,
 *       cdn_rotation_damper_set
 *   give a joint dry friction that sticks; ask whether it does: cdn_system_add_mobility_friction,
 *       cdn_mobility_friction_set, cdn_mobility_friction_get
 *   limit the rotation of a ball joint by a compliant cone: cdn_system_add_rotation_stop, cdn_rotation_stop_set
 *   add a spring between two points: cdn_system_add_two_point_spring, cdn_two_point_spring_set
 *   add a damper between two points: cdn_system_add_two_point_damper, cdn_two_point_damper_set
 *   add a constant force between two points: cdn_system_add_two_point_force, cdn_two_point_force_set
 *   add a spring with slack along a path: cdn_system_add_path_spring, cdn_path_spring_set
 *   add a damper along a path: cdn_system_add_path_damper, cdn_path_damper_set
 *   — that are not linear: cdn_system_add_polynomial_path_spring, cdn_system_add_polynomial_path_damper
 *   limit the length of a path by compliant stops: cdn_system_add_path_stop, cdn_path_stop_set
 *   add a bushing: six springs and dampers between two frames: cdn_system_add_linear_bushing, cdn_linear_bushing_set
 *   move a bushing's frames: cdn_linear_bushing_set_frames
 *   read a bushing's six coordinates and rates: cdn_linear_bushing_coordinates
 *   hold up a point over a plane by an exponential spring, with friction that sticks:
 *       cdn_default_exponential_spring_def, cdn_system_add_exponential_spring
 *   let a ball touch a half-space by a force that is smooth everywhere: cdn_default_smooth_contact_def,
 *       cdn_system_add_smooth_contact, cdn_smooth_contact_set
 *   apply a constant force and moment to a body: cdn_system_add_body_force, cdn_body_force_set
 *   switch a force off or on, or ask whether it is on: cdn_force_set_enabled, cdn_force_is_enabled
 *   add a force of my own: cdn_system_add_custom_force
 *   add a force of my own: cdn_system_add_custom_force
 *   add a force at a point of the body or of Ground, a moment, or a spatial force on a body, within my force:
 *       cdn_forces_add_point, cdn_forces_add_at, cdn_forces_add_torque, cdn_forces_add_body
 *   add a generalized force to a joint, or a tension along a path, within my force: cdn_forces_add_mobility,
 *       cdn_forces_add_path
 *   dry friction along a tendon that sticks: cdn_system_add_tendon_friction
 *   get the subsystem behind a custom force: cdn_force_subsystem */
#ifndef CARDAN_FORCES_H
#define CARDAN_FORCES_H

#include <cardan/controls.h>
#include <cardan/matter.h>
#include <cardan/paths.h>

CDN_BEGIN_DECLS

/* ---- the accumulator ---------------------------------------------------------------------- */

/* If an id is wrong or a number is not finite, nothing is added: realization fails and names the force. */

typedef struct cdn_forces cdn_forces;                       /**< valid during a force's calc function only */
typedef struct cdn_force_derivatives cdn_force_derivatives; /**< valid during calc_derivative only (derivatives.h) */

/** Adds force f_G (N, in Ground's axes) at station p_B of a body. Ground is allowed and ignored. O(1). */
CDN_API void cdn_forces_add_point(cdn_forces *f, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G);
/** Likewise, at a point that is given in Ground. */
CDN_API void cdn_forces_add_at(cdn_forces *f, cdn_body body, cdn_vec3 p_G, cdn_vec3 f_G);
/** Adds a pure moment (N m, in Ground's axes). */
CDN_API void cdn_forces_add_torque(cdn_forces *f, cdn_body body, cdn_vec3 moment_G);
/** Adds a spatial force (moment about, and force at, the body's origin, in Ground's axes). */
CDN_API void cdn_forces_add_body(cdn_forces *f, cdn_body body, cdn_spatial F_G);
/** Adds a generalized force on mobility k (0 ... nu - 1) of a body; its power is force * u_k. */
CDN_API void cdn_forces_add_mobility(cdn_forces *f, cdn_body body, int k, double force);
/** Adds the forces of a tension (N) along a path, which shortens it if it is positive; its power is -tension times the
 *  path's rate. The force's prerequisites must have cdn_path_ticket. */
CDN_API void cdn_forces_add_path(cdn_forces *f, cdn_path path, double tension);

/* ---- built-in elements -------------------------------------------------------------------- */

/* Every adder copies its arguments, returns an id, and is sticky (system.h). `coordinate` and `mobility` are numbers
 * within the body's mobilizer. Springs and stops need a coordinate whose rate is a speed u: no quaternions, no Euler
 * angles of a mobilizer whose speeds are angular velocities, no coordinates of a custom mobilizer with an N of its
 * own. */

/** Uniform gravity g (m/s^2, in Ground) on every body that is not excluded. At most one in a System. Potential
 *  -m g . p_com, zero at Ground's origin. */
CDN_API cdn_force cdn_system_add_gravity(cdn_system *system, const char *name, cdn_vec3 g);
CDN_API cdn_status cdn_gravity_set(cdn_state *state, cdn_force force, cdn_vec3 g) CDN_NODISCARD;
/** The State's g; NaNs if `force` is not gravity. */
CDN_API cdn_vec3 cdn_gravity_get(const cdn_state *state, cdn_force force);

/** Excludes a body, with its weight and its potential: while building (for every State), or in a State (an
 *  Instance-stage variable). Ground is always excluded; naming it has no effect. */
CDN_API void cdn_system_exclude_from_gravity(cdn_system *system, cdn_force gravity, cdn_body body);
CDN_API cdn_status cdn_gravity_set_body_excluded(cdn_state *state, cdn_force gravity, cdn_body body,
                                                 bool excluded) CDN_NODISCARD;
/** Whether a body is excluded; also true if there is no such gravity or body. */
CDN_API bool cdn_gravity_body_is_excluded(const cdn_state *state, cdn_force gravity, cdn_body body);

/** Takes off a part of a body's weight, by the force -part m g at its centre of mass; 1: the body floats. g is that of
 *  the System's gravity, which must be there, in a State; a body that is excluded from it has no weight. Potential part
 *  m g . p_com. (MJCF's gravcomp.) */
CDN_API cdn_force cdn_system_add_gravity_compensation(cdn_system *system, const char *name, cdn_body body, double part);
CDN_API cdn_status cdn_gravity_compensation_set(cdn_state *state, cdn_force force, double part) CDN_NODISCARD;

/** A spring on a coordinate of a body's mobilizer: f = -k (q - q0). Energy k/2 (q - q0)^2. */
CDN_API cdn_force cdn_system_add_mobility_spring(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                                 double k, double q0);
CDN_API cdn_status cdn_mobility_spring_set(cdn_state *state, cdn_force force, double k, double q0) CDN_NODISCARD;
/** A spring that is not linear: with x = q - q0, f = -(k[0] x + k[1] x^2 + k[2] x^3); energy k[0]/2 x^2 + k[1]/3 x^3 +
 *  k[2]/4 x^4. It pulls back everywhere if k[0] >= 0, k[2] >= 0 and k[1]^2 <= 4 k[0] k[2] (MJCF's stiffness with three
 *  numbers). Its parameters are k, q0, k2 and k3; cdn_mobility_spring_set leaves k2 and k3 as they are. */
CDN_API cdn_force cdn_system_add_polynomial_spring(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                                   const double k[3], double q0);
/** A damper on a mobility: f = -c u; c >= 0. */
CDN_API cdn_force cdn_system_add_mobility_damper(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                 double c);
CDN_API cdn_status cdn_mobility_damper_set(cdn_state *state, cdn_force force, double c) CDN_NODISCARD;
/** A damper that is not linear: f = -(c[0] u + c[1] u |u| + c[2] u^3); c[0] >= 0. It takes energy at every speed if
 *  c[2] >= 0, and c[1] >= 0 or c[1]^2 <= 4 c[0] c[2] (MJCF's damping with three numbers). Its parameters are c, c2 and
 *  c3; cdn_mobility_damper_set leaves c2 and c3 as they are. */
CDN_API cdn_force cdn_system_add_polynomial_damper(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                   const double c[3]);
/** A damper f = -c u on every mobility of the System, a crude means to drain energy; c >= 0. */
CDN_API cdn_force cdn_system_add_global_damper(cdn_system *system, const char *name, double c);
CDN_API cdn_status cdn_global_damper_set(cdn_state *state, cdn_force force, double c) CDN_NODISCARD;
/** A constant generalized force on a mobility, such as a motor's torque that your program sets. No potential. */
CDN_API cdn_force cdn_system_add_mobility_force(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                double f);
CDN_API cdn_status cdn_mobility_force_set(cdn_state *state, cdn_force force, double f) CDN_NODISCARD;

typedef struct cdn_actuator_def {
  CDN_DEF_HEADER;
  cdn_body body;         /**< must be set; default Ground, which has no mobility */
  int mobility;          /**< mobility of that body, 0 ... nu - 1. Default 0 */
  cdn_control control;   /**< default { -1 }: none */
  double gain;           /**< N or N m per unit of the control. Default 1 */
  double bias[3];        /**< constant force, force per unit of q, force per unit of u. Defaults 0 */
  double lower, upper;   /**< limits of the force, N or N m, lower < upper. Defaults -INFINITY, INFINITY */
  double gain_q, gain_u; /**< change of the gain per unit of q, per unit of u. Defaults 0 */
  /** What actuators.h reads in other units: there the length is gear times q, and the force f over the gear. Not 0;
   *  default 1 */
  double gear;
} cdn_actuator_def;

CDN_DEF(actuator_def);

/** An actuator on a mobility, with a control c (controls.h): f = (gain + gain_q q + gain_u u) c + bias[0] + bias[1] q
 *  + bias[2] u, within its limits. With gain only it is a motor; with bias[1] = -gain a servo that holds position c;
 *  with bias[2] = -gain a servo that holds speed c; with gain_u only, and negative, a damper of strength c. gain_q and
 *  bias[1] need a coordinate whose rate is the mobility's u. No potential. */
CDN_API cdn_force cdn_system_add_actuator(cdn_system *system, const char *name, const cdn_actuator_def *def);
/** Sets these parameters; `bias` NULL: the biases stay. cdn_force_set_parameter sets any parameter. */
CDN_API cdn_status cdn_actuator_set(cdn_state *state, cdn_force force, double gain, const double bias[3], double lower,
                                    double upper) CDN_NODISCARD;
/** A compliant stop of a coordinate. Outside [lower, upper], with x the penetration, f = -k x max(0, 1 + d xdot)
 *  (Hunt and Crossley 1975); it never pulls. A bound may be infinite. k > 0; d >= 0 (s/m or s/rad). Steps end where
 *  the coordinate meets or leaves a bound, and where damping cancels the force (docs/methods.md, Kinks). */
CDN_API cdn_force cdn_system_add_mobility_stop(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                               double lower, double upper, double k, double d);
CDN_API cdn_status cdn_mobility_stop_set(cdn_state *state, cdn_force force, double lower, double upper, double k,
                                         double d) CDN_NODISCARD;
/** Dry friction on a mobility, which sticks: a bristle, whose displacement x is a z of the State (rad or m). With T the
 *  damping time and g = stiffness (x + T u): f = -s g, s = min(1, loss / |g|), xdot = s u - (1 - s) x / T. A joint
 *  under a load below `loss` (N m or N, >= 0) moves elastically and does not creep; a joint that slides is braked by
 *  `loss` at any speed. The stiffness (N m/rad or N/m) and T (s) are positive; loss / stiffness is the largest elastic
 *  displacement, and T = 2 sqrt(m / stiffness) damps an inertia m critically. Passive. It stores energy that is in no
 *  potential. The force is continuous: no step ends where sliding begins. docs/forces.md, Dry friction of joints. */
CDN_API cdn_force cdn_system_add_mobility_friction(cdn_system *system, const char *name, cdn_body body, int mobility,
                                                   double loss, double stiffness, double damping_time);
/** The same along a tendon, whose speed is the sum of coefficients times u of 1 to 16 different mobilities: the
 *  force acts on each of them times its coefficient. Displacement, loss and stiffness are of the tendon. */
enum { CDN_FRICTION_MOST_TERMS = 16 };
CDN_API cdn_force cdn_system_add_tendon_friction(cdn_system *system, const char *name, int mobilities,
                                                 const cdn_mobility *mobility, const double *coefficient, double loss,
                                                 double stiffness, double damping_time);
/** Sets the numbers of either kind. The displacement stays; a joint slides if `loss` falls below its load. */
CDN_API cdn_status cdn_mobility_friction_set(cdn_state *state, cdn_force force, double loss, double stiffness,
                                             double damping_time) CDN_NODISCARD;
/** The displacement x (rad, m), the force f on the mobility or along the tendon (N m, N), whether it sticks; each
 *  may be NULL. O(1). */
CDN_API cdn_status cdn_mobility_friction_get(cdn_state *state, cdn_force force, double *displacement, double *f,
                                             bool *sticks) CDN_NODISCARD;
/** A torsion spring of a ball or free mobilizer: moment k theta, theta being the angle of the shortest rotation from
 *  R0 to R_FM. At theta = pi the axis is arbitrary and the moment jumps; a step ends there. Energy k/2 theta^2. */
CDN_API cdn_force cdn_system_add_rotation_spring(cdn_system *system, const char *name, cdn_body body, double k,
                                                 cdn_rotation R0);
CDN_API cdn_status cdn_rotation_spring_set(cdn_state *state, cdn_force force, double k, cdn_rotation R0) CDN_NODISCARD;
/** A torsion spring that is not linear: moment k[0] theta + k[1] theta^2 + k[2] theta^3 (MJCF's stiffness with three
 *  numbers). Energy k[0]/2 theta^2 + k[1]/3 theta^3 + k[2]/4 theta^4. Its parameters are k, R0, k2 and k3;
 *  cdn_rotation_spring_set leaves k2 and k3 as they are. */
CDN_API cdn_force cdn_system_add_polynomial_rotation_spring(cdn_system *system, const char *name, cdn_body body,
                                                            const double k[3], cdn_rotation R0);
/** A damper of the turning of a ball or free mobilizer. Each component w of the angular velocity of M in F, in M's
 *  axes, has the moment -(c[0] w + c[1] w |w| + c[2] w^3) about its axis; c[0] >= 0. If c[1] and c[2] are not 0, the
 *  axes matter. It takes energy at every speed where cdn_system_add_polynomial_damper does (MJCF's damping of balls and
 *  free joints with three numbers). Its parameters are c, c2 and c3, N m s/rad and so on. */
CDN_API cdn_force cdn_system_add_rotation_damper(cdn_system *system, const char *name, cdn_body body,
                                                 const double c[3]);
CDN_API cdn_status cdn_rotation_damper_set(cdn_state *state, cdn_force force, const double c[3]) CDN_NODISCARD;
/** A spring on the three lengths of a free, translation, bushing or free-line mobilizer. With x = p_FM - p0, r = |x|,
 *  the force on x is -(k[0] + k[1] r + k[2] r^2) x, and the energy k[0]/2 r^2 + k[1]/3 r^3 + k[2]/4 r^4 (MJCF's
 *  stiffness of free joints). p0 in m, in F. Its parameters are k, p0, k2 and k3, N/m and so on. */
CDN_API cdn_force cdn_system_add_position_spring(cdn_system *system, const char *name, cdn_body body, const double k[3],
                                                 cdn_vec3 p0);
CDN_API cdn_status cdn_position_spring_set(cdn_state *state, cdn_force force, const double k[3],
                                           cdn_vec3 p0) CDN_NODISCARD;
/** A compliant limit on the rotation angle of R_FM itself (a cone): beyond `max_angle` >= 0 it acts as a mobility
 *  stop. Steps end as for a mobility stop, and where the angle passes pi. */
CDN_API cdn_force cdn_system_add_rotation_stop(cdn_system *system, const char *name, cdn_body body, double max_angle,
                                               double k, double d);
CDN_API cdn_status cdn_rotation_stop_set(cdn_state *state, cdn_force force, double max_angle, double k,
                                         double d) CDN_NODISCARD;

/** A spring between stations of two different bodies: tension k (length - rest), rest >= 0. At length zero it has no
 *  direction: the force is zero if rest is zero, else realization fails. If rest > 0 the force jumps when the stations
 *  pass through one another; no step ends there, but error estimates see the jump (docs/methods.md, Kinks). */
CDN_API cdn_force cdn_system_add_two_point_spring(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                  cdn_body b, cdn_vec3 p_B, double k, double rest);
CDN_API cdn_status cdn_two_point_spring_set(cdn_state *state, cdn_force force, double k, double rest) CDN_NODISCARD;
/** A damper between stations of two different bodies: tension c d(length)/dt, c >= 0. At length zero its direction
 *  is that of the stations' relative velocity. */
CDN_API cdn_force cdn_system_add_two_point_damper(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                  cdn_body b, cdn_vec3 p_B, double c);
CDN_API cdn_status cdn_two_point_damper_set(cdn_state *state, cdn_force force, double c) CDN_NODISCARD;
/** A constant force f (N) along the line between stations of two different bodies: f > 0 pushes them apart, f < 0
 *  pulls them together. No potential. At length zero it has no direction, and realization fails unless f is 0. It
 *  jumps when the stations pass through one another, as a spring with a rest length does. */
CDN_API cdn_force cdn_system_add_two_point_force(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                 cdn_body b, cdn_vec3 p_B, double f);
CDN_API cdn_status cdn_two_point_force_set(cdn_state *state, cdn_force force, double f) CDN_NODISCARD;

/** A spring along a path (paths.h) that is slack between two lengths: tension k (L - upper) above, k (L - lower) below,
 *  where it pushes. A cable has lower = -INFINITY; a spring has lower = upper. Energy k/2 of the square. */
CDN_API cdn_force cdn_system_add_path_spring(cdn_system *system, const char *name, cdn_path path, double k,
                                             double lower, double upper);
CDN_API cdn_status cdn_path_spring_set(cdn_state *state, cdn_force force, double k, double lower,
                                       double upper) CDN_NODISCARD;
/** A damper along a path: tension c times the rate of its length; c >= 0. */
CDN_API cdn_force cdn_system_add_path_damper(cdn_system *system, const char *name, cdn_path path, double c);
CDN_API cdn_status cdn_path_damper_set(cdn_state *state, cdn_force force, double c) CDN_NODISCARD;
/** A path spring and a path damper that are not linear. With x the length beyond `upper`, or beyond `lower`
 *  (negative), the tension is k[0] x + k[1] x^2 + k[2] x^3; with v the rate it is c[0] v + c[1] v |v| + c[2] v^3. k[0]
 *  and c[0] are not negative. Their further parameters are k2, k3 and c2, c3, which the setters leave as they are. */
CDN_API cdn_force cdn_system_add_polynomial_path_spring(cdn_system *system, const char *name, cdn_path path,
                                                        const double k[3], double lower, double upper);
CDN_API cdn_force cdn_system_add_polynomial_path_damper(cdn_system *system, const char *name, cdn_path path,
                                                        const double c[3]);
/** A compliant stop of a path's length, as a coordinate has it: outside [lower, upper], with x the penetration, the
 *  tension is k x max(0, 1 + d xdot) beyond `upper`, and its opposite, a push, below `lower`. A bound may be infinite.
 *  k > 0 (N/m); d >= 0 (s/m). Steps end where the length meets or leaves a bound, and where damping cancels the
 *  force. */
CDN_API cdn_force cdn_system_add_path_stop(cdn_system *system, const char *name, cdn_path path, double lower,
                                           double upper, double k, double d);
CDN_API cdn_status cdn_path_stop_set(cdn_state *state, cdn_force force, double lower, double upper, double k,
                                     double d) CDN_NODISCARD;

/** A linear bushing between frame F on body A and frame M on body B, two different bodies. Its six coordinates are
 *  the body-fixed x-y-z angles of R_FM (rad; the first and the third in [-pi, pi], the second in [-pi/2, pi/2]) and
 *  p_FM in F's axes (m). Each has a spring and a damper: f_i = -k_i q_i - c_i qdot_i (N m, N), c_i >= 0. Energy sum
 *  k_i q_i^2 / 2. A and B feel opposite forces on one line, so either may be Ground. At a second angle of +-pi/2 the
 *  other two are undefined: realization fails there (recoverably), unless the coefficients of all three angles are
 *  zero. If the first or the third angle passes pi its spring jumps, and a step ends. k and c are in the order of
 *  the coordinates; NULL: zeros. */
CDN_API cdn_force cdn_system_add_linear_bushing(cdn_system *system, const char *name, cdn_body a, cdn_transform X_AF,
                                                cdn_body b, cdn_transform X_BM, const double k[6], const double c[6]);
/** Sets the coefficients; NULL: the k, or the c, stay. */
CDN_API cdn_status cdn_linear_bushing_set(cdn_state *state, cdn_force force, const double k[6],
                                          const double c[6]) CDN_NODISCARD;
CDN_API cdn_status cdn_linear_bushing_set_frames(cdn_state *state, cdn_force force, cdn_transform X_AF,
                                                 cdn_transform X_BM) CDN_NODISCARD;
/** Writes the six coordinates and their rates; either may be NULL. Realizes Position; for qdot, Velocity. */
CDN_API cdn_status cdn_linear_bushing_coordinates(cdn_state *state, cdn_force force, double q[6],
                                                  double qdot[6]) CDN_NODISCARD;

/** A constant force f_G (N) at station p_B and a constant moment m_G (N m) on one body, both in Ground's axes. No
 *  potential. */
CDN_API cdn_force cdn_system_add_body_force(cdn_system *system, const char *name, cdn_body body, cdn_vec3 p_B,
                                            cdn_vec3 f_G, cdn_vec3 m_G);
CDN_API cdn_status cdn_body_force_set(cdn_state *state, cdn_force force, cdn_vec3 f_G, cdn_vec3 m_G) CDN_NODISCARD;

/** A ball on a half-space by a force that is smooth in pose and velocity, for optimization and other work with
 *  gradients: Simbody's SmoothSphereHalfSpaceForce. It needs no shapes, acts at any distance (little where the two are
 *  apart), and is not among the contacts of a State. With the depth x, its rate v, k = E^(2/3) / 2 and the slip speed
 *    u: hertz = 4/3 k sqrt(R k) (x^2 + c)^(3/4) (1 + tanh(b_x x)) / 2
 *    normal = hertz (1 + 3/2 d v) (1 + tanh(b_v (v + 2 / (3 d)))) / 2
 *    friction = normal (min(s / w, 1) (mu_d + 2 (mu_s - mu_d) / (1 + (s / w)^2)) + mu_v s) u / s, s^2 = u^2 + c
 *  It has no potential here: the energy certificate integrates its power. */
typedef struct cdn_smooth_contact_def {
  CDN_DEF_HEADER;
  const char *name;           /**< copied; NULL: "force0", ... */
  cdn_body plane_body;        /**< default Ground */
  cdn_transform X_AP;         /**< frame P of the half-space on that body: all points of z <= 0. Default: identity */
  cdn_body ball_body;         /**< must be set: another body */
  cdn_vec3 p_B;               /**< the ball's centre on that body, m. Default 0 */
  double radius;              /**< R, m; must be set: > 0 */
  double modulus;             /**< E, plane-strain modulus of both, Pa, > 0. Default 1e7 */
  double dissipation;         /**< d, s/m, >= 0. Default 0.1 */
  double static_friction;     /**< mu_s >= mu_d. Default 0.8 */
  double dynamic_friction;    /**< mu_d >= 0. Default 0.7 */
  double viscous_friction;    /**< mu_v, s/m, >= 0. Default 0 */
  double transition_velocity; /**< w, m/s, > 0. Default 0.01 */
  double constant;            /**< c > 0, in m^2 and in (m/s)^2: keeps derivatives from vanishing. Default 1e-5 */
  double depth_sharpness;     /**< b_x, 1/m, > 0. Default 300 */
  double rate_sharpness;      /**< b_v, s/m, > 0. Default 50 */
} cdn_smooth_contact_def;
CDN_DEF(smooth_contact_def);
CDN_API cdn_force cdn_system_add_smooth_contact(cdn_system *system, const cdn_smooth_contact_def *def);
/** Sets all numbers of one; name and bodies of the def are not read. */
CDN_API cdn_status cdn_smooth_contact_set(cdn_state *state, cdn_force force,
                                          const cdn_smooth_contact_def *def) CDN_NODISCARD;

/** A point of a body over a plane, held up by a spring whose force grows exponentially as the point comes down, with
 *  friction that sticks. With the height z over the plane and the velocity v of the point in it,
 *    N = d1 exp(-d2 (z - d0)) (1 - cz zdot), at least 0 (Simbody 3.8's ExponentialSpringForce has this normal force),
 *  and friction is a bristle of stiffness k and damping c, whose displacement is two z of the State, and which bears at
 *  most mu N: below that load the point moves elastically and does not creep. mu = mu_d + (mu_s - mu_d) / (1 + (v /
 *  w)^2). It is a custom force with the parameters d0, d1, d2, cz, static_friction, dynamic_friction, k, c,
 *  transition_velocity (elements.h), whose limits are not checked in a State. It is not among the contacts of a
 *  State. */
typedef struct cdn_exponential_spring_def {
  CDN_DEF_HEADER;
  const char *name;           /**< copied; NULL: "force0", ... */
  cdn_body plane_body;        /**< default Ground */
  cdn_transform X_AP;         /**< frame P of the plane on that body: z = 0, with +z outward. Default: identity */
  cdn_body body;              /**< must be set: another body */
  cdn_vec3 p_B;               /**< the point on it, m. Default 0 */
  double d0;                  /**< height at which N = d1, m. Default 0.0065905 */
  double d1;                  /**< N, > 0. Default 0.5336 */
  double d2;                  /**< 1/m, > 0. Default 1150 */
  double cz;                  /**< s/m, >= 0. Default 0.5 */
  double static_friction;     /**< mu_s >= mu_d. Default 0.7 */
  double dynamic_friction;    /**< mu_d >= 0. Default 0.5 */
  double k;                   /**< of the bristle, N/m, > 0. Default 20000 */
  double c;                   /**< of the bristle, N s/m, > 0. Default 280 */
  double transition_velocity; /**< w, m/s, > 0. Default 0.01 */
} cdn_exponential_spring_def;
CDN_DEF(exponential_spring_def);
CDN_API cdn_force cdn_system_add_exponential_spring(cdn_system *system, const cdn_exponential_spring_def *def);

/** Switches an element on or off (an Instance-stage variable). Elements start enabled. Other parts of a custom force's
 *  subsystem, such as its zdot, stay active. */
CDN_API cdn_status cdn_force_set_enabled(cdn_state *state, cdn_force force, bool enabled) CDN_NODISCARD;
CDN_API bool cdn_force_is_enabled(const cdn_state *state, cdn_force force);
/** The kind of a force element, such as "gravity", "two_point_spring", "custom"; NULL for a wrong id. Static
 *  storage. */
CDN_API const char *cdn_force_kind_name(const cdn_system *system, cdn_force force);
CDN_API const char *cdn_force_name(const cdn_system *system, cdn_force force); /**< NULL for a wrong id */
CDN_API int cdn_system_force_count(const cdn_system *system);
/** The force element of this name; { -1 } if there is none. O(forces). */
CDN_API cdn_force cdn_system_find_force(const cdn_system *system, const char *name);

/* ---- custom forces ------------------------------------------------------------------------- */

/** The variables that a force reads directly; they decide when the force is computed again. Variables behind its
 *  `prerequisites` are known from these. */
typedef enum cdn_force_reads {
  CDN_READS_POSITION,  /**< t, q and parameters: poses */
  CDN_READS_VELOCITY,  /**< also u */
  CDN_READS_EVERYTHING /**< also z; a force that declares z reads z, whatever it says */
} cdn_force_reads;

enum { CDN_FORCE_MORE_PREREQUISITES = 8 }; /**< room for tickets of more_prerequisites */

/** A custom force: a subsystem (which may declare z, discrete variables, parameters and cache entries, and have
 *  calc_zdot) that also adds forces. Its own declarations are prerequisites of its force by themselves; entries of
 *  other subsystems must be in `prerequisites`. See docs/custom-forces.md. */
typedef struct cdn_force_ops {
  /** All may be NULL or 0; its name is the force's; struct_size 0: this header's size. A force that changes at known
   *  times declares them with next_stop: steps end there. */
  cdn_subsystem_ops subsystem;
  uint32_t struct_size; /**< sizeof(cdn_force_ops) */
  cdn_force_reads reads;
  /** Adds the forces. Required. */
  cdn_status (*calc_force)(const void *self, cdn_state *state, cdn_forces *forces);
  /** Computes the potential energy (J), a function of t, q and parameters; calc_force then gives its whole force.
   *  NULL: the force has no potential, and its power counts as work in the energy certificate. */
  cdn_status (*calc_potential)(const void *self, cdn_state *state, double *energy);
  /** Further tickets that calc_force reads, beyond `reads` and its own variables; may be NULL. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** Describes how the forces vary, with the functions of <cardan/derivatives.h>. NULL: derivatives use differences
   *  of the force; so they do where a control among the prerequisites follows a measure. */
  cdn_status (*calc_derivative)(const void *self, cdn_state *state, cdn_force_derivatives *derivatives);
  /** For forces that bend or jump (a contact begins, a spring goes slack, friction reverses): computes n_kinks
   *  numbers, each of which changes sign at its kink, and if known their time derivatives. All are NaN on entry; a
   *  value that stays NaN says that its kink is not near. Without derivatives, a kink that is passed twice within a
   *  step is not seen. Runs with error control end a step at each kink (docs/methods.md), without an event. May read
   *  what calc_force may, and u. */
  int n_kinks;
  cdn_status (*calc_kinks)(const void *self, cdn_state *state, double *values, double *rates);
  /** Writes further prerequisites, which have no ticket before the System is frozen, and returns
   *  their number: 0 to CDN_FORCE_MORE_PREREQUISITES. Called while the System is frozen. NULL: there are none. */
  int (*more_prerequisites)(const void *self, const cdn_system *system, cdn_ticket *tickets);
  /** Adds how the forces vary with a control that is among the prerequisites: N or N m for each unit of its value.
   *  NULL: derivatives by controls use differences of the force. */
  cdn_status (*calc_control_derivative)(const void *self, cdn_state *state, cdn_control control,
                                        cdn_forces *derivative);
} cdn_force_ops;

/** Adds a custom force. Copies `ops` and the private part `self` (subsystem.self_size bytes). Sticky. */
CDN_SIZED_PAIR(, cdn_force, return, cdn_system_add_custom_force,
               (cdn_system *system, const cdn_force_ops *ops, const void *self), (system, ops, self),
               (size_t subsystem_size), (sizeof ops->subsystem));
/** The subsystem of a custom force. */
CDN_API cdn_subsystem cdn_force_subsystem(const cdn_system *system, cdn_force force);

/* ---- results ------------------------------------------------------------------------------- */

/** Sum of the potentials of all enabled elements, J. Realizes Position. */
CDN_API cdn_status cdn_potential_energy(cdn_state *state, double *energy) CDN_NODISCARD;
/** Ticket of the potential energy, in a System that has forces. */
extern CDN_API const cdn_ticket CDN_POTENTIAL_ENERGY;
/** Power (W) of all forces without potential: dampers, constant and applied forces, custom forces without a
 *  potential, rows of row providers. Realizes what these forces need, and Velocity. */
CDN_API cdn_status cdn_nonpotential_power(cdn_state *state, double *power) CDN_NODISCARD;
/** The applied forces: the sum of all force elements and of the forces applied from outside. One spatial force for
 *  each body at its origin (Ground's is zero), and nu generalized forces on mobilities; either may be NULL. Rows
 *  (rows.h, soft contact), constraints and motions are not in it. Realizes Force. O(bodies). */
CDN_API cdn_status cdn_applied_forces(cdn_state *state, cdn_spatial *F_G, double *f_mob) CDN_NODISCARD;
/** All forces that act: the applied ones, those of rows, of constraints, and, on mobilities, of motions and locks
 *  (-tau). With them the State's udot is the forward dynamics of an open tree: cdn_inverse_dynamics gives zero.
 *  Arguments as above. Realizes Acceleration. O(bodies + constraints). */
CDN_API cdn_status cdn_total_forces(cdn_state *state, cdn_spatial *F_G, double *f_mob) CDN_NODISCARD;
/** The forces on bodies of contacts, soft or compliant, of rows and constraints between bodies, and those applied from
 *  outside: what MuJoCo calls cfrc_ext, but at the bodies' origins (nb; Ground's is zero). Other force elements and
 *  rows along paths are not in it. Realizes Acceleration. O(bodies + constraints + contacts), and O(bodies) for each
 *  path with rows. */
CDN_API cdn_status cdn_external_forces(cdn_state *state, cdn_spatial *F_G) CDN_NODISCARD;
/** What each body has from its parent's side by whatever way, the joint, tendons, springs, motors: the rate of the
 *  momentum of all bodies that its joint carries, less gravity and external forces on them. MuJoCo calls it cfrc_int;
 *  this one is at the bodies' origins (nb; Ground's is zero). It is cdn_calc_reaction_forces (operators.h), which has
 *  what the joint alone transmits, plus the other force elements on these bodies. Realizes Acceleration. Cost: that of
 *  the external forces, and O(bodies + elements). */
CDN_API cdn_status cdn_transmitted_forces(cdn_state *state, cdn_spatial *F_G) CDN_NODISCARD;
/** Forces, power and potential of one force element. Every output may be NULL. F_G: nb forces on the bodies, at their
 *  origins, in Ground's axes (moment N m, force N). f: nu generalized forces of the whole element, J^T F_G included.
 *  *power: W, at the State's u. *potential: J, 0 if it has none. All are zero for an element that is off. Compliant
 *  contact has elements of its own, "contact", "contact dissipation" and "contact friction"; soft contact is no
 *  element. Over all elements the F_G add up to those of cdn_applied_forces without the forces applied from
 *  outside, the potentials to cdn_potential_energy. Realizes Force. CDN_ERR_ARG: a wrong id, or no bodies. Cost: the
 *  element, and O(bodies + elements). */
CDN_API cdn_status cdn_force_contribution(cdn_state *state, cdn_force force, cdn_spatial *F_G, double *f, double *power,
                                          double *potential) CDN_NODISCARD;

CDN_END_DECLS
#endif
