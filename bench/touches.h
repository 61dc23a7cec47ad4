// Collision detection alone, without the forces that follow from it.
#ifndef CARDAN_BENCH_TOUCHES_H
#define CARDAN_BENCH_TOUCHES_H

#include <cardan/cardan.h>

#ifdef __cplusplus
extern "C" {
#endif

// How many places touch at the State's q; -1: that failed.
int bench_count_touches(cdn_state *state);

#ifdef __cplusplus
}
#endif
#endif
