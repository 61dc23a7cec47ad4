/* ln det A of A = G M^-1 G^T over the position equations, and its gradient.
 *
 * With A = L L^T let W = M^-1 G^T, Y = W L^-T and G^ = L^-1 G, so that Y = M^-1 G^^T and G^ Y = 1. Then
 *
 *   d ln det A = tr(A^-1 dA) = 2 tr(A^-1 dG W) - tr(A^-1 W^T dM W) = sum over columns y of 2 dg^ y - y^T dM y,
 *
 * with L constant. Each column moves the bodies by V. g^ y is the sum of forces on bodies times V; y^T M y is twice a
 * kinetic energy. Along a mobility everything outboard turns as one piece, forces, inertias and motions, and the terms
 * change only by what does not turn along:
 *   - motions by the speeds of the mobilizer itself and inboard. They meet the forces of G^ less the momenta, summed
 *     over what is outboard: X. (cdni_add_motion_gradient.)
 *   - the rows, which depend on where other bodies are. A kind's `vary` gives that, one displacement at a time.
 * O(bodies) a column: O(equations bodies + equations^2 bodies). */
#include "constraints/log_det.h"

#include <math.h>

#include "constraints/derivatives.h"
#include "contact/rigid.h"
#include "math/cholesky.h"
#include "matter/log_det.h"

/* An equation whose part of A that the others leave is smaller is taken as one that follows from them. */
static const double DEPENDENT = 1e-12;

typedef struct work {
  const constraint_room *room;
  cdn_state *state;
  const char *function;
  const matter *m;
  tree_data d;
  const loop_plan *plan;
  int n; /* position equations that are on */
  void *frame;
  sv *J;       /* rows, as the plan places them */
  double *g;   /* coefficients */
  int32_t *of; /* by position equation: the constraint's place in the plan, and which of its equations */
  sv *V, *X;   /* n runs of bodies */
  double *y;   /* n runs of nu */
  double *A;   /* n x n: A, then L; and L^-1 */
  double *inverse;
  sv *F;            /* bodies: forces */
  double *f;        /* nu */
  sv *z;            /* bodies: scratch of passes */
  double *eps;      /* nu */
  body_twist *rest; /* bodies, and mobilities: at rest */
  double *still;
  constraint_copy copy;
} work;

/* ---- memory ---- */

/* The parts of a block; without one (base NULL) their bytes are counted. */
static size_t lay_out(work *w, void *base, bool gradient) {
  size_t at = 0;
  const size_t nb = (size_t)w->m->tree.n, nu = (size_t)w->m->tree.nu, nq = (size_t)w->m->tree.nq, n = (size_t)w->n;
  w->J = cdni_part(base, &at, (size_t)w->plan->n_J, sizeof *w->J);
  w->g = cdni_part(base, &at, (size_t)w->plan->n_g, sizeof *w->g);
  w->of = cdni_part(base, &at, 2 * n, sizeof *w->of);
  w->V = cdni_part(base, &at, n * nb, sizeof *w->V);
  w->y = cdni_part(base, &at, n * nu, sizeof *w->y);
  w->A = cdni_part(base, &at, n * n, sizeof *w->A);
  w->F = cdni_part(base, &at, nb, sizeof *w->F), w->z = cdni_part(base, &at, nb, sizeof *w->z);
  w->f = cdni_part(base, &at, nu, sizeof *w->f), w->eps = cdni_part(base, &at, nu, sizeof *w->eps);
  if (!gradient) return at;
  w->X = cdni_part(base, &at, n * nb, sizeof *w->X);
  w->inverse = cdni_part(base, &at, n * n, sizeof *w->inverse);
  w->rest = cdni_part(base, &at, nb, sizeof *w->rest), w->still = cdni_part(base, &at, nu, sizeof *w->still);
  w->copy.pose = cdni_part(base, &at, nb, sizeof *w->copy.pose),
  w->copy.twist = cdni_part(base, &at, nb, sizeof *w->copy.twist);
  w->copy.q = cdni_part(base, &at, nq, sizeof *w->copy.q), w->copy.u = cdni_part(base, &at, nu, sizeof *w->copy.u);
  w->copy.J = cdni_part(base, &at, (size_t)CONSTRAINT_MOST_EQUATIONS * CONSTRAINT_MOST_BODIES, sizeof *w->copy.J);
  w->copy.g = cdni_part(base, &at, (size_t)CONSTRAINT_MOST_EQUATIONS * CONSTRAINT_MOST_MOBILITIES, sizeof *w->copy.g);
  w->copy.bias = cdni_part(base, &at, CONSTRAINT_MOST_EQUATIONS, sizeof *w->copy.bias);
  return at;
}

/* ---- rows ---- */

static constraint_view view_of(const work *w, int i) {
  constraint_view v = cdni_constraint_view(w->room, w->state, w->plan->constraint[i]);
  v.J = w->J + w->plan->J[i], v.g = w->g + w->plan->g[i];
  if (w->rest) v.twist = w->rest, v.u = w->still;
  return v;
}

static cdn_status calc_rows(work *w) {
  memset(w->J, 0, (size_t)w->plan->n_J * sizeof *w->J);
  memset(w->g, 0, (size_t)w->plan->n_g * sizeof *w->g);
  int n = 0;
  for (int i = 0; i < w->plan->n_constraints; i++) {
    const constraint_view v = view_of(w, i);
    if (v.c->np == 0) continue;
    CDNI_TRY(cdni_constraint_kinds[v.c->kind]->calc_rows(&v));
    for (int k = 0; k < v.c->np; k++, n++) w->of[2 * n] = i, w->of[2 * n + 1] = k;
  }
  return CDN_OK;
}

/* F and f += by times the transpose of equation e. */
static void add_row(const work *w, int e, double by) {
  const int i = w->of[2 * e];
  const constraint_view v = view_of(w, i);
  const sv *J = v.J + w->of[2 * e + 1] * v.c->n_bodies;
  const double *g = v.g + w->of[2 * e + 1] * v.c->n_mobilities;
  for (int b = 0; b < v.c->n_bodies; b++) w->F[v.body[b]] = sv_fma(by, J[b], w->F[v.body[b]]);
  for (int k = 0; k < v.c->n_mobilities; k++) w->f[v.mobility[k].u] += by * g[k];
}
static double row_times(const work *w, int e, const sv *V, const double *y) {
  const constraint_view v = view_of(w, w->of[2 * e]);
  const sv *J = v.J + w->of[2 * e + 1] * v.c->n_bodies;
  const double *g = v.g + w->of[2 * e + 1] * v.c->n_mobilities;
  double sum = 0;
  for (int b = 0; b < v.c->n_bodies; b++) sum += sv_dot(J[b], V[v.body[b]]);
  for (int k = 0; k < v.c->n_mobilities; k++) sum += g[k] * y[v.mobility[k].u];
  return sum;
}
static void clear(const work *w) {
  memset(w->F, 0, (size_t)w->m->tree.n * sizeof *w->F);
  if (w->m->tree.nu) memset(w->f, 0, (size_t)w->m->tree.nu * sizeof *w->f);
}

static sv *motions(const work *w, int e) { return w->V + (size_t)e * (size_t)w->m->tree.n; }
static double *speeds(const work *w, int e) { return w->y + (size_t)e * (size_t)w->m->tree.nu; }

/* ---- A = L L^T ---- */

static cdn_status factor(work *w, double *log_det) {
  const int n = w->n;
  for (int e = 0; e < n; e++) {
    tree_data d = w->d;
    CDNI_LANE_FINDINGS(singular);
    clear(w);
    add_row(w, e, 1);
    d.force = w->F, d.f_mob = w->f, d.z = w->z, d.A = motions(w, e), d.eps = w->eps, d.udot = speeds(w, e);
    w->m->kernels->solve(&w->m->tree, &d, 1, w->m->tree.n, true, singular);
    d.A[0] = sv_zero();
    for (int f = 0; f <= e; f++) w->A[e * n + f] = row_times(w, f, d.A, d.udot);
  }
  const int bad = cdni_cholesky(n, n, w->A, DEPENDENT, 0);
  if (bad >= 0) {
    const char *name = constraint_on(w->room, w->plan, w->of[2 * bad])->name;
    return cdni_state_fail(w->state, CDN_ERR_SINGULAR, true, w->function, name,
                           "constraint '%s': equation %d follows from others here, or nothing can move along it, so "
                           "det(G M^-1 G^T) is zero: switch it off, or start elsewhere",
                           name, w->of[2 * bad + 1]);
  }
  for (int e = 0; e < n; e++) *log_det += 2 * log(w->A[e * n + e]);
  return CDN_OK;
}

/* ---- the gradient ---- */

/* W becomes Y = W L^-T, column by column. */
static void orthogonalize(const work *w) {
  const int n = w->n;
  const size_t nb = (size_t)w->m->tree.n, nu = (size_t)w->m->tree.nu;
  for (int e = 0; e < n; e++) {
    sv *V = motions(w, e);
    double *y = speeds(w, e);
    const double by = 1 / w->A[e * n + e];
    for (int f = 0; f < e; f++) {
      const double l = w->A[e * n + f];
      const sv *V_f = motions(w, f);
      const double *y_f = speeds(w, f);
      for (size_t b = 0; b < nb; b++) V[b] = sv_fma(-l, V_f[b], V[b]);
      for (size_t k = 0; k < nu; k++) y[k] -= l * y_f[k];
    }
    for (size_t b = 0; b < nb; b++) V[b] = (sv){ v3_scale(by, V[b].w), v3_scale(by, V[b].v) };
    for (size_t k = 0; k < nu; k++) y[k] *= by;
  }
}

/* X: forces of G^ less momenta, with all that is outboard. */
static void gather_forces(const work *w, int e) {
  const tree *t = &w->m->tree;
  const sv *V = motions(w, e);
  sv *X = w->X + (size_t)e * (size_t)t->n;
  double *row = w->inverse + e * w->n; /* of L^-1: L^T x = the unit vector */
  for (int f = 0; f < w->n; f++) row[f] = f == e;
  cdni_cholesky_up(w->n, w->n, w->A, row);
  clear(w);
  for (int f = 0; f <= e; f++) add_row(w, f, row[f]);
  for (int i = 1; i < t->n; i++) X[i] = sv_sub(w->F[i], rigid_mul(w->d.inertia[i], V[i]));
  X[0] = sv_zero();
  for (int i = t->n - 1; i > 0; i--)
    X[t->node[i].parent] = sv_add(X[t->node[i].parent], sv_shift_force(X[i], w->d.pose[i].r));
}

/* What moves z_f = sum over e of L^-1(e, f) y_e: a body, a mobility. */
static sv motion_for(const work *w, int f, int body) {
  sv V = sv_zero();
  for (int e = f; e < w->n; e++) V = sv_fma(w->inverse[e * w->n + f], motions(w, e)[body], V);
  return V;
}
static double speed_for(const work *w, int f, int u) {
  double s = 0;
  for (int e = f; e < w->n; e++) s += w->inverse[e * w->n + f] * speeds(w, e)[u];
  return s;
}

typedef struct element {
  constraint_view v;
  int equation; /* of all position equations */
  sv V[CONSTRAINT_MOST_BODIES], S[CONSTRAINT_MOST_BODIES], dF[CONSTRAINT_MOST_BODIES], none[CONSTRAINT_MOST_BODIES];
  double speed[CONSTRAINT_MOST_MOBILITIES], dq[CONSTRAINT_MOST_MOBILITIES], df[CONSTRAINT_MOST_MOBILITIES],
      zero[CONSTRAINT_MOST_MOBILITIES], lambda[CONSTRAINT_MOST_EQUATIONS], da[CONSTRAINT_MOST_EQUATIONS];
} element;

/* The change of (row f) . z_f along the displacement that x holds. */
static cdn_status change_of_row(const work *w, element *x, double *change) {
  const constraint_element *c = x->v.c;
  const constraint_kind *kind = cdni_constraint_kinds[c->kind];
  const constraint_change by = { .S = x->S,
                                 .dV = x->none,
                                 .dq = x->dq,
                                 .du = x->zero,
                                 .A = x->none,
                                 .udot = x->zero,
                                 .lambda = x->lambda,
                                 .dF = x->dF,
                                 .df = x->df,
                                 .da = x->da };
  memset(x->dF, 0, sizeof x->dF), memset(x->df, 0, sizeof x->df), memset(x->da, 0, sizeof x->da);
  CDNI_TRY(kind->vary ? kind->vary(&x->v, &by) : cdni_constraint_vary_by_differences(&x->v, &w->copy, &by));
  *change = 0;
  for (int b = 0; b < c->n_bodies; b++) *change += sv_dot(x->dF[b], x->V[b]);
  for (int k = 0; k < c->n_mobilities; k++) *change += x->df[k] * x->speed[k];
  return CDN_OK;
}

/* Adds to F (by displacement of bodies) and f (by mobilities) the derivatives of (row f) . z_f, of the row alone; what
 * turns along with its body counts, for X takes forces as they are. */
static cdn_status add_row_changes(const work *w, int f) {
  element x = { .v = view_of(w, w->of[2 * f]), .equation = f };
  const constraint_element *c = x.v.c;
  const int k_row = w->of[2 * f + 1];
  x.lambda[k_row] = 1;
  for (int b = 0; b < c->n_bodies; b++) x.V[b] = motion_for(w, f, x.v.body[b]);
  for (int k = 0; k < c->n_mobilities; k++) x.speed[k] = speed_for(w, f, x.v.mobility[k].u);
  for (int b = 0; b < c->n_bodies; b++) {
    const sv J = x.v.J[k_row * c->n_bodies + b];
    double S[6];
    if (x.v.body[b] == 0) continue;
    for (int s = 0; s < 6; s++) {
      double *unit = (double *)&x.S[b] + s;
      *unit = 1;
      CDNI_TRY(change_of_row(w, &x, &S[s]));
      *unit = 0;
    }
    sv F = { { S[0], S[1], S[2] }, { S[3], S[4], S[5] } };
    F.w = v3_add(F.w, v3_add(v3_cross(x.V[b].w, J.w), v3_cross(x.V[b].v, J.v))); /* V turns with the body */
    w->F[x.v.body[b]] = sv_add(w->F[x.v.body[b]], F);
  }
  for (int k = 0; k < c->n_mobilities; k++) {
    double change;
    if (x.v.mobility[k].q < 0) continue;
    x.dq[k] = 1;
    CDNI_TRY(change_of_row(w, &x, &change));
    x.dq[k] = 0;
    w->f[x.v.mobility[k].u] += change;
  }
  return CDN_OK;
}

static cdn_status add_gradient(work *w, double *g) {
  const tree *t = &w->m->tree;
  const size_t nb = (size_t)t->n, nu = (size_t)t->nu, nq = (size_t)t->nq;
  memset(w->copy.twist, 0, nb * sizeof *w->copy.twist);
  memset(w->copy.u, 0, nu * sizeof *w->copy.u);
  memcpy(w->copy.pose, w->d.pose, nb * sizeof *w->copy.pose);
  if (nq) memcpy(w->copy.q, w->d.q, nq * sizeof *w->copy.q);
  orthogonalize(w);
  for (int e = 0; e < w->n; e++) gather_forces(w, e);
  CDNI_TRY(cdni_add_motion_gradient(w->m, w->state, &w->d, w->n, w->y, w->V, w->X, 2, g));
  clear(w);
  for (int f = 0; f < w->n; f++) CDNI_TRY(add_row_changes(w, f));
  tree_data d = w->d;
  d.z = w->F;
  w->m->kernels->jacobian_transpose(t, &d, w->eps);
  for (size_t k = 0; k < nu; k++) g[k] += 2 * (w->eps[k] + w->f[k]);
  return CDN_OK;
}

/* ---- the whole ---- */

cdn_status cdni_constraint_add_log_det(const constraint_room *room, cdn_state *state, const char *function,
                                       double *log_det, double *g) {
  work w = { .room = room, .state = state, .function = function };
  if (!room || !cdni_constraint_any_enabled(room, state)) return CDN_OK;
  w.m = room->matter;
  CDNI_TRY(cdni_constraint_plan(room, state, &w.plan));
  CDNI_TRY(cdni_state_ensure(state, w.m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, w.m->articulated.ticket));
  for (int i = 0; i < w.plan->n_constraints; i++) w.n += constraint_on(room, w.plan, i)->np;
  if (w.n == 0) return CDN_OK;
  w.d = cdni_matter_data(w.m, state);
  w.frame = cdn_work_push(state, lay_out(&w, NULL, g != NULL));
  if (!w.frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  lay_out(&w, w.frame, g != NULL);
  if (g) memset(w.rest, 0, (size_t)w.m->tree.n * sizeof *w.rest);
  if (g) memset(w.still, 0, (size_t)w.m->tree.nu * sizeof *w.still);
  cdn_status status = calc_rows(&w);
  if (status == CDN_OK) status = factor(&w, log_det);
  if (status == CDN_OK && g) status = add_gradient(&w, g);
  cdn_work_pop(state, w.frame);
  return status;
}

int cdni_constraint_log_det_reads(const constraint_room *room, cdn_ticket *tickets) {
  int n = 0;
  tickets[n++] = room->plan.ticket, tickets[n++] = room->params.ticket, tickets[n++] = room->matter->frames.ticket;
  if (room->rheonomic) tickets[n++] = CDN_T;
  if (cdni_contact_any_rigid(room->contact)) tickets[n++] = cdni_rigid_places(room->contact);
  return n;
}

cdn_status cdn_calc_log_det_loops(cdn_state *state, double *log_det) {
  CDNI_NEED(state, log_det);
  *log_det = 0;
  return cdni_constraint_add_log_det(cdni_constraints(cdn_state_system(state)), state, __func__, log_det, NULL);
}

cdn_status cdn_calc_log_det_loops_gradient(cdn_state *state, double *g) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  CDNI_NEED_SOME(state, g, nu);
  double log_det = 0;
  if (nu) memset(g, 0, (size_t)nu * sizeof *g);
  return cdni_constraint_add_log_det(cdni_constraints(cdn_state_system(state)), state, __func__, &log_det, g);
}
