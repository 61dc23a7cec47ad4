/* What an explicit Runge-Kutta step is made of, for one State and for several side by side. */
#include "integrators/explicit_rk.h"
#include "integrators/fixed.h"
#include "math/kernel_sets.h"
#include "matter/move.h"
#include "system/system.h"

/* A linear combination of rates: only the terms that count, one weight a lane. */
typedef struct terms {
  int n;
  double weight[CDNI_RK_RATES][CDNI_MOST_LANES];
  const double *rate[CDNI_RK_RATES];
} terms;

/* out = base + sum of m terms, in one pass; m and lanes are constants wherever this is inlined. */
static inline __attribute__((always_inline)) void combine_m(int m, int lanes, const terms *sum, int n,
                                                            const double *base, double *restrict out) {
  for (int i = 0; i < n * lanes; i += lanes)
    for (int l = 0; l < lanes; l++) {
      double of = sum->weight[0][l] * sum->rate[0][i + l];
      for (int j = 1; j < m; j++) of += sum->weight[j][l] * sum->rate[j][i + l];
      out[i + l] = base ? base[i + l] + of : of;
    }
}

static void combine(const terms *sum, int lanes, int n, const double *base, double *out) {
#define WIDTH(m)                                    \
  lanes == 1   ? combine_m(m, 1, sum, n, base, out) \
  : lanes == 4 ? combine_m(m, 4, sum, n, base, out) \
  : lanes == 8 ? combine_m(m, 8, sum, n, base, out) \
               : combine_m(m, lanes, sum, n, base, out)
#define CASE(m) \
  case m: WIDTH(m); break
  switch (sum->n) {
    case 0: /* at the very start of a step */
      for (int i = 0; i < n * lanes; i++) out[i] = base ? base[i] : 0;
      break;
      CASE(1);
      CASE(2);
      CASE(3);
      CASE(4);
      CASE(5);
      CASE(6);
      CASE(7);
      CASE(8);
      CASE(9);
      CASE(10);
      CASE(11);
      CASE(12);
    default: WIDTH(sum->n);
  }
#undef CASE
#undef WIDTH
}

void cdni_rk_sum(const cdni_rk_step *x, int n, const double *weight, const double *base, double *out) {
  terms sum;
  sum.n = 0;
  for (int j = 0; j < n; j++) {
    if (weight[j] == 0) continue;
    for (int l = 0; l < x->lanes; l++) sum.weight[sum.n][l] = x->h[l] * weight[j];
    sum.rate[sum.n++] = j ? x->rates + (size_t)(j - 1) * x->stride : x->f0;
  }
  combine(&sum, x->lanes, x->n, base, out);
}

cdn_status cdni_rk_stages(const cdni_rk_tableau *rk, const cdni_rk_step *x, double *trial, cdni_rk_evaluate *evaluate,
                          void *context) {
  const double *a = rk->a;
  double t[CDNI_MOST_LANES];
  for (int i = 1; i < rk->stages; a += i, i++) {
    cdni_rk_sum(x, i, a, x->y0, trial);
    for (int l = 0; l < x->lanes; l++) t[l] = rk->c[i] == 1 ? x->t1[l] : x->t0[l] + rk->c[i] * x->h[l];
    CDNI_TRY(evaluate(context, i, t, trial, x->rates + (size_t)(i - 1) * x->stride));
  }
  cdni_rk_sum(x, rk->stages, rk->b, x->y0, x->y1);
  return CDN_OK;
}

/* Filters that are followed exactly. */
static void follow_filters(const cdn_system *system, int lanes, int ny, const double *h, const double *y0,
                           const double *f0, double *y1) {
  const int nz = cdn_system_nz(system);
  for (int i = 0; i < nz; i++) {
    const int at = (ny - nz + i) * lanes;
    for (int l = 0; l < lanes && cdni_system_z_filter(system, i) > 0; l++)
      y1[at + l] = y0[at + l] + cdni_fixed_z_step(system, i, h[l]) * f0[at + l];
  }
}

cdn_status cdni_euler_leap(cdn_state *state, int lanes, int nq, int ny, const double *h, const double *y0,
                           const double *f0, double *y1, double *qdot) {
  terms sum;
  sum.n = 1;
  for (int l = 0; l < lanes; l++) sum.weight[0][l] = h[l];
  const int first = nq * lanes;
  sum.rate[0] = f0 + first;
  combine(&sum, lanes, ny - nq, y0 + first, y1 + first);
  follow_filters(cdn_state_system(state), lanes, ny, h, y0, f0, y1);
  return nq == 0 ? CDN_OK : cdni_move(state, MOVE_TURN, lanes, nq, h, y0, y1 + first, qdot, y1);
}
