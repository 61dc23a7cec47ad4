/* Mobilities of a block side by side, about the M origin of its last body and in the frame that moves with it: what
 * they receive and send in the recursion of derivatives (kernel_derivatives.c), and products of these. */
#ifndef CARDAN_MATTER_KERNEL_DERIVATIVES_SIDES_H
#define CARDAN_MATTER_KERNEL_DERIVATIVES_SIDES_H

#include "matter/derivatives.h"
#include "matter/kernel_blocks.h"

/* Components of receivers; each is a run of eight numbers, or of one for a lone mobility. By q the first twelve are
 * multiplied with M_, B_ and L_ of senders, by u the nine from BETA on with M_ and B_. */
enum {
  ALPHA = 0,
  ETA = 6, /* angular part */
  S_ = 9,
  REST = 15, /* eta's linear part in Ground's own inertial frame */
  BETA = 18,
  TURN = 24, /* S's angular part again */
  /* where the mobility is: from its M origin to the block's, which moves faster by v; its body, a whole number */
  PLACE_R = 27,
  PLACE_V = 30,
  BODY = 33,
  MET = 34
};
/* Components of senders, passed inwards: forces by the mobility's own motion, and projections of quantities that
 * move. */
enum {
  M_ = 0, /* I S */
  B_ = 6, /* B^T S, */
  L_ = 9, /* (A, f)^T S */
  DF_Q = 12,
  DF_U = 18, /* change of the transmitted force by this q, and by this u */
  PLACE = 24,
  MOTION = 30, /* less responses^T S */
  SENT = 36
};

/* Numbers of the n mobilities of a block; runs of eight or of one are constants wherever these are inlined. */
typedef struct side {
  double *x;
  int n, run;
} side;
CDNI_INLINE side side_from(side a, int component) { return (side){ a.x + component * a.run, a.n, a.run }; }
CDNI_INLINE wide side_wide(side a, int component) { return wide_load(a.x + component * WIDE); }

CDNI_INLINE void side_put3(side a, int component, int at, v3 x) {
  double *to = a.x + component * a.run + at;
  to[0] = x.x, to[a.run] = x.y, to[2 * a.run] = x.z;
}
CDNI_INLINE void side_put(side a, int component, int at, sv x) {
  side_put3(a, component, at, x.w);
  side_put3(a, component + 3, at, x.v);
}

/* ---- what mobilities receive and send: for a lone one, and for eight ---- */

#define NUM double
#define VEC v3
#define ON(name) lone_##name
#define NUM_SET(x) (x)
#define NUM_PLUS(a, b) ((a) + (b))
#define NUM_TIMES(a, b) ((a) * (b))
#define PUT3(a, component, x) side_put3(a, component, 0, x)
#define lone_add v3_add
#define lone_sub v3_sub
#define lone_scale v3_scale
#define lone_fma v3_fma
#define lone_cross v3_cross
#define lone_cross_plus v3_cross_add
#define lone_matrix(A, b) m3_mul((m3){ (A)[0], (A)[1], (A)[2] }, b)
#define lone_transposed(A, b) m3_tmul((m3){ (A)[0], (A)[1], (A)[2] }, b)
#define lone_symmetric(S, b) s3_mul(s3_load(S), b)
#include "matter/kernel_derivatives_mobility.h"
#undef NUM
#undef VEC
#undef ON
#undef NUM_SET
#undef NUM_PLUS
#undef NUM_TIMES
#undef PUT3
#define NUM wide
#define VEC wide3
#define ON(name) wide3_##name
#define NUM_SET(x) wide_set(x)
#define NUM_PLUS wide_add
#define NUM_TIMES wide_mul
#define PUT3(a, component, v) wide3_store((a).x + (component)*WIDE, v)
#include "matter/kernel_derivatives_mobility.h"

/* ---- products ---- */

/* Components of a wide side, which stay in registers while the rows of a product pass by. */
CDNI_INLINE void side_load(int n, side B, wide *b) {
  for (int k = 0; k < n; k++) b[k] = side_wide(B, k);
}
/* Sum over n components of number a of A times all of b. */
CDNI_INLINE wide side_sum(int n, side A, int a, const wide *b, wide sum) {
  for (int k = 0; k < n; k++) sum = wide_fma(wide_set(A.x[k * A.run + a]), b[k], sum);
  return sum;
}
CDNI_INLINE wide side_dot(int n, side A, int a, const wide *b) {
  return side_sum(n - 1, side_from(A, 1), a, b + 1, wide_mul(wide_set(A.x[a]), b[0]));
}

CDNI_INLINE void block_add(double *to, wide a, int n) {
  if (n == WIDE) wide_store(to, wide_add(wide_load(to), a));
  else wide_store_part(to, wide_add(wide_load_part(to, n), a), n);
}

enum { MOST_COMPONENTS = 12 };

/* += A^T B of n components, into a matrix with rows of `size`. A few columns take a simpler path. */
CDNI_INLINE void add_product(int n, side A, side B, double *to, size_t size) {
  if (A.run == 1 && B.run == 1) {
    double sum = A.x[0] * B.x[0];
    for (int k = 1; k < n; k++) sum = r_fma(A.x[k], B.x[k], sum);
    *to += sum;
    return;
  }
  const bool few = B.n <= 2 && B.n < A.n;
  wide all[MOST_COMPONENTS];
  side_load(n, few ? A : B, all);
  for (int a = 0; !few && a < A.n; a++) block_add(to + (size_t)a * size, side_dot(n, A, a, all), B.n);
  for (int b = 0; few && b < B.n; b++) {
    double column[WIDE];
    wide_store(column, side_dot(n, B, b, all));
    for (int k = 0; k < A.n; k++) to[(size_t)k * size + (size_t)b] += column[k];
  }
}

#endif
