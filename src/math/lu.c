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

bool cdni_eliminate(int n, double largest, double *K, int columns, double *X) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(K[i * n + k]) > fabs(K[pivot * n + k])) pivot = i;
    if (!(fabs(K[pivot * n + k]) > 1e-13 * largest)) return false;
    for (int j = 0; j < n && pivot != k; j++) {
      const double t = K[k * n + j];
      K[k * n + j] = K[pivot * n + j], K[pivot * n + j] = t;
    }
    for (int j = 0; j < columns && pivot != k; j++) {
      const double t = X[k * columns + j];
      X[k * columns + j] = X[pivot * columns + j], X[pivot * columns + j] = t;
    }
    for (int i = k + 1; i < n; i++) {
      const double c = K[i * n + k] / K[k * n + k];
      if (c == 0) continue;
      for (int j = k; j < n; j++) K[i * n + j] -= c * K[k * n + j];
      for (int j = 0; j < columns; j++) X[i * columns + j] -= c * X[k * columns + j];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    for (int c = 0; c < columns; c++) {
      double x = X[k * columns + c];
      for (int j = k + 1; j < n; j++) x -= K[k * n + j] * X[j * columns + c];
      X[k * columns + c] = x / K[k * n + k];
    }
  return true;
}

/* Rows are made orthogonal one after another; x is a sum of them. */
static const double DEPENDENT = 1e-11, CONSISTENT = 1e-9;

bool cdni_solve_least(int n, double largest, double *K, double size, const double *b, double *x) {
  for (int i = 0; i < n; i++) x[i] = 0;
  for (int i = 0; i < n; i++) {
    double *row = K + (size_t)i * (size_t)n, rest = b[i], square = 0;
    for (int k = 0; k < n; k++) rest -= row[k] * x[k];
    for (int j = 0; j < 2 * i; j++) {
      const double *other = K + (size_t)(j % i) * (size_t)n;
      double along = 0;
      for (int k = 0; k < n; k++) along += row[k] * other[k];
      for (int k = 0; k < n; k++) row[k] -= along * other[k];
    }
    for (int k = 0; k < n; k++) square += row[k] * row[k];
    const double length = sqrt(square);
    const bool counts = length > DEPENDENT * largest;
    if (!counts && !(fabs(rest) <= CONSISTENT * size)) return false;
    for (int k = 0; k < n; k++) row[k] = counts ? row[k] / length : 0;
    for (int k = 0; k < n && counts; k++) x[k] += rest / length * row[k];
  }
  return true;
}
