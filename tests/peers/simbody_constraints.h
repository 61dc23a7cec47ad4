// One constraint of every kind that Simbody 3.7 has, on the same tree in Cardan and in Simbody.
#ifndef CARDAN_TESTS_PEERS_SIMBODY_CONSTRAINTS_H
#define CARDAN_TESTS_PEERS_SIMBODY_CONSTRAINTS_H

#include "random_mjcf.h"
#include "simbody_tree.h"

#include <functional>

namespace peers {

// Both systems while they are built, with what constraints are put on.
struct Looped {
  const Tree &tree;
  SimbodyTree theirs;
  cdn_system *system;
  uint64_t rng;
  int a, b, c;                                 // bodies, -1: Ground; a and b differ
  std::vector<std::pair<int, int>> coordinate; // three, if there are so many, whose rates are speeds

  Looped(const Tree &tree, uint64_t seed);
  ~Looped();
  Looped(const Looped &) = delete;
  Looped &operator=(const Looped &) = delete;

  cdn_body body(int i) const { return { i + 1 }; }
  SimTK::MobilizedBody &mobod(int i) { return theirs.matter.updMobilizedBody(SimTK::MobilizedBodyIndex(i + 1)); }
  cdn_vec3 vec() { return random_vec3(&rng, 0.7); }
  double number() { return random_uniform(&rng, 0.2, 1); }
  cdn_mobility ours(int i) const { return { body(coordinate[i].first), coordinate[i].second }; }
  SimTK::MobilizedBody &on(int i) { return mobod(coordinate[i].first); }
  int at(int i) const { return coordinate[i].second; }
};

struct ConstraintKind {
  const char *name;
  enum { SAME, VELOCITIES, OTHERS } like; // the equations are alike one by one; to velocities only; other ones
  std::function<void(Looped &, std::unique_ptr<SimTK::Constraint> &)> add; // with parameters at random, on both sides
};

const std::vector<ConstraintKind> &constraint_kinds();

} // namespace peers

#endif
