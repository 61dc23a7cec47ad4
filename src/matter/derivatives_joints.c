/* Derivatives of a joint's columns by its own mobilities, for eta, alpha and beta of derivatives.h.
 *
 * A joint's columns S_k, as spatial vectors in F, change with its own coordinates: T_lk = dS_k along mobility l. For
 * nearly all kinds T_lk is S_l x S_k or zero: motion l carries column k along, or does not: kinds.c says which.
 * In a pure product of screws the earlier screws carry the later ones; a column that is fixed in F's axes but moves
 * with M's origin is carried by translations. Reversed, columns that were fixed in F are fixed in M: carried columns
 * become fixed, and fixed columns become carried. */
#include "matter/custom.h"
#include "matter/derivatives.h"
#include "matter/hinge.h"
#include "matter/kinds.h"
#include "matter/subsystem.h"

enum { MOST = 6 };

/* Changes of a joint's columns: T, and the derivatives of c = sum u_l u_k T_lk by each mobility. They are where the
 * passes look for them. */
typedef struct turning {
  sv (*T)[MOST], *dc;
} turning;

CDNI_INLINE sv sv_cross(sv a, sv b) { return (sv){ v3_cross(a.w, b.w), v3_cross_add(a.w, b.v, v3_cross(a.v, b.w)) }; }
CDNI_INLINE sv sv_minus(sv a) { return (sv){ v3_neg(a.w), v3_neg(a.v) }; }
static bool reversed(const tree_node *n) { return n->variant & 1; }

/* ---- by the table ---- */

/* The motions that carry column k, a bit for each. */
static unsigned carriers(const tree_node *n, int k) {
  const unsigned all = (1u << n->nu) - 1, by = cdni_kind_of(n)->carriers[k];
  return (reversed(n) ? ~by : by) & all;
}

static void turn_by_table(const derivative_pass *p, const tree_node *n, const mobility_motion *s, const double *u,
                          turning *t) {
  uint8_t *carried = p->carried + n->u;
  for (int k = 0; k < n->nu; k++) {
    carried[k] = (uint8_t)carriers(n, k);
    for (int l = 0; l < n->nu; l++) t->T[l][k] = carried[k] >> l & 1 ? sv_cross(s[l].S, s[k].S) : sv_zero();
    t->dc[k] = sv_zero();
  }
  for (int k = 0; k < n->nu; k++) {
    sv by = sv_zero(); /* the sum of the motions that carry column k */
    if (!carried[k]) continue;
    for (int l = 0; l < n->nu; l++)
      if (carried[k] >> l & 1) by = sv_fma(u[l], s[l].S, by);
    for (int m = 0; m < n->nu; m++) {
      sv d_by = sv_zero();
      unsigned turned = 0; /* of the motions that carry column k, those that mobility m carries */
      for (int l = 0; l < n->nu; l++)
        if (carried[k] >> l & 1 && carried[l] >> m & 1) d_by = sv_fma(u[l], t->T[m][l], d_by), turned = 1;
      sv change = sv_zero();
      if (turned) change = sv_cross(d_by, s[k].S);
      if (carried[k] >> m & 1) change = sv_add(change, sv_cross(by, t->T[m][k]));
      t->dc[m] = sv_fma(u[k], change, t->dc[m]);
    }
  }
}

/* ---- the others: as the kind has them, unreversed; then turned around ---- */

/* The columns that the kind describes, about the origin that it moves, in Ground's axes; `p` leads from there to
 * M's. */
static v3 own_columns(const derivative_pass *p, const tree_data *d, int i, const mobility_motion *s, sv *own) {
  const tree_node *n = &p->node[i];
  v3 away = v3_zero();
  if (reversed(n)) away = v3_sub(p->pose[i].r, m3_mul(p->pose[n->parent].R_GM, v3_load(d->frames[i].p_PF)));
  for (int k = 0; k < n->nu; k++) own[k] = reversed(n) ? sv_minus(sv_shift_motion(s[k].S, v3_neg(away))) : s[k].S;
  return away;
}

/* S_k = (e_k, A (e_k x n)), A = diag(half lengths) in the axes e. */
static v3 stretch(const sv *own, const double *lengths, v3 a) {
  v3 b = v3_zero();
  for (int k = 0; k < 3; k++) b = v3_fma(lengths[k] * v3_dot(own[k].w, a), own[k].w, b);
  return b;
}

static void turn_of_ellipsoid(const derivative_pass *p, const tree_data *d, int i, const double *u, const sv *own,
                              turning *t) {
  const tree_node *n = &p->node[i];
  const double *lengths = d->frames[i].kind;
  v3 z = p->pose[i].R_GM.z, w = v3_zero();
  if (reversed(n)) z = m3_mul(p->pose[n->parent].R_GM, m3_load(d->frames[i].R_PF).z);
  for (int k = 0; k < 3; k++) w = v3_fma(u[k], own[k].w, w);
  for (int l = 0; l < 3; l++) {
    const v3 dz = v3_cross(own[l].w, z), dv = stretch(own, lengths, v3_cross(w, dz));
    for (int k = 0; k < 3; k++)
      t->T[l][k] = (sv){ v3_zero(), v3_cross_add(own[l].v, own[k].w, stretch(own, lengths, v3_cross(own[k].w, dz))) };
    t->dc[l] = (sv){ v3_zero(), v3_cross_add(dv, w, stretch(own, lengths, v3_cross(w, v3_cross(w, dz)))) };
  }
}

/* Function-based and custom kinds bring no derivatives of H: central differences with steps h and h/2, extrapolated. */
static cdn_status turn_by_differences(const derivative_pass *p, const tree_data *d, int i, const double *u,
                                      const sv *own, turning *t) {
  const tree_node *n = &p->node[i];
  const custom_mobilizer *x = &CDNI_AT(p->m->customs, custom_mobilizer, n->custom);
  const double *params = cdn_state_parameters(p->state, p->m->params) + CDN_MOBILIZER_PARAMS * i, h = 2e-3;
  m3 R = p->pose[i].R_GM;
  if (!reversed(n)) R = m3_mul_m3(p->pose[n->parent].R_GM, m3_load(d->frames[i].R_PF));
  cdn_spatial bias = { { 0, 0, 0 }, { 0, 0, 0 } };
  if (x->ops.Hdot_u) CDNI_TRY(x->ops.Hdot_u(x->self, params, d->q + n->q, u, &bias));
  sv V = sv_zero();
  for (int k = 0; k < n->nu; k++) V = sv_fma(u[k], own[k], V);
  const v3 c_w = m3_mul(R, cdni_to_v3(bias.w));

  for (int l = 0; l < n->nu; l++) {
    double along[7] = { 0 }, unit[MOST] = { 0 }, q[7];
    sv dH[MOST], dc = sv_zero(), dV = sv_zero();
    for (int k = 0; k < MOST; k++) dH[k] = sv_zero();
    unit[l] = 1;
    if (x->ops.N) x->ops.N(x->self, d->q + n->q, unit, along);
    else along[l] = 1;
    for (int step = 0; step < 4; step++) {
      static const double weight[4] = { -1 / 6.0, 1 / 6.0, 8 / 6.0, -8 / 6.0 };
      const double at = (step & 1 ? -h : h) * (step < 2 ? 1 : 0.5), a = weight[step] / h;
      cdn_transform X = cdn_transform_identity();
      cdn_spatial H[MOST], b = { { 0, 0, 0 }, { 0, 0, 0 } };
      memset(H, 0, sizeof H);
      for (int k = 0; k < n->nq; k++) q[k] = d->q[n->q + k] + at * along[k];
      CDNI_TRY(x->ops.across(x->self, params, q, &X, H));
      if (x->ops.Hdot_u) CDNI_TRY(x->ops.Hdot_u(x->self, params, q, u, &b));
      for (int k = 0; k < n->nu; k++) dH[k] = sv_fma(a, (sv){ cdni_to_v3(H[k].w), cdni_to_v3(H[k].v) }, dH[k]);
      dc = sv_fma(a, (sv){ cdni_to_v3(b.w), cdni_to_v3(b.v) }, dc);
    }
    for (int k = 0; k < n->nu; k++) {
      dH[k] = (sv){ m3_mul(R, dH[k].w), m3_mul(R, dH[k].v) };
      dV = sv_fma(u[k], dH[k], dV);
      t->T[l][k] = (sv){ dH[k].w, v3_cross_add(own[l].v, own[k].w, dH[k].v) };
    }
    /* c = (b.w, b.v + V.v x V.w) about the origin that moves */
    dc = (sv){ m3_mul(R, dc.w), m3_mul(R, dc.v) };
    dc.v = v3_add(v3_cross_add(dV.v, V.w, v3_cross_add(V.v, dV.w, dc.v)), v3_cross(own[l].v, c_w));
    t->dc[l] = dc;
  }
  return CDN_OK;
}

/* S = -(own columns), which M carries: T_lk = S_l x S_k - own T_lk, c = -own c. */
static void turn_around(const derivative_pass *p, int i, const mobility_motion *s, const double *u, v3 away,
                        turning *t) {
  const tree_node *n = &p->node[i];
  sv c = sv_zero();
  if (!reversed(n)) return;
  for (int l = 0; l < n->nu; l++)
    for (int k = 0; k < n->nu; k++) {
      const sv T = sv_shift_motion(t->T[l][k], away);
      c = sv_fma(u[l] * u[k], T, c);
      t->T[l][k] = sv_sub(sv_cross(s[l].S, s[k].S), T);
    }
  for (int l = 0; l < n->nu; l++) t->dc[l] = sv_minus(sv_add(sv_cross(s[l].S, c), sv_shift_motion(t->dc[l], away)));
}

/* ---- all kinds ---- */

/* Whether the columns change in F at all. */
static bool turns(const tree_node *n) {
  if (n->custom >= 0) return true;
  const mobilizer_columns columns = cdni_kind_of(n)->columns;
  return n->nu > 1 && columns != COLUMNS_FIXED && (columns != COLUMNS_FIXED_IN_F || reversed(n));
}

static cdn_status find_turning(const derivative_pass *p, const tree_data *d, int i, turning *t) {
  const tree_node *n = &p->node[i];
  const mobility_motion *s = p->motion + n->u;
  const double *u = p->u + n->u;
  sv own[MOST];
  if (cdni_kind_of(n)->columns != COLUMNS_STRETCHED && n->custom < 0) {
    turn_by_table(p, n, s, u, t);
    return CDN_OK;
  }
  memset(p->carried + n->u, 0xff, n->nu);
  const v3 away = own_columns(p, d, i, s, own);
  if (n->custom >= 0) CDNI_TRY(turn_by_differences(p, d, i, u, own, t));
  else turn_of_ellipsoid(p, d, i, u, own, t);
  turn_around(p, i, s, u, away, t);
  return CDN_OK;
}

cdn_status cdni_derivatives_joint(const derivative_pass *p, const tree_data *d, int i, const char *function) {
  const tree_node *n = &p->node[i];
  p->turns[i] = turns(n);
  if (!p->turns[i]) return CDN_OK;
  turning t = { (sv(*)[MOST])(void *)(p->turn + MOST * n->u), p->turn_c + n->u };
  const cdn_status status = find_turning(p, d, i, &t);
  const char *name = CDNI_AT(p->m->bodies, matter_body, i).mobilizer_name;
  if (status != CDN_OK)
    return cdni_state_fail(p->state, status, true, function, name,
                           "joint '%s': its functions failed near where they are differentiated", name);
  return CDN_OK;
}
