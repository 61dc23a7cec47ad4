/* The elimination in numbers: inertias, rows and blocks, from the leaves to Ground (plan.h). */
#include <math.h>

#include "constraints/loops.h"
#include "matter/operators.h"

/* An equation's pivot, relative to what it could have been, below which it is redundant; one that was stays so until the
 * pivot is above the second. Pivots are squares of sines: of 3e-6 and 1e-4. Rounding leaves 1e-16 times the growth of the
 * elimination, rows at positions that are off by a constraint tolerance e leave e^2. */
static const double REDUNDANT_BELOW = 1e-11, INDEPENDENT_ABOVE = 1e-8;
/* Of a mobilizer's D, as in matter's kernels. */
static const double PIVOT = 1e-13;

/* ---- memory ---- */

static char *part(char *base, size_t *at, size_t bytes) {
  char *here = base ? base + *at : NULL;
  *at += (bytes + CDNI_ALIGN - 1) / CDNI_ALIGN * CDNI_ALIGN;
  return here;
}

static size_t lay_out(const loop_plan *p, char *base, loop_factor *f) {
  const size_t nb = (size_t)p->tree->n, nu = (size_t)p->tree->nu, m = (size_t)p->m;
  size_t at = 0;
  f->count = (int32_t *)part(base, &at, (size_t)p->n_constraints * sizeof *f->count);
  f->n_redundant = (int32_t *)part(base, &at, sizeof *f->n_redundant);
  f->n_shared = (int32_t *)part(base, &at, sizeof *f->n_shared);
  f->redundant = (int32_t *)part(base, &at, m * sizeof *f->redundant);
  f->P = (articulated_inertia *)part(base, &at, nb * sizeof *f->P);
  f->g = (sv *)part(base, &at, nu * sizeof *f->g);
  f->D_inv = (real *)part(base, &at, 6 * nu * sizeof *f->D_inv);
  f->K = (sv *)part(base, &at, (size_t)p->n_K * sizeof *f->K);
  f->v = (real *)part(base, &at, (size_t)p->n_v * sizeof *f->v);
  f->S = (real *)part(base, &at, (size_t)p->n_S * sizeof *f->S);
  f->Z = (real *)part(base, &at, (size_t)p->n_diagonal * sizeof *f->Z);
  f->Y = (sv *)part(base, &at, m * sizeof *f->Y);
  f->scale = (real *)part(base, &at, m * sizeof *f->scale);
  return at;
}

size_t cdni_loop_factor_size(const loop_plan *p) {
  loop_factor unused;
  return lay_out(p, NULL, &unused);
}

loop_factor cdni_loop_factor_at(const loop_plan *p, void *memory) {
  loop_factor f;
  lay_out(p, memory, &f);
  return f;
}

/* ---- what comes in ---- */

static int equations_of(const constraint_element *c, loop_level level) {
  return level == LOOP_POSITION ? c->np : level == LOOP_VELOCITY ? c->np + c->nv : c->m;
}

static void enter(const constraint_room *room, const double *enabled, const constraint_rows *rows, loop_level level,
                  loop_factor *f) {
  const loop_plan *p = &room->plan;
  memset(f->K, 0, (size_t)p->n_K * sizeof *f->K);
  if (p->n_v) memset(f->v, 0, (size_t)p->n_v * sizeof *f->v);
  memset(f->S, 0, (size_t)p->n_S * sizeof *f->S);
  memset(f->scale, 0, (size_t)p->m * sizeof *f->scale);
  for (int c = 0; c < p->n_constraints; c++) {
    const constraint_element *e = constraint_at(room, c);
    const int m = f->count[c] = enabled[c] != 0 ? equations_of(e, level) : 0;
    for (int b = 0; b < e->n_bodies; b++) {
      sv *K = f->K + p->slot_K[p->place_slot[e->first_body + b]];
      const sv *J = rows->J + e->J + b;
      for (int k = 0; k < m; k++) K[k] = sv_add(K[k], J[k * e->n_bodies]);
    }
    for (int i = 0; i < e->n_mobilities; i++) {
      const int at = e->first_mobility + i, slot = p->mobility_slot[at];
      const int nu = p->tree->node[CDNI_AT(room->mobilities, constraint_mobility, at).body].nu;
      real *v = f->v + p->slot_v[slot] + p->mobility_k[at];
      for (int k = 0; k < m; k++) v[k * nu] += rows->g[e->g + k * e->n_mobilities + i];
    }
  }
}

/* ---- one joint ---- */

/* D^-1 of one joint by Cholesky, rows of six; false where it is not positive definite. */
static bool invert(int nu, real D[6][6], const real *floor, real *D_inv) {
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
      else D[i][i] = sqrt(sum);
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
static bool factor_joint(const tree_data *d, const tree_node *n, int i, const double *weights, const sv *h, sv *PH,
                         loop_factor *f) {
  real D[6][6], floor[6];
  const articulated_inertia *P = &f->P[i];
  const real J = weights ? 0 : s3_trace(P->J), M = weights ? 0 : s3_trace(P->M);
  for (int k = 0; k < n->nu; k++) {
    PH[k] = weights ? sv_zero() : articulated_mul(*P, h[k]);
    for (int l = 0; l <= k; l++) D[k][l] = weights ? 0 : sv_dot(PH[k], h[l]);
    D[k][k] += weights ? weights[n->u + k] : d->mass[i].armature;
    floor[k] = PIVOT * (J * v3_dot(h[k].w, h[k].w) + M * v3_dot(h[k].v, h[k].v));
  }
  return invert(n->nu, D, floor, f->D_inv + 6 * n->u);
}

/* The coefficients v = K H + g of what is open at the joint, and the blocks S += v D^-1 v^T; `scale` collects what S_ee
 * would be if nothing in it were at right angles. */
static void open_joint(const loop_plan *p, const tree_node *n, int i, const sv *h, loop_factor *f) {
  const real *D_inv = f->D_inv + 6 * n->u;
  const int first = p->slot_first[i], nu = n->nu;
  real square_w[6], square_v[6];
  for (int k = 0; k < nu; k++) {
    square_w[k] = 2 * D_inv[6 * k + k] * v3_dot(h[k].w, h[k].w);
    square_v[k] = 2 * D_inv[6 * k + k] * v3_dot(h[k].v, h[k].v);
  }
  for (int a = 0; a < p->n_open[i]; a++) {
    const int c = p->slot_constraint[first + a], m = f->count[c];
    real *v = f->v + p->slot_v[first + a], *scale = f->scale + p->first[c];
    const sv *K = f->K + p->slot_K[first + a];
    real vD[CONSTRAINT_MOST_EQUATIONS * 6];
    for (int e = 0; e < m; e++) {
      const real w = v3_dot(K[e].w, K[e].w), l = v3_dot(K[e].v, K[e].v);
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
      const int other = p->slot_constraint[first + b], m_b = f->count[other];
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
static void pass_on(const loop_plan *p, const tree_node *n, const tree_data *d, int i, int nu, const sv *PH,
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
    const int m = f->count[p->slot_constraint[s]];
    const sv *K = f->K + p->slot_K[s];
    const real *v = f->v + p->slot_v[s];
    sv *up = f->K + p->slot_K[p->slot_up[s]];
    for (int e = 0; e < m; e++) {
      sv out = sv_add(up[e], sv_shift_force(K[e], r));
      for (int k = 0; k < nu && !weighted; k++) out = sv_fma(-v[e * nu + k], g[k], out);
      up[e] = out;
    }
  }
}

/* ---- one constraint at its ancestor ---- */

/* The inverse of the independent part of a block A (m x m by rows of `stride`, used up) in C, zero for the others; and how
 * those follow: column j of Z. By Cholesky with the relatively largest pivot next. */
static int invert_block(int m, int stride, real *A, const real *scale, const int32_t *was, int32_t *redundant, real *C,
                        real *Z) {
  int order[CONSTRAINT_MOST_EQUATIONS], rank = 0;
  real L[CONSTRAINT_MOST_EQUATIONS][CONSTRAINT_MOST_EQUATIONS], left[CONSTRAINT_MOST_EQUATIONS];
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
    const real pivot = sqrt(left[e]);
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
  real I[CONSTRAINT_MOST_EQUATIONS][CONSTRAINT_MOST_EQUATIONS];
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

/* Eliminates a constraint's multipliers at its ancestor: what meets it, and the ancestor's inertia, take what it leaves. */
static void close_loop(const loop_plan *p, int c, int slot, const int32_t *was, bool weighted, loop_factor *f) {
  const int m = f->count[c], stride = p->equations[c], first = p->first[c], i = p->ancestor[c];
  if (m == 0) return;
  real *S = f->S + p->diagonal[c], A[CONSTRAINT_MOST_EQUATIONS * CONSTRAINT_MOST_EQUATIONS];
  memcpy(A, S, (size_t)(stride * stride) * sizeof *A);
  *f->n_redundant += invert_block(m, stride, A, f->scale + first, was ? was + first : NULL, f->redundant + first, S,
                                  f->Z + p->diagonal[c]);
  const sv *K = f->K + p->slot_K[slot];
  sv *Y = f->Y + first;
  for (int e = 0; e < m; e++) {
    Y[e] = sv_zero();
    for (int g = 0; g < m && !weighted && i > 0; g++) Y[e] = sv_fma(S[e * stride + g], K[g], Y[e]);
    if (weighted || i == 0) continue;
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
    real *S_dc = f->S + p->meet_block[from + a];
    real X[CONSTRAINT_MOST_EQUATIONS * CONSTRAINT_MOST_EQUATIONS];
    for (int k = 0; k < m_d; k++)
      for (int e = 0; e < m; e++) {
        real sum = 0;
        for (int g = 0; g < m; g++) sum = r_fma(S_dc[k * stride + g], S[g * stride + e], sum);
        X[k * stride + e] = sum;
      }
    sv *K_d = f->K + p->slot_K[p->meet_slot[from + a]];
    for (int k = 0; k < m_d && !weighted && i > 0; k++)
      for (int e = 0; e < m; e++) K_d[k] = sv_fma(-X[k * stride + e], K[e], K_d[k]);
    /* those before this one have their X already: S_d'c = X_d' A, so the product with S_dc is X_d' S_dc^T */
    for (int b = 0; b <= a; b++) {
      const int o = p->meet[from + b], m_o = f->count[o];
      const real *X_o = b == a ? X : f->S + p->meet_block[from + b];
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

int cdni_loop_factor(const constraint_room *room, const tree_data *d, const double *enabled,
                     const constraint_rows *rows, loop_level level, const double *weights, const int32_t *was_redundant,
                     loop_factor *f) {
  const loop_plan *p = &room->plan;
  const tree *t = p->tree;
  const bool weighted = weights != NULL;
  enter(room, enabled, rows, level, f);
  *f->n_redundant = *f->n_shared = 0;
  memset(f->redundant, 0, (size_t)p->m * sizeof *f->redundant);
  if (!weighted)
    for (int i = 1; i < t->n; i++) f->P[i] = articulated_from_rigid(d->inertia[i]);
  for (int i = t->n - 1; i >= 0; i--) {
    const tree_node *n = &t->node[i];
    for (int s = p->slot_first[i] + p->n_open[i]; s < p->slot_first[i + 1]; s++)
      close_loop(p, p->slot_constraint[s], s, was_redundant, weighted, f);
    if (i == 0 || (weighted && p->n_open[i] == 0)) continue;
    const int nu = d->prescribed && d->prescribed[i] ? 0 : n->nu;
    sv h[6], PH[6];
    for (int k = 0; k < nu; k++) h[k] = cdni_hinge_column(n, d->H, k);
    if (nu > 0) {
      if (!factor_joint(d, n, i, weights, h, PH, f)) return i;
      open_joint(p, n, i, h, f);
    }
    pass_on(p, n, d, i, nu, PH, weighted, f);
  }
  if (*f->n_redundant > 0) cdni_loop_null_mark(p, f);
  return -1;
}
