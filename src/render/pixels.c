/* Colours of textures. */
#include <math.h>

#include "render/internal.h"

static int within(double i, int n) {
  const double rest = i - n * floor(i / n);
  return rest >= 0 && rest < n ? (int)rest : 0;
}

void cdni_render_pixel(const cdn_renderer *r, const cdn_texture_def *texture, double x, double y, float rgba[4]) {
  const double column = x * texture->width - 0.5, row = y * texture->height - 0.5;
  const double i = floor(row), j = floor(column);
  const float down = (float)(row - i), right = (float)(column - j);
  const float part[4] = { (1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right };
  for (int k = 0; k < 4; k++) rgba[k] = 0;
  for (int corner = 0; corner < 4; corner++) {
    const int to_row = within(i + corner / 2, texture->height), to_column = within(j + corner % 2, texture->width);
    const uint8_t *p = texture->rgba + 4 * ((size_t)to_row * (size_t)texture->width + (size_t)to_column);
    for (int k = 0; k < 3; k++) rgba[k] += part[corner] * r->linear[p[k]];
    rgba[3] += part[corner] * (float)p[3] / 255;
  }
}
