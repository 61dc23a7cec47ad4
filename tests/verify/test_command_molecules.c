/* `cardan render` of molecules: a DCD trajectory is played, frame by frame, and atoms are where its positions are; what
 * is refused. */
#define _XOPEN_SOURCE 700
#include <cairo.h>
#include <stdlib.h>

#include "../unit/molecule_rig.h"
#include "command_run.h"

enum { FRAMES = 3 };
static const double HEIGHT[FRAMES] = { -0.1, 0, 0.1 }; /* of the nitrogen, nm */

/* Four atoms, of which the second one is nitrogen: it moves upward, between others that stay. */
static void write_molecule(void) {
  char *text = with(prmtop_text, "       1       6       6       1", "       1       7       6       1");
  write_file("m.prmtop", text);
  free(text);
  cdn_dcd_def def = cdn_default_dcd_def();
  cdn_dcd_writer *writer;
  def.n_atoms = 4, def.time_step = 0.002, def.first_step = 5, def.interval = 5;
  OK(cdn_dcd_create("m.dcd", &def, &writer));
  for (int k = 0; k < FRAMES; k++) {
    const cdn_vec3 x[4] = { { -0.3, 0, -0.2 }, { 0, 0, HEIGHT[k] }, { 0.2, 0.2, 0 }, { 0.3, 0, 0.2 } };
    OK(cdn_dcd_write(writer, x));
  }
  OK(cdn_dcd_finish(writer));
  write_file("m.inpcrd", "Four atoms\n    4\n  -3.0000000   0.0000000  -2.0000000   0.0000000   0.0000000  -1.0000000\n"
                         "   2.0000000   2.0000000   0.0000000   3.0000000   0.0000000   2.0000000\n");
}

/* The middle of the blue pixels, those of nitrogen; false: this command draws nothing. */
static bool nitrogen(const char *arguments, double *across, double *down) {
  const int code = cardan("render m.prmtop %s --from 0,-1,0 --size 240x180 -o a.png", arguments);
  if (code && (strstr(errors, "without Embree") || strstr(errors, "without Cairo"))) return false;
  ck_assert_msg(code == 0, "%s", errors);
  cairo_surface_t *s = cairo_image_surface_create_from_png("a.png");
  ck_assert(cairo_surface_status(s) == CAIRO_STATUS_SUCCESS);
  int n = 0;
  *across = *down = 0;
  for (int y = 0; y < 180; y++)
    for (int x = 0; x < 240; x++) {
      uint32_t c;
      memcpy(&c, cairo_image_surface_get_data(s) + y * cairo_image_surface_get_stride(s) + 4 * x, sizeof c);
      if ((c & 255) < 2 * (c >> 16 & 255) + 40) continue;
      n++, *across += x + 0.5, *down += y + 0.5;
    }
  cairo_surface_destroy(s);
  ck_assert_int_gt(n, 30);
  *across /= n, *down /= n;
  return true;
}

START_TEST(frames_are_drawn_at_their_times) {
  enter_directory();
  write_molecule();
  double x, low, middle, high, between, still;
  if (!nitrogen("m.dcd --time 0.01", &x, &low)) SKIP("this cardan was built without it");
  nitrogen("m.dcd --time 0.02", &x, &middle);
  nitrogen("m.dcd", &x, &high);
  NEAR(x, 120 - 0.5 * (120 - x), 20); /* not far from the middle: half of the bond is blue, too */
  ck_assert_msg(low > middle + 10 && middle > high + 10, "%g %g %g", low, middle, high);
  nitrogen("m.dcd --time 0.025", &x, &between);
  NEAR(between, (middle + high) / 2, 1.5);
  nitrogen("m.inpcrd", &x, &still);
  NEAR(still, low, 0.5);
}
END_TEST

START_TEST(each_frame_is_one_of_the_video) {
  enter_directory();
  write_molecule();
  double x, y;
  if (!nitrogen("m.inpcrd", &x, &y)) SKIP("this cardan was built without it");
  const char *path = getenv("PATH");
  char *kept = strdup(path ? path : "");
  setenv("PATH", "/nowhere", 1); /* without ffmpeg */
  const int code = cardan("render m.prmtop m.dcd -o film.mp4 --size 64x48");
  setenv("PATH", kept, 1);
  free(kept);
  ck_assert_msg(code == 0, "%s", errors);
  ck_assert(exists("film.mp4-00002.png") && !exists("film.mp4-00003.png"));
}
END_TEST

START_TEST(what_does_not_fit_is_refused) {
  enter_directory();
  write_molecule();
  double x, y;
  if (!nitrogen("m.inpcrd", &x, &y)) SKIP("this cardan was built without it");
  EXITS(2, "render m.prmtop -o a.png");
  SAYS(errors, "name its coordinates (inpcrd, rst7) or a DCD file");
  EXITS(2, "render m.prmtop m.dcd --time 0.5 -o a.png");
  SAYS(errors, "the run is from 0.01 to 0.03 ps");
  EXITS(2, "render m.prmtop m.dcd --key start -o a.png");
  SAYS(errors, "is a molecule: it has no keyframes");
  EXITS(2, "export m.prmtop m.dcd -o a.csv");
  SAYS(errors, "not exported");
  write_file("other.inpcrd", "One atom\n    1\n   1.0000000   2.0000000   3.0000000\n");
  EXITS(3, "render m.prmtop other.inpcrd -o a.png");
  SAYS(errors, "has 1 atom");
  write_file("bad.prmtop", "%%VERSION and nothing more\n");
  EXITS(3, "render bad.prmtop m.dcd -o a.png");
}
END_TEST

CHECK_MAIN("command_molecules", frames_are_drawn_at_their_times, each_frame_is_one_of_the_video,
           what_does_not_fit_is_refused)
