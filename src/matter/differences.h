/* The engine of differences: of what follows from a State, for all that brings no derivatives of its own: forces, rows,
 * rates of z, goals, the forces of steps.
 *
 * The State is put aside, displaced along q, u and z, and returned to, so that no computed result is lost. The user of
 * the engine evaluates where the State is, and adds the difference where it belongs. Columns are those of the System:
 * nu of q (along N e_k), nu of u, nz of z. */
#ifndef CARDAN_MATTER_DIFFERENCES_H
#define CARDAN_MATTER_DIFFERENCES_H

#include "math/difference.h"
#include "matter/matter.h"

typedef struct differences {
  cdn_state *state;
  const char *function; /* the public one */
  bool frees;           /* prescribed values are variables too, and displaced; if not they stay */
  void *user;
  cdn_status (*evaluate)(void *user, int side);                       /* at the present values of the State */
  cdn_status (*add)(void *user, cdn_pool pool, int column, double h); /* sides 0 and 1 are 2 h apart */
  int n[3], first[3];                                                 /* of a pool: its slots; the first one in y */
  double *unit;                                                       /* nu: displacements of q of the model's size */
  double *y, *there, *along, *one; /* the values as they were, displaced; a displacement of q, and its speeds */
  bool moved[3];                   /* the pool is not at y */
  const char *saved;               /* the State put aside */
} differences;

/* Doubles that an engine needs. */
size_t cdni_differences_room(const cdn_system *system);
/* Realizes Position. */
cdn_status cdni_differences_begin(differences *d, cdn_state *state, const char *function, double *room);
/* Calls `all` with the State put aside: d->saved. */
cdn_status cdni_differences_make(differences *d, cdn_status (*all)(void *user));
/* Within `all`: n columns of a pool, one after the other, each from both sides. */
cdn_status cdni_differences_by(differences *d, cdn_pool pool, int first, int n);
/* Within `all`: displaces the State from where it was along all columns (2 nu + nz amounts). */
cdn_status cdni_differences_move(differences *d, const double *amount);

#endif
