/* Private to the folder: more of eight numbers side by side (math/wide.h) for kernels, and the farthest of points in
 * columns. Products and sums are rounded one by one, so that all sets have the same bits. */
#ifndef CARDAN_GEOMETRY_CONVEX_WIDE_FARTHEST_H
#define CARDAN_GEOMETRY_CONVEX_WIDE_FARTHEST_H

#include "math/wide.h"

/* The larger, the smaller number; where x > y, `yes`. A bit each: where x <= y; where x == y. */
#if defined(WIDE_WHOLE)
CDNI_INLINE wide wide_max(wide a, wide b) {
  return (wide){ { (wide_part)_mm512_max_pd((__m512d)a.p[0], (__m512d)b.p[0]) } };
}
CDNI_INLINE wide wide_min(wide a, wide b) {
  return (wide){ { (wide_part)_mm512_min_pd((__m512d)a.p[0], (__m512d)b.p[0]) } };
}
CDNI_INLINE unsigned wide_which_no_more(wide x, wide y) {
  return _mm512_cmp_pd_mask((__m512d)x.p[0], (__m512d)y.p[0], _CMP_LE_OQ);
}
CDNI_INLINE unsigned wide_which_equal(wide x, wide y) {
  return _mm512_cmp_pd_mask((__m512d)x.p[0], (__m512d)y.p[0], _CMP_EQ_OQ);
}
CDNI_INLINE wide wide_where_more(wide x, wide y, wide yes, wide no) {
  const __mmask8 more = _mm512_cmp_pd_mask((__m512d)x.p[0], (__m512d)y.p[0], _CMP_GT_OQ);
  return (wide){ { (wide_part)_mm512_mask_mov_pd((__m512d)no.p[0], more, (__m512d)yes.p[0]) } };
}
#elif defined(__FMA__)
CDNI_INLINE wide wide_max(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = (wide_part)_mm256_max_pd((__m256d)a.p[i], (__m256d)b.p[i]);
  return a;
}
CDNI_INLINE wide wide_min(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = (wide_part)_mm256_min_pd((__m256d)a.p[i], (__m256d)b.p[i]);
  return a;
}
#  define WIDE_WHICH(x, y, how)                                                               \
    ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)(x).p[0], (__m256d)(y).p[0], how)) | \
     (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)(x).p[1], (__m256d)(y).p[1], how)) << WIDE_PART)
CDNI_INLINE unsigned wide_which_no_more(wide x, wide y) { return WIDE_WHICH(x, y, _CMP_LE_OQ); }
CDNI_INLINE unsigned wide_which_equal(wide x, wide y) { return WIDE_WHICH(x, y, _CMP_EQ_OQ); }
#  undef WIDE_WHICH
CDNI_INLINE wide wide_where_more(wide x, wide y, wide yes, wide no) {
  for (int i = 0; i < WIDE_PARTS; i++) {
    const __m256d more = _mm256_cmp_pd((__m256d)x.p[i], (__m256d)y.p[i], _CMP_GT_OQ);
    no.p[i] = (wide_part)_mm256_blendv_pd((__m256d)no.p[i], (__m256d)yes.p[i], more);
  }
  return no;
}
#else
CDNI_INLINE wide wide_where_more(wide x, wide y, wide yes, wide no) {
  typedef int64_t mask __attribute__((vector_size(64 / WIDE_PARTS)));
  for (int i = 0; i < WIDE_PARTS; i++) {
    const mask more = x.p[i] > y.p[i];
    no.p[i] = (wide_part)((more & (mask)yes.p[i]) | (~more & (mask)no.p[i]));
  }
  return no;
}
CDNI_INLINE wide wide_max(wide a, wide b) { return wide_where_more(a, b, a, b); }
CDNI_INLINE wide wide_min(wide a, wide b) { return wide_where_more(b, a, a, b); }
CDNI_INLINE unsigned wide_which_no_more(wide x, wide y) {
  unsigned which = 0;
  for (int k = 0; k < WIDE; k++) which |= (unsigned)(((double *)&x)[k] <= ((double *)&y)[k]) << k;
  return which;
}
CDNI_INLINE unsigned wide_which_equal(wide x, wide y) {
  unsigned which = 0;
  for (int k = 0; k < WIDE; k++) which |= (unsigned)(((double *)&x)[k] == ((double *)&y)[k]) << k;
  return which;
}
#endif

CDNI_INLINE wide wide_div(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] /= b.p[i];
  return a;
}
CDNI_INLINE wide wide_sqrt(wide a) {
#if defined(WIDE_WHOLE)
  a.p[0] = (wide_part)_mm512_sqrt_pd((__m512d)a.p[0]);
#elif defined(__FMA__)
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = (wide_part)_mm256_sqrt_pd((__m256d)a.p[i]);
#else
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = (wide_part){ sqrt(a.p[i][0]), sqrt(a.p[i][1]) };
#endif
  return a;
}

CDNI_INLINE wide wide_of(double a, double b, double c, double d, double e, double f, double g, double h) {
#if defined(WIDE_WHOLE)
  return (wide){ { { a, b, c, d, e, f, g, h } } };
#elif defined(__AVX__)
  return (wide){ { { a, b, c, d }, { e, f, g, h } } };
#else
  return (wide){ { { a, b }, { c, d }, { e, f }, { g, h } } };
#endif
}

/* The largest, the least of the eight. */
CDNI_INLINE double wide_largest(wide a) {
  const double *x = (const double *)&a;
  double top[WIDE / 2];
  for (int k = 0; k < WIDE / 2; k++) top[k] = x[k] > x[k + WIDE / 2] ? x[k] : x[k + WIDE / 2];
  const double u = top[0] > top[2] ? top[0] : top[2], v = top[1] > top[3] ? top[1] : top[3];
  return u > v ? u : v;
}
CDNI_INLINE double wide_least(wide a) {
  const double *x = (const double *)&a;
  double low[WIDE / 2];
  for (int k = 0; k < WIDE / 2; k++) low[k] = x[k] < x[k + WIDE / 2] ? x[k] : x[k + WIDE / 2];
  const double u = low[0] < low[2] ? low[0] : low[2], v = low[1] < low[3] ? low[1] : low[3];
  return u < v ? u : v;
}

/* Places are whole numbers, whose bits pass as those of doubles: eight from `first`, a multiple of eight below
 * MOST_PLACES; of the lanes `which`, the first one's. */
enum { MOST_PLACES = 1024 };
extern const int64_t cdni_places[MOST_PLACES];
CDNI_INLINE wide wide_load_places(int first) { return wide_load((const double *)(const void *)&cdni_places[first]); }
CDNI_INLINE wide wide_all_places(int place) { return wide_set(((const double *)(const void *)cdni_places)[place]); }
CDNI_INLINE int wide_place(wide places, unsigned which) {
  int64_t all[WIDE];
  wide_store((double *)(void *)all, places);
  return (int)all[__builtin_ctz(which | 1u << (WIDE - 1))];
}

/* Of n points, a multiple of eight, the first that is farthest along m: of the lanes with the most, the first one has
 * it. */
CDNI_INLINE int32_t wide_farthest(int n, const double *columns, cdn_vec3 m) {
  const wide mx = wide_set(m.x), my = wide_set(m.y), mz = wide_set(m.z);
  wide most = wide_set(-INFINITY), at = wide_zero();
  for (int i = 0; i < n; i += WIDE) {
    const wide d = wide_add(wide_add(wide_mul(mx, wide_load(columns + i)), wide_mul(my, wide_load(columns + n + i))),
                            wide_mul(mz, wide_load(columns + 2 * n + i)));
    at = wide_where_more(d, most, wide_load_places(i), at);
    most = wide_max(d, most);
  }
  return wide_place(at, wide_which_equal(most, wide_set(wide_largest(most))));
}

#endif
