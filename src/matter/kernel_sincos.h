/* Sines of several angles at once, a lane each: the sets of several lanes have the same bits as those of one, which take
 * theirs from them. */
#ifndef CARDAN_MATTER_KERNEL_SINCOS_H
#define CARDAN_MATTER_KERNEL_SINCOS_H

#include "matter/kernel.h"

/* As many angles as this set has lanes. */
void KERNEL(sincos)(const double *x, double *sine, double *cosine);

#if CDNI_LANES == 1 && defined(CDNI_HAVE_X86_KERNELS) && defined(__AVX512F__)
#  define SINCOS_LANES 8
#  define SINCOS_KERNEL cdni_kernel_sincos_v4x8
#elif CDNI_LANES == 1 && defined(CDNI_HAVE_X86_KERNELS) && defined(__FMA__)
#  define SINCOS_LANES 4
#  define SINCOS_KERNEL cdni_kernel_sincos_v3x4
#else
#  define SINCOS_LANES CDNI_LANES
#  define SINCOS_KERNEL KERNEL(sincos)
#endif
void SINCOS_KERNEL(const double *x, double *sine, double *cosine);

#endif
