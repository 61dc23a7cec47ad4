/* Elimination by blocks: one row and one column of blocks for each cone. The cone that is coupled with the fewest comes
 * first each time, so that little fills up. Rows are exchanged within a block only: what is regularized has a large
 * diagonal. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/core.h"
#include "hybrid/cone_set.h"

enum { BLOCK = 9 };

/* ---- the order ---- */

static inline bool has(const uint64_t *bits, int i) { return bits[i / 64] >> (i % 64) & 1; }
static inline void put(uint64_t *bits, int i) { bits[i / 64] |= UINT64_C(1) << (i % 64); }
static inline void drop(uint64_t *bits, int i) { bits[i / 64] &= ~(UINT64_C(1) << (i % 64)); }

static int count(const uint64_t *bits, size_t words) {
  int n = 0;
  for (size_t k = 0; k < words; k++)
    for (uint64_t rest = bits[k]; rest; rest &= rest - 1) n++;
  return n;
}

/* By cone: with which others it is coupled. */
static void couple(const cone_set *s, uint64_t *bits, size_t words) {
  for (int r = 0; r < s->rows; r++)
    for (int k = s->first[r]; k < s->first[r + 1]; k++)
      put(bits + (size_t)(s->slot[r] / 3) * words, s->slot[s->column[k]] / 3);
  for (int i = 0; i < s->n; i++) drop(bits + (size_t)i * words, i);
}

/* Eliminates in bits: f->order, f->place; degree[cone] when it is its turn. Returns the number of couplings. */
static size_t eliminate(cone_factor *f, uint64_t *bits, size_t words, int *degree) {
  size_t couplings = 0;
  for (int i = 0; i < f->n; i++) degree[i] = count(bits + (size_t)i * words, words), f->place[i] = -1;
  for (int k = 0; k < f->n; k++) {
    int best = -1;
    for (int i = 0; i < f->n; i++)
      if (f->place[i] < 0 && (best < 0 || degree[i] < degree[best])) best = i;
    const uint64_t *own = bits + (size_t)best * words;
    f->order[k] = best, f->place[best] = k, couplings += (size_t)degree[best];
    for (int i = 0; i < f->n; i++) {
      if (!has(own, i)) continue;
      uint64_t *other = bits + (size_t)i * words;
      for (size_t j = 0; j < words; j++) other[j] |= own[j];
      drop(other, best), drop(other, i);
      degree[i] = count(other, words);
    }
  }
  return couplings;
}

static size_t divide(cone_factor *f, char *base, size_t couplings) {
  const size_t n = (size_t)f->n;
  size_t at = 0;
  f->order = cdni_part(base, &at, n, sizeof *f->order);
  f->place = cdni_part(base, &at, n, sizeof *f->place);
  f->first = cdni_part(base, &at, n + 1, sizeof *f->first);
  f->later = cdni_part(base, &at, couplings, sizeof *f->later);
  f->diagonal = cdni_part(base, &at, BLOCK * n, sizeof(double));
  f->lower = cdni_part(base, &at, BLOCK * couplings, sizeof(double));
  f->upper = cdni_part(base, &at, BLOCK * couplings, sizeof(double));
  f->x = cdni_part(base, &at, 3 * n, sizeof(double));
  return at;
}

/* The later places of each cone. A row of bits lists what a cone was coupled with when its turn came. */
static void list(cone_factor *f, const uint64_t *bits, size_t words, const int *order) {
  int at = 0;
  for (int k = 0; k < f->n; k++) f->order[k] = order[k], f->place[order[k]] = k;
  for (int k = 0; k < f->n; k++) {
    f->first[k] = at;
    for (int j = k + 1; j < f->n; j++)
      if (has(bits + (size_t)f->order[k] * words, f->order[j])) f->later[at++] = j;
  }
  f->first[f->n] = at;
}

bool cdni_cone_factor_prepare(cone_set *s) {
  cone_factor *f = &s->factor;
  if (f->memory) return true;
  s->out_of_memory = true; /* until there is some */
  const size_t n = (size_t)s->n, words = (n + 63) / 64;
  size_t size = 0;
  cdni_part(NULL, &size, n * words, sizeof(uint64_t));
  const size_t ints = size;
  size += cdni_aligned(3 * n * sizeof(int));
  char *scratch = cdni_calloc(s->allocator, size);
  if (!scratch) return false;
  uint64_t *bits = (uint64_t *)scratch;
  int *order = (int *)(scratch + ints);
  cone_factor plan = { .n = s->n, .order = order, .place = order + n };
  couple(s, bits, words);
  const size_t couplings = eliminate(&plan, bits, words, order + 2 * n);
  f->n = s->n;
  f->size = divide(f, NULL, couplings);
  f->memory = cdni_calloc(s->allocator, f->size);
  if (f->memory) {
    divide(f, f->memory, couplings);
    list(f, bits, words, order);
    s->out_of_memory = false;
  }
  cdni_free(s->allocator, scratch, size);
  return f->memory != NULL;
}

/* ---- numbers ---- */

void cdni_cone_factor_clear(cone_factor *f) {
  const size_t blocks = (size_t)f->first[f->n];
  memset(f->diagonal, 0, BLOCK * (size_t)f->n * sizeof(double));
  memset(f->lower, 0, BLOCK * blocks * sizeof(double));
  memset(f->upper, 0, BLOCK * blocks * sizeof(double));
}

/* Where `place` is among the later places of k. */
static int find(const cone_factor *f, int k, int place) {
  int from = f->first[k], to = f->first[k + 1];
  while (to - from > 1) {
    const int middle = (from + to) / 2;
    if (f->later[middle] <= place) from = middle;
    else to = middle;
  }
  return from;
}

double *cdni_cone_factor_block(const cone_factor *f, int i, int j) {
  const int a = f->place[i], b = f->place[j];
  if (a == b) return f->diagonal + BLOCK * (size_t)a;
  return a < b ? f->upper + BLOCK * (size_t)find(f, a, b) : f->lower + BLOCK * (size_t)find(f, b, a);
}

static inline void subtract_product(double *restrict C, const double *restrict A, const double *restrict B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] -= A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
static inline void multiply_right(double *restrict A, const double *restrict B) {
  for (int i = 0; i < 3; i++) {
    const double x = A[3 * i], y = A[3 * i + 1], z = A[3 * i + 2];
    for (int j = 0; j < 3; j++) A[3 * i + j] = x * B[j] + y * B[3 + j] + z * B[6 + j];
  }
}
static inline bool is_zero(const double *A) {
  for (int i = 0; i < BLOCK; i++)
    if (A[i] != 0) return false;
  return true;
}

/* A becomes its inverse. */
static bool invert(double *A) {
  double B[BLOCK] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  for (int k = 0; k < 3; k++) {
    int pivot = k;
    for (int i = k + 1; i < 3; i++)
      if (fabs(A[3 * i + k]) > fabs(A[3 * pivot + k])) pivot = i;
    const double p = A[3 * pivot + k];
    if (!(fabs(p) > 0) || !isfinite(p)) return false;
    for (int j = 0; j < 3; j++) {
      const double a = A[3 * pivot + j] / p, b = B[3 * pivot + j] / p;
      A[3 * pivot + j] = A[3 * k + j], B[3 * pivot + j] = B[3 * k + j];
      A[3 * k + j] = a, B[3 * k + j] = b;
    }
    for (int i = 0; i < 3; i++) {
      const double c = A[3 * i + k];
      for (int j = 0; j < 3 && i != k; j++) A[3 * i + j] -= c * A[3 * k + j], B[3 * i + j] -= c * B[3 * k + j];
    }
  }
  memcpy(A, B, sizeof B);
  return true;
}

/* Takes from row i, beyond its diagonal, what place k has: its row of blocks is a subset of row i's. */
static void take_from_row(cone_factor *f, int k, int at) {
  const double *L = f->lower + BLOCK * (size_t)at;
  const int i = f->later[at];
  for (int x = at + 1, y = f->first[i]; x < f->first[k + 1]; x++) {
    while (f->later[y] < f->later[x]) y++;
    subtract_product(f->upper + BLOCK * (size_t)y, L, f->upper + BLOCK * (size_t)x);
  }
}
/* The same of column i. */
static void take_from_column(cone_factor *f, int k, int at) {
  const double *U = f->upper + BLOCK * (size_t)at;
  const int i = f->later[at];
  for (int x = at + 1, y = f->first[i]; x < f->first[k + 1]; x++) {
    while (f->later[y] < f->later[x]) y++;
    subtract_product(f->lower + BLOCK * (size_t)y, f->lower + BLOCK * (size_t)x, U);
  }
}

bool cdni_cone_factor_decompose(cone_factor *f) {
  for (int k = 0; k < f->n; k++) {
    double *D = f->diagonal + BLOCK * (size_t)k;
    if (!invert(D)) return false;
    for (int at = f->first[k]; at < f->first[k + 1]; at++) multiply_right(f->lower + BLOCK * (size_t)at, D);
    for (int at = f->first[k]; at < f->first[k + 1]; at++) {
      const double *L = f->lower + BLOCK * (size_t)at, *U = f->upper + BLOCK * (size_t)at;
      const bool no_row = is_zero(L), no_column = is_zero(U);
      if (!no_row && !no_column) subtract_product(f->diagonal + BLOCK * (size_t)f->later[at], L, U);
      if (!no_row) take_from_row(f, k, at);
      if (!no_column) take_from_column(f, k, at);
    }
  }
  return true;
}

static inline void subtract(double *x, const double *A, const double *y) {
  for (int i = 0; i < 3; i++) x[i] -= A[3 * i] * y[0] + A[3 * i + 1] * y[1] + A[3 * i + 2] * y[2];
}

void cdni_cone_factor_solve(const cone_factor *f, double *x) {
  double *y = f->x;
  for (int k = 0; k < f->n; k++) memcpy(y + 3 * k, x + 3 * f->order[k], 3 * sizeof *y);
  for (int k = 0; k < f->n; k++)
    for (int at = f->first[k]; at < f->first[k + 1]; at++)
      subtract(y + 3 * f->later[at], f->lower + BLOCK * (size_t)at, y + 3 * k);
  for (int k = f->n - 1; k >= 0; k--) {
    double *to = x + 3 * f->order[k];
    for (int at = f->first[k]; at < f->first[k + 1]; at++)
      subtract(y + 3 * k, f->upper + BLOCK * (size_t)at, y + 3 * f->later[at]);
    memset(to, 0, 3 * sizeof *to);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) to[i] += f->diagonal[BLOCK * (size_t)k + (size_t)(3 * i + j)] * y[3 * k + j];
    memcpy(y + 3 * k, to, 3 * sizeof *y);
  }
}
