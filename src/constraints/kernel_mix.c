/* Mixing equations whose paths share bodies (plan.h). */
#include <math.h>

#include "constraints/kernel.h"
#include "constraints/loops.h"

/* The stored matrix of two blocks: element (e of a, g of b) at [e * row + g * column]; NULL if they do not meet. */
typedef struct pair_view {
  real *S;
  int row, column;
} pair_view;

static pair_view view_pair(const loop_plan *p, const loop_factor *f, int a, int b) {
  if (a == b) return (pair_view){ f->S + p->diagonal[a], p->equations[a], 1 };
  const bool later = p->order[a] > p->order[b];
  const int early = later ? b : a, late = later ? a : b;
  for (int i = p->meet_first[early]; i < p->meet_first[early + 1]; i++)
    if (p->meet[i] == late)
      return (pair_view){ f->S + p->meet_matrix[i], later ? p->equations[b] : 1, later ? 1 : p->equations[a] };
  return (pair_view){ NULL, 0, 0 };
}

/* Chooses rows of K (n x columns, row-major; destroyed) of which the others are linear combinations, by elimination
 * with complete pivoting. Returns their number, and all rows in their new order. T (n x n, row-major) leaves the
 * chosen rows as they are, and subtracts from each other row its combination of the chosen ones. So passed-on
 * equations are equations of the sources, and each closed equation is a combination of few. */
static int choose_rows(int n, int columns, real *K, real *T, int *chosen) {
  const real negligible = 1e-13; /* of the largest element: rounding */
  real largest = 0;
  int rank = 0;
  for (int e = 0; e < n; e++) {
    chosen[e] = e;
    for (int g = 0; g < n; g++) T[e * n + g] = e == g;
  }
  for (; rank < n && rank < columns; rank++) {
    int row = rank, column = rank;
    real most = 0;
    for (int e = rank; e < n; e++)
      for (int c = rank; c < columns; c++)
        if (fabs(K[e * columns + c]) > most) most = fabs(K[e * columns + c]), row = e, column = c;
    if (rank == 0) largest = most;
    if (!(most > negligible * largest)) break;
    const int swap = chosen[row];
    chosen[row] = chosen[rank], chosen[rank] = swap;
    for (int c = 0; c < columns && row != rank; c++) {
      const real x = K[row * columns + c];
      K[row * columns + c] = K[rank * columns + c], K[rank * columns + c] = x;
    }
    for (int g = 0; g < n && row != rank; g++) {
      const real x = T[row * n + g];
      T[row * n + g] = T[rank * n + g], T[rank * n + g] = x;
    }
    for (int e = 0; e < n && column != rank; e++) {
      const real x = K[e * columns + column];
      K[e * columns + column] = K[e * columns + rank], K[e * columns + rank] = x;
    }
    const real by = 1 / K[rank * columns + rank];
    for (int e = rank + 1; e < n; e++) {
      const real l = -K[e * columns + rank] * by;
      if (!(fabs(K[e * columns + rank]) > negligible * largest))
        continue; /* rounding would mix equations of bodies that nothing has moved yet */
      for (int c = rank; c < columns; c++) K[e * columns + c] = r_fma(l, K[rank * columns + c], K[e * columns + c]);
      for (int g = 0; g < n; g++) T[e * n + g] = r_fma(l, T[rank * n + g], T[e * n + g]);
    }
  }
  for (int e = 0; e < rank; e++)
    for (int g = 0; g < n; g++) T[e * n + g] = g == chosen[e];
  return rank;
}

/* The place of equation e of a mix after mixing: passed-on equations come first. */
typedef struct mixed {
  const loop_plan *p;
  loop_factor *f;
  int closed, onward; /* blocks */
  int n, rank;
  const int32_t *source;
  int n_sources;
  const real *T;
} mixed;

/* S among the sources becomes T S T^T. */
static void mix_own(const mixed *x) {
  const loop_plan *p = x->p;
  const loop_factor *f = x->f;
  const int n = x->n, rank = x->rank;
  real S[LOOP_MOST_MIXED * LOOP_MOST_MIXED], TS[LOOP_MOST_MIXED * LOOP_MOST_MIXED];
  for (int s = 0, a = 0; s < x->n_sources; a += f->count[x->source[s]], s++)
    for (int o = 0, b = 0; o <= s; b += f->count[x->source[o]], o++) {
      const pair_view v = view_pair(p, f, x->source[s], x->source[o]);
      for (int e = 0; e < f->count[x->source[s]]; e++)
        for (int g = 0; g < f->count[x->source[o]]; g++) {
          const real value = v.S ? v.S[e * v.row + g * v.column] : 0;
          S[(a + e) * n + b + g] = S[(b + g) * n + a + e] = value;
        }
    }
  for (int e = 0; e < n; e++) {
    for (int g = 0; g < n; g++) TS[e * n + g] = 0;
    for (int k = 0; k < n; k++)
      for (int g = 0; x->T[e * n + k] != 0 && g < n; g++)
        TS[e * n + g] = r_fma(x->T[e * n + k], S[k * n + g], TS[e * n + g]);
  }
  const pair_view on = view_pair(p, f, x->onward, x->onward), both = view_pair(p, f, x->onward, x->closed),
                  shut = view_pair(p, f, x->closed, x->closed);
  for (int e = 0; e < n; e++)
    for (int g = 0; g <= e; g++) {
      real sum = 0;
      for (int k = 0; k < n; k++) sum = r_fma(x->T[g * n + k], TS[e * n + k], sum);
      const int c = e - rank, d = g - rank;
      if (e < rank) on.S[e * on.row + g] = on.S[g * on.row + e] = sum;
      else if (g < rank) both.S[g * both.row + c * both.column] = sum;
      else shut.S[c * shut.row + d] = shut.S[d * shut.row + c] = sum;
    }
}

/* S with the others that they meet. */
static void mix_others(const mixed *x) {
  const loop_plan *p = x->p;
  const loop_factor *f = x->f;
  for (int i = p->meet_first[x->closed]; i < p->meet_first[x->closed + 1]; i++) {
    const int d = p->meet[i];
    if (d == x->onward) continue;
    const pair_view shut = view_pair(p, f, x->closed, d), on = view_pair(p, f, x->onward, d);
    for (int k = 0; k < f->count[d]; k++) {
      real row[LOOP_MOST_MIXED];
      for (int s = 0, a = 0; s < x->n_sources; s++) {
        const pair_view v = view_pair(p, f, x->source[s], d);
        for (int e = 0; e < f->count[x->source[s]]; e++) row[a++] = v.S ? v.S[e * v.row + k * v.column] : 0;
      }
      for (int e = 0; e < x->n; e++) {
        real sum = 0;
        for (int g = 0; g < x->n; g++) sum = r_fma(x->T[e * x->n + g], row[g], sum);
        if (e < x->rank) on.S[e * on.row + k * on.column] = sum;
        else shut.S[(e - x->rank) * shut.row + k * shut.column] = sum;
      }
    }
  }
}

/* Notes for each passed-on equation the constraint equation that it equals, if no closed equation was reduced by it. */
static void note_roots(const mixed *x) {
  const loop_plan *p = x->p;
  const loop_factor *f = x->f;
  for (int e = 0; e < x->rank; e++) {
    const int to = p->first[x->onward] + e;
    f->root[to] = -1;
    for (int s = 0, a = 0; s < x->n_sources; a += f->count[x->source[s]], s++) {
      const int c = x->source[s];
      for (int k = 0; k < f->count[c]; k++)
        if (x->T[e * x->n + a + k] != 0 && (c < p->n_constraints || f->root[p->first[c] + k] >= 0) &&
            cdni_loop_is_free(p, f, c, k))
          f->root[to] = f->main[to];
    }
  }
}

/* Collects the data of the sources' equations, one after the other. */
typedef struct equations {
  sv K[LOOP_MOST_MIXED][LOOP_MOST_TIPS];
  real scale[LOOP_MOST_MIXED], lever[LOOP_MOST_MIXED];
  int32_t main[LOOP_MOST_MIXED];
} equations;

static void collect(mixed *x, int first_source, int tips, equations *all) {
  const loop_plan *p = x->p;
  for (int s = 0; s < x->n_sources; s++)
    for (int e = 0; e < x->f->count[x->source[s]]; e++, x->n++) {
      const int from = p->first[x->source[s]] + e;
      all->scale[x->n] = x->f->scale[from];
      all->lever[x->n] = x->f->lever[from];
      all->main[x->n] = x->source[s] < p->n_constraints ? from : x->f->main[from];
      for (int t = 0; t < tips; t++)
        all->K[x->n][t] = x->f->K[p->slot_K[p->source_slot[LOOP_MOST_TIPS * (first_source + s) + t]] + e];
    }
}

/* Passed-on equations keep their data. A closed equation has the rounding of all equations mixed into it. */
static void hand_on(const mixed *x, int mix, int tips, const equations *all, const int *chosen) {
  const loop_plan *p = x->p;
  const loop_factor *f = x->f;
  real largest = 0;
  for (int e = 0; e < x->n; e++) largest = fmax(largest, all->scale[e]);
  for (int e = 0; e < x->rank; e++) {
    const int to = p->first[x->onward] + e;
    f->scale[to] = all->scale[chosen[e]];
    f->lever[to] = all->lever[chosen[e]];
    f->main[to] = all->main[chosen[e]];
    for (int t = 0; t < tips; t++) f->K[p->slot_K[p->onward_slot[LOOP_MOST_TIPS * mix + t]] + e] = all->K[chosen[e]][t];
  }
  for (int e = x->rank; e < x->n; e++) {
    const int to = p->first[x->closed] + e - x->rank;
    real sum = 0;
    for (int g = 0; g < x->n; g++) sum = r_fma(x->T[e * x->n + g] * x->T[e * x->n + g], all->scale[g], sum);
    f->scale[to] = fmax(1e-4 * largest, sum);
    f->main[to] = all->main[chosen[e]];
  }
}

void KERNEL_NAME(cdni_loop_kernel_mix)(const loop_plan *p, int mix, const int32_t *was_redundant, bool weighted,
                                       loop_factor *f) {
  const int first = p->source_first[mix];
  mixed x = { .p = p,
              .f = f,
              .closed = p->mix_closed[mix],
              .onward = p->mix_closed[mix] + 1,
              .source = p->source + first,
              .n_sources = p->source_first[mix + 1] - first };
  equations all;
  real rows[LOOP_MOST_MIXED * 6 * LOOP_MOST_TIPS];
  int32_t was[LOOP_MOST_MIXED];
  int chosen[LOOP_MOST_MIXED], tips = 0;
  while (tips < LOOP_MOST_TIPS && p->onward_slot[LOOP_MOST_TIPS * mix + tips] >= 0) tips++;
  collect(&x, first, tips, &all);
  for (int e = 0; e < x.n; e++) memcpy(rows + 6 * tips * e, all.K[e], (size_t)tips * sizeof(sv));
  x.rank = x.n > 0 ? choose_rows(x.n, 6 * tips, rows, f->T + p->mix_T[mix], chosen) : 0;
  x.T = f->T + p->mix_T[mix];
  f->count[x.onward] = x.rank, f->count[x.closed] = x.n - x.rank;
  hand_on(&x, mix, tips, &all, chosen);
  mix_own(&x);
  mix_others(&x);
  note_roots(&x);
  for (int e = x.rank; e < x.n && was_redundant; e++) was[e - x.rank] = was_redundant[all.main[chosen[e]]];
  KERNEL_NAME(cdni_loop_kernel_close)(p, x.closed, -1, was_redundant ? was : NULL, weighted, f);
}
