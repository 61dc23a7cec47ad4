/* The plan of the elimination: the order in which the equations of motion with constraints are eliminated, and where
 * its numbers are.
 *
 * A plan is made for one set of enabled constraints. Disabled constraints are not in it and cost nothing. The State
 * chooses a plan when the set changes, and keeps it. The plan depends on the set alone: equal sets have equal plans,
 * whatever was enabled before.
 *
 * The system (8.11, 8.12) is eliminated along the tree, deepest bodies first. The *path* of a constraint consists of
 * the joints between the bodies that it names and the outmost common ancestor of these bodies (manual 6). The
 * constraint is *open* at these joints. At a body that the path has reached, the constraint has a row K on the
 * acceleration of that body, like a force from outside. At the ancestor no mobility of the path is left. There the
 * constraint has its own block S of
 *
 *   K A - S lambda = beta,
 *
 * the couplings of this block to constraints that were open at the same joints, and K. S is positive semidefinite. The
 * multipliers are eliminated there, and the loop adds K^T S^-1 K to the inertia of the ancestor. So a loop that closes
 * locally costs a constant, wherever the ancestor is. Loops that close at one body, for example at Ground, form a
 * sparse matrix. It is eliminated in an order of small fill.
 *
 * Loops that do not close locally would accumulate along the joints that they share. But six rows on the acceleration
 * of one body can do what any number of rows can do. So rows are *mixed* if their paths have reached the same bodies
 * (one or two) and close at the same ancestor. At most six rows for each body are chosen. Multiples of the chosen rows
 * are subtracted from the other rows, whose K is then zero. The other rows are closed at once, and only the chosen rows
 * go on. So few equations are open at any joint, and the cost is linear.
 *
 * Besides constraints there are *couplings*: weights on the acceleration of a body relative to another, as soft rows
 * have them (soft/). A coupling of two bodies is a matrix C, 6 x 6, beside their inertias. No rows are opened for it.
 * When a body's joint is eliminated, the other bodies that it is coupled with become coupled with each other and with
 * its parent; constraints that are open at the joint reach these bodies, too. Bodies of one depth come in an order of
 * small fill. Trees that couplings and constraints connect are an *island*. Islands follow each other in the order of
 * bodies, so that each can be eliminated by itself.
 *
 * A *block* is (a) a constraint, (b) the equations that a mix passes on, or (c) the equations that a mix closes. A
 * *slot* is a block at a body: open at the body's joint, closing at the body, or a source of a mix there. */
#ifndef CARDAN_CONSTRAINTS_PLAN_H
#define CARDAN_CONSTRAINTS_PLAN_H

#include "core/core.h"
#include "matter/records.h"
#include "system/system.h"

/* The most equations of a mix, and the most bodies that their paths have reached. */
enum { LOOP_MOST_MIXED = 48, LOOP_MOST_TIPS = 2 };

typedef struct plan_counts {
  size_t bodies, constraints, equations, places, mobilities, blocks, slots, pairs, meets, mixes, sources;
  size_t visited, islands, couplings, fills, tips, tip_meets, tip_pairs, given, couple_slots;
} plan_counts;

typedef struct loop_plan {
  const struct loop_plan *self; /* the address for which the lists below are valid: a copy finds its own */
  const tree *tree;
  plan_counts counts;
  int n_constraints; /* enabled ones: they are the first blocks; two blocks for each mix follow */
  int n_blocks, n_mixes, n_slots;
  int m, m_all;         /* equations of enabled constraints, and of all blocks */
  int np, nv, n_J, n_g; /* of enabled constraints: equations of position, of velocity; spatial rows, coefficients */
  /* By enabled constraint, in the order of declaration: its id; its first spatial row and coefficient; its first body
   * and mobility in the lists of places (below). */
  int32_t *constraint, *J, *g, *place_first, *mobility_first;
  /* By equation of the enabled constraints: its number among the equations of all constraints. */
  int32_t *row;
  /* By block: the most equations, the number of the first, the body where the block closes, its place in the order of
   * elimination; and the blocks in that order. */
  int32_t *equations, *first, *ancestor, *order, *by_order;
  /* By equation of a constraint: its block. */
  int32_t *owner;
  /* Bodies by island, deepest first, Ground last; and by body its place among them (-1: it takes no part). */
  int32_t *bodies, *place;
  int n_visited; /* with Ground */
  /* By island: its first place in the order of bodies, and its first place among the blocks that close at Ground. */
  int n_islands;
  int32_t *island_body, *island_closing; /* n_islands + 1 */
  int32_t *island_block, *block_listed;  /* n_islands + 1; the blocks, by island */
  /* By body: the bodies that it is coupled with when its joint is eliminated, in the order of their own elimination;
   * the matrix of each (rows: this body); the matrix of the other body and the parent (-1: the parent is Ground; -2:
   * the other body is the parent); the first of nu rows of E. Then, by body: the matrices of pairs of these, that of
   * the i-th and the j-th (j < i) at i (i - 1) / 2 + j. */
  int32_t *couple_first, *couple, *couple_C, *couple_up, *couple_E, *fill_first, *fill;
  int n_C, n_E;
  int32_t *reached; /* by body: whether one that is eliminated earlier is coupled with it, or with a child of it */
  /* By coupling as above: for the blocks that are open at the joint, in order, their slots at the other body. */
  int32_t *couple_slot_first, *couple_slot;
  /* By given coupling, in the order in which they were given: its matrix, whose rows are the body that comes first. */
  int32_t *given_C;
  /* By block: the slots, besides the one where it closes, that it has at its closing; for each of them the matrices
   * with the ancestor and with those before, and the slots of the blocks that it meets. */
  int32_t *tip_first, *tip_slot, *tip_pair_first, *tip_pair, *tip_meet_first, *tip_meet;
  int n_tip_rows; /* equations of blocks with such slots, one for each slot */
  int32_t *tip_Y; /* by such slot: its first row of Y */
  /* By body: its slots. First come the slots of blocks that are open at its joint, then those of blocks that close
   * here, in order. */
  int32_t *slot_first, *n_open, *n_closing; /* nb + 1, nb, nb */
  /* By slot: its block, its body; the slot of the block at the parent (open ones); the first of its spatial rows K, and
   * of its coefficients v of the joint's mobilities (row by row). */
  int32_t *slot_block, *slot_up, *slot_K, *slot_v, *slot_body;
  int n_K, n_v;
  /* By body: the pairs of its open slots. The matrix of the slots i >= j is at i (i + 1) / 2 + j. */
  int32_t *pair_first, *pair;
  /* By block: the later blocks that it meets at its elimination, in order; the slots of these at the body of the
   * elimination (-1: none); and the matrices of the pairs. After the elimination these blocks meet each other. */
  int32_t *meet_first, *meet, *meet_slot, *meet_matrix;
  /* By block: the earlier blocks that meet it, and the matrices of the pairs. */
  int32_t *met_first, *met, *met_matrix;
  /* By block: its own matrix (m x m). The matrix of a pair has the rows of the later block. */
  int32_t *diagonal;
  int n_S, n_diagonal; /* numbers in all matrices, and in the diagonal ones, which come first */
  /* By place in the order of bodies: the first mix after the joint of the body (nb + 1). Mixes are in order. */
  int32_t *mix_first;
  int32_t *mix_closed;   /* by mix: the block that it closes; the next block is the one that it passes on */
  int32_t *mix_of;       /* by block: the mix that closes it as its block (c), or -1 */
  int32_t *is_mixed;     /* by block: whether it is a source of a mix */
  int32_t *yields;       /* by block: whether a constraint that moments switch has a part in it */
  int32_t *source_first; /* by mix: its sources (blocks), */
  int32_t *source;       /* and by source LOOP_MOST_TIPS slots, -1: none */
  int32_t *source_slot;
  int32_t *onward_slot; /* by mix: LOOP_MOST_TIPS slots of the block that it passes on */
  int32_t *mix_T;       /* by mix: its matrix, at most LOOP_MOST_MIXED squared numbers */
  int n_T;
  /* What constraints act on. By body that a constraint names: the slot where J enters, and the body. By mobility that a
   * constraint names: the slot where g enters, and the number of the mobility in its joint. */
  int32_t *place_slot, *place_body, *mobility_slot, *mobility_k;
} loop_plan;

/* Couplings: n pairs of bodies, both of which move; `touched` tells by body whether something soft acts on
 * it or beyond it, so that its tree takes part. */
typedef struct loop_couplings {
  const int32_t *pair;
  int n;
  const uint8_t *touched;
} loop_couplings;

struct constraint_room;
/* Makes the plan of the constraints that are enabled in a State, in the State's region. */
cdn_status cdni_loop_plan_choose(const struct constraint_room *room, cdn_state *state);
/* Makes the plan of constraints with couplings, in another region. It has only the trees that are touched or that
 * constraints and couplings connect with these. `room` is NULL in a System without constraints; `full` is the plan of
 * all enabled constraints, by which the rows are numbered. */
cdn_status cdni_loop_plan_couple(const struct constraint_room *room, const tree *t, const loop_plan *full,
                                 cdn_computed_region region, const loop_couplings *couplings, cdn_state *state);
/* The place of a constraint among the enabled ones, or -1. */
int cdni_loop_plan_find(const loop_plan *p, int constraint);
/* plan_pack.c: finds the lists of a plan that has been moved. They follow the struct in memory. */
void cdni_loop_plan_rebase(loop_plan *p);

#endif
