/* The nearest point of the difference M to the origin while the two cores are apart: the method of Gilbert, Johnson and
 * Keerthi. Each step finds the nearest point v of a simplex in M, and the support point of M against v. The support
 * point bounds the distance from below, v bounds it from above; the two bounds meet after finitely many steps on
 * polytopes. On curved cores they approach each other slowly, and Newton's method (polish.c) ends the search. */
#include "geometry/convex/convex.h"

enum { MOST_STEPS = 100 };

static void answer_from_simplex(const simplex *s, double length, core_answer *answer) {
  cdn_vec3 a = cdn_v3(0, 0, 0), b = a;
  for (int i = 0; i < s->n; i++) a = g_fma(s->weight[i], s->probe[i].a, a), b = g_fma(s->weight[i], s->probe[i].b, b);
  *answer = (core_answer){ length, cdn_scale(-1 / length, s->nearest), a, b };
}

gjk_end cdni_gjk(core_pair *pair, cdn_vec3 n, double reach, simplex *s, core_answer *answer) {
  const double tolerance = 2e-15 * pair->scale;
  double length = INFINITY;
  minimum found;
  int next_polish = 3;
  bool met = false; /* the two bounds */
  s->n = 0;
  for (int step = 0; step < MOST_STEPS; step++) {
    probe q;
    pair_probe(pair, n, &q);
    const double h = cdn_dot(n, q.w);
    if (-h - pair->radii > reach) return GJK_FAR;
    if (s->n > 0) {
      const double gap = length + h;
      if (gap <= tolerance) {
        met = true;
        break;
      }
      if (pair->curved && s->n <= 3 && step >= next_polish) {
        if (cdni_polish(pair, n, s->n, s->probe, &found) && found.answer.distance > -tolerance) {
          *answer = found.answer;
          return GJK_APART;
        }
        next_polish = step + 4;
      }
    }
    s->at[s->n] = q.w;
    s->probe[s->n++] = q;
    if (cdni_simplex_reduce(s)) return GJK_INSIDE;
    const double now = length_of(s->nearest);
    if (now <= 4 * tolerance) return GJK_TOUCHING;
    const bool stalls = !(now < length); /* rounding has the last word */
    length = now;
    n = cdn_scale(-1 / length, s->nearest);
    if (stalls) break;
  }
  /* A short v has few digits; the normal of the simplex has more. */
  if ((pair->curved || length < 1e-3 * pair->scale) && cdni_polish(pair, n, s->n, s->probe, &found) &&
      found.answer.distance > -tolerance) {
    *answer = found.answer;
    return GJK_APART;
  }
  if (length <= (met ? 1e-13 : 1e-6) * pair->scale) return GJK_TOUCHING;
  answer_from_simplex(s, length, answer);
  if (!met) {
    /* What the plane across n is sure to part. */
    probe q;
    pair_probe(pair, answer->normal, &q);
    answer->distance = -cdn_dot(answer->normal, q.w);
  }
  return GJK_APART;
}

bool cdni_gjk_beside(core_pair *pair, cdn_vec3 point, int most_steps, double gap, simplex *s, cdn_vec3 *n) {
  for (int i = 0; i < s->n; i++) s->at[i] = cdn_sub(s->probe[i].w, point);
  double length = INFINITY;
  if (s->n > 0) {
    if (cdni_simplex_reduce(s)) return false;
    length = length_of(s->nearest);
    if (!(length > 0)) return false;
    *n = cdn_scale(-1 / length, s->nearest);
  }
  for (int step = 0; step < most_steps; step++) {
    probe q;
    pair_probe(pair, *n, &q);
    const cdn_vec3 at = cdn_sub(q.w, point);
    if (s->n > 0 && length + cdn_dot(*n, at) <= gap * length) return true;
    s->at[s->n] = at;
    s->probe[s->n++] = q;
    if (cdni_simplex_reduce(s)) return false;
    const double now = length_of(s->nearest);
    if (!(now > 0)) return false;
    if (!(now < length)) return true;
    length = now;
    *n = cdn_scale(-1 / length, s->nearest);
  }
  return true;
}
