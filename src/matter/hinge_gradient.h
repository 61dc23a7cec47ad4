/* How a mobilizer's H changes with its own motion, F held: for derivatives of whatever H is in. Private to the room. */
#ifndef CARDAN_MATTER_HINGE_GRADIENT_H
#define CARDAN_MATTER_HINGE_GRADIENT_H

#include "matter/subsystem.h"

/* dH[j][k]: the derivative of column k of body i's H (at M's moving origin, in Ground's axes) as q moves with qdot = N e_j
 * and F stays where it is. Poses must be valid. False at *moves: all of it is zero (H is fixed in F), and nothing was written. */
cdn_status cdni_hinge_gradient(const matter *m, cdn_state *state, const tree_data *d, int i, bool *moves, sv dH[6][6]);

#endif
