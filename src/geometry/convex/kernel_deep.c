/* The search for the least depth of the origin in M (deep.c): a polytope within M grows where it is nearest to the
 * origin.
 *
 * The distance of a face of the polytope bounds from below how deep M is along the rays through that face; h at the
 * normal of a face, and at every minimum that Newton's method finds, bounds the depth from above. A face that is not
 * nearer than the best minimum cannot hide a better one, nor can one whose rays are all so far from the way between the
 * middles that the balls inside the two solids are enough. The search ends when no other face is left.
 *
 * Where a ball rolls inside M, M is the sum of the ball and another convex set. The polytope is then one of that set,
 * with the depth less the ball's radius. A round M has few faces so. */
#include "geometry/convex/polytope.h"

CDNI_INLINE cdn_vec3 corner_along(const core *c, cdn_vec3 n) {
  if (!c->kernels) return core_corner(c, n);
  const cdn_surface *s = c->geometry->surface;
  const double *v = &s->vertices[3 * wide_farthest(s->n_columns, s->columns, n)];
  return cdn_v3(v[0], v[1], v[2]);
}

/* As pair_probe, without the ball. Returns w. For polytopes n may have any length. */
CDNI_INLINE cdn_vec3 find_probe(const core_pair *pair, double ball, cdn_vec3 n, probe *q) {
  const cdn_vec3 m = g_neg(g_rotate_inv(&pair->R, n));
  const cdn_vec3 corner_a = corner_along(&pair->a, n), end_b = corner_along(&pair->b, m);
  const cdn_vec3 corner_b = cdn_add(pair->p, g_rotate(&pair->R, end_b));
  if (!pair->curved) {
    const cdn_vec3 w = cdn_sub(corner_a, corner_b);
    *q = (probe){ corner_a, corner_b, corner_a, corner_b, w };
    return w;
  }
  q->corner_a = corner_a, q->corner_b = corner_b;
  probe_from_corners(pair, n, m, q);
  if (ball > 0) q->w = g_fma(-ball, n, q->w);
  return q->w;
}

/* Four probes: one along n, three around it, at the angle with this cosine. False: they are flat. */
static bool look_around(const core_pair *pair, double ball, cdn_vec3 n, double cosine, probe corners[4]) {
  const double sine = sqrt(1 - cosine * cosine);
  const cdn_vec3 t1 = across(n), t2 = cdn_cross(n, t1);
  static const double third[3][2] = { { 1, 0 }, { -0.5, 0.86602540378443865 }, { -0.5, -0.86602540378443865 } };
  cdn_vec3 w[4];
  w[0] = find_probe(pair, ball, n, &corners[0]);
  for (int i = 0; i < 3; i++) {
    const cdn_vec3 out = g_fma(third[i][0], t1, cdn_scale(third[i][1], t2));
    w[i + 1] = find_probe(pair, ball, g_fma(cosine, n, cdn_scale(sine, out)), &corners[i + 1]);
  }
  const cdn_vec3 e = cdn_sub(w[1], w[0]), f = cdn_sub(w[2], w[0]);
  const double volume = cdn_dot(cdn_cross(e, f), cdn_sub(w[3], w[0]));
  return fabs(volume) > 1e-6 * pair->scale * pair->scale * pair->scale;
}

/* The point of face f that is nearest to the origin. */
static void nearest_of_face(const polytope *p, int f, simplex *s) {
  s->n = 3;
  for (int k = 0; k < 3; k++) s->probe[k] = *face_corner(p, f, k), s->at[k] = s->probe[k].w;
  cdni_simplex_reduce(s);
}

/* The answer of face f, with the unit normal n, whose plane supports M: the point of the plane that is nearest to the
 * origin. If it is not in f, it is in one of the other triangles in that plane. */
static void answer_face(const polytope *p, int f, cdn_vec3 n, double highest, double h, core_answer *answer) {
  simplex best, s;
  nearest_of_face(p, f, &best);
  double least = cdn_dot(best.nearest, best.nearest);
  const wide3 along = { wide_set(n.x), wide_set(n.y), wide_set(n.z) };
  for (int i = 0; i < p->n_blocks && best.n < 3; i++) {
    const face_block *b = &p->block[i];
    const wide3 m = { wide_load(b->n[0]), wide_load(b->n[1]), wide_load(b->n[2]) };
    const wide dot = unfused_dot(m, along), signed_square = wide_mul(dot, wide_max(dot, wide_sub(wide_zero(), dot)));
    const wide needed = wide_mul(wide_set(1 - 2e-9), unfused_dot(m, m));
    unsigned alike = wide_which_no_more(needed, signed_square) & ~wide_which_no_more(signed_square, needed);
    for (; alike; alike &= alike - 1) {
      const int g = WIDE * i + __builtin_ctz(alike);
      if (g == f || cdn_dot(n, face_corner(p, g, 2)->w) > highest) continue;
      nearest_of_face(p, g, &s);
      const double square = cdn_dot(s.nearest, s.nearest);
      if (square < least) least = square, best = s;
    }
  }
  cdn_vec3 a = cdn_v3(0, 0, 0), b = a;
  for (int i = 0; i < best.n; i++)
    a = g_fma(best.weight[i], best.probe[i].a, a), b = g_fma(best.weight[i], best.probe[i].b, b);
  *answer = (core_answer){ -h, n, a, b };
}

/* Whether the rays through a face are so far from the way between the middles that h is more than `least` on all of
 * them: M contains the ball of the radius `inner` about -toward. */
static bool is_away(const core_pair *pair, const polytope *p, int f, double d, double least) {
  const cdn_vec3 t = pair->toward;
  const double bound = pair->inner - least; /* of m . t, for unit vectors m where h(m) < least */
  if (!(bound > 0) || !(d > 0)) return false;
  const cdn_vec3 *w[3] = { &face_corner(p, f, 0)->w, &face_corner(p, f, 1)->w, &face_corner(p, f, 2)->w };
  for (int i = 0; i < 3; i++) {
    const double along = cdn_dot(t, *w[i]);
    if (along > 0 && along * along >= bound * bound * cdn_dot(*w[i], *w[i])) return false;
  }
  bool inside = true;
  for (int i = 0; i < 3; i++) {
    const cdn_vec3 *u = w[i], *v = w[(i + 1) % 3], e = cdn_cross(*u, *v);
    const double side = cdn_dot(t, e), square = cdn_dot(e, e);
    if (side >= 0) continue; /* t is on the side of the face */
    inside = false;
    const cdn_vec3 q = g_fma(-side / square, e, t); /* in the plane of the edge */
    const bool between = cdn_dot(cdn_cross(e, *u), q) > 0 && cdn_dot(cdn_cross(*v, e), q) > 0;
    if (between && cdn_dot(q, q) >= bound * bound) return false;
  }
  return !inside;
}

static bool is_capped(const polytope *p, int f, const caps *c) {
  for (int i = 0; i < c->n; i++) {
    bool in = true;
    for (int k = 0; k < 3 && in; k++) {
      const cdn_vec3 w = face_corner(p, f, k)->w;
      in = cdn_dot(w, c->axis[i]) >= c->cosine[i] * sqrt(cdn_dot(w, w));
    }
    if (in) return true;
  }
  return false;
}

/* From the face of the polytope that is nearest to the origin. */
static bool polish_face(core_pair *pair, const polytope *p, int f, cdn_vec3 n, minimum *found) {
  const probe corners[3] = { *face_corner(p, f, 0), *face_corner(p, f, 1), *face_corner(p, f, 2) };
  return cdni_polish(pair, n, 3, corners, found);
}

bool KERNEL_NAME(cdni_deepest)(core_pair *pair, const deep_start *begin, core_answer *answer);

bool KERNEL_NAME(cdni_deepest)(core_pair *pair, const deep_start *begin, core_answer *answer) {
  const double tolerance = 4e-15 * pair->scale, ball = begin->ball;
  const minimum *known = begin->known;
  polytope p;
  probe corners[4];
  if (!begin->corners && !look_around(pair, ball, begin->axis, begin->cosine, corners)) return false;
  start_polytope(&p, begin->corners ? begin->corners : corners);
  double least = INFINITY; /* of all h seen */
  minimum found;
  caps c;
  c.n = 0;
  if (known) {
    least = -known->answer.distance;
    *answer = known->answer;
    add_cap(&c, known->answer.normal, cdni_safe_tangent(pair, known, cdni_wanted_tangent(pair, known)));
  }
  const bool any_length = !pair->curved && pair->a.corner != CORNER_SUPPORT && pair->b.corner != CORNER_SUPPORT;
  const double enough = 1e-9 * pair->scale; /* what a better minimum elsewhere may be missed by */
  bool loose = !known;                      /* the points of *answer are those of a face that did not support M */
  if (begin->toward) {
    /* The probe that is known most often sees the face that looks the same way. */
    const cdn_vec3 n = answer->normal, w = begin->toward->w;
    least = cdn_dot(n, w);
    p.probe[p.n_probes] = *begin->toward;
    const cdn_vec3 ahead = face_normal(&p, FACE_AHEAD);
    if (cdn_dot(ahead, cdn_sub(w, corners[3].w)) > tolerance * length_of(ahead)) grow_polytope(&p, FACE_AHEAD, w);
  }
  for (bool first = !known; p.n_probes < MOST_PROBES; first = false) {
    double d;
    const int at = nearest_face(&p, &d);
    if (at < 0) break;
    if (d + ball >= least - (loose ? tolerance : enough)) break;
    if (pair->curved && (is_capped(&p, at, &c) || is_away(pair, &p, at, d, least))) {
      p.block[at / WIDE].near[at % WIDE] = INFINITY;
      continue;
    }
    /* Unless it must be known, the length of the normal is not waited for. */
    const cdn_vec3 outward = face_normal(&p, at), n = cdn_scale(1 / length_of(outward), outward);
    const cdn_vec3 w = find_probe(pair, ball, any_length ? outward : n, &p.probe[p.n_probes]);
    const double h = cdn_dot(n, w) + ball, gap = h - ball - d;
    if (h < 0 && !begin->inside) {
      answer->normal = n;
      return false;
    }
    if (pair->curved && (first || h < least - enough) && polish_face(pair, &p, at, n, &found)) {
      const double wanted = cdni_wanted_tangent(pair, &found), safe = cdni_safe_tangent(pair, &found, wanted);
      if (-found.answer.distance < least) {
        least = -found.answer.distance;
        *answer = found.answer;
        loose = false;
        if (safe >= wanted) break;
      }
      add_cap(&c, found.answer.normal, safe);
    }
    if (gap <= tolerance) {
      /* The plane of the nearest face supports M. */
      if (h < least - tolerance) {
        answer_face(&p, at, n, d + 1e-12 * pair->scale, h, answer);
        loose = ball > 0;
      }
      break;
    }
    const bool lower = h < least;
    least = lower ? h : least;
    loose = loose || lower;
    answer->normal =
        cdn_v3(lower ? n.x : answer->normal.x, lower ? n.y : answer->normal.y, lower ? n.z : answer->normal.z);
    if (!grow_polytope(&p, at, w)) break;
  }
  if (loose) cdni_descend_depth(pair, answer);
  return true;
}
