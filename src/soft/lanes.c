/* Soft rows of several States side by side. Rows and iterations are each State's own. What Newton's method asks of
 * linear algebra goes along the tree for all States at once whose plans are alike. States that ask for nothing are
 * computed along with the others, and nobody looks at them. */
#include "math/lane_block.h"
#include "matter/operators.h"
#include "soft/internal.h"

/* One State's solution. */
typedef struct lane_run {
  soft_problem problem;
  soft_results head;
  soft_newton newton;
  const soft_group *groups;
  bool begun, waits; /* its islands are not solved yet */
} lane_run;

/* Linear algebra of the States whose plans are alike: numbers are blocks of lanes. */
typedef struct lane_work {
  cdn_state *state; /* of all lanes */
  const tree_data *d;
  int lanes;
  lane_run *run;
  bool with[CDNI_MOST_LANES]; /* which take part */
  const loop_plan *plan;
  loop_factor factor;
  articulated_inertia *P;
  double *D, *f, *y;
  uint8_t *weighed; /* by body */
  sv *F, *A_y;
  void *scratch;
  plain_pass pass;
} lane_work;

static double *numbers(void *block, const lane_work *x, int i, size_t size) {
  return (double *)block + (size_t)i * size / sizeof(double) * (size_t)x->lanes;
}

static size_t lay_out(lane_work *x, char *base) {
  const loop_plan *plan = x->plan;
  const size_t width = (size_t)x->lanes, nb = (size_t)plan->tree->n * width, nu = (size_t)plan->tree->nu * width;
  size_t at = 0;
  x->P = cdni_part(base, &at, nb, sizeof *x->P);
  x->D = cdni_part(base, &at, 6 * nu, sizeof *x->D);
  x->weighed = cdni_part(base, &at, (size_t)plan->tree->n, 1);
  x->F = cdni_part(base, &at, nb, sizeof *x->F);
  x->f = cdni_part(base, &at, nu, sizeof *x->f);
  x->y = cdni_part(base, &at, nu, sizeof *x->y);
  x->A_y = cdni_part(base, &at, nb, sizeof *x->A_y);
  void *const factor = cdni_part(base, &at, cdni_loop_factor_lanes_size(plan, x->lanes), 1);
  if (base) x->factor = cdni_loop_factor_lanes_at(plan, x->lanes, factor);
  x->scratch = cdni_part(base, &at, cdni_loop_solve_lanes_scratch(plan, x->lanes), 1);
  cdni_soft_plain_lay_out(plan->tree, width, base, &at, &x->pass);
  return at;
}

/* ---- numbers of an island ---- */

/* Its bodies and mobilities, and what lies between them: numbers of other islands, which are nobody's. */
typedef struct span {
  int body, bodies, u, mobilities;
} span;

static span span_of(const loop_plan *plan, int island) {
  int first = plan->tree->n, last = 0;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    if (plan->bodies[at] < first) first = plan->bodies[at];
    if (plan->bodies[at] > last) last = plan->bodies[at];
  }
  const tree_node *a = &plan->tree->node[first], *b = &plan->tree->node[last];
  return (span){ first, last + 1 - first, a->u, b->u + b->nu - a->u };
}

static bool wants(const lane_work *x, int l, soft_wish wish) { return x->with[l] && x->run[l].newton.wish == wish; }

/* The State whose numbers go to a lane: its own, if it has this wish; -1: what is there stays. When an island begins,
 * lanes that do not take part get those of another State, so that all numbers are numbers. */
static int source_of(const lane_work *x, int l, soft_wish wish, bool begins) {
  for (int k = 0; begins && !x->with[l] && k < x->lanes; k++)
    if (wants(x, k, wish)) return k;
  return wants(x, l, wish) ? l : -1;
}

static void put_weights(const lane_work *x, const span *s, bool begins) {
  const tree_node *node = x->plan->tree->node;
  const double *P[CDNI_MOST_LANES], *D[CDNI_MOST_LANES];
  int from[CDNI_MOST_LANES];
  for (int l = 0; l < x->lanes; l++) from[l] = source_of(x, l, SOFT_WANTS_STEP, begins);
  for (int i = s->body, end; i < s->body + s->bodies; i = end + 1) {
    for (end = i; end < s->body + s->bodies && x->weighed[end]; end++) {}
    if (end == i) continue;
    const int u = node[i].u;
    for (int l = 0; l < x->lanes; l++) {
      const soft_problem *p = from[l] < 0 ? NULL : &x->run[from[l]].problem;
      P[l] = p ? (const double *)(p->P + i) : NULL, D[l] = p ? p->D + 6 * u : NULL;
    }
    cdni_lanes_put(numbers(x->P, x, i, sizeof *x->P), x->lanes, (size_t)(end - i) * sizeof *x->P / sizeof(double), P);
    cdni_lanes_put(x->D + 6 * u * x->lanes, x->lanes, 6 * (size_t)(node[end - 1].u + node[end - 1].nu - u), D);
  }
}

static void put_forces(const lane_work *x, soft_wish wish, const span *s, bool begins) {
  const double *F[CDNI_MOST_LANES], *f[CDNI_MOST_LANES];
  for (int l = 0; l < x->lanes; l++) {
    const int k = source_of(x, l, wish, begins);
    const soft_problem *p = k < 0 ? NULL : &x->run[k].problem;
    F[l] = p ? (const double *)(p->F + s->body) : NULL, f[l] = p ? p->f + s->u : NULL;
  }
  cdni_lanes_put(numbers(x->F, x, s->body, sizeof(sv)), x->lanes, 6 * (size_t)s->bodies, F);
  cdni_lanes_put(x->f + s->u * x->lanes, x->lanes, (size_t)s->mobilities, f);
}

static void get_motions(const lane_work *x, soft_wish wish, const span *s) {
  double *A[CDNI_MOST_LANES], *y[CDNI_MOST_LANES];
  for (int l = 0; l < x->lanes; l++) {
    const soft_problem *p = &x->run[l].problem;
    const bool wanted = wants(x, l, wish);
    A[l] = wanted ? (double *)(p->A_y + s->body) : NULL, y[l] = wanted ? p->y + s->u : NULL;
  }
  cdni_lanes_get(numbers(x->A_y, x, s->body, sizeof(sv)), x->lanes, 6 * (size_t)s->bodies, A);
  cdni_lanes_get(x->y + s->u * x->lanes, x->lanes, (size_t)s->mobilities, y);
}

/* ---- islands ---- */

static void fail(const lane_work *x, int l) {
  cdni_lane_fail(x->state, l);
  x->run[l].newton.wish = SOFT_IS_DONE;
  x->run[l].waits = false;
}

/* Whether matter's passes eliminate an island: of all States that take part, or of none. */
static bool is_plain(const lane_work *x, int island, plain_range *range) {
  for (int l = 0; l < x->lanes; l++)
    if (x->with[l]) return cdni_soft_is_plain(&x->run[l].problem, island, range);
  return false;
}

static void eliminate(lane_work *x, int island, soft_wish wish, int64_t *singular) {
  plain_range range;
  if (is_plain(x, island, &range)) {
    const plain_problem problem = { x->F, x->f, x->P, x->D, x->y, x->A_y };
    const matter *m = cdni_matter(cdn_state_system(x->state));
    cdni_soft_plain_solve(m, x->d, &x->pass, &problem, &range, wish != SOFT_WANTS_STEP, singular);
    return;
  }
  if (wish == SOFT_WANTS_STEP) {
    const loop_weights weights = { .P = x->P, .D = x->D, .acts = x->weighed };
    cdni_loop_factor_lanes(x->lanes, x->plan, x->d, &weights, island, &x->factor, singular);
  }
  const loop_problem problem = { .force = x->F, .f = x->f, .x = x->y, .A = x->A_y };
  cdni_loop_solve_lanes(x->lanes, x->plan, x->d, &x->factor, &problem, island, x->scratch);
}

/* The weights of a State that wants a step, as it renews them by itself. */
static void renew_weights(lane_work *x, int l, int island) {
  plain_range range;
  if (is_plain(x, island, &range)) cdni_soft_weigh(&x->run[l].problem, island, true);
  else (void)cdni_soft_renew_weights(&x->run[l].problem, island, x->run[l].newton.it == 1);
}

/* Gives those that have a wish what they want. Factors of the others stay what they are, for their weights do. */
static bool grant(lane_work *x, int island, const span *s, soft_wish wish, bool begins) {
  CDNI_LANE_FINDINGS(singular);
  bool any = false;
  for (int l = 0; l < x->lanes; l++) {
    if (!wants(x, l, wish)) continue;
    any = true;
    if (wish == SOFT_WANTS_STEP) renew_weights(x, l, island);
  }
  if (!any) return false;
  if (wish == SOFT_WANTS_STEP) put_weights(x, s, begins);
  put_forces(x, wish, s, begins);
  eliminate(x, island, wish, singular);
  for (int l = 0; l < x->lanes; l++) {
    const soft_problem *p = &x->run[l].problem;
    if (!wants(x, l, wish) || wish != SOFT_WANTS_STEP || singular[l] < 0) continue;
    (void)cdni_matter_singular(p->room->matter, p->state, (int)singular[l], "cdn_realize");
    fail(x, l);
  }
  get_motions(x, wish, s);
  for (int l = 0; l < x->lanes; l++)
    if (wants(x, l, wish)) cdni_soft_newton_go_on(&x->run[l].newton);
  return true;
}

/* The bodies on which a group acts in some State. */
static void find_weighed(const lane_work *x) {
  memset(x->weighed, 0, (size_t)x->plan->tree->n);
  for (int l = 0; l < x->lanes; l++) {
    const soft_problem *p = &x->run[l].problem;
    for (int k = 0; x->with[l] && k < p->n; k++) {
      const soft_group *g = p->work[k].g;
      for (int s = 0; s < cdni_soft_bodies(g); s++) {
        const int i = cdni_soft_body(g, s);
        x->weighed[i] = true;
        if (i > 0 && g->place == SOFT_TERMS) x->weighed[x->plan->tree->node[i].parent] = true;
      }
    }
  }
}

static cdn_status solve_together(lane_work *x, int islands) {
  void *frame;
  CDNI_TRY(cdni_operator_work(x->state, "cdn_realize", lay_out(x, NULL) + 1, &frame));
  (void)lay_out(x, frame);
  find_weighed(x);
  memset(x->F, 0, (size_t)x->lanes * sizeof *x->F); /* nothing acts on Ground */
  memset(x->P, 0, (size_t)(x->plan->tree->n * x->lanes) * sizeof *x->P);
  if (x->plan->tree->nu) memset(x->D, 0, (size_t)(6 * x->plan->tree->nu * x->lanes) * sizeof *x->D);
  for (int k = 0; k < islands; k++) {
    const span s = span_of(x->plan, k);
    for (int l = 0; l < x->lanes; l++) {
      lane_run *run = &x->run[l];
      if (x->with[l]) cdni_soft_newton_begin(&run->newton, &run->problem, k, &run->head);
    }
    if (!grant(x, k, &s, SOFT_WANTS_STEP, true)) continue;
    do {
      while (grant(x, k, &s, SOFT_WANTS_CORRECTION, false)) {} /* before others' steps take the factors */
    } while (grant(x, k, &s, SOFT_WANTS_STEP, false));
    (void)grant(x, k, &s, SOFT_WANTS_REFINEMENT, false);
    for (int l = 0; l < x->lanes; l++) x->with[l] = x->with[l] && x->run[l].waits;
  }
  cdn_work_pop(x->state, frame);
  return CDN_OK;
}

/* ---- all ---- */

/* Rows on the mobilities of free joints ask for other axes in the elimination, in each State by itself. */
static bool is_on_free_joint(const soft_problem *p, const soft_group *g) {
  bool any = false;
  for (int s = 0; s < cdni_soft_bodies(g) && g->place != SOFT_PAIR; s++)
    any = any || p->plan->tree->node[cdni_soft_body(g, s)].shape == SHAPE_FREE;
  return any;
}

static bool fits(const soft_problem *p) {
  bool fit = p->def->solver == CDN_SOFT_NEWTON && !p->exact && cdni_loop_fits_lanes(p->plan);
  for (int k = 0; k < p->n && fit; k++) fit = !is_on_free_joint(p, p->work[k].g);
  return fit;
}

/* The inertias are those of all lanes, but for what a State computes by itself. */
static cdn_status need_inertia(const soft_room *room, cdn_state *one) {
  return cdni_state_ensure(one, room->matter->inertia.ticket);
}

/* The islands of a State, and with them of those that are like it. */
static cdn_status solve_islands(lane_work *x, int first) {
  soft_problem *p = &x->run[first].problem;
  int n = 0;
  for (int l = 0; l < x->lanes; l++) {
    const lane_run *other = &x->run[l];
    x->with[l] = l == first || (l > first && other->waits && fits(p) && fits(&other->problem) &&
                                cdni_soft_are_alike(p, &other->problem));
    n += x->with[l];
  }
  x->plan = p->plan;
  if (n > 1) CDNI_TRY(solve_together(x, p->n_islands));
  else if (need_inertia(p->room, p->state) != CDN_OK || cdni_soft_run_islands(p, &x->run[first].head) != CDN_OK)
    fail(x, first);
  return CDN_OK;
}

static cdn_status begin(const soft_room *room, const soft_lane *lane, lane_run *run) {
  const void *groups;
  int n;
  CDNI_TRY(cdn_region_eval(lane->state, room->groups, &groups, &n));
  run->groups = groups;
  run->head = (soft_results){ .guessed = cdni_soft_has_guess(room, lane->state) };
  CDNI_TRY(
      cdni_soft_begin(&run->problem, room, lane->state, &lane->d, lane->d.udot, &room->def, lane->load, groups, n));
  run->begun = true;
  if (!lane->load || cdni_soft_refines(run->problem.def)) CDNI_TRY(need_inertia(room, lane->state));
  return cdni_soft_run_begin(&run->problem, groups, &run->head);
}

cdn_status cdni_soft_solve_lanes(const soft_room *room, cdn_state *state, const tree_data *all, int lanes,
                                 const soft_lane *lane) {
  lane_run run[CDNI_MOST_LANES];
  lane_work x = { .state = state, .d = all, .lanes = lanes, .run = run };
  cdn_status status = CDN_OK;
  for (int l = 0; l < lanes; l++) {
    run[l].begun = run[l].waits = false;
    if (!lane[l].state) continue;
    run[l].waits = begin(room, &lane[l], &run[l]) == CDN_OK;
    if (!run[l].waits) cdni_lane_fail(state, l);
  }
  for (int l = 0; l < lanes && status == CDN_OK; l++) {
    if (!run[l].waits) continue;
    status = solve_islands(&x, l);
    for (int k = l; k < lanes; k++) {
      lane_run *r = &run[k];
      if (!x.with[k] || !r->waits) continue;
      r->waits = false;
      if (cdni_soft_run_end(&r->problem, r->groups, &r->head) != CDN_OK ||
          cdni_soft_tell(&r->problem, &r->head, lane[k].F, lane[k].f) != CDN_OK)
        cdni_lane_fail(state, k);
    }
  }
  for (int l = 0; l < lanes; l++)
    if (run[l].begun) cdni_soft_end(&run[l].problem);
  return status;
}

cdn_status cdni_soft_prepare_lanes(const soft_room *room, cdn_state *state) {
  return room->contact ? cdni_contact_prepare_lanes(room->contact, state) : CDN_OK;
}
