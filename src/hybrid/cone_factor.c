/* Elimination by fronts: each takes its blocks of K and what its children have left, eliminates its cones by kernels
 * for dense matrices, and leaves the rest to the front that waits for it. Rows are exchanged within a block only: what
 * is regularized has a large diagonal. */
#include <string.h>

#include "hybrid/cone_kernels.h"
#include "hybrid/cone_set.h"

enum { BLOCK = 9 };

void cdni_cone_factor_clear(cone_factor *f) { memset(f->K, 0, BLOCK * (size_t)f->start[f->n] * sizeof(double)); }

double *cdni_cone_factor_block(const cone_factor *f, int i, int j) {
  int from = f->start[i], to = f->start[i + 1];
  while (to - from > 1) {
    const int middle = (from + to) / 2;
    if (f->with[middle] <= j) from = middle;
    else to = middle;
  }
  return f->K + BLOCK * (size_t)from;
}

static size_t size_of(const cone_front *x) { return 3 * (size_t)(x->width + x->outer); }

/* The blocks of K that belong to the front. */
static void take_blocks(cone_factor *f, const cone_front *x) {
  const size_t n = size_of(x);
  memset(f->F, 0, n * n * sizeof *f->F);
  for (int k = x->block; k < x->block + x->blocks; k++) {
    const double *from = f->K + BLOCK * (size_t)f->block[k];
    double *to = f->F + f->to[k];
    for (size_t i = 0; i < 3; i++) memcpy(to + i * n, from + 3 * i, 3 * sizeof *to);
  }
}

/* What a child has left. */
static void take_rest(cone_factor *f, size_t n, const cone_front *child, const double *from) {
  const int *local = f->local + child->row;
  for (int a = 0; a < child->outer; a++)
    for (size_t i = 0; i < 3; i++) {
      double *row = f->F + (3 * (size_t)local[a] + i) * n;
      for (int b = 0; b < child->outer; b++, from += 3) {
        double *to = row + 3 * local[b];
        for (int j = 0; j < 3; j++) to[j] += from[j];
      }
    }
}

/* The factors of a front: rows of U, and columns of L as rows. */
static void keep(cone_factor *f, const cone_front *x) {
  const size_t n = size_of(x), width = 3 * (size_t)x->width;
  double *lower = f->lower + x->at;
  memcpy(f->upper + x->at, f->F, width * n * sizeof *f->F);
  for (size_t k = 0; k < width; k += 3)
    for (size_t i = k + 3; i < n; i++)
      for (size_t j = 0; j < 3; j++) lower[(k + j) * n + i] = f->F[i * n + k + j];
}

bool cdni_cone_factor_decompose(cone_factor *f) {
  const cone_kernels *kernels = cdni_cone_kernels[cdni_kernel_set(1)];
  double *top = f->stack;
  for (int i = 0; i < f->fronts; i++) {
    const cone_front *x = &f->front[i];
    const size_t n = size_of(x), width = 3 * (size_t)x->width, outer = 3 * (size_t)x->outer;
    take_blocks(f, x);
    for (int c = x->child; c >= 0; c = f->front[c].sibling) {
      top -= BLOCK * (size_t)f->front[c].outer * (size_t)f->front[c].outer;
      take_rest(f, n, &f->front[c], top);
    }
    if (!kernels->eliminate(f->F, (int)n, (int)n, (int)width)) return false;
    keep(f, x);
    for (size_t k = 0; k < outer; k++, top += outer) memcpy(top, f->F + (width + k) * n + width, outer * sizeof *top);
  }
  return true;
}

/* ---- solution ---- */

static void go_down(const cone_factor *f, const cone_kernels *kernels, const cone_front *x, double *y, double *v) {
  const int n = (int)size_of(x), width = 3 * x->width, outer = 3 * x->outer;
  const double *lower = f->lower + x->at;
  const int *row = f->row + x->row;
  double *own = y + 3 * x->first;
  for (int k = 0; k + 3 < width; k += 3)
    kernels->add_rows(lower + (size_t)k * (size_t)n + k + 3, n, 3, width - k - 3, own + k, own + k + 3);
  memset(v, 0, (size_t)outer * sizeof *v);
  kernels->add_rows(lower + width, n, width, outer, own, v);
  for (int k = 0; k < x->outer; k++)
    for (int i = 0; i < 3; i++) y[3 * row[k] + i] += v[3 * k + i];
}

static void go_up(const cone_factor *f, const cone_kernels *kernels, const cone_front *x, double *y, double *v) {
  const int n = (int)size_of(x), width = 3 * x->width, outer = 3 * x->outer;
  const double *upper = f->upper + x->at;
  const int *row = f->row + x->row;
  double *own = y + 3 * x->first;
  for (int k = 0; k < x->outer; k++) memcpy(v + 3 * k, y + 3 * row[k], 3 * sizeof *v);
  kernels->subtract_dots(upper + width, n, width, outer, v, own);
  for (int k = width - 3; k >= 0; k -= 3) {
    const double *U = upper + (size_t)k * (size_t)n + k;
    double t[3];
    if (k + 3 < width) kernels->subtract_dots(U + 3, n, 3, width - k - 3, own + k + 3, own + k);
    memcpy(t, own + k, sizeof t);
    for (int i = 0; i < 3; i++) {
      const double *D = U + (size_t)i * (size_t)n;
      own[k + i] = D[0] * t[0] + D[1] * t[1] + D[2] * t[2];
    }
  }
}

void cdni_cone_factor_solve(const cone_factor *f, double *x) {
  const cone_kernels *kernels = cdni_cone_kernels[cdni_kernel_set(1)];
  double *y = f->x, *v = y + 3 * (size_t)f->n;
  for (int k = 0; k < f->n; k++) memcpy(y + 3 * k, x + 3 * f->order[k], 3 * sizeof *y);
  for (int i = 0; i < f->fronts; i++) go_down(f, kernels, &f->front[i], y, v);
  for (int i = f->fronts - 1; i >= 0; i--) go_up(f, kernels, &f->front[i], y, v);
  for (int k = 0; k < f->n; k++) memcpy(x + 3 * f->order[k], y + 3 * k, 3 * sizeof *y);
}
