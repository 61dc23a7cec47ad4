/* All sets of matter's kernels that were compiled. */
#include "matter/kernels.h"

const tree_kernels *const cdni_tree_kernels[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_tree_kernels_##name,
  KERNEL_SET_LIST(TABLE)
};
