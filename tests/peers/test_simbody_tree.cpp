// Random and regular trees of the plain kinds in Cardan and in Simbody 3.7, with massless bodies here and there.
#include "simbody_compare.h"

#include "../check_main.h"

namespace simbody_tree {

void compare(const peers::Tree &tree, int states, uint64_t seed) {
  uint64_t rng = seed;
  peers::Comparison c(tree);
  for (int i = 0; i < states; i++) c.compare_random_state(&rng);
}

START_TEST(test_random_trees) {
  for (int seed = 1; seed <= 100; seed++) compare(peers::random_tree(seed, 1 + seed % 25), 3, seed);
}
END_TEST

START_TEST(test_regular_trees) {
  compare(peers::humanoid(), 10, 1);
  compare(peers::pin_chain(30), 5, 2);
  compare(peers::pin_binary_tree(5), 5, 3);
}
END_TEST

CHECK_MAIN("simbody_tree", test_random_trees, test_regular_trees)

} // namespace simbody_tree
