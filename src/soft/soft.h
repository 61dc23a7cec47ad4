/* What soft rows offer the rooms above, beyond the public header. */
#ifndef CARDAN_SOFT_SOFT_H
#define CARDAN_SOFT_SOFT_H

#include <cardan/soft.h>

#include "constraints/constraints.h"
#include "contact/contact.h"

typedef struct soft_room soft_room;

/* While the System is being frozen, and later: NULL if nothing provides soft rows, or there are no bodies. */
const soft_room *cdni_soft(const cdn_system *system);
/* Whether the System was given a cdn_soft_def. */
bool cdni_soft_is_given(const cdn_system *system);
/* Whether there are providers of the user's. */
bool cdni_soft_has_providers(const soft_room *room);
/* Whether there are rows that are scaled by how light bodies are: those of contacts and of soft elements. */
bool cdni_soft_is_scaled(const soft_room *room);
/* The name of the first provider, or of what else makes rows. */
const char *cdni_soft_first_name(const soft_room *room);
/* Fails, by name, while the State has exact rows: for functions that do not handle them. Evaluates the groups. */
cdn_status cdni_soft_refuse_exact(const soft_room *room, cdn_state *state, const char *function);
/* The ticket of the groups of a State. */
cdn_ticket cdni_soft_ticket(const soft_room *room);
/* report.c: what the rows of contacts do, by their numbers among soft ones. */
contact_force_fn cdni_soft_contact_force;
/* Whether the State has groups at present. Evaluates them. */
cdn_status cdni_soft_any(const soft_room *room, cdn_state *state, bool *any);

/* From the accelerations without soft rows, d->udot and d->A: finds the forces of the soft rows and adds them to F (one
 * for each body, about M's origins) and f (nu). Results go to the State. The inertias must be valid. */
cdn_status cdni_soft_solve(const soft_room *room, cdn_state *state, const tree_data *d, bool closely, sv *F, double *f);
/* Of a step: whether its accelerations follow from the guess alone, without those without soft rows. So it is where
 * there are rows, and none is exact; constraints are the caller's to ask for. */
cdn_status cdni_soft_goes_straight(const soft_room *room, cdn_state *state, bool *straight);
/* Then, instead of cdni_soft_solve and what follows: d->udot is 0, or what is prescribed, d->A its motion with the
 * terms of velocity, and `load` (nu) the forces on mobilities that lack to hold it. On return udot and A are those with
 * the soft rows. The residual of the State's results is what rows' forces have left to change, as a part of them. */
cdn_status cdni_soft_solve_step(const soft_room *room, cdn_state *state, const tree_data *d, const double *load, sv *F,
                                double *f);
/* Before a State's groups are asked for, if it stands for a lane of `state`: what is found for all lanes at once. */
cdn_status cdni_soft_prepare_lanes(const soft_room *room, cdn_state *state);
/* Both for several States side by side: of each lane its own State, or none, with its d, F and f; and its load, or
 * NULL. A lane that fails is told to `state`, that of all lanes, whose data are `all`. */
typedef struct soft_lane {
  cdn_state *state;
  tree_data d;
  sv *F;
  double *f;
  const double *load;
} soft_lane;
cdn_status cdni_soft_solve_lanes(const soft_room *room, cdn_state *state, const tree_data *all, int lanes,
                                 const soft_lane *lane);
/* After the accelerations were solved once more with these forces: udot less that of cdni_soft_solve is what the
 * gradient has left, by which the State's results tell how accurate they are. */
cdn_status cdni_soft_judge(const soft_room *room, cdn_state *state, const tree_data *d);
/* Adds the forces that the soft rows would have at this udot to F and f; of some of them. With a base they are those
 * near it, to be differenced: each row stays on the piece of its function that it is on there, and rows that passes
 * solve have the forces that they have there: `equation` (NULL: not wanted) receives their r + R f, or zero for one at
 * a bound. Without a base there must be no exact rows. *same (NULL: not wanted): whether the groups are those of the
 * base. */
typedef struct soft_base soft_base;
typedef enum soft_which {
  SOFT_ALL,
  SOFT_LEFT_OUT, /* those that cdni_soft_differentiate leaves out */
  SOFT_SCALED    /* those that are scaled by how light bodies are: not those of providers */
} soft_which;
cdn_status cdni_soft_forces(const soft_room *room, cdn_state *state, const double *udot, soft_which which,
                            const soft_base *base, sv *F, double *f, double *equation, bool *same);
/* The generalized forces (nu) of these. Realizes Velocity. */
cdn_status cdni_soft_generalized_forces(cdn_state *state, const char *function, const double *udot, soft_which which,
                                        double *f);
/* How many rows of the State are solved by passes: exact ones, and stiff ones. */
cdn_status cdni_soft_count_exact(const soft_room *room, cdn_state *state, int *n);
/* The State as it is at udot, in its workspace. Twists must be valid; with exact rows accelerations, too, and udot is
 * theirs. *out is NULL where it fails. */
cdn_status cdni_soft_base_begin(const soft_room *room, cdn_state *state, const double *udot, soft_base **out);
void cdni_soft_base_end(cdn_state *state, soft_base *base);
/* Adds to a pass what the forces of the soft rows add to the derivatives of tau at constant udot. *rest: some rows are
 * left out, for nobody knows how they vary. */
struct derivative_pass;
cdn_status cdni_soft_differentiate(const soft_room *room, struct derivative_pass *p, bool *rest);
/* Adds J^T H J at udot to M (nu x nu), H being the second derivative of what the rows cost. There must be no exact
 * rows. */
cdn_status cdni_soft_add_weights(const soft_room *room, cdn_state *state, const char *function, const double *udot,
                                 double *M);
/* Matrices of derivatives, one column for each variable: of udot (nu rows), and of the multipliers of all constraints
 * (NULL: not wanted). On entry those with forces of the soft rows that do not follow udot; on return the true ones.
 * `change` (NULL: zero): how the equations of the exact rows vary at constant udot and forces, one row each.
 * Accelerations must be valid. */
typedef struct soft_variation {
  int columns;
  double *udot, *lambda;
  const double *change;
} soft_variation;
cdn_status cdni_soft_vary(const soft_room *room, cdn_state *state, const char *function, int n,
                          const soft_variation *variations);
/* ---- guess.c: where the solution of a step starts ---- */

/* A State may have a guess: the residuals of the rows at the start of the step that led to it. Steps keep and give it,
 * and their evaluations start from it: realize_step. cdn_realize does neither, so that what a State shows follows from
 * its other variables alone. A change of q or u takes it back; copies and checkpoints have it. In a System without soft
 * rows these do nothing. */
/* Keeps the residuals of a State whose accelerations are valid. */
cdn_status cdni_soft_keep_rows(cdn_state *state);
/* Makes those that were kept last the guess of the present q and u. */
void cdni_soft_give_guess(cdn_state *state);
/* The guess of a State in memory of the caller, who has many States in turn in one: saved (the array is empty if there
 * is none), and given to a State with the same q and u. */
cdn_status cdni_soft_save_guess(cdn_state *state, const cdn_allocator *a, cdni_array *to);
cdn_status cdni_soft_load_guess(cdn_state *state, const cdni_array *from);
/* Realizes Acceleration from the guess. Accelerations that were found without it are found again. */
cdn_status cdni_soft_realize_step(cdn_state *state);
/* realize_step around an evaluation of the caller's: before and after it. */
cdn_status cdni_soft_begin_step(cdn_state *state);
void cdni_soft_end_step(cdn_state *state);
/* Takes back accelerations that were found so: for States that others look at. */
void cdni_soft_hide_step(cdn_state *state);

/* ---- step.c: a stage of an implicit step, with compliant contact as rows ---- */

/* Of a System with bodies, else NULL. */
const soft_room *cdni_soft_steps(const cdn_system *system);
/* Keeps the contacts of the State for stages of later poses. */
cdn_status cdni_soft_hold(const soft_room *room, cdn_state *state);
typedef struct soft_step {
  double h;            /* the part of the step that is implicit, s */
  const double *u, *z; /* nu, nz: where u and z would be without the rates of this stage */
} soft_step;
/* What a stage took. */
typedef struct soft_effort {
  int iterations;   /* of all its solutions, of the island with most */
  double residual;  /* the largest, of solutions whose iterations ran out */
  bool unconverged; /* the normal forces are far from those assumed, still */
} soft_effort;
/* What a stage has for contacts, in the State's workspace. */
typedef struct soft_stage {
  const soft_room *room;
  cdn_state *state;
  const soft_step *step;
  const double *resistance;
  int touches, n; /* touches, rows */
  struct contact_step_row *rows;
  double *normal; /* by touch: normal forces as they are assumed */
  double *force;  /* three numbers a row: solved */
  bool solved;    /* once: normal forces are those of a solution, not those of the State */
  soft_effort effort;
  void *frame;
} soft_stage;
/* Twist must be valid. F (by body) loses the forces of the contacts that become rows. resistance (nu, not negative):
 * forces on mobilities fall by this part of what u gains over that of the State. */
cdn_status cdni_soft_stage_begin(soft_stage *s, const soft_room *room, cdn_state *state, const soft_step *step,
                                 const double *resistance, sv *F);
/* From the accelerations without soft rows, d->udot and d->A: those with the soft rows of the State and the rows of
 * contacts.
 * *again: the normal forces are far from those assumed; the next call assumes them. */
cdn_status cdni_soft_stage_solve(soft_stage *s, const tree_data *d, double *udot, bool *again);
/* Rates of the memory of friction. */
void cdni_soft_stage_rates(soft_stage *s, double *zdot);
void cdni_soft_stage_end(soft_stage *s);

/* The first path that a soft element is along; { -1 }: none, as of the element -1 that groups of no element have. */
cdn_path cdni_soft_element_path(const cdn_system *system, int element);

/* The power of the soft rows. Accelerations must be valid. */
cdn_status cdni_soft_power(const soft_room *room, cdn_state *state, double *power);

#endif
