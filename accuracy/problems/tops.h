/* Rigid bodies that spin: free ones, thrown ones, heavy ones. */
#ifndef CARDAN_ACCURACY_TOPS_H
#define CARDAN_ACCURACY_TOPS_H

#include "problem.h"

extern const problem top_i123, top_i123_long, top_box, top_heavy, top_heavy_tip, top_heavy_long, top_orbit;
/* Torque-free, on a ball joint: of inertia 0.3, 0.3, 0.5 (symmetric) and 1, 2, 2.5, about axis 1, 2 or 3, slow and
 * fast. */
extern const problem top_symmetric_5, top_symmetric_40, top_symmetric_150, top_across_5, top_across_150, top_first_5,
    top_first_150, top_middle_2, top_middle_5, top_middle_40, top_third_5, top_third_40, top_third_150, top_third_long;

#endif
