/* Hertz's contact of two smooth surfaces, circular and elliptical (Johnson, Contact Mechanics, 1985, chapters 3 and
 * 4.2).
 *
 * With the relative principal curvatures A = k[1] / 2 <= B = k[0] / 2, half axes a >= b of the patch, e^2 = 1 -
 * (b/a)^2, and the complete elliptic integrals K and E of e:
 *    B / A = ((a/b)^2 E - K) / (K - E),   depth = 3 F K / (2 pi E* a),
 *    a^3 = 3 F E / (2 pi E* (A + B) (b/a)^2);  the last two give F = stiffness depth^(3/2). */
#include <float.h>
#include <math.h>

#include "laws/laws.h"

static const double pi = 3.14159265358979323846;

/* Of the axis ratio c = b/a: K, and the small difference D = 1 - E / K, by the arithmetic-geometric mean (Abramowitz
 * and Stegun 17.6). */
static void elliptic_integrals(double c, double *K, double *D) {
  double a = 1, b = c, power = 1;
  *D = 0.5 * (1 - c) * (1 + c);
  while (fabs(a - b) > 4 * DBL_EPSILON * a) {
    const double d = 0.5 * (a - b), m = 0.5 * (a + b);
    b = sqrt(a * b);
    a = m;
    *D += power * d * d;
    power *= 2;
  }
  *K = 0.5 * pi / a;
}

/* B / A of an ellipse with the axis ratio c. */
static double curvature_ratio(double c, double D) { return ((1 - c) * (1 + c) - D) / (c * c * D); }

/* The axis ratio of the ellipse for a ratio of curvatures >= 1: bisection on the logarithm, which a secant speeds up.
 * */
static double axis_ratio(double ratio, double *K, double *D) {
  /* c is about ratio^(-2/3) (Hamrock and Brewe 1983), and never farther off than by a factor 2. */
  double low = log(1 / ratio) - 1, high = 0, x = -2.0 / 3 * log(ratio), y_low = NAN, y_high = NAN;
  const double wanted = log(ratio);
  for (int i = 0; i < 60; i++) {
    const double c = exp(x);
    elliptic_integrals(c, K, D);
    const double y = log(curvature_ratio(c, *D)) - wanted;
    if (fabs(y) < 4 * DBL_EPSILON * fmax(1, wanted)) return c;
    if (y > 0) low = x, y_low = y;
    else high = x, y_high = y;
    double next = low - y_low * (high - low) / (y_high - y_low);
    if (!(next > low + 1e-3 * (high - low) && next < high - 1e-3 * (high - low))) next = 0.5 * (low + high);
    if (high - low < 2 * DBL_EPSILON * fmax(1, fabs(high))) return c;
    x = next;
  }
  return exp(x);
}

double cdni_hertz_stiffness(const double k[2], double modulus, double radius[2]) {
  const double ratio = k[0] / k[1];
  if (ratio < 1 + 1e-12) { /* circular: R = 2 / (k0 + k1) */
    const double R = 2 / (k[0] + k[1]);
    radius[0] = radius[1] = sqrt(R);
    return 4.0 / 3 * modulus * sqrt(R);
  }
  double K, D;
  const double c = axis_ratio(ratio, &K, &D), E = K * (1 - D), sum = 0.5 * (k[0] + k[1]);
  /* a^3 = g F with g = 3 E / (2 pi E* c^2 (A + B)), and depth = h F / a with h = 3 K / (2 pi E*): F = depth^(3/2)
   * sqrt(g) / h^(3/2). */
  const double g = 3 * E / (2 * pi * modulus * c * c * sum), h = 3 * K / (2 * pi * modulus);
  const double stiffness = sqrt(g / h) / h;
  radius[0] = sqrt(g / h); /* a^2 = (g / h) depth */
  radius[1] = c * radius[0];
  return stiffness;
}
