/* Determinants' logarithms and their gradients, for the rooms above. */
#ifndef CARDAN_MATTER_LOG_DET_H
#define CARDAN_MATTER_LOG_DET_H

#include "matter/matter.h"

/* log det M and its gradient (nu; either may be NULL) in one pass. `whole`: of all mobilities; else of those that
 * nothing prescribes, with the others at rest. */
cdn_status cdni_log_det_M(cdn_state *state, const char *function, bool whole, double *log_det, double *g);
/* For n vectors y of speeds (nu each), whose motions of the M origins are V (a run of bodies each), and forces X on
 * bodies there, each with all outboard of it: adds `scale` times the derivative of the sum of X . V along each
 * mobility, as if forces turned with what a mobility carries. Poses must be valid. O(n bodies). */
cdn_status cdni_add_motion_gradient(const matter *m, cdn_state *state, const tree_data *d, int n, const double *y,
                                    const sv *V, const sv *X, double scale, double *g);

#endif
