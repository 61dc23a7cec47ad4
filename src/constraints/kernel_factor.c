/* The elimination in numbers: inertias, rows and blocks, from the leaves to Ground (plan.h). */
#include "constraints/kernel.h"

#if CDNI_LANES == 1
#  include "constraints/kernel_couple.h"
#endif

/* Of a mobilizer's D, as in matter's kernels. */
static const double PIVOT = 1e-13;

/* ---- one joint ---- */

/* P times column k of H. */
CDNI_INLINE sv weighed_column(hinge_form form, const articulated_inertia *P, const real *H, int k) {
  if (form == HINGE_ANGULAR) {
    const v3 h = ((const v3 *)H)[k];
    return (sv){ s3_mul(P->J, h), m3_tmul(P->F, h) };
  }
  return articulated_mul(*P, axis(form, H, k));
}

/* D^-1 of one joint by Cholesky, rows of six; false where D is not positive definite. */
CDNI_INLINE rmask invert(int nu, real D[6][6], const real *floor, real *D_inv) {
  real L_inv[6][6];
  if (nu == 1) {
    D_inv[0] = 1.0 / D[0][0];
    return r_greater(D[0][0], floor[0]);
  }
  rmask ok = r_greater(r_set(1), r_set(0));
  for (int i = 0; i < nu; i++)
    for (int j = 0; j <= i; j++) {
      real sum = D[i][j];
      for (int k = 0; k < j; k++) sum = r_fnma(D[i][k], D[j][k], sum);
      if (i > j) D[i][j] = sum * L_inv[j][j];
      else ok &= r_greater(sum, floor[i]), L_inv[i][i] = 1.0 / r_sqrt(sum);
    }
  for (int j = 0; j < nu; j++)
    for (int i = j + 1; i < nu; i++) {
      real sum = r_set(0);
      for (int k = j; k < i; k++) sum = r_fnma(D[i][k], L_inv[k][j], sum);
      L_inv[i][j] = sum * L_inv[i][i];
    }
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      real sum = r_set(0);
      for (int k = i > j ? i : j; k < nu; k++) sum = r_fma(L_inv[k][i], L_inv[k][j], sum);
      D_inv[6 * i + j] = sum;
    }
  return ok;
}

/* D of joint i and its inverse; PH by column. */
CDNI_INLINE rmask factor_joint(const tree_data *d, const tree_node *n, int i, int nu, hinge_form form,
                               const double *weights, const real *soft_D, const sv *h, sv *PH, loop_factor *f) {
  real D[6][6], floor[6];
  const articulated_inertia *P = &f->P[i];
  const real J = weights ? r_set(0) : s3_trace(P->J), M = weights ? r_set(0) : s3_trace(P->M);
  for (int k = 0; k < nu; k++) {
    PH[k] = weights ? sv_zero() : weighed_column(form, P, d->H + n->H, k);
    for (int l = 0; l <= k; l++) {
      D[k][l] = weights ? r_set(0) : column_dot(form, d->H + n->H, l, PH[k]);
      if (soft_D) D[k][l] += soft_D[6 * k + l];
    }
    D[k][k] += weights ? r_set(weights[n->u + k]) : d->mass[i].armature;
    floor[k] = PIVOT * (J * v3_dot(h[k].w, h[k].w) + M * v3_dot(h[k].v, h[k].v));
  }
  return invert(nu, D, floor, f->D_inv + 6 * n->u);
}

/* The same for a free joint in Ground's axes. */
CDNI_INLINE rmask factor_free(const tree_data *d, const tree_node *n, int i, sv *PH, loop_factor *f) {
  const articulated_inertia P = f->P[i];
  real pivot_J, pivot_M;
  const articulated_inertia inverse = free_inverse(P, d->mass[i].armature, &pivot_J, &pivot_M);
  const s3 J = inverse.J, M = inverse.M;
  const m3 F = inverse.F;
  const real rows[36] = { J.xx,  J.xy,  J.xz,  F.x.x, F.y.x, F.z.x, J.xy,  J.yy,  J.yz,  F.x.y, F.y.y, F.z.y,
                          J.xz,  J.yz,  J.zz,  F.x.z, F.y.z, F.z.z, F.x.x, F.x.y, F.x.z, M.xx,  M.xy,  M.xz,
                          F.y.x, F.y.y, F.y.z, M.xy,  M.yy,  M.yz,  F.z.x, F.z.y, F.z.z, M.xz,  M.yz,  M.zz };
  memcpy(f->D_inv + 6 * n->u, rows, sizeof rows);
  for (int k = 0; k < 6 && n->parent > 0; k++) PH[k] = articulated_mul(P, axis(HINGE_GROUND, NULL, k));
  return r_greater(pivot_J, PIVOT * s3_trace(P.J)) & r_greater(pivot_M, PIVOT * s3_trace(P.M));
}

/* Coefficients of a block's equations on the mobilities of a free joint, in Ground's axes. */
static void turn_coefficients(m3 R, int m, real *v) {
  for (int e = 0; e < 2 * m; e++) {
    const v3 turned = m3_mul(R, v3_load(v + 3 * e));
    v[3 * e] = turned.x, v[3 * e + 1] = turned.y, v[3 * e + 2] = turned.z;
  }
}

/* The coefficients v = K H + g of the blocks open at the joint, and the matrices S += v D^-1 v^T. `scale` collects
 * the largest possible value of S_ee, as if no vectors in it were perpendicular: a force whose line passes through
 * an axis has no moment about it, but could have had one. */
CDNI_INLINE void open_joint(const loop_plan *p, const tree_data *d, const tree_node *n, int i, int nu, hinge_form form,
                            const sv *h, loop_factor *f) {
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
    if (form == HINGE_GROUND) turn_coefficients(*(const m3 *)(d->H + n->H), m, v);
    for (int e = 0; e < m; e++) {
      const real w = v3_dot(K[e].w, K[e].w) + lever[e], l = v3_dot(K[e].v, K[e].v);
      for (int k = 0; k < nu; k++) {
        const real g = v[e * nu + k];
        scale[e] += square_w[k] * w + square_v[k] * l + g * g * D_inv[6 * k + k];
        v[e * nu + k] = g + sv_dot(K[e], h[k]);
      }
      for (int k = 0; k < nu; k++) {
        real sum = r_set(0);
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
CDNI_INLINE rmask eliminate(const loop_plan *p, const tree_data *d, int i, int nu, hinge_form form,
                            const double *weights, const real *soft_D, bool keeps, loop_factor *f) {
  const tree_node *n = &p->tree->node[i];
  sv h[6], PH[6];
  for (int k = 0; k < nu; k++) h[k] = axis(form, d->H + n->H, k);
  rmask ok = r_greater(r_set(1), r_set(0));
#if CDNI_LANES == 1
  take_reached(p, i, f);
#endif
  if (form == HINGE_GROUND) ok = factor_free(d, n, i, PH, f);
  else if (nu > 0) ok = factor_joint(d, n, i, nu, form, weights, soft_D, h, PH, f);
  if (CDNI_LANES == 1 && !r_all(ok)) return ok;
  if (nu > 0) open_joint(p, d, n, i, nu, form, h, f);
  if (n->parent > 0) pass_on(p, n, d, i, nu, PH, weights != NULL, keeps, f);
#if CDNI_LANES == 1
  if (p->couple_first[i] < p->couple_first[i + 1]) uncouple(p, n, d, i, nu, form, h, f);
#endif
  return ok;
}

/* Joints of one axis, balls and free joints have code of their own; the others share a function that reads their
 * numbers at run time. */
static __attribute__((noinline)) rmask eliminate_ball(const loop_plan *p, const tree_data *d, int i,
                                                      const double *weights, const real *soft_D, bool keeps,
                                                      loop_factor *f) {
  return eliminate(p, d, i, 3, HINGE_ANGULAR, weights, soft_D, keeps, f);
}

static __attribute__((noinline)) rmask eliminate_free(const loop_plan *p, const tree_data *d, int i, bool keeps,
                                                      loop_factor *f) {
  return eliminate(p, d, i, 6, HINGE_GROUND, NULL, NULL, keeps, f);
}

/* Whether a free joint is taken in Ground's axes: unless its own mobilities have weights. These may be so large that
 * they are to stay on the diagonal. In lanes they have none. */
static bool is_in_ground(const double *weights, const real *soft_D) {
#if CDNI_LANES == 1
  real sum = 0;
  for (int k = 0; k < 6 && soft_D; k++) sum += soft_D[7 * k];
  return !weights && sum == 0;
#else
  (void)soft_D;
  return !weights;
#endif
}

static __attribute__((noinline)) rmask eliminate_any(const loop_plan *p, const tree_data *d, int i, int nu,
                                                     hinge_form form, const double *weights, const real *soft_D,
                                                     bool keeps, loop_factor *f) {
  return eliminate(p, d, i, nu, form, weights, soft_D, keeps, f);
}

#if CDNI_LANES == 1
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
#endif

/* The first body for which `ok` was false, lane by lane; -1 while there is none. */
CDNI_INLINE rmask first_failure(rmask first, rmask ok, int body) {
  const rmask keep = ok | ~(first >> 63);
  return (first & keep) | (body & ~keep);
}

CDNI_INLINE bool acts_on(const loop_weights *soft, int i) { return !soft->acts || soft->acts[i]; }
CDNI_INLINE articulated_inertia no_inertia(void) {
  const v3 o = v3_zero();
  const s3 zero = { o.x, o.x, o.x, o.x, o.x, o.x };
  return (articulated_inertia){ zero, { o, o, o }, zero };
}

/* Inertias of the bodies that are eliminated, with the weights of soft rows on them. */
static void start_inertias(const loop_plan *p, const tree_data *d, const loop_weights *soft, int island,
                           loop_factor *f) {
  for (int at = p->island_body[island]; at < p->island_body[island + 1]; at++) {
    const int i = p->bodies[at];
    if (soft->changed && !soft->changed[i]) continue;
    const articulated_inertia own = articulated_from_rigid(d->inertia[i]);
    f->P[i] = articulated_add(own, acts_on(soft, i) ? soft->P[i] : no_inertia());
  }
}

void KERNEL_NAME(cdni_loop_kernel_factor)(const loop_plan *p, const tree_data *d, const double *weights,
                                          const loop_weights *soft, const int32_t *was_redundant, int island,
                                          bool keeps, loop_factor *f, rmask *singular) {
  static const struct {
    uint8_t nu;
    hinge_form form;
  } shapes[HINGE_SHAPE_COUNT] = {
#define SHAPE(SHAPE, NU, FORM) { NU, FORM },
    HINGE_LIST(SHAPE)
#undef SHAPE
  };
  const tree *t = p->tree;
  const uint8_t *changed = soft ? soft->changed : NULL;
  static const real no_D[36]; /* added all the same: -0 becomes 0 */
  const bool weighted = weights != NULL;
  rmask first = ~r_greater(r_set(0), r_set(1)); /* -1 */
  if (soft && soft->P) start_inertias(p, d, soft, island, f);
  for (int at = p->island_body[island]; at < p->island_body[island + 1]; at++) {
    const int i = p->bodies[at];
    const tree_node *n = &t->node[i];
    if (changed && !changed[i]) {
      if (changed[n->parent]) f->P[n->parent] = articulated_add(f->P[n->parent], f->passed[i]);
      continue;
    }
    f->in_ground[i] = false;
#if CDNI_LANES == 1
    const int closing = p->slot_first[i] + p->n_open[i];
    if (p->n_closing[i] > 0) close_all(p, closing, closing + p->n_closing[i], was_redundant, weighted, f);
#endif
    if (weighted && p->n_open[i] == 0) continue;
    const real *soft_D = !soft || !soft->D ? NULL : acts_on(soft, i) ? soft->D + 6 * n->u : no_D;
    rmask ok;
    if (d->prescribed && d->prescribed[i]) ok = eliminate_any(p, d, i, 0, HINGE_NONE, weights, soft_D, keeps, f);
    else if (n->shape == SHAPE_ANGULAR_1) ok = eliminate(p, d, i, 1, HINGE_ANGULAR, weights, soft_D, keeps, f);
    else if (n->shape == SHAPE_ANGULAR_3) ok = eliminate_ball(p, d, i, weights, soft_D, keeps, f);
    else if (n->shape == SHAPE_FREE && (f->in_ground[i] = is_in_ground(weights, soft_D)))
      ok = eliminate_free(p, d, i, keeps, f);
    else ok = eliminate_any(p, d, i, shapes[n->shape].nu, shapes[n->shape].form, weights, soft_D, keeps, f);
    first = first_failure(first, ok, i);
    *singular = first;
#if CDNI_LANES == 1
    if (!ok) return;
    for (int x = p->mix_first[at]; x < p->mix_first[at + 1]; x++)
      KERNEL_NAME(cdni_loop_kernel_mix)(p, x, was_redundant, weighted, f);
#endif
  }
  *singular = first;
#if CDNI_LANES == 1
  const int ground = p->slot_first[0] + p->n_open[0];
  close_all(p, ground + p->island_closing[island], ground + p->island_closing[island + 1], was_redundant, weighted, f);
#else
  (void)was_redundant;
#endif
}

#if CDNI_LANES == 1
/* The last one eliminated comes first: what the others have is then what they had. */
void KERNEL_NAME(cdni_loop_kernel_give_back)(const loop_plan *p, const tree_data *d, int island, const uint8_t *changed,
                                             loop_factor *f) {
  for (int at = p->island_body[island + 1] - 1; at >= p->island_body[island]; at--) {
    const int i = p->bodies[at];
    const tree_node *n = &p->tree->node[i];
    if (!changed[i] || p->couple_first[i] == p->couple_first[i + 1]) continue;
    if (f->in_ground[i]) give_back(p, n, d, i, 6, HINGE_GROUND, f);
    else if (n->shape == SHAPE_ANGULAR_3 && !(d->prescribed && d->prescribed[i]))
      give_back(p, n, d, i, 3, HINGE_ANGULAR, f);
    else give_back(p, n, d, i, d->prescribed && d->prescribed[i] ? 0 : n->nu, HINGE_NONE, f);
  }
}
#endif
