/* shared by tests in this folder */
/* Random trees some of whose mobilizers are prescribed: by every kind of motion, and by locks at every level. */
#ifndef CARDAN_TESTS_PRESCRIBED_TREE_H
#define CARDAN_TESTS_PRESCRIBED_TREE_H

#include "random_tree.h"

/* How a mobilizer is driven. */
typedef enum drive { FREE_MOBILIZER, BY_SINUSOID, BY_STEADY, BY_OWN_MOTION, BY_LOCK } drive;

typedef struct prescribed_tree {
  random_tree tree;
  drive drive[TREE_MOST_BODIES + 1];
  cdn_motion_level level[TREE_MOST_BODIES + 1];
  cdn_motion motion[TREE_MOST_BODIES + 1]; /* locked bodies may have one, too */
  int prescribed;                          /* mobilizers */
} prescribed_tree;

/* Adds motions to a random tree; the choices follow from the seed. */
prescribed_tree make_prescribed_tree(const tree_options *options, uint64_t seed);
/* Its State, with locks in place, at some time, random q and u (some prescribed: with no effect). */
cdn_state *prescribed_tree_state(const prescribed_tree *p, uint64_t seed);

/* A motion of the tests' own, for any mobilizer and level. Parameters: b, w, phase, c:
 *   position      q_i = b sin(w t + phase + i), and for a quaternion a turn by 2 b sin(w t + phase) about (1, 2, 2) /
 *   3; velocity      u_i = b sin(w t + phase + i) + c q_0 (of a mobilizer with one coordinate, else without the last
 *   term); acceleration  udot_i = b sin(w t + phase + i) - c (u_i + q_0 + the sum of all u). */
const cdn_motion_ops *own_motion(cdn_motion_level level, bool quaternion);

/* Locks everything that is prescribed above the level of accelerations at the accelerations that it has. */
void hold_accelerations(cdn_state *state, const prescribed_tree *p);

/* A State of the same System with everything free, its q and u the effective ones of the other. */
cdn_state *freed(cdn_state *state, const prescribed_tree *p);

#endif
