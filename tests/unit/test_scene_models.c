/* Scenes: how models of files are dressed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "scene_rig.h"

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

CHECK_MAIN("scene models", a_model_is_dressed, planes_have_patterns, meshes_have_the_colours_of_their_files,
           what_is_not_there_is_seen_by_what_touches)
