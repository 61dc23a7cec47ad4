/* The plan and the numbers in the memories of a State: their sizes, their places, and finding them again in a copy. */
#include "constraints/numbers.h"

static void *part(char *base, size_t *at, size_t bytes) {
  char *here = base ? base + *at : NULL;
  *at += (bytes + CDNI_ALIGN - 1) / CDNI_ALIGN * CDNI_ALIGN;
  return here;
}

/* n NULL: the size alone. */
static size_t divide(const loop_plan *p, constraint_numbers *n) {
  constraint_numbers parts;
  char *base = (char *)n;
  size_t at = (sizeof parts + CDNI_ALIGN - 1) / CDNI_ALIGN * CDNI_ALIGN;
  parts.self = n;
  parts.J = part(base, &at, (size_t)p->n_J * sizeof *parts.J);
  parts.g = part(base, &at, (size_t)p->n_g * sizeof *parts.g);
  parts.bias = part(base, &at, (size_t)p->m * sizeof *parts.bias);
  parts.was_redundant = part(base, &at, (size_t)p->m * sizeof *parts.was_redundant);
  if (n) {
    parts.f = cdni_loop_factor_at(p, base + at);
    *n = parts;
  }
  return at + cdni_loop_factor_size(p);
}

cdn_status cdni_constraint_choose(const constraint_room *room, cdn_state *state) {
  CDNI_TRY(cdni_loop_plan_choose(room, state));
  const loop_plan *plan = cdni_state_memory(state, room->plan_memory);
  constraint_numbers *n = cdni_state_take_memory(state, room->numbers_memory, divide(plan, NULL));
  if (!n) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  divide(plan, n);
  return CDN_OK;
}

const loop_plan *cdni_constraint_plan_now(const constraint_room *room, cdn_state *state) {
  loop_plan *plan = cdni_state_memory(state, room->plan_memory);
  if (plan->self != plan) cdni_loop_plan_rebase(plan);
  return plan;
}

constraint_numbers *cdni_constraint_numbers(const constraint_room *room, cdn_state *state) {
  constraint_numbers *n = cdni_state_memory(state, room->numbers_memory);
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
  for (int k = 0; k < plan->m; k++) all[plan->row[k]] = from[k];
}

void cdni_constraint_gather(const loop_plan *plan, const double *all, double *to) {
  for (int k = 0; k < plan->m; k++) to[k] = all[plan->row[k]];
}
