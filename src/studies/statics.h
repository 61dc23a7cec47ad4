/* Shared by studies of a State at rest: free directions, and the problem of statics reduced to them. */
#ifndef CARDAN_STUDIES_STATICS_H
#define CARDAN_STUDIES_STATICS_H

#include <cardan/modes.h>

#include "constraints/elements.h"

/* Fails if a subsystem other than matter has q or u: these studies need bodies only. */
cdn_status cdni_study_matter(cdn_state *state, const char *function, const matter **m);

/* local.c: an orthonormal basis of the displacements (CDN_LEVEL_POSITION), changes of u (CDN_LEVEL_VELOCITY) or of udot
 * (CDN_LEVEL_ACCELERATION) that constraints and motions leave free; n vectors of nu numbers, with room for nu. */
cdn_status cdni_local_basis(cdn_state *state, const char *function, cdn_motion_level level, double *basis, int *n);

/* The length below which an equation's row of G (on mobilities) is rounding, from the size of its forces and
 * coefficients. */
double cdni_row_rounding(const constraint_room *room, const constraint_rows *rows, int i, int k);

/* A copy of the State with u = 0, and with everything prescribed locked at its place. The caller destroys it. */
cdn_status cdni_rest_state(cdn_state *state, const char *function, cdn_state **rest);
/* Destroys the copy; after a failure of the study its message goes to the State. */
void cdni_rest_destroy(cdn_state *state, cdn_state *rest, cdn_status status);

/* The problem of statics at a State at rest with udot = a. With a basis Z of n displacements, and M a = f - G^T
 * lambda:
 *
 *   gradient = -Z M a,     H = Z K Z^T,  K = d(-f + G^T lambda)/dq at constant lambda,     B = Z M Z^T.
 *
 * H and B are n x n, column-major. H is symmetric, except for rounding, if forces have a potential and are in
 * balance. */
typedef struct cdni_statics {
  int nu, n;
  double *Z, *gradient, *H, *B;
  double *mass; /* nu: the diagonal of M */
  double *work; /* 2 nu^2 + nu; K by rows until it is used for something else */
} cdni_statics;
/* The number of doubles for nu mobilities; and the struct with its parts in such memory. */
size_t cdni_statics_size(int nu);
cdni_statics cdni_statics_at(int nu, double *memory);

/* The memory of friction that sticks: z that follow the bodies. A displacement v changes them by dzdot/du v, and so
 * stretches what sticks. */
typedef struct cdni_statics_friction {
  struct {
    int first, n;
  } of[2];             /* the z of contacts, and of joints */
  int n;               /* of both; 0: there are none */
  double *by_u, *by_z; /* dzdot/du, nz x nu, and dudot/dz, nu x nz */
  double *work;        /* 2 nu */
} cdni_statics_friction;
/* The number of doubles; and the struct with its parts in such memory. */
size_t cdni_statics_friction_size(const cdn_state *state);
cdni_statics_friction cdni_statics_friction_at(const cdn_state *state, double *memory);
/* Adds what follows scale v to all z. */
void cdni_statics_friction_follow(const cdni_statics_friction *f, int nu, double scale, const double *v, double *z);

/* The memory of a State at rest: after all that slides has slid; and in another State of the System. */
cdn_status cdni_statics_friction_hold(cdn_state *rest);
cdn_status cdni_statics_friction_copy(cdn_state *to, cdn_state *from);

/* Z is a basis of the level. With friction (NULL: z stay as they are), K has what its memory adds. */
cdn_status cdni_statics_fill(cdn_state *rest, const char *function, cdn_motion_level level, cdni_statics *s,
                             cdni_statics_friction *friction);

/* After cdni_statics_fill: scales that distinguish K from rounding: its largest entry, in the units of the
 * coordinates and in units that make all masses 1. Only a stiffness that is negligible in both is rounding. (Beside
 * a link of 1e-20 kg m^2 any other stiffness is negligible in the second, and beside a heavy link the light link's
 * is negligible in the first.) */
typedef struct cdni_stiffness_scale {
  double largest, stiffest;
} cdni_stiffness_scale;
cdni_stiffness_scale cdni_statics_scale(const cdni_statics *s);

/* After cdni_statics_fill, for each mobility: whether it is balanced (the forces that constraints leave on it
 * accelerate it by less than its bound, a share for each mobility), and whether it is idle (balanced, no constraint
 * acts on it, and except for rounding no force depends on it or changes when another mobility moves). */
void cdni_statics_idle(const cdni_statics *s, const double *bound, bool *balanced, bool *idle);

#endif
