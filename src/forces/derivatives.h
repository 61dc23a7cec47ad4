/* How forces vary: what the kinds' derivative functions add to. */
#ifndef CARDAN_FORCES_DERIVATIVES_H
#define CARDAN_FORCES_DERIVATIVES_H

#include <cardan/derivatives.h>

#include "forces/internal.h"
#include "matter/derivatives.h"

struct cdn_force_derivatives {
  derivative_pass *pass;
  double *dz; /* of tau, nu x nz; NULL if not wanted */
  int nz;
  /* What is being collected for one column of dz, and which (-1: none). */
  force_collector by_z;
  int z;
  /* The first thing that a custom force did wrong, as in force_collector. */
  cdn_status mistake;
  int body, mobility;
};

/* A generalized force in slot `row` of matter's u varies with slot `column`. */
static inline void derivative_of_mobility(cdn_force_derivatives *d, int row, int column, double dq, double du) {
  const size_t at = (size_t)row * (size_t)d->pass->m->tree.nu + (size_t)column;
  if (d->pass->dq) d->pass->dq[at] -= dq;
  if (d->pass->du) d->pass->du[at] -= du;
}

/* derivative_elements.c. Stations are given by r, from M's origin to them, in Ground. */

/* f at a station, by the station's place and velocity; 3x3 by columns. */
void cdni_derivative_of_point(cdn_force_derivatives *d, int body, v3 r, v3 f, const m3 *df_dp, const m3 *df_dv);
/* Tension along the line between two stations. pull = tension / length stands for itself where they meet. */
void cdni_derivative_of_line(cdn_force_derivatives *d, int body_a, v3 r_a, int body_b, v3 r_b, double pull,
                             double by_length, double by_rate);
/* Ends the column of dz that is being collected. */
void cdni_derivative_end_z(cdn_force_derivatives *d);

/* derivative_differences.c: adds the derivatives of what has no others. */
cdn_status cdni_difference_forces(const force_room *room, cdn_force_derivatives *d);

/* custom.c: whether an element that is on has no derivative of its own. */
bool cdni_custom_any_differenced(const force_batch *b);

#endif
