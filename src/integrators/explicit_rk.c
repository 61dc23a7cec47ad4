/* One step of any explicit Runge-Kutta method, from its tableau. */
#include <math.h>

#include "core/archive.h"
#include "integrators/control.h"
#include "integrators/explicit_rk.h"
#include "integrators/norm.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"

/* Layout of the method's memory: rates of stages 1 .. stages (the last is the step's end) and of the extra ones, a
 * trial y, the powers, the trends. */
static double *rate_of(const cdn_stepper *s, int stage) { return s->memory + (size_t)(stage - 1) * s->stride; }

static double *trial_of(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  return rate_of(s, rk->stages + rk->extra + 1);
}

static double *power_of(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  return rate_of(s, rk->stages + rk->extra + 2);
}

enum { OF_E, OF_LOOK, TRENDS = 8 /* doubles */ };

static cdni_trend *trends_of(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  return (cdni_trend *)(void *)(power_of(s, rk) + CDNI_RK_RATES);
}

size_t cdni_rk_memory(const cdni_method *method, int ny) {
  const cdni_rk_tableau *rk = method->data;
  return (size_t)(rk->stages + rk->extra + 1) * cdni_stride(ny) + CDNI_RK_RATES + TRENDS;
}

/* The step as the stages see it. */
static cdni_rk_step step_of(const cdn_stepper *s) {
  return (cdni_rk_step){ .lanes = 1,
                         .n = s->ny,
                         .t0 = &s->step.t0,
                         .t1 = &s->step.t1,
                         .h = &s->step.h,
                         .y0 = s->step.y0,
                         .f0 = s->step.f0,
                         .y1 = s->step.y1,
                         .rates = s->memory,
                         .stride = s->stride };
}

static void sum_rates(const cdn_stepper *s, int n, const double *weight, const double *base, double *out) {
  const cdni_rk_step step = step_of(s);
  cdni_rk_sum(&step, n, weight, base, out);
}

static double length(const cdn_stepper *s, const double *x) {
  double sum = 0;
  for (int i = 0; i < s->ny; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* h times the size of the Jacobian in the direction of the probe, over the limit of stability; `x` is scratch for a
 * vector. */
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

/* ---- the error of a step ---- */

/* Estimates hold for smooth motions, in which they change little from step to step. An estimate this many times the
 * expected one shows a kink in the rates, or a motion that turns faster than the steps follow. The expectation uses
 * two steps, since with few moving coordinates a norm may pass through zero by chance. Measured: docs/constants.md. */
static const double JUMP = 3;

/* The step is the shortest possible; a shorter one would not see a kink better. */
static bool is_shortest(const cdn_stepper *s) { return s->step.h <= 1.1 * cdni_min_step(s); }

/* Steps over singular poses and next to them: jumps of estimates mean nothing there because of rounding, and only a
 * part of e_high counts, since it takes rates near the pose with large weights. */
static const double PART_IN_ROUNDING = 0.01;
static bool is_calm(const cdn_stepper *s) { return !is_shortest(s) && !cdni_singular_is_rough(s); }

/* The largest norm that the trend explains without a jump. 0: there is no trend. */
static double expected(const cdni_trend *of, double h, int order) {
  return JUMP * fmax(of->last, of->before) * pow(h, order);
}

/* A jump does not change the trend at once: later steps are judged by the motion before it, until the change is
 * permanent. */
void cdni_trend_follow(cdni_trend *of, double h, int order) {
  const double most = JUMP * fmax(of->last, of->before), now = of->tried / pow(h, order);
  of->before = of->last;
  of->last = most > 0 ? fmin(most, now) : now;
}

/* The largest part of a third difference that a kink leaves as an error, except for kinks that |e| sees. */
static const double OF_LOOK_MOST = 0.05;

double cdni_rk_seen(const cdni_trend *of, double h) {
  const double most = expected(of, h, CDNI_ORDER_OF_LOOK);
  return most > 0 ? OF_LOOK_MOST * fmax(0, of->tried - most) : 0;
}

/* The result of the second look: the part of the third difference that no smooth motion has. */
static cdn_status look(cdn_stepper *s, const cdni_rk_tableau *rk, double *error) {
  cdni_trend *of = &trends_of(s, rk)[OF_LOOK];
  *error = 0;
  if (!rk->look) return CDN_OK;
  sum_rates(s, rk->stages + 1, rk->look, NULL, s->step.error);
  CDNI_TRY(cdni_step_norm(s, s->step.error, &of->tried));
  *error = cdni_rk_seen(of, s->step.h);
  return CDN_OK;
}

double cdni_rk_swell(const cdni_rk_tableau *rk, const cdni_trend *of, double h) {
  const double most = expected(of, h, rk->order_of_e);
  return most > 0 ? fmax(1, of->tried / most) : fmax(1, 1 / rk->share);
}

/* The factor of e_high, for modes with h |lambda| below and up to 6: their errors are about 40 to 60 |e_high| / |e|
 * times e_high. The sums contain the fast modes of many coordinates, to which the errors belong. Short steps err
 * less; but if steps were as long as their errors permit, errors would not go with the accuracy. Measured:
 * docs/constants.md. */
static double part_of_high(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  const double *high = trial_of(s, rk), *e = s->weighted, least = pow(cdni_tolerance(s) / 3e-5, 0.125);
  double squares = 0, products = 0;
  for (int i = 0; i < s->ny; i++) {
    squares += high[i] * high[i];
    products += fabs(high[i] * e[i]);
  }
  return products > 0 ? fmax(least, fmin(10, 40 * squares / products)) : least;
}

/* The factor of e, if there is an e_high: modes that only stability keeps small have errors of this part of |e|,
 * while e_high may be far smaller by chance. */
static double part_of_e(const cdn_stepper *s, const cdni_rk_tableau *rk) {
  const double z = s->step.stiffness * rk->stable;
  return fmin(0.4, 0.003 * z * z * z);
}

static cdn_status estimate(cdn_stepper *s, const cdni_rk_tableau *rk) {
  cdni_step *step = &s->step;
  const bool judged = s->def.fixed_step == 0;
  double norm, high = 0, seen = 0;
  if (judged) CDNI_TRY(look(s, rk, &seen));
  if (judged && rk->e_high) {
    sum_rates(s, rk->stages + 1, rk->e_high, NULL, step->error);
    CDNI_TRY(cdni_step_norm(s, step->error, &high));
    memcpy(trial_of(s, rk), s->weighted, sizeof(double) * (size_t)s->ny);
  }
  sum_rates(s, rk->stages + 1, rk->e, NULL, step->error);
  cdni_note_estimate(s, step->error);
  if (!judged) return CDN_OK;
  CDNI_TRY(cdni_step_norm(s, step->error, &norm));
  trends_of(s, rk)[OF_E].tried = norm;
  step->norm = INFINITY;
  if (!isfinite(norm)) return CDN_OK;
  double part = rk->share;
  if (is_calm(s)) {
    part *= cdni_rk_swell(rk, &trends_of(s, rk)[OF_E], s->step.h);
    if (rk->e_high) high *= part_of_high(s, rk);
    if (rk->e_high && !s->singular.hold) part = fmax(part, part_of_e(s, rk));
  } else {
    high *= is_shortest(s) ? 0 : PART_IN_ROUNDING;
    seen = 0;
  }
  step->norm = fmax(fmax(high, seen), fmin(rk->of_kink, part) * norm);
  return CDN_OK;
}

void cdni_rk_begin(cdn_stepper *s) { memset(trends_of(s, s->method->data), 0, TRENDS * sizeof(double)); }

void cdni_rk_accepted(cdn_stepper *s) {
  const cdni_rk_tableau *rk = s->method->data;
  cdni_trend *of = trends_of(s, rk);
  if (!is_calm(s)) return;
  cdni_trend_follow(&of[OF_E], s->step.h, rk->order_of_e);
  cdni_trend_follow(&of[OF_LOOK], s->step.h, CDNI_ORDER_OF_LOOK);
}

/* ---- steps ---- */

static cdn_status evaluate(void *context, int i, const double *t, double *y, double *rates) {
  cdn_stepper *s = context;
  return cdni_evaluate(s, *t, y, rates, &power_of(s, s->method->data)[i]);
}

cdn_status cdni_rk_attempt(cdn_stepper *s) {
  const cdni_rk_tableau *rk = s->method->data;
  cdni_step *step = &s->step;
  double *power = power_of(s, rk), *y = trial_of(s, rk);
  const cdni_rk_step stages = step_of(s);
  power[0] = step->power0;
  CDNI_TRY(cdni_rk_stages(rk, &stages, y, evaluate, s));
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

/* Dense output needs rates and powers. */
/* The slopes of the weights: differences of eight values, exact for polynomials of degree 8. */
static void slopes(const cdni_rk_tableau *rk, double theta, double *slope) {
  static const double of[5] = { 0, 4. / 5, -1. / 5, 4. / 105, -1. / 280 }, apart = 0.0625;
  double weight[CDNI_RK_RATES];
  const int n = rk->stages + 1 + rk->extra;
  for (int i = 0; i < n; i++) slope[i] = 0;
  for (int k = -4; k <= 4; k++) {
    if (k == 0) continue;
    rk->dense(theta + k * apart, weight);
    for (int i = 0; i < n; i++) slope[i] += (k > 0 ? of[k] : -of[-k]) * weight[i] / apart;
  }
}

void cdni_rk_slope(const cdn_stepper *s, double theta, double *ydot) {
  const cdni_rk_tableau *rk = s->method->data;
  double slope[CDNI_RK_RATES];
  slopes(rk, theta, slope);
  for (int i = 0; i < rk->stages + 1 + rk->extra; i++) slope[i] /= s->step.h;
  sum_rates(s, rk->stages + 1 + rk->extra, slope, NULL, ydot);
}

void cdni_rk_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_archive_doubles(a, s->memory, cdni_rk_memory(s->method, s->ny));
}
