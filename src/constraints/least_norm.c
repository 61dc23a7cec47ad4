/* Multipliers of redundant equations. Where a set of equations is dependent, forces can go round in it that nothing feels:
 * lambda may move along N, the null space of G^T, and of all that do the least is taken (9.4). Right hand sides, on the
 * other hand, must have nothing along N to be consistent: what they have is taken away, which is least squares.
 *
 * A redundant equation j gives one direction: with lambda_j = 1 and all accelerations zero, the multipliers eliminated
 * before it follow by substitution. It is sparse: only equations that share mobilities take part. Equations to which no
 * other contributes, whose row of G is zero, need nothing: their multiplier is zero already. */
#include <math.h>

#include "constraints/loops.h"

/* Contributions of less than rounding are none. */
static const double NOTHING = 1e-11;

/* Whether redundant equation e of constraint c involves any other. */
static bool is_shared(const loop_plan *p, const loop_factor *f, int c, int e) {
  const real *Z = f->Z + p->diagonal[c];
  for (int k = 0; k < f->count[c]; k++)
    if (fabs(Z[k * p->equations[c] + e]) > NOTHING) return true;
  for (int a = p->met_first[c]; a < p->met_first[c + 1]; a++) {
    const int b = p->met[a];
    const real *X = f->S + p->met_block[a] + e * p->equations[b];
    for (int k = 0; k < f->count[b]; k++)
      if (fabs(X[k]) > NOTHING) return true;
  }
  return false;
}

void cdni_loop_null_mark(const loop_plan *p, const loop_factor *f) {
  for (int c = 0; c < p->n_constraints; c++)
    for (int e = 0; e < f->count[c]; e++) {
      if (!f->redundant[p->first[c] + e] || !is_shared(p, f, c, e)) continue;
      f->redundant[p->first[c] + e] = 2;
      ++*f->n_shared;
    }
}

size_t cdni_loop_null_size(const loop_plan *p, const loop_factor *f) {
  const size_t n = (size_t)*f->n_shared, entries = n * (size_t)p->m;
  return ((size_t)p->m + 4 * n + entries) * sizeof(double) + (n + 1 + entries) * sizeof(int32_t);
}

/* One direction, dense: from redundant equation e of constraint c back to what was eliminated before. */
static void follow(const loop_plan *p, const loop_factor *f, int c, int e, double *x) {
  memset(x, 0, (size_t)p->m * sizeof *x);
  const real *Z = f->Z + p->diagonal[c];
  x[p->first[c] + e] = 1;
  for (int k = 0; k < f->count[c]; k++) x[p->first[c] + k] += Z[k * p->equations[c] + e];
  for (int o = p->order[c] - 1; o >= 0; o--) {
    const int b = p->by_order[o];
    double *own = x + p->first[b];
    for (int a = p->meet_first[b]; a < p->meet_first[b + 1]; a++) {
      const int later = p->meet[a];
      const real *X = f->S + p->meet_block[a];
      for (int l = 0; l < f->count[later]; l++) {
        const double of = x[p->first[later] + l];
        for (int k = 0; of != 0 && k < f->count[b]; k++) own[k] -= X[l * p->equations[b] + k] * of;
      }
    }
    for (int k = 0; k < f->count[b]; k++) own[k] = fabs(own[k]) > NOTHING ? own[k] : 0;
  }
}

loop_null cdni_loop_null_make(const loop_plan *p, const loop_factor *f, const double *weight, void *memory) {
  const size_t n = (size_t)*f->n_shared;
  double *x = memory; /* then 4 n numbers for the projection */
  loop_null out = { .value = x + p->m + 4 * n };
  out.first = (int32_t *)(out.value + n * (size_t)p->m);
  out.row = out.first + n + 1;
  int32_t at = 0;
  for (int c = 0; c < p->n_constraints; c++)
    for (int e = 0; e < f->count[c]; e++) {
      const int own = p->first[c] + e;
      if (f->redundant[own] != 2) continue;
      follow(p, f, c, e, x);
      out.first[out.n++] = at;
      out.row[at] = own, out.value[at++] = 1 / (weight ? weight[c] : 1);
      for (int o = 0; o < p->n_constraints; o++)
        for (int k = p->first[o]; k < p->first[o] + f->count[o]; k++)
          if (x[k] != 0 && k != own) out.row[at] = k, out.value[at++] = x[k] / (weight ? weight[o] : 1);
    }
  out.first[out.n] = at;
  return out;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* out = N^T x */
static void transpose(const loop_null *null, const double *x, double *out) {
  for (int j = 0; j < null->n; j++) {
    out[j] = 0;
    for (int i = null->first[j]; i < null->first[j + 1]; i++) out[j] += null->value[i] * x[null->row[i]];
  }
}

/* x += scale N y */
static void add(const loop_null *null, double scale, const double *y, double *x) {
  for (int j = 0; j < null->n; j++)
    for (int i = null->first[j]; i < null->first[j + 1]; i++) x[null->row[i]] += scale * null->value[i] * y[j];
}

/* N^T N is a one and what is shared: conjugate gradients need few steps, and n at most. */
void cdni_loop_null_project(const loop_plan *p, const loop_null *null, const double *residual, double *values,
                            void *memory) {
  const int n = null->n;
  double *x = memory, *r = x + p->m, *y = r + n, *q = y + n, *Nq = q + n;
  transpose(null, values, r);
  for (int j = 0; residual && j < n; j++) r[j] = residual[null->row[null->first[j]]];
  memcpy(q, r, (size_t)n * sizeof *q);
  memset(y, 0, (size_t)n * sizeof *y);
  double square = dot(n, r, r);
  const double enough = 1e-30 * square;
  for (int step = 0; step < 3 * n + 10 && square > enough; step++) {
    memset(x, 0, (size_t)p->m * sizeof *x);
    add(null, 1, q, x);
    transpose(null, x, Nq);
    const double a = square / dot(n, q, Nq), before = square;
    for (int j = 0; j < n; j++) y[j] += a * q[j], r[j] -= a * Nq[j];
    square = dot(n, r, r);
    for (int j = 0; j < n; j++) q[j] = r[j] + square / before * q[j];
  }
  add(null, -1, y, values);
}
