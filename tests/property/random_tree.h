/* shared by tests in this folder */
/* Random trees of bodies with random forces: reproducible from two seeds, one for the shape, one for the numbers. */
#ifndef CARDAN_TESTS_RANDOM_TREE_H
#define CARDAN_TESTS_RANDOM_TREE_H

#include "../testing.h"
#include "random_numbers.h"

/* ---- trees ---- */

enum { TREE_MOST_BODIES = 48, TREE_MOST_FORCES = 160 };

typedef struct tree_options {
  int bodies;
  uint64_t shape, numbers; /* seeds: what is joined to what and how; masses, frames, stiffnesses */
  bool simple;             /* weld, pin, slider, ball and free joints only, none reversed */
  bool floating;           /* one root, free and without armature: nothing but forces links it to Ground */
  bool forces;             /* force elements of every kind */
  bool conservative;       /* of these only the ones with potential, and no stops (which have kinks) */
  cdn_allocator allocator; /* all zero: the default */
} tree_options;

typedef enum force_kind {
  GRAVITY,
  MOBILITY_SPRING,
  MOBILITY_DAMPER,
  MOBILITY_FORCE,
  MOBILITY_STOP,
  ROTATION_SPRING,
  ROTATION_STOP,
  TWO_POINT_SPRING,
  TWO_POINT_DAMPER,
  BODY_FORCE
} force_kind;

typedef struct tree_force {
  cdn_force id;
  force_kind kind;
  cdn_body a, b;
  cdn_vec3 p_A, p_B, f, m;
  double k, rest, lower, upper, dissipation;
} tree_force;

typedef struct random_tree {
  cdn_system *system; /* not frozen: the caller may add to it */
  int bodies;         /* Ground not included: ids 1 .. bodies */
  cdn_mobilizer kind[TREE_MOST_BODIES + 1];
  int parent[TREE_MOST_BODIES + 1];
  int forces;
  tree_force force[TREE_MOST_FORCES];
} random_tree;

/* Bodies on mobilizers of every kind, reversed or not, with mass spread out, rods, points and massless frames where
 * that is regular. */
random_tree make_random_tree(const tree_options *options);
/* Freezes and releases the System (its State keeps it) and sets a random q and u. */
cdn_state *random_tree_state(const random_tree *tree, uint64_t seed);
/* Random q (quaternions of length 1) and u of the given sizes on an existing State. */
void set_random_qu(cdn_state *state, rng *r, double u_size);
/* Sets every parameter of a State of one tree to those of another tree of the same shape. */
void set_tree_parameters(cdn_state *state, const random_tree *other, const cdn_state *other_state);

#endif
