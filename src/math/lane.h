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

#define CDNI_INLINE static inline __attribute__((always_inline, unused))

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

CDNI_INLINE bool r_all(rmask mask) {
#if CDNI_LANES == 1
  return mask != 0;
#else
  bool all = true;
  for (int i = 0; i < CDNI_LANES; i++) all = all && mask[i];
  return all;
#endif
}

CDNI_INLINE real r_sqrt(real x) {
#if CDNI_LANES == 1
  return sqrt(x);
#else
  real r;
  for (int i = 0; i < CDNI_LANES; i++) r[i] = sqrt(x[i]);
  return r;
#endif
}

CDNI_INLINE real r_abs(real x) { return r_select(r_greater(r_set(0), x), -x, x); }

/* Sine and cosine to about one unit in the last place, the same bits at every width. The argument is reduced by
 * multiples of pi/2 in three parts (33 + 33 + 53 bits), exact while the multiple has at most 20 bits; Taylor's series
 * then suffice to the last bit on [-pi/4, pi/4]. Lanes beyond that range take the C library's. */
CDNI_INLINE void r_sincos(real x, real *sine, real *cosine) {
  const double round_to_integer = 0x1.8p52;
  real shifted = r_fma(x, r_set(0x1.45f306dc9c883p-1), r_set(round_to_integer));
  rmask quadrant = r_bits(shifted);
  real n = shifted - round_to_integer;
  real a = r_fnma(n, r_set(0x1.921fb544p0), x);
  a = r_fnma(n, r_set(0x1.0b4611a6p-34), a);
  a = r_fnma(n, r_set(0x1.3198a2e037073p-69), a);

  real t = a * a;
  real s = r_fma(t, r_set(1.0 / 355687428096000.0), r_set(-1.0 / 1307674368000.0));
  s = r_fma(t, s, r_set(1.0 / 6227020800.0));
  s = r_fma(t, s, r_set(-1.0 / 39916800.0));
  s = r_fma(t, s, r_set(1.0 / 362880.0));
  s = r_fma(t, s, r_set(-1.0 / 5040.0));
  s = r_fma(t, s, r_set(1.0 / 120.0));
  s = r_fma(t, s, r_set(-1.0 / 6.0));
  s = r_fma(a * t, s, a);
  real c = r_fma(t, r_set(1.0 / 20922789888000.0), r_set(-1.0 / 87178291200.0));
  c = r_fma(t, c, r_set(1.0 / 479001600.0));
  c = r_fma(t, c, r_set(-1.0 / 3628800.0));
  c = r_fma(t, c, r_set(1.0 / 40320.0));
  c = r_fma(t, c, r_set(-1.0 / 720.0));
  c = r_fma(t, c, r_set(1.0 / 24.0));
  /* 1 - t/2 in two pieces, so that the small one is not rounded away. */
  real half = 0.5 * t, w = 1.0 - half;
  c = w + r_fma(t * t, c, (1.0 - w) - half);

  /* Quadrant 1: (c, -s); 2: (-s, -c); 3: (-c, s). */
  rmask odd = -(quadrant & 1);
  rmask s_sign = (rmask)((rbits)(quadrant & 2) << 62), c_sign = (rmask)((rbits)((quadrant + 1) & 2) << 62);
  real s_out = r_from_bits(r_bits(r_select(odd, c, s)) ^ s_sign);
  real c_out = r_from_bits(r_bits(r_select(odd, s, c)) ^ c_sign);

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
