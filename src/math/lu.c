#include "math/lu.h"

#include <math.h>
#include <stddef.h>

/* U has a unit diagonal; below it and on it is L. */
int cdni_lu_factor(int n, double *A) {
  for (int k = n - 1; k >= 0; k--) {
    const double *row = A + (size_t)k * (size_t)n, pivot = row[k];
    int first = 0;
    if (!(pivot > 0)) return k;
    while (first < k && row[first] == 0) first++;
    for (int i = 0; i < k; i++) {
      double *other = A + (size_t)i * (size_t)n;
      if (other[k] == 0) continue;
      const double part = other[k] /= pivot;
      for (int j = first; j < k; j++) other[j] -= part * row[j];
    }
  }
  return -1;
}

void cdni_lu_solve(int n, const double *A, double *x) {
  for (int i = n - 2; i >= 0; i--)
    for (int k = i + 1; k < n; k++) x[i] -= A[(size_t)i * (size_t)n + (size_t)k] * x[k];
  for (int i = 0; i < n; i++) {
    const double *row = A + (size_t)i * (size_t)n;
    for (int k = 0; k < i; k++) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
}

void cdni_lu_solve_transposed(int n, const double *A, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = A + (size_t)i * (size_t)n;
    x[i] /= row[i];
    for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
  }
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) x[k] -= A[(size_t)i * (size_t)n + (size_t)k] * x[i];
}
