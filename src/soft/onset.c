/* Rows that set in over a depth in place of at once. */
#include <math.h>

#include "soft/rows.h"

/* From 0 at 0 to 1 at 1, level at both ends. */
static double rise(double x) { return x * x * (3 - 2 * x); }
static double slope_of_rise(double x) { return 6 * x * (1 - x); }

/* No row is fainter, so that R = 1 / D stays a number: what is left of the jump is below any accuracy. */
static const double FAINTEST = 1e-12;

void cdni_soft_set_in(soft_group *g, double depth, double onset) {
  if (!(depth < onset)) return;
  const double part = depth / onset, risen = rise(part), share = fmax(risen, FAINTEST);
  for (int k = 0; k < g->s.rows; k++) g->s.D[k] *= share;
  if (risen > FAINTEST) g->growth -= slope_of_rise(part) / (onset * risen);
}
