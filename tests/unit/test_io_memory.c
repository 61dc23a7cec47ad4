/* Models whose files are in the memory of the program that loads them. */
#include "../testing.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef TEST_ASSIMP
enum { HAS_ASSIMP = 1 };
#else
enum { HAS_ASSIMP = 0 };
#endif

typedef struct memory_file {
  const char *path;
  const void *bytes;
  size_t size;
  int asked;
} memory_file;

enum { MOST_FILES = 12 };

typedef struct memory {
  memory_file files[MOST_FILES];
  int n;
  bool disk_too; /* what is not here may be on the disk */
  cdn_status otherwise;
} memory;

static void keep(memory *m, const char *path, const void *bytes, size_t size) {
  ck_assert_int_lt(m->n, MOST_FILES);
  m->files[m->n++] = (memory_file){ path, bytes, size, 0 };
}

static void keep_text(memory *m, const char *path, const char *text) { keep(m, path, text, strlen(text)); }

static cdn_status read_memory(void *user, const char *path, const void **bytes, size_t *size) {
  memory *m = user;
  for (int i = 0; i < m->n; i++)
    if (strcmp(m->files[i].path, path) == 0) {
      *bytes = m->files[i].bytes, *size = m->files[i].size;
      m->files[i].asked++;
      return CDN_OK;
    }
  return m->disk_too ? CDN_OK : m->otherwise ? m->otherwise : CDN_ERR_FILE;
}

static void all_were_asked(const memory *m) {
  for (int i = 0; i < m->n; i++) ck_assert_msg(m->files[i].asked > 0, "nobody asked for '%s'", m->files[i].path);
}

static cdn_model_options options_for(memory *m) {
  cdn_model_options options = cdn_default_model_options();
  options.read_file = read_memory, options.read_file_user = m;
  options.strict = true;
  return options;
}

static cdn_model *load(memory *m, const char *path) {
  cdn_model *model;
  cdn_error error;
  const cdn_model_options options = options_for(m);
  const cdn_status status = cdn_model_load(path, &options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return model;
}

/* The lower 32 bits of a number, as MuJoCo's and STL's files have them. */
static unsigned char *put(unsigned char *to, uint32_t word) {
  for (int k = 0; k < 4; k++) *to++ = (unsigned char)(word >> 8 * k);
  return to;
}
static unsigned char *put_float(unsigned char *to, double x) {
  const float f = (float)x;
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  return put(to, word);
}

static size_t make_field(unsigned char *to) {
  unsigned char *at = put(put(to, 2), 3);
  for (int i = 0; i < 6; i++) at = put_float(at, i);
  return (size_t)(at - to);
}

static size_t make_msh(unsigned char *to) {
  static const double v[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const unsigned t[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
  unsigned char *at = put(put(put(put(to, 4), 0), 0), 4);
  for (int i = 0; i < 12; i++) at = put_float(at, v[i]);
  for (int i = 0; i < 12; i++) at = put(at, t[i]);
  return (size_t)(at - to);
}

static size_t make_picture(unsigned char *to, size_t room) {
  png_image image = { .version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = PNG_FORMAT_RGB };
  static const unsigned char rgb[12] = { 1, 2, 3, 40, 50, 60, 7, 8, 9, 100, 110, 120 };
  png_alloc_size_t size = room;
  ck_assert(png_image_write_to_memory(&image, to, &size, 0, rgb, 0, NULL));
  return size;
}

/* The main file, what it includes and attaches, a mesh, a height field, a picture. */
START_TEST(mjcf_without_a_disk) {
  memory m = { .n = 0 };
  unsigned char field[100], msh[400], picture[1000];
  keep_text(
      &m, "nowhere/robot/main.xml",
      "<mujoco><compiler meshdir='meshes'/><include file='assets.xml'/><asset><model name='tool' "
      "file='../tool.xml'/></asset><worldbody><geom type='hfield' hfield='hills'/>"
      "<geom type='plane' size='1 1 1' material='paint'/><body name='arm'><freejoint/><geom type='mesh' mesh='wedge' "
      "density='6000'/><attach model='tool' body='hand' prefix='t_'/></body></worldbody></mujoco>");
  keep_text(
      &m, "nowhere/robot/assets.xml",
      "<mujoco><asset><mesh name='wedge' file='wedge.msh' inertia='exact'/><hfield name='hills' file='hills.bin' "
      "size='1 1 1 .1'/><texture name='paint' type='2d' file='paint.png'/><material name='paint' texture='paint'/>"
      "</asset></mujoco>");
  keep_text(
      &m, "nowhere/robot/../tool.xml",
      "<mujoco><worldbody><body name='hand' pos='0 0 1'><joint/><geom size='.1' mass='2'/></body></worldbody></mujoco>");
  keep(&m, "nowhere/robot/meshes/hills.bin", field, make_field(field));
  keep(&m, "nowhere/robot/meshes/wedge.msh", msh, make_msh(msh));
  keep(&m, "nowhere/robot/paint.png", picture, make_picture(picture, sizeof picture));
  cdn_model *model = load(&m, "nowhere/robot/main.xml");
  const cdn_system *system = cdn_model_system(model);
  cdn_state *state;
  cdn_scene *scene;
  cdn_texture_def texture;
  OK(cdn_state_create(system, &state));
  NEAR(cdn_body_mass_properties(state, cdn_model_find_body(model, "arm")).mass, 1000, 1e-9); /* a sixth of a cube */
  NEAR(cdn_body_mass_properties(state, cdn_model_find_body(model, "t_hand")).mass, 2, 1e-12);
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  ck_assert_int_eq(cdn_scene_texture_count(scene), 1);
  OK(cdn_scene_texture(scene, 0, &texture));
  ck_assert_int_eq(texture.rgba[4], 40);
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  all_were_asked(&m);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* A package, a mesh with its materials, SRDF beside the model. */
START_TEST(urdf_without_a_disk) {
  if (!HAS_ASSIMP) SKIP("there is no assimp");
  static const char mesh[] = "mtllib look.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\n"
                             "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  memory m = { .n = 0 };
  keep_text(
      &m, "ws/robot_description/urdf/r.urdf",
      "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://robot_description/meshes/w.obj'/>"
      "</geometry></visual><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
      "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint><link name='b'/></robot>");
  keep_text(&m, "ws/robot_description/urdf/r.srdf",
            "<robot name='r'><disable_collisions link1='a' link2='b'/></robot>");
  keep_text(&m, "ws/robot_description/meshes/w.obj", mesh);
  keep_text(&m, "ws/robot_description/meshes/look.mtl", "newmtl red\nKd 1 0 0\n");
  cdn_model *model = load(&m, "ws/robot_description/urdf/r.urdf");
  cdn_state *state;
  cdn_scene *scene;
  cdn_visual v;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  bool red = false;
  for (int i = 0; i < cdn_scene_visual_count(scene); i++) {
    OK(cdn_scene_visual(scene, i, &v));
    red = red || (v.rgba[0] == 1 && v.rgba[1] == 0);
  }
  ck_assert(red);
  all_were_asked(&m);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* A text in memory may name files in memory; a spec keeps the function for building. */
START_TEST(in_steps) {
  static const char text[] = "<mujoco><worldbody><include file='body.xml'/></worldbody></mujoco>";
  memory m = { .n = 0 };
  unsigned char msh[400];
  keep_text(&m, "body.xml",
            "<mujoco><body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='box' "
            "size='1 1 1'/><geom type='mesh' mesh='wedge'/></body></mujoco>");
  keep_text(&m, "main.xml", text);
  keep(&m, "wedge.msh", msh, make_msh(msh));
  cdn_model_options options = options_for(&m);
  cdn_spec *spec;
  OK(cdn_spec_load_string(text, strlen(text), "main.xml", &options, &spec));
  cdn_spec_asset mesh = cdn_default_spec_asset();
  mesh.name = "wedge", mesh.type = CDN_ASSET_MESH, mesh.file = "wedge.msh";
  OK(cdn_spec_add_asset(spec, &mesh, NULL));
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model;
  OK(cdn_model_build(spec, NULL, system, &model));
  ck_assert_int_eq(m.files[2].asked > 0, true);
  ck_assert_int_eq(cdn_system_shape_count(system), 2);
  cdn_model_destroy(model);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
}
END_TEST

/* What is nowhere is said to be nowhere, and the disk is not asked unless the function sends there. */
START_TEST(missing_files_are_named) {
  char path[1200];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/examples/models/pendulum.xml", root ? root : ".");
  cdn_error error;
  cdn_model *model;
  memory m = { .n = 0 };
  cdn_model_options options = options_for(&m);
  ck_assert_int_eq(cdn_model_load(path, &options, &model), CDN_ERR_FILE);
  cdn_model_last_error(model, &error);
  ck_assert_msg(strstr(error.text, "No such file"), "%s", error.text);
  cdn_model_destroy(model);

  m.disk_too = true;
  cdn_model_destroy(load(&m, path));

  m.disk_too = false, m.otherwise = CDN_ERR_CALLBACK;
  keep_text(&m, "main.xml", "<mujoco><include file='lost.xml'/></mujoco>");
  ck_assert_int_eq(cdn_model_load("main.xml", &options, &model), CDN_ERR_FILE);
  cdn_model_last_error(model, &error);
  ck_assert_msg(strstr(error.text, "main.xml:1") && strstr(error.text, "'lost.xml'"), "%s", error.text);
  cdn_model_destroy(model);

  m.files[0].bytes = "", m.files[0].size = 0;
  ck_assert_int_eq(cdn_model_load("main.xml", &options, &model), CDN_ERR_PARSE);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("io_memory", mjcf_without_a_disk, urdf_without_a_disk, in_steps, missing_files_are_named)
