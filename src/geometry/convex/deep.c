/* Where the search for the least depth (kernel_deep.c) begins: with four support points of M that are not flat. */
#include "geometry/convex/survey.h"

/* Adds probes until the simplex has four that are not flat, and returns how many it has. */
static int complete(core_pair *pair, simplex *s) {
  const double least = 1e-13 * pair->scale;
  static const cdn_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  while (s->n < 4) {
    cdn_vec3 directions[6];
    int n = 0;
    cdn_vec3 e = cdn_v3(0, 0, 0), normal = e;
    if (s->n >= 2) e = cdn_sub(s->probe[1].w, s->probe[0].w);
    if (s->n == 1)
      for (int i = 0; i < 3; i++) directions[n++] = axes[i], directions[n++] = g_neg(axes[i]);
    else if (s->n == 2) {
      const cdn_vec3 u = unit_or(e, axes[0]), t1 = across(u), t2 = cdn_cross(u, t1);
      directions[n++] = t1, directions[n++] = t2, directions[n++] = g_neg(t1), directions[n++] = g_neg(t2);
    } else {
      normal = unit_or(cdn_cross(e, cdn_sub(s->probe[2].w, s->probe[0].w)), axes[0]);
      /* The origin is on that side, mostly. */
      if (cdn_dot(normal, s->probe[0].w) > 0) normal = g_neg(normal);
      directions[n++] = normal, directions[n++] = g_neg(normal);
    }
    double most = 0;
    probe best = { 0 };
    for (int i = 0; i < n; i++) {
      probe q;
      pair_probe(pair, directions[i], &q);
      const cdn_vec3 r = cdn_sub(q.w, s->probe[0].w);
      const double far = s->n == 1   ? cdn_norm(r)
                         : s->n == 2 ? cdn_norm(cdn_cross(unit_or(e, axes[0]), r))
                                     : fabs(cdn_dot(normal, r));
      if (far > most) most = far, best = q;
      if (s->n == 3 && far > 0.01 * pair->scale) break;
    }
    if (!(most > least)) break;
    s->probe[s->n++] = best;
  }
  return s->n;
}

/* M is flat, or thinner than rounding, and the origin is in it, between the first probes: h has its minimum, 0, along
 * the normal of the plane. */
static void answer_flat(core_pair *pair, const simplex *s, int n_touching, core_answer *answer) {
  cdn_vec3 n = cdn_v3(0, 0, 1);
  if (s->n == 3)
    n = unit_or(cdn_cross(cdn_sub(s->probe[1].w, s->probe[0].w), cdn_sub(s->probe[2].w, s->probe[0].w)), n);
  else if (s->n == 2) n = across(unit_or(cdn_sub(s->probe[1].w, s->probe[0].w), n));
  if (cdn_dot(n, pair->toward) < 0) n = g_neg(n);
  cdn_vec3 a = cdn_v3(0, 0, 0), b = a;
  for (int i = 0; i < n_touching; i++)
    a = g_fma(s->weight[i], s->probe[i].a, a), b = g_fma(s->weight[i], s->probe[i].b, b);
  *answer = (core_answer){ 0, n, a, b };
}

/* Cosines of the angle between the first of four directions and the others: those of a tetrahedron; three that look
 * ahead, by which the search is shortest (least of 0.6 to 0.98 on hulls and boxes). */
static const double TO_ALL_SIDES = -1.0 / 3, BEHIND = -0.8;

bool cdni_deep(core_pair *pair, simplex *s, const minimum *known, core_answer *answer) {
  const survey_kernels *kernels = cdni_survey_kernels[cdni_kernel_set(1)];
  if (known) {
    /* A minimum that is less deep than the ball is the least depth, and does not get here. */
    const double ball = -known->answer.distance > pair->rolling ? pair->rolling : 0;
    const deep_start start = { .axis = known->answer.normal, .cosine = TO_ALL_SIDES, .known = known, .ball = ball };
    return kernels->deepest(pair, &start, answer);
  }
  const int n_touching = s->n;
  if (s->n == 0 || complete(pair, s) < 4) {
    answer_flat(pair, s, n_touching, answer);
    return true;
  }
  const deep_start start = { .corners = s->probe, .inside = true };
  return kernels->deepest(pair, &start, answer);
}

bool cdni_deep_toward(core_pair *pair, cdn_vec3 *n, const probe *toward, core_answer *answer) {
  const deep_start start = { .axis = g_neg(*n), .cosine = BEHIND, .toward = toward };
  answer->normal = *n;
  if (cdni_survey_kernels[cdni_kernel_set(1)]->deepest(pair, &start, answer)) return true;
  *n = answer->normal;
  return false;
}
