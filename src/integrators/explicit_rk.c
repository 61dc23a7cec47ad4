/* One step of any explicit Runge-Kutta method, from its tableau. */
#include "integrators/explicit_rk.h"

#include "integrators/internal.h"

/* A linear combination of rates: only the terms that count. */
typedef struct terms {
  int n;
  double weight[CDNI_RK_RATES];
  const double *rate[CDNI_RK_RATES];
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
    case 0: /* at the very start of a step */
      for (int i = 0; i < ny; i++) out[i] = base ? base[i] : 0;
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
    default: combine_m(sum->n, ny, base, sum->weight, sum->rate, out);
  }
#undef CASE
}

/* Layout of the method's memory: rates of stages 1 .. stages (the last is the step's end) and of the extra ones, a trial
 * y, the powers. */
static double *rate_of(const cdn_stepper *s, int stage) { return s->memory + (size_t)(stage - 1) * s->stride; }

static double *trial_of(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  return rate_of(s, rk->stages + rk->extra + 1);
}

static double *power_of(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  return rate_of(s, rk->stages + rk->extra + 2);
}

size_t cdni_rk_memory(const cdni_method *method, int ny) {
  const cdni_rk_tableau *rk = method->data;
  return (size_t)(rk->stages + rk->extra + 1) * cdni_stride(ny) + CDNI_RK_RATES;
}

/* out = base + h times the weighted sum of the first n rates. */
static void sum_rates(const cdn_stepper *s, int n, const double *weight, const double *base, double *out) {
  terms sum = { 0 };
  for (int j = 0; j < n; j++) add_term(&sum, s->step.h * weight[j], j ? rate_of(s, j) : s->step.f0);
  combine(&sum, s->ny, base, out);
}

static double length(const cdn_stepper *s, const double *x) {
  double sum = 0;
  for (int i = 0; i < s->ny; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* h times the size of the Jacobian in the direction of the probe, over what is stable; `x` is room for a vector. */
static void note_stiffness(cdn_stepper *s, const cdni_rk_tableau *rk, double *x) {
  double of_y[CDNI_RK_RATES] = { 0 };
  const double *a = rk->a;
  for (int i = 1; i <= rk->stages; a += i, i++) {
    const double *row = i < rk->stages ? a : rk->b;
    for (int j = 0; j < i; j++) of_y[j] += rk->probe[i] * row[j];
  }
  sum_rates(s, rk->stages, of_y, NULL, x);
  double y = length(s, x);
  sum_rates(s, rk->stages + 1, rk->probe, NULL, x);
  if (y > 0) s->step.stiffness = length(s, x) / (y * rk->stable);
}

static cdn_status estimate(cdn_stepper *s, const cdni_rk_tableau *rk) {
  cdni_step *step = &s->step;
  if (rk->e_low) {
    double low, high;
    sum_rates(s, rk->stages + 1, rk->e_low, NULL, step->error);
    CDNI_TRY(cdni_step_norm(s, step->error, &low));
    sum_rates(s, rk->stages + 1, rk->e, NULL, step->error);
    cdni_note_estimate(s, step->error);
    CDNI_TRY(cdni_step_norm(s, step->error, &high));
    double both = hypot(high, 0.1 * low);
    step->norm = both > 0 ? high * (high / both) : 0;
    if (!isfinite(both)) step->norm = INFINITY;
  } else {
    sum_rates(s, rk->stages + 1, rk->e, NULL, step->error);
    cdni_note_estimate(s, step->error);
  }
  return CDN_OK;
}

cdn_status cdni_rk_attempt(cdn_stepper *s) {
  const cdni_rk_tableau *rk = s->method->data;
  cdni_step *step = &s->step;
  double *power = power_of(s, rk), *y = trial_of(s, rk);
  const double *a = rk->a;

  power[0] = step->power0;
  for (int i = 1; i < rk->stages; a += i, i++) {
    sum_rates(s, i, a, step->y0, y);
    double t = rk->c[i] == 1 ? step->t1 : step->t0 + rk->c[i] * step->h;
    CDNI_TRY(cdni_evaluate(s, t, y, rate_of(s, i), &power[i]));
  }

  sum_rates(s, rk->stages, rk->b, step->y0, step->y1);
  step->work = 0;
  for (int i = 0; i < rk->stages; i++) step->work += step->h * rk->b[i] * power[i];
  double *end = rate_of(s, rk->stages);
  CDNI_TRY(cdni_arrive(s, end));
  power[rk->stages] = step->power1;

  if (rk->probe) note_stiffness(s, rk, y);
  return estimate(s, rk);
}

cdn_status cdni_rk_extend(cdn_stepper *s) {
  const cdni_rk_tableau *rk = s->method->data;
  double *power = power_of(s, rk), *y = trial_of(s, rk);
  const double *a = rk->extra_a;
  for (int i = 0, n = rk->stages + 1; i < rk->extra; a += n, i++, n++) {
    sum_rates(s, n, a, s->step.y0, y);
    CDNI_TRY(cdni_evaluate_within(s, s->step.t0 + rk->extra_c[i] * s->step.h, y, rate_of(s, n), &power[n]));
  }
  return CDN_OK;
}

void cdni_rk_interpolate(const cdn_stepper *s, double theta, double *y, double *work) {
  const cdni_rk_tableau *rk = s->method->data;
  const double *power = power_of(s, rk);
  double weight[CDNI_RK_RATES];
  int n = rk->stages + 1 + rk->extra;
  rk->dense(theta, weight);
  sum_rates(s, n, weight, s->step.y0, y);
  *work = 0;
  for (int i = 0; i < n; i++) *work += s->step.h * weight[i] * power[i];
}

/* Rates and powers are what dense output is made of. */
void cdni_rk_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_archive_doubles(a, s->memory, cdni_rk_memory(s->method, s->ny));
}
