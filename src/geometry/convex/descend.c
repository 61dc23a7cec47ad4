/* A way to a local minimum of h.
 *
 * If h(n) > 0, the point n h(n) (1 + e) is beside M. The direction m from M to that point has h(m) <= h(n): the plane
 * across m that parts the two is nearer to the origin. */
#include "geometry/convex/convex.h"

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
