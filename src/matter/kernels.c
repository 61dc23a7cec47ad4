/* One set of kernels as a table. */
#include "matter/kernels.h"

#include "matter/kernel.h"

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

const tree_kernels KERNEL_NAME(cdni_tree_kernels) = { .name = TEXT(CDNI_KERNEL),
#define ENTRY(result, name, ...) .name = KERNEL(name),
                                                      TREE_KERNEL_LIST(ENTRY)
#if CDNI_LANES == 1
                                                          TREE_KERNEL_ONE_LANE_LIST(ENTRY)
#endif
};
