/* Multipliers of redundant equations. If equations depend on each other, lambda may change along N, the null space
 * of G^T, without an effect on any acceleration. Of all such lambda the one of least norm is taken (9.4). Right hand
 * sides, on the other hand, must have no component along N to be consistent: theirs is removed, which is least
 * squares.
 *
 * Each redundant equation j gives one direction: with lambda_j = 1 and all accelerations zero, the multipliers
 * eliminated before it follow by substitution. The direction is sparse: only equations that share mobilities take
 * part. A redundant equation on which no other depends, with a zero row of G, needs no direction: its multiplier is
 * zero already. */
#include <math.h>

#include "constraints/loops.h"
#include "math/dense.h"

/* Whether redundant equation e of block c involves any other: of a mix all do. */
static bool is_shared(const loop_plan *p, const loop_factor *f, int c, int e) {
  const real *Z = f->Z + p->diagonal[c];
  if (c >= p->n_constraints) return true;
  for (int k = 0; k < f->count[c]; k++)
    if (fabs(Z[k * p->equations[c] + e]) > LOOP_NOTHING) return true;
  return !cdni_loop_is_free(p, f, c, e);
}

size_t cdni_loop_null_size(const loop_plan *p, const loop_factor *f) {
  const size_t n = (size_t)*f->n_shared, entries = (size_t)*f->n_entries;
  return ((size_t)p->m_all + 4 * n + entries) * sizeof(double) + (2 * n + 2 + entries) * sizeof(int32_t);
}

/* A direction under construction. Few blocks take part in one; these are listed, and the others are never visited. */
typedef struct trail {
  const loop_plan *p;
  const loop_factor *f;
  double *x;        /* m_all; zero except in listed blocks */
  int32_t *touched; /* blocks */
  int32_t *marked;  /* by place in the order: to be looked at */
  int n_touched, n_marked;
} trail;

size_t cdni_loop_trail_size(const loop_plan *p) {
  return (size_t)p->m_all * sizeof(double) + 2 * (size_t)p->n_blocks * sizeof(int32_t);
}

static trail start_trail(const loop_plan *p, const loop_factor *f) {
  trail t = { .p = p, .f = f, .x = f->trail };
  t.touched = (int32_t *)(t.x + p->m_all);
  t.marked = t.touched + p->n_blocks;
  memset(t.x, 0, cdni_loop_trail_size(p));
  return t;
}

static void touch(trail *t, int block) {
  for (int i = 0; i < t->n_touched; i++)
    if (t->touched[i] == block) return;
  t->touched[t->n_touched++] = block;
}

/* A block has got values: marks the earlier blocks that meet it, and the sources mixed into it. */
static void spread(trail *t, int block) {
  const loop_plan *p = t->p;
  touch(t, block);
  for (int a = p->met_first[block]; a < p->met_first[block + 1]; a++) {
    const int earlier = p->met[a];
    if (p->is_mixed[earlier] || t->marked[p->order[earlier]]) continue;
    t->marked[p->order[earlier]] = 1;
    t->n_marked++;
  }
  /* the equations that a mix passes on are followed together with those that it closes */
  const int closed = block - 1;
  if (block > p->n_constraints && p->mix_of[closed] >= 0 && p->mix_of[block] < 0 && !t->marked[p->order[closed]]) {
    t->marked[p->order[closed]] = 1;
    t->n_marked++;
  }
}

/* Values of passed-on equations that equal a constraint equation are moved there at once. */
static void go_to_roots(trail *t, int block) {
  const loop_plan *p = t->p;
  for (int k = p->first[block]; k < p->first[block] + t->f->count[block]; k++) {
    const int root = t->f->root[k];
    if (t->x[k] == 0 || root < 0 || !cdni_loop_is_free(p, t->f, block, k - p->first[block])) continue;
    t->x[root] += t->x[k];
    t->x[k] = 0;
    touch(t, p->owner[root]);
  }
}

static bool has_values(const trail *t, int block) {
  for (int k = t->p->first[block]; k < t->p->first[block] + t->f->count[block]; k++)
    if (t->x[k] != 0) return true;
  return false;
}

/* Values of the sources of a mix from those of its passed-on and closed equations. */
static void unmix(trail *t, int mix) {
  const loop_plan *p = t->p;
  const loop_factor *f = t->f;
  const int closed = p->mix_closed[mix], onward = closed + 1, rank = f->count[onward], n = rank + f->count[closed];
  const real *T = f->T + p->mix_T[mix];
  for (int i = p->source_first[mix], a = 0; i < p->source_first[mix + 1]; i++) {
    for (int e = 0; e < f->count[p->source[i]]; e++, a++) {
      double sum = 0;
      for (int g = 0; g < n; g++)
        sum += T[g * n + a] * t->x[g < rank ? p->first[onward] + g : p->first[closed] + g - rank];
      t->x[p->first[p->source[i]] + e] += sum; /* added to values that were moved there as a root's */
    }
    if (p->source[i] >= p->n_constraints) go_to_roots(t, p->source[i]);
    if (has_values(t, p->source[i])) spread(t, p->source[i]);
  }
}

/* One direction: from redundant equation e of block c back to the equations eliminated before. */
static void follow(trail *t, int c, int e) {
  const loop_plan *p = t->p;
  const loop_factor *f = t->f;
  const real *Z = f->Z + p->diagonal[c];
  for (int i = 0; i < t->n_touched; i++)
    memset(t->x + p->first[t->touched[i]], 0, (size_t)p->equations[t->touched[i]] * sizeof *t->x);
  t->n_touched = 0;
  t->x[p->first[c] + e] = 1;
  for (int k = 0; k < f->count[c]; k++) t->x[p->first[c] + k] += Z[k * p->equations[c] + e];
  spread(t, c);
  if (p->mix_of[c] >= 0) unmix(t, p->mix_of[c]);
  for (int o = p->order[c] - 1; o >= 0 && t->n_marked > 0; o--) {
    if (!t->marked[o]) continue;
    const int b = p->by_order[o];
    double *own = t->x + p->first[b];
    t->marked[o] = 0;
    t->n_marked--;
    for (int a = p->meet_first[b]; a < p->meet_first[b + 1]; a++) {
      const int later = p->meet[a];
      const real *X = f->S + p->meet_matrix[a];
      for (int l = 0; l < f->count[later]; l++) {
        const double of = t->x[p->first[later] + l];
        for (int k = 0; of != 0 && k < f->count[b]; k++) own[k] -= X[l * p->equations[b] + k] * of;
      }
    }
    for (int k = 0; k < f->count[b]; k++) own[k] = fabs(own[k]) > LOOP_NOTHING ? own[k] : 0;
    if (has_values(t, b)) spread(t, b);
    if (p->mix_of[b] >= 0) unmix(t, p->mix_of[b]);
  }
}

/* Entries of the direction that has been followed. */
static int count_entries(const trail *t) {
  int n = 0;
  for (int i = 0; i < t->n_touched; i++) {
    const int o = t->touched[i];
    for (int k = t->p->first[o]; o < t->p->n_constraints && k < t->p->first[o] + t->f->count[o]; k++)
      n += fabs(t->x[k]) > LOOP_NOTHING;
  }
  return n;
}

void cdni_loop_null_mark(const loop_plan *p, const loop_factor *f) {
  trail t = start_trail(p, f);
  for (int c = 0; c < p->n_blocks; c++)
    for (int e = 0; e < f->count[c]; e++) {
      if (!f->redundant[p->first[c] + e] || !is_shared(p, f, c, e)) continue;
      f->redundant[p->first[c] + e] = 2;
      ++*f->n_shared;
      follow(&t, c, e);
      *f->n_entries += count_entries(&t);
    }
}

loop_null cdni_loop_null_make(const loop_plan *p, const loop_factor *f, const double *weight, void *memory) {
  const size_t n = (size_t)*f->n_shared;
  double *x = memory; /* for the projection, then 4 n numbers for it */
  loop_null out = { .value = x + p->m_all + 4 * n };
  out.first = (int32_t *)(out.value + *f->n_entries);
  out.own = out.first + n + 1;
  out.row = out.own + n;
  trail t = start_trail(p, f);
  int32_t at = 0;
  for (int c = 0; c < p->n_blocks; c++)
    for (int e = 0; e < f->count[c]; e++) {
      if (f->redundant[p->first[c] + e] != 2) continue;
      follow(&t, c, e);
      out.own[out.n] = p->first[c] + e;
      out.first[out.n++] = at;
      for (int i = 0; i < t.n_touched; i++) {
        const int o = t.touched[i];
        for (int k = p->first[o]; o < p->n_constraints && k < p->first[o] + f->count[o]; k++)
          if (fabs(t.x[k]) > LOOP_NOTHING)
            out.row[at] = k, out.value[at++] = t.x[k] / (weight ? weight[p->constraint[o]] : 1);
      }
    }
  out.first[out.n] = at;
  return out;
}

void cdni_loop_null_name(const loop_plan *p, const loop_factor *f, int32_t *flags) {
  for (int k = 0; k < p->m; k++) flags[k] = f->redundant[k];
  for (int k = p->m; k < p->m_all && p->n_mixes > 0; k++)
    if (f->redundant[k]) flags[f->main[k]] = 2;
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

/* What remains after the part along N is small beside rounding of it: a second time takes that away, too. */
static void project_factored(const loop_null *null, const double *residual, double *values, double *r, double *y) {
  const int n = null->n;
  for (int round = 0; round < (residual ? 1 : 2); round++) {
    transpose(null, values, r);
    for (int j = 0; residual && j < n; j++) r[j] = residual[null->own[j]];
    cdni_loop_null_solve(null, r, y);
    add(null, -1, r, values);
  }
}

/* N^T N is the identity plus a part from shared equations: conjugate gradients need few steps, and n at most. */
void cdni_loop_null_project(const loop_plan *p, const loop_null *null, const double *residual, double *values,
                            void *memory) {
  const int n = null->n;
  double *x = memory, *r = x + p->m_all, *y = r + n, *q = y + n, *Nq = q + n;
  if (null->L) {
    project_factored(null, residual, values, r, y);
    return;
  }
  transpose(null, values, r);
  for (int j = 0; residual && j < n; j++) r[j] = residual[null->own[j]];
  memcpy(q, r, (size_t)n * sizeof *q);
  memset(y, 0, (size_t)n * sizeof *y);
  double square = cdni_dot(n, r, r);
  const double enough = 1e-30 * square;
  for (int step = 0; step < 3 * n + 10 && square > enough; step++) {
    memset(x, 0, (size_t)p->m * sizeof *x);
    add(null, 1, q, x);
    transpose(null, x, Nq);
    const double a = square / cdni_dot(n, q, Nq), before = square;
    for (int j = 0; j < n; j++) y[j] += a * q[j], r[j] -= a * Nq[j];
    square = cdni_dot(n, r, r);
    for (int j = 0; j < n; j++) q[j] = r[j] + square / before * q[j];
  }
  add(null, -1, y, values);
}
