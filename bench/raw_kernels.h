/* Matter's passes without a System around them. */
#ifndef CARDAN_BENCH_RAW_KERNELS_H
#define CARDAN_BENCH_RAW_KERNELS_H

#include <cardan/cardan.h>

CDN_BEGIN_DECLS

/* Forward dynamics without forces from these q and u by calling the kernels one after the other on the arrays of a
 * State that has been realized to Instance; what the State knows of validity is neither asked nor told. */
void raw_forward_dynamics(cdn_state *arrays, const double *q, const double *u);

CDN_END_DECLS

#endif
