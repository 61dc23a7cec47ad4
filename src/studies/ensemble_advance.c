/* Steps of one size for all States: what src/integrators does for a lone State, in the same order of operations. */
#include <float.h>
#include <math.h>

#include "studies/ensemble.h"

/* How far quaternions may be off where a run begins: a tenth of the default accuracy, as in the stepper. */
static const double START_TOLERANCE = 1e-5;

typedef struct advance {
  cdn_ensemble *e;
  double h;
  int64_t n;
} advance;

/* ---- linear combinations ---- */

/* out = base + sum of m terms, one weight a lane; m and lanes are constants wherever this is inlined. */
static inline __attribute__((always_inline)) void combine_m(int m, int lanes, size_t n, const double *base,
                                                            const double (*weight)[CDNI_MOST_LANES],
                                                            const double *const *rate, double *restrict out) {
  const size_t width = (size_t)lanes;
  for (size_t i = 0; i < n * width; i += width)
    for (size_t l = 0; l < width; l++) {
      double sum = weight[0][l] * rate[0][i + l];
      for (int j = 1; j < m; j++) sum += weight[j][l] * rate[j][i + l];
      out[i + l] = base[i + l] + sum;
    }
}

static void combine(int m, int lanes, size_t n, const double *base, const double (*weight)[CDNI_MOST_LANES],
                    const double *const *rate, double *out) {
#define WIDTH(m)                                             \
  lanes == 8   ? combine_m(m, 8, n, base, weight, rate, out) \
  : lanes == 4 ? combine_m(m, 4, n, base, weight, rate, out) \
               : combine_m(m, 1, n, base, weight, rate, out)
  switch (m) {
    case 1: WIDTH(1); break;
    case 2: WIDTH(2); break;
    case 3: WIDTH(3); break;
    case 4: WIDTH(4); break;
    case 5: WIDTH(5); break;
    case 6: WIDTH(6); break;
    default: WIDTH(m);
  }
#undef WIDTH
}

/* ---- one step of one batch ---- */

static double *stage_rates(const worker *w, int stage) {
  return w->stages + (size_t)(stage - 1) * ensemble_width(w->e);
}

/* out = y0 + h times the weighted sum of the first n rates, h by lane. */
static void sum_rates(const worker *w, int n, const double *weight, const double *h, double *out) {
  const cdn_ensemble *e = w->e;
  double by_lane[CDNI_RK_RATES][CDNI_MOST_LANES];
  const double *rate[CDNI_RK_RATES];
  int m = 0;
  for (int j = 0; j < n; j++) {
    if (weight[j] == 0) continue;
    for (int l = 0; l < e->lanes; l++) by_lane[m][l] = h[l] * weight[j];
    rate[m++] = j ? stage_rates(w, j) : ensemble_rates(e, w->batch);
  }
  combine(m, e->lanes, (size_t)e->ny, ensemble_y(e, w->batch), by_lane, rate, out);
}

static void runge_kutta(worker *w, int batch, const double *t0, const double *t1, const double *h, double *y1) {
  const cdni_rk_tableau *rk = w->e->rk;
  const double *a = rk->a;
  double t[CDNI_MOST_LANES];
  for (int i = 1; i < rk->stages; a += i, i++) {
    sum_rates(w, i, a, h, w->trial);
    for (int l = 0; l < w->e->lanes; l++) t[l] = rk->c[i] == 1 ? t1[l] : t0[l] + rk->c[i] * h[l];
    cdni_ensemble_evaluate(w, batch, t, w->trial, stage_rates(w, i));
  }
  sum_rates(w, rk->stages, rk->b, h, y1);
}

/* qdot = N(q0) u1 */
static void multiply_N(worker *w, int batch, const double *t0, const double *u1, double *qdot) {
  const cdn_ensemble *e = w->e;
  if (e->kernels) {
    cdni_ensemble_multiply_N(w, ensemble_y(e, batch), u1, qdot);
    return;
  }
  cdni_ensemble_at(w, batch, t0, ensemble_y(e, batch));
  cdn_state *state = cdni_ensemble_lane_state(w, 0);
  if (!state) return;
  const cdn_status status = cdni_state_multiply_by_N(state, u1, qdot);
  if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
}

static void semi_explicit_euler(worker *w, int batch, const double *t0, const double *h, double *y1) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes, n = (size_t)e->ny, nq = (size_t)e->nq;
  const double *y0 = ensemble_y(e, batch), *f0 = ensemble_rates(e, batch);
  double *qdot = w->trial;
  for (size_t i = nq; i < n; i++)
    for (size_t l = 0; l < width; l++) y1[i * width + l] = y0[i * width + l] + h[l] * f0[i * width + l];
  if (nq == 0) return;
  multiply_N(w, batch, t0, y1 + nq * width, qdot);
  for (size_t i = 0; i < nq; i++)
    for (size_t l = 0; l < width; l++) y1[i * width + l] = y0[i * width + l] + h[l] * qdot[i * width + l];
}

/* Quaternions to unit length, State by State, where one is off by more than `tolerance`. */
static void normalize(worker *w, int batch, double *y, double tolerance) {
  const cdn_ensemble *e = w->e;
  for (int l = 0; e->nq > 0 && l < e->lanes; l++) {
    if (ensemble_live(e, batch, l) < 0) continue;
    lane_get(y, e->lanes, l, w->one, (size_t)e->nq);
    if (!cdni_all_finite(w->one, (size_t)e->nq, NULL)) continue; /* the evaluation tells */
    const double error = cdni_state_normalize_q(w->view, w->one, NULL);
    if (error > tolerance && error > 4 * DBL_EPSILON) lane_put(y, e->lanes, l, w->one, (size_t)e->nq);
  }
}

static bool any_live(const cdn_ensemble *e, int batch) {
  for (int l = 0; l < e->lanes; l++)
    if (ensemble_live(e, batch, l) >= 0) return true;
  return false;
}

/* States that live are at the end of the step; the others where they were. */
static void accept(worker *w, int batch, const double *t1, const double *y1, const double *f1) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  double *t = ensemble_t(e, batch), *y = ensemble_y(e, batch), *f = ensemble_rates(e, batch);
  bool live[CDNI_MOST_LANES], all = true;
  for (int l = 0; l < e->lanes; l++) {
    live[l] = ensemble_live(e, batch, l) >= 0;
    if (live[l]) t[l] = t1[l];
    all = all && live[l];
  }
  if (all) {
    memcpy(y, y1, ensemble_width(e) * sizeof *y);
    memcpy(f, f1, ensemble_width(e) * sizeof *f);
    return;
  }
  for (size_t i = 0; i < (size_t)e->ny; i++)
    for (size_t l = 0; l < width; l++)
      if (live[l]) y[i * width + l] = y1[i * width + l], f[i * width + l] = f1[i * width + l];
}

static void advance_batch(void *context, int thread, int batch) {
  const advance *a = context;
  cdn_ensemble *e = a->e;
  worker *w = &e->workers[thread];
  const int ends = e->rk ? e->rk->stages : 1;
  double *y1 = stage_rates(w, ends), *f1 = stage_rates(w, ends + 1), *t0 = ensemble_t(e, batch);
  double start[CDNI_MOST_LANES], t1[CDNI_MOST_LANES], h[CDNI_MOST_LANES];
  memcpy(start, t0, (size_t)e->lanes * sizeof *t0);
  if (!e->known[batch]) normalize(w, batch, ensemble_y(e, batch), START_TOLERANCE);
  cdni_ensemble_know(w, batch);
  for (int64_t i = 0; i < a->n && any_live(e, batch); i++) {
    for (int l = 0; l < e->lanes; l++) {
      t1[l] = start[l] + (double)(i + 1) * a->h;
      h[l] = t1[l] - t0[l];
    }
    w->batch = batch;
    if (e->rk) runge_kutta(w, batch, t0, t1, h, y1);
    else semi_explicit_euler(w, batch, t0, h, y1);
    normalize(w, batch, y1, 0);
    cdni_ensemble_evaluate(w, batch, t1, y1, f1);
    accept(w, batch, t1, y1, f1);
  }
}

cdn_status cdn_ensemble_advance(cdn_ensemble *e, double h, int64_t n) {
  static const char function[] = "cdn_ensemble_advance";
  if (!(h > 0) || !isfinite(h) || n < 0)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "h is %g and n %lld: a positive step and a number of steps",
                              h, (long long)n);
  const cdni_traits *x = &e->traits;
  if (e->prescribed || x->events || x->constraints || x->auto_updates || x->previous)
    return cdni_ensemble_fail(e, CDN_ERR_UNSUPPORTED, function, -1,
                              "the System has %s, which an ensemble does not advance: use a stepper for each State",
                              e->prescribed     ? "prescribed or locked mobilizers"
                              : x->events       ? "events"
                              : x->constraints  ? "constraints"
                              : x->auto_updates ? "auto-update variables"
                                                : "subsystems that ask for previous values");
  advance a = { e, h, n };
  return cdni_ensemble_run(e, function, advance_batch, &a);
}
