/* Eight numbers of one State side by side, for kernels of one lane: columns of a matrix, or mobilities. The
 * instruction set decides between one register of eight, two of four, or four of two; each number is rounded as it
 * would be alone. */
#ifndef CARDAN_MATH_WIDE_H
#define CARDAN_MATH_WIDE_H

#include "math/spatial.h"

#ifdef __FMA__
#  include <immintrin.h>
#endif

enum { WIDE = 8 };

#if defined(__AVX512F__)
#  define WIDE_WHOLE
#endif
#if defined(WIDE_WHOLE)
enum { WIDE_PARTS = 1 };
#elif defined(__AVX__)
enum { WIDE_PARTS = 2 };
#else
enum { WIDE_PARTS = 4 };
#endif

typedef double wide_part __attribute__((vector_size(64 / WIDE_PARTS)));
typedef double wide_anywhere __attribute__((vector_size(64 / WIDE_PARTS), aligned(8), may_alias));
enum { WIDE_PART = WIDE / WIDE_PARTS };

typedef struct wide {
  wide_part p[WIDE_PARTS];
} wide;

typedef struct wide3 {
  wide x, y, z;
} wide3;
typedef struct wide6 {
  wide3 w, v;
} wide6;

CDNI_INLINE wide wide_zero(void) { return (wide){ .p = { { 0 } } }; }
CDNI_INLINE wide wide_set(double x) {
  wide r;
  for (int i = 0; i < WIDE_PARTS; i++) r.p[i] = x - (wide_part){ 0 };
  return r;
}
CDNI_INLINE wide wide_mul(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] *= b.p[i];
  return a;
}
CDNI_INLINE wide wide_add(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] += b.p[i];
  return a;
}
CDNI_INLINE wide wide_sub(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] -= b.p[i];
  return a;
}
/* a b + c, rounded as r_fma does. */
CDNI_INLINE wide wide_fma(wide a, wide b, wide c) {
#if defined(WIDE_WHOLE)
  return (wide){ { (wide_part)_mm512_fmadd_pd((__m512d)a.p[0], (__m512d)b.p[0], (__m512d)c.p[0]) } };
#elif defined(__FMA__)
  for (int i = 0; i < WIDE_PARTS; i++)
    a.p[i] = (wide_part)_mm256_fmadd_pd((__m256d)a.p[i], (__m256d)b.p[i], (__m256d)c.p[i]);
  return a;
#else
  return wide_add(wide_mul(a, b), c);
#endif
}
/* c - a b */
CDNI_INLINE wide wide_fnma(wide a, wide b, wide c) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = -a.p[i];
  return wide_fma(a, b, c);
}

/* ---- memory; partial loads set the numbers after the first n to zero ---- */

CDNI_INLINE wide wide_load(const double *from) {
  wide a;
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = *(const wide_anywhere *)(from + i * WIDE_PART);
  return a;
}
CDNI_INLINE void wide_store(double *to, wide a) {
  for (int i = 0; i < WIDE_PARTS; i++) *(wide_anywhere *)(to + i * WIDE_PART) = a.p[i];
}
#ifdef WIDE_WHOLE
CDNI_INLINE wide wide_load_part(const double *from, int n) {
  return (wide){ { (wide_part)_mm512_maskz_loadu_pd((__mmask8)((1 << n) - 1), from) } };
}
CDNI_INLINE void wide_store_part(double *to, wide a, int n) {
  _mm512_mask_storeu_pd(to, (__mmask8)((1 << n) - 1), (__m512d)a.p[0]);
}
#elif defined(__AVX2__)
/* For part i: all bits set where a number is among the first n. */
CDNI_INLINE __m256i wide_among(int n, int i) {
  static const int64_t bits[2 * WIDE] = { -1, -1, -1, -1, -1, -1, -1, -1 };
  return _mm256_loadu_si256((const __m256i *)(const void *)(bits + WIDE - n + i * WIDE_PART));
}
CDNI_INLINE wide wide_load_part(const double *from, int n) {
  wide a;
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = (wide_part)_mm256_maskload_pd(from + i * WIDE_PART, wide_among(n, i));
  return a;
}
CDNI_INLINE void wide_store_part(double *to, wide a, int n) {
  for (int i = 0; i < WIDE_PARTS; i++) _mm256_maskstore_pd(to + i * WIDE_PART, wide_among(n, i), (__m256d)a.p[i]);
}
#else
CDNI_INLINE wide wide_load_part(const double *from, int n) {
  double all[WIDE] = { 0 };
  for (int k = 0; k < n; k++) all[k] = from[k];
  return wide_load(all);
}
CDNI_INLINE void wide_store_part(double *to, wide a, int n) {
  double all[WIDE];
  wide_store(all, a);
  for (int k = 0; k < n; k++) to[k] = all[k];
}
#endif

/* The first n of a, then those of b. */
CDNI_INLINE wide wide_first(int n, wide a, wide b) {
  typedef int64_t part_mask __attribute__((vector_size(64 / WIDE_PARTS)));
  static const int64_t place[WIDE] __attribute__((aligned(64))) = { 0, 1, 2, 3, 4, 5, 6, 7 };
  for (int i = 0; i < WIDE_PARTS; i++) {
    const part_mask first = *(const part_mask *)(place + i * WIDE_PART) < (n - (part_mask){ 0 });
    a.p[i] = (wide_part)(((part_mask)a.p[i] & first) | ((part_mask)b.p[i] & ~first));
  }
  return a;
}

/* out[e] = number e of each of eight rows of eight. */
CDNI_INLINE void wide_columns(const double *const row[WIDE], wide out[WIDE]) {
#if defined(WIDE_WHOLE)
  __m512d lo[4], hi[4];
  for (int k = 0; k < 4; k++) {
    const __m512d a = _mm512_loadu_pd(row[2 * k]), b = _mm512_loadu_pd(row[2 * k + 1]);
    lo[k] = _mm512_unpacklo_pd(a, b), hi[k] = _mm512_unpackhi_pd(a, b);
  }
  for (int odd = 0; odd < 2; odd++) {
    const __m512d *x = odd ? hi : lo;
    /* pairs of numbers 0 and 4, of 2 and 6 */
    const __m512d a = _mm512_shuffle_f64x2(x[0], x[1], 0x88), b = _mm512_shuffle_f64x2(x[2], x[3], 0x88);
    const __m512d c = _mm512_shuffle_f64x2(x[0], x[1], 0xdd), d = _mm512_shuffle_f64x2(x[2], x[3], 0xdd);
    out[odd].p[0] = (wide_part)_mm512_shuffle_f64x2(a, b, 0x88);
    out[odd + 4].p[0] = (wide_part)_mm512_shuffle_f64x2(a, b, 0xdd);
    out[odd + 2].p[0] = (wide_part)_mm512_shuffle_f64x2(c, d, 0x88);
    out[odd + 6].p[0] = (wide_part)_mm512_shuffle_f64x2(c, d, 0xdd);
  }
#elif defined(__FMA__)
  for (int half = 0; half < 2; half++)
    for (int e = 0; e < WIDE; e += 4) {
      const double *const *r = row + 4 * half;
      const __m256d a = _mm256_loadu_pd(r[0] + e), b = _mm256_loadu_pd(r[1] + e);
      const __m256d c = _mm256_loadu_pd(r[2] + e), d = _mm256_loadu_pd(r[3] + e);
      const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
      const __m256d ab1 = _mm256_unpackhi_pd(a, b), cd1 = _mm256_unpackhi_pd(c, d);
      out[e].p[half] = (wide_part)_mm256_permute2f128_pd(ab, cd, 0x20);
      out[e + 1].p[half] = (wide_part)_mm256_permute2f128_pd(ab1, cd1, 0x20);
      out[e + 2].p[half] = (wide_part)_mm256_permute2f128_pd(ab, cd, 0x31);
      out[e + 3].p[half] = (wide_part)_mm256_permute2f128_pd(ab1, cd1, 0x31);
    }
#else
  for (int e = 0; e < WIDE; e++)
    for (int k = 0; k < WIDE; k++) out[e].p[k / WIDE_PART][k % WIDE_PART] = row[k][e];
#endif
}

/* ---- eight vectors, in the order of operations of spatial.h ---- */

CDNI_INLINE wide3 wide3_load(const double *from) {
  return (wide3){ wide_load(from), wide_load(from + WIDE), wide_load(from + 2 * WIDE) };
}
CDNI_INLINE void wide3_store(double *to, wide3 a) {
  wide_store(to, a.x), wide_store(to + WIDE, a.y), wide_store(to + 2 * WIDE, a.z);
}
CDNI_INLINE wide3 wide3_add(wide3 a, wide3 b) {
  return (wide3){ wide_add(a.x, b.x), wide_add(a.y, b.y), wide_add(a.z, b.z) };
}
CDNI_INLINE wide3 wide3_sub(wide3 a, wide3 b) {
  return (wide3){ wide_sub(a.x, b.x), wide_sub(a.y, b.y), wide_sub(a.z, b.z) };
}
CDNI_INLINE wide3 wide3_scale(wide s, wide3 a) {
  return (wide3){ wide_mul(s, a.x), wide_mul(s, a.y), wide_mul(s, a.z) };
}
CDNI_INLINE wide3 wide3_fma(wide s, wide3 a, wide3 b) {
  return (wide3){ wide_fma(s, a.x, b.x), wide_fma(s, a.y, b.y), wide_fma(s, a.z, b.z) };
}
CDNI_INLINE wide wide3_dot(wide3 a, wide3 b) { return wide_fma(a.z, b.z, wide_fma(a.y, b.y, wide_mul(a.x, b.x))); }
CDNI_INLINE wide3 wide3_cross(wide3 a, wide3 b) {
  return (wide3){ wide_fnma(a.z, b.y, wide_mul(a.y, b.z)), wide_fnma(a.x, b.z, wide_mul(a.z, b.x)),
                  wide_fnma(a.y, b.x, wide_mul(a.x, b.y)) };
}
CDNI_INLINE wide3 wide3_cross_plus(wide3 a, wide3 b, wide3 c) {
  return (wide3){ wide_fma(a.y, b.z, wide_fnma(a.z, b.y, c.x)), wide_fma(a.z, b.x, wide_fnma(a.x, b.z, c.y)),
                  wide_fma(a.x, b.y, wide_fnma(a.y, b.x, c.z)) };
}
/* A b, A^T b, with A by columns; S b with the six numbers of a symmetric S. */
CDNI_INLINE wide3 wide3_matrix(const wide3 A[3], wide3 b) {
  return wide3_fma(b.z, A[2], wide3_fma(b.y, A[1], wide3_scale(b.x, A[0])));
}
CDNI_INLINE wide3 wide3_transposed(const wide3 A[3], wide3 b) {
  return (wide3){ wide3_dot(A[0], b), wide3_dot(A[1], b), wide3_dot(A[2], b) };
}
CDNI_INLINE wide3 wide3_symmetric(const wide S[6], wide3 b) {
  return (wide3){ wide_fma(S[4], b.z, wide_fma(S[3], b.y, wide_mul(S[0], b.x))),
                  wide_fma(S[5], b.z, wide_fma(S[1], b.y, wide_mul(S[3], b.x))),
                  wide_fma(S[2], b.z, wide_fma(S[5], b.y, wide_mul(S[4], b.x))) };
}

/* ---- eight spatial vectors ---- */

CDNI_INLINE wide6 wide6_zero(void) {
  const wide zero = wide_zero();
  return (wide6){ { zero, zero, zero }, { zero, zero, zero } };
}
/* a x b + c, with one a for all. */
CDNI_INLINE wide3 wide3_cross_add(v3 a, wide3 b, wide3 c) {
  const wide x = wide_set(a.x), y = wide_set(a.y), z = wide_set(a.z);
  return (wide3){ wide_fma(y, b.z, wide_fnma(z, b.y, c.x)), wide_fma(z, b.x, wide_fnma(x, b.z, c.y)),
                  wide_fma(x, b.y, wide_fnma(y, b.x, c.z)) };
}
/* Number k of the eight. */
CDNI_INLINE void wide3_put(wide3 *a, int k, v3 x) {
  ((double *)&a->x)[k] = x.x, ((double *)&a->y)[k] = x.y, ((double *)&a->z)[k] = x.z;
}
CDNI_INLINE void wide6_put(wide6 *a, int k, sv x) {
  wide3_put(&a->w, k, x.w);
  wide3_put(&a->v, k, x.v);
}

CDNI_INLINE wide wide6_dot(sv a, const wide6 *b) {
  wide sum = wide_mul(wide_set(a.w.x), b->w.x);
  sum = wide_fma(wide_set(a.w.y), b->w.y, sum);
  sum = wide_fma(wide_set(a.w.z), b->w.z, sum);
  sum = wide_fma(wide_set(a.v.x), b->v.x, sum);
  sum = wide_fma(wide_set(a.v.y), b->v.y, sum);
  return wide_fma(wide_set(a.v.z), b->v.z, sum);
}

#endif
