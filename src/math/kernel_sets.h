/* The sets of kernels: instruction sets with numbers of lanes, and the choice among them at run time. A room with kernels
 * compiles its files once for each set and keeps an array of tables, one a set. */
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

/* Most lanes of any set. */
#define CDNI_MOST_LANES 8

/* The best set with this many lanes that the machine's instructions can run, -1 if there is none. All that can run on one
 * machine beside `base` have the same fused operations, so that their results are the same bits. */
int cdni_kernel_set(int lanes);
/* Whether the kernels of this machine round a b + c once (fused) or twice: all that makes their bits differ between machines
 * of one architecture. */
bool cdni_kernels_fused(void);

/* ---- names, in the files that are compiled for each set ---- */

#ifndef CDNI_KERNEL
#  define CDNI_KERNEL base
#endif
#define KERNEL_PASTE_(a, b) a##_##b
#define KERNEL_PASTE(a, b) KERNEL_PASTE_(a, b)
/* A name of this set's own. */
#define KERNEL_NAME(name) KERNEL_PASTE(name, CDNI_KERNEL)

#endif
