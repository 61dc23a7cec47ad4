/* Pictures of depth, and of which shape or body is where: as PNG for people and for programs that read depth cameras,
 * as arrays of numbers, and what they mean as JSON. */
#include <cardan/mobilizers.h>

#include "npy.h"
#include "render.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* ---- PNG ----------------------------------------------------------------------------------- */

typedef struct measured_png {
  int width, height, bits, color;
  size_t row; /* bytes */
  const uint8_t *bytes;
  png_text texts[2]; /* what the numbers are, for programs that have only the picture */
  int n_texts;
} measured_png;

static void keep_message(png_structp png, png_const_charp message) {
  snprintf(png_get_error_ptr(png), 200, "%s", message);
  png_longjmp(png, 1);
}
static void ignore_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

/* False: *message is why. The library jumps out of its calls. */
static bool write_rows(const measured_png *p, FILE *file, char message[200]) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, keep_message, ignore_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, p->bits, p->color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(png, info, p->texts, p->n_texts);
  png_write_info(png, info);
  for (int i = 0; i < p->height; i++) png_write_row(png, p->bytes + (size_t)i * p->row);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  return true;
}

static bool write_png(const measured_png *p, const char *path) {
  char message[200] = "out of memory";
  FILE *file = fopen(path, "wb");
  if (file && write_rows(p, file, message)) return finish_output(file, path);
  complain("%s: could not be written: %s", path, file ? message : strerror(errno));
  if (file) fclose(file);
  return false;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static FILE *open_legend(const char *path) {
  char *name = allocate(strlen(path) + sizeof ".json", 1);
  sprintf(name, "%s.json", path);
  FILE *file = fopen(name, "wb");
  if (!file) complain("%s: could not be written: %s", name, strerror(errno));
  free(name);
  return file;
}

static void write_vector(json_writer *w, const char *key, cdn_vec3 v) { jw_numbers(w, key, &v.x, 3); }

/* What a program needs to make points of pixels. */
static void write_camera(json_writer *w, const render_arguments *a, const cdn_view_point *view, const char *of) {
  jw_text(w, "picture", a->output);
  jw_text(w, "of", of);
  jw_integer(w, "width", a->width);
  jw_integer(w, "height", a->height);
  jw_object(w, "camera", false);
  write_vector(w, "position", view->X_GC.p);
  write_vector(w, "right", view->X_GC.R.x);
  write_vector(w, "up", view->X_GC.R.y);
  write_vector(w, "back", view->X_GC.R.z);
  jw_number(w, "fovy", view->fovy);
  jw_number(w, "focal_pixels", 0.5 * a->height / tan(0.5 * view->fovy));
  jw_close(w);
}

/* ---- depth --------------------------------------------------------------------------------- */

enum { FARTHEST = 65535 };

/* 1, 2 or 5 times a power of ten, the least with which the model's box has a depth below FARTHEST. Planes without end
 * go on behind it. */
static double unit_that_fits(const cdn_scene *scene, const cdn_view_point *view) {
  static const double steps[] = { 1, 2, 5, 10 };
  cdn_vec3 least, most;
  double far = 0;
  cdn_scene_bounds(scene, &least, &most);
  for (int i = 0; i < 8; i++) {
    const cdn_vec3 corner = { i & 1 ? most.x : least.x, i & 2 ? most.y : least.y, i & 4 ? most.z : least.z };
    far = fmax(far, cdn_dot(cdn_sub(view->X_GC.p, corner), view->X_GC.R.z));
  }
  const double needed = (far > 0 ? far : 1) / (FARTHEST - 1), power = pow(10, floor(log10(needed)));
  int i = 0;
  while (i < 3 && steps[i] * power < needed) i++;
  return steps[i] * power;
}

/* Two bytes, the higher one first. */
static uint8_t *to_grey(const float *depth, size_t n, double unit) {
  uint8_t *bytes = allocate(2 * n, 1);
  for (size_t i = 0; i < n; i++) {
    const double steps = depth[i] / unit;
    const unsigned grey = isinf(depth[i]) ? 0 : steps < FARTHEST ? (unsigned)fmax(steps + 0.5, 1) : FARTHEST;
    bytes[2 * i] = (uint8_t)(grey >> 8), bytes[2 * i + 1] = (uint8_t)(grey & 255);
  }
  return bytes;
}

static bool write_grey(const render_arguments *a, const float *depth, double unit) {
  char text[CDN_NUMBER_SIZE];
  cdn_number_text(unit, text);
  uint8_t *bytes = to_grey(depth, (size_t)a->width * (size_t)a->height, unit);
  const measured_png png = {
    .width = a->width,
    .height = a->height,
    .bits = 16,
    .color = PNG_COLOR_TYPE_GRAY,
    .row = 2 * (size_t)a->width,
    .bytes = bytes,
    .texts = { { .compression = PNG_TEXT_COMPRESSION_NONE, .key = (char[]){ "cardan:depth-unit-m" }, .text = text },
               { .compression = PNG_TEXT_COMPRESSION_NONE,
                 .key = (char[]){ "Description" },
                 .text = (char[]){ "depth along the camera's axis in units; 0: nothing, 65535: "
                                   "beyond" } } },
    .n_texts = 2
  };
  const bool good = write_png(&png, a->output);
  free(bytes);
  return good;
}

static bool tell_depth(const render_arguments *a, const cdn_view_point *view, const float *depth, double unit) {
  const size_t n = (size_t)a->width * (size_t)a->height;
  float least = INFINITY, most = 0;
  int64_t nothing = 0;
  for (size_t i = 0; i < n; i++) {
    nothing += isinf(depth[i]);
    least = fminf(least, depth[i]);
    if (!isinf(depth[i])) most = fmaxf(most, depth[i]);
  }
  FILE *file = open_legend(a->output);
  if (!file) return false;
  json_writer w = jw_begin(file);
  write_camera(&w, a, view, "depth");
  jw_text(&w, "along", "the camera's axis");
  jw_number(&w, "unit_m", unit);
  jw_number(&w, "least_m", least);
  jw_number(&w, "most_m", nothing < (int64_t)n ? most : NAN);
  jw_integer(&w, "pixels_of_nothing", nothing);
  jw_end(&w);
  if (!finish_output(file, a->output)) return false;
  char text[CDN_NUMBER_SIZE], near[CDN_NUMBER_SIZE], far[CDN_NUMBER_SIZE];
  if (a->model.quiet) return true;
  if (nothing == (int64_t)n) printf("%s: nothing is in the picture\n", a->output);
  else printf("%s: depth %s to %s m", a->output, rounded((double)least, near), rounded((double)most, far));
  if (nothing < (int64_t)n && !ends_in(a->output, ".npy")) printf(", in units of %s m", rounded(unit, text));
  if (nothing < (int64_t)n) printf("\n");
  return true;
}

static int write_depth(const render_arguments *a, cdn_scene *scene, cdn_renderer *renderer,
                       const cdn_view_point *view) {
  const size_t axes[2] = { (size_t)a->height, (size_t)a->width };
  const bool is_array = ends_in(a->output, ".npy");
  float *depth = allocate(axes[0] * axes[1], sizeof *depth);
  int code = CMD_FAILED;
  if (cdn_renderer_measure(renderer, view, depth, NULL, NULL) == CDN_OK) {
    const double unit = is_array ? 1 : a->unit > 0 ? a->unit : unit_that_fits(scene, view);
    const bool good = is_array ? npy_write(a->output, NPY_FLOAT, 2, axes, depth) : write_grey(a, depth, unit);
    code = good && tell_depth(a, view, depth, unit) ? CMD_OK : CMD_OUTPUT;
  }
  free(depth);
  return code;
}

/* ---- segmentation -------------------------------------------------------------------------- */

/* Each number below 2^24 - 1 has a colour of its own, unlike those of its neighbours, and not black: the multiplier is
 * odd, so that products modulo 2^24 differ. It is the golden section's: Knuth, The Art of Computer Programming 3, 6.4.
 */
static uint32_t color_of(int32_t id) { return ((uint32_t)id + 1) * 0x9e3779u & 0xffffff; }

static bool of_bodies(const render_arguments *a) { return strcmp(a->segmentation, "bodies") == 0; }

/* Numbers of visuals become those of their bodies. */
static void name_bodies(const cdn_scene *scene, size_t n, int32_t *id) {
  cdn_visual v;
  for (size_t i = 0; i < n; i++)
    if (id[i] >= 0) id[i] = cdn_scene_visual(scene, id[i], &v) == CDN_OK ? v.body.i : -1;
}

static bool write_colors(const render_arguments *a, const int32_t *id) {
  const size_t n = (size_t)a->width * (size_t)a->height;
  uint8_t *bytes = allocate(3 * n, 1);
  for (size_t i = 0; i < n; i++) {
    const uint32_t c = id[i] < 0 ? 0 : color_of(id[i]);
    bytes[3 * i] = (uint8_t)(c >> 16), bytes[3 * i + 1] = (uint8_t)(c >> 8), bytes[3 * i + 2] = (uint8_t)c;
  }
  const measured_png png = { .width = a->width,
                             .height = a->height,
                             .bits = 8,
                             .color = PNG_COLOR_TYPE_RGB,
                             .row = 3 * (size_t)a->width,
                             .bytes = bytes,
                             .texts = { { .compression = PNG_TEXT_COMPRESSION_NONE,
                                          .key = (char[]){ "Description" },
                                          .text = (char[]){ "a colour for each shape or body; black: nothing" } } },
                             .n_texts = 1 };
  const bool good = write_png(&png, a->output);
  free(bytes);
  return good;
}

static void write_entry(json_writer *w, int32_t id, int64_t pixels, const char *name, const char *kind,
                        const char *body) {
  char color[8];
  snprintf(color, sizeof color, "#%06x", (unsigned)color_of(id));
  jw_object(w, NULL, true);
  jw_integer(w, "id", id);
  jw_text(w, "color", color);
  jw_text(w, "name", name);
  jw_text(w, "kind", kind);
  if (body) jw_text(w, "body", body);
  jw_integer(w, "pixels", pixels);
  jw_close(w);
}

/* Writes the legend, and counts what is in the picture, of how many. */
static void write_entries(json_writer *w, const render_arguments *a, const cdn_scene *scene, const int64_t *pixels,
                          int *seen, int *all) {
  const cdn_system *system = cdn_scene_system(scene);
  for (int i = 0; of_bodies(a) && i < cdn_system_body_count(system); i++) {
    const cdn_body body = { i };
    *seen += pixels[i] > 0, ++*all;
    write_entry(w, i, pixels[i], cdn_body_name(system, body),
                i == 0 ? "ground" : cdn_mobilizer_name(cdn_body_mobilizer(system, body)), NULL);
  }
  for (int i = 0; !of_bodies(a) && i < cdn_scene_visual_count(scene); i++) {
    cdn_visual v;
    if (cdn_scene_visual(scene, i, &v) != CDN_OK || v.collision != a->collision) continue;
    *seen += pixels[i] > 0, ++*all;
    write_entry(w, i, pixels[i], v.name, cdn_geometry_kind_name(v.geometry.kind), cdn_body_name(system, v.body));
  }
}

static bool tell_segments(const render_arguments *a, const cdn_scene *scene, const cdn_view_point *view,
                          const int32_t *id) {
  const size_t n = (size_t)a->width * (size_t)a->height;
  const int most = of_bodies(a) ? cdn_system_body_count(cdn_scene_system(scene)) : cdn_scene_visual_count(scene);
  int64_t *pixels = allocate((size_t)most + 1, sizeof *pixels); /* the last one is of nothing */
  int seen = 0, all = 0;
  for (size_t i = 0; i < n; i++) pixels[id[i] < 0 ? most : id[i]]++;
  FILE *file = open_legend(a->output);
  if (file) {
    json_writer w = jw_begin(file);
    write_camera(&w, a, view, a->segmentation);
    jw_integer(&w, "pixels_of_nothing", pixels[most]);
    jw_array(&w, "legend", false);
    write_entries(&w, a, scene, pixels, &seen, &all);
    jw_close(&w);
    jw_end(&w);
  }
  free(pixels);
  if (!file || !finish_output(file, a->output)) return false;
  if (!a->model.quiet) printf("%s: %d of %d %s are in the picture\n", a->output, seen, all, a->segmentation);
  return true;
}

static int write_segments(const render_arguments *a, cdn_scene *scene, cdn_renderer *renderer,
                          const cdn_view_point *view) {
  const size_t axes[2] = { (size_t)a->height, (size_t)a->width };
  int32_t *id = allocate(axes[0] * axes[1], sizeof *id);
  int code = CMD_FAILED;
  if (cdn_renderer_measure(renderer, view, NULL, NULL, id) == CDN_OK) {
    if (of_bodies(a)) name_bodies(scene, axes[0] * axes[1], id);
    const bool good = ends_in(a->output, ".npy") ? npy_write(a->output, NPY_INT32, 2, axes, id) : write_colors(a, id);
    code = good && tell_segments(a, scene, view, id) ? CMD_OK : CMD_OUTPUT;
  }
  free(id);
  return code;
}

int measured_write(const render_arguments *a, cdn_scene *scene, cdn_renderer *renderer, const cdn_view_point *view) {
  return a->depth ? write_depth(a, scene, renderer, view) : write_segments(a, scene, renderer, view);
}
