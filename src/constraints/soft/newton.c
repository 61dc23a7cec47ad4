/* Newton's method for the soft rows of an island.
 *
 * The cost at x = udot - udot0 is 1/2 x^T M x + sum s(r + J x), on G x = 0. With forces f = -ds/dr and weights H = d2s/dr2
 * at x, the Newton step leads to the y with (M + J^T H J) y + G^T lambda = J^T (f + H J x), G y = 0: one elimination, and
 * no product with M. Where no function has changed its piece on the way to y, and none is curved there, y is the
 * solution, exactly. */
#include <math.h>

#include "constraints/soft/internal.h"

/* Of the cost. Steps that promise less than the first are whole ones; those that promise less than the second change
 * nothing but rounding. */
static const double LITTLE = 1e-14, NOTHING = 1e-24;
/* The gradient is measured by 1 / D where M^-1 would be right, which may be so much larger. */
static const double STIFF = 1e8;

/* Residuals at x + t d, and forces and weights there. Returns half of the sum of (f - g)^2 / D, where g are the
 * forces that the weights before would have led to. After a whole Newton step this is what is left to promise: the gradient
 * is J^T (g - f). */
static double evaluate(const soft_problem *p, int island, double t) {
  double left = 0;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    double before[SOFT_MOST_ROWS];
    for (int e = 0; e < n; e++) {
      before[e] = w->f[e];
      for (int g = 0; g < n; g++) before[e] -= t * w->H[e * n + g] * w->Jd[g];
    }
    for (int e = 0; e < n; e++) w->Jx[e] += t * w->Jd[e], w->r[e] += t * w->Jd[e];
    cdni_soft_function(&w->g->s, w->r, w->f, w->H, NULL);
    for (int e = 0; e < n; e++) {
      const double change = w->f[e] - before[e];
      left += 0.5 * change * change / w->g->s.D[w->g->s.kind == SOFT_PYRAMIDAL ? 0 : e];
    }
  }
  return left;
}

cdn_status cdni_soft_factor(soft_problem *p, int island) {
  cdni_soft_weigh(p, island);
  const loop_weights weights = { .P = p->P, .D = p->D };
  const int bad = cdni_loop_factor_island(p->room->constraints, p->plan, p->d, p->rows, p->was_redundant, &weights,
                                          island, &p->factor);
  return bad >= 0 ? cdni_matter_singular(p->room->matter, p->state, bad, "cdn_realize") : CDN_OK;
}

/* y and its motions, by elimination. */
static cdn_status step(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->F[i] = sv_zero();
    for (int k = node->u; k < node->u + node->nu; k++) p->f[k] = 0;
  }
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    double force[SOFT_MOST_ROWS];
    for (int e = 0; e < n; e++) {
      force[e] = w->f[e];
      for (int g = 0; g < n; g++) force[e] += w->H[e * n + g] * w->Jx[g];
    }
    cdni_soft_add_force(plan->tree, w, force, p->F, p->f);
  }
  p->F[0] = sv_zero();
  CDNI_TRY(cdni_soft_factor(p, island));
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  cdni_loop_solve_island(plan, p->d, &p->factor, &problem, island, p->scratch);
  return CDN_OK;
}

/* x += t (y - x), with its motions. */
static void move(soft_problem *p, int island, double t) {
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->A_x[i] = sv_fma(t, p->A_y[i], p->A_x[i]);
    for (int k = node->u; k < node->u + node->nu; k++) p->x[k] = r_fma(t, p->y[k], p->x[k]);
  }
}

/* y and its motions become those of y - x. */
static void subtract(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->A_y[i] = sv_sub(p->A_y[i], p->A_x[i]);
    for (int k = node->u; k < node->u + node->nu; k++) p->y[k] -= p->x[k];
  }
}

/* J (y - x), and its part in the promise of the step. */
static double multiply(const soft_problem *p, int island) {
  double curved = 0;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    cdni_soft_multiply(p->plan->tree, w, p->A_y, p->y, w->Jd);
    for (int e = 0; e < n; e++)
      for (int g = 0; g < n; g++) curved += w->Jd[e] * w->H[e * n + g] * w->Jd[g];
  }
  return curved;
}

double cdni_soft_cost(const soft_problem *p, int island) {
  double sum = 0;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    sum += cdni_soft_function(&w->g->s, w->r, w->f, w->H, NULL);
  }
  return sum;
}

cdn_status cdni_soft_newton(soft_problem *p, int island, soft_results *results) {
  const cdn_soft_def *def = &p->room->def;
  cdn_soft_statistics *statistics = &results->statistics;
  const double scale =
      cdni_soft_cost(p, island) + 0.5 * cdni_soft_metric(p, island, p->d->udot, p->A_0, p->d->udot, p->A_0);
  results->scale += scale;
  const double enough = fmax(def->tolerance * def->tolerance, NOTHING) * scale;
  for (int it = 1; it <= def->iterations; it++) {
    CDNI_TRY(step(p, island));
    statistics->factorizations++;
    if (statistics->most_iterations < it) statistics->most_iterations = it;
    subtract(p, island);
    const double curved = multiply(p, island);
    const double m0 = cdni_soft_metric(p, island, p->y, p->A_y, p->x, p->A_x);
    const double m1 = cdni_soft_metric(p, island, p->y, p->A_y, p->y, p->A_y);
    const double promised = 0.5 * (m1 + curved); /* by the quadratic model */
    /* where little is left, slopes along the line are rounding */
    const double t = promised > LITTLE * scale ? cdni_soft_line(p, island, m0, m1) : 1;
    move(p, island, t);
    const double left = evaluate(p, island, t);
    if (promised <= enough || (t == 1 && left <= enough / STIFF)) return CDN_OK;
  }
  return CDN_OK;
}
