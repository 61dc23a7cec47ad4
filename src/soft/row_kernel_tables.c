/* All sets of the kernels of rows that were compiled. */
#include "soft/row_kernels.h"

#define EXTERN(name, lanes, level) extern const soft_row_kernels cdni_soft_row_kernels_of_##name;
KERNEL_SETS_LONE(EXTERN)

const soft_row_kernels *const cdni_soft_row_kernels[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_soft_row_kernels_of_##name,
  KERNEL_SETS_LONE(TABLE)
};
