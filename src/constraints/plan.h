/* How the equations of motion with constraints are eliminated: who meets whom, and in what order.
 *
 * A plan is that of the constraints that are on, and of nothing else: constraints that are off are not in it, so that they cost
 * nothing. It is chosen when the set of those that are on has changed, and kept in the State. It follows from the set alone: the
 * same set gives the same plan, whatever was on before.
 *
 * The system (8.11, 8.12) is eliminated in the order of the tree, deepest bodies first. A constraint is *open* at the
 * joints of its path: those between the bodies that it names and their outmost common ancestor (manual 6). Wherever its
 * path has got to, it has a row K on the acceleration of that body, as a force from outside would have. At the ancestor
 * all its mobilities are gone; what is left of it are its own block S of
 *
 *   K A - S lambda = beta,
 *
 * which is positive semidefinite, its coupling to other constraints that were open at the same joints, and K. There its
 * multipliers are eliminated, and what the loop adds to the ancestor's inertia is K^T S^-1 K. So loops that close locally
 * cost a constant each, whatever they are mounted on, and those that close at one body (on Ground, say) are a sparse
 * matrix that is eliminated in an order of small fill.
 *
 * Loops that do not close locally would pile up along the joints that they share. But all that n rows on the accelerations
 * of one body can do, six can: rows of constraints whose paths have got to the same bodies (one, or two) and will close at
 * the same one are *mixed*: no more than six a body are chosen, and the others have so much of these taken from them that they
 * have no K. Those are closed on the spot, and only the chosen ones go on. So at any joint there are few equations, and the whole is linear.
 *
 * A *block* is (a) a constraint, (b) the equations a mix passes on, or (c) those it closes. A *slot* is a block at a body:
 * open at the body's joint, closing at the body, or a source of a mix there. */
#ifndef CARDAN_CONSTRAINTS_PLAN_H
#define CARDAN_CONSTRAINTS_PLAN_H

#include "core/core.h"
#include "matter/records.h"

/* A mix takes so many equations, of paths that have got to so many bodies. */
enum { LOOP_MOST_MIXED = 48, LOOP_MOST_TIPS = 2 };

typedef struct plan_counts {
  size_t bodies, constraints, equations, places, mobilities, blocks, slots, pairs, meets, mixes, sources;
} plan_counts;

typedef struct loop_plan {
  const struct loop_plan *self; /* where it was when its lists were found: a copy has to find its own */
  const tree *tree;
  plan_counts counts;
  int n_constraints; /* that are on: the first blocks; then two a mix */
  int n_blocks, n_mixes, n_slots;
  int m, m_all;         /* equations of constraints that are on, of all blocks */
  int np, nv, n_J, n_g; /* of those that are on: equations of position and of velocity, spatial rows, coefficients */
  /* By constraint that is on, in the order in which they were declared: which one it is; its first spatial row and coefficient;
   * where its bodies and its mobilities start in the lists of places (below). */
  int32_t *constraint, *J, *g, *place_first, *mobility_first;
  /* By equation of these: where it is among those of all constraints, on or off. */
  int32_t *row;
  /* By block: equations at most, the first of them among all, body where it closes, place in the order of elimination;
   * blocks in that order. */
  int32_t *equations, *first, *ancestor, *order, *by_order;
  /* By equation of a constraint: its block. */
  int32_t *owner;
  /* Bodies, deepest first, Ground last. */
  int32_t *bodies;
  /* By body: its slots; those of blocks that are open at its joint come first, then those that close here, in order. */
  int32_t *slot_first, *n_open, *n_closing; /* nb + 1, nb, nb */
  /* By slot: its block; where it goes on at the parent (open ones); where its K (spatial rows) and v (coefficients of the
   * joint's mobilities, row by row) start. */
  int32_t *slot_block, *slot_up, *slot_K, *slot_v;
  int n_K, n_v;
  /* By body, the pairs of its open slots: where the block of the two is, for slots i >= j at i (i + 1) / 2 + j. */
  int32_t *pair_first, *pair;
  /* By block: the later ones that it meets when it is eliminated, in the order in which they are; their slots where that happens
   * (-1: none), and where the matrices of both are. When it has been eliminated, all of them meet each other. */
  int32_t *meet_first, *meet, *meet_slot, *meet_matrix;
  /* The same the other way round: the earlier ones that meet it, and the matrices. */
  int32_t *met_first, *met, *met_matrix;
  /* By block: its own matrix (m x m). Matrices of two have the rows of the later one. */
  int32_t *diagonal;
  int n_S, n_diagonal; /* numbers in all matrices; in those of the diagonal, which come first */
  /* Mixes, in order; by place in the order of bodies those that come after its joint (nb + 1). */
  int32_t *mix_first;
  int32_t *mix_closed;   /* by mix: its block that is closed; the next one is what goes on */
  int32_t *mix_of;       /* by block: the mix whose closed part it is, or -1 */
  int32_t *is_mixed;     /* by block: whether it is a source of one */
  int32_t *source_first; /* by mix: its sources (blocks), */
  int32_t *source;       /* and by source LOOP_MOST_TIPS slots, -1 for none */
  int32_t *source_slot;
  int32_t *onward_slot; /* by mix: LOOP_MOST_TIPS slots of what goes on */
  int32_t *mix_T;       /* by mix: where its matrix is, LOOP_MOST_MIXED squared at most */
  int n_T;
  /* What constraints act on: by body that one names the slot where J enters; by mobility that one names the slot where g
   * enters, and which mobility of the joint it is. */
  int32_t *place_slot, *mobility_slot, *mobility_k;
} loop_plan;

struct constraint_room;
/* Chooses the plan of the constraints that are on in a State, in a memory of the State's. */
cdn_status cdni_loop_plan_choose(const struct constraint_room *room, cdn_state *state);
/* The place of a constraint among those that are on, or -1. */
int cdni_loop_plan_find(const loop_plan *p, int constraint);
/* plan_pack.c: a plan that has been moved finds its lists, which follow it in memory. */
void cdni_loop_plan_rebase(loop_plan *p);

#endif
