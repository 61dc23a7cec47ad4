/* A video of a run, drawn off screen: a spinning top that nods. With a file name, such as top.mp4, the frames go to
 * ffmpeg; without one the program draws a few small ones and looks at them. */
#define _POSIX_C_SOURCE 200809L
#include <cardan/core.h>
#include <cardan/geometry.h>
#include <cardan/scene.h>
#include <cardan/render.h>
#include <stdio.h>
#include <stdlib.h>

enum { FPS = 30, SECONDS = 4 };

static cdn_system *build(cdn_body *top) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "top", def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ .mass = 0.5, .com = { 0, 0, 0.2 }, .inertia = { 0.022, 0.022, 0.003, 0, 0, 0 } };
  *top = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  return system;
}

static cdn_status dress(cdn_scene *scene, cdn_body top) {
  cdn_visual_def v = cdn_default_visual_def();
  v.body = top, v.X_BV.p = cdn_v3(0, 0, 0.2), v.rgba[0] = 0.9;
  v.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 0.15, 0.15, 0.05 } };
  cdn_status status = cdn_scene_add_visual(scene, &v, NULL);
  v.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.01, 0.2 } };
  return status ? status : cdn_scene_add_visual(scene, &v, NULL);
}

/* How many pixels are not like the first. */
static int count_drawn(const unsigned char *rgba, int n) {
  int drawn = 0;
  for (int i = 1; i < n; i++) drawn += abs(rgba[4 * i] - rgba[0]) > 40;
  return drawn;
}

int main(int argc, char **argv) {
  if (!cdn_renderer_is_available()) return 77; /* this library draws nothing */
  const char *file = argc > 1 ? argv[1] : NULL;
  cdn_body top;
  cdn_system *system = build(&top);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_scene *scene = NULL;
  cdn_renderer *renderer = NULL;
  cdn_render_def picture = cdn_default_render_def();
  picture.width = file ? 640 : 64, picture.height = file ? 480 : 48;
  unsigned char *rgba = malloc(4 * (size_t)picture.width * (size_t)picture.height);

  cdn_status status = rgba ? cdn_system_freeze(system) : CDN_ERR_NOMEM;
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_body_set_q(state, top, 4, (const double[]){ 0.97, 0.24, 0, 0 });
  if (!status) status = cdn_body_set_u(state, top, 3, (const double[]){ 0, 0, 120 });
  if (!status) status = cdn_stepper_create(state, NULL, &stepper);
  if (!status) status = cdn_scene_create(state, NULL, &scene);
  if (!status) status = dress(scene, top);
  if (!status) status = cdn_renderer_create(scene, &picture, &renderer);
  cdn_view_point view = { .fovy = 0.8 };
  if (!status)
    status = cdn_fit_view(cdn_v3(-0.4, -0.4, 0), cdn_v3(0.4, 0.4, 0.5), cdn_v3(1, -0.6, 0.4), cdn_v3(0, 0, 1),
                          (double)picture.width / picture.height, &view);

  FILE *pipe = NULL;
  if (!status && file) {
    char command[512];
    snprintf(command, sizeof command,
             "ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgba -s %dx%d -r %d -i - -pix_fmt yuv420p '%s'",
             picture.width, picture.height, FPS, file);
    pipe = popen(command, "w");
  }
  int drawn = 0;
  const int frames = file ? FPS * SECONDS : 3;
  for (int i = 0; !status && i < frames; i++) {
    status = cdn_stepper_advance(stepper, (double)i / FPS, NULL);
    if (!status) status = cdn_scene_update(scene, cdn_stepper_state(stepper));
    if (!status) status = cdn_renderer_draw(renderer, &view, rgba);
    if (!status && pipe) fwrite(rgba, 4, (size_t)picture.width * (size_t)picture.height, pipe);
    if (!status) drawn = count_drawn(rgba, picture.width * picture.height);
  }
  const bool sent = !pipe || pclose(pipe) == 0;
  printf("%d of %d pixels show the top\n", drawn, picture.width * picture.height);
  if (status) fprintf(stderr, "record_video: %s\n", cdn_last_error_text());
  cdn_renderer_destroy(renderer), cdn_scene_destroy(scene), cdn_stepper_destroy(stepper);
  cdn_state_destroy(state), cdn_system_release(system);
  free(rgba);
  return !status && sent && drawn > 20 ? 0 : 1;
}
