/* Rows that hold exactly unless their force is at a bound: R = 0; and those that give way by very little.
 *
 * In the elimination such a row has R + give, with a `give` that is little beside the inverse inertia which it meets.
 * Where its force is f, it lacks give f. So the island is solved again with this put right: with the forces found so
 * far as base, the accelerations that these make, and rows that want r = -R f + give (base - f). What is lacking falls
 * by about `give` over the inverse inertia in each pass, and its rounding with it, for a pass is about what comes to
 * the base alone (the proximal point method; Rockafellar 1976). Rows that depend on each other get the forces nearest
 * to zero. */
#include <math.h>

#include "soft/internal.h"

/* What a row may lack beside the terms of the equations, and beside what its force alone does; a pass that gains less
 * than GAIN is followed by one in which rows give way by LESS of that, and a pass that loses by one in which they give
 * way by more; rows that lack more than WRONG after all contradict something. */
static const double ENOUGH = 1e-15, ROUNDING = 1e-15, GAIN = 0.1, LESS = 1e-2, WRONG = 1e-7, NOTHING = 1e-290;
/* Beside rows that give way, whose forces are as exact as Newton's method leaves them, passes settle at less than
 * this. */
static const double SETTLED = 1e-10, LEAST_GIVE = 1e-4;
/* Where exact rows have bounds the first passes find those that are at one: with a little R a row is at a bound almost
 * everywhere, and Newton's method has far to go. */
static const double FIRST_LEVEL = 0.1, LAST_LEVEL = 1e-12;
enum { MOST_PASSES = 40, MOST_CHANGES = 6 };

static cdn_status exact_name(const soft_room *room, cdn_state *state, const char **name) {
  const void *groups;
  int n;
  *name = NULL;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &n));
  for (int i = 0; i < n && !*name; i++)
    if (cdni_soft_holds((const soft_group *)groups + i))
      *name = cdni_soft_group_name(room, (const soft_group *)groups + i);
  return CDN_OK;
}

cdn_status cdni_soft_refuse_exact(const soft_room *room, cdn_state *state, const char *function) {
  const char *name;
  CDNI_TRY(exact_name(room, state, &name));
  if (!name) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                         "exact rows of row provider '%s' act at present, whose forces do not follow from the "
                         "accelerations: %s cannot handle them. Give them an R > 0, or make them constraints",
                         name, function);
}

static cdn_status contradicts(const soft_problem *p, const soft_work *w) {
  const char *name = cdni_soft_group_name(p->room, w->g);
  return cdni_state_fail(
      p->state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
      "group %d of rows, of row provider '%s', contradicts other rows or constraints: no force within "
      "its bounds meets its equation. Give it an R > 0 (a regularisation), or two finite bounds",
      (int)p->order[w - p->work], name);
}

/* ---- rows on nothing that moves ---- */

cdn_status cdni_soft_check_still(soft_problem *p) {
  for (int k = p->first[p->n_islands]; k < p->n; k++) {
    soft_work *w = &p->work[k];
    if (!(w->g->give > 0)) continue;
    const double r = fabs(w->r[0]) <= 10 * ENOUGH * fabs(w->g->ref[0]) ? 0 : w->r[0];
    soft_function s = w->g->s;
    s.D[0] = w->g->R > 0 ? 1 / w->g->R : 1e100;
    cdni_soft_function(&s, &r, w->f, w->H, &w->zone);
    if (!(w->g->R > 0) && r != 0 && w->H[0] > 0) return contradicts(p, w);
  }
  return CDN_OK;
}

/* ---- passes ---- */

/* The accelerations that the base makes, in x and A_x, and the residuals there. */
static cdn_status take_base(soft_problem *p, int island) {
  const tree *t = p->plan->tree;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    for (int e = 0; e < n; e++) w->f[e] = w->base[e];
    for (int e = 0; e < n * n; e++) w->H[e] = 0;
  }
  CDNI_TRY(cdni_soft_factor(p, island, true));
  cdni_soft_follow(p, island, p->x, p->A_x);
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    cdni_soft_multiply(t, w, w->g->rates ? p->d->A : p->A_0, p->d->udot, w->r);
    cdni_soft_multiply(t, w, p->A_x, p->x, w->Jx);
    for (int e = 0; e < w->g->s.rows; e++) w->r[e] += w->Jx[e] - w->g->ref[e];
  }
  return CDN_OK;
}

soft_function cdni_soft_pass_function(const soft_problem *p, const soft_work *w, double *shift) {
  const double give = fmax(p->level * w->g->about[0], p->give * w->g->give);
  soft_function s = w->g->s;
  s.D[0] = 1 / (w->g->R + give);
  *shift = give * w->base[0];
  return s;
}

double cdni_soft_exact_function(const soft_problem *p, soft_work *w, const double *r) {
  double shift;
  const soft_function s = cdni_soft_pass_function(p, w, &shift);
  const double at = r[0] - shift;
  return cdni_soft_function(&s, &at, w->f, w->H, &w->zone);
}

void cdni_soft_keep_free(const soft_problem *p, int island) {
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    if (!(w->g->give > 0) || w->kept != 1) continue;
    double shift;
    const soft_function s = cdni_soft_pass_function(p, w, &shift);
    w->H[0] = s.D[0], w->f[0] = -s.D[0] * (w->r[0] - shift) - w->base[0], w->zone = 1;
  }
}

/* The forces at the present residuals are the base. */
static void find_forces(const soft_problem *p, soft_work *w) {
  if (w->g->give > 0) cdni_soft_exact_function(p, w, w->r);
  else cdni_soft_function(&w->g->s, w->r, w->f, w->H, &w->zone);
  memcpy(w->base, w->f, sizeof w->base);
}

/* What an exact row lacks: r + R f, or less where a bound is near. Its force is what it would be if the row gave way by
 * about the inverse inertia that it meets. */
static double lack_of(const soft_work *w) {
  const double inertia = w->g->about[0], r = w->r[0] - inertia * w->base[0];
  soft_function s = w->g->s;
  double f;
  s.D[0] = 1 / (w->g->R + inertia);
  cdni_soft_function(&s, &r, &f, NULL, NULL);
  return fabs(f - w->base[0]) * (w->g->R + inertia);
}

/* What the exact rows of an island lack: the most, and which row that is; the largest terms of their equations; and how
 * much of it is rounding, which grows with the forces. */
typedef struct lacking {
  double most, size, rounding;
  const soft_work *worst;
} lacking;

static lacking find_lack(const soft_problem *p, int island) {
  lacking x = { 0 };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_work *w = &p->work[k];
    if (!(w->g->give > 0)) continue;
    const double lack = lack_of(w), force = fabs(w->base[0]);
    x.size = fmax(x.size, fabs(w->Jx[0]) + fabs(w->g->ref[0]) + fabs(w->r[0] - w->Jx[0]));
    x.rounding = fmax(x.rounding, ROUNDING * (w->g->about[0] + w->g->R) * force);
    if (!(lack <= x.most)) x.most = lack, x.worst = w;
  }
  x.rounding = fmax(x.rounding, fmax(ENOUGH * x.size, NOTHING));
  return x;
}

/* x and its motions are what the base has made; they are the origin of the next solution. */
static void begin_pass(soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    p->A_x[i] = sv_zero();
    for (int u = node->u; u < node->u + node->nu; u++) p->x[u] = 0;
  }
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) w->Jx[e] = w->held[e] = w->past[e] = 0;
  }
}

bool cdni_soft_has_exact(const soft_problem *p, int island) {
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    if (p->work[k].g->give > 0) return true;
  return false;
}

/* *changed: whether a row has come to a bound, or left one, since the pass before. */
static cdn_status pass(soft_problem *p, int island, soft_results *results, bool *changed) {
  begin_pass(p, island);
  p->passed = true;
  const cdn_status status = cdni_soft_newton(p, island, results);
  p->passed = false;
  *changed = false;
  for (int k = p->first[island]; k < p->first[island + 1] && status == CDN_OK; k++) {
    soft_work *w = &p->work[k];
    find_forces(p, w);
    *changed = *changed || (w->g->give > 0 && w->zone != w->kept);
    w->kept = w->zone;
  }
  return status;
}

/* The first origin: no forces. Returns whether an exact row has bounds. */
static bool begin(soft_problem *p, int island, soft_results *results) {
  bool bounded = false;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const soft_function *s = &w->g->s;
    const bool infinite =
        s->kind == SOFT_EQUALITY ||
        (s->kind == SOFT_BOUNDED && s->friction[BOUNDED_LOWER] == -INFINITY && s->friction[BOUNDED_UPPER] == INFINITY);
    bounded = bounded || (w->g->give > 0 && !infinite);
    memset(w->base, 0, sizeof w->base);
    w->kept = 1;
  }
  results->scale += 0.5 * cdni_soft_metric(p, island, p->d->udot, p->A_0, p->d->udot, p->A_0);
  return bounded;
}

cdn_status cdni_soft_solve_exact(soft_problem *p, int island, soft_results *results) {
  lacking now = { .most = INFINITY };
  bool changed = false;
  int changes = 0;
  p->level = begin(p, island, results) ? FIRST_LEVEL : 0;
  p->give = 1;
  for (int i = 0;; i++) {
    const double before = now.most;
    CDNI_TRY(pass(p, island, results, &changed));
    CDNI_TRY(take_base(p, island));
    now = find_lack(p, island);
    if (!(now.most > now.rounding) || i == MOST_PASSES) break;
    if (p->level > 0) {
      p->level = changed && p->level > LAST_LEVEL ? LESS * p->level : 0;
      continue;
    }
    if (now.most < GAIN * before) continue;
    if (changes++ == MOST_CHANGES || now.most <= SETTLED * now.size) break;
    p->give = fmax(now.most < before ? LESS * p->give : p->give / sqrt(LESS), LEAST_GIVE);
  }
  if (now.most > WRONG * now.size + NOTHING) return contradicts(p, now.worst);
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) w->f[e] = w->base[e];
  }
  return CDN_OK;
}
