/* Rows that hold exactly unless their force is at a bound: R = 0; and those that give way by very little.
 *
 * In the elimination such a row has R + give, with a `give` that is little beside the inverse inertia which it meets. Where its
 * force is f, it lacks give f. So the island is solved again with this put right: with the forces found so far as
 * base, the accelerations that these make, and rows that want r = -R f + give (base - f). What is lacking falls by about
 * `give` over the inverse inertia in each pass, and its rounding with it, for a pass is about what comes to the base alone
 * (the proximal point method; Rockafellar 1976). Rows that depend on each other get the forces nearest to zero. */
#include <math.h>

#include "soft/internal.h"

/* What a row may lack beside the terms of its equation; a pass that gains less than GAIN ends the passes; rows that
 * lack more than WRONG then contradict something. */
static const double ENOUGH = 1e-14, GAIN = 0.9, WRONG = 1e-7, LITTLE = 1e-290;
enum { MOST_PASSES = 100 };

static const char *name_of(const soft_room *room, const soft_group *g) {
  return CDNI_AT(room->providers, soft_provider, g->provider - 1).name;
}

static cdn_status exact_name(const soft_room *room, cdn_state *state, const char **name) {
  const void *groups;
  int n;
  *name = NULL;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &n));
  for (int i = 0; i < n && !*name; i++)
    if (cdni_soft_holds((const soft_group *)groups + i)) *name = name_of(room, (const soft_group *)groups + i);
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

int cdni_soft_exact_before(const soft_problem *p, int i) {
  int n = 0;
  const soft_group *first = p->work[i].g - p->order[i];
  for (const soft_group *g = first; g < p->work[i].g; g++) n += g->give > 0;
  return n;
}

static cdn_status contradicts(const soft_problem *p, const soft_work *w) {
  const char *name = name_of(p->room, w->g);
  return cdni_state_fail(p->state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
                         "group %d of rows, of row provider '%s', contradicts other rows or constraints: no force within "
                         "its bounds meets its equation. Give it an R > 0 (a regularisation), or two finite bounds",
                         (int)p->order[w - p->work], name);
}

/* ---- rows on nothing that moves ---- */

cdn_status cdni_soft_check_still(soft_problem *p) {
  for (int k = p->first[p->n_islands]; k < p->n; k++) {
    soft_work *w = &p->work[k];
    if (!(w->g->give > 0)) continue;
    const double r = fabs(w->r[0]) <= ENOUGH * fabs(w->g->ref[0]) ? 0 : w->r[0];
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

/* The forces at the present residuals. */
static void find_forces(soft_work *w, double *f) {
  double at[SOFT_MOST_ROWS];
  for (int e = 0; e < w->g->s.rows; e++) at[e] = w->r[e];
  at[0] -= w->g->give * w->base[0];
  cdni_soft_function(&w->g->s, at, f, w->H, &w->zone);
}

/* What an exact row lacks: r + R f, or less where a bound is near. Its force is what it would be if the row gave way by about the
 * inverse inertia that it meets. */
static double lack_of(const soft_work *w) {
  const double inertia = w->g->give / SOFT_GIVE, r = w->r[0] - inertia * w->base[0];
  soft_function s = w->g->s;
  double f;
  s.D[0] = 1 / (w->g->R + inertia);
  cdni_soft_function(&s, &r, &f, NULL, NULL);
  return fabs(f - w->base[0]) * (w->g->R + inertia);
}

/* What the row lacks most lacks, beside the terms of its equation. */
static double find_lack(soft_problem *p, int island, const soft_work **worst) {
  double most = 0;
  *worst = NULL;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    if (!(w->g->give > 0)) continue;
    const double lack = lack_of(w), size = fabs(w->Jx[0]) + fabs(w->g->ref[0]) + fabs(w->g->R * w->base[0]) + fabs(w->r[0] - w->Jx[0]);
    if (lack > most * (size + LITTLE)) most = lack / (size + LITTLE), *worst = w;
  }
  return most;
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

static bool has_exact(const soft_problem *p, int island) {
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    if (p->work[k].g->give > 0) return true;
  return false;
}

cdn_status cdni_soft_make_exact(soft_problem *p, int island, soft_results *results) {
  const soft_work *worst = NULL;
  double lack = INFINITY;
  if (!has_exact(p, island)) return CDN_OK;
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    memcpy(p->work[k].base, p->work[k].f, sizeof p->work[k].base);
  for (int pass = 0;; pass++) {
    const double before = lack;
    CDNI_TRY(take_base(p, island));
    lack = find_lack(p, island, &worst);
    if (!(lack > ENOUGH && lack < GAIN * before) || pass == MOST_PASSES) break;
    begin_pass(p, island);
    p->passed = true;
    const cdn_status status = cdni_soft_newton(p, island, results);
    p->passed = false;
    if (status != CDN_OK) return status;
    for (int k = p->first[island]; k < p->first[island + 1]; k++) {
      double f[SOFT_MOST_ROWS];
      find_forces(&p->work[k], f);
      memcpy(p->work[k].base, f, sizeof f);
    }
  }
  if (lack > WRONG) return contradicts(p, worst);
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) w->f[e] = w->base[e];
  }
  return CDN_OK;
}
