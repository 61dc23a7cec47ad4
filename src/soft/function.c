#include "soft/functions_inline.h"

double cdni_soft_scaled_length(const double *x, int n) {
  double sum = 0, most = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  if (!(most > 0) || !isfinite(most)) return sum; /* 0, infinite, or not a number */
  int e;
  frexp(most, &e);
  sum = 0;
  for (int i = 0; i < n; i++) {
    const double y = ldexp(x[i], -e);
    sum += y * y;
  }
  return ldexp(sqrt(sum), e);
}

static void clear(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = 0;
}

/* The cost beyond a bound b has the slope -b: that of r = -b / D is continued. */
static double bounded(const soft_function *s, double r, double *f, double *H, int32_t *zone) {
  const double D = s->D[0], lower = s->friction[BOUNDED_LOWER], upper = s->friction[BOUNDED_UPPER], force = -D * r;
  const bool low = force <= lower && lower > -INFINITY, high = !low && force >= upper && upper < INFINITY;
  *zone = low ? 2 : high ? 3 : 1;
  *f = low ? lower : high ? upper : force;
  if (*f == 0 && *zone != 1) *zone = SOFT_ZONE_NOTHING;
  if (H) *H = low || high ? 0 : D;
  return low || high ? -*f * (r + 0.5 * *f / D) : 0.5 * D * r * r;
}

/* ---- implicit steps ---- */

static void press(const soft_function *s, const double *r, double *f, double *H) {
  const double h = s->friction[PRESS_STEP], V = h * r[0], w = s->friction[PRESS_DEPTH] - h * V;
  double slope[2] = { 0, 0 };
  f[0] = w > 0 ? cdni_law_slopes(s->law, s->D + PRESS_NUMBERS, w, -V, slope) : 0;
  if (H) H[0] = h * (h * slope[0] + slope[1]);
}

static double press_cost(const soft_function *s, double r) {
  const double h = s->friction[PRESS_STEP];
  return cdni_law_cost(s->law, s->D + PRESS_NUMBERS, s->friction[PRESS_DEPTH], h, -h * r) / h;
}

static double slide(const soft_function *s, const double *r, double *f, double *H) {
  const double D = s->D[0], viscous = s->friction[SLIDE_VISCOUS], size = soft_length(r, s->rows);
  const int n = s->rows;
  const bool slides = D * size > s->loss;
  const double slope = slides ? s->loss / size : D;
  for (int i = 0; i < n; i++) {
    f[i] = -(slope + viscous) * r[i];
    for (int j = 0; H && j < n; j++)
      H[i * n + j] = (i == j ? slope + viscous : 0) - (slides ? slope * ((r[i] / size) * (r[j] / size)) : 0);
  }
  return 0.5 * viscous * size * size + (slides ? s->loss * (size - 0.5 * s->loss / D) : 0.5 * D * size * size);
}

double cdni_soft_function(const soft_function *s, const double *r, double *f, double *H, int32_t *zone) {
  const int n = s->rows;
  int32_t at = SOFT_ZONE_NOTHING;
  double cost = 0;
  switch ((soft_kind)s->kind) {
    case SOFT_EQUALITY:
      at = 1;
      if (H) clear(H, n * n);
      for (int i = 0; i < n; i++) {
        f[i] = -s->D[i] * r[i];
        cost -= 0.5 * f[i] * r[i];
        if (H) H[i * n + i] = s->D[i];
      }
      break;
    case SOFT_FRICTION_LOSS:
    case SOFT_LIMIT: cost = soft_single(s, r[0], f, H, &at); break;
    case SOFT_ELLIPTIC: cost = soft_elliptic(s, n, r, f, H, &at); break;
    case SOFT_PYRAMIDAL:
      cost = soft_pyramid(s, n, r, f, &at);
      if (H) soft_pyramid_weights(s, n, at, H);
      break;
    case SOFT_BOUNDED: cost = bounded(s, r[0], f, H, &at); break;
    /* their slopes change everywhere */
    case SOFT_PRESS:
      at = SOFT_ZONE_MIDDLE;
      press(s, r, f, H);
      if (f[0] > 0) cost = press_cost(s, r[0]);
      break;
    case SOFT_SLIDE: at = SOFT_ZONE_MIDDLE, cost = slide(s, r, f, H); break;
  }
  if (zone) *zone = at;
  return cost;
}

double cdni_soft_function_again(const soft_function *s, const double *r, double *f, double *H, int32_t *zone) {
  const int32_t before = *zone;
  if (s->kind != SOFT_PYRAMIDAL) return cdni_soft_function(s, r, f, H, zone);
  const double cost = soft_pyramid(s, s->rows, r, f, zone);
  if (*zone != before) soft_pyramid_weights(s, s->rows, *zone, H);
  return cost;
}

/* In the middle zone T has the slope w . F d, and bends by what of F d is across w. */
static void along_elliptic(const soft_function *s, const double *r, const double *d, double out[2]) {
  soft_cone c;
  soft_find_cone(s, s->rows, r, &c);
  if (c.zone == 1) {
    for (int i = 0; i < s->rows; i++) {
      out[0] += s->D[i] * r[i] * d[i];
      out[1] += s->D[i] * d[i] * d[i];
    }
  } else if (c.zone == SOFT_ZONE_MIDDLE) {
    const double depth = c.T - r[0];
    double Fd[SOFT_MOST_ROWS], slope = 0, rest = 0;
    for (int i = 1; i < s->rows; i++) {
      Fd[i] = s->friction[i - 1] * d[i];
      slope += c.w[i] * Fd[i];
    }
    for (int i = 1; i < s->rows; i++) rest += (Fd[i] - slope * c.w[i]) * (Fd[i] - slope * c.w[i]);
    out[0] = c.k * depth * (slope - d[0]);
    out[1] = c.k * ((slope - d[0]) * (slope - d[0]) + depth / c.T * rest);
  }
}

static inline void along_edges(const soft_function *s, int n, const double *r, const double *d, double out[2]) {
  double first = 0, second = 0;
  for (int k = 1; k < n; k++) {
    const double slope = s->friction[k - 1], up = r[0] + slope * r[k], down = r[0] - slope * r[k],
                 up_rate = d[0] + slope * d[k], down_rate = d[0] - slope * d[k];
    first += (up < 0 ? up * up_rate : 0) + (down < 0 ? down * down_rate : 0);
    second += (up < 0 ? up_rate * up_rate : 0) + (down < 0 ? down_rate * down_rate : 0);
  }
  out[0] = s->D[0] * first, out[1] = s->D[0] * second;
}

static void along_pyramidal(const soft_function *s, const double *r, const double *d, double out[2]) {
  if (s->rows == 3) along_edges(s, 3, r, d, out);
  else along_edges(s, s->rows, r, d, out);
}

static void along_curved(const soft_function *s, const double *r, const double *d, double out[2]) {
  double f[SOFT_MOST_ROWS], H[SOFT_MOST_ROWS * SOFT_MOST_ROWS];
  const int n = s->rows;
  if (s->kind == SOFT_PRESS) press(s, r, f, H);
  else (void)slide(s, r, f, H);
  for (int i = 0; i < n; i++) {
    out[0] -= f[i] * d[i];
    for (int j = 0; j < n; j++) out[1] += d[i] * H[i * n + j] * d[j];
  }
}

void cdni_soft_function_along(const soft_function *s, const double *r, const double *d, double t, double out[2]) {
  double at[SOFT_MOST_ROWS] = { 0 }, f[SOFT_MOST_ROWS] = { 0 };
  int32_t zone;
  out[0] = out[1] = 0;
  for (int i = 0; i < s->rows; i++) at[i] = r[i] + t * d[i];
  if (s->kind == SOFT_ELLIPTIC) along_elliptic(s, at, d, out);
  else if (s->kind == SOFT_PYRAMIDAL) along_pyramidal(s, at, d, out);
  else if (s->kind >= SOFT_PRESS) along_curved(s, at, d, out);
  else {
    (void)cdni_soft_function(s, at, f, NULL, &zone);
    for (int i = 0; i < s->rows; i++) {
      out[0] -= f[i] * d[i];
      if (zone == 1) out[1] += s->D[i] * d[i] * d[i];
    }
  }
}
