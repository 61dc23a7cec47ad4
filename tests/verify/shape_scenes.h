/* shared by tests in this folder */
/* Scenes of shapes that touch rigidly. */
#ifndef CARDAN_TESTS_SHAPE_SCENES_H
#define CARDAN_TESTS_SHAPE_SCENES_H

#include "hybrid_scenes.h"

static const double g = 9.81;

/* A System under gravity whose shapes have this friction and restitution. */
typedef struct shape_scene {
  cdn_system *system;
  double mu, e;
} shape_scene;
shape_scene begin_scene(double mu, double e);
/* Adds a shape; it takes the reference to a surface. */
cdn_shape put_shape(const shape_scene *s, const char *name, cdn_body body, cdn_geometry geometry, cdn_transform X);
/* A free body of mass m with principal inertias. */
cdn_body add_free(const shape_scene *s, const char *name, double m, double x, double y, double z);
cdn_state *free_state(const shape_scene *s, const double *q, const double *u);
/* A run with a companion, up to t. */
cdn_stepper *plain_run(cdn_state *state, double accuracy, double t);
double scene_energy(cdn_state *state);

static inline cdn_transform placed(double x, double y, double z) {
  cdn_transform X = cdn_transform_identity();
  X.p = cdn_v3(x, y, z);
  return X;
}

static inline cdn_geometry half_space(void) { return (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }; }
static inline cdn_geometry sphere(double r) { return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } }; }
static inline cdn_geometry box(double x, double y, double z) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { x, y, z } };
}
static inline cdn_geometry capsule(double r, double h) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { r, h } };
}
/* A plane that falls by alpha along x. */
static inline cdn_transform slope(double alpha) {
  const double c = cos(alpha), s = sin(alpha);
  return (cdn_transform){ { { c, 0, -s }, { 0, 1, 0 }, { s, 0, c } }, { 0, 0, 0 } };
}
static inline cdn_vec3 above_slope(double alpha, double height) {
  return cdn_v3(height * sin(alpha), 0, height * cos(alpha));
}

/* A box, or the same solid as a hull or as a mesh. */
cdn_geometry block_of(cdn_geometry_kind kind, double x, double y, double z);

#endif
