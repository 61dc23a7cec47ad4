/* Messages for pages are what docs/wire.md says: frames decoded from their bytes, texts read by a reader of JSON. */
#include "view_rig.h"

static cdn_status decorate(const void *self, cdn_state *state, cdn_decorations *d) {
  (void)self;
  (void)state;
  const float colour[4] = { 0.25f, 0.5f, 0.75f, 1 };
  OK(cdn_decorate_text(d, cdn_v3(1, 2, 3), "first \xc3\xa9", colour));
  OK(cdn_decorate_line(d, cdn_v3(0, 0, 1), cdn_v3(0, 0, 3), NULL));
  return cdn_decorate_text(d, cdn_v3(0, 0, 0), "", NULL);
}

static cdn_status declare_nothing(void *self, cdn_declarer *d) {
  (void)self;
  (void)d;
  return CDN_OK;
}

/* A pin with a strange name that carries a free body with a hull. */
static void make(view_rig *r) {
  static const double corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  live_rig_begin(r);
  cdn_body_def b = cdn_default_body_def();
  b.name = "arm \"one\"\\\n\x80";
  b.mobilizer = CDN_PIN;
  b.mass = (cdn_mass_properties){ 2, { 0.5, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body arm = cdn_system_add_body(r->system, &b);
  b.name = "ball", b.parent = arm, b.mobilizer = CDN_FREE;
  const cdn_body ball = cdn_system_add_body(r->system, &b);
  cdn_system_add_gravity(r->system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_system_add_mobility_spring(r->system, "spring", arm, 0, 10, 0.25);
  cdn_control_def c = cdn_default_control_def();
  c.name = "throttle", c.unit = "N", c.lower = -2;
  cdn_system_add_control(r->system, &c);
  cdn_surface *hull;
  OK(cdn_surface_create_convex(4, corners, &hull));
  cdn_shape_def s = cdn_default_shape_def();
  s.body = ball, s.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CONVEX, .surface = hull };
  s.name = "hull";
  cdn_system_add_shape(r->system, &s);
  s.name = "same hull", s.X_BS.p = cdn_v3(5, 0, 0);
  cdn_system_add_shape(r->system, &s);
  cdn_surface_release(hull);
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "own", .declare = declare_nothing, .decorate = decorate
  };
  cdn_system_add_subsystem(r->system, &ops, NULL);
  live_rig_freeze(r);
  OK(cdn_state_set_time(r->state, 1.5));
  OK(cdn_body_set_q(r->state, arm, 1, (double[]){ PI / 2 }));
  OK(cdn_body_set_q(r->state, ball, 7, (double[]){ 1, 0, 0, 0, 1, 2, 3 }));
}

START_TEST(frames_hold_poses_marks_and_values) {
  view_rig r;
  make(&r);
  r.def.layers = CDN_LAYER_OWN;
  live_rig_open(&r);
  r.view->n_plots = 2, r.view->plots[0] = 1, r.view->plots[1] = 0;
  OK(cdn_view_show(r.view, r.state));
  const read_frame *f = &r.frame;
  ck_assert_int_eq(r.frames, 1);
  ck_assert_uint_eq(f->run, 0);
  ck_assert_uint_eq(f->number, 0);
  ck_assert_uint_eq(f->bodies, 3);
  ck_assert_uint_eq(f->values, 2);
  ck_assert_uint_eq(f->marks, 3);
  ck_assert(f->time == 1.5);
  ck_assert(f->value[0] == 1 && f->value[1] == PI / 2);
  /* a quarter turn about z; (1, 2, 3) turned by it */
  const float turned[7] = { 0, 0, 0, (float)sqrt(0.5), 0, 0, (float)sqrt(0.5) },
              carried[7] = { -2, 1, 3, (float)sqrt(0.5), 0, 0, (float)sqrt(0.5) };
  for (int k = 0; k < 7; k++) {
    NEAR(f->pose[0][k], k == 3 ? 1 : 0, 0);
    NEAR(f->pose[1][k], turned[k], 1e-6);
    NEAR(f->pose[2][k], carried[k], 1e-6);
  }
  ck_assert_int_eq(f->mark[0].kind, CDN_MARK_TEXT);
  ck_assert_uint_eq(f->mark[0].layer, CDN_LAYER_OWN);
  ck_assert_int_eq(f->mark[0].body, -1);
  ck_assert_str_eq(f->text + f->mark[0].text, "first \xc3\xa9");
  ck_assert(f->mark[0].pose[0] == 1 && f->mark[0].pose[1] == 2 && f->mark[0].pose[2] == 3);
  ck_assert(f->mark[0].rgba[0] == 0.25f && f->mark[0].rgba[3] == 1);
  ck_assert_int_eq(f->mark[1].kind, CDN_MARK_LINE);
  ck_assert_int_eq(f->mark[1].text, -1);
  ck_assert(f->mark[1].pose[2] == 1 && f->mark[1].size[0] == 2);
  ck_assert_str_eq(f->text + f->mark[2].text, "");
  ck_assert_uint_eq(f->text_bytes, strlen("first \xc3\xa9") + 2);
  /* at most 60 a second */
  OK(cdn_view_show(r.view, r.state));
  ck_assert_int_eq(r.frames, 1);
  live_rig_clock += 0.02;
  OK(cdn_view_show(r.view, r.state));
  ck_assert_int_eq(r.frames, 2);
  ck_assert_uint_eq(r.frame.number, 1);
  live_rig_drop(&r);
}
END_TEST

START_TEST(poses_alone_make_a_frame) {
  const cdn_transform poses[2] = { cdn_transform_identity(), { cdn_rotation_identity(), { 1, 2, 3 } } };
  const double values[1] = { 7 };
  read_frame f;
  double bytes[32];
  const size_t n = cdni_pose_frame_size(1, 2);
  cdni_pose_frame_write(4, 9, true, -0.5, values, 1, poses, 2, bytes);
  frame_read(bytes, n, &f);
  ck_assert(f.run == 4 && f.number == 9 && f.flags == 1 && f.time == -0.5 && f.value[0] == 7 && f.marks == 0);
  ck_assert(f.pose[1][2] == 3 && f.pose[1][3] == 1);
}
END_TEST

START_TEST(the_opening_describes_the_model) {
  view_rig r;
  make(&r);
  r.def.name = "a \"name\"";
  live_rig_run(&r, NULL);
  ck_assert_str_eq(text_of(r.hello, "mode"), "live");
  ck_assert_int_eq((int)number_of(r.hello, "wire"), 1);
  ck_assert_str_eq(text_of(r.model_text, "name"), "a \"name\"");
  const json_t *bodies = json_object_get(r.model_text, "bodies"), *arm = json_array_get(bodies, 1);
  ck_assert_uint_eq(json_array_size(bodies), 3);
  ck_assert_str_eq(text_of(arm, "name"), "arm \"one\"\\\\n\\x80");
  ck_assert(number_of(arm, "mass") == 2 && number_of(arm, "parent") == 0);
  /* two visuals, one mesh */
  ck_assert_int_eq(r.meshes, 1);
  int hulls = 0;
  const json_t *visuals = json_object_get(r.model_text, "visuals");
  for (size_t i = 0; i < json_array_size(visuals); i++) {
    const json_t *v = json_array_get(visuals, i);
    if (strcmp(text_of(v, "shape"), "mesh") != 0) continue;
    ck_assert(number_of(v, "mesh") == 0 && number_of(v, "body") == 2);
    hulls++;
  }
  ck_assert_int_eq(hulls, 2);
  /* the pin's angle and the free joint's three lengths; its quaternion has no slider */
  const json_t *coordinates = json_object_get(r.model_text, "coordinates");
  ck_assert_uint_eq(json_array_size(coordinates), 4);
  ck_assert_str_eq(text_of(json_array_get(coordinates, 0), "unit"), "rad");
  ck_assert_str_eq(text_of(json_array_get(coordinates, 3), "unit"), "m");
  ck_assert(number_of(json_array_get(coordinates, 3), "value") == 3);
  ck_assert(json_is_null(json_object_get(json_array_get(coordinates, 0), "lower")));
  const json_t *control = json_array_get(json_object_get(r.model_text, "controls"), 0);
  ck_assert_str_eq(text_of(control, "name"), "throttle");
  ck_assert(number_of(control, "lower") == -2 && json_is_null(json_object_get(control, "upper")));
  ck_assert_uint_eq(json_array_size(json_object_get(r.model_text, "layers")), 15);
  /* q, u, and eight others */
  ck_assert_uint_eq(json_array_size(json_object_get(r.model_text, "series")), 8 + 7 + 9 + 2 * 2);
  live_rig_drop(&r);
}
END_TEST

static void *encoded(const view_looks *looks, int i, size_t *n) {
  void *bytes;
  OK(cdni_look_encode(looks, i, &bytes, n));
  return bytes;
}

/* Textures come first, then meshes. A large picture is halved; equal shapes with equal looks are one mesh; planes have
 * places of their own. */
START_TEST(looks_are_messages) {
  enum { WIDE = 3000, SIDE = 4 };
  static uint8_t wide[4 * WIDE * 2], sides[4 * 6 * SIDE * SIDE];
  for (int i = 0; i < 2 * WIDE; i++) memset(wide + 4 * i, i % WIDE / 4 % 250, 4);
  for (size_t i = 0; i < sizeof sides; i++) sides[i] = (uint8_t)i;
  view_rig r;
  make(&r);
  cdn_scene *scene;
  OK(cdn_scene_create(r.state, NULL, &scene));
  cdn_texture_def t = cdn_default_texture_def();
  t.width = WIDE, t.height = 2, t.rgba = wide;
  OK(cdn_scene_add_texture(scene, &t, NULL));
  t.width = SIDE, t.height = 6 * SIDE, t.cube = true, t.rgba = sides;
  OK(cdn_scene_add_texture(scene, &t, NULL));
  OK(cdn_scene_set_sky(scene, 1, cdn_rotation_identity()));
  cdn_visual_def v = cdn_default_visual_def();
  v.geometry = (cdn_geometry){ CDN_GEOMETRY_SPHERE, { 1 }, NULL };
  v.texture = 1, v.name = "painted", v.emission = 0.5;
  for (int i = 0; i < 2; i++) OK(cdn_scene_add_visual(scene, &v, NULL));
  v.texture = -1, v.name = "plain";
  OK(cdn_scene_add_visual(scene, &v, NULL));
  v.geometry.kind = CDN_GEOMETRY_HALF_SPACE, v.texture = 0, v.name = "plane", v.place[0][3] = 0.25;
  OK(cdn_scene_add_visual(scene, &v, NULL));
  cdn_light_def light = cdn_default_light_def();
  light.cutoff = 0.5, light.castshadow = false;
  OK(cdn_scene_add_light(scene, &light));

  view_looks looks;
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  OK(cdni_looks_make(scene, &a, &looks));
  ck_assert_int_eq(cdni_looks_count(&looks), 2 + 3); /* the hull, the ball, the sky */
  size_t n;
  uint32_t *words = encoded(&looks, 0, &n);
  const uint32_t head[5] = { 5, 0, WIDE / 4, 1, 0 };
  ck_assert_int_eq(memcmp(words, head, sizeof head), 0);
  ck_assert_uint_eq(n, sizeof head + 4 * WIDE / 4);
  for (int i = 0; i < WIDE / 4; i++) ck_assert_int_eq(((uint8_t *)(words + 5))[4 * i], i % 250);
  free(words);
  words = encoded(&looks, 1, &n);
  const uint32_t cube[5] = { 5, 1, SIDE, 6 * SIDE, 1 };
  ck_assert(memcmp(words, cube, sizeof cube) == 0 && n == sizeof cube + sizeof sides);
  ck_assert_int_eq(memcmp(words + 5, sides, sizeof sides), 0);
  free(words);
  for (int i = 0; i < 3; i++) { /* a hull without places, then a ball and a sky with them */
    words = encoded(&looks, 2 + i, &n);
    ck_assert(words[0] == 2 && words[1] == (uint32_t)i);
    ck_assert_uint_eq(n, 16 + (i ? 32 : 24) * (size_t)words[2] + 12 * (size_t)words[3]);
    free(words);
  }
  cdni_looks_free(&looks);

  r.def.scene = scene;
  live_rig_run(&r, NULL);
  const json_t *sky = json_object_get(r.model_text, "sky"), *visuals = json_object_get(r.model_text, "visuals");
  ck_assert(number_of(sky, "mesh") == 2 && number_of(sky, "texture") == 1);
  int painted = 0;
  for (size_t i = 0; i < json_array_size(visuals); i++) {
    const json_t *one = json_array_get(visuals, i);
    const char *name = text_of(one, "name");
    if (strcmp(name, "painted") == 0) {
      ck_assert(number_of(one, "texture") == 1 && number_of(one, "mesh") == 1 && number_of(one, "emission") == 0.5);
      ck_assert_str_eq(text_of(one, "shape"), "sphere");
      ck_assert_ptr_null(json_object_get(one, "specular")); /* as usual */
      painted++;
    } else if (strcmp(name, "plane") == 0) {
      const json_t *place = json_object_get(one, "place");
      ck_assert_uint_eq(json_array_size(place), 8);
      ck_assert(json_number_value(json_array_get(place, 3)) == 0.25 &&
                json_number_value(json_array_get(place, 5)) == 1);
      ck_assert_ptr_null(json_object_get(one, "mesh"));
    } else {
      ck_assert_ptr_null(json_object_get(one, "texture"));
    }
  }
  ck_assert_int_eq(painted, 2);
  const json_t *lamp = json_array_get(json_object_get(r.model_text, "lights"), 0);
  ck_assert(number_of(lamp, "cutoff") == 0.5 && json_is_false(json_object_get(lamp, "castshadow")));
  cdni_live_close(r.live), cdn_view_close(r.view); /* which show the scene */
  r.live = NULL, r.view = NULL;
  cdn_scene_destroy(scene);
  live_rig_drop(&r);
}
END_TEST

START_TEST(parameters_and_what_is_selected) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  ck_assert_ptr_null(
      live_rig_ask(&r, json_pack("{s:s,s:s,s:i}", "type", "parameters", "element_type", "force", "element", 1)));
  const json_t *list = json_object_get(r.parameters, "list");
  ck_assert_uint_eq(json_array_size(list), 4);
  ck_assert_str_eq(text_of(json_array_get(list, 0), "name"), "k");
  ck_assert(number_of(json_array_get(list, 0), "value") == 10 && number_of(json_array_get(list, 1), "value") == 0.25);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:s,s:i,s:i,s:f}", "type", "parameter", "element_type", "force",
                                                "element", 1, "index", 0, "value", 12.0)));
  double k;
  OK(cdn_element_get_parameters(cdni_live_shown(r.live), CDN_ELEMENT_FORCE, 1, 0, 1, &k));
  ck_assert(k == 12);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:i}", "type", "select", "body", 1)));
  ck_assert(number_of(r.selected, "body") == 1);
  ck_assert_str_eq(text_of(json_array_get(json_object_get(r.selected, "lines"), 0), "value"), "2 kg");
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:n}", "type", "select", "body")));
  ck_assert(json_is_null(json_object_get(r.selected, "body")));
  live_rig_drop(&r);
}
END_TEST

/* What a page says of a model in molecular units. */
START_TEST(units_are_those_of_the_model) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_SLIDER, b.mass = (cdn_mass_properties){ 2, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(r.system, &b);
  cdn_system_add_mobility_spring(r.system, "spring", body, 0, 10, 0.25);
  cdn_system_set_units(r.system, CDN_UNITS_MOLECULAR);
  live_rig_freeze(&r);
  live_rig_run(&r, NULL);
  const json_t *units = json_object_get(r.model_text, "units"), *time = json_object_get(r.model_text, "time");
  ck_assert_str_eq(text_of(units, "length"), "nm");
  ck_assert_str_eq(text_of(units, "mass"), "Da");
  ck_assert_str_eq(text_of(units, "energy"), "kJ/mol");
  ck_assert_str_eq(text_of(time, "unit"), "ps");
  ck_assert(number_of(time, "seconds") == 1);
  ck_assert_str_eq(text_of(json_array_get(json_object_get(r.model_text, "coordinates"), 0), "unit"), "nm");
  const json_t *series = json_object_get(r.model_text, "series");
  int energies = 0, forces = 0;
  for (size_t i = 0; i < json_array_size(series); i++) {
    const char *unit = text_of(json_array_get(series, i), "unit");
    ck_assert_msg(strcmp(unit, "J") != 0 && strcmp(unit, "N") != 0 && strcmp(unit, "m") != 0, "%s", unit);
    energies += strcmp(unit, "kJ/mol") == 0, forces += strcmp(unit, "kJ/mol/nm") == 0;
  }
  ck_assert(energies > 0 && forces > 0);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:i}", "type", "select", "body", 1)));
  ck_assert_str_eq(text_of(json_array_get(json_object_get(r.selected, "lines"), 0), "value"), "2 Da");
  ck_assert_str_eq(cdn_body_unit(r.system, body, CDN_POOL_U, 0), "nm/ps");
  cdn_parameter k;
  OK(cdn_element_parameter(r.system, CDN_ELEMENT_FORCE, 0, 0, &k));
  ck_assert_str_eq(k.unit, "kJ/mol/nm^2");
  ck_assert_str_eq(cdn_system_unit(r.system, "bushels"), "");
  live_rig_drop(&r);
}
END_TEST

CHECK_MAIN("messages of the viewer", frames_hold_poses_marks_and_values, poses_alone_make_a_frame,
           the_opening_describes_the_model, looks_are_messages, parameters_and_what_is_selected,
           units_are_those_of_the_model)
