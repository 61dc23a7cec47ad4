/* The sets of kernels of pairs, and the best one of this machine. */
#include "molecules/field.h"

#include "math/kernel_sets.h"

#define EXTERN(name, lanes, level) extern const field_kernels cdni_molecule_kernels_##name;
KERNEL_SETS_LONE(EXTERN)
#undef EXTERN

static const field_kernels *const sets[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_molecule_kernels_##name,
  KERNEL_SETS_LONE(TABLE)
};

const field_kernels *mol_kernels(void) { return sets[cdni_kernel_set(1)]; }
