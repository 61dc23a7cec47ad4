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

#include "soft/row_math.h"

/* Of the products of forces and Jd, regardless of signs. Steps that promise less than the first are whole ones, for
 * slopes along them are rounding; those that promise less than the second change no force. */
static const double LITTLE = 1e-9, NO_CHANGE = 1e-12;
/* Of the cost: steps that promise less change nothing but rounding. */
static const double NOTHING = 1e-24;
/* With exact rows the first steps are whole ones, in which any number of rows may come to a bound or leave it (the
 * primal-dual active set method; Hintermueller, Ito and Kunisch 2003); along lines one row does so at a time. */
enum { WHOLE_STEPS = 2, STEPS_PER_GROUP = 4 };
/* Of a step that goes straight: whole steps after which the cost rises by less than this part of how it fell before are
 * as good as those to its least value, and end sooner; the part of the square of the tolerance that changes of forces
 * may be, for rows act on each other. */
static const double LEVEL = 0.2, SETTLED = 0.01;
/* Weights of contacts and limits are up to 1e4 times the inertia that they meet, and leave 1e-12 of it. */
static const double LIGHT = 1e5;
/* Squares of what forces have left to change, as a part of them, below which factors are kept; and by which each
 * correction must lower it. */
static const double NEAR = 1e-7, FASTER = 1e-3;
enum { MOST_CORRECTIONS = 3 };
/* The gradient is measured by 1 / D where M^-1 would be right, which may be so much larger. */
static const double STIFF = 1e8;

/* ---- factoring ---- */

/* Whether the weight of a group can be taken away: what it leaves is its rounding. */
static bool is_light(const soft_group *g) {
  const bool pyramid = g->s.kind == SOFT_PYRAMIDAL, cone = pyramid || g->s.kind == SOFT_ELLIPTIC;
  if (g->s.kind >= SOFT_PRESS) return false;
  for (int k = 0; k < g->s.rows; k++) {
    const double about = g->about[cone ? 0 : k];
    if (!(about > 0 && g->s.D[pyramid ? 0 : k] * about < LIGHT)) return false;
  }
  return true;
}

/* Marks the bodies whose elimination changes, since groups have left the pieces that are factored: those on which the
 * groups act, and all that these reach. False: all are to be eliminated anew, because a group is not light, or because
 * that takes less. */
static bool mark_changed(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  const int first = plan->island_body[island], end = plan->island_body[island + 1];
  if (plan->island_block[island] < plan->island_block[island + 1]) return false;
  for (int at = first; at < end; at++) p->changed[plan->bodies[at]] = false;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_group *g = p->work[k].g;
    if (!cdni_soft_has_changed(&p->work[k])) continue;
    if (!is_light(g)) return false;
    for (int i = 0; i < cdni_soft_bodies(g); i++) p->changed[cdni_soft_body(g, i)] = true;
  }
  p->changed[0] = false;
  int again = 0, all = 0; /* products of 6 x 6 blocks; those of changed bodies are taken back first */
  for (int at = first; at < end; at++) {
    const int i = plan->bodies[at], parent = plan->tree->node[i].parent, from = plan->couple_first[i],
              n = plan->couple_first[i + 1] - from, pairs = n * (n + 1) / 2;
    all += pairs + n + 1;
    if (!p->changed[i]) continue;
    again += 2 * pairs + n + 1;
    if (parent > 0) p->changed[parent] = true;
    for (int c = from; c < from + n; c++) p->changed[plan->couple[c]] = true;
  }
  return again < all;
}

bool cdni_soft_renew_weights(soft_problem *p, int island, bool all) {
  const bool part = !all && mark_changed(p, island);
  if (part) cdni_loop_give_back(p->plan, p->d, island, p->changed, &p->factor);
  cdni_soft_weigh(p, island, !part);
  return part;
}

cdn_status cdni_soft_factor(soft_problem *p, int island, bool all) {
  const bool part = cdni_soft_renew_weights(p, island, all);
  const loop_weights weights = { .P = p->P, .D = p->D, .changed = part ? p->changed : NULL };
  const int bad = cdni_loop_factor_island(p->room->constraints, p->plan, p->d, p->rows, p->was_redundant, &weights,
                                          island, &p->factor);
  return bad >= 0 ? cdni_matter_singular(p->room->matter, p->state, bad, "cdn_realize") : CDN_OK;
}

/* ---- steps ---- */

bool cdni_soft_stands_apart(const soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  if (plan->island_block[island] < plan->island_block[island + 1]) return false;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1] && plan->n_C > 0; at++)
    if (plan->couple_first[plan->bodies[at]] < plan->couple_first[plan->bodies[at] + 1]) return false;
  return true;
}

/* What the elimination is for: y, and its motions. Its right hand side. */
static void ask_for_step(soft_newton *n) {
  soft_problem *p = n->p;
  cdni_soft_clear(p, &n->island, 1);
  p->kernels->ask(p, n->island);
  p->F[0] = sv_zero();
  n->wish = SOFT_WANTS_STEP;
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

/* x += t d. A_x is there where cost_tolerance is in force, or a step goes straight. */
static void move(soft_problem *p, int island, double t) {
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    if (p->def->cost_tolerance >= 0) p->A_x[i] = sv_fma(t, p->A_step[i], p->A_x[i]);
    else if (p->load) p->A_x[i] = t == 1 ? p->A_y[i] : sv_fma(t, sv_sub(p->A_y[i], p->A_x[i]), p->A_x[i]);
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

/* x is the last y. Where that is asked for, it is improved by what M x lacks of the rows' forces: with the same
 * factors, and the product with M. */
static void finish(soft_newton *n, bool refined) {
  soft_problem *p = n->p;
  const loop_plan *plan = p->plan;
  cdn_soft_statistics *statistics = &n->results->statistics;
  n->wish = SOFT_IS_DONE;
  statistics->residual = fmax(statistics->residual, sqrt(n->left));
  if (!refined) return;
  for (int at = plan->island_body[n->island]; at < plan->island_body[n->island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->F[i] = sv_neg(rigid_mul(p->d->inertia[i], p->A_y[i]));
    p->A_y[i] = sv_zero();
    for (int u = node->u; u < node->u + node->nu; u++) {
      p->f[u] = (p->load ? p->load[u] : 0) - p->d->mass[i].armature * p->x[u];
      p->y[u] = 0;
    }
  }
  for (int k = p->first[n->island]; k < p->first[n->island + 1]; k++)
    cdni_soft_add_force(plan->tree, &p->work[k], p->work[k].f, p->F, p->f);
  p->F[0] = sv_zero();
  n->wish = SOFT_WANTS_REFINEMENT;
}

static void refine(soft_newton *n) {
  soft_problem *p = n->p;
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[n->island]; at < plan->island_body[n->island + 1]; at++) {
    const tree_node *node = &plan->tree->node[plan->bodies[at]];
    for (int u = node->u; u < node->u + node->nu; u++) p->x[u] += p->y[u];
    if (p->load) p->A_x[plan->bodies[at]] = sv_add(p->A_x[plan->bodies[at]], p->A_y[plan->bodies[at]]);
  }
  for (int k = p->first[n->island]; k < p->first[n->island + 1]; k++) {
    soft_work *w = &p->work[k];
    cdni_soft_multiply(plan->tree, w, p->A_y, p->y, w->Jd);
    for (int e = 0; e < w->g->s.rows; e++) w->Jx[e] += w->Jd[e], w->r[e] += w->Jd[e];
    cdni_soft_row_function(p, w, w->r);
  }
  n->wish = SOFT_IS_DONE;
}

double cdni_soft_cost(const soft_problem *p, int island) { return p->kernels->value(p, island); }

void cdni_soft_weigh(const soft_problem *p, int island, bool all) { p->kernels->weigh(p, island, all); }

/* How small the slope along a line must be for its whole step to be taken. */
static double slope_limit(const soft_problem *p, double promised, double size) {
  if (p->load) return LEVEL * 2 * promised;
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

/* After a whole step from the guess, of which M x is not needed. n->cost: that at udot0; afterwards that of x, which is
 * udot0 again where the step led to a higher one. Returns whether x is the solution. */
static bool end_guess(soft_newton *n) {
  soft_problem *p = n->p;
  const soft_step_sums sums = p->kernels->multiply(p, n->island);
  const soft_trial at = p->kernels->evaluate(p, n->island, 1);
  move(p, n->island, 1);
  double work = 0; /* x^T M x / 2 */
  for (int k = p->first[n->island]; k < p->first[n->island + 1]; k++) {
    const soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) work += 0.5 * w->held[e] * w->Jx[e];
  }
  n->from_guess = false;
  const bool done = at.left <= (p->def->tolerance > 0 ? n->asked : NO_CHANGE * sums.size) / STIFF;
  if (done || work + at.cost <= n->cost) {
    n->cost = work + at.cost;
    return done;
  }
  go_back(p, n->island);
  n->cost = cdni_soft_cost(p, n->island);
  return false;
}

/* Of a step that goes straight, after a trial at t. Returns whether that ends the iteration. */
static bool settle(soft_newton *n, const soft_trial *at, double t, bool nothing_left, bool *refined) {
  const double allowed = SETTLED * cdni_soft_least_change(n->p) * cdni_soft_least_change(n->p);
  n->left = at->change > 0 ? at->change / at->force : 0;
  const bool settled = at->change <= allowed * at->force || nothing_left;
  *refined = t == 1 && settled;
  if (t == 1 && !settled && at->same && n->left < NEAR) n->corrections = 1;
  return *refined || !(t > 0);
}

/* Its first step is a whole one. */
static bool end_leap(soft_newton *n, bool *refined) {
  soft_problem *p = n->p;
  cdn_soft_statistics *statistics = &n->results->statistics;
  if (statistics->most_iterations < n->it) statistics->most_iterations = n->it;
  const soft_trial at = p->kernels->leap(p, n->island);
  move(p, n->island, 1);
  if (!isfinite(at.force + at.change)) return true; /* nor are the accelerations, and whoever asked for them sees it */
  return settle(n, &at, 1, false, refined);
}

/* After a step: along the line to y. Returns whether that ends the iteration; *refined: and x may be improved. */
static bool end_step(soft_newton *n, bool *refined) {
  soft_problem *p = n->p;
  const cdn_soft_def *def = p->def;
  const bool by_cost = def->cost_tolerance >= 0;
  cdn_soft_statistics *statistics = &n->results->statistics;
  const soft_step_sums sums = p->kernels->multiply(p, n->island);
  const double promised = 0.5 * (sums.m1 + sums.curved); /* by the quadratic model */
  const double enough = def->tolerance > 0 && !p->passed && !p->load ? n->asked : NO_CHANGE * sums.size;
  soft_line line = { .m0 = sums.m0, .m1 = sums.m1, .t = 1 };
  if (by_cost) {
    line.size = take_direction(p, n->island);
    if (n->it > 1 && cdni_soft_length(p, n->island, p->step, p->A_step, true) < soft_cost_limit(p)) return true;
  }
  if (statistics->most_iterations < n->it) statistics->most_iterations = n->it;
  soft_trial at = p->kernels->evaluate(p, n->island, line.t);
  /* where little is left, slopes along the line are rounding */
  if (!(p->passed && n->it <= WHOLE_STEPS) && promised > LITTLE * sums.size &&
      !(fabs(at.slope.first + sums.m0 + sums.m1) <= slope_limit(p, promised, line.size))) {
    line.start.first = sums.m0 + sums.slope;
    line.there = (soft_slope){ at.slope.first + sums.m0 + sums.m1, at.slope.second + sums.m1 };
    cdni_soft_search(p, n->island, &line);
    if (line.t != 1) at = p->kernels->evaluate(p, n->island, line.t);
  }
  move(p, n->island, line.t);
  if (!isfinite(promised)) return true; /* nor are the accelerations, and whoever asked for them sees it */
  statistics->evaluations += line.evaluations;
  if (p->load) return settle(n, &at, line.t, promised <= enough, refined);
  const double improvement = cdni_soft_note(p, n->island, n->it, &line, sqrt(fmax(promised, 0)), at.cost, &n->cost);
  if (!(line.t > 0) || (p->passed && line.t == 1 && at.done)) return true;
  if (by_cost) return improvement < soft_cost_limit(p);
  *refined = line.t == 1;
  return promised <= enough || (line.t == 1 && at.left <= enough / STIFF);
}

/* ---- corrections ---- */

/* Where little is left to change, and no function has left its piece, what bends them is small: the factors that are
 * there lead on. With x held by the forces g, (M + J^T H J) d = J^T (f - g), and f - H J d holds x + d; H are the
 * weights that are factored. */
static void ask_for_correction(soft_newton *n) {
  soft_problem *p = n->p;
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[n->island]; at < plan->island_body[n->island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->F[i] = p->A_y[i] = sv_zero();
    for (int u = node->u; u < node->u + node->nu; u++) p->f[u] = p->y[u] = 0;
  }
  for (int k = p->first[n->island]; k < p->first[n->island + 1]; k++) {
    const soft_work *w = &p->work[k];
    double force[SOFT_MOST_ROWS];
    if (w->zone != SOFT_ZONE_MIDDLE) continue; /* what is not bent has the forces that hold x */
    for (int e = 0; e < w->g->s.rows; e++) force[e] = w->f[e] - w->held[e];
    cdni_soft_add_force(plan->tree, w, force, p->F, p->f);
  }
  p->F[0] = sv_zero();
  n->wish = SOFT_WANTS_CORRECTION;
}

/* Moves on by it. Returns whether x is the solution; *again: one more will do. */
static bool end_correction(soft_newton *n, bool *again) {
  soft_problem *p = n->p;
  const loop_plan *plan = p->plan;
  const double allowed = SETTLED * cdni_soft_least_change(p) * cdni_soft_least_change(p), before = n->left;
  soft_trial at = { .same = true };
  for (int k = plan->island_body[n->island]; k < plan->island_body[n->island + 1]; k++) {
    const int i = plan->bodies[k];
    const tree_node *node = &plan->tree->node[i];
    p->A_x[i] = sv_add(p->A_x[i], p->A_y[i]);
    for (int u = node->u; u < node->u + node->nu; u++) p->x[u] += p->y[u];
  }
  for (int k = p->first[n->island]; k < p->first[n->island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int rows = w->g->s.rows;
    const int32_t zone = w->zone;
    cdni_soft_multiply(plan->tree, w, p->A_y, p->y, w->Jd);
    for (int e = 0; e < rows; e++) {
      double force = w->f[e];
      for (int g = 0; g < rows; g++) force -= w->weighed[e * rows + g] * w->Jd[g];
      w->next[e] = w->held[e] = force;
    }
    for (int e = 0; e < rows; e++) w->Jx[e] += w->Jd[e], w->r[e] += w->Jd[e];
    (void)cdni_soft_row_function(p, w, w->r);
    at.same = at.same && w->zone == zone;
    soft_count_change(rows, w, w->zone == zone && zone != SOFT_ZONE_MIDDLE, &at);
  }
  n->left = at.change > 0 ? at.change / at.force : 0;
  *again = at.same && n->left < FASTER * before && n->corrections < MOST_CORRECTIONS;
  return at.change <= allowed * at.force;
}

/* ---- the iteration ---- */

void cdni_soft_newton_begin(soft_newton *n, soft_problem *p, int island, soft_results *results) {
  const cdn_soft_def *def = p->def;
  *n = (soft_newton){ .p = p, .island = island, .results = results, .it = 1, .from_guess = p->guessed && !p->load };
  if (!p->load) n->cost = cdni_soft_cost(p, island);
  if (!p->passed && !p->load) {
    const double scale = n->cost + 0.5 * cdni_soft_metric(p, island, p->d->udot, p->A_0, p->d->udot, p->A_0);
    results->scale += scale;
    n->asked = fmax(def->tolerance * def->tolerance, NOTHING) * scale;
  }
  n->most = def->iterations + (p->passed ? STEPS_PER_GROUP * (p->first[island + 1] - p->first[island]) : 0);
  if (p->passed) cdni_soft_keep_free(p, island);
  if (p->guessed || p->load) {
    cdni_soft_clear(p, &n->island, 1);
    p->kernels->begin(p, n->island);
    p->F[0] = sv_zero();
    n->wish = SOFT_WANTS_STEP;
  } else {
    ask_for_step(n);
  }
}

void cdni_soft_newton_go_on(soft_newton *n) {
  cdn_soft_statistics *statistics = &n->results->statistics;
  if (n->wish == SOFT_WANTS_REFINEMENT) {
    refine(n);
    return;
  }
  bool done, refined = true, corrected = false;
  statistics->factorizations += n->wish == SOFT_WANTS_STEP;
  if (n->wish == SOFT_WANTS_CORRECTION) {
    refined = false;
    done = end_correction(n, &corrected);
    n->corrections = corrected ? n->corrections + 1 : 0;
  } else if (n->from_guess) {
    if (statistics->most_iterations < 1) statistics->most_iterations = 1;
    done = end_guess(n);
  } else {
    refined = false;
    done = n->p->load && n->it == 1 ? end_leap(n, &refined) : end_step(n, &refined);
  }
  if (done) {
    finish(n, refined && cdni_soft_refines(n->p->def));
  } else if (n->corrections > 0) {
    ask_for_correction(n);
  } else if (++n->it <= n->most) {
    ask_for_step(n);
  } else {
    finish(n, false);
  }
}

/* What the iteration wants of an island that is a tree by itself. */
static cdn_status solve_plain(soft_newton *n, const plain_range *range) {
  const soft_problem *p = n->p;
  const plain_problem problem = { p->F, p->f, p->P, p->D, p->y, p->A_y };
  CDNI_LANE_FINDINGS(singular);
  if (n->wish == SOFT_WANTS_STEP) cdni_soft_weigh(p, n->island, true);
  cdni_soft_plain_solve(p->room->matter, p->d, &p->pass, &problem, range, n->wish != SOFT_WANTS_STEP, singular);
  const bool ok = n->wish != SOFT_WANTS_STEP || singular[0] < 0;
  return ok ? CDN_OK : cdni_matter_singular(p->room->matter, p->state, (int)singular[0], "cdn_realize");
}

cdn_status cdni_soft_newton(soft_problem *p, int island, soft_results *results) {
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  plain_range range;
  soft_newton n;
  const bool plain = cdni_soft_is_plain(p, island, &range);
  cdni_soft_newton_begin(&n, p, island, results);
  while (n.wish != SOFT_IS_DONE) {
    if (plain) {
      CDNI_TRY(solve_plain(&n, &range));
      cdni_soft_newton_go_on(&n);
      continue;
    }
    if (n.wish == SOFT_WANTS_STEP) CDNI_TRY(cdni_soft_factor(p, island, n.it == 1));
    cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, island, p->scratch);
    cdni_soft_newton_go_on(&n);
  }
  return CDN_OK;
}
