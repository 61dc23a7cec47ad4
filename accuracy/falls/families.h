/* Families of scenes. Each makes the scene that the dice give, and returns false where there is none. */
#ifndef CARDAN_ACCURACY_FAMILIES_H
#define CARDAN_ACCURACY_FAMILIES_H

#include "scene.h"

/* A solid falls on a floor, a table, a plate, or on another solid. */
bool family_fall(dice *d, scene *out);
/* A solid is thrown at a wall, under gravity. */
bool family_thrown(dice *d, scene *out);
/* A solid is shot at a plate, without gravity. */
bool family_bullet(dice *d, scene *out);
/* A plate that moves, freely or as it is told, meets a solid. */
bool family_moving(dice *d, scene *out);
/* An arm of one to three members sweeps past a peg. */
bool family_arm(dice *d, scene *out);
/* A ball falls through the plane of a rotor of three blades. */
bool family_rotor(dice *d, scene *out);
/* A pendulum swings against a wall. */
bool family_swing(dice *d, scene *out);
/* A tree of six joints with a solid on each body falls on a floor. */
bool family_tree(dice *d, scene *out);
/* A solid begins inside another. */
bool family_deep(dice *d, scene *out);
/* A ball bounces on a half-space; the motion is known in long double. */
bool family_hertz(dice *d, scene *out);
/* A short pulse of a custom force, of which nothing tells beforehand; closed form. */
bool family_pulse(dice *d, scene *out);
/* Somebody writes q or u between calls. */
bool family_writes(dice *d, scene *out);
/* Calls end after some steps and are made again. */
bool family_cut(dice *d, scene *out);
/* A body flies and spins, and meets nothing: what the looking costs. */
bool family_flight(dice *d, scene *out);

#endif
