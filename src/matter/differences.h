/* Central differences of what follows from a State, for those that bring no derivatives: forces and provided rows.
 *
 * The State is put aside, displaced a little to both sides along each direction of q, u and z, and returned to, so
 * that no computed result is lost. The user of the engine evaluates on each side, and adds the difference where it
 * belongs. */
#ifndef CARDAN_MATTER_DIFFERENCES_H
#define CARDAN_MATTER_DIFFERENCES_H

#include "math/difference.h"
#include "matter/derivatives.h"

typedef struct differences {
  cdn_state *state;
  derivative_pass still; /* the pass, looking at the State put aside */
  int nq, nu, nz;
  cdni_runs runs; /* slots of matter */
  void *user;
  cdn_status (*evaluate)(void *user, int side);                       /* at the present values of the State */
  cdn_status (*add)(void *user, cdn_pool pool, int column, double h); /* sides 0 and 1 are 2 h apart */
  double *unit;                     /* nu of matter: displacements of q of the model's own size */
  double *base, *there, *direction; /* values of a pool as they are, displaced; along which */
} differences;

/* Doubles that an engine needs. */
size_t cdni_differences_room(const cdn_system *system, const matter *m);
void cdni_differences_set(differences *d, const derivative_pass *pass, double *room);
/* Calls `all` with the State put aside; pointers of the pass would lead to displaced values, those of d->still do
 * not. Prescribed values are variables then, and free to be displaced. */
cdn_status cdni_differences_make(differences *d, cdn_status (*all)(void *user));
/* Within `all`: column after column, by q and u of the mobilities, and by n z. */
cdn_status cdni_differences_by_q(differences *d);
cdn_status cdni_differences_by_u(differences *d);
cdn_status cdni_differences_by_z(differences *d, int first, int n);

/* Adds to a column of derivatives of tau (nu rows): -(a - b) / h, of forces on bodies about M's origins and
 * generalized ones. */
void cdni_differences_push(const differences *d, const sv *F_a, const sv *F_b, const double *f_a, const double *f_b,
                           double h, double *tau, int columns, int column);

#endif
