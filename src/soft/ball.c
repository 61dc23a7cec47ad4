/* The least of a quadratic function in a ball. Outside of it the least is at its edge, where (A + l) y + b = 0 for a l
 * > 0: 1 / |y| grows with l and is nearly straight, so that Newton's method from 0 on never passes the root (More and
 * Sorensen 1983). */
#include <math.h>

#include "math/cholesky.h"
#include "soft/dual.h"

enum { MOST = SOFT_MOST_ROWS - 1, MOST_STEPS = 50 };

/* L L^T = A + l; false: it is not positive definite. */
static bool factor(int n, const double *A, double l, double L[MOST][MOST]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) L[i][j] = A[i * n + j] + (i == j ? l : 0);
  return cdni_cholesky(n, MOST, L[0], 1e-14, 0) < 0;
}

static double square(int n, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  return sum;
}

void cdni_soft_least_in_ball(int n, const double *A, const double *b, double size, double *y) {
  double L[MOST][MOST], trace = 0, l = 0;
  for (int i = 0; i < n; i++) y[i] = 0, trace += A[i * n + i];
  if (!(size > 0) || !(trace > 0)) return;
  if (!factor(n, A, 0, L)) l = 1e-13 * trace; /* motions that cannot be: any force does */
  for (int step = 0; step < MOST_STEPS; step++) {
    if (l > 0 && !factor(n, A, l, L)) {
      l *= 10;
      continue;
    }
    for (int i = 0; i < n; i++) y[i] = -b[i];
    cdni_cholesky_down(n, MOST, L[0], y);
    cdni_cholesky_up(n, MOST, L[0], y);
    const double length = sqrt(square(n, y));
    if (length <= size) return;
    double w[MOST];
    for (int i = 0; i < n; i++) w[i] = y[i];
    cdni_cholesky_down(n, MOST, L[0], w);
    const double more = square(n, y) / square(n, w) * (length - size) / size;
    if (!(l + more > l) || more <= 1e-15 * l || length - size <= 1e-14 * size) break;
    l += more;
  }
  const double length = sqrt(square(n, y));
  for (int i = 0; i < n && length > size; i++) y[i] *= size / length;
}
