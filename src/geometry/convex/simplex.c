/* The point of a simplex that is nearest to the origin. Products are of differences of vertices wherever they can be,
 * so that a small simplex far from the origin loses no more digits than it must. */
#include "geometry/convex/convex.h"

typedef struct nearest {
  int n, at[3];
  double weight[3];
  cdn_vec3 point;
  double square;
} nearest;

static void take(nearest *best, int n, int i, int j, int k, double wi, double wj, double wk, cdn_vec3 point) {
  const double square = cdn_dot(point, point);
  if (!(square < best->square)) return;
  *best = (nearest){ n, { i, j, k }, { wi, wj, wk }, point, square };
}

static void on_segment(const simplex *s, int i, int j, nearest *best) {
  const cdn_vec3 a = s->at[i], b = s->at[j], e = cdn_sub(b, a);
  const double up = -cdn_dot(a, e), down = cdn_dot(b, e); /* weights of b and of a, times |e|^2 */
  if (!(up > 0)) take(best, 1, i, 0, 0, 1, 0, 0, a);
  else if (!(down > 0)) take(best, 1, j, 0, 0, 1, 0, 0, b);
  else {
    const double t = up / (up + down);
    take(best, 2, i, j, 0, 1 - t, t, 0, g_fma(t, e, a));
  }
}

static void on_triangle(const simplex *s, int i, int j, int k, nearest *best) {
  const cdn_vec3 a = s->at[i], b = s->at[j], c = s->at[k];
  const cdn_vec3 ab = cdn_sub(b, a), bc = cdn_sub(c, b), ca = cdn_sub(a, c);
  const cdn_vec3 n = cdn_cross(ab, bc);
  const double square = cdn_dot(n, n);
  const double wc = cdn_dot(n, cdn_cross(a, ab)), wa = cdn_dot(n, cdn_cross(b, bc)), wb = cdn_dot(n, cdn_cross(c, ca));
  if (wa > 0 && wb > 0 && wc > 0 && square > 0) {
    const double sum = 1 / (wa + wb + wc);
    take(best, 3, i, j, k, wa * sum, wb * sum, wc * sum, cdn_scale(cdn_dot(n, a) / square, n));
    return;
  }
  if (!(wc > 0)) on_segment(s, i, j, best);
  if (!(wa > 0)) on_segment(s, j, k, best);
  if (!(wb > 0)) on_segment(s, k, i, best);
}

/* True if the origin is not on the side of the plane of i, j, k where the vertex l is. */
static bool is_beyond(const simplex *s, int i, int j, int k, int l) {
  const cdn_vec3 a = s->at[i];
  const cdn_vec3 ab = cdn_sub(s->at[j], a), ac = cdn_sub(s->at[k], a), ad = cdn_sub(s->at[l], a);
  const cdn_vec3 n = cdn_cross(ab, ac);
  const double of_vertex = cdn_dot(n, ad), of_origin = -cdn_dot(n, a);
  const double least = 1e-14 * sqrt(cdn_dot(n, n) * cdn_dot(ad, ad)); /* below it the four are flat */
  if (of_vertex > least) return of_origin < 0;
  if (of_vertex < -least) return of_origin > 0;
  return true;
}

bool cdni_simplex_reduce(simplex *s) {
  nearest best = { .square = INFINITY };
  if (s->n == 1) take(&best, 1, 0, 0, 0, 1, 0, 0, s->at[0]);
  else if (s->n == 2) on_segment(s, 0, 1, &best);
  else if (s->n == 3) on_triangle(s, 0, 1, 2, &best);
  else {
    bool inside = true;
    static const int faces[4][4] = { { 0, 1, 3, 2 }, { 1, 2, 3, 0 }, { 2, 0, 3, 1 }, { 0, 1, 2, 3 } };
    for (int f = 0; f < 4; f++) {
      const int *v = faces[f];
      if (!is_beyond(s, v[0], v[1], v[2], v[3])) continue;
      inside = false;
      on_triangle(s, v[0], v[1], v[2], &best);
    }
    if (inside) {
      s->nearest = cdn_v3(0, 0, 0);
      return true;
    }
  }
  if (best.n == 0) best = (nearest){ 1, { 0 }, { 1 }, s->at[0], INFINITY }; /* numbers that overflowed */
  /* Ascending places, so that moving forward overwrites nothing that is still needed. */
  for (int i = 0; i < best.n; i++)
    for (int j = i + 1; j < best.n; j++)
      if (best.at[j] < best.at[i]) {
        const int at = best.at[i];
        const double weight = best.weight[i];
        best.at[i] = best.at[j], best.weight[i] = best.weight[j];
        best.at[j] = at, best.weight[j] = weight;
      }
  for (int i = 0; i < best.n; i++) {
    if (best.at[i] != i) s->probe[i] = s->probe[best.at[i]], s->at[i] = s->at[best.at[i]];
    s->weight[i] = best.weight[i];
  }
  s->n = best.n;
  s->nearest = best.point;
  return false;
}
