/* The choice of kernels: the best set that this machine's instructions can run. */
#include "math/kernel_sets.h"

int cdni_machine_level(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2"))
    return 1;
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : 3;
#else
  return 1;
#endif
}

__attribute__((weak)) int cdni_kernel_level(void) { return cdni_machine_level(); }

int cdni_kernel_set(int lanes) {
  static const struct {
    int lanes, level;
  } sets[] = {
#define SET(name, lanes, level) { lanes, level },
    KERNEL_SET_LIST(SET)
#undef SET
  };
  const int level = cdni_kernel_level();
  int best = -1;
  for (int i = 0; i < KERNEL_SET_COUNT; i++)
    if (sets[i].lanes == lanes && sets[i].level <= level && (best < 0 || sets[i].level > sets[best].level)) best = i;
  return best;
}

bool cdni_kernels_fused(void) { return cdni_kernel_set(1) != KERNEL_SET_base; }
