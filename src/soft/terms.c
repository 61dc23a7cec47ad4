/* Groups of one row on mobilities of several joints, and on bodies.
 *
 * The row is c = sum of slope udot. Its weight H c c^T has squares, which are weights on the mobilities themselves, and
 * products of two mobilities. udot of a joint is a row on the motions of its outboard and its inboard body; so the
 * product of two joints is a weight between the bodies of the one and those of the other. A body is one whose joint has
 * no inboard body. */
#include "math/cholesky.h"
#include "matter/operators.h"
#include "soft/internal.h"

/* The row of one mobility on the motion of M beyond its joint relative to M before it: column k of H (H^T H)^-1. */
static sv row_of_mobility(const tree_node *node, const tree_data *d, int k) {
  sv H[MOST_MOBILITIES], row = sv_zero();
  double A[MOST_MOBILITIES * MOST_MOBILITIES], x[MOST_MOBILITIES] = { 0 };
  const int n = node->nu;
  for (int i = 0; i < n; i++) H[i] = cdni_hinge_column(node, d->H, i);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = sv_dot(H[i], H[j]);
  x[k] = 1;
  (void)!cdni_cholesky(n, n, A, 0, 0); /* the columns of H are independent */
  cdni_cholesky_down(n, n, A, x);
  cdni_cholesky_up(n, n, A, x);
  for (int i = 0; i < n; i++) row = sv_fma(x[i], H[i], row);
  return row;
}

void cdni_soft_spread_terms(const soft_problem *p, const soft_work *w) {
  for (int i = 0; i < w->g->terms; i++) {
    const soft_term *term = &w->g->term[i];
    const tree_node *node = &p->plan->tree->node[term->body];
    if (cdni_soft_is_body(term)) {
      w->J[2 * i] = cdni_soft_body_row(w->g, term), w->J[2 * i + 1] = sv_zero();
      continue;
    }
    const sv row = row_of_mobility(node, p->d, term->u - node->u);
    sv *J = w->J + 2 * i;
    J[0] = (sv){ v3_scale(term->slope, row.w), v3_scale(term->slope, row.v) };
    J[1] = sv_neg(sv_shift_force(J[0], p->d->pose[term->body].r));
  }
}

/* h times the product of two rows: a on body x, b on body y. */
static void weigh_product(const soft_problem *p, int x, int y, double h, sv a, sv b, int32_t coupling) {
  a = (sv){ v3_scale(h, a.w), v3_scale(h, a.v) };
  if (x == y && p->room->moves[x]) {
    cdni_soft_add_inertia(1, &a, &b, &p->P[x]);
    cdni_soft_add_inertia(1, &b, &a, &p->P[x]);
  }
  if (coupling < 0) return;
  const bool x_first = p->plan->place[x] < p->plan->place[y];
  const double *row = x_first ? &a.w.x : &b.w.x;
  sv *C = p->factor.C + 6 * coupling;
  for (int l = 0; l < 6; l++) C[l] = sv_fma(row[l], x_first ? b : a, C[l]);
}

/* The part of one term alone. */
static void weigh_term(const soft_problem *p, const soft_term *t, double h, sv J) {
  const tree_node *node = &p->plan->tree->node[t->body];
  if (!cdni_soft_is_body(t)) {
    p->D[6 * t->u + t->u - node->u] += h * t->slope * t->slope;
    return;
  }
  const sv HJ = { v3_scale(h, J.w), v3_scale(h, J.v) };
  if (p->room->moves[t->body]) cdni_soft_add_inertia(1, &HJ, &J, &p->P[t->body]);
}

void cdni_soft_weigh_terms(const soft_problem *p, const soft_work *w, double h) {
  const soft_group *g = w->g;
  const tree_node *node = p->plan->tree->node;
  const int32_t *C = w->couplings;
  for (int j = 0; j < g->terms; j++) {
    const soft_term *t = &g->term[j];
    for (int i = 0; i < j; i++, C += 4) {
      const soft_term *s = &g->term[i];
      const bool of_one_joint = s->body == t->body && !cdni_soft_is_body(s) && !cdni_soft_is_body(t);
      if (of_one_joint) {
        const double product = h * s->slope * t->slope;
        p->D[6 * s->u + t->u - node[t->body].u] += product;
        p->D[6 * t->u + s->u - node[t->body].u] += product;
      }
      for (int c = 0; c < 4 && !of_one_joint; c++) {
        const int x = cdni_soft_coupled_body(p->room, g, i, c / 2), y = cdni_soft_coupled_body(p->room, g, j, c % 2);
        weigh_product(p, x, y, h, w->J[2 * i + c / 2], w->J[2 * j + c % 2], C[c]);
      }
    }
    weigh_term(p, t, h, w->J[2 * j]);
  }
}
