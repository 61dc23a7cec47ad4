/* Masses on springs: for long, small, damped, stiff, in series, with a Maxwell element. */
#ifndef CARDAN_ACCURACY_OSCILLATORS_H
#define CARDAN_ACCURACY_OSCILLATORS_H

#include "problem.h"

extern const problem oscillator_10, oscillator_1e3, oscillator_1e4, oscillator_small, oscillator_row,
    oscillator_row_damped, oscillator_row_stiff, oscillator_maxwell, oscillator_spinning_pair;

#endif
