/* The soft rows of a State: the plan, islands, and results. */
#include <math.h>
#include <stdlib.h>

#include "constraints/elements.h"
#include "core/sized.h"
#include "matter/operators.h"
#include "soft/row_kernels.h"

/* ---- the plan ---- */

/* The numbers that a plan follows from: how many constraints are on, couplings and touched trees there are; then they
 * themselves. */
typedef struct plan_shape {
  int32_t *numbers;
  size_t size;
  int n_on, n_pairs, n_touched;
  const int32_t *pair;
} plan_shape;

/* Most couplings of a group. */
static size_t most_couplings(const soft_group *g) {
  return g->place == SOFT_PAIR ? 1 : 4 * (size_t)cdni_soft_term_pairs(g);
}

/* Appends a pair of bodies, if both move, but for one that has just been appended. */
static int32_t *add_coupling(int a, int b, const int32_t *first, int32_t *at) {
  const int32_t pair[2] = { a < b ? a : b, a < b ? b : a };
  if (a == 0 || b == 0 || a == b || (at > first && cdni_soft_compare_pairs(at - 2, pair) == 0)) return at;
  *at++ = pair[0], *at++ = pair[1];
  return at;
}

/* Appends the pairs of bodies that a group couples. */
static int32_t *add_couplings(const soft_room *room, const soft_group *g, const int32_t *first, int32_t *at) {
  if (g->place == SOFT_PAIR)
    return add_coupling(cdni_soft_coupled_body(room, g, 0, 0), cdni_soft_coupled_body(room, g, 1, 0), first, at);
  for (int j = 1; g->place == SOFT_TERMS && j < g->terms; j++)
    for (int i = 0; i < j; i++)
      for (int c = 0; c < 4; c++)
        at = add_coupling(cdni_soft_coupled_body(room, g, i, c / 2), cdni_soft_coupled_body(room, g, j, c % 2), first,
                          at);
  return at;
}

/* Sorts n pairs of numbers below nb, by counting. `scratch` has 2 n + nb + 1 numbers. */
static void sort_pairs(int32_t *pair, size_t n, int nb, int32_t *scratch) {
  int32_t *from = pair, *to = scratch, *count = scratch + 2 * n;
  for (int key = 1; key >= 0; key--) {
    memset(count, 0, ((size_t)nb + 1) * sizeof *count);
    for (size_t i = 0; i < n; i++) count[from[2 * i + (size_t)key] + 1]++;
    for (int b = 0; b < nb; b++) count[b + 1] += count[b];
    for (size_t i = 0; i < n; i++) {
      const size_t place = (size_t)count[from[2 * i + (size_t)key]]++;
      to[2 * place] = from[2 * i], to[2 * place + 1] = from[2 * i + 1];
    }
    int32_t *other = from;
    from = to, to = other;
  }
}

/* `numbers` has room for 3 + constraints + 4 couplings + 2 bodies + 1; `touched` is by body. */
static plan_shape shape_of(const soft_problem *p, const soft_group *groups, const loop_plan *full, int32_t *numbers,
                           uint8_t *touched) {
  const soft_room *room = p->room;
  const int nb = room->matter->tree.n;
  plan_shape s = { .numbers = numbers, .n_on = full ? full->n_constraints : 0 };
  int32_t *at = numbers + 3;
  for (int c = 0; c < s.n_on; c++) *at++ = full->constraint[c];
  int32_t *pair = at;
  memset(touched, 0, (size_t)nb);
  for (int i = 0; i < p->n; i++) {
    for (int k = 0; k < cdni_soft_bodies(&groups[i]); k++) {
      const int body = cdni_soft_body(&groups[i], k);
      touched[room->trunk[body]] |= room->moves[body];
    }
    if (p->coupled) at = add_couplings(room, &groups[i], pair, at);
  }
  size_t count = (size_t)(at - pair) / 2, kept = 0;
  bool sorted = true;
  for (size_t i = 1; i < count && sorted; i++) sorted = cdni_soft_compare_pairs(pair + 2 * i - 2, pair + 2 * i) < 0;
  if (!sorted) sort_pairs(pair, count, nb, at);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && cdni_soft_compare_pairs(pair + 2 * i, pair + 2 * i - 2) == 0) continue;
    memmove(pair + 2 * kept++, pair + 2 * i, 2 * sizeof *pair);
  }
  s.pair = pair, s.n_pairs = (int)kept;
  at = pair + 2 * kept;
  for (int i = 1; i < nb; i++) {
    if (p->load) touched[i] = room->moves[i];
    if (touched[i]) *at++ = i, s.n_touched++;
  }
  numbers[0] = s.n_on, numbers[1] = s.n_pairs, numbers[2] = s.n_touched;
  s.size = (size_t)(at - numbers);
  return s;
}

/* The plan of the State; made anew if it was made from other numbers. */
static cdn_status choose_plan(soft_problem *p, const plan_shape *s, const uint8_t *touched, const loop_plan *full,
                              const loop_plan **out) {
  const soft_room *room = p->room;
  cdn_state *state = p->state;
  const int which = p->which_plan = s->n_pairs > 0 ? 0 : 1;
  const int32_t *before = cdni_region_elements(state, room->shape[which]);
  const size_t size = before ? 3 + (size_t)before[0] + 2 * (size_t)before[1] + (size_t)before[2] : 0;
  loop_plan *plan = cdni_region_elements(state, room->plan[which]);
  if (!plan || size != s->size || memcmp(before, s->numbers, size * sizeof *before) != 0) {
    const loop_couplings couplings = { s->pair, s->n_pairs, touched };
    void *place;
    CDNI_TRY(cdni_loop_plan_couple(room->constraints, &room->matter->tree, full, room->plan[which], &couplings, state));
    CDNI_TRY(cdni_region_take(state, "cdn_realize", room->shape[which], s->size, &place));
    memcpy(place, s->numbers, s->size * sizeof *s->numbers);
    plan = cdni_region_elements(state, room->plan[which]);
  }
  if (plan->self != plan) cdni_loop_plan_rebase(plan);
  *out = plan;
  return CDN_OK;
}

bool cdni_soft_are_alike(const soft_problem *p, const soft_problem *q) {
  const int32_t *a = cdni_region_elements(p->state, p->room->shape[p->which_plan]),
                *b = cdni_region_elements(q->state, q->room->shape[q->which_plan]);
  const size_t size = 3 + (size_t)a[0] + 2 * (size_t)a[1] + (size_t)a[2];
  return p->coupled == q->coupled && p->plain == q->plain && memcmp(a, b, 3 * sizeof *a) == 0 &&
         memcmp(a, b, size * sizeof *a) == 0;
}

/* ---- the problem ---- */

/* Where scratch is in a block; its size. */
static size_t lay_out(soft_problem *p, char *base) {
  const loop_plan *plan = p->plan;
  const size_t nb = (size_t)plan->tree->n, nu = (size_t)plan->tree->nu, n = (size_t)p->n;
  const size_t islands = (size_t)plan->n_islands + 3;
  size_t at = 0;
  p->work = cdni_part(base, &at, n, sizeof *p->work);
  p->first = cdni_part(base, &at, islands, sizeof *p->first);
  p->piece_first = cdni_part(base, &at, islands, sizeof *p->piece_first);
  p->piece = cdni_part(base, &at, islands, sizeof *p->piece);
  p->island = cdni_part(base, &at, islands, sizeof *p->island);
  p->order = cdni_part(base, &at, n, sizeof *p->order);
  p->term_J = cdni_part(base, &at, 2 * p->terms, sizeof *p->term_J);
  p->term_C = cdni_part(base, &at, 4 * p->term_pairs, sizeof *p->term_C);
  p->P = cdni_part(base, &at, nb, sizeof *p->P);
  p->changed = cdni_part(base, &at, nb, sizeof *p->changed);
  p->D = cdni_part(base, &at, 6 * nu, sizeof *p->D);
  p->x = cdni_part(base, &at, nu, sizeof *p->x);
  p->y = cdni_part(base, &at, nu, sizeof *p->y);
  p->step = cdni_part(base, &at, nu, sizeof *p->step);
  p->f = cdni_part(base, &at, nu, sizeof *p->f);
  p->A_x = cdni_part(base, &at, nb, sizeof *p->A_x);
  p->A_y = cdni_part(base, &at, nb, sizeof *p->A_y);
  p->A_step = cdni_part(base, &at, nb, sizeof *p->A_step);
  p->F = cdni_part(base, &at, nb, sizeof *p->F);
  p->record = cdni_part(base, &at, (size_t)p->most_records, sizeof *p->record);
  p->was_redundant = cdni_part(base, &at, (size_t)(plan->m + 1), sizeof *p->was_redundant);
  void *const factor = cdni_part(base, &at, cdni_loop_factor_size(plan), 1);
  if (base) p->factor = cdni_loop_factor_at(plan, factor);
  p->scratch = cdni_part(base, &at, cdni_loop_solve_island_scratch(plan), 1);
  if (p->plain) cdni_soft_plain_lay_out(plan->tree, 1, base, &at, &p->pass);
  return at;
}

/* Takes scratch for a solution; false if memory ran out. */
static bool take_scratch(soft_problem *p) {
  p->inner = cdn_work_push(p->state, lay_out(p, NULL) + 1);
  if (!p->inner) return false;
  lay_out(p, p->inner);
  const size_t nb = (size_t)p->plan->tree->n, nu = (size_t)p->plan->tree->nu;
  memset(p->P, 0, nb * sizeof *p->P);
  memset(p->changed, 0, nb * sizeof *p->changed);
  if (nu) memset(p->D, 0, 6 * nu * sizeof *p->D);
  memset(p->A_x, 0, nb * sizeof *p->A_x);
  memset(p->A_y, 0, nb * sizeof *p->A_y);
  memset(p->x, 0, nu * sizeof *p->x);
  memset(p->y, 0, nu * sizeof *p->y);
  p->F[0] = sv_zero();
  *p->factor.n_redundant = *p->factor.n_shared = *p->factor.n_entries = 0;
  memset(p->factor.redundant, 0, (size_t)p->plan->m_all * sizeof *p->factor.redundant);
  return true;
}

void cdni_soft_start(soft_problem *p) {
  for (int i = 0; i < p->n; i++) {
    soft_work *w = &p->work[i];
    const soft_group *g = w->g;
    const bool at_zero = p->load && !g->rates && !p->d->prescribed;
    if (!at_zero) cdni_soft_multiply(p->plan->tree, w, g->rates ? p->d->A : p->A_0, p->d->udot, w->r);
    for (int k = 0; k < g->s.rows; k++)
      w->r[k] = at_zero ? -g->ref[k] : w->r[k] - g->ref[k], w->Jx[k] = w->held[k] = w->past[k] = 0;
    w->zone = SOFT_ZONE_MIDDLE; /* no weights yet */
  }
}

static cdn_status write_results(const soft_problem *p, soft_results *head) {
  const int n = p->n;
  void *place;
  const size_t nu = (size_t)p->plan->tree->nu;
  CDNI_TRY(cdni_region_take(p->state, "cdn_realize", p->room->results,
                            sizeof *head + (size_t)n * sizeof(soft_outcome) + nu * sizeof *p->x +
                                (size_t)p->records * sizeof *p->record,
                            &place));
  memcpy(place, head, sizeof *head);
  soft_outcome *out = soft_outcomes(place);
  for (int i = 0; i < n; i++) {
    soft_outcome *o = &out[p->order[i]];
    const soft_work *w = &p->work[i];
    memset(o, 0, sizeof *o);
    for (int k = 0; k < w->g->s.rows; k++) o->residual[k] = w->r[k], o->force[k] = w->f[k];
  }
  double *udot = (double *)(out + n);
  for (size_t k = 0; k < nu; k++) udot[k] = p->d->udot[k] + p->x[k];
  if (p->records) memcpy(udot + nu, p->record, (size_t)p->records * sizeof *p->record);
  return CDN_OK;
}

/* The flags of the constraints' own factorization, by equation of the plan. */
static cdn_status take_flags(soft_problem *p) {
  const loop_plan *full;
  const loop_factor *f;
  int32_t *was = (int32_t *)p->was_redundant;
  CDNI_TRY(cdni_constraint_factor(p->room->constraints, p->state, &full, &f));
  const int32_t *flags = cdni_constraint_redundant(p->room->constraints, p->state);
  for (int k = 0; k < p->plan->m; k++) was[k] = flags[p->plan->row[k]];
  return CDN_OK;
}

cdn_status cdni_soft_run_begin(soft_problem *p, const soft_group *groups, soft_results *head) {
  cdni_soft_start(p);
  return head->guessed && !p->exact ? cdni_soft_look_at_guess(p, groups) : CDN_OK;
}

cdn_status cdni_soft_run_islands(soft_problem *p, soft_results *head) {
  static cdn_status (*const solvers[])(soft_problem * p, int island, soft_results *results) = {
    [CDN_SOFT_NEWTON] = cdni_soft_newton, [CDN_SOFT_CG] = cdni_soft_descend, [CDN_SOFT_PGS] = cdni_soft_relax
  };
  for (int k = 0; k < p->n_islands; k++) {
    const bool exact = p->exact && cdni_soft_has_exact(p, k);
    CDNI_TRY((exact ? cdni_soft_solve_exact : solvers[p->def->solver])(p, k, head));
  }
  return CDN_OK;
}

cdn_status cdni_soft_run_end(soft_problem *p, const soft_group *groups, soft_results *head) {
  if (p->def->noslip_iterations > 0) CDNI_TRY(cdni_soft_stop_slip(p, groups, head));
  head->scale += cdni_soft_cost(p, p->n_islands); /* on nothing that moves */
  if (p->exact) CDNI_TRY(cdni_soft_check_still(p));
  for (int k = 0; k < p->records; k++) p->record[k].gradient = sqrt(p->record[k].gradient);
  head->statistics.islands = p->n_islands, head->statistics.records = p->records;
  return CDN_OK;
}

cdn_status cdni_soft_run(soft_problem *p, const soft_group *groups, soft_results *head) {
  CDNI_TRY(cdni_soft_run_begin(p, groups, head));
  CDNI_TRY(cdni_soft_run_islands(p, head));
  return cdni_soft_run_end(p, groups, head);
}

cdn_status cdni_soft_tell(soft_problem *p, soft_results *head, sv *F, double *f) {
  const tree *t = p->plan->tree;
  if (p->load) head->statistics.converged = head->statistics.residual <= cdni_soft_least_change(p);
  p->kernels->add_forces(p, F, f);
  CDNI_TRY(write_results(p, head));
  for (int k = 0; k < t->nu && p->load; k++) p->d->udot[k] += p->x[k];
  for (int i = 1; i < t->n && p->load; i++) p->d->A[i] = sv_add(p->d->A[i], p->A_x[i]);
  return CDN_OK;
}

static cdn_status solve(soft_problem *p, const soft_group *groups, sv *F, double *f) {
  soft_results head = { .guessed = cdni_soft_has_guess(p->room, p->state) };
  CDNI_TRY(cdni_soft_run(p, groups, &head));
  return cdni_soft_tell(p, &head, F, f);
}

cdn_status cdni_soft_any(const soft_room *room, cdn_state *state, bool *any) {
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, NULL, &n));
  *any = n > 0;
  return CDN_OK;
}

/* With memory that is taken already: A_0, and numbers for the shape of the plan. */
static cdn_status prepare(soft_problem *p, const soft_group *groups, const loop_plan *full, int32_t *numbers,
                          uint8_t *touched) {
  const plan_shape shape = shape_of(p, groups, full, numbers, touched);
  const soft_pairs pairs = { shape.pair, shape.n_pairs };
  CDNI_TRY(choose_plan(p, &shape, touched, full, &p->plan));
  if (!take_scratch(p)) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  if (p->plan->n_constraints > 0) CDNI_TRY(take_flags(p));
  cdni_soft_sort(p, groups, &pairs);
  return CDN_OK;
}

cdn_status cdni_soft_begin(soft_problem *p, const soft_room *room, cdn_state *state, const tree_data *d,
                           const double *udot, const cdn_soft_def *def, const double *load, const soft_group *groups,
                           int n) {
  const matter *m = room->matter;
  const int nb = m->tree.n;
  const loop_plan *full = NULL;
  *p = (soft_problem){ .room = room,
                       .kernels = cdni_soft_row_kernels[cdni_kernel_set(1)],
                       .def = def,
                       .state = state,
                       .d = d,
                       .load = load,
                       .n = n };
  p->plain = true;
  for (int i = 0; i < n; i++) {
    p->exact = p->exact || groups[i].give > 0;
    p->plain = p->plain && cdni_soft_is_plain_group(&m->tree, &groups[i]);
    /* kinds that solvers by groups do not know */
    if (groups[i].give > 0 || groups[i].s.kind == SOFT_BOUNDED) p->def = &room->newton;
  }
  def = p->def, p->coupled = def->solver == CDN_SOFT_NEWTON, p->plain = p->plain && p->coupled && !p->exact;
  p->most_records = def->iterations < SOFT_MOST_RECORDS ? def->iterations : SOFT_MOST_RECORDS;
  if (def->cost_tolerance >= 0 || def->noslip_iterations > 0) {
    inverse_weights weights;
    CDNI_TRY(cdni_matter_inverse_weights(m, state, &weights));
    p->trace = weights.trace;
  }
  if (room->constraints && cdni_constraint_any_enabled(room->constraints, state)) {
    CDNI_TRY(cdni_constraint_rows(room->constraints, state, &p->rows_there));
    full = p->rows_there.plan, p->rows = &p->rows_there;
  }
  size_t couplings = 0;
  for (int i = 0; i < n; i++) {
    couplings += most_couplings(&groups[i]);
    if (groups[i].place == SOFT_TERMS) p->terms += (size_t)groups[i].terms;
    p->term_pairs += (size_t)cdni_soft_term_pairs(&groups[i]);
  }
  const size_t most = 4 + (size_t)(full ? full->n_constraints : 0) + 4 * couplings + 2 * (size_t)nb;
  p->frame = cdn_work_push(state, (size_t)nb * (sizeof(sv) + 1) + most * sizeof(int32_t));
  if (!p->frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  sv *A = p->frame;
  int32_t *numbers = (int32_t *)(A + nb);
  if (!load || d->prescribed) m->kernels->jacobian(&m->tree, d, udot, A);
  else memset(A, 0, (size_t)nb * sizeof *A);
  p->A_0 = A;
  const cdn_status status = prepare(p, groups, full, numbers, (uint8_t *)(numbers + most));
  if (status != CDN_OK) cdni_soft_end(p);
  return status;
}

void cdni_soft_end(soft_problem *p) {
  if (p->inner) cdn_work_pop(p->state, p->inner);
  cdn_work_pop(p->state, p->frame);
}

/* Of forces that others are compared with, by turns, until these agree to 1e-8. */
static const double CLOSE = 1e-11;

cdn_status cdni_soft_solve(const soft_room *room, cdn_state *state, const tree_data *d, bool closely, sv *F,
                           double *f) {
  soft_problem p;
  const void *groups;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &n));
  cdn_soft_def def = room->def;
  const bool newton = def.solver == CDN_SOFT_NEWTON && def.cost_tolerance < 0;
  if (closely && newton) def.tolerance = fmin(def.tolerance, CLOSE);
  CDNI_TRY(cdni_soft_begin(&p, room, state, d, d->udot, &def, NULL, groups, n));
  const cdn_status status = solve(&p, groups, F, f);
  cdni_soft_end(&p);
  return status;
}

cdn_status cdni_soft_goes_straight(const soft_room *room, cdn_state *state, bool *straight) {
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  const soft_group *groups = elements;
  *straight = n > 0 && cdni_soft_has_guess(room, state);
  for (int i = 0; i < n && *straight; i++) *straight = !(groups[i].give > 0);
  return CDN_OK;
}

cdn_status cdni_soft_solve_step(const soft_room *room, cdn_state *state, const tree_data *d, const double *load, sv *F,
                                double *f) {
  soft_problem p;
  const void *groups;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &n));
  CDNI_TRY(cdni_soft_begin(&p, room, state, d, d->udot, &room->def, load, groups, n));
  const cdn_status status = solve(&p, groups, F, f);
  cdni_soft_end(&p);
  return status;
}

cdn_status cdni_soft_judge(const soft_room *room, cdn_state *state, const tree_data *d) {
  soft_results *results = cdni_region_elements(state, room->results);
  const tree *t = &room->matter->tree;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, NULL, &n));
  const double *udot = (const double *)(soft_outcomes(results) + n);
  char *frame = cdn_work_push(state, (size_t)t->n * sizeof(sv) + (size_t)(t->nu + 1) * sizeof(double));
  if (!frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  sv *A = (sv *)frame;
  double *left = (double *)(A + t->n), sum = 0;
  for (int k = 0; k < t->nu; k++) left[k] = d->udot[k] - udot[k];
  room->matter->kernels->jacobian(t, d, left, A);
  for (int i = 1; i < t->n; i++) {
    const tree_node *node = &t->node[i];
    sum += 0.5 * sv_dot(rigid_mul(d->inertia[i], A[i]), A[i]);
    for (int k = node->u; k < node->u + node->nu; k++) sum += 0.5 * d->mass[i].armature * left[k] * left[k];
  }
  cdn_work_pop(state, frame);
  results->statistics.residual = results->scale > 0 ? sqrt((fmax(sum, 0) + results->gap) / results->scale) : 0;
  results->statistics.converged = results->statistics.residual <= room->def.tolerance;
  return CDN_OK;
}
