/* The cap that a plane cuts off a hull: its bounds, by the edges near the lowest vertex alone. */
#include <math.h>

#include "geometry/convex/convex.h"

/* Of vertices that have been met; a hull with more has no room for marks. */
enum { WORDS = 512, MOST_BELOW = 512 };

typedef struct bounds {
  const cdn_transform *X;
  double least[3], most[3];
} bounds;

static cdn_vec3 vertex(const cdn_surface *s, int32_t i) {
  return cdn_v3(s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2]);
}

static void include(bounds *b, cdn_vec3 p_S) {
  const cdn_vec3 p = g_point(b->X, p_S);
  const double x[3] = { p.x, p.y, p.z };
  for (int k = 0; k < 3; k++) b->least[k] = fmin(b->least[k], x[k]), b->most[k] = fmax(b->most[k], x[k]);
}

hull_cut cdni_hull_cap(const cdn_surface *s, const cdn_transform *X, cdn_vec3 n, double offset, cdn_vec3 *least,
                       cdn_vec3 *most) {
  uint64_t met[WORDS];
  int32_t below[MOST_BELOW];
  const int words = (s->info.n_vertices + 63) / 64;
  if (words > WORDS) return HULL_CUT_UNKNOWN;
  bounds b = { .X = X };
  for (int k = 0; k < 3; k++) b.least[k] = INFINITY, b.most[k] = -INFINITY;
  const int32_t lowest = cdni_hull_support(s, g_neg(n));
  if (cdn_dot(n, vertex(s, lowest)) > offset) return HULL_CUT_NOWHERE;
  memset(met, 0, sizeof *met * (size_t)words);
  met[lowest / 64] |= (uint64_t)1 << lowest % 64;
  int count = 0;
  below[count++] = lowest;
  for (int k = 0; k < count; k++) {
    const int32_t at = below[k];
    const cdn_vec3 p = vertex(s, at);
    const double depth = offset - cdn_dot(n, p);
    include(&b, p);
    for (int32_t e = s->first_neighbour[at]; e < s->first_neighbour[at + 1]; e++) {
      const int32_t i = s->neighbours[e];
      if (met[i / 64] >> i % 64 & 1) continue;
      const cdn_vec3 q = vertex(s, i);
      const double height = cdn_dot(n, q) - offset;
      if (height > 0) {
        include(&b, g_fma(depth / (depth + height), cdn_sub(q, p), p));
        continue;
      }
      if (count == MOST_BELOW) return HULL_CUT_UNKNOWN;
      met[i / 64] |= (uint64_t)1 << i % 64;
      below[count++] = i;
    }
  }
  *least = cdn_v3(b.least[0], b.least[1], b.least[2]), *most = cdn_v3(b.most[0], b.most[1], b.most[2]);
  return HULL_CUT;
}
