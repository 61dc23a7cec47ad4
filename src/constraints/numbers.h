/* What a State keeps for the constraints that are on: the plan, and the numbers of evaluations. Private to the room. */
#ifndef CARDAN_CONSTRAINTS_NUMBERS_H
#define CARDAN_CONSTRAINTS_NUMBERS_H

#include "constraints/internal.h"
#include "constraints/loops.h"

/* In a region of the State, whose parts have the sizes that the plan gives. */
typedef struct constraint_numbers {
  const struct constraint_numbers *self; /* where it was when its parts were found: a copy has to find its own */
  loop_factor f;
  sv *J;
  double *g, *bias;
  int32_t *was_redundant;
} constraint_numbers;

/* Both where they are known to be: the plan is chosen. */
const loop_plan *cdni_constraint_plan_now(const constraint_room *room, cdn_state *state);
constraint_numbers *cdni_constraint_numbers(const constraint_room *room, cdn_state *state);
/* The compute function of the plan. */
cdn_status cdni_constraint_choose(const constraint_room *room, cdn_state *state);

#endif
