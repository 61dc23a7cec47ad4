/* The sets of kernels that were compiled, and the choice among them. */
#ifndef CARDAN_MATTER_KERNELS_H
#define CARDAN_MATTER_KERNELS_H

#include <cardan/matter.h>

#include "matter/records.h"

extern const tree_kernels cdni_tree_kernels_base, cdni_tree_kernels_v3, cdni_tree_kernels_v4;

/* The set for this machine's instructions. */
const tree_kernels *cdni_tree_kernels(void);

#endif
