/* What studies of a State at rest share: directions that are left, and the problem of statics reduced to them. */
#ifndef CARDAN_STUDIES_STATICS_H
#define CARDAN_STUDIES_STATICS_H

#include <cardan/modes.h>

#include "constraints/elements.h"

/* Whether all q and u are those of bodies, as these studies need. */
cdn_status cdni_study_matter(cdn_state *state, const char *function, const matter **m);

/* local.c: an orthonormal basis of what constraints and motions leave of displacements (CDN_LEVEL_POSITION) or of changes of u
 * (CDN_LEVEL_VELOCITY); n of nu numbers each, with room for nu. */
cdn_status cdni_local_basis(cdn_state *state, const char *function, cdn_motion_level level, double *basis, int *n);

/* The length up to which an equation's row of G (on mobilities) is rounding, from the size of its forces and coefficients. */
double cdni_row_rounding(const constraint_element *c, const constraint_rows *rows, int k);

/* A State of its own, to be destroyed: a copy with u = 0, and all that is prescribed at any level locked where it is. */
cdn_status cdni_rest_state(cdn_state *state, const char *function, cdn_state **rest);
/* Destroys it; where the study failed in it, its story becomes the State's. */
void cdni_rest_destroy(cdn_state *state, cdn_state *rest, cdn_status status);

/* The problem of statics at a State at rest, where udot = a: with a basis Z of n displacements, M a = f - G^T lambda,
 *
 *   gradient = -Z M a,     H = Z K Z^T,  K = d(-f + G^T lambda)/dq at constant lambda,     B = Z M Z^T.
 *
 * H and B are n x n, column-major; H is symmetric where forces have a potential and are in balance, but for rounding. */
typedef struct cdni_statics {
  int nu, n;
  double *Z, *gradient, *H, *B;
  double *mass; /* nu: the diagonal of M */
  double *work; /* 2 nu^2 + nu; K by rows until it is used for something else */
} cdni_statics;
/* Doubles that it takes for nu mobilities; and its parts in such memory. */
size_t cdni_statics_size(int nu);
cdni_statics cdni_statics_at(int nu, double *memory);
cdn_status cdni_statics_fill(cdn_state *rest, const char *function, cdni_statics *s);

/* Right after it, what K is told from rounding by: its largest entry, in the units of the coordinates and in those that make all
 * masses 1. Only what is nothing in both is rounding. (Beside a link of 1e-20 kg m^2 the stiffness of any other is nothing in the
 * one, and beside a heavy one the link's in the other.) */
typedef struct cdni_stiffness_scale {
  double largest, stiffest;
} cdni_stiffness_scale;
cdni_stiffness_scale cdni_statics_scale(const cdni_statics *s);

/* Right after it, by mobility: which are balanced, the forces that constraints leave of their own within what accelerates them by
 * the tolerance, shared by all; and which of these nothing concerns. No constraint has a share in an idle one, and no force depends
 * on it or changes where another moves, but for rounding. */
void cdni_statics_idle(const cdni_statics *s, double tolerance, bool *balanced, bool *idle);

#endif
