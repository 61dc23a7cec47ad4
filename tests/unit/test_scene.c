/* Scenes: visuals, cameras, picking. All expected places are worked out by hand. */
#include "scene_rig.h"

static const cdn_vec3 zero = { 0, 0, 0 };

/* ---- visuals ---- */

START_TEST(every_body_has_a_look) {
  rig *r = make_rig(false);
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
  drop_rig(r);
}
END_TEST

START_TEST(a_look_hides_shapes_of_contact) {
  rig *r = make_rig(false);
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
  drop_rig(r);
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

/* ---- looking ---- */

START_TEST(the_fitted_view_shows_everything) {
  rig *r = make_rig(false);
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
  drop_rig(r);
}
END_TEST

/* Framing follows what is drawn: not shapes for collision, and not helpers in the groups that viewers hide. */
START_TEST(what_is_hidden_does_not_count) {
  static const double sizes[3] = { 3, 2, 1 };
  rig *r = make_rig(false);
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
  drop_rig(r);
}
END_TEST

START_TEST(cameras_and_lights) {
  rig *r = make_rig(false);
  open_scene(r, 0);
  cdn_camera_def c = cdn_default_camera_def();
  c.body = r->arm, c.X_BC = at_place(1, 0, 0), c.mode = CDN_CAMERA_TARGET, c.target = r->ball;
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
  drop_rig(r);
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
  rig *r = make_rig(false);
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
  drop_rig(r);
}
END_TEST

START_TEST(bad_calls) {
  rig *r = make_rig(false);
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
  drop_rig(r);
}
END_TEST

CHECK_MAIN("scene", every_body_has_a_look, a_look_hides_shapes_of_contact, a_point_mass_and_an_inertia_are_shown,
           the_fitted_view_shows_everything, what_is_hidden_does_not_count, cameras_and_lights,
           what_pictures_lack_is_said, picking, bad_calls)
