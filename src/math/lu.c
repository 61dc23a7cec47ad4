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

void cdni_lu_solve(int n, const double *A, int columns, double *X, cdni_product *add) {
  const size_t size = (size_t)n, width = (size_t)columns;
  for (int i = n - 2; i >= 0; i--) {
    const size_t next = (size_t)i + 1;
    add(1, n - 1 - i, columns, -1, A + (size_t)i * size + next, size, 1, X + next * width, X + (size_t)i * width);
  }
  for (int i = 0; i < n; i++) {
    double *x = X + (size_t)i * width;
    add(1, i, columns, -1, A + (size_t)i * size, size, 1, X, x);
    for (size_t c = 0; c < width; c++) x[c] /= A[(size_t)i * size + (size_t)i];
  }
}
