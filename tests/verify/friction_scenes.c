/* shared by tests in this folder */
#include "friction_scenes.h"

cdn_contact_material friction_material(double modulus, double mu) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = modulus, m.dissipation = 0, m.static_friction = m.dynamic_friction = mu;
  return m;
}

static friction_scene on_plane(cdn_mobilizer kind, double R, double mass, const cdn_contact_material *m, double tilt,
                               const cdn_contact_def *contact, double amplitude, double rate) {
  const double g = GRAVITY, push = mass * g * cos(tilt);
  friction_scene s = { .system = cdn_system_create(NULL) };
  s.depth = pow(push / (4.0 / 3 * m->modulus * sqrt(R)), 2.0 / 3);
  const double free[7] = { 1, 0, 0, 0, 0, 0, R - s.depth }, still[3] = { 0, 0, R - s.depth };
  cdn_body_def body = cdn_default_body_def();
  body.name = "body", body.mobilizer = kind, body.q0 = kind == CDN_FREE ? free : still;
  const double I = 0.4 * mass * R * R;
  body.mass.mass = mass, body.mass.inertia = (cdn_inertia){ I, I, I, 0, 0, 0 };
  s.body = cdn_system_add_body(s.system, &body);
  cdn_system_add_gravity(s.system, "gravity", cdn_v3(g * sin(tilt), 0, -g * cos(tilt)));
  cdn_contact_material rigid = *m;
  rigid.modulus = 1e30, rigid.torsional_friction = rigid.rolling_friction = 0;
  cdn_shape_def shape = cdn_default_shape_def();
  if (amplitude > 0) {
    cdn_body_def moving = cdn_default_body_def();
    moving.name = "shaker", moving.mobilizer = CDN_TRANSLATION;
    moving.mass.mass = 1, moving.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    cdn_motion_def motion = cdn_default_motion_def();
    motion.body = shape.body = cdn_system_add_body(s.system, &moving);
    motion.params[0] = amplitude, motion.params[1] = rate;
    cdn_system_add_motion(s.system, &motion);
  }
  shape.name = "plane", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.material = &rigid;
  s.plane = cdn_system_add_shape(s.system, &shape);
  shape.name = "surface", shape.body = s.body, shape.material = m;
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } };
  s.shape = cdn_system_add_shape(s.system, &shape);
  cdn_system_set_contact(s.system, contact);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

friction_scene ball_on_plane(double R, double mass, const cdn_contact_material *m, double tilt,
                             const cdn_contact_def *def) {
  return on_plane(CDN_FREE, R, mass, m, tilt, def, 0, 0);
}

friction_scene block_on_plane(const cdn_contact_material *m, double tilt, const cdn_contact_def *def) {
  return on_plane(CDN_TRANSLATION, 0.1, 1, m, tilt, def, 0, 0);
}

friction_scene block_on_shaken_plane(const cdn_contact_material *m, double tilt, const cdn_contact_def *def,
                                     double amplitude, double rate) {
  return on_plane(CDN_TRANSLATION, 0.1, 1, m, tilt, def, amplitude, rate);
}

void free_friction_scene(friction_scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}
