/* The scalar type of the kernels: one double, or a vector of 4 or 8, one State a lane.
 *
 * Kernels are written once on `real` and compiled for each CDNI_LANES. Every operation acts lane by lane and is rounded
 * the same way at every width (explicit fma, no contraction, our own sine and cosine), so that lane k of a vector run
 * equals the scalar run bit for bit. Kernels have no branch on lane data: they select. */
#ifndef CARDAN_MATH_LANE_H
#define CARDAN_MATH_LANE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef CDNI_LANES
#  define CDNI_LANES 1
#endif

#if CDNI_LANES == 1
typedef double real;
typedef int64_t rmask; /* all bits set: true */
typedef uint64_t rbits;
#else
typedef double real __attribute__((vector_size(8 * CDNI_LANES)));
typedef int64_t rmask __attribute__((vector_size(8 * CDNI_LANES)));
typedef uint64_t rbits __attribute__((vector_size(8 * CDNI_LANES)));
#endif

/* Sanitizers take minutes for kernels that are one function each. */
#ifdef CDNI_SANITIZED
#  define CDNI_INLINE static inline __attribute__((unused))
#else
#  define CDNI_INLINE static inline __attribute__((always_inline, unused))
#endif

/* The same number in every lane. */
CDNI_INLINE real r_set(double x) {
#if CDNI_LANES == 1
  return x;
#else
  return x - (real){ 0 };
#endif
}

/* a b + c, rounded once where the CPU can. */
CDNI_INLINE real r_fma(real a, real b, real c) {
#if CDNI_LANES == 1 && defined(__FMA__)
  return __builtin_fma(a, b, c);
#elif defined(__FMA__)
  real r;
  for (int i = 0; i < CDNI_LANES; i++) r[i] = __builtin_fma(a[i], b[i], c[i]);
  return r;
#else
  return a * b + c;
#endif
}

/* c - a b */
CDNI_INLINE real r_fnma(real a, real b, real c) { return r_fma(-a, b, c); }

CDNI_INLINE rmask r_bits(real x) {
  rmask m;
  memcpy(&m, &x, sizeof m);
  return m;
}

CDNI_INLINE real r_from_bits(rmask m) {
  real x;
  memcpy(&x, &m, sizeof x);
  return x;
}

/* a > b; false for NaN. */
CDNI_INLINE rmask r_greater(real a, real b) {
#if CDNI_LANES == 1
  return -(rmask)(a > b);
#else
  return a > b;
#endif
}

/* Where the mask is true a, else b. */
CDNI_INLINE real r_select(rmask mask, real a, real b) { return r_from_bits((r_bits(a) & mask) | (r_bits(b) & ~mask)); }

/* Whether the mask is true in any lane, in all of them. */
CDNI_INLINE bool r_any(rmask mask) {
#if CDNI_LANES == 1
  return mask != 0;
#else
  int64_t any = 0;
  for (int i = 0; i < CDNI_LANES; i++) any |= mask[i];
  return any != 0;
#endif
}
CDNI_INLINE bool r_all(rmask mask) { return !r_any(~mask); }

CDNI_INLINE real r_sqrt(real x) {
#if CDNI_LANES == 1
  return sqrt(x);
#else
  real r;
  for (int i = 0; i < CDNI_LANES; i++) r[i] = sqrt(x[i]);
  return r;
#endif
}

/* Functions of the C library, lane by lane. */
CDNI_INLINE real r_atan2(real y, real x) {
#if CDNI_LANES == 1
  return atan2(y, x);
#else
  real r;
  for (int i = 0; i < CDNI_LANES; i++) r[i] = atan2(y[i], x[i]);
  return r;
#endif
}
CDNI_INLINE real r_hypot(real x, real y) {
#if CDNI_LANES == 1
  return hypot(x, y);
#else
  real r;
  for (int i = 0; i < CDNI_LANES; i++) r[i] = hypot(x[i], y[i]);
  return r;
#endif
}

CDNI_INLINE real r_max(real a, real b) { return r_select(r_greater(a, b), a, b); }

CDNI_INLINE real r_abs(real x) { return r_from_bits(r_bits(x) & INT64_MAX); }

/* Sine and cosine to about two units in the last place, the same bits at every width. The argument is reduced by
 * multiples of pi/2 in three parts (33 + 33 + 53 bits), exact while the multiple has at most 20 bits. On [-pi/4, pi/4]
 * the polynomials of least largest error (by Remez' exchange) are good to 2^-57 of the sine and to 2^-64. Lanes beyond
 * that range take the C library's. */
CDNI_INLINE void r_sincos(real x, real *sine, real *cosine) {
  const double round_to_integer = 0x1.8p52;
  real shifted = r_fma(x, r_set(0x1.45f306dc9c883p-1), r_set(round_to_integer));
  rmask quadrant = r_bits(shifted);
  real n = shifted - round_to_integer;
  real a = r_fnma(n, r_set(0x1.921fb544p0), x);
  a = r_fnma(n, r_set(0x1.0b4611a6p-34), a);
  a = r_fnma(n, r_set(0x1.3198a2e037073p-69), a);

  real t = a * a;
  real s = r_fma(t, r_set(0x1.5d8fd1f4226a8p-33), r_set(-0x1.ae5e5a9272400p-26));
  s = r_fma(t, s, r_set(0x1.71de3567d45fdp-19));
  s = r_fma(t, s, r_set(-0x1.a01a019bfdf00p-13));
  s = r_fma(t, s, r_set(0x1.111111110f7d0p-7));
  s = r_fma(t, s, r_set(-0x1.5555555555548p-3));
  s = r_fma(a * t, s, a);
  real c = r_fma(t, r_set(-0x1.8faecf5feb6f2p-37), r_set(0x1.1ee9ec480d26bp-29));
  c = r_fma(t, c, r_set(-0x1.27e4f80a76d99p-22));
  c = r_fma(t, c, r_set(0x1.a01a019cb26fap-16));
  c = r_fma(t, c, r_set(-0x1.6c16c16c15184p-10));
  c = r_fma(t, c, r_set(0x1.555555555554cp-5));
  /* 1 - t/2 in two pieces, so that the small one is not rounded away. */
  real half = 0.5 * t, w = 1.0 - half;
  c = w + r_fma(t * t, c, (1.0 - w) - half);

  /* Quadrant 1: (c, -s); 2: (-s, -c); 3: (-c, s). */
  rmask odd = -(quadrant & 1);
  rmask s_sign = (rmask)((rbits)(quadrant & 2) << 62), c_sign = (rmask)((rbits)((quadrant + 1) & 2) << 62);
  rmask swap = (r_bits(s) ^ r_bits(c)) & odd;
  real s_out = r_from_bits(r_bits(s) ^ swap ^ s_sign);
  real c_out = r_from_bits(r_bits(c) ^ swap ^ c_sign);

  rmask small = r_greater(r_set(800000.0), r_abs(x));
  if (!r_all(small)) {
#if CDNI_LANES == 1
    s_out = sin(x), c_out = cos(x);
#else
    for (int i = 0; i < CDNI_LANES; i++)
      if (!small[i]) s_out[i] = sin(x[i]), c_out[i] = cos(x[i]);
#endif
  }
  *sine = s_out;
  *cosine = c_out;
}

#endif
