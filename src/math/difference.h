/* How far central differences go. */
#ifndef CARDAN_MATH_DIFFERENCE_H
#define CARDAN_MATH_DIFFERENCE_H

#include <math.h>

/* A displacement, over the size of what is displaced. The cube root of the rounding error, (2.2e-16)^(1/3) = 6e-6,
 * balances it with the truncation error h^2 / 6. */
static const double CDNI_DIFFERENCE = 6e-6;

/* Of a number x in a unit in which 1 is not small. */
static inline double cdni_difference_of(double x) { return CDNI_DIFFERENCE * fmax(1, fabs(x)); }

#endif
