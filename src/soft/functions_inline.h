/* The functions of contacts, limits and dry friction (function.h), compiled where they are used. Private to the room.
 */
#ifndef CARDAN_SOFT_FUNCTIONS_INLINE_H
#define CARDAN_SOFT_FUNCTIONS_INLINE_H

#include <math.h>
#include <stddef.h>

#include "math/lane.h"
#include "soft/function.h"

/* The length of n numbers, whose squares may leave the range of a double. */
CDNI_INLINE double soft_length(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum >= 1e-280 && sum <= 1e280 ? sqrt(sum) : cdni_soft_scaled_length(x, n);
}

/* ---- elliptic cones ---- */

/* A cone in the coordinates where it is round: the tangents U_k = friction_k r_k of the length T, with the unit vector
 * w along them. With n = r_0, the function is 0 for n >= T, sum D_i r_i^2 / 2 for mu^2 n + T <= 0, which is
 * D_0 (n^2 + T^2 / mu^2) / 2, and the square of the distance k (T - n)^2 / 2, k = D_0 / (1 + mu^2), between. MuJoCo
 * has the same in N = mu n. */
typedef struct soft_cone {
  int32_t zone;
  double T, k;
  double w[SOFT_MOST_ROWS]; /* from 1 on; in the middle zone only, where T > 0 */
} soft_cone;

CDNI_INLINE void soft_find_cone(const soft_function *s, int rows, const double *r, soft_cone *c) {
  const double n = r[0], mu2 = s->mu * s->mu;
  double U[SOFT_MOST_ROWS];
  for (int k = 1; k < rows; k++) U[k] = s->mu > 0 ? s->friction[k - 1] * r[k] : 0;
  c->T = soft_length(U + 1, rows - 1);
  c->zone = SOFT_ZONE_NOTHING;
  if (n >= c->T) return;
  c->zone = 1;
  if (mu2 * n + c->T <= 0 || c->T <= 0) return;
  c->zone = SOFT_ZONE_MIDDLE;
  c->k = s->D[0] / (1 + mu2);
  for (int k = 1; k < rows; k++) c->w[k] = U[k] / c->T;
}

/* The projector I - w w^T, its diagonal without a difference. */
CDNI_INLINE double soft_across(const soft_cone *c, int rows, int i, int j) {
  if (i != j) return -c->w[i] * c->w[j];
  double sum = 0;
  for (int k = 1; k < rows; k++)
    if (k != i) sum += c->w[k] * c->w[k];
  return sum;
}

/* H: NULL if it is not wanted. */
CDNI_INLINE double soft_elliptic(const soft_function *s, int n, const double *r, double *f, double *H, int32_t *zone) {
  soft_cone c;
  double cost = 0;
  soft_find_cone(s, n, r, &c);
  *zone = c.zone;
  for (int i = 0; i < n * n && H && c.zone != SOFT_ZONE_MIDDLE; i++) H[i] = 0;
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
        H[i * n + j] = c.k * (Fi * s->friction[j - 1]) * (c.w[i] * c.w[j] + bend * soft_across(&c, n, i, j));
    }
  } else {
    for (int i = 0; i < n; i++) f[i] = 0;
  }
  return cost;
}

/* ---- pyramids ---- */

/* Edges normal +- friction_k tangent_k; the zone has a bit for each that carries force: two for each tangent. */
CDNI_INLINE double soft_pyramid(const soft_function *s, int n, const double *r, double *f, int32_t *zone) {
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

CDNI_INLINE void soft_pyramid_weights(const soft_function *s, int n, int32_t zone, double *H) {
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

/* ---- one row ---- */

/* A limit, or dry friction. H: NULL if it is not wanted. */
CDNI_INLINE double soft_single(const soft_function *s, double r, double *f, double *H, int32_t *zone) {
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

#endif
