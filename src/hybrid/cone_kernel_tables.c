/* The kernels of each set. */
#include "hybrid/cone_kernels.h"

#define KERNELS(name, lanes, level) extern const cone_kernels cdni_cone_kernels_of_##name;
KERNEL_SETS_LONE(KERNELS)
#undef KERNELS

const cone_kernels *const cdni_cone_kernels[KERNEL_SET_COUNT] = {
#define KERNELS(name, lanes, level) [KERNEL_SET_##name] = &cdni_cone_kernels_of_##name,
  KERNEL_SETS_LONE(KERNELS)
#undef KERNELS
};
