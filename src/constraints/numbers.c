/* The plan and the numbers in their regions of a State: their sizes, their places, and finding them again in a copy. */
#include "constraints/numbers.h"

/* n NULL: the size alone. */
static size_t divide(const loop_plan *p, constraint_numbers *n) {
  constraint_numbers parts;
  char *base = (char *)n;
  size_t at = cdni_aligned(sizeof parts);
  parts.self = n;
  parts.J = cdni_part(base, &at, (size_t)p->n_J, sizeof *parts.J);
  parts.g = cdni_part(base, &at, (size_t)p->n_g, sizeof *parts.g);
  parts.bias = cdni_part(base, &at, (size_t)p->m, sizeof *parts.bias);
  parts.was_redundant = cdni_part(base, &at, (size_t)p->m, sizeof *parts.was_redundant);
  if (n) {
    parts.f = cdni_loop_factor_at(p, base + at);
    *n = parts;
  }
  return at + cdni_loop_factor_size(p);
}

/* Of a constraint that is off, zeros in the State's pools, which evaluations leave alone. */
static void clear(const constraint_room *room, cdn_state *state, const constraint_element *c) {
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(state), room->subsystem);
  const struct {
    cdn_ticket pool;
    int first, n;
  } parts[] = { { CDN_QERR, runs.qerr + c->qerr, c->np },
                { CDN_UERR, runs.uerr + c->uerr, c->np + c->nv },
                { CDN_UDOTERR, runs.udoterr + c->row, c->m },
                { CDN_MULTIPLIERS, runs.udoterr + c->row, c->m } };
  for (int i = 0; i < CDNI_COUNT(parts); i++) {
    double *pool = cdni_state_storage(state, (cdn_cache){ 0, parts[i].pool });
    for (int k = 0; k < parts[i].n; k++) pool[parts[i].first + k] = 0;
  }
  int32_t *flags = cdni_state_storage(state, room->redundant.update);
  for (int k = 0; k < c->m; k++) flags[c->row + k] = 0;
}

cdn_status cdni_constraint_choose(const constraint_room *room, cdn_state *state) {
  CDNI_TRY(cdni_loop_plan_choose(room, state));
  const loop_plan *plan = cdni_region_elements(state, room->plan);
  void *numbers;
  for (int c = 0, on = 0; c < (int)room->elements.count; c++) {
    if (on < plan->n_constraints && plan->constraint[on] == c) on++;
    else clear(room, state, constraint_at(room, c));
  }
  CDNI_TRY(cdni_region_take(state, "cdn_realize", room->numbers, divide(plan, NULL), &numbers));
  divide(plan, numbers);
  return CDN_OK;
}

const loop_plan *cdni_constraint_plan_now(const constraint_room *room, cdn_state *state) {
  loop_plan *plan = cdni_region_elements(state, room->plan);
  if (plan->self != plan) cdni_loop_plan_rebase(plan);
  return plan;
}

constraint_numbers *cdni_constraint_numbers(const constraint_room *room, cdn_state *state) {
  constraint_numbers *n = cdni_region_elements(state, room->numbers);
  if (n->self != n) divide(cdni_constraint_plan_now(room, state), n);
  return n;
}

cdn_status cdni_constraint_plan(const constraint_room *room, cdn_state *state, const loop_plan **plan) {
  CDNI_TRY(cdni_state_ensure(state, room->plan.ticket));
  *plan = cdni_constraint_plan_now(room, state);
  return CDN_OK;
}

void cdni_constraint_spread(const constraint_room *room, const loop_plan *plan, const double *from, double *all) {
  if (room->m) memset(all, 0, (size_t)room->m * sizeof *all);
  cdni_constraint_scatter(plan, from, all);
}

void cdni_constraint_scatter(const loop_plan *plan, const double *from, double *all) {
  for (int k = 0; k < plan->m; k++) all[plan->row[k]] = from[k];
}

void cdni_constraint_gather(const loop_plan *plan, const double *all, double *to) {
  for (int k = 0; k < plan->m; k++) to[k] = all[plan->row[k]];
}
