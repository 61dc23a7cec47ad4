/* `cardan render`: pictures of models and of runs, seen by what is in them, and messages for what cannot be drawn. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <cairo.h>
#include <fcntl.h>
#include <png.h>
#include <stdlib.h>
#include <unistd.h>

static bool has_renderer(void) {
  write_file("ball.xml", "<mujoco><worldbody><body name='b' pos='0 0 1'><freejoint/><geom size='.3' rgba='0 0 1 1'/>"
                         "</body></worldbody></mujoco>");
  const int code = cardan("render ball.xml -o probe.png --size 64x48 --quiet");
  if (code == 0) return true;
  ck_assert_msg(strstr(errors, "without Embree") || strstr(errors, "without Cairo"), "%s", errors);
  return false;
}

#define NEEDS_RENDERER                                             \
  do {                                                             \
    enter_directory();                                             \
    if (!has_renderer()) SKIP("this cardan was built without it"); \
  } while (0)

/* Of the pixels that are rather blue than anything else: how many there are, and their middle. */
static int blue(const char *name, int size[2], double middle[2]) {
  cairo_surface_t *s = cairo_image_surface_create_from_png(name);
  ck_assert_msg(cairo_surface_status(s) == CAIRO_STATUS_SUCCESS, "%s is no PNG", name);
  size[0] = cairo_image_surface_get_width(s), size[1] = cairo_image_surface_get_height(s);
  const int stride = cairo_image_surface_get_stride(s);
  int n = 0;
  middle[0] = middle[1] = 0;
  for (int y = 0; y < size[1]; y++)
    for (int x = 0; x < size[0]; x++) {
      uint32_t c;
      memcpy(&c, cairo_image_surface_get_data(s) + y * stride + 4 * x, sizeof c);
      if ((c & 255) < 2 * (c >> 16 & 255) + 40) continue;
      n++, middle[0] += x + 0.5, middle[1] += y + 0.5;
    }
  middle[0] /= n, middle[1] /= n;
  cairo_surface_destroy(s);
  return n;
}

START_TEST(a_model_fills_its_picture) {
  NEEDS_RENDERER;
  int size[2];
  double middle[2];
  SUCCEEDS("render ball.xml -o ball.png --size 200x100");
  SAYS(output, "ball.png");
  const int n = blue("ball.png", size, middle);
  ck_assert_int_eq(size[0], 200);
  ck_assert_int_eq(size[1], 100);
  /* Some corner of the ball's box is at the picture's edge, less the margin. The edge's pixels are half blue. */
  const cdn_vec3 d = { 1, -0.8, 0.35 };
  cdn_view_point v;
  OK(cdn_fit_view(cdn_v3(-0.3, -0.3, 0.7), cdn_v3(0.3, 0.3, 1.3), d, cdn_v3(0, 0, 1), 2, &v));
  const double away = cdn_norm(cdn_sub(v.X_GC.p, cdn_v3(0, 0, 1)));
  const double radius = 50 / tan(0.3) * 0.3 / sqrt(away * away - 0.09);
  NEAR(n, PI * radius * radius, 2 * PI * radius * 0.75);
  NEAR(middle[0], 100, 1);
  NEAR(middle[1], 50, 1);
}
END_TEST

START_TEST(a_run_is_drawn_at_a_time) {
  NEEDS_RENDERER;
  int size[2];
  double early[2], late[2], end[2];
  SUCCEEDS("simulate ball.xml --duration 1 --report 1 -o real.csv --quiet");
  SUCCEEDS("render ball.xml real.csv --from 0,-1,0 --time 0.5 -o half.png");
  SUCCEEDS("render ball.xml real.csv --from 0,-1,0 -o end.png");
  blue("half.png", size, early);
  blue("end.png", size, end);
  NEAR(early[0], end[0], 1);
  /* beside a post that is longer than its way, the view stays, and sees it fall by g / 8 */
  write_file("still.xml",
             "<mujoco><worldbody><body name='b' pos='0 0 1'><freejoint/><geom size='.3' rgba='0 0 1 1'/>"
             "</body><body name='post' pos='0 0 -1'><geom type='box' size='.1 .1 3' rgba='1 1 1 1'/></body>"
             "</worldbody></mujoco>");
  SUCCEEDS("simulate still.xml --duration 0.5 --report 0.1 -o fall.csv --quiet --contact none");
  SUCCEEDS("render still.xml fall.csv --contact none --from 0,-1,0 --time 0 -o a.png");
  SUCCEEDS("render still.xml fall.csv --contact none --from 0,-1,0 --time 0.5 -o b.png");
  blue("a.png", size, early);
  blue("b.png", size, late);
  /* The post and the ball beside it are 6 m high: the corners nearest to the camera are 0.3 m before the middle. */
  const double away = 0.3 + 3 * 1.06 / tan(0.3);
  NEAR(late[1] - early[1], 9.81 / 8 * 360 / tan(0.3) / away, 2);
}
END_TEST

/* Rows have no statuses; pictures show those that follow: red where a box slips, blue where it sticks, as it does from
 * v / (mu g) on. */
START_TEST(a_run_is_drawn_with_its_statuses) {
  NEEDS_RENDERER;
  write_file("slides.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='.5' rgba='1 1 1 1'/>"
                           "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' friction='.5' "
                           "rgba='1 1 1 1'/></body></worldbody><keyframe><key name='thrown' qvel='1 0 0 0 0 0'/>"
                           "</keyframe></mujoco>");
  const double stops = 1 / (0.5 * 9.81);
  const char *how = "slides.xml slides.csv --contact rigid --show statuses --size 640x480";
  int size[2];
  double middle[2];
  SUCCEEDS("simulate slides.xml --key thrown --contact rigid --duration 0.3 --report 0.07 -o slides.csv --quiet");
  SUCCEEDS("render %s --time %.3f -o slips.png", how, 0.9 * stops);
  SUCCEEDS("render %s --time 0.29 -o sticks.png", how);
  ck_assert_int_eq(blue("slips.png", size, middle), 0);
  ck_assert_int_gt(blue("sticks.png", size, middle), 8);
}
END_TEST

START_TEST(every_frame_of_a_video_is_there) {
  NEEDS_RENDERER;
  SUCCEEDS("simulate ball.xml --duration 1 --report 0.25 -o run.csv --quiet");
  /* without ffmpeg */
  const char *path = getenv("PATH");
  char *kept = strdup(path ? path : "");
  setenv("PATH", "/nowhere", 1);
  const int code = cardan("render ball.xml run.csv -o film.mp4 --size 64x48 --fps 4 --samples 1");
  setenv("PATH", kept, 1);
  free(kept);
  ck_assert_msg(code == 0, "%s", errors);
  SAYS(errors, "ffmpeg is not here");
  for (int i = 0; i < 5; i++) {
    char name[64];
    snprintf(name, sizeof name, "film.mp4-%05d.png", i);
    ck_assert(exists(name));
  }
  ck_assert(!exists("film.mp4-00005.png"));
}
END_TEST

/* The camera goes once around: what is on the right is in the middle after a fourth of the turn, on the left after
 * half. */
START_TEST(an_orbit_needs_no_run) {
  NEEDS_RENDERER;
  write_file("beside.xml", "<mujoco><worldbody><body pos='1 0 1'><geom size='.1' rgba='0 0 1 1'/></body>"
                           "<body pos='-1 0 1'><geom size='.02' rgba='1 1 1 1'/></body></worldbody></mujoco>");
  const char *path = getenv("PATH");
  char *kept = strdup(path ? path : "");
  setenv("PATH", "/nowhere", 1); /* no ffmpeg: the frames are pictures */
  const int code = cardan("render beside.xml -o turn.mp4 --orbit 4 --from 0,-1,0 --size 200x100 --fps 1 --samples 1");
  setenv("PATH", kept, 1);
  free(kept);
  ck_assert_msg(code == 0, "%s", errors);
  int size[2];
  double middle[5][2];
  for (int i = 0; i < 5; i++) {
    char name[64];
    snprintf(name, sizeof name, "turn.mp4-%05d.png", i);
    ck_assert_int_gt(blue(name, size, middle[i]), 4);
    NEAR(middle[i][1], 50, 1); /* the turn is about the upright */
  }
  ck_assert(!exists("turn.mp4-00005.png"));
  ck_assert(middle[0][0] > 130);
  NEAR(middle[1][0], 100, 1);
  NEAR(middle[2][0], 200 - middle[0][0], 1);
  NEAR(middle[3][0], 100, 1);
  NEAR(middle[4][0], middle[0][0], 1);
  EXITS(2, "render beside.xml -o a.png --orbit 4");
  /* a long time is said before it is spent: one frame alone takes minutes, and the test waits at most 100 s */
  ck_assert_int_ne(cardan("render beside.xml -o long.mp4 --orbit 1000 --fps 100 --size 6000x4000 --samples 16 & "
                          "for i in $(seq 100); do grep -q 'frames take about' .errors && break; sleep 1; done; "
                          "kill -KILL $!; wait $!; exit 1"),
                   0);
  SAYS(errors, "long.mp4: 100001 frames take about ");
}
END_TEST

/* On a terminal a video says beforehand how long it takes, and then how far it is; a file gets nothing of that. */
START_TEST(a_video_says_how_long_it_takes) {
  NEEDS_RENDERER;
  static char told[4096];
  const char *video = "render ball.xml -o turn.gif --orbit 0.5 --fps 10 --size 64x48";
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) SKIP("there are no terminals here");
  SUCCEEDS("%s 2> %s", video, ptsname(terminal));
  size_t n = 0;
  for (ssize_t got; n < sizeof told - 1 && (got = read(terminal, told + n, sizeof told - 1 - n)) > 0;) n += (size_t)got;
  close(terminal);
  SAYS(told, "turn.gif: 6 frames take about ");
  SAYS(told, " of 6 frames ");
  SAYS(told, " s left");
  ck_assert(strstr(told, "take about") < strstr(told, " of 6 frames ")); /* beforehand */
  SUCCEEDS("%s", video);
  ck_assert(!strstr(errors, "take about") && !strstr(errors, "left"));
}
END_TEST

START_TEST(what_cannot_be_drawn_is_said) {
  NEEDS_RENDERER;
  EXITS(2, "render ball.xml -o ball.jpg");
  SAYS(errors, ".png");
  EXITS(2, "render ball.xml -o ball.mp4");
  SAYS(errors, "needs a run");
  SAYS(errors, "--orbit T");
  EXITS(2, "render ball.xml --size 0x4 -o a.png");
  EXITS(2, "render ball.xml --from 0,0,0 -o a.png");
  EXITS(2, "render ball.xml --show bones -o a.png");
  SAYS(errors, "joints");
  EXITS(2, "render ball.xml --camera front -o a.png");
  SAYS(errors, "no camera 'front'");
  EXITS(2, "render ball.xml --time 1 -o a.png");
  EXITS(3, "render ball.xml nothing.csv -o a.png");
  write_file("other.csv", "time,x\n0,1\n");
  EXITS(3, "render ball.xml other.csv -o a.png");
  SAYS(errors, "no run of this model");
  SUCCEEDS("simulate ball.xml --duration 1 --report 0.5 -o run.csv --quiet");
  EXITS(2, "render ball.xml run.csv --time 2 -o a.png");
  SAYS(errors, "from 0 to 1 s");
  EXITS(2, "render ball.xml run.csv run.csv -o a.png");
  EXITS(4, "render ball.xml -o nowhere/a.png");
  EXITS(2, "render");
}
END_TEST

/* Two bytes of a picture of depth. */
static int grey_at(png_structp png, png_infop info, int x, int y) {
  const png_bytep p = png_get_rows(png, info)[y] + 2 * x;
  return p[0] << 8 | p[1];
}

static const char *read_text(const char *name) {
  static char text[TEXT_SIZE];
  read_file(name, text);
  return text;
}

/* The numbers of an array of 4 bytes each, behind its head. */
static char *read_npy(const char *name, const char *shape, const char *type) {
  static char bytes[100000];
  FILE *file = fopen(name, "rb");
  ck_assert_ptr_nonnull(file);
  const size_t n = fread(bytes, 1, sizeof bytes - 1, file);
  fclose(file);
  ck_assert(n > 128 && memcmp(bytes, "\x93NUMPY\1", 7) == 0);
  const size_t head = 10u + (uint8_t)bytes[8] + 256u * (uint8_t)bytes[9];
  ck_assert_uint_eq(head % 64, 0);
  bytes[head - 1] = 0;
  SAYS(bytes + 10, shape);
  SAYS(bytes + 10, type);
  return bytes + head;
}

/* From the front at a distance that JSON tells: the ball's middle is its radius nearer. The picture has the array's
 * numbers, rounded to its unit, which it names itself. */
START_TEST(depth_is_a_picture_and_an_array) {
  NEEDS_RENDERER;
  SUCCEEDS("render ball.xml --depth --from 0,-1,0 --size 81x61 -o depth.npy");
  SAYS(output, "depth.npy: depth ");
  static float depth[81 * 61];
  memcpy(depth, read_npy("depth.npy", "(61,81,)", "f4"), sizeof depth);
  cdn_view_point v;
  OK(cdn_fit_view(cdn_v3(-0.3, -0.3, 0.7), cdn_v3(0.3, 0.3, 1.3), cdn_v3(0, -1, 0), cdn_v3(0, 0, 1), 81.0 / 61, &v));
  NEAR(depth[30 * 81 + 40], cdn_norm(cdn_sub(v.X_GC.p, cdn_v3(0, 0, 1))) - 0.3, 1e-7);
  ck_assert(isinf(depth[0]));
  SUCCEEDS("render ball.xml --depth --unit .001 --from 0,-1,0 --size 81x61 -o depth.png");
  SAYS(output, "in units of 0.001 m");
  FILE *file = fopen("depth.png", "rb");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_textp texts;
  png_init_io(png, file);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
  ck_assert_int_eq(png_get_bit_depth(png, info), 16);
  ck_assert_int_eq(png_get_color_type(png, info), PNG_COLOR_TYPE_GRAY);
  for (int i = 0; i < 81 * 61; i++)
    ck_assert_int_eq(grey_at(png, info, i % 81, i / 81), isinf(depth[i]) ? 0 : (int)floor(1e3 * depth[i] + 0.5));
  ck_assert_int_eq(png_get_text(png, info, &texts, NULL), 2);
  ck_assert_str_eq(texts[0].key, "cardan:depth-unit-m");
  NEAR(strtod(texts[0].text, NULL), 0.001, 0);
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
  SAYS(read_text("depth.png.json"), "\"unit_m\": 0.001");
}
END_TEST

/* The legend names what has the colour in the middle of the picture, and counts its pixels. */
START_TEST(segments_have_a_legend) {
  NEEDS_RENDERER;
  SUCCEEDS("render ball.xml --segmentation bodies --size 60x60 -o seg.npy");
  static int32_t id[60 * 60];
  memcpy(id, read_npy("seg.npy", "(60,60,)", "i4"), sizeof id);
  int pixels = 0;
  for (int i = 0; i < 60 * 60; i++) {
    ck_assert(id[i] == -1 || id[i] == 1);
    pixels += id[i] == 1;
  }
  ck_assert_int_gt(pixels, 500);
  SUCCEEDS("render ball.xml --segmentation shapes --size 60x60 -o seg.png");
  SAYS(output, "1 of 1 shapes");
  cairo_surface_t *s = cairo_image_surface_create_from_png("seg.png");
  ck_assert_int_eq(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
  uint32_t middle, corner;
  memcpy(&middle, cairo_image_surface_get_data(s) + 30 * cairo_image_surface_get_stride(s) + 4 * 30, 4);
  memcpy(&corner, cairo_image_surface_get_data(s), 4);
  cairo_surface_destroy(s);
  ck_assert_uint_eq(corner & 0xffffff, 0);
  char line[200];
  snprintf(line, sizeof line, "\"color\": \"#%06x\"", middle & 0xffffff);
  SAYS(read_text("seg.png.json"), line);
  snprintf(line, sizeof line, "\"kind\": \"sphere\", \"body\": \"b\", \"pixels\": %d}", pixels);
  SAYS(read_text("seg.png.json"), line);
  EXITS(2, "render ball.xml --segmentation hairs -o a.png");
  EXITS(2, "render ball.xml --segmentation bodies --depth -o a.png");
  EXITS(2, "render ball.xml --unit 1 -o a.png");
  EXITS(2, "render ball.xml --depth --show joints -o a.png");
  EXITS(2, "render ball.xml --depth -o a.mp4");
  SAYS(errors, ".npy");
  EXITS(4, "render ball.xml --depth -o nowhere/a.png");
  EXITS(4, "render ball.xml --depth -o nowhere/a.npy");
}
END_TEST

CHECK_MAIN("render", a_model_fills_its_picture, a_run_is_drawn_at_a_time, a_run_is_drawn_with_its_statuses,
           every_frame_of_a_video_is_there, an_orbit_needs_no_run, a_video_says_how_long_it_takes,
           depth_is_a_picture_and_an_array, segments_have_a_legend, what_cannot_be_drawn_is_said)
