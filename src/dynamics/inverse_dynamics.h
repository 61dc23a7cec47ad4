/* The problem of constrained inverse dynamics. Private to the room. */
#ifndef CARDAN_DYNAMICS_INVERSE_DYNAMICS_H
#define CARDAN_DYNAMICS_INVERSE_DYNAMICS_H

#include "dynamics/internal.h"

/* The balance r + sum of y times columns; y are multipliers over their weights, and pushes count positive. */
typedef struct inverse_problem {
  cdn_state *state;
  int nu, m;            /* m: equations of constraints, then forces that keep reactions */
  int rows[2], *row[2]; /* mobilities without an actuator, and with one: which */
  double *r;            /* nu */
  double *scale;        /* m: lambda / y */
  double *B;            /* nu x m: columns, one after the other */
  double *y;            /* m */
  double *A, *s, *U, *VT, *Z, *c, *x;
  hybrid_balance *follows; /* forces that follow reactions; NULL: there are no such elements */
} inverse_problem;

/* The smallest y that minimizes first the imbalance of mobilities without an actuator, then the forces of the others,
 * of `columns` columns B (nu numbers each) and what is there without them, r. */
cdn_status cdni_inverse_solve(inverse_problem *p, int columns, const double *B, const double *r, double *y);
/* (r + B y) of one mobility. */
double cdni_inverse_balance(const inverse_problem *p, int columns, const double *B, const double *r, const double *y,
                            int u);
/* inverse_following.c: solves for y with what follows reactions, where one-sided elements and friction act. */
cdn_status cdni_inverse_follow(inverse_problem *p, const hybrid_room *room, const double *udot);
/* Columns of multipliers become those of y. */
void cdni_inverse_scale(inverse_problem *p);
/* admissible.c: replaces y, if it is not admissible, by the y of the same kind among those that are. Fails, by name, if
 * these balance worse; y is the best then. */
cdn_status cdni_inverse_admit(inverse_problem *p, const hybrid_room *room);

#endif
