/* Twenty of Housner's blocks (Housner 1963) side by side, which are released at leans from 0.6 to 1.4 of that of the
 * reference and rock by themselves. */
#ifndef CARDAN_BENCH_ROCKING_H
#define CARDAN_BENCH_ROCKING_H

enum { ROCKING_BLOCKS = 20 };
#define ROCKING_HALF_WIDTH 0.15
#define ROCKING_HALF_HEIGHT 0.5
#define ROCKING_LEAN 0.1748740766867202552

static inline double rocking_lean(int i) { return ROCKING_LEAN * (0.6 + 0.8 * i / (ROCKING_BLOCKS - 1)); }

#endif
