/* Auxiliary states in Newton's equations: their block is split into parts that do not influence each
 * other, and eliminated.
 *
 * With dzdot = G v + H du + L dz + W dudot, and gamma dudot = du - r_u, the equations of z are
 *
 *   (1 - gamma L) dz - B du = r_z + gamma G w - W r_u,   B = gamma (H + gamma G P) + W,
 *
 * with w and P as in newton.c. L is seldom dense: z that do not influence each other are in separate blocks.
 * Private to Newton's method. */
#ifndef CARDAN_INTEGRATORS_NEWTON_Z_H
#define CARDAN_INTEGRATORS_NEWTON_Z_H

#include <sundials/sundials_types.h>

#include <cardan/stepper.h>

#include "dynamics/zdot.h"

typedef struct newton_z {
  int nu, nz;
  zdot_matrices by;            /* G, H and W: nz x nu; L: nz x nz */
  double *Z, *Z_columns;       /* dudot/dz: nu x nz, and nz x nu */
  double *step;                /* displacements for differences */
  int *some_of_by, *some_of_X; /* two a row, the first nonzero column and the end of the last: of G and W, and of X */
  zdot_groups groups;
  /* Blocks of L: z number member[first[b]] to member[first[b + 1] - 1]. */
  int n_blocks, *first, *member, *parent;
  bool *moved;     /* a block: it depends on the bodies; the X of others is zero */
  int n_row, *row; /* rows of blocks that are moved */
  double gamma;
  double *lu, *X, *part, *dz; /* factors of the blocks, one behind the other; (1 - gamma L)^-1 B, nz x nu */
  double **column;
  sunindextype *pivot;
} newton_z;

/* Divides a block of doubles, from *at on, or if that is NULL only counts them. */
void cdni_newton_z_divide(newton_z *z, int nu, int nz, double *base, size_t *at);
/* Forgets how columns were grouped. */
void cdni_newton_z_forget(newton_z *z);
/* At `work`, which has accelerations, and Z there. */
cdn_status cdni_newton_z_evaluate(cdn_stepper *s, newton_z *z);
/* Factors the blocks; B, row by row, is in X. False if one is singular. */
bool cdni_newton_z_factor(newton_z *z, double gamma);
/* Subtracts gamma Z X from the columns of the matrix of u. */
void cdni_newton_z_eliminate(const newton_z *z, double **matrix);
/* dz = (1 - gamma L)^-1 (r_z + gamma G w - W r_u); u += gamma Z dz. `u` begins as something else than r_u. */
void cdni_newton_z_reduce(const newton_z *z, const double *w, const double *r_u, const double *r_z, double *u);
/* r_z becomes dz + X du. */
void cdni_newton_z_solve(const newton_z *z, const double *du, double *r_z);

#endif
