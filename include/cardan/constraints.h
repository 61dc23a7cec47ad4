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

/* Stations and directions are in the frames of the bodies that they are given for, which may be Ground. */

/** A massless rod: the stations' distance is `length` > 0 (m). One equation; its multiplier is the tension (N). */
CDN_API cdn_constraint cdn_system_constrain_rod(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                cdn_body b, cdn_vec3 p_B, double length);
CDN_API cdn_status cdn_rod_set(cdn_state *state, cdn_constraint rod, cdn_vec3 p_A, cdn_vec3 p_B, double length);
/** A ball joint: station p_B is where p_A is. Three equations, along a's axes. */
CDN_API cdn_constraint cdn_system_constrain_ball(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A,
                                                 cdn_body b, cdn_vec3 p_B);
CDN_API cdn_status cdn_ball_set(cdn_state *state, cdn_constraint ball, cdn_vec3 p_A, cdn_vec3 p_B);
/** Station p_B of b stays in the plane n . p = h (m) of a. One equation. */
CDN_API cdn_constraint cdn_system_constrain_point_in_plane(cdn_system *system, const char *name, cdn_body a,
                                                           cdn_vec3 n_A, double h, cdn_body b, cdn_vec3 p_B);
/** Direction y of b keeps an angle (rad, between 0 and pi) to direction x of a. One equation: x . y = cos(angle). */
CDN_API cdn_constraint cdn_system_constrain_angle(cdn_system *system, const char *name, cdn_body a, cdn_vec3 x_A,
                                                  cdn_body b, cdn_vec3 y_B, double angle);
/** Coordinate k of a body's mobilizer, one whose rate is a speed, has this value. One equation. */
CDN_API cdn_constraint cdn_system_constrain_coordinate(cdn_system *system, const char *name, cdn_body body,
                                                       int coordinate, double value);

/* ---- any constraint --------------------------------------------------------------------------- */

CDN_API int cdn_system_constraint_count(const cdn_system *system);
CDN_API const char *cdn_constraint_name(const cdn_system *system, cdn_constraint constraint); /**< NULL: wrong id */
CDN_API const char *cdn_constraint_kind_name(const cdn_system *system, cdn_constraint constraint);
/** The constraint of this name, or { -1 }. O(number of constraints). */
CDN_API cdn_constraint cdn_system_find_constraint(const cdn_system *system, const char *name);

/** Where a constraint's equations are in a frozen System's pools (state.h): np from `qerr` on in qerr, np + nv from `uerr`
 *  on in uerr, and np + nv + na from `row` on in udoterr, in the multipliers and in the rows of G. */
typedef struct cdn_constraint_equations {
  int np, nv, na, qerr, uerr, row;
} cdn_constraint_equations;
/** All zero for a wrong id. */
CDN_API cdn_constraint_equations cdn_constraint_get_equations(const cdn_system *system, cdn_constraint constraint);

/** Switch a constraint on or off (Instance stage). Constraints start enabled. Off, its errors and multipliers are zero. */
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

/* ---- projection (10.1) ------------------------------------------------------------------------- */

typedef struct cdn_projection_def {
  CDN_DEF_HEADER;
  double tolerance;        /**< on every error in its units (9.3); velocities times the time scale; 0: 1e-4 */
  double time_scale;       /**< t_c (s); 0: 0.1 */
  const double *u_weights; /**< W_u (nu): the largest steps go where weights are small; NULL: ones */
  bool always;             /**< take a step even where errors are within the tolerance */
  int most_iterations;     /**< 0: 30 */
} cdn_projection_def;
CDN_API cdn_projection_def cdn_default_projection_def(void);

/** Brings q to the position constraints by the smallest weighted change, prescribed mobilizers left as they are, and then
 *  quaternions to unit length: changes the State's q only if errors exceed the tolerance. *error (may be NULL): the largest
 *  error afterwards, in units. CDN_ERR_CONSTRAINT, with the worst equation's name and q as it was, if that is not within the
 *  tolerance. `def` may be NULL. */
CDN_API cdn_status cdn_project_q(cdn_state *state, const cdn_projection_def *def, double *error) CDN_NODISCARD;
/** The same for u and the velocity constraints (those of positions differentiated, too), at the q of the State. */
CDN_API cdn_status cdn_project_u(cdn_state *state, const cdn_projection_def *def, double *error) CDN_NODISCARD;

CDN_END_DECLS
#endif
