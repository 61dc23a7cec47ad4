/* Growing lists, from which the plan of the elimination is packed when everything is known. Private to the files that
 * make the plan. */
#ifndef CARDAN_CONSTRAINTS_PLAN_MAKER_H
#define CARDAN_CONSTRAINTS_PLAN_MAKER_H

#include "constraints/internal.h"

/* A block while the plan is being made. */
typedef struct plan_block {
  int32_t equations, ancestor, order, island;
  int32_t mix;         /* the mix that makes it and closes it, or -1 */
  bool mixed;          /* a source of a mix: never eliminated itself */
  cdni_array tips;     /* int32_t: bodies that its path has reached */
  cdni_array adjacent; /* int32_t: blocks that it meets and that have no place yet */
  cdni_array meets;    /* int32_t: the blocks in `adjacent` when this block got its place */
  cdni_array closing;  /* int32_t: the bodies, besides the ancestor, that its path has reached at its closing */
} plan_block;

/* Two bodies that are coupled: the other one, and the number of their matrix. */
typedef struct plan_coupling {
  int32_t body, C;
} plan_coupling;

typedef struct plan_mix {
  int32_t after;  /* the mix comes after the joint of this body */
  int32_t closed; /* the block that it closes; the next block is the one that it passes on */
  int32_t tips[LOOP_MOST_TIPS], n_tips;
  cdni_array sources;
} plan_mix;

typedef struct plan_maker {
  const cdn_allocator *memory; /* the State's workspace */
  const constraint_room *room;
  const cdn_state *state;
  const tree *t;
  const int32_t *on; /* the enabled constraints */
  int n_on;
  cdni_array blocks; /* plan_block */
  cdni_array mixes;  /* plan_mix */
  /* By body, int32_t: the blocks that are here now; all that have been here; those open at the joint; those that close
   * here. */
  cdni_array *here, *slots, *open, *closing;
  int32_t *level, *order; /* by body; bodies in order */
  cdn_computed_region region;
  const loop_couplings *couplings; /* NULL: none */
  cdni_array *near;                /* by body, plan_coupling: the bodies it is coupled with and that come later */
  int32_t *mark;                   /* by body: marks, for quick look-ups */
  int32_t marks, n_C, n_visited, n_islands;
  int32_t *island, *island_body, *island_closing, *given_C;
  int32_t *note; /* by block, as many as there can be: marks, for quick look-ups */
  int32_t notes; /* how often connect_all has used it */
  int32_t placed;
  bool ok;
} plan_maker;

static inline int32_t *plan_items(const cdni_array *list) { return list->data; }
static inline plan_block *plan_block_at(const plan_maker *k, int32_t b) { return &CDNI_AT(k->blocks, plan_block, b); }

bool cdni_plan_push(plan_maker *k, cdni_array *list, int32_t value);
/* plan_couple.c: finds the islands, which constraints of the list `on` take part, and a first order of bodies. */
bool cdni_plan_begin_couplings(plan_maker *k, int32_t *on);
void cdni_plan_choose_body(plan_maker *k, int n);
void cdni_plan_eliminate_body(plan_maker *k, int body);
void cdni_plan_close_tips(plan_maker *k, int32_t block, int body,
                          void (*arrive)(plan_maker *k, int32_t block, int body));
/* The lists of couplings of a plan, when those of slots are there. */
void cdni_plan_pack_couplings(const plan_maker *k, loop_plan *p);
/* plan_pack.c: NULL if memory ran out. */
int cdni_plan_slot_of(const loop_plan *p, int body, int32_t block); /* -1: it has none there */
loop_plan *cdni_plan_pack(plan_maker *k, cdn_state *state);

/* scratch.c: memory for growing lists, in the workspace of a State. Memory that is freed is not used again before the
 * end. */
typedef struct scratch_piece scratch_piece;
typedef struct scratch {
  cdn_allocator allocator;
  cdn_state *state;
  scratch_piece *last;
} scratch;
void cdni_scratch_begin(scratch *s, cdn_state *state);
void cdni_scratch_end(scratch *s);

#endif
