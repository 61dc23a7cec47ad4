/* The tables of the force kernels, one for each set. */
#ifndef CARDAN_FORCES_KERNELS_H
#define CARDAN_FORCES_KERNELS_H

#include "forces/kernel.h"
#include "math/kernel_sets.h"

#define FORCE_KERNELS_EXTERN(name, lanes, level) extern const force_kernels cdni_force_kernels_##name;
KERNEL_SET_LIST(FORCE_KERNELS_EXTERN)
#undef FORCE_KERNELS_EXTERN

/* By kernel_set. */
extern const force_kernels *const cdni_force_kernels[KERNEL_SET_COUNT];

#endif
