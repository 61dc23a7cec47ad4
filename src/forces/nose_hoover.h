/* Nose-Hoover chains for a step of their own: by splitting, in place of their force and zdot. */
#ifndef CARDAN_FORCES_NOSE_HOOVER_H
#define CARDAN_FORCES_NOSE_HOOVER_H

#include <cardan/sampling.h>

/* The sum of xi_1 of all chains that are on: their forces are -xi M u. */
double cdni_nose_hoover_friction(cdn_state *state);
/* Takes all chains that are on through `time` (negative: back), in which nothing but speeds and chains changes. K is
 * the kinetic energy at the start; *factor is what speeds are to be multiplied by. */
cdn_status cdni_nose_hoover_turn(cdn_state *state, double time, double K, double *factor);

#endif
