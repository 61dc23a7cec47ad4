/* Conjugate gradients for the soft rows of an island (Polak and Ribiere), without a matrix of the rows.
 *
 * The preconditioner is M^-1 on the accelerations that the constraints allow: one elimination along the trees, without
 * weights, serves all iterations. With forces h that hold x (M x + G^T lambda = J^T h) and forces f of the rows, the
 * gradient at x is J^T (h - f), and the preconditioned one the z with M z + G^T lambda = J^T (h - f), G z = 0.
 * Directions are mixtures of such z, and are held by the same mixtures of their forces: products with M are sums over
 * rows, as in Newton's method.
 *
 * An iteration costs one solution with the elimination, O(bodies), and a line search, O(rows). */
#include <math.h>

#include "soft/internal.h"

/* 1/2 g^T M^-1 g, relative to the cost, that is rounding. */
static const double NOTHING = 1e-24;

cdn_status cdni_soft_factor_pieces(soft_problem *p, int island, cdn_soft_statistics *statistics) {
  const loop_weights none = { .P = p->P, .D = p->D };
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++) {
    const int bad = cdni_loop_factor_island(p->room->constraints, p->plan, p->d, p->rows, p->was_redundant, &none,
                                            p->piece[k], &p->factor);
    if (bad >= 0) return cdni_matter_singular(p->room->matter, p->state, bad, "cdn_realize");
  }
  statistics->factorizations++;
  return CDN_OK;
}

/* Forces of the rows at the residuals of x; the cost of the functions. */
static double evaluate(const soft_problem *p, int island) {
  double cost = 0;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    cost += cdni_soft_function(&w->g->s, w->r, w->f, NULL, &w->zone);
  }
  return cost;
}

/* y = z, its motions. */
static void solve_gradient(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  cdni_soft_clear(p, p->piece + p->piece_first[island], p->piece_first[island + 1] - p->piece_first[island]);
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_work *w = &p->work[k];
    double force[SOFT_MOST_ROWS];
    for (int e = 0; e < w->g->s.rows; e++) force[e] = w->held[e] - w->f[e];
    cdni_soft_add_force(plan->tree, w, force, p->F, p->f);
  }
  p->F[0] = sv_zero();
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++)
    cdni_loop_solve_island(plan, p->d, &p->factor, &problem, p->piece[k], p->scratch);
}

/* Products of the gradient g with z, and of the gradient before with z. Leaves J z in `next`. */
typedef struct products {
  double now, before;
} products;

static products multiply(const soft_problem *p, int island) {
  products s = { 0 };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    cdni_soft_multiply(p->plan->tree, w, p->A_y, p->y, w->next);
    for (int e = 0; e < w->g->s.rows; e++) {
      const double g = w->held[e] - w->f[e];
      s.now += g * w->next[e], s.before += w->past[e] * w->next[e];
      w->past[e] = g;
    }
  }
  return s;
}

/* d = beta d - z, with J d and the forces that hold d. */
static void turn(soft_problem *p, int island, double beta, soft_line *line) {
  const loop_plan *plan = p->plan;
  double square = 0;
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++)
    for (int at = plan->island_body[p->piece[k]]; at < plan->island_body[p->piece[k] + 1]; at++) {
      const tree_node *node = &plan->tree->node[plan->bodies[at]];
      for (int u = node->u; u < node->u + node->nu; u++) {
        p->step[u] = beta > 0 ? r_fma(beta, p->step[u], -p->y[u]) : -p->y[u];
        square += p->step[u] * p->step[u];
      }
    }
  *line = (soft_line){ .size = sqrt(square) };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) {
      w->Jd[e] = beta > 0 ? r_fma(beta, w->Jd[e], -w->next[e]) : -w->next[e];
      w->along[e] = beta > 0 ? r_fma(beta, w->along[e], -w->past[e]) : -w->past[e];
      line->m0 += w->held[e] * w->Jd[e], line->m1 += w->along[e] * w->Jd[e];
    }
  }
}

/* x += t d. */
static void move(soft_problem *p, int island, double t) {
  const loop_plan *plan = p->plan;
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++)
    for (int at = plan->island_body[p->piece[k]]; at < plan->island_body[p->piece[k] + 1]; at++) {
      const tree_node *node = &plan->tree->node[plan->bodies[at]];
      for (int u = node->u; u < node->u + node->nu; u++) p->x[u] = r_fma(t, p->step[u], p->x[u]);
    }
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) {
      w->Jx[e] = r_fma(t, w->Jd[e], w->Jx[e]), w->r[e] = r_fma(t, w->Jd[e], w->r[e]);
      w->held[e] = r_fma(t, w->along[e], w->held[e]);
    }
  }
}

/* The direction that follows the one before, or the gradient's where that does not lead down; false: nothing does. */
static bool search(soft_problem *p, int island, double beta, soft_line *line) {
  int evaluations = 0;
  for (int tries = 0; tries < 2; tries++, beta = 0) {
    turn(p, island, beta, line);
    cdni_soft_search(p, island, line);
    line->evaluations += evaluations, evaluations = line->evaluations;
    if (line->t > 0 || !(beta > 0)) break;
  }
  return line->t > 0;
}

cdn_status cdni_soft_descend(soft_problem *p, int island, soft_results *results) {
  const cdn_soft_def *def = p->def;
  const bool by_cost = def->cost_tolerance >= 0;
  cdn_soft_statistics *statistics = &results->statistics;
  double cost = cdni_soft_cost(p, island), beta = 0;
  const double scale = cost + 0.5 * cdni_soft_metric(p, island, p->d->udot, p->A_0, p->d->udot, p->A_0);
  results->scale += scale;
  /* half of the tolerance is for what sums of many steps have lost when udot is solved from the forces */
  const double enough = fmax(0.25 * def->tolerance * def->tolerance, NOTHING) * scale;
  CDNI_TRY(cdni_soft_factor_pieces(p, island, statistics));
  solve_gradient(p, island);
  products left = multiply(p, island);
  for (int it = 1; it <= def->iterations && (by_cost || 0.5 * left.now > enough); it++) {
    soft_line line;
    const bool leads = search(p, island, beta, &line);
    const double gradient = sqrt(0.5 * fmax(left.now, 0)), before = left.now;
    statistics->evaluations += line.evaluations;
    if (!leads) return CDN_OK;
    if (statistics->most_iterations < it) statistics->most_iterations = it;
    move(p, island, line.t);
    const double improvement = cdni_soft_note(p, island, it, &line, gradient, evaluate(p, island), &cost);
    solve_gradient(p, island);
    left = multiply(p, island);
    beta = (left.now - left.before) / before;
    if (by_cost &&
        (improvement < soft_cost_limit(p) || cdni_soft_length(p, island, p->y, p->A_y, false) < soft_cost_limit(p)))
      return CDN_OK;
  }
  return CDN_OK;
}
