/* Scenes: visuals, marks of each layer, cameras, picking. All expected places are worked out by hand. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "../robust/counting_allocator.h"
#include "../testing.h"

#include <cardan/hybrid.h>

static const cdn_vec3 zero = { 0, 0, 0 };

static void near3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

static cdn_mass_properties mass_at(double m, cdn_vec3 com) {
  return (cdn_mass_properties){ m, com, { 0.4 * m, 0.4 * m, 0.4 * m, 0, 0, 0 } };
}

static cdn_transform at(double x, double y, double z) {
  return (cdn_transform){ cdn_rotation_identity(), { x, y, z } };
}

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

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_scene *scene;
  cdn_body arm, ball;
  cdn_constraint rod;
  counting_allocator memory;
} rig;

static rig *make(bool with_decorations) {
  static rig r;
  memset(&r, 0, sizeof r);
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator_of(&r.memory);
  r.system = cdn_system_create(&def);
  cdn_body_def b = cdn_default_body_def();
  b.name = "arm", b.mobilizer = CDN_PIN, b.mass = mass_at(2, cdn_v3(0.5, 0, 0)), b.X_PF = at(0, 0, 3);
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

static void open_scene(rig *r, uint32_t layers) {
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = layers;
  OK_ON(r->state, cdn_scene_create(r->state, &def, &r->scene));
  OK_ON(r->state, cdn_scene_complete(r->scene, r->state));
  OK_ON(r->state, cdn_scene_update(r->scene, r->state));
}

static void drop(rig *r) {
  cdn_scene_destroy(r->scene);
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
  ck_assert_int_eq(r->memory.outstanding, 0);
  ck_assert_int_eq(r->memory.misuse, 0);
}

/* The n-th mark of a kind; fails if there is none. */
static cdn_mark find_mark(const rig *r, int kind, int nth) {
  int n;
  const cdn_mark *marks = cdn_scene_marks(r->scene, &n);
  for (int i = 0; i < n; i++)
    if (marks[i].kind == kind && nth-- == 0) return marks[i];
  ck_abort_msg("there is no such mark of kind %d among %d", kind, n);
}

static cdn_vec3 tip(cdn_mark m) { return cdn_add(m.X_G.p, cdn_scale(m.size[0], m.X_G.R.z)); }

/* ---- visuals ---- */

START_TEST(every_body_has_a_look) {
  rig *r = make(false);
  open_scene(r, 0);
  int contact = 0, rods = 0;
  for (int i = 0; i < cdn_scene_visual_count(r->scene); i++) {
    cdn_visual v;
    OK(cdn_scene_visual(r->scene, i, &v));
    ck_assert(!v.collision);
    if (!v.skeleton) {
      contact++;
      ck_assert_str_eq(v.name, v.body.i == 0 ? "floor" : "skin");
    } else if (v.geometry.kind == CDN_GEOMETRY_CAPSULE) {
      /* from the joint to the anchor of the rod, and to the centre of mass */
      const double half = rods++ == 0 ? 0.5 : 0.25;
      ck_assert_int_eq(v.body.i, r->arm.i);
      NEAR(v.geometry.size[1], half, 1e-15);
      near3(v.X_BV.p, cdn_v3(half, 0, 0), 1e-15);
      near3(v.X_BV.R.z, cdn_v3(1, 0, 0), 1e-15);
    }
  }
  ck_assert_int_eq(contact, 2);
  ck_assert_int_eq(rods, 2);
  cdn_visual v;
  FAILS(cdn_scene_visual(r->scene, cdn_scene_visual_count(r->scene), &v), CDN_ERR_ARG);
  FAILS(cdn_scene_visual(r->scene, -1, &v), CDN_ERR_ARG);
  drop(r);
}
END_TEST

START_TEST(a_look_hides_shapes_of_contact) {
  rig *r = make(false);
  OK(cdn_scene_create(r->state, NULL, &r->scene));
  cdn_visual_def def = cdn_default_visual_def();
  def.body = r->ball, def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 1, 1, 1 } };
  def.rgba[0] = 7, def.rgba[1] = -1;
  int i;
  OK(cdn_scene_add_visual(r->scene, &def, &i));
  OK(cdn_scene_complete(r->scene, r->state));
  cdn_visual v;
  OK(cdn_scene_visual(r->scene, i, &v));
  ck_assert_str_eq(v.name, "visual2");
  NEAR(v.rgba[0], 1, 0);
  NEAR(v.rgba[1], 0, 0);
  OK(cdn_scene_visual(r->scene, 1, &v));
  ck_assert_str_eq(v.name, "skin");
  ck_assert(v.collision);
  drop(r);
}
END_TEST

START_TEST(a_point_mass_and_an_inertia_are_shown) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def b = cdn_default_body_def();
  b.name = "stone", b.mobilizer = CDN_FREE;
  /* a solid ellipsoid with half axes 1, 2, 3 and mass 5 */
  b.mass = (cdn_mass_properties){ 5, { 0, 0, 0 }, { 13, 10, 5, 0, 0, 0 } };
  cdn_system_add_body(system, &b);
  b.name = "frame", b.mass.mass = 0, b.mass.inertia = (cdn_inertia){ 0 }, b.allow_improper = true,
  b.mobilizer = CDN_WELD;
  cdn_system_add_body(system, &b);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_scene *scene;
  OK(cdn_state_create(system, &state));
  OK(cdn_scene_create(state, NULL, &scene));
  OK(cdn_scene_complete(scene, state));
  cdn_visual v;
  OK(cdn_scene_visual(scene, 0, &v));
  ck_assert_int_eq(v.geometry.kind, CDN_GEOMETRY_ELLIPSOID);
  /* principal moments ascend: the longest half axis is first */
  NEAR(v.geometry.size[0], 3, 1e-14);
  NEAR(v.geometry.size[1], 2, 1e-14);
  NEAR(v.geometry.size[2], 1, 1e-14);
  OK(cdn_scene_visual(scene, 1, &v));
  ck_assert_int_eq(v.geometry.kind, CDN_GEOMETRY_SPHERE);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- marks ---- */

START_TEST(joints_frames_and_points) {
  rig *r = make(false);
  open_scene(r, CDN_LAYER_JOINTS);
  OK(cdn_scene_add_range(r->scene, r->arm, 0, -1, 2));
  OK(cdn_scene_update(r->scene, r->state));
  const cdn_mark axis = find_mark(r, CDN_MARK_LINE, 0);
  near3(axis.X_G.R.z, cdn_v3(0, 0, 1), 1e-12);
  near3(cdn_scale(0.5, cdn_add(axis.X_G.p, tip(axis))), cdn_v3(0, 0, 3), 1e-12);
  ck_assert_int_eq(axis.body.i, r->arm.i);
  const cdn_mark arc = find_mark(r, CDN_MARK_ARC, 0);
  NEAR(arc.size[0], -1, 0);
  NEAR(arc.size[1], 2, 0);
  near3(arc.X_G.R.x, cdn_v3(1, 0, 0), 1e-12); /* where the angle is 0 */
  /* six speeds of the free body: three axes of turning, three of motion */
  int n, arrows = 0;
  const cdn_mark *marks = cdn_scene_marks(r->scene, &n);
  for (int i = 0; i < n; i++) arrows += marks[i].kind == CDN_MARK_ARROW;
  ck_assert_int_eq(arrows, 3);

  cdn_scene_set_layers(r->scene, CDN_LAYER_FRAMES | CDN_LAYER_POINTS | CDN_LAYER_LABELS | CDN_LAYER_MASSES);
  OK(cdn_scene_add_point(r->scene, "hand", r->arm, at(1, 0, 0)));
  OK(cdn_scene_update(r->scene, r->state));
  near3(find_mark(r, CDN_MARK_FRAME, 1).X_G.R.x, cdn_v3(0, 1, 0), 1e-15);
  near3(find_mark(r, CDN_MARK_FRAME, 3).X_G.p, cdn_v3(0, 1, 3), 1e-15);
  ck_assert_str_eq(find_mark(r, CDN_MARK_TEXT, 0).text, "hand");
  ck_assert_str_eq(find_mark(r, CDN_MARK_TEXT, 1).text, "arm");
  ck_assert_str_eq(find_mark(r, CDN_MARK_TEXT, 2).text, "ball");
  near3(find_mark(r, CDN_MARK_POINT, 0).X_G.p, cdn_v3(0, 0.5, 3), 1e-15);
  NEAR(find_mark(r, CDN_MARK_ELLIPSOID, 0).size[0], 1, 1e-14); /* 2/5 m of a ball of radius 1 */
  drop(r);
}
END_TEST

START_TEST(what_acts) {
  rig *r = make(false);
  open_scene(r, CDN_LAYER_CONTACTS);
  const cdn_mark point = find_mark(r, CDN_MARK_POINT, 0), arrow = find_mark(r, CDN_MARK_ARROW, 0);
  const cdn_mark disc = find_mark(r, CDN_MARK_DISC, 0);
  cdn_contact c;
  OK(cdn_contact_get(r->state, 0, &c));
  near3(point.X_G.p, c.point, 0);
  near3(arrow.X_G.R.z, cdn_v3(0, 0, 1), 1e-12);
  NEAR(disc.size[0], c.radius[0], 0);
  ck_assert_int_eq(arrow.body.i, r->ball.i);

  cdn_scene_set_layers(r->scene, CDN_LAYER_CONSTRAINTS);
  OK_ON(r->state, cdn_scene_update(r->scene, r->state));
  near3(find_mark(r, CDN_MARK_POINT, 0).X_G.p, cdn_v3(0, 1, 3), 1e-15);
  near3(find_mark(r, CDN_MARK_POINT, 1).X_G.p, cdn_v3(0, 0, 0.749), 1e-15);
  const cdn_mark rod = find_mark(r, CDN_MARK_LINE, 0);
  near3(rod.X_G.p, cdn_v3(0, 1, 3), 1e-15);
  near3(tip(rod), cdn_v3(0, 0, 0.749), 1e-14);
  /* a rod pulls both ends along its line, equally */
  const cdn_mark first = find_mark(r, CDN_MARK_ARROW, 0), second = find_mark(r, CDN_MARK_ARROW, 1);
  NEAR(first.size[0], second.size[0], 1e-12 * first.size[0]);
  near3(first.X_G.R.z, cdn_scale(-1, second.X_G.R.z), 1e-12);
  NEAR(fabs(cdn_dot(first.X_G.R.z, rod.X_G.R.z)), 1, 1e-12);
  OK(cdn_constraint_set_enabled(r->state, r->rod, false));
  OK_ON(r->state, cdn_scene_update(r->scene, r->state));
  int n;
  cdn_scene_marks(r->scene, &n);
  ck_assert_int_eq(n, 0);

  cdn_scene_set_layers(r->scene, CDN_LAYER_FORCES);
  OK(cdn_state_set_applied_body_force(r->state, r->ball, (cdn_spatial){ { 0, 2, 0 }, { -3, 0, 0 } }));
  OK_ON(r->state, cdn_scene_update(r->scene, r->state));
  near3(find_mark(r, CDN_MARK_LINE, 0).X_G.p, cdn_v3(0, 1, 0), 0);
  near3(tip(find_mark(r, CDN_MARK_LINE, 0)), cdn_v3(0.1, 0, 0.499), 1e-15);
  near3(find_mark(r, CDN_MARK_ARROW, 0).X_G.R.z, cdn_v3(-1, 0, 0), 1e-15);
  near3(find_mark(r, CDN_MARK_TURN, 0).X_G.R.z, cdn_v3(0, 1, 0), 1e-15);
  drop(r);
}
END_TEST

START_TEST(subsystems_decorate) {
  rig *r = make(true);
  open_scene(r, CDN_LAYER_OWN);
  const cdn_mark arrow = find_mark(r, CDN_MARK_ARROW, 0), text = find_mark(r, CDN_MARK_TEXT, 0);
  near3(tip(arrow), cdn_v3(1, 3, 0), 1e-15);
  ck_assert(arrow.rgba[0] == 1 && arrow.rgba[1] == 0 && arrow.layer == CDN_LAYER_OWN);
  ck_assert_str_eq(text.text, "here");
  int n;
  cdn_scene_marks(r->scene, &n);
  ck_assert_int_eq(n, 2);
  drop(r);
}
END_TEST

/* An arrow from the station to the target, while it holds a body. */
START_TEST(a_pull_is_shown) {
  rig r = { .system = cdn_system_create(NULL) };
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = mass_at(2, zero);
  const cdn_body body = cdn_system_add_body(r.system, &b);
  const cdn_force pull = cdn_system_add_perturbation(r.system, NULL);
  int n;
  OK(cdn_system_freeze(r.system));
  OK(cdn_state_create(r.system, &r.state));
  open_scene(&r, CDN_LAYER_OWN);
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 0);
  OK(cdn_perturbation_begin(r.state, pull, body, cdn_v3(0.1, 0, 0), cdn_v3(0.1, 2, 0)));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  near3(find_mark(&r, CDN_MARK_POINT, 0).X_G.p, cdn_v3(0.1, 0, 0), 1e-15);
  const cdn_mark arrow = find_mark(&r, CDN_MARK_ARROW, 0);
  near3(arrow.X_G.p, cdn_v3(0.1, 0, 0), 1e-15);
  near3(tip(arrow), cdn_v3(0.1, 2, 0), 1e-14);
  OK(cdn_perturbation_end(r.state, pull));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 0);
  drop(&r);
}
END_TEST

/* A ray as long as a measure says, from its origin on the arm; none where the measure is negative. */
START_TEST(rays_of_sensors) {
  rig r = { .system = cdn_system_create(NULL) };
  const double numbers[3] = { 7, 2.5, -1 };
  cdn_body_def b = cdn_default_body_def();
  int n;
  b.mobilizer = CDN_PIN, b.mass = mass_at(2, zero), b.X_PF = at(0, 0, 3);
  r.arm = cdn_system_add_body(r.system, &b);
  const cdn_measure seen = cdn_system_add_constant_measure(r.system, "seen", 3, numbers);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_body_set_q(r.state, r.arm, 1, (double[]){ PI / 2 }));
  open_scene(&r, CDN_LAYER_RAYS);
  const cdn_transform along_x = { cdn_rotation_z_to(cdn_v3(1, 0, 0)), { 0.5, 0, 0 } };
  OK(cdn_scene_add_ray(r.scene, r.arm, along_x, seen, 1));
  OK(cdn_scene_add_ray(r.scene, r.arm, along_x, seen, 2));
  FAILS(cdn_scene_add_ray(r.scene, r.arm, along_x, seen, 3), CDN_ERR_ARG);
  FAILS(cdn_scene_add_ray(r.scene, (cdn_body){ 9 }, along_x, seen, 0), CDN_ERR_ARG);
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  const cdn_mark ray = find_mark(&r, CDN_MARK_LINE, 0), end = find_mark(&r, CDN_MARK_POINT, 0);
  near3(ray.X_G.p, cdn_v3(0, 0.5, 3), 1e-15);
  near3(tip(ray), cdn_v3(0, 3, 3), 1e-15);
  near3(end.X_G.p, cdn_v3(0, 3, 3), 1e-15);
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 2);
  drop(&r);
}
END_TEST

/* A box of sides 0.2, 0.4, 0.6 m that moves at 3 m/s along x in water: 1/2 density area v^2 against it, at its centre;
 * and about that centre there is no moment, as it does not turn. */
START_TEST(forces_of_media) {
  rig r = { .system = cdn_system_create(NULL) };
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = mass_at(2, zero);
  r.ball = cdn_system_add_body(r.system, &b);
  cdn_fluid_box_def box = cdn_default_fluid_box_def();
  box.body = r.ball, box.X_BF = at(0, 0.5, 0), box.density = 1000;
  box.half[0] = 0.1, box.half[1] = 0.2, box.half[2] = 0.3;
  cdn_system_add_fluid_box(r.system, "water", &box);
  int n;
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  open_scene(&r, CDN_LAYER_MEDIA);
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 0); /* at rest */
  OK(cdn_state_set_u(r.state, (double[]){ 0, 0, 0, 3, 0, 0 }));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  const cdn_mark first = find_mark(&r, CDN_MARK_ARROW, 0);
  near3(first.X_G.p, cdn_v3(0, 0.5, 0), 1e-15);
  near3(first.X_G.R.z, cdn_v3(-1, 0, 0), 1e-15);
  /* as long as that of a force from outside which is as large */
  cdn_scene_set_layers(r.scene, CDN_LAYER_FORCES);
  const cdn_spatial same = { { 0, 0, 0 }, { 0.5 * 1000 * 0.4 * 0.6 * 3 * 3, 0, 0 } };
  OK(cdn_state_set_applied_body_force(r.state, r.ball, same));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  NEAR(find_mark(&r, CDN_MARK_ARROW, 0).size[0], first.size[0], 1e-12 * first.size[0]);
  drop(&r);
}
END_TEST

/* A ball of 2 kg and radius 0.5 on a plane z = 0.25, and an arm at the upper limit of its joint, which a moment holds
 * there. */
START_TEST(statuses_have_colours) {
  rig r = { .system = cdn_system_create(NULL) };
  cdn_body_def b = cdn_default_body_def();
  b.name = "ball", b.mobilizer = CDN_FREE, b.mass = mass_at(2, zero);
  r.ball = cdn_system_add_body(r.system, &b);
  b = cdn_default_body_def();
  b.name = "arm", b.mobilizer = CDN_PIN, b.mass = mass_at(2, cdn_v3(0.5, 0, 0)), b.X_PF = at(0, 0, 3);
  r.arm = cdn_system_add_body(r.system, &b);
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, 0, -10));
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.X_AP = at(0, 0, 0.25), floor.b = r.ball, floor.radius = 0.5, floor.mu_dynamic = 0.5;
  cdn_system_add_rigid_contact(r.system, &floor);
  cdn_one_sided_def limit = cdn_default_one_sided_def();
  limit.constraint = cdn_system_constrain_coordinate(r.system, "limit", r.arm, 0, 1), limit.upper = true;
  cdn_system_make_one_sided(r.system, &limit);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_body_set_q(r.state, r.arm, 1, (double[]){ 1 }));
  OK(cdn_body_set_q(r.state, r.ball, 7, (double[]){ 1, 0, 0, 0, 4, 0, 0.75 }));
  OK(cdn_body_set_u(r.state, r.ball, 6, (double[]){ 0, 0, 0, 1, 0, 0 }));
  OK(cdn_state_set_applied_mobility_forces(r.state, (double[]){ 0, 0, 0, 0, 0, 0, 5 }));
  open_scene(&r, CDN_LAYER_STATUSES);
  int n;
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 1); /* off: a grey point; limits only while they push */
  NEAR(find_mark(&r, CDN_MARK_POINT, 0).rgba[0], 0.6f, 0);
  OK_ON(r.state, cdn_settle(r.state, 0));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 1 + 1 + 12 + 4 + 1); /* a point with a cone, and a point */
  const cdn_mark slips = find_mark(&r, CDN_MARK_POINT, 0), pushes = find_mark(&r, CDN_MARK_POINT, 1),
                 normal = find_mark(&r, CDN_MARK_LINE, 0), edge = find_mark(&r, CDN_MARK_LINE, 1);
  near3(slips.X_G.p, cdn_v3(4, 0, 0.25), 1e-15);
  ck_assert(slips.rgba[0] > 0.8f && slips.rgba[2] < 0.2f && slips.body.i == r.ball.i);
  near3(normal.X_G.R.z, cdn_v3(0, 0, 1), 1e-15);
  NEAR(edge.X_G.R.z.z, 1 / sqrt(1.25), 1e-12);
  near3(pushes.X_G.p, cdn_v3(0, 0, 3), 1e-15);
  ck_assert(pushes.rgba[1] > 0.5f && pushes.rgba[2] < 0.4f && pushes.body.i == r.arm.i);
  /* it rolls: friction sticks */
  OK(cdn_body_set_u(r.state, r.ball, 6, (double[]){ 0, 2, 0, 1, 0, 0 }));
  OK_ON(r.state, cdn_settle(r.state, 0));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  ck_assert(find_mark(&r, CDN_MARK_POINT, 0).rgba[2] > 0.8f);
  /* another one falls with 3 m/s: an impulse of 6 N s, seen for 0.1 s, as long as a force of 6 N */
  cdn_state_destroy(r.state);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_body_set_q(r.state, r.ball, 7, (double[]){ 1, 0, 0, 0, 4, 0, 0.75 }));
  OK(cdn_body_set_u(r.state, r.ball, 6, (double[]){ 0, 0, 0, 0, 0, -3 }));
  OK_ON(r.state, cdn_settle(r.state, 0));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  const cdn_mark arrow = find_mark(&r, CDN_MARK_ARROW, 0);
  near3(arrow.X_G.p, cdn_v3(4, 0, 0.25), 1e-15);
  near3(arrow.X_G.R.z, cdn_v3(0, 0, 1), 1e-15);
  cdn_scene_set_layers(r.scene, CDN_LAYER_FORCES);
  OK(cdn_state_set_applied_body_force(r.state, r.ball, (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 6 } }));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  NEAR(arrow.size[0], find_mark(&r, CDN_MARK_ARROW, 0).size[0], 1e-12 * arrow.size[0]);
  cdn_scene_set_layers(r.scene, CDN_LAYER_STATUSES);
  OK(cdn_state_set_time(r.state, 0.2));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  const cdn_mark *marks = cdn_scene_marks(r.scene, &n);
  for (int i = 0; i < n; i++) ck_assert(marks[i].kind != CDN_MARK_ARROW);
  cdn_scene_destroy(r.scene);
  cdn_state_destroy(r.state);
  cdn_system_release(r.system);
}
END_TEST

START_TEST(frames_allocate_nothing) {
  rig *r = make(true);
  open_scene(r, CDN_LAYER_ALL);
  for (int i = 0; i < 3; i++) OK_ON(r->state, cdn_scene_update(r->scene, r->state));
  const int64_t calls = r->memory.calls;
  for (int i = 0; i < 50; i++) {
    OK(cdn_body_set_q(r->state, r->arm, 1, (double[]){ 0.1 * i }));
    OK_ON(r->state, cdn_scene_update(r->scene, r->state));
    NEAR(cdn_scene_poses(r->scene)[r->arm.i].R.x.x, cos(0.1 * i), 1e-15);
  }
  ck_assert_int_eq(r->memory.calls, calls);
  drop(r);
}
END_TEST

/* ---- looking ---- */

START_TEST(the_fitted_view_shows_everything) {
  rig *r = make(false);
  open_scene(r, 0);
  cdn_vec3 least, most;
  ck_assert(cdn_scene_bounds(r->scene, &least, &most));
  near3(most, cdn_v3(0.5, 1.015, 3.021), 1e-12); /* the ball; the arm as far as its anchor; the ball at its joint */
  const cdn_vec3 directions[] = { { 1, 0, 0 }, { 0, 0, 1 }, { -1, 2, 0.3 }, { 0, -1e-3, 0 } };
  for (int i = 0; i < 4; i++)
    for (double aspect = 0.3; aspect < 4; aspect *= 1.7) {
      cdn_view_point v;
      OK(cdn_scene_fit(r->scene, directions[i], cdn_v3(0, 0, 1), aspect, &v));
      const double t = tan(0.5 * v.fovy);
      double largest = 0;
      for (int k = 0; k < 8; k++) {
        const cdn_vec3 p = cdn_v3(k & 1 ? most.x : least.x, k & 2 ? most.y : least.y, k & 4 ? most.z : least.z);
        const cdn_vec3 e = cdn_rotate_inv(v.X_GC.R, cdn_sub(p, v.X_GC.p));
        largest = fmax(largest, fmax(fabs(e.x) / (-e.z * t * aspect), fabs(e.y) / (-e.z * t)));
        ck_assert(e.z < 0);
      }
      NEAR(largest, 1 / 1.06, 1e-12);
    }
  cdn_view_point v;
  FAILS(cdn_scene_fit(r->scene, zero, cdn_v3(0, 0, 1), 1, &v), CDN_ERR_ARG);
  FAILS(cdn_scene_fit(r->scene, cdn_v3(1, 0, 0), cdn_v3(0, 0, 1), -1, &v), CDN_ERR_ARG);
  drop(r);
}
END_TEST

/* Framing follows what is drawn: not shapes for collision, and not helpers in the groups that viewers hide. */
START_TEST(what_is_hidden_does_not_count) {
  static const double sizes[3] = { 3, 2, 1 };
  rig *r = make(false);
  OK(cdn_scene_create(r->state, NULL, &r->scene));
  for (int i = 0; i < 3; i++) {
    cdn_visual_def def = cdn_default_visual_def();
    cdn_vec3 least, most;
    def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { sizes[i] } };
    def.collision = i == 0, def.group = i == 1 ? 4 : 0;
    OK(cdn_scene_add_visual(r->scene, &def, NULL));
    OK_ON(r->state, cdn_scene_update(r->scene, r->state));
    ck_assert(cdn_scene_bounds(r->scene, &least, &most));
    near3(most, cdn_v3(sizes[i], sizes[i], sizes[i]), 1e-15);
    near3(least, cdn_v3(-sizes[i], -sizes[i], -sizes[i]), 1e-15);
  }
  drop(r);
}
END_TEST

START_TEST(cameras_and_lights) {
  rig *r = make(false);
  open_scene(r, 0);
  cdn_camera_def c = cdn_default_camera_def();
  c.body = r->arm, c.X_BC = at(1, 0, 0), c.mode = CDN_CAMERA_TARGET, c.target = r->ball;
  OK(cdn_scene_add_camera(r->scene, &c));
  cdn_view_point v;
  OK(cdn_scene_camera_view(r->scene, 0, &v));
  near3(v.X_GC.p, cdn_v3(0, 1, 3), 1e-15);
  const cdn_vec3 to = cdn_sub(cdn_v3(0, 0, 0.499), v.X_GC.p);
  near3(v.X_GC.R.z, cdn_scale(-1 / cdn_norm(to), to), 1e-15);
  ck_assert_str_eq(cdn_scene_camera_name(r->scene, 0), "camera0");
  ck_assert(!cdn_scene_camera_name(r->scene, 1));
  FAILS(cdn_scene_camera_view(r->scene, 1, &v), CDN_ERR_ARG);
  cdn_camera_def same;
  OK(cdn_scene_camera(r->scene, 0, &same));
  ck_assert_int_eq(same.mode, CDN_CAMERA_TARGET);
  ck_assert_int_eq(same.target.i, r->ball.i);
  FAILS(cdn_scene_camera(r->scene, 1, &same), CDN_ERR_ARG);
  c.mode = CDN_CAMERA_TRACK_COM; /* the arm's centre of mass is at 0 0.5 3; the camera does not turn with the arm */
  OK(cdn_scene_add_camera(r->scene, &c));
  FAILS(cdn_scene_camera_view(r->scene, 1, &v), CDN_ERR_ARG);
  OK(cdn_scene_update(r->scene, r->state));
  OK(cdn_scene_camera_view(r->scene, 1, &v));
  near3(v.X_GC.p, cdn_v3(1, 0.5, 3), 1e-15);
  near3(v.X_GC.R.x, cdn_v3(1, 0, 0), 0);
  c.mode = CDN_CAMERA_MODE_COUNT;
  FAILS(cdn_scene_add_camera(r->scene, &c), CDN_ERR_ARG);
  c.mode = CDN_CAMERA_FIXED, c.fovy = 4;
  FAILS(cdn_scene_add_camera(r->scene, &c), CDN_ERR_ARG);
  cdn_light_def l = cdn_default_light_def(), back;
  l.position = cdn_v3(1, 2, 3);
  OK(cdn_scene_add_light(r->scene, &l));
  OK(cdn_scene_light(r->scene, 0, &back));
  near3(back.position, l.position, 0);
  l.direction = zero;
  FAILS(cdn_scene_add_light(r->scene, &l), CDN_ERR_ARG);
  l.direction = cdn_v3(0, 1, 0), l.mode = CDN_CAMERA_MODE_COUNT;
  FAILS(cdn_scene_add_light(r->scene, &l), CDN_ERR_ARG);
  l.mode = CDN_CAMERA_TARGET, l.target.i = 1000;
  FAILS(cdn_scene_add_light(r->scene, &l), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_scene_light_count(r->scene), 1);
  cdn_vec3 p, d;
  OK(cdn_scene_light_ray(r->scene, 0, &p, &d));
  near3(p, cdn_v3(1, 2, 3), 0);
  near3(d, cdn_v3(0, 0, -1), 0);
  FAILS(cdn_scene_light_ray(r->scene, 1, &p, &d), CDN_ERR_ARG);
  l.mode = CDN_CAMERA_TRACK_COM, l.target = cdn_ground();
  OK(cdn_scene_add_light(r->scene, &l));
  FAILS(cdn_scene_light_ray(r->scene, 1, NULL, NULL), CDN_ERR_ARG); /* newer than the frame */
  OK(cdn_scene_update(r->scene, r->state));
  OK(cdn_scene_light_ray(r->scene, 1, NULL, NULL));
  drop(r);
}
END_TEST

/* What a file says about looks and pictures do not show is said once the model has a scene. */
START_TEST(what_pictures_lack_is_said) {
  static const char text[] =
      "<mujoco><asset><texture name='wood' type='2d' file='wood.png'/>\n<material name='m' texture='wood' reflectance='0.2'/></asset>"
      "<worldbody><geom size='1' material='m'/></worldbody></mujoco>";
  cdn_model *model;
  cdn_state *state;
  cdn_scene *scene;
  OK(cdn_model_load_string(text, strlen(text), "looks", NULL, &model));
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  ck_assert_int_eq(cdn_model_warning_count(model), 2);
  ck_assert_ptr_nonnull(
      strstr(cdn_model_warning(model, 0),
             "pictures are drawn without textures: 'wood'; the first: the picture 'wood.png' cannot be "
             "opened: No such file"));
  ck_assert_ptr_nonnull(strstr(cdn_model_warning(model, 1),
                               "pictures are drawn without: material reflectance of what is no plane (line 2)"));
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(picking) {
  rig *r = make(false);
  open_scene(r, 0);
  cdn_pick pick;
  OK(cdn_scene_pick(r->scene, cdn_v3(4, 0.3, 0.499), cdn_v3(-2, 0, 0), ~0u, &pick));
  ck_assert_int_eq(pick.body.i, r->ball.i);
  NEAR(pick.distance, 4 - 0.4, 1e-14);
  near3(pick.normal_G, cdn_v3(0.8, 0.6, 0), 1e-14);
  OK(cdn_scene_pick(r->scene, cdn_v3(4, 0, 2), cdn_v3(0, 0, -1), ~0u, &pick));
  ck_assert_int_eq(pick.body.i, 0);
  NEAR(pick.distance, 2, 1e-15);
  OK(cdn_scene_pick(r->scene, cdn_v3(4, 0, 2), cdn_v3(0, 0, 1), ~0u, &pick));
  ck_assert_int_eq(pick.visual, -1);
  OK(cdn_scene_pick(r->scene, cdn_v3(4, 0, 2), cdn_v3(0, 0, -1), 2u, &pick));
  ck_assert_int_eq(pick.visual, -1);
  FAILS(cdn_scene_pick(r->scene, zero, zero, ~0u, &pick), CDN_ERR_ARG);
  drop(r);
}
END_TEST

START_TEST(bad_calls) {
  rig *r = make(false);
  open_scene(r, 0);
  cdn_visual_def def = cdn_default_visual_def();
  FAILS(cdn_scene_add_visual(r->scene, &def, NULL), CDN_ERR_ARG); /* no geometry */
  def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 1 } };
  def.body.i = 9;
  FAILS(cdn_scene_add_visual(r->scene, &def, NULL), CDN_ERR_ARG);
  def.body.i = 0, def.rgba[2] = NAN;
  FAILS(cdn_scene_add_visual(r->scene, &def, NULL), CDN_ERR_ARG);
  def.rgba[2] = 0, def.group = 32;
  FAILS(cdn_scene_add_visual(r->scene, &def, NULL), CDN_ERR_ARG);
  FAILS(cdn_scene_add_point(r->scene, "p", (cdn_body){ -1 }, cdn_transform_identity()), CDN_ERR_ARG);
  FAILS(cdn_scene_add_range(r->scene, r->arm, 1, 0, 1), CDN_ERR_ARG);
  FAILS(cdn_scene_add_range(r->scene, r->arm, 0, NAN, 1), CDN_ERR_ARG);
  FAILS(cdn_scene_create(NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_scene_update(r->scene, NULL), CDN_ERR_ARG);
  cdn_system *other = cdn_system_create(NULL);
  cdn_state *state;
  OK_FREEZE(other);
  OK(cdn_state_create(other, &state));
  FAILS(cdn_scene_update(r->scene, state), CDN_ERR_ARG);
  FAILS(cdn_scene_complete(r->scene, state), CDN_ERR_ARG);
  cdn_scene *empty;
  OK(cdn_scene_create(state, NULL, &empty));
  OK(cdn_scene_complete(empty, state));
  OK(cdn_scene_update(empty, state));
  cdn_scene_destroy(empty);
  cdn_state_destroy(state);
  cdn_system_release(other);
  drop(r);
}
END_TEST

/* ---- models ---- */

START_TEST(a_model_is_dressed) {
  cdn_model_options untouched = cdn_default_model_options();
  untouched.contact = CDN_MODEL_NO_CONTACT;
  static const char text[] =
      "<mujoco><asset><mesh name='lost' file='nowhere.stl'/><material name='blue' rgba='0 0 1 1'/></asset><worldbody>"
      "<geom type='plane' size='1 1 1'/><body name='b' pos='0 0 1'><joint name='j' range='-30 40' limited='true'/>"
      "<geom type='box' size='.1 .2 .3' material='blue'/><geom type='mesh' mesh='lost'/><site name='s' pos='0 0 .3'/>"
      "</body><body name='bare'><joint type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
      "</body></worldbody></mujoco>";
  cdn_model *model;
  OK(cdn_model_load_string(text, sizeof text - 1, "dressed.xml", &untouched, &model));
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  const int before = cdn_model_warning_count(model);
  cdn_scene *scene;
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  ck_assert_int_eq(cdn_model_warning_count(model), before + 1);
  ck_assert_ptr_nonnull(strstr(cdn_model_warning(model, before), "lost"));
  ck_assert_int_eq(cdn_scene_visual_count(scene), 3);
  cdn_visual v;
  OK(cdn_scene_visual(scene, 1, &v));
  ck_assert_int_eq(v.geometry.kind, CDN_GEOMETRY_BOX);
  NEAR(v.rgba[2], 1, 0);
  NEAR(v.rgba[0], 0, 0);
  OK(cdn_scene_visual(scene, 2, &v));
  ck_assert(v.skeleton);
  cdn_scene_set_layers(scene, CDN_LAYER_JOINTS | CDN_LAYER_POINTS);
  OK(cdn_scene_update(scene, state));
  int n, arcs = 0, texts = 0;
  const cdn_mark *marks = cdn_scene_marks(scene, &n);
  for (int i = 0; i < n; i++) arcs += marks[i].kind == CDN_MARK_ARC, texts += marks[i].kind == CDN_MARK_TEXT;
  ck_assert_int_eq(arcs, 1);
  ck_assert_int_eq(texts, 1);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* A checker without marks is a plane's pattern, and one colour is a colour; colours are multiplied. A texture that is
 * uniform repeats on 2 m. */
START_TEST(planes_have_patterns) {
  cdn_model_options untouched = cdn_default_model_options();
  untouched.contact = CDN_MODEL_NO_CONTACT;
  static const char text[] =
      "<mujoco><asset><texture name='c' type='2d' builtin='checker' rgb1='1 .5 0' rgb2='0 .5 1'/><texture name='g' type='2d' builtin='gradient'/>"
      "<texture name='f' type='2d' builtin='flat' rgb1='.5 .5 .5'/><texture name='file' type='2d' file='a.png'/>"
      "<material name='uniform' texture='c' texrepeat='5 4' texuniform='true' rgba='.5 1 1 1'/>"
      "<material name='fitted' texture='c' texrepeat='4 2'/><material name='gradient' texture='g' texrepeat='2 2'/>"
      "<material name='flat' texture='f'/><material name='file' texture='file' rgba='.1 .2 .3 1'/></asset><worldbody>"
      "<geom name='0' type='plane' size='0 3 1' material='uniform'/><geom name='1' type='plane' size='2 3 1' material='fitted'/>"
      "<geom name='2' type='plane' size='1 1 1' material='gradient'/><geom name='3' type='plane' size='0 0 1' material='flat'/>"
      "<geom name='4' size='.1' material='uniform'/><geom name='5' size='.1' material='file'/>"
      "<geom name='6' type='plane' size='0 0 1'/></worldbody></mujoco>";
  static const struct {
    cdn_pattern pattern;
    double rgb[3], rgb2[3], tile[2], half[2];
  } expected[] = {
    { CDN_PATTERN_CHECKER, { 0.5, 0.5, 0 }, { 0, 0.5, 1 }, { 0.2, 0.25 }, { 0, 3 } },
    { CDN_PATTERN_CHECKER, { 1, 0.5, 0 }, { 0, 0.5, 1 }, { 0.5, 1.5 }, { 2, 3 } },
    { CDN_PATTERN_PLAIN, { 1, 1, 1 }, { 0 }, { 0 }, { 1, 1 } },
    { CDN_PATTERN_PLAIN, { 0.5, 0.5, 0.5 }, { 0 }, { 0 }, { 0, 0 } },
    { CDN_PATTERN_PLAIN, { 0.5, 1, 1 }, { 0 }, { 0 }, { 0, 0 } },
    { CDN_PATTERN_PLAIN, { 0.1, 0.2, 0.3 }, { 0 }, { 0 }, { 0, 0 } },
    { CDN_PATTERN_PLAIN, { 0.5, 0.5, 0.5 }, { 0 }, { 0 }, { 0, 0 } },
  };
  cdn_model *model;
  cdn_state *state;
  cdn_scene *scene;
  OK(cdn_model_load_string(text, strlen(text), "m.xml", &untouched, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  ck_assert_int_eq(cdn_scene_visual_count(scene), 7);
  for (int i = 0; i < 7; i++) {
    cdn_visual v;
    OK(cdn_scene_visual(scene, i, &v));
    ck_assert_int_eq(v.name[0], '0' + i);
    ck_assert_int_eq(v.pattern, expected[i].pattern);
    ck_assert_int_eq(v.texture, i == 2 ? 0 : i == 4 ? 1 : -1); /* the gradient, and the checker on the ball */
    for (int k = 0; k < 3; k++) NEAR(v.rgba[k], expected[i].rgb[k], 1e-15);
    for (int k = 0; k < 2; k++) NEAR(v.half[k], expected[i].half[k], 1e-15);
    if (v.pattern == CDN_PATTERN_PLAIN) continue;
    for (int k = 0; k < 3; k++) NEAR(v.rgb2[k], expected[i].rgb2[k], 1e-15);
    for (int k = 0; k < 2; k++) NEAR(v.tile[k], expected[i].tile[k], 1e-15);
  }
  /* wrong patterns */
  cdn_visual_def def = cdn_default_visual_def();
  def.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  OK(cdn_scene_add_visual(scene, &def, NULL));
  cdn_visual_def wrong[4] = { def, def, def, def };
  wrong[0].pattern = CDN_PATTERN_COUNT, wrong[1].tile[1] = 0, wrong[2].rgb2[0] = NAN, wrong[3].half[0] = INFINITY;
  for (int i = 0; i < 4; i++) {
    FAILS(cdn_scene_add_visual(scene, &wrong[i], NULL), CDN_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "its pattern must be"));
  }
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

#ifdef TEST_ASSIMP
/* Three triangles with two materials. */
static const char colored[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
    "<asset><unit meter='1'/><up_axis>Y_UP</up_axis></asset><library_effects>"
    "<effect id='re'><profile_COMMON><technique sid='t'><lambert><diffuse><color>0.9 0.1 0.2 1</color></diffuse></lambert>"
    "</technique></profile_COMMON></effect>"
    "<effect id='be'><profile_COMMON><technique sid='t'><lambert><diffuse><color>0.1 0.2 0.8 1</color></diffuse></lambert>"
    "</technique></profile_COMMON></effect></library_effects>"
    "<library_materials><material id='r'><instance_effect url='#re'/></material><material id='b'><instance_effect url='#be'/>"
    "</material></library_materials><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='15'>"
    "0 0 0 1 0 0 0 1 0 0 0 1 1 1 0</float_array><technique_common><accessor source='#a' count='5' stride='3'>"
    "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common>"
    "</source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
    "<triangles material='m0' count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1</p></triangles>"
    "<triangles material='m1' count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 3</p></triangles>"
    "<triangles material='m0' count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>1 2 4</p></triangles>"
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'>"
    "<instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='m0' target='#r'/>"
    "<instance_material symbol='m1' target='#b'/></technique_common></bind_material></instance_geometry></node></visual_scene>"
    "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>";

/* A mesh that has no colour in its model has those of its file, a visual for each; one that has a colour keeps it. */
START_TEST(meshes_have_the_colours_of_their_files) {
  cdn_model_options untouched = cdn_default_model_options();
  untouched.contact = CDN_MODEL_NO_CONTACT;
  static const char urdf[] =
      "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial><visual name='own'><geometry><mesh filename='%s'/></geometry></visual><visual name='green'><geometry>"
      "<mesh filename='%s'/></geometry><material name='g'><color rgba='0 1 0 1'/></material></visual></link></robot>";
  char path[] = "/tmp/cardan-colours-XXXXXX.dae", text[2000];
  const int fd = mkstemps(path, 4);
  ck_assert(fd >= 0 && write(fd, colored, strlen(colored)) == (ssize_t)strlen(colored));
  close(fd);
  snprintf(text, sizeof text, urdf, path, path);
  cdn_model *model;
  cdn_state *state;
  cdn_scene *scene;
  OK(cdn_model_load_string(text, strlen(text), "r.urdf", &untouched, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  unlink(path);
  bool said = false; /* nothing is turned for Y_UP */
  for (int i = 0; i < cdn_model_warning_count(model); i++)
    said |= strstr(cdn_model_warning(model, i), "are not turned for it") &&
            strstr(cdn_model_warning(model, i), strrchr(path, '/') + 1);
  ck_assert(said);
  static const double expected[3][3] = { { 0.9, 0.1, 0.2 }, { 0.1, 0.2, 0.8 }, { 0, 1, 0 } };
  static const int triangles[3] = { 2, 1, 3 };
  ck_assert_int_eq(cdn_scene_visual_count(scene), 3);
  for (int i = 0; i < 3; i++) {
    cdn_visual v;
    cdn_surface_info info;
    OK(cdn_scene_visual(scene, i, &v));
    OK(cdn_surface_get_info(v.geometry.surface, &info));
    ck_assert_int_eq(info.n_triangles, triangles[i]);
    for (int k = 0; k < 3; k++) NEAR(v.rgba[k], expected[i][k], 1e-6);
    NEAR(v.rgba[3], 1, 0);
  }
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST
#else
START_TEST(meshes_have_the_colours_of_their_files) { SKIP("this build reads no DAE"); }
END_TEST
#endif

/* A link whose mesh is not there is seen by the shapes that it touches with, in the mesh's colour; and that is said. */
START_TEST(what_is_not_there_is_seen_by_what_touches) {
  static const char urdf[] =
      "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial><visual><geometry><mesh filename='none.stl'/></geometry><material name='g'><color rgba='0 1 0 1'/></material>"
      "</visual><collision><origin xyz='0 0 2'/><geometry><sphere radius='0.5'/></geometry></collision></link>"
      "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
      "<visual><geometry><mesh filename='none.stl'/></geometry></visual>"
      "<visual><geometry><box size='1 1 1'/></geometry><material name='pink'/></visual></link>"
      "<link name='fixed'><collision><geometry><sphere radius='0.7'/></geometry></collision></link>"
      "<joint name='f' type='fixed'><parent link='a'/><child link='fixed'/></joint>"
      "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/>"
      "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";
  for (int contact = 0; contact < 2; contact++) {
    cdn_model_options options = cdn_default_model_options();
    options.contact = contact ? CDN_MODEL_COMPLIANT : CDN_MODEL_NO_CONTACT;
    cdn_model *model;
    cdn_state *state;
    cdn_scene *scene;
    OK(cdn_model_load_string(urdf, strlen(urdf), "r.urdf", &options, &model));
    OK(cdn_state_create(cdn_model_system(model), &state));
    OK(cdn_model_create_scene(model, state, NULL, &scene));
    int seen = 0;
    for (int i = 0; i < cdn_scene_visual_count(scene); i++) {
      cdn_visual v;
      OK(cdn_scene_visual(scene, i, &v));
      if (v.collision || v.geometry.kind != CDN_GEOMETRY_SPHERE) continue;
      seen++;
      NEAR(v.geometry.size[0], 0.5, 0);
      NEAR(v.X_BV.p.z, 2, 0);
      NEAR(v.rgba[1], 1, 0);
      NEAR(v.rgba[0], 0, 0);
    }
    ck_assert_int_eq(seen, 1);
    bool said = false, said_color = false;
    for (int i = 0; i < cdn_model_warning_count(model); i++)
      said_color |= strstr(cdn_model_warning(model, i), "not defined: 'pink'; what has them is grey") != NULL;
    ck_assert(said_color);
    for (int i = 0; i < cdn_model_warning_count(model); i++)
      said |= strstr(cdn_model_warning(model, i), "not shown: 'none.stl' (shapes that touch are seen in place") != NULL;
    ck_assert(said);
    cdn_scene_destroy(scene);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
}
END_TEST

/* A box that slides over a floor, and an arm beyond its limit with dry friction. */
START_TEST(cones_and_rows) {
  for (int pyramid = 0; pyramid < 2; pyramid++) {
    rig r = { .system = cdn_system_create(NULL) };
    cdn_contact_def contact = cdn_default_contact_def();
    contact.model = CDN_CONTACT_SOFT;
    cdn_system_set_contact(r.system, &contact);
    cdn_soft_def soft = cdn_default_soft_def();
    soft.cone = pyramid ? CDN_SOFT_PYRAMIDAL : CDN_SOFT_ELLIPTIC;
    cdn_system_set_soft(r.system, &soft);
    cdn_system_add_gravity(r.system, NULL, cdn_v3(0, 0, -10));
    cdn_soft_material rough = cdn_default_soft_material();
    rough.friction[0] = 0.5;
    cdn_body_def b = cdn_default_body_def();
    b.name = "ball", b.mobilizer = CDN_FREE, b.mass = mass_at(1, zero);
    r.ball = cdn_system_add_body(r.system, &b);
    b = cdn_default_body_def();
    b.name = "arm", b.mobilizer = CDN_PIN, b.mass = mass_at(2, cdn_v3(0.5, 0, 0)), b.X_PF = at(0, 0, 3);
    r.arm = cdn_system_add_body(r.system, &b);
    cdn_shape_def s = cdn_default_shape_def();
    s.soft = &rough;
    s.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
    cdn_system_add_shape(r.system, &s);
    s.body = r.ball, s.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.5 } };
    cdn_system_add_shape(r.system, &s);
    cdn_soft_limit_def limit = cdn_default_soft_limit_def();
    limit.body = r.arm, limit.upper = 1;
    cdn_system_add_soft_limit(r.system, &limit);
    OK_FREEZE(r.system);
    OK(cdn_state_create(r.system, &r.state));
    OK(cdn_body_set_q(r.state, r.arm, 1, (double[]){ 1.1 }));
    OK(cdn_body_set_q(r.state, r.ball, 7, (double[]){ 1, 0, 0, 0, 0, 0, 0.499 }));
    OK(cdn_body_set_u(r.state, r.ball, 6, (double[]){ 0, 0, 0, 1, 0, 0 }));
    open_scene(&r, CDN_LAYER_CONES);
    int n;
    cdn_scene_marks(r.scene, &n);
    ck_assert_int_eq(n, pyramid ? 1 + 8 : 1 + 12 + 4);
    /* the normal points into the ball; edges of the cone lean by the friction's angle */
    const cdn_mark normal = find_mark(&r, CDN_MARK_LINE, 0), edge = find_mark(&r, CDN_MARK_LINE, 1);
    near3(normal.X_G.R.z, cdn_v3(0, 0, 1), 1e-12);
    near3(normal.X_G.p, cdn_v3(0, 0, -0.0005), 1e-12);
    near3(edge.X_G.p, normal.X_G.p, 0);
    NEAR(edge.X_G.R.z.z, 1 / sqrt(1.25), 1e-12);
    ck_assert(normal.layer == CDN_LAYER_CONES && normal.body.i == r.ball.i);
    /* an arrow of the force: it leans against the motion, as far as the cone lets it */
    cdn_scene_set_layers(r.scene, CDN_LAYER_CONTACTS);
    OK_ON(r.state, cdn_scene_update(r.scene, r.state));
    const cdn_mark arrow = find_mark(&r, CDN_MARK_ARROW, 0);
    NEAR(arrow.X_G.R.z.x, -0.5 / sqrt(1.25), 1e-9);
    NEAR(arrow.X_G.R.z.z, 1 / sqrt(1.25), 1e-9);
    /* and the limit's moment about the arm's axis */
    cdn_scene_set_layers(r.scene, CDN_LAYER_ROWS);
    OK_ON(r.state, cdn_scene_update(r.scene, r.state));
    cdn_scene_marks(r.scene, &n);
    ck_assert_int_eq(n, 1);
    const cdn_mark turn = find_mark(&r, CDN_MARK_TURN, 0);
    near3(turn.X_G.R.z, cdn_v3(0, 0, -1), 1e-12);
    near3(turn.X_G.p, cdn_v3(0, 0, 3), 1e-12);
    ck_assert(turn.layer == CDN_LAYER_ROWS && turn.body.i == r.arm.i);
    cdn_scene_destroy(r.scene);
    cdn_state_destroy(r.state);
    cdn_system_release(r.system);
  }
}
END_TEST

CHECK_MAIN("scene", cones_and_rows, every_body_has_a_look, a_look_hides_shapes_of_contact,
           a_point_mass_and_an_inertia_are_shown, joints_frames_and_points, what_acts, subsystems_decorate,
           a_pull_is_shown, rays_of_sensors, forces_of_media, statuses_have_colours, frames_allocate_nothing,
           the_fitted_view_shows_everything, what_is_hidden_does_not_count, cameras_and_lights,
           what_pictures_lack_is_said, picking, bad_calls, a_model_is_dressed, planes_have_patterns,
           meshes_have_the_colours_of_their_files, what_is_not_there_is_seen_by_what_touches)
