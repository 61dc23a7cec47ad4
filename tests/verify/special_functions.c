/* shared by tests in this folder */
#include "special_functions.h"

#include <float.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

double complete_K(double m) {
  double a = 1, b = sqrt(1 - m);
  /* quadratic convergence: once a and b agree to sqrt(eps), one more mean is exact */
  while (fabs(a - b) > 1e-9 * a) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return PI / (a + b);
}

double carlson_RF(double x, double y, double z) {
  double mean, dx, dy, dz;
  do {
    double lambda = sqrt(x) * sqrt(y) + sqrt(y) * sqrt(z) + sqrt(z) * sqrt(x);
    x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
    mean = (x + y + z) / 3;
    dx = 1 - x / mean, dy = 1 - y / mean, dz = 1 - z / mean;
    /* what the series below leaves out is of sixth order in these */
  } while (fmax(fabs(dx), fmax(fabs(dy), fabs(dz))) > 1e-3);
  double e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
  return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / sqrt(mean);
}

double incomplete_F(double phi, double m) {
  double s = sin(phi), c = cos(phi);
  return s * carlson_RF(c * c, 1 - m * s * s, 1);
}

jacobi jacobi_functions(double u, double m) {
  enum { MOST = 40 };
  double a[MOST + 1], c[MOST + 1], b = sqrt(1 - m);
  int n = 0;
  a[0] = 1, c[0] = sqrt(m);
  while (c[n] > DBL_EPSILON * a[n] && n < MOST) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  double phi = ldexp(a[n] * u, n);
  for (int i = n; i > 0; i--) phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
  jacobi j = { .sn = sin(phi), .cn = cos(phi), .am = phi };
  /* both forms equal dn; the second keeps its digits where dn is small */
  j.dn = sqrt((1 - m) + m * j.cn * j.cn);
  return j;
}
