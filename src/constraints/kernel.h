/* What the files of the kernels share: each is compiled once for every set of one lane. */
#ifndef CARDAN_CONSTRAINTS_KERNEL_H
#define CARDAN_CONSTRAINTS_KERNEL_H

#include "constraints/kernels.h"

int KERNEL_NAME(cdni_loop_kernel_factor)(const loop_plan *p, const tree_data *d, const double *weights,
                                         const int32_t *was_redundant, loop_factor *f);
void KERNEL_NAME(cdni_loop_kernel_inward)(const loop_solution *s);
void KERNEL_NAME(cdni_loop_kernel_outward)(const loop_solution *s);

#endif
