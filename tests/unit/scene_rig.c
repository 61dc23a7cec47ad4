/* shared by tests in this folder */
#include "scene_rig.h"

static const cdn_vec3 zero = { 0, 0, 0 };

void near3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

cdn_mass_properties mass_at(double m, cdn_vec3 com) {
  return (cdn_mass_properties){ m, com, { 0.4 * m, 0.4 * m, 0.4 * m, 0, 0, 0 } };
}

cdn_transform at_place(double x, double y, double z) { return (cdn_transform){ cdn_rotation_identity(), { x, y, z } }; }

/* ---- a rig: an arm that turns about z, a ball that is free, a floor ---- */

static cdn_status decorate(const void *self, cdn_state *state, cdn_decorations *d) {
  (void)self;
  (void)state;
  const float red[4] = { 1, 0, 0, 1 };
  FAILS(cdn_decorate_point(d, cdn_v3(NAN, 0, 0), 1, NULL), CDN_ERR_NONFINITE);
  FAILS(cdn_decorate_text(d, zero, NULL, NULL), CDN_ERR_ARG);
  const cdn_mark unknown = { .kind = CDN_MARK_KIND_COUNT, .X_G = cdn_transform_identity() };
  FAILS(cdn_decorate(d, &unknown), CDN_ERR_ARG);
  OK(cdn_decorate_arrow(d, cdn_v3(1, 0, 0), cdn_v3(1, 3, 0), red));
  return cdn_decorate_text(d, cdn_v3(0, 0, 5), "here", NULL);
}

static cdn_status declare_nothing(void *self, cdn_declarer *d) {
  (void)self;
  (void)d;
  return CDN_OK;
}

rig *make_rig(bool with_decorations) {
  static rig r;
  memset(&r, 0, sizeof r);
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator_of(&r.memory);
  r.system = cdn_system_create(&def);
  cdn_body_def b = cdn_default_body_def();
  b.name = "arm", b.mobilizer = CDN_PIN, b.mass = mass_at(2, cdn_v3(0.5, 0, 0)), b.X_PF = at_place(0, 0, 3);
  r.arm = cdn_system_add_body(r.system, &b);
  b = cdn_default_body_def();
  b.name = "ball", b.mobilizer = CDN_FREE, b.mass = mass_at(1, zero);
  r.ball = cdn_system_add_body(r.system, &b);
  r.rod = cdn_system_constrain_rod(r.system, "rod", r.arm, cdn_v3(1, 0, 0), r.ball, cdn_v3(0, 0, 0.25), 2);
  cdn_system_add_two_point_spring(r.system, "spring", cdn_ground(), cdn_v3(0, 1, 0), r.ball, cdn_v3(0.1, 0, 0), 10, 0);
  cdn_shape_def floor = cdn_default_shape_def();
  floor.name = "floor", floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(r.system, &floor);
  cdn_shape_def s = cdn_default_shape_def();
  s.name = "skin", s.body = r.ball, s.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.5 } };
  cdn_system_add_shape(r.system, &s);
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "own", .declare = declare_nothing, .decorate = with_decorations ? decorate : NULL
  };
  cdn_system_add_subsystem(r.system, &ops, NULL);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_body_set_q(r.state, r.arm, 1, (double[]){ PI / 2 }));
  OK(cdn_body_set_q(r.state, r.ball, 7, (double[]){ 1, 0, 0, 0, 0, 0, 0.499 }));
  return &r;
}

void open_scene(rig *r, uint32_t layers) {
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = layers;
  OK_ON(r->state, cdn_scene_create(r->state, &def, &r->scene));
  OK_ON(r->state, cdn_scene_complete(r->scene, r->state));
  OK_ON(r->state, cdn_scene_update(r->scene, r->state));
}

void drop_rig(rig *r) {
  cdn_scene_destroy(r->scene);
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
  ck_assert_int_eq(r->memory.outstanding, 0);
  ck_assert_int_eq(r->memory.misuse, 0);
}

cdn_mark find_mark(const rig *r, int kind, int nth) {
  int n;
  const cdn_mark *marks = cdn_scene_marks(r->scene, &n);
  for (int i = 0; i < n; i++)
    if (marks[i].kind == kind && nth-- == 0) return marks[i];
  ck_abort_msg("there is no such mark of kind %d among %d", kind, n);
}

cdn_vec3 tip_of(cdn_mark m) { return cdn_add(m.X_G.p, cdn_scale(m.size[0], m.X_G.R.z)); }
