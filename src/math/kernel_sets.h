/* Sets of kernels: an instruction set with a number of lanes. The library chooses a set at run time. A room with
 * kernels compiles its files once for each set, and keeps one table of functions for each set. */
#ifndef CARDAN_MATH_KERNEL_SETS_H
#define CARDAN_MATH_KERNEL_SETS_H

#include <stdbool.h>

/* Sets of one lane and of several: X(name, lanes, level) for each that is compiled, with the level of x86-64 that it
 * needs (1 anywhere). src/math/meson.build has the lists, and the flags of each set. */
#if !defined(KERNEL_SETS_LONE) || !defined(KERNEL_SETS_WIDE)
#  error "KERNEL_SETS_LONE and KERNEL_SETS_WIDE come from src/math/meson.build"
#endif
#define KERNEL_SET_LIST(X) KERNEL_SETS_LONE(X) KERNEL_SETS_WIDE(X)

typedef enum kernel_set {
#define KERNEL_SET_ENUM(name, lanes, level) KERNEL_SET_##name,
  KERNEL_SET_LIST(KERNEL_SET_ENUM)
#undef KERNEL_SET_ENUM
      KERNEL_SET_COUNT
} kernel_set;

/* The largest number of lanes of any set. */
#define CDNI_MOST_LANES 8

/* The level of x86-64 whose instructions this machine has: 1, 3 (AVX2, FMA) or 4 (AVX-512). */
int cdni_machine_level(void);
/* The level that kernels may need. It is the machine's; a test program that is linked to the archive puts its own
 * function in the place of this one (tests/kernel_level.c), so that all sets run on one machine. */
int cdni_kernel_level(void);
/* The best set with this many lanes that needs no higher level than that; -1: none. All sets that run on one machine,
 * except `base`, use the same fused operations, so their results have the same bits. */
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
