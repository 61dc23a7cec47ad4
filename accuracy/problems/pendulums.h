/* Pendulums, and rows of four-bars, which move as one. */
#ifndef CARDAN_ACCURACY_PENDULUMS_H
#define CARDAN_ACCURACY_PENDULUMS_H

#include "problem.h"

extern const problem pendulum_a01, pendulum_a01_long, pendulum_longest, pendulum_ark, pendulum_rod, pendulum_spherical,
    pendulum_double, pendulum_double_small, pendulum_shaken, ladder_1, ladder_2, ladder_5, ladder_10, ladder_pinned_5;

#endif
