/* shared by tests in this folder */
/* Scenes of friction: one body on the rigid plane z = 0. */
#ifndef CARDAN_TESTS_FRICTION_SCENES_H
#define CARDAN_TESTS_FRICTION_SCENES_H

#include "../testing.h"

#define GRAVITY 9.81

typedef struct friction_scene {
  cdn_system *system;
  cdn_state *state;
  cdn_body body;
  cdn_shape shape, plane;
  double depth; /* at rest */
} friction_scene;

cdn_contact_material friction_material(double modulus, double mu);
/* A ball (radius R), and a ball that cannot turn (radius 0.1, 1 kg), at rest as deep as their weight presses them. The
 * plane is level; gravity is tilted by `tilt` so that it pulls along x. */
friction_scene ball_on_plane(double R, double mass, const cdn_contact_material *m, double tilt,
                             const cdn_contact_def *def);
friction_scene block_on_plane(const cdn_contact_material *m, double tilt, const cdn_contact_def *def);
/* The plane moves by amplitude sin(rate t) along x, y and z. */
friction_scene block_on_shaken_plane(const cdn_contact_material *m, double tilt, const cdn_contact_def *def,
                                     double amplitude, double rate);
void free_friction_scene(friction_scene *s);

#endif
