/* Vectors as wholes: in kernels of one lane the three numbers are in one register of four, whose last one does not
 * count; in those of several lanes they are a v3. Each number is rounded as in spatial.h. */
#ifndef CARDAN_MATH_COLUMN_H
#define CARDAN_MATH_COLUMN_H

#include "math/spatial.h"

#if CDNI_LANES > 1
typedef v3 column;

CDNI_INLINE column column_of(v3 a) { return a; }
CDNI_INLINE column column_add(column a, column b) { return v3_add(a, b); }
CDNI_INLINE column column_scale(real s, column a) { return v3_scale(s, a); }
CDNI_INLINE column column_fma(real s, column a, column b) { return v3_fma(s, a, b); }
#  define COLUMN_FMA_AT(column_, k, a, b) v3_fma((&(column_).x)[k], a, b)
#  define COLUMN_SCALE_AT(column_, k, a) v3_scale((&(column_).x)[k], a)
CDNI_INLINE column column_load(const real *from) { return v3_load(from); }
CDNI_INLINE void column_store_over(real *to, column a) { *(v3 *)to = a; }
CDNI_INLINE void column_store(real *to, column a) { *(v3 *)to = a; }

#else

#  ifdef __AVX2__
#    include <immintrin.h>
enum { COLUMN_PARTS = 1 };
#  else
enum { COLUMN_PARTS = 2 };
#  endif
typedef double column_part __attribute__((vector_size(32 / COLUMN_PARTS)));
typedef double column_anywhere __attribute__((vector_size(32 / COLUMN_PARTS), aligned(8), may_alias));
enum { COLUMN_PART = 4 / COLUMN_PARTS };

typedef struct column {
  column_part p[COLUMN_PARTS];
} column;

CDNI_INLINE column column_set(double x) {
  column r;
  for (int i = 0; i < COLUMN_PARTS; i++) r.p[i] = x - (column_part){ 0 };
  return r;
}
CDNI_INLINE column column_of(v3 a) {
#  ifdef __AVX2__
  return (column){ { { a.x, a.y, a.z, a.z } } };
#  else
  return (column){ { { a.x, a.y }, { a.z, a.z } } };
#  endif
}
CDNI_INLINE column column_add(column a, column b) {
  for (int i = 0; i < COLUMN_PARTS; i++) a.p[i] += b.p[i];
  return a;
}
CDNI_INLINE column column_mul(column a, column b) {
  for (int i = 0; i < COLUMN_PARTS; i++) a.p[i] *= b.p[i];
  return a;
}
CDNI_INLINE column column_mul_add(column a, column b, column c) {
#  if defined(__AVX2__) && defined(__FMA__)
  return (column){ { (column_part)_mm256_fmadd_pd((__m256d)a.p[0], (__m256d)b.p[0], (__m256d)c.p[0]) } };
#  else
  return column_add(column_mul(a, b), c);
#  endif
}
CDNI_INLINE column column_scale(real s, column a) { return column_mul(column_set(s), a); }
CDNI_INLINE column column_fma(real s, column a, column b) { return column_mul_add(column_set(s), a, b); }

/* Number k, a constant, of a column in all places. */
#  ifdef __AVX2__
#    define COLUMN_AT(a, k) ((column){ { (column_part)_mm256_permute4x64_pd((__m256d)(a).p[0], 0x55 * (k)) } })
#  else
#    define COLUMN_AT(a, k) column_set((a).p[(k) / COLUMN_PART][(k) % COLUMN_PART])
#  endif
#  define COLUMN_FMA_AT(column_, k, a, b) column_mul_add(COLUMN_AT(column_, k), a, b)
#  define COLUMN_SCALE_AT(column_, k, a) column_mul(COLUMN_AT(column_, k), a)

/* It reads, and column_store_over writes, the number after the three. */
CDNI_INLINE column column_load(const real *from) {
  column a;
  for (int i = 0; i < COLUMN_PARTS; i++) a.p[i] = *(const column_anywhere *)(from + i * COLUMN_PART);
  return a;
}
CDNI_INLINE void column_store_over(real *to, column a) {
  for (int i = 0; i < COLUMN_PARTS; i++) *(column_anywhere *)(to + i * COLUMN_PART) = a.p[i];
}
CDNI_INLINE void column_store(real *to, column a) {
  for (int i = 0; i < 3; i++) to[i] = a.p[i / COLUMN_PART][i % COLUMN_PART];
}
#endif

/* ---- rotations by columns ---- */

typedef struct columns {
  column x, y, z;
} columns;

CDNI_INLINE columns columns_of(m3 A) { return (columns){ column_of(A.x), column_of(A.y), column_of(A.z) }; }
CDNI_INLINE columns columns_load(const real *from) {
  return (columns){ column_load(from), column_load(from + 3), column_load(from + 6) };
}
/* A b */
CDNI_INLINE column columns_mul(columns A, column b) {
  return COLUMN_FMA_AT(b, 2, A.z, COLUMN_FMA_AT(b, 1, A.y, COLUMN_SCALE_AT(b, 0, A.x)));
}
/* A b for a b whose numbers are apart */
CDNI_INLINE column columns_mul_v3(columns A, v3 b) {
  return column_fma(b.z, A.z, column_fma(b.y, A.y, column_scale(b.x, A.x)));
}
/* A b + c */
CDNI_INLINE column columns_mul_v3_add(columns A, v3 b, column c) {
  return column_fma(b.z, A.z, column_fma(b.y, A.y, column_fma(b.x, A.x, c)));
}
CDNI_INLINE columns columns_mul_m3(columns A, m3 B) {
  return (columns){ columns_mul_v3(A, B.x), columns_mul_v3(A, B.y), columns_mul_v3(A, B.z) };
}
/* Nine numbers. */
CDNI_INLINE void columns_store(real *to, columns A) {
  column_store_over(to, A.x), column_store_over(to + 3, A.y), column_store(to + 6, A.z);
}

#endif
