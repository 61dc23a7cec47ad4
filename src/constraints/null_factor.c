/* The factor of N^T N, for N of least_norm.c. Vectors that share equations stand next to each other in it, so that each
 * row of the factor begins near its diagonal: what it takes grows with what touches each other, not with the square of
 * all vectors. The order is that of Cuthill and McKee (Reducing the bandwidth of sparse symmetric matrices, ACM
 * National Conference 1969), without their sorting by degree; the factor fills the envelope of its rows (Jennings, A
 * compact storage scheme for the solution of symmetric linear simultaneous equations, Computer Journal 9, 1966). */
#include <math.h>

#include "constraints/loops.h"
#include "math/dense.h"

/* A factor of more numbers is not made. */
enum { MOST_FACTORED = 4000000 };

/* What the order takes beside its result. */
typedef struct ordering {
  const loop_null *null;
  int32_t *row_first, *row_vector; /* the vectors of each equation */
  int32_t *row_seen, *seen;        /* equations and vectors that have been visited */
} ordering;

size_t cdni_loop_null_order_size(const loop_plan *p, const loop_factor *f) {
  const size_t n = (size_t)*f->n_shared, m = (size_t)p->m, entries = (size_t)*f->n_entries;
  return (4 * n + 2 * m + 2 + entries) * sizeof(int32_t);
}

static void list_vectors(ordering *o, int m) {
  const loop_null *null = o->null;
  memset(o->row_first, 0, ((size_t)m + 1) * sizeof *o->row_first);
  for (int e = 0; e < null->first[null->n]; e++) o->row_first[null->row[e] + 1]++;
  for (int k = 0; k < m; k++) o->row_first[k + 1] += o->row_first[k];
  memcpy(o->row_seen, o->row_first, (size_t)m * sizeof *o->row_seen); /* where the next vector goes */
  for (int j = 0; j < null->n; j++)
    for (int e = null->first[j]; e < null->first[j + 1]; e++) o->row_vector[o->row_seen[null->row[e]]++] = j;
}

/* Lists from place `at` on the vectors that hang together with this one, nearest first; `mark` is new for each walk.
 * Returns the end of the list. */
static int walk(ordering *o, int start, int at, int32_t mark, int32_t *order) {
  const loop_null *null = o->null;
  int end = at;
  order[end++] = start, o->seen[start] = mark;
  for (int i = at; i < end; i++)
    for (int e = null->first[order[i]]; e < null->first[order[i] + 1]; e++) {
      const int row = null->row[e];
      if (o->row_seen[row] == mark) continue;
      o->row_seen[row] = mark;
      for (int k = o->row_first[row]; k < o->row_first[row + 1]; k++)
        if (o->seen[o->row_vector[k]] != mark) order[end++] = o->row_vector[k], o->seen[o->row_vector[k]] = mark;
    }
  return end;
}

/* Where each row of the factor begins: its first column, and its place in memory. False: it has too many numbers. */
static bool find_envelope(const loop_null *null, int m, int32_t *row_least) {
  int numbers = 0;
  for (int k = 0; k < m; k++) row_least[k] = null->n;
  for (int i = 0; i < null->n && numbers <= MOST_FACTORED; i++) {
    const int j = null->order[i];
    int least = i;
    for (int e = null->first[j]; e < null->first[j + 1]; e++) {
      int32_t *of_row = &row_least[null->row[e]];
      if (*of_row > i) *of_row = i;
      if (*of_row < least) least = *of_row;
    }
    null->begin[i] = least;
    null->at[i] = numbers;
    numbers += i - least + 1;
  }
  null->at[null->n] = numbers;
  return numbers <= MOST_FACTORED;
}

size_t cdni_loop_null_order(const loop_plan *p, loop_null *null, void *memory) {
  ordering o = { .null = null };
  const size_t n = (size_t)null->n, m = (size_t)p->m;
  null->L = NULL;
  null->order = memory, null->begin = null->order + n, null->at = null->begin + n;
  o.row_first = null->at + n + 1, o.row_seen = o.row_first + m + 1;
  o.seen = o.row_seen + m, o.row_vector = o.seen + n;
  list_vectors(&o, p->m);
  memset(o.seen, 0, n * sizeof *o.seen), memset(o.row_seen, 0, m * sizeof *o.row_seen);
  int32_t mark = 0;
  for (int j = 0, at = 0; j < null->n; j++) {
    if (o.seen[j]) continue;
    /* the vector that is farthest from the first one stands at an end of what hangs together */
    const int end = walk(&o, j, at, ++mark, null->order);
    at = walk(&o, null->order[end - 1], at, ++mark, null->order);
  }
  return find_envelope(null, p->m, o.row_seen) ? (size_t)null->at[null->n] : 0;
}

/* Row i of N^T N, which the factor's row becomes. x: zeros. */
static void multiply_row(const loop_null *null, int i, double *x, double *row) {
  const int j = null->order[i];
  for (int e = null->first[j]; e < null->first[j + 1]; e++) x[null->row[e]] = null->value[e];
  for (int k = null->begin[i]; k <= i; k++) {
    const int other = null->order[k];
    double sum = 0;
    for (int e = null->first[other]; e < null->first[other + 1]; e++) sum += null->value[e] * x[null->row[e]];
    row[k - null->begin[i]] = sum;
  }
  for (int e = null->first[j]; e < null->first[j + 1]; e++) x[null->row[e]] = 0;
}

void cdni_loop_null_factor(const loop_plan *p, loop_null *null, double *x, double *L) {
  memset(x, 0, (size_t)p->m_all * sizeof *x);
  for (int i = 0; i < null->n; i++) {
    const int begin = null->begin[i];
    double *row = L + null->at[i];
    multiply_row(null, i, x, row);
    for (int k = begin; k <= i; k++) {
      const int first = null->begin[k] > begin ? null->begin[k] : begin;
      const double *other = L + null->at[k], diagonal = other[k - null->begin[k]];
      const double sum = row[k - begin] - cdni_dot(k - first, row + first - begin, other + first - null->begin[k]);
      if (k < i) row[k - begin] = sum / diagonal;
      else if (sum > 0 && isfinite(sum)) row[k - begin] = sqrt(sum);
      else return;
    }
  }
  null->L = L;
}

void cdni_loop_null_solve(const loop_null *null, double *r, double *y) {
  for (int i = 0; i < null->n; i++) {
    const int width = i - null->begin[i];
    const double *row = null->L + null->at[i];
    y[i] = (r[null->order[i]] - cdni_dot(width, row, y + null->begin[i])) / row[width];
  }
  for (int i = null->n - 1; i >= 0; i--) {
    const int width = i - null->begin[i];
    const double *row = null->L + null->at[i];
    double *before = y + null->begin[i];
    y[i] /= row[width];
    for (int k = 0; k < width; k++) before[k] -= row[k] * y[i];
    r[null->order[i]] = y[i];
  }
}
