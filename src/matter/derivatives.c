/* The recursion behind the derivatives of inverse dynamics: derivatives.h tells the idea. */
#include "matter/derivatives.h"

#include "matter/subsystem.h"

/* ---- one body's own sums ---- */

static void own_sums(const derivative_pass *p, int i, const rigid_inertia *B, const sv *force) {
  const sv A = p->A[i];
  const v3 w = p->twist[i].V.w;
  body_sums *s = &p->sum[i];
  s->I = B[i];
  s->h = v3_cross(w, B[i].mc);
  /* K = [w x] J with the second moments J = trace(I)/2 - I */
  const s3 I = B[i].I;
  const real t = 0.5 * s3_trace(I);
  s->K = (m3){ v3_cross(w, (v3){ t - I.xx, -I.xy, -I.xz }), v3_cross(w, (v3){ -I.xy, t - I.yy, -I.yz }),
               v3_cross(w, (v3){ -I.xz, -I.yz, t - I.zz }) };
  s->F = sv_sub(sv_add(rigid_mul(B[i], A), rigid_gyroscopic(B[i], w)), force[i]);
  s->A = (m3){ v3_zero(), v3_zero(), v3_zero() };
  s->f = v3_zero();
}

cdn_status cdni_derivatives_begin(derivative_pass *p, cdn_state *state, const char *function, const double *udot,
                                  double *dq, double *du, double *M) {
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
  const size_t nu = (size_t)m->tree.nu, nb = (size_t)m->tree.n;
  size_t bad;
  if (udot && nu && !cdni_all_finite(udot, nu, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL, "udot[%zu] is %g", bad, udot[bad]);
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const sv *force;
  CDNI_TRY(cdni_matter_total_forces(m, state, &force, NULL));

  const tree_data d = cdni_matter_data(m, state);
  *p = (derivative_pass){ .m = m, .state = state, .node = m->tree.node, .pose = d.pose, .twist = d.twist, .u = d.u };
  p->udot = udot, p->dq = dq, p->du = du, p->M = M;
  p->frame = cdn_work_push(state, nu * (sizeof *p->motion + 6 * sizeof *p->turn) +
                                      nb * (sizeof *p->sum + sizeof *p->A + 2 * sizeof *p->by_place + 1));
  if (!p->frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  p->motion = p->frame;
  p->sum = (body_sums *)(p->motion + nu);
  p->A = (sv *)(p->sum + nb);
  p->by_place = (response *)(p->A + nb);
  p->by_motion = p->by_place + nb;
  p->turn = (sv *)(p->by_motion + nb);
  p->turns = (bool *)(p->turn + 6 * nu);
  double *matrices[] = { dq, du, M };
  for (int k = 0; k < CDNI_COUNT(matrices); k++)
    if (matrices[k] && nu) memset(matrices[k], 0, nu * nu * sizeof(double));

  p->A[0] = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    const cdn_status status = cdni_derivatives_joint(p, &d, i, function);
    if (status != CDN_OK) {
      cdni_derivatives_end(p);
      return status;
    }
    own_sums(p, i, d.inertia, force);
  }
  return CDN_OK;
}

void cdni_derivatives_end(derivative_pass *p) { cdn_work_pop(p->state, p->frame); }

/* ---- forces ---- */

void cdni_derivatives_constant_force(derivative_pass *p, int body, v3 r, v3 f) {
  if (body == 0) return;
  body_sums *s = &p->sum[body];
  const real rf = v3_dot(r, f);
  s->A = m3_plus_outer(s->A, v3_neg(f), r);
  s->A.x.x += rf, s->A.y.y += rf, s->A.z.z += rf;
  s->f = v3_add(s->f, f);
}

void cdni_derivatives_constant_moment(derivative_pass *p, int body, v3 m) {
  if (body == 0) return;
  m3 *A = &p->sum[body].A;
  A->x = v3_add(A->x, (v3){ 0, -m.z, m.y });
  A->y = v3_add(A->y, (v3){ m.z, 0, -m.x });
  A->z = v3_add(A->z, (v3){ -m.y, m.x, 0 });
}

cdn_status cdni_derivatives_applied(derivative_pass *p) {
  const double *applied = cdn_state_discrete(p->state, p->m->applied_F);
  for (int i = 1; applied[0] != 0 && i < p->m->tree.n; i++) {
    const double *F = applied + 1 + 6 * i;
    const v3 r = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, (cdn_body){ i }, cdn_v3(0, 0, 0)));
    cdni_derivatives_constant_moment(p, i, v3_load(F));
    cdni_derivatives_constant_force(p, i, r, v3_load(F + 3));
  }
  return CDN_OK;
}

void cdni_derivatives_push(const derivative_pass *p, int body, sv F, double *matrix, int columns, int k) {
  for (int i = body; i > 0; i = p->node[i].parent) {
    const tree_node *n = &p->node[i];
    for (int l = 0; l < n->nu; l++)
      matrix[(n->u + l) * (size_t)columns + (size_t)k] -= sv_dot(p->motion[n->u + l].S, F);
    F = sv_shift_force(F, p->pose[i].r);
  }
}

void cdni_derivatives_need_responses(derivative_pass *p) {
  if (!p->has_responses) memset(p->by_place, 0, 2 * (size_t)p->m->tree.n * sizeof *p->by_place);
  p->has_responses = true;
}

/* ---- the sums inwards ---- */

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

static void add_to_parent(const derivative_pass *p, int i) {
  const int parent = p->node[i].parent;
  const v3 r = p->pose[i].r, d = v3_sub(p->twist[i].V.v, p->twist[parent].V.v);
  const body_sums *s = &p->sum[i];
  body_sums *to = &p->sum[parent];
  const rigid_inertia I = rigid_shift(s->I, r);
  to->I = rigid_add(to->I, I);
  /* sum m (v + d)(r' + r)^T */
  m3 K = m3_plus_outer(m3_plus_outer(s->K, s->h, r), d, I.mc);
  to->K = (m3){ v3_add(to->K.x, K.x), v3_add(to->K.y, K.y), v3_add(to->K.z, K.z) };
  to->h = v3_add(to->h, v3_fma(s->I.m, d, s->h));
  to->F = sv_add(to->F, sv_shift_force(s->F, r));
  m3 A = m3_plus_outer(s->A, v3_neg(s->f), r);
  const real rf = v3_dot(r, s->f);
  A.x.x += rf, A.y.y += rf, A.z.z += rf;
  to->A = (m3){ v3_add(to->A.x, A.x), v3_add(to->A.y, A.y), v3_add(to->A.z, A.z) };
  to->f = v3_add(to->f, s->f);
  if (!p->has_responses) return;
  response_add_shifted(&p->by_place[parent], &p->by_place[i], r);
  response_add_shifted(&p->by_motion[parent], &p->by_motion[i], r);
}

/* ---- the matrices ---- */

/* What a mobility sends inwards: forces by its own motion, and its projections of what moves on the way. */
typedef struct row {
  sv dF_q, dF_u; /* change of what is transmitted, by this q and this u */
  sv m;          /* I S */
  v3 b, l;       /* B^T S, (A, f)^T S */
  sv k_place, k_motion;
} row;

/* eta in Ground's own inertial frame. */
CDNI_INLINE sv eta_at_rest(const derivative_pass *p, int body, const mobility_motion *s) {
  return (sv){ s->eta.w, v3_sub(s->eta.v, v3_cross(s->S.w, p->twist[body].V.v)) };
}

static row row_of(const derivative_pass *p, int i, int k) {
  const mobility_motion *s = &p->motion[p->node[i].u + k];
  const body_sums *c = &p->sum[i];
  const v3 w = s->S.w;
  const real t = 2.0 * (c->K.x.x + c->K.y.y + c->K.z.z);
  const v3 e = s->eta.w;
  const sv Be = { v3_fma(t, e, v3_scale(-2.0, m3_mul(c->K, e))), v3_scale(2.0, v3_cross(e, c->h)) };
  const sv Bw = { v3_fma(t, w, v3_scale(-2.0, m3_mul(c->K, w))), v3_scale(2.0, v3_cross(w, c->h)) };
  const sv turn = { m3_mul(c->A, w), v3_cross(w, c->f) };
  row x;
  x.dF_q = sv_add(sv_add(sv_carry_force(s->S, c->F), turn), sv_add(Be, rigid_mul(c->I, s->alpha)));
  x.dF_u = sv_add(Bw, rigid_mul(c->I, s->beta));
  x.m = rigid_mul(c->I, s->S);
  x.b = v3_add(v3_fma(t, w, v3_scale(-2.0, m3_tmul(c->K, w))), v3_scale(2.0, v3_cross(c->h, s->S.v)));
  x.l = v3_add(m3_tmul(c->A, w), v3_cross(c->f, s->S.v));
  x.k_place = x.k_motion = sv_zero();
  if (p->has_responses) {
    const response *place = &p->by_place[i], *motion = &p->by_motion[i];
    x.dF_q = sv_sub(x.dF_q, sv_add(response_mul(place, s->S), response_mul(motion, eta_at_rest(p, i, s))));
    x.dF_u = sv_sub(x.dF_u, response_mul(motion, s->S));
    x.k_place = response_tmul(place, s->S);
    x.k_motion = response_tmul(motion, s->S);
  }
  return x;
}

/* Row `at` (of what is outboard) and column `at` meet the mobilities of body j. */
CDNI_INLINE void meet(const derivative_pass *p, const row *x, size_t at, int j) {
  const tree_node *n = &p->node[j];
  const size_t nu = (size_t)p->m->tree.nu;
  for (int l = 0; l < n->nu; l++) {
    const mobility_motion *s = &p->motion[n->u + l];
    const size_t to = (size_t)(n->u + l);
    if (p->dq) {
      real by_q = sv_dot(x->m, s->alpha) + v3_dot_add(x->b, s->eta.w, v3_dot(x->l, s->S.w));
      if (p->has_responses) by_q -= sv_dot(x->k_place, s->S) + sv_dot(x->k_motion, eta_at_rest(p, j, s));
      p->dq[at * nu + to] += by_q;
      p->dq[to * nu + at] += sv_dot(s->S, x->dF_q);
    }
    if (p->du) {
      real by_u = sv_dot(x->m, s->beta) + v3_dot(x->b, s->S.w);
      if (p->has_responses) by_u -= sv_dot(x->k_motion, s->S);
      p->du[at * nu + to] += by_u;
      p->du[to * nu + at] += sv_dot(s->S, x->dF_u);
    }
    if (p->M) p->M[at * nu + to] = p->M[to * nu + at] = sv_dot(x->m, s->S);
  }
}

/* Mobilities k and l of one joint: row k, column l. */
static void fill_own(const derivative_pass *p, const row *x, int i, int l) {
  const tree_node *n = &p->node[i];
  const size_t nu = (size_t)p->m->tree.nu, column = (size_t)(n->u + l);
  const mobility_motion *s = p->motion + n->u;
  for (int k = 0; k < n->nu; k++) {
    const size_t at = (size_t)(n->u + k) * nu + column;
    if (p->dq) p->dq[at] += sv_dot(s[k].S, x->dF_q);
    if (p->dq && p->turns[i]) p->dq[at] += sv_dot(p->turn[6 * (n->u + l) + k], p->sum[i].F);
    if (p->du) p->du[at] += sv_dot(s[k].S, x->dF_u);
    if (p->M) p->M[at] = sv_dot(s[k].S, x->m) + (k == l ? cdni_matter_data(p->m, p->state).mass[i].armature : 0);
  }
}

void cdni_derivatives_fill(derivative_pass *p) {
  for (int i = p->m->tree.n - 1; i > 0; i--) {
    const tree_node *n = &p->node[i];
    for (int k = 0; k < n->nu; k++) {
      row x = row_of(p, i, k);
      fill_own(p, &x, i, k);
      for (int j = i; p->node[j].parent > 0;) {
        const v3 r = p->pose[j].r;
        const int parent = p->node[j].parent;
        const v3 d = v3_sub(p->twist[j].V.v, p->twist[parent].V.v);
        x.dF_q = sv_shift_force(x.dF_q, r);
        x.dF_u = sv_shift_force(x.dF_u, r);
        x.m = sv_shift_force(x.m, r);
        x.b = v3_add(x.b, v3_scale(2.0, v3_cross(d, x.m.v)));
        if (p->has_responses) x.k_place = sv_shift_force(x.k_place, r), x.k_motion = sv_shift_force(x.k_motion, r);
        j = parent;
        meet(p, &x, (size_t)(n->u + k), j);
      }
    }
    if (n->parent > 0) add_to_parent(p, i);
  }
}
