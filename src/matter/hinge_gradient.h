/* Derivative of a mobilizer's H by its own coordinates, with F fixed. Private to the room. */
#ifndef CARDAN_MATTER_HINGE_GRADIENT_H
#define CARDAN_MATTER_HINGE_GRADIENT_H

#include "matter/subsystem.h"

/* dH[j][k]: derivative of column k of body i's H (at M's moving origin, in Ground's axes) along qdot = N e_j, with F
 * fixed. Poses must be valid. *moves = false: H is constant in F, and nothing was written. */
cdn_status cdni_hinge_gradient(const matter *m, cdn_state *state, const tree_data *d, int i, bool *moves, sv dH[6][6]);

#endif
