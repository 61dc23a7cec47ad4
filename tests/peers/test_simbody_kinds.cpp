// Every kind of mobilizer that Simbody 3.7 has, forward and reversed, with quaternions and with Euler angles: alone, in
// chains of its own kind, and in random trees of all kinds.
#include "simbody_compare.h"

#include "../check_main.h"
#include "random_mjcf.h"

#include <cmath>

namespace simbody_kinds {

void compare(const peers::Tree &tree, int states, uint64_t seed) {
  uint64_t rng = seed;
  peers::Comparison c(tree);
  for (int i = 0; i < states; i++) c.compare_random_state(&rng);
}

// n bodies of one kind in a row, the first on Ground.
void compare_chain(cdn_mobilizer kind, bool reversed, bool euler, bool custom, int n) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    uint64_t rng = 1000 * kind + 10 * n + seed;
    peers::Tree tree;
    tree.name = std::string(custom ? "custom " : "") + cdn_mobilizer_name(kind) + (reversed ? ", reversed" : "") +
                (euler ? ", Euler angles" : "") + ", " + std::to_string(n) + " in a row, " + std::to_string(seed);
    for (int i = 0; i < n; i++) tree.bodies.push_back(peers::random_body(i - 1, kind, reversed, euler, custom, &rng));
    compare(tree, 3, seed);
  }
}

bool has_euler(cdn_mobilizer kind) {
  return kind == CDN_BALL || kind == CDN_FREE || kind == CDN_ELLIPSOID || kind == CDN_LINE_ORIENTATION ||
         kind == CDN_FREE_LINE;
}

START_TEST(test_kind) {
  const cdn_mobilizer kind = static_cast<cdn_mobilizer>(_i);
  if (kind == CDN_WELD || kind == CDN_CUSTOM_MOBILIZER) return; // nothing moves; see below
  for (int n = 1; n <= 4; n += 3)
    for (int reversed = 0; reversed < 2; reversed++)
      for (int euler = 0; euler <= has_euler(kind); euler++) compare_chain(kind, reversed, euler, false, n);
}
END_TEST

START_TEST(test_custom) {
  for (int n = 1; n <= 4; n += 3)
    for (int reversed = 0; reversed < 2; reversed++) {
      compare_chain(CDN_BEND_STRETCH, reversed, false, true, n);
      compare_chain(CDN_BALL, reversed, false, true, n);
    }
}
END_TEST

START_TEST(test_trees) {
  for (uint64_t seed = 1; seed <= 100; seed++)
    compare(peers::random_tree_of_kinds(seed, 1 + static_cast<int>(seed % 20), seed % 2), 2, seed);
}
END_TEST

// The natural spline and the rest, up to the third derivative where Simbody has it.
START_TEST(test_functions) {
  uint64_t rng = 1;
  for (int round = 0; round < 200; round++) {
    const auto m = peers::random_functions(&rng);
    for (const peers::Function &f : m->f) {
      if (f.inputs.size() != 1) continue;
      cdn_function *ours = peers::cardan_function(f);
      const std::unique_ptr<const SimTK::Function> theirs(peers::simbody_function(f));
      for (int i = 0; i < 5; i++) {
        const double x = random_uniform(&rng, -1.2, 1.2); // within the knots, where Simbody's spline ends
        cdn_function_result r;
        ck_assert_int_eq(cdn_function_calc(ours, &x, 3, &r), CDN_OK);
        const SimTK::Vector at(1, x);
        const double values[] = { r.value, r.d1[0], r.d2[0], r.d3[0] };
        for (int order = 0; order <= 3; order++) {
          const SimTK::Array_<int> by(order, 0);
          const double other = order ? theirs->calcDerivative(by, at) : theirs->calcValue(at);
          // Knots 0.4 apart at the least: a derivative costs that factor of the spline's roundings.
          const double tolerance = 1e-13 * std::pow(10, order);
          ck_assert_msg(std::fabs(values[order] - other) <= tolerance,
                        "function of type %d, derivative %d at %g: %.17g, "
                        "Simbody %.17g",
                        f.type, order, x, values[order], other);
        }
      }
      cdn_function_release(ours);
    }
  }
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_loop_test(tcase, test_kind, 0, CDN_MOBILIZER_COUNT);
  tcase_add_test(tcase, test_custom);
  tcase_add_test(tcase, test_trees);
  tcase_add_test(tcase, test_functions);
}

CHECK_MAIN_OF("simbody_kinds", 0, add)

} // namespace simbody_kinds
