/* The least depth of the origin in M, where the two cores overlap: a polytope within M grows where it is nearest to the
 * origin.
 *
 * The distance of a face of the polytope bounds from below how deep M is along the rays through that face; h at the
 * normal of a face, and at every minimum that Newton's method finds, bounds the depth from above. A face that is not
 * nearer than the best minimum cannot hide a better one, nor can one whose rays are all so far from the way between the
 * middles that the balls inside the two solids are enough. The search ends when no other face is left.
 *
 * Where a ball rolls inside M, M is the sum of the ball and another convex set. The polytope is then one of that set,
 * with the depth less the ball's radius. A round M has few faces so. */
#include "geometry/convex/convex.h"

enum { MOST_PROBES = 100, MOST_FACES = 2 * MOST_PROBES, MOST_EDGES = 64 };

typedef struct face {
  int16_t v[3], beyond[3]; /* the face beyond the edge from v[i] to v[i + 1] */
  int8_t side[3];          /* and which edge of that face it is */
  bool alive;
  cdn_vec3 n; /* of any length; 0: it has no area */
  double d;
} face;

typedef struct polytope {
  core_pair *pair;
  double ball; /* what is taken from the probes along their directions */
  int n_probes, n_faces;
  probe probe[MOST_PROBES];
  face face[MOST_FACES];
  double near[MOST_FACES]; /* the distance of a face that may hide something, else INFINITY */
  int n_free;              /* faces that are gone */
  int16_t free[MOST_FACES];
  int n_edges;
  int16_t edges[MOST_EDGES][4]; /* of the horizon: from, to, the face that stays, its edge */
  bool full;
} polytope;

static int add_face(polytope *p, int a, int b, int c) {
  if (p->n_free == 0 && p->n_faces == MOST_FACES) {
    p->full = true;
    return 0;
  }
  const int at = p->n_free > 0 ? p->free[--p->n_free] : p->n_faces++;
  face *f = &p->face[at];
  const cdn_vec3 wa = p->probe[a].w, wb = p->probe[b].w, wc = p->probe[c].w, ab = cdn_sub(wb, wa), ac = cdn_sub(wc, wa);
  const cdn_vec3 n = cdn_cross(ab, ac);
  const double square = cdn_dot(n, n);
  f->v[0] = (int16_t)a, f->v[1] = (int16_t)b, f->v[2] = (int16_t)c;
  f->alive = true;
  if (square > 1e-30 * cdn_dot(ab, ab) * cdn_dot(ac, ac)) {
    f->n = n;
    /* The vertex with the largest products would cost digits; the least of the three bounds them all. */
    const double d_a = cdn_dot(n, wa), d_b = cdn_dot(n, wb), d_c = cdn_dot(n, wc), d_ab = d_a < d_b ? d_a : d_b;
    f->d = (d_ab < d_c ? d_ab : d_c) / sqrt(square);
  } else {
    f->n = cdn_v3(0, 0, 0), f->d = INFINITY; /* a face without area hides nothing */
  }
  p->near[at] = f->d;
  return at;
}

/* Edge i of f is edge k of g. */
static void join(polytope *p, int f, int i, int g, int k) {
  p->face[f].beyond[i] = (int16_t)g, p->face[f].side[i] = (int8_t)k;
  p->face[g].beyond[k] = (int16_t)f, p->face[g].side[k] = (int8_t)i;
}

static void remove_face(polytope *p, int f) {
  p->face[f].alive = false;
  p->near[f] = INFINITY;
  p->free[p->n_free++] = (int16_t)f;
}

/* Removes the faces that see w, from face f on, and lists the edges of those that stay, in order. */
static void remove_visible(polytope *p, int f, cdn_vec3 w) {
  static const int8_t next[3] = { 1, 2, 0 };
  int16_t stack[MOST_FACES][2]; /* a face, and the edge by which it is left */
  int n = 0;
  p->n_edges = 0;
  remove_face(p, f);
  for (int i = 2; i >= 0; i--) stack[n][0] = (int16_t)f, stack[n++][1] = (int16_t)i;
  while (n > 0) {
    n--;
    const face *from = &p->face[stack[n][0]];
    const int edge = stack[n][1], g = from->beyond[edge], entered = from->side[edge];
    const face *to = &p->face[g];
    if (!to->alive) continue;
    if (isinf(to->d) || cdn_dot(to->n, cdn_sub(w, p->probe[to->v[0]].w)) > 0) {
      remove_face(p, g);
      if (n + 2 > MOST_FACES) {
        p->full = true;
        return;
      }
      const int first = next[entered];
      stack[n][0] = (int16_t)g, stack[n++][1] = next[first];
      stack[n][0] = (int16_t)g, stack[n++][1] = (int16_t)first;
    } else {
      if (p->n_edges == MOST_EDGES) {
        p->full = true;
        return;
      }
      int16_t *e = p->edges[p->n_edges++];
      e[0] = from->v[edge], e[1] = from->v[next[edge]], e[2] = (int16_t)g, e[3] = (int16_t)entered;
    }
  }
}

/* Adds the probe, which sees face f. False: no room, or rounding has torn the horizon. */
static bool grow(polytope *p, int f, const probe *q) {
  if (p->n_probes == MOST_PROBES) return false;
  const int at = p->n_probes++;
  p->probe[at] = *q;
  remove_visible(p, f, q->w);
  if (p->full || p->n_edges < 3) return false;
  int first = 0, last = 0;
  for (int i = 0; i < p->n_edges; i++) {
    const int16_t *e = p->edges[i];
    if (e[1] != p->edges[i + 1 < p->n_edges ? i + 1 : 0][0]) return false;
    const int fan = add_face(p, e[0], e[1], at);
    if (p->full) return false;
    join(p, fan, 0, e[2], e[3]);
    if (i == 0) first = fan;
    else join(p, last, 1, fan, 2);
    last = fan;
  }
  join(p, last, 1, first, 2);
  return true;
}

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

/* The answer of a face, with the unit normal n, whose plane supports M: the point of the face that is nearest to the
 * origin. Several triangles may lie in that plane, and one of them has the point. */
static void answer_face(const polytope *p, const face *f, cdn_vec3 n, double h, core_answer *answer) {
  simplex best, s;
  double least = INFINITY;
  best.n = 0;
  for (int i = 0; i < p->n_faces; i++) {
    const face *g = &p->face[i];
    if (!g->alive ||
        (g != f && !(g->d <= f->d + 1e-12 * p->pair->scale && cdn_dot(g->n, n) > (1 - 1e-9) * length_of(g->n))))
      continue;
    s.n = 3;
    for (int k = 0; k < 3; k++) s.probe[k] = p->probe[g->v[k]], s.at[k] = s.probe[k].w;
    cdni_simplex_reduce(&s);
    const double square = cdn_dot(s.nearest, s.nearest);
    if (square < least) least = square, best = s;
  }
  cdn_vec3 a = cdn_v3(0, 0, 0), b = a;
  for (int i = 0; i < best.n; i++)
    a = g_fma(best.weight[i], best.probe[i].a, a), b = g_fma(best.weight[i], best.probe[i].b, b);
  *answer = (core_answer){ -h, n, a, b };
}

/* A probe of M, or of what M is without the ball. */
static void probe_without(core_pair *pair, double ball, cdn_vec3 n, probe *q) {
  pair_probe(pair, n, q);
  if (ball > 0) q->w = g_fma(-ball, n, q->w);
}

/* Four probes in directions that look to all sides, the first along n. */
static void look_around(core_pair *pair, double ball, cdn_vec3 n, simplex *s) {
  const cdn_vec3 t1 = across(n), t2 = cdn_cross(n, t1);
  static const double to[3][2] = { { 0.94280904158206336, 0 },
                                   { -0.47140452079103168, 0.81649658092772603 },
                                   { -0.47140452079103168, -0.81649658092772603 } };
  probe_without(pair, ball, n, &s->probe[0]);
  for (int i = 0; i < 3; i++)
    probe_without(pair, ball, g_fma(-1.0 / 3, n, g_fma(to[i][0], t1, cdn_scale(to[i][1], t2))), &s->probe[i + 1]);
  s->n = 4;
  const cdn_vec3 o = s->probe[0].w, e = cdn_sub(s->probe[1].w, o), f = cdn_sub(s->probe[2].w, o);
  const double volume = cdn_dot(cdn_cross(e, f), cdn_sub(s->probe[3].w, o));
  if (!(fabs(volume) > 1e-6 * pair->scale * pair->scale * pair->scale)) s->n = 0;
}

/* Whether the rays through a face are so far from the way between the middles that h is more than `least` on all of
 * them: M contains the ball of the radius `inner` about -toward. */
static bool is_away(const polytope *p, const face *f, double least) {
  const cdn_vec3 t = p->pair->toward;
  const double bound = p->pair->inner - least; /* of m . t, for unit vectors m where h(m) < least */
  if (!(bound > 0) || !(f->d > 0)) return false;
  const cdn_vec3 *w[3] = { &p->probe[f->v[0]].w, &p->probe[f->v[1]].w, &p->probe[f->v[2]].w };
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

static void start(polytope *p, core_pair *pair, const simplex *s) {
  p->pair = pair;
  p->n_probes = 4, p->n_faces = 0, p->n_free = 0, p->full = false;
  memcpy(p->probe, s->probe, sizeof s->probe);
  const cdn_vec3 o = s->probe[0].w;
  const bool turned =
      cdn_dot(cdn_cross(cdn_sub(s->probe[1].w, o), cdn_sub(s->probe[2].w, o)), cdn_sub(s->probe[3].w, o)) > 0;
  static const int faces[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
  for (int i = 0; i < 4; i++) {
    const int *v = faces[i];
    if (turned) add_face(p, v[0], v[2], v[1]);
    else add_face(p, v[0], v[1], v[2]);
  }
  for (int f = 0; f < 4; f++)
    for (int g = 0; g < f; g++)
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
          if (p->face[f].v[i] == p->face[g].v[(k + 1) % 3] && p->face[g].v[k] == p->face[f].v[(i + 1) % 3])
            join(p, f, i, g, k);
}

/* Minima of h, each with the directions about it among which none is better. */
enum { MOST_CAPS = 12 };
typedef struct caps {
  int n;
  cdn_vec3 axis[MOST_CAPS];
  double cosine[MOST_CAPS];
} caps;

static void add_cap(caps *c, cdn_vec3 axis, double angle) {
  /* Newton's method ends at strict minima: very near to one there is no other. */
  angle = fmax(angle, 1e-3);
  for (int i = 0; i < c->n; i++)
    if (cdn_dot(axis, c->axis[i]) > 1 - 1e-12) return;
  if (c->n == MOST_CAPS) return;
  /* A cap of less than a right angle holds a cone when it holds the corners of the cone. */
  c->axis[c->n] = axis;
  c->cosine[c->n++] = cos(fmin(angle, 1.5));
}

static bool is_capped(const polytope *p, const face *f, const caps *c) {
  for (int i = 0; i < c->n; i++) {
    bool in = true;
    for (int k = 0; k < 3 && in; k++) {
      const cdn_vec3 w = p->probe[f->v[k]].w;
      in = cdn_dot(w, c->axis[i]) >= c->cosine[i] * sqrt(cdn_dot(w, w));
    }
    if (in) return true;
  }
  return false;
}

/* From the face of the polytope that is nearest to the origin. */
static bool polish_face(const polytope *p, const face *f, cdn_vec3 n, minimum *found) {
  const probe corners[3] = { p->probe[f->v[0]], p->probe[f->v[1]], p->probe[f->v[2]] };
  return cdni_polish(p->pair, n, 3, corners, found);
}

_Static_assert(MOST_FACES % 4 == 0, "the search looks at four at a time");
/* The first of the nearest; -1: none is left. Four at a time, as there are many. */
static int nearest_face(polytope *p) {
  double least[4] = { INFINITY, INFINITY, INFINITY, INFINITY };
  const int n = (p->n_faces + 3) & ~3;
  for (int i = p->n_faces; i < n; i++) p->near[i] = INFINITY;
  for (int i = 0; i < n; i += 4)
    for (int k = 0; k < 4; k++) least[k] = p->near[i + k] < least[k] ? p->near[i + k] : least[k];
  const double x = least[0] < least[1] ? least[0] : least[1], y = least[2] < least[3] ? least[2] : least[3];
  const double d = x < y ? x : y;
  if (!(d < INFINITY)) return -1;
  int at = 0;
  while (p->near[at] != d) at++;
  return at;
}

bool cdni_deep(core_pair *pair, simplex *s, const minimum *known, core_answer *answer) {
  const double tolerance = 4e-15 * pair->scale;
  const int n_touching = s->n;
  /* A minimum that is less deep than the ball is the least depth, and does not get here. */
  const double ball = known && -known->answer.distance > pair->rolling ? pair->rolling : 0;
  if (known) look_around(pair, ball, known->answer.normal, s);
  if (s->n == 0 || complete(pair, s) < 4) {
    if (known) return false;
    answer_flat(pair, s, n_touching, answer);
    return true;
  }
  polytope p;
  start(&p, pair, s);
  double least = INFINITY; /* of all h seen */
  minimum found;
  caps c;
  c.n = 0;
  if (known) {
    least = -known->answer.distance;
    *answer = known->answer;
    add_cap(&c, known->answer.normal, cdni_safe_angle(pair, known, cdni_wanted_angle(pair, known)));
  }
  const double enough = 1e-9 * pair->scale; /* what a better minimum elsewhere may be missed by */
  bool loose = !known;                      /* the points of *answer are those of a face that did not support M */
  for (bool first = !known;; first = false) {
    const int at = nearest_face(&p);
    if (at < 0) break;
    if (p.face[at].d + ball >= least - (loose ? tolerance : enough)) break;
    face *f = &p.face[at];
    if (is_capped(&p, f, &c) || is_away(&p, f, least)) {
      p.near[at] = INFINITY;
      continue;
    }
    probe q;
    const cdn_vec3 n = cdn_scale(1 / length_of(f->n), f->n);
    probe_without(pair, ball, n, &q);
    const double h = cdn_dot(n, q.w) + ball, gap = h - ball - f->d;
    if (known && h < 0) return false;
    if (pair->curved && (first || h < least - enough) && polish_face(&p, f, n, &found)) {
      const double wanted = cdni_wanted_angle(pair, &found), safe = cdni_safe_angle(pair, &found, wanted);
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
        answer_face(&p, f, n, h, answer);
        loose = ball > 0;
      }
      break;
    }
    if (h < least) {
      least = h;
      loose = true;
      answer->normal = n;
    }
    if (!grow(&p, at, &q)) break;
  }
  if (loose) cdni_descend_depth(pair, answer);
  return true;
}
