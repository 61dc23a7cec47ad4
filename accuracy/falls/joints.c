/* Families in which joints lead the way: arms, rotors, pendulums, trees. */
#include "families.h"
#include "meeting.h"

typedef struct rig {
  dice *dice;
  scene *out;
  cdn_system *system;
  bool soft;
  cdn_contact_material hard;
  cdn_soft_material softer;
} rig;

static void rig_begin(rig *r, dice *d, scene *out, double density, double speed, double size, double give) {
  *r = (rig){ .dice = d, .out = out, .system = cdn_system_create(NULL), .soft = dice_chance(d, 0.3) };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = r->soft ? CDN_CONTACT_SOFT : CDN_CONTACT_COMPLIANT;
  cdn_system_set_contact(r->system, &contact);
  meeting_materials(d, density, speed, size, give, &r->hard, &r->softer);
  out->finest = 0.2 * give / speed;
  out->fixed_step = r->soft ? fmin(0.25 * r->softer.law.ref[0], 0.1 * give / speed) : 0.02 * give / speed;
}

static void rig_shape(rig *r, cdn_body body, const cdn_geometry *g, cdn_transform X) {
  cdn_shape_def def = cdn_default_shape_def();
  def.body = body, def.geometry = *g, def.X_BS = X, def.material = &r->hard, def.soft = &r->softer;
  cdn_system_add_shape(r->system, &def);
}

static void rig_ball(rig *r, cdn_body body, double radius, cdn_vec3 at) {
  const cdn_geometry g = { .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  rig_shape(r, body, &g, (cdn_transform){ cdn_rotation_identity(), at });
}

static void rig_end(rig *r, cdn_geometry_kind a, cdn_geometry_kind b) {
  r->out->law = law_between(a, b, r->soft);
  r->out->start = state_of(r->system);
}

/* ---- arms ---- */

/* A peg across the way of a tip of radius `tip`, at radius 1 times `reach`: what it is, and how thick along the way. */
static cdn_geometry a_peg(dice *d, double tip, double *thick) {
  const double t = tip * dice_log(d, 0.2, 3);
  *thick = t;
  switch (dice_below(d, 4)) {
    case 0: return (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 3 * tip, t, 5 * tip } };
    case 1: return (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { t, 5 * tip } };
    case 2: return (cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { t, 5 * tip } };
    default: return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { t } };
  }
}

static cdn_body add_member(rig *r, cdn_body parent, cdn_mobilizer kind, double length, double mass, double speed) {
  static double u0[6];
  cdn_body_def def = cdn_default_body_def();
  memset(u0, 0, sizeof u0);
  def.mobilizer = kind, def.parent = parent, def.u0 = u0;
  if (parent.i) def.X_PF.p = cdn_v3(length, 0, 0);
  const double i = mass * length * length / 12;
  /* the axis is one about which a turning member stays in its plane */
  def.mass = kind == CDN_FREE ? solid(mass, cdn_v3(0, 0, 0), i, i, 1.5 * i)
                              : solid(mass, cdn_v3(length / 2, 0, 0), 0.01 * i, i, i);
  u0[kind == CDN_PIN ? 0 : 2] = speed;
  return cdn_system_add_body(r->system, &def);
}

bool family_arm(dice *d, scene *out) {
  static const cdn_mobilizer kinds[] = { CDN_PIN, CDN_PIN, CDN_BALL, CDN_FREE };
  rig r;
  const double reach = dice_log(d, 0.05, 3), tip = reach * dice_log(d, 0.01, 0.08), w = dice_log(d, 0.3, 60);
  double thick;
  const cdn_geometry peg = a_peg(d, tip, &thick), ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { tip } };
  const cdn_mobilizer kind = kinds[dice_below(d, 4)];
  const int members = kind == CDN_FREE ? 1 : 1 + dice_below(d, 3);
  const double mass = 1000 * reach * tip * tip, length = reach / members;
  rig_begin(&r, d, out, 30e3, w * reach, fmax(tip, thick), fmin(tip, thick));
  cdn_body last = cdn_ground();
  for (int i = 0; i < members; i++)
    last = add_member(&r, last, i ? (dice_chance(d, 0.8) ? CDN_PIN : CDN_BALL) : kind, length, mass, i ? 0 : w);
  const cdn_vec3 end = cdn_v3(length, 0, 0);
  rig_shape(&r, last, &ball, (cdn_transform){ cdn_rotation_identity(), end });
  const bool hangs = dice_chance(d, 0.3);
  cdn_transform X = { cdn_rotation_identity(), cdn_v3(-reach, 0, 0) };
  if (hangs) {
    static double q0[3];
    cdn_body_def def = cdn_default_body_def();
    q0[0] = -reach;
    def.name = "peg", def.mobilizer = CDN_TRANSLATION, def.mass = point_mass(0.2 * mass, cdn_v3(0, 0, 0)), def.q0 = q0;
    rig_shape(&r, cdn_system_add_body(r.system, &def), &peg, cdn_transform_identity());
  } else {
    rig_shape(&r, cdn_ground(), &peg, X);
    out->guard = (guard){ .present = true, .polar = true, .of = last, .centre = end, .X = cdn_transform_identity() };
    out->guard.behind = 0.5 * thick / reach, out->guard.radius = reach;
    out->guard.half[0] = 0.5 * tip, out->guard.half[1] = 0.5 * tip;
  }
  out->end = dice_uniform(d, 1.1, 1.45) * PI / w;
  out->chaotic = members > 1 || kind != CDN_PIN;
  rig_end(&r, ball.kind, peg.kind);
  snprintf(out->what, sizeof out->what, "arm of %d members (%s), reach %.3g, tip %.3g, %g rad/s, %s %s %.3g thick, %s",
           members,
           kind == CDN_PIN    ? "pin"
           : kind == CDN_BALL ? "ball"
                              : "free",
           reach, tip, w, hangs ? "hanging" : "fixed", cdn_geometry_kind_name(peg.kind), 2 * thick,
           scene_law_names[out->law]);
  return true;
}

/* ---- rotor ---- */

bool family_rotor(dice *d, scene *out) {
  rig r;
  static double q0[4], u0[4];
  const double w = dice_log(d, 3, 60), radius = dice_uniform(d, 0.01, 0.03), drop = dice_log(d, 0.1, 1.5);
  const double blade = dice_uniform(d, 0.005, 0.02);
  rig_begin(&r, d, out, 1000, 0.3 * w + sqrt(20 * drop), radius, fmin(blade, radius));
  cdn_body_def def = cdn_default_body_def();
  q0[0] = dice_uniform(d, 0, 2 * PI), u0[0] = w;
  def.name = "rotor", def.mobilizer = CDN_PIN, def.mass = solid(2, cdn_v3(0, 0, 0), 0.1, 0.1, 0.2);
  def.q0 = q0, def.u0 = u0;
  const cdn_body rotor = cdn_system_add_body(r.system, &def);
  for (int k = 0; k < 3; k++) {
    const double a = 2 * PI * k / 3;
    const cdn_vec3 along = cdn_v3(cos(a), sin(a), 0);
    const cdn_geometry g = { .kind = CDN_GEOMETRY_CAPSULE, .size = { blade, 0.2 } };
    rig_shape(&r, rotor, &g, (cdn_transform){ cdn_rotation_z_to(along), cdn_scale(0.25, along) });
  }
  static double p0[3];
  p0[0] = 0.3, p0[1] = 0, p0[2] = drop;
  def = cdn_default_body_def();
  def.name = "ball", def.mobilizer = CDN_TRANSLATION, def.q0 = p0;
  def.mass = point_mass(4000 * radius * radius * radius, cdn_v3(0, 0, 0));
  rig_ball(&r, cdn_system_add_body(r.system, &def), radius, cdn_v3(0, 0, 0));
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, 0, -9.81));
  out->end = 1.6 * sqrt(2 * drop / 9.81);
  out->chaotic = true;
  rig_end(&r, CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_SPHERE);
  snprintf(out->what, sizeof out->what, "rotor of 3 blades %.3g thick at %.3g rad/s, ball of %.3g from %.3g m, %s",
           2 * blade, w, radius, drop, scene_law_names[out->law]);
  return true;
}

/* ---- pendulum ---- */

bool family_swing(dice *d, scene *out) {
  rig r;
  const double length = dice_log(d, 0.1, 5), radius = length * dice_log(d, 0.01, 0.1), speed = sqrt(2 * 9.81 * length);
  const double t = radius * dice_log(d, 0.1, 2);
  rig_begin(&r, d, out, 2000, speed, radius, fmin(radius, t));
  static double q0[4];
  cdn_body_def def = cdn_default_body_def();
  def.name = "bob", def.mobilizer = dice_chance(d, 0.7) ? CDN_PIN : CDN_BALL;
  /* about -y: from -x down to -z */
  def.X_PF.R = cdn_rotation_z_to(cdn_v3(0, -1, 0)), def.X_BM.R = def.X_PF.R;
  memset(q0, 0, sizeof q0);
  if (def.mobilizer == CDN_BALL) q0[0] = 1;
  def.q0 = q0;
  const cdn_vec3 at = cdn_v3(-length, 0, 0);
  const double m = 8000 * radius * radius * radius, i = 0.4 * m * radius * radius;
  def.mass = solid(m, at, i, i, i);
  const cdn_body bob = cdn_system_add_body(r.system, &def);
  rig_ball(&r, bob, radius, at);
  const cdn_geometry wall = { .kind = CDN_GEOMETRY_BOX, .size = { t, 0.5 * length, 0.5 * length } };
  rig_shape(&r, cdn_ground(), &wall, (cdn_transform){ cdn_rotation_identity(), cdn_v3(0, 0, -length) });
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, 0, -9.81));
  out->guard = (guard){ .present = true, .of = bob, .centre = at, .behind = 0.5 * t };
  out->guard.X = (cdn_transform){ cdn_rotation_z_to(cdn_v3(-1, 0, 0)), cdn_v3(0, 0, -length) };
  out->guard.half[0] = out->guard.half[1] = 0.4 * length;
  out->end = 1.4 * 1.1803 * sqrt(length / 9.81) * sqrt(2.);
  rig_end(&r, CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_BOX);
  snprintf(out->what, sizeof out->what, "pendulum of %.3g (%s), ball of %.3g, wall %.3g thick, %s", length,
           def.mobilizer == CDN_PIN ? "pin" : "ball", radius, 2 * t, scene_law_names[out->law]);
  return true;
}

/* ---- tree ---- */

bool family_tree(dice *d, scene *out) {
  static const cdn_mobilizer kinds[] = { CDN_PIN, CDN_BALL, CDN_UNIVERSAL, CDN_PIN, CDN_SLIDER, CDN_FREE };
  rig r;
  const double size = dice_log(d, 0.02, 0.5), height = dice_log(d, 0.3, 10), speed = sqrt(2 * 9.81 * height);
  static double q0[7], u0[6];
  cdn_body body[6];
  rig_begin(&r, d, out, 1000, speed, size, 0.3 * size);
  for (int i = 0; i < 6; i++) {
    solid_shape s;
    cdn_body_def def = cdn_default_body_def();
    const cdn_geometry_kind kind = dice_chance(d, 0.5)   ? CDN_GEOMETRY_CAPSULE
                                   : dice_chance(d, 0.5) ? CDN_GEOMETRY_SPHERE
                                                         : CDN_GEOMETRY_ELLIPSOID;
    if (!solid_shape_make(d, (int)kind, size, &s)) return false;
    memset(q0, 0, sizeof q0), memset(u0, 0, sizeof u0);
    def.mass = solid_shape_mass(&s, 1000);
    if (i == 0) {
      def.mobilizer = CDN_FREE, q0[0] = 1, q0[6] = height + 8 * size, def.q0 = q0, def.u0 = u0;
      for (int k = 0; k < 3; k++) u0[k] = dice_uniform(d, -3, 3);
    } else {
      def.parent = body[dice_below(d, i)], def.mobilizer = kinds[dice_below(d, 5)];
      def.X_PF = (cdn_transform){ dice_rotation(d), cdn_scale(size, dice_direction(d)) };
      def.X_BM = (cdn_transform){ dice_rotation(d), cdn_scale(size, dice_direction(d)) };
    }
    body[i] = cdn_system_add_body(r.system, &def);
    rig_shape(&r, body[i], &s.geometry, cdn_transform_identity());
    for (int k = 0; k < i; k++) cdn_system_exclude_contact(r.system, body[i], body[k]);
  }
  const cdn_geometry floor = { .kind = CDN_GEOMETRY_HALF_SPACE };
  rig_shape(&r, cdn_ground(), &floor, cdn_transform_identity());
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, 0, -9.81));
  const int who = dice_below(d, 6);
  out->guard = (guard){ .present = true, .of = body[who], .X = cdn_transform_identity(), .behind = 0.2 * size };
  out->guard.half[0] = out->guard.half[1] = INFINITY;
  out->end = 1.3 * sqrt(2 * (height + 8 * size) / 9.81);
  out->chaotic = true;
  rig_end(&r, CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_HALF_SPACE);
  snprintf(out->what, sizeof out->what, "tree of 6 bodies of %.3g from %.3g m, body %d, %s", size, height, who + 1,
           scene_law_names[out->law]);
  return true;
}
