/* One step of any explicit Runge-Kutta method, from its tableau. */
#include "integrators/explicit_rk.h"

#include "integrators/internal.h"

/* A linear combination of rates: only the terms that count. */
typedef struct terms {
  int n;
  double weight[CDNI_RK_STAGES + 1];
  const double *rate[CDNI_RK_STAGES + 1];
} terms;

static void add_term(terms *sum, double weight, const double *rate) {
  if (weight == 0) return;
  sum->weight[sum->n] = weight;
  sum->rate[sum->n++] = rate;
}

/* out = base + sum of m terms, in one pass; m is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void combine_m(int m, int ny, const double *base, const double *weight,
                                                            const double *const *rate, double *restrict out) {
  for (int i = 0; i < ny; i++) {
    double sum = weight[0] * rate[0][i];
    for (int j = 1; j < m; j++) sum += weight[j] * rate[j][i];
    out[i] = base ? base[i] + sum : sum;
  }
}

static void combine(const terms *sum, int ny, const double *base, double *out) {
#define CASE(m) \
  case m: combine_m(m, ny, base, sum->weight, sum->rate, out); break
  switch (sum->n) {
    CASE(1);
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
    CASE(7);
    default: combine_m(sum->n, ny, base, sum->weight, sum->rate, out);
  }
#undef CASE
}

/* Layout of the method's memory: rates of stages 1 .. stages (the last is the step's end), a trial y, the powers. */
static double *rate_of(const cdn_stepper *s, int stage) { return s->memory + (size_t)(stage - 1) * s->stride; }

static double *trial_of(const cdn_stepper *s, const cdni_rk_tableau *rk) { return rate_of(s, rk->stages + 1); }

static double *power_of(const cdn_stepper *s, const cdni_rk_tableau *rk) { return rate_of(s, rk->stages + 2); }

size_t cdni_rk_memory(const cdni_method *method, int ny) {
  const cdni_rk_tableau *rk = method->data;
  return (size_t)(rk->stages + 1) * cdni_stride(ny) + CDNI_RK_STAGES + 1;
}

cdn_status cdni_rk_attempt(cdn_stepper *s) {
  const cdni_rk_tableau *rk = s->method->data;
  cdni_step *step = &s->step;
  double *power = power_of(s, rk), *y = trial_of(s, rk);
  const double *a = rk->a;

  power[0] = step->power0;
  for (int i = 1; i < rk->stages; i++) {
    terms sum = { 0 };
    for (int j = 0; j < i; j++) add_term(&sum, step->h * *a++, j ? rate_of(s, j) : step->f0);
    combine(&sum, s->ny, step->y0, y);
    double t = rk->c[i] == 1 ? step->t1 : step->t0 + rk->c[i] * step->h;
    CDNI_TRY(cdni_evaluate(s, t, y, rate_of(s, i), &power[i]));
  }

  terms solution = { 0 };
  step->work = 0;
  for (int i = 0; i < rk->stages; i++) {
    add_term(&solution, step->h * rk->b[i], i ? rate_of(s, i) : step->f0);
    step->work += step->h * rk->b[i] * power[i];
  }
  combine(&solution, s->ny, step->y0, step->y1);
  CDNI_TRY(cdni_arrive(s, rate_of(s, rk->stages)));
  power[rk->stages] = step->power1;

  terms error = { 0 };
  for (int i = 0; i <= rk->stages; i++) add_term(&error, step->h * rk->e[i], i ? rate_of(s, i) : step->f0);
  combine(&error, s->ny, NULL, step->error);
  return CDN_OK;
}

void cdni_rk_interpolate(const cdn_stepper *s, double theta, double *y, double *work) {
  const cdni_rk_tableau *rk = s->method->data;
  const cdni_step *step = &s->step;
  const double *power = power_of(s, rk);
  double weight[CDNI_RK_STAGES + 1];
  terms sum = { 0 };
  rk->dense(theta, weight);
  *work = 0;
  for (int i = 0; i <= rk->stages; i++) {
    add_term(&sum, step->h * weight[i], i ? rate_of(s, i) : step->f0);
    *work += step->h * weight[i] * power[i];
  }
  combine(&sum, s->ny, step->y0, y);
}
