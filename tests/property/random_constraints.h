/* shared by tests in this folder */
/* Random constraints among the bodies of a random tree. */
#ifndef CARDAN_TESTS_RANDOM_CONSTRAINTS_H
#define CARDAN_TESTS_RANDOM_CONSTRAINTS_H

#include "random_tree.h"

/* Adds up to n constraints of random kinds (fewer where the tree has too few mobilities for them to be independent). */
void add_random_constraints(random_tree *tree, int n, uint64_t seed);

#endif
