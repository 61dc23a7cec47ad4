/* The scales of a model, for steps and bounds that do the same in any units: metres or nanometres. */
#ifndef CARDAN_MATTER_SCALE_H
#define CARDAN_MATTER_SCALE_H

#include "matter/matter.h"

/* A length of the model where the State is: the largest of how large its bodies are, how long the links between
 * them, how far apart bodies stand. For points at one place: how far from Ground's origin. 0 if nothing tells, or the
 * pose cannot be evaluated. O(n). */
double cdni_matter_length(const matter *m, cdn_state *state);
/* How far the farthest body's origin is from Ground's: rounding of places grows with it. 0 if the pose cannot be
 * evaluated. O(n). */
double cdni_matter_reach(const matter *m, cdn_state *state);
/* The smallest distance of two bodies that are points, such as atoms, and have mass: a step that is shorter than a
 * part of it takes none through another. INFINITY if there are no two. Two at the same place do not count. O(n log
 * n), unless very many are at one x. */
double cdni_matter_nearest_points(const matter *m, cdn_state *state, double *work); /* work: 3 n */
/* How far a displacement with these velocities of the bodies' origins (one for each body) moves any body, in lengths or
 * in rad, whichever is more. O(n). */
double cdni_matter_displacement(const matter *m, const cdn_state *state, const cdn_spatial *V, double length);
/* The displacement along mobility k of body b that turns the body by 1 rad, or moves it by `length`, whichever comes
 * first. Pose must be valid. */
double cdni_matter_unit(const matter *m, const cdn_state *state, int b, int k, double length);
/* unit (matter's nu): the same for each mobility. */
void cdni_matter_units(const matter *m, const cdn_state *state, double length, double *unit);

#endif
