/* Shared by the kernels of pairs: eight slots at a time, whatever the instruction set, so that sets of kernels that
 * fuse products and sums give the same bits. */
#ifndef CARDAN_MOLECULES_KERNEL_H
#define CARDAN_MOLECULES_KERNEL_H

#include "math/kernel_sets.h"
#include "math/wide.h"
#include "molecules/field.h"

typedef uint64_t wide_part_bits __attribute__((vector_size(64 / WIDE_PARTS)));
typedef int64_t wide_part_mask __attribute__((vector_size(64 / WIDE_PARTS)));

/* ---- parts of eight: what one register holds ---- */

CDNI_INLINE wide_part part_set(double x) { return x - (wide_part){ 0 }; }
CDNI_INLINE wide_part part_load(const double *from) { return *(const wide_anywhere *)from; }
CDNI_INLINE void part_store(double *to, wide_part a) { *(wide_anywhere *)to = a; }
/* a b + c, c - a b, rounded as wide_fma does. */
CDNI_INLINE wide_part part_fma(wide_part a, wide_part b, wide_part c) {
#if defined(WIDE_WHOLE)
  return (wide_part)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  return (wide_part)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}
CDNI_INLINE wide_part part_fnma(wide_part a, wide_part b, wide_part c) { return part_fma(-a, b, c); }
CDNI_INLINE bool part_any(wide_part_mask m) {
#if defined(WIDE_WHOLE)
  return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
#elif defined(__FMA__)
  return _mm256_movemask_pd((__m256d)m) != 0;
#else
  bool any = false;
  for (int i = 0; i < WIDE_PART; i++) any |= m[i] != 0;
  return any;
#endif
}
/* a where the mask is true, else 0 or b. */
CDNI_INLINE wide_part part_where(wide_part_mask m, wide_part a) { return (wide_part)((wide_part_mask)a & m); }
CDNI_INLINE wide_part part_select(wide_part_mask m, wide_part a, wide_part b) {
  return (wide_part)(((wide_part_mask)a & m) | ((wide_part_mask)b & ~m));
}

/* 1/sqrt(x) to about one unit in the last place, for x that is positive and finite. The first guess halves the exponent
 * by shifting bits, good to 3.5 %. Two steps of fourth order follow: with e = 1 - x y^2, 1/sqrt(1 - e) = 1 + e/2 + 3/8
 * e^2 + 5/16 e^3 + ... No unit of a processor for roots is as quick. */
CDNI_INLINE wide_part part_inverse_root(wide_part x) {
  wide_part y = (wide_part)(0x5fe6eb50c7b537a9u - ((wide_part_bits)x >> 1));
  for (int step = 0; step < 2; step++) {
    const wide_part e = part_fnma(x * y, y, part_set(1));
    const wide_part s = part_fma(e, part_fma(e, part_set(0.3125), part_set(0.375)), part_set(0.5));
    y = part_fma(y * e, s, y);
  }
  return y;
}

/* ---- eight ---- */

CDNI_INLINE wide wide_inverse_root(wide x) {
  for (int i = 0; i < WIDE_PARTS; i++) x.p[i] = part_inverse_root(x.p[i]);
  return x;
}
CDNI_INLINE wide wide_divide(wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] /= b.p[i];
  return a;
}
CDNI_INLINE wide wide_negate(wide a) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = -a.p[i];
  return a;
}

/* ---- choices ---- */

typedef struct wide_mask {
  wide_part_mask p[WIDE_PARTS];
} wide_mask;

CDNI_INLINE wide_mask wide_less(wide a, wide b) {
  wide_mask m;
  for (int i = 0; i < WIDE_PARTS; i++) m.p[i] = a.p[i] < b.p[i];
  return m;
}
CDNI_INLINE bool wide_any(wide_mask m) {
  bool any = false;
  for (int i = 0; i < WIDE_PARTS; i++) any |= part_any(m.p[i]);
  return any;
}
CDNI_INLINE bool wide_all(wide_mask m) {
  bool all = true;
  for (int i = 0; i < WIDE_PARTS; i++) all &= !part_any(~m.p[i]);
  return all;
}
CDNI_INLINE wide wide_select(wide_mask m, wide a, wide b) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = part_select(m.p[i], a.p[i], b.p[i]);
  return a;
}
/* a where the mask is true, else 0. */
CDNI_INLINE wide wide_where(wide_mask m, wide a) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = part_where(m.p[i], a.p[i]);
  return a;
}
CDNI_INLINE wide wide_larger(wide a, wide b) { return wide_select(wide_less(a, b), b, a); }
CDNI_INLINE wide wide_absolute(wide a) {
  for (int i = 0; i < WIDE_PARTS; i++) a.p[i] = (wide_part)((wide_part_mask)a.p[i] & INT64_MAX);
  return a;
}

/* ---- exponential and logarithm, to about one unit in the last place ---- */

/* e^x for x <= 0; below -700 it is that of -700, about 1e-304. x = k ln 2 + r, |r| <= ln 2 / 2, in two parts of ln 2;
 * Taylor's polynomial of degree 13 is good to 2e-17 there. */
CDNI_INLINE wide wide_exp(wide x) {
  const double to_integer = 0x1.8p52;
  static const double c[] = {
    1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
    1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1
  };
  x = wide_larger(x, wide_set(-700));
  const wide shifted = wide_fma(x, wide_set(0x1.71547652b82fep0), wide_set(to_integer));
  const wide k = wide_sub(shifted, wide_set(to_integer));
  wide r = wide_fnma(k, wide_set(0x1.62e42fefa0000p-1), x);
  r = wide_fnma(k, wide_set(0x1.cf79abc9e3b3ap-40), r);
  wide y = wide_set(c[0]);
  for (int i = 1; i < (int)(sizeof c / sizeof c[0]); i++) y = wide_fma(y, r, wide_set(c[i]));
  for (int i = 0; i < WIDE_PARTS; i++) {
    const wide_part_bits power = ((wide_part_bits)shifted.p[i] + 1023u) << 52;
    y.p[i] *= (wide_part)power;
  }
  return y;
}

/* ln x for x that is positive and normal. x = 2^k m, m between the roots of 1/2 and 2; with s = (m - 1)/(m + 1), ln m =
 * 2 (s + s^3/3 + s^5/5 + ...), to the term s^23. */
CDNI_INLINE wide wide_log(wide x) {
  wide k, m;
  for (int i = 0; i < WIDE_PARTS; i++) {
    /* What is left above the root of 1/2 has the exponent k. */
    const wide_part_bits bits = (wide_part_bits)x.p[i] - 0x3fe6a09e667f3bcdu;
    const wide_part_bits exponent = (bits >> 52) ^ 0x800u; /* k + 2048, for k of both signs */
    k.p[i] = (wide_part)((exponent & 0xfffu) | 0x4330000000000000u) - (0x1p52 + 2048);
    m.p[i] = (wide_part)((bits & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
  }
  const wide s = wide_divide(wide_sub(m, wide_set(1)), wide_add(m, wide_set(1))), t = wide_mul(s, s);
  wide y = wide_set(1.0 / 23);
  for (int n = 21; n >= 3; n -= 2) y = wide_fma(y, t, wide_set(1.0 / n));
  y = wide_fma(wide_mul(wide_add(s, s), t), y, wide_add(s, s));
  return wide_fma(k, wide_set(0x1.62e42fefa39efp-1), wide_fma(k, wide_set(0x1.abc9e3b39803fp-56), y));
}

/* The sum of eight numbers, in a fixed order. */
CDNI_INLINE double wide_sum(wide a) {
  double v[WIDE];
  wide_store(v, a);
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

#endif
