/* Shared by the kernels' files. Kernels are the O(n) passes over the tree, compiled once for each set: an
 * instruction set (CDNI_KERNEL names it) with a number of lanes.
 *
 * Outward passes go from Ground to the tips, inward passes back; a parent has a smaller index than its children. The
 * part of one body is an inlined function of its number of mobilities and the form of its hinge matrix, both
 * compile-time constants: one switch for each body, and no loops and no zeros for a pin. */
#ifndef CARDAN_MATTER_KERNEL_H
#define CARDAN_MATTER_KERNEL_H

#include "math/kernel_sets.h"
#include "matter/records.h"

#define KERNEL(name) KERNEL_NAME(cdni_kernel_##name)

#define KERNEL_PROTOTYPE(result, name, ...) result KERNEL(name)(__VA_ARGS__);
TREE_KERNEL_LIST(KERNEL_PROTOTYPE)
#if CDNI_LANES == 1
TREE_KERNEL_ONE_LANE_LIST(KERNEL_PROTOTYPE)
#endif

#endif
