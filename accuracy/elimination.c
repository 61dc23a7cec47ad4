/* Small linear systems in long double. */
#include "elimination.h"

#include <math.h>

static void swap(long double *a, long double *b) {
  const long double t = *a;
  *a = *b, *b = t;
}

void eliminate(int n, long double *A, long double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) {
      if (fabsl(A[n * i + k]) > fabsl(A[n * pivot + k])) pivot = i;
    }
    for (int j = k; j < n && pivot != k; j++) swap(&A[n * k + j], &A[n * pivot + j]);
    if (pivot != k) swap(&b[k], &b[pivot]);
    for (int i = k + 1; i < n; i++) {
      const long double factor = A[n * i + k] / A[n * k + k];
      if (factor == 0) continue;
      for (int j = k; j < n; j++) A[n * i + j] -= factor * A[n * k + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[n * k + j] * b[j];
    b[k] /= A[n * k + k];
  }
}
