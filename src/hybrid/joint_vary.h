/* Changes of what mobilizers transmit. Private to the room. */
#ifndef CARDAN_HYBRID_JOINT_VARY_H
#define CARDAN_HYBRID_JOINT_VARY_H

#include "hybrid/internal.h"

/* Writes them by q and u (nu columns each) and z (NULL: not wanted), a row for each number of a joint. Stage:
 * Acceleration. Fails beside soft rows that act. */
cdn_status cdni_hybrid_vary_joints(const hybrid_room *room, cdn_state *state, const char *function,
                                   double *const by[3]);

#endif
