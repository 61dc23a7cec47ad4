/* What constraints offer the rooms above, beyond the public headers. */
#ifndef CARDAN_CONSTRAINTS_CONSTRAINTS_H
#define CARDAN_CONSTRAINTS_CONSTRAINTS_H

#include <cardan/constraints.h>

#include "matter/matter.h"

typedef struct constraint_room constraint_room;
struct derivative_pass;

/* The constraints of a System, NULL if it has none. */
const constraint_room *cdni_constraints(const cdn_system *system);
/* The same while the System is being frozen, if they have declared any equation to be solved. */
const constraint_room *cdni_constraints_declared(const cdn_system *system);
/* Their run of all equations of the System, on or off (udoterr, multipliers). */
int cdni_constraints_first_row(const constraint_room *room);
int cdni_constraints_equations(const constraint_room *room);
/* The one auto-update variable that they declare, which remembers what equations were redundant. */
cdn_dvar cdni_constraints_memory(const constraint_room *room);
/* Chooses the plan of those that are on, if it is not that of another evaluation: whether any is on is quickly told then. */
cdn_status cdni_constraints_choose_plan(const constraint_room *room, cdn_state *state);
/* Whether any constraint is on. */
bool cdni_constraint_any_enabled(const constraint_room *room, const cdn_state *state);

/* ---- where some are on ---- */

/* udot and A, from the forces in d and the udot of prescribed mobilizers; leaves the multipliers in their pool. */
cdn_status cdni_constraints_solve(const constraint_room *room, cdn_state *state, const tree_data *d);
/* What that reads beyond matter and forces: 6 tickets at most. Returns how many. */
int cdni_constraints_solve_reads(const constraint_room *room, cdn_ticket *tickets);
/* Adds their forces by the State's multipliers, F about M's origins; f may be NULL. */
cdn_status cdni_constraints_add_forces(const constraint_room *room, cdn_state *state, sv *F, double *f);
/* Adds to the derivatives of tau what constant multipliers do (lambda NULL: the State's), and gives those of the acceleration
 * errors at the pass' udot, by q and by u (equations x nu; may be NULL). */
cdn_status cdni_constraint_differentiate(const void *room, struct derivative_pass *p, const double *lambda,
                                         double *by_q, double *by_u);
/* r = G a */
cdn_status cdni_constraint_multiply_by_G(const void *room, cdn_state *state, const double *a, double *r);
/* Solves M x + G^T lambda = scale f, G x = scale b for many columns: rows of X are f and become x, those of b become lambda; rows
 * of constraints that are off stay as they are. Some constraint must be on. */
cdn_status cdni_constraint_solve_columns(const void *room, cdn_state *state, double scale, int columns, double *X,
                                         double *b);
/* The weights of the multipliers, one an equation (m of them). */
void cdni_constraints_weights(const constraint_room *room, const cdn_state *state, double *weights);

#endif
