/* Pendulums, and rows of four-bars, which move as one. */
#ifndef CARDAN_ACCURACY_PENDULUMS_H
#define CARDAN_ACCURACY_PENDULUMS_H

#include "problem.h"

extern const problem pendulum_a01, pendulum_a01_long, pendulum_longest, pendulum_ark, pendulum_rod, pendulum_spherical,
    pendulum_double, pendulum_double_small, pendulum_chaos_5, pendulum_chaos_8, pendulum_chaos_12, pendulum_chaos_16,
    pendulum_chaos_20, pendulum_chaos_25, pendulum_chaos_30, pendulum_chaos_40, pendulum_shaken, ladder_1, ladder_2,
    ladder_5, ladder_10, ladder_pinned_5;

#endif
