/* Mechanisms with closed loops, and a disc that rolls, of libraries of test problems. */
#ifndef CARDAN_ACCURACY_LOOPS_H
#define CARDAN_ACCURACY_LOOPS_H

#include "problem.h"

extern const problem loop_andrews, loop_bricard, loop_governor, loop_car_axis, loop_rolling_disc;

#endif
