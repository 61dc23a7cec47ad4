/* The elimination in numbers: inertias, rows and blocks, from the leaves to Ground (plan.h). */
#include "constraints/kernel.h"
#include "matter/hinge.h"

/* Of a mobilizer's D, as in matter's kernels. */
static const double PIVOT = 1e-13;

/* ---- one joint ---- */

/* D^-1 of one joint by Cholesky, rows of six; false if D is not positive definite. */
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

/* The coefficients v = K H + g of the blocks open at the joint, and the matrices S += v D^-1 v^T. `scale` collects
 * the largest possible value of S_ee, as if no vectors in it were perpendicular: a force whose line passes through
 * an axis has no moment about it, but could have had one. */
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

/* Passes to the parent: phi (P - P H D^-1 H^T P) phi^T, and phi (K - v D^-1 H^T P). */
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

/* One body: eliminates the blocks that close there, then its joint, and passes the rest to the parent. */
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

/* Joints of one axis are inlined; the others share a function that reads their numbers at run time. */
static __attribute__((noinline)) bool eliminate_any(const loop_plan *p, const tree_data *d, int i, int nu,
                                                    hinge_form form, const double *weights, loop_factor *f) {
  return eliminate(p, d, i, nu, form, weights, f);
}

/* The flags of a block's equations: what goes on from a mix has those of the equations of constraints that it is. */
static const int32_t *flags_of(const loop_plan *p, int block, const int32_t *was_redundant, const loop_factor *f,
                               int32_t *was) {
  if (block < p->n_constraints) return was_redundant + p->first[block];
  for (int e = 0; e < f->count[block]; e++) was[e] = was_redundant[f->main[p->first[block] + e]];
  return was;
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
    for (int s = closing; s < closing + p->n_closing[i]; s++) {
      int32_t was[LOOP_MOST_MIXED];
      const int c = p->slot_block[s];
      const int32_t *flags = was_redundant ? flags_of(p, c, was_redundant, f, was) : NULL;
      KERNEL_NAME(cdni_loop_kernel_close)(p, c, s, flags, weighted, f);
    }
    if (i == 0 || (weighted && p->n_open[i] == 0)) continue;
    bool ok;
    if (d->prescribed && d->prescribed[i]) ok = eliminate_any(p, d, i, 0, HINGE_NONE, weights, f);
    else if (n->shape == SHAPE_ANGULAR_1) ok = eliminate(p, d, i, 1, HINGE_ANGULAR, weights, f);
    else ok = eliminate_any(p, d, i, shapes[n->shape].nu, shapes[n->shape].form, weights, f);
    if (!ok) return i;
    for (int x = p->mix_first[at]; x < p->mix_first[at + 1]; x++)
      KERNEL_NAME(cdni_loop_kernel_mix)(p, x, was_redundant, weighted, f);
  }
  return -1;
}
