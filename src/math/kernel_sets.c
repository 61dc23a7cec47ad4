/* The choice of kernels: the best set that this machine's instructions can run. */
#include "math/kernel_sets.h"

#ifdef CDNI_HAVE_X86_KERNELS
/* The levels of the x86-64 ABI, by the features that the kernels are compiled for. */
static int x86_level(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2"))
    return 1;
  bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : 3;
}
#endif

int cdni_kernel_set(int lanes) {
#ifdef CDNI_HAVE_X86_KERNELS
  int level = x86_level();
  if (lanes == 8 && level == 4) return KERNEL_SET_v4x8;
  if (lanes == 4 && level >= 3) return KERNEL_SET_v3x4;
  if (lanes == 1 && level == 4) return KERNEL_SET_v4;
  if (lanes == 1 && level == 3) return KERNEL_SET_v3;
#endif
  return lanes == 1 ? KERNEL_SET_base : -1;
}

bool cdni_kernels_fused(void) { return cdni_kernel_set(1) != KERNEL_SET_base; }
