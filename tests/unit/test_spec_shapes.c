/* Shapes and assets of files, as data: types, sizes in the spec's way, poses on bodies, what they are for, files of
 * meshes. */
#include "testing.h"

#include <stdio.h>

static cdn_spec *spec;

static void read_text(const char *text, const char *name) {
  const cdn_status status = cdn_spec_load_string(text, strlen(text), name, NULL, &spec);
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

static cdn_spec_shape shape(int i) {
  cdn_spec_shape s;
  OK(cdn_spec_get_shape(spec, i, &s));
  return s;
}

static cdn_spec_asset asset(const char *name) {
  cdn_spec_asset a;
  const int i = cdn_spec_find(spec, CDN_SPEC_ASSET, name);
  ck_assert_msg(i >= 0, "there is no asset '%s'", name);
  OK(cdn_spec_get_asset(spec, i, &a));
  return a;
}

static const char mjcf[] =
    "<mujoco><compiler meshdir='meshes'/><default><geom rgba='1 0 0 1' friction='0.7'/><mesh scale='2 2 2'/></default>\n"
    "<asset><mesh file='sub/hand.stl'/><mesh name='foot' file='f.obj' scale='1 1 3'/>"
    "<texture name='wood' file='w.png'/><material name='oak' texture='wood' rgba='.1 .2 .3 .4'/>"
    "<hfield name='hills' nrow='2' ncol='2' size='1 2 3 4'/></asset>\n"
    "<worldbody><geom name='floor' type='plane' size='5 6 .1' contype='2' conaffinity='3' condim='6'/>\n"
    "<geom type='hfield' hfield='hills'/>\n"
    "<body name='arm' pos='0 0 1'><joint/><inertial mass='1' diaginertia='1 1 1' pos='0 0 0'/>\n"
    "<frame pos='1 0 0'><geom type='capsule' size='.1' fromto='0 0 0 0 0 2' rgba='0 1 0 1'/></frame>\n"
    "<geom type='box' size='1 2 3' quat='0 1 0 0' contype='0' conaffinity='0' group='2' material='oak'/>\n"
    "<geom name='hand' type='mesh' mesh='hand' friction='0.5 0.01 0.02'/></body></worldbody></mujoco>";

START_TEST(test_geoms) {
  read_text(mjcf, "m.xml");
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_SHAPE), 5);
  const cdn_spec_shape floor = shape(0), hills = shape(1), upper = shape(2), box = shape(3), hand = shape(4);
  ck_assert_str_eq(floor.name, "floor");
  ck_assert(floor.type == CDN_SHAPE_PLANE && !floor.body && floor.size[0] == 5 && floor.size[1] == 6);
  ck_assert(floor.contype == 2 && floor.conaffinity == 3 && floor.condim == 6 && floor.line == 3 && floor.collision);
  ck_assert(floor.friction[0] == 0.7 && floor.friction[1] == 0.005 && floor.rgba[0] == 1 && floor.rgba[1] == 0);
  ck_assert(hills.type == CDN_SHAPE_HFIELD);
  ck_assert_str_eq(hills.asset, "hills");
  ck_assert_str_eq(upper.body, "arm");
  ck_assert(upper.type == CDN_SHAPE_CAPSULE && upper.size[0] == 0.1 && upper.size[1] == 1 && upper.rgba[1] == 1);
  NEAR(upper.X_BS.p.x, 1, 0);
  NEAR(upper.X_BS.p.z, 1, 0);
  ck_assert(box.size[0] == 1 && box.size[2] == 3 && box.group == 2 && !box.collision && box.visual);
  ck_assert(box.X_BS.R.y.y == -1 && box.X_BS.R.z.z == -1); /* half a turn about x */
  ck_assert_str_eq(box.material, "oak");
  ck_assert(hand.type == CDN_SHAPE_MESH && hand.friction[0] == 0.5 && hand.friction[2] == 0.02);
  ck_assert_str_eq(hand.asset, "hand");
  cdn_spec_destroy(spec);
}
END_TEST

START_TEST(test_assets) {
  read_text(mjcf, "m.xml");
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_ASSET), 5);
  ck_assert_str_eq(asset("hand").file, "meshes/sub/hand.stl");
  ck_assert(asset("hand").scale[0] == 2 && asset("foot").scale[2] == 3 && asset("hand").type == CDN_ASSET_MESH);
  ck_assert_str_eq(asset("wood").file, "w.png");
  ck_assert(asset("oak").type == CDN_ASSET_MATERIAL && asset("oak").rgba[3] == 0.4);
  ck_assert_str_eq(asset("oak").texture, "wood");
  ck_assert(asset("hills").size[3] == 4 && !asset("hills").file);
  cdn_spec_destroy(spec);
  read_text("<mujoco><compiler strippath='true' meshdir='m'/><asset><mesh name='a' file='b/c/d.stl'/></asset></mujoco>",
            "m.xml");
  ck_assert_str_eq(asset("a").file, "m/d.stl");
  cdn_spec_destroy(spec);
}
END_TEST

static const char urdf[] =
    "<robot name='r'><material name='blue'><color rgba='0 0 1 1'/></material>\n"
    "<link name='base'><visual name='look'><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry>"
    "<material name='blue'/></visual>\n"
    "<collision><geometry><cylinder radius='.5' length='3'/></geometry></collision></link>\n"
    "<link name='tool'><visual><origin xyz='1 0 0'/><geometry><mesh filename='package://r/tool.dae' scale='1 1 2'/>"
    "</geometry><material name='grey'><color rgba='.5 .5 .5 1'/></material></visual>\n"
    "<collision><geometry><sphere radius='.2'/></geometry></collision>\n"
    "<visual><geometry><pyramid/></geometry></visual></link>\n"
    "<joint name='j' type='fixed'><parent link='base'/><child link='tool'/><origin xyz='0 0 3'/></joint></robot>";

START_TEST(test_visuals_and_collisions) {
  read_text(urdf, "r.urdf");
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_SHAPE), 4);
  const cdn_spec_shape look = shape(0), drum = shape(1), mesh = shape(2), ball = shape(3);
  ck_assert_str_eq(look.name, "look");
  ck_assert_str_eq(look.material, "blue");
  ck_assert(look.visual && !look.collision && look.contype == 0 && look.X_BS.p.z == 1);
  ck_assert(look.size[0] == 1 && look.size[1] == 2 && look.size[2] == 3); /* whole lengths become half ones */
  ck_assert(drum.type == CDN_SHAPE_CYLINDER && drum.size[0] == 0.5 && drum.size[1] == 1.5 && drum.collision);
  ck_assert(!drum.visual && drum.contype == 1);
  /* The tool is part of the base's body: its shapes are there, where the tool is. */
  ck_assert_str_eq(mesh.body, "base");
  ck_assert(mesh.X_BS.p.x == 1 && mesh.X_BS.p.z == 3 && ball.X_BS.p.z == 3 && ball.size[0] == 0.2);
  ck_assert(mesh.rgba[0] == 0.5 && asset("blue").rgba[2] == 1 && asset("grey").rgba[0] == 0.5);
  ck_assert_str_eq(asset(mesh.asset).file, "package://r/tool.dae");
  ck_assert(asset(mesh.asset).scale[2] == 2);
  cdn_spec_destroy(spec);
}
END_TEST

/* A robot moves without a shape that nobody understands. */
START_TEST(test_a_bad_shape_is_left_out_with_a_warning) {
  cdn_model *model;
  OK(cdn_model_load_string(urdf, strlen(urdf), "r.urdf", NULL, &model));
  ck_assert_int_eq(cdn_model_warning_count(model), 1);
  ck_assert_msg(strstr(cdn_model_warning(model, 0), "r.urdf:6:") && strstr(cdn_model_warning(model, 0), "left out"),
                "%s", cdn_model_warning(model, 0));
  ck_assert_int_eq(cdn_spec_count(cdn_model_spec(model), CDN_SPEC_SHAPE), 4);
  cdn_model_destroy(model);
}
END_TEST

/* No shape is lost without a word. */
START_TEST(test_a_type_that_is_none_is_refused) {
  OK(cdn_spec_create(NULL, &spec));
  cdn_spec_shape odd = cdn_default_spec_shape();
  odd.name = "odd", odd.type = (cdn_shape_type)77;
  OK(cdn_spec_add_shape(spec, &odd, NULL));
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model;
  cdn_error error;
  FAILS(cdn_model_build(spec, NULL, system, &model), CDN_ERR_ARG);
  cdn_model_last_error(model, &error);
  ck_assert_msg(strstr(error.text, "'odd'") && strstr(error.text, "77"), "%s", error.text);
  cdn_model_destroy(model);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
}
END_TEST

CHECK_MAIN("spec_shapes", test_geoms, test_assets, test_visuals_and_collisions, test_a_type_that_is_none_is_refused,
           test_a_bad_shape_is_left_out_with_a_warning)
