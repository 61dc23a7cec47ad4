#include "math/cholesky.h"

#include <math.h>
#include <stddef.h>

int cdni_cholesky(int n, int width, double *A, double least, double raised) {
  for (int i = 0; i < n; i++) {
    double *row = A + (size_t)i * (size_t)width;
    const double size = row[i];
    for (int j = 0; j <= i; j++) {
      const double *other = A + (size_t)j * (size_t)width;
      double sum = row[j];
      for (int k = 0; k < j; k++) sum -= row[k] * other[k];
      if (j < i) row[j] = sum / other[j];
      else if (sum > least * size && size > 0 && isfinite(sum)) row[i] = sqrt(fmax(sum, raised * size));
      else return i;
    }
  }
  return -1;
}

void cdni_cholesky_down(int n, int width, const double *L, double *x) {
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)i * (size_t)width;
    for (int k = 0; k < i; k++) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
}

/* By rows: each x that is known leaves the equations before it. */
void cdni_cholesky_up(int n, int width, const double *L, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = L + (size_t)i * (size_t)width;
    x[i] /= row[i];
    for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
  }
}

/* Column j of L^-1 goes into row j above the diagonal, whose own element of the inverse is 1 / L_jj; then its
 * product. */
void cdni_cholesky_inverse(int n, int width, double *L, double *out) {
  const size_t m = (size_t)n, w = (size_t)width;
  for (size_t j = 0; j < m; j++)
    for (size_t i = j + 1; i < m; i++) {
      double sum = -L[i * w + j] / L[j * w + j];
      for (size_t k = j + 1; k < i; k++) sum -= L[i * w + k] * L[j * w + k];
      L[j * w + i] = sum / L[i * w + i];
    }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = (1 / L[i * w + i]) * (i == j ? 1 / L[i * w + i] : L[j * w + i]);
      for (size_t k = i + 1; k < m; k++) sum += L[i * w + k] * L[j * w + k];
      out[i * w + j] = out[j * w + i] = sum;
    }
}
