/* Motions in units that do not suit them, masses that differ by far, quaternions in a tree, a digital controller. */
#ifndef CARDAN_ACCURACY_EXTREMES_H
#define CARDAN_ACCURACY_EXTREMES_H

#include "problem.h"

extern const problem extreme_molecule, extreme_orbit_metres, extreme_masses, extreme_balls, extreme_digital;

#endif
