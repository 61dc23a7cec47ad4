/* All sets of the kernels of invertible contact that were compiled. */
#include "soft/invertible.h"

#define EXTERN(name, lanes, level) extern const invertible_kernels cdni_invertible_kernels_of_##name;
KERNEL_SET_LIST(EXTERN)

const invertible_kernels *const cdni_invertible_kernels[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_invertible_kernels_of_##name,
  KERNEL_SET_LIST(TABLE)
};
