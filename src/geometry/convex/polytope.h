/* Private to the folder: a polytope within M that grows by support points, for kernels. Its faces are triangles, and it
 * looks at eight at a time. Products and sums are rounded one by one, so that all sets have the same bits. */
#ifndef CARDAN_GEOMETRY_CONVEX_POLYTOPE_H
#define CARDAN_GEOMETRY_CONVEX_POLYTOPE_H

#include "geometry/convex/survey.h"
#include "geometry/convex/wide_farthest.h"

enum { MOST_PROBES = 100, MOST_FACES = 1024, MOST_BLOCKS = MOST_FACES / WIDE, MOST_EDGES = 64 };

/* Faces that were added together: outward normals n of any length (0: the face is gone; NaN: it has no area), how far
 * their planes are along them (n . x = offset), and the squares of the distances of the planes from the origin with the
 * sign of the distance (INFINITY: the face is gone, has no area or hides nothing). All have the corner `apex`. */
typedef struct face_block {
  _Alignas(64) double n[3][WIDE], offset[WIDE], near[WIDE];
  int16_t apex;
} face_block;

/* Face f is number f % WIDE of block f / WIDE. A new fan begins a new block: what is stored together is loaded
 * together. The side k of a face f, from its corner k to the next one, has the number k * MOST_FACES + f. */
typedef struct polytope {
  int n_probes, n_blocks;
  face_block block[MOST_BLOCKS];
  int16_t from[MOST_FACES], to[MOST_FACES]; /* the first side of each face; the others meet at the apex */
  int16_t across[3 * MOST_FACES];           /* by side: the same side as the face beyond has it */
  int16_t fan[MOST_PROBES];                 /* of the last horizon: its side that begins at the probe */
  double w[MOST_PROBES][4];                 /* of the probes, once more */
  probe probe[MOST_PROBES];
} polytope;

/* A bit for each face. */
enum { FACE_WORDS = MOST_FACES / 64 };
typedef struct face_set {
  uint64_t word[FACE_WORDS];
} face_set;
CDNI_INLINE bool is_in(const face_set *s, int f) { return s->word[f / 64] >> f % 64 & 1; }

typedef struct horizon {
  int n;
  int16_t from[MOST_EDGES + WIDE], to[MOST_EDGES + WIDE];
  int16_t beyond[MOST_EDGES];    /* the same sides as the faces that stay have them */
  int16_t following[MOST_EDGES]; /* which of these sides is the next one */
} horizon;

/* Places in three columns of eight rows of w. */
CDNI_INLINE wide3 corners_of(const polytope *p, const int16_t probes[WIDE]) {
#if defined(__AVX__)
  __m256d x[2], y[2], z[2];
  for (int h = 0; h < 2; h++) {
    const int16_t *at = probes + 4 * h;
    const __m256d a = _mm256_loadu_pd(p->w[at[0]]), b = _mm256_loadu_pd(p->w[at[1]]);
    const __m256d c = _mm256_loadu_pd(p->w[at[2]]), d = _mm256_loadu_pd(p->w[at[3]]);
    const __m256d even_ab = _mm256_unpacklo_pd(a, b), even_cd = _mm256_unpacklo_pd(c, d);
    x[h] = _mm256_permute2f128_pd(even_ab, even_cd, 0x20), z[h] = _mm256_permute2f128_pd(even_ab, even_cd, 0x31);
    y[h] = _mm256_permute2f128_pd(_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d), 0x20);
  }
#  if defined(WIDE_WHOLE)
#    define BOTH(v)                                                               \
      {                                                                           \
        { (wide_part) _mm512_insertf64x4(_mm512_castpd256_pd512(v[0]), v[1], 1) } \
      }
#  else
#    define BOTH(v)                           \
      {                                       \
        { (wide_part) v[0], (wide_part)v[1] } \
      }
#  endif
  return (wide3){ BOTH(x), BOTH(y), BOTH(z) };
#  undef BOTH
#else
  wide3 r;
  for (int k = 0; k < WIDE; k++) {
    const double *w = p->w[probes[k]];
    ((double *)&r.x)[k] = w[0], ((double *)&r.y)[k] = w[1], ((double *)&r.z)[k] = w[2];
  }
  return r;
#endif
}

CDNI_INLINE wide3 wide3_minus(wide3 a, wide3 b) {
  return (wide3){ wide_sub(a.x, b.x), wide_sub(a.y, b.y), wide_sub(a.z, b.z) };
}
CDNI_INLINE wide wide_minor(wide a, wide b, wide c, wide d) { return wide_sub(wide_mul(a, d), wide_mul(b, c)); }
CDNI_INLINE wide unfused_dot(wide3 a, wide3 b) {
  return wide_add(wide_add(wide_mul(a.x, b.x), wide_mul(a.y, b.y)), wide_mul(a.z, b.z));
}

/* Sets a block of the faces of eight edges with the probe `at`, of which n are meant. */
CDNI_INLINE void set_block(polytope *p, int n, const int16_t from[WIDE], const int16_t to[WIDE], int at) {
#define F INFINITY
  static const double least[2 * WIDE] = { -F, -F, -F, -F, -F, -F, -F, -F, F, F, F, F, F, F, F, F };
#undef F
  const int first = WIDE * p->n_blocks;
  face_block *block = &p->block[p->n_blocks++];
  const double *corner = p->w[at];
  const wide3 w = { wide_set(corner[0]), wide_set(corner[1]), wide_set(corner[2]) };
  const wide3 a = corners_of(p, from), b = corners_of(p, to), e = wide3_minus(a, w), f = wide3_minus(b, w);
  wide3 u = { wide_minor(e.y, e.z, f.y, f.z), wide_minor(e.z, e.x, f.z, f.x), wide_minor(e.x, e.y, f.x, f.y) };
  const wide square = unfused_dot(u, u);
  /* What is behind the n faces is nowhere: it has no normal, and is not taken for one without area. */
  const wide bound = wide_load(least + (n < WIDE ? WIDE - n : 0));
  const wide flat =
      wide_min(wide_mul(wide_set(1e-30), wide_mul(unfused_dot(e, e), unfused_dot(f, f))), wide_sub(wide_zero(), bound));
  /* The corner with the largest products would cost digits; the least of the three bounds them all. */
  const wide offset = unfused_dot(u, w), d = wide_min(wide_min(unfused_dot(u, a), unfused_dot(u, b)), offset);
  const wide signed_square = wide_div(wide_mul(d, wide_max(d, wide_sub(wide_zero(), d))), square);
  const wide near = wide_where_more(square, flat, signed_square, wide_set(INFINITY));
  u.x = wide_where_more(square, flat, u.x, wide_set(NAN));
  wide_store(block->n[0], u.x), wide_store(block->n[1], u.y), wide_store(block->n[2], u.z);
  wide_store(block->near, wide_max(near, bound));
  wide_store(block->offset, offset);
  block->apex = (int16_t)at;
  memcpy(p->from + first, from, WIDE * sizeof *from);
  memcpy(p->to + first, to, WIDE * sizeof *to);
}

/* Side i of f is side k of g. */
CDNI_INLINE void join_sides(polytope *p, int side, int other) {
  p->across[side] = (int16_t)other, p->across[other] = (int16_t)side;
}

CDNI_INLINE void keep_probe(polytope *p, int at, cdn_vec3 w) {
  p->w[at][0] = w.x, p->w[at][1] = w.y, p->w[at][2] = w.z, p->w[at][3] = 0;
  p->fan[at] = 0;
}

/* A tetrahedron. This face has the corners 1 to 3. */
enum { FACE_AHEAD = 1 };
CDNI_INLINE void start_polytope(polytope *p, const probe corners[4]) {
  p->n_probes = 4, p->n_blocks = 0;
  memcpy(p->probe, corners, 4 * sizeof *corners);
  for (int i = 0; i < 4; i++) keep_probe(p, i, corners[i].w);
  const cdn_vec3 o = corners[0].w;
  const bool turned =
      cdn_dot(cdn_cross(cdn_sub(corners[1].w, o), cdn_sub(corners[2].w, o)), cdn_sub(corners[3].w, o)) > 0;
  const int16_t one = turned ? 1 : 2, two = turned ? 2 : 1;
  /* Three faces around the last corner, and the one they stand on, in the other direction. */
  const int16_t around[WIDE + 1] = { 0, one, two, 0 }, from[WIDE] = { two }, to[WIDE] = { one };
  set_block(p, 3, around, around + 1, 3);
  set_block(p, 1, from, to, 0);
  for (int i = 0; i < 3; i++) join_sides(p, MOST_FACES + i, 2 * MOST_FACES + (i + 1) % 3);
  join_sides(p, WIDE, 1), join_sides(p, MOST_FACES + WIDE, 0), join_sides(p, 2 * MOST_FACES + WIDE, 2);
}

CDNI_INLINE cdn_vec3 face_normal(const polytope *p, int f) {
  const face_block *b = &p->block[f / WIDE];
  return cdn_v3(b->n[0][f % WIDE], b->n[1][f % WIDE], b->n[2][f % WIDE]);
}

CDNI_INLINE const probe *face_corner(const polytope *p, int f, int k) {
  return &p->probe[k == 0 ? p->from[f] : k == 1 ? p->to[f] : p->block[f / WIDE].apex];
}

CDNI_INLINE int words_of(const polytope *p) { return (p->n_blocks + 7) / 8; }

/* The faces that see the probe `at`. Those without area do. */
CDNI_INLINE void look_from(const polytope *p, int at, face_set *sees) {
  const wide3 w = { wide_set(p->w[at][0]), wide_set(p->w[at][1]), wide_set(p->w[at][2]) };
  for (int i = 0; i < p->n_blocks;) {
    uint64_t word = 0;
    const int end = p->n_blocks < i + 8 ? p->n_blocks : i + 8, which = i / 8;
    for (int shift = 0; i < end; i++, shift += WIDE) {
      const face_block *b = &p->block[i];
      const wide3 n = { wide_load(b->n[0]), wide_load(b->n[1]), wide_load(b->n[2]) };
      word |= (uint64_t)(~wide_which_no_more(unfused_dot(n, w), wide_load(b->offset)) & 0xFF) << shift;
    }
    sees->word[which] = word;
  }
}

/* The sides between a set of faces and what stays. False: they are too many, or not one ring. */
CDNI_INLINE bool find_horizon(polytope *p, const face_set *gone, horizon *edges) {
  int n = 0;
  for (int i = 0; i < words_of(p); i++)
    for (uint64_t left = gone->word[i]; left; left &= left - 1) {
      if (n > MOST_EDGES - 3) return false;
      const int f = 64 * i + __builtin_ctzll(left);
      const int16_t corner[4] = { p->from[f], p->to[f], p->block[f / WIDE].apex, p->from[f] };
      for (int k = 0; k < 3; k++) {
        const int across = p->across[k * MOST_FACES + f];
        /* written in any case: whether it counts cannot be foretold */
        edges->from[n] = corner[k], edges->to[n] = corner[k + 1], edges->beyond[n] = (int16_t)across;
        n += !is_in(gone, across % MOST_FACES);
      }
    }
  edges->n = n;
  if (n < 3) return false;
  for (int i = 0; i < n; i++) p->fan[edges->from[i]] = (int16_t)i;
  uint64_t met = 0;
  bool fits = n >= 3;
  for (int i = 0; i < n; i++) {
    const int16_t following = p->fan[edges->to[i]];
    edges->following[i] = following;
    met |= (uint64_t)1 << following;
    fits = fits && edges->from[following] == edges->to[i];
  }
  if (!fits || met != ~(uint64_t)0 >> (64 - n)) return false;
  /* Two rings have six sides at least. */
  int at = 0, steps = 0;
  if (n >= 6) do
      at = edges->following[at], steps++;
    while (at != 0);
  return n < 6 || steps == n;
}

/* Leaves of the set what hangs together with face f. */
CDNI_INLINE void keep_together(const polytope *p, int f, face_set *s) {
  int16_t stack[3 * MOST_FACES];
  int n = 0;
  face_set reached = { { 0 } };
  stack[n++] = (int16_t)f;
  while (n > 0) {
    const int g = stack[--n];
    if (is_in(&reached, g)) continue;
    reached.word[g / 64] |= (uint64_t)1 << g % 64;
    for (int k = 0; k < 3; k++) {
      const int other = p->across[k * MOST_FACES + g] % MOST_FACES;
      if (is_in(s, other) && !is_in(&reached, other)) stack[n++] = (int16_t)other;
    }
  }
  *s = reached;
}

CDNI_INLINE void remove_faces(polytope *p, const face_set *gone) {
  for (int i = 0; i < words_of(p); i++)
    for (uint64_t left = gone->word[i]; left; left &= left - 1) {
      const int f = 64 * i + __builtin_ctzll(left);
      face_block *b = &p->block[f / WIDE];
      b->n[0][f % WIDE] = b->n[1][f % WIDE] = b->n[2][f % WIDE] = b->offset[f % WIDE] = 0;
      b->near[f % WIDE] = INFINITY;
    }
}

/* Adds the probe w behind the others, which sees face f. False: no room, or rounding has torn the horizon. */
CDNI_INLINE bool grow_polytope(polytope *p, int f, cdn_vec3 w) {
  const int at = p->n_probes, first = WIDE * p->n_blocks;
  keep_probe(p, at, w);
  face_set gone;
  horizon edges;
  look_from(p, at, &gone);
  gone.word[f / 64] |= (uint64_t)1 << f % 64;
  if (!find_horizon(p, &gone, &edges)) {
    /* What is seen only by rounding may lie elsewhere. */
    keep_together(p, f, &gone);
    if (!find_horizon(p, &gone, &edges)) return false;
  }
  if (p->n_blocks + (edges.n + WIDE - 1) / WIDE > MOST_BLOCKS) return false;
  remove_faces(p, &gone);
  p->n_probes++;
  memset(edges.from + edges.n, 0, WIDE * sizeof *edges.from), memset(edges.to + edges.n, 0, WIDE * sizeof *edges.to);
  for (int i = 0; i < edges.n; i += WIDE) set_block(p, edges.n - i, edges.from + i, edges.to + i, at);
  for (int i = 0; i < edges.n; i++) {
    join_sides(p, first + i, edges.beyond[i]);
    join_sides(p, MOST_FACES + first + i, 2 * MOST_FACES + first + edges.following[i]);
  }
  return true;
}

/* The first of the nearest faces of each lane, of which the first one: where it is as near as any; -1: none is left. */
CDNI_INLINE int nearest_face(const polytope *p, double *distance) {
  wide least = wide_set(INFINITY), at = wide_zero();
  for (int i = 0; i < p->n_blocks; i++) {
    const wide near = wide_load(p->block[i].near);
    at = wide_where_more(least, near, wide_load_places(WIDE * i), at);
    least = wide_min(near, least);
  }
  const double square = wide_least(least);
  *distance = copysign(sqrt(fabs(square)), square);
  return square < INFINITY ? wide_place(at, wide_which_equal(least, wide_set(square))) : -1;
}

#endif
