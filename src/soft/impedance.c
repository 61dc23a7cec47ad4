#include "soft/impedance.h"

#include <math.h>
#include <stdbool.h>

/* MuJoCo's bounds (mjMINIMP, mjMAXIMP, mjMINVAL, mjMINMU). */
static const double least_impedance = 1e-4, most_impedance = 0.9999, least = 1e-15, least_friction = 1e-5;

static double larger(double x, double y) { return x > y ? x : y; }
static double between(double x, double low, double high) { return x > low ? (x < high ? x : high) : low; }

/* From 0 at x = 0 to 1 at x = 1: two powers that meet at the midpoint; and its slope. */
static double sigmoid(double x, double midpoint, double power, double *slope) {
  *slope = 1;
  if (power == 1) return x;
  const bool low = x <= midpoint;
  const double at = low ? x : 1 - x, whole = low ? midpoint : 1 - midpoint;
  const double steep = power == 2 ? at / whole : pow(at / whole, power - 1), y = at * steep;
  *slope = power * steep;
  return low ? y : 1 - y;
}

static double impedance(const double imp[5], double x, double *slope) {
  const double low = between(imp[0], least_impedance, most_impedance);
  const double high = between(imp[1], least_impedance, most_impedance), width = larger(0, imp[2]);
  *slope = 0;
  if (low == high || width <= least) return 0.5 * (low + high);
  const double part = fabs(x / width);
  if (part >= 1) return high;
  if (part <= 0) return low;
  double steep;
  const double y = sigmoid(part, between(imp[3], least_impedance, most_impedance), larger(1, imp[4]), &steep);
  *slope = (high - low) * steep / (x < 0 ? -width : width);
  return low + (high - low) * y;
}

soft_response cdni_soft_response(const soft_law *law, double x, double safe) {
  const double most = between(law->imp[1], least_impedance, most_impedance);
  double time = law->ref[0], damping = law->ref[1];
  if ((time > 0) != (damping > 0)) time = 0.02, damping = 1; /* MuJoCo's default, where the two forms are mixed */
  double slope;
  soft_response response = { .d = impedance(law->imp, x, &slope) };
  if (time > 0) {
    time = larger(time, safe);
    response.K = 1 / larger(least, most * most * (time * time) * (damping * damping));
    response.B = 2 / larger(least, most * time);
  } else {
    response.K = -time / (most * most);
    response.B = -damping / most;
  }
  response.stiffness = response.K * (response.d + x * slope);
  response.growth = slope / (response.d * (1 - response.d));
  return response;
}

double cdni_soft_regularisation(double d, double diagonal) { return larger(least, (1 - d) / d * diagonal); }

soft_function cdni_soft_cone(soft_kind kind, int rows, const double *friction, double R, double ratio) {
  soft_function s = { .kind = kind, .rows = rows };
  ratio = larger(least, ratio);
  for (int k = 0; k < rows - 1; k++) s.friction[k] = larger(least_friction, friction[k]);
  s.mu = s.friction[0] / sqrt(ratio);
  if (kind == SOFT_PYRAMIDAL) {
    s.D[0] = 1 / larger(least, 2 * s.mu * s.mu * R);
    return s;
  }
  s.D[0] = 1 / R;
  for (int k = 1; k < rows; k++) {
    const double part = s.friction[k - 1] / s.mu;
    s.D[k] = s.D[0] * (part * part);
  }
  return s;
}
