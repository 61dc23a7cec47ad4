/* Sets of contacts with friction: what one solution costs here and in Siconos. */
#ifndef CARDAN_BENCH_HYBRID_SETS_H
#define CARDAN_BENCH_HYBRID_SETS_H

#include "../tests/property/contact_sets.h"

/* Prints a row for each pile and size, and by which power costs grow. */
void bench_sets(void);

/* The least seconds of processor time that one of Siconos' solvers takes for a residual of 1e-8 by Siconos' own
 * measure, and its name; INFINITY: none comes to it. `p`: as many pushes as the set has rows. */
double siconos_best(const contact_set *set, double *p, const char **name);
/* The residual of pushes by that measure, over the size of the free speeds. */
double siconos_residual(const contact_set *set, const double *p);

#endif
