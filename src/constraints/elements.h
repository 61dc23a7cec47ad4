/* The constraints of a System and their rows, for those who work with G themselves.
 *
 * A constraint has np equations at position level, nv at velocity level and na at acceleration level, in that order,
 * m in all. At acceleration level each equation is one row of G udot = b (8.12). The row is written in terms of the
 * accelerations A of the bodies that the constraint names (conventional, of the M frames' origins, in Ground's axes)
 * and of the udot of the mobilities that it names:
 *
 *   aerr = sum J A + sum g udot + bias = 0.
 *
 * The bias is the part of the second derivative that depends on velocities and time. J is one spatial force for each
 * body: a multiplier of 1 applies -J to the body (M udot + G^T lambda = f, 8.11). At velocity level
 * verr = sum J V + sum g u + rest. */
#ifndef CARDAN_CONSTRAINTS_ELEMENTS_H
#define CARDAN_CONSTRAINTS_ELEMENTS_H

#include "constraints/constraints.h"
#include "constraints/plan.h"
#include "contact/rigid.h"

/* A mobility that a constraint names: its slot of u, and the coordinate whose rate this u is (-1: none). */
typedef struct constraint_mobility {
  int32_t body, u, q; /* slots of matter */
} constraint_mobility;

/* One element. */
typedef struct constraint_element {
  char *name;
  int32_t kind;
  void *data; /* the kind's own, data_size bytes */
  size_t data_size;
  int32_t np, nv, na, m;
  cdn_control control; /* it reads this control; { -1 }: none */
  int32_t first_body, n_bodies, first_mobility, n_mobilities, first_param, n_params;
  int32_t slot;   /* of rigid contact, counted from 1, whose bodies it names; 0: it names its own */
  bool absolute;  /* its rows do not balance among its bodies: the constraint refers to Ground */
  bool rheonomic; /* reads time */
  bool nonlinear; /* its rows depend on u: J and g are the derivatives of the velocity error */
  bool yields;    /* moments switch it: contacts and friction hold more than once without a singular pose */
  /* Known from freezing on: the first of its equations in qerr, in uerr, and among all m (udoterr, multipliers). The
   * ancestor is the outmost common ancestor of the bodies that it names and of the parents of the bodies whose
   * mobilities it names. It is Ground if the constraint is absolute. */
  int32_t qerr, uerr, row, ancestor;
} constraint_element;

/* ---- all of them ---- */

struct constraint_room {
  cdni_array elements;                   /* constraint_element, by id */
  cdni_array bodies;                     /* int32_t */
  cdni_array mobilities;                 /* constraint_mobility */
  cdni_array defaults;                   /* double: parameters */
  cdni_array enabled0, units0, weights0; /* double, one an element */
  /* Known from freezing on. */
  const matter *matter;
  const contact_room *contact; /* whose slots constraints may belong to; or NULL */
  int first_row;               /* this room's run of all equations */
  bool rheonomic, nonlinear;   /* some element is */
  bool drives;                 /* some kind demands motion, and so does work */
  int np, nv, na, m;           /* of all, on or off */
  cdn_subsystem subsystem;
  cdn_dvar params, enabled, units, weights, baumgarte;
  cdn_autovar redundant; /* by equation of all: those that are off have 0 */
  /* Two regions of bytes: the plan of the enabled constraints, and the numbers that are computed for them. The sizes
   * of the numbers follow from the plan. */
  cdn_computed_region plan, numbers;
  cdn_cache rows, bias;
};

static inline const constraint_element *constraint_at(const constraint_room *room, int i) {
  return &CDNI_AT(room->elements, constraint_element, i);
}
/* The bodies that an element names. Those of a slot of rigid contact change. */
static inline const int32_t *constraint_bodies(const constraint_room *room, const cdn_state *state,
                                               const constraint_element *c) {
  if (c->slot > 0) return cdni_rigid_slot(room->contact, state, c->slot - 1)->body;
  return c->n_bodies ? (const int32_t *)room->bodies.data + c->first_body : NULL;
}
static inline bool constraint_exists(const constraint_room *room, cdn_constraint c) {
  return room && c.i >= 0 && (size_t)c.i < room->elements.count;
}
/* 0 or 1 an element. Only the plan goes through all of them. */
static inline const double *constraint_enabled(const constraint_room *room, const cdn_state *state) {
  return cdn_state_parameters(state, room->enabled);
}

/* ---- the constraints that are on ---- */

/* The plan of the enabled constraints; it is chosen first if it is not valid. It lists the enabled constraints and
 * numbers their equations: an *equation of the plan* is an equation of an enabled constraint. The plan stays in its
 * place until a constraint is switched on or off, or another State is copied into this one. */
cdn_status cdni_constraint_plan(const constraint_room *room, cdn_state *state, const loop_plan **plan);
/* The i-th enabled constraint. */
static inline const constraint_element *constraint_on(const constraint_room *room, const loop_plan *plan, int i) {
  return constraint_at(room, plan->constraint[i]);
}
/* The bodies that it names, as the plan was made. */
static inline const int32_t *constraint_bodies_on(const loop_plan *plan, int i) {
  return plan->place_body + plan->place_first[i];
}
/* Spread: from numbers by equation of the plan to numbers by equation of all constraints, zeros for disabled ones.
 * Scatter: the same without writing the zeros, which the State's pools have already. Gather: back to numbers by
 * equation of the plan. */
void cdni_constraint_spread(const constraint_room *room, const loop_plan *plan, const double *from, double *all);
void cdni_constraint_scatter(const loop_plan *plan, const double *from, double *all);
void cdni_constraint_gather(const loop_plan *plan, const double *all, double *to);

/* ---- rows ---- */

/* The rows of G, evaluated. Constraint i of the plan has m x n_bodies spatial rows from J[plan->J[i]] on, and m x
 * n_mobilities coefficients from g[plan->g[i]] on. */
typedef struct constraint_rows {
  const loop_plan *plan;
  const sv *J;
  const double *g;
} constraint_rows;
cdn_status cdni_constraint_rows(const constraint_room *room, cdn_state *state, constraint_rows *rows);
/* The length, m, that position errors are measured in where the model has this length; never 0. */
double cdni_constraint_length(const matter *m, cdn_state *state, double length);
/* By how much equation k of constraint i of the plan changes, when its bodies turn by 1 rad or move by the length. */
double cdni_constraint_scale(const constraint_room *room, const cdn_state *state, const constraint_rows *rows, int i,
                             int k, double length);
/* out (by equation of the plan) = J A + g a for motions A of the bodies and a (NULL: zero) of the mobilities. */
void cdni_constraint_multiply(const constraint_room *room, const constraint_rows *rows, const sv *A, const double *a,
                              double *out);
/* F (one a body, about M's origins) += scale J^T lambda, f (nu) += scale g^T lambda, lambda by equation of all. */
void cdni_constraint_multiply_transpose(const constraint_room *room, const constraint_rows *rows, double scale,
                                        const double *lambda, sv *F, double *f);

#endif
