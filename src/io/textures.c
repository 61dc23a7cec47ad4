/* Textures of MJCF as pixels, as MuJoCo makes them: its own ones, and those of files. Only the dots of the mark
 * "random" are not MuJoCo's,
 * which draws them by a generator of the C library. */
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/pictures.h"

static const char function[] = "cdn_model_dress";

enum { SIDES = 6, USUAL = 256, MOST_PIXELS = 16384, MOST_SIDE = 4096 };

static cdn_status no_memory(void) { return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for a texture"); }

static uint8_t byte_of(double part) { return (uint8_t)(255 * fmin(fmax(part, 0), 1)); }

static void put(uint8_t *to, const double rgb[3]) {
  for (int k = 0; k < 3; k++) to[k] = byte_of(rgb[k]);
  to[3] = 255;
}

static cdn_status start(int width, int height, bool cube, io_picture *out) {
  *out = (io_picture){ width, height, cube, NULL };
  out->rgba = cdni_alloc(NULL, 4 * (size_t)width * (size_t)height);
  return out->rgba ? CDN_OK : no_memory();
}

/* ---- MuJoCo's own ---- */

/* From one colour at -1 to the other at 1, softly. */
static void put_between(uint8_t *to, const double at_one[3], const double at_minus_one[3], double x) {
  const double part = fmin(fmax(0.5 * (1 + sqrt(2) * x / sqrt(1 + x * x)), 0), 1);
  double rgb[3];
  for (int k = 0; k < 3; k++) rgb[k] = part * at_one[k] + (1 - part) * at_minus_one[k];
  put(to, rgb);
}

/* A pixel of a side; x and y from -1 to 1, to the right and up. The sky's gradient goes by the height above the
 * horizon. */
static void put_gradient(const cdn_spec_asset *a, int side, double x, double y, uint8_t *to) {
  static const double HALF_PI = 1.57079632679489661923;
  const double far = sqrt(1 + x * x + y * y), upright = 1 - acos(1 / far) / HALF_PI;
  if (a->texture_type == CDN_SPEC_TEXTURE_2D) put_between(to, a->rgb2, a->rgb1, 2 * hypot(x, y) - 1);
  else put_between(to, a->rgb1, a->rgb2, side == 2 ? upright : side == 3 ? -upright : asin(y / far) / HALF_PI);
}

/* Four squares; on the last two sides of a cube the colours are the other way round. */
static void put_checker(const cdn_spec_asset *a, int side, bool right, bool below, uint8_t *to) {
  put(to, (right != below) != (side >= 4) ? a->rgb2 : a->rgb1);
}

static bool is_marked(const cdn_spec_asset *a, int row, int column, int rows, int columns, uint32_t *random) {
  switch (a->mark) {
    case CDN_SPEC_MARK_EDGE: return row == 0 || row == rows - 1 || column == 0 || column == columns - 1;
    case CDN_SPEC_MARK_CROSS: return row == rows / 2 || column == columns / 2;
    case CDN_SPEC_MARK_RANDOM:
      *random = *random * 1664525u + 1013904223u;
      return (*random >> 8) * (1.0 / 16777216) < a->random;
    default: return false;
  }
}

static void put_pixel(const cdn_spec_asset *a, int side, int row, int column, int rows, int columns, uint8_t *to) {
  const double x = columns > 1 ? 2.0 * column / (columns - 1) - 1 : 0, y = rows > 1 ? 1 - 2.0 * row / (rows - 1) : 0;
  switch (a->builtin) {
    case CDN_SPEC_TEXTURE_GRADIENT: put_gradient(a, side, x, y, to); break;
    case CDN_SPEC_TEXTURE_CHECKER: put_checker(a, side, column >= columns / 2, row >= rows / 2, to); break;
    default: put(to, side == 3 ? a->rgb2 : a->rgb1); /* the lower side of a flat cube */
  }
}

static cdn_status make_builtin(const cdn_spec_asset *a, io_picture *out) {
  const bool cube = a->texture_type != CDN_SPEC_TEXTURE_2D;
  const int width = a->width != 0 ? a->width : USUAL, rows = cube ? width : a->height != 0 ? a->height : USUAL;
  if (width < 1 || rows < 1 || width > (cube ? MOST_SIDE : MOST_PIXELS) || rows > MOST_PIXELS)
    return cdni_refuse(CDN_ERR_ARG, function, "it has %d x %d pixels: at most %d a side are drawn", width, rows,
                       cube ? MOST_SIDE : MOST_PIXELS);
  uint32_t random = 1;
  CDNI_TRY(start(width, cube ? SIDES * width : rows, cube, out));
  uint8_t *to = out->rgba;
  for (int side = 0; side < (cube ? SIDES : 1); side++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < width; j++, to += 4) {
        if (is_marked(a, i, j, rows, width, &random)) put(to, a->markrgb);
        else put_pixel(a, side, i, j, rows, width, to);
      }
  return CDN_OK;
}

/* ---- files ---- */

static void swap_pixels(uint8_t *a, uint8_t *b) {
  uint8_t kept[4];
  memcpy(kept, a, 4), memcpy(a, b, 4), memcpy(b, kept, 4);
}

static void flip(const cdn_spec_asset *a, io_picture *p) {
  const int w = p->width, h = p->height;
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      const int row = a->vflip ? h - 1 - i : i, column = a->hflip ? w - 1 - j : j;
      const size_t here = (size_t)i * (size_t)w + (size_t)j, there = (size_t)row * (size_t)w + (size_t)column;
      if (here < there) swap_pixels(p->rgba + 4 * here, p->rgba + 4 * there);
    }
}

static cdn_status load(const io_log *log, const cdn_spec_asset *a, const char *file, io_picture *out) {
  char path[4096];
  *out = (io_picture){ 0 };
  CDNI_TRY(io_find_file(log, file, path, sizeof path));
  CDNI_TRY(io_picture_load(&log->files, path, out));
  flip(a, out);
  return CDN_OK;
}

/* A square of a picture becomes a side of a cube. */
static void copy_side(const io_picture *from, int row, int column, int side, io_picture *to) {
  const size_t w = (size_t)to->width;
  for (size_t i = 0; i < w; i++)
    memcpy(to->rgba + 4 * w * (w * (size_t)side + i),
           from->rgba + 4 * (((size_t)row * w + i) * (size_t)from->width + (size_t)column * w), 4 * w);
}

static void fill(const cdn_spec_asset *a, io_picture *p) {
  for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; i++) put(p->rgba + 4 * i, a->rgb1);
}

static cdn_status cube_of_grid(const cdn_spec_asset *a, const io_picture *from, io_picture *out) {
  static const char letters[] = "RLUDFB";
  const int rows = a->gridsize[0], columns = a->gridsize[1];
  if (rows < 1 || columns < 1 || rows * columns > 12)
    return cdni_refuse(CDN_ERR_ARG, function, "its grid has %d x %d squares: there must be 1 to 12", rows, columns);
  const int width = from->width / columns;
  if (width < 1 || from->width % columns || from->height != rows * width)
    return cdni_refuse(CDN_ERR_ARG, function, "its picture has %d x %d pixels, which are not %d x %d squares",
                       from->width, from->height, columns, rows);
  CDNI_TRY(start(width, SIDES * width, true, out));
  if (rows * columns == 1) {
    for (int side = 0; side < SIDES; side++) copy_side(from, 0, 0, side, out);
    return CDN_OK;
  }
  fill(a, out);
  for (int i = 0; i < rows * columns && a->gridlayout[i]; i++) {
    const char *letter = strchr(letters, a->gridlayout[i]);
    if (letter) copy_side(from, i / columns, i % columns, (int)(letter - letters), out);
    else if (a->gridlayout[i] != '.')
      return cdni_refuse(CDN_ERR_ARG, function, "its gridlayout '%.12s' has another character than RLUDFB and dots",
                         a->gridlayout);
  }
  return CDN_OK;
}

static cdn_status cube_of_sides(const io_log *log, const cdn_spec_asset *a, io_picture *out) {
  for (int side = 0; side < SIDES; side++) {
    io_picture one;
    if (!a->side_file[side]) continue;
    CDNI_TRY(load(log, a, a->side_file[side], &one));
    cdn_status status = CDN_OK;
    const bool first = !out->rgba;
    if (one.width != one.height || one.width > MOST_SIDE || (!first && one.width != out->width))
      status = cdni_refuse(CDN_ERR_ARG, function,
                           "'%s' has %d x %d pixels: the sides of a cube are squares of one size, of at most %d",
                           a->side_file[side], one.width, one.height, MOST_SIDE);
    else if (first) status = start(one.width, SIDES * one.width, true, out);
    if (status == CDN_OK && first) fill(a, out);
    if (status == CDN_OK) copy_side(&one, 0, 0, side, out);
    io_picture_free(&one);
    CDNI_TRY(status);
  }
  return out->rgba ? CDN_OK : cdni_refuse(CDN_ERR_ARG, function, "it has neither a file nor a builtin texture");
}

static cdn_status make(const io_log *log, const cdn_spec_asset *a, io_picture *out) {
  io_picture whole;
  if (a->builtin != CDN_SPEC_TEXTURE_NONE) return make_builtin(a, out);
  if (!a->file) return cube_of_sides(log, a, out);
  CDNI_TRY(load(log, a, a->file, a->texture_type == CDN_SPEC_TEXTURE_2D ? out : &whole));
  if (a->texture_type == CDN_SPEC_TEXTURE_2D) return CDN_OK;
  const cdn_status status = cube_of_grid(a, &whole, out);
  io_picture_free(&whole);
  return status;
}

cdn_status io_make_texture(const io_log *log, const cdn_spec_asset *texture, io_picture *out) {
  *out = (io_picture){ 0 };
  const cdn_status status = make(log, texture, out);
  if (status != CDN_OK) io_picture_free(out);
  return status;
}
