/* Six numbers of one State side by side, for kernels of one lane: a spatial vector, or a row of a spatial matrix. The
 * instruction set decides which registers they take; each number is rounded as it would be alone. Wide ones take four
 * and two: what a masked store of eight has written waits for long before it can be read again. */
#ifndef CARDAN_MATH_SIX_H
#define CARDAN_MATH_SIX_H

#include "math/spatial.h"

#ifdef __FMA__
#  include <immintrin.h>
#endif

typedef double six_pair __attribute__((vector_size(16)));
typedef double six_pair_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef double six_four __attribute__((vector_size(32)));
typedef double six_four_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

#ifdef __FMA__

typedef struct six {
  six_four first;
  six_pair last;
} six;
CDNI_INLINE six six_zero(void) { return (six){ { 0 }, { 0 } }; }
CDNI_INLINE six six_load(const double *from) {
  return (six){ *(const six_four_anywhere *)from, *(const six_pair_anywhere *)(from + 4) };
}
CDNI_INLINE void six_store(double *to, six a) {
  *(six_four_anywhere *)to = a.first;
  *(six_pair_anywhere *)(to + 4) = a.last;
}
CDNI_INLINE six six_add(six a, six b) { return (six){ a.first + b.first, a.last + b.last }; }
CDNI_INLINE six six_fma(double s, six a, six c) {
  return (six){ (six_four)_mm256_fmadd_pd(_mm256_set1_pd(s), (__m256d)a.first, (__m256d)c.first),
                (six_pair)_mm_fmadd_pd(_mm_set1_pd(s), (__m128d)a.last, (__m128d)c.last) };
}
CDNI_INLINE six six_fnma(double s, six a, six c) {
  return (six){ (six_four)_mm256_fnmadd_pd(_mm256_set1_pd(s), (__m256d)a.first, (__m256d)c.first),
                (six_pair)_mm_fnmadd_pd(_mm_set1_pd(s), (__m128d)a.last, (__m128d)c.last) };
}

#else

typedef struct six {
  six_pair p[3];
} six;
CDNI_INLINE six six_zero(void) { return (six){ { { 0 } } }; }
CDNI_INLINE six six_load(const double *from) {
  six a;
  for (int i = 0; i < 3; i++) a.p[i] = *(const six_pair_anywhere *)(from + 2 * i);
  return a;
}
CDNI_INLINE void six_store(double *to, six a) {
  for (int i = 0; i < 3; i++) *(six_pair_anywhere *)(to + 2 * i) = a.p[i];
}
CDNI_INLINE six six_add(six a, six b) {
  for (int i = 0; i < 3; i++) a.p[i] += b.p[i];
  return a;
}
CDNI_INLINE six six_fma(double s, six a, six c) {
  for (int i = 0; i < 3; i++) a.p[i] = s * a.p[i] + c.p[i];
  return a;
}
CDNI_INLINE six six_fnma(double s, six a, six c) { return six_fma(-s, a, c); }

#endif

/* Those of a spatial vector, and back. */
CDNI_INLINE six six_of(const sv *a) { return six_load((const double *)a); }
CDNI_INLINE sv six_to_sv(six a) {
  sv out;
  six_store((double *)&out, a);
  return out;
}

#endif
