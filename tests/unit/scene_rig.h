/* shared by tests in this folder */
/* A rig for scenes: an arm that turns about z, a ball that is free, a floor; and what is asked of its marks. */
#ifndef CARDAN_TESTS_SCENE_RIG_H
#define CARDAN_TESTS_SCENE_RIG_H

#include "../robust/counting_allocator.h"
#include "../testing.h"

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_scene *scene;
  cdn_body arm, ball;
  cdn_constraint rod;
  counting_allocator memory;
} rig;

/* With a rod between arm and ball, a spring, and, if wanted, decorations of a subsystem: an arrow and a text. The rig
 * is one and the same for all calls. */
rig *make_rig(bool with_decorations);
void open_scene(rig *r, uint32_t layers);
/* Fails if anything is left. */
void drop_rig(rig *r);
/* The n-th mark of a kind; fails if there is none. */
cdn_mark find_mark(const rig *r, int kind, int nth);
cdn_vec3 tip_of(cdn_mark m);

void near3(cdn_vec3 a, cdn_vec3 b, double tolerance);
cdn_mass_properties mass_at(double m, cdn_vec3 com);
cdn_transform at_place(double x, double y, double z);

#endif
