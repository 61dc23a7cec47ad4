/* A floor, and a tower of ten boxes, a little askew. */
#ifndef CARDAN_TESTS_TOWER_H
#define CARDAN_TESTS_TOWER_H

#include <math.h>

#include <cardan/cardan.h>

enum { BOXES = 10 };

static inline void add_floor(cdn_system *system, const cdn_contact_material *m) {
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
}

static inline cdn_system *make_tower(cdn_body body[BOXES]) {
  const double half[3] = { 0.1, 0.1, 0.05 }, m = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_material wood = cdn_default_contact_material();
  wood.modulus = 1e7, wood.dissipation = 1, wood.static_friction = 0.6, wood.dynamic_friction = 0.5;
  add_floor(system, &wood);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &wood;
  for (int i = 0; i < BOXES; i++) {
    /* a little askew, so that nothing is symmetric */
    const double turn = 0.02 * (i % 3 - 1),
                 q0[7] = { cos(turn / 2),        0, 0, sin(turn / 2), 0.004 * (i % 4 - 1.5), 0.004 * (i % 5 - 2),
                           half[2] * (2 * i + 1) };
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE, def.q0 = q0, def.mass.mass = m;
    def.mass.inertia = (cdn_inertia){ m / 3 * (half[1] * half[1] + half[2] * half[2]),
                                      m / 3 * (half[0] * half[0] + half[2] * half[2]),
                                      m / 3 * (half[0] * half[0] + half[1] * half[1]),
                                      0,
                                      0,
                                      0 };
    body[i] = shape.body = cdn_system_add_body(system, &def);
    shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { half[0], half[1], half[2] } };
    cdn_system_add_shape(system, &shape);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  return system;
}

/* How far a box has moved, and how far it has turned. */
static inline void drift(const double *from, const double *to, double *moved, double *turned) {
  *moved = cdn_norm(cdn_v3(to[4] - from[4], to[5] - from[5], to[6] - from[6]));
  double dot = 0, length = 0;
  for (int k = 0; k < 4; k++) dot += from[k] * to[k];
  for (int k = 0; k < 4; k++) length += (to[k] - copysign(1, dot) * from[k]) * (to[k] - copysign(1, dot) * from[k]);
  *turned = 4 * asin(fmin(sqrt(length) / 2, 1));
}

#endif
