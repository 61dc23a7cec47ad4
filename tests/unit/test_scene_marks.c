/* Scenes: the marks of each layer. All expected places are worked out by hand. */
#include <cardan/hybrid.h>

#include "scene_rig.h"

static const cdn_vec3 zero = { 0, 0, 0 };

/* ---- marks ---- */

START_TEST(joints_frames_and_points) {
  rig *r = make_rig(false);
  open_scene(r, CDN_LAYER_JOINTS);
  OK(cdn_scene_add_range(r->scene, r->arm, 0, -1, 2));
  OK(cdn_scene_update(r->scene, r->state));
  const cdn_mark axis = find_mark(r, CDN_MARK_LINE, 0);
  near3(axis.X_G.R.z, cdn_v3(0, 0, 1), 1e-12);
  near3(cdn_scale(0.5, cdn_add(axis.X_G.p, tip_of(axis))), cdn_v3(0, 0, 3), 1e-12);
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
  OK(cdn_scene_add_point(r->scene, "hand", r->arm, at_place(1, 0, 0)));
  OK(cdn_scene_update(r->scene, r->state));
  near3(find_mark(r, CDN_MARK_FRAME, 1).X_G.R.x, cdn_v3(0, 1, 0), 1e-15);
  near3(find_mark(r, CDN_MARK_FRAME, 3).X_G.p, cdn_v3(0, 1, 3), 1e-15);
  ck_assert_str_eq(find_mark(r, CDN_MARK_TEXT, 0).text, "hand");
  ck_assert_str_eq(find_mark(r, CDN_MARK_TEXT, 1).text, "arm");
  ck_assert_str_eq(find_mark(r, CDN_MARK_TEXT, 2).text, "ball");
  near3(find_mark(r, CDN_MARK_POINT, 0).X_G.p, cdn_v3(0, 0.5, 3), 1e-15);
  NEAR(find_mark(r, CDN_MARK_ELLIPSOID, 0).size[0], 1, 1e-14); /* 2/5 m of a ball of radius 1 */
  drop_rig(r);
}
END_TEST

START_TEST(what_acts) {
  rig *r = make_rig(false);
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
  near3(tip_of(rod), cdn_v3(0, 0, 0.749), 1e-14);
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
  near3(tip_of(find_mark(r, CDN_MARK_LINE, 0)), cdn_v3(0.1, 0, 0.499), 1e-15);
  near3(find_mark(r, CDN_MARK_ARROW, 0).X_G.R.z, cdn_v3(-1, 0, 0), 1e-15);
  near3(find_mark(r, CDN_MARK_TURN, 0).X_G.R.z, cdn_v3(0, 1, 0), 1e-15);
  drop_rig(r);
}
END_TEST

START_TEST(subsystems_decorate) {
  rig *r = make_rig(true);
  open_scene(r, CDN_LAYER_OWN);
  const cdn_mark arrow = find_mark(r, CDN_MARK_ARROW, 0), text = find_mark(r, CDN_MARK_TEXT, 0);
  near3(tip_of(arrow), cdn_v3(1, 3, 0), 1e-15);
  ck_assert(arrow.rgba[0] == 1 && arrow.rgba[1] == 0 && arrow.layer == CDN_LAYER_OWN);
  ck_assert_str_eq(text.text, "here");
  int n;
  cdn_scene_marks(r->scene, &n);
  ck_assert_int_eq(n, 2);
  drop_rig(r);
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
  near3(tip_of(arrow), cdn_v3(0.1, 2, 0), 1e-14);
  OK(cdn_perturbation_end(r.state, pull));
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 0);
  drop_rig(&r);
}
END_TEST

/* A ray as long as a measure says, from its origin on the arm; none where the measure is negative. */
START_TEST(rays_of_sensors) {
  rig r = { .system = cdn_system_create(NULL) };
  const double numbers[3] = { 7, 2.5, -1 };
  cdn_body_def b = cdn_default_body_def();
  int n;
  b.mobilizer = CDN_PIN, b.mass = mass_at(2, zero), b.X_PF = at_place(0, 0, 3);
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
  near3(tip_of(ray), cdn_v3(0, 3, 3), 1e-15);
  near3(end.X_G.p, cdn_v3(0, 3, 3), 1e-15);
  cdn_scene_marks(r.scene, &n);
  ck_assert_int_eq(n, 2);
  drop_rig(&r);
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
  box.body = r.ball, box.X_BF = at_place(0, 0.5, 0), box.density = 1000;
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
  drop_rig(&r);
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
  b.name = "arm", b.mobilizer = CDN_PIN, b.mass = mass_at(2, cdn_v3(0.5, 0, 0)), b.X_PF = at_place(0, 0, 3);
  r.arm = cdn_system_add_body(r.system, &b);
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, 0, -10));
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.X_AP = at_place(0, 0, 0.25), floor.b = r.ball, floor.radius = 0.5, floor.mu_dynamic = 0.5;
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
  rig *r = make_rig(true);
  open_scene(r, CDN_LAYER_ALL);
  for (int i = 0; i < 3; i++) OK_ON(r->state, cdn_scene_update(r->scene, r->state));
  const int64_t calls = r->memory.calls;
  for (int i = 0; i < 50; i++) {
    OK(cdn_body_set_q(r->state, r->arm, 1, (double[]){ 0.1 * i }));
    OK_ON(r->state, cdn_scene_update(r->scene, r->state));
    NEAR(cdn_scene_poses(r->scene)[r->arm.i].R.x.x, cos(0.1 * i), 1e-15);
  }
  ck_assert_int_eq(r->memory.calls, calls);
  drop_rig(r);
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
    b.name = "arm", b.mobilizer = CDN_PIN, b.mass = mass_at(2, cdn_v3(0.5, 0, 0)), b.X_PF = at_place(0, 0, 3);
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

CHECK_MAIN("scene marks", joints_frames_and_points, what_acts, subsystems_decorate, a_pull_is_shown, rays_of_sensors,
           forces_of_media, statuses_have_colours, frames_allocate_nothing, cones_and_rows)
