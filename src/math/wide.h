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
#if defined(__AVX512F__)
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
#ifdef __AVX512F__
CDNI_INLINE wide wide_load_part(const double *from, int n) {
  return (wide){ { (wide_part)_mm512_maskz_loadu_pd((__mmask8)((1 << n) - 1), from) } };
}
CDNI_INLINE void wide_store_part(double *to, wide a, int n) {
  _mm512_mask_storeu_pd(to, (__mmask8)((1 << n) - 1), (__m512d)a.p[0]);
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
