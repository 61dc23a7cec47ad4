/* Newton's method for the soft rows of an island.
 *
 * The cost at x = udot - udot0 is 1/2 x^T M x + sum s(r + J x), on G x = 0. With forces f = -ds/dr and weights H =
 * d2s/dr2 at x, the Newton step leads to the y with (M + J^T H J) y + G^T lambda = J^T (f + H J x), G y = 0: one
 * elimination. Where no function has changed its piece on the way to y, and none is curved there, y is the solution,
 * exactly.
 *
 * No product with M is formed. y is what the forces g = f - H J (y - x) make, for M y + G^T lambda = J^T g. So for any
 * d with G d = 0 d^T M y is the product of J d and g; x is a mixture of such y, with the same mixture of their g. */
#include <math.h>

#include "soft/internal.h"

/* Of the products of forces and Jd, regardless of signs. Steps that promise less than the first are whole ones, for
 * slopes along them are rounding; those that promise less than the second change no force. */
static const double LITTLE = 1e-9, NO_CHANGE = 1e-12;
/* Of the cost: steps that promise less change nothing but rounding. */
static const double NOTHING = 1e-24;
/* Tolerances below this are met by refining, for an elimination leaves its rounding times how stiff rows are in the
 * forces. */
static const double REFINED = 1e-10;
/* With exact rows the first steps are whole ones, in which any number of rows may come to a bound or leave it (the
 * primal-dual active set method; Hintermueller, Ito and Kunisch 2003); along lines one row does so at a time. */
enum { WHOLE_STEPS = 2, STEPS_PER_GROUP = 4 };
/* The gradient is measured by 1 / D where M^-1 would be right, which may be so much larger. */
static const double STIFF = 1e8;

cdn_status cdni_soft_factor(soft_problem *p, int island, bool all) {
  cdni_soft_weigh(p, island, all);
  const loop_weights weights = { .P = p->P, .D = p->D, .changed = all ? NULL : p->changed };
  const int bad = cdni_loop_factor_island(p->room->constraints, p->plan, p->d, p->rows, p->was_redundant, &weights,
                                          island, &p->factor);
  return bad >= 0 ? cdni_matter_singular(p->room->matter, p->state, bad, "cdn_realize") : CDN_OK;
}

/* ---- what has to be factored again ---- */

/* Bodies of an island that nothing couples are eliminated again where weights have changed. */
static bool stands_apart(const soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  if (plan->island_block[island] < plan->island_block[island + 1]) return false;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1] && plan->n_C > 0; at++)
    if (plan->couple_first[plan->bodies[at]] < plan->couple_first[plan->bodies[at] + 1]) return false;
  return true;
}

/* Marks the bodies on which H has changed (`first`: all), and those inboard of them. */
static void mark_changed(soft_problem *p, int island, bool first) {
  const loop_plan *plan = p->plan;
  const tree_node *node = plan->tree->node;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++)
    p->changed[plan->bodies[at]] = first;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    if (first || w->zone != w->factored || w->zone == SOFT_ZONE_MIDDLE)
      for (int i = 0; i < cdni_soft_bodies(w->g); i++) p->changed[cdni_soft_body(w->g, i)] = true;
    w->factored = w->zone;
  }
  p->changed[0] = false;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    if (p->changed[i] && node[i].parent > 0) p->changed[node[i].parent] = true;
  }
}

/* y and its motions, by elimination. */
static cdn_status step(soft_problem *p, int island, bool all) {
  const loop_plan *plan = p->plan;
  cdni_soft_clear(p, &island, 1);
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
  CDNI_TRY(cdni_soft_factor(p, island, all));
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  cdni_loop_solve_island(plan, p->d, &p->factor, &problem, island, p->scratch);
  return CDN_OK;
}

/* Products along the step d = y - x: x^T M d, d^T M d, and d^T J^T H J d; of forces and J d, regardless of signs, but
 * those of exact rows in a pass, whose forces may be anything before they have settled. */
typedef struct step_sums {
  double m0, m1, curved, size;
} step_sums;

/* J d, and the forces that hold y. */
static step_sums multiply(const soft_problem *p, int island) {
  step_sums s = { 0 };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    cdni_soft_multiply(p->plan->tree, w, p->A_y, p->y, w->Jd);
    for (int e = 0; e < n; e++) w->Jd[e] -= w->Jx[e];
    for (int e = 0; e < n; e++) {
      double change = 0;
      for (int g = 0; g < n; g++) change += w->H[e * n + g] * w->Jd[g];
      w->next[e] = w->f[e] - change;
      s.m0 += w->held[e] * w->Jd[e];
      s.m1 += (w->next[e] - w->held[e]) * w->Jd[e];
      s.curved += change * w->Jd[e];
      if (!(p->passed && w->g->give > 0)) s.size += (fabs(w->held[e]) + fabs(w->f[e])) * fabs(w->Jd[e]);
    }
  }
  return s;
}

/* What a trial found at a place of the step. */
typedef struct trial {
  double cost, slope; /* of the functions */
  bool done;          /* no function is curved there, or on another piece than before */
  double left; /* half of the sum of (f - g)^2 / D: at y that is what is left to promise, for the gradient is J^T (g -
             * f) */
} trial;

/* Forces and weights at x + t d. */
static trial evaluate(const soft_problem *p, int island, double t) {
  trial at = { .done = true };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    double r[SOFT_MOST_ROWS];
    const int32_t before = w->zone;
    for (int e = 0; e < n; e++) r[e] = w->r[e] + t * w->Jd[e];
    at.cost += cdni_soft_row_function(p, w, r);
    at.done = at.done && w->zone == before && before != SOFT_ZONE_MIDDLE;
    for (int e = 0; e < n; e++) {
      const double change = w->f[e] - w->next[e];
      at.slope -= w->f[e] * w->Jd[e];
      at.left += 0.5 * change * change / w->g->s.D[w->g->s.kind == SOFT_PYRAMIDAL ? 0 : e];
    }
  }
  return at;
}

/* d and its motion, for lengths; the length of d. */
static double take_direction(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  double square = 0;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->A_step[i] = sv_sub(p->A_y[i], p->A_x[i]);
    for (int k = node->u; k < node->u + node->nu; k++) {
      p->step[k] = p->y[k] - p->x[k];
      square += p->step[k] * p->step[k];
    }
  }
  return sqrt(square);
}

/* x += t d. A_x is there where cost_tolerance is in force. */
static void move(soft_problem *p, int island, double t) {
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    if (p->def->cost_tolerance >= 0) p->A_x[i] = sv_fma(t, p->A_step[i], p->A_x[i]);
    for (int k = node->u; k < node->u + node->nu; k++)
      p->x[k] = t == 1 ? p->y[k] : r_fma(t, p->y[k] - p->x[k], p->x[k]);
  }
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) {
      w->Jx[e] += t * w->Jd[e], w->r[e] += t * w->Jd[e];
      w->held[e] = t == 1 ? w->next[e] : r_fma(t, w->next[e] - w->held[e], w->held[e]);
    }
  }
}

/* Improves x, which is the last y, by what M x lacks of the rows' forces: with the same factors, and the product
 * with M. */
static void refine(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->F[i] = sv_neg(rigid_mul(p->d->inertia[i], p->A_y[i]));
    p->A_y[i] = sv_zero();
    for (int u = node->u; u < node->u + node->nu; u++) p->f[u] = -p->d->mass[i].armature * p->x[u], p->y[u] = 0;
  }
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    cdni_soft_add_force(plan->tree, &p->work[k], p->work[k].f, p->F, p->f);
  p->F[0] = sv_zero();
  cdni_loop_solve_island(plan, p->d, &p->factor, &problem, island, p->scratch);
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const tree_node *node = &plan->tree->node[plan->bodies[at]];
    for (int u = node->u; u < node->u + node->nu; u++) p->x[u] += p->y[u];
  }
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    cdni_soft_multiply(plan->tree, w, p->A_y, p->y, w->Jd);
    for (int e = 0; e < w->g->s.rows; e++) w->Jx[e] += w->Jd[e], w->r[e] += w->Jd[e];
    cdni_soft_row_function(p, w, w->r);
  }
}

double cdni_soft_cost(const soft_problem *p, int island) {
  double sum = 0;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    sum += cdni_soft_row_function(p, w, w->r);
    w->noted = w->zone;
  }
  return sum;
}

/* How small the slope along a line must be for its whole step to be taken. */
static double slope_limit(const soft_problem *p, double promised, double size) {
  return p->def->line_tolerance * (p->def->cost_tolerance >= 0 ? soft_cost_limit(p) * size : 2 * promised);
}

/* ---- from a guess ---- */

/* Rows at x = 0. */
static void go_back(const soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) w->r[e] -= w->Jx[e], w->Jx[e] = w->held[e] = 0;
  }
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const tree_node *node = &plan->tree->node[plan->bodies[at]];
    for (int u = node->u; u < node->u + node->nu; u++) p->x[u] = 0;
  }
}

/* A whole step from the guess, of which M x is not needed. *cost: that at udot0; afterwards that of x, which is udot0
 * again where the step led to a higher one. *done: x is the solution. */
static cdn_status step_from_guess(soft_problem *p, int island, bool apart, double asked, double *cost, bool *done) {
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) w->Jx[e] = w->past[e], w->r[e] += w->past[e], w->past[e] = 0;
  }
  (void)cdni_soft_cost(p, island);
  if (apart) mark_changed(p, island, true);
  CDNI_TRY(step(p, island, !apart));
  const step_sums sums = multiply(p, island);
  const trial at = evaluate(p, island, 1);
  move(p, island, 1);
  double work = 0; /* x^T M x / 2 */
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) work += 0.5 * w->held[e] * w->Jx[e];
  }
  *done = at.left <= (p->def->tolerance > 0 ? asked : NO_CHANGE * sums.size) / STIFF;
  if (*done || work + at.cost <= *cost) {
    *cost = work + at.cost;
    return CDN_OK;
  }
  go_back(p, island);
  *cost = cdni_soft_cost(p, island);
  return CDN_OK;
}

cdn_status cdni_soft_newton(soft_problem *p, int island, soft_results *results) {
  const cdn_soft_def *def = p->def;
  const bool by_cost = def->cost_tolerance >= 0;
  cdn_soft_statistics *statistics = &results->statistics;
  double cost = cdni_soft_cost(p, island);
  double asked = 0;
  if (!p->passed) {
    const double scale = cost + 0.5 * cdni_soft_metric(p, island, p->d->udot, p->A_0, p->d->udot, p->A_0);
    results->scale += scale;
    asked = fmax(def->tolerance * def->tolerance, NOTHING) * scale;
  }
  const bool apart = stands_apart(p, island);
  const int most = def->iterations + (p->passed ? STEPS_PER_GROUP * (p->first[island + 1] - p->first[island]) : 0);
  if (p->passed) cdni_soft_keep_free(p, island);
  if (p->guessed) {
    bool done;
    CDNI_TRY(step_from_guess(p, island, apart, asked, &cost, &done));
    statistics->factorizations++;
    if (statistics->most_iterations < 1) statistics->most_iterations = 1;
    if (done) {
      if (def->tolerance < REFINED) refine(p, island);
      return CDN_OK;
    }
  }
  for (int it = p->guessed ? 2 : 1; it <= most; it++) {
    if (apart) mark_changed(p, island, it == 1);
    CDNI_TRY(step(p, island, !apart));
    statistics->factorizations++;
    const step_sums sums = multiply(p, island);
    const double promised = 0.5 * (sums.m1 + sums.curved); /* by the quadratic model */
    const double enough = def->tolerance > 0 && !p->passed ? asked : NO_CHANGE * sums.size;
    soft_line line = { .m0 = sums.m0, .m1 = sums.m1, .t = 1 };
    if (by_cost) {
      line.size = take_direction(p, island);
      if (it > 1 && cdni_soft_length(p, island, p->step, p->A_step, true) < soft_cost_limit(p)) return CDN_OK;
    }
    if (statistics->most_iterations < it) statistics->most_iterations = it;
    trial at = evaluate(p, island, line.t);
    /* where little is left, slopes along the line are rounding */
    if (!(p->passed && it <= WHOLE_STEPS) && promised > LITTLE * sums.size &&
        !(fabs(at.slope + sums.m0 + sums.m1) <= slope_limit(p, promised, line.size))) {
      cdni_soft_search(p, island, &line);
      if (line.t != 1) at = evaluate(p, island, line.t);
    }
    move(p, island, line.t);
    if (!isfinite(promised)) return CDN_OK; /* nor are the accelerations, and whoever asked for them sees it */
    statistics->evaluations += line.evaluations;
    const double improvement = cdni_soft_note(p, island, it, &line, sqrt(fmax(promised, 0)), at.cost, &cost);
    if (!(line.t > 0) || (p->passed && line.t == 1 && at.done)) return CDN_OK;
    if (by_cost ? improvement < soft_cost_limit(p) : promised <= enough || (line.t == 1 && at.left <= enough / STIFF)) {
      if (!by_cost && line.t == 1 && def->tolerance < REFINED) refine(p, island);
      return CDN_OK;
    }
  }
  return CDN_OK;
}
