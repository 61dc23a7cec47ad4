/* Sines of several angles at once, one in each lane. The sets of several lanes give the same bits as the sets of one
 * lane, which use these functions. */
#ifndef CARDAN_MATTER_KERNEL_SINCOS_H
#define CARDAN_MATTER_KERNEL_SINCOS_H

#include "matter/kernel.h"

/* Takes as many angles as this set has lanes. */
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
