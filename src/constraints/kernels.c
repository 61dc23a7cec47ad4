/* One set of kernels as a table. */
#include "constraints/kernel.h"

extern const loop_kernels KERNEL_NAME(cdni_loop_kernels_of);
const loop_kernels KERNEL_NAME(cdni_loop_kernels_of) = {
  .factor = KERNEL_NAME(cdni_loop_kernel_factor),
#if CDNI_LANES == 1
  .give_back = KERNEL_NAME(cdni_loop_kernel_give_back),
#endif
  .inward = KERNEL_NAME(cdni_loop_kernel_inward),
  .outward = KERNEL_NAME(cdni_loop_kernel_outward),
};
