/* What the plan of the elimination is made from: growing lists, which are packed when all is known. Private to the files that
 * make it. */
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
  const cdn_allocator *memory; /* the State's workspace */
  const constraint_room *room;
  const tree *t;
  const int32_t *on; /* constraints */
  int n_on;
  cdni_array blocks; /* plan_block */
  cdni_array mixes;  /* plan_mix */
  /* By body, int32_t: blocks that are here now; that ever were; that are open at the joint; that close. */
  cdni_array *here, *slots, *open, *closing;
  int32_t *level, *order; /* by body; bodies in order */
  int32_t *note;          /* by block, as many as there can be: for whoever has to know quickly */
  int32_t notes;          /* how often connect_all has used it */
  int32_t placed;
  bool ok;
} plan_maker;

static inline int32_t *plan_items(const cdni_array *list) { return list->data; }
static inline plan_block *plan_block_at(const plan_maker *k, int32_t b) { return &CDNI_AT(k->blocks, plan_block, b); }

bool cdni_plan_push(plan_maker *k, cdni_array *list, int32_t value);
/* plan_pack.c: NULL if memory ran out. */
loop_plan *cdni_plan_pack(plan_maker *k, cdn_state *state);

/* scratch.c: lists for a while, in the workspace of a State. What is given back before the end is lost. */
typedef struct scratch_piece scratch_piece;
typedef struct scratch {
  cdn_allocator allocator;
  cdn_state *state;
  scratch_piece *last;
} scratch;
void cdni_scratch_begin(scratch *s, cdn_state *state);
void cdni_scratch_end(scratch *s);

#endif
