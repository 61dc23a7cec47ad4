/* What the plan of the elimination is made from: growing lists, which are packed when all is known. Private to the two files
 * that make it. */
#ifndef CARDAN_CONSTRAINTS_PLAN_MAKER_H
#define CARDAN_CONSTRAINTS_PLAN_MAKER_H

#include "constraints/internal.h"

/* A block on its way. */
typedef struct plan_block {
  int32_t equations, ancestor, order;
  int32_t mix;         /* whose closed part it is, or -1 */
  bool mixed;          /* a source: never eliminated itself */
  cdni_array tips;     /* int32_t: bodies that its path has got to */
  cdni_array adjacent; /* int32_t: blocks that it meets and that have no place yet */
  cdni_array meets;    /* those when it was given its place */
} plan_block;

typedef struct plan_mix {
  int32_t after;  /* the body after whose joint it is */
  int32_t closed; /* the block; what goes on is the next one */
  int32_t tips[LOOP_MOST_TIPS], n_tips;
  cdni_array sources;
} plan_mix;

typedef struct plan_maker {
  const cdn_allocator *memory;
  constraint_room *room;
  const tree *t;
  cdni_array blocks; /* plan_block */
  cdni_array mixes;  /* plan_mix */
  /* By body, int32_t: blocks that are here now; that ever were; that are open at the joint; that close. */
  cdni_array *here, *slots, *open, *closing;
  int32_t *level, *order; /* by body; bodies in order */
  int32_t placed;
  bool ok;
} plan_maker;

static inline int32_t *plan_items(const cdni_array *list) { return list->data; }
static inline plan_block *plan_block_at(const plan_maker *k, int32_t b) { return &CDNI_AT(k->blocks, plan_block, b); }

bool cdni_plan_push(plan_maker *k, cdni_array *list, int32_t value);
/* plan_pack.c: false if memory ran out. */
bool cdni_plan_pack(plan_maker *k, loop_plan *plan);

#endif
