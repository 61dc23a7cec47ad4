/* M^-1 for many columns at once, sixteen at a time.
 *
 * M = L^T D L keeps M's own zeros (Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.5): row i of L has
 * entries for the mobilities inboard of i only, so that a column costs as many multiplications as M has non-zeros. In
 * deep trees the passes of the tree itself are quicker, O(n) a column. */
#include "matter/kernel.h"

#if CDNI_LANES == 1
#  include "matter/kernel_blocks.h"

/* ---- L^T D L, block by block ---- */

/* Row `to` -= a times row `from`, in the columns of a block's first n mobilities. Few are read again too soon for wide
 * stores. */
CDNI_INLINE void subtract(double *to, double a, const double *from, const tree_block *b, int n) {
  to += b->u, from += b->u;
  if (n == WIDE) wide_store(to, wide_fnma(wide_set(a), wide_load(from), wide_load(to)));
  else
    for (int k = 0; k < n; k++) to[k] = r_fnma(a, from[k], to[k]);
}

/* Eliminates mobility k, the last one left: subtracts its part from the first n mobilities of block j and from those
 * inboard. */
CDNI_INLINE void eliminate(const tree *t, double *M, const double *row, double D_inv, int j, int n) {
  const size_t size = (size_t)t->nu;
  const tree_block *b = &t->block[j];
  for (int i = n - 1; i >= 0; i--) {
    double *to = M + (size_t)(b->u + i) * size;
    const double a = row[b->u + i] * D_inv;
    subtract(to, a, row, b, i + 1);
    for (int l = b->parent; l >= 0; l = t->block[l].parent) subtract(to, a, row, &t->block[l], t->block[l].nu);
  }
}

void KERNEL(mass_factor)(const tree *t, double *M) {
  const size_t size = (size_t)t->nu;
  for (int j = t->n_blocks - 1; j >= 0; j--) {
    const tree_block *b = &t->block[j];
    for (int k = b->nu - 1; k >= 0; k--) {
      double *row = M + (size_t)(b->u + k) * size;
      const double D_inv = 1 / row[b->u + k];
      eliminate(t, M, row, D_inv, j, k);
      for (int l = b->parent; l >= 0; l = t->block[l].parent) eliminate(t, M, row, D_inv, l, t->block[l].nu);
      /* Row k becomes that of L. */
      for (int i = 0; i < k; i++) row[b->u + i] *= D_inv;
      for (int l = b->parent; l >= 0; l = t->block[l].parent)
        for (int i = 0; i < t->block[l].nu; i++) row[t->block[l].u + i] *= D_inv;
      row[b->u + k] = D_inv;
    }
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
CDNI_INLINE strip strip_fnma(double s, strip x, strip c) { return strip_fma(-s, x, c); }

/* L^T, D, L in turn. */
static void solve_strip(const tree *t, const double *L, double scale, strip *X) {
  const size_t size = (size_t)t->nu;
  for (int k = t->n_blocks - 1; k >= 0; k--) {
    const tree_block *b = &t->block[k];
    for (int i = b->u + b->nu - 2; i >= b->u; i--) {
      strip x = X[i];
      for (int o = i + 1; o < b->u + b->nu; o++) x = strip_fnma(L[(size_t)o * size + (size_t)i], X[o], x);
      X[i] = x;
    }
    for (int j = b->parent; j >= 0; j = t->block[j].parent)
      for (int i = t->block[j].u; i < t->block[j].u + t->block[j].nu; i++) {
        strip x = X[i];
        for (int o = b->u; o < b->u + b->nu; o++) x = strip_fnma(L[(size_t)o * size + (size_t)i], X[o], x);
        X[i] = x;
      }
  }
  for (int k = 0; k < t->n_blocks; k++) {
    const tree_block *b = &t->block[k];
    for (int o = b->u; o < b->u + b->nu; o++) {
      const double *row = L + (size_t)o * size;
      strip x = strip_scale(scale * row[o], X[o]);
      for (int j = b->parent; j >= 0; j = t->block[j].parent)
        for (int i = t->block[j].u; i < t->block[j].u + t->block[j].nu; i++) x = strip_fnma(row[i], X[i], x);
      for (int i = b->u; i < o; i++) x = strip_fnma(row[i], X[i], x);
      X[o] = x;
    }
  }
}

void KERNEL(mass_solve)(const tree *t, const double *L, double scale, double *X, int columns, void *scratch) {
  const size_t width = (size_t)columns;
  strip *x = scratch;
  for (int c = 0; c < columns; c += STRIP) {
    for (int i = 0; i < t->nu; i++) x[i] = strip_load(X + (size_t)i * width + c, columns - c);
    solve_strip(t, L, scale, x);
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
