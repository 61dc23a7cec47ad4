/* Numbers of all lanes of a block, to arrays of each lane and back: squares of as many numbers as there are lanes are
 * turned over in registers. */
#include "math/lane.h"
#include "math/lane_kernels.h"

#if CDNI_LANES > 1
typedef double anywhere __attribute__((vector_size(8 * CDNI_LANES), aligned(8), may_alias));

/* Bit s of the row and of the column change places. */
#  if CDNI_LANES == 4
#    define LOW_1 0, 4, 2, 6
#    define HIGH_1 1, 5, 3, 7
#    define LOW_2 0, 1, 4, 5
#    define HIGH_2 2, 3, 6, 7
#  else
#    define LOW_1 0, 8, 2, 10, 4, 12, 6, 14
#    define HIGH_1 1, 9, 3, 11, 5, 13, 7, 15
#    define LOW_2 0, 1, 8, 9, 4, 5, 12, 13
#    define HIGH_2 2, 3, 10, 11, 6, 7, 14, 15
#    define LOW_4 0, 1, 2, 3, 8, 9, 10, 11
#    define HIGH_4 4, 5, 6, 7, 12, 13, 14, 15
#  endif
/* gcc has the one that clang has since version 12. */
#  if __has_builtin(__builtin_shufflevector)
#    define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#  else
#    define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (rmask){ __VA_ARGS__ })
#  endif
#  define EACH(i) _Pragma("GCC unroll 8") for (int i = 0; i < CDNI_LANES; i++)
#  define SWAP(s)                         \
    EACH(i) {                             \
      if (i & s) continue;                \
      const real a = v[i], b = v[i + s];  \
      v[i] = SHUFFLE(a, b, LOW_##s);      \
      v[i + s] = SHUFFLE(a, b, HIGH_##s); \
    }

CDNI_INLINE void turn_over(real v[CDNI_LANES]) {
  SWAP(1)
  SWAP(2)
#  if CDNI_LANES == 8
  SWAP(4)
#  endif
}

/* Lanes without numbers have a place that does not move. */
void KERNEL_NAME(cdni_lanes_get)(const double *block, size_t n, double *const *values) {
  double nowhere[CDNI_LANES], *to[CDNI_LANES];
  size_t moves[CDNI_LANES], i = 0;
  for (int l = 0; l < CDNI_LANES; l++) to[l] = values[l] ? values[l] : nowhere, moves[l] = values[l] ? SIZE_MAX : 0;
  for (; i + CDNI_LANES <= n; i += CDNI_LANES) {
    real v[CDNI_LANES];
    EACH(k) v[k] = *(const anywhere *)(block + (i + (size_t)k) * CDNI_LANES);
    turn_over(v);
    EACH(l) * (anywhere *)(to[l] + (i & moves[l])) = v[l];
  }
  for (; i < n; i++)
    for (int l = 0; l < CDNI_LANES; l++)
      if (values[l]) values[l][i] = block[i * CDNI_LANES + (size_t)l];
}

void KERNEL_NAME(cdni_lanes_put)(double *block, size_t n, const double *const *values) {
  const double nothing[CDNI_LANES] = { 0 }, *from[CDNI_LANES];
  size_t moves[CDNI_LANES], i = 0;
  rmask given;
  for (int l = 0; l < CDNI_LANES; l++) {
    from[l] = values[l] ? values[l] : nothing;
    moves[l] = values[l] ? SIZE_MAX : 0;
    given[l] = values[l] ? -1 : 0;
  }
  for (; i + CDNI_LANES <= n; i += CDNI_LANES) {
    real v[CDNI_LANES];
    EACH(l) v[l] = *(const anywhere *)(from[l] + (i & moves[l]));
    turn_over(v);
    EACH(k) {
      anywhere *to = (anywhere *)(block + (i + (size_t)k) * CDNI_LANES);
      *to = r_select(given, v[k], *to);
    }
  }
  for (; i < n; i++)
    for (int l = 0; l < CDNI_LANES; l++)
      if (values[l]) block[i * CDNI_LANES + (size_t)l] = values[l][i];
}
#endif
