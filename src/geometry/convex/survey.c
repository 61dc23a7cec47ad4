/* The least depth by looking at many directions at once.
 *
 * M contains the ball of the radius `inner` about -toward, so h(m) >= inner - m . toward: h is small only for
 * directions near `toward`. A net of directions is laid over these. The support points of M along its corners bound h
 * from below on each of its cells, and Newton's method (polish.c) finds a local minimum from the cell where the bound
 * is least. What remains are cells whose bound is less than the minimum: those within the safe angle of the minimum
 * (certificate.c) hold none that is better, the others are divided into four. When none is left, the minimum is the
 * least depth. */
#include "geometry/convex/survey.h"

/* Divided ten times, cells are smaller than the least cap. */
enum { MOST_LEVELS = 11 };

/* A net: the axis is 0, the inner ring 1 to 5, the outer one 6 to 15. An icosahedron: 0 and 11 are its poles. */
enum { NET_CELLS = 20, GLOBE_CELLS = 20 };
static const survey_cell net[NET_CELLS] = {
  { { 0, 1, 2 } },  { { 0, 2, 3 } },   { { 0, 3, 4 } },   { { 0, 4, 5 } },   { { 0, 5, 1 } },
  { { 1, 6, 7 } },  { { 1, 7, 2 } },   { { 2, 7, 8 } },   { { 2, 8, 9 } },   { { 2, 9, 3 } },
  { { 3, 9, 10 } }, { { 3, 10, 11 } }, { { 3, 11, 4 } },  { { 4, 11, 12 } }, { { 4, 12, 13 } },
  { { 4, 13, 5 } }, { { 5, 13, 14 } }, { { 5, 14, 15 } }, { { 5, 15, 1 } },  { { 1, 15, 6 } },
};
static const survey_cell globe[GLOBE_CELLS] = {
  { { 0, 1, 2 } },  { { 0, 2, 3 } },  { { 0, 3, 4 } },  { { 0, 4, 5 } },   { { 0, 5, 1 } },
  { { 1, 6, 2 } },  { { 2, 7, 3 } },  { { 3, 8, 4 } },  { { 4, 9, 5 } },   { { 5, 10, 1 } },
  { { 2, 6, 7 } },  { { 3, 7, 8 } },  { { 4, 8, 9 } },  { { 5, 9, 10 } },  { { 1, 10, 6 } },
  { { 11, 7, 6 } }, { { 11, 8, 7 } }, { { 11, 9, 8 } }, { { 11, 10, 9 } }, { { 11, 6, 10 } },
};
/* Tenths of a turn. */
static const double around[10][2] = { { 1, 0 },
                                      { 0.80901699437494745, 0.58778525229247314 },
                                      { 0.30901699437494745, 0.95105651629515353 },
                                      { -0.30901699437494745, 0.95105651629515353 },
                                      { -0.80901699437494745, 0.58778525229247314 },
                                      { -1, 0 },
                                      { -0.80901699437494745, -0.58778525229247314 },
                                      { -0.30901699437494745, -0.95105651629515353 },
                                      { 0.30901699437494745, -0.95105651629515353 },
                                      { 0.80901699437494745, -0.58778525229247314 } };

static cdn_vec3 place(const double columns[3][SURVEY_DIRECTIONS], int i) {
  return cdn_v3(columns[0][i], columns[1][i], columns[2][i]);
}
static cdn_vec3 direction(const survey *s, int i) { return place(s->m, i); }

static void add(survey *s, cdn_vec3 m) {
  s->m[0][s->n] = m.x, s->m[1][s->n] = m.y, s->m[2][s->n] = m.z;
  s->n++;
}

static void add_ring(survey *s, const cdn_vec3 axes[3], double cosine, double sine, int first) {
  for (int i = first; i < 10; i += 2)
    add(s, g_fma(cosine, axes[0], g_fma(sine * around[i][0], axes[1], cdn_scale(sine * around[i][1], axes[2]))));
}

/* Directions around an axis whose cosine to it is at least `cosine`, and more; returns how many cells there are. */
static int lay(const survey_kernels *kernels, survey *s, cdn_vec3 axis, double cosine, survey_cell *cells) {
  const cdn_vec3 t1 = across(axis), axes[3] = { axis, t1, cdn_cross(axis, t1) };
  if (cosine > 0.3) {
    /* The sides of the outer decagon are as far out as the cosine asks. */
    cosine = fmin(cosine, 0.99);
    const double far = sqrt(1 - cosine * cosine) / (cosine * 0.95105651629515353), outer = 1 / sqrt(1 + far * far);
    const double cosines[2] = { sqrt(0.5 * (1 + outer)), outer };
    const double sines[2] = { sqrt(0.5 * (1 - outer)), far * outer };
    kernels->lay(s, axes, cosines, sines);
    memcpy(cells, net, sizeof net);
    return NET_CELLS;
  }
  const double z = 0.44721359549995794, rho = 0.89442719099991588;
  s->n = 0;
  add(s, axis);
  add_ring(s, axes, z, rho, 0);
  add_ring(s, axes, -z, rho, 1);
  add(s, g_neg(axis));
  memcpy(cells, globe, sizeof globe);
  return GLOBE_CELLS;
}

static bool is_capped(const survey *s, const survey_cell *c, const caps *k) {
  for (int i = 0; i < k->n; i++) {
    bool in = true;
    for (int j = 0; j < 3; j++) in = in && cdn_dot(direction(s, c->at[j]), k->axis[i]) >= k->cosine[i];
    if (in) return true;
  }
  return false;
}

static double largest(double a, double b, double c) {
  const double d = a > b ? a : b;
  return d > c ? d : c;
}

/* m . toward <= bound on the whole cell. */
static bool is_away(const core_pair *pair, const survey *s, const survey_cell *c, double bound) {
  const cdn_vec3 a = direction(s, c->at[0]), b = direction(s, c->at[1]), d = direction(s, c->at[2]);
  if (!(bound > 0)) return false;
  const double most = largest(cdn_dot(pair->toward, a), cdn_dot(pair->toward, b), cdn_dot(pair->toward, d));
  if (most <= 0) return true;
  /* what is between unit vectors is at least as long as the root of their least product */
  const double least = -largest(-cdn_dot(a, b), -cdn_dot(b, d), -cdn_dot(d, a));
  return least > 0 && most * most <= bound * bound * least;
}

/* Newton's method from the cell. Where it does not get to a minimum, there are smaller cells to come. */
static bool polish_cell(core_pair *pair, const survey *s, const survey_cell *c, minimum *found) {
  probe probes[3];
  cdn_vec3 m[3], w[3];
  int least = 0;
  for (int i = 0; i < 3; i++) {
    const int at = c->at[i];
    m[i] = direction(s, at), w[i] = place(s->w, at);
    probes[i].corner_a = place(s->corner_a, at), probes[i].corner_b = place(s->corner_b, at);
    if (s->h[at] < s->h[c->at[least]]) least = i;
  }
  /* From the normal of the face that the cell has in M, unless it is far from the cell. */
  const cdn_vec3 sum = cdn_add(m[0], cdn_add(m[1], m[2])), face = cdn_cross(cdn_sub(w[1], w[0]), cdn_sub(w[2], w[0]));
  const double length = length_of(face), along = cdn_dot(sum, face);
  const bool near = length > 1e-6 * pair->scale * pair->scale && along > 0.7 * length_of(sum) * length;
  return cdni_polish(pair, near ? cdn_scale(1 / length, face) : m[least], 3, probes, found);
}

static void divide(survey *s, const survey_cell *c, survey_cell to[4]) {
  int16_t middle[3];
  for (int i = 0; i < 3; i++) {
    const cdn_vec3 m = cdn_add(direction(s, c->at[i]), direction(s, c->at[(i + 1) % 3]));
    middle[i] = (int16_t)s->n;
    add(s, m);
  }
  for (int i = 0; i < 3; i++) to[i] = (survey_cell){ { c->at[i], middle[i], middle[(i + 2) % 3] } };
  to[3] = (survey_cell){ { middle[0], middle[1], middle[2] } };
}

survey_end cdni_survey(core_pair *pair, cdn_vec3 *n, double h, minimum *found) {
  const survey_kernels *kernels = cdni_survey_kernels[cdni_kernel_set(1)];
  const double enough = 1e-9 * pair->scale, length = length_of(pair->toward);
  survey s;
  survey_cell cells[SURVEY_CELLS], next[SURVEY_CELLS];
  double bound[SURVEY_CELLS];
  int n_cells = lay(kernels, &s, *n, length > 0 ? (pair->inner - h) / length : -1, cells), from = 0;
  bool known = false;
  double least = h;
  caps c = { .n = 0 };
  for (int level = 0; level < MOST_LEVELS && n_cells > 0; level++) {
    kernels->probe(pair, &s, from);
    double lowest = INFINITY;
    int at = 0;
    for (int i = from; i < s.n; i++)
      if (s.h[i] < lowest) lowest = s.h[i], at = i;
    if (lowest <= 0) {
      *n = direction(&s, at);
      return lowest < pair->far ? SURVEY_FAR : SURVEY_APART;
    }
    kernels->bound(&s, n_cells, cells, bound);
    if (!known || lowest < least - enough) {
      least = lowest < least ? lowest : least;
      int best = 0;
      for (int i = 1; i < n_cells; i++)
        if (bound[i] < bound[best]) best = i;
      minimum other;
      known = polish_cell(pair, &s, &cells[best], &other);
      if (pair->parted) return SURVEY_FAR;
      if (known && other.answer.distance >= 0) return SURVEY_APART;
      known = known && -other.answer.distance < least + enough;
      if (known) {
        *found = other, least = -other.answer.distance;
        const double wanted = cdni_wanted_tangent(pair, found), safe = cdni_safe_tangent(pair, found, wanted);
        if (safe >= wanted) return SURVEY_LEAST;
        add_cap(&c, found->answer.normal, safe);
      }
    }
    from = s.n;
    int n_next = 0;
    for (int i = 0; i < n_cells; i++) {
      if (bound[i] >= least - enough || is_capped(&s, &cells[i], &c) ||
          is_away(pair, &s, &cells[i], pair->inner - least))
        continue;
      if (n_next + 4 > SURVEY_CELLS || s.n + 3 > SURVEY_DIRECTIONS) return known ? SURVEY_LOCAL : SURVEY_OPEN;
      divide(&s, &cells[i], &next[n_next]);
      n_next += 4;
    }
    memcpy(cells, next, sizeof *cells * (size_t)n_next);
    n_cells = n_next;
  }
  if (!known) return SURVEY_OPEN;
  return n_cells == 0 ? SURVEY_LEAST : SURVEY_LOCAL;
}
