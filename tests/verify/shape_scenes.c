/* shared by tests in this folder */
#include "shape_scenes.h"

shape_scene begin_scene(double mu, double e) {
  shape_scene s = { cdn_system_create(NULL), mu, e };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(s.system, &contact);
  cdn_system_add_gravity(s.system, "gravity", cdn_v3(0, 0, -g));
  return s;
}

cdn_shape put_shape(const shape_scene *s, const char *name, cdn_body body, cdn_geometry geometry, cdn_transform X) {
  cdn_contact_material m = cdn_default_contact_material();
  cdn_shape_def d = cdn_default_shape_def();
  m.static_friction = m.dynamic_friction = s->mu, m.restitution = s->e;
  d.name = name, d.body = body, d.geometry = geometry, d.material = &m, d.X_BS = X;
  const cdn_shape shape = cdn_system_add_shape(s->system, &d);
  cdn_surface_release((cdn_surface *)geometry.surface);
  return shape;
}

cdn_body add_free(const shape_scene *s, const char *name, double m, double x, double y, double z) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { x, y, z, 0, 0, 0 } };
  return cdn_system_add_body(s->system, &d);
}

cdn_state *free_state(const shape_scene *s, const double *q, const double *u) { return hybrid_state(s->system, q, u); }

cdn_stepper *plain_run(cdn_state *state, double accuracy, double t) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.companion = true;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, t, NULL));
  return run;
}

cdn_geometry block_of(cdn_geometry_kind kind, double x, double y, double z) {
  static const int32_t triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
  double corners[24];
  cdn_surface *surface = NULL;
  for (int i = 0; i < 24; i++) corners[i] = (const double[]){ x, y, z }[i % 3] * (i / 3 >> i % 3 & 1 ? 1 : -1);
  if (kind == CDN_GEOMETRY_CONVEX) OK(cdn_surface_create_convex(8, corners, &surface));
  if (kind == CDN_GEOMETRY_MESH) OK(cdn_surface_create_mesh(8, corners, 12, triangles, &surface));
  return surface ? (cdn_geometry){ .kind = kind, .surface = surface } : box(x, y, z);
}

double scene_energy(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}
