/* Support points and bounds, eight at a time. Products and sums are rounded one by one, so that all sets have the same
 * bits. */
#include "geometry/convex/survey.h"
#include "geometry/convex/wide_farthest.h"

/* Eight numbers from different places. Loads right behind narrower stores would wait for these. */
CDNI_INLINE wide wide_gather(const double *from, const int at[WIDE]) {
  return wide_of(from[at[0]], from[at[1]], from[at[2]], from[at[3]], from[at[4]], from[at[5]], from[at[6]],
                 from[at[7]]);
}
CDNI_INLINE wide3 gather_columns(const double columns[3][SURVEY_DIRECTIONS], int n, const int at[WIDE]) {
#if defined(WIDE_WHOLE)
  if (n <= NET_DIRECTIONS) {
    /* Two registers hold a column of the net. */
    const __m512i places = _mm512_set_epi64(at[7], at[6], at[5], at[4], at[3], at[2], at[1], at[0]);
#  define PICK(c)                                                                                                     \
    {                                                                                                                 \
      { (wide_part) _mm512_permutex2var_pd(_mm512_loadu_pd(columns[c]), places, _mm512_loadu_pd(columns[c] + WIDE)) } \
    }
    return (wide3){ PICK(0), PICK(1), PICK(2) };
#  undef PICK
  }
#else
  (void)n;
#endif
  return (wide3){ wide_gather(columns[0], at), wide_gather(columns[1], at), wide_gather(columns[2], at) };
}
/* The sign of s, on a number that is not negative. */
CDNI_INLINE wide wide_sign(double size, wide s) {
  const wide value = wide_set(size), minus = wide_set(-size), zero = wide_zero();
  return wide_where_more(zero, s, minus, value);
}
CDNI_INLINE wide unfused_dot(wide3 a, wide3 b) {
  return wide_add(wide_add(wide_mul(a.x, b.x), wide_mul(a.y, b.y)), wide_mul(a.z, b.z));
}
CDNI_INLINE wide3 wide3_rows(cdn_vec3 x, cdn_vec3 y, cdn_vec3 z, wide3 v) {
  wide3 r;
#define ROW(c) \
  wide_add(wide_add(wide_mul(wide_set(x.c), v.x), wide_mul(wide_set(y.c), v.y)), wide_mul(wide_set(z.c), v.z))
  r.x = ROW(x), r.y = ROW(y), r.z = ROW(z);
#undef ROW
  return r;
}

CDNI_INLINE wide3 wide3_plus(wide3 a, cdn_vec3 b) {
  return (wide3){ wide_add(a.x, wide_set(b.x)), wide_add(a.y, wide_set(b.y)), wide_add(a.z, wide_set(b.z)) };
}
CDNI_INLINE void store_columns(double columns[3][SURVEY_DIRECTIONS], int at, wide3 a) {
  wide_store(&columns[0][at], a.x), wide_store(&columns[1][at], a.y), wide_store(&columns[2][at], a.z);
}

/* Of vertices side by side in rows, those that are farthest: even and odd ones by themselves, so that one need not wait
 * for the other. */
CDNI_INLINE wide3 farthest(int n, const double *v, wide3 m) {
  wide most[2] = { wide_set(-INFINITY), wide_set(-INFINITY) }, at[2] = { wide_zero(), wide_zero() };
  for (int i = 0; i < n; i += 2)
    for (int k = 0; k < 2; k++) {
      const int j = i + k < n ? i + k : i;
      const double *p = v + 3 * j;
      const wide d = wide_add(wide_add(wide_mul(wide_set(p[0]), m.x), wide_mul(wide_set(p[1]), m.y)),
                              wide_mul(wide_set(p[2]), m.z));
      at[k] = wide_where_more(d, most[k], wide_all_places(j), at[k]);
      most[k] = wide_max(d, most[k]);
    }
  const wide best = wide_where_more(most[1], most[0], at[1], at[0]);
  int place[WIDE];
  int64_t all[WIDE];
  wide_store((double *)(void *)all, best);
  for (int k = 0; k < WIDE; k++) place[k] = 3 * (int)all[k];
  return (wide3){ wide_gather(v, place), wide_gather(v + 1, place), wide_gather(v + 2, place) };
}

static int32_t KERNEL_NAME(farthest)(int n, const double *columns, cdn_vec3 m) { return wide_farthest(n, columns, m); }

/* Of a hull with more corners a climb for each direction costs less. */
enum { MOST_CORNERS = 160 };

CDNI_INLINE wide3 corners(const core *c, wide3 m) {
  wide3 r = { wide_zero(), wide_zero(), wide_zero() };
  switch (c->corner) {
    case CORNER_POINT: break;
    case CORNER_SEGMENT: r.z = wide_sign(c->size[1], m.z); break;
    case CORNER_BOX:
      r.x = wide_sign(c->size[0], m.x), r.y = wide_sign(c->size[1], m.y), r.z = wide_sign(c->size[2], m.z);
      break;
    case CORNER_TRIANGLE: return farthest(3, &c->triangle[0].x, m);
    case CORNER_HULL: {
      const cdn_surface *s = c->geometry->surface;
      if (s->info.n_vertices <= MOST_CORNERS) return farthest(s->info.n_vertices, s->vertices, m);
    }
      /* fallthrough */
    case CORNER_SUPPORT:
      for (int k = 0; k < WIDE; k++) {
        const cdn_vec3 v =
            core_corner(c, cdn_v3(((const double *)&m.x)[k], ((const double *)&m.y)[k], ((const double *)&m.z)[k]));
        ((double *)&r.x)[k] = v.x, ((double *)&r.y)[k] = v.y, ((double *)&r.z)[k] = v.z;
      }
  }
  return r;
}

CDNI_INLINE wide3 with_curve(const core *c, wide3 m, wide3 r) {
  if (c->curve == CURVE_DISK) {
    const wide square = wide_max(wide_add(wide_mul(m.x, m.x), wide_mul(m.y, m.y)), wide_set(1e-300));
    const wide s = wide_div(wide_set(c->size[0]), wide_sqrt(square));
    r.x = wide_add(r.x, wide_mul(s, m.x)), r.y = wide_add(r.y, wide_mul(s, m.y));
  } else if (c->curve == CURVE_ELLIPSOID) {
    const wide sx = wide_set(c->size[0]), sy = wide_set(c->size[1]), sz = wide_set(c->size[2]);
    const wide3 e = { wide_mul(sx, m.x), wide_mul(sy, m.y), wide_mul(sz, m.z) };
    const wide s = wide_div(wide_set(1), wide_sqrt(unfused_dot(e, e)));
    r.x = wide_add(r.x, wide_mul(wide_mul(s, sx), e.x));
    r.y = wide_add(r.y, wide_mul(wide_mul(s, sy), e.y));
    r.z = wide_add(r.z, wide_mul(wide_mul(s, sz), e.z));
  }
  return r;
}

/* An axis, five directions around it, and ten. */
static void KERNEL_NAME(lay)(survey *s, const cdn_vec3 axes[3], const double cosine[2], const double sine[2]) {
  static const double pole[NET_DIRECTIONS] = { 1 }, five[NET_DIRECTIONS] = { 0, 1, 1, 1, 1, 1 },
                      ten[NET_DIRECTIONS] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  static const double x[NET_DIRECTIONS] = { 0,
                                            1,
                                            0.30901699437494745,
                                            -0.80901699437494734,
                                            -0.80901699437494756,
                                            0.30901699437494723,
                                            1,
                                            0.80901699437494745,
                                            0.30901699437494745,
                                            -0.30901699437494734,
                                            -0.80901699437494734,
                                            -1,
                                            -0.80901699437494756,
                                            -0.30901699437494756,
                                            0.30901699437494723,
                                            0.80901699437494734 };
  static const double y[NET_DIRECTIONS] = { 0,
                                            0,
                                            0.95105651629515353,
                                            0.58778525229247325,
                                            -0.58778525229247303,
                                            -0.95105651629515364,
                                            0,
                                            0.58778525229247314,
                                            0.95105651629515353,
                                            0.95105651629515364,
                                            0.58778525229247325,
                                            0,
                                            -0.58778525229247303,
                                            -0.95105651629515353,
                                            -0.95105651629515364,
                                            -0.58778525229247336 };
  const cdn_vec3 a = axes[0], b = axes[1], c = axes[2];
  for (int at = 0; at < NET_DIRECTIONS; at += WIDE) {
    const wide on_five = wide_load(&five[at]), on_ten = wide_load(&ten[at]);
    const wide up = wide_add(wide_load(&pole[at]),
                             wide_add(wide_mul(on_five, wide_set(cosine[0])), wide_mul(on_ten, wide_set(cosine[1]))));
    const wide out = wide_add(wide_mul(on_five, wide_set(sine[0])), wide_mul(on_ten, wide_set(sine[1])));
    const wide3 place = { up, wide_mul(out, wide_load(&x[at])), wide_mul(out, wide_load(&y[at])) };
    store_columns(s->m, at, wide3_rows(a, b, c, place));
  }
  s->n = NET_DIRECTIONS;
}

static void KERNEL_NAME(probe)(const core_pair *pair, survey *s, int from) {
  const cdn_rotation *R = &pair->R;
  const cdn_vec3 x = cdn_v3(R->x.x, R->y.x, R->z.x), y = cdn_v3(R->x.y, R->y.y, R->z.y),
                 z = cdn_v3(R->x.z, R->y.z, R->z.z);
  for (int at = s->n; at % WIDE; at++)
    for (int k = 0; k < 3; k++) s->m[k][at] = s->m[k][from];
  for (int at = from & ~(WIDE - 1); at < s->n; at += WIDE) {
    wide3 m = { wide_load(&s->m[0][at]), wide_load(&s->m[1][at]), wide_load(&s->m[2][at]) };
    if (from > 0) {
      const wide over = wide_div(wide_set(1), wide_sqrt(unfused_dot(m, m)));
      m = (wide3){ wide_mul(m.x, over), wide_mul(m.y, over), wide_mul(m.z, over) };
      store_columns(s->m, at, m);
    }
    wide3 back = wide3_rows(x, y, z, m);
    back.x = wide_sub(wide_zero(), back.x), back.y = wide_sub(wide_zero(), back.y);
    back.z = wide_sub(wide_zero(), back.z);
    const wide3 corner_a = corners(&pair->a, m), corner_b = corners(&pair->b, back);
    const wide3 a = with_curve(&pair->a, m, corner_a);
    const wide3 end_b = wide3_plus(wide3_rows(R->x, R->y, R->z, corner_b), pair->p);
    const wide3 b =
        pair->b.curve ? wide3_plus(wide3_rows(R->x, R->y, R->z, with_curve(&pair->b, back, corner_b)), pair->p) : end_b;
    const wide3 w = { wide_sub(a.x, b.x), wide_sub(a.y, b.y), wide_sub(a.z, b.z) };
    store_columns(s->corner_a, at, corner_a), store_columns(s->corner_b, at, end_b), store_columns(s->w, at, w);
    wide_store(&s->h[at], unfused_dot(m, w));
  }
}

CDNI_INLINE wide least_of(wide a, wide b, wide c) { return wide_min(wide_min(a, b), c); }

/* A point p of M bounds h(m) >= p . m. On the cell the least of p . m is at a corner, where it is positive. Tried are
 * the three support points, a point between each two of them, and the point where the ray through the middle of the
 * cell meets their triangle. */
static void KERNEL_NAME(bound)(const survey *s, int n, const survey_cell *cells, double *least) {
  const wide zero = wide_zero(), one = wide_set(1), tiny = wide_set(1e-290);
  for (int at = 0; at < n; at += WIDE) {
    wide3 m[3], w[3];
    for (int c = 0; c < 3; c++) {
      int i[WIDE];
      for (int k = 0; k < WIDE; k++) i[k] = cells[at + k < n ? at + k : at].at[c];
      m[c] = gather_columns(s->m, s->n, i), w[c] = gather_columns(s->w, s->n, i);
    }
    wide g[3][3]; /* point i along direction j */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) g[i][j] = unfused_dot(w[i], m[j]);
    wide best = wide_max(wide_max(least_of(g[0][0], g[0][1], g[0][2]), least_of(g[1][0], g[1][1], g[1][2])),
                         least_of(g[2][0], g[2][1], g[2][2]));
    wide share[3];
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3, l = (i + 2) % 3;
      /* as high along the one corner as along the other */
      const wide more = wide_sub(g[k][k], g[k][i]);
      wide t = wide_div(more, wide_max(wide_add(more, wide_sub(g[i][i], g[i][k])), tiny));
      t = wide_min(wide_max(t, zero), one);
      const wide u = wide_sub(one, t);
      wide value[3];
      for (int j = 0; j < 3; j++) value[j] = wide_add(wide_mul(t, g[i][j]), wide_mul(u, g[k][j]));
      best = wide_max(best, least_of(value[0], value[1], value[2]));
      /* cofactors: the weights that make all three equal */
      const wide a0 = wide_sub(g[k][1], g[k][0]), a1 = wide_sub(g[k][2], g[k][0]);
      const wide b0 = wide_sub(g[l][1], g[l][0]), b1 = wide_sub(g[l][2], g[l][0]);
      share[i] = wide_sub(wide_mul(a0, b1), wide_mul(a1, b0));
    }
    /* cofactors have one sign where the ray meets the triangle; else what is not of the most sign counts for nothing */
    const wide sum = wide_add(wide_add(share[0], share[1]), share[2]), minus = wide_sub(zero, one);
    const wide sign = wide_where_more(sum, zero, one, minus);
    wide total = tiny;
    for (int i = 0; i < 3; i++) {
      share[i] = wide_max(wide_mul(share[i], sign), zero);
      total = wide_add(total, share[i]);
    }
    wide value[3];
    for (int j = 0; j < 3; j++)
      value[j] = wide_div(
          wide_add(wide_add(wide_mul(share[0], g[0][j]), wide_mul(share[1], g[1][j])), wide_mul(share[2], g[2][j])),
          total);
    best = wide_max(best, least_of(value[0], value[1], value[2]));
    wide_store(&least[at], best);
  }
}

/* ---- the certificate of a minimum ---- */

/* Directions around n, of which each has its successor behind it. */
enum { DIRECTIONS = 24, PARTS = DIRECTIONS / WIDE };
static const double cosines[DIRECTIONS + 1] = {
  1,  0.96592582628906831,  0.86602540378443871,  0.70710678118654757,  0.50000000000000011,  0.25881904510252074,
  0,  -0.25881904510252063, -0.49999999999999978, -0.70710678118654746, -0.86602540378443871, -0.9659258262890682,
  -1, -0.96592582628906831, -0.86602540378443882, -0.70710678118654791, -0.50000000000000044, -0.25881904510252063,
  0,  0.2588190451025203,   0.50000000000000011,  0.70710678118654735,  0.86602540378443837,  0.96592582628906809,
  1
};
static const double sines[DIRECTIONS + 1] = {
  0,  0.25881904510252074,  0.49999999999999994,  0.70710678118654746,  0.8660254037844386,   0.96592582628906831,
  1,  0.96592582628906831,  0.86602540378443871,  0.70710678118654757,  0.49999999999999994,  0.25881904510252102,
  0,  -0.25881904510252079, -0.49999999999999972, -0.70710678118654713, -0.86602540378443837, -0.96592582628906831,
  -1, -0.96592582628906842, -0.8660254037844386,  -0.70710678118654768, -0.50000000000000044, -0.25881904510252157,
  0
};

/* |A n x A t|^2 in the directions x t1 + y t2, and what makes |A m|^2 grow: |A t|^2 - |A n|^2 and 2 A n . A t, where
 * they are positive. */
typedef struct egg_sector {
  wide twist, wide_growth, lean_growth;
} egg_sector;

CDNI_INLINE egg_sector look(const safe_egg *g, wide x, wide y) {
  const double ee = cdn_dot(g->e, g->e), e11 = cdn_dot(g->e1, g->e1), e22 = cdn_dot(g->e2, g->e2);
  const double e12 = cdn_dot(g->e1, g->e2), e1 = cdn_dot(g->e, g->e1), e2 = cdn_dot(g->e, g->e2);
  const cdn_vec3 c1 = cdn_cross(g->e, g->e1), c2 = cdn_cross(g->e, g->e2);
  const wide xx = wide_mul(x, x), xy = wide_mul(wide_set(2), wide_mul(x, y)), yy = wide_mul(y, y);
#define QUADRATIC(a, b, c) \
  wide_add(wide_add(wide_mul(wide_set(a), xx), wide_mul(wide_set(b), xy)), wide_mul(wide_set(c), yy))
  egg_sector r;
  r.twist = QUADRATIC(cdn_dot(c1, c1), cdn_dot(c1, c2), cdn_dot(c2, c2));
  r.wide_growth = wide_max(wide_sub(QUADRATIC(e11, e12, e22), wide_set(ee)), wide_zero());
  r.lean_growth = wide_max(wide_add(wide_mul(wide_set(2 * e1), x), wide_mul(wide_set(2 * e2), y)), wide_zero());
#undef QUADRATIC
  return r;
}

/* The least radius of curvature on the way by the angle T. */
CDNI_INLINE wide egg_radius(const egg_sector *s, double square, double most, double sine, double cosine) {
  wide v = wide_set(most);
  if (cosine > 0) {
    const wide growth = wide_mul(wide_set(sine), wide_add(wide_mul(wide_set(sine), s->wide_growth), s->lean_growth));
    v = wide_min(v, wide_add(wide_set(square), growth));
  }
  return wide_div(s->twist, wide_mul(v, wide_sqrt(v)));
}

CDNI_INLINE double least_lane(wide a) {
  const double *x = (const double *)&a;
  double least = x[0];
  for (int k = 1; k < WIDE; k++) least = x[k] < least ? x[k] : least;
  return least;
}

/* By how much a sum of squares of sinusoids is less within a sector than at its ends, over the sum of their amplitudes:
 * (1 - cos(pi / 12)) / 2. */
static const double DIP = 0.01704;

/* By trial, in all directions. What holds at both ends of a sector holds within it: on an arc where a sinusoid is
 * positive it is concave, and squares dip by little. Those of ellipsoids do by less than the margin. */
static double KERNEL_NAME(safe)(const safe_problem *p, const double tangents[SAFE_TRIALS]) {
  wide spread[PARTS], square_from[PARTS][2], square_to[PARTS][2];
  egg_sector from_egg[PARTS][2], to_egg[PARTS][2];
  double square[2] = { 0, 0 };
  for (int i = 0; i < p->eggs; i++) square[i] = cdn_dot(p->egg[i].e, p->egg[i].e);
  const wide zero = wide_zero();
  for (int d = 0; d < PARTS; d++) {
    const wide tx = wide_load(&cosines[WIDE * d]), ty = wide_load(&sines[WIDE * d]);
    const wide ux = wide_load(&cosines[WIDE * d + 1]), uy = wide_load(&sines[WIDE * d + 1]);
    for (int i = 0; i < p->disks; i++) {
      const wide rx = wide_set(p->rim[i][0]), ry = wide_set(p->rim[i][1]);
      const wide from = wide_add(wide_mul(tx, rx), wide_mul(ty, ry)), to = wide_add(wide_mul(ux, rx), wide_mul(uy, ry));
      square_from[d][i] = wide_mul(from, from), square_to[d][i] = wide_mul(to, to);
    }
    wide most = zero;
    for (int i = 0; i < p->corners; i++) {
      const wide x = wide_set(p->x[i]), y = wide_set(p->y[i]);
      const wide from = wide_add(wide_mul(tx, x), wide_mul(ty, y)), to = wide_add(wide_mul(ux, x), wide_mul(uy, y));
      most = wide_max(most, wide_min(from, to));
    }
    spread[d] = wide_add(wide_set(p->flat), most);
    for (int i = 0; i < p->eggs; i++)
      from_egg[d][i] = look(&p->egg[i], tx, ty), to_egg[d][i] = look(&p->egg[i], ux, uy);
  }
  for (int trial = 0; trial < SAFE_TRIALS; trial++) {
    const double tangent = tangents[trial], cosine2 = 1 / (1 + tangent * tangent);
    const double cosine = 2 * cosine2 - 1, sine = 2 * tangent * cosine2;
    double share[2] = { 0, 0 };
    for (int i = 0; i < p->disks; i++) {
      const double most = p->lean[i] * (cosine > 0 ? cosine : 0) + (cosine > 0 ? sine : 1);
      share[i] = p->disk[i] * cosine2 / (most < 1 ? most : 1);
    }
    bool safe = true;
    for (int d = 0; d < PARTS && safe; d++) {
      wide all = wide_mul(spread[d], wide_set(1 / tangent));
      wide from = zero, to = zero;
      for (int i = 0; i < p->disks; i++) {
        from = wide_add(from, wide_mul(wide_set(share[i]), square_from[d][i]));
        to = wide_add(to, wide_mul(wide_set(share[i]), square_to[d][i]));
      }
      for (int i = 0; i < p->eggs; i++) {
        from = wide_add(from, egg_radius(&from_egg[d][i], square[i], p->egg[i].most, sine, cosine));
        to = wide_add(to, egg_radius(&to_egg[d][i], square[i], p->egg[i].most, sine, cosine));
      }
      const wide rounding = wide_sub(wide_min(from, to), wide_set(DIP * (share[0] + share[1])));
      all = wide_add(all, wide_max(rounding, zero));
      safe = least_lane(all) >= (p->eggs ? 1.03 : 1 + 1e-12) * p->depth;
    }
    if (safe) return tangent;
  }
  return 0;
}

bool KERNEL_NAME(cdni_deepest)(core_pair *pair, const deep_start *start, core_answer *answer);

const survey_kernels KERNEL_NAME(cdni_survey_kernels_of) = { .farthest = KERNEL_NAME(farthest),
                                                             .deepest = KERNEL_NAME(cdni_deepest),
                                                             .safe = KERNEL_NAME(safe),
                                                             .probe = KERNEL_NAME(probe),
                                                             .bound = KERNEL_NAME(bound),
                                                             .lay = KERNEL_NAME(lay) };
