/* What constraints offer the rooms above, beyond the public headers. */
#ifndef CARDAN_CONSTRAINTS_CONSTRAINTS_H
#define CARDAN_CONSTRAINTS_CONSTRAINTS_H

#include <cardan/constraints.h>

#include "matter/matter.h"

typedef struct constraint_room constraint_room;
struct derivative_pass;

/* The constraints of a System, NULL if it has none. */
const constraint_room *cdni_constraints(const cdn_system *system);
/* The same while the System is being frozen; NULL if no constraint has been added, or there are no bodies. */
const constraint_room *cdni_constraints_declared(const cdn_system *system);
/* The first equation of the constraints among those of the System (udoterr, multipliers), and their number, enabled or
 * not. */
int cdni_constraints_first_row(const constraint_room *room);
int cdni_constraints_equations(const constraint_room *room);
/* The one auto-update variable of the constraints. It remembers which equations were redundant. */
cdn_dvar cdni_constraints_memory(const constraint_room *room);
/* Which constraints are on: an array of n numbers. */
cdn_dvar cdni_constraints_switches(const constraint_room *room, int *n);
/* Makes the plan of the enabled constraints valid. cdni_constraint_any_enabled then costs O(1). */
cdn_status cdni_constraints_choose_plan(const constraint_room *room, cdn_state *state);
/* The first two bodies that a constraint names; { -1 } for one that is not there. */
void cdni_constraint_first_bodies(const cdn_system *system, int i, cdn_body bodies[2]);
/* Whether an enabled constraint reads a control. */
bool cdni_constraint_reads_control(const constraint_room *room, const cdn_state *state, cdn_control control);
/* Whether any constraint is enabled. */
bool cdni_constraint_any_enabled(const constraint_room *room, const cdn_state *state);

/* ---- one constraint, on or off (look.c) ---- */

/* The velocity errors of constraint i (np + nv), and what of them is the rows times the velocities (rate; may be NULL).
 * Here and below twists are evaluated first. */
cdn_status cdni_constraint_rates(const constraint_room *room, cdn_state *state, int i, double *rate, double *verr);
/* Its m rows over all nu speeds of matter. */
cdn_status cdni_constraint_full_rows(const constraint_room *room, cdn_state *state, int i, double *G);
/* Its m acceleration errors at accelerations A of M's origins and udot. */
cdn_status cdni_constraint_accelerations(const constraint_room *room, cdn_state *state, int i, const sv *A,
                                         const double *udot, double *aerr);
/* Of constraint i, which has one equation between positions: its error, the rate of it, and how fast that rate changes
 * at accelerations A and udot. */
cdn_status cdni_constraint_motion(const constraint_room *room, cdn_state *state, int i, const sv *A, const double *udot,
                                  double *error, double *rate, double *second);
/* Of constraint i, which has one equation between positions: its error, which changes at most by a sum of weights times
 * the ways of n parts, as long as that is less than the error. Part 2 b is the origin of body b's M, part 2 b + 1 its
 * rotation, and behind those of all bodies are the mobilities. *n = 0: not known, or more than `most` parts; the error
 * is then not written. */
cdn_status cdni_constraint_bound(const constraint_room *room, cdn_state *state, int i, double *error, int most, int *n,
                                 int32_t *part, double *weight);
/* Adds forces along its m equations: F about M's origins, f on mobilities. */
cdn_status cdni_constraint_push(const constraint_room *room, cdn_state *state, int i, const double *force, sv *F,
                                double *f);

/* Of a constraint that is off, with constant forces along its m equations, which the pass has among all others: adds
 * how they change to the derivatives of tau. Writes the derivatives of the velocity errors by q (m x nu). Fails, by
 * name, where the rows depend on u. */
cdn_status cdni_constraint_differentiate_off(const constraint_room *room, struct derivative_pass *p, int i,
                                             const double *force, double *by_q);
/* Of a constraint that is off: the derivatives of its acceleration errors by q and u (m x nu each) at constant
 * accelerations, which the pass has. */
cdn_status cdni_constraint_differentiate_accelerations(const constraint_room *room, struct derivative_pass *p, int i,
                                                       double *by_q, double *by_u);

/* ---- if a constraint is enabled ---- */

/* Computes udot and A from the forces in d and the udot of prescribed mobilizers. Writes the multipliers to the State's
 * pool. */
cdn_status cdni_constraints_solve(const constraint_room *room, cdn_state *state, const tree_data *d);
/* Writes the tickets that cdni_constraints_solve reads, apart from matter and forces: at most 6. Returns the number. */
int cdni_constraints_solve_reads(const constraint_room *room, cdn_ticket *tickets);
/* Adds the forces of the constraints, with the State's multipliers: F about M's origins; f may be NULL. */
cdn_status cdni_constraints_add_forces(const constraint_room *room, cdn_state *state, sv *F, double *f);
/* Adds to the derivatives of tau those of the constraints' forces with constant multipliers (lambda NULL: the State's).
 * Writes the derivatives of the acceleration errors at the pass's udot, by q and by u (equations x nu; may be NULL). */
cdn_status cdni_constraint_differentiate(const void *room, struct derivative_pass *p, const double *lambda,
                                         double *by_q, double *by_u);
/* r = G a */
cdn_status cdni_constraint_multiply_by_G(const void *room, cdn_state *state, const double *a, double *r);
/* Solves M x + G^T lambda = scale f, G x = scale b for many columns. X holds f on entry and x on return; b holds b on
 * entry and lambda on return. Rows of disabled constraints are left alone. A constraint must be enabled. */
cdn_status cdni_constraint_solve_columns(const void *room, cdn_state *state, double scale, int columns, double *X,
                                         double *b);
/* Solves M a + G^T mu = forces - f_bias - damping a along the tree, with the G a of the State's accelerations, for
 * steps whose damping is implicit. On entry a has the udot of prescribed mobilizers. */
cdn_status cdni_constraints_solve_damped(const constraint_room *room, cdn_state *state, const char *function,
                                         const double *damping, const sv *force, const double *f, double *a);
/* While the System is being built: the weight of a constraint's multipliers in a new State. */
void cdni_constraint_weigh(cdn_system *system, cdn_constraint constraint, double weight);
/* While the System is being built: moments switch a constraint that there is. */
void cdni_constraint_yields(cdn_system *system, cdn_constraint constraint);
/* The weights of the multipliers, one for each equation (m of them). */
void cdni_constraints_weights(const constraint_room *room, const cdn_state *state, double *weights);

#endif
