/* All sets of the kernels that were compiled. */
#include "constraints/kernels.h"

#define EXTERN(name, lanes, level) extern const loop_kernels cdni_loop_kernels_of_##name;
KERNEL_SET_LIST(EXTERN)

const loop_kernels *const cdni_loop_kernels[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_loop_kernels_of_##name,
  KERNEL_SET_LIST(TABLE)
};
