/* How the rates of auxiliary states vary: what subsystems describe, and differences of the others.
 *
 *   dzdot = G v + H du + L dz + W dudot,
 *
 * with v in the tangent basis. W is what subsystems describe; where rates are differenced, G, H and L hold what comes of udot. */
#ifndef CARDAN_DYNAMICS_ZDOT_H
#define CARDAN_DYNAMICS_ZDOT_H

#include <cardan/derivatives.h>

#include "system/system.h"

/* Matrices of nz rows, row-major: nu columns wide, L: nz. */
typedef struct zdot_matrices {
  double *G, *H, *W, *L;
} zdot_matrices;

/* Columns that are displaced together, since no rate varies with two of them (Curtis, Powell and Reid 1974). Columns are those of
 * q, u and z, 2 nu + nz of them. */
typedef struct zdot_groups {
  int n;        /* how many groups; 0: not known */
  int *group;   /* of each column; -1: nothing varies with it */
  bool *varies; /* nz a column: whether a rate has been seen to vary with it */
  bool *taken;  /* nz: scratch */
} zdot_groups;

/* Which subsystems bring derivatives, and which do not. */
void cdni_zdot_count(const cdn_system *system, int *described, int *differenced);
/* All four matrices. `step` has the displacement of each column, for differences. With `groups` these are one-sided and grouped as it was
 * before, which a further evaluation confirms; where it does not, every column is displaced by itself and `groups` is made anew.
 * NULL: they are central. The State is as it was, with accelerations realized. */
cdn_status cdni_zdot_differentiate(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                   const zdot_matrices *out);

/* zdot_differences.c: rows of subsystems that bring no derivatives. */
cdn_status cdni_zdot_difference(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                const zdot_matrices *out);

#endif
