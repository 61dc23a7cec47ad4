/* `cardan render`: pictures of models and of runs, seen by what is in them, and messages for what cannot be drawn. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <cairo.h>
#include <fcntl.h>
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

CHECK_MAIN("render", a_model_fills_its_picture, a_run_is_drawn_at_a_time, every_frame_of_a_video_is_there,
           an_orbit_needs_no_run, a_video_says_how_long_it_takes, what_cannot_be_drawn_is_said)
