/* Derivatives of forces: the target of the kinds' derivative functions. */
#ifndef CARDAN_FORCES_DERIVATIVES_H
#define CARDAN_FORCES_DERIVATIVES_H

#include <cardan/derivatives.h>

#include "forces/internal.h"
#include "matter/derivatives.h"

struct cdn_force_derivatives {
  derivative_pass *pass;
  double *dz; /* of tau, nu x nz; NULL if not wanted */
  int nz;
  /* The forces collected for one column of dz, and its number (-1: none). */
  force_collector by_z;
  int z;
  /* The first mistake of a custom force, as in force_collector. */
  cdn_status mistake;
  int body, mobility;
  double *stiffness, *damping; /* nu each, or NULL: only what acts on a mobility by its own motion is wanted */
};

/* Derivatives of a generalized force in slot `row` of matter's u by slot `column`. */
static inline void derivative_of_mobility(cdn_force_derivatives *d, int row, int column, double dq, double du) {
  if (d->stiffness) {
    if (row == column) d->stiffness[row] -= dq, d->damping[row] -= du;
    return;
  }
  const size_t at = (size_t)row * (size_t)d->pass->m->tree.nu + (size_t)column;
  if (d->pass->dq) d->pass->dq[at] -= dq;
  if (d->pass->du) d->pass->du[at] -= du;
}
/* -df/du of a damper's f = -(c + c2 |u| + c3 u^2) u. */
static inline double damper_slope(const double *p, double u) {
  return p[DAMPER_C] + fabs(u) * (2 * p[DAMPER_C2] + 3 * fabs(u) * p[DAMPER_C3]);
}
/* Derivatives of forces on three mobilities from `u` on, by these, by columns; each may be NULL. */
static inline void derivative_of_three(cdn_force_derivatives *d, int u, const m3 *dq, const m3 *du) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      derivative_of_mobility(d, u + r, u + c, dq ? (&(&dq->x)[c].x)[r] : 0, du ? (&(&du->x)[c].x)[r] : 0);
}

/* Derivative of a generalized force by number `column` of z. */
static inline void derivative_by_z(cdn_force_derivatives *d, int row, int column, double dz) {
  if (d->dz) d->dz[(size_t)row * (size_t)d->nz + (size_t)column] -= dz;
}

/* derivative_elements.c. Stations are given by r, from M's origin to them, in Ground. */

/* A force f at a station, with its derivatives by the station's place and velocity; 3x3 by columns. */
void cdni_derivative_of_point(cdn_force_derivatives *d, int body, v3 r, v3 f, const m3 *df_dp, const m3 *df_dv);
/* A tension along the line between two stations. pull = tension / length, given separately for stations that
 * coincide. */
void cdni_derivative_of_line(cdn_force_derivatives *d, int body_a, v3 r_a, int body_b, v3 r_b, double pull,
                             double by_length, double by_rate);
/* derivative_bodies.c. How a body and its station move, or change their motion: a small turn and a displacement, or
 * angular velocity and velocity; all in Ground. */
typedef struct station_motion {
  sv X, V;
} station_motion;
/* How forces at n stations (the moments about them) change with these motions: linear in them. */
typedef void force_change(const void *law, int n, const station_motion *motion, sv *dF);
/* Spatial forces F at n stations, which `change` knows how to vary. `relative`: they turn with the bodies where all
 * move as one piece. `room`: n times FORCE_STATION_ROOM bytes, aligned as doubles. */
enum { FORCE_STATION_ROOM = 2 * sizeof(station_motion) + 2 * sizeof(sv) + sizeof(int) + sizeof(bool) };
void cdni_derivative_of_stations(cdn_force_derivatives *d, int n, const int *bodies, const v3 *r, const sv *F,
                                 bool relative, bool by_velocity, force_change *change, const void *law, void *room);
/* The same for at most CDN_FORCE_BODIES. */
void cdni_derivative_of_bodies(cdn_force_derivatives *d, int n, const int *bodies, const v3 *r, const sv *F,
                               bool relative, bool by_velocity, force_change *change, const void *law);
/* path_derivatives.c: a tension along a path, a function of the length and its rate. */
cdn_status cdni_derivative_of_path(cdn_force_derivatives *d, cdn_path path, double tension, double by_length,
                                   double by_rate);
/* derivative_elements.c, for the public functions: keeps the first mistake; whether a body is there and the numbers are
 * finite. */
void cdni_derivative_mistake(cdn_force_derivatives *d, cdn_status mistake, cdn_body body, int mobility);
bool cdni_derivative_accepts(cdn_force_derivatives *d, cdn_body body, const double *numbers, size_t n);
/* Ends the column of dz that is being collected. */
void cdni_derivative_end_z(cdn_force_derivatives *d);

/* derivative_differences.c: adds the derivatives of what is differenced. */
cdn_status cdni_difference_forces(const force_room *room, cdn_force_derivatives *d);

#endif
