/* Ways to a local minimum of h.
 *
 * If h(n) > 0, the point n h(n) (1 + e) is beside M. The direction m from M to that point has h(m) <= h(n): the plane
 * across m that parts the two is nearer to the origin. So a few turns lead to the neighbourhood of a local minimum,
 * and Newton's method ends there. */
#include "geometry/convex/convex.h"

enum { MOST_TURNS = 4 };

bool cdni_descend(core_pair *pair, cdn_vec3 n, double h, simplex *s, minimum *found) {
  for (int turn = 0; turn < MOST_TURNS; turn++) {
    cdn_vec3 m = n;
    /* A direction to begin with is enough, where Newton's method follows. */
    if (!cdni_gjk_beside(pair, cdn_scale(1.2 * h, n), 12, pair->curved ? 0.02 : 1e-9, s, &m)) return false;
    const int k = s->n < 4 ? s->n : 3;
    double level = -INFINITY;
    for (int i = 0; i < s->n; i++) level = fmax(level, cdn_dot(m, s->probe[i].w));
    if (level < h) n = m;
    if (level <= 0) return false;
    if ((pair->curved || k == 3) && cdni_polish(pair, m, k, s->probe, found)) return true;
    if (!(level < 0.99 * h)) return false;
    h = level;
  }
  return false;
}

void cdni_descend_depth(core_pair *pair, core_answer *answer) {
  cdn_vec3 n = answer->normal;
  for (int turn = 0; turn < 30; turn++) {
    probe q;
    pair_probe(pair, n, &q);
    const double h = cdn_dot(n, q.w);
    const cdn_vec3 point = cdn_scale(h + 0.1 * pair->scale, n);
    simplex s;
    s.n = 0;
    if (!cdni_gjk_beside(pair, point, 100, 1e-15, &s, &n)) return;
    cdn_vec3 a = cdn_v3(0, 0, 0), b = a;
    for (int i = 0; i < s.n; i++) a = g_fma(s.weight[i], s.probe[i].a, a), b = g_fma(s.weight[i], s.probe[i].b, b);
    const cdn_vec3 x = cdn_sub(a, b);
    const double level = cdn_dot(n, x);
    *answer = (core_answer){ -level, n, a, b };
    minimum found;
    if (pair->curved && cdni_polish(pair, n, s.n < 4 ? s.n : 3, s.probe, &found) &&
        -found.answer.distance <= level + 1e-12 * pair->scale) {
      *answer = found.answer;
      return;
    }
    const cdn_vec3 rest = g_fma(-level, n, x);
    if (cdn_dot(rest, rest) <= 1e-19 * pair->scale * pair->scale) return;
  }
}
