#include "hybrid/sparse.h"

#include <stdlib.h>

void cdni_sparse_begin(sparse_rows *s, const cdn_allocator *allocator) {
  s->allocator = allocator, s->rows = 0;
  s->firsts.count = s->columns.count = s->values.count = 0;
}

void cdni_sparse_free(sparse_rows *s) {
  if (!s->allocator) return;
  cdni_array_free(s->allocator, &s->firsts);
  cdni_array_free(s->allocator, &s->columns);
  cdni_array_free(s->allocator, &s->values);
}

static void point(sparse_rows *s) { s->first = s->firsts.data, s->column = s->columns.data, s->value = s->values.data; }

/* Room for so many rows and numbers, which are written afterwards. */
static bool extend(sparse_rows *s, int rows, size_t numbers) {
  if (s->firsts.count == 0) {
    const int none = 0;
    if (!cdni_array_push(s->allocator, &s->firsts, sizeof none, &none)) return false;
  }
  if (rows > 0 && !cdni_array_extend(s->allocator, &s->firsts, sizeof(int), (size_t)rows)) return false;
  if (numbers > 0 && (!cdni_array_extend(s->allocator, &s->columns, sizeof(int), numbers) ||
                      !cdni_array_extend(s->allocator, &s->values, sizeof(double), numbers)))
    return false;
  point(s);
  s->rows += rows;
  return true;
}

bool cdni_sparse_add(sparse_rows *s, int n, const int *columns, double **to) {
  if (!extend(s, 1, (size_t)n)) return false;
  const int at = s->first[s->rows - 1];
  if (n > 0) memcpy(s->column + at, columns, (size_t)n * sizeof *columns);
  s->first[s->rows] = at + n;
  *to = n > 0 ? s->value + at : NULL;
  return true;
}

bool cdni_sparse_add_dense(sparse_rows *s, int n, const double *row) {
  size_t count = 0;
  for (int k = 0; k < n; k++) count += row[k] != 0;
  if (!extend(s, 1, count)) return false;
  int at = s->first[s->rows - 1];
  for (int k = 0; k < n; k++)
    if (row[k] != 0) s->column[at] = k, s->value[at++] = row[k];
  s->first[s->rows] = at;
  return true;
}

double cdni_sparse_at(const sparse_rows *s, int r, int column) {
  int from = s->first[r], to = s->first[r + 1];
  while (from < to) {
    const int middle = (from + to) / 2;
    if (s->column[middle] < column) from = middle + 1;
    else to = middle;
  }
  return from < s->first[r + 1] && s->column[from] == column ? s->value[from] : 0;
}

double cdni_sparse_dot(const sparse_rows *s, int r, const double *x) {
  double sum = 0;
  for (int k = s->first[r]; k < s->first[r + 1]; k++) sum += s->value[k] * x[s->column[k]];
  return sum;
}

void cdni_sparse_add_to(const sparse_rows *s, int r, double by, double *x) {
  for (int k = s->first[r]; k < s->first[r + 1]; k++) x[s->column[k]] += by * s->value[k];
}

/* ---- products ---- */

static bool transpose(const sparse_rows *s, int n, sparse_rows *out) {
  cdni_sparse_begin(out, s->allocator);
  if (!extend(out, n, (size_t)s->first[s->rows])) return false;
  memset(out->first, 0, ((size_t)n + 1) * sizeof *out->first);
  for (int k = 0; k < s->first[s->rows]; k++) out->first[s->column[k] + 1]++;
  for (int c = 0; c < n; c++) out->first[c + 1] += out->first[c];
  for (int r = 0; r < s->rows; r++)
    for (int k = s->first[r]; k < s->first[r + 1]; k++) {
      const int at = out->first[s->column[k]]++;
      out->column[at] = r, out->value[at] = s->value[k];
    }
  for (int c = n; c > 0; c--) out->first[c] = out->first[c - 1];
  out->first[0] = 0;
  return true;
}

/* Half of the products of row r with rows up to r of the other matrix, whose transposed is `other`. */
static int accumulate(const sparse_rows *s, int r, const sparse_rows *other, double *sum, bool *is_listed, int *list,
                      int n) {
  for (int k = s->first[r]; k < s->first[r + 1]; k++) {
    const int row = s->column[k];
    for (int i = other->first[row]; i < other->first[row + 1] && other->column[i] <= r; i++) {
      const int c = other->column[i];
      if (!is_listed[c]) is_listed[c] = true, list[n++] = c, sum[c] = 0;
      sum[c] += 0.5 * s->value[k] * other->value[i];
    }
  }
  return n;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The lower triangle of W, with its diagonal. */
static bool multiply_lower(const sparse_rows *G, const sparse_rows *X, const sparse_rows *Gt, const sparse_rows *Xt,
                           sparse_rows *lower) {
  const size_t rows = (size_t)G->rows, size = rows * (sizeof(double) + sizeof(int) + sizeof(bool)) + 1;
  double *sum = cdni_calloc(G->allocator, size);
  if (!sum) return false;
  int *list = (int *)(sum + rows);
  bool *is_listed = (bool *)(list + rows), fits = true;
  cdni_sparse_begin(lower, G->allocator);
  for (int r = 0; r < G->rows && fits; r++) {
    int n = accumulate(G, r, Xt, sum, is_listed, list, 0), at = r > 0 ? lower->first[r] : 0, count = 0;
    n = accumulate(X, r, Gt, sum, is_listed, list, n);
    if (!is_listed[r]) is_listed[r] = true, list[n++] = r, sum[r] = 0;
    qsort(list, (size_t)n, sizeof *list, compare);
    for (int i = 0; i < n; i++) {
      is_listed[list[i]] = false;
      if (sum[list[i]] != 0 || list[i] == r) list[count++] = list[i];
    }
    fits = extend(lower, 1, (size_t)count);
    for (int i = 0; i < count && fits; i++) lower->column[at] = list[i], lower->value[at++] = sum[list[i]];
    if (fits) lower->first[r + 1] = at;
  }
  cdni_free(G->allocator, sum, size);
  return fits;
}

/* From its lower triangle. */
static bool complete(const sparse_rows *lower, sparse_rows *upper, sparse_rows *W) {
  if (!transpose(lower, lower->rows, upper)) return false;
  cdni_sparse_begin(W, lower->allocator);
  if (!extend(W, lower->rows, 2 * (size_t)lower->first[lower->rows] - (size_t)lower->rows)) return false;
  int at = 0;
  for (int r = 0; r < lower->rows; r++) {
    W->first[r] = at;
    for (int k = lower->first[r]; k < lower->first[r + 1]; k++)
      W->column[at] = lower->column[k], W->value[at++] = lower->value[k];
    for (int k = upper->first[r]; k < upper->first[r + 1]; k++)
      if (upper->column[k] != r) W->column[at] = upper->column[k], W->value[at++] = upper->value[k];
  }
  W->first[lower->rows] = at;
  return true;
}

bool cdni_sparse_multiply(const sparse_rows *G, const sparse_rows *X, int n, sparse_rows *W) {
  sparse_rows Gt = { 0 }, Xt = { 0 }, lower = { 0 }, upper = { 0 };
  W->rows = 0;
  if (G->rows == 0) return true;
  const bool fits = transpose(G, n, &Gt) && transpose(X, n, &Xt) && multiply_lower(G, X, &Gt, &Xt, &lower) &&
                    complete(&lower, &upper, W);
  sparse_rows *const scratch[] = { &Gt, &Xt, &lower, &upper };
  for (int i = 0; i < CDNI_COUNT(scratch); i++) cdni_sparse_free(scratch[i]);
  return fits;
}
