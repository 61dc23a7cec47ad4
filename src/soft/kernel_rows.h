/* Shared by the files of the kernels of rows. Private to them. */
#ifndef CARDAN_SOFT_KERNEL_ROWS_H
#define CARDAN_SOFT_KERNEL_ROWS_H

#include "soft/row_kernels.h"

void KERNEL_NAME(cdni_soft_kernel_weigh)(const soft_problem *p, int island, bool all);

#endif
