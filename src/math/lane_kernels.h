/* The kernels behind cdni_lanes_get and cdni_lanes_put, one of each for each set of several lanes. */
#ifndef CARDAN_MATH_LANE_KERNELS_H
#define CARDAN_MATH_LANE_KERNELS_H

#include <stddef.h>

#include "math/kernel_sets.h"

#define LANE_KERNELS_EXTERN(name, lanes, level)                                     \
  void cdni_lanes_get_##name(const double *block, size_t n, double *const *values); \
  void cdni_lanes_put_##name(double *block, size_t n, const double *const *values);
KERNEL_SETS_WIDE(LANE_KERNELS_EXTERN)
#undef LANE_KERNELS_EXTERN

#endif
