/* Sets of kernels: an instruction set with a number of lanes. The library chooses a set at run time. A room with
 * kernels compiles its files once for each set, and keeps one table of functions for each set. */
#ifndef CARDAN_MATH_KERNEL_SETS_H
#define CARDAN_MATH_KERNEL_SETS_H

#include <stdbool.h>

/* X(name, lanes). meson.build has the flags of each. */
#ifdef CDNI_HAVE_X86_KERNELS
#  define KERNEL_SET_LIST(X) X(base, 1) X(v3, 1) X(v4, 1) X(v3x4, 4) X(v4x8, 8)
#else
#  define KERNEL_SET_LIST(X) X(base, 1)
#endif

typedef enum kernel_set {
#define KERNEL_SET_ENUM(name, lanes) KERNEL_SET_##name,
  KERNEL_SET_LIST(KERNEL_SET_ENUM)
#undef KERNEL_SET_ENUM
      KERNEL_SET_COUNT
} kernel_set;

/* The largest number of lanes of any set. */
#define CDNI_MOST_LANES 8

/* The best set with this many lanes that this machine can run; -1: none. All sets that run on one machine, except
 * `base`, use the same fused operations, so their results have the same bits. */
int cdni_kernel_set(int lanes);
/* Whether the kernels of this machine round a b + c once (fused) or twice. Machines of one architecture differ in
 * their bits only by this. */
bool cdni_kernels_fused(void);

/* ---- names in the files that are compiled for each set ---- */

#ifndef CDNI_KERNEL
#  define CDNI_KERNEL base
#endif
#define KERNEL_PASTE_(a, b) a##_##b
#define KERNEL_PASTE(a, b) KERNEL_PASTE_(a, b)
/* Makes a name unique to this set. */
#define KERNEL_NAME(name) KERNEL_PASTE(name, CDNI_KERNEL)

#endif
