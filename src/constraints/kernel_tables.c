/* All sets of the kernels that were compiled. */
#include "constraints/kernels.h"

#ifdef CDNI_HAVE_X86_KERNELS
#  define ONE_LANE(X) X(base) X(v3) X(v4)
#else
#  define ONE_LANE(X) X(base)
#endif

#define EXTERN(name) extern const loop_kernels cdni_loop_kernels_of_##name;
ONE_LANE(EXTERN)

const loop_kernels *const cdni_loop_kernels[KERNEL_SET_COUNT] = {
#define TABLE(name) [KERNEL_SET_##name] = &cdni_loop_kernels_of_##name,
  ONE_LANE(TABLE)
};
