/* Round numbers along an axis, and how they are written. */
#include "plot.h"

#include <math.h>

/* 1, 2 or 5 times a power of ten, at least x. */
static double round_up(double x) {
  double power = pow(10, floor(log10(x)));
  const double steps[] = { 1, 2, 5, 10 };
  for (int i = 0; i < 4; i++) {
    if (steps[i] * power >= x * (1 - 1e-9)) return steps[i] * power;
  }
  return 10 * power;
}

/* As many decimals as the step has; exponents where that would be too long. */
static void write_labels(ticks *t, double step) {
  double largest = 0;
  for (int i = 0; i < t->n; i++) largest = fmax(largest, fabs(t->at[i] - t->base));
  int decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
  bool plain = largest < 1e5 && decimals <= 4;
  for (int i = 0; i < t->n; i++) {
    double x = t->at[i] - t->base;
    if (fabs(x) < 1e-6 * step) x = 0;
    if (plain) snprintf(t->label[i], LABEL_SIZE, "%.*f", decimals, x);
    else snprintf(t->label[i], LABEL_SIZE, "%.3g", x);
  }
}

void make_ticks(ticks *t, double least, double most, int wanted) {
  *t = (ticks){ .n = 0 };
  if (wanted > MOST_TICKS) wanted = MOST_TICKS;
  if (!(most > least) || wanted < 2) return;
  double step = round_up((most - least) / wanted);
  for (double k = ceil(least / step - 1e-9); t->n < MOST_TICKS && k * step <= most + 1e-9 * step; k++) {
    t->at[t->n++] = k * step;
  }
  if (t->n == 0) return;
  // numbers that differ in their last digits only are written as differences
  if (most - least < 1e-3 * fmax(fabs(least), fabs(most))) t->base = t->at[0];
  write_labels(t, step);
}

void make_log_ticks(ticks *t, double least, double most, int wanted) {
  *t = (ticks){ .n = 0 };
  double step = fmax(1, ceil((most - least) / wanted));
  for (double k = ceil(least - 1e-9); t->n < MOST_TICKS && k <= most + 1e-9; k += step) {
    t->at[t->n] = k;
    snprintf(t->label[t->n++], LABEL_SIZE, "1e%.0f", k);
  }
}
