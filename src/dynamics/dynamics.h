/* The interface of dynamics for the rooms above, beyond the public headers: the equations of motion as a whole,
 *
 *   M udot + G^T lambda + f_bias = f,    G udot = b,
 *
 * made of matter's M and f_bias, the sum f of all forces, and the rows G of the constraints. */
#ifndef CARDAN_DYNAMICS_DYNAMICS_H
#define CARDAN_DYNAMICS_DYNAMICS_H

#include "matter/matter.h"
#include "soft/soft.h"

typedef struct dynamics dynamics;

/* The dynamics of a System, NULL if it has no bodies. */
const dynamics *cdni_dynamics(const cdn_system *system);
/* Whether any constraint is on. */
bool cdni_dynamics_is_constrained(const dynamics *d, const cdn_state *state);
/* The sum of all forces except those of constraints, about M's origins. Either output may be NULL. */
cdn_status cdni_dynamics_applied_forces(const dynamics *d, cdn_state *state, const sv **F, const double **f);

/* contact_results.c: of a contact that is soft or rigid. */
contact_force_fn cdni_contact_force_of_rows;
/* power.c: the forces without a potential, applied ones included: one for each body at its origin, and nu of matter. */
cdn_status cdni_nonpotential_forces(cdn_state *state, cdn_spatial *F_G, double *f);

/* step.c: a stage of an implicit step, of a System that cdni_dynamics_steps. udot (nu): the accelerations for which the
 * forces of contacts are those of the velocities step->u + h udot, at the pose of the State, and all other forces are
 * those of the State. effort: what it took. zdot (nz): the numbers of friction's memory receive their rates, likewise
 * implicit. Twist must be valid. What accelerations the State has is undefined afterwards, until it is set. */
bool cdni_dynamics_steps(const cdn_system *system);
/* Keeps the contacts of the State: stages of later poses have them, too. */
cdn_status cdni_dynamics_hold(cdn_state *state);
cdn_status cdni_dynamics_step(cdn_state *state, const soft_step *step, double *udot, double *zdot, soft_effort *effort);

/* Fails, with a message, while there are rows: for functions that do not handle them. */
cdn_status cdni_dynamics_refuse_rows(cdn_state *state, const char *function);
/* The same, but rows that are not exact are let pass. */
cdn_status cdni_dynamics_refuse_exact_rows(cdn_state *state, const char *function);

/* What of the forces' derivatives by u a step takes implicitly. */
typedef enum step_damping {
  STEP_JOINTS, /* the mobility dampers: along the tree */
  STEP_FORCES, /* those of all forces but soft rows and inertia, made symmetric */
  STEP_ALL     /* of all forces but soft rows, with those of inertia */
} step_damping;
/* The accelerations a of a step from a State with accelerations udot: (M - h J) a = M udot on what the constraints
 * allow, where J are the derivatives by u. Constraints and prescribed motions keep their accelerations. nu numbers of
 * the State. */
cdn_status cdni_dynamics_damp(cdn_state *state, const char *function, step_damping damping, double h, double *a);
/* STEP_JOINTS for several lanes, whose accelerations are valid, with steps h of their own and the same damping by
 * mobility. a: nu in lanes. Of a System without constraints that damps in lanes. */
cdn_status cdni_dynamics_damp_lanes(cdn_state *state, const char *function, const double *damping, const double *h,
                                    double *a);
/* Whether the axes of every joint have the same damping. */
bool cdni_dynamics_damps_in_lanes(const dynamics *dyn, const double *damping);
/* Variations of accelerations, one column for each variable: by q (in the tangent basis), u and z (NULL: not wanted),
 * and by as many columns of generalized forces as there are in `force` (nu rows). */
typedef struct dynamics_variation {
  double *by_q, *by_u, *by_z, *by_f;
  int forces;
  const double *force;
} dynamics_variation;
/* Of the State's udot, as cdn_forward_dynamics_derivatives says. */
cdn_status cdni_forward_dynamics_vary(cdn_state *state, const char *function, const dynamics_variation *v);
/* On entry the variations of udot, on return those of the step's a (nu numbers of the State). `change`: how h J a
 * varies with the columns of forces (NULL: not at all). How J varies with q, u and z is differenced: along a if
 * STEP_ALL, and column by column if STEP_FORCES. */
cdn_status cdni_dynamics_damp_vary(cdn_state *state, const char *function, step_damping damping, double h,
                                   const double *a, const double *change, const dynamics_variation *v);
/* out = h J a, the change of forces over the step (nu numbers of the State). */
cdn_status cdni_dynamics_step_change(cdn_state *state, const char *function, step_damping damping, double h,
                                     const double *a, double *out);
/* M and M - h J (nu x nu, of matter). */
cdn_status cdni_dynamics_step_matrix(cdn_state *state, const char *function, step_damping damping, double h, double *M,
                                     double *A);

/* Derivatives of M udot + f_bias - f_applied + G^T lambda by q and u, at any udot and lambda (NULL: zero, and the
 * State's); and derivatives of the acceleration errors at udot (equations of the constraints x nu). Any output may
 * be NULL. */
cdn_status cdni_constrained_residual_derivatives(cdn_state *state, const char *function, const double *udot,
                                                 const double *lambda, double *dtau_dq, double *dtau_du,
                                                 double *errors_dq, double *errors_du);

#endif
