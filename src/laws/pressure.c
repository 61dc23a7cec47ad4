/* Pressure by depth x and rate v, of the laws of the library: Hunt and Crossley's dissipation is the factor 1 + d v of
 * all (manual 11.2.2), which ends where it would pull. */
#include "laws/laws.h"

#include "core/core.h"
#include "math/difference.h"

static double let_go(double damping) { return damping > 0 ? -1 / damping : NAN; }

/* ---- Hertz's: k x^(3/2) ---- */

static double hertz(const double *p, double x, double v) { return p[0] * x * sqrt(x) * (1 + p[1] * v); }
static void hertz_slopes(const double *p, double x, double v, double slope[2]) {
  const double root = p[0] * sqrt(x);
  slope[0] = 1.5 * root * (1 + p[1] * v), slope[1] = root * x * p[1];
}
static double hertz_potential(const double *p, double x) { return 0.4 * p[0] * x * x * sqrt(x); }
static void hertz_bends(const double *p, cdn_law_bends *out) { out->depth = 0, out->rate = let_go(p[1]); }

/* ---- a spring's ---- */

static double spring(const double *p, double x, double v) { return p[0] * (p[2] > 0 ? x / p[2] : 1) * (1 + p[1] * v); }
static void spring_slopes(const double *p, double x, double v, double slope[2]) {
  slope[0] = p[2] > 0 ? p[0] / p[2] * (1 + p[1] * v) : 0;
  slope[1] = p[0] * (p[2] > 0 ? x / p[2] : 1) * p[1];
}
static double spring_potential(const double *p, double x) { return p[2] > 0 ? 0.5 * p[0] * x * (x / p[2]) : p[0] * x; }

/* ---- smooth everywhere (forces/smooth_contact.c) ---- */

/* A step from 0 to 1, and its slope. */
static double step(double sharpness, double x, double *slope) {
  const double t = tanh(sharpness * x);
  *slope = 0.5 * sharpness * (1 - t * t);
  return 0.5 + 0.5 * t;
}
/* The factor of the rate. */
static double damped(const double *p, double v, double *slope) {
  const double d = p[SMOOTH_DAMPING];
  double by_v;
  *slope = 0;
  if (d == 0) return 1;
  const double on = step(p[SMOOTH_RATE_SHARPNESS], v + 1 / d, &by_v);
  *slope = d * on + (1 + d * v) * by_v;
  return (1 + d * v) * on;
}
static double elastic(const double *p, double x, double *slope) {
  const double square = x * x + p[SMOOTH_CONSTANT], power = p[SMOOTH_FORCE] * pow(square, 0.75);
  double by_x;
  const double on = step(p[SMOOTH_DEPTH_SHARPNESS], x, &by_x);
  *slope = 1.5 * x * power / square * on + power * by_x;
  return power * on;
}
static double smooth(const double *p, double x, double v) {
  double unused;
  return elastic(p, x, &unused) * damped(p, v, &unused);
}
static void smooth_slopes(const double *p, double x, double v, double slope[2]) {
  double by_x, by_v;
  const double force = elastic(p, x, &by_x), factor = damped(p, v, &by_v);
  slope[0] = by_x * factor, slope[1] = force * by_v;
}

/* ---- exponential (forces/exponential_spring.c) ---- */

static double exponential(const double *p, double x, double v) {
  return p[0] * exp(p[1] * (x + p[2])) * (1 + p[3] * v);
}
static void exponential_slopes(const double *p, double x, double v, double slope[2]) {
  const double force = p[0] * exp(p[1] * (x + p[2]));
  slope[0] = p[1] * force * (1 + p[3] * v), slope[1] = force * p[3];
}
static double exponential_potential(const double *p, double x) { return p[0] / p[1] * exp(p[1] * (x + p[2])); }
static void exponential_bends(const double *p, cdn_law_bends *out) { out->rate = let_go(p[3]); }

/* ---- the table ---- */

const pressure_law cdni_pressure_laws[] = {
  [LAW_HERTZ] = { "Hertz", 2, hertz, hertz_slopes, hertz_potential, hertz_bends },
  [LAW_SPRING] = { "spring", 3, spring, spring_slopes, spring_potential, hertz_bends },
  [LAW_SMOOTH] = { "smooth", 5, smooth, smooth_slopes, NULL, NULL },
  [LAW_EXPONENTIAL] = { "exponential", 4, exponential, exponential_slopes, exponential_potential, exponential_bends },
};
_Static_assert(CDNI_COUNT(cdni_pressure_laws) == LAW_COUNT, "each law has a row");

/* ---- what follows from a law ---- */

double cdni_law_slopes(const pressure_law *law, const double *numbers, double depth, double rate, double slope[2]) {
  const double force = law->pressure(numbers, depth, rate);
  slope[0] = slope[1] = 0;
  if (!(force > 0)) return force < 0 ? 0 : force;
  if (law->slopes) {
    law->slopes(numbers, depth, rate, slope);
    return force;
  }
  const double dx = CDNI_DIFFERENCE * fabs(depth), dv = cdni_difference_of(rate);
  if (dx > 0)
    slope[0] = (law->pressure(numbers, depth + dx, rate) - law->pressure(numbers, depth - dx, rate)) / (2 * dx);
  slope[1] = (law->pressure(numbers, depth, rate + dv) - law->pressure(numbers, depth, rate - dv)) / (2 * dv);
  return force;
}

/* Gauss's rule of four places s for what is between 0 and a depth x, at x s^2: exact of powers of the root of the depth
 * up to the sixth. Here are s^2, and twice s times its weight. */
static double pressed(const pressure_law *law, const double *numbers, double depth, double h, double x) {
  static const double place[4] = { 0.004820780989426014, 0.10890625570683385, 0.44888729929169013, 0.8659570925834786 };
  static const double weight[4] = { 0.024152203412833244, 0.215214082271785, 0.43693107259076114, 0.3237026417246206 };
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += weight[i] * law->pressure(numbers, x * place[i], (x * place[i] - depth) / h);
  return x * sum;
}

/* With the depth w = depth + h v, int F dV = 1/h int F dw, from where the force begins. */
double cdni_law_cost(const pressure_law *law, const double *numbers, double depth, double h, double rate) {
  const double w = depth + h * rate;
  double begin = 0;
  if (law->bends) {
    cdn_law_bends bends = { .depth = NAN, .rate = NAN };
    law->bends(numbers, &bends);
    if (depth + h * bends.rate > 0) begin = depth + h * bends.rate;
  }
  if (!(w > begin)) return 0;
  const double all = pressed(law, numbers, depth, h, w);
  return (begin > 0 ? all - pressed(law, numbers, depth, h, begin) : all) / h;
}
