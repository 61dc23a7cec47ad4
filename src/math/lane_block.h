/* Lane blocks: numbers of several States side by side, number i of lane l at [i lanes + l], in the layout of kernels
 * with this many lanes. Files that are not compiled for lanes see them as doubles. */
#ifndef CARDAN_MATH_LANE_BLOCK_H
#define CARDAN_MATH_LANE_BLOCK_H

#include <stddef.h>

static inline void lane_put(double *block, int lanes, int lane, const double *values, size_t n) {
  for (size_t i = 0; i < n; i++) block[i * (size_t)lanes + (size_t)lane] = values[i];
}
static inline void lane_get(const double *block, int lanes, int lane, double *values, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] = block[i * (size_t)lanes + (size_t)lane];
}

#endif
