/* The elimination in numbers: inertias, rows and blocks, from the leaves to Ground (plan.h). */
#include "constraints/kernel.h"
#include "matter/hinge.h"

/* An equation's pivot, relative to what it could have been, below which it is redundant; one that was stays so until the
 * pivot is above the second. Pivots are squares of sines: of 3e-6 and 1e-4. Rounding leaves 1e-16 times the growth of the
 * elimination, rows at positions that are off by a constraint tolerance e leave e^2. */
static const double REDUNDANT_BELOW = 1e-11, INDEPENDENT_ABOVE = 1e-8;
/* Of a mobilizer's D, as in matter's kernels. */
static const double PIVOT = 1e-13;

/* ---- one joint ---- */

/* D^-1 of one joint by Cholesky, rows of six; false where it is not positive definite. */
CDNI_INLINE bool invert(int nu, real D[6][6], const real *floor, real *D_inv) {
  real L_inv[6][6] = { { 0 } };
  if (nu == 1) {
    D_inv[0] = 1 / D[0][0];
    return D[0][0] > floor[0];
  }
  for (int i = 0; i < nu; i++)
    for (int j = 0; j <= i; j++) {
      real sum = D[i][j];
      for (int k = 0; k < j; k++) sum = r_fnma(D[i][k], D[j][k], sum);
      if (i > j) D[i][j] = sum / D[j][j];
      else if (!(sum > floor[i])) return false;
      else D[i][i] = r_sqrt(sum);
    }
  for (int j = 0; j < nu; j++)
    for (int i = j; i < nu; i++) {
      real sum = i == j ? 1 : 0;
      for (int k = j; k < i; k++) sum = r_fnma(D[i][k], L_inv[k][j], sum);
      L_inv[i][j] = sum / D[i][i];
    }
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      real sum = 0;
      for (int k = i > j ? i : j; k < nu; k++) sum = r_fma(L_inv[k][i], L_inv[k][j], sum);
      D_inv[6 * i + j] = sum;
    }
  return true;
}

/* D of joint i and its inverse; PH by column. */
CDNI_INLINE bool factor_joint(const tree_data *d, const tree_node *n, int i, int nu, const double *weights, const sv *h,
                              sv *PH, loop_factor *f) {
  real D[6][6], floor[6];
  const articulated_inertia *P = &f->P[i];
  const real J = weights ? 0 : s3_trace(P->J), M = weights ? 0 : s3_trace(P->M);
  for (int k = 0; k < nu; k++) {
    PH[k] = weights ? sv_zero() : articulated_mul(*P, h[k]);
    for (int l = 0; l <= k; l++) D[k][l] = weights ? 0 : sv_dot(PH[k], h[l]);
    D[k][k] += weights ? weights[n->u + k] : d->mass[i].armature;
    floor[k] = PIVOT * (J * v3_dot(h[k].w, h[k].w) + M * v3_dot(h[k].v, h[k].v));
  }
  return invert(nu, D, floor, f->D_inv + 6 * n->u);
}

/* The coefficients v = K H + g of what is open at the joint, and the blocks S += v D^-1 v^T; `scale` collects what S_ee
 * would be if nothing in it were at right angles: a force whose line passes through an axis has no moment about it, but
 * could have had one. */
CDNI_INLINE void open_joint(const loop_plan *p, const tree_node *n, int i, int nu, const sv *h, loop_factor *f) {
  const real *D_inv = f->D_inv + 6 * n->u;
  const int first = p->slot_first[i];
  real square_w[6], square_v[6];
  for (int k = 0; k < nu; k++) {
    square_w[k] = 2 * D_inv[6 * k + k] * v3_dot(h[k].w, h[k].w);
    square_v[k] = 2 * D_inv[6 * k + k] * v3_dot(h[k].v, h[k].v);
  }
  for (int a = 0; a < p->n_open[i]; a++) {
    const int c = p->slot_block[first + a], m = f->count[c];
    real *v = f->v + p->slot_v[first + a], *scale = f->scale + p->first[c];
    const real *lever = f->lever + p->first[c];
    const sv *K = f->K + p->slot_K[first + a];
    real vD[LOOP_MOST_MIXED * 6];
    for (int e = 0; e < m; e++) {
      const real w = v3_dot(K[e].w, K[e].w) + lever[e], l = v3_dot(K[e].v, K[e].v);
      for (int k = 0; k < nu; k++) {
        const real g = v[e * nu + k];
        scale[e] += square_w[k] * w + square_v[k] * l + g * g * D_inv[6 * k + k];
        v[e * nu + k] = g + sv_dot(K[e], h[k]);
      }
      for (int k = 0; k < nu; k++) {
        real sum = 0;
        for (int l2 = 0; l2 < nu; l2++) sum = r_fma(D_inv[6 * k + l2], v[e * nu + l2], sum);
        vD[e * 6 + k] = sum;
      }
    }
    for (int b = 0; b <= a; b++) {
      const int other = p->slot_block[first + b], m_b = f->count[other];
      const real *v_b = f->v + p->slot_v[first + b];
      const bool later = p->order[c] >= p->order[other]; /* then this one's equations are the rows */
      real *S = f->S + p->pair[p->pair_first[i] + a * (a + 1) / 2 + b];
      const int row = later ? p->equations[other] : 1, column = later ? 1 : p->equations[c];
      for (int e = 0; e < m; e++)
        for (int g = 0; g < m_b; g++) {
          real sum = S[e * row + g * column];
          for (int k = 0; k < nu; k++) sum = r_fma(vD[e * 6 + k], v_b[g * nu + k], sum);
          S[e * row + g * column] = sum;
        }
    }
  }
}

/* What the joint leaves goes to the parent: phi (P - P H D^-1 H^T P) phi^T, and phi (K - v D^-1 H^T P). */
CDNI_INLINE void pass_on(const loop_plan *p, const tree_node *n, const tree_data *d, int i, int nu, const sv *PH,
                         bool weighted, loop_factor *f) {
  const v3 r = d->pose[i].r;
  const real *D_inv = f->D_inv + 6 * n->u;
  sv *g = f->g + n->u, shifted[6];
  if (!weighted) {
    articulated_inertia P = articulated_shift(f->P[i], r), *up = &f->P[n->parent];
    for (int k = 0; k < nu; k++) shifted[k] = sv_shift_force(PH[k], r);
    for (int k = 0; k < nu; k++) {
      g[k] = sv_zero();
      for (int l = 0; l < nu; l++) g[k] = sv_fma(D_inv[6 * k + l], shifted[l], g[k]);
      P.J = s3_minus_outer(P.J, g[k].w, shifted[k].w);
      P.F = m3_minus_outer(P.F, g[k].w, shifted[k].v);
      P.M = s3_minus_outer(P.M, g[k].v, shifted[k].v);
    }
    *up = articulated_add(*up, P);
  }
  for (int s = p->slot_first[i]; s < p->slot_first[i] + p->n_open[i]; s++) {
    const int c = p->slot_block[s], m = f->count[c];
    const sv *K = f->K + p->slot_K[s];
    const real *v = f->v + p->slot_v[s];
    real *lever = f->lever + p->first[c];
    sv *up = f->K + p->slot_K[p->slot_up[s]];
    for (int e = 0; e < m; e++) {
      lever[e] = r_fma(v3_dot(r, r), v3_dot(K[e].v, K[e].v), lever[e]);
      sv out = sv_add(up[e], sv_shift_force(K[e], r));
      for (int k = 0; k < nu && !weighted; k++) out = sv_fma(-v[e * nu + k], g[k], out);
      up[e] = out;
    }
  }
}

/* ---- one block where it closes ---- */

/* The inverse of the independent part of a block A (m x m by rows of `stride`, used up) in C, zero for the others; and how
 * those follow: column j of Z. By Cholesky with the relatively largest pivot next. */
static int invert_block(int m, int stride, real *A, const real *scale, const int32_t *was, int32_t *redundant, real *C,
                        real *Z) {
  int order[LOOP_MOST_MIXED], rank = 0;
  real L[LOOP_MOST_MIXED][LOOP_MOST_MIXED], left[LOOP_MOST_MIXED];
  for (int e = 0; e < m; e++) order[e] = e, left[e] = A[e * stride + e];
  while (rank < m) {
    int best = -1;
    real largest = 0;
    for (int k = rank; k < m; k++) {
      const int e = order[k];
      const real least = was && was[e] ? INDEPENDENT_ABOVE : REDUNDANT_BELOW;
      const real relative = scale[e] > 0 ? left[e] / scale[e] : 0;
      if (relative > least && relative > largest) largest = relative, best = k;
    }
    if (best < 0) break;
    const int e = order[best];
    order[best] = order[rank], order[rank] = e;
    /* rows of L are by equation, columns by pivot */
    const real pivot = r_sqrt(left[e]);
    L[e][rank] = pivot;
    for (int k = rank + 1; k < m; k++) {
      const int o = order[k];
      real sum = A[o > e ? o * stride + e : e * stride + o];
      for (int j = 0; j < rank; j++) sum = r_fnma(L[o][j], L[e][j], sum);
      L[o][rank] = sum / pivot;
      left[o] = r_fnma(L[o][rank], L[o][rank], left[o]);
    }
    rank++;
  }
  /* L^-1 of the independent part, then C = L^-T L^-1, and Z = -L^-T l for the rest */
  real I[LOOP_MOST_MIXED][LOOP_MOST_MIXED];
  for (int j = 0; j < rank; j++)
    for (int i = j; i < rank; i++) {
      real sum = i == j ? 1 : 0;
      for (int k = j; k < i; k++) sum = r_fnma(L[order[i]][k], I[k][j], sum);
      I[i][j] = sum / L[order[i]][i];
    }
  for (int e = 0; e < m; e++) redundant[e] = 0;
  for (int k = rank; k < m; k++) redundant[order[k]] = 1;
  for (int e = 0; e < m * stride; e++) C[e] = Z[e] = 0;
  for (int i = 0; i < rank; i++)
    for (int j = 0; j <= i; j++) {
      real sum = 0;
      for (int k = i; k < rank; k++) sum = r_fma(I[k][i], I[k][j], sum);
      C[order[i] * stride + order[j]] = C[order[j] * stride + order[i]] = sum;
    }
  for (int k = rank; k < m; k++)
    for (int i = 0; i < rank; i++) {
      real sum = 0;
      for (int j = i; j < rank; j++) sum = r_fnma(I[j][i], L[order[k]][j], sum);
      Z[order[i] * stride + order[k]] = sum;
    }
  return m - rank;
}

/* Eliminates a block's multipliers: what meets it, and the inertia of the body where it closes, take what it leaves. Slot -1:
 * it has no K. */
static void close_loop(const loop_plan *p, int c, int slot, const int32_t *was, bool weighted, loop_factor *f) {
  const int m = f->count[c], stride = p->equations[c], first = p->first[c], i = p->ancestor[c];
  const bool has_K = slot >= 0 && i > 0 && !weighted;
  if (m == 0) return;
  real *S = f->S + p->diagonal[c], A[LOOP_MOST_MIXED * LOOP_MOST_MIXED];
  memcpy(A, S, (size_t)(stride * stride) * sizeof *A);
  *f->n_redundant += invert_block(m, stride, A, f->scale + first, was, f->redundant + first, S, f->Z + p->diagonal[c]);
  const sv *K = slot < 0 ? NULL : f->K + p->slot_K[slot];
  sv *Y = f->Y + first;
  for (int e = 0; e < m; e++) {
    Y[e] = sv_zero();
    for (int g = 0; g < m && has_K; g++) Y[e] = sv_fma(S[e * stride + g], K[g], Y[e]);
    if (!has_K) continue;
    articulated_inertia *P = &f->P[i];
    const sv y = sv_neg(Y[e]);
    P->J = s3_minus_outer(P->J, y.w, K[e].w);
    P->F = m3_minus_outer(P->F, y.w, K[e].v);
    P->M = s3_minus_outer(P->M, y.v, K[e].v);
  }

  /* X_d = S_dc C takes the place of S_dc once the pairs have used it. */
  const int from = p->meet_first[c], n = p->meet_first[c + 1] - from;
  const int32_t *pair = p->meet_pair + p->meet_pair_first[c];
  for (int a = 0; a < n; a++) {
    const int d = p->meet[from + a], m_d = f->count[d];
    real *S_dc = f->S + p->meet_matrix[from + a];
    real X[LOOP_MOST_MIXED * LOOP_MOST_MIXED];
    for (int k = 0; k < m_d; k++)
      for (int e = 0; e < m; e++) {
        real sum = 0;
        for (int g = 0; g < m; g++) sum = r_fma(S_dc[k * stride + g], S[g * stride + e], sum);
        X[k * stride + e] = sum;
      }
    sv *K_d = has_K ? f->K + p->slot_K[p->meet_slot[from + a]] : NULL;
    for (int k = 0; k < m_d && has_K; k++)
      for (int e = 0; e < m; e++) K_d[k] = sv_fma(-X[k * stride + e], K[e], K_d[k]);
    /* those before this one have their X already: S_d'c = X_d' A, so the product with S_dc is X_d' S_dc^T */
    for (int b = 0; b <= a; b++) {
      const int o = p->meet[from + b], m_o = f->count[o];
      const real *X_o = b == a ? X : f->S + p->meet_matrix[from + b];
      const bool later = p->order[d] >= p->order[o];
      real *to = f->S + pair[a * (a + 1) / 2 + b];
      const int row = later ? p->equations[o] : 1, column = later ? 1 : p->equations[d];
      for (int k = 0; k < m_d; k++)
        for (int l = 0; l < m_o; l++) {
          real sum = to[k * row + l * column];
          for (int e = 0; e < m; e++) sum = r_fnma(S_dc[k * stride + e], X_o[l * stride + e], sum);
          to[k * row + l * column] = sum;
        }
    }
    for (int k = 0; k < m_d; k++)
      for (int e = 0; e < m; e++) S_dc[k * stride + e] = X[k * stride + e];
  }
}

/* ---- mixes ---- */

/* The matrix of two blocks as it is stored: element (e of a, g of b) at [e * row + g * column]; NULL if they do not meet. */
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

/* Chooses rows of K (n x columns, by rows; used up) of which the others are combinations, by elimination with complete
 * pivoting: returns how many, and the rows in their new order. T (n x n, by rows) has the chosen rows as they are, then the others less what they are of the
 * chosen ones. So what goes on are equations of constraints, and what follows from them is told by few. */
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
        continue; /* noise would mix what nothing has moved yet */
      for (int c = rank; c < columns; c++) K[e * columns + c] = r_fma(l, K[rank * columns + c], K[e * columns + c]);
      for (int g = 0; g < n; g++) T[e * n + g] = r_fma(l, T[rank * n + g], T[e * n + g]);
    }
  }
  for (int e = 0; e < rank; e++)
    for (int g = 0; g < n; g++) T[e * n + g] = g == chosen[e];
  return rank;
}

/* Where equation e of a mix is after it: what goes on comes first. */
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

/* Contributions to what was closed of less than rounding are none. */
static bool is_free(const loop_plan *p, const loop_factor *f, int block, int e) {
  for (int a = p->met_first[block]; a < p->met_first[block + 1]; a++) {
    const int b = p->met[a];
    const real *X = f->S + p->met_matrix[a] + e * p->equations[b];
    for (int k = 0; !p->is_mixed[b] && k < f->count[b]; k++)
      if (fabs(X[k]) > 1e-11) return false;
  }
  return true;
}

/* What goes on of a mix are equations of constraints: those on which nothing that is closed depends are noted. */
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
            is_free(p, f, c, k))
          f->root[to] = f->main[to];
    }
  }
}

/* Replaces the equations of mix i's sources by T of them: those that keep a K go on, the others are closed. */
static __attribute__((noinline)) void mix(const loop_plan *p, int i, const int32_t *was_redundant, bool weighted,
                                          loop_factor *f) {
  const int from = p->source_first[i];
  mixed x = { .p = p,
              .f = f,
              .closed = p->mix_closed[i],
              .onward = p->mix_closed[i] + 1,
              .source = p->source + from,
              .n_sources = p->source_first[i + 1] - from };
  real K[LOOP_MOST_MIXED * 6 * LOOP_MOST_TIPS], rows[LOOP_MOST_MIXED * 6 * LOOP_MOST_TIPS], scale[LOOP_MOST_MIXED],
      lever[LOOP_MOST_MIXED];
  int32_t main[LOOP_MOST_MIXED], was[LOOP_MOST_MIXED];
  int chosen[LOOP_MOST_MIXED];
  int tips = 0;
  while (tips < LOOP_MOST_TIPS && p->onward_slot[LOOP_MOST_TIPS * i + tips] >= 0) tips++;
  for (int s = 0; s < x.n_sources; s++)
    for (int e = 0; e < f->count[x.source[s]]; e++, x.n++) {
      scale[x.n] = f->scale[p->first[x.source[s]] + e];
      lever[x.n] = f->lever[p->first[x.source[s]] + e];
      main[x.n] = x.source[s] < p->n_constraints ? p->first[x.source[s]] + e : f->main[p->first[x.source[s]] + e];
      for (int t = 0; t < tips; t++)
        memcpy(K + (x.n * tips + t) * 6, f->K + p->slot_K[p->source_slot[LOOP_MOST_TIPS * (from + s) + t]] + e,
               sizeof(sv));
    }
  const int n = x.n, columns = 6 * tips;
  real *T = f->T + p->mix_T[i];
  memcpy(rows, K, (size_t)(n * columns) * sizeof *K);
  x.rank = n > 0 ? choose_rows(n, columns, rows, T, chosen) : 0;
  x.T = T;
  f->count[x.onward] = x.rank, f->count[x.closed] = n - x.rank;
  real largest = 0;
  for (int e = 0; e < n; e++) largest = fmax(largest, scale[e]);
  for (int e = 0; e < n; e++) {
    real row[6 * LOOP_MOST_TIPS] = { 0 }, of_scale = 0, of_lever = 0;
    const int to = e < x.rank ? p->first[x.onward] + e : p->first[x.closed] + e - x.rank;
    f->main[to] = main[chosen[e]];
    if (e >= x.rank && was_redundant) was[e - x.rank] = was_redundant[main[chosen[e]]];
    for (int g = 0; g < n; g++) {
      const real square = T[e * n + g] * T[e * n + g];
      of_scale = r_fma(square, scale[g], of_scale);
      of_lever = r_fma(square, lever[g], of_lever);
    }
    /* what is closed has the rounding of all that was mixed into it */
    f->scale[to] = e < x.rank ? of_scale : fmax(of_scale, 1e-4 * largest), f->lever[to] = of_lever;
    if (e >= x.rank) continue;
    for (int g = 0; g < n; g++)
      for (int k = 0; k < columns; k++) row[k] = r_fma(T[e * n + g], K[g * columns + k], row[k]);
    for (int t = 0; t < tips; t++)
      memcpy(f->K + p->slot_K[p->onward_slot[LOOP_MOST_TIPS * i + t]] + e, row + 6 * t, sizeof(sv));
  }
  mix_own(&x);
  mix_others(&x);
  note_roots(&x);
  close_loop(p, x.closed, -1, was_redundant ? was : NULL, weighted, f);
}

/* One body: its loops close, its joint opens what is on it, and the rest goes to the parent. */
CDNI_INLINE bool eliminate(const loop_plan *p, const tree_data *d, int i, int nu, hinge_form form,
                           const double *weights, loop_factor *f) {
  const tree_node *n = &p->tree->node[i];
  sv h[6], PH[6];
  for (int k = 0; k < nu; k++) h[k] = hinge_column(form, d->H + n->H, k);
  if (nu > 0) {
    if (!factor_joint(d, n, i, nu, weights, h, PH, f)) return false;
    open_joint(p, n, i, nu, h, f);
  }
  if (n->parent > 0) pass_on(p, n, d, i, nu, PH, weights != NULL, f);
  return true;
}

/* Joints of one axis are inlined; the others share what takes its numbers at run time. */
static __attribute__((noinline)) bool eliminate_any(const loop_plan *p, const tree_data *d, int i, int nu,
                                                    hinge_form form, const double *weights, loop_factor *f) {
  return eliminate(p, d, i, nu, form, weights, f);
}

int KERNEL_NAME(cdni_loop_kernel_factor)(const loop_plan *p, const tree_data *d, const double *weights,
                                         const int32_t *was_redundant, loop_factor *f) {
  static const struct {
    uint8_t nu;
    hinge_form form;
  } shapes[HINGE_SHAPE_COUNT] = {
#define SHAPE(SHAPE, NU, FORM) { NU, FORM },
    HINGE_LIST(SHAPE)
#undef SHAPE
  };
  const tree *t = p->tree;
  const bool weighted = weights != NULL;
  for (int at = 0; at < t->n; at++) {
    const int i = p->bodies[at];
    const tree_node *n = &t->node[i];
    const int closing = p->slot_first[i] + p->n_open[i];
    for (int s = closing; s < closing + p->n_closing[i]; s++)
      close_loop(p, p->slot_block[s], s, was_redundant ? was_redundant + p->first[p->slot_block[s]] : NULL, weighted,
                 f);
    if (i == 0 || (weighted && p->n_open[i] == 0)) continue;
    bool ok;
    if (d->prescribed && d->prescribed[i]) ok = eliminate_any(p, d, i, 0, HINGE_NONE, weights, f);
    else if (n->shape == SHAPE_ANGULAR_1) ok = eliminate(p, d, i, 1, HINGE_ANGULAR, weights, f);
    else ok = eliminate_any(p, d, i, shapes[n->shape].nu, shapes[n->shape].form, weights, f);
    if (!ok) return i;
    for (int x = p->mix_first[at]; x < p->mix_first[at + 1]; x++) mix(p, x, was_redundant, weighted, f);
  }
  return -1;
}
