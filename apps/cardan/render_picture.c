/* Pictures as PNG files, with their text, and videos through ffmpeg. */
#define _POSIX_C_SOURCE 200809L
#include "render.h"

#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <png.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- pictures ------------------------------------------------------------------------------ */

/* Cairo's pixels are words of opacity, red, green, blue, multiplied by the opacity. */
static cairo_surface_t *to_cairo(const picture *p) {
  cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, p->width, p->height);
  if (cairo_surface_status(s) != CAIRO_STATUS_SUCCESS) return s;
  unsigned char *data = cairo_image_surface_get_data(s);
  const int stride = cairo_image_surface_get_stride(s);
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      const uint8_t *c = p->rgba + 4 * ((size_t)y * (size_t)p->width + (size_t)x);
      const uint32_t a = c[3];
      const uint32_t word =
          a << 24 | (c[0] * a + 127) / 255 << 16 | (c[1] * a + 127) / 255 << 8 | (c[2] * a + 127) / 255;
      memcpy(data + (size_t)y * (size_t)stride + 4 * (size_t)x, &word, sizeof word);
    }
  cairo_surface_mark_dirty(s);
  return s;
}

static void from_cairo(cairo_surface_t *s, picture *p) {
  cairo_surface_flush(s);
  const unsigned char *data = cairo_image_surface_get_data(s);
  const int stride = cairo_image_surface_get_stride(s);
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      uint32_t word;
      memcpy(&word, data + (size_t)y * (size_t)stride + 4 * (size_t)x, sizeof word);
      uint8_t *c = p->rgba + 4 * ((size_t)y * (size_t)p->width + (size_t)x);
      const uint32_t a = word >> 24;
      for (int k = 0; k < 3; k++) {
        const uint32_t part = word >> (16 - 8 * k) & 255;
        c[k] = (uint8_t)(a ? (part * 255 + a / 2) / a : 0);
      }
      c[3] = (uint8_t)a;
    }
}

void picture_labels(picture *p, const cdn_scene *scene, const cdn_renderer *renderer, const cdn_view_point *view) {
  int n, texts = 0;
  const cdn_mark *marks = cdn_scene_marks(scene, &n);
  for (int i = 0; i < n; i++) texts += marks[i].kind == CDN_MARK_TEXT;
  if (texts == 0) return;
  cairo_surface_t *s = to_cairo(p);
  cairo_t *c = cairo_create(s);
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, fmax(p->height / 55.0, 9));
  for (int i = 0; i < n; i++) {
    double at[2];
    if (marks[i].kind != CDN_MARK_TEXT || !cdn_renderer_project(renderer, view, marks[i].X_G.p, at)) continue;
    cairo_move_to(c, at[0] + 4, at[1] - 4);
    cairo_text_path(c, marks[i].text);
    cairo_set_source_rgba(c, 1, 1, 1, 0.8);
    cairo_set_line_width(c, 3);
    cairo_stroke_preserve(c);
    cairo_set_source_rgba(c, 0.1, 0.1, 0.1, 1);
    cairo_fill(c);
  }
  cairo_destroy(c);
  if (cairo_surface_status(s) == CAIRO_STATUS_SUCCESS) from_cairo(s, p);
  cairo_surface_destroy(s);
}

bool picture_write(const picture *p, const char *path) {
  png_image image = { .version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32)p->width,
                      .height = (png_uint_32)p->height,
                      .format = PNG_FORMAT_RGBA,
                      .flags = PNG_IMAGE_FLAG_FAST }; /* else it takes as long as drawing */
  errno = 0;
  if (png_image_write_to_file(&image, path, 0, p->rgba, 0, NULL)) return true;
  complain("%s: could not be written: %s", path, errno ? strerror(errno) : image.message);
  return false;
}

/* ---- videos -------------------------------------------------------------------------------- */

struct video {
  const char *path;
  pid_t encoder; /* 0: numbered pictures */
  FILE *pipe;
  int frames;
};

/* True if the encoder was started; its input is *to. */
static bool start_encoder(const char *path, const picture *p, double fps, bool fine, pid_t *encoder, int *to) {
  char size[32], rate[32], *file = allocate(strlen(path) + sizeof "file:", 1);
  int ends[2];
  snprintf(size, sizeof size, "%dx%d", p->width, p->height);
  snprintf(rate, sizeof rate, "%g", fps);
  const size_t length = strlen(path);
  const bool is_gif = length > 4 && strcmp(path + length - 4, ".gif") == 0;
  const char *filter = is_gif ? "split[a][b];[a]palettegen[p];[b][p]paletteuse" : "pad=ceil(iw/2)*2:ceil(ih/2)*2";
  const char *arguments[] = { "ffmpeg",
                              "-v",
                              "error",
                              "-y",
                              "-f",
                              "rawvideo",
                              "-pix_fmt",
                              "rgba",
                              "-s",
                              size,
                              "-r",
                              rate,
                              "-i",
                              "-",
                              "-filter_complex",
                              filter,
                              is_gif ? "-loop" : "-pix_fmt",
                              is_gif ? "0" : "yuv420p",
                              "-preset",
                              fine ? "medium" : "veryfast",
                              file,
                              NULL };
  sprintf(file, "file:%s", path); /* a name may begin with a dash */
  if (pipe(ends) != 0) {
    free(file);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  const int wrong = posix_spawnp(encoder, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  free(file);
  if (wrong) close(ends[1]);
  *to = ends[1];
  return !wrong;
}

video *video_open(const char *path, const picture *p, double fps, bool fine) {
  video *v = allocate(1, sizeof *v);
  int to;
  v->path = path;
  if (start_encoder(path, p, fps, fine, &v->encoder, &to)) {
    signal(SIGPIPE, SIG_IGN);
    v->pipe = fdopen(to, "wb");
    return v;
  }
  complain(
      "ffmpeg is not here, so that there is no video: the frames become %s-00000.png and so on (install ffmpeg for a "
      "video)",
      path);
  return v;
}

bool video_add(video *v, const picture *p) {
  const size_t bytes = 4 * (size_t)p->width * (size_t)p->height;
  const int number = v->frames++;
  if (v->pipe) {
    if (fwrite(p->rgba, 1, bytes, v->pipe) == bytes) return true;
    complain("%s: ffmpeg ended before the video did", v->path);
    return false;
  }
  char *name = allocate(strlen(v->path) + 32, 1);
  sprintf(name, "%s-%05d.png", v->path, number);
  const bool good = picture_write(p, name);
  free(name);
  return good;
}

bool video_close(video *v) {
  int status = 0;
  bool good = true;
  if (v->pipe) {
    good = fclose(v->pipe) == 0;
    while (waitpid(v->encoder, &status, 0) < 0 && errno == EINTR) {}
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) complain("%s: ffmpeg could not write the video", v->path);
  }
  free(v);
  return good;
}
