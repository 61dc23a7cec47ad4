/* What hybrid mechanics offers the rooms above: friction that slips is a force within each evaluation. */
#ifndef CARDAN_HYBRID_HYBRID_ROOM_H
#define CARDAN_HYBRID_HYBRID_ROOM_H

#include <cardan/hybrid.h>

#include "constraints/constraints.h"
#include "contact/contact.h"

typedef struct hybrid_room hybrid_room;

/* The room of a System that has such elements; else NULL. */
const hybrid_room *cdni_hybrid(const cdn_system *system);
/* The variable that says which elements act, and how. */
cdn_ticket cdni_hybrid_status(const hybrid_room *room);
/* How a System answers small forces: X (nu x columns) has generalized forces on entry and changes of udot on return. L
 * (equations of all constraints x columns) receives those of the multipliers. */
typedef struct slip_answer {
  cdn_status (*solve)(cdn_state *state, int columns, double *X, double *L);
  /* Whether the answer differs from that of masses and constraints: soft rows act. */
  cdn_status (*bends)(cdn_state *state, bool *does);
  /* The forces on bodies, about M's origins, but for those of constraints; and without those of soft rows and of what
   * follows reactions. */
  cdn_status (*forces)(cdn_state *state, const sv **F);
  cdn_status (*applied)(cdn_state *state, const sv **F);
} slip_answer;
/* Declares the friction forces of an evaluation as a companion of the accelerations, which answer like this. The System
 * is being frozen. */
void cdni_hybrid_declare_forces(const hybrid_room *room, cdn_declarer *d, cdn_cache acceleration,
                                const slip_answer *answer);
/* Variables that handled moments change, and their numbers of doubles. Returns how many. They switch constraints,
 * too. */
enum { HYBRID_MOST_VARIABLES = 5 };
typedef struct hybrid_variable {
  cdn_dvar variable;
  int n;
  bool is_parameters;
} hybrid_variable;
int cdni_hybrid_variables(const hybrid_room *room, hybrid_variable out[HYBRID_MOST_VARIABLES]);
/* Tickets that slipping reads: at most 4. Returns the number. */
int cdni_hybrid_reads(const hybrid_room *room, cdn_ticket *tickets);

/* The forces of a contact of shapes (contact_force_fn), by its number among rigid ones. */
contact_force_fn cdni_hybrid_contact_force;

/* Whether any force follows reactions: friction slips, or a reaction is kept. Then it is part of the applied forces. */
bool cdni_hybrid_follows(const hybrid_room *room, const cdn_state *state);
/* Sets the forces of friction that slips to those of its load alone. *depends: they need multipliers, too. */
cdn_status cdni_hybrid_load_slips(const hybrid_room *room, cdn_state *state, bool *depends);
/* Adds these forces (F about M's origins, f on mobilities). */
cdn_status cdni_hybrid_push(const hybrid_room *room, cdn_state *state, sv *F, double *f);
/* From a solution with these forces (F: all forces on bodies, but for those of constraints): sets the forces that agree
 * with what presses on them, as far as that follows the answer of the System, or goes a `part` of the way there.
 * *change: the whole way, the largest one of a force, as a part of the largest. */
cdn_status cdni_hybrid_correct(const hybrid_room *room, cdn_state *state, const sv *F, double part, double *change);
/* ---- derivatives while friction slips (slip_vary.c) ---- */

struct derivative_pass;
/* The number of rows of changes of forces that follow reactions. */
int cdni_hybrid_slip_count(const hybrid_room *room, const cdn_state *state);
/* Adds to the derivatives of tau how the forces of slipping friction change along with what slips, and turn, at
 * constant size; the pass has them among all forces. Writes by how much each size changes with q, u and z at constant
 * accelerations and multipliers (a row of nu or nz numbers for each; NULL: not wanted). */
cdn_status cdni_hybrid_differentiate(const hybrid_room *room, struct derivative_pass *p, double *const by[3]);
/* Changes of udot (nu rows) and of the multipliers (a row an equation of all constraints), a column for each variable.
 * On entry with sizes of forces that stay, on return the true ones. `change` (NULL: zero): the rows of changes. */
typedef struct slip_variation {
  int columns;
  double *udot, *lambda;
  const double *change;
} slip_variation;
cdn_status cdni_hybrid_vary(const hybrid_room *room, cdn_state *state, const char *function, int n,
                            const slip_variation *variations);

/* ---- for studies, which choose statuses on their way (choose.c) ---- */

/* The number of one-sided elements; the constraint of one; whether it is a ratchet, which has a speed for a gap. */
int cdni_hybrid_side_count(const hybrid_room *room);
cdn_constraint cdni_hybrid_side_constraint(const hybrid_room *room, int i);
bool cdni_hybrid_side_is_ratchet(const hybrid_room *room, int i);
/* Whether an element is there: it is no slot of rigid contact, or the slot is taken. */
bool cdni_hybrid_side_is_there(const hybrid_room *room, const cdn_state *state, int i);
/* The least gap of shapes that have no slot; infinity: there are none. And what touches of them gets one. */
cdn_status cdni_hybrid_least_gap(const hybrid_room *room, cdn_state *state, double *gap);
cdn_status cdni_hybrid_take_slots(const hybrid_room *room, cdn_state *state);
/* Switches an element on, and what it presses sticks. */
cdn_status cdni_hybrid_touch(const hybrid_room *room, cdn_state *state, int i);
/* Switches an element off, and what it presses. */
cdn_status cdni_hybrid_let_go(const hybrid_room *room, cdn_state *state, int i);
/* Of a State at rest: friction that would slip, and not because of a motion that is prescribed, is switched off; or if
 * all `rests`, it holds at its bound. */
cdn_status cdni_hybrid_end_slips(const hybrid_room *room, cdn_state *state, bool rests);
/* Whether any friction sticks. */
bool cdni_hybrid_sticks(const hybrid_room *room, const cdn_state *state);
/* Gives a State the statuses of another one of the System. */
cdn_status cdni_hybrid_copy_statuses(const hybrid_room *room, cdn_state *to, const cdn_state *from);

/* ---- for inverse dynamics: which multipliers are admissible (admissible.c) ---- */

/* Of what is on or sticks: the push -sign lambda[normal] must not be negative, and the n multipliers from `tangent` on
 * have a norm of at most mu times the push, plus base. Rows among all of the constraints; -1: none. */
typedef struct multiplier_cone {
  const char *name;
  int normal, tangent, n;
  double sign, mu, base;
  int shared; /* the row of a push, with its sign, which another cone has, and which mu times is part of base; or -1 */
  double ratio; /* of an ellipse: the second of the n multipliers counts by its part of that */
} multiplier_cone;
/* Writes them (NULL: only counted), with the bounds that follow from these multipliers, and from what mobilizers
 * transmit (NULL: not known, and such bounds are infinite); returns their number. */
int cdni_hybrid_limits(const hybrid_room *room, const cdn_state *state, const double *lambda, const double *joints,
                       multiplier_cone *cones);
/* The numbers of such a cone; where they are: inside; on its mantle; without push, and friction free, or at its bound.
 */
typedef struct limit_numbers {
  double push, t[3], size, slope, base; /* size: of t; slope, base: of the mantle */
} limit_numbers;
typedef enum limit_place { LIMIT_INSIDE, LIMIT_MANTLE, LIMIT_NO_PUSH, LIMIT_RIM } limit_place;
/* Makes them the nearest admissible numbers, and tells where they were (nearest.c). */
limit_place cdni_limit_project(limit_numbers *l);
/* What a small change of such numbers is after that. */
void cdni_limit_change(const limit_numbers *l, limit_place place, double *push, double t[3]);

/* Equations that depend on each other leave multipliers open. If those of least norm are not admissible, takes those
 * that are, of least norm among these; where none are, those that are nearest to be. Accelerations do not depend on
 * them. */
cdn_status cdni_hybrid_share(const hybrid_room *room, cdn_state *state);

/* ---- for inverse dynamics: forces that follow reactions in a balance r + sum of lambda G (balance.c) ---- */

typedef struct hybrid_balance hybrid_balance;
/* With accelerations udot, those of M's origins, A, and forces F on bodies, about these (of soft rows, too, but of
 * nothing here). It takes scratch of the State, which the end gives back. */
cdn_status cdni_hybrid_balance_begin(const hybrid_room *room, cdn_state *state, const char *function,
                                     const double *udot, const sv *A, const sv *F, hybrid_balance **out);
void cdni_hybrid_balance_end(hybrid_balance *b);
/* Adds to r (nu) and to the rows of G (equations of all constraints x nu) what friction that slips asks for near these
 * multipliers. Fails, by name, where it does not follow from them. */
cdn_status cdni_hybrid_balance_add(hybrid_balance *b, const double *lambda, double *r, double *G);
/* Takes the friction that belongs to these multipliers from there; returns by how much it has changed, relatively. */
double cdni_hybrid_balance_take(hybrid_balance *b, const double *lambda);
/* What mobilizers transmit with these multipliers and that friction; NULL: nobody asks for it. */
const double *cdni_hybrid_balance_joints(hybrid_balance *b, const double *lambda);
/* The number of forces that keep reactions. They have rows of G of their own, behind the others; multipliers that they
 * keep become part of r. */
int cdni_hybrid_kept_count(const hybrid_room *room, const cdn_state *state);
cdn_status cdni_hybrid_balance_keep(const hybrid_room *room, cdn_state *state, double *r, double *G);
/* Writes the multipliers that are kept; fails, by name, if a mobilizer does not transmit what is kept. */
void cdni_hybrid_fill_kept(const hybrid_room *room, const cdn_state *state, double *lambda);
cdn_status cdni_hybrid_check_kept(hybrid_balance *b, const double *lambda);
/* Multiplies the scale of multipliers whose bound is an ellipse, so that it becomes a circle. */
void cdni_hybrid_scale_ellipses(const hybrid_room *room, const cdn_state *state, double *scale);

/* Fails, by name, if a force follows what a mobilizer transmits. */
cdn_status cdni_hybrid_refuse_joints(const hybrid_room *room, cdn_state *state, const char *function);

/* Fails, by name, if any reaction is kept. */
cdn_status cdni_hybrid_refuse_kept(const hybrid_room *room, cdn_state *state, const char *function);

/* The power of friction that slips and of forces that keep reactions, W. */
cdn_status cdni_hybrid_power(const hybrid_room *room, cdn_state *state, double *power);
/* Whether any force follows; then how messages call the first such element, and what it does: "slips", or what else. */
bool cdni_hybrid_follower_text(const hybrid_room *room, const cdn_state *state, char *text, size_t size,
                               const char **does);

/* ---- what pictures show (shown.c) ---- */

/* Whether an element is one of the pool, which holds contacts of shapes. */
bool cdni_hybrid_is_of_pool(const hybrid_room *room, int side);
/* The one-sided element of contact i of a State; -1: it is not rigid, or has none. */
int cdni_hybrid_side_of_contact(const hybrid_room *room, cdn_state *state, int contact);
/* The constraint that friction i switches; the friction of a one-sided element, or -1; whether friction i has no such
 * element; its static coefficient. */
cdn_constraint cdni_hybrid_friction_constraint(const hybrid_room *room, int i);
int cdni_hybrid_friction_of(const hybrid_room *room, int side);
bool cdni_hybrid_friction_is_alone(const hybrid_room *room, int i);
double cdni_hybrid_friction_bound(const hybrid_room *room, const cdn_state *state, int i);
/* What bodies (about their origins, one a body) and mobilities (f, one a speed) feel of a push, or of friction along
 * its equations. Stage: Velocity. */
cdn_status cdni_hybrid_push_side(const hybrid_room *room, cdn_state *state, int i, double push, cdn_spatial *F_G,
                                 double *f);
cdn_status cdni_hybrid_push_friction(const hybrid_room *room, cdn_state *state, int i, const double *force,
                                     cdn_spatial *F_G, double *f);

#endif
