/* Slider-cranks, gentle and whipping. */
#ifndef CARDAN_ACCURACY_CRANKS_H
#define CARDAN_ACCURACY_CRANKS_H

#include "problem.h"

extern const problem crank_sundials, crank_heavy, crank_fast, crank_whip_80, crank_whip_96, crank_whip_99, crank_driven;

#endif
