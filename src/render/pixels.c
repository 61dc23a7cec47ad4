/* Colours of textures, and bytes of pictures. */
#include "render/internal.h"

static int within(int i, int n) {
  if ((unsigned)i < (unsigned)n) return i;
  const int rest = i % n;
  return rest < 0 ? rest + n : rest;
}

/* At `column` and `row` pixels from the first one's middle. */
static void mix_pixels(const cdn_renderer *r, const cdn_texture_def *texture, float column, float row, float rgba[4]) {
  const int i = floor_of(row), j = floor_of(column);
  const float down = row - (float)i, right = column - (float)j;
  const int rows[2] = { within(i, texture->height), within(i + 1, texture->height) };
  const int columns[2] = { within(j, texture->width), within(j + 1, texture->width) };
  const float part[4] = { (1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right };
  for (int k = 0; k < 4; k++) rgba[k] = 0;
  for (int corner = 0; corner < 4; corner++) {
    const uint8_t *p =
        texture->rgba + 4 * ((size_t)rows[corner / 2] * (size_t)texture->width + (size_t)columns[corner % 2]);
    for (int k = 0; k < 3; k++) rgba[k] += part[corner] * r->linear[p[k]];
    rgba[3] += part[corner] * (1.0f / 255) * (float)p[3];
  }
}

/* The level whose pixels are as wide as a ray, between two whole ones. */
static float level_of(const paint *texture, float width) {
  if (!(width > 1)) return 0;
  return smaller(log2f(width), (float)(texture->n_levels - 1));
}

/* At a place within 0 and 1. */
static void plain_pixel(const cdn_renderer *r, const cdn_texture_def *t, float x, float y, float rgba[4]) {
  mix_pixels(r, t, x * (float)t->width - 0.5f, y * (float)t->height - 0.5f, rgba);
}

/* At a place within 0 and 1 on a side. The sides are one below the other; colours of two sides are not mixed. */
static void side_pixel(const cdn_renderer *r, const cdn_texture_def *t, int side, float x, float y, float rgba[4]) {
  const float last = (float)(t->width - 1);
  mix_pixels(r, t, last * x, (float)(side * t->width) + last * y, rgba);
}

/* `side`: of a cube. */
static void mix_levels(const cdn_renderer *r, const paint *texture, int side, float x, float y, float width,
                       float rgba[4]) {
  const float level = level_of(texture, width), part = level - (float)(int)level;
  const cdn_texture_def *t = &texture->levels[(int)level];
  float coarse[4];
  if (t->cube) side_pixel(r, t, side, x, y, rgba);
  else plain_pixel(r, t, x, y, rgba);
  if (!(part > 0)) return;
  if (t->cube) side_pixel(r, t + 1, side, x, y, coarse);
  else plain_pixel(r, t + 1, x, y, coarse);
  for (int k = 0; k < 4; k++) rgba[k] += part * (coarse[k] - rgba[k]);
}

void cdni_render_pixel(const cdn_renderer *r, const paint *texture, double x, double y, float width, float rgba[4]) {
  mix_levels(r, texture, 0, (float)(x - floor(x)), (float)(y - floor(y)), width, rgba);
}

/* OpenGL's table of cube maps. */
void cdni_render_cube_pixel(const cdn_renderer *r, const paint *texture, const float d[3], float width, float rgba[4]) {
  const float size[3] = { fabsf(d[0]), fabsf(d[1]), fabsf(d[2]) };
  const int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  const bool below = d[axis] < 0;
  const float right = axis == 0 ? (below ? d[2] : -d[2]) : axis == 2 && below ? -d[0] : d[0];
  const float down = axis == 1 ? (below ? -d[2] : d[2]) : -d[1];
  const float to_side = size[axis] > 0 ? 0.5f / size[axis] : 0;
  const float pixels = width * to_side * (float)texture->levels[0].width;
  mix_levels(r, texture, 2 * axis + below, smaller(larger(0.5f + to_side * right, 0), 1),
             smaller(larger(0.5f + to_side * down, 0), 1), pixels, rgba);
}

/* ---- levels ---- */

/* With half of the sides, and no pixel less than one. */
static cdn_texture_def half_of(const cdn_texture_def *t) {
  cdn_texture_def half = *t;
  half.width = t->width > 1 ? t->width / 2 : 1;
  half.height = t->cube ? 6 * half.width : t->height > 1 ? t->height / 2 : 1;
  return half;
}

/* Each pixel is the mean of four. */
static void shrink(const cdn_renderer *r, const cdn_texture_def *from, const cdn_texture_def *to, uint8_t *rgba) {
  for (int row = 0; row < to->height; row++) {
    const int side = from->cube ? row / to->width : 0;
    const int top = from->cube ? side * from->width + 2 * (row - side * to->width) : 2 * row;
    for (int column = 0; column < to->width; column++) {
      float sum[4] = { 0 };
      for (int i = 0; i < 4; i++) {
        const int y = top + i / 2 < from->height ? top + i / 2 : from->height - 1;
        const int x = 2 * column + i % 2 < from->width ? 2 * column + i % 2 : from->width - 1;
        const uint8_t *p = from->rgba + 4 * ((size_t)y * (size_t)from->width + (size_t)x);
        for (int k = 0; k < 3; k++) sum[k] += 0.25f * r->linear[p[k]];
        sum[3] += 0.25f * (float)p[3];
      }
      uint8_t *to_pixel = rgba + 4 * ((size_t)row * (size_t)to->width + (size_t)column);
      for (int k = 0; k < 3; k++) to_pixel[k] = cdni_render_byte(r, sum[k]);
      to_pixel[3] = (uint8_t)(sum[3] + 0.5f);
    }
  }
}

static bool is_smallest(const cdn_texture_def *t) { return t->width == 1 && (t->cube || t->height == 1); }

bool cdni_render_make_levels(const cdn_renderer *r, paint *texture) {
  cdn_texture_def *level = texture->levels;
  texture->n_levels = 1, texture->bytes = 0;
  for (; texture->n_levels < MOST_LEVELS && !is_smallest(&level[texture->n_levels - 1]); texture->n_levels++) {
    level[texture->n_levels] = half_of(&level[texture->n_levels - 1]);
    texture->bytes += 4 * (size_t)level[texture->n_levels].width * (size_t)level[texture->n_levels].height;
  }
  if (texture->bytes == 0) return true;
  texture->smaller = cdni_alloc(&r->allocator, texture->bytes);
  if (!texture->smaller) return false;
  uint8_t *rgba = texture->smaller;
  for (int i = 1; i < texture->n_levels; i++) {
    shrink(r, &level[i - 1], &level[i], rgba);
    level[i].rgba = rgba;
    rgba += 4 * (size_t)level[i].width * (size_t)level[i].height;
  }
  return true;
}

/* ---- bytes ---- */

void cdni_render_make_bytes(cdn_renderer *r) {
  for (int i = 0; i < 256; i++) {
    r->linear[i] = powf((float)i / 255, 2.2f);
    r->brighter[i] = i < 255 ? powf(((float)i + 0.5f) / 255, 2.2f) : INFINITY;
  }
  for (int i = 0, byte = 0; i <= BYTES_OF; i++) {
    while ((float)i / BYTES_OF >= r->brighter[byte]) byte++;
    r->first[i] = (uint8_t)byte;
  }
}

uint8_t cdni_render_byte(const cdn_renderer *r, float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 255;
  int byte = r->first[(int)(linear * BYTES_OF)];
  while (linear >= r->brighter[byte]) byte++;
  return (uint8_t)byte;
}
