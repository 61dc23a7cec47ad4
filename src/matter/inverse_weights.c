/* How light bodies and mobilities are at the default coordinates: what soft rows are scaled by (MuJoCo's
 * body_invweight0 and dof_invweight0). The compliance of every body follows outward from that of its parent: O(n). */
#include "matter/compliance.h"
#include "matter/custom.h"
#include "matter/kinds.h"
#include "matter/operators_factor.h"
#include "matter/subsystem.h"

/* The pass at the default coordinates, in memory of its own. */
typedef struct pass {
  tree_data d;
  mobility_factor *factor;
  compliance *Y;
  articulated_inertia *outboard; /* of a body with all that is outboard of it */
  int32_t *held;                 /* by body: a mocap body, which no force moves */
} pass;

/* The bytes of the pass; its parts, if there is memory. */
static size_t layout(const matter *m, char *memory, pass *p) {
  const tree *t = &m->tree;
  const size_t n = (size_t)t->n;
  size_t at = 0;
#define TAKE(member, count) \
  (p->member = memory ? (void *)(memory + at) : NULL, at += (size_t)(count) * sizeof *p->member)
  TAKE(Y, n);
  TAKE(outboard, n);
  TAKE(d.pose, n);
  TAKE(d.inertia, n);
  TAKE(d.articulated, n);
  TAKE(factor, t->nu);
  TAKE(d.H, t->nH);
  TAKE(d.G, t->nG);
  TAKE(d.D_inv, t->nD);
  TAKE(d.custom, t->n_custom);
  TAKE(held, n);
#undef TAKE
  return at;
}

/* The inverse inertias of a body at its centre of mass, which a body without mass has, too. */
static void weigh_body(const matter *m, cdn_state *state, const pass *p, int i, double weight[2]) {
  const cdn_vec3 center = cdn_body_mass_properties(state, (cdn_body){ i }).com;
  const v3 r = cdni_to_v3(cdni_matter_station(m, state, p->d.pose, (cdn_body){ i }, center));
  const compliance Y = compliance_shift(&p->Y[i], r);
  weight[0] = s3_trace(Y.vv) / 3;
  weight[1] = s3_trace(Y.ww) / 3;
}

/* The diagonal of M^-1: what the mobilizer itself gives, and what the body that it stands on gives. */
static void weigh_mobilities(const tree_node *n, const mobility_factor *own, const compliance *inboard,
                             double *weight) {
  for (int k = 0; k < n->nu; k++) weight[k] = own[k].D_inv[k] + sv_dot(own[k].g, compliance_mul(inboard, own[k].g));
  if (!cdni_kind_of(n)->ball) return;
  for (int k = 0; k < n->nu; k += 3) {
    const double all = (weight[k] + weight[k + 1] + weight[k + 2]) / 3;
    for (int l = 0; l < 3; l++) weight[k + l] = all;
  }
}

static double trace_of_M(const matter *m, const pass *p) {
  const tree *t = &m->tree;
  double sum = 0;
  for (int i = 1; i < t->n; i++) p->outboard[i] = articulated_from_rigid(p->d.inertia[i]);
  for (int i = t->n - 1; i > 0; i--) {
    const tree_node *n = &t->node[i];
    const articulated_inertia P = p->outboard[i];
    for (int k = 0; k < n->nu; k++) {
      const sv h = cdni_hinge_column(n, p->d.H, k);
      if (!p->held[i]) sum += sv_dot(h, articulated_mul(P, h)) + p->d.mass[i].armature;
    }
    articulated_inertia *up = &p->outboard[n->parent];
    if (n->parent > 0) *up = articulated_add(*up, articulated_shift(P, p->d.pose[i].r));
  }
  return sum;
}

static cdn_status factor(const matter *m, cdn_state *state, pass *p) {
  rmask singular;
  if (m->tree.n_custom) CDNI_TRY(cdni_custom_across(m, state, p->d.q, (custom_across *)p->d.custom));
  m->kernels->position(&m->tree, &p->d);
  m->kernels->inertia(&m->tree, &p->d);
  m->kernels->articulate(&m->tree, &p->d, &singular);
  int bad = (int)singular;
  if (bad < 0) bad = cdni_factor_mobilities(m, &p->d, p->factor, NULL);
  return bad < 0 ? CDN_OK : cdni_matter_singular(m, state, bad, "cdn_eval");
}

static void weigh(const matter *m, cdn_state *state, const pass *p, double (*body)[2], double *mobility) {
  memset(&p->Y[0], 0, sizeof p->Y[0]);
  body[0][0] = body[0][1] = 0;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const compliance inboard = compliance_shift(&p->Y[n->parent], p->d.pose[i].r);
    p->Y[i] = compliance_cross(&inboard, p->factor + n->u, n->nu, false);
    weigh_body(m, state, p, i, body[i]);
    weigh_mobilities(n, p->factor + n->u, &inboard, mobility + n->u);
  }
  mobility[m->tree.nu] = trace_of_M(m, p);
}

/* The factored pass; *frame is the caller's to give back, if it is not NULL. */
static cdn_status begin(const matter *m, cdn_state *state, pass *p, void **frame) {
  *p = (pass){ .Y = NULL }, *frame = NULL;
  CDNI_TRY(cdni_state_ensure(state, m->frame_constants.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->mass_constants.ticket));
  CDNI_TRY(cdni_operator_work(state, "cdn_eval", layout(m, NULL, p), frame));
  p->d = cdni_matter_data(m, state);
  layout(m, *frame, p);
  p->d.q = m->q0.data;
  for (int i = 0; i < m->tree.n; i++) p->held[i] = m->tree.node[i].nu > 0 && cdni_body_stands(m, i);
  p->d.prescribed = p->held; /* other motions and locks do not count */
  return factor(m, state, p);
}

cdn_status cdni_matter_calc_inverse_weights(const void *self, cdn_state *state, void *out) {
  const matter *m = *(const matter *const *)self;
  double(*body)[2] = out;
  pass p;
  void *frame;
  const cdn_status status = begin(m, state, &p, &frame);
  if (status == CDN_OK) weigh(m, state, &p, body, (double *)(body + m->tree.n));
  if (frame) cdn_work_pop(state, frame);
  return status;
}

/* M = L D L^T along the tree, so that the square is that of L^-1 f over D: inward, eps = f - H^T z, z_P = phi (z + G
 * eps). */
static double square(const matter *m, const pass *p, const double *f, sv *z) {
  double sum = 0;
  memset(z, 0, (size_t)m->tree.n * sizeof *z);
  for (int i = m->tree.n - 1; i > 0; i--) {
    const tree_node *n = &m->tree.node[i];
    const mobility_factor *own = p->factor + n->u;
    double eps[MOST_MOBILITIES];
    sv passed_on = z[i];
    for (int k = 0; k < n->nu; k++) {
      eps[k] = f[n->u + k] - sv_dot(own[k].h, z[i]);
      passed_on = sv_fma(eps[k], own[k].g, passed_on);
    }
    for (int k = 0; k < n->nu; k++)
      for (int l = 0; l < n->nu; l++) sum += eps[k] * own[k].D_inv[l] * eps[l];
    if (n->parent > 0) z[n->parent] = sv_add(z[n->parent], sv_shift_force(passed_on, p->d.pose[i].r));
  }
  return sum;
}

cdn_status cdni_matter_inverse_squares(const matter *m, cdn_state *state, int n, matter_rows *rows, const void *context,
                                       double *out) {
  const size_t nu = (size_t)m->tree.nu;
  pass p;
  void *frame;
  cdn_status status = begin(m, state, &p, &frame);
  sv *z =
      status == CDN_OK ? cdn_work_push(state, (size_t)m->tree.n * sizeof *z + (size_t)n * nu * sizeof(double)) : NULL;
  if (status == CDN_OK && !z) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_eval", NULL, "out of memory");
  double *f = z ? (double *)(z + m->tree.n) : NULL;
  if (z) memset(f, 0, (size_t)n * nu * sizeof *f);
  if (z) status = rows(context, state, &p.d, f);
  for (int i = 0; i < n && status == CDN_OK; i++) out[i] = square(m, &p, f + (size_t)i * nu, z);
  if (z) cdn_work_pop(state, z);
  if (frame) cdn_work_pop(state, frame);
  return status;
}

cdn_status cdni_matter_inverse_weights(const matter *m, cdn_state *state, inverse_weights *out) {
  CDNI_TRY(cdni_state_ensure(state, m->inverse_weights.ticket));
  const double(*body)[2] = cdn_eval(state, m->inverse_weights);
  const double *mobility = (const double *)(body + m->tree.n);
  *out = (inverse_weights){ body, mobility, mobility[m->tree.nu] };
  return CDN_OK;
}
