/* shared by tests in this folder */
/* Runs that the closed-form tests have in common. */
#ifndef CARDAN_TESTS_RUNS_H
#define CARDAN_TESTS_RUNS_H

#include "../testing.h"
#include "parts.h"

cdn_stepper *stepper_of(cdn_state *state, double accuracy);

/* An experiment: runs at one accuracy and returns its largest error against the truth. */
typedef double experiment(double accuracy, const void *what);
/* Repeats it at 1e-3, 1e-4 ... down to `finest`, where factor * accuracy is a small error at all (0.1). Every error
 * must be at most factor * accuracy + floor. Errors must fall as the accuracy does: by 14 over any two decades, with no
 * rise above 2 in between, until they reach the floor that rounding sets. */
void check_convergence(const char *name, experiment *run, const void *what, double factor, double finest, double floor);

#endif
