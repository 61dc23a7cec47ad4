/* All sets of force kernels that were compiled. */
#include "forces/kernels.h"

const force_kernels *const cdni_force_kernels[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_force_kernels_##name,
  KERNEL_SET_LIST(TABLE)
};
