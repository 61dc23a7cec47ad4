/* What the kernels' files share. They hold the O(n) passes over the tree and are compiled once for each set: an instruction
 * set (CDNI_KERNEL names it) with a number of lanes.
 *
 * Outward passes run from Ground to the tips, inward passes back; a parent's index is always the smaller one. A body's
 * part of a pass is an inlined function of its number of mobilities and the form of its hinge matrix, both known when it
 * is compiled: one switch a body, no loops and no zeros for a pin. */
#ifndef CARDAN_MATTER_KERNEL_H
#define CARDAN_MATTER_KERNEL_H

#include "matter/records.h"

#ifndef CDNI_KERNEL
#  define CDNI_KERNEL base
#endif
#define KERNEL_PASTE_(a, b) a##_##b
#define KERNEL_PASTE(a, b) KERNEL_PASTE_(a, b)
/* A name of this set's own. */
#define KERNEL_NAME(name) KERNEL_PASTE(name, CDNI_KERNEL)
#define KERNEL(name) KERNEL_NAME(cdni_kernel_##name)

#define KERNEL_PROTOTYPE(result, name, ...) result KERNEL(name)(__VA_ARGS__);
TREE_KERNEL_LIST(KERNEL_PROTOTYPE)
#if CDNI_LANES == 1
TREE_KERNEL_MASS_MATRIX(KERNEL_PROTOTYPE)
#endif

#endif
