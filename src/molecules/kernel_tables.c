/* The sets of kernels of pairs, and the best one of this machine. */
#include "math/kernel_sets.h"
#include "molecules/born.h"

#define EXTERN(name, lanes, level)                         \
  extern const field_kernels cdni_molecule_kernels_##name; \
  extern const born_kernels cdni_born_kernels_##name;
KERNEL_SETS_LONE(EXTERN)
#undef EXTERN

static const field_kernels *const sets[KERNEL_SET_COUNT] = {
#define TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_molecule_kernels_##name,
  KERNEL_SETS_LONE(TABLE)
};

static const born_kernels *const born_sets[KERNEL_SET_COUNT] = {
#define BORN_TABLE(name, lanes, level) [KERNEL_SET_##name] = &cdni_born_kernels_##name,
  KERNEL_SETS_LONE(BORN_TABLE)
};

const field_kernels *mol_kernels(void) { return sets[cdni_kernel_set(1)]; }
const born_kernels *mol_born_kernels(void) { return born_sets[cdni_kernel_set(1)]; }
