/* Where subsystems put how the rates of their auxiliary states vary: dzdot = G v + H du + L dz + W dudot, with v in
 * the tangent basis. Rooms that have auxiliary states add to it; dynamics asks them, and makes the whole
 * (dynamics/zdot.h). */
#ifndef CARDAN_MATTER_ZDOT_DERIVATIVES_H
#define CARDAN_MATTER_ZDOT_DERIVATIVES_H

#include <cardan/derivatives.h>

#include "matter/derivatives.h"

/* Matrices of nz rows, row-major: nu columns wide, L: nz. */
typedef struct zdot_matrices {
  double *G, *H, *W, *L;
} zdot_matrices;

struct cdn_zdot_derivatives {
  const cdn_system *system;
  const zdot_matrices *to;
  int nu, nz;
  int first, n;         /* z of the subsystem that is asked */
  derivative_pass pass; /* used only if the System has bodies */
  int first_u;          /* their first slot of u */
  /* The first mistake, and the body or the index it was made with. */
  cdn_status mistake;
  const char *what;
  int index;
};

#endif
