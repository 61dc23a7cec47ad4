/* Elimination within fronts, eight columns at a time. */
#include "hybrid/cone_kernels.h"

#include <math.h>
#include <string.h>

#include "math/wide.h"

/* Pivots that are eliminated together before what is behind them follows. Any multiple of 3; measured. */
enum { PANEL = 24 };

/* D (3 x 3, rows of ld) becomes its inverse; rows are exchanged. */
static bool invert(double *D, int ld) {
  double A[3][3], B[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  for (int i = 0; i < 3; i++) memcpy(A[i], D + (size_t)i * (size_t)ld, sizeof A[i]);
  for (int k = 0; k < 3; k++) {
    int pivot = k;
    for (int i = k + 1; i < 3; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    const double p = A[pivot][k];
    if (!(fabs(p) > 0) || !isfinite(p)) return false;
    for (int j = 0; j < 3; j++) {
      const double a = A[pivot][j] / p, b = B[pivot][j] / p;
      A[pivot][j] = A[k][j], B[pivot][j] = B[k][j];
      A[k][j] = a, B[k][j] = b;
    }
    for (int i = 0; i < 3; i++) {
      const double c = A[i][k];
      for (int j = 0; j < 3 && i != k; j++) A[i][j] -= c * A[k][j], B[i][j] -= c * B[k][j];
    }
  }
  for (int i = 0; i < 3; i++) memcpy(D + (size_t)i * (size_t)ld, B[i], sizeof B[i]);
  return true;
}

/* C (rows x 8 or fewer) += A (rows x depth) B, all with rows of ld. */
CDNI_INLINE void add_tile(double *C, const double *A, const double *B, size_t ld, int depth, int rows, int columns) {
  wide sum[6];
  for (int i = 0; i < rows; i++)
    sum[i] = columns == WIDE ? wide_load(C + (size_t)i * ld) : wide_load_part(C + (size_t)i * ld, columns);
  for (int k = 0; k < depth; k++, B += ld) {
    const wide b = columns == WIDE ? wide_load(B) : wide_load_part(B, columns);
    for (int i = 0; i < rows; i++) sum[i] = wide_fma(wide_set(A[(size_t)i * ld + (size_t)k]), b, sum[i]);
  }
  for (int i = 0; i < rows; i++) {
    if (columns == WIDE) wide_store(C + (size_t)i * ld, sum[i]);
    else wide_store_part(C + (size_t)i * ld, sum[i], columns);
  }
}

/* C (rows x columns; rows: a multiple of 3) += A (rows x depth) B (depth x columns), all with rows of ld. */
static void add_product(double *C, const double *A, const double *B, size_t ld, int depth, int rows, int columns) {
  for (; rows > 0; rows -= 6, C += 6 * ld, A += 6 * ld) {
    int j = 0;
    if (rows > 3) {
      for (; j + WIDE <= columns; j += WIDE) add_tile(C + j, A, B + j, ld, depth, 6, WIDE);
      if (j < columns) add_tile(C + j, A, B + j, ld, depth, 6, columns - j);
    } else {
      for (; j + WIDE <= columns; j += WIDE) add_tile(C + j, A, B + j, ld, depth, 3, WIDE);
      if (j < columns) add_tile(C + j, A, B + j, ld, depth, 3, columns - j);
    }
  }
}

/* Three rows of L from place k on: - A D^-1. */
CDNI_INLINE void divide_rows(double *A, size_t ld, const double *D) {
  for (int i = 0; i < 3; i++) {
    double *a = A + (size_t)i * ld;
    const double x = a[0], y = a[1], z = a[2];
    for (int j = 0; j < 3; j++) a[j] = -(x * D[j] + y * D[ld + (size_t)j] + z * D[2 * ld + (size_t)j]);
  }
}

static bool eliminate(double *F, int row, int n, int pivots) {
  const size_t ld = (size_t)row;
  for (int from = 0; from < pivots; from += PANEL) {
    const int to = from + PANEL < pivots ? from + PANEL : pivots;
    for (int k = from; k < to; k += 3) {
      double *D = F + (size_t)k * ld + k;
      if (!invert(D, row)) return false;
      for (int i = k + 3; i < n; i += 3) {
        double *L = F + (size_t)i * ld + k;
        divide_rows(L, ld, D);
        /* rows of the panel at once, the others as far as the panel goes */
        add_product(L + 3, L, D + 3, ld, 3, 3, (i < to ? n : to) - k - 3);
      }
    }
    double *A = F + (size_t)to * ld + from;
    add_product(A + (to - from), A, F + (size_t)from * ld + to, ld, to - from, n - to, n - to);
  }
  return true;
}

/* y (columns) += A^T x, with the rows of A; x (rows) -= A y. */
static void add_rows(const double *A, int ld, int rows, int columns, const double *x, double *y) {
  for (int j = 0; j < columns; j += WIDE) {
    const int n = columns - j < WIDE ? columns - j : WIDE;
    wide sum = wide_load_part(y + j, n);
    for (int k = 0; k < rows; k++)
      sum = wide_fma(wide_set(x[k]), wide_load_part(A + (size_t)k * (size_t)ld + j, n), sum);
    wide_store_part(y + j, sum, n);
  }
}
static void subtract_dots(const double *A, int ld, int rows, int columns, const double *y, double *x) {
  for (int k = 0; k < rows; k++) {
    const double *a = A + (size_t)k * (size_t)ld;
    double parts[WIDE];
    wide sum = wide_zero();
    for (int j = 0; j < columns; j += WIDE) {
      const int n = columns - j < WIDE ? columns - j : WIDE;
      sum = wide_fma(wide_load_part(a + j, n), wide_load_part(y + j, n), sum);
    }
    wide_store(parts, sum);
    x[k] -= ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
  }
}

const cone_kernels KERNEL_NAME(cdni_cone_kernels_of) = { eliminate, add_rows, subtract_dots };
