/* Private to the room: the files of the forces of media. */
#ifndef CARDAN_FORCES_FLUID_FILES_H
#define CARDAN_FORCES_FLUID_FILES_H

#include "forces/derivatives.h"

cdn_status cdni_fluid_box_derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out);
cdn_status cdni_fluid_ellipsoid_derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out);
/* Of an ellipsoid with these half axes: added mass and added inertia, over the density of the fluid. */
void cdni_fluid_added_mass(const double half[3], double mass[3], double inertia[3]);

#endif
