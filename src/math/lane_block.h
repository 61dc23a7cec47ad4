/* Lane blocks: numbers of several States side by side, number i of lane l at [i lanes + l], in the layout of kernels
 * with this many lanes. Files that are not compiled for lanes see them as doubles. */
#ifndef CARDAN_MATH_LANE_BLOCK_H
#define CARDAN_MATH_LANE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

static inline void lane_put(double *block, int lanes, int lane, const double *values, size_t n) {
  for (size_t i = 0; i < n; i++) block[i * (size_t)lanes + (size_t)lane] = values[i];
}
static inline void lane_get(const double *block, int lanes, int lane, double *values, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] = block[i * (size_t)lanes + (size_t)lane];
}

/* kernel_lanes.c: the same for several lanes at once. values[l] has the n numbers of lane l, or is NULL: lanes_get
 * skips it, and lanes_put leaves the block's numbers. */
void cdni_lanes_get(const double *block, int lanes, size_t n, double *const *values);
void cdni_lanes_put(double *block, int lanes, size_t n, const double *const *values);

/* Whether all n numbers of a lane are finite. */
static inline bool lane_is_finite(const double *block, int lanes, int lane, size_t n) {
  double residue = 0; /* a number minus itself is zero, unless it is no number */
  for (size_t i = 0; i < n; i++) {
    const double x = block[i * (size_t)lanes + (size_t)lane];
    residue += x - x;
  }
  return residue == 0;
}

#endif
