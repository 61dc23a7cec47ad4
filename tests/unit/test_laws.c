/* The table of laws of contact: what each says of itself agrees. Slopes are those of the pressure, the pressure that of
 * the potential, bends are where it is said and nowhere else, and rows of implicit steps press with the law's force. */
#include "../testing.h"
#include "soft/function.h"

static uint64_t seed;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}
static double power_of_ten(double low, double high) { return pow(10, uniform(low, high)); }

/* Numbers of each law: a law without an entry fails. */
static void hertz(double *p) { p[0] = power_of_ten(5, 9), p[1] = uniform(0.1, 2); }
static void spring(double *p) { p[0] = power_of_ten(0, 3), p[1] = uniform(0.1, 2), p[2] = power_of_ten(-4, -2); }
static void smooth(double *p) {
  p[SMOOTH_FORCE] = power_of_ten(5, 8), p[SMOOTH_CONSTANT] = 1e-5, p[SMOOTH_DEPTH_SHARPNESS] = uniform(100, 400);
  p[SMOOTH_DAMPING] = uniform(0.1, 2), p[SMOOTH_RATE_SHARPNESS] = uniform(10, 60);
}
static void exponential(double *p) {
  p[0] = uniform(0.1, 2), p[1] = uniform(500, 1200), p[2] = uniform(0, 0.01), p[3] = uniform(0.1, 2);
}
typedef void drawing(double *numbers);
static drawing *const draw[] = {
  [LAW_HERTZ] = hertz, [LAW_SPRING] = spring, [LAW_SMOOTH] = smooth, [LAW_EXPONENTIAL] = exponential
};
_Static_assert(sizeof draw / sizeof *draw == LAW_COUNT, "each law has numbers here");

/* A law with its numbers, each law in turn. What is drawn for a law does not depend on which others there are. */
static const pressure_law *law_at(int draws, double numbers[CDN_LAW_NUMBERS]) {
  const int i = draws % LAW_COUNT;
  seed = 0x9E3779B97F4A7C15u * (uint64_t)(1 + 10000 * i + draws / LAW_COUNT);
  seed = 0xBF58476D1CE4E5B9u * (seed ^ seed >> 30);
  seed ^= seed >> 27;
  ck_assert_msg(draw[i] != NULL, "law %d has no numbers here", i);
  memset(numbers, 0, CDN_LAW_NUMBERS * sizeof *numbers);
  draw[i](numbers);
  ck_assert(cdni_pressure_laws[i].name && cdni_pressure_laws[i].numbers <= CDN_LAW_NUMBERS);
  return &cdni_pressure_laws[i];
}

static double let_go(const pressure_law *law, const double *numbers) {
  cdn_law_bends bends = { NAN, NAN };
  if (law->bends) law->bends(numbers, &bends);
  return bends.rate;
}

START_TEST(slopes_are_those_of_the_pressure) {
  for (int draws = 0; draws < 4000; draws++) {
    double p[CDN_LAW_NUMBERS], slope[2], same[2];
    const pressure_law *law = law_at(draws, p);
    const double x = power_of_ten(-4, -2), end = let_go(law, p), v = uniform(isnan(end) ? -1 : fmax(0.9 * end, -1), 1);
    const double dx = 1e-5 * x, dv = 1e-5, force = cdni_law_slopes(law, p, x, v, slope);
    NEAR(force, law_force(law, p, x, v), 0);
    if (!(force > 0)) continue; /* the smooth one pulls a little where it is parted fast */
    NEAR((law->pressure(p, x + dx, v) - law->pressure(p, x - dx, v)) / (2 * dx), slope[0], 1e-6 * fabs(force) / x);
    NEAR((law->pressure(p, x, v + dv) - law->pressure(p, x, v - dv)) / (2 * dv), slope[1], 1e-4 * fabs(force));
    /* a law without slopes has them by differences */
    pressure_law poor = *law;
    poor.slopes = NULL;
    NEAR(cdni_law_slopes(&poor, p, x, v, same), force, 0);
    NEAR(same[0], slope[0], 1e-8 * fabs(force) / x);
    NEAR(same[1], slope[1], 1e-7 * fmax(fabs(force), fabs(slope[1])));
  }
}
END_TEST

START_TEST(pressure_is_the_slope_of_the_potential) {
  for (int i = 0; i < LAW_COUNT; i++) /* that of the smooth one has no closed form */
    ck_assert_msg(cdni_pressure_laws[i].potential || i == LAW_SMOOTH, "%s has no potential",
                  cdni_pressure_laws[i].name);
  for (int draws = 0; draws < 4000; draws++) {
    double p[CDN_LAW_NUMBERS];
    const pressure_law *law = law_at(draws, p);
    if (!law->potential) continue;
    const double x = power_of_ten(-4, -2), h = 1e-5 * x, force = law->pressure(p, x, 0);
    NEAR((law->potential(p, x + h) - law->potential(p, x - h)) / (2 * h), force, 1e-7 * force);
  }
}
END_TEST

/* ---- bends ---- */

typedef double curve(const void *of, double at); /* a slope along a line */
typedef struct line {
  const pressure_law *law;
  const double *numbers;
  double other;
} line;
/* The smooth one is taken as it is, the others do not pull. */
static void slopes_at(const line *l, double x, double v, double slope[2]) {
  if (l->law == &cdni_pressure_laws[LAW_SMOOTH]) l->law->slopes(l->numbers, x, v, slope);
  else (void)cdni_law_slopes(l->law, l->numbers, x, v, slope);
}
static double by_depth(const void *of, double x) {
  const line *l = of;
  double slope[2];
  slopes_at(l, x, l->other, slope);
  return slope[0];
}
static double by_rate(const void *of, double v) {
  const line *l = of;
  double slope[2];
  slopes_at(l, l->other, v, slope);
  return slope[1];
}

/* A place between low and high, and away from the one that is declared (NaN: none), where the slope jumps: the interval
 * in which it changes most is halved, and what is smooth then changes by half. NaN: there is none. */
static double undeclared(curve *slope, const void *of, double low, double high, double declared) {
  enum { CELLS = 400, HALVES = 24 };
  const double width = (high - low) / CELLS, offset = uniform(0, 1) * width;
  double most = 0;
  for (int i = 0; i <= CELLS; i++) most = fmax(most, fabs(slope(of, low + i * width)));
  for (int i = 0; i < CELLS; i++) {
    double a = low + i * width + offset, b = a + width;
    if (a <= declared && declared <= b) continue;
    const double first = fabs(slope(of, b) - slope(of, a));
    double jump = first;
    for (int k = 0; k < HALVES; k++) {
      const double middle = 0.5 * (a + b), left = fabs(slope(of, middle) - slope(of, a)),
                   right = fabs(slope(of, b) - slope(of, middle));
      if (left > right) b = middle, jump = left;
      else a = middle, jump = right;
    }
    if (jump > 0x1p-16 * first && jump > 1e-9 * most) return a;
  }
  return NAN;
}

/* Within `near` of what is declared the slope changes on one side far more than on the other, or jumps; elsewhere it
 * does not. */
static void expect(const char *name, curve *slope, const void *of, double low, double high, double declared,
                   double near) {
  const double found = undeclared(slope, of, low, high, declared);
  ck_assert_msg(isnan(found), "%s: a bend at %g is not declared", name, found);
  if (isnan(declared)) return;
  ck_assert(low < declared && declared < high);
  const double before = slope(of, declared - near), there = slope(of, declared - 1e-6 * near),
               after = slope(of, declared + near), jump = fabs(after - there), smooth = fabs(there - before);
  ck_assert_msg(jump > 100 * smooth, "%s: the bend declared at %g is none: %g, %g, %g", name, declared, before, there,
                after);
}

START_TEST(bends_are_where_it_is_said) {
  for (int draws = 0; draws < 200; draws++) {
    double p[CDN_LAW_NUMBERS];
    const pressure_law *law = law_at(draws, p);
    cdn_law_bends bends = { NAN, NAN };
    if (law->bends) law->bends(p, &bends);
    const double x = power_of_ten(-3, -2), v = uniform(isnan(bends.rate) ? -0.3 : 0.5 * bends.rate, 0.5);
    const line depths = { law, p, v }, rates = { law, p, x };
    expect(law->name, by_depth, &depths, -0.01, 0.01, bends.depth, 1e-7);
    expect(law->name, by_rate, &rates, isnan(bends.rate) ? -1 : 2 * bends.rate, 1, bends.rate, 1e-7);
  }
}
END_TEST

/* ---- friction ---- */

typedef struct rubbing {
  double mu[3], transition;
} rubbing;
static double bound_slope(const void *of, double speed) {
  const rubbing *r = of;
  double slope;
  (void)cdni_friction_bound(r->mu, speed, r->transition, &slope);
  return slope;
}
static double slip_slope(const void *of, double speed) {
  const rubbing *r = of;
  double slope;
  const double over = cdni_friction_over_speed(r->mu, speed, r->transition, &slope);
  return over + speed * slope;
}

START_TEST(friction_bends_at_the_transition) {
  seed = 4;
  for (int draws = 0; draws < 500; draws++) {
    const double low = uniform(0.1, 1);
    const rubbing r = { { low + uniform(0.1, 0.5), low, uniform(0, 0.3) }, power_of_ten(-3, 0) };
    const double T = r.transition, speed = T * power_of_ten(-2, 1), h = 1e-5 * speed;
    double slope;
    const double bound = cdni_friction_bound(r.mu, speed, T, &slope);
    if (fabs(speed - T) > 2 * h)
      NEAR((cdni_friction_bound(r.mu, speed + h, T, NULL) - cdni_friction_bound(r.mu, speed - h, T, NULL)) / (2 * h),
           slope, 1e-8 * bound / h * 1e-3 + 1e-7 * bound / speed);
    const double over = cdni_friction_over_speed(r.mu, speed, T, &slope);
    if (fabs(speed - T) > 2 * h)
      NEAR((cdni_friction_over_speed(r.mu, speed + h, T, NULL) - cdni_friction_over_speed(r.mu, speed - h, T, NULL)) /
               (2 * h),
           slope, 1e-7 * over / speed);
    /* what slides bears all that can be borne; at the transition that is the static coefficient */
    if (speed > T) NEAR(over * speed, bound, 1e-14 * bound);
    else ck_assert(over * speed < bound);
    NEAR(cdni_friction_bound(r.mu, T, T, NULL), r.mu[0] + r.mu[2] * T, 1e-15);
    NEAR(cdni_friction_bound(r.mu, 1e9 * T, T, NULL), r.mu[1] + r.mu[2] * 1e9 * T, 1e-6 * (1 + r.mu[2] * 1e9 * T));
    expect("bound", bound_slope, &r, 0.1 * T, 4 * T, T, 1e-7 * T);
    expect("slip", slip_slope, &r, 0.1 * T, 4 * T, T, 1e-7 * T);
  }
}
END_TEST

/* ---- rows of implicit steps ---- */

/* At the end of a step that leads to the depth x at the rate v the row presses as the law does; of Hertz's law and of
 * springs, its cost falls by that. */
START_TEST(rows_press_as_the_law_does) {
  for (int draws = 0; draws < 4000; draws++) {
    double p[CDN_LAW_NUMBERS], f, H, slope[2];
    const pressure_law *law = law_at(draws, p);
    if (draws % LAW_COUNT == LAW_SMOOTH) continue; /* it has no bend */
    const double x = power_of_ten(-4, -2), v = uniform(1.2 * let_go(law, p), 0.5), h = power_of_ten(-6, -2);
    soft_function s = { .kind = SOFT_PRESS, .rows = 1, .law = law };
    s.friction[PRESS_STEP] = h, s.friction[PRESS_DEPTH] = x - h * v;
    memcpy(s.D + PRESS_NUMBERS, p, sizeof p);
    const double r = -v / h, cost = cdni_soft_function(&s, &r, &f, &H, NULL);
    const double force = cdni_law_slopes(law, p, x, v, slope);
    NEAR(f, law_force(law, p, x, v), 1e-9 * (1 + force));
    NEAR(H, h * (h * slope[0] + slope[1]), 1e-9 * H);
    if (draws % LAW_COUNT == LAW_EXPONENTIAL) continue; /* its integral is not that of powers of the root */
    const double dr = 1e-4 * x / (h * h + 0.1 * h * x), there[2] = { r + dr, r - dr };
    /* the cost is the difference of two integrals from depth 0 on, where the rate is -x / h: they round so */
    const double rounding = 4e-16 * law->pressure(p, x, x / h) * x / (h * h);
    double unused;
    const double rise =
        cdni_soft_function(&s, &there[0], &unused, NULL, NULL) - cdni_soft_function(&s, &there[1], &unused, NULL, NULL);
    if (fabs(v - let_go(law, p)) > 0.01) NEAR(-rise / (2 * dr), f, 1e-5 * f + (1e-11 * cost + rounding) / dr);
  }
}
END_TEST

CHECK_MAIN("laws", slopes_are_those_of_the_pressure, pressure_is_the_slope_of_the_potential, bends_are_where_it_is_said,
           friction_bends_at_the_transition, rows_press_as_the_law_does)
