/* One solid that meets one obstacle. */
#include "meeting.h"

bool meeting_begin(meeting *m, dice *d, scene *out, double size) {
  *m = (meeting){ .dice = d, .out = out, .world = cdn_rotation_identity(), .down = { 0, 0, -1 }, .body = { 1 } };
  if (dice_chance(d, 0.4)) m->world = dice_rotation(d);
  return solid_shape_make(d, -1, size, &m->solid);
}

/* Energy by volume over the modulus is the share of the volume that gives way. */
void meeting_materials(dice *d, double density, double speed, double size, double give, cdn_contact_material *hard,
                       cdn_soft_material *soft) {
  *hard = cdn_default_contact_material(), *soft = cdn_default_soft_material();
  const double energy = 0.5 * density * speed * speed, thin = fmax(1, size / give);
  hard->modulus = energy * dice_log(d, 3e3, 1e6) * pow(thin, 3);
  hard->dissipation = dice_chance(d, 0.5) ? 0 : dice_log(d, 1e-3, 0.3) / fmax(1, 0.2 * speed);
  hard->static_friction = hard->dynamic_friction = dice_chance(d, 0.3) ? 0 : dice_uniform(d, 0.1, 1);
  soft->law.ref[0] = fmin(0.02, 0.2 * give / speed);
  soft->condim = dice_chance(d, 0.3) ? 1 : 3;
  soft->friction[0] = dice_uniform(d, 0.2, 1);
}

static cdn_body add_solid(meeting *m, cdn_system *system, double density) {
  static double q0[7], u0[6];
  const int kind = dice_below(m->dice, 10);
  const double z = m->height + m->solid.outer;
  const cdn_rotation R = dice_rotation(m->dice);
  cdn_body_def def = cdn_default_body_def();
  def.name = "solid", def.mass = solid_shape_mass(&m->solid, density);
  def.X_PF.R = m->world, def.q0 = q0, def.u0 = u0;
  memset(q0, 0, sizeof q0), memset(u0, 0, sizeof u0);
  const bool along = m->velocity.x == 0 && m->down.z != 0;
  if (kind < 2 && along) {
    def.mobilizer = CDN_SLIDER;
    def.X_PF.R = cdn_rotation_multiply(m->world, cdn_rotation_x_to(cdn_v3(0, 0, 1))), def.X_BM.R = R;
    q0[0] = z, u0[0] = m->velocity.z;
    return cdn_system_add_body(system, &def);
  }
  if (kind < 4) {
    def.mobilizer = CDN_TRANSLATION, def.X_BM.R = R;
    q0[2] = z, u0[0] = m->velocity.x, u0[2] = m->velocity.z;
    return cdn_system_add_body(system, &def);
  }
  def.mobilizer = CDN_FREE;
  const cdn_quaternion r = cdn_quaternion_from_rotation(R);
  q0[0] = r.w, q0[1] = r.x, q0[2] = r.y, q0[3] = r.z, q0[6] = z;
  u0[3] = m->velocity.x, u0[5] = m->velocity.z;
  if (dice_chance(m->dice, 0.4)) {
    const cdn_vec3 w = cdn_scale(dice_log(m->dice, 0.3, 50), dice_direction(m->dice));
    u0[0] = w.x, u0[1] = w.y, u0[2] = w.z;
  }
  m->out->chaotic = m->solid.geometry.kind != CDN_GEOMETRY_SPHERE;
  return cdn_system_add_body(system, &def);
}

static cdn_body add_carrier(const meeting *m, cdn_system *system, double mass) {
  static double u0[3];
  if (m->carrier == CARRIER_NONE) return cdn_ground();
  cdn_body_def def = cdn_default_body_def();
  def.name = "plate", def.mobilizer = m->carrier == CARRIER_FREE ? CDN_TRANSLATION : CDN_SLIDER;
  def.mass = solid(mass, cdn_v3(0, 0, 0), mass, mass, mass);
  def.X_PF.R = m->world, def.X_BM.R = m->world;
  u0[0] = u0[1] = 0, u0[2] = m->carrier_speed, def.u0 = u0;
  if (m->carrier != CARRIER_FREE) {
    def.X_PF.R = cdn_rotation_multiply(m->world, cdn_rotation_x_to(cdn_v3(0, 0, 1))), def.X_BM.R = def.X_PF.R;
    u0[0] = m->carrier_speed;
  }
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "drive", motion.body = body;
  if (m->carrier == CARRIER_STEADY) {
    motion.kind = CDN_MOTION_STEADY, motion.level = CDN_LEVEL_VELOCITY, motion.params[0] = m->carrier_speed;
    cdn_system_add_motion(system, &motion);
  } else if (m->carrier == CARRIER_SINUSOID) {
    motion.params[0] = m->carrier_amplitude, motion.params[1] = m->carrier_speed / m->carrier_amplitude;
    cdn_system_add_motion(system, &motion);
  }
  return body;
}

bool meeting_end(meeting *m, bool made, double speed) {
  scene *out = m->out;
  const bool soft = dice_chance(m->dice, 0.3);
  out->law = made ? law_between(m->solid.geometry.kind, m->obstacle.kind, soft) : LAW_NONE;
  if (out->law == LAW_SPRINGS && m->solid.geometry.kind != CDN_GEOMETRY_MESH && m->obstacle.kind != CDN_GEOMETRY_MESH)
    out->law = LAW_NONE;
  if (out->law == LAW_NONE ||
      (!soft && m->obstacle.kind == CDN_GEOMETRY_HEIGHT_FIELD && m->solid.geometry.kind == CDN_GEOMETRY_HALF_SPACE)) {
    solid_shape_clear(&m->solid), cdn_surface_release(m->obstacle.surface);
    return false;
  }
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = soft ? CDN_CONTACT_SOFT : CDN_CONTACT_COMPLIANT;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material hard;
  cdn_soft_material softer;
  const double density = dice_log(m->dice, 200, 8000);
  meeting_materials(m->dice, density, speed, m->solid.outer, m->give, &hard, &softer);
  m->body = add_solid(m, system, density);
  const double mass = solid_shape_mass(&m->solid, density).mass;
  const cdn_body carrier = add_carrier(m, system, mass * 5);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "obstacle", shape.body = carrier, shape.geometry = m->obstacle, shape.X_BS = m->obstacle_at;
  shape.material = &hard, shape.soft = &softer;
  cdn_system_add_shape(system, &shape);
  shape = cdn_default_shape_def();
  shape.name = "solid", shape.body = m->body, shape.geometry = m->solid.geometry;
  shape.material = &hard, shape.soft = &softer;
  cdn_system_add_shape(system, &shape);
  if (m->gravity > 0) cdn_system_add_gravity(system, "gravity", cdn_rotate(m->world, cdn_scale(m->gravity, m->down)));
  solid_shape_clear(&m->solid), cdn_surface_release(m->obstacle.surface);
  out->guard.of = m->body, out->guard.body = carrier;
  out->start = state_of(system);
  out->finest = 0.2 * m->give / speed;
  out->fixed_step = soft ? fmin(0.25 * softer.law.ref[0], 0.1 * m->give / speed) : 0.02 * m->give / speed;
  snprintf(out->what, sizeof out->what, "%s of %.3g (inner %.3g) on %s%s, %s, %.3g m away at %.3g m/s",
           cdn_geometry_kind_name(m->solid.geometry.kind), m->solid.outer, m->solid.inner, m->obstacle_name,
           m->carrier == CARRIER_FREE       ? " that flies"
           : m->carrier == CARRIER_STEADY   ? " that is driven"
           : m->carrier == CARRIER_SINUSOID ? " that swings"
                                            : "",
           scene_law_names[out->law], m->height, speed);
  return true;
}
