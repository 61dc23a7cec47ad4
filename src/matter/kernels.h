/* The tables of matter's kernels, one for each set. */
#ifndef CARDAN_MATTER_KERNELS_H
#define CARDAN_MATTER_KERNELS_H

#include "math/kernel_sets.h"
#include "matter/records.h"

#define TREE_KERNELS_EXTERN(name, lanes, level) extern const tree_kernels cdni_tree_kernels_##name;
KERNEL_SET_LIST(TREE_KERNELS_EXTERN)
#undef TREE_KERNELS_EXTERN

/* By kernel_set. */
extern const tree_kernels *const cdni_tree_kernels[KERNEL_SET_COUNT];

#endif
