/* Sines of several angles at once, one in each lane. The sets of several lanes give the same bits as the sets of one
 * lane, which use these functions. */
#ifndef CARDAN_MATTER_KERNEL_SINCOS_H
#define CARDAN_MATTER_KERNEL_SINCOS_H

#include "matter/kernel.h"

/* Takes as many angles as this set has lanes. */
void KERNEL(sincos)(const double *x, double *sine, double *cosine);

#ifdef CDNI_SINCOS_SET
#  define SINCOS_LANES CDNI_SINCOS_LANES
#  define SINCOS_KERNEL KERNEL_PASTE(cdni_kernel_sincos, CDNI_SINCOS_SET)
#else
#  define SINCOS_LANES CDNI_LANES
#  define SINCOS_KERNEL KERNEL(sincos)
#endif
void SINCOS_KERNEL(const double *x, double *sine, double *cosine);

#endif
