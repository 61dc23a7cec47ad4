#include "soft/function.h"

#include <math.h>
#include <stddef.h>

/* The length of n numbers, whose squares may leave the range of a double. */
static double length(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  if (sum >= 1e-280 && sum <= 1e280) return sqrt(sum);
  double most = 0;
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

/* A cone in the coordinates where it is round: the tangents U_k = friction_k r_k of the length T, with the unit vector
 * w along them. With n = r_0, the function is 0 for n >= T, sum D_i r_i^2 / 2 for mu^2 n + T <= 0, which is
 * D_0 (n^2 + T^2 / mu^2) / 2, and the square of the distance k (T - n)^2 / 2, k = D_0 / (1 + mu^2), between. MuJoCo
 * has the same in N = mu n. */
typedef struct cone {
  int32_t zone;
  double T, k;
  double w[SOFT_MOST_ROWS]; /* from 1 on; in the middle zone only, where T > 0 */
} cone;

static cone find_cone(const soft_function *s, const double *r) {
  cone c = { .zone = SOFT_ZONE_NOTHING };
  const double n = r[0], mu2 = s->mu * s->mu;
  double U[SOFT_MOST_ROWS] = { 0 };
  if (s->mu > 0)
    for (int k = 1; k < s->rows; k++) U[k] = s->friction[k - 1] * r[k];
  c.T = length(U + 1, s->rows - 1);
  if (n >= c.T) return c;
  c.zone = 1;
  if (mu2 * n + c.T <= 0 || c.T <= 0) return c;
  c.zone = SOFT_ZONE_MIDDLE;
  c.k = s->D[0] / (1 + mu2);
  for (int k = 1; k < s->rows; k++) c.w[k] = U[k] / c.T;
  return c;
}

/* The projector I - w w^T, its diagonal without a difference. */
static double across(const cone *c, int rows, int i, int j) {
  if (i != j) return -c->w[i] * c->w[j];
  double sum = 0;
  for (int k = 1; k < rows; k++)
    if (k != i) sum += c->w[k] * c->w[k];
  return sum;
}

static double elliptic(const soft_function *s, const double *r, double *f, double *H, int32_t *zone) {
  const cone c = find_cone(s, r);
  const int n = s->rows;
  double cost = 0;
  *zone = c.zone;
  if (c.zone == 1) {
    for (int i = 0; i < n; i++) {
      f[i] = -s->D[i] * r[i];
      cost -= 0.5 * f[i] * r[i];
      if (H) H[i * n + i] = s->D[i];
    }
  } else if (c.zone == SOFT_ZONE_MIDDLE) {
    const double depth = c.T - r[0];
    cost = 0.5 * c.k * depth * depth;
    f[0] = c.k * depth;
    for (int i = 1; i < n; i++) f[i] = -f[0] * c.w[i] * s->friction[i - 1];
    if (!H) return cost;
    /* The slope of T is F w, and its second derivative is F (I - w w^T) F / T. */
    const double bend = depth / c.T;
    H[0] = c.k;
    for (int i = 1; i < n; i++) {
      const double Fi = s->friction[i - 1];
      H[i] = H[i * n] = -c.k * (Fi * c.w[i]);
      for (int j = 1; j < n; j++)
        H[i * n + j] = c.k * (Fi * s->friction[j - 1]) * (c.w[i] * c.w[j] + bend * across(&c, n, i, j));
    }
  }
  return cost;
}

/* Edges normal +- friction_k tangent_k; the zone has a bit for each that carries force: two for each tangent. */
static inline double pyramid_of(const soft_function *s, int n, const double *r, double *f, int32_t *zone) {
  const double D = s->D[0];
  double square = 0, all = 0;
  int32_t bits = 0;
  for (int k = 1; k < n; k++) {
    const double slope = s->friction[k - 1], up = r[0] + slope * r[k], down = r[0] - slope * r[k];
    const double a = up < 0 ? up : 0, b = down < 0 ? down : 0;
    bits |= ((up < 0) | (down < 0) << 1) << (2 * (k - 1));
    square += a * a + b * b;
    all += a + b;
    f[k] = -D * (slope * (a - b));
  }
  f[0] = -D * all;
  *zone = bits;
  return 0.5 * D * square;
}

/* Most have three rows. */
static double pyramidal(const soft_function *s, const double *r, double *f, int32_t *zone) {
  return s->rows == 3 ? pyramid_of(s, 3, r, f, zone) : pyramid_of(s, s->rows, r, f, zone);
}

static void pyramid_weights(const soft_function *s, int32_t zone, double *H) {
  const int n = s->rows;
  H[0] = 0;
  for (int k = 1; k < n; k++) {
    const double slope = s->friction[k - 1], up = (zone >> (2 * (k - 1))) & 1 ? s->D[0] : 0,
                 down = (zone >> (2 * (k - 1))) & 2 ? s->D[0] : 0;
    H[0] += up + down;
    H[k] = H[k * n] = slope * (up - down);
    for (int j = 1; j < k; j++) H[j * n + k] = H[k * n + j] = 0;
    H[k * n + k] = slope * slope * (up + down);
  }
}

static void clear(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = 0;
}

/* Of one row. */
static double of_row(const soft_function *s, double r, double *f, double *H, int32_t *zone) {
  const double D = s->D[0], force = -D * r;
  double weight = D, cost = -0.5 * force * r;
  *f = force, *zone = 1;
  if (s->kind == SOFT_LIMIT && r >= 0) {
    *f = weight = cost = 0, *zone = SOFT_ZONE_NOTHING;
  } else if (s->kind == SOFT_FRICTION_LOSS && !(fabs(force) < s->loss)) {
    weight = 0;
    *f = s->loss > 0 ? copysign(s->loss, force) : 0;
    cost = s->loss > 0 ? s->loss * (fabs(r) - 0.5 * (s->loss / D)) : 0;
    *zone = !(s->loss > 0) ? SOFT_ZONE_NOTHING : r < 0 ? 2 : 3;
  }
  if (H) *H = weight;
  return cost;
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
  const double D = s->D[0], viscous = s->friction[SLIDE_VISCOUS], size = length(r, s->rows);
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
    case SOFT_LIMIT: cost = of_row(s, r[0], f, H, &at); break;
    case SOFT_ELLIPTIC:
      clear(f, n);
      if (H) clear(H, n * n);
      cost = elliptic(s, r, f, H, &at);
      break;
    case SOFT_PYRAMIDAL:
      cost = pyramidal(s, r, f, &at);
      if (H) pyramid_weights(s, at, H);
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
  const double cost = pyramidal(s, r, f, zone);
  if (*zone != before) pyramid_weights(s, *zone, H);
  return cost;
}

/* In the middle zone T has the slope w . F d, and bends by what of F d is across w. */
static void along_elliptic(const soft_function *s, const double *r, const double *d, double out[2]) {
  const cone c = find_cone(s, r);
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
