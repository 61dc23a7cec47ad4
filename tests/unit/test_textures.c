/* Textures of model files in scenes: pixels, places, and what is said of pictures that cannot be had. */
#define _POSIX_C_SOURCE 200809L
#include "../testing.h"

#include <stdio.h>

#include <png.h>
#ifdef TEST_JPEG
#  include <jpeglib.h>
#endif
#include <stdlib.h>
#include <unistd.h>

#ifdef TEST_ASSIMP
enum { HAS_ASSIMP = 1 };
#else
enum { HAS_ASSIMP = 0 };
#endif

static char directory[200], model_path[300];

/* Files are in a directory of the test's own, beside the model. */
static const char *in_directory(const char *name) {
  static char path[4][300];
  static int next;
  if (!directory[0]) {
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/cardan_textures_XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
  }
  char *p = path[next++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(in_directory(name), "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
}

/* A PNG in which pixel (row, column) is (10 row, 10 column, tint); with an opacity, which no model has. */
static void write_picture(const char *name, int width, int height, int tint) {
  png_image image = { .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)height };
  unsigned char rgba[4 * 64];
  image.format = PNG_FORMAT_RGBA;
  for (int i = 0; i < width * height; i++) {
    const int pixel[4] = { 10 * (i / width), 10 * (i % width), tint, 200 };
    for (int k = 0; k < 4; k++) rgba[4 * i + k] = (unsigned char)pixel[k];
  }
  ck_assert(png_image_write_to_file(&image, in_directory(name), 0, rgba, 0, NULL));
}

typedef struct rig {
  cdn_model *model;
  cdn_state *state;
  cdn_scene *scene;
} rig;

static rig load(const char *name, const char *text) {
  rig r;
  cdn_model_options untouched = cdn_default_model_options();
  untouched.contact = CDN_MODEL_NO_CONTACT;
  write_text(name, text);
  snprintf(model_path, sizeof model_path, "%s", in_directory(name));
  OK(cdn_model_load(model_path, &untouched, &r.model));
  OK(cdn_state_create(cdn_model_system(r.model), &r.state));
  OK(cdn_model_create_scene(r.model, r.state, NULL, &r.scene));
  return r;
}

static void drop(rig *r) {
  cdn_scene_destroy(r->scene);
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
}

static cdn_texture_def texture_at(const rig *r, int i) {
  cdn_texture_def t;
  OK(cdn_scene_texture(r->scene, i, &t));
  return t;
}

static cdn_visual visual_at(const rig *r, int i) {
  cdn_visual v;
  OK(cdn_scene_visual(r->scene, i, &v));
  return v;
}

static void pixel_is(const cdn_texture_def *t, int row, int column, int red, int green, int blue) {
  const uint8_t *p = t->rgba + 4 * (row * t->width + column);
  const int expected[4] = { red, green, blue, 255 };
  for (int k = 0; k < 4; k++)
    ck_assert_msg(p[k] == expected[k], "%s (%d, %d) has %d in place of %d at %d", t->name, row, column, p[k],
                  expected[k], k);
}

/* MuJoCo cuts a colour of 0 to 1 to a byte. */
#define BYTE(x) ((int)(255 * (x)))

START_TEST(pictures_of_files) {
  write_picture("a.png", 4, 3, 77);
  rig r = load(
      "files.xml",
      "<mujoco><asset><texture name='a' type='2d' file='a.png'/><texture name='h' type='2d' file='a.png' hflip='true'/>"
      "<texture name='v' type='2d' file='a.png' vflip='true'/><material name='a' texture='a' texrepeat='2 3' rgba='.5 1 1 1'/>"
      "<material name='h' texture='h' texuniform='true'/><material name='v' texture='v'/></asset><worldbody>"
      "<geom type='box' size='.5 .25 1' material='a'/><geom type='plane' size='4 5 1' material='h'/>"
      "<geom type='plane' size='0 0 1' material='v'/></worldbody></mujoco>");
  ck_assert_int_eq(cdn_scene_texture_count(r.scene), 3);
  ck_assert_int_eq(cdn_model_warning_count(r.model), 0);
  const cdn_texture_def a = texture_at(&r, 0), h = texture_at(&r, 1), v = texture_at(&r, 2);
  ck_assert_str_eq(a.name, "a");
  ck_assert(a.width == 4 && a.height == 3 && !a.cube);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      pixel_is(&a, i, j, 10 * i, 10 * j, 77);
      pixel_is(&h, i, j, 10 * i, 10 * (3 - j), 77);
      pixel_is(&v, i, j, 10 * (2 - i), 10 * j, 77);
    }
  /* N pictures on the face that is seen from +z: from its left to its right and from its top (+y) to its bottom; on 2
   * m, if uniform */
  const cdn_visual box = visual_at(&r, 0), plane = visual_at(&r, 1), endless = visual_at(&r, 2);
  const double of_box[2][4] = { { 2, 0, 0, -0.5 }, { 0, -6, 0, -0.5 } };
  const double of_plane[2][4] = { { 0.5, 0, 0, -0.5 }, { 0, -0.5, 0, -0.5 } };
  for (int k = 0; k < 8; k++) {
    NEAR((&box.place[0][0])[k], (&of_box[0][0])[k], 1e-15);
    NEAR((&plane.place[0][0])[k], (&of_plane[0][0])[k], 1e-15);
    NEAR((&endless.place[0][0])[k], (&of_plane[0][0])[k], 1e-15);
  }
  ck_assert(box.texture == 0 && plane.texture == 1 && box.rgba[0] == 0.5);
  drop(&r);
}
END_TEST

#ifdef TEST_JPEG
static void write_jpeg(const char *name) {
  struct jpeg_compress_struct c;
  struct jpeg_error_mgr errors;
  FILE *file = fopen(in_directory(name), "wb");
  unsigned char row[3 * 16];
  JSAMPROW rows = row;
  for (int i = 0; i < 16; i++) row[3 * i] = 200, row[3 * i + 1] = 100, row[3 * i + 2] = 40;
  c.err = jpeg_std_error(&errors);
  jpeg_create_compress(&c);
  jpeg_stdio_dest(&c, file);
  c.image_width = 16, c.image_height = 8, c.input_components = 3, c.in_color_space = JCS_RGB;
  jpeg_set_defaults(&c);
  jpeg_set_quality(&c, 100, TRUE);
  jpeg_start_compress(&c, TRUE);
  for (int i = 0; i < 8; i++) jpeg_write_scanlines(&c, &rows, 1);
  jpeg_finish_compress(&c);
  jpeg_destroy_compress(&c);
  fclose(file);
}
#endif

/* One colour survives JPEG, but for its turn into luminance and back; what is no picture behind the first bytes is
 * named. */
START_TEST(pictures_of_jpeg) {
#ifndef TEST_JPEG
  SKIP("there is no libjpeg");
#else
  write_jpeg("a.jpg");
  write_text("b.jpg", "\xff\xd8\xff\xe0 and then nothing of a picture");
  rig r = load("jpeg.xml",
               "<mujoco><asset><texture name='a' type='2d' file='a.jpg'/><texture name='b' type='2d' file='b.jpg'/>"
               "<material name='a' texture='a'/><material name='b' texture='b'/></asset>"
               "<worldbody><geom size='1' material='a'/><geom size='1' material='b'/></worldbody></mujoco>");
  const cdn_texture_def t = texture_at(&r, 0);
  ck_assert(cdn_scene_texture_count(r.scene) == 1 && t.width == 16 && t.height == 8);
  for (int i = 0; i < 16 * 8; i++) {
    const int expected[4] = { 200, 100, 40, 255 };
    for (int k = 0; k < 4; k++) ck_assert_int_le(abs(t.rgba[4 * i + k] - expected[k]), 2);
  }
  ck_assert_int_eq(cdn_model_warning_count(r.model), 1);
  ck_assert_ptr_nonnull(strstr(cdn_model_warning(r.model, 0), "b.jpg' is broken: "));
  drop(&r);
#endif
}
END_TEST

START_TEST(cubes_of_files) {
  write_picture("grid.png", 8, 6, 5); /* 4 x 3 squares of 2 pixels */
  write_picture("side.png", 2, 2, 9);
  write_picture("back.png", 2, 2, 11);
  rig r = load(
      "cubes.xml",
      "<mujoco><asset><texture name='grid' file='grid.png' gridsize='3 4' gridlayout='.U..LFRB.D..' rgb1='1 0 0'/>"
      "<texture name='part' type='cube' file='grid.png' gridsize='3 4' gridlayout='......F' rgb1='1 0 0'/>"
      "<texture name='same' type='cube' file='side.png'/>"
      "<texture name='six' type='cube' fileright='side.png' fileback='back.png' rgb1='0 1 0'/>"
      "<material name='grid' texture='grid'/><material name='part' texture='part'/><material name='same' texture='same'/>"
      "<material name='six' texture='six' texuniform='true'/></asset><worldbody>"
      "<geom type='box' size='1 2 3' material='grid'/><geom size='1' material='part'/><geom size='1' material='same'/>"
      "<geom type='box' size='1 2 3' material='six'/></worldbody></mujoco>");
  ck_assert_int_eq(cdn_model_warning_count(r.model), 0);
  const cdn_texture_def grid = texture_at(&r, 0), part = texture_at(&r, 1), same = texture_at(&r, 2),
                        six = texture_at(&r, 3);
  ck_assert(grid.cube && grid.width == 2 && grid.height == 12);
  /* right, left, up, down, front, back: where their squares are in the picture */
  static const int square[6][2] = { { 1, 2 }, { 1, 0 }, { 0, 1 }, { 2, 1 }, { 1, 1 }, { 1, 3 } };
  for (int side = 0; side < 6; side++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        pixel_is(&grid, 2 * side + i, j, 10 * (2 * square[side][0] + i), 10 * (2 * square[side][1] + j), 5);
        if (side == 4) pixel_is(&part, 8 + i, j, 10 * (2 + i), 10 * (4 + j), 5);
        else pixel_is(&part, 2 * side + i, j, 255, 0, 0);
        pixel_is(&same, 2 * side + i, j, 10 * i, 10 * j, 9);
        if (side == 0 || side == 5) pixel_is(&six, 2 * side + i, j, 10 * i, 10 * j, side ? 11 : 9);
        else pixel_is(&six, 2 * side + i, j, 0, 255, 0);
      }
  const cdn_visual unit = visual_at(&r, 0), real = visual_at(&r, 3);
  for (int k = 0; k < 3; k++) {
    NEAR(unit.place[k][k], 1.0 / (k + 1), 1e-15); /* around the box as if it had unit size */
    NEAR(real.place[k][k], 1, 1e-15);
  }
  drop(&r);
}
END_TEST

START_TEST(textures_of_mujoco) {
  rig r = load(
      "own.xml",
      "<mujoco><asset><texture type='skybox' builtin='gradient' rgb1='.4 .6 .8' rgb2='.1 .2 .3' width='5' height='30'/>"
      "<texture name='c' type='2d' builtin='checker' rgb1='.9 .1 .2' rgb2='.3 .4 .5' mark='cross' markrgb='1 1 1' width='4' height='6'/>"
      "<texture name='e' type='cube' builtin='checker' rgb1='.9 .1 .2' rgb2='.3 .4 .5' mark='edge' markrgb='0 0 1' width='6' height='1'/>"
      "<texture name='f' type='cube' builtin='flat' rgb1='.9 .1 .2' rgb2='.3 .4 .5' width='3' height='18'/>"
      "<texture name='r' type='2d' builtin='flat' mark='random' random='.25' rgb1='0 0 0' markrgb='1 1 1' width='200' height='200'/>"
      "<material name='c' texture='c'/><material name='e' texture='e'/><material name='f' texture='f'/><material name='r' texture='r'/>"
      "</asset><worldbody><geom type='plane' size='1 1 1' material='c'/><geom size='1' material='e'/>"
      "<geom size='1' material='f'/><geom size='1' material='r'/></worldbody></mujoco>");
  const int one[3] = { BYTE(.9), BYTE(.1), BYTE(.2) }, two[3] = { BYTE(.3), BYTE(.4), BYTE(.5) };
  const cdn_texture_def c = texture_at(&r, 0), e = texture_at(&r, 1), f = texture_at(&r, 2), random = texture_at(&r, 3),
                        sky = texture_at(&r, 4);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 4; j++) {
      const int *own = (i < 3) == (j < 2) ? one : two;
      if (i == 3 || j == 2) pixel_is(&c, i, j, 255, 255, 255);
      else pixel_is(&c, i, j, own[0], own[1], own[2]);
    }
  for (int side = 0; side < 6; side++) {
    const int *first = side < 4 ? one : two, *below = side == 3 ? two : one;
    pixel_is(&e, 6 * side + 1, 1, first[0], first[1], first[2]);
    pixel_is(&e, 6 * side + 5, 3, 0, 0, 255);
    pixel_is(&f, 3 * side + 1, 2, below[0], below[1], below[2]);
  }
  int dots = 0; /* binomial: 40000 draws of 1/4 have the deviation 87 */
  for (int i = 0; i < 200 * 200; i++) dots += random.rgba[4 * i] == 255;
  ck_assert_int_lt(abs(dots - 10000), 5 * 87);
  /* the sky: half of each colour at the horizon, all of the first one straight above */
  ck_assert_int_eq(cdn_scene_sky(r.scene, NULL), 4);
  ck_assert(sky.cube && sky.width == 5 && sky.height == 30);
  pixel_is(&sky, 2, 1, BYTE(.25), BYTE(.4), BYTE(.55));
  pixel_is(&sky, 5 * 2 + 2, 2, BYTE(.4), BYTE(.6), BYTE(.8));
  pixel_is(&sky, 5 * 3 + 2, 2, BYTE(.1), BYTE(.2), BYTE(.3));
  drop(&r);
}
END_TEST

/* ---- meshes ---- */

static const char square_obj[] =
    "mtllib square.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 0.5\nvt 0.25 0.5\n"
    "usemtl painted\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";

/* Each corner has the place that the file gives its vertex: v is from the bottom there. */
static void check_square(const rig *r, int i, double scale_x) {
  const cdn_visual v = visual_at(r, i);
  cdn_painted_triangles t;
  ck_assert_ptr_nonnull(v.corners);
  OK(cdn_scene_triangles(r->scene, i, 8, 1, &t));
  ck_assert_int_eq(t.triangles.n_triangles, 2);
  ck_assert_int_eq(t.triangles.n_vertices, 6);
  for (int k = 0; k < 6; k++) {
    const float *p = t.triangles.positions + 3 * k, *at = t.places + 2 * k;
    const double x = (double)p[0] / scale_x, y = (double)p[1];
    const double u = y == 0 ? x / 2 : x == 0 ? 0.25 : 1, from_below = 0.5 * y;
    NEAR((double)at[0], u, 1e-7);
    NEAR((double)at[1], 1 - from_below, 1e-7);
  }
  cdn_painted_triangles_free(&t);
}

START_TEST(meshes_of_mjcf_have_their_places) {
  if (!HAS_ASSIMP) SKIP("there is no assimp");
  write_picture("a.png", 4, 3, 77);
  write_text("square.obj", square_obj);
  rig r = load("mesh.xml",
               "<mujoco><asset><mesh name='s' file='square.obj' inertia='shell'/>"
               "<mesh name='m' file='square.obj' scale='-1 1 1' inertia='shell'/>"
               "<texture name='a' type='2d' file='a.png'/><material name='a' texture='a' texrepeat='5 5'/></asset>"
               "<worldbody><geom type='mesh' mesh='s' material='a'/><geom type='mesh' mesh='m' material='a'/>"
               "<geom type='mesh' mesh='s'/></worldbody></mujoco>");
  ck_assert_int_eq(cdn_scene_texture_count(r.scene), 1);
  check_square(&r, 0, 1);
  check_square(&r, 1, -1);
  ck_assert_int_eq(visual_at(&r, 2).texture, -1); /* MuJoCo does not read .mtl */
  drop(&r);
}
END_TEST

static const char box_dae[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><up_axis>Z_UP</up_axis></asset>"
    "<library_images><image id='i' name='i'><init_from>a.png</init_from></image></library_images>"
    "<library_effects><effect id='e'><profile_COMMON>"
    "<newparam sid='s'><surface type='2D'><init_from>i</init_from></surface></newparam>"
    "<newparam sid='t'><sampler2D><source>s</source></sampler2D></newparam>"
    "<technique sid='common'><lambert><diffuse><texture texture='t' texcoord='UV'/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>"
    "<library_materials><material id='m' name='m'><instance_effect url='#e'/></material></library_materials>"
    "<library_geometries><geometry id='g'><mesh>"
    "<source id='p'><float_array id='pa' count='9'>0 0 0 2 0 0 2 1 0</float_array><technique_common><accessor source='#pa' count='3' stride='3'>"
    "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>"
    "<source id='u'><float_array id='ua' count='6'>0 0 1 0 1 0.5</float_array><technique_common><accessor source='#ua' count='3' stride='2'>"
    "<param name='S' type='float'/><param name='T' type='float'/></accessor></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
    "<triangles count='1' material='m'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='TEXCOORD' source='#u' offset='1' set='0'/>"
    "<p>0 0 1 1 2 2</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id='vs'><node id='n'><instance_geometry url='#g'><bind_material><technique_common>"
    "<instance_material symbol='m' target='#m'><bind_vertex_input semantic='UV' input_semantic='TEXCOORD' input_set='0'/></instance_material>"
    "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url='#vs'/></scene></COLLADA>";

START_TEST(meshes_of_urdf_have_the_looks_of_their_files) {
  if (!HAS_ASSIMP) SKIP("there is no assimp");
  write_picture("a.png", 4, 3, 77);
  write_text("square.obj", square_obj);
  write_text("square.mtl", "newmtl painted\nKd 0.2 0.4 0.6\nmap_Kd a.png\n");
  write_text("plain.obj", "mtllib plain.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nusemtl plain\nf 1 2 3\n");
  write_text("plain.mtl", "newmtl plain\nKd 0.2 0.4 0.6\n");
  write_text("square.dae", box_dae);
  rig r = load(
      "robot.urdf",
      "<robot name='r'><link name='l'>"
      "<visual><geometry><mesh filename='square.obj'/></geometry></visual><visual><geometry><mesh filename='plain.obj'/></geometry></visual>"
      "<visual><geometry><mesh filename='square.dae'/></geometry></visual>"
      "<visual><geometry><box size='1 1 1'/></geometry><material name='wood'><texture filename='a.png'/></material></visual>"
      "<visual><geometry><mesh filename='square.obj'/></geometry><material name='red'><color rgba='1 0 0 1'/></material></visual>"
      "</link></robot>");
  ck_assert_int_eq(cdn_scene_visual_count(r.scene), 5);
  ck_assert_int_eq(cdn_scene_texture_count(r.scene), 1); /* each file once */
  check_square(&r, 0, 1);
  ck_assert(visual_at(&r, 0).rgba[0] == 1 && visual_at(&r, 0).rgba[2] == 1);
  const cdn_visual plain = visual_at(&r, 1), dae = visual_at(&r, 2);
  ck_assert_int_eq(plain.texture, -1);
  for (int k = 0; k < 3; k++) NEAR(plain.rgba[k], 0.2 * (k + 1), 1e-7);
  ck_assert(dae.texture == 0 && dae.corners);
  const float expected[6] = { 0, 1, 1, 1, 1, 0.5f };
  for (int k = 0; k < 6; k++) NEAR((double)dae.corners[k], (double)expected[k], 1e-7);
  ck_assert_int_eq(visual_at(&r, 3).texture, 0);
  ck_assert(visual_at(&r, 4).texture == -1 && visual_at(&r, 4).rgba[1] == 0);
  drop(&r);
}
END_TEST

/* ---- cubes around shapes ---- */

/* OpenGL's table: the direction to the right and down of each side. */
static void place_of(const double d[3], double place[2], int *side) {
  static const int right[6][2] = { { 2, -1 }, { 2, 1 }, { 0, 1 }, { 0, 1 }, { 0, 1 }, { 0, -1 } };
  static const int down[6][2] = { { 1, -1 }, { 1, -1 }, { 2, 1 }, { 2, -1 }, { 1, -1 }, { 1, -1 } };
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(d[k]) > fabs(d[axis])) axis = k;
  *side = 2 * axis + (d[axis] < 0);
  const double major = fabs(d[axis]);
  place[0] = 0.5 + 0.5 * right[*side][1] * d[right[*side][0]] / major;
  place[1] = 0.5 + 0.5 * down[*side][1] * d[down[*side][0]] / major;
}

/* Within each triangle the places, which are linear in it, are where the directions say, to a 256th of a side; and
 * none is outside of its side. */
static void check_cube(cdn_geometry g, const double scale[3]) {
  enum { SIDE = 64 };
  static uint8_t pixels[4 * 6 * SIDE * SIDE];
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state;
  cdn_scene *scene;
  cdn_painted_triangles t;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK(cdn_scene_create(state, NULL, &scene));
  cdn_texture_def texture = cdn_default_texture_def();
  texture.width = SIDE, texture.height = 6 * SIDE, texture.cube = true, texture.rgba = pixels;
  cdn_visual_def def = cdn_default_visual_def();
  def.geometry = g;
  for (int k = 0; k < 3; k++) def.place[k][k] = scale[k];
  OK(cdn_scene_add_texture(scene, &texture, &def.texture));
  OK(cdn_scene_add_visual(scene, &def, NULL));
  OK(cdn_scene_triangles(scene, 0, 32, 1, &t));
  double area = 0;
  for (int i = 0; i < t.triangles.n_triangles; i++) {
    const int32_t *c = t.triangles.indices + 3 * i;
    double middle[3], at[2] = { 0 }, place[2];
    int side;
    cdn_vec3 p[3];
    for (int k = 0; k < 3; k++) middle[k] = 0;
    for (int j = 0; j < 3; j++) {
      const float *v = t.triangles.positions + 3 * c[j];
      p[j] = cdn_v3((double)v[0], (double)v[1], (double)v[2]);
      for (int k = 0; k < 3; k++) middle[k] += scale[k] * (double)v[k] / 3;
      for (int k = 0; k < 2; k++) at[k] += (double)t.places[2 * c[j] + k] / 3;
    }
    const double own = 0.5 * cdn_norm(cdn_cross(cdn_sub(p[1], p[0]), cdn_sub(p[2], p[0])));
    area += own;
    if (own < 1e-9) continue; /* as at the poles: it may be on an edge of the cube, on either side */
    place_of(middle, place, &side);
    const double inset = 0.5 / SIDE;
    NEAR(at[0], inset + (1 - 2 * inset) * place[0], 1.0 / 128);
    NEAR(6 * at[1] - side, inset + (1 - 2 * inset) * place[1], 1.0 / 128);
    for (int j = 0; j < 3; j++) {
      const double u = (double)t.places[2 * c[j]], v = 6 * (double)t.places[2 * c[j] + 1] - side;
      ck_assert(u >= inset - 1e-6 && u <= 1 - inset + 1e-6 && v >= inset - 1e-5 && v <= 1 - inset + 1e-5);
    }
  }
  /* dividing loses nothing */
  cdn_triangles whole;
  OK(cdn_geometry_triangles(&g, 32, 1, &whole));
  double expected = 0;
  for (int i = 0; i < whole.n_triangles; i++) {
    cdn_vec3 p[3];
    for (int j = 0; j < 3; j++) {
      const float *v = whole.positions + 3 * whole.indices[3 * i + j];
      p[j] = cdn_v3((double)v[0], (double)v[1], (double)v[2]);
    }
    expected += 0.5 * cdn_norm(cdn_cross(cdn_sub(p[1], p[0]), cdn_sub(p[2], p[0])));
  }
  NEAR(area, expected, 1e-5 * expected);
  cdn_triangles_free(&whole);
  cdn_painted_triangles_free(&t);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_system_release(system);
}

START_TEST(cubes_are_around_shapes) {
  const double one[3] = { 1, 1, 1 }, unit[3] = { 1, 1 / 0.5, 1 / 0.25 };
  check_cube((cdn_geometry){ CDN_GEOMETRY_SPHERE, { 0.7 }, NULL }, one);
  check_cube((cdn_geometry){ CDN_GEOMETRY_BOX, { 1, 0.5, 0.25 }, NULL }, unit);
  check_cube((cdn_geometry){ CDN_GEOMETRY_BOX, { 1, 0.5, 0.25 }, NULL }, one); /* faces that are on several sides */
  check_cube((cdn_geometry){ CDN_GEOMETRY_CAPSULE, { 0.1, 0.5 }, NULL }, one);
  check_cube((cdn_geometry){ CDN_GEOMETRY_CYLINDER, { 0.3, 0.1 }, NULL }, one);
}
END_TEST

/* ---- mistakes ---- */

START_TEST(pictures_that_cannot_be_had) {
  write_text("b.png", "GIF89a, not what its name says");
  write_picture("a.png", 4, 3, 77);
  static const struct {
    const char *texture, *words;
  } wrong[] = {
    { "type='2d' file='none.png'", "none.png' cannot be opened: No such file" },
    { "type='2d' file='b.png'", "b.png' is no PNG and no JPEG: convert it to PNG" },
    { "type='2d' file='package://nowhere/x.png'", "it was looked for in " },
    { "type='cube' file='a.png'", "its picture has 4 x 3 pixels, which are not 1 x 1 squares" },
    { "type='cube' file='a.png' gridsize='3 4' gridlayout='..X'", "its gridlayout '..X' has another character" },
    { "type='cube' file='a.png' gridsize='5 4'", "its grid has 5 x 4 squares: there must be 1 to 12" },
    { "type='cube' fileup='a.png'", "a.png' has 4 x 3 pixels: the sides of a cube are squares" },
    { "type='cube'", "it has neither a file nor a builtin texture" },
    { "type='cube' builtin='flat' width='100000' height='1'", "it has 100000 x 100000 pixels: at most 4096 a side" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><asset><texture name='t' %s/><material name='m' texture='t'/></asset><worldbody>"
             "<geom size='1' material='m'/><geom size='2' material='m'/></worldbody></mujoco>",
             wrong[i].texture);
    rig r = load("wrong.xml", text);
    ck_assert_int_eq(cdn_scene_texture_count(r.scene), 0);
    ck_assert_int_eq(cdn_scene_visual_count(r.scene), 2);
    ck_assert_int_eq(visual_at(&r, 0).texture, -1);
    ck_assert_int_eq(cdn_model_warning_count(r.model), 1);
    const char *said = cdn_model_warning(r.model, 0);
    ck_assert_msg(strstr(said, "pictures are drawn without textures: 't'; the first: ") && strstr(said, wrong[i].words),
                  "%s", said);
    drop(&r);
  }
}
END_TEST

/* A PNG that is cut anywhere, or has one bit wrong, is drawn or named: nothing else happens. */
START_TEST(damaged_pictures) {
  static const char text[] =
      "<mujoco><asset><texture name='t' type='2d' file='d.png'/><material name='m' texture='t'/></asset>"
      "<worldbody><geom size='1' material='m'/></worldbody></mujoco>";
  unsigned char bytes[2000];
  write_picture("whole.png", 8, 8, 30);
  FILE *file = fopen(in_directory("whole.png"), "rb");
  const size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(n > 50 && n < sizeof bytes);
  int drawn = 0, named = 0;
  for (size_t i = 0; i < 2 * n; i++) {
    const size_t length = i < n ? i : n;
    file = fopen(in_directory("d.png"), "wb");
    if (i >= n) bytes[i - n] ^= 1;
    fwrite(bytes, 1, length, file);
    fclose(file);
    if (i >= n) bytes[i - n] ^= 1;
    rig r = load("d.xml", text);
    const bool has = cdn_scene_texture_count(r.scene) == 1;
    drawn += has, named += !has;
    ck_assert_int_eq(cdn_model_warning_count(r.model), !has);
    if (!has) ck_assert_ptr_nonnull(strstr(cdn_model_warning(r.model, 0), "d.png' is "));
    drop(&r);
  }
  ck_assert_msg(named > (int)n / 2, "%d drawn, %d named", drawn, named);
}
END_TEST

START_TEST(wrong_textures_of_programs) {
  rig r = load("empty.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  uint8_t pixels[4 * 6 * 4] = { 0 };
  cdn_texture_def t = cdn_default_texture_def();
  FAILS(cdn_scene_add_texture(r.scene, &t, NULL), CDN_ERR_ARG);
  t.width = 2, t.height = 2, t.rgba = pixels;
  cdn_texture_def wrong[4] = { t, t, t, t };
  wrong[0].rgba = NULL, wrong[1].height = 16385, wrong[2].cube = true, wrong[3].width = -1;
  for (int i = 0; i < 4; i++) FAILS(cdn_scene_add_texture(r.scene, &wrong[i], NULL), CDN_ERR_ARG);
  int flat, cube;
  OK(cdn_scene_add_texture(r.scene, &t, &flat));
  t.cube = true, t.height = 12;
  OK(cdn_scene_add_texture(r.scene, &t, &cube));
  FAILS(cdn_scene_set_sky(r.scene, flat, cdn_rotation_identity()), CDN_ERR_ARG);
  FAILS(cdn_scene_set_sky(r.scene, 7, cdn_rotation_identity()), CDN_ERR_ARG);
  FAILS(cdn_scene_set_sky(r.scene, cube, (cdn_rotation){ { 1, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }), CDN_ERR_ARG);
  cdn_painted_triangles p;
  FAILS(cdn_scene_sky_triangles(r.scene, &p), CDN_ERR_ARG);
  OK(cdn_scene_set_sky(r.scene, cube, cdn_rotation_identity()));
  OK(cdn_scene_sky_triangles(r.scene, &p));
  cdn_painted_triangles_free(&p);
  OK(cdn_scene_set_sky(r.scene, -1, cdn_rotation_identity()));
  ck_assert_int_eq(cdn_scene_sky(r.scene, NULL), -1);
  FAILS(cdn_scene_triangles(r.scene, 99, 8, 1, &p), CDN_ERR_ARG);
  cdn_visual_def def = cdn_default_visual_def();
  const float corners[6] = { 0 };
  def.geometry = (cdn_geometry){ CDN_GEOMETRY_SPHERE, { 1 }, NULL };
  cdn_visual_def bad[4] = { def, def, def, def };
  bad[0].texture = 2, bad[1].place[1][2] = NAN, bad[2].corners = corners, bad[2].texture = flat,
  bad[3].emission = INFINITY;
  for (int i = 0; i < 4; i++) FAILS(cdn_scene_add_visual(r.scene, &bad[i], NULL), CDN_ERR_ARG);
  cdn_light_def light = cdn_default_light_def();
  cdn_light_def dark[4] = { light, light, light, light };
  dark[0].cutoff = 0, dark[1].exponent = -1, dark[2].attenuation[0] = 0, dark[3].attenuation[1] = NAN;
  for (int i = 0; i < 4; i++) FAILS(cdn_scene_add_light(r.scene, &dark[i]), CDN_ERR_ARG);
  drop(&r);
}
END_TEST

/* What else a file says of looks arrives as it is. */
START_TEST(materials_and_lights) {
  rig r = load(
      "looks.xml",
      "<mujoco><asset><material name='m' specular='.1' shininess='.2' emission='.3' reflectance='.4'/></asset><worldbody>"
      "<light cutoff='30' exponent='3' attenuation='1 .5 .25' castshadow='false'/><light/><light type='point'/>"
      "<geom type='plane' size='1 1 1' material='m'/><geom size='1'/></worldbody></mujoco>");
  const cdn_visual v = visual_at(&r, 0), usual = visual_at(&r, 1);
  ck_assert(v.specular == .1 && v.shininess == .2 && v.emission == .3 && v.reflectance == .4);
  ck_assert(usual.specular == .5 && usual.shininess == .5 && usual.emission == 0 && usual.reflectance == 0);
  cdn_light_def l[3];
  for (int i = 0; i < 3; i++) OK(cdn_scene_light(r.scene, i, &l[i]));
  NEAR(l[0].cutoff, PI / 6, 1e-15);
  ck_assert(l[0].exponent == 3 && !l[0].castshadow && l[0].attenuation[1] == .5 && l[0].attenuation[2] == .25);
  NEAR(l[1].cutoff, PI / 4, 1e-15);
  ck_assert(l[1].exponent == 10 && l[1].castshadow && l[1].attenuation[0] == 1 && l[1].attenuation[1] == 0);
  NEAR(l[2].cutoff, PI, 1e-15);
  ck_assert(l[2].exponent == 0);
  ck_assert_int_eq(cdn_model_warning_count(r.model), 0);
  drop(&r);
}
END_TEST

CHECK_MAIN("textures", pictures_of_files, pictures_of_jpeg, cubes_of_files, textures_of_mujoco,
           meshes_of_mjcf_have_their_places, meshes_of_urdf_have_the_looks_of_their_files, cubes_are_around_shapes,
           pictures_that_cannot_be_had, damaged_pictures, wrong_textures_of_programs, materials_and_lights)
