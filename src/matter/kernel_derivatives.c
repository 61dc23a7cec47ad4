/* The recursion behind the derivatives of inverse dynamics, block by block: derivatives.h tells the idea. */
#include "matter/kernel.h"

#if CDNI_LANES == 1
#  include "matter/kernel_derivatives_sides.h"

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
    const uint8_t *carried = p->carried + n->u;
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
          const bool carries = carried[k] >> l & 1, is_carried = carried[l] >> k & 1;
          const sv T = turn[6 * l + k];
          if (carries) d_V = sv_fma(u[k], T, d_V);
          if (carries && udot) d_A = sv_fma(udot[k], T, d_A);
          if (carries || is_carried) beta = sv_fma(u[k], sv_add(T, turn[6 * k + l]), beta);
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

/* ---- blocks ---- */

typedef struct met_block {
  double *x;
  v3 reach; /* from the parent block's origin */
} met_block;

/* eta's linear part in Ground's own inertial frame. */
CDNI_INLINE v3 eta_at_rest(const derivative_pass *p, int body, const mobility_motion *s) {
  return v3_sub(s->eta.v, v3_cross(s->S.w, p->twist[body].V.v));
}

enum { MOTION_NUMBERS = sizeof(mobility_motion) / sizeof(double), SUM_NUMBERS = sizeof(body_sums) / sizeof(double) };

CDNI_INLINE int32_t *side_body(side c) { return (int32_t *)(void *)(c.x + BODY * c.run); }
CDNI_INLINE v3 side_get3(side c, int component, int at) {
  const double *from = c.x + component * c.run + at;
  return (v3){ from[0], from[c.run], from[2 * c.run] };
}
CDNI_INLINE wide3 side_wide3(side c, int component) { return wide3_load(c.x + component * WIDE); }

/* Where the mobilities of a block are. Returns how far the block's origin is from that of its parent block. Places
 * after the last repeat the first: their numbers are used by nobody. */
CDNI_INLINE v3 find_places(const derivative_pass *p, const tree_block *b, side c) {
  int32_t *body = side_body(c);
  v3 r = v3_zero();
  for (int i = b->end - 1; i >= b->first; i--) {
    const tree_node *n = &p->node[i];
    const v3 v = v3_sub(p->twist[b->end - 1].V.v, p->twist[i].V.v);
    for (int k = n->u - b->u; k < n->u - b->u + n->nu; k++) {
      body[k] = i;
      side_put3(c, PLACE_R, k, r);
      side_put3(c, PLACE_V, k, v);
    }
    r = v3_add(r, p->pose[i].r);
  }
  for (int k = b->nu; b->nu > 0 && k < c.run; k++) {
    body[k] = body[0];
    side_put3(c, PLACE_R, k, side_get3(c, PLACE_R, 0));
    side_put3(c, PLACE_V, k, side_get3(c, PLACE_V, 0));
  }
  return r;
}

CDNI_INLINE void load_motion(const derivative_pass *p, const tree_block *b, wide motion[MOTION_NUMBERS]) {
  const double *row[WIDE];
  for (int e = 0; e < MOTION_NUMBERS; e += WIDE) {
    for (int k = 0; k < WIDE; k++) row[k] = (const double *)(p->motion + b->u + (k < b->nu ? k : 0)) + e;
    wide_columns(row, motion + e);
  }
}
CDNI_INLINE void load_sums(const derivative_pass *p, const int32_t *body, wide sums[SUM_NUMBERS]) {
  const double *row[WIDE];
  for (int e = 0; e < SUM_NUMBERS; e += WIDE) {
    for (int k = 0; k < WIDE; k++) row[k] = (const double *)(p->sum + body[k]) + e;
    wide_columns(row, sums + e);
  }
}

CDNI_INLINE void fill_met(const derivative_pass *p, const tree_block *b, side c) {
  if (c.run == WIDE) {
    wide motion[MOTION_NUMBERS];
    load_motion(p, b, motion);
    wide3_receive(c, motion, side_wide3(c, PLACE_R), side_wide3(c, PLACE_V));
  } else {
    lone_receive(c, (const double *)(p->motion + b->u), side_get3(c, PLACE_R, 0), side_get3(c, PLACE_V, 0));
  }
  for (int k = 0; p->has_responses && k < b->nu; k++) {
    const mobility_motion *s = &p->motion[b->u + k];
    const sv rest = { s->eta.w, eta_at_rest(p, side_body(c)[k], s) };
    side_put3(c, REST, k, sv_shift_motion(rest, side_get3(c, PLACE_R, k)).v);
  }
}

/* PLACE and MOTION of the block's mobilities, and what they take from DF_Q and DF_U. */
static __attribute__((noinline)) void fill_responses(const derivative_pass *p, const tree_block *b, side c, side x,
                                                     side less) {
  for (int k = 0; k < b->nu; k++) {
    const int i = side_body(c)[k];
    const mobility_motion *s = &p->motion[b->u + k];
    const response *place = &p->by_place[i], *motion = &p->by_motion[i];
    const sv rest = { s->eta.w, eta_at_rest(p, i, s) };
    const v3 back = v3_neg(side_get3(c, PLACE_R, k));
    side_put(less, 0, k, sv_add(response_mul(place, s->S), response_mul(motion, rest)));
    side_put(less, 6, k, response_mul(motion, s->S));
    side_put(x, PLACE, k, sv_shift_force(sv_neg(response_tmul(place, s->S)), back));
    side_put(x, MOTION, k, sv_shift_force(sv_neg(response_tmul(motion, s->S)), back));
  }
}

/* c: what the block receives; its places are there. */
CDNI_INLINE void fill_sent(const derivative_pass *p, const tree_block *b, side c, side x) {
  wide numbers[12];
  const side less = { (double *)numbers, b->nu, x.run };
  if (p->has_responses) {
    memset(numbers, 0, sizeof numbers);
    fill_responses(p, b, c, x, less);
  }
  if (x.run == WIDE) {
    wide motion[MOTION_NUMBERS], sums[SUM_NUMBERS];
    load_motion(p, b, motion);
    load_sums(p, side_body(c), sums);
    wide3_send(x, motion, sums, p->has_responses ? numbers : NULL, side_wide3(c, PLACE_R), side_wide3(c, PLACE_V));
  } else {
    lone_send(x, (const double *)(p->motion + b->u), (const double *)(p->sum + side_body(c)[0]),
              p->has_responses ? less.x : NULL, side_get3(c, PLACE_R, 0), side_get3(c, PLACE_V, 0));
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

/* The mobilities of a block with each other, into a matrix: those of bodies inboard receive, the others send. first:
 * the first mobility of each one's body. */
CDNI_INLINE void own_dq(const derivative_pass *p, side x, side c, const int *first, double *to, size_t size) {
  const side S = side_from(c, S_);
  wide met[MOST_COMPONENTS], df[6];
  side_load(12, c, met);
  side_load(6, side_from(x, DF_Q), df);
  for (int a = 0; a < x.n; a++) {
    wide sum = side_dot(12, x, a, met);
    if (p->has_responses) {
      wide S_all[6], rest[6];
      side_load(6, S, S_all);
      side_load(3, side_from(c, ETA), rest);
      side_load(3, side_from(c, REST), rest + 3);
      sum = side_sum(6, side_from(x, PLACE), a, S_all, sum);
      sum = side_sum(6, side_from(x, MOTION), a, rest, sum);
    }
    block_add(to + (size_t)a * size, wide_first(first[a], sum, side_dot(6, S, a, df)), x.n);
  }
}

CDNI_INLINE void own_du(const derivative_pass *p, side x, side c, const int *first, double *to, size_t size) {
  const side S = side_from(c, S_);
  wide met[9], df[6];
  side_load(9, side_from(c, BETA), met);
  side_load(6, side_from(x, DF_U), df);
  for (int a = 0; a < x.n; a++) {
    wide sum = side_dot(9, x, a, met);
    if (p->has_responses) {
      wide S_all[6];
      side_load(6, S, S_all);
      sum = side_sum(6, side_from(x, MOTION), a, S_all, sum);
    }
    block_add(to + (size_t)a * size, wide_first(first[a], sum, side_dot(6, S, a, df)), x.n);
  }
}

CDNI_INLINE void own_M(side x, side c, double *to, size_t size) {
  const side S = side_from(c, S_);
  wide met[6], m[6];
  side_load(6, S, met);
  side_load(6, x, m);
  for (int a = 0; a < x.n; a++)
    block_add(to + (size_t)a * size, wide_first(a, side_dot(6, x, a, met), side_dot(6, S, a, m)), x.n);
}

/* The same of a lone mobility, which only sends. */
CDNI_INLINE void own_lone(const derivative_pass *p, side x, side c, size_t at, size_t size) {
  const side S = side_from(c, S_);
  if (p->dq) add_product(6, S, side_from(x, DF_Q), p->dq + at, size);
  if (p->du) add_product(6, S, side_from(x, DF_U), p->du + at, size);
  if (p->M) add_product(6, S, x, p->M + at, size);
}

CDNI_INLINE void own_rows(const derivative_pass *p, const tree_block *b, side x, side c, const body_mass *mass) {
  const size_t nu = (size_t)p->m->tree.nu, at = (size_t)b->u * nu + (size_t)b->u;
  int first[WIDE];
  for (int i = b->first; i < b->end; i++)
    for (int k = 0; k < p->node[i].nu; k++) first[p->node[i].u - b->u + k] = p->node[i].u - b->u;
  if (x.run == WIDE) {
    if (p->dq) own_dq(p, x, c, first, p->dq + at, nu);
    if (p->du) own_du(p, x, c, first, p->du + at, nu);
    if (p->M) own_M(x, c, p->M + at, nu);
  } else {
    own_lone(p, x, c, at, nu);
  }
  for (int i = b->first; i < b->end; i++) {
    const tree_node *n = &p->node[i];
    for (int k = 0; k < n->nu; k++) {
      const size_t row = (size_t)(n->u + k) * nu;
      if (p->M) p->M[row + (size_t)(n->u + k)] += mass[i].armature;
      /* Column k of H turns with mobility l. */
      for (int l = 0; p->dq && p->turns[i] && l < n->nu; l++)
        p->dq[row + (size_t)(n->u + l)] += sv_dot(p->turn[6 * (n->u + l) + k], p->sum[i].F);
    }
  }
}

/* Room for a block's numbers, in whole cache lines. */
static int run_of(const tree_block *b) { return b->nu > 1 ? WIDE : 1; }
static size_t met_size(const tree_block *b) { return ((size_t)(MET * run_of(b)) + WIDE - 1) / WIDE * WIDE; }
static size_t ends_size(const tree *t) { return cdni_aligned((size_t)t->n_blocks * sizeof(met_block)); }

size_t KERNEL(derivatives_scratch)(const tree *t) {
  size_t numbers = 0;
  for (int k = 0; k < t->n_blocks; k++) numbers += met_size(&t->block[k]);
  return ends_size(t) + numbers * sizeof(double);
}

CDNI_INLINE void fill_block(const derivative_pass *p, const tree_block *b, const body_mass *mass, const met_block *met,
                            int run) {
  const tree *t = &p->m->tree;
  double numbers[(SENT + KEPT) * WIDE] __attribute__((aligned(64)));
  const side x = { numbers, b->nu, run }, kept = side_from(x, SENT), c = { met[b - t->block].x, b->nu, run };
  v3 arm = met[b - t->block].reach;
  fill_sent(p, b, c, x);
  own_rows(p, b, x, c, mass);
  if (b->parent < 0) return;
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
                                                const met_block *met) {
  fill_block(p, b, mass, met, WIDE);
}
static __attribute__((noinline)) void fill_lone(const derivative_pass *p, const tree_block *b, const body_mass *mass,
                                                const met_block *met) {
  fill_block(p, b, mass, met, 1);
}

void KERNEL(derivatives_fill)(const derivative_pass *p, const body_mass *mass, void *scratch) {
  const tree *t = &p->m->tree;
  met_block *met = scratch;
  double *numbers = (double *)((char *)scratch + ends_size(t));
  /* Each pass over all blocks before the next: vectors are loaded from what was stored number by number, and would wait
   * for it if it were quite new. */
  for (int k = 0; k < t->n_blocks; k++) {
    const tree_block *b = &t->block[k];
    met[k].x = numbers;
    met[k].reach = find_places(p, b, (side){ numbers, b->nu, run_of(b) });
    numbers += met_size(b);
  }
  for (int i = t->n - 1; i > 0; i--)
    if (p->node[i].parent > 0) add_to_parent(p, i);
  for (int k = 0; k < t->n_blocks; k++) {
    const tree_block *b = &t->block[k];
    if (b->nu > 1) fill_met(p, b, (side){ met[k].x, b->nu, WIDE });
    else if (b->nu == 1) fill_met(p, b, (side){ met[k].x, 1, 1 });
  }
  for (int k = t->n_blocks - 1; k >= 0; k--) {
    const tree_block *b = &t->block[k];
    if (b->nu > 1) fill_many(p, b, mass, met);
    else if (b->nu == 1) fill_lone(p, b, mass, met);
  }
}

#endif
