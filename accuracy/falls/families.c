/* Families in which one solid meets one obstacle: falls, throws, shots. */
#include "families.h"

#include "meeting.h"

/* ---- obstacles: the top is at z = 0 of the world's frame, and guards look down from there ---- */

static void guard_here(meeting *m, double z, double behind, double half) {
  guard *g = &m->out->guard;
  *g = (guard){ .present = true, .of = m->body, .behind = behind, .half = { half, half } };
  g->X = (cdn_transform){ m->world, cdn_rotate(m->world, cdn_v3(0, 0, z)) };
}

static cdn_transform at_z(const meeting *m, double z) {
  return (cdn_transform){ m->world, cdn_rotate(m->world, cdn_v3(0, 0, z)) };
}

static bool obstacle_half_space(meeting *m) {
  m->obstacle.kind = CDN_GEOMETRY_HALF_SPACE, m->obstacle_at = at_z(m, 0), m->give = m->solid.inner;
  guard_here(m, 0, 0.2 * m->solid.outer, INFINITY);
  snprintf(m->obstacle_name, sizeof m->obstacle_name, "half-space");
  return true;
}

/* A floor, a table, a wall or a plate: `most` is the largest half thickness over the solid's size. */
static bool obstacle_slab(meeting *m, double least, double most, double wide) {
  const int kind = dice_below(m->dice, 8);
  const double t = m->solid.inner * dice_log(m->dice, least, most);
  const double half[3] = { wide, wide * dice_uniform(m->dice, 1, 2), t };
  m->obstacle.kind = kind == 6 ? CDN_GEOMETRY_CONVEX : kind == 7 ? CDN_GEOMETRY_CYLINDER : CDN_GEOMETRY_BOX;
  memcpy(m->obstacle.size, half, sizeof half);
  if (kind == 7) m->obstacle.size[1] = t;
  if (kind == 6) {
    double p[24];
    cdn_surface *surface = NULL;
    for (int i = 0; i < 24; i++) p[i] = ((i / 3) >> (i % 3)) % 2 ? half[i % 3] : -half[i % 3];
    if (cdn_surface_create_convex(8, p, &surface)) return false;
    m->obstacle.surface = surface;
  }
  m->obstacle_at = at_z(m, -t), m->middle = -t, m->give = fmin(m->solid.inner, t);
  guard_here(m, -t, 0.5 * t, 0.65 * wide);
  snprintf(m->obstacle_name, sizeof m->obstacle_name, "%s slab %.3g thick, %.3g wide",
           cdn_geometry_kind_name(m->obstacle.kind), 2 * t, 2 * wide);
  return true;
}

/* A slab of triangles that are small beside the solid. */
static bool obstacle_mesh(meeting *m) {
  const double t = m->solid.inner * dice_uniform(m->dice, 0.6, 1.5), edge = 0.5 * m->solid.inner;
  const double half[3] = { fmin(7 * edge, 3 * m->solid.outer), fmin(7 * edge, 3 * m->solid.outer), t };
  m->obstacle.kind = CDN_GEOMETRY_MESH, m->obstacle.surface = box_mesh(half, edge);
  m->obstacle_at = at_z(m, -t), m->give = 0.5 * fmin(m->solid.inner, t);
  guard_here(m, -t, 0.5 * t, 0.5 * half[0]);
  snprintf(m->obstacle_name, sizeof m->obstacle_name, "mesh slab %.3g thick", 2 * t);
  return m->obstacle.surface != NULL;
}

static bool obstacle_field(meeting *m) {
  double heights[144];
  cdn_surface *surface = NULL;
  const double size = m->solid.outer * dice_uniform(m->dice, 6, 30),
               rough = m->solid.outer * dice_uniform(m->dice, 0, 1);
  for (int i = 0; i < 144; i++) heights[i] = -rough * dice_uniform(m->dice, 0, 1);
  if (cdn_surface_create_height_field(12, 12, heights, size, size, &surface)) return false;
  m->obstacle.kind = CDN_GEOMETRY_HEIGHT_FIELD, m->obstacle.surface = surface;
  m->obstacle_at = at_z(m, 0), m->give = m->solid.inner;
  guard_here(m, 0, rough + 0.3 * m->solid.outer, 0.5 * size);
  snprintf(m->obstacle_name, sizeof m->obstacle_name, "height field %.3g wide, %.3g rough", 2 * size, rough);
  return true;
}

/* Another solid, whose top is near z = 0. */
static bool obstacle_solid(meeting *m) {
  static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_ELLIPSOID,
                                             CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_CONVEX };
  solid_shape other;
  const double size = m->solid.outer * dice_log(m->dice, 0.7, 20);
  if (!solid_shape_make(m->dice, (int)kinds[dice_below(m->dice, 5)], size, &other)) return false;
  const double top = other.half[2];
  m->obstacle = other.geometry, m->obstacle_at = at_z(m, -top), m->middle = -top;
  m->give = fmin(m->solid.inner, other.inner);
  m->width = 0.4 * other.inner, guard_here(m, -top, 0, m->width);
  snprintf(m->obstacle_name, sizeof m->obstacle_name, "%s of %.3g", cdn_geometry_kind_name(m->obstacle.kind), size);
  return true;
}

/* ---- families ---- */

bool family_fall(dice *d, scene *out) {
  meeting m;
  const double height = dice_log(d, 0.1, 30);
  if (!meeting_begin(&m, d, out, dice_chance(d, 0.1) ? dice_log(d, 1, 10) : dice_log(d, 1e-3, 1))) return false;
  const double side = dice_chance(d, 0.3) ? dice_log(d, 0.01, 5) : 0;
  m.gravity = 9.81, m.height = height, m.velocity = cdn_v3(side, 0, 0);
  const double speed = sqrt(2 * m.gravity * height), time = speed / m.gravity;
  const double wide = 1.5 * (side * 1.5 * time + m.solid.outer) * dice_log(d, 2, 10);
  const int what = dice_below(d, 20);
  bool made;
  if (what < 6) made = obstacle_half_space(&m);
  else if (what < 9) made = obstacle_slab(&m, 1, 20, wide);
  else if (what < 13) made = obstacle_slab(&m, 0.05, 1, wide);
  else if (what < 17) made = (m.velocity = cdn_v3(0, 0, 0), obstacle_solid(&m));
  else if (what < 18) made = (m.velocity = cdn_v3(0, 0, 0), obstacle_mesh(&m));
  else made = (m.velocity = cdn_v3(0, 0, 0), obstacle_field(&m));
  out->end = 1.5 * time;
  return meeting_end(&m, made, hypot(speed, side));
}

bool family_thrown(dice *d, scene *out) {
  meeting m;
  if (!meeting_begin(&m, d, out, dice_log(d, 2e-3, 0.5))) return false;
  const double away = dice_log(d, 0.3, 20), speed = dice_log(d, 2, 40), time = away / speed;
  m.gravity = 9.81, m.down = cdn_v3(-1, 0, 0), m.height = away;
  m.velocity = cdn_v3(dice_uniform(d, 0, 5), 0, -speed);
  const double wide = 2.5 * (m.velocity.x * 1.5 * time + 11 * time * time + 2 * m.solid.outer);
  out->end = 1.5 * time;
  return meeting_end(&m, obstacle_slab(&m, 0.05, 2, wide), cdn_norm(m.velocity));
}

bool family_bullet(dice *d, scene *out) {
  meeting m;
  if (!meeting_begin(&m, d, out, dice_log(d, 1e-3, 0.2))) return false;
  const double away = dice_log(d, 0.1, 20), speed = dice_log(d, 0.5, 150);
  m.height = away, m.velocity = cdn_v3(0, 0, -speed);
  out->end = away / speed * dice_uniform(d, 1.2, 2.5);
  return meeting_end(
      &m, dice_chance(d, 0.8) ? obstacle_slab(&m, 0.05, 1, m.solid.outer * dice_log(d, 4, 50)) : obstacle_solid(&m),
      speed);
}

bool family_moving(dice *d, scene *out) {
  meeting m;
  if (!meeting_begin(&m, d, out, dice_log(d, 2e-3, 0.3))) return false;
  const double away = dice_log(d, 0.1, 10), speed = dice_log(d, 1, 50);
  m.carrier = 1 + dice_below(d, 3), m.height = away;
  m.carrier_speed = speed, m.velocity = cdn_v3(0, 0, dice_chance(d, 0.5) ? 0 : -dice_log(d, 0.1, 1) * speed);
  const double relative = speed - m.velocity.z;
  /* a sinusoid goes forth by its amplitude only, and is fastest in the middle of its way */
  if (m.carrier == CARRIER_SINUSOID) m.carrier_amplitude = 2 * away;
  out->end = (m.carrier == CARRIER_SINUSOID ? 1.3 : 1.5) * away / relative;
  return meeting_end(&m, obstacle_slab(&m, 0.1, 2, m.solid.outer * dice_log(d, 4, 20)), relative);
}

/* The solid begins below the top: in a floor, by up to fifty times its size, or in a solid. The
 * nearest way out leads up or aside. */
bool family_deep(dice *d, scene *out) {
  meeting m;
  if (!meeting_begin(&m, d, out, dice_log(d, 0.02, 0.5))) return false;
  m.gravity = 9.81, out->deep = true;
  const int what = dice_below(d, 3);
  const double wide = m.solid.outer * dice_log(d, 3, 20);
  bool made;
  double half = INFINITY;
  if (what == 0) made = obstacle_half_space(&m), m.height = -m.solid.outer * dice_log(d, 2, 50);
  else if (what == 1) made = obstacle_slab(&m, 3, 20, wide), m.height = 0.6 * m.middle - m.solid.outer;
  else {
    made = obstacle_solid(&m), half = m.width;
    m.height = m.middle * dice_uniform(d, 0.3, 0.7) - m.solid.outer;
  }
  out->end = dice_uniform(d, 0.3, 1);
  /* behind: fallen half as far as without anything in the way */
  const double fallen = 0.25 * m.gravity * out->end * out->end;
  guard_here(&m, m.height + m.solid.outer, fallen, half);
  return meeting_end(&m, made, sqrt(2 * m.gravity * m.solid.outer));
}
