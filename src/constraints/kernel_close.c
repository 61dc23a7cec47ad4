/* Eliminating one block's multipliers, with the decision which of its equations are redundant. */
#include <math.h>

#include "constraints/kernel.h"

/* An equation is redundant if its pivot, relative to its possible size, is below the first number; it stays so until
 * the pivot is above the second. Pivots are squares of sines: of 3e-6 and 1e-4. Rounding leaves 1e-16 times the
 * growth of the elimination; positions that are off by a constraint tolerance e leave e^2. */
static const double REDUNDANT_BELOW = 1e-11, INDEPENDENT_ABOVE = 1e-8;

/* The inverse of the independent part of a block A (m x m, rows of `stride`, destroyed) in C, zero for the other
 * equations; column j of Z expresses dependent equation j by the independent ones. By Cholesky, with the relatively
 * largest pivot next. */
static int invert_block(int m, int stride, real *A, const real *scale, const int32_t *was, int32_t *redundant, real *C,
                        real *Z, real *sine) {
  int order[LOOP_MOST_MIXED], rank = 0;
  real L[LOOP_MOST_MIXED][LOOP_MOST_MIXED], left[LOOP_MOST_MIXED];
  for (int e = 0; e < m; e++) order[e] = e, left[e] = A[e * stride + e];
  *sine = 1;
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
    *sine *= r_sqrt(largest);
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
  for (int k = rank; k < m; k++) {
    const int e = order[k];
    redundant[e] = 1;
    /* one that was not redundant a step ago is at a singular pose */
    if (was && !was[e]) *sine *= left[e] > 0 && scale[e] > 0 ? r_sqrt(left[e] / scale[e]) : 0;
  }
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

/* C += Y^T K for two bodies: rows of the one with Y. `turned`: C has the rows of the other one. */
static void couple_rows(int m, const sv *Y, const sv *K, bool turned, sv *C) {
  for (int e = 0; e < m; e++) {
    const real *row = turned ? &K[e].w.x : &Y[e].w.x;
    const sv column = turned ? Y[e] : K[e];
    for (int l = 0; l < 6; l++) C[l] = sv_fma(row[l], column, C[l]);
  }
}

/* A block closes while its path has reached other bodies than the one where it closes: what it adds to their inertias
 * and couplings. */
static void close_tips(const loop_plan *p, int c, int slot, loop_factor *f) {
  const int m = f->count[c], stride = p->equations[c], first = p->tip_first[c];
  const real *S = f->S + p->diagonal[c];
  for (int x = first; x < p->tip_first[c + 1]; x++) {
    const sv *K = f->K + p->slot_K[p->tip_slot[x]];
    const int body = p->slot_body[p->tip_slot[x]];
    sv *Y = f->tip_Y + p->tip_Y[x];
    articulated_inertia *P = &f->P[body];
    for (int e = 0; e < m; e++) {
      Y[e] = sv_zero();
      for (int g = 0; g < m; g++) Y[e] = sv_fma(S[e * stride + g], K[g], Y[e]);
      const sv y = sv_neg(Y[e]);
      P->J = s3_minus_outer(P->J, y.w, K[e].w);
      P->F = m3_minus_outer(P->F, y.w, K[e].v);
      P->M = s3_minus_outer(P->M, y.v, K[e].v);
    }
    const int32_t *C = p->tip_pair + p->tip_pair_first[x];
    couple_rows(m, Y, f->K + p->slot_K[slot], p->place[p->ancestor[c]] < p->place[body], f->C + 6 * C[0]);
    for (int y = first; y < x; y++)
      couple_rows(m, Y, f->K + p->slot_K[p->tip_slot[y]], p->place[p->slot_body[p->tip_slot[y]]] < p->place[body],
                  f->C + 6 * C[1 + y - first]);
  }
}

void KERNEL_NAME(cdni_loop_kernel_close)(const loop_plan *p, int c, int slot, const int32_t *was, bool weighted,
                                         loop_factor *f) {
  const int m = f->count[c], stride = p->equations[c], first = p->first[c], i = p->ancestor[c];
  const bool has_K = slot >= 0 && i > 0 && !weighted;
  if (m == 0) return;
  real *S = f->S + p->diagonal[c], A[LOOP_MOST_MIXED * LOOP_MOST_MIXED];
  memcpy(A, S, (size_t)(stride * stride) * sizeof *A);
  *f->n_redundant +=
      invert_block(m, stride, A, f->scale + first, was, f->redundant + first, S, f->Z + p->diagonal[c], f->sine + c);
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
  if (has_K && p->tip_first[c] < p->tip_first[c + 1]) close_tips(p, c, slot, f);

  /* X_o = S_oc C takes the place of S_oc, which is needed no longer once the pairs of o with itself and with later ones
   * are made. */
  for (int b = p->meet_first[c]; b < p->meet_first[c + 1]; b++) {
    const int o = p->meet[b], m_o = f->count[o], row = p->equations[o];
    real *S_oc = f->S + p->meet_matrix[b], X[LOOP_MOST_MIXED * LOOP_MOST_MIXED];
    for (int l = 0; l < m_o; l++)
      for (int e = 0; e < m; e++) {
        real sum = 0;
        for (int g = 0; g < m; g++) sum = r_fma(S_oc[l * stride + g], S[g * stride + e], sum);
        X[l * stride + e] = sum;
      }
    sv *K_o = has_K ? f->K + p->slot_K[p->meet_slot[b]] : NULL;
    for (int l = 0; l < m_o && has_K; l++)
      for (int e = 0; e < m; e++) K_o[l] = sv_fma(-X[l * stride + e], K[e], K_o[l]);
    for (int x = p->tip_first[c]; x < p->tip_first[c + 1] && has_K; x++) {
      const sv *K_x = f->K + p->slot_K[p->tip_slot[x]];
      sv *to = f->K + p->slot_K[p->tip_meet[p->tip_meet_first[x] + b - p->meet_first[c]]];
      for (int l = 0; l < m_o; l++)
        for (int e = 0; e < m; e++) to[l] = sv_fma(-X[l * stride + e], K_x[e], to[l]);
    }
    /* o meets all the later ones, which stand in its list in the same order */
    real *to = f->S + p->diagonal[o];
    for (int a = b, at = p->meet_first[o]; a < p->meet_first[c + 1]; a++) {
      const int d = p->meet[a], m_d = f->count[d];
      const real *S_dc = f->S + p->meet_matrix[a];
      if (a > b) {
        while (p->meet[at] != d) at++;
        to = f->S + p->meet_matrix[at];
      }
      for (int k = 0; k < m_d; k++)
        for (int l = 0; l < m_o; l++) {
          real sum = to[k * row + l];
          for (int e = 0; e < m; e++) sum = r_fnma(S_dc[k * stride + e], X[l * stride + e], sum);
          to[k * row + l] = sum;
        }
    }
    for (int l = 0; l < m_o; l++)
      for (int e = 0; e < m; e++) S_oc[l * stride + e] = X[l * stride + e];
  }
}
