/* How the equations of motion with constraints are eliminated: who meets whom, and in what order (symbolic, at freezing).
 *
 * The system (8.11, 8.12) is eliminated in the order of the tree, from its leaves to Ground. A constraint is *open* at the
 * joints of its path: those between the bodies that it names and their outmost common ancestor (manual 6). There it has a
 * row K on the acceleration of the body that has been reached, as a force from outside would have. At the ancestor all its
 * mobilities are gone; what is left of it are its own block S of
 *
 *   K A - S lambda = beta,
 *
 * which is positive semidefinite, its coupling to other constraints that were open at the same joints, and K. There its
 * multipliers are eliminated, and what the loop adds to the ancestor's inertia is K^T S^-1 K. So loops that close locally
 * cost a constant each, whatever they are mounted on, and those that close at one body (on Ground, say) are a sparse
 * matrix that is eliminated in an order of small fill.
 *
 * A *slot* is a constraint at a body: open at the body's own joint, or closing at the body. */
#ifndef CARDAN_CONSTRAINTS_PLAN_H
#define CARDAN_CONSTRAINTS_PLAN_H

#include "core/core.h"
#include "matter/records.h"

typedef struct loop_plan {
  const tree *tree;
  int n_constraints, m, n_slots, n_J;
  /* By constraint: equations, the first of them among all, ancestor, place in the order of elimination. */
  int32_t *equations, *first, *ancestor, *order;
  int32_t *by_order; /* constraints in that order */
  /* By body: its slots; those of them that are open at its joint come first, the others close here, in their order. */
  int32_t *slot_first, *n_open; /* nb + 1, nb */
  /* By slot: its constraint; where it goes on at the parent (open ones); where its K (spatial rows) and v (coefficients of
   * the joint's mobilities, row by row) start. */
  int32_t *slot_constraint, *slot_up, *slot_K, *slot_v;
  int n_K, n_v;
  /* By slot of a body, the pairs with the slots before it and itself: where the block of the two is. */
  int32_t *pair_first, *pair; /* nb: where a body's pairs start; slots i >= j of the body at i (i + 1) / 2 + j */
  /* By constraint: the later ones that it meets when it is eliminated, their slots at its ancestor (-1: none), and where
   * their blocks with it are; then the blocks of pairs of those, by the same triangle. */
  int32_t *meet_first, *meet, *meet_slot, *meet_block, *meet_pair_first, *meet_pair;
  /* The same the other way round: the earlier ones that meet it, and the blocks. */
  int32_t *met_first, *met, *met_block;
  /* By constraint: its own block (m x m). Blocks of two have the rows of the later one. */
  int32_t *diagonal;
  int n_S, n_diagonal; /* numbers in all blocks; in those of the diagonal, which come first */
  /* What constraints act on: by spatial row group (constraint, its k-th body) and by mobility. */
  int32_t *place_slot; /* by entry of the room's list of bodies: slot where J enters, or -1 (Ground beyond the path) */
  int32_t *mobility_slot; /* by entry of the room's list of mobilities: slot where g enters */
  int32_t *mobility_k;    /* which mobility of the joint it is */
  void *block;
  size_t block_size;
} loop_plan;

struct constraint_room;
/* False: memory ran out. */
bool cdni_loop_plan_make(struct constraint_room *room, const cdn_allocator *a);
void cdni_loop_plan_free(loop_plan *plan, const cdn_allocator *a);

#endif
