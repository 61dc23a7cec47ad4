/* The choice of the kernels that move numbers of all lanes. */
#include "math/lane_block.h"

#include "math/lane_kernels.h"

void cdni_lanes_get(const double *block, int lanes, size_t n, double *const *values) {
  switch (cdni_kernel_set(lanes)) {
#define GET(name, lanes, level) \
  case KERNEL_SET_##name: cdni_lanes_get_##name(block, n, values); break;
    KERNEL_SETS_WIDE(GET)
#undef GET
    default:
      for (int l = 0; l < lanes; l++)
        if (values[l]) lane_get(block, lanes, l, values[l], n);
  }
}

void cdni_lanes_put(double *block, int lanes, size_t n, const double *const *values) {
  switch (cdni_kernel_set(lanes)) {
#define PUT(name, lanes, level) \
  case KERNEL_SET_##name: cdni_lanes_put_##name(block, n, values); break;
    KERNEL_SETS_WIDE(PUT)
#undef PUT
    default:
      for (int l = 0; l < lanes; l++)
        if (values[l]) lane_put(block, lanes, l, values[l], n);
  }
}
