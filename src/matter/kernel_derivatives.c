/* The recursion behind the derivatives of inverse dynamics, block by block: derivatives.h tells the idea. */
#include "matter/kernel.h"

#if CDNI_LANES == 1
#  include "matter/derivatives.h"
#  include "matter/kernel_blocks.h"

CDNI_INLINE sv sv_cross(sv a, sv b) { return (sv){ v3_cross(a.w, b.w), v3_cross_add(a.w, b.v, v3_cross(a.v, b.w)) }; }

/* ---- one body ---- */

/* A body's own sums. */
CDNI_INLINE void own_sums(body_sums *s, rigid_inertia B, sv A, v3 w, sv force) {
  s->I = B;
  s->h = v3_cross(w, B.mc);
  /* K = [w x] J with the second moments J = trace(I)/2 - I */
  const real t = 0.5 * s3_trace(B.I);
  s->K = (m3){ v3_cross(w, (v3){ t - B.I.xx, -B.I.xy, -B.I.xz }), v3_cross(w, (v3){ -B.I.xy, t - B.I.yy, -B.I.yz }),
               v3_cross(w, (v3){ -B.I.xz, -B.I.yz, t - B.I.zz }) };
  s->F = sv_sub(rigid_newton_euler(B, A, w), force);
  s->A = (m3){ v3_zero(), v3_zero(), v3_zero() };
  s->f = v3_zero();
}

void KERNEL(derivatives_start)(const derivative_pass *p, const tree_data *d, const sv *force) {
  p->A[0] = sv_zero();
  for (int i = 1; i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    mobility_motion *s = p->motion + n->u;
    sv A = d->twist[i].a_cor, S[6];
    if (n->parent > 0) A = sv_add(sv_shift_motion(p->A[n->parent], d->pose[i].r), A);
    block_columns(n, d->H, S);
    for (int k = 0; k < n->nu; k++) {
      s[k].S = S[k];
      if (p->udot) A = sv_fma(p->udot[n->u + k], S[k], A);
    }
    p->A[i] = A;
    own_sums(&p->sum[i], d->inertia[i], A, d->twist[i].V.w, force[i]);
  }
}

/* In the frame that moves with M's origin; there the parent's velocity is V minus the joint's own part. */
void KERNEL(derivatives_motion)(const derivative_pass *p) {
  for (int i = 1; i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    mobility_motion *s = p->motion + n->u;
    const sv *turn = p->turn + 6 * n->u;
    const real *u = p->u + n->u, *udot = p->udot ? p->udot + n->u : NULL;
    const sv A = p->A[i], V = { p->twist[i].V.w, v3_zero() };
    sv V_P = V;
    for (int k = 0; k < n->nu; k++) V_P = sv_fma(-u[k], s[k].S, V_P);
    for (int l = 0; l < n->nu; l++) {
      const sv S = s[l].S;
      /* V has no linear part. */
      sv eta = { v3_cross(V.w, S.w), v3_cross(V.w, S.v) }, alpha = sv_cross(A, S);
      sv beta = sv_cross(sv_add(V, V_P), S);
      if (p->turns[i]) {
        sv d_V = sv_zero(), d_A = p->turn_c[n->u + l]; /* of the joint's own part of V and A */
        for (int k = 0; k < n->nu; k++) {
          const sv T = turn[6 * l + k];
          d_V = sv_fma(u[k], T, d_V);
          if (udot) d_A = sv_fma(udot[k], T, d_A);
          beta = sv_fma(u[k], sv_add(T, turn[6 * k + l]), beta);
        }
        eta = sv_add(eta, d_V);
        alpha = sv_add(alpha, sv_add(d_A, sv_cross(V_P, d_V)));
      }
      s[l].eta = eta;
      s[l].alpha = (sv){ v3_cross_add(V.w, eta.w, alpha.w), v3_cross_add(V.w, eta.v, alpha.v) };
      s[l].beta = beta;
    }
  }
}

/* ---- sums inwards ---- */

CDNI_INLINE sv response_mul(const response *R, sv x) {
  sv F = { v3_scale(x.w.x, R->by[0].w), v3_scale(x.w.x, R->by[0].v) };
  const real more[5] = { x.w.y, x.w.z, x.v.x, x.v.y, x.v.z };
  for (int k = 0; k < 5; k++) F = sv_fma(more[k], R->by[k + 1], F);
  return F;
}

/* R^T S */
CDNI_INLINE sv response_tmul(const response *R, sv S) {
  return (sv){ { sv_dot(R->by[0], S), sv_dot(R->by[1], S), sv_dot(R->by[2], S) },
               { sv_dot(R->by[3], S), sv_dot(R->by[4], S), sv_dot(R->by[5], S) } };
}

/* Adds R, about a point at r, to a response about the origin. */
static void response_add_shifted(response *to, const response *R, v3 r) {
  static const v3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  for (int k = 0; k < 3; k++) {
    const sv turn = response_mul(R, (sv){ unit[k], v3_cross(unit[k], r) });
    to->by[k] = sv_add(to->by[k], sv_shift_force(turn, r));
    to->by[3 + k] = sv_add(to->by[3 + k], sv_shift_force(R->by[3 + k], r));
  }
}

CDNI_INLINE m3 m3_add(m3 A, m3 B) { return (m3){ v3_add(A.x, B.x), v3_add(A.y, B.y), v3_add(A.z, B.z) }; }

static void add_to_parent(const derivative_pass *p, int i) {
  const int parent = p->node[i].parent;
  const v3 r = p->pose[i].r, d = v3_sub(p->twist[i].V.v, p->twist[parent].V.v);
  const body_sums *s = &p->sum[i];
  body_sums *to = &p->sum[parent];
  const rigid_inertia I = rigid_shift(s->I, r);
  to->I = rigid_add(to->I, I);
  /* sum m (v + d)(r' + r)^T */
  to->K = m3_add(to->K, m3_plus_outer(m3_plus_outer(s->K, s->h, r), d, I.mc));
  to->h = v3_add(to->h, v3_fma(s->I.m, d, s->h));
  to->F = sv_add(to->F, sv_shift_force(s->F, r));
  m3 A = m3_plus_outer(s->A, v3_neg(s->f), r);
  const real rf = v3_dot(r, s->f);
  A.x.x += rf, A.y.y += rf, A.z.z += rf;
  to->A = m3_add(to->A, A);
  to->f = v3_add(to->f, s->f);
  if (!p->has_responses) return;
  response_add_shifted(&p->by_place[parent], &p->by_place[i], r);
  response_add_shifted(&p->by_motion[parent], &p->by_motion[i], r);
}

/* ---- mobilities of a block side by side, about the M origin of its last body and in the frame that moves with it
 * ---- */

/* Components of receivers; each is a run of eight numbers, or of one for a lone mobility. By q the first twelve are
 * multiplied with M_, B_ and L_ of senders, by u the nine from BETA on with M_ and B_. */
enum {
  ALPHA = 0,
  ETA = 6, /* angular part */
  S_ = 9,
  REST = 15, /* eta's linear part in Ground's own inertial frame */
  BETA = 18,
  TURN = 24, /* S's angular part again */
  MET = 27
};
/* Components of senders, passed inwards: forces by the mobility's own motion, and projections of quantities that
 * move. */
enum {
  M_ = 0, /* I S */
  B_ = 6, /* B^T S, */
  L_ = 9, /* (A, f)^T S */
  DF_Q = 12,
  DF_U = 18, /* change of the transmitted force by this q, and by this u */
  PLACE = 24,
  MOTION = 30, /* less responses^T S */
  SENT = 36
};

/* Numbers of the n mobilities of a block; runs of eight or of one are constants wherever these are inlined. */
typedef struct side {
  double *x;
  int n, run;
} side;
CDNI_INLINE side side_from(side a, int component) { return (side){ a.x + component * a.run, a.n, a.run }; }
CDNI_INLINE wide side_wide(side a, int component) { return wide_load(a.x + component * WIDE); }

CDNI_INLINE void side_put3(side a, int component, int at, v3 x) {
  double *to = a.x + component * a.run + at;
  to[0] = x.x, to[a.run] = x.y, to[2 * a.run] = x.z;
}
CDNI_INLINE void side_put(side a, int component, int at, sv x) {
  side_put3(a, component, at, x.w);
  side_put3(a, component + 3, at, x.v);
}

typedef struct met_block {
  double *x;
  v3 reach; /* from the parent block's origin */
} met_block;

/* eta's linear part in Ground's own inertial frame. */
CDNI_INLINE v3 eta_at_rest(const derivative_pass *p, int body, const mobility_motion *s) {
  return v3_sub(s->eta.v, v3_cross(s->S.w, p->twist[body].V.v));
}

CDNI_INLINE void fill_met(const derivative_pass *p, const tree_block *b, met_block *m, int run) {
  const side c = { m->x, b->nu, run };
  v3 r = v3_zero();
  if (run == WIDE && b->nu < WIDE) memset(c.x, 0, MET * WIDE * sizeof *c.x);
  for (int i = b->end - 1; i >= b->first; i--) {
    const tree_node *n = &p->node[i];
    const v3 v = v3_sub(p->twist[b->end - 1].V.v, p->twist[i].V.v);
    for (int k = 0; k < n->nu; k++) {
      const mobility_motion *s = &p->motion[n->u + k];
      const int at = n->u - b->u + k;
      sv alpha = sv_shift_motion(s->alpha, r), beta = sv_shift_motion(s->beta, r);
      alpha.v = v3_fma(2.0, v3_cross(s->eta.w, v), alpha.v);
      beta.v = v3_fma(2.0, v3_cross(s->S.w, v), beta.v);
      side_put(c, ALPHA, at, alpha);
      side_put3(c, ETA, at, s->eta.w);
      side_put(c, S_, at, sv_shift_motion(s->S, r));
      side_put(c, BETA, at, beta);
      side_put3(c, TURN, at, s->S.w);
      if (p->has_responses) side_put3(c, REST, at, sv_shift_motion((sv){ s->eta.w, eta_at_rest(p, i, s) }, r).v);
    }
    r = v3_add(r, p->pose[i].r);
  }
  m->reach = r;
}

/* Mobility k of body i, whose sums are complete. r leads from M's origin to the block's origin, which moves faster
 * by v. */
CDNI_INLINE void fill_sent_by(const derivative_pass *p, int i, int k, int at, v3 r, v3 v, side x) {
  const mobility_motion *s = &p->motion[p->node[i].u + k];
  const body_sums *c = &p->sum[i];
  const v3 w = s->S.w, e = s->eta.w, back = v3_neg(r);
  const real t = 2.0 * (c->K.x.x + c->K.y.y + c->K.z.z);
  const sv Be = { v3_fma(t, e, v3_scale(-2.0, m3_mul(c->K, e))), v3_scale(2.0, v3_cross(e, c->h)) };
  const sv Bw = { v3_fma(t, w, v3_scale(-2.0, m3_mul(c->K, w))), v3_scale(2.0, v3_cross(w, c->h)) };
  const sv turn = { m3_mul(c->A, w), v3_cross(w, c->f) };
  const sv m = rigid_mul(c->I, s->S);
  sv dF_q = sv_add(sv_add(sv_carry_force(s->S, c->F), turn), sv_add(Be, rigid_mul(c->I, s->alpha)));
  sv dF_u = sv_add(Bw, rigid_mul(c->I, s->beta));
  const v3 b = v3_add(v3_fma(t, w, v3_scale(-2.0, m3_tmul(c->K, w))),
                      v3_scale(2.0, v3_sub(v3_cross(c->h, s->S.v), v3_cross(v, m.v))));
  if (p->has_responses) {
    const response *place = &p->by_place[i], *motion = &p->by_motion[i];
    const sv rest = { e, eta_at_rest(p, i, s) };
    dF_q = sv_sub(dF_q, sv_add(response_mul(place, s->S), response_mul(motion, rest)));
    dF_u = sv_sub(dF_u, response_mul(motion, s->S));
    side_put(x, PLACE, at, sv_shift_force(sv_neg(response_tmul(place, s->S)), back));
    side_put(x, MOTION, at, sv_shift_force(sv_neg(response_tmul(motion, s->S)), back));
  }
  side_put(x, M_, at, sv_shift_force(m, back));
  side_put3(x, B_, at, b);
  side_put3(x, L_, at, v3_add(m3_tmul(c->A, w), v3_cross(c->f, s->S.v)));
  side_put(x, DF_Q, at, sv_shift_force(dF_q, back));
  side_put(x, DF_U, at, sv_shift_force(dF_u, back));
}

CDNI_INLINE void fill_sent(const derivative_pass *p, const tree_block *b, side x) {
  v3 r = v3_zero();
  if (x.run == WIDE && b->nu < WIDE) memset(x.x, 0, SENT * WIDE * sizeof *x.x);
  for (int i = b->end - 1; i >= b->first; i--) {
    const tree_node *n = &p->node[i];
    const v3 v = v3_sub(p->twist[b->end - 1].V.v, p->twist[i].V.v);
    for (int k = 0; k < n->nu; k++) fill_sent_by(p, i, k, n->u - b->u + k, r, v, x);
    r = v3_add(r, p->pose[i].r);
    if (n->parent > 0) add_to_parent(p, i);
  }
}

/* Angular parts, as they were at the block's own origin: of M_, B_, DF_Q, DF_U, PLACE, MOTION. */
enum { KEPT = 18 };
static const int kept_at[KEPT / 3] = { M_, B_, DF_Q, DF_U, PLACE, MOTION };

CDNI_INLINE void keep(side kept, side x, bool responses) {
  for (int e = 0; e < (responses ? 6 : 4); e++)
    for (int k = 0; k < 3 * x.run; k++) kept.x[3 * e * x.run + k] = x.x[kept_at[e] * x.run + k];
}

/* x's component `w` = the kept component + r x component `v` */
CDNI_INLINE void shift_w(side x, int w, side kept, int e, int v, v3 r) {
  if (x.run == 1) {
    side_put3(x, w, 0, v3_cross_add(r, v3_load(x.x + v), v3_load(kept.x + 3 * e)));
    return;
  }
  const wide3 f = { side_wide(x, v), side_wide(x, v + 1), side_wide(x, v + 2) };
  const wide3 m = { side_wide(kept, 3 * e), side_wide(kept, 3 * e + 1), side_wide(kept, 3 * e + 2) };
  const wide3 moved = wide3_cross_add(r, f, m);
  wide_store(x.x + w * WIDE, moved.x);
  wide_store(x.x + (w + 1) * WIDE, moved.y);
  wide_store(x.x + (w + 2) * WIDE, moved.z);
}

/* The sender's components at an arm's length inwards, in a frame that moves slower by v. Every moment is computed
 * from the first one and the whole arm, so that only the arm is summed from block to block. */
CDNI_INLINE void shift_sent(side x, side kept, v3 arm, v3 v, bool responses) {
  shift_w(x, M_, kept, 0, M_ + 3, arm);
  shift_w(x, B_, kept, 1, M_ + 3, v3_add(v, v));
  shift_w(x, DF_Q, kept, 2, DF_Q + 3, arm);
  shift_w(x, DF_U, kept, 3, DF_U + 3, arm);
  if (!responses) return;
  shift_w(x, PLACE, kept, 4, PLACE + 3, arm);
  shift_w(x, MOTION, kept, 5, MOTION + 3, arm);
}

/* ---- the matrices ---- */

/* Sum over n components of number a of A times all of B, a wide side. */
CDNI_INLINE wide side_sum(int n, side A, int a, side B, wide sum) {
  for (int k = 0; k < n; k++) sum = wide_fma(wide_set(A.x[k * A.run + a]), side_wide(B, k), sum);
  return sum;
}
CDNI_INLINE wide side_dot(int n, side A, int a, side B) {
  return side_sum(n - 1, side_from(A, 1), a, side_from(B, 1), wide_mul(wide_set(A.x[a]), side_wide(B, 0)));
}

CDNI_INLINE void block_add(double *to, wide a, int n) {
  if (n == WIDE) wide_store(to, wide_add(wide_load(to), a));
  else wide_store_part(to, wide_add(wide_load_part(to, n), a), n);
}

/* += A^T B of n components, into a matrix with rows of `size`. A few columns take a simpler path. */
CDNI_INLINE void add_product(int n, side A, side B, double *to, size_t size) {
  if (A.run == 1 && B.run == 1) {
    double sum = A.x[0] * B.x[0];
    for (int k = 1; k < n; k++) sum = r_fma(A.x[k], B.x[k], sum);
    *to += sum;
  } else if (B.n <= 2 && B.n < A.n) {
    for (int b = 0; b < B.n; b++) {
      double all[WIDE];
      wide_store(all, side_dot(n, B, b, A));
      for (int k = 0; k < A.n; k++) to[(size_t)k * size + (size_t)b] += all[k];
    }
  } else {
    for (int a = 0; a < A.n; a++) block_add(to + (size_t)a * size, side_dot(n, A, a, B), B.n);
  }
}

/* Multiplies the sender's components of block b with the receiver's components of a block inboard. */
CDNI_INLINE void meet(const derivative_pass *p, const tree_block *b, side x, const tree_block *inner, side c) {
  const size_t nu = (size_t)p->m->tree.nu;
  const size_t row = (size_t)b->u * nu + (size_t)inner->u, column = (size_t)inner->u * nu + (size_t)b->u;
  const side S = side_from(c, S_);
  if (p->dq) {
    add_product(12, x, c, p->dq + row, nu);
    add_product(6, S, side_from(x, DF_Q), p->dq + column, nu);
    if (p->has_responses) {
      add_product(6, side_from(x, PLACE), S, p->dq + row, nu);
      add_product(3, side_from(x, MOTION), side_from(c, ETA), p->dq + row, nu);
      add_product(3, side_from(x, MOTION + 3), side_from(c, REST), p->dq + row, nu);
    }
  }
  if (p->du) {
    add_product(9, x, side_from(c, BETA), p->du + row, nu);
    add_product(6, S, side_from(x, DF_U), p->du + column, nu);
    if (p->has_responses) add_product(6, side_from(x, MOTION), S, p->du + row, nu);
  }
  if (p->M) {
    add_product(6, x, S, p->M + row, nu);
    add_product(6, S, x, p->M + column, nu);
  }
}

/* Mobility a of a block (of a body whose first mobility is `first`) with the whole block: mobilities of bodies
 * inboard receive, the others send. */
CDNI_INLINE void own_row(const derivative_pass *p, const tree_block *b, side x, side c, int a, int first) {
  const size_t at = (size_t)(b->u + a) * (size_t)p->m->tree.nu + (size_t)b->u;
  const side S = side_from(c, S_);
  if (p->dq) {
    wide met = side_dot(12, x, a, c);
    if (p->has_responses) {
      met = side_sum(6, side_from(x, PLACE), a, S, met);
      met = side_sum(3, side_from(x, MOTION), a, side_from(c, ETA), met);
      met = side_sum(3, side_from(x, MOTION + 3), a, side_from(c, REST), met);
    }
    block_add(p->dq + at, wide_first(first, met, side_dot(6, S, a, side_from(x, DF_Q))), b->nu);
  }
  if (p->du) {
    wide met = side_dot(9, x, a, side_from(c, BETA));
    if (p->has_responses) met = side_sum(6, side_from(x, MOTION), a, S, met);
    block_add(p->du + at, wide_first(first, met, side_dot(6, S, a, side_from(x, DF_U))), b->nu);
  }
  if (p->M) block_add(p->M + at, wide_first(a, side_dot(6, x, a, S), side_dot(6, S, a, x)), b->nu);
}

CDNI_INLINE void own_rows(const derivative_pass *p, const tree_block *b, side x, side c, const body_mass *mass) {
  const size_t nu = (size_t)p->m->tree.nu;
  for (int i = b->first; i < b->end; i++) {
    const tree_node *n = &p->node[i];
    for (int k = 0; k < n->nu; k++) {
      const size_t row = (size_t)(n->u + k) * nu, diagonal = row + (size_t)(n->u + k);
      if (x.run == WIDE) {
        own_row(p, b, x, c, n->u - b->u + k, n->u - b->u);
      } else {
        const side S = side_from(c, S_);
        if (p->dq) add_product(6, S, side_from(x, DF_Q), p->dq + diagonal, nu);
        if (p->du) add_product(6, S, side_from(x, DF_U), p->du + diagonal, nu);
        if (p->M) add_product(6, S, x, p->M + diagonal, nu);
      }
      if (p->M) p->M[diagonal] += mass[i].armature;
      /* Column k of H turns with mobility l. */
      for (int l = 0; p->dq && p->turns[i] && l < n->nu; l++)
        p->dq[row + (size_t)(n->u + l)] += sv_dot(p->turn[6 * (n->u + l) + k], p->sum[i].F);
    }
  }
}

/* Room for a block's numbers, in whole cache lines. */
static size_t met_size(const tree_block *b) { return b->nu > 1 ? MET * WIDE : (MET + WIDE - 1) / WIDE * WIDE; }
static size_t ends_size(const tree *t) { return cdni_aligned((size_t)t->n_blocks * sizeof(met_block)); }

size_t KERNEL(derivatives_scratch)(const tree *t) {
  size_t numbers = 0;
  for (int k = 0; k < t->n_blocks; k++) numbers += met_size(&t->block[k]);
  return ends_size(t) + numbers * sizeof(double);
}

CDNI_INLINE void fill_block(const derivative_pass *p, const tree_block *b, const body_mass *mass, const met_block *met,
                            double *own, int run) {
  const tree *t = &p->m->tree;
  double numbers[(SENT + KEPT) * WIDE] __attribute__((aligned(64)));
  const side x = { numbers, b->nu, run }, kept = side_from(x, SENT);
  v3 arm = met[b - t->block].reach;
  fill_sent(p, b, x);
  own_rows(p, b, x, (side){ own, b->nu, run }, mass);
  if (b->parent < 0 || b->nu == 0) return;
  keep(kept, x, p->has_responses);
  for (int j = b->parent; j >= 0; j = t->block[j].parent) {
    const tree_block *inner = &t->block[j];
    shift_sent(x, kept, arm, v3_sub(p->twist[b->end - 1].V.v, p->twist[inner->end - 1].V.v), p->has_responses);
    if (inner->nu > 1) meet(p, b, x, inner, (side){ met[j].x, inner->nu, WIDE });
    else if (inner->nu == 1) meet(p, b, x, inner, (side){ met[j].x, 1, 1 });
    arm = v3_add(arm, met[j].reach);
  }
}

static __attribute__((noinline)) void fill_many(const derivative_pass *p, const tree_block *b, const body_mass *mass,
                                                const met_block *met, double *own) {
  fill_block(p, b, mass, met, own, WIDE);
}
static __attribute__((noinline)) void fill_lone(const derivative_pass *p, const tree_block *b, const body_mass *mass,
                                                const met_block *met, double *own) {
  fill_block(p, b, mass, met, own, 1);
}

void KERNEL(derivatives_fill)(const derivative_pass *p, const body_mass *mass, void *scratch) {
  const tree *t = &p->m->tree;
  met_block *met = scratch;
  double *numbers = (double *)((char *)scratch + ends_size(t));
  for (int k = 0; k < t->n_blocks; k++) {
    const tree_block *b = &t->block[k];
    met[k].x = numbers;
    numbers += met_size(b);
    if (b->nu > 1) fill_met(p, b, &met[k], WIDE);
    else fill_met(p, b, &met[k], 1);
  }
  for (int k = t->n_blocks - 1; k >= 0; k--) {
    const tree_block *b = &t->block[k];
    if (b->nu > 1) fill_many(p, b, mass, met, met[k].x);
    else fill_lone(p, b, mass, met, met[k].x);
  }
}

#endif
