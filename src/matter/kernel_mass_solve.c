/* M^-1 for many columns at once, sixteen at a time.
 *
 * M = L^T D L keeps M's own zeros (Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.5): row i of L has
 * entries for the mobilities inboard of i only, so that a column costs as many multiplications as M has non-zeros. In
 * deep trees the passes of the tree itself are quicker, O(n) a column. */
#include "matter/kernel.h"

#if CDNI_LANES == 1
#  include "matter/kernel_blocks.h"

/* Calls DO(n) with the number of a block's mobilities as a constant: loops over them are unrolled. */
#  define FOR_COUNT(n)     \
    switch (n) {           \
      case 1: DO(1) break; \
      case 2: DO(2) break; \
      case 3: DO(3) break; \
      case 4: DO(4) break; \
      case 5: DO(5) break; \
      case 6: DO(6) break; \
      case 7: DO(7) break; \
      case 8: DO(8) break; \
      default: break;      \
    }
#  define UNROLL _Pragma("GCC unroll 8")

/* ---- L^T D L, block by block ---- */

/* Numbers of a row in the columns of a block. */
CDNI_INLINE wide row_load(const double *row, const tree_block *b) {
  return b->nu == WIDE ? wide_load(row + b->u) : wide_load_part(row + b->u, b->nu);
}
CDNI_INLINE void row_store(double *row, const tree_block *b, wide x) {
  if (b->nu == WIDE) wide_store(row + b->u, x);
  else wide_store_part(row + b->u, x, b->nu);
}

/* Eliminates the n mobilities of a block from each other in the columns of block l: row i -= a_ki row k, for k from the
 * last one on. */
CDNI_INLINE void eliminate(double *rows, size_t size, const tree_block *l, int n, double a[WIDE][WIDE]) {
  wide x[WIDE];
  UNROLL for (int k = 0; k < n; k++) x[k] = row_load(rows + (size_t)k * size, l);
  UNROLL for (int k = n - 1; k > 0; k--) {
    UNROLL for (int i = 0; i < k; i++) x[i] = wide_fnma(wide_set(a[k][i]), x[k], x[i]);
  }
  UNROLL for (int k = 0; k < n - 1; k++) row_store(rows + (size_t)k * size, l, x[k]);
}

/* The n mobilities of block j: they are eliminated from each other, then from those inboard; their rows become L's. */
CDNI_INLINE void factor_block(const tree *t, double *M, int j, int n) {
  const size_t size = (size_t)t->nu;
  const tree_block *b = &t->block[j];
  double *rows = M + (size_t)b->u * size, D_inv[WIDE], a[WIDE][WIDE];
  UNROLL for (int k = n - 1; k >= 0; k--) {
    double *row = rows + (size_t)k * size + b->u;
    D_inv[k] = 1 / row[k];
    for (int i = k - 1; i >= 0; i--) {
      double *to = rows + (size_t)i * size + b->u;
      a[k][i] = row[i] * D_inv[k];
      for (int c = 0; c <= i; c++) to[c] = r_fnma(a[k][i], row[c], to[c]);
    }
  }
  for (int l = b->parent; l >= 0; l = t->block[l].parent) eliminate(rows, size, &t->block[l], n, a);
  for (int l = b->parent; l >= 0; l = t->block[l].parent)
    for (int i = t->block[l].u; i < t->block[l].u + t->block[l].nu; i++) {
      double part[WIDE], *to = M + (size_t)i * size;
      UNROLL for (int k = 0; k < n; k++) part[k] = rows[(size_t)k * size + (size_t)i] * D_inv[k];
      for (int c = l; c >= 0; c = t->block[c].parent) {
        wide x = row_load(to, &t->block[c]);
        UNROLL for (int k = n - 1; k >= 0; k--) x =
            wide_fnma(wide_set(part[k]), row_load(rows + (size_t)k * size, &t->block[c]), x);
        row_store(to, &t->block[c], x);
      }
    }
  UNROLL for (int k = 0; k < n; k++) {
    double *row = rows + (size_t)k * size;
    for (int i = 0; i < k; i++) row[b->u + i] = a[k][i];
    for (int l = b->parent; l >= 0; l = t->block[l].parent)
      row_store(row, &t->block[l], wide_mul(wide_set(D_inv[k]), row_load(row, &t->block[l])));
    row[b->u + k] = D_inv[k];
  }
}

void KERNEL(mass_factor)(const tree *t, double *M) {
  for (int j = t->n_blocks - 1; j >= 0; j--) {
#  define DO(n) factor_block(t, M, j, n);
    FOR_COUNT(t->block[j].nu)
#  undef DO
  }
}

/* ---- columns ---- */

typedef struct strip {
  wide a, b;
} strip;
enum { STRIP = 2 * WIDE };

CDNI_INLINE strip strip_load(const double *from, int n) {
  if (n >= STRIP) return (strip){ wide_load(from), wide_load(from + WIDE) };
  if (n <= WIDE) return (strip){ wide_load_part(from, n), wide_zero() };
  return (strip){ wide_load(from), wide_load_part(from + WIDE, n - WIDE) };
}
CDNI_INLINE void strip_store(double *to, strip x, int n) {
  if (n >= STRIP) {
    wide_store(to, x.a);
    wide_store(to + WIDE, x.b);
  } else if (n <= WIDE) {
    wide_store_part(to, x.a, n);
  } else {
    wide_store(to, x.a);
    wide_store_part(to + WIDE, x.b, n - WIDE);
  }
}
CDNI_INLINE strip strip_zero(void) { return (strip){ wide_zero(), wide_zero() }; }
CDNI_INLINE strip strip_scale(double s, strip x) {
  return (strip){ wide_mul(wide_set(s), x.a), wide_mul(wide_set(s), x.b) };
}
/* c + s x, c - s x */
CDNI_INLINE strip strip_fma(double s, strip x, strip c) {
  const wide all = wide_set(s);
  return (strip){ wide_fma(all, x.a, c.a), wide_fma(all, x.b, c.b) };
}
CDNI_INLINE strip strip_fnma(double s, strip x, strip c) {
  const wide all = wide_set(s);
  return (strip){ wide_fnma(all, x.a, c.a), wide_fnma(all, x.b, c.b) };
}

/* The same of one half where there are no more than eight columns. */
CDNI_INLINE strip part_fnma(bool half, double s, strip x, strip c) {
  if (!half) return strip_fnma(s, x, c);
  c.a = wide_fnma(wide_set(s), x.a, c.a);
  return c;
}

/* L^T: subtracts the parts of the n mobilities of a block from each other and from those inboard. */
CDNI_INLINE void solve_inward(const tree *t, const tree_block *b, const double *L, strip *X, int n, bool half) {
  const size_t size = (size_t)t->nu;
  const double *rows = L + (size_t)b->u * size;
  strip own[WIDE];
  UNROLL for (int i = n - 1; i >= 0; i--) {
    own[i] = X[b->u + i];
    UNROLL for (int o = i + 1; o < n; o++) own[i] =
        part_fnma(half, rows[(size_t)o * size + (size_t)(b->u + i)], own[o], own[i]);
    X[b->u + i] = own[i];
  }
  for (int j = b->parent; j >= 0; j = t->block[j].parent)
    for (int i = t->block[j].u; i < t->block[j].u + t->block[j].nu; i++) {
      strip x = X[i];
      UNROLL for (int o = 0; o < n; o++) x = part_fnma(half, rows[(size_t)o * size + (size_t)i], own[o], x);
      X[i] = x;
    }
}

/* D and L. */
CDNI_INLINE void solve_outward(const tree *t, const tree_block *b, const double *L, double scale, strip *X, int n,
                               bool half) {
  const size_t size = (size_t)t->nu;
  const double *rows = L + (size_t)b->u * size;
  strip own[WIDE];
  UNROLL for (int o = 0; o < n; o++) own[o] =
      strip_scale(scale * rows[(size_t)o * size + (size_t)(b->u + o)], X[b->u + o]);
  for (int j = b->parent; j >= 0; j = t->block[j].parent)
    for (int i = t->block[j].u; i < t->block[j].u + t->block[j].nu; i++) {
      const strip x = X[i];
      UNROLL for (int o = 0; o < n; o++) own[o] = part_fnma(half, rows[(size_t)o * size + (size_t)i], x, own[o]);
    }
  UNROLL for (int o = 0; o < n; o++) {
    UNROLL for (int i = 0; i < o; i++) own[o] =
        part_fnma(half, rows[(size_t)o * size + (size_t)(b->u + i)], own[i], own[o]);
    X[b->u + o] = own[o];
  }
}

/* L^T, D, L in turn. */
CDNI_INLINE void solve_strip(const tree *t, const double *L, double scale, strip *X, bool half) {
  for (int k = t->n_blocks - 1; k >= 0; k--) {
    const tree_block *b = &t->block[k];
#  define DO(n) solve_inward(t, b, L, X, n, half);
    FOR_COUNT(b->nu)
#  undef DO
  }
  for (int k = 0; k < t->n_blocks; k++) {
    const tree_block *b = &t->block[k];
#  define DO(n) solve_outward(t, b, L, scale, X, n, half);
    FOR_COUNT(b->nu)
#  undef DO
  }
}

void KERNEL(mass_solve)(const tree *t, const double *L, double scale, double *X, int columns, void *scratch) {
  const size_t width = (size_t)columns;
  strip *x = scratch;
  for (int c = 0; c < columns; c += STRIP) {
    for (int i = 0; i < t->nu; i++) x[i] = strip_load(X + (size_t)i * width + c, columns - c);
    if (columns - c > WIDE) solve_strip(t, L, scale, x, false);
    else solve_strip(t, L, scale, x, true);
    for (int i = 0; i < t->nu; i++) strip_store(X + (size_t)i * width + c, x[i], columns - c);
  }
}

/* Beyond n numbers there may be any others, as long as they lie before `end`. */
CDNI_INLINE strip strip_load_before(const double *from, const double *end, int n) {
  return strip_load(from, end - from >= STRIP ? STRIP : n);
}

void KERNEL(add_product)(int rows, int inner, int columns, double by, const double *A, size_t down, size_t right,
                         const double *B, double *C) {
  const size_t width = (size_t)columns;
  const double *end = B + (size_t)inner * width;
  for (int c = 0; c < columns; c += STRIP)
    for (int i = 0; i < rows; i++) {
      const double *row = A + (size_t)i * down;
      strip sum = strip_load(C + (size_t)i * width + c, columns - c);
      for (int k = 0; k < inner; k++) {
        const double a = row[(size_t)k * right];
        if (a != 0) sum = strip_fma(by * a, strip_load_before(B + (size_t)k * width + c, end, columns - c), sum);
      }
      strip_store(C + (size_t)i * width + c, sum, columns - c);
    }
}

/* ---- columns in deep trees ---- */

typedef struct strip_sv {
  strip w[3], v[3];
} strip_sv;

CDNI_INLINE strip_sv strip_sv_fma(sv s, strip x, strip_sv c) {
  c.w[0] = strip_fma(s.w.x, x, c.w[0]), c.w[1] = strip_fma(s.w.y, x, c.w[1]), c.w[2] = strip_fma(s.w.z, x, c.w[2]);
  c.v[0] = strip_fma(s.v.x, x, c.v[0]), c.v[1] = strip_fma(s.v.y, x, c.v[1]), c.v[2] = strip_fma(s.v.z, x, c.v[2]);
  return c;
}
/* c - s . a */
CDNI_INLINE strip strip_fnma_v3(v3 s, const strip a[3], strip c) {
  return strip_fnma(s.x, a[0], strip_fnma(s.y, a[1], strip_fnma(s.z, a[2], c)));
}
/* c += r x a */
CDNI_INLINE void strip_cross_add(v3 r, const strip a[3], strip c[3]) {
  c[0] = strip_fma(r.y, a[2], strip_fnma(r.z, a[1], c[0]));
  c[1] = strip_fma(r.z, a[0], strip_fnma(r.x, a[2], c[1]));
  c[2] = strip_fma(r.x, a[1], strip_fnma(r.y, a[0], c[2]));
}

/* Inward through a block: eps = f - H^T z, z_P = phi (z + G eps). */
static strip_sv deep_inward(const tree *t, const tree_block *b, const body_pose *pose,
                            const mobility_factor *mobilities, strip_sv z, strip *X) {
  for (int i = b->end - 1; i >= b->first; i--) {
    const tree_node *n = &t->node[i];
    const mobility_factor *own = mobilities + n->u;
    strip eps[MOST_MOBILITIES];
    for (int k = 0; k < n->nu; k++)
      X[n->u + k] = eps[k] = strip_fnma_v3(own[k].h.w, z.w, strip_fnma_v3(own[k].h.v, z.v, X[n->u + k]));
    for (int k = 0; k < n->nu; k++) z = strip_sv_fma(own[k].g, eps[k], z);
    strip_cross_add(pose[i].r, z.v, z.w);
  }
  return z;
}

/* Outward: udot = D^-1 eps - G^T A with A = phi^T A_P, then A += H udot. */
static strip_sv deep_outward(const tree *t, const tree_block *b, const body_pose *pose,
                             const mobility_factor *mobilities, strip_sv A, double scale, strip *X) {
  for (int i = b->first; i < b->end; i++) {
    const tree_node *n = &t->node[i];
    const mobility_factor *own = mobilities + n->u;
    strip udot[MOST_MOBILITIES];
    strip_cross_add(v3_neg(pose[i].r), A.w, A.v);
    for (int k = 0; k < n->nu; k++) {
      strip sum = strip_zero();
      for (int l = 0; l < n->nu; l++) sum = strip_fma(scale * own[k].D_inv[l], X[n->u + l], sum);
      udot[k] = strip_fnma_v3(own[k].g.w, A.w, strip_fnma_v3(own[k].g.v, A.v, sum));
    }
    for (int k = 0; k < n->nu; k++) {
      A = strip_sv_fma(own[k].h, udot[k], A);
      X[n->u + k] = udot[k];
    }
  }
  return A;
}

void KERNEL(mass_solve_deep)(const tree *t, const body_pose *pose, const mobility_factor *mobilities, double scale,
                             double *X, int columns, void *scratch) {
  const size_t width = (size_t)columns;
  strip *x = scratch;
  strip_sv *block = (strip_sv *)(x + t->nu);
  const strip o = strip_zero();
  const strip_sv none = { { o, o, o }, { o, o, o } };
  for (int c = 0; c < columns; c += STRIP) {
    for (int i = 0; i < t->nu; i++) x[i] = strip_load(X + (size_t)i * width + c, columns - c);
    for (int k = 0; k < t->n_blocks; k++) block[k] = none;
    for (int k = t->n_blocks - 1; k >= 0; k--) {
      const tree_block *b = &t->block[k];
      const strip_sv z = deep_inward(t, b, pose, mobilities, block[k], x);
      if (b->parent < 0) continue;
      strip_sv *to = &block[b->parent];
      for (int e = 0; e < 3; e++) {
        to->w[e] = strip_fma(1, z.w[e], to->w[e]);
        to->v[e] = strip_fma(1, z.v[e], to->v[e]);
      }
    }
    for (int k = 0; k < t->n_blocks; k++) {
      const tree_block *b = &t->block[k];
      block[k] = deep_outward(t, b, pose, mobilities, b->parent < 0 ? none : block[b->parent], scale, x);
    }
    for (int i = 0; i < t->nu; i++) strip_store(X + (size_t)i * width + c, x[i], columns - c);
  }
}

size_t KERNEL(mass_solve_scratch)(const tree *t) {
  return (size_t)t->nu * sizeof(strip) + (size_t)t->n_blocks * sizeof(strip_sv);
}

#endif
