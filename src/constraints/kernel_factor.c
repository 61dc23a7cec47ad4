/* The elimination in numbers: inertias, rows and blocks, from the leaves to Ground (plan.h). */
#include "constraints/kernel.h"

/* Of a mobilizer's D, as in matter's kernels. */
static const double PIVOT = 1e-13;

/* ---- one joint ---- */

/* P times column k of H. */
CDNI_INLINE sv weighed_column(hinge_form form, const articulated_inertia *P, const real *H, int k) {
  if (form == HINGE_ANGULAR) {
    const v3 h = ((const v3 *)H)[k];
    return (sv){ s3_mul(P->J, h), m3_tmul(P->F, h) };
  }
  if (form == HINGE_FREE) {
    const v3 h = ((const v3 *)H)[k < 3 ? k : k - 3];
    return k < 3 ? (sv){ s3_mul(P->J, h), m3_tmul(P->F, h) } : (sv){ m3_mul(P->F, h), s3_mul(P->M, h) };
  }
  return articulated_mul(*P, hinge_column(form, H, k));
}

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
      if (i > j) D[i][j] = sum * L_inv[j][j];
      else if (!(sum > floor[i])) return false;
      else L_inv[i][i] = 1 / r_sqrt(sum);
    }
  for (int j = 0; j < nu; j++)
    for (int i = j + 1; i < nu; i++) {
      real sum = 0;
      for (int k = j; k < i; k++) sum = r_fnma(D[i][k], L_inv[k][j], sum);
      L_inv[i][j] = sum * L_inv[i][i];
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
CDNI_INLINE bool factor_joint(const tree_data *d, const tree_node *n, int i, int nu, hinge_form form,
                              const double *weights, const real *soft_D, const sv *h, sv *PH, loop_factor *f) {
  real D[6][6], floor[6];
  const articulated_inertia *P = &f->P[i];
  const real J = weights ? 0 : s3_trace(P->J), M = weights ? 0 : s3_trace(P->M);
  for (int k = 0; k < nu; k++) {
    PH[k] = weights ? sv_zero() : weighed_column(form, P, d->H + n->H, k);
    for (int l = 0; l <= k; l++) {
      D[k][l] = weights ? 0 : column_dot(form, d->H + n->H, l, PH[k]);
      if (soft_D) D[k][l] += soft_D[6 * (n->u + k) + l];
    }
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
  if (p->n_open[i] == 0) return;
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

/* The bodies that body i is coupled with: their inertias, and their couplings with each other and with the parent. The
 * blocks that are open at the joint reach them. */
CDNI_INLINE void uncouple(const loop_plan *p, const tree_node *n, const tree_data *d, int i, int nu, const sv *h,
                          loop_factor *f) {
  const v3 r = d->pose[i].r;
  const real *D_inv = f->D_inv + 6 * n->u;
  const int first = p->couple_first[i], count = p->couple_first[i + 1] - first;
  for (int c = first; c < first + count; c++) {
    const int j = p->couple[c];
    const sv *C = f->C + 6 * p->couple_C[c];
    sv *E = f->E + p->couple_E[c], *E_D = f->E_D + p->couple_E[c];
    articulated_inertia *P = &f->P[j];
    for (int k = 0; k < nu; k++) {
      const real *x = &h[k].w.x;
      E[k] = sv_zero();
      for (int l = 0; l < 6; l++) E[k] = sv_fma(x[l], C[l], E[k]);
    }
    for (int k = 0; k < nu; k++) {
      E_D[k] = sv_zero();
      for (int l = 0; l < nu; l++) E_D[k] = sv_fma(D_inv[6 * k + l], E[l], E_D[k]);
    }
    for (int k = 0; k < nu; k++) {
      P->J = s3_minus_outer(P->J, E_D[k].w, E[k].w);
      P->F = m3_minus_outer(P->F, E_D[k].w, E[k].v);
      P->M = s3_minus_outer(P->M, E_D[k].v, E[k].v);
    }
    for (int b = first; b < c; b++) { /* rows: the earlier of the two, which is b's */
      sv *to = f->C + 6 * p->fill[p->fill_first[i] + (c - first) * (c - first - 1) / 2 + b - first];
      const sv *E_b = f->E_D + p->couple_E[b];
      for (int k = 0; k < nu; k++) {
        const real *x = &E_b[k].w.x;
        for (int l = 0; l < 6; l++) to[l] = sv_fma(-x[l], E[k], to[l]);
      }
    }
    for (int s = p->slot_first[i]; s < p->slot_first[i] + p->n_open[i]; s++) {
      const int b = p->slot_block[s], m = f->count[b];
      const real *v = f->v + p->slot_v[s];
      sv *K = f->K + p->slot_K[p->couple_slot[p->couple_slot_first[c] + s - p->slot_first[i]]];
      for (int e = 0; e < m; e++)
        for (int k = 0; k < nu; k++) K[e] = sv_fma(-v[e * nu + k], E_D[k], K[e]);
    }
    if (p->couple_up[c] == -1) continue;
    /* X: rows of the parent, columns of the other body */
    sv X[6] = { sv_fma(r.y, C[5], sv_fma(-r.z, C[4], C[0])),
                sv_fma(r.z, C[3], sv_fma(-r.x, C[5], C[1])),
                sv_fma(r.x, C[4], sv_fma(-r.y, C[3], C[2])),
                C[3],
                C[4],
                C[5] };
    for (int k = 0; k < nu; k++) {
      const real *g = &f->g[n->u + k].w.x;
      for (int l = 0; l < 6; l++) X[l] = sv_fma(-g[l], E[k], X[l]);
    }
    if (p->couple_up[c] == -2) {
      P->J = s3_add(P->J, (s3){ 2 * X[0].w.x, 2 * X[1].w.y, 2 * X[2].w.z, X[0].w.y + X[1].w.x, X[0].w.z + X[2].w.x,
                                X[1].w.z + X[2].w.y });
      P->M = s3_add(P->M, (s3){ 2 * X[3].v.x, 2 * X[4].v.y, 2 * X[5].v.z, X[3].v.y + X[4].v.x, X[3].v.z + X[5].v.x,
                                X[4].v.z + X[5].v.y });
      /* F by columns: rows are moments, columns forces */
      P->F.x = v3_add(P->F.x, v3_add((v3){ X[0].v.x, X[1].v.x, X[2].v.x }, X[3].w));
      P->F.y = v3_add(P->F.y, v3_add((v3){ X[0].v.y, X[1].v.y, X[2].v.y }, X[4].w));
      P->F.z = v3_add(P->F.z, v3_add((v3){ X[0].v.z, X[1].v.z, X[2].v.z }, X[5].w));
      continue;
    }
    sv *up = f->C + 6 * p->couple_up[c];
    if (p->place[n->parent] < p->place[j]) {
      for (int l = 0; l < 6; l++) up[l] = sv_add(up[l], X[l]);
      continue;
    }
    for (int l = 0; l < 6; l++)
      for (int k = 0; k < 6; k++) (&up[k].w.x)[l] += (&X[l].w.x)[k];
  }
}

/* Passes to the parent: phi (P - P H D^-1 H^T P) phi^T, and phi (K - v D^-1 H^T P). */
CDNI_INLINE void pass_on(const loop_plan *p, const tree_node *n, const tree_data *d, int i, int nu, const sv *PH,
                         bool weighted, bool keeps, loop_factor *f) {
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
    if (keeps) f->passed[i] = P;
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
                           const double *weights, const real *soft_D, bool keeps, loop_factor *f) {
  const tree_node *n = &p->tree->node[i];
  sv h[6], PH[6];
  for (int k = 0; k < nu; k++) h[k] = hinge_column(form, d->H + n->H, k);
  if (nu > 0) {
    if (!factor_joint(d, n, i, nu, form, weights, soft_D, h, PH, f)) return false;
    open_joint(p, n, i, nu, h, f);
  }
  if (n->parent > 0) pass_on(p, n, d, i, nu, PH, weights != NULL, keeps, f);
  if (p->couple_first[i] < p->couple_first[i + 1]) uncouple(p, n, d, i, nu, h, f);
  return true;
}

/* Joints of one axis and free joints have code of their own; the others share a function that reads their numbers at
 * run time. */
static __attribute__((noinline)) bool eliminate_free(const loop_plan *p, const tree_data *d, int i,
                                                     const double *weights, const real *soft_D, bool keeps,
                                                     loop_factor *f) {
  return eliminate(p, d, i, 6, HINGE_FREE, weights, soft_D, keeps, f);
}

static __attribute__((noinline)) bool eliminate_any(const loop_plan *p, const tree_data *d, int i, int nu,
                                                    hinge_form form, const double *weights, const real *soft_D,
                                                    bool keeps, loop_factor *f) {
  return eliminate(p, d, i, nu, form, weights, soft_D, keeps, f);
}

/* The flags of a block's equations: what goes on from a mix has those of the equations of constraints that it is. */
static const int32_t *flags_of(const loop_plan *p, int block, const int32_t *was_redundant, const loop_factor *f,
                               int32_t *was) {
  if (block < p->n_constraints) return was_redundant + p->first[block];
  for (int e = 0; e < f->count[block]; e++) was[e] = was_redundant[f->main[p->first[block] + e]];
  return was;
}

/* Eliminates the blocks that close in the slots from `from` on. */
static void close_all(const loop_plan *p, int from, int to, const int32_t *was_redundant, bool weighted,
                      loop_factor *f) {
  for (int s = from; s < to; s++) {
    int32_t was[LOOP_MOST_MIXED];
    const int c = p->slot_block[s];
    const int32_t *flags = was_redundant ? flags_of(p, c, was_redundant, f, was) : NULL;
    KERNEL_NAME(cdni_loop_kernel_close)(p, c, s, flags, weighted, f);
  }
}

int KERNEL_NAME(cdni_loop_kernel_factor)(const loop_plan *p, const tree_data *d, const double *weights,
                                         const real *soft_D, const int32_t *was_redundant, int island,
                                         const uint8_t *changed, loop_factor *f) {
  static const struct {
    uint8_t nu;
    hinge_form form;
  } shapes[HINGE_SHAPE_COUNT] = {
#define SHAPE(SHAPE, NU, FORM) { NU, FORM },
    HINGE_LIST(SHAPE)
#undef SHAPE
  };
  const tree *t = p->tree;
  const bool weighted = weights != NULL, keeps = changed != NULL;
  for (int at = p->island_body[island]; at < p->island_body[island + 1]; at++) {
    const int i = p->bodies[at];
    const tree_node *n = &t->node[i];
    const int closing = p->slot_first[i] + p->n_open[i];
    if (changed && !changed[i]) {
      if (changed[n->parent]) f->P[n->parent] = articulated_add(f->P[n->parent], f->passed[i]);
      continue;
    }
    if (p->n_closing[i] > 0) close_all(p, closing, closing + p->n_closing[i], was_redundant, weighted, f);
    if (weighted && p->n_open[i] == 0) continue;
    bool ok;
    if (d->prescribed && d->prescribed[i]) ok = eliminate_any(p, d, i, 0, HINGE_NONE, weights, soft_D, keeps, f);
    else if (n->shape == SHAPE_ANGULAR_1) ok = eliminate(p, d, i, 1, HINGE_ANGULAR, weights, soft_D, keeps, f);
    else if (n->shape == SHAPE_FREE) ok = eliminate_free(p, d, i, weights, soft_D, keeps, f);
    else ok = eliminate_any(p, d, i, shapes[n->shape].nu, shapes[n->shape].form, weights, soft_D, keeps, f);
    if (!ok) return i;
    for (int x = p->mix_first[at]; x < p->mix_first[at + 1]; x++)
      KERNEL_NAME(cdni_loop_kernel_mix)(p, x, was_redundant, weighted, f);
  }
  const int ground = p->slot_first[0] + p->n_open[0];
  close_all(p, ground + p->island_closing[island], ground + p->island_closing[island + 1], was_redundant, weighted, f);
  return -1;
}
