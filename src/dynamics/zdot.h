/* Derivatives of the rates of auxiliary states: described by their subsystems, or differenced if a subsystem
 * describes none.
 *
 *   dzdot = G v + H du + L dz + W dudot,
 *
 * with v in the tangent basis. Only subsystems that describe derivatives have rows in W. Where rates are
 * differenced, the part that comes through udot is contained in G, H and L. */
#ifndef CARDAN_DYNAMICS_ZDOT_H
#define CARDAN_DYNAMICS_ZDOT_H

#include <cardan/derivatives.h>

#include "matter/zdot_derivatives.h"

/* Groups of columns that may be displaced together, because no rate varies with two columns of a group (Curtis,
 * Powell and Reid 1974). The columns are the 2 nu + nz directions of q, u and z. */
typedef struct zdot_groups {
  int n;        /* how many groups; 0: not known */
  int *group;   /* of each column; -1: no rate varies with the column */
  bool *varies; /* nz a column: whether a rate has been seen to vary with it */
  bool *taken;  /* nz: scratch */
} zdot_groups;

/* Which subsystems bring derivatives, and which do not. */
void cdni_zdot_count(const cdn_system *system, int *described, int *differenced);
/* All four matrices. Differences are central ones of every column (matter/differences.h), or with `groups` one-sided
 * ones, where `step` has the displacement of each column (2 nu + nz). Columns are first displaced in the groups that
 * are known; one further evaluation tests the result. If the test fails, or no groups are known, every column is
 * displaced alone and `groups` is made again. On return the State has its old values, with accelerations realized. */
cdn_status cdni_zdot_differentiate(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                   const zdot_matrices *out);

/* zdot_differences.c: rows of subsystems that bring no derivatives. */
cdn_status cdni_zdot_difference(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                const zdot_matrices *out);

#endif
