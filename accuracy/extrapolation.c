/* Gragg's, Bulirsch's and Stoer's method in long double. The order is 12 throughout: extrapolation to higher ones
 * multiplies roundings more than it saves. Within a step it carries the changes of x alone, and x keeps what its sums
 * have lost, so that roundings are those of the changes. */
#include "extrapolation.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { COLUMNS = 6 };

/* The change of x over a step, by the modified midpoint rule with `substeps` substeps, smoothed: its error is a series
 * in the square of the substep. */
static void midpoint(const extrapolation *e, const long double *f0, long double h, int substeps, long double *out) {
  long double before[EXTRAPOLATION_MOST] = { 0 }, now[EXTRAPOLATION_MOST], at[EXTRAPOLATION_MOST],
              f[EXTRAPOLATION_MOST];
  const long double s = h / substeps;
  for (int i = 0; i < e->n; i++) now[i] = s * f0[i];
  for (int k = 1; k <= substeps; k++) {
    for (int i = 0; i < e->n; i++) at[i] = e->x[i] + now[i];
    e->rates(e->self, e->t + s * k, at, f);
    for (int i = 0; i < e->n; i++) {
      if (k == substeps) {
        out[i] = (before[i] + now[i] + s * f[i]) / 2;
      } else {
        const long double next = before[i] + 2 * s * f[i];
        before[i] = now[i], now[i] = next;
      }
    }
  }
}

/* One step of size h: the change of x, and its estimated error over what is allowed. */
static long double attempt(const extrapolation *e, const long double *f0, long double h, long double *change) {
  long double table[COLUMNS][EXTRAPOLATION_MOST], worst = 0;
  for (int j = 0; j < COLUMNS; j++) {
    long double row[EXTRAPOLATION_MOST];
    midpoint(e, f0, h, 2 * (j + 1), row);
    for (int i = 0; i < e->n; i++) {
      /* Neville's scheme at zero; table[k] becomes row j's column k */
      long double value = row[i];
      for (int k = 0; k < j; k++) {
        const long double ratio = (long double)((j + 1) * (j + 1)) / (long double)((j - k) * (j - k));
        const long double old = table[k][i];
        table[k][i] = value;
        value += (value - old) / (ratio - 1);
      }
      table[j][i] = value;
      if (j == COLUMNS - 1) {
        const long double off = fabsl(value - table[j - 1][i]);
        worst = fmaxl(worst, off / (5 * LDBL_EPSILON * fmaxl(1, fabsl(e->x[i]))));
        if (isnan(off)) worst = INFINITY;
        change[i] = value;
      }
    }
  }
  return worst;
}

void extrapolate_to(extrapolation *e, long double end) {
  long double f0[EXTRAPOLATION_MOST], change[EXTRAPOLATION_MOST];
  if (!(e->step > 0)) e->step = (end - e->t) / 1000;
  while (e->t < end) {
    e->rates(e->self, e->t, e->x, f0);
    for (;;) {
      const bool last = e->t + e->step * 1.0001L >= end;
      const long double h = last ? end - e->t : e->step, error = attempt(e, f0, h, change);
      /* the estimate is that of order 10; it allows more than the result has */
      const long double factor = 0.8L * powl(fmaxl(error, 1e-12L), -1.0L / 11);
      const long double next = h * fminl(3, fmaxl(0.1L, factor));
      if (error > 1) {
        e->step = next;
        continue;
      }
      for (int i = 0; i < e->n; i++) {
        const long double by = change[i] + e->lost[i], sum = e->x[i] + by;
        e->lost[i] = by - (sum - e->x[i]);
        e->x[i] = sum;
      }
      e->t = last ? end : e->t + h;
      if (!last || next < e->step) e->step = next;
      break;
    }
  }
}
